from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.chunking.sentences import sentences


def split(text):
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We left.", ["It rained.", "We left."]),
        ("Dr. Smith paid $3.50 to J. R. Brown. He left.", ["Dr. Smith paid $3.50 to J. R. Brown.", "He left."]),
        (
            "See e.g. the U.S. report, Fig. 3. it shows growth.",
            ["See e.g. the U.S. report, Fig. 3.", "it shows growth."],
        ),
        ('He said "Stop!" Then he ran (fast.) Done?', ['He said "Stop!"', "Then he ran (fast.)", "Done?"]),
        ("Chen et al. (2017) agree. So do we.", ["Chen et al. (2017) agree.", "So do we."]),
        ("in 2017. a deferred tax asset.", ["in 2017.", "a deferred tax asset."]),
        ("请假须提前三天。逾期怎么办？扣工资！", ["请假须提前三天。", "逾期怎么办？", "扣工资！"]),
        ("他说：“明天开会。”大家都同意了……然后散会。", ["他说：“明天开会。”", "大家都同意了……", "然后散会。"]),
        ("金额为3.5万元；版本V2.0.1已发布。", ["金额为3.5万元；", "版本V2.0.1已发布。"]),
        ("系统基于Linux. 用户可升级。", ["系统基于Linux.", "用户可升级。"]),
        ("标题\n\n正文没有句号", ["标题", "正文没有句号"]),
        ("a hard wrapped\nline goes on. Next\nsentence.", ["a hard wrapped\nline goes on.", "Next\nsentence."]),
        ("Buy:\n- milk\n- eggs", ["Buy:", "- milk", "- eggs"]),
        ("1. First point\n2. Second point", ["1. First point", "2. Second point"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text, expected):
    assert split(text) == expected


@given(st.text(alphabet='aB1. \n。！?"”）…·,，-一J', max_size=200))
def test_sentences_cover_every_visible_character_in_order(text):
    spans = sentences(text)
    assert all(a < b for a, b in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    covered = "".join(text[a:b] for a, b in spans)
    assert "".join(covered.split()) == "".join(text.split())
