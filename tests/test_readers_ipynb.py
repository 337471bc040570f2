"""Notebooks: cells of Markdown and code, and what the code printed."""

from __future__ import annotations

import json

import pytest

from assistant.errors import UnreadableFile
from assistant.readers import read
from assistant.readers.ipynb import LONGEST_OUTPUT


@pytest.fixture
def notebook(tmp_path):
    """A function that reads a notebook of these cells."""

    def write(*cells, **fields):
        path = tmp_path / "a.ipynb"
        path.write_text(json.dumps({"cells": cells, "nbformat": 4, **fields}), encoding="utf-8")
        return read(path)

    return write


def text(source):
    return {"cell_type": "markdown", "source": source}


def code(source, *outputs):
    return {"cell_type": "code", "source": source, "outputs": outputs}


def printed(lines):
    return {"output_type": "stream", "name": "stdout", "text": lines}


def result(**data):
    return {"output_type": "execute_result", "data": data}


def outline(document):
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)
    return [(block.kind, block.text) for block in document.blocks]


def test_markdown_code_and_output_come_in_order(notebook):
    document = notebook(
        text(["# 销售分析\n", "\n", "先读取数据。\n", "\n", "| a | b |\n", "|---|---|\n", "| 1 | 2 |"]),
        code(["total = 1 + 1\n", "print(total)"], printed(["2\n"])),
        text("## Result\n- grows"),
        metadata={"kernelspec": {"language": "python"}},
    )
    assert outline(document) == [
        ("heading", "销售分析"),
        ("paragraph", "先读取数据。"),
        ("table", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("code", "total = 1 + 1\nprint(total)"),
        ("code", "2"),
        ("heading", "Result"),
        ("list", "- grows"),
    ]
    table = document.blocks[2]
    assert document.text[table.start : table.header_end].startswith("| a | b |")
    assert (document.title, document.media) == ("销售分析", "ipynb")


def test_pictures_and_what_only_names_them_are_no_text(notebook):
    picture = "iVBORw0KGgo" * 50
    document = notebook(
        text(f"See ![plot](data:image/png;base64,{picture}) here"),
        code("plot()", result(**{"image/png": picture, "text/plain": "<Figure size 640x480 with 1 Axes>"})),
        code("table", result(**{"text/html": "<table></table>", "text/plain": ["   a\n", "0  1"]})),
    )
    assert "iVBOR" not in document.text
    assert "Figure" not in document.text
    assert outline(document)[-1] == ("code", "   a\n0  1")


def test_error_is_one_line_without_the_way_to_it_and_without_colours(notebook):
    failed = {"output_type": "error", "ename": "KeyError", "evalue": "\x1b[31m'x'\x1b[0m", "traceback": ["frame"]}
    assert outline(notebook(code("d['x']", failed)))[1:] == [("code", "KeyError: 'x'")]


def test_long_output_is_cut_at_a_line_and_said(notebook):
    document = notebook(code("run()", printed("x" * 99 + "\n")), code("run()", printed(("y" * 99 + "\n") * 50)))
    assert len(document.blocks[-1].text) <= LONGEST_OUTPUT
    assert document.blocks[-1].text.splitlines()[-1] == "y" * 99
    assert document.warnings == ("Outputs were cut to 2000 characters each: 1.",)


def test_question_and_answer_in_markdown_stay_together(notebook):
    assert [kind for kind, _ in outline(notebook(text("Q: Why?\n\nA: Because.")))] == ["qa"]


def test_notebook_of_format_3_is_read(notebook):
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Old"},
        {"cell_type": "code", "input": "1 + 1", "outputs": [{"output_type": "pyout", "text": ["2"]}]},
    ]
    document = notebook(worksheets=[{"cells": cells}])
    assert outline(document) == [("heading", "Old"), ("code", "1 + 1"), ("code", "2")]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("{", "corrupt"),
        ("[]", "corrupt"),
        ('{"a": 1}', "corrupt"),
        ("[" * 100_000, "corrupt"),
        ('{"cells": []}', "empty"),
        ('{"cells": [1, {"cell_type": "code", "source": null, "outputs": [2]}]}', "empty"),
    ],
)
def test_file_that_is_no_notebook_is_named_by_its_fault(tmp_path, content, kind):
    (tmp_path / "a.ipynb").write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableFile) as raised:
        read(tmp_path / "a.ipynb")
    assert raised.value.kind == kind
