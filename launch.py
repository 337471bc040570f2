"""Start Glassbox: `python3 launch.py` on a machine with nothing but Python 3.11 or newer.

The first start makes an environment in `.venv` beside this file, installs the pinned packages into it and starts again
inside. Where the pinned packages are already there (an environment of your own), that one is used.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the sentence for those who have an older one
    sys.exit(
        "Glassbox needs Python 3.11 or newer, and this is {}.{}; install it from python.org.".format(*sys.version_info)
    )

import argparse
import hashlib
import importlib.metadata
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assistant import Assistant

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
STAMP = VENV / "glassbox-setup"
LOG = VENV / "setup.log"

OK, FAILED, USAGE, IN_USE, INTERRUPTED = 0, 1, 2, 4, 130

EXIT_CODES = """exit codes:
  0    done
  1    it was tried and failed: some files could not be read, a model cannot be reached, a check of `test` is red
  2    wrong usage or a setting that cannot be used
  3    ask: the documents do not answer the question
  4    the knowledge base is open in another process
  130  stopped with Ctrl-C"""

# Nothing leaves this machine: no usage statistics, no look-ups at model hubs, no proxy between us and ourselves.
QUIET = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "TOKENIZERS_PARALLELISM": "false",
}


# ---------------------------------------------------------------- set-up: standard library only


def set_up(extra: str = "") -> None:
    """Returns when this process has the packages; otherwise installs them and starts again inside `.venv`.

    `extra`: "test" for the tools of the `test` command. Ends the process with one sentence when it cannot be done.
    """
    inside = Path(sys.prefix).resolve() == VENV.resolve()
    if not inside and not lacking(extra):
        return
    if not is_set_up(extra):
        install(extra)
    elif inside:
        return
    restart()


def lacking(extra: str = "") -> list[str]:
    """The project's requirements that this Python does not meet, as written in pyproject.toml."""
    if not (HERE / "pyproject.toml").exists():
        return []  # installed as a package: pip has seen to it
    project = _pyproject()["project"]
    wanted = [*project["dependencies"], *(project["optional-dependencies"].get(extra, []) if extra else [])]
    return [requirement for requirement in (*wanted, *bare(extra)) if not _is_met(requirement)]


def bare(extra: str) -> list[str]:
    """The packages of this extra that are installed without what they depend on."""
    table: dict[str, list[str]] = _pyproject().get("tool", {}).get("glassbox", {})
    return table.get(f"{extra}-without-dependencies", [])


def _pyproject() -> dict[str, Any]:
    import tomllib

    return tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))


def _is_met(requirement: str) -> bool:
    _, exact, version = requirement.partition("==")
    try:
        installed = importlib.metadata.version(name_of(requirement))
    except importlib.metadata.PackageNotFoundError:
        return False
    return not exact or installed == version.split(";")[0].strip()


def name_of(requirement: str) -> str:
    """The package's name: "pydantic" of "pydantic>=2.11,<3"."""
    return re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]


def is_set_up(extra: str = "") -> bool:
    """Whether `.venv` was finished for exactly these requirements (and has the extra)."""
    try:
        state = STAMP.read_text(encoding="utf-8").split()
    except OSError:
        return False
    return state[:1] == [_requirements_hash()] and (not extra or extra in state) and _venv_python().exists()


def install(extra: str = "") -> None:
    """Makes or finishes `.venv`; says what it does in plain sentences."""
    say("Glassbox is setting itself up in .venv; this happens once and takes a few minutes.")
    STAMP.unlink(missing_ok=True)
    if not _venv_works():
        say("Making an environment …")
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True)
        if made.returncode or not _venv_works():
            reason = (made.stdout + made.stderr).strip().splitlines()[:1]
            sys.exit(
                f"Python could not make an environment in {VENV} ({' '.join(reason) or 'no reason given'}); "
                "on Debian and Ubuntu run: apt install python3-venv"
            )
    say("Installing the packages …")
    if _pip(extra):
        sys.exit(f"The packages could not be installed; check the network connection and start again. Details: {LOG}")
    STAMP.write_text(f"{_requirements_hash()} {extra}", encoding="utf-8")
    say("Set-up is complete.")


def _pip(extra: str) -> int:
    target = f"{HERE}[{extra}]" if extra else str(HERE)
    LOG.write_text("", encoding="utf-8")
    failed = _pip_install("-c", str(HERE / "constraints.txt"), "-e", target)
    alone = bare(extra)
    return failed or (_pip_install("--no-deps", *alone) if alone else 0)


def _pip_install(*arguments: str) -> int:
    command = [str(_venv_python()), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *arguments]
    pipe: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    text: dict[str, Any] = {"text": True, "encoding": "utf-8", "errors": "replace"}
    with LOG.open("a", encoding="utf-8") as log, subprocess.Popen(command, **pipe, **text) as process:
        for line in process.stdout or ():
            log.write(line)
            _tell_progress(line)
    return process.returncode


def _tell_progress(line: str) -> None:
    collecting = re.match(r"Collecting ([A-Za-z0-9._-]+)", line)
    if collecting:
        say(f"  {collecting[1]}")
    elif line.startswith("Installing collected packages"):
        say("Unpacking; nearly done …")
    elif line.startswith("ERROR"):
        say(line.strip())


def restart() -> None:
    """This command again, inside `.venv`."""
    if os.environ.get("GLASSBOX_RESTARTED") == str(VENV):
        sys.exit(f"The environment in {VENV} does not hold what it should; delete that folder and start again.")
    environment = {**os.environ, "GLASSBOX_RESTARTED": str(VENV)}
    command = [str(_venv_python()), str(Path(__file__).resolve()), *sys.argv[1:]]
    if os.name == "nt":  # execve there returns to the shell at once
        sys.exit(subprocess.call(command, env=environment))
    sys.stdout.flush()
    os.execve(command[0], command, environment)


def _venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _venv_works() -> bool:
    probe = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.run([str(_venv_python()), "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False


def _requirements_hash() -> str:
    parts = [(HERE / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def say(text: str) -> None:
    """A sentence for the person, at once."""
    print(text, flush=True)


# ---------------------------------------------------------------- command line


def parser() -> argparse.ArgumentParser:
    """The whole command line; without a command it opens the app."""
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument(
        "--kb", metavar="FOLDER", type=_folder, help="folder of the knowledge base (default: the user's data folder)"
    )
    shared.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        dest="set",
        help="a setting for this run, e.g. retrieval.depth=80",
    )
    top = argparse.ArgumentParser(
        prog="launch.py",
        description="Ask your own files in Chinese or English. Without a command the app opens in the browser.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
    )
    top.add_argument("--port", type=int, default=None, help="port of the app (default: the first free one from 7860)")
    top.add_argument("--no-browser", action="store_true", help="do not open a browser window")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    ingest = commands.add_parser("ingest", parents=[shared], help="read files and folders into the knowledge base")
    ingest.add_argument("paths", nargs="+", metavar="PATH")
    ingest.add_argument("--dump", metavar="DIR", help="only write each file's chunks as JSON there; no base is touched")
    ask = commands.add_parser("ask", parents=[shared], help="answer one question")
    ask.add_argument("question")
    ask.add_argument("--json", action="store_true", help="print the whole trace as JSON")
    evaluate = commands.add_parser("evaluate", parents=[shared], help="measure on questions with known answers")
    evaluate.add_argument("--documents", required=True, metavar="FOLDER")
    evaluate.add_argument("--questions", required=True, metavar="FILE.jsonl")
    evaluate.add_argument("--out", required=True, metavar="RESULTS.jsonl")
    evaluate.add_argument("--retrieval-only", action="store_true", help="search and judge, write no answers")
    reembed = commands.add_parser("reembed", parents=[shared], help="work with another embedding model, or list them")
    what = reembed.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", metavar="MODEL", help="build the index of this model, e.g. ollama:bge-m3, or embedded")
    what.add_argument("--list", action="store_true", help="list the indexes of the knowledge base")
    what.add_argument("--forget", metavar="MODEL", help="remove the index of this model, as --list names it")
    reembed.add_argument("--switch", action="store_true", help="with --to: answer from that index once it is complete")
    commands.add_parser("doctor", parents=[shared], help="say what is there and what is missing")
    commands.add_parser("test", help="run ruff, mypy, import-linter and pytest; further options go to pytest")
    return top


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options; those that only `test` knows are kept for pytest. Ends the process on a mistake."""
    top = parser()
    options, unknown = top.parse_known_args(arguments)
    if unknown and options.command != "test":
        top.error(f"unrecognized arguments: {' '.join(unknown)}")
    options.pytest = unknown
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    _prepare_process()
    options = parse(arguments)
    if options.command == "test":
        return test(options)
    from assistant.errors import AssistantError, BaseInUse, SettingsError

    try:
        return in_terminal(options) if options.command else app(options)
    except SettingsError as err:
        return _complain(err, USAGE)
    except BaseInUse as err:
        return _complain(err, IN_USE)
    except AssistantError as err:
        return _complain(err, FAILED)
    except KeyboardInterrupt:
        return _complain("Stopped.", INTERRUPTED)
    except BrokenPipeError:  # `… | head` has read enough; the work itself is done
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def _prepare_process() -> None:
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    for name in ("NO_PROXY", "no_proxy"):
        own = "localhost,127.0.0.1,::1"
        os.environ[name] = f"{os.environ[name]},{own}" if os.environ.get(name) else own
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _complain(problem: object, code: int) -> int:
    print(problem, file=sys.stderr, flush=True)
    return code


def _folder(value: str) -> str:
    """The folder as given; an empty one (an unset variable of a shell) is a mistake, not this folder."""
    if not value.strip():
        raise argparse.ArgumentTypeError("the folder is empty; name one, or leave --kb out")
    return value


# ---------------------------------------------------------------- commands


def app(options: argparse.Namespace) -> int:
    """Opens the app and stays until it is stopped."""
    if "set" in options:
        from assistant.settings import Settings
        from ui.terminal import overrides

        Settings().changed(overrides(options))  # a mistake is said before the page opens
    from ui.gradio_app import serve

    def open_assistant() -> "Assistant":
        from ui.terminal import open_assistant

        return open_assistant(options, keep_model=True)  # the page offers to build the index that is asked for

    serve(open_assistant=open_assistant, port=options.port, open_browser=not options.no_browser)
    return OK


def in_terminal(options: argparse.Namespace) -> int:
    """Runs the command of this name from ui/terminal.py."""
    from ui import terminal

    if options.command == "doctor":
        return terminal.doctor(options, lacking())
    command: Callable[[argparse.Namespace], int] = getattr(terminal, options.command)
    return command(options)


def test(options: argparse.Namespace) -> int:
    """Every check of the project, all of them even when one is red; the tests come last."""
    checks = {
        "ruff": ["-m", "ruff", "check", "."],
        "mypy": ["-m", "mypy"],
        "import contracts": [
            "-c",
            "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())",
        ],
        "tests": ["-m", "pytest", *options.pytest],
    }
    red = []
    for name, command in checks.items():
        say(f"── {name}")
        if subprocess.call([sys.executable, *command], cwd=HERE):
            red.append(name)
    return _complain(f"Red: {', '.join(red)}.", FAILED) if red else OK


def run() -> None:
    """Does the command of the command line and ends the process with its exit code."""
    chosen = parse()  # help and mistakes need no set-up
    set_up("test" if chosen.command == "test" else "")
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # all is closed and written. At the interpreter's own end, idle threads of native libraries are now and then cut off
    # inside C++ code, which aborts a process that has done its work (code 134)
    os._exit(code)


if __name__ == "__main__":
    run()
