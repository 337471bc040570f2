"""The main job as a person does it: a real server, a real Chromium, files of our own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

from assistant import Trace

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
POLICY = """# Travel policy

## Hotels

Employees may spend up to 150 euros per night on hotels. In Zurich and London the limit is 220 euros per night.

## Expenses

Claims are handed in within 15 days of the return, with the original receipts. <script>window.harmed = true</script>

<img src=x onerror="window.harmed = true">
"""
LEAVE = (
    "请假与福利制度",
    "一、年假：员工每年享有 12 天带薪年假，入职满十年者为 15 天。年假应在当年用完，最多可结转 5 天至次年三月。",
    "二、病假：病假须提供医院证明。病假期间工资按 80% 发放，每年最多 30 天。",
    "三、体检：公司每年五月组织一次体检，费用由公司承担。",
)
WAIT = 60_000


def chinese_pdf(path: Path) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    for n, text in enumerate(LEAVE):
        box = pymupdf.Rect(60, 80 + 60 * n, 535, 140 + 60 * n)
        page.insert_textbox(box, text, fontname="china-s", fontsize=12 if n else 18)
    document.save(path)
    return path


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The app, started as a person starts it, with a base of its own."""
    command = [sys.executable, str(ROOT / "launch.py"), "--no-browser", "--kb", str(tmp_path_factory.mktemp("kb"))]
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "OLLAMA_HOST": "http://127.0.0.1:9"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as app:
        assert app.stdout is not None
        lines = []
        for line in app.stdout:
            lines.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+/?", line):
                yield found[0]
                break
        else:
            pytest.fail("the app did not start: " + "".join(lines))
        app.send_signal(signal.SIGINT)
        assert app.wait(30) == 0, "Ctrl-C ends the app cleanly"


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("no Chromium or Chrome on this machine")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def page(browser, address, tmp_path_factory):
    """The page with both documents added; requests and script errors are collected."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    opened.requested, opened.broken = [], []
    opened.on("request", lambda request: opened.requested.append(request.url))
    opened.on("pageerror", lambda error: opened.broken.append(str(error)))
    folder = tmp_path_factory.mktemp("files")
    policy = folder / "policy.md"
    policy.write_text(POLICY, encoding="utf-8")
    opened.goto(address)
    opened.get_by_role("tab", name="Documents").click()
    expect(opened.locator("input[type=file]").first).to_be_attached(timeout=WAIT)
    opened.locator("input[type=file]").first.set_input_files([policy, chinese_pdf(folder / "福利制度.pdf")])
    expect(opened.get_by_text("2 indexed")).to_be_visible(timeout=WAIT)
    opened.get_by_role("tab", name="Ask").click()
    yield opened
    opened.close()


def ask(page: Page, question: str) -> None:
    wanted = page.locator(".gb-turn").count() + 1
    box = page.locator("#gb-question textarea")
    box.fill(question)
    send(page, box, wanted)
    expect(page.locator(".gb-turn")).to_have_count(wanted, timeout=WAIT)
    expect(page.locator(".gb-turn").last.locator(".gb-turn-foot")).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("button", name="Send")).to_be_enabled(timeout=WAIT)


def send(page: Page, box: Locator, wanted: int) -> None:
    """Enter, as a person presses it: again when nothing happens, since the page takes one event after the other."""
    for _ in range(10):
        box.press("Enter")
        try:
            expect(page.locator(".gb-turn")).to_have_count(wanted, timeout=3_000)
        except AssertionError:
            continue
        return


def last_answer(page: Page):
    return page.locator(".gb-turn").last


def points_on_screen(page: Page) -> tuple[list[float], float]:
    page.get_by_text("Show the calculation").click()
    cells = page.locator(".gb-waterfall tbody .gb-points").all_inner_texts()
    total = page.locator(".gb-waterfall tfoot .gb-points").inner_text()
    return [number(c) for c in cells], number(total)


def number(text: str) -> float:
    return float(re.sub(r"[^0-9.\-]", "", text.replace("−", "-")))


def test_an_english_question_shows_answer_citation_ledger_and_a_waterfall_that_adds_up(page):
    ask(page, "What is the hotel limit per night in London?")
    answer = last_answer(page)
    expect(answer).to_contain_text("220 euros per night")
    expect(answer).to_contain_text("quoted from your documents")
    expect(answer).to_contain_text("policy.md")
    card = page.locator("[data-card]").first
    expect(card).to_contain_text("cosine")
    expect(card).to_contain_text("BM25")
    points, total = points_on_screen(page)
    assert len(points) >= 5
    assert sum(points) == pytest.approx(total, abs=1e-9)
    answer.locator("button[data-chunk]").first.click()
    expect(card).to_be_focused()


def test_a_chinese_question_is_answered_from_the_pdf_with_its_page(page):
    ask(page, "年假最多可以结转几天？")
    answer = last_answer(page)
    expect(answer).to_contain_text("最多可结转 5 天")
    expect(answer).to_contain_text("福利制度.pdf")
    expect(answer).to_contain_text(re.compile("p. 1|第 1 页"))
    expect(page.locator(".gb-text mark, .gb-text .gb-term").first).to_be_attached()


def test_a_follow_up_is_searched_with_the_terms_of_the_question_before(page):
    ask(page, "那病假呢？")
    expect(last_answer(page)).to_contain_text("病假")
    expect(page.locator(".gb-attempts")).to_contain_text("那病假呢？ 年假")


def test_an_unanswerable_question_is_declined_and_earlier_answers_bring_back_their_evidence(page):
    ask(page, "Who won the chess championship of 1972?")
    expect(last_answer(page)).to_contain_text("Not found in your documents")
    expect(page.locator(".gb-conf")).to_contain_text("Decline")
    page.locator(".gb-turn").first.locator("button[data-select]").click()
    expect(page.locator(".gb-conf")).to_contain_text("Answer")
    expect(page.locator("[data-card]").first).to_contain_text("220 euros per night")


def test_the_newest_answer_is_in_view(page):
    ask(page, "When are claims handed in?")
    expect(last_answer(page)).to_contain_text("15 days")
    expect(last_answer(page).locator(".gb-turn-foot")).to_be_in_viewport(timeout=WAIT)


def test_markup_in_documents_and_questions_is_shown_and_never_run(page):
    ask(page, "<script>window.harmed = true</script><img src=x onerror='window.harmed = true'> receipts?")
    expect(last_answer(page)).to_contain_text("<script>")
    assert page.evaluate("window.harmed") is None


def test_a_huge_question_costs_one_sentence(page):
    box = page.locator("#gb-question textarea")
    box.fill("x" * 10_000)
    send(page, box, page.locator(".gb-turn").count() + 1)
    expect(page.get_by_text(re.compile("10000 characters")).first).to_be_visible(timeout=WAIT)


def test_an_empty_question_is_not_asked(page):
    before = page.locator(".gb-turn").count()
    page.locator("#gb-question textarea").fill("   ")
    page.locator("#gb-question textarea").press("Enter")
    expect(page.locator("#gb-question textarea")).to_have_value("   ")
    expect(page.locator(".gb-turn")).to_have_count(before)


def test_an_exported_trace_loads_in_python(page, tmp_path):
    ask(page, "What is the hotel limit per night in London?")
    with page.expect_download(timeout=WAIT) as download:
        page.get_by_role("button", name="Export trace").click()
    file = tmp_path / "trace.json"
    download.value.save_as(file)
    trace = Trace.load(file)
    assert trace.question == "What is the hotel limit per night in London?"
    assert trace.decision == "answer"
    assert json.loads(file.read_text(encoding="utf-8"))["version"] == 1


def test_the_interface_speaks_chinese_at_once(page):
    page.get_by_text("中文", exact=True).click()
    expect(page.get_by_role("tab", name="文档")).to_be_visible(timeout=WAIT)
    page.get_by_text("English", exact=True).click()
    expect(page.get_by_role("tab", name="Documents")).to_be_visible(timeout=WAIT)


def test_a_removed_document_is_gone_from_the_list_and_from_answers(page):
    page.get_by_role("tab", name="Documents").click()
    row = page.locator("tr", has_text="policy.md")
    row.locator("summary, button").first.click()
    row.locator("button[data-delete]").click()
    expect(page.get_by_text("1 indexed")).to_be_visible(timeout=WAIT)
    page.get_by_role("tab", name="Ask").click()
    ask(page, "What is the hotel limit per night in Zurich?")
    expect(last_answer(page)).to_contain_text("Not found in your documents")


def test_nothing_left_the_machine_and_no_script_broke(page):
    away = [u for u in page.requested if not re.match(r"(http|ws)://127\.0\.0\.1[:/]|data:|blob:", u)]
    assert away == []
    assert page.broken == []
