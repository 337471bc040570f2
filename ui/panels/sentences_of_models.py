"""What is said of the model server and its models, in English and in Chinese; sentences.py explains the patterns."""

from __future__ import annotations

from ui.panels.sentences_of_files import Pair

SERVED: tuple[Pair, ...] = (
    (
        "Ollama {version} may cut long prompts without saying so; update it to 0.12.6 or newer.",
        "Ollama {version} 可能会不加提示地截断长提示词；请更新到 0.12.6 或更高版本。",
    ),
    # whether a model fits
    ("{model} is not installed, so what it needs is not known.", "{model} 尚未安装，无法得知它需要多少内存。"),
    ("{model} is loaded and takes {size} GB.", "{model} 已加载，占用 {size} GB。"),
    (
        "{model} needs about {need} GB of memory with a window of {n:number} tokens; {free} GB of {total} GB are free.",
        "{model} 在 {n} 个词元的窗口下约需 {need} GB 内存；共 {total} GB，可用 {free} GB。",
    ),
    (
        "{model} needs about {need} GB of memory with a window of {n:number} tokens, and only {free} GB of {total} GB "
        "are free; close other programs, or choose a smaller model or window.",
        "{model} 在 {n} 个词元的窗口下约需 {need} GB 内存，而 {total} GB 中只有 {free} GB 可用；"
        "请关闭其他程序，或选择较小的模型或窗口。",
    ),
    (
        "{model} needs about {need} GB of memory with a window of {n:number} tokens, and this machine has {total} GB; "
        "choose a smaller model or window.",
        "{model} 在 {n} 个词元的窗口下约需 {need} GB 内存，而本机共有 {total} GB；请选择较小的模型或窗口。",
    ),
    (
        "{model} needs about {need} GB of memory with a window of {n:number} tokens; how much {url} has is not known "
        "here.",
        "{model} 在 {n} 个词元的窗口下约需 {need} GB 内存；无法从这里得知 {url} 有多少内存。",
    ),
    # what is advised
    (
        "This machine has {total} GB of memory, which chat and embedding model share.",
        "本机共有 {total} GB 内存，由对话模型和嵌入模型共用。",
    ),
    (
        "Ollama runs on another machine ({url}), whose memory is not known here.",
        "Ollama 运行在另一台机器上（{url}），无法从这里得知其内存。",
    ),
    ("Installed: {why:reason}.", "已安装：{why}。"),
    ("To download: {why:reason}.", "需下载：{why}。"),
    ("not among those known here; try it on your own questions", "不在已知型号之列；请用您自己的问题试一试"),
    (
        "the best answers of those that leave room for an embedding model",
        "在给嵌入模型留出内存的型号中，回答质量最好",
    ),
    ("good Chinese and English, and its thinking can be left off", "中英文俱佳，且可关闭思考过程"),
    ("good Chinese and English for its size, without thinking", "体积不大而中英文良好，没有思考过程"),
    ("the smallest that still cites, though weakly", "能够引用出处的最小型号，但较弱"),
    ("finds best, and takes the longest to index", "检索效果最好，建立索引最慢"),
    ("strong in Chinese and English, and reads long passages", "中英文检索强，可读长段落"),
    ("light, for more than 100 languages", "轻便，支持一百多种语言"),
    # what ails the chosen models
    ("{model} cannot write answers; choose a chat model.", "{model} 不能撰写回答；请选择对话模型。"),
    (
        "{model} thinks at length before every answer and cannot be told not to; {other} does not.",
        "{model} 每次回答前都会长时间思考，且无法关闭；{other} 不会。",
    ),
    (
        "{model} reads English only; choose one for Chinese and English, such as {other}.",
        "{model} 只能读英文；请选择支持中英文的模型，例如 {other}。",
    ),
    (
        "{model} was made for {has:number} tokens and gets as many, not the {wanted:number} of the setting "
        "answering.window.",
        "{model} 最多支持 {has} 个词元，因此按此使用，而不是设置 answering.window 的 {wanted}。",
    ),
    (
        "{model} is loaded with a window of {has:number} tokens, not the {wanted:number} asked for here; if another "
        "program uses it, it is loaded anew at each change.",
        "{model} 加载时的窗口是 {has} 个词元，而不是这里要求的 {wanted}；"
        "如果另一个程序也在使用它，每次切换都会重新加载。",
    ),
    (
        "Only {share} of {model} is on the graphics card, which makes it slow; choose a smaller model or window.",
        "{model} 只有 {share} 在显卡上，因此较慢；请选择较小的模型或窗口。",
    ),
    (
        "{other} put {model} out of memory, so each question loads both anew; choose smaller models or a smaller "
        "window (setting answering.window).",
        "{other} 把 {model} 挤出了内存，因此每次提问都要重新加载两者；"
        "请选择较小的模型或较小的窗口（设置 answering.window）。",
    ),
    (
        "{chat} and {embedder} together need about {need} GB of memory and this machine has {total} GB, so each puts "
        "the other out; choose smaller models or a smaller window (setting answering.window).",
        "{chat} 与 {embedder} 合计约需 {need} GB 内存，而本机共有 {total} GB，两者会互相挤出；"
        "请选择较小的模型或较小的窗口（设置 answering.window）。",
    ),
    # downloading
    (
        "Nothing has come for {n:number} seconds; it still waits, and stopping loses nothing: the next pull goes on "
        "from here.",
        "已有 {n} 秒没有收到数据；仍在等待。停止不会丢失已下载的部分：下次会从这里继续。",
    ),
    (
        "Ollama at {url} ended the connection while it pulled {model}; pull again to go on from there.",
        "{url} 的 Ollama 在下载 {model} 时断开了连接；请再次下载，会从断点继续。",
    ),
    (
        "{model} needs a newer Ollama than the one at {url}; update Ollama and pull again.",
        "{model} 需要比 {url} 上更新的 Ollama；请更新 Ollama 后再次下载。",
    ),
    (
        "Ollama's library has no model '{model}'; check its name and tag.",
        "Ollama 的模型库中没有 {model}；请检查名称和标签。",
    ),
    (
        "There is no room for {model} on the disk of {url} ({why}); make room and pull again to go on from there.",
        "{url} 的磁盘放不下 {model}（{why}）；请腾出空间后再次下载，会从断点继续。",
    ),
    ("A part of {model} arrived damaged ({why}); pull again.", "{model} 的一部分在传输中损坏（{why}）；请再次下载。"),
    (
        "Ollama at {url} could not download {model} ({why}); pull again to go on from there, and behind a proxy set "
        "HTTPS_PROXY where Ollama itself runs.",
        "{url} 的 Ollama 无法下载 {model}（{why}）；请再次下载，会从断点继续；若使用代理，"
        "请在运行 Ollama 的环境中设置 HTTPS_PROXY。",
    ),
    (
        "Ollama at {url} could not pull {model} ({why}); try again.",
        "{url} 的 Ollama 无法下载 {model}（{why}）；请重试。",
    ),
    ("No model is named; write one like {like}.", "没有写模型名称；请写成 {like} 的形式。"),
)
