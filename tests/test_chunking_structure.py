from assistant.chunking import chunk
from assistant.documents import Block, Document
from assistant.settings import Chunking


def test_chunk_of_a_short_section_begins_with_its_heading_which_is_embedded_once():
    text = "Leave\n\nTwelve days a year."
    blocks = (
        Block(kind="heading", text="Leave", start=0, end=5, level=1),
        Block(kind="paragraph", text="Twelve days a year.", start=7, end=26),
    )
    (only,) = chunk(Document(path="a.md", name="a.md", media="md", text=text, blocks=blocks))
    assert (only.text, only.start, only.end, only.heading) == (text, 0, 26, ("Leave",))
    assert only.embedded_text() == text


def document(*blocks, **fields):
    """A document of these (kind, text, level) blocks, a blank line between them."""
    text, made = "", []
    for kind, body, *level in blocks:
        start = len(text) + (2 if text else 0)
        text += ("\n\n" if text else "") + body
        header = body.find("\n") if kind == "table" else -1
        made.append(
            Block(
                kind=kind,
                text=body,
                start=start,
                end=start + len(body),
                level=level[0] if level else 0,
                header_end=start + header if header > 0 else None,
                **fields,
            )
        )
    return Document(path="d", name="d", media="md", text=text, blocks=tuple(made))


def test_running_text_is_cut_at_sentence_ends_close_to_the_size_with_an_overlap_of_whole_sentences():
    sentence = "The committee met on Monday and agreed on the budget of the year. "  # 65 characters and a space
    chunks = chunk(document(("paragraph", (sentence * 40).strip())))
    assert all(len(made.text) <= 800 for made in chunks)
    # 12 sentences are 12 * 66 - 1 = 791 characters, 13 would be 857; the last two are balanced
    assert [len(made.text) for made in chunks[:2]] == [791, 791]
    assert all(made.text.startswith("The committee") and made.text.endswith("year.") for made in chunks)
    # overlap up to 1.5 * 100 characters: two sentences of 66
    assert chunks[0].end - chunks[1].start == 2 * 66 - 1


def test_sections_are_not_mixed_but_tiny_neighbours_under_one_parent_are():
    long = "A sentence about pumps that is long enough. " * 8
    mixed = chunk(
        document(
            ("heading", "Pumps", 1), ("paragraph", long.strip()), ("heading", "Valves", 1), ("paragraph", long.strip())
        )
    )
    assert [made.heading for made in mixed] == [("Pumps",), ("Valves",)]
    tiny = chunk(document(("heading", "A", 2), ("paragraph", "One."), ("heading", "B", 2), ("paragraph", "Two.")))
    assert [made.text for made in tiny] == ["A\n\nOne.\n\nB\n\nTwo."]


def test_heading_path_holds_every_level_above():
    body = "Text that goes on and on about one thing only. " * 10
    (made,) = chunk(
        document(("heading", "Manual", 1), ("heading", "Care", 2), ("heading", "Oil", 3), ("paragraph", body.strip()))
    )
    assert made.heading == ("Manual", "Care", "Oil")


def test_headings_alone_are_kept_when_the_document_has_nothing_else():
    (made,) = chunk(document(("heading", "Only", 1), ("heading", "Titles", 1)))
    assert made.text == "Only\n\nTitles"


def test_long_table_is_split_between_rows_and_repeats_its_header_as_context():
    rows = ["code | stock"] + [f"WL-{n:05d} | {n}" for n in range(100)]
    chunks = chunk(document(("table", "\n".join(rows))))
    assert len(chunks) > 1
    assert chunks[0].context == ""
    assert all(made.context == "code | stock" for made in chunks[1:])
    assert [row for made in chunks for row in made.text.split("\n")] == rows
    assert all(len(made.text) + len(made.context) <= 800 for made in chunks)


def test_table_stays_with_the_line_that_names_it():
    filler = "Some words before the table that fill the chunk. " * 15
    table = "职级 | 标准\n" + "\n".join(f"{n}级 | {n}00元" for n in range(10))
    chunks = chunk(document(("paragraph", filler.strip()), ("paragraph", "表 3 住宿标准"), ("table", table)))
    assert any("表 3 住宿标准" in made.text and "9级 | 900元" in made.text for made in chunks)


def test_question_with_its_answer_is_one_chunk():
    pairs = [("qa", f"问：第{n}个问题？\n答：答案是{n}。") for n in range(3)]
    assert [made.text for made in chunk(document(*pairs))] == [text for _, text in pairs]


def test_long_chinese_sentence_is_cut_at_commas_then_anywhere_and_a_word_never():
    commas = "，".join(["甲乙丙丁戊己庚辛壬癸"] * 50)
    assert all(made.text.endswith(("，", "癸")) for made in chunk(document(("paragraph", commas))))
    solid = chunk(document(("paragraph", "甲" * 1700)), Chunking(overlap=0))
    assert sum(len(made.text) for made in solid) == 1700
    words = " ".join(["antidisestablishmentarianism"] * 100)
    assert {word for made in chunk(document(("paragraph", words))) for word in made.text.split()} == set(words.split())


def test_chunk_never_has_more_tokens_than_the_embedder_takes():
    chunks = chunk(
        document(("heading", "标题", 1), ("paragraph", "每个字都是一个词元，没有例外。" * 100)), None, len, 200
    )
    assert all(len(made.embedded_text()) <= 200 for made in chunks)
    assert max(len(made.text) for made in chunks) > 150


def test_chunk_stops_where_a_page_ends():
    first = document(("paragraph", "Slide one says this."), page=1, page_end=1)
    second = first.blocks[0].model_copy(update={"start": 22, "end": 42, "page": 2, "page_end": 2})
    both = first.model_copy(update={"text": first.text + "\n\n" + first.text, "blocks": (first.blocks[0], second)})
    assert [made.pages for made in chunk(both)] == [(1, 1), (2, 2)]


def test_text_that_was_left_out_between_blocks_never_enters_a_chunk():
    text = "Seen.\n<!-- hidden words -->\nSeen too."
    blocks = (
        Block(kind="paragraph", text="Seen.", start=0, end=5),
        Block(kind="paragraph", text="Seen too.", start=28, end=37),
    )
    chunks = chunk(Document(path="d", name="d", media="md", text=text, blocks=blocks))
    assert [made.text for made in chunks] == ["Seen.", "Seen too."]


def test_line_that_ends_in_a_colon_goes_with_what_it_introduces():
    filler = "Some words that come before the list and fill the chunk. " * 13  # 740 characters
    chunks = chunk(
        document(("paragraph", filler.strip()), ("paragraph", "The steps are:"), ("list", "- " + "stop " * 30))
    )
    assert chunks[-1].text.startswith("The steps are:") or "The steps are:\n\n- stop" in chunks[-1].text
    assert not chunks[0].text.endswith("The steps are:")
