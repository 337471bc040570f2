"""Excel workbooks, new and old."""

from __future__ import annotations

import re
import zipfile
from datetime import date, datetime, time, timedelta

import openpyxl
import pytest
import xlwt
from openpyxl.comments import Comment

from assistant.chunking import chunk
from assistant.errors import UnreadableFile
from assistant.readers import read
from assistant.readers.cell_values import shown
from assistant.readers.sheets import names_columns


@pytest.fixture
def book(tmp_path):
    """A function that saves the workbook, parts changed by `change(name, content)`, and reads it."""

    def save(made, change=None, name="a.xlsx"):
        path = tmp_path / name
        made.save(path)
        if change:
            rewrite(path, change)
        return read(path)

    return save


def rewrite(path, change):
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, change(name, content))


def made(*rows, name="Sheet"):
    workbook = openpyxl.Workbook()
    workbook.active.title = name
    for row in rows:
        workbook.active.append(row)
    return workbook


def outline(document):
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)
    return [(block.kind, block.text) for block in document.blocks]


def headers(document):
    return [document.text[b.start : b.header_end] for b in document.blocks if b.header_end]


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (None, "General", ""),
        (True, "General", "TRUE"),
        (1200, "#,##0", "1200"),
        (12.0, "General", "12"),
        (0.1 + 0.2, "General", "0.3"),
        (0.256, "0.0%", "25.6%"),
        (123, "00000", "00123"),
        (-5, "00", "-5"),
        (1234567890123.0, "0", "1234567890123"),
        (datetime(2024, 9, 30), "yyyy-mm-dd", "2024-09-30"),
        (datetime(2024, 9, 30), "yyyy-mm-dd hh:mm", "2024-09-30"),
        (datetime(2024, 9, 30, 8, 30), "yyyy-mm-dd hh:mm", "2024-09-30 08:30"),
        (datetime(2024, 9, 30, 8, 30), "yyyy-mm-dd", "2024-09-30"),
        (datetime(2024, 6, 1), 'yyyy"年"m"月"', "2024-06"),
        (datetime(1900, 1, 1, 12, 0), "hh:mm", "12:00"),
        (date(2024, 1, 2), "yyyy-mm-dd", "2024-01-02"),
        (time(8, 29, 59, 999_900), "hh:mm", "08:30"),
        (time(8, 5, 7), "hh:mm:ss", "08:05:07"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        ("a_x000D_b", "General", "a\rb"),
    ],
)
def test_value_is_shown_as_its_format_means_it(value, number_format, text):
    assert shown(value, number_format) == text


def test_title_unit_and_header_of_a_table_are_found(book):
    workbook = made(["2024 sales"], ["Unit: 1,000"], ["Region", "Q1", "Q2"], ["North", 1, 2], ["South", 3, 4])
    workbook.active.merge_cells("A1:C1")
    document = book(workbook)
    assert outline(document) == [
        ("heading", "2024 sales"),
        ("caption", "Unit: 1,000"),
        ("table", "Region | Q1 | Q2\nNorth | 1 | 2\nSouth | 3 | 4"),
    ]
    assert headers(document) == ["Region | Q1 | Q2"]
    assert document.title == "2024 sales"


@pytest.mark.accept("J1")
def test_merged_cells_stand_in_each_row_and_over_the_columns_they_name(book):
    workbook = made(
        ["区域", "第一季度", None, "第二季度", None],
        [None, "计划", "实际", "计划", "实际"],
        ["华东", 1, 2, 3, 4],
        [None, 5, 6, 7, 8],
    )
    for cells in ("A1:A2", "B1:C1", "D1:E1", "A3:A4"):
        workbook.active.merge_cells(cells)
    document = book(workbook)
    assert headers(document) == ["区域 | 第一季度 | 第一季度 | 第二季度 | 第二季度\n区域 | 计划 | 实际 | 计划 | 实际"]
    assert document.text.splitlines()[2:] == ["华东 | 1 | 2 | 3 | 4", "华东 | 5 | 6 | 7 | 8"]


def test_long_text_over_several_columns_stands_once(book):
    note = "All figures were taken before the audit and are not final."
    workbook = made(["a", "b", "c"], [1, 2, 3], [9, note, None])
    workbook.active.merge_cells("B3:C3")
    assert book(workbook).text.count(note) == 1


def test_tables_in_one_sheet_are_kept_apart(book):
    workbook = made(["Name", "Age"], ["Ann", 3], ["Bob", 4], [], ["City", "People"], ["Rome", 2])
    beside = (("Code", "Price", None, "Part", "Price"), ("x1", 9, None, "y1", 8), ("x2", 7))
    for row in ((), *beside):
        workbook.active.append(row)
    document = book(workbook)
    assert headers(document) == ["Name | Age", "City | People", "Code | Price", "Part | Price"]
    assert document.text.endswith("Part | Price\ny1 | 8")


def test_rows_below_a_gap_belong_to_the_table_when_they_have_no_header(book):
    document = book(made(["Name", "Age"], ["Ann", 3], [], ["Bob", 4]))
    assert outline(document) == [("table", "Name | Age\nAnn | 3\nBob | 4")]


def test_values_are_those_that_were_calculated_last(book):
    def calculated(name, content):
        return re.sub(rb"(<f>B2\*2</f>)<v ?/?>(?:</v>)?", rb"\1<v>8</v>", content)

    document = book(made(["Item", "n", "double"], ["pump", 4, "=B2*2"]), calculated)
    assert document.text.endswith("pump | 4 | 8")
    assert document.unread == ()


def test_formula_that_was_never_calculated_makes_the_file_partly_read(book):
    document = book(made(["Item", "n", "double"], ["pump", 4, "=B2*2"], name="Stock"))
    assert document.unread == ("Sheet Stock: 1 formula was never calculated: open the file in Excel and save it.",)
    assert "=" not in document.text
    with pytest.raises(UnreadableFile, match="only formulas that were never calculated") as raised:
        book(made(["=1+1"]))
    assert raised.value.kind == "empty"


def test_hidden_and_empty_sheets_are_left_out_and_the_hidden_ones_named(book):
    workbook = made(["Name", "Age"], ["Ann", 3], name="Staff")
    workbook.create_sheet("Nothing")
    for name, state in (("Costs", "hidden"), ("Keys", "veryHidden")):
        workbook.create_sheet(name).append(["secret"])
        workbook[name].sheet_state = state
    document = book(workbook)
    assert outline(document) == [("heading", "Staff"), ("table", "Name | Age\nAnn | 3")]
    assert document.warnings == ("Hidden sheets were left out: Costs, Keys.",)
    assert document.unread == ()


def test_workbook_of_hidden_sheets_only_says_so(book):
    workbook = made(["secret"])
    workbook.active.sheet_state = "hidden"
    workbook.create_sheet("Blank")
    with pytest.raises(UnreadableFile, match="only hidden sheets"):
        book(workbook)


def test_comment_names_its_cell_and_author(book):
    workbook = made(["Item", "Price"], ["Pump", 12])
    workbook.active["A2"].comment = Comment("to be confirmed", "Li")
    assert outline(book(workbook))[-1] == ("paragraph", "[Li] A2 (Pump): to be confirmed")


def test_dates_follow_the_number_format_also_those_that_chinese_excel_does_not_write(book):
    workbook = made(["Day", "Count"], [datetime(2024, 9, 30), 45444], [45444, 3])
    workbook.active["A3"].number_format = "0.000"

    def as_chinese(name, content):  # format 31 is y年m月d日 without being defined in the file
        content = re.sub(rb"<numFmts.*?</numFmts>", b"", content)
        return re.sub(rb'numFmtId="16\d"', b'numFmtId="31"', content)

    lines = book(workbook, as_chinese).text.splitlines()
    assert lines[1:] == ["2024-09-30 | 45444", "2024-06-01 | 3"]


def test_dates_count_from_1904_where_the_workbook_says_so(book):
    workbook = made(["Day", "n"], [datetime(2024, 9, 30), 1])
    workbook.epoch = openpyxl.utils.datetime.MAC_EPOCH
    assert book(workbook).text.endswith("2024-09-30 | 1")


def test_size_that_the_file_states_is_not_believed(book):
    def inflated(name, content):
        return re.sub(rb'dimension ref="[^"]*"', b'dimension ref="A1:XFD1048576"', content)

    assert book(made(["Name", "Age"], ["Ann", 3]), inflated).text == "Name | Age\nAnn | 3"


def test_strict_file_and_macro_file_are_read_like_others(book):
    def strict(name, content):
        known = rb"http://schemas.openxmlformats.org/(officeDocument|spreadsheetml|drawingml)/2006/"
        return re.sub(known, rb"http://purl.oclc.org/ooxml/\1/", content)

    workbook = made(["Name", "Day"], ["Ann", datetime(2024, 9, 30)])
    assert book(workbook, strict).text == "Name | Day\nAnn | 2024-09-30"
    assert book(workbook, name="a.xlsm").text == "Name | Day\nAnn | 2024-09-30"


def test_styles_that_are_not_valid_do_not_cost_the_values(book):
    def odd(name, content):
        return re.sub(rb"<fills.*?</fills>", b"<fills><fill/></fills>", content) if name == "xl/styles.xml" else content

    assert book(made(["Name", "Age"], ["Ann", 3]), odd).text == "Name | Age\nAnn | 3"


def test_sheet_that_breaks_off_is_read_so_far_and_named(book):
    def cut(name, content):
        return content[: len(content) // 2] if name.endswith("sheet1.xml") else content

    document = book(made(["Name", "Age"], *([f"n{i}", i] for i in range(200))), cut)
    assert "n20 | 20" in document.text
    assert document.unread == ("Sheet Sheet: damaged, only its first rows could be read.",)


def test_file_that_is_no_workbook_is_named_by_its_fault(tmp_path):
    whole = tmp_path / "whole.xlsx"
    made(["Name", "Age"], ["Ann", 3]).save(whole)
    (tmp_path / "cut.xlsx").write_bytes(whole.read_bytes()[:3000])
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    (tmp_path / "locked.xlsx").write_bytes(ole + "EncryptedPackage".encode("utf-16-le"))
    (tmp_path / "torn.xls").write_bytes(ole + "Workbook\0".encode("utf-16-le") * 50)
    made().save(tmp_path / "blank.xlsx")
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 60_000_000)
    kinds = {}
    for name in ("cut.xlsx", "locked.xlsx", "torn.xls", "blank.xlsx", "bomb.xlsx"):
        with pytest.raises(UnreadableFile) as raised:
            read(tmp_path / name)
        kinds[name] = raised.value.kind
    assert list(kinds.values()) == ["corrupt", "encrypted", "corrupt", "empty", "too_large"]


def test_workbook_under_another_name_is_read_as_workbook(book):
    assert book(made(["Name", "Age"], ["Ann", 3]), name="a.csv").media == "xlsx"


@pytest.mark.accept("I12")
def test_late_row_of_a_long_sheet_carries_sheet_title_and_header(book):
    workbook = made(["物料编码", "名称", "现存量"], *([f"WL-{i:05}", f"物料{i}号", i] for i in range(400)), name="库存")
    workbook.create_sheet("其他").append(["x"])
    chunks = chunk(book(workbook))
    (late,) = [made.embedded_text() for made in chunks if "WL-00399 | 物料399号 | 399" in made.text]
    assert late.startswith("库存\n物料编码 | 名称 | 现存量\n")


@pytest.mark.parametrize(
    ("row", "below", "named"),
    [
        (["Name", "Age"], [["Ann", "3"]], True),
        (["Name", "2022", "2023"], [["Ann", "3", "4"]], True),
        (["2022", "2023"], [["3", "4"]], False),
        (["Ann", "3"], [["Bob", "4"]], False),
        (["Ann", "2024-01-02"], [["Bob", "2024-01-03"]], False),
        (["only one", "", ""], [["a", "b", "c"]], False),
        (["A sentence that is longer than what anyone writes over a column of figures", "b"], [["c", "d"]], False),
    ],
)
def test_row_names_columns_when_it_holds_short_texts_and_no_figures(row, below, named):
    assert names_columns(row, below) is named


def old(tmp_path, write):
    workbook = xlwt.Workbook(encoding="utf-8")
    write(workbook)
    workbook.save(str(tmp_path / "a.xls"))
    return read(tmp_path / "a.xls")


def test_old_workbook_is_read_with_dates_merged_cells_and_without_hidden_sheets(tmp_path):
    def write(workbook):
        sheet = workbook.add_sheet("销售")
        for x, name in enumerate(("区域", "日期", "比例")):
            sheet.write(0, x, name)
        sheet.write_merge(1, 2, 0, 0, "华东")
        for y, day in ((1, 29), (2, 30)):
            sheet.write(y, 1, datetime(2024, 9, day), xlwt.easyxf(num_format_str="yyyy-mm-dd"))
            sheet.write(y, 2, 0.5, xlwt.easyxf(num_format_str="0%"))
        hidden = workbook.add_sheet("内部")
        hidden.write(0, 0, "机密")
        hidden.visibility = 1

    document = old(tmp_path, write)
    assert outline(document) == [
        ("heading", "销售"),
        ("table", "区域 | 日期 | 比例\n华东 | 2024-09-29 | 50%\n华东 | 2024-09-30 | 50%"),
    ]
    assert document.media == "xls"
    assert document.warnings == ("Hidden sheets were left out: 内部.",)


def test_workbook_as_xml_text_is_read_with_gaps_and_merged_cells(tmp_path):
    space = "urn:schemas-microsoft-com:office:spreadsheet"
    cell = '<Cell{}><Data ss:Type="{}">{}</Data></Cell>'
    rows = (
        [cell.format("", "String", name) for name in ("区域", "日期", "金额")],
        [cell.format(' ss:MergeDown="1"', "String", "华东"), cell.format("", "DateTime", "2024-09-30T00:00:00.000")],
        [cell.format(' ss:Index="3"', "Number", "8")],
    )
    table = "".join(f"<Row>{''.join(row)}</Row>" for row in rows)
    sheet = f'<Worksheet ss:Name="销售"><Table>{table}</Table></Worksheet>'
    hidden = '<WorksheetOptions xmlns="urn:x"><Visible>SheetHidden</Visible></WorksheetOptions>'
    text = (
        f'<?xml version="1.0"?><Workbook xmlns="{space}" xmlns:ss="{space}">{sheet}'
        f'<Worksheet ss:Name="内部"><Table><Row>{rows[0][0]}</Row></Table>{hidden}</Worksheet></Workbook>'
    )
    (tmp_path / "a.xls").write_text(text, encoding="utf-8")
    document = read(tmp_path / "a.xls")
    assert outline(document) == [
        ("heading", "销售"),
        ("table", "区域 | 日期 | 金额\n华东 | 2024-09-30\n华东 |  | 8"),
    ]
    assert document.warnings == ("Hidden sheets were left out: 内部.",)
