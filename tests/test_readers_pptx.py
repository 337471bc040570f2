"""Presentations: one slide is one page."""

from __future__ import annotations

import io
import re
import zipfile

import pptx
import pymupdf
import pytest
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from assistant.chunking import chunk
from assistant.errors import UnreadableFile
from assistant.readers import read

AT = (Inches(1), Inches(2), Inches(4), Inches(3))


@pytest.fixture
def deck(tmp_path):
    """A function that saves the presentation, parts changed by `change(name, content)` (None: gone), and reads it."""

    def save(made, change=None, name="a.pptx", **more):
        path = tmp_path / name
        made.save(path)
        with zipfile.ZipFile(path) as archive:
            parts = {part: archive.read(part) for part in archive.namelist()}
        changed = {part: change(part, content) if change else content for part, content in parts.items()} | more
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for part, content in changed.items():
                if content is not None:
                    archive.writestr(part, content)
        return read(path)

    return save


def slide(made, title="", layout=5):
    added = made.slides.add_slide(made.slide_layouts[layout if title else 6])
    if title:
        added.shapes.title.text = title
    return added


def box(shapes, text, top=1.0, left=1.0):
    shapes.add_textbox(Inches(left), Inches(top), Inches(3), Inches(1)).text_frame.text = text


def picture(added):
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 8, 8))
    return added.shapes.add_picture(io.BytesIO(pixels.tobytes("png")), 0, 0)


def outline(document):
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)
    return [(block.kind, block.text, block.page) for block in document.blocks]


def test_title_points_and_notes_of_a_slide_have_its_page(deck):
    made = pptx.Presentation()
    slide(made, "Opening")
    second = slide(made, "Risks", layout=1)
    frame = second.placeholders[1].text_frame
    frame.text = "Supply"
    point = frame.add_paragraph()
    point.text, point.level = "two sources", 1
    second.notes_slide.notes_text_frame.text = "say it slowly"
    document = deck(made)
    assert outline(document) == [
        ("heading", "Opening", 1),
        ("heading", "Risks", 2),
        ("list", "- Supply\n  - two sources", 2),
        ("paragraph", "say it slowly", 2),
    ]
    assert (document.title, document.pages, document.media) == ("Opening", 2, "pptx")


def test_shapes_come_from_top_to_bottom_and_groups_are_opened(deck):
    made = pptx.Presentation()
    added = slide(made, "Order")
    box(added.shapes, "third.", top=5)
    box(added.shapes, "second right.", top=3, left=5)
    box(added.shapes, "second left.", top=3)
    inner = added.shapes.add_group_shape().shapes.add_group_shape()
    box(inner.shapes, "first, deep in groups.", top=2)
    texts = [text for _, text, _ in outline(deck(made))]
    assert texts == ["Order", "first, deep in groups.", "second left.", "second right.", "third."]


def test_slide_without_title_takes_its_first_line_or_its_number(deck):
    made = pptx.Presentation()
    named, alone, chinese = slide(made), slide(made), slide(made)
    box(named.shapes, "Budget 2025", top=0.5)
    box(named.shapes, "It grows by a tenth.", top=2)
    box(alone.shapes, "Only this sentence stands here.")
    box(chinese.shapes, "这里只有一句完整的话。")
    headings = [text for kind, text, _ in outline(deck(made)) if kind == "heading"]
    assert headings == ["Budget 2025", "Slide 2", "第 3 页"]


@pytest.mark.accept("J1")
def test_table_keeps_its_rows_and_repeats_what_covers_several(deck):
    made = pptx.Presentation()
    table = slide(made, "Plan").shapes.add_table(3, 3, *AT).table
    for y, row in enumerate((("Phase", "Who", "Cost"), ("Test", "Wu", "3"), ("", "Li", "4"))):
        for x, text in enumerate(row):
            table.cell(y, x).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    document = deck(made)
    assert outline(document)[1][1] == "Phase | Who | Cost\nTest | Wu | 3\nTest | Li | 4"
    block = document.blocks[1]
    assert document.text[block.start : block.header_end] == "Phase | Who | Cost"


def test_chart_gives_title_series_and_categories(deck):
    made = pptx.Presentation()
    added = slide(made, "Figures")
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("North", (1.5, 0.1 + 0.2))
    data.add_series("South", (3, None))
    chart = added.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *AT, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Turnover"
    points = XyChartData()
    points.add_series("drift").add_data_point(7, 2)
    added.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, Inches(1), Inches(6), Inches(4), Inches(1), points)
    assert outline(deck(made))[1:] == [
        ("caption", "Turnover", 1),
        ("table", "| North | South\nQ1 | 1.5 | 3\nQ2 | 0.3 |", 1),
        ("table", "| drift\n7 | 2", 1),
    ]


def test_hidden_slide_is_read_and_named_as_hidden(deck):
    made = pptx.Presentation()
    for title in ("One", "Two", "Three"):
        slide(made, title)
    made.slides[1]._element.set("show", "0")
    document = deck(made)
    assert outline(document) == [("heading", "One", 1), ("heading", "Two", 2), ("heading", "Three", 3)]
    assert document.warnings == ("Slide 2: hidden in the presentation, and read.",)
    assert (document.unread, document.pages) == ((), 3)


def test_slide_that_is_only_a_picture_needs_ocr(deck):
    made = pptx.Presentation()
    slide(made, "One")
    picture(slide(made))
    assert deck(made).unread == ("Slide 2: without text: pictures that need OCR.",)
    made = pptx.Presentation()
    picture(slide(made))
    with pytest.raises(UnreadableFile) as raised:
        deck(made)
    assert raised.value.kind == "scan"


def test_description_of_a_picture_is_text_unless_it_is_a_file_name(deck):
    made = pptx.Presentation()
    added = slide(made, "Photos")
    for about in ("A pump in the cellar", "IMG_1.png"):
        picture(added)._element._nvXxPr.cNvPr.set("descr", about)
    assert outline(deck(made))[1:] == [("caption", "A pump in the cellar", 1)]


def test_date_footer_and_number_are_no_text(deck):
    made = pptx.Presentation()
    slide(made, "One", layout=1).placeholders[1].text_frame.text = "page 7"

    def as_footer(name, content):
        return (
            content.replace(b'<p:ph idx="1"/>', b'<p:ph idx="11" type="ftr"/>') if "slides/slide" in name else content
        )

    assert outline(deck(made, as_footer)) == [("heading", "One", 1)]


def test_comments_old_and_new_name_their_author(deck):
    made = pptx.Presentation()
    slide(made, "One")
    kinds = {
        "comments": "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments",
        "modern": "http://schemas.microsoft.com/office/2018/10/relationships/comments",
        "authors": "http://schemas.openxmlformats.org/officeDocument/2006/relationships/commentAuthors",
    }

    def linked(name, content):
        ends = {
            "ppt/slides/_rels/slide1.xml.rels": ("comments", "modern"),
            "ppt/_rels/presentation.xml.rels": ("authors",),
        }
        for kind in ends.get(name, ()):
            rel = f'<Relationship Id="x{kind}" Type="{kinds[kind]}" Target="/ppt/{kind}.xml"/></Relationships>'
            content = content.replace(b"</Relationships>", rel.encode())
        return content

    parts = {
        "ppt/comments.xml": '<l xmlns:p="urn:p"><p:cm authorId="0"><p:text>too dear</p:text></p:cm></l>',
        "ppt/modern.xml": '<l xmlns:a="urn:a"><a:cm authorId="9"><a:p><a:t>why </a:t><a:t>so?</a:t></a:p></a:cm></l>',
        "ppt/authors.xml": '<l xmlns:p="urn:p"><p:cmAuthor id="0" name="Wu"/></l>',
    }
    assert [text for _, text, _ in outline(deck(made, linked, **parts))[1:]] == ["[Wu] too dear", "why so?"]


def test_diagram_and_alternative_content_are_read_once(deck):
    made = pptx.Presentation()
    slide(made, "One")
    shape = '<p:sp><p:nvSpPr/><p:txBody><a:p xmlns:a="urn:a"><a:r><a:t>{}</a:t></a:r></a:p></p:txBody></p:sp>'
    added = (
        '<mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice>' + shape.format("new form") + "</mc:Choice><mc:Fallback>"
        + shape.format("old form") + "</mc:Fallback></mc:AlternateContent><p:graphicFrame>"
        '<d:relIds xmlns:d="urn:d" d:dm="xdata"/></p:graphicFrame></p:spTree>'
    )  # fmt: skip

    def with_diagram(name, content):
        if name == "ppt/slides/slide1.xml":
            return content.replace(b"</p:spTree>", added.encode())
        if name == "ppt/slides/_rels/slide1.xml.rels":
            rel = b'<Relationship Id="xdata" Type="urn:diagramData" Target="/ppt/data.xml"/></Relationships>'
            return content.replace(b"</Relationships>", rel)
        return content

    data = (
        '<m xmlns:a="urn:a"><pt><t><a:p><a:t>plan</a:t></a:p></t></pt><pt><t><a:p><a:t>build</a:t></a:p></t></pt></m>'
    )
    document = deck(made, with_diagram, **{"ppt/data.xml": data})
    assert sorted(text for _, text, _ in outline(document)) == ["- plan\n- build", "One", "new form"]


def test_strict_file_and_slide_show_are_read_like_others(deck):
    def strict(name, content):
        known = rb"http://schemas.openxmlformats.org/(officeDocument|presentationml|drawingml)/2006/"
        return re.sub(known, rb"http://purl.oclc.org/ooxml/\1/", content)

    def show(name, content):
        return content.replace(b"presentation.main+xml", b"slideshow.main+xml")

    for change, name in ((strict, "a.pptx"), (show, "a.ppsx")):
        made = pptx.Presentation()
        slide(made, "One")
        assert outline(deck(made, change, name)) == [("heading", "One", 1)]


def test_damage_in_one_slide_or_chart_does_not_cost_the_others(deck):
    made = pptx.Presentation()
    for title in ("One", "Two", "Three", "Four"):
        slide(made, title)
    data = CategoryChartData()
    data.categories = ["Q1"]
    data.add_series("North", (1.5,))
    made.slides[2].shapes.add_chart(XL_CHART_TYPE.PIE, *AT, data)

    def broken(name, content):
        if "charts/chart" in name or name == "ppt/slides/slide4.xml":
            return None
        return content[: len(content) // 2] if name == "ppt/slides/slide2.xml" else content

    document = deck(made, broken)
    assert [page for kind, _, page in outline(document) if kind == "heading"] in ([1, 3], [1, 2, 3])
    assert document.unread == ("Slides 2, 3, 4: with an object that cannot be read.",)


def test_file_that_is_no_presentation_is_named_by_its_fault(tmp_path, deck):
    (tmp_path / "cut.pptx").write_bytes(b"PK\x03\x04 and then nothing")
    (tmp_path / "old.ppt").write_bytes(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "PowerPoint Document\0".encode("utf-16-le")
    )
    kinds = []
    for name in ("cut.pptx", "old.ppt"):
        with pytest.raises(UnreadableFile) as raised:
            read(tmp_path / name)
        kinds.append(raised.value.kind)
    with pytest.raises(UnreadableFile) as raised:
        deck(pptx.Presentation())
    assert [*kinds, raised.value.kind] == ["corrupt", "unsupported", "empty"]


def test_each_chunk_of_a_deck_has_one_page(deck):
    made = pptx.Presentation()
    for n in range(12):
        slide(made, f"Title {n}", layout=1).placeholders[1].text_frame.text = f"Point {n}.\nAnother {n}."
    assert [made.pages for made in chunk(deck(made))] == [(n, n) for n in range(1, 13)]
