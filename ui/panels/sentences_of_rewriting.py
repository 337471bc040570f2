"""What the records say about questions that a model completes or words anew; see ui/panels/sentences.py."""

from __future__ import annotations

from ui.panels.sentences_of_files import Pair

# before the sentences of the confidence, of which one begins alike
REWRITTEN: tuple[Pair, ...] = (
    (
        "the best chunk lacks {terms:list}: {model:\\S+} words the question anew",
        "最佳片段缺少：{terms}；由 {model} 改写问题",
    ),
    ("{model:\\S+} words the question anew", "由 {model} 改写问题"),
    ("{model:\\S+} divides the question: {parts}", "由 {model} 拆分问题：{parts}"),
    ("the question has one part", "问题只有一个部分"),
    (
        "{n:number} documents are in Chinese: {model:\\S+} translates the question",
        "有 {n} 个文档是中文；由 {model} 翻译问题",
    ),
    (
        "{n:number} documents are in English: {model:\\S+} translates the question",
        "有 {n} 个文档是英文；由 {model} 翻译问题",
    ),
    ("{model:\\S+} adds a more general question: {question}", "由 {model} 补充一个更一般的问题：{question}"),
    (
        "search for passages like one that {model:\\S+} made up; it is no evidence",
        "检索与 {model} 虚构的一段话相近的片段；这段话不是依据",
    ),
    # follow-ups
    (
        "the question points back; {model:\\S+} completed it from the conversation",
        "问题承接上文；由 {model} 根据对话补全",
    ),
    (
        "{model:\\S+} did not complete the question ({why:reason}); {instead:reason}",
        "{model} 未能补全问题（{why}）；{instead}",
    ),
    # why a reply was not used
    ("part {n:number}: {why:reason}", "第 {n} 部分：{why}"),
    ("it is empty", "内容为空"),
    ("it has {n:number} characters, more than {most:number}", "有 {n} 个字符，超过 {most} 个"),
    ("it is not in Chinese", "不是中文"),
    ("it is not in English", "不是英文"),
    ("it names nothing to search for", "没有可检索的内容"),
    ("it lacks {names:list}", "缺少：{names}"),
    ("the parts lack {names:list}", "各部分都缺少：{names}"),
    ("nobody mentioned {names:list}", "对话和文档中都没有提到：{names}"),
    ("it is no question but repeats instructions", "不是问题，而是重复了指令"),
    ("it is more than one question", "不止一个问题"),
    ("it repeats the example", "重复了提示中的示例"),
    ("it repeats the conversation", "重复了对话中的话"),
    ("the same was searched already", "已经检索过同样的内容"),
    ("it asks something new", "问了新的内容"),
    ("it repeats another", "与另一部分重复"),
    ("it says no more than the question", "没有比问题多说什么"),
    ("nothing from the conversation was added", "没有补充对话中的内容"),
)
