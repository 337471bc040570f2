"""What the chat provider says, in English and in Chinese; ui/panels/sentences.py explains the patterns."""

from __future__ import annotations

from ui.panels.sentences_of_files import Pair

CHATTED: tuple[Pair, ...] = (
    (
        "Ollama at {url} has no model '{model}' (similar ones there: {near:list}); choose one of those, "
        "or run: ollama pull {same}",
        "{url} 的 Ollama 没有模型 {model}（已有名称相近的：{near}）；请选择其中之一，或运行：ollama pull {same}",
    ),
    (
        "The model '{model}' runs on {host}, so your documents would leave this machine; choose a local model.",
        "模型 {model} 运行在 {host} 上，您的文档会离开本机；请选择本地模型。",
    ),
    (
        "{model} at {url} wrote nothing within {n:number} seconds; ask again, choose a smaller model, "
        "or raise ollama.first_token_seconds.",
        "{url} 的 {model} 在 {n} 秒内没有写出任何内容；请再次提问，选择较小的模型，或调高 ollama.first_token_seconds。",
    ),
    (
        "{model} at {url} paused for more than {n:number} seconds; ask again, or raise ollama.idle_seconds.",
        "{url} 的 {model} 停顿超过 {n} 秒；请再次提问，或调高 ollama.idle_seconds。",
    ),
    (
        "{model} at {url} stopped before its answer was finished; ask again.",
        "{url} 的 {model} 在答案完成前停止了；请再次提问。",
    ),
    (
        "{model} at {url} was {have:loaded|unloaded} instead of answering; ask again.",
        "{url} 的 {model} 只是被加载或卸载，没有作答；请再次提问。",
    ),
    (
        "{model} could not be loaded at {url} ({why}); try again, or choose a smaller model.",
        "{url} 无法加载 {model}（{why}）；请重试，或选择较小的模型。",
    ),
    (
        "{model} at {url} broke down at work ({why}); ask again, or choose a smaller model.",
        "{url} 的 {model} 在运行中出错（{why}）；请再次提问，或选择较小的模型。",
    ),
    (
        "Nothing answers at {url} through the proxy of this environment; correct {names:list}, "
        "or name the host in NO_PROXY.",
        "通过本环境的代理无法连接 {url}；请更正 {names}，或在 NO_PROXY 中写入该主机。",
    ),
    (
        "The Ollama client cannot start ({why}); correct OLLAMA_HOST and the proxy variables of this environment.",
        "Ollama 客户端无法启动（{why}）；请更正 OLLAMA_HOST 和本环境的代理变量。",
    ),
    (
        "The Ollama address '{given}' cannot be used ({why:reason}); write it like {like} "
        "(setting ollama.url, or OLLAMA_HOST).",
        "Ollama 地址 {given} 无法使用（{why}）；请写成 {like} 的形式（设置 ollama.url 或 OLLAMA_HOST）。",
    ),
    ("only http and https are spoken", "只支持 http 和 https"),
    ("a name and password in it would be shown with every error", "其中的用户名和密码会出现在错误信息里"),
    ("'{host}' is no host name", "{host} 不是主机名"),
    # an unusable reply to a request for help
    ("the server has read only a part of the request", "服务器只读取了请求的一部分"),
)
