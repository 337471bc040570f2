"""Whatever a trace holds, the panels stay text: only elements and attributes that the product itself writes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import lxml.html
import pytest
import sample_traces as sample
import sample_written as written
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import BadTrace
from assistant.trace import Delta, Trace, Working
from ui.view import View

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "</details></div><svg onload=alert(1)>",
    "[x](javascript:alert(1))",
    "&lt;script&gt;&#x3c;script>",
    "\u202e\u2066<blink>\u2069",
    "${alert(1)}{{7*7}}{0}%s",
    "`;alert(1);//",
    "--><iframe srcdoc='<script>alert(1)</script>'>",
    '\x00\x0b<a href="javascript:alert(1)">',
)
FREE = {"question", "text", "why", "document", "title", "path", "original", "standalone", "method", "message", "label"}
FREE |= {"model", "caveat", "limited_by", "heading", "suggestions", "present", "absent", "query", "before", "queries"}
FREE |= {"messages", "left_out", "shortened", "missing", "purpose", "reply", "reason", "imagined", "stopped_by"}
FREE |= {"parts", "weights_why", "added", "term", "context", "name", "embedder", "answer", "rewriter", "reranker"}
FORBIDDEN = {"script", "iframe", "object", "embed", "img", "link", "style", "form", "base", "meta", "a", "blink"}
texts = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=40).filter(str.isprintable))


def poisoned(data: Any, words: Iterator[str], field: str = "") -> Any:
    """The same data with every free string replaced; names that select code are left as they are."""
    if isinstance(data, dict):
        return {k: poisoned(v, words, k) for k, v in data.items()}
    if isinstance(data, list):
        return [poisoned(v, words, field) for v in data]
    return next(words) if isinstance(data, str) and field in FREE else data


def assert_inert(html: str) -> None:
    for element in lxml.html.fragment_fromstring(html, create_parent="main").iter():
        assert isinstance(element.tag, str), element
        assert element.tag not in FORBIDDEN, element.tag
        for name, value in element.attrib.items():
            assert not name.startswith("on"), (element.tag, name)
            assert name not in {"href", "src", "srcdoc", "action", "formaction"}, (element.tag, name)
            assert "javascript:" not in value or name.startswith(("data-", "aria-")) or name in {"title", "value"}
            assert "<" not in name
            assert '"' not in name


TRACES = [sample.answered_trace(), sample.declined_trace(), written.careful(), written.imagined(), written.cut()]


@pytest.mark.parametrize("trace", TRACES, ids=["answered", "declined", "careful", "imagined", "cut"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(drawn=st.lists(texts, min_size=1, max_size=20))
def test_panels_of_a_hostile_trace_hold_no_element_or_attribute_of_its_own(trace, lang, drawn):
    raw = poisoned(json.loads(trace.model_dump_json()), itertools.cycle((*drawn, *HOSTILE)))
    shown = Trace.from_json(json.dumps(raw))
    view = View(lang=lang).begin(shown).asked(shown)
    for attempt in range(1, shown.attempts + 1):
        assert_inert(view.show_attempt(attempt).evidence())
    assert_inert(view.conversation())
    assert_inert(View(lang=lang).begin(shown).conversation())
    assert_inert(view.begin(shown).broken(drawn[0]).conversation())
    working = view.begin(shown).plus(Working(purpose=drawn[0], model=drawn[-1], state="reading"))
    assert_inert(working.conversation())
    assert_inert(working.plus(Delta(text=drawn[0])).conversation())
    assert_inert(working.plus(Delta(text=drawn[0])).broken(drawn[-1], "search").conversation())


@pytest.mark.parametrize("change", [
    {"version": 2}, {"steps": "x"}, {"steps": [{"kind": "nope"}]}, {"steps": [1]}, {"base": None}, {"extra": 1},
    {"question": None}, {"started": "yesterday"}, {"settings": []}, {"id": 5}, {"history": [{}]},
    {"steps": [{"kind": "answered"}]},
])  # fmt: skip
def test_a_trace_of_another_shape_is_refused_with_one_sentence(change):
    raw = {**json.loads(sample.answered_trace().model_dump_json()), **change}
    with pytest.raises(BadTrace, match="does not fit"):
        Trace.from_json(json.dumps(raw))


@pytest.mark.parametrize("text", ["", "null", "[]", "{", "NaN", "[" * 100_000, '{"id": "\\ud800"}', "1e999"])
def test_text_that_is_no_trace_is_refused_with_one_sentence(text):
    with pytest.raises(BadTrace):
        Trace.from_json(text)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused(number):
    text = sample.answered_trace().model_dump_json()
    broken = text.replace('"intercept":', f'"intercept":{number},"x":', 1)
    with pytest.raises(BadTrace):
        Trace.from_json(broken)
