import pytest

from assistant.errors import UnreadableFile
from assistant.readers import read


@pytest.fixture
def page(tmp_path):
    def write(body, head="", name="a.html", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode(encoding))
        return read(path)

    return write


def kinds(document):
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)
    return [(block.kind, block.text) for block in document.blocks]


def test_headings_paragraphs_lists_and_code_come_in_order(page):
    document = page(
        "<h1>Manual</h1><p>One <b>bold</b> word.<br>Next line.</p><h2>Steps</h2>"
        "<ol><li>First</li><li>Second<ul><li>Deeper</li></ul></li></ol><pre>a = 1\n  b = 2</pre>"
    )
    assert kinds(document) == [
        ("heading", "Manual"),
        ("paragraph", "One bold word.\nNext line."),
        ("heading", "Steps"),
        ("list", "1. First\n2. Second\n- Deeper"),
        ("code", "a = 1\n  b = 2"),
    ]
    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 2]
    assert (document.title, document.media, document.language) == ("Manual", "html", "en")


def test_what_no_reader_sees_is_left_out(page):
    document = page(
        "<nav>Menu entries</nav><div style='display: none'>stuffed keywords</div><div hidden>hidden part</div>"
        "<script>var tracked=1</script><style>p{color:red}</style><noscript>enable it</noscript>"
        "<div class='cookie-banner'>We use cookies</div><p>The text.</p><footer>Imprint</footer>"
    )
    assert document.text == "The text."


def test_text_behind_a_dropped_element_stays(page):
    assert page("<p>before <script>x</script>behind</p>").text == "before behind"


def test_main_part_is_taken_when_the_page_marks_it(page):
    article = "A long sentence about ducks that belongs to the article. " * 5
    document = page(f"<div>Recent posts and other things</div><main><h1>Ducks</h1><p>{article}</p></main>")
    assert "Recent posts" not in document.text
    assert document.text.startswith("Ducks")


def test_the_only_first_heading_above_the_main_part_stays(page):
    text = "A long sentence about ducks that belongs to the article. " * 5
    document = page(
        f"<header><nav>Home</nav><h1>Ducks</h1><p>News of today</p></header><main>In short.<p>{text}</p></main>"
    )
    assert document.text.startswith("Ducks\n\nIn short.\n\nA long sentence")
    assert "Home" not in document.text


def test_table_becomes_rows_with_header_and_spans(page):
    document = page(
        "<table><caption>Stock</caption><tr><th>Region</th><th>Pump</th><th>Valve</th></tr>"
        "<tr><td rowspan=2>华东</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>"
        "<tr><td colspan=3>all of it</td></tr></table>"
    )
    (table,) = [block for block in document.blocks if block.kind == "table"]
    assert table.text == "Region | Pump | Valve\n华东 | 1 | 2\n华东 | 3 | 4\nall of it"
    assert document.text[table.start : table.header_end] == "Region | Pump | Valve"
    assert ("caption", "Stock") in kinds(document)


def test_page_that_is_one_layout_table_keeps_its_text(page):
    left = "<td><h2>News</h2><p>" + "Something happened today. " * 30 + "</p></td>"
    document = page(f"<table><tr>{left}<td>" + "Another column tells more. " * 30 + "</td></tr></table>")
    assert ("heading", "News") in kinds(document)
    assert "Another column" in document.text


def test_chinese_lines_of_the_source_are_joined_without_a_space(page):
    assert page("<p>公司自十月八日起\n   迁至苏州。</p>").text == "公司自十月八日起迁至苏州。"


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("gb18030", "<meta charset=gb2312>"),
        ("gb18030", '<meta http-equiv="Content-Type" content="text/html; charset=GBK">'),
        ("utf-16", ""),
        ("utf-8", "<meta charset=iso-8859-1>"),
        ("utf-8", "<meta charset=no-such-charset>"),
    ],
)
def test_charset_comes_from_mark_valid_utf_8_or_meta(page, encoding, head):
    assert page("<p>公司地址在苏州工业园区。</p>", head, encoding=encoding).text == "公司地址在苏州工业园区。"


def test_question_with_answer_is_one_block(page):
    assert kinds(page("<h1>FAQ</h1><h2>Is it free?</h2><p>Yes, it is.</p>"))[1] == ("qa", "Is it free?\n\nYes, it is.")


def test_terms_stand_with_their_explanations(page):
    assert page("<dl><dt>Cache</dt><dd>A fast store.</dd></dl>").text == "Cache: A fast store."


def test_html_under_a_word_name_is_read_as_html(page):
    assert page("<p>Saved as Word.</p>", name="report.docx").text == "Saved as Word."


def test_page_without_text_is_empty(page):
    with pytest.raises(UnreadableFile) as raised:
        page("<script>only()</script>")
    assert raised.value.kind == "empty"
