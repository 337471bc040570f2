"""The stand-in server itself, on the wire: what tests rely on when they say that Ollama did something."""

from __future__ import annotations

import json
import threading

import httpx
import pytest
from ollama_server import OUT_OF_MEMORY, Model, Pullable, Reply, running

CHAT = "qwen3:4b"
EMBED = "bge-m3:latest"
SCHEMA = {"type": "object", "properties": {"queries": {"type": "array", "minItems": 1, "items": {"type": "string"}}}}


@pytest.fixture
def fake():
    with running(models={CHAT: Model(), EMBED: Model(("embedding",), family="bert")}) as server:
        yield server


def body(text="What is it?", model=CHAT, **more):
    return {"model": model, "messages": [{"role": "user", "content": text}]} | more


def lines(fake, path="/api/chat", **content):
    with httpx.stream("POST", fake.url + path, json=content, timeout=20) as reply:
        return [json.loads(line) for line in reply.iter_lines()]


def said(fake, **content):
    return "".join(line["message"]["content"] for line in lines(fake, **content) if "message" in line)


def post(fake, path, **content):
    return httpx.post(fake.url + path, json=content, timeout=20)


def loaded(fake):
    return httpx.get(fake.url + "/api/ps").json()["models"]


# what is loaded


def test_a_chat_loads_its_model_with_the_window_asked_for(fake):
    lines(fake, **body(options={"num_ctx": 8192}))
    (entry,) = loaded(fake)
    assert (entry["name"], entry["context_length"]) == (CHAT, 8192)
    assert entry["size"] == 2_750_000_000 + 8192 * 144 * 1024
    assert fake.loads == [(CHAT, 8192)]


def test_another_window_loads_the_model_again_and_one_above_the_model_is_lowered(fake):
    lines(fake, **body())
    lines(fake, **body(options={"num_ctx": 1_000_000}))
    assert fake.loads == [(CHAT, 4096), (CHAT, 40960)]


def test_empty_requests_load_and_keep_alive_0_unloads(fake):
    loading = post(fake, "/api/chat", model=CHAT, messages=[], stream=False)
    post(fake, "/api/embed", model=EMBED, input=[])
    assert loading.json()["done_reason"] == "load"
    assert [entry["name"] for entry in loaded(fake)] == [EMBED, CHAT]
    (unloading,) = lines(fake, model=CHAT, messages=[], keep_alive=0)
    post(fake, "/api/embed", model=EMBED, input=[], keep_alive=0)
    assert unloading["done_reason"] == "unload"
    assert loaded(fake) == []


def test_a_model_that_does_not_fit_beside_the_other_puts_it_out(fake):
    fake.memory = 4_500_000_000
    lines(fake, **body())
    post(fake, "/api/embed", model=EMBED, input=["text"])
    assert [entry["name"] for entry in loaded(fake)] == [EMBED]


def test_loading_fails_above_a_window_only(fake):
    fake.oom_above = 8192
    refused = post(fake, "/api/chat", **body(options={"num_ctx": 8193}))
    assert (refused.status_code, refused.json()) == (500, {"error": OUT_OF_MEMORY})
    assert said(fake, **body(options={"num_ctx": 8192})) == "No reply."


def test_forever_is_shown_as_the_year_2318_and_a_number_without_unit_is_refused(fake):
    lines(fake, **body(keep_alive=-1))
    assert loaded(fake)[0]["expires_at"].startswith("2318")
    refused = post(fake, "/api/chat", **body(keep_alive="5"))
    assert (refused.status_code, refused.json()["error"]) == (400, 'time: missing unit in duration "5"')


# what it says


def test_num_predict_cuts_the_answer_and_says_so(fake):
    fake.replies.append((".", list("abcdefgh")))
    *pieces, last = lines(fake, **body(options={"num_predict": 3}))
    assert "".join(piece["message"]["content"] for piece in pieces) == "abc"
    assert (last["done_reason"], last["eval_count"]) == ("length", 3)


def test_replies_may_be_a_function_of_the_request_and_depend_on_the_format(fake):
    fake.replies += [
        Reply("it", lambda request: [request["options"]["seed"]], formatted=True),
        Reply("it", ["prose"], formatted=False),
        Reply(".", ["rewritten"], system="Rewrite"),
    ]
    assert said(fake, **body(format=SCHEMA, options={"seed": "7"})) == "7"
    assert said(fake, **body()) == "prose"
    system = {"role": "system", "content": "Rewrite the question."}
    assert said(fake, model=CHAT, messages=[system, {"role": "user", "content": "x"}]) == "rewritten"


def test_without_a_script_a_format_gets_the_least_it_allows_unless_it_is_ignored(fake):
    assert json.loads(said(fake, **body(format=SCHEMA))) == {"queries": [""]}
    fake.fail_next(1, "format_ignored")
    assert said(fake, **body(format=SCHEMA)) == "No reply."
    assert json.loads(said(fake, **body(format=SCHEMA))) == {"queries": [""]}


def test_a_prompt_over_the_window_is_read_by_half_and_old_messages_go_first(fake):
    *_, last = lines(fake, **body("word " * 600, options={"num_ctx": 512}))
    assert last["prompt_eval_count"] == 258
    old = {"role": "user", "content": "word " * 600}
    *_, last = lines(fake, model=CHAT, messages=[old, {"role": "user", "content": "short"}], options={"num_ctx": 512})
    assert last["prompt_eval_count"] < 258
    assert post(fake, "/api/chat", **body("word " * 600, options={"num_ctx": 512}, truncate=False)).status_code == 400


def test_thinking_comes_in_its_own_field_or_in_tags_or_is_all_there_is(fake):
    fake.fail_next(1, "thinking")
    first, *_ = lines(fake, **body())
    assert first["message"] == {"role": "assistant", "content": "", "thinking": "Let me "}
    fake.fail_next(1, "think_tags")
    assert said(fake, **body()) == "<think>Let me think.</think>\n\nNo reply."
    fake.fail_next(1, "thinking_only")
    *thoughts, last = lines(fake, **body())
    assert all(line["message"]["content"] == "" for line in thoughts)
    assert last["done_reason"] == "length"


def test_thinking_and_tools_are_refused_by_a_model_without_them(fake):
    assert post(fake, "/api/chat", **body(think=True)).json()["error"] == '"qwen3:4b" does not support thinking'
    assert post(fake, "/api/chat", **body(think=False)).status_code == 200
    fake.faults.add("think_unsupported")
    assert post(fake, "/api/chat", **body(think=False)).status_code == 400
    assert "does not support tools" in post(fake, "/api/chat", **body(tools=[{}])).json()["error"]
    assert post(fake, "/api/chat", **body(model="bge-m3")).json()["error"] == '"bge-m3" does not support chat'


def test_counters_can_be_left_out_and_an_error_can_come_before_the_first_byte(fake):
    fake.fail_next(1, "no_counters")
    assert "prompt_eval_count" not in lines(fake, **body())[-1]
    fake.fail_next(1, "error_first")
    assert post(fake, "/api/chat", **body()).status_code == 500
    assert said(fake, **body()) == "No reply."


def test_a_stall_in_the_middle_ends_with_the_gate(fake):
    fake.faults.add("stall_mid")
    with httpx.stream("POST", fake.url + "/api/chat", json=body(), timeout=20) as reply:
        arriving = reply.iter_lines()
        assert json.loads(next(arriving))["message"]["content"] == "No "
        fake.gate.set()
        assert [json.loads(line)["message"]["content"] for line in arriving] == ["reply.", ""]


@pytest.mark.parametrize("fault", ["slow_first", "stall_mid", "endless"])
def test_the_log_shows_within_a_second_that_the_client_went_away(fake, fault):
    fake.faults.add(fault)
    with httpx.Client(timeout=httpx.Timeout(0.2 if fault == "slow_first" else 20)) as client:
        try:
            with client.stream("POST", fake.url + "/api/chat", json=body()) as reply:
                next(reply.iter_lines())
        except httpx.ReadTimeout:
            assert fault == "slow_first"
    assert fake.gone.wait(1)
    (call,) = fake.calls("/api/chat")
    assert call.left is not None


def test_a_server_restarted_in_an_answer_breaks_the_connection_and_answers_again(fake):
    fake.faults.add("stall_mid")
    with httpx.stream("POST", fake.url + "/api/chat", json=body(), timeout=20) as reply:
        arriving = reply.iter_lines()
        next(arriving)
        fake.stop()
        with pytest.raises(httpx.RemoteProtocolError):
            list(arriving)
    with pytest.raises(httpx.ConnectError):
        httpx.get(fake.url)
    fake.faults.clear()
    fake.restart()
    assert loaded(fake) == []
    assert said(fake, **body()) == "No reply."


def test_a_second_question_waits_for_the_first(fake):
    fake.fail_next(1, "stall_mid")
    first = threading.Thread(target=lines, args=(fake,), kwargs=body())
    first.start()
    assert fake.writing.wait(10)
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(fake.url + "/api/chat", json=body(), timeout=0.1)
    fake.gate.set()
    first.join()


# pull and delete


def test_a_pull_tells_each_layer_and_lists_the_model(fake):
    fake.library["new:latest"] = Pullable(layers=(("a", 800), ("b", 8)))
    told = lines(fake, "/api/pull", model="new")
    layers = [line for line in told if "digest" in line]
    assert [line["status"] for line in told if "digest" not in line] == [
        "pulling manifest",
        "verifying sha256 digest",
        "writing manifest",
        "success",
    ]
    assert len({line["digest"] for line in layers}) == 2
    assert "completed" not in layers[0]
    assert layers[-1]["completed"] == 8
    assert "new:latest" in [entry["name"] for entry in httpx.get(fake.url + "/api/tags").json()["models"]]


def test_a_pull_that_breaks_off_goes_on_where_it_was(fake):
    fake.library["new:latest"] = Pullable(layers=(("a", 800), ("b", 800)))
    fake.fail_next(1, "pull_drop", path="/api/pull")
    with pytest.raises(httpx.RemoteProtocolError):
        lines(fake, "/api/pull", model="new")
    told = [line for line in lines(fake, "/api/pull", model="new") if "digest" in line]
    assert told[0]["completed"] == 800


@pytest.mark.parametrize(
    ("name", "fault", "error"),
    [("none", "x", "file does not exist"), ("new", "pull_412", "412"), ("new", "pull_retries", "max retries exceeded")],
)
def test_a_pull_that_fails_says_so_in_a_line_of_a_200_stream(fake, name, fault, error):
    fake.library["new:latest"] = Pullable()
    fake.faults.add(fault)
    assert error in lines(fake, "/api/pull", model=name)[-1]["error"]
    assert "new:latest" not in fake.models


def test_delete_is_200_and_empty_and_404_for_what_is_not_there(fake):
    gone = httpx.request("DELETE", fake.url + "/api/delete", json={"model": "bge-m3"})
    assert (gone.status_code, gone.content) == (200, b"")
    assert httpx.request("DELETE", fake.url + "/api/delete", json={"model": "bge-m3"}).status_code == 404


# the protocol's edges


def test_a_request_without_model_body_or_route_is_refused_as_ollama_does(fake):
    assert post(fake, "/api/chat").json()["error"] == "missing request body"
    assert post(fake, "/api/chat", messages=[]).json()["error"] == "model is required"
    assert post(fake, "/api/none", model=CHAT).text == "404 page not found"
    assert httpx.post(fake.url + "/api/chat", content=b"{").status_code == 400
    assert httpx.head(fake.url).status_code == 200
    wrong = post(fake, "/api/chat", **body(options={"num_ctx": "many"}))
    assert (wrong.status_code, wrong.json()["error"]) == (500, 'option "num_ctx" must be of type integer')


# real models


@pytest.fixture(scope="module")
def real():
    with running(real_chat=True, real_embed=True) as server:
        yield server


def test_the_real_model_streams_counts_and_ends_at_num_predict(real):
    *pieces, last = lines(
        real, **body("Tell a story.", "smollm2:135m", options={"num_ctx": 2048, "num_predict": 12, "temperature": 0})
    )
    assert len(pieces) == 12
    assert (last["done_reason"], last["eval_count"]) == ("length", 12)
    assert 30 < last["prompt_eval_count"] < 50


def test_the_real_model_keeps_to_a_schema(real):
    schema = {"type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"]}
    request = body("Which city?", "smollm2:135m", format=schema, options={"num_ctx": 2048, "temperature": 0})
    assert json.loads(said(real, **request))["city"] in ("Rome", "Oslo")


def test_the_real_model_stops_when_nobody_listens(real):
    real.gone.clear()
    request = body("Tell a long story.", "smollm2:135m", options={"num_ctx": 2048, "num_predict": 1500})
    with httpx.stream("POST", real.url + "/api/chat", json=request, timeout=60) as reply:
        next(reply.iter_lines())
    assert real.gone.wait(1)
    # the runner is free again at once: 1,500 tokens would take it a quarter of a minute
    assert said(real, **body("Hi", "smollm2:135m", options={"num_ctx": 2048, "num_predict": 2}))


def test_the_real_model_refuses_a_prompt_over_its_window_with_json_in_the_text(real):
    refused = post(real, "/api/chat", **body("word " * 1100, "smollm2:135m", options={"num_ctx": 1024}))
    assert refused.status_code == 400
    assert json.loads(refused.json()["error"])["error"]["n_ctx"] == 1024


def test_the_real_embedder_finds_the_same_meaning_in_the_other_language(real):
    texts = ["query: 酒店每晚多少钱", "passage: The hotel costs 200 euros a night.", "passage: The pump leaks oil."]
    question, near, far = post(real, "/api/embed", model="multilingual-e5-small", input=texts).json()["embeddings"]
    assert sum(map(float.__mul__, question, near)) > sum(map(float.__mul__, question, far))
