from assistant.chunking import chunk
from assistant.documents import Block, Document


def test_chunk_of_a_short_section_begins_with_its_heading_which_is_embedded_once():
    text = "Leave\n\nTwelve days a year."
    blocks = (
        Block(kind="heading", text="Leave", start=0, end=5, level=1),
        Block(kind="paragraph", text="Twelve days a year.", start=7, end=26),
    )
    (only,) = chunk(Document(path="a.md", name="a.md", media="md", text=text, blocks=blocks))
    assert (only.text, only.start, only.end, only.heading) == (text, 0, 26, ("Leave",))
    assert only.embedded_text() == text
