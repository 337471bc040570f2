import zipfile

import pytest

from assistant.errors import UnreadableFile
from assistant.readers import read

SPACES = " ".join(
    f'xmlns:{name}="urn:{name}"' for name in ("office", "text", "table", "draw", "style", "presentation", "dc", "meta")
)
STYLES = """
<style:style style:name="P1" style:parent-style-name="Title"/><style:style style:name="Title"/>
<style:style style:name="H"><style:text-properties text:display="none"/></style:style>
<style:style style:name="gone"><style:table-properties table:display="false"/></style:style>
<style:style style:name="dp"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>
<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>
"""


@pytest.fixture
def odf(tmp_path):
    """A function that reads an OpenDocument file of this kind and body."""

    def write(kind, body, manifest="<manifest/>", meta=""):
        path = tmp_path / "a.odt"
        root = f"<office:document-content {SPACES}><office:automatic-styles>{STYLES}</office:automatic-styles>"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
            archive.writestr("META-INF/manifest.xml", manifest)
            archive.writestr(
                "meta.xml", f"<office:document-meta {SPACES}><office:meta>{meta}</office:meta></office:document-meta>"
            )
            archive.writestr(
                "content.xml",
                f"{root}<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            )
        return read(path)

    return write


def p(text):
    return f"<text:p>{text}</text:p>"


def cell(text, attributes="", kind="table-cell"):
    return f"<table:{kind} {attributes}>{p(text) if text else ''}</table:{kind}>"


def row(*cells, attributes=""):
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def kinds(document):
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)
    return [(block.kind, block.text) for block in document.blocks]


def test_text_comes_in_document_order_without_what_is_deleted_or_hidden(odf):
    document = odf(
        "text",
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>旧文</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        '<text:p text:style-name="P1">员工手册</text:p>'
        '<text:h text:outline-level="1">休假</text:h>'
        "<text:p>每年十二天<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>不含公休日。</text:p></text:note-body></text:note>，须申请。</text:p>"
        '<text:p>a<text:s text:c="2"/>b<text:span text:style-name="H">秘密</text:span><text:line-break/>c</text:p>'
        "<text:p>签字<office:annotation><dc:creator>Ann</dc:creator><text:p>who signs?</text:p></office:annotation>"
        "</text:p>"
        "<text:table-of-content><text:index-body><text:p>休假 3</text:p></text:index-body></text:table-of-content>",
        meta="<dc:creator>王敏</dc:creator><dc:date>2024-05-01T10:00:00</dc:date>",
    )
    assert kinds(document) == [
        ("heading", "员工手册"),
        ("heading", "休假"),
        ("paragraph", "每年十二天，须申请。"),
        ("paragraph", "不含公休日。"),
        ("paragraph", "a  b\nc"),
        ("paragraph", "签字"),
        ("paragraph", "[Ann] who signs?"),
    ]
    assert [block.level for block in document.blocks[:2]] == [1, 2]
    assert (document.title, document.media, document.meta["creator"]) == ("员工手册", "odt", "王敏")
    assert f"{document.modified:%Y-%m-%d}" == "2024-05-01"


def test_lists_keep_their_numbers_and_text_boxes_their_text(odf):
    items = "<text:list-item><text:p>ask</text:p><text:list><text:list-item><text:p>by mail</text:p></text:list-item>"
    items += "</text:list></text:list-item><text:list-item><text:p>go</text:p></text:list-item>"
    box = "<draw:frame><draw:text-box><text:p>In the box.</text:p></draw:text-box></draw:frame>"
    document = odf("text", f'<text:list text:style-name="L1">{items}</text:list><text:p>Below.{box}</text:p>')
    assert kinds(document) == [
        ("list", "1. ask\n- by mail\n2. go"),
        ("paragraph", "Below."),
        ("paragraph", "In the box."),
    ]


def test_a_merged_cell_stands_once_across_and_in_every_row_down(odf):
    covered = cell("", kind="covered-table-cell")
    header = f"<table:table-header-rows>{row(cell('地区'), cell('品名'), cell('数量'))}</table:table-header-rows>"
    body = row(cell("华东", 'table:number-rows-spanned="2"'), cell("泵"), cell("12"))
    body += row(covered, cell("阀"), cell("300"))
    body += row(cell("合计", 'table:number-columns-spanned="2"'), covered, cell("312"))
    document = odf("text", f"<table:table>{header}{body}</table:table>")
    assert kinds(document) == [("table", "地区 | 品名 | 数量\n华东 | 泵 | 12\n华东 | 阀 | 300\n合计 | 312")]
    assert document.text[: document.blocks[0].header_end] == "地区 | 品名 | 数量"


def test_sheets_have_values_dates_and_no_endless_rows(odf):
    number = 'office:value-type="float" office:value="1200.5"'
    share = 'office:value-type="percentage" office:value="0.256"'
    day = 'office:value-type="date" office:date-value="2024-09-30T00:00:00"'
    remark = "<office:annotation><dc:creator>Ann</dc:creator><text:p>estimated</text:p></office:annotation>"
    rows = row(cell("品名"), cell("金额"), cell("占比"), cell("日期"))
    rows += row(cell("泵"), cell("1,200.50", number), cell("26%", share), cell("30.09.24", day))
    rows += row(f"<table:table-cell>{remark}<text:p>阀</text:p></table:table-cell>", cell("1,200.50", number))
    rows += row(cell("", 'table:number-columns-repeated="16384"'), attributes='table:number-rows-repeated="1048573"')
    hidden = f'<table:table table:name="内部" table:style-name="gone">{row(cell("秘密"), cell("1"))}</table:table>'
    document = odf("spreadsheet", f'<table:table table:name="销售">{rows}</table:table>{hidden}')
    assert document.media == "ods"
    assert "品名 | 金额 | 占比 | 日期\n泵 | 1200.5 | 25.6% | 2024-09-30\n阀 | 1200.5" in document.text
    assert "[Ann] estimated" in document.text
    assert "秘密" not in document.text


def test_a_slide_is_a_page_with_its_title_first_and_its_notes_last(odf):
    def frame(kind, text):
        return f'<draw:frame presentation:class="{kind}"><draw:text-box>{text}</draw:text-box></draw:frame>'

    bullets = "<text:list><text:list-item><text:p>三月启动</text:p></text:list-item></text:list>"
    notes = f"<presentation:notes>{frame('notes', p('先说预算'))}</presentation:notes>"
    slides = f"<draw:page>{frame('outline', bullets)}{frame('title', p('新品计划'))}{notes}</draw:page>"
    slides += f'<draw:page draw:style-name="dp">{frame("title", p("隐藏页"))}</draw:page>'
    slides += f"<draw:page><draw:g><draw:custom-shape>{p('形状里的字')}</draw:custom-shape></draw:g></draw:page>"
    document = odf("presentation", slides)
    assert [(block.kind, block.text, block.page) for block in document.blocks] == [
        ("heading", "新品计划", 1),
        ("list", "- 三月启动", 1),
        ("paragraph", "先说预算", 1),
        ("paragraph", "形状里的字", 3),
    ]
    assert (document.media, document.pages) == ("odp", 3)


def test_a_password_and_another_kind_of_document_are_named(odf):
    with pytest.raises(UnreadableFile, match="password") as raised:
        odf("text", p("x"), manifest="<manifest><file-entry><encryption-data/></file-entry></manifest>")
    assert raised.value.kind == "encrypted"
    with pytest.raises(UnreadableFile, match="another kind") as raised:
        odf("chart", p("x"))
    assert raised.value.kind == "unsupported"
