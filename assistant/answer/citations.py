"""Citations: which source each sentence names, however the model writes it; numbers that name none are taken out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.answer.extractive import units
from assistant.trace import Sentence

_N = r"\d{1,3}"
_SOURCE = r"(?:sources?|refs?\.?|src|citations?|cite|doc(?:ument)?s?|来源|出处|资料|文档|参考资料|引用)"
_LABEL = rf"(?:{_SOURCE}[\s_:：#=-]*(?:id\s*=\s*)?|id\s*=\s*)"
_BETWEEN = r"\s*(?:[,，、;；/&–—~-]|and|和|与|及|至|到|to)?\s*"
_NUMBERS = rf"{_LABEL}?#?\s*{_N}(?:\s*(?:[,，、;；/&–—~-]|and|和|与|及|至|到|to)\s*{_LABEL}?#?\s*{_N})*"
_ONE = rf"[\[【［〔]\s*\^?{_NUMBERS}(?:†[^\]】\n]*)?\s*\\?[\]］】〕](?:\((?:https?:|#|www)[^)\s]*\))?"
# also twice in brackets, raised as in HTML, or with the backslashes of Markdown
_SQUARE = rf"(?:\[{_ONE}\]|<sup>\s*{_ONE}\s*</sup>|\\?{_ONE})"
_ENDS = r"[.。!！?？;；,，)）」”\"\u4e00-\u9fff]"
_MARK = re.compile(
    rf"(?P<round>[(（]\s*(?:see\s+|cf\.?\s+|见|参见)?(?:{_LABEL})?{_SQUARE}(?:{_BETWEEN}{_SQUARE})*\s*[)）])"
    rf"|(?P<named>[(（<]\s*(?:see\s+|见|参见)?(?={_SOURCE}|id){_NUMBERS}\s*/?[)）>])"
    rf"|(?P<square>{_SQUARE}(?:{_BETWEEN}{_SQUARE})*)"
    rf"|(?<=[^\s\d\w]|[\u4e00-\u9fff])\^(?P<raised>{_N})(?![\w.]\w)"
    rf"|(?<={_ENDS})(?P<small>[¹²³⁴-⁹][⁰¹²³⁴-⁹]?)",
    re.IGNORECASE,
)
_PART = re.compile(rf"({_N})(?:\s*(?:[–—~-]|至|到|to)\s*({_N}))?")
_LINK = re.compile(r"†[^\]】\n]*|\((?:https?:|#|www)[^)\s]*\)")
_SMALL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
# a mark that is the subject or object of its sentence leaves a word behind, or the sentence would break
_GOVERNED = re.compile(
    r"(?:\b(?:according to|based on|see|(?:stated|described|mentioned|shown|given) in)"
    r"|(?:^|[.!?\n]\s*)(?:As|In|Both|From|Per)|(根据|依据|基于|参见|(?<![数依证根])据))\s*$"
    r"|(?:如|按|按照|在)\s*$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?: (?:also|further|clearly|explicitly))? (?:says?|states?|mentions?|notes?|describes?|specif(?:y|ies)"
    r"|explains?|indicates?|confirms?|reads) "
    r"|\s*[也还则都均]?(?:指出|提到|提及|写道|表明|(?:说明|规定|显示)(?!的)|中的|中?(?:指|提|写|说|规定)[出到明了])"
)
_WITHIN = re.compile(r"\s*(?:所|中|里|的)")
_BEGINS = re.compile(r"(?:^|[.!?。！？；;:：\n])[\s*•-]*$")
# our numbers stand for the list of sources that many models put at the end
_LISTED = re.compile(
    r"\n[ \t#*_]*(?:sources?|references?|citations?|来源|参考(?:资料|来源|文献)?|出处|引用)(?:\s+used)?[*_ \t]*"
    r"(?:[:：][^\n\w]*\d[^\n]*|[:：]?[*_ \t]*(?:\n\s*(?:[-*•]\s*)?[\[【［(]?\^?\d{1,3}[\]】］).:、][^\n]*)+)\s*\Z",
    re.IGNORECASE,
)
_LONGEST_RANGE = 10
_NEAR = 40  # characters around a mark that tell whether it is a word of its sentence


@dataclass(frozen=True)
class Cited:
    """A written text taken apart: its sentences, the white space before each, and the numbers that name no source."""

    sentences: tuple[Sentence, ...]
    gaps: tuple[str, ...]
    removed: tuple[int, ...]

    def text(self, sentences: tuple[Sentence, ...]) -> str:
        """The whole again, each sentence with the citations that it has now."""
        whole = ""
        for gap, s in zip(self.gaps, sentences, strict=True):
            blank = " " if whole.endswith("]") and not gap else gap
            whole += blank + s.text + "".join(f" [{n}]" for n in s.citations)
        return whole.strip()


def cited(text: str, sources: int) -> Cited:
    """The sentences of this text; sources are numbered 1 to `sources`. Empty text has none.

    Understood are [1], [1, 2], [1-3], [[1]], 【1】, ［1］, (source 1), ([1] and [2]), [^1], ^1 and ¹ after full stops,
    also at the start of a line. Code is left alone; a list of sources at the end is taken off.
    """
    plain, marks = _without_marks(_LISTED.sub("", "\n" + text.strip()).strip(), sources)
    places = list(units(plain))
    named: list[list[int]] = [[] for _ in places]
    for at, numbers in marks:
        if places:
            named[_sentence_at(places, at)] += numbers
    said, gaps, at = [], [], 0
    for (start, end), numbers in zip(places, named, strict=True):
        if not any(c.isalnum() for c in plain[start:end]):
            continue
        valid = tuple(dict.fromkeys(n for n in numbers if 1 <= n <= sources))
        said.append(Sentence(text=plain[start:end], citations=valid, named=valid))
        gaps.append(_gap(plain[at:start]))
        at = end
    removed = tuple(n for _, numbers in marks for n in numbers if not 1 <= n <= sources)
    return Cited(tuple(said), tuple(gaps), removed)


def _without_marks(text: str, sources: int) -> tuple[str, list[tuple[int, list[int]]]]:
    """(the text without marks, where each stood and what it named)."""
    code = [match.span() for match in _CODE.finditer(text)]
    plain, last = "", 0
    marks = []
    for mark in _MARK.finditer(text):
        numbers = _numbers(mark)
        other = mark["named"] and max(numbers) > sources  # (document 15) may be what the answer is about
        if other or any(start <= mark.start() < end for start, end in code):
            continue
        before = text[last : mark.start()]
        leads = _leads(text, mark)
        plain += before if leads else before.rstrip(" \t")
        word = _left_behind(plain[-_NEAR:], text[mark.end() :][:_NEAR], len(numbers) > 1) if mark["square"] else ""
        plain += word
        marks.append((len(plain) + leads, numbers))
        last = mark.end() + len(_blanks(text[mark.end() :]) if leads and not word else "")
    return plain + text[last:], marks


def _leads(text: str, mark: re.Match[str]) -> bool:
    """Whether the mark opens a line that goes on behind it: it belongs to what follows."""
    opened = not text[: mark.start()].rpartition("\n")[2].strip(" \t-*•")
    rest = text[mark.end() :].partition("\n")[0]
    return opened and any(c.isalnum() for c in _MARK.sub("", rest))


def _blanks(text: str) -> str:
    return text[: len(text) - len(text.lstrip(" \t:：."))]


def _left_behind(before: str, after: str, several: bool) -> str:
    """ " the source" after "according to", "The source" before "states", 来源 after 根据; "" where none is missed."""
    governed, subject = _GOVERNED.search(before), _BEGINS.search(before) and _SAYS.match(after)
    chinese = "\u4e00" <= before.rstrip()[-1:] <= "\u9fff" if governed else bool(subject and not subject[0].isascii())
    if chinese:
        alone = governed is not None and not governed[1] and not _WITHIN.match(after)
        return "" if alone else "来源"
    word = "sources" if several else "source"
    if governed:
        return f" the {word}"
    blank = "" if not before or before[-1].isspace() else " "
    return f"{blank}The {word}" if subject else ""


def _numbers(mark: re.Match[str]) -> list[int]:
    found: list[int] = []
    for first, last in _PART.findall(_LINK.sub("", mark[0]).translate(_SMALL)):
        low, high = int(first), int(last or first)
        found += range(low, high + 1) if low <= high <= low + _LONGEST_RANGE else (low, high)
    return list(dict.fromkeys(found))


def _sentence_at(places: list[tuple[int, int]], at: int) -> int:
    """The sentence that a mark at this place stands in or follows."""
    return max((i for i, (start, _) in enumerate(places) if start < at), default=0)


def _gap(between: str) -> str:
    """White space between two sentences; rules of tables and the like between them are one line end."""
    return between if not between.strip() else "\n"
