"""The models screen as pure HTML: each state of the server, of a model and of a download, in both languages."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from assistant.serving import (
    Advice,
    Advised,
    InstalledModel,
    InstalledModels,
    LoadedModel,
    Memory,
    ModelWarning,
    PullProgress,
    ServerState,
)
from ui.panels import models, numbers, pulling, server
from ui.panels.pulling import Pulled
from ui.panels.seen import Seen, Use, same

URL = "http://127.0.0.1:11434"
STOP = re.compile(r"\b(?:the|is|of|and|was|with|needs|this|in|for|by)\b", re.IGNORECASE)
GIB16 = Memory(total=17_179_869_184, available=9_663_676_416)
CHAT = InstalledModel(
    name="qwen3:4b-instruct", size=2_500_000_000, context=40960, abilities=("chat", "tools"), parameters="4B",
    quantisation="Q4_K_M",
)  # fmt: skip
THINKER = InstalledModel(name="deepseek-r1:7b", size=4_700_000_000, abilities=("chat", "thinking"), thinking_only=True)
EMBED = InstalledModel(name="bge-m3:latest", size=1_200_000_000, context=8192, dimension=1024, abilities=("embedding",))
ENGLISH = InstalledModel(
    name="all-minilm:latest", size=46_000_000, context=512, dimension=384, abilities=("embedding",), english_only=True
)
SEEN = Seen(
    server=ServerState(reachable=True, url=URL, version="0.33.0"),
    memory=GIB16,
    installed=InstalledModels(models=(CHAT, THINKER, EMBED, ENGLISH), cloud=1),
)


def words(html: str) -> str:
    """What can be read or heard."""
    hints = " ".join(re.findall(r'(?:title|aria-label)="([^"]*)"', html))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html) + hints)


def row(html: str, name: str) -> str:
    return next(part for part in html.split("<tr") if f"<bdi>{name}</bdi>" in part)


def gone(action: str, why: str = "connection refused") -> Seen:
    return Seen(server=ServerState(reachable=False, url=URL, why=why, action=action), memory=GIB16)  # type: ignore[arg-type]


# ---------------------------------------------------------------- the server


def test_a_server_that_answers_is_shown_with_version_address_and_memory():
    shown = words(server.panel(SEEN, Use()))
    assert "Ollama 0.33.0 at http://127.0.0.1:11434" in shown
    assert "9.7 GB of 17.2 GB free" in shown
    assert "No model. The first question loads its own." in shown


@pytest.mark.accept("E6")
@pytest.mark.parametrize(
    ("action", "says"),
    [("start", "ollama serve"), ("correct_address", "OLLAMA_HOST"), ("update", "Install the current Ollama")],
)
def test_a_server_that_does_not_answer_says_why_what_to_do_and_what_works_meanwhile(action, says):
    html = server.panel(gone(action), Use())
    assert "connection refused" in html
    assert says in html
    assert "everything else works" in html
    assert 'data-act="check"' in html


def test_before_the_first_look_the_server_is_looked_for():
    assert "Looking for Ollama" in server.panel(Seen(), Use())


@pytest.mark.accept("E13")
def test_loaded_models_show_the_window_that_is_really_allocated():
    loaded = LoadedModel(name=CHAT.name, size=3_300_000_000, on_gpu=0.6, context=4096)
    shown = words(server.panel(Seen(**{**vars(SEEN), "loaded": (loaded,)}), Use()))
    assert "3.3 GB · window 4,096 tokens · 60 % on the graphics card · until it is unloaded" in shown


def test_a_model_that_is_being_loaded_says_so_where_it_stands_and_at_the_server():
    use = Use(loading=(CHAT.name,))
    assert "Loading qwen3:4b-instruct into memory" in words(server.panel(SEEN, use))
    line = row(models.panel(SEEN, use), CHAT.name)
    assert "loading …" in line
    assert 'data-act="preload"' not in line


def test_a_time_of_another_day_has_its_date():
    now = datetime.now(UTC)
    assert re.fullmatch(r"\d\d:\d\d", server.clock(datetime.now().astimezone().replace(hour=12)))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", server.clock(now + timedelta(days=3)))


@pytest.mark.accept("E10")
def test_models_that_put_each_other_out_are_warned_of():
    why = "bge-m3 and qwen3:8b put each other out of memory."
    seen = Seen(**{**vars(SEEN), "warnings": (ModelWarning(kind="evict", model="qwen3:8b", why=why, action="unload"),)})
    html = server.panel(seen, Use("qwen3:8b", "bge-m3"))
    assert why in html
    assert 'data-act="unload" data-name="qwen3:8b"' in html


@pytest.mark.accept("E9")
def test_a_chosen_model_that_is_missing_can_be_downloaded_at_once():
    missing = ModelWarning(kind="missing", model="qwen3:8b", why="qwen3:8b is not installed.", action="pull")
    html = server.panel(Seen(**{**vars(SEEN), "warnings": (missing,)}), Use("qwen3:8b"))
    assert 'data-act="pull" data-name="qwen3:8b"' in html


@pytest.mark.accept("E9")
def test_a_chosen_model_that_cannot_be_used_is_said_on_every_tab():
    missing = ModelWarning(kind="missing", model="qwen3:8b", why="qwen3:8b is not installed.", action="pull")
    assert server.banner(Seen(), Use("qwen3:8b")) == server.banner(gone("start"), Use()) == ""
    assert server.banner(SEEN, Use(CHAT.name, EMBED.name)) == ""
    html = server.banner(Seen(**{**vars(SEEN), "warnings": (missing,)}), Use("qwen3:8b", EMBED.name))
    assert "qwen3:8b cannot write now: answers quote the documents qwen3:8b is not installed." in words(html)
    assert "by their words only" not in html
    html = server.banner(gone("start"), Use(CHAT.name, EMBED.name))
    assert "bge-m3:latest cannot be asked now: passages are found by their words only" in words(html)
    assert "connection refused" in html


def test_what_leaves_the_machine_is_said_and_nothing_is_said_while_it_does_not():
    assert server.standing(SEEN) == server.standing(Seen()) == ""
    away = Seen(server=ServerState(reachable=False, url="http://10.0.0.5:11434", leaves_machine=True))
    assert "Text leaves this machine" in server.standing(away)
    assert "10.0.0.5" in server.standing(away, "zh")
    assert "另一台机器" in server.standing(away, "zh")


def test_the_memory_of_another_machine_is_not_made_up():
    elsewhere = Seen(**{**vars(SEEN), "memory": GIB16.model_copy(update={"of_server": False})})
    assert "not known here" in server.panel(elsewhere, Use())
    assert "17.2" not in server.panel(elsewhere, Use())


# ---------------------------------------------------------------- models


def test_models_are_listed_by_what_they_can_with_their_facts():
    html = models.panel(SEEN, Use())
    chat, embedding = html.split("Models that find passages")
    assert (CHAT.name in chat, EMBED.name in chat) == (True, False)
    assert words(row(chat, CHAT.name)).split()[2:7] == ["tools", "4B", "Q4_K_M", "40,960", "2.5"]
    assert "1,024" in row(embedding, EMBED.name)


@pytest.mark.accept("E13")
def test_a_context_that_is_not_known_is_not_made_up():
    assert 'data-label="Context"><span class="gb-none">–' in row(models.panel(SEEN, Use()), THINKER.name)


def test_models_of_the_cloud_are_counted_and_not_shown():
    assert "1 more runs on ollama.com and is not shown" in models.panel(SEEN, Use())
    assert "ollama.com" not in models.panel(Seen(**{**vars(SEEN), "installed": InstalledModels(models=(CHAT,))}), Use())


def test_english_only_models_are_refused_and_thinking_ones_marked():
    html = models.panel(SEEN, Use())
    english = row(html, ENGLISH.name)
    assert "English only" in english
    assert 'data-act="estimate"' not in english
    assert 'data-act="estimate"' in row(html, EMBED.name)
    assert "always thinks first" in row(html, THINKER.name)


def test_what_is_used_is_marked_whether_its_tag_is_written_or_not():
    html = models.panel(SEEN, Use(chat=CHAT.name, embedder="bge-m3"))
    assert "writes the answers" in row(html, CHAT.name)
    assert "this knowledge base" in row(html, EMBED.name)
    assert "without it there is only search by words" in row(html, EMBED.name)
    assert same("BGE-M3", "bge-m3:latest")
    assert not same("", "")


def test_a_model_is_deleted_only_after_a_question():
    line = row(models.panel(SEEN, Use()), CHAT.name)
    question, button = (
        line.index("Delete <bdi>qwen3:4b-instruct</bdi> from the disk (2.5 GB)?"),
        line.index("gb-danger"),
    )
    assert question < button
    assert "<details" in line
    assert "<details open" not in line


def test_advice_offers_what_is_missing_and_marks_what_is_there():
    chat = (
        Advised(name="qwen3:8b", installed=False, size=5_200_000_000, needs=7_400_000_000, window=8192, why="Good."),
    )
    embedding = (
        Advised(name="bge-m3", installed=True, size=1_200_000_000, needs=1_800_000_000, window=8192, why="Ok."),
    )
    advised = Advice(memory=GIB16, chat=chat, embedding=embedding, why="This machine has 17.2 GB.")
    html = models.advice(advised)
    assert 'data-act="pull" data-name="qwen3:8b"' in html
    assert "Download 5.2 GB" in html
    assert "needs 7.4 GB with a window of 8,192 tokens" in html
    assert 'data-name="bge-m3"' not in html
    assert 'data-act="pull"' not in models.advice(advised, pulling=("qwen3:8b",))
    assert 'data-act="pull"' not in models.advice(advised, reachable=False)
    assert models.advice(None) == ""


# ---------------------------------------------------------------- downloads


def at(**now: object) -> Pulled:
    return Pulled("qwen3:8b", running=True, now=PullProgress(name="qwen3:8b", **now))  # type: ignore[arg-type]


@pytest.mark.accept("E9")
def test_a_download_shows_bytes_rate_and_time_left():
    html = pulling.panel(at(done=1_300_000_000, total=5_200_000_000, rate=12_500_000.0, seconds_left=312.0))
    assert "1.3 GB of 5.2 GB · 12 MB/s · about 5 min 12 s left" in words(html)
    assert "width:25.0%" in html


def test_what_is_not_known_of_a_download_is_not_made_up():
    assert "Asking Ollama for qwen3:8b" in words(pulling.panel(at()))
    assert words(pulling.panel(at(done=1_000_000, total=2_000_000))).count("·") == 0
    assert "checking what has come" in pulling.panel(at(done=2_000_000, total=2_000_000, rate=5.0))


def test_a_download_that_stalls_says_so_and_waits():
    html = pulling.panel(at(done=1, total=2, stalled=True, why="Nothing has come for 60 seconds."))
    assert "qwen3:8b is not getting on" in words(html)
    assert "Nothing has come for 60 seconds." in html


def test_a_stopped_download_can_go_on_and_a_failed_one_be_tried_again():
    stopped = pulling.panel(
        Pulled("a", now=PullProgress(name="a", state="stopped", done=500_000_000, total=1_000_000_000))
    )
    assert "500 MB of 1.0 GB" in stopped
    assert 'data-act="pull" data-name="a"' in stopped
    failed = pulling.panel(Pulled("b", failed=(("a", "There is no room on the disk."),)))
    assert "a could not be downloaded There is no room on the disk." in words(failed)
    assert 'data-act="pull" data-name="a"' in failed


def test_the_failed_one_stays_while_another_comes():
    html = pulling.panel(Pulled("b", running=True, failed=(("a", "No room."),), waiting=("c", "d")))
    assert "then <bdi>c</bdi>, <bdi>d</bdi>" in html
    assert "No room." in html


def test_nothing_is_drawn_before_the_first_download():
    assert pulling.panel(Pulled()) == ""


# ---------------------------------------------------------------- all of it


@pytest.mark.parametrize(
    "html",
    [
        server.panel(SEEN, Use(CHAT.name, EMBED.name, ("x",)), "zh"),
        server.panel(gone("start", ""), Use(), "zh"),
        server.panel(gone("update", ""), Use(not_loaded="x"), "zh"),
        models.panel(SEEN, Use(CHAT.name, EMBED.name), "zh"),
        models.panel(Seen(), Use(), "zh"),
        pulling.panel(at(done=1, total=3, rate=1.0, seconds_left=2.0), "zh"),
        pulling.panel(Pulled("b", running=True, stopping=True, failed=(("a", ""),), waiting=("c",)), "zh"),
        pulling.panel(Pulled("b", now=PullProgress(name="b", state="stopped", done=1, total=2)), "zh"),
        pulling.panel(Pulled("b", now=PullProgress(name="b", state="done", done=2, total=2)), "zh"),
    ],
)  # fmt: skip
def test_a_chinese_screen_holds_no_english_sentence(html):
    assert STOP.findall(words(html)) == []


def test_names_from_the_server_are_shown_and_never_run():
    evil = '<img src=x onerror="harm()">'
    model = CHAT.model_copy(update={"name": evil, "parameters": evil, "quantisation": "${evil}"})
    loaded = LoadedModel(name=evil, size=1)
    seen = Seen(**{**vars(SEEN), "installed": InstalledModels(models=(model,)), "loaded": (loaded,)})
    use = Use(loading=(evil,), not_loaded=evil, why=evil)
    for html in (
        models.panel(seen, use),
        server.panel(seen, use),
        pulling.panel(Pulled(evil, running=True, now=PullProgress(name=evil), failed=((evil, evil),), waiting=(evil,))),
    ):
        assert "<img" not in html
        assert "${" not in html
        assert 'onerror="' not in html


@pytest.mark.parametrize(
    ("n", "shown"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1 kB"), (622_000_000, "622 MB"), (999_600_000, "1.0 GB"),
     (2_500_000_000, "2.5 GB"), (120_000_000_000, "120 GB")],
)  # fmt: skip
def test_bytes_are_written_as_model_servers_write_them(n, shown):
    assert numbers.size(n) == shown


def test_only_a_whole_share_is_written_as_100_percent():
    assert [numbers.percent(p) for p in (0.0, 0.5, 0.996, 1.0)] == ["0 %", "50 %", "99 %", "100 %"]
