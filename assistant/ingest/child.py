"""The process that reads files: what hangs, crashes or eats memory here does not take the program with it.

One JSON line in per file, one out; before it one {"recognising": …} for each page of OCR, which gives the file more
time. The first line out says that the process is ready.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from assistant.errors import UnreadableFile
from assistant.settings import Reading

MEMORY_BYTES = 3 * 1024**3
"""Address space; a page of OCR takes 2.2 GB of it, of which 1.1 GB is really used, however many pages there are."""


def main() -> None:
    """Serves until the input ends."""
    requests, replies = sys.stdin, _take_output()
    _limit_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business; it ends us
    from assistant.readers import read
    from assistant.readers.ocr import PAGE_DONE

    _reply(replies, {"ready": True})
    for line in requests:
        request = json.loads(line)
        settings = Reading.model_validate(request["settings"])
        _alarm(settings.seconds_per_file + 10)
        PAGE_DONE.set(partial(_go_on, replies, settings))
        try:
            document = read(request["path"], settings, request["name"])
            _reply(replies, {"document": document.model_dump(mode="json")})
        except UnreadableFile as err:
            _reply(replies, {"error": str(err), "kind": err.kind})
        except MemoryError:
            text = f"{Path(request['path']).name} needs more memory to read than is allowed; split it into parts."
            _reply(replies, {"error": text, "kind": "too_large"})
        _alarm(0)


def _go_on(replies: TextIO, settings: Reading) -> None:
    seconds = settings.seconds_per_ocr_page + settings.seconds_per_file
    _alarm(seconds + 10)
    _reply(replies, {"recognising": seconds})


def _take_output() -> TextIO:
    # MuPDF prints its warnings to standard output, which is our wire
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return wire


def _reply(wire: TextIO, message: dict[str, Any]) -> None:
    wire.write(json.dumps(message) + "\n")
    wire.flush()


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except (ImportError, OSError, ValueError):
        return  # Windows has no such limit, macOS refuses it; the clock still holds


def _alarm(seconds: int) -> None:
    # the parent ends what takes too long; this is for a parent that is gone. The default action needs no Python
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


if __name__ == "__main__":
    main()
