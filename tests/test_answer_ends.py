"""How a written answer ends, with a chat model in the same process that does as told: every end is told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from records import passage

from assistant.answer.brief import Brief
from assistant.answer.written import continue_answer, write
from assistant.errors import BadReply, ModelUnavailable, TextTooLong
from assistant.providers.chat import ChatPiece
from assistant.providers.counting import TokenCounter
from assistant.settings import Settings
from assistant.trace import Answered, Candidate, Decided, Delta, Reading, Turn
from ui.panels.reasons import reason

PRICE = "Hotels cost up to 150 euros per night."
BREAKFAST = "Breakfast costs 12 euros more."
ZH = "住宿标准为每晚450元。"


class Told:
    """A chat model that gives these replies one after the other; an error in one is raised there."""

    model = "m"

    def __init__(self, *replies, window: int = 4096) -> None:
        self.replies = list(replies)
        self.window = window
        self.counter = TokenCounter()
        self.sent: list[tuple[tuple[str, str], ...]] = []
        self.lengths: list[int | None] = []

    def stream(self, messages, cancel=None, max_tokens=None, schema=None, on_state=None):
        self.sent.append(tuple(messages))
        self.lengths.append(max_tokens)
        for piece in self.replies.pop(0):
            if isinstance(piece, Exception):
                raise piece
            yield ChatPiece(piece) if isinstance(piece, str) else piece


class Blind:
    """An embedder for which every text is as near as any other."""

    def embed_query(self, text):
        return np.ones(2)

    def embed_passages(self, texts):
        return np.ones((len(texts), 2))


DONE = ChatPiece(done=True, done_reason="stop", prompt_tokens=210, answer_tokens=5)
CUT = ChatPiece(done=True, done_reason="length", answer_tokens=5)


def brief(chat, texts=(PRICE, BREAKFAST), question="What do hotels cost per night?", **more) -> Brief:
    reading = Reading.not_run("not needed here")
    evidence = tuple(
        (Candidate(chunk_id=f"c{n}", routes=(), fused=reading, fused_rank=n + 1), passage(f"c{n}", text))
        for n, text in enumerate(texts)
    )
    decided = Decided(decision="answer", why="", confidence=0.9)
    return Brief(question, decided, evidence, ((),), Settings(), Blind(), chat=chat, **more)  # type: ignore[arg-type]


def written(chat, **more) -> Answered:
    *_, last = write(brief(chat, **more))
    assert isinstance(last, Answered)
    return last


def test_a_whole_answer_streams_raw_and_ends_checked():
    chat = Told(["Hotels cost up to ", "150 euros [1][9].", DONE])
    *deltas, answered = write(brief(chat))
    assert [d.text for d in deltas] == ["Hotels cost up to ", "150 euros [1][9]."]
    assert answered.text == "Hotels cost up to 150 euros. [1]"
    assert answered.reply == "Hotels cost up to 150 euros [1][9]."
    assert (answered.decision, answered.state, answered.stopped_by) == ("answer", "complete", "done")
    assert (answered.removed_citations, answered.answer_tokens, answered.draft) == ((9,), 5, 1)
    assert answered.prompt.counted_by_server == 210
    assert chat.lengths == [1024]
    assert Answered.model_validate_json(answered.model_dump_json()) == answered


@pytest.mark.parametrize(
    ("end", "stopped_by", "why"),
    [
        (CUT, "length", "cut off by the length limit"),
        (ChatPiece(done_reason="stopped"), "stopped", "stopped before it was finished"),
        (ChatPiece(done_reason="incomplete", why="It paused."), "incomplete", "It paused."),
        (ModelUnavailable("It went away."), "incomplete", "It went away."),
    ],
)
def test_an_answer_that_broke_off_is_kept_and_says_how(end, stopped_by, why):
    answered = written(Told(["Hotels cost up to 150 euros [1]. And", end]))
    assert answered.text == "Hotels cost up to 150 euros. [1] And"
    assert (answered.state, answered.stopped_by, answered.why) == ("incomplete", stopped_by, why)


def test_a_person_who_stops_before_the_first_word_gets_no_answer():
    assert list(write(brief(Told([ChatPiece(done_reason="stopped")])))) == []


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ([DONE], "m wrote no answer; ask again, or choose another model."),
        ([replace(DONE, answer_tokens=300)], "m wrote 300 tokens of thinking and no answer"),
        ([CUT], "m spent the whole length on thinking"),
        (["[1] [2].", DONE], "m wrote no answer"),
        ([BadReply("It made no sense.")], "It made no sense."),
    ],
)
def test_a_model_that_writes_nothing_leaves_the_quoted_answer(reply, why):
    answered = written(Told(reply))
    assert (answered.writer, answered.model, answered.state) == ("extractive", "", "complete")
    assert PRICE in answered.text
    assert answered.label == "quoted from your documents, since m wrote no answer"
    assert answered.why.startswith(why)
    assert reason(answered.label, "zh") == "摘自您的文档，因为 m 没有写出答案"


def test_without_a_model_the_sources_are_quoted():
    answered = written(None)
    assert "No chat model is chosen" in answered.why
    assert answered.label == "quoted from your documents; choose a chat model for written answers"


def test_a_prompt_that_is_too_long_after_all_is_sent_once_more_with_less():
    texts = [f"{PRICE} " * 40] * 8
    chat = Told([TextTooLong("too long")], ["Up to 150 euros [1].", DONE])
    answered = written(chat, texts=texts)
    assert answered.model == "m"
    assert len(chat.sent[1][-1][1]) < len(chat.sent[0][-1][1])
    assert len(answered.prompt.left_out) > 2
    always = Told([TextTooLong("too long")], [TextTooLong("too long")])
    assert written(always, texts=texts).why == "too long"


@pytest.mark.accept("I12")
def test_a_window_too_small_for_anything_still_leaves_the_quoted_answer():
    answered = written(Told(window=256))
    assert answered.writer == "extractive"
    assert "has no room" in answered.why


def test_a_long_question_keeps_both_its_ends_and_the_person_is_told():
    question = "This is about my trip. " + "I had a long day. " * 2000 + "What do hotels cost?"
    chat = Told(["Up to 150 euros per night [1].", DONE])
    answered = written(chat, question=question)
    sent = chat.sent[0][-1][1]
    assert "This is about my trip." in sent
    assert sent.endswith("What do hotels cost?")
    assert answered.decision == "caveat"
    assert "has not read the middle part" in answered.caveat
    assert reason(answered.caveat, "zh").startswith("问题太长")


@pytest.mark.parametrize(
    ("question", "reply", "label"),
    [
        ("What do hotels cost?", "NOT_IN_DOCUMENTS", "m read 2 sources and found no answer in them"),
        ("酒店多少钱？", "来源中没有提到酒店价格。", "m 阅读了 2 个来源，没有找到答案"),
    ],
)
def test_not_in_the_documents_is_a_declined_answer_of_the_model(question, reply, label):
    declined = Answered(writer="decline", decision="decline", text="Nothing.", label="x", suggestions=("a.md",))
    answered = written(Told([reply, DONE]), question=question, declined=lambda: declined)
    assert (answered.decision, answered.writer, answered.model) == ("decline", "ollama", "m")
    assert (answered.text, answered.suggestions, answered.label) == ("Nothing.", ("a.md",), label)
    assert answered.prompt is not None


def test_a_half_answer_is_an_answer_with_a_caveat():
    reply = "The sources do not mention taxis. Hotels cost up to 150 euros per night [1]."
    answered = written(Told([reply, DONE]))
    assert (answered.decision, answered.caveat) == (
        "caveat", "The model says that the documents hold only a part of the answer.",
    )  # fmt: skip
    assert [c.number for c in answered.citations] == [1]


def test_a_chinese_question_gets_chinese_rules_and_labels():
    chat = Told(["住宿标准为每晚450元[1]。", DONE])
    answered = written(chat, texts=[ZH], question="住宿标准是多少？")
    assert chat.sent[0][0][1].startswith("你只根据")
    assert chat.sent[0][-1][1].endswith("问题：住宿标准是多少？")
    assert answered.label == "由 m 根据您的文档撰写"
    assert answered.text == "住宿标准为每晚450元。 [1]"


def test_a_second_draft_says_so_in_every_piece_and_is_told_what_to_mend():
    chat = Told(["Hotels cost up to 150 euros per night [1].", DONE])
    *deltas, answered = write(brief(chat, draft=2, instruction="Mend this."))
    assert {d.draft for d in deltas} == {answered.draft} == {2}
    assert "Mend this." in chat.sent[0][0][1]


# ---------------------------------------------------------------- going on


def go_on(first: str, more, **told) -> tuple[list[str], Answered, Told]:
    chat = Told([first, CUT], more, **told)
    asked = brief(chat, history=(Turn(question="Hello?", answer="Hi."),))
    *_, answered = write(asked)
    *deltas, whole = continue_answer(asked, answered)
    assert all(isinstance(d, Delta) for d in deltas)
    return [d.text for d in deltas], whole, chat


def test_a_sentence_that_broke_off_is_written_again_and_the_whole_is_checked():
    _, whole, chat = go_on(f"{PRICE[:-1]} [1]. Breakfast co", ["Breakfast costs 12 euros more [2][8].", DONE])
    assert whole.text == f"{PRICE} [1] {BREAKFAST} [2]"
    assert (whole.state, whole.removed_citations, whole.answer_tokens) == ("complete", (8,), 10)
    assert [role for role, _ in chat.sent[1]] == ["system", "user", "assistant", "user"]
    assert chat.sent[1][2][1] == f"{PRICE[:-1]} [1]."


def test_an_answer_that_is_written_once_more_from_its_start_stands_there_once():
    _, whole, _ = go_on(f"{PRICE[:-1]} [1].", [f"{PRICE[:-1]} [1]. {BREAKFAST[:-1]} [2].", DONE])
    assert whole.text == f"{PRICE} [1] {BREAKFAST} [2]"


def test_a_list_goes_on_in_its_own_line_and_chinese_without_a_blank():
    deltas, whole, _ = go_on("Costs:\n- Hotels 150 euros [1].", ["- Breakfast 12 euros [2].", DONE])
    assert deltas[0].startswith("\n")
    assert whole.text.splitlines()[1:] == ["- Hotels 150 euros. [1]", "- Breakfast 12 euros. [2]"]
    assert go_on("住宿标准为每晚", ["450元。", DONE])[0] == ["450元。"]


@pytest.mark.parametrize(("more", "why"), [([ModelUnavailable("It is away.")], "It is away."), ([DONE], "m wrote no")])
def test_an_answer_that_cannot_go_on_stays_as_it_was_and_says_why(more, why):
    _, whole, _ = go_on(f"{PRICE[:-1]} [1].", more)
    assert whole.text == f"{PRICE} [1]"
    assert whole.state == "incomplete"
    assert whole.why.startswith(why)


def test_an_answer_cut_again_can_be_continued_again():
    _, whole, _ = go_on(f"{PRICE[:-1]} [1].", ["Breakfast costs", CUT])
    assert (whole.state, whole.stopped_by) == ("incomplete", "length")


def test_an_answer_that_fills_the_window_cannot_go_on_and_says_so():
    _, whole, _ = go_on("Hotels cost up to 150 euros [1]. " * 80, [DONE], window=1024)
    assert "has no room to go on" in whole.why
    assert "没有空间继续" in reason(whole.why, "zh")


def test_a_quoted_answer_cannot_be_continued():
    asked = brief(Told([DONE]))
    *_, quoted = write(asked)
    *_, same = continue_answer(asked, quoted)
    assert same.text == quoted.text
    assert "no chat model wrote it" in same.why
