"""What the records say about grades and about checks of an answer, in English and in Chinese."""

from __future__ import annotations

from ui.panels.sentences_of_files import Pair

# said in the language of the question
CHECKED_EITHER_WAY: tuple[Pair, ...] = (
    ("A check found that this does not answer the question.", "核对发现：这段话没有回答问题。"),
    (
        "{first:reason} A check found that this does not answer the question.",
        "{first:reason} 核对发现：这段话没有回答问题。",
    ),
)

GRADED: tuple[Pair, ...] = (
    ("the whole: Value error, {why:reason}", "{why}"),
    ("not graded: {why:reason}", "未评分：{why}"),
    ("no chat model was asked for a grade", "没有请对话模型评分"),
    ("only the first {n:number} are graded", "只给前 {n} 个评分"),
    (
        "{n:number} of {all:number} passages have no grade: {why:reason}; {rest:reason}",
        "{all} 个片段中有 {n} 个没有评分：{why}；{rest}",
    ),
    ("{n:number} of {all:number} passages have no grade: {why:reason}", "{all} 个片段中有 {n} 个没有评分：{why}"),
    ("the least grade {n:number} was never calibrated for this model", "最低等级 {n} 从未针对此模型校准"),
    ("graded score {n:number} is below {least:number}", "模型评分 {n} 低于 {least}"),
    ("{reranker} score {n:number} is below {least:number}", "{reranker} 得分 {n} 低于 {least}"),
    ("there is no passage {name}", "没有片段 {name}"),
    ("{name} has two grades", "{name} 有两个评分"),
    (
        "The window of {model}, {n:number} tokens, has no room for a passage to grade; choose a larger one "
        "(setting answering.window).",
        "{model} 的窗口只有 {n} 个词元，容不下要评分的片段；请调大窗口（设置 answering.window）。",
    ),
    ("no passage was graded", "没有片段得到评分"),
    (
        "the best passage has grade {n:number} of 3; passages that could not be graded: {m:number}",
        "最佳片段的等级为 {n}（最高 3）；未能评分的片段：{m} 个",
    ),
    ("the best passage has grade {n:number} of 3", "最佳片段的等级为 {n}（最高 3）"),
)

CHECKED: tuple[Pair, ...] = (
    ("a check by the model found no support", "模型核对后未找到依据"),
    ("the model objected, but it stands word for word in a source", "模型提出异议，但来源中有逐字相同的内容"),
    ("there is no answer to check", "没有可核对的答案"),
    ("the answer quotes its sources word for word", "答案逐字摘自来源"),
    ("the answer was stopped", "答案已被停止"),
    ("no chat model was asked to check it", "没有请对话模型核对"),
    ("not checked: {why:reason}", "未核对：{why}"),
    (
        "{n:number} of {m:number} sentences have no support; it does not answer the question",
        "{m} 句中有 {n} 句没有依据；没有回答问题",
    ),
    ("{n:number} of {m:number} sentences have no support", "{m} 句中有 {n} 句没有依据"),
    ("it does not answer the question", "没有回答问题"),
    ("there is no sentence {n:number}", "没有第 {n} 句"),
    (
        "The window of {model}, {n:number} tokens, has no room for the sources of this answer; choose a larger one "
        "(setting answering.window).",
        "{model} 的窗口只有 {n} 个词元，容不下这个答案的来源；请调大窗口（设置 answering.window）。",
    ),
)

# why a structured reply could not be used
REPLIED: tuple[Pair, ...] = (
    ("the reply was empty", "回复为空"),
    ("no JSON object in the reply", "回复中没有 JSON 对象"),
    ("stopped", "已停止"),
    (r"{place:[\w.]+}: Field required", "缺少 {place}"),
    (
        r"{place:[\w.]+|the whole}: {why:(?:Input|Field|List|String|Value error|Invalid JSON|Unable to)\b.+}",
        "{place} 的格式不符（{why}）",
    ),
)
