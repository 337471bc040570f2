"""Tables as text: encodings, delimiters, headers, and rows that stay whole in the chunks."""

from __future__ import annotations

import pytest

from assistant.chunking import chunk
from assistant.errors import UnreadableFile
from assistant.readers import SUPPORTED, read
from assistant.readers.csv_text import delimiter_of


@pytest.fixture
def table(tmp_path):
    """A function that reads a file of this text, .csv and UTF-8 unless said otherwise."""

    def write(text, name="a.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return read(path)

    return write


def header_of(block, document):
    return document.text[block.start : block.header_end] if block.header_end else None


@pytest.mark.parametrize(
    ("sample", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b;c\n1,5;2,5;3\n2,5;3,5;4\n", ";"),
        ("1,5;2,5\n2,5;3,5\n", ";"),
        ("a\tb\n1, 2\t3\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("one column\n", ","),
        ("", ","),
    ],
)
def test_delimiter_is_the_one_that_gives_rows_of_equal_length(sample, delimiter):
    assert delimiter_of(sample) == delimiter


def test_decimal_comma_and_comma_in_a_cell_stay(table):
    document = table("Name;Preis;Menge\r\nSchraube, M8;1,5;2\r\nMutter;2,25;3\r\n")
    assert document.text == "Name | Preis | Menge\nSchraube, M8 | 1,5 | 2\nMutter | 2,25 | 3"
    assert document.media == "csv"


def test_line_end_in_quotes_stays_in_its_row(table):
    assert table('id,note\n1,"first\nsecond"\n2,"say ""hi"""\n').text == 'id | note\n1 | first second\n2 | say "hi"'


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8-sig"])
def test_chinese_table_is_read_in_its_encoding(table, encoding):
    text = '工号,姓名,部门,入职日期\n1003,孙悦,"财务部,总账组",2022-11-30\n1004,李强,研发中心,2023-01-05\n'
    document = table(text, encoding=encoding)
    assert "1003 | 孙悦 | 财务部,总账组 | 2022-11-30" in document.text.splitlines()
    assert document.language == "zh"


def test_figures_in_the_first_row_are_no_header(table):
    (block,) = table("1;2;3\n4;5;6\n").blocks
    assert (block.kind, block.header_end) == ("table", None)


def test_lines_above_the_header_are_the_title_and_years_name_columns(table):
    document = table("Report 2024,,\n,,\nRegion,2022,2023\nNorth,1,2\nSouth,3,4\n")
    assert [block.kind for block in document.blocks] == ["heading", "table"]
    assert document.title == "Report 2024"
    assert header_of(document.blocks[1], document) == "Region | 2022 | 2023"


def test_delimiter_that_excel_states_in_the_first_line_is_taken(table):
    assert table("sep=;\na;b\n1;2\n").text == "a | b\n1 | 2"


def test_quotation_mark_that_is_never_closed_costs_one_cell(table):
    document = table('name,height\nann,"6\n' + "x,1\n" * 400)
    assert document.text.splitlines()[1:3] == ["ann | 6", "x | 1"]
    assert len(document.text.splitlines()) == 402


def test_cell_longer_than_the_csv_module_reads_is_read(table):
    assert len(table("a,b\n" + "y" * 200_000 + ",2\nc,3\n").text) > 200_000


@pytest.mark.accept("I12")
def test_each_row_of_a_long_table_is_whole_in_a_bounded_chunk_with_the_header(table):
    document = table("编号,客户,应收余额\n" + "".join(f"{i},客户{i},{i}.5\n" for i in range(1500)))
    texts = [made.embedded_text() for made in chunk(document)]
    assert all("编号 | 客户 | 应收余额" in text and len(text) <= 900 for text in texts)
    rows = {line for text in texts for line in text.splitlines()}
    assert rows >= {f"{i} | 客户{i} | {i}.5" for i in range(1500)}


def test_text_with_tabs_under_an_excel_name_is_read_as_table(table):
    text = "编号\t名称\t数量\n1\t离心泵的名称\t3\n2\t截止阀的说明\t4\n"
    for name, encoding in (("a.xls", "utf-16"), ("b.xls", "utf-8"), ("c.xlsx", "gb18030")):
        assert table(text, name, encoding).text.splitlines()[0] == "编号 | 名称 | 数量"
    assert {".csv", ".tsv", ".xls"} <= set(SUPPORTED)


def test_table_without_any_cell_is_empty(table):
    with pytest.raises(UnreadableFile) as raised:
        table('"",""\n"",""\n')
    assert raised.value.kind == "empty"
