import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml

from assistant.errors import UnreadableFile
from assistant.readers import read

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


@pytest.fixture
def raw(tmp_path):
    """A function that reads a .docx of this body XML, further parts by name."""

    def write(body, namespace=W, **parts):
        path = tmp_path / "a.docx"
        wrap = '<w:{0} xmlns:w="{1}" xmlns:mc="urn:mc" xmlns:v="urn:v">{2}</w:{0}>'
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("word/document.xml", wrap.format("document", namespace, f"<w:body>{body}</w:body>"))
            for name, content in parts.items():
                archive.writestr(f"word/{name}.xml", wrap.format(name, namespace, content))
        return read(path)

    return write


def p(text, properties="", inside=""):
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r>{inside}</w:p>"


def kinds(document):
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)
    return [(block.kind, block.text) for block in document.blocks]


def test_headings_lists_and_tables_come_in_document_order(tmp_path):
    made = docx.Document()
    made.add_heading("Handbook", 0)
    made.add_heading("Leave", 1)
    made.add_paragraph("Twelve days a year.")
    made.add_paragraph("ask first", style="List Bullet")
    made.add_paragraph("then go", style="List Bullet")
    table = made.add_table(2, 2)
    for cell, text in zip(table._cells, ("Grade", "Days", "A", "12"), strict=True):
        cell.text = text
    made.add_heading("Pay", 1)
    made.add_paragraph("Monthly.")
    made.core_properties.title = "Stated title"
    made.save(tmp_path / "a.docx")
    document = read(tmp_path / "a.docx")
    assert kinds(document) == [
        ("heading", "Handbook"),
        ("heading", "Leave"),
        ("paragraph", "Twelve days a year."),
        ("list", "- ask first\n- then go"),
        ("table", "Grade | Days\nA | 12"),
        ("heading", "Pay"),
        ("paragraph", "Monthly."),
    ]
    assert [block.level for block in document.blocks if block.kind == "heading"] == [1, 2, 2]
    assert (document.title, document.meta["title"], document.media) == ("Handbook", "Stated title", "docx")
    assert document.modified is not None


def test_merged_cells_stand_once_across_and_in_every_row_down(tmp_path):
    made = docx.Document()
    table = made.add_table(3, 3)
    for n, cell in enumerate(table._cells):
        cell.text = str(n)
    table.cell(0, 1).merge(table.cell(0, 2)).text = "wide"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    made.save(tmp_path / "a.docx")
    assert read(tmp_path / "a.docx").text == "0 | wide\ntall | 4 | 5\ntall | 7 | 8"


def test_changes_are_read_as_accepted_and_hidden_text_is_left_out(raw):
    document = raw(
        "<w:p><w:r><w:t>Pay in </w:t></w:r><w:del><w:r><w:delText>60</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>90</w:t></w:r></w:ins><w:r><w:t> days</w:t></w:r></w:p>"
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>shown</w:t></w:r></w:p>"
    )
    assert document.text == "Pay in 90 days\n\nshown"


def test_text_box_stands_once_and_content_controls_are_read(raw):
    box = "<w:txbxContent>" + p("In the box") + "</w:txbxContent>"
    document = raw(
        f"<w:p><w:r><w:t>Around</w:t></w:r><w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape>{box}</v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
        "<w:sdt><w:sdtContent>" + p("In a control") + "</w:sdtContent></w:sdt>"
    )
    assert document.text == "Around\n\nIn the box\n\nIn a control"


def test_notes_and_comments_follow_their_paragraph(raw):
    document = raw(
        p("With a note.", inside="<w:r><w:footnoteReference w:id='2'/></w:r>")
        + p("With a comment.", inside="<w:r><w:commentReference w:id='0'/></w:r>")
        + p("Last."),
        footnotes="<w:footnote w:type='separator' w:id='0'>"
        + p("line")
        + "</w:footnote><w:footnote w:id='2'>"
        + p("The note.")
        + "</w:footnote>",
        comments="<w:comment w:id='0' w:author='李'>" + p("数量不符") + "</w:comment>",
    )
    assert document.text == "With a note.\n\nThe note.\n\nWith a comment.\n\n[李] 数量不符\n\nLast."


def test_strict_files_are_read(raw):
    assert raw(p("Strict text"), namespace=STRICT).text == "Strict text"


def test_nested_table_and_frame_table_keep_their_text(raw):
    def table(*rows):
        cells = ["".join(f"<w:tc>{cell}</w:tc>" for cell in row) for row in rows]
        return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"

    inner = table((p("No"), p("Text")), (p("N-1"), p("inner")))
    document = raw(table((p("outer"), p("see") + inner)) + table((p("Only a frame") + p("around text"),)))
    assert kinds(document) == [
        ("table", "outer | see"),
        ("table", "No | Text\nN-1 | inner"),
        ("paragraph", "Only a frame"),
        ("paragraph", "around text"),
    ]


def test_numbers_that_word_computes_are_written_out(raw):
    level = "<w:lvl w:ilvl='{0}'><w:start w:val='1'/><w:numFmt w:val='{1}'/><w:lvlText w:val='{2}'/></w:lvl>"
    numbering = (
        "<w:abstractNum w:abstractNumId='5'>"
        + level.format(0, "chineseCounting", "第%1条")
        + level.format(1, "decimal", "%1.%2")
        + "</w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='5'/></w:num>"
    )

    def item(text, depth):
        return p(text, f"<w:pPr><w:numPr><w:ilvl w:val='{depth}'/><w:numId w:val='1'/></w:numPr></w:pPr>")

    document = raw(
        item("甲方应付款。", 0) + item("先付。", 1) + item("后付。", 1) + item("乙方应交货。", 0), numbering=numbering
    )
    assert document.text == "第一条 甲方应付款。\n一.1 先付。\n一.2 后付。\n第二条 乙方应交货。"


def test_bold_numbered_lines_are_headings_without_a_style(raw):
    bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>一、采购范围</w:t></w:r></w:p>"
    assert kinds(raw(bold + p("办公用品。"))) == [("heading", "一、采购范围"), ("paragraph", "办公用品。")]


def test_table_of_contents_is_left_out(raw):
    styles = "<w:style w:styleId='T'><w:name w:val='toc 1'/></w:style>"
    assert raw(p("Leave 3", "<w:pPr><w:pStyle w:val='T'/></w:pPr>") + p("Leave"), styles=styles).text == "Leave"


def test_linked_picture_without_a_part_does_not_stop_the_reading(tmp_path):
    made = docx.Document()
    made.add_paragraph("Before.")
    made.paragraphs[0]._p.append(
        parse_xml(
            f'<w:r xmlns:w="{W}"><w:drawing><a:blip xmlns:a="urn:a" xmlns:r="urn:r" r:link="rId99"/></w:drawing></w:r>'
        )
    )
    made.add_paragraph("After.")
    made.save(tmp_path / "a.docx")
    assert read(tmp_path / "a.docx").text == "Before.\n\nAfter."


def test_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * 60_000_000)
    with pytest.raises(UnreadableFile) as raised:
        read(path)
    assert raised.value.kind == "too_large"


def test_damaged_archive_and_missing_document_part_are_corrupt(tmp_path):
    path = tmp_path / "a.docx"
    stream = io.BytesIO()
    docx.Document().save(stream)
    path.write_bytes(stream.getvalue()[: len(stream.getvalue()) // 2])
    with pytest.raises(UnreadableFile) as cut:
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/other.xml", "<a/>")
    with pytest.raises(UnreadableFile) as without:
        read(path)
    assert (cut.value.kind, without.value.kind) == ("corrupt", "corrupt")


def test_word_file_under_another_name_is_read_as_word(tmp_path):
    made = docx.Document()
    made.add_paragraph("Inside Word.")
    made.save(tmp_path / "a.pdf")
    assert (read(tmp_path / "a.pdf").text, read(tmp_path / "a.pdf").media) == ("Inside Word.", "docx")
