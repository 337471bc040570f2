"""The command line: exit codes, messages, and the set-up on a bare machine."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from sample_traces import answered_trace, declined_trace, failed_trace
from test_ingest_find import write

import launch
from assistant.documents import IngestReport
from ui import terminal

QUESTION = "出差住宿标准是多少？"


@pytest.fixture
def kb(tmp_path):
    return str(tmp_path / "kb")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of its own, with one requirement that no machine has."""
    write(
        tmp_path / "pyproject.toml",
        '[project]\nname = "x"\nversion = "1"\ndependencies = ["glassbox-no-such-package==1"]\n'
        '[project.optional-dependencies]\ntest = ["pytest==0.1", "hypothesis"]\n',
    )
    write(tmp_path / "constraints.txt", "")
    for name, value in {"HERE": tmp_path, "VENV": tmp_path / ".venv"}.items():
        monkeypatch.setattr(launch, name, value)
    monkeypatch.setattr(launch, "STAMP", tmp_path / ".venv" / "glassbox-setup")
    monkeypatch.setattr(launch, "LOG", tmp_path / ".venv" / "setup.log")
    return tmp_path


def stamp(project: Path, text: str) -> None:
    write(project / ".venv" / "glassbox-setup", text)
    write(launch._venv_python(), "")


# set-up


def test_help_and_mistakes_need_nothing_but_the_standard_library():
    def bare(*arguments):  # -S: no installed package can be imported
        command = [sys.executable, "-S", str(launch.HERE / "launch.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")

    shown = bare("--help")
    assert shown.returncode == 0
    assert "130  stopped with Ctrl-C" in shown.stdout
    mistake = bare("ask")
    assert mistake.returncode == launch.USAGE
    assert "question" in mistake.stderr
    assert "Traceback" not in mistake.stderr


def test_an_older_python_gets_one_sentence(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))

    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, and this is 3\.9"):
        runpy.run_path(str(launch.HERE / "launch.py"))


def test_requirements_that_are_absent_or_of_another_version_are_lacking(project):
    assert launch.lacking() == ["glassbox-no-such-package==1"]
    assert launch.lacking("test") == ["glassbox-no-such-package==1", "pytest==0.1"]


def test_a_package_that_is_installed_without_its_dependencies_is_lacking_until_it_is_there(project):
    with (project / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write('[tool.glassbox]\ntest-without-dependencies = ["glassbox-no-such-model==2", "pluggy"]\n')

    assert launch.bare("test") == ["glassbox-no-such-model==2", "pluggy"]
    assert "glassbox-no-such-model==2" in launch.lacking("test")
    assert launch.bare("") == launch.bare("bench") == []
    assert "glassbox-no-such-model==2" not in launch.lacking()


def test_an_interrupted_set_up_is_not_taken_for_a_finished_one(project):
    assert not launch.is_set_up()
    write(launch._venv_python(), "")
    assert not launch.is_set_up()


def test_a_set_up_counts_for_its_requirements_only(project):
    stamp(project, launch._requirements_hash())
    assert launch.is_set_up()
    assert not launch.is_set_up("test")

    stamp(project, f"{launch._requirements_hash()} test")
    assert launch.is_set_up("test")

    write(project / "constraints.txt", "numpy==2.0")
    assert not launch.is_set_up()


def test_a_failed_set_up_says_so_and_leaves_no_stamp(project, monkeypatch, capsys):
    monkeypatch.setattr(launch, "_venv_works", lambda: True)
    monkeypatch.setattr(launch, "_venv_python", lambda: Path(sys.executable))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_TARGET", str(project / "nowhere"))
    (project / ".venv").mkdir()

    with pytest.raises(SystemExit, match="could not be installed; check the network connection"):
        launch.install()

    assert not launch.STAMP.exists()
    assert "ERROR" in launch.LOG.read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith("Glassbox is setting itself up in .venv")


def test_an_environment_that_stays_wrong_ends_with_a_sentence(project, monkeypatch):
    monkeypatch.setenv("GLASSBOX_RESTARTED", str(launch.VENV))

    with pytest.raises(SystemExit, match="delete that folder and start again"):
        launch.restart()


def test_every_package_is_pinned_without_hosts_or_paths():
    lines = (launch.HERE / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]

    assert all("==" in pin and "/" not in pin and "@" not in pin for pin in pins)
    names = {pin.split("==")[0].lower().replace("_", "-") for pin in pins}
    import tomllib

    project = tomllib.loads((launch.HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert {launch.name_of(w).lower().replace("_", "-") for w in wanted} <= names


# commands


def run(*arguments):
    return launch.main(list(arguments))


def test_the_whole_way_from_files_to_an_answer(tmp_path, kb, capsys):
    write(tmp_path / "docs" / "travel.md", "# 差旅政策\n\n出差住宿标准为每晚四百元。\n")
    docs = str(tmp_path / "docs")

    assert run("ingest", docs, "--kb", kb) == launch.OK
    assert "1 added" in capsys.readouterr().out

    assert run("--kb", kb, "ask", QUESTION, "--json") == launch.OK
    trace = json.loads(capsys.readouterr().out)
    assert trace["question"] == QUESTION

    write(tmp_path / "docs" / "broken.pdf", "%PDF-1.7")
    assert run("ingest", docs, "--kb", kb) == launch.FAILED
    assert "failed: broken.pdf" in capsys.readouterr().out

    assert run("doctor", "--kb", kb) in (launch.OK, launch.FAILED)
    assert "1 chunks" in capsys.readouterr().out


def test_a_question_that_the_documents_do_not_answer_is_declined(kb, capsys):
    assert run("ask", QUESTION, "--kb", kb) == terminal.DECLINED
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("retrieval.depth=x", "retrieval.depth = 'x'"),
        ("retrieval.depht=3", "There is no setting 'retrieval.depht'"),
        ("retrieval.depth", "has no '='"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(kb, capsys, setting, words):
    assert run("--kb", kb, "--set", setting, "ask", QUESTION) == launch.USAGE
    shown = capsys.readouterr()
    assert words in shown.err
    assert not Path(kb).exists()


@pytest.mark.parametrize(
    ("writer", "url", "says"),
    [
        ("ollama", "http://10.0.0.7", "Text leaves this machine: it is sent to http://10.0.0.7:11434."),
        ("extractive", "http://10.0.0.7", ""),
        ("ollama", "http://127.0.0.1:9", ""),
    ],
)
def test_text_that_leaves_the_machine_is_said_where_it_is_asked_for(kb, capsys, writer, url, says):
    chosen = [f"answering.writer={writer}", "answering.model=m", f"ollama.url={url}"]
    launch.main(["ask", "--kb", kb, QUESTION, *(part for setting in chosen for part in ("--set", setting))])
    assert capsys.readouterr().err.strip() == says


def test_options_after_test_go_to_pytest_and_are_mistakes_elsewhere(capsys):
    assert launch.parse(["test", "tests/test_trace.py", "-k", "equal", "-x"]).pytest == [
        "tests/test_trace.py",
        "-k",
        "equal",
        "-x",
    ]
    with pytest.raises(SystemExit) as ended:
        launch.parse(["doctor", "-x"])
    assert ended.value.code == launch.USAGE


def test_settings_are_given_as_toml_or_as_plain_text():
    options = launch.parser().parse_args(
        [
            "--set",
            "retrieval.depth=80",
            "--set",
            "retrieval.routes=['text']",
            "--set",
            "retrieval.fusion=scores",
            "ask",
            "x",
        ]
    )

    assert terminal.overrides(options) == {
        "retrieval.depth": 80,
        "retrieval.routes": ["text"],
        "retrieval.fusion": "scores",
    }


@pytest.mark.accept("H1")
def test_a_base_that_another_process_has_open_is_said_with_its_process_id(kb, capsys):
    code = (
        "import sys; from pathlib import Path\n"
        "from assistant.settings import Settings; from assistant.store.base import Base\n"
        "base = Base.open(Path(sys.argv[1]), None, Settings()); print('open', flush=True); input()"
    )
    command = [sys.executable, "-c", code, kb]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=launch.HERE) as other:
        assert other.stdout.readline() == "open\n"
        assert run("ask", QUESTION, "--kb", kb) == launch.IN_USE
        assert str(other.pid) in capsys.readouterr().err
        other.communicate("\n")


def test_ctrl_c_ends_with_a_word_and_its_code(monkeypatch, capsys):
    def stopped(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "ask", stopped)

    assert run("ask", QUESTION) == launch.INTERRUPTED
    assert capsys.readouterr().err == "Stopped.\n"


def test_nothing_is_asked_of_the_internet():
    launch._prepare_process()

    assert {name: os.environ[name] for name in ("GRADIO_ANALYTICS_ENABLED", "HF_HUB_OFFLINE", "DO_NOT_TRACK")} == {
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
    }
    assert "127.0.0.1" in os.environ["NO_PROXY"]


# lines


def test_a_report_is_told_in_lines():
    report = IngestReport(
        added=("a", "b"), failed=(("c.pdf", "It is broken."),), skipped=(("d.xlsx", "not read"),), embedded=7
    )

    assert list(terminal.report_lines(report)) == [
        "2 added, 1 failed, 1 skipped (7 chunks embedded, 0 reused, 0.0 s)",
        "skipped: d.xlsx: not read",
        "failed: c.pdf: It is broken.",
    ]


def test_an_empty_report_says_that_there_was_nothing_to_do():
    assert next(terminal.report_lines(IngestReport())).startswith("Nothing to do")


def test_an_answer_is_told_with_sources_and_confidence():
    trace = answered_trace()
    lines = list(terminal.answer_lines(trace))

    assert lines[0] == trace.answer
    assert any(line.startswith("[1] ") for line in lines)
    assert f"confidence {trace.confidence.value:.2f}" in lines[-1]


def test_a_decline_is_told_with_what_the_documents_do_hold():
    trace = declined_trace()

    assert set(trace.answered.suggestions) <= set(terminal.answer_lines(trace))


def test_a_failed_question_has_no_answer_lines():
    assert list(terminal.answer_lines(failed_trace())) == []
