from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.chunking import chunk
from assistant.documents import Block, Document
from assistant.settings import Chunking

WORDS = st.sampled_from(
    ["word", "longerword", "3.14", "合同", "第一条", "付款期限", "，", "。", ". ", "! ", "\n", "e.g.", "x" * 30]
)
PROSE = st.lists(WORDS, min_size=1, max_size=120).map(" ".join)
ROWS = st.lists(
    st.lists(st.sampled_from(["a", "甲乙", "12,5", "long cell text"]), min_size=2, max_size=3), min_size=2, max_size=25
)


@st.composite
def documents(draw):
    text, blocks = "", []
    for _ in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(["heading", "paragraph", "list", "code", "table", "qa"]))
        body, header = draw(PROSE).strip() or "x", None
        if kind == "heading":
            body = body.replace("\n", " ")[:60].strip() or "x"
        if kind == "table":
            rows = [" | ".join(row) for row in draw(ROWS)]
            body, header = "\n".join(rows), len(rows[0])
        start = len(text) + (2 if text else 0)
        text += ("\n\n" if text else "") + body
        level = draw(st.integers(1, 3)) if kind == "heading" else 0
        end = start + header if header else None
        blocks.append(Block(kind=kind, text=body, start=start, end=start + len(body), level=level, header_end=end))
    return Document(path="d.md", name="d.md", media="md", text=text, blocks=tuple(blocks))


def tokens(text):
    return sum(1 if c.isascii() and c.isalnum() else 2 for c in text if not c.isspace())


@settings(max_examples=120, deadline=None)
@given(documents(), st.sampled_from([100, 250, 800]), st.booleans())
def test_chunks_are_exact_bounded_complete_and_the_same_every_time(document, size, counted):
    chosen = Chunking(size=size, overlap=size // 8)
    count, most = (tokens, 120) if counted else (None, 512)
    chunks = chunk(document, chosen, count, most)
    assert chunks == chunk(document, chosen, count, most)
    assert [made.ordinal for made in chunks] == list(range(len(chunks)))
    covered = set()
    for made in chunks:
        assert made.text == document.text[made.start : made.end] == made.text.strip()
        assert len(made.text) <= size
        assert not counted or tokens(made.embedded_text()) <= most
        covered.update(range(made.start, made.end))
    paths = " ".join(title for made in chunks for title in made.heading)
    for block in document.blocks:
        missing = [n for n in range(block.start, block.end) if n not in covered and not document.text[n].isspace()]
        assert not missing or (block.kind == "heading" and " ".join(block.text.split()) in paths)
