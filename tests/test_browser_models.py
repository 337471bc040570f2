"""The models screen as a person uses it: a real server for the page, a stand-in for Ollama, a real Chromium."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ollama_server import FakeOllama, Model, Pullable, running
from playwright.sync_api import Page, expect
from test_browser import POLICY, ROOT, WAIT, browser  # noqa: F401

pytestmark = pytest.mark.browser

CHAT, SPARE = "qwen3:4b-instruct", "old-chat:latest"


@contextmanager
def app(folder: str, ollama: str) -> Iterator[str]:
    """The address of the app, started as a person starts it."""
    command = [sys.executable, str(ROOT / "launch.py"), "--no-browser", "--kb", folder]
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "OLLAMA_HOST": ollama}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+/?", line):
                break
        else:
            pytest.fail("the app did not start: " + "".join(said))
        try:
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
            assert process.wait(30) == 0, "Ctrl-C ends the app cleanly"
            assert "Traceback" not in rest, rest


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeOllama]:
    models = {
        CHAT: Model(("completion", "tools")),
        SPARE: Model(),
        "far:120b-cloud": Model(remote_host="https://ollama.com"),
    }
    library = {"tiny:latest": Pullable(layers=(("weights of tiny", 4_000_000_000), ("license of tiny", 1_000)))}
    with running(models=models, library=library, real_embed=True) as server:
        yield server


@pytest.fixture(scope="module")
def page(browser, fake, tmp_path_factory) -> Iterator[Page]:  # noqa: F811
    """The page, with one document and the models tab open; requests and script errors are collected."""
    with app(str(tmp_path_factory.mktemp("kb")), fake.url) as address:
        opened = browser.new_page(viewport={"width": 1280, "height": 1000})
        opened.requested, opened.broken = [], []
        opened.on("request", lambda request: opened.requested.append(request.url))
        opened.on("pageerror", lambda error: opened.broken.append(str(error)))
        opened.set_default_timeout(WAIT)
        opened.goto(address)
        policy = tmp_path_factory.mktemp("files") / "policy.md"
        policy.write_text(POLICY, encoding="utf-8")
        opened.get_by_role("tab", name="Documents").click()
        opened.locator("input[type=file]").first.set_input_files([policy])
        expect(opened.get_by_text("1 indexed")).to_be_visible(timeout=WAIT)
        opened.get_by_role("tab", name="Models").click()
        expect(opened.locator(".gb-server")).to_contain_text("Ollama 0.33.0", timeout=WAIT)
        yield opened
        opened.close()


def row(page: Page, name: str):
    return page.locator(".gb-models tr.gb-model-row", has_text=name)


def button(page: Page, words: str, name: str):
    return page.get_by_role("button", name=f"{words}: {name}")


def test_the_models_of_the_server_are_listed_and_those_of_the_cloud_only_counted(page):
    expect(row(page, CHAT)).to_contain_text("40,960")
    expect(row(page, "multilingual-e5-small")).to_contain_text("384")
    expect(page.locator(".gb-models")).to_contain_text("1 more runs on ollama.com")
    expect(page.get_by_text("far:120b-cloud")).to_have_count(0)


def test_a_model_is_chosen_for_answers_and_loaded(page):
    button(page, "Use for answers", CHAT).click()
    expect(row(page, CHAT)).to_contain_text("writes the answers", timeout=WAIT)
    expect(page.locator("#gb-model input")).to_have_value(CHAT)
    button(page, "Load now", CHAT).click()
    expect(page.locator(".gb-loaded")).to_contain_text(CHAT, timeout=WAIT)
    button(page, "Unload", CHAT).click()
    expect(page.locator(".gb-loaded")).to_have_count(0, timeout=WAIT)


def test_a_download_shows_its_progress_is_stopped_and_goes_on(page, fake):
    fake.faults.add("pull_stall")
    page.locator("#gb-pull-name input, #gb-pull-name textarea").first.fill("tiny")
    page.locator("#gb-pull").click()
    job = page.locator("#gb-pull-job")
    expect(job).to_contain_text("2.0 GB of 4.0 GB", timeout=WAIT)
    page.locator("#gb-pull-halt").click()
    expect(job).to_contain_text("Stopped: tiny", timeout=WAIT)
    fake.faults.clear()
    job.get_by_role("button", name="Go on").click()
    expect(job).to_contain_text("tiny is here", timeout=WAIT)
    expect(row(page, "tiny:latest")).to_be_visible(timeout=WAIT)


def test_a_download_goes_on_while_another_tab_is_open_and_after_the_page_is_loaded_again(page, fake):
    fake.faults.add("pull_stall")
    fake.blobs.clear()
    page.locator("#gb-pull-name input, #gb-pull-name textarea").first.fill("tiny")
    page.locator("#gb-pull").click()
    expect(page.locator("#gb-pull-job")).to_contain_text("2.0 GB of 4.0 GB", timeout=WAIT)
    page.reload()
    page.get_by_role("tab", name="Models").click()
    expect(page.locator("#gb-pull-job")).to_contain_text("2.0 GB of 4.0 GB", timeout=WAIT)
    fake.faults.clear()
    fake.gate.set()
    expect(page.locator("#gb-pull-job")).to_contain_text("tiny is here", timeout=WAIT)
    fake.gate.clear()


def test_a_model_is_deleted_only_after_the_question_is_answered(page, fake):
    question = row(page, SPARE).locator("details.gb-confirm")
    question.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(question).to_contain_text("Delete old-chat:latest from the disk (2.5 GB)?")
    question.get_by_role("button", name="Keep it").click()
    expect(question.locator(".gb-danger")).to_be_hidden()
    question.locator("summary").click()
    question.get_by_role("button", name="Delete it").click()
    expect(row(page, SPARE)).to_have_count(0, timeout=WAIT)
    assert SPARE not in fake.models


def test_a_question_that_is_open_stays_open_while_the_page_looks_again(page, fake):
    question = row(page, CHAT).locator("details.gb-confirm")
    question.locator("summary").click()
    question.get_by_role("button", name="Keep it").focus()
    fake.models["late:latest"] = Model()
    expect(row(page, "late:latest")).to_be_visible(timeout=WAIT)
    expect(row(page, CHAT).locator(".gb-danger")).to_be_visible()
    expect(row(page, CHAT).get_by_role("button", name="Keep it")).to_be_focused()
    row(page, CHAT).get_by_role("button", name="Keep it").click()


def test_a_server_that_dies_and_comes_back_is_noticed_without_a_click(page, fake):
    fake.stop()
    expect(page.locator(".gb-server")).to_contain_text("No Ollama here", timeout=WAIT)
    expect(page.locator(".gb-server")).to_contain_text("ollama serve")
    fake.start()
    expect(page.locator(".gb-server")).to_contain_text("Ollama 0.33.0", timeout=WAIT)
    expect(row(page, CHAT)).to_be_visible(timeout=WAIT)


@pytest.mark.accept("F2")
def test_the_embedding_model_is_switched_and_a_question_answered_by_the_new_index(page):
    button(page, "Use for this base …", "multilingual-e5-small:latest").click()
    base = page.locator("#gb-base")
    expect(base).to_contain_text("are embedded anew", timeout=WAIT)
    base.get_by_role("button", name="Build it").click()
    expect(base).to_contain_text("is complete", timeout=WAIT)
    base.locator(".gb-cost").get_by_role("button", name="Use this one").click()
    expect(base).to_contain_text("Passages are found with", timeout=WAIT)
    expect(page.locator("#gb-top")).to_contain_text("(ollama", timeout=WAIT)
    expect(row(page, "multilingual-e5-small:latest")).to_contain_text("this knowledge base", timeout=WAIT)
    page.get_by_role("tab", name="Ask").click()
    page.locator("#gb-question textarea").fill("What is the hotel limit per night in London?")
    page.locator("#gb-question textarea").press("Enter")
    expect(page.locator(".gb-turn").last).to_contain_text("220 euros per night", timeout=WAIT)
    page.get_by_role("tab", name="Models").click()


def test_the_way_back_is_open_and_the_other_index_can_be_removed(page):
    base = page.locator("#gb-base")
    base.get_by_role("button", name="Dismiss").click()
    base.get_by_role("button", name=re.compile(r"Use this one: multilingual-e5-small \(embedded")).click()
    expect(page.locator("#gb-top")).to_contain_text("(embedded", timeout=WAIT)
    other = base.locator("tr.gb-model-row", has_text="ollama")
    other.locator("summary").click()
    other.get_by_role("button", name="Remove it").click()
    expect(other).to_have_count(0, timeout=WAIT)


def test_the_models_screen_speaks_chinese(page):
    page.get_by_text("中文", exact=True).click()
    expect(page.get_by_role("tab", name="模型")).to_be_visible(timeout=WAIT)
    expect(page.locator(".gb-server")).to_contain_text("本机内存", timeout=WAIT)
    expect(page.locator("#gb-pull")).to_have_text("下载")
    page.get_by_text("English", exact=True).click()
    expect(page.get_by_role("tab", name="Models")).to_be_visible(timeout=WAIT)


def test_nothing_left_the_machine_and_no_script_broke(page):
    away = [u for u in page.requested if not re.match(r"(http|ws)://127\.0\.0\.1[:/]|data:|blob:", u)]
    assert away == []
    assert page.broken == []
