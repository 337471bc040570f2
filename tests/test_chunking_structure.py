from assistant.chunking import chunk
from assistant.documents import Block, Document


def test_chunk_of_a_short_paragraph_is_the_paragraph_under_its_heading():
    text = "Leave\n\nTwelve days a year."
    blocks = (
        Block(kind="heading", text="Leave", start=0, end=5, level=1),
        Block(kind="paragraph", text="Twelve days a year.", start=7, end=26),
    )
    (only,) = chunk(Document(path="a.md", name="a.md", media="md", text=text, blocks=blocks))
    assert (only.text, only.start, only.end, only.heading) == ("Twelve days a year.", 7, 26, ("Leave",))
