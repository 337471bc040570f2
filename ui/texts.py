"""Every word of the interface, in English and Chinese.

What stages say about their own decisions ("why …") is part of the records: see ui/panels/sentences.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ui.words_of_answers import ANSWERS
from ui.words_of_models import MODELS

Lang = Literal["en", "zh"]


class Texts:
    """The interface words of one language: `t("send")`, `t("chunks", n="5,412")`. Raises KeyError for unknown keys."""

    def __init__(self, lang: Lang) -> None:
        self.lang: Lang = lang
        self._column = 0 if lang == "en" else 1

    def __call__(self, key: str, **fields: object) -> str:
        text = WORDS[key][self._column]
        return text.format(**fields) if fields else text

    def count(self, key: str, n: int, **fields: object) -> str:
        """The words of this key for n things, with their own form for one where there is one ("1 hit")."""
        own = f"{key}.one" if n == 1 and f"{key}.one" in WORDS else key
        return self(own, n=f"{n:,}", **fields)

    def name(self, group: str, word: str) -> str:
        """The word of a group ("state", "signal" …); names that parts brought along are shown as they are."""
        pair = WORDS.get(f"{group}.{word}")
        return pair[self._column] if pair else word.replace("_", " ")


def T(lang: str) -> Texts:  # noqa: N802 - the short name every panel uses
    """The words of this language; anything but "zh" gives English."""
    return Texts("zh" if lang == "zh" else "en")


WORDS: Mapping[str, tuple[str, str]] = {
    # the frame
    "app": ("Glassbox", "Glassbox"),
    "tagline": (
        "Ask your own files. Every answer shows how it was found.",
        "向自己的文件提问。每个答案都说明它是怎么找到的。",
    ),
    "ask": ("Ask", "提问"),
    "documents": ("Documents", "文档"),
    "send": ("Send", "发送"),
    "stop": ("Stop", "停止"),
    "new_conversation": ("New conversation", "新对话"),
    "question_box": ("Ask about your documents", "就您的文档提问"),
    "export": ("Export trace", "导出记录"),
    "answer_by": ("Answer by", "作答方式"),
    "answer_quoted": ("Quoted sentences", "原文摘录"),
    "language": ("Language", "语言"),
    "theme": ("Light / dark", "浅色 / 深色"),
    "local_only": ("Runs on this computer only", "只在本机运行"),
    "conversation": ("Conversation", "对话"),
    "evidence": ("Evidence", "依据"),
    "evidence_for": ("Evidence for", "以下问题的依据"),
    "colon": (": ", "："),
    "semicolon": ("; ", "；"),
    # states of the screen
    "loading": ("Loading models and the knowledge base …", "正在加载模型和知识库……"),
    "loading_hint": (
        "You can look around; questions can be asked in a moment.",
        "可以先浏览界面，稍后即可提问。",
    ),
    "load_failed": ("Glassbox could not open", "无法打开 Glassbox"),
    "first_run": ("Nothing has been added yet", "还没有添加任何文档"),
    "first_run_hint": (
        "Add files or a folder under Documents; then ask about them in Chinese or English.",
        "请在“文档”中添加文件或文件夹，然后用中文或英文提问。",
    ),
    "go_documents": ("Add documents", "添加文档"),
    "ready": ("What would you like to know?", "您想了解什么？"),
    "ready_hint": (
        "Answers quote your documents and show on the right how each source was found and how sure the answer is.",
        "答案引用您的文档；右侧说明每个来源是怎么找到的，以及答案有多可靠。",
    ),
    "no_evidence": ("The evidence appears here", "依据显示在这里"),
    "no_evidence_hint": (
        "Confidence, attempts and every passage with its scores, for the answer you select.",
        "所选答案的置信度、各次尝试，以及每个片段的全部得分。",
    ),
    "nothing_found": ("No passage was found", "没有找到任何片段"),
    "nothing_found_hint": (
        "Try other words, or check under Documents whether the file was indexed.",
        "请换一种说法，或在“文档”中查看文件是否已编入索引。",
    ),
    "error": ("That did not work", "操作未成功"),
    "unexpected": (
        "Something unexpected happened ({name}); the details are in the log, please try again.",
        "发生意外错误（{name}）；详情见日志，请重试。",
    ),
    "stopped": ("Stopped before there was an answer.", "已停止，尚无答案。"),
    "stopped_title": ("Stopped", "已停止"),
    "ask_again": ("Ask again", "再次提问"),
    "dismiss": ("Dismiss", "关闭"),
    # progress of a question
    "searching": ("searching", "检索"),
    "judging": ("judging", "评估"),
    "answering": ("answering", "作答"),
    "attempt_n": ("attempt {n}", "第 {n} 次尝试"),
    "hits": ("{n} hits", "{n} 条"),
    "hits.one": ("{n} hit", "{n} 条"),
    "now": ("now", "进行中"),
    "done": ("done", "完成"),
    "waiting": ("waiting", "等待"),
    "part_n": ("sub-question {n}", "子问题 {n}"),
    # answer
    "asked_as": ("Asked as", "检索用的问题"),
    "edit_question": ("edit and ask again", "修改后再问"),
    "caveat": ("Note", "注意"),
    "sources": ("Sources", "来源"),
    "source_n": ("Source {n}", "来源 {n}"),
    "unsupported": ("no source supports this", "无来源支持"),
    "unchecked": ("not checked against the sources", "未与来源核对"),
    "declined": ("No answer from these documents", "这些文档中没有答案"),
    "suggestions": ("Nearest documents", "最接近的文档"),
    "incomplete": ("The answer is incomplete", "答案不完整"),
    "show_evidence": ("Show its evidence", "查看依据"),
    "shown_now": ("Evidence shown", "正在显示依据"),
    "failed_at": ("This question could not be answered", "未能回答此问题"),
    "stage.search": ("search", "检索"),
    "stage.answer": ("answer", "作答"),
    "took": ("{seconds} in all", "共用 {seconds}"),
    # confidence
    "confidence": ("Confidence", "置信度"),
    "decision.answer": ("Answer", "作答"),
    "decision.caveat": ("Answer with a caveat", "附说明作答"),
    "decision.rewrite": ("Try again", "重试"),
    "decision.decline": ("Decline", "不作答"),
    "undecided": ("Judging", "评估中"),
    "limited_by": ("Limited by", "受限于"),
    "show_calculation": ("Show the calculation", "查看计算过程"),
    "start": ("Start", "起点"),
    "start_why": ("Before any signal is looked at.", "未看任何信号之前的值。"),
    "signal": ("Signal", "信号"),
    "raw": ("Raw", "原值"),
    "value": ("Value", "取值"),
    "weight": ("Weight", "权重"),
    "contribution": ("Contribution", "贡献"),
    "points": ("Points", "分值"),
    "adjustment": ("adjustment", "调整"),
    "sum": ("Confidence", "置信度"),
    "formula": ("Formula", "公式"),
    "method_coefficients": ("method {method} · coefficients {coefficients}", "方法 {method} · 系数 {coefficients}"),
    "answer_at": ("answer from {n}", "{n} 起作答"),
    "decline_below": ("decline below {n}", "低于 {n} 不作答"),
    "not_judged": ("Not judged yet", "尚未评估"),
    # attempts
    "attempts": ("Attempts", "各次尝试"),
    "first_search": ("First search", "首次检索"),
    "stands_on_this": ("the answer stands on this", "答案基于此次"),
    "best_so_far": ("best so far", "目前最好"),
    "changes": ("changed", "改动"),
    "show_attempt": ("Show what attempt {n} found", "查看第 {n} 次尝试的结果"),
    "route_late": ("late", "超时"),
    "route_failed": ("failed", "失败"),
    "route_skipped": ("skipped", "跳过"),
    "weights": ("Route weights", "检索路线权重"),
    # ledger
    "passages": ("Passages", "片段"),
    "passages_of": ("Passages of attempt {n}", "第 {n} 次尝试的片段"),
    "page": ("p. {n}", "第 {n} 页"),
    "page_range": ("pp. {a}–{b}", "第 {a}–{b} 页"),
    "route": ("Route", "检索路线"),
    "rank": ("Rank", "名次"),
    "normalised": ("Normalised", "归一"),
    "share": ("Share", "份额"),
    "fused": ("Fused", "融合"),
    "rerank": ("Rerank", "重排"),
    "final": ("Final", "最终"),
    "moved_up": ("up {n}", "上升 {n}"),
    "moved_down": ("down {n}", "下降 {n}"),
    "kept_rank": ("same rank", "名次不变"),
    "not_found_by": ("not found by this route", "该路线未找到"),
    "dropped": ("dropped", "未采用"),
    "dropped_n": ("{n} candidates were dropped", "{n} 个候选未采用"),
    "dropped_n.one": ("{n} candidate was dropped", "{n} 个候选未采用"),
    "terms_present": ("in this passage", "本片段包含"),
    "terms_absent": ("not in it", "不包含"),
    "also_in": ("Also in", "同文另见"),
    "cited_as": ("cited as", "引用为"),
    "how_score": ("How this score came about", "得分的由来"),
    "how_fused": ("Fused score", "融合得分"),
    "how_text": ("BM25, term by term", "BM25 逐词明细"),
    "how_vector": ("Cosine", "余弦相似度"),
    "how_order": ("Final order", "最终排序"),
    "term": ("Term", "词"),
    "times": ("Times here", "本片段次数"),
    "in_chunks": ("In chunks", "含该词片段数"),
    "idf": ("IDF", "逆文档频率"),
    "length_note": (
        "{length} terms here, {average} on average",
        "本片段 {length} 词，平均 {average} 词",
    ),
    "background": (
        "All {n} chunks against this question: mean {mean}, standard deviation {deviation}.",
        "该问题与全部 {n} 个片段：均值 {mean}，标准差 {deviation}。",
    ),
    "rrf_note": (
        "1 / (k + rank), k = {k}. The size of this number says nothing by itself; only the order counts.",
        "1 /（k + 名次），k = {k}。数值大小本身没有含义，只看先后次序。",
    ),
    "fused_by": ("fused by {method}", "融合方式：{method}"),
    "method.signals": ("signals", "信号"),
    "method.classic": ("classic", "经典"),
    "method.scores": ("weighted scores", "加权得分"),
    "method.reciprocal_rank": ("reciprocal rank (RRF)", "倒数名次（RRF）"),
    "route.vector": ("vector", "向量"),
    "route.text": ("text", "文本"),
    "unit.cosine": ("cosine", "余弦"),
    "unit.bm25": ("BM25", "BM25"),
    "unit.fused": ("fused", "融合"),
    "unit.authority": ("authority", "权威性"),
    "unit.headroom": ("headroom", "高出平均的比例"),
    "unit.share of the bound": ("share of the bound", "占上限的比例"),
    "unit.min-max": ("min-max", "最小–最大归一"),
    "unit.reciprocal rank": ("reciprocal rank", "倒数名次"),
    "unit.share of idf": ("share of idf", "逆文档频率占比"),
    "unit.share of terms": ("share of terms", "词的占比"),
    "unit.share of identifiers": ("share of identifiers", "标识符占比"),
    "unit.grade 0–3": ("grade 0–3", "等级 0–3"),
    "unit.share of the top score": ("share of the top score", "占最高分的比例"),
    "repeated_header": ("repeated from the table's head", "重复的表头"),
    # parts that come with the product, by the name they have in the records
    "signal.coverage": ("Words covered", "词语覆盖"),
    "signal.nearness": ("Nearness in meaning", "语义接近"),
    "signal.lead": ("Lead over the rest", "领先幅度"),
    "signal.identifiers": ("Identifiers found", "标识符命中"),
    "signal.distribution": ("Distribution of scores", "得分分布"),
    "signal.overlap": ("Overlap of the routes", "路线重合"),
    "signal.authority": ("Authority", "权威性"),
    "signal.freshness": ("Freshness", "时效"),
    "signal.grades": ("Grades by the model", "模型评分"),
    "signal.superseded": ("Superseded", "已被取代"),
    "signal.bounds": ("Kept between 0 and 1", "限于 0 到 1"),
    "rewriter.split": ("Split into sub-questions", "拆分为子问题"),
    "rewriter.identifiers": ("Identifiers searched exactly", "精确检索标识符"),
    "rewriter.widen": ("Searched wider", "扩大检索范围"),
    "rewriter.reword": ("Worded anew by the model", "由模型改写"),
    "rewriter.decompose": ("Divided by the model", "由模型拆分"),
    "rewriter.translate": ("Translated by the model", "由模型翻译"),
    "rewriter.step_back": ("Asked more generally", "更一般地提问"),
    "rewriter.hyde": ("Searched with an invented passage", "用虚构的段落检索"),
    "method.min_max": ("min–max scores", "最小–最大归一得分"),
    # legend of numbers: name, what it is, range, direction
    "legend": ("What the numbers mean", "各数字的含义"),
    "higher_better": ("higher is better", "越大越好"),
    "lower_better": ("lower is better", "越小越好"),
    "no_direction": ("neither high nor low is better", "无优劣之分"),
    "range": ("range {n}; {direction}", "范围 {n}；{direction}"),
    "legend.confidence": ("How sure it is that the documents answer the question", "文档能够回答该问题的可信程度"),
    "legend.points": (
        "By how much one term moves the confidence; all points add up to it",
        "该项使置信度变动多少；各项相加即为置信度",
    ),
    "legend.weight": ("How much a signal or route counts", "信号或路线所占的权重"),
    "legend.contribution": (
        "Weight × value, in units of the sum before the link function",
        "权重 × 取值，以联系函数之前的和为单位",
    ),
    "legend.cosine": ("Closeness in meaning between question and passage", "问题与片段在语义上的接近程度"),
    "legend.bm25": (
        "Weight of the question's words in the passage; comparable within one question only",
        "问题中的词在片段中的分量；只能在同一问题内比较",
    ),
    "legend.normalised": ("The route's score on a common scale", "换算到同一尺度后的路线得分"),
    "legend.share": (
        "What one route adds to the fused score: weight × normalised",
        "该路线对融合得分的贡献：权重 × 归一",
    ),
    "legend.fused": ("Sum of the shares; it sets the order before reranking", "各份额之和，决定重排之前的次序"),
    "legend.rrf": (
        "Sum of weight / (k + rank); only the order has a meaning",
        "权重 /（k + 名次）之和，只有次序有意义",
    ),
    "legend.rerank": ("Score of the reranker, in its own unit", "重排模型的得分，以其自身单位计"),
    "legend.grade": (
        "How well a chat model thinks the passage serves the question: 3 = holds the answer, 0 = off topic",
        "对话模型认为片段对问题的帮助程度：3 = 包含答案，0 = 无关",
    ),
    "legend.support": (
        "Share of the sentence's weight in words that this sentence of the source holds",
        "答案句子中的词（按分量计）在来源该句中出现的比例",
    ),
    "legend.scale": ("What our estimate of tokens is multiplied with", "词元估计值所乘的系数"),
    "legend.rank": ("Place in an order, counted from 1", "次序中的位置，从 1 数起"),
    "legend.idf": (
        "Rarity of a word in the base: ln(1 + (n − df + ½) / (df + ½))",
        "词在知识库中的稀有程度：ln(1 + (n − df + ½) / (df + ½))",
    ),
    "legend.seconds": ("Time by the clock", "实际用时"),
    # documents
    "file": ("File", "文件"),
    "state": ("State", "状态"),
    "chunks": ("Chunks", "片段"),
    "pages": ("Pages", "页数"),
    "time": ("Time", "用时"),
    "state.queued": ("queued", "排队"),
    "state.reading": ("reading", "读取"),
    "state.chunking": ("chunking", "切分"),
    "state.embedding": ("embedding", "向量化"),
    "state.writing": ("writing", "写入"),
    "state.indexed": ("indexed", "已索引"),
    "state.partly": ("partly indexed", "部分索引"),
    "state.failed": ("failed", "失败"),
    "state.cancelled": ("cancelled", "已取消"),
    "remove": ("Remove", "移除"),
    "remove_confirm": (
        "Remove from the knowledge base? The original file stays where it is.",
        "从知识库中移除？原文件保留不动。",
    ),
    "remove_yes": ("Remove it", "确认移除"),
    "remove_no": ("Keep it", "保留"),
    "same_content": ("same content as {name}", "内容与 {name} 相同"),
    "version_n": ("version {n}", "第 {n} 版"),
    "warnings_n": ("{n} notes", "{n} 条提示"),
    "warnings_n.one": ("{n} note", "{n} 条提示"),
    "files_summary": ("{n} files", "{n} 个文件"),
    "files_summary.one": ("{n} file", "{n} 个文件"),
    "documents_n": ("{n} documents", "{n} 份文档"),
    "documents_n.one": ("{n} document", "{n} 份文档"),
    "chunks_n": ("{n} chunks", "{n} 个片段"),
    "chunks_n.one": ("{n} chunk", "{n} 个片段"),
    "files_shown": (
        "{shown} of {n} files shown; type above to narrow down",
        "显示 {n} 个文件中的 {shown} 个；可在上方输入筛选",
    ),
    "no_files": ("No documents yet", "还没有文档"),
    "no_files_hint": (
        "Drop files above or give a folder. Everything stays on this computer.",
        "请在上方拖入文件或填写文件夹路径。所有内容都留在本机。",
    ),
    "no_match": ("No file name contains this text", "没有文件名包含此文字"),
    "filter": ("Filter by name or state", "按文件名或状态筛选"),
    "drop_files": ("Drop files here or click to choose", "将文件拖到此处或点击选择"),
    "upload_limit": (
        "Markdown, text, HTML, PDF, Word, Excel, PowerPoint, csv, notebooks; up to {n} MB each. A folder is read in "
        "place.",
        "Markdown、文本、HTML、PDF、Word、Excel、PowerPoint、csv、笔记本；每个不超过 {n} MB。文件夹在原处读取。",
    ),
    "folder": ("Folder path", "文件夹路径"),
    "folder_hint": ("Path of a folder, e.g. /home/me/notes", "文件夹路径，例如 /home/me/notes"),
    "add_folder": ("Add folder", "添加文件夹"),
    "folder_missing": ("Give the path of a folder or file first.", "请先填写文件夹或文件的路径。"),
    "add_uploads": ("Add files", "添加文件"),
    "job_running": ("Adding documents", "正在添加文档"),
    "job_stopping": ("Stopping after the current step …", "当前步骤结束后停止……"),
    "job_queued": (
        "Documents are already being added; these follow when that has ended.",
        "正在添加文档，这些文件将随后添加。",
    ),
    "job_busy": (
        "Documents are already being added; this can start when that has ended.",
        "正在添加文档，结束后才能再开始。",
    ),
    "job_files": ("{done} of {n} files", "第 {done} / {n} 个文件"),
    "job_chunks": ("{done} of {n} chunks", "{done} / {n} 个片段"),
    "job_rate": ("{n} chunks/s", "每秒 {n} 个片段"),
    "job_left": ("about {time} left", "约剩 {time}"),
    "job_done": ("Documents are up to date", "文档已更新"),
    "job_partly": ("Added, except for files that could not be read", "已添加；部分文件无法读取"),
    "skipped_n": ("{n} files of other kinds were skipped", "跳过 {n} 个其他类型的文件"),
    "skipped_n.one": ("{n} file of another kind was skipped", "跳过 {n} 个其他类型的文件"),
    "job_cancelled": ("Stopped; what was finished is kept", "已停止；已完成的部分保留"),
    "job_failed": ("Adding documents failed", "添加文档失败"),
    "report.added": ("{n} added", "新增 {n}"),
    "report.changed": ("{n} changed", "更新 {n}"),
    "report.unchanged": ("{n} unchanged", "未变 {n}"),
    "report.moved": ("{n} moved", "移动 {n}"),
    "report.deleted": ("{n} removed", "移除 {n}"),
    "report.failed": ("{n} failed", "失败 {n}"),
    "report.embedded": ("{n} chunks embedded", "{n} 个片段已向量化"),
    "report.skipped": ("{n} skipped", "跳过 {n}"),
    "report.reused": ("{n} reused", "{n} 个沿用"),
    "removed": ("Removed {name}.", "已移除 {name}。"),
    # kinds of trouble with one file
    "trouble.encrypted": ("needs a password", "需要密码"),
    "trouble.scan": ("pictures of text only", "只有图片，没有文字"),
    "trouble.empty": ("empty", "空文件"),
    "trouble.corrupt": ("damaged", "文件损坏"),
    "trouble.unsupported": ("kind of file not read", "不支持的类型"),
    "trouble.too_large": ("too large", "文件过大"),
    "trouble.too_slow": ("took too long", "读取超时"),
    "trouble.missing": ("not there any more", "文件已不存在"),
    "trouble.denied": ("no permission", "没有权限"),
    **ANSWERS,
    **MODELS,
}
