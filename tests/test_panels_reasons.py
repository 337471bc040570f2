"""The reasons that stand in the records, on a Chinese screen: every sentence that the stages really say."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from string import Formatter

import pytest
import records as rec
import sample_traces as sample

from assistant.answer.brief import Brief, caveat_of
from assistant.answer.decline import decline
from assistant.answer.extractive import LABEL_EN, LABEL_ZH
from assistant.confidence.judge import judge
from assistant.decide import decide
from assistant.documents import FileRow, IngestReport, Progress
from assistant.errors import UnreadableFile
from assistant.fusion.fuse import fuse
from assistant.ingest.find import find_files
from assistant.providers.ollama.server import explain
from assistant.readers import SUPPORTED, read
from assistant.rerank.rerank import rerank
from assistant.rewrite.condense import condense
from assistant.rewrite.next_attempt import next_attempt
from assistant.rewrite.situation import Situation
from assistant.settings import Reading as Limits
from assistant.settings import Settings
from assistant.trace import Confidence, Decided, Failed, Fused, Passage, Retrieved, Rewritten, Trace, Turn
from ui.panels import answer, conversation, documents, evidence, states
from ui.panels.reasons import reason
from ui.panels.sentences import CHINESE, EITHER_WAY

SETTINGS = Settings()
NAMES = {
    "Ollama",
    "PDF",
    "PNG",
    "Word",
    "Excel",
    "PowerPoint",
    "ppt",
    "Jupyter",
    "JSON",
    "Markdown",
    "HTML",
    "OCR",
    "UTF",
    "Unicode",
    "MB",
    "pull",
    "ollama",
    "url",
    "docx",
    "ZIP",
}
QUERY = "What does E-4207 mean?"
TEXT = "Error E-4207: the coolant is too hot."


def english_in(sentence: str, *values: str) -> set[str]:
    """The Latin words that are neither a value nor the name of a product."""
    for value in sorted(values, key=len, reverse=True):
        sentence = sentence.replace(value, "")
    return set(re.findall(r"[A-Za-z]{2,}", sentence)) - NAMES


def search(*found: Retrieved, identifiers: tuple[str, ...] = (), **fields: object) -> tuple[Fused, Confidence]:
    ids = dict.fromkeys(h.chunk_id for r in found for h in r.hits)
    passages = [rec.passage(i, TEXT if i == "a" else "", **fields) for i in ids]
    fused = fuse(found, passages, SETTINGS.retrieval, identifiers, {"a": frozenset({"e-4207"})})
    switched_on = SETTINGS.judging.model_copy(update={"authority": True, "freshness": True})
    return fused, judge(fused, found, found, switched_on, rec.ASKED)


def reasons_of(confidence: Confidence) -> list[str]:
    lines = (*confidence.signals, *confidence.adjustments)
    raw = [s.raw.why for s in confidence.signals]
    return [w for w in (*(line.why for line in lines), *raw, confidence.limited_by) if w]


def judged_sentences() -> list[str]:
    """Confidence of a good search, of one with unknown words, of one without any hit and of one with a late route."""
    code, word = rec.term("e-4207", identifier=True), rec.term("coolant", df=0)
    hits = {"a": 0.9, "b": 0.8}
    late = Retrieved(route="vector", query="q", unit="cosine", depth=50, state="late", why="no answer within 0.3 s; "
                     "the other routes went on")  # fmt: skip
    classic = SETTINGS.judging.model_copy(update={"method": "classic"})
    searches = [
        search(rec.vector(hits), rec.text({"a": 3.0}, (code,)), identifiers=("E-4207",), modified=rec.ASKED),
        search(rec.vector(hits), rec.text({"b": 3.0}, (code, word, rec.term("q-1", df=0, identifier=True)))),
        search(rec.vector(hits), rec.text({"b": 3.0, "a": 1.0}, (rec.term("q-1", df=3, identifier=True),))),
        search(rec.vector({}), rec.text({})),
        search(late, rec.text({"a": 2.0}, (word,))),
        search(rec.vector({"a": 0.9}), rec.text({})),
    ]
    said = [why for _, confidence in searches for why in reasons_of(confidence)]
    fused, _ = searches[0]
    found = (rec.vector(hits), rec.text({"a": 3.0}, (code,)))
    said += reasons_of(judge(fused, found, found, classic, rec.ASKED))
    nothing, _ = searches[3]
    said += reasons_of(judge(nothing, (rec.vector({}), rec.text({})), (), classic, rec.ASKED))
    return [*said, *(f.weights_why for f, _ in searches), *readings(fused), *readings(searches[4][0])]


def readings(fused: Fused) -> list[str]:
    return [line.raw.why for c in fused.candidates for line in c.routes if line.raw.why]


def decided_sentences() -> list[str]:
    _, confidence = search(rec.vector({"a": 0.9}), rec.text({}))
    proposals = [retry("split"), retry("identifiers"), retry("widen")]
    said = [p.why for p in proposals]
    for value in (0.1, 0.4, 0.9):
        now = confidence.model_copy(update={"value": value})
        before = now.model_copy(update={"value": value - 0.01})
        for judged in ([now], [before, now.model_copy(update={"attempt": 2})], [before, before, now]):
            for proposal in (None, *proposals):
                said.append(decide(judged, SETTINGS.judging, SETTINGS.loop, proposal).why)
    return said


def retry(rewriter: str) -> Rewritten:
    settings = SETTINGS.changed({"loop.rewriters": (rewriter,)})
    question = "什么是油压和水温的区别？" if rewriter == "split" else QUERY
    proposed = next_attempt(Situation(question, (question,), ("e-4207",), settings), {}, frozenset(), 2).rewritten
    assert proposed is not None
    return proposed


def gate_sentences() -> list[str]:
    texts = [rec.passage("a", TEXT), rec.passage("b", TEXT), rec.passage("c", "other"), rec.passage("d", "more")]
    fused = fuse([rec.vector({"a": 0.99, "b": 0.98, "c": 0.97, "d": 0.701})], texts, SETTINGS.retrieval)
    gated = rerank(
        fused, SETTINGS.retrieval.model_copy(update={"keep": 1, "min_fused": 0.1}), {"a": [rec.passage("z")]}
    )
    dropped = [c.dropped.why for c in gated.candidates if c.dropped]
    assert len(dropped) == 3
    return [*dropped, gated.why, *(c.rerank.why for c in gated.candidates), *(c.fused.why for c in gated.candidates)]


def condensed_sentences() -> list[str]:
    history = [Turn(question="How hot may the coolant get?")]
    return [
        condense(QUERY, ()).why,
        condense(QUERY, history).why,
        condense("And its limit?", history).why,
        condense("And it?", [Turn(question="它呢？")]).why,
    ]


@pytest.mark.parametrize("producer", [judged_sentences, decided_sentences, gate_sentences, condensed_sentences])
def test_what_the_stages_say_is_said_in_chinese(producer):
    values = ("e-4207", "q-1", "E-4207", "coolant", "d.md", "How hot may the get?", "hot", "get")
    said = {s for s in producer() if s}
    assert len(said) >= 4
    for sentence in said:
        chinese = reason(sentence, "zh")
        assert english_in(chinese.replace("How hot may the coolant get?", ""), *values) == set(), sentence
        assert reason(sentence, "en") == sentence
        numbers = re.findall(r"\d+\.\d+", sentence)
        assert re.findall(r"\d+\.\d+", chinese) == numbers


def test_a_sentence_within_a_sentence_is_said_in_chinese_too():
    split = "0.36 is between 0.25 and 0.60: the question has several parts: A. | B."
    assert reason(split, "zh") == "0.36 介于 0.25 与 0.60 之间；问题包含几个部分：A. | B."
    usual = "not measured (the text route gave no terms); its usual value 0.40 is taken"
    assert reason(usual, "zh") == "未测得（文本路线没有给出检索词），取其常见值 0.40"


def test_labels_and_caveats_follow_the_screen_in_both_directions():
    decided = Decided(decision="caveat", why="0.45 is between 0.25 and 0.60", confidence=0.45)
    english = Brief(QUERY, decided, (), (), SETTINGS, embedder=None)  # type: ignore[arg-type]
    chinese = replace(english, question="油温多少？")
    base = rec.empty_trace().base
    pairs = [
        (LABEL_EN, LABEL_ZH),
        (caveat_of(english), caveat_of(chinese)),
        (decline(english, base, (), ()).label, decline(chinese, base, (), ()).label),
        ("written by qwen3:8b from your documents", "由 qwen3:8b 根据您的文档撰写"),
    ]
    for said_en, said_zh in pairs:
        assert reason(said_en, "zh") == said_zh
        assert reason(said_zh, "en") == said_en
        assert (reason(said_en, "en"), reason(said_zh, "zh")) == (said_en, said_zh)


def unreadable(path: Path, **limits: int) -> UnreadableFile:
    with pytest.raises(UnreadableFile) as raised:
        read(path, Limits(**limits))
    return raised.value


def test_why_a_file_cannot_be_read_is_said_in_chinese(tmp_path):
    import pymupdf

    blank = pymupdf.open()
    blank.new_page()
    blank.save(tmp_path / "blank.pdf")
    picture = pymupdf.open()
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 200, 200))
    picture.new_page().insert_image(pymupdf.Rect(0, 0, 595, 842), pixmap=pixels)
    picture.save(tmp_path / "scan.pdf")
    locked = pymupdf.open()
    locked.new_page().insert_text((72, 72), "secret")
    locked.save(tmp_path / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")
    files = {
        "empty.md": b"",
        "torn.pdf": b"%PDF-1.7\nbroken",
        "torn.docx": b"PK\x03\x04broken",
        "torn.xlsx": b"PK\x03\x04broken",
        "torn.pptx": b"PK\x03\x04broken",
        "torn.ipynb": b"{",
        "cells.ipynb": b"{}",
        "torn.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook\0".encode("utf-16-le"),
        "old.ppt": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "PowerPoint Document\0".encode("utf-16-le"),
        "x.md": b"\x7fELF\x02\x01",
        "torn.png": b"\x89PNG\r\n\x1a\n12",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "big.txt").write_bytes(b"word " * 300_000)
    (tmp_path / "folder").mkdir()
    names = [*files, "blank.pdf", "scan.pdf", "locked.pdf", "gone.md", "folder", "big.txt"]
    kinds = set()
    for name in names:
        fault = unreadable(tmp_path / name, max_megabytes=1, ocr=name != "scan.pdf")
        kinds.add(fault.kind)
        chinese = reason(str(fault), "zh")
        assert english_in(chinese, name, "reading.max_megabytes", "reading.ocr = true") == set(), str(fault)
        assert name in chinese
    assert kinds >= {"empty", "corrupt", "unsupported", "scan", "encrypted", "missing", "too_large"}


@pytest.mark.parametrize(
    "sentence",
    [
        "Hidden sheets were left out: 一, 二.",
        "Sheet 一: 1 formula was never calculated: open the file in Excel and save it.",
        "Sheet 一: 3 formulas were never calculated: open the file in Excel and save it.; Sheet 二: damaged, only its "
        "first rows could be read.",
        "Slide 3: hidden in the presentation, and read.",
        "Slides 2, 4: without text: pictures that need OCR.; Slide 5: with an object that cannot be read.",
        "Outputs were cut to 2000 characters each: 3.",
        "a.xlsx holds only hidden sheets; open it in Excel, show or calculate them, save it.",
        "a.xlsx holds only formulas that were never calculated; open it in Excel, show or calculate them, save it.",
    ],
)
def test_what_was_left_out_of_a_file_is_said_in_chinese(sentence):
    assert english_in(reason(sentence, "zh"), "a.xlsx") == set()


def test_why_a_file_is_left_alone_is_said_in_chinese(tmp_path):
    (tmp_path / "a.xyz").write_text("x")
    (tmp_path / "bare").write_text("x")
    (tmp_path / "to").symlink_to(tmp_path / "a.xyz")
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    skipped = find_files([tmp_path], SUPPORTED).skipped
    assert len(skipped) == 4
    for one in skipped:
        assert english_in(reason(one.why, "zh"), ".xyz") == set(), one.why


@pytest.mark.parametrize("err", [ConnectionError("refused"), TimeoutError("late")])
def test_a_model_that_is_away_is_said_in_chinese(err):
    sentence = str(explain(err, "http://127.0.0.1:11434", "qwen3:8b"))
    assert english_in(reason(sentence, "zh"), "http://127.0.0.1:11434", "qwen3:8b", "late") == set()


def test_pages_without_text_are_said_in_chinese_one_after_the_other():
    said = (
        "Pages 1–2, 5 have no text: pictures that need OCR.; Page 4 has not been read, because reading took too long."
    )
    assert reason(said, "zh") == "第 1–2、5 页没有文字：图片需要 OCR。第 4 页因读取超时而未读。"


@pytest.mark.parametrize(
    "sentence",
    [
        "Pages 4–6, 9 have not been read, because OCR took too long.; Page 2 has no text that OCR can read.",
        "Page 2 has no text: pictures too large for OCR.",
        "Page 2 has no text: they cannot be drawn for OCR.",
        "In a › b: Page 4 has no text that OCR can read.; Messages attached more than 5 deep have not been read.",
        "The attachments after number 200 have not been read.",
        "a is a picture in which OCR finds no legible text; if there is text in it, add a larger picture.",
        "a has 9 × 8 pixels, too many for OCR; make it smaller.",
        "a took OCR longer than b; raise it.",
        "a consists of pictures of pages, and OCR took longer than b; raise it.",
        "a consists of pictures of pages in which OCR finds no legible text; scan it again at 300 dpi.",
        "a holds pictures that are too large to unpack; make them smaller.",
        "a has a text layer that is not readable (wrong letters); set reading.ocr = true.",
        "a is encrypted for its recipient; save it decrypted in the mail program.",
        "a cannot be read as EPUB: its part b is damaged; get the file again from where it came.",
        "a cannot be read as LibreOffice file: it has no document part; open it in LibreOffice and save it again.",
        "a is protected against copying; it can only be read in its own program.",
        "a › b is missing in the file; get the file again from where it came.",
    ],
)
def test_what_is_said_of_scans_mails_and_books_is_said_in_chinese(sentence):
    names = {"EPUB", "LibreOffice", "dpi", "DRM", "reading", "ocr", "true"}
    assert english_in(reason(sentence, "zh")) - names == set()


@pytest.mark.parametrize("sentence", ["", "as the bands say", "{odd} ${x}", "the model said: 3 is below 4?", "0.3 is"])
def test_unknown_sentences_stay_as_they_are(sentence):
    assert reason(sentence, "zh") == sentence
    assert reason(sentence, "en") == sentence


def fields_of(pattern: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(pattern) if name}


def test_every_pair_keeps_its_values():
    for english, chinese in CHINESE:
        assert fields_of(chinese) <= fields_of(english), english
        assert fields_of(english) - fields_of(chinese) <= {"s", "have", "same", "noun"}, english
    for english, chinese in EITHER_WAY:
        assert fields_of(english) == fields_of(chinese)


# ---------------------------------------------------------------- whole screens

STOP = re.compile(r"\b(?:the|is|of|below|between|chunks?|not|and|was|route|term|score|from)\b", re.IGNORECASE)
DOCUMENT = re.compile(r"<blockquote.*?</blockquote>|<pre>.*?</pre>|<bdi class=.*?</bdi>|<em>.*?</em>", re.DOTALL)
QUOTED = re.compile(
    r'<p class="gb-query">.*?</p>|<div class="gb-prose".*?</div>|data-[a-z]+="[^"]*"|value="[^"]*"', re.DOTALL
)


def words_on(html: str, trace: Trace | None = None) -> str:
    """What a person can read or point at, without the text of documents and questions."""
    plain = QUOTED.sub(" ", DOCUMENT.sub(" ", html))
    for text in own_words(trace) if trace else ():
        plain = plain.replace(text, " ")
    hints = " ".join(re.findall(r'(?:title|aria-label)="([^"]*)"', plain))
    return re.sub(r"<[^>]*>", " ", plain) + hints


def own_words(trace: Trace) -> list[str]:
    passages: list[Passage] = [p for step in trace.of_kind("fused") for p in step.passages]
    texts = [trace.question, *(p.text[:140] for p in passages), *(p.document for p in passages)]
    return sorted([*texts, *(" › ".join(p.heading) for p in passages if p.heading)], key=len, reverse=True)


def real_trace(question: str, answers: dict[str, str], tmp_path: Path) -> Trace:
    from assistant import Assistant

    for name, text in answers.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Assistant.open(tmp_path / "kb") as kb:
        kb.ingest([tmp_path / name for name in answers])
        return kb.ask(question)


@pytest.mark.parametrize(
    ("question", "attempts"),
    [("Hotel limit per night, form PPR-9087?", 1), ("1972年国际象棋冠军是谁？哪本书写了他？", 2)],
)
def test_a_real_answer_is_drawn_without_an_english_word(question, attempts, tmp_path):
    pages = {
        "travel.md": "# Travel\n\nThe hotel limit is 150 euros per night.\n\n# Forms\n\nPPR-9087 goes to finance.\n",
        "leave.md": "# Leave\n\nEmployees have 12 days of annual leave.\n",
    }
    trace = real_trace(question, pages, tmp_path)
    assert trace.attempts >= attempts
    drawn = [evidence.panel(trace, n, "zh") for n in range(1, trace.attempts + 1)]
    for html in (*drawn, answer.panel(trace, lang="zh").replace(trace.answer, "")):
        shown = words_on(html, trace)
        assert STOP.findall(shown) == [], shown


def test_a_failed_question_and_its_notice_are_drawn_in_chinese():
    trace = sample.new_trace(steps=(Failed(stage="answer", message="The question was stopped before it was finished; "
                                           "ask it again."),))  # fmt: skip
    assert "问题尚未完成即已停止；请再次提问。" in conversation.panel([trace], 0, lang="zh")
    assert "助手尚未就绪" in states.notice("The assistant is not open yet; try again in a moment.", "zh")
    assert "没有名为" not in states.error("There is no route named 'x'; choose one of: text.", "zh")


def test_files_and_the_report_are_drawn_in_chinese():
    why = "scan.pdf consists of pictures of pages; recognise the text with an OCR program first."
    row = FileRow(document_id="d", name="scan.pdf", path="/scan.pdf", state="failed", error_kind="scan", reason=why)
    done = IngestReport(
        failed=(("scan.pdf", why),),
        skipped=(("a.xyz", "files of type '.xyz' are not read"),),
        notices=("copy.md: same content as first.md; added as a second name.",),
    )
    moment = Progress(file="scan.pdf", state="failed", reason=why)
    screens = (
        documents.panel([row], lang="zh"),
        documents.report(done, "zh"),
        documents.progress(moment, [moment], lang="zh"),
    )
    for html in screens:
        assert STOP.findall(words_on(html)) == []
        assert "scan.pdf" in html
