"""The documentation says what the program does: settings, numbers, commands, code and links."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

import launch
from assistant.ingest.plan import pipeline_hash
from assistant.settings import Settings
from docs import generate

HERE = launch.HERE
PAGES = sorted([HERE / "README.md", HERE / "CHANGELOG.md", *(HERE / "docs").glob("*.md")])
README = (HERE / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"[+-]?\d+\.\d+")
OTHER_VALUES = {"legacy_encoding": "gb18030", "ocr": False, "chunker": "other", "size": 400, "overlap": 20}


def blocks_of(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


def masked(page: str) -> str:
    return re.sub(r" +", " ", NUMBER.sub("#", page))


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_settings_page_is_what_the_settings_say():
    page = HERE / "docs" / "settings.md"
    assert page.read_text(encoding="utf-8") == generate.settings_page(), "run: python -m docs.generate"


def test_the_settings_page_lists_every_setting_once():
    data = Settings().model_dump()
    paths = [f"{group}.{name}" for group, fields in data.items() if group != "authority_rules" for name in fields]
    shown = re.findall(r"^\| `([\w.]+)`", generate.settings_page(), re.MULTILINE)
    assert sorted(shown) == sorted([*paths, "authority_rules"])


@pytest.mark.parametrize("name", ["reading", "chunking"])
def test_settings_marked_for_a_new_index_are_those_that_make_a_file_read_again(name):
    before = pipeline_hash(Settings(), "model")
    for field, value in getattr(Settings(), name).model_dump().items():
        other = OTHER_VALUES.get(field, value + 1 if isinstance(value, int) else value)
        changed = pipeline_hash(Settings().changed({f"{name}.{field}": other}), "model") != before
        assert changed == (f"{name}.{field}" in generate.READ_AGAIN), field


def test_the_toml_in_the_settings_page_can_be_used(tmp_path):
    (text,) = blocks_of(generate.settings_page(), "toml")
    file = tmp_path / "settings.toml"
    file.write_text(text, encoding="utf-8")
    assert Settings.load(file).retrieval.depth == tomllib.loads(text)["retrieval"]["depth"]


def test_how_it_works_quotes_what_the_program_really_says(embedder):
    page = (HERE / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    traces = generate.run_examples(embedder)
    again = generate.refreshed(page, generate.blocks(traces))
    stale = "run: python -m docs.generate"
    assert masked(again) == masked(page), stale
    # int8 arithmetic differs a little between processors
    found, quoted = ([float(n) for n in NUMBER.findall(text)] for text in (again, page))
    assert found == pytest.approx(quoted, rel=0.05, abs=0.03), stale
    assert traces["two"].attempts > 1
    assert traces["none"].decision == "decline"
    assert generate.passages_are_exact(traces)


def test_every_setting_that_a_page_names_exists():
    groups = "|".join(Settings.model_fields)
    data = Settings().model_dump()
    for page in PAGES:
        for group, name in re.findall(rf"\b({groups})\.(\w+)\b(?= ?=|`|\")", page.read_text(encoding="utf-8")):
            assert name == "py" or name in data[group], f"{page.name}: {group}.{name}"


def test_every_command_in_the_readme_is_understood():
    lines = [line for text in blocks_of(README, "sh") for line in text.splitlines() if line]
    assert len(lines) >= 6
    for line in lines:
        python, script, *arguments = shlex.split(line, comments=True)
        assert (python, script) == ("python3", "launch.py")
        launch.parser().parse_args(arguments)


def test_the_readme_lists_the_exit_codes_of_the_command_line():
    documented = re.findall(r"^\| (\d+) \|", README, re.MULTILINE)
    assert documented == re.findall(r"^  (\d+) ", launch.EXIT_CODES, re.MULTILINE)


def test_the_question_line_in_the_readme_is_a_question():
    (line,) = re.findall(r"^`(\{.*\})`", README, re.MULTILINE)
    assert set(json.loads(line)) == {"id", "query"}


def test_the_python_code_in_the_readme_runs(tmp_path, monkeypatch, capsys):
    shutil.copytree(HERE / "docs" / "example", tmp_path / "docs" / "example")
    monkeypatch.chdir(tmp_path)
    (code,) = blocks_of(README, "python")
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "450 yuan" in printed
    assert "冷却液温度过高" in printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        if path.startswith("https://"):
            continue
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} → {target}"
        assert not anchor or anchor in anchors(file), f"{page.name} → {target}"


def test_every_table_of_parts_is_named_where_parts_are_added():
    page = (HERE / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    for name, file in re.findall(r"`([A-Z]+)` in `([\w/.]+)`", page):
        assert f"{name}: Registry" in (HERE / file).read_text(encoding="utf-8"), name
