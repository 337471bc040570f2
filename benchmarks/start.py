"""Seconds from starting the process to the first whole page: Glassbox beside a bare Gradio page, A B A B.

    python benchmarks/start.py [--runs 5]

The bare page is one text box, served with the same options, by the same Python, in the same environment. A page counts
when it is answered with 200 and all of its HTML has come. Then how long until the assistant behind the page is open, on
an empty knowledge base. The first start of each writes compiled files and is not counted. Where nobody else uses the
machine the medians can be compared between runs; elsewhere only their ratio.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from launch import QUIET

ROOT = Path(__file__).resolve().parents[1]
BAR = 1.5
PATIENCE = 180.0
BARE = """
import sys, time
import gradio as gr
with gr.Blocks(analytics_enabled=False) as page:
    gr.Textbox()
page.launch(server_name="127.0.0.1", server_port=int(sys.argv[1]), inbrowser=False, share=False, quiet=True,
            prevent_thread_lock=True, ssr_mode=False, enable_monitoring=False)
time.sleep(600)
"""
READY = """
import sys
import launch
from ui import gradio_app
serve = gradio_app.serve
def telling(open_assistant, **options):
    def opened():
        assistant = open_assistant()
        print("ready", flush=True)
        return assistant
    return serve(open_assistant=opened, **options)
gradio_app.serve = telling
launch.main(sys.argv[1:])
"""


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment() -> dict[str, str]:
    """The same for both: no statistics, no look-ups, no proxy in between."""
    return {**os.environ, **QUIET, "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}


def seconds_to_page(command: Sequence[str], port: int) -> float:
    """Seconds until the page is there; the process is ended afterwards. Raises RuntimeError when it never comes."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while time.perf_counter() - started < PATIENCE and process.poll() is None:
            if _page(port):
                return time.perf_counter() - started
            time.sleep(0.02)
        raise RuntimeError(f"{' '.join(command)[:200]} served no page (exit code {process.poll()}).")
    finally:
        _end(process)


def _page(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", "/")
        reply = connection.getresponse()
        return reply.status == 200 and b"</html>" in reply.read()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def seconds_to_ready(folder: Path) -> float:
    """Seconds until the assistant behind the page is open."""
    command = [sys.executable, "-c", READY, "--no-browser", "--kb", str(folder), "--port", str(free_port())]
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        for line in process.stdout or ():
            if line.strip() == "ready":
                return time.perf_counter() - started
        raise RuntimeError(f"The assistant did not open (exit code {process.wait(10)}).")
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def spread(values: Sequence[float]) -> str:
    """Median, smallest and largest."""
    return f"{statistics.median(values):6.2f} s  ({min(values):.2f}–{max(values):.2f})"


def main() -> int:
    """Prints the figures; 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        pairs = [one_of_each(Path(name)) for _ in range(runs + 1)][1:]
        ready = [seconds_to_ready(Path(name)) for _ in range(runs)]
    ours, bare = zip(*pairs, strict=True)
    ratio, ratios = statistics.median(ours) / statistics.median(bare), [a / b for a, b in pairs]
    load = f"; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"from process start, {runs} runs each, in turn{load}")
    print(f"  Glassbox, first page   {spread(ours)}")
    print(f"  bare Gradio page       {spread(bare)}")
    print(f"  assistant open         {spread(ready)}")
    verdict = f"{ratio:.2f} times the bare page ({min(ratios):.2f}–{max(ratios):.2f}) (bar: at most {BAR})"
    print(f"  {'met   ' if ratio <= BAR else 'MISSED'}  {verdict}")
    return 0 if ratio <= BAR else 1


def one_of_each(kb: Path) -> tuple[float, float]:
    """Seconds to our first page and to the bare one."""
    port = free_port()
    ours = seconds_to_page([sys.executable, "launch.py", "--no-browser", "--kb", str(kb), "--port", str(port)], port)
    port = free_port()
    return ours, seconds_to_page([sys.executable, "-c", BARE, str(port)], port)


if __name__ == "__main__":
    raise SystemExit(main())
