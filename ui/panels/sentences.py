"""What the records say about questions, in English and in Chinese: pairs of patterns, of which the first match wins.

`{name}` stands for a value that passes through untouched; after a colon stands what it may be:
number; list (joined by ", "); reason (a sentence of its own, said in Chinese too); else a regular expression.
"""

from __future__ import annotations

from ui.panels.sentences_of_answers import SUPPORTED
from ui.panels.sentences_of_chat import CHATTED
from ui.panels.sentences_of_embedding import EMBEDDED
from ui.panels.sentences_of_files import ADDED, UNREADABLE, Pair
from ui.panels.sentences_of_grading import CHECKED, CHECKED_EITHER_WAY, GRADED, REPLIED
from ui.panels.sentences_of_models import SERVED
from ui.panels.sentences_of_rewriting import REWRITTEN
from ui.panels.sentences_of_writing import WROTE, WROTE_EITHER_WAY
from ui.texts import WORDS

# said in the language of the question, so that the screen's language may be either
EITHER_WAY: tuple[Pair, ...] = (
    (
        "quoted from your documents; choose a chat model for written answers",
        "摘自您的文档；选择对话模型可获得撰写的回答",
    ),
    ("declined: the evidence is not good enough to answer", "没有足够的依据，所以不回答"),
    ("written by {model} from your documents", "由 {model} 根据您的文档撰写"),
    ("Not sure (confidence {n:number}): check the sources below.", "不太确定（置信度 {n:number}）：请核对下面的出处。"),
    (
        "No sentence of this names a source in your documents; rely on the documents themselves.",
        "这段话没有注明任何来源，请以文档原文为准。",
    ),
    *CHECKED_EITHER_WAY,
    *WROTE_EITHER_WAY,
    *(
        WORDS[key]
        for key in (
            *("stopped", "unfinished", "unexpected", "removed", "job_busy", "job_queued", "folder_missing", "loading"),
            *(
                "model_used",
                "model_deleted",
                "pull_queued",
                "pull_name_missing",
                "index_removed",
                "index_busy",
                "wished_kept",
            ),
        )
    ),
)

JUDGED: tuple[Pair, ...] = (
    (
        "The coefficients were fitted with {fitted}; with {used} the order of confidences holds, but the number is "
        "less exact: check it on questions of your own.",
        "系数是用 {fitted} 拟合的；换用 {used} 后，可信度的高低次序仍然成立，但数值不够准确：请用您自己的问题核对。",
    ),
    ("{value:number} reaches {band:number}", "{value} 达到 {band}"),
    ("{value:number} is below {band:number}", "{value} 低于 {band}"),
    ("{value:number} is below {band:number}: {why:reason}", "{value} 低于 {band}；{why}"),
    ("{value:number} is below {band:number}; {why:reason}", "{value} 低于 {band}；{why}"),
    ("{value:number} is between {low:number} and {high:number}", "{value} 介于 {low} 与 {high} 之间"),
    (
        "{value:number} is between {low:number} and {high:number}: {why:reason}",
        "{value} 介于 {low} 与 {high} 之间；{why}",
    ),
    (
        "{value:number} is between {low:number} and {high:number}; {why:reason}",
        "{value} 介于 {low} 与 {high} 之间；{why}",
    ),
    ("all {n:number} attempts are used", "{n} 次尝试已全部用完"),
    ("there is no other way to search", "没有其他检索方式"),
    (
        "the last attempt changed the confidence by {gain:number}, less than {least:number}",
        "上一次尝试使置信度变动 {gain}，小于 {least}",
    ),
    ("not measured ({why:reason}); its usual value {value:number} is taken", "未测得（{why}），取其常见值 {value}"),
    ("no chunk was found", "没有找到片段"),
    ("the text route gave no terms", "文本路线没有给出检索词"),
    ("the vector route did not finish", "向量路线没有完成"),
    ("every fused score is 0", "所有融合得分都是 0"),
    ("best {best:number}, next four {rest:number}", "最佳 {best}，其后四个平均 {rest}"),
    ("{held:number} of {n:number} terms in the best chunk", "问题的 {n} 个词中有 {held} 个在最佳片段里"),
    ("the best chunk lacks {terms:list}", "最佳片段缺少：{terms}"),
    ("the best chunk holds every term asked about", "最佳片段包含问题中的每个词"),
    ("the question names no identifier", "问题中没有标识符"),
    ("none to look for", "没有需要查找的标识符"),
    ("{names:list} occurs nowhere in the documents", "文档中没有出现：{names}"),
    ("the best chunk does not hold {names:list}", "最佳片段不含：{names}"),
    ("the best chunk holds every identifier", "最佳片段包含全部标识符"),
    ("fused {first:number} against {second:number} for the next", "融合得分 {first}，次名为 {second}"),
    (
        "fused {first:number} against {second:number} for the next; with so few chunks it counts {share:number} times",
        "融合得分 {first}，次名为 {second}；片段太少，按 {share} 倍计",
    ),
    (
        "the nearest chunk has cosine {top:number}; the average of {n:number} chunks is {mean:number}",
        "最接近的片段余弦为 {top}；{n} 个片段的平均值为 {mean}",
    ),
    (
        "the nearest chunk has cosine {top:number}; the average of {n:number} chunks and {others:number} unrelated "
        "texts is {mean:number}",
        "最接近的片段余弦为 {top}；{n} 个片段与 {others} 段无关文字的平均值为 {mean}",
    ),
    ("a confidence stays between 0 and 1", "置信度限于 0 到 1 之间"),
    ("switched off", "未启用"),
    ("{document} has authority {n:number}", "{document} 的权威性为 {n}"),
    ("the age of the best source is not known", "最佳来源的日期未知"),
    ("the best source is {n:number} months old", "最佳来源距今 {n} 个月"),
)

SEARCHED: tuple[Pair, ...] = (
    ("the question has several parts: {parts}", "问题包含几个部分：{parts}"),
    (
        "{names} occurs in the documents but not in the best chunk: search for it alone",
        "文档中有 {names}，但最佳片段里没有：单独检索它",
    ),
    ("look at more hits and at the chunks beside them", "查看更多命中结果及其相邻片段"),
    ("the first question of the conversation", "对话中的第一个问题"),
    ("the question stands alone", "问题本身完整"),
    ("the question before it has no terms to add", "上一个问题没有可补充的词"),
    ("the question points back; added from “{question:.+}”: {terms:list}", "问题承接上文；从“{question}”补充：{terms}"),
    ("the query names {names:list}: exact words count more", "问题中有 {names}：精确匹配的词权重更高"),
    ("no identifier or number in the query", "问题中没有标识符或数字"),
    ("not among the first {n:number} of this route", "不在该路线的前 {n} 名内"),
    ("no reranker chosen", "未选用重排模型"),
    ("{reranker} gave no score", "{reranker} 没有给出得分"),
    ("same text as a better ranked chunk of {document}", "与 {document} 中名次更高的片段文字相同"),
    ("fused score {score:number} is below {least:number}", "融合得分 {score} 低于 {least}"),
    ("only the first {n:number} go on", "只保留前 {n} 个"),
    (
        "stands beside chunk #{n:number} in {document}; added by widening",
        "与 {document} 的 #{n} 片段相邻；扩大检索时加入",
    ),
    ("no answer within {n:number} s; the other routes went on", "{n} 秒内没有返回；其他路线照常进行"),
    ("No route could search: {reasons:reason}.", "没有一条路线能够检索：{reasons}。"),
    ("vector: {vector:reason}; text: {text:reason}", "向量：{vector}；文本：{text}"),
    ("vector: {why:reason}", "向量：{why}"),
    ("text: {why:reason}", "文本：{why}"),
    ("quoted word for word", "逐字摘录"),
    ("names no source", "没有注明来源"),
    ("cut off by the length limit", "达到长度上限而被截断"),
    ("the model stopped midway", "模型中途停止"),
)

FAILED: tuple[Pair, ...] = (
    ("The question is empty; type what you want to know.", "问题是空的；请输入您想了解的内容。"),
    (
        "The question has {n:number} characters; ask in at most {most:number}.",
        "问题有 {n} 个字符；请控制在 {most} 个以内。",
    ),
    ("The question was stopped before it was finished; ask it again.", "问题尚未完成即已停止；请再次提问。"),
    ("The assistant is not open yet; try again in a moment.", "助手尚未就绪；请稍后重试。"),
    # models
    (
        "{model} wrote no answer; ask again, or choose another model.",
        "{model} 没有写出答案；请再次提问，或选择其他模型。",
    ),
    (
        "No chat model is chosen; set answering.model, for example to {model}.",
        "没有选定对话模型；请设置 answering.model，例如 {model}。",
    ),
    (
        "Ollama at {url} has no model '{model}'. Run: ollama pull {same}",
        "{url} 的 Ollama 没有模型 {model}。请运行：ollama pull {same}",
    ),
    (
        "{model} at {url} has sent nothing for too long; it may still be loading: try again, "
        "or choose a smaller model.",
        "{url} 的 {model} 长时间没有响应，可能仍在加载；请重试，或选择较小的模型。",
    ),
    (
        "Nothing answers at {url}; start Ollama, or correct its address (setting ollama.url).",
        "{url} 没有响应；请启动 Ollama，或更正其地址（设置 ollama.url）。",
    ),
    (
        "No answer from {url} within {n:number} seconds; check the Ollama address.",
        "{url} 在 {n} 秒内没有响应；请检查 Ollama 地址。",
    ),
    (
        "The host name in {url} is not known here; correct the Ollama address.",
        "无法识别 {url} 中的主机名；请更正 Ollama 地址。",
    ),
    (
        "Ollama at {url} ended the connection in the middle of its answer ({why}); try again.",
        "{url} 的 Ollama 在作答途中断开了连接（{why}）；请重试。",
    ),
    (
        "What answers at {url} does not speak as Ollama does ({why}); check the address.",
        "{url} 的响应不像 Ollama（{why}）；请检查地址。",
    ),
    (
        "What answers at {url} is not Ollama, or an old one; update Ollama or correct the address.",
        "{url} 不是 Ollama，或版本过旧；请更新 Ollama 或更正地址。",
    ),
    (
        "A web page answers at {url} (status {n}), not Ollama; check address and proxy.",
        "{url} 返回的是网页（状态 {n}），不是 Ollama；请检查地址和代理。",
    ),
    ("Asking {model} at {url} failed ({why}); try again.", "向 {url} 的 {model} 提问失败（{why}）；请重试。"),
    (
        "The text is longer than {model} at {url} reads ({why}); shorten it.",
        "文本超过 {url} 的 {model} 可读取的长度（{why}）；请缩短。",
    ),
    (
        "{model} does not fit into the memory of {url} ({why}); choose a smaller model "
        "or a smaller window (setting answering.window).",
        "{url} 的内存容不下 {model}（{why}）；请选择较小的模型，或调小窗口（设置 answering.window）。",
    ),
    ("Ollama at {url} is busy ({why}); try again in a moment.", "{url} 的 Ollama 正忙（{why}）；请稍后重试。"),
    (
        "The model '{model}' cannot be used for this ({why}); choose another.",
        "模型 {model} 不能用于此处（{why}）；请选择其他模型。",
    ),
    (
        "{url} refuses the request (status {n}); check address, proxy and sign-in.",
        "{url} 拒绝了请求（状态 {n}）；请检查地址、代理和登录。",
    ),
    (
        "Ollama at {url} could not answer with {model} ({why}); try again.",
        "{url} 的 Ollama 无法用 {model} 作答（{why}）；请重试。",
    ),
    (
        "A text of {n:number} tokens ({start}…) is longer than the {most:number} that {model} reads; "
        "cut it into shorter chunks (setting chunking.size).",
        "一段文字有 {n} 个词元（{start}……），超过 {model} 可读取的 {most} 个；请切成更短的片段（设置 chunking.size）。",
    ),
    # settings
    ("Setting {place} = {value} cannot be used: {why}.", "设置 {place} = {value} 无法使用：{why}。"),
    (
        "There is no setting '{path}'; docs/settings.md lists them all.",
        "没有设置 {path}；全部设置见 docs/settings.md。",
    ),
    (
        "The settings file '{file}' is not readable ({why}); correct or remove it.",
        "无法读取设置文件 {file}（{why}）；请更正或删除它。",
    ),
    ("There is no {noun} named '{name}'; choose one of: {known}.", "没有 {name}；可选：{known}。"),
    # the knowledge base; what to do stands at the end
    (
        "{what:reason} Free some disk space and try again; what was stored before is intact.",
        "{what} 请腾出磁盘空间后重试；已保存的内容完好。",
    ),
    (
        "{what:reason} The file was left as it is: restore a copy of it, or choose another folder with --kb and "
        "ingest again.",
        "{what} 文件未作改动：请恢复其副本，或用 --kb 选择另一个文件夹并重新添加。",
    ),
    (
        "{what:reason} Choose an existing knowledge base with --kb, or open it for writing to create it.",
        "{what} 请用 --kb 选择已有的知识库，或以可写方式打开来创建。",
    ),
    (
        "{what:reason} The file was left as it is: update Glassbox, or choose another folder with --kb.",
        "{what} 文件未作改动：请更新 Glassbox，或用 --kb 选择另一个文件夹。",
    ),
    (
        "{what:reason} Try again; if it stays so, restore a copy of the folder, or choose another with --kb and "
        "ingest again.",
        "{what} 请重试；若仍如此，请恢复文件夹的副本，或用 --kb 选择另一个文件夹并重新添加。",
    ),
    ("The knowledge base {folder} cannot be used: {why}", "知识库 {folder} 无法使用：{why}"),
    (
        "The knowledge base {folder} is open in another Glassbox (process {n:number}); "
        "close it or use --kb for another.",
        "知识库 {folder} 已在另一个 Glassbox 中打开（进程 {n}）；请关闭它，或用 --kb 另选。",
    ),
    (
        "The knowledge base {folder} is open in another Glassbox; close it or use --kb for another.",
        "知识库 {folder} 已在另一个 Glassbox 中打开；请关闭它，或用 --kb 另选。",
    ),
    ("The knowledge base {folder} is closed; open it again.", "知识库 {folder} 已关闭；请重新打开。"),
    (
        "The knowledge base {folder} is open read-only; open it for writing to change it.",
        "知识库 {folder} 以只读方式打开；如需更改，请以可写方式打开。",
    ),
    (
        "The knowledge base {folder} holds {n:number} chunks embedded with {built}, but the chosen model is {model}; "
        "leave embedding.provider empty to keep the old model, embed the base again with the new one "
        "(launch.py reembed), or use --kb for another base.",
        "知识库 {folder} 的 {n} 个片段由 {built} 向量化，而所选模型是 {model}；"
        "请将 embedding.provider 留空以保留原模型，用新模型重新向量化（launch.py reembed），或用 --kb 另选知识库。",
    ),
)

CHINESE: tuple[Pair, ...] = (
    *EITHER_WAY,
    *REWRITTEN,
    *WROTE,
    *SUPPORTED,
    *JUDGED,
    *SEARCHED,
    *GRADED,
    *CHECKED,
    *ADDED,
    *UNREADABLE,
    *EMBEDDED,
    *FAILED,
    ("of {document}", "来自 {document}"),
    *CHATTED,
    *SERVED,
    *REPLIED,
)
