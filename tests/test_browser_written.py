"""A written answer as a person sees it come about: a real server, a real Chromium, a real (small) model behind it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from ollama_server import running
from playwright.sync_api import Page, expect
from test_browser import POLICY, ROOT, WAIT, browser, last_answer, send  # noqa: F401

pytestmark = pytest.mark.browser

MODEL = "smollm2:135m"
SETTINGS = f"""
[answering]
writer = "ollama"
model = "{MODEL}"
effort = "quick"
window = 2048
max_tokens = 96
"""
HOTEL = "What is the hotel limit per night in London?"
LONG = "Explain the whole travel policy on hotels and expenses."  # SmolLM2 writes until it is cut off
LEFT_WITHIN = 1.0  # seconds


@pytest.fixture(scope="module")
def ollama():
    """The stand-in with SmolLM2, slow enough to be looked at while it writes."""
    with running(real_chat=True, pause=0.05) as fake:
        yield fake


@pytest.fixture(scope="module")
def address(ollama, tmp_path_factory):
    """The app with a base of its own that lets the model write."""
    kb = tmp_path_factory.mktemp("kb")
    (kb / "settings.toml").write_text(SETTINGS, encoding="utf-8")
    command = [sys.executable, str(ROOT / "launch.py"), "--no-browser", "--kb", str(kb)]
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "OLLAMA_HOST": ollama.url}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as app:
        assert app.stdout is not None
        found = (re.search(r"http://127\.0\.0\.1:\d+/?", line) for line in app.stdout)
        yield next(match[0] for match in found if match)
        app.send_signal(signal.SIGINT)
        assert app.wait(30) == 0, "Ctrl-C ends the app cleanly"


@pytest.fixture(scope="module")
def page(browser, address, tmp_path_factory):  # noqa: F811
    """The page with the policy added."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.broken = []
    opened.on("pageerror", lambda error: opened.broken.append(str(error)))
    policy = tmp_path_factory.mktemp("files") / "policy.md"
    policy.write_text(POLICY, encoding="utf-8")
    opened.goto(address)
    opened.get_by_role("tab", name="Documents").click()
    expect(opened.locator("input[type=file]").first).to_be_attached(timeout=WAIT)
    opened.locator("input[type=file]").first.set_input_files(policy)
    expect(opened.get_by_text("1 indexed")).to_be_visible(timeout=WAIT)
    opened.get_by_role("tab", name="Ask").click()
    yield opened
    opened.close()


def ask(page: Page, question: str) -> None:
    box = page.locator("#gb-question textarea")
    box.fill(question)
    send(page, box, page.locator(".gb-turn").count() + 1)


def begin(page: Page, question: str) -> None:
    """Asks, and waits until the first words of the answer are on screen."""
    ask(page, question)
    expect(writing(page)).not_to_be_empty(timeout=WAIT)


def writing(page: Page):
    return last_answer(page).locator(".gb-writing p")


def grown(page: Page) -> tuple[str, str]:
    """The text of the answer at two looks, the second when there is more of it."""
    first = writing(page).inner_text()
    page.wait_for_function(
        "n => (document.querySelector('.gb-writing p')?.innerText.length ?? 0) > n", arg=len(first) + 10, timeout=WAIT
    )
    return first, writing(page).inner_text()


def finished(page: Page) -> None:
    expect(last_answer(page).locator(".gb-turn-foot")).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("button", name="Send")).to_be_enabled(timeout=WAIT)


def soon(what: Callable[[], object]) -> bool:
    end = time.monotonic() + 10
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(what())


@pytest.mark.accept("C6")
def test_an_answer_is_written_before_ones_eyes_and_shows_what_the_model_saw(page, ollama):
    begin(page, LONG)
    expect(last_answer(page).locator(".gb-working")).to_contain_text(MODEL)
    first, second = grown(page)
    assert second.startswith(first.rstrip()[:20])
    finished(page)
    expect(last_answer(page)).to_contain_text(f"written by {MODEL} from your documents")
    saw = page.locator(".gb-saw")
    expect(saw).to_contain_text("counted by the model server")
    saw.get_by_text("Every message, to the letter").click()
    *sent, reply = [m.strip() for m in saw.locator("pre").all_inner_texts()]
    assert sent == [m["content"].strip() for m in ollama.bodies("/api/chat")[-1]["messages"]]
    assert reply.startswith(second[:20])


def test_stopping_in_the_middle_reaches_the_server_and_keeps_what_was_written(page, ollama):
    begin(page, LONG)
    grown(page)
    call = ollama.calls("/api/chat")[-1]
    page.get_by_role("button", name="Stop").click()
    pressed = time.monotonic()
    assert soon(lambda: call.left)
    assert call.left - pressed < LEFT_WITHIN
    finished(page)
    answer = last_answer(page)
    expect(answer).to_contain_text("Stopped")
    expect(answer).to_contain_text("was not checked against the sources")
    expect(answer.get_by_role("button", name="Ask again").first).to_be_visible()
    assert len(answer.locator(".gb-prose").inner_text()) > 10


def test_the_next_question_after_a_stop_is_answered(page):
    ask(page, HOTEL)
    finished(page)
    expect(last_answer(page)).to_contain_text(f"written by {MODEL} from your documents")


@pytest.mark.accept("C1")
def test_a_sentence_leads_to_the_words_of_the_source_that_support_it(page):
    sentence = last_answer(page).locator(".gb-said[data-chunk] .gb-words").first
    sentence.hover()
    expect(last_answer(page).locator(".gb-tip").first).to_contain_text("Nearest sentence of source 1")
    sentence.click()
    expect(page.locator("[data-card]").first).to_be_focused()
    expect(page.locator("mark.gb-lit-now")).to_contain_text("220 euros per night")
    assert page.broken == []


def test_a_page_that_is_closed_lets_go_of_the_model(page, browser, address, ollama):  # noqa: F811
    other = browser.new_page()
    other.goto(address)
    expect(other.get_by_role("button", name="Send")).to_be_enabled(timeout=WAIT)
    begin(other, LONG)
    call = ollama.calls("/api/chat")[-1]
    other.close()
    assert soon(lambda: call.left)
