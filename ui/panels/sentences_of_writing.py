"""What written answers say of how they came about, in English and in Chinese."""

from __future__ import annotations

from ui.panels.sentences_of_files import Pair

# said in the language of the question
WROTE_EITHER_WAY: tuple[Pair, ...] = (
    (
        "{model} read {n:number} sources and found no answer in them",
        "{model} 阅读了 {n:number} 个来源，没有找到答案",
    ),
    ("quoted from your documents, since {model} wrote no answer", "摘自您的文档，因为 {model} 没有写出答案"),
    (
        "The question is too long for the window of the model: it has not read the middle part.",
        "问题太长，模型的窗口容不下：中间部分没有读到。",
    ),
    (
        "The model says that the documents hold only a part of the answer.",
        "模型认为文档中只有部分答案。",
    ),
)

WROTE: tuple[Pair, ...] = (
    ("stopped before it was finished", "尚未写完即已停止"),
    (
        "{model} wrote {n:number} tokens of thinking and no answer; choose a model that does not think.",
        "{model} 只写了 {n} 个词元的思考，没有写出答案；请选择不思考的模型。",
    ),
    (
        "{model} spent the whole length on thinking and wrote no answer; choose a model that does not think, "
        "or allow longer answers (setting answering.max_tokens).",
        "{model} 把全部长度都用在了思考上，没有写出答案；请选择不思考的模型，"
        "或允许更长的回答（设置 answering.max_tokens）。",
    ),
    (
        "A window of {n:number} tokens has no room for a source beside rules and answer; "
        "choose a larger one (setting answering.window).",
        "{n} 个词元的窗口除规则和回答外放不下任何来源；请选择更大的窗口（设置 answering.window）。",
    ),
    (
        "This answer cannot be continued: no chat model wrote it; ask the question again.",
        "这个回答无法继续：它不是由对话模型撰写的；请再次提问。",
    ),
    (
        "The window of {model}, {n:number} tokens, has no room to go on; "
        "choose a larger one (setting answering.window), or ask again for a shorter answer.",
        "{model} 的窗口为 {n} 个词元，已没有空间继续；请选择更大的窗口（设置 answering.window），"
        "或再次提问以得到较短的回答。",
    ),
)
