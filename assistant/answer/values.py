"""What must not be wrong in an answer: its numbers, amounts, dates, times of day, identifiers and names.

1,200 = 1 200 = 1200 = 一千二百; 3.5万 = 35000; 5% = 5 percent = 百分之五; 2023年5月3日 = May 3, 2023 = 2023-05-03.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from assistant.answer.numerals import ENGLISH, HAN, HAN_DIGITS, HAN_SCALES, english_number, han_number
from assistant.answer.units import unit_after, unit_before

Kind = Literal["number", "date", "time", "identifier"]


@dataclass(frozen=True)
class Value:
    """One value where it stands in its text. `readings`: the numbers it may mean; minutes since midnight of a time.

    `unit` "" = none known. `day`: (year, month, day) of a date, None where not said. `counted`: said in words, so that
    it may count what the source lists. `loose`: a time that may be before or after noon.
    """

    kind: Kind
    text: str
    start: int
    end: int
    readings: frozenset[float] = frozenset()
    unit: str = ""
    day: tuple[int | None, int | None, int | None] = (None, None, None)
    counted: bool = False
    loose: bool = False

    def stands_for(self, said: Value) -> bool:
        """Whether this value of a source says at least what `said` says."""
        if said.kind == "date" and self.kind == "date":
            return all(
                b is None or a == b or (a is None and i == 0)
                for i, (a, b) in enumerate(zip(self.day, said.day, strict=True))
            )
        if said.kind == "time" and self.kind == "time":
            turns = 720 if self.loose or said.loose else 1440
            return any((a - b) % turns == 0 for a in self.readings for b in said.readings)
        if said.kind == "number" and self.kind == "number":
            fits = not said.unit or not self.unit or said.unit == self.unit
            return fits and not self.readings.isdisjoint(said.readings)
        return False


# full-width characters, odd blanks and traditional numerals, one for one, so that places stay
_PLAIN = {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)} | dict.fromkeys(map(ord, "\u00a0\u2009\u202f\u3000"), " ")
_PLAIN |= str.maketrans("萬億兩點−–—", "万亿两点---")

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    r"(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?|JAN|FEB|MAR|APR|MAY|JUNE?|JULY?|AUG|SEPT?|OCT|NOV|DEC)\b\.?"
)
_N = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_YEAR = r"(?P<y>(?<!\d)\d{4}|[零〇一二三四五六七八九]{4})"
_DATES = [
    re.compile(rf"{_YEAR}\s*年\s*(?P<m>{_N})\s*月(?:份|底|初|中旬)?(?:\s*(?P<d>{_N})\s*[日号])?"),
    re.compile(rf"(?<![\d个])(?P<m>{_N})\s*月\s*(?P<d>{_N})\s*[日号]"),
    re.compile(r"(?<![\d.])(?P<y>(?:19|20)\d{2})([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})(?![\d.]*\d)"),
    re.compile(r"(?<![\d.])(?P<d>\d{1,2})([-/.])(?P<m>\d{1,2})\2(?P<y>(?:19|20)\d{2})(?!\d)"),
    re.compile(r"(?<![\d-])(?P<y>(?:19|20)\d{2})-(?P<m>0[1-9]|1[0-2])(?![\d-])"),
    re.compile(rf"\b{_MONTH}\s*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s*(?P<y>\d{{4}})\b)?"),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH}(?:,?\s*(?P<y>\d{{4}})\b)?"),
    re.compile(rf"\b{_MONTH},?\s*(?P<y>\d{{4}})\b"),
    re.compile(rf"(?<![\d个])(?P<m>{_N})\s*月(?!\d)"),
    re.compile(r"\b(?P<month>January|February|April|June|July|August|September|October|November|December)\b"),
    re.compile(r"(?:(?<=\b[Ii]n )|(?<=\bby )|(?<=\bof ))(?P<month>March|May)\b"),  # both may be verbs
]
_PART = r"(?P<part>上午|早上|早晨|清晨|凌晨|中午|下午|晚上|傍晚)?\s*"
_TIMES = [
    re.compile(
        rf"{_PART}(?<![\d:])(?P<h>[01]?\d|2[0-4]):(?P<min>[0-5]\d)(?![\d:])\s*(?P<half>[ap]\.?m\b\.?)?", re.IGNORECASE
    ),
    re.compile(r"(?<![\d:.])(?P<h>1[0-2]|[1-9])\s*(?P<half>[ap]\.?m\b\.?)", re.IGNORECASE),
    re.compile(rf"{_PART}(?P<h>(?<!\d)\d{{1,2}}|[一二三四五六七八九十两]{{1,3}})点(?P<min>半|整|钟|{_N}分)?"),
    re.compile(r"\bnoon\b|\bmidnight\b|正午|午夜", re.IGNORECASE),
]
_NOON = ("noon", "正午")
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[-_./:]?[A-Za-z0-9]+)*(?:\+\+|#)?")
_SPACED = re.compile(r"(?<![\w-])([A-Z]{2,6}) (\d+)(?![\w:%-]|[.,]\d)")
_WORDLIKE = re.compile(
    r"\d+(?:st|nd|rd|th|s)|\d+(?:-[A-Za-z]{2,})+|(?:mid|pre|post|early|late|non)-\d+|\d+x", re.IGNORECASE
)
_SCALE = r"万亿|千亿|百亿|十亿|亿|千万|百万|十万|万|千(?![米克瓦卡帕伏])|百"
_DIGITS = r"(?:\d{1,3}(?:[,'’]\d{3})+(?!\d)|(?<!\d)(?<!\d )\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<of>[百千]分之)?(?P<n>{_DIGITS})(?P<more>(?:\s*(?:{_SCALE})(?:\s*\d+(?:\.\d+)?(?=\s*(?:万|千|百)))?)*)"
    r"(?P<en>\s*(?:thousand|million|billion|trillion|dozen|bn|mn)\b|(?:[kKM]|bn)(?![A-Za-z0-9])"
    r"|m(?=\s+(?:pounds?|euros?|dollars?|yuan|people)\b))?"
)
_ENGLISH_SCALES = {
    "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12,
    "dozen": 12.0,
}  # fmt: skip
_HAN_SCALES = {
    "百": 1e2, "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8, "十亿": 1e9, "百亿": 1e10,
    "千亿": 1e11, "万亿": 1e12,
}  # fmt: skip
_HAN_NUMBER = re.compile(rf"(?P<of>[百千]分之)?(?P<n>[{HAN}]+(?:点[{''.join(HAN_DIGITS)}]+)?)")
_MEASURED = re.compile(
    r"个|天|日|月|年|周|星期|小时|分钟|秒|元|块|美元|欧元|人|名|位|次|倍|项|条|种|台|份|米|公里|公斤|千克|吨|升|度|级|层|号|岁|章|节|步|"
    r"件|套|家|季度|间|张|页|辆|期|轮|万|亿|工作日|成员|类|门|支|只|头|批|届|段|楼|样|票|册|笔|股|角|分|斤|亩|户|座|栋|场|班|组|队|代|"
    r"道|题|把|行|列|本|字|枚|根|盒|箱|瓶|杯|平方|立方"
)
_LISTED = re.compile(
    r"\s*(?:[-*+•·#>]+\s+)?(?:\(?\d{1,3}[.)、）](?!\d)|[一二三四五六七八九十]{1,3}、|（[一二三四五六七八九十]{1,3}）)"
)


def values_of(text: str, source: bool = False) -> tuple[Value, ...]:
    """The values in order of place, without the numbers of list items.

    `source`: read generously, as what an answer is compared with: numbers may have several readings, and "one", 一 and
    words that only may be numbers count too.
    """
    return _values(text, source)


@lru_cache(maxsize=8192)
def _values(text: str, source: bool) -> tuple[Value, ...]:
    plain = text.translate(_PLAIN)
    found: list[Value] = []
    taken = bytearray(len(plain))
    if not source and (listed := _LISTED.match(plain)):
        taken[: listed.end()] = b"\x01" * listed.end()
    scans: list[Callable[[str, bool], Iterator[Value]]] = [_dates, _times, _identifiers, _numbers, _han, _english]
    for scan in scans:
        for value in scan(plain, source):
            if any(taken[value.start : value.end]):
                continue
            value = replace(value, text=text[value.start : value.end].strip())
            taken[value.start : value.end] = b"\x01" * (value.end - value.start)
            found.append(value)
            found += _parts(value) if source else []
    return tuple(sorted(found, key=lambda v: v.start))


def _parts(value: Value) -> list[Value]:
    """The numbers that a date of a source says as well: an answer may name its year alone."""
    named = zip(value.day, ("", "month", "day"), strict=True)
    return [
        Value("number", value.text, value.start, value.end, frozenset({float(n)}), unit)
        for n, unit in named
        if n is not None
    ]


def _dates(text: str, source: bool) -> Iterator[Value]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            y, d = _whole(groups.get("y")), _whole(groups.get("d"))
            m = _MONTHS.index(groups["month"][:3].lower()) + 1 if groups.get("month") else _whole(groups.get("m"))
            if m is not None and m > 12 and d is not None and d <= 12:
                m, d = d, m
            if (m is None or 1 <= m <= 12) and (d is None or 1 <= d <= 31):
                yield Value("date", match[0].strip(), match.start(), match.end(), day=(y, m, d))


def _whole(text: str | None) -> int | None:
    if not text:
        return None
    return int(text) if text.isdigit() and text.isascii() else han_number(text)


def _times(text: str, source: bool) -> Iterator[Value]:
    for pattern in _TIMES:
        for match in pattern.finditer(text):
            if match.re is _TIMES[3]:
                at_noon = frozenset({720.0 if match[0].lower() in _NOON else 0.0})
                yield Value("time", match[0], match.start(), match.end(), at_noon)
                continue
            groups = match.groupdict()
            part, minutes, half = groups.get("part"), groups.get("min"), (groups.get("half") or "").lower()
            if match.re is _TIMES[2] and not (part or minutes):
                continue  # 3点建议 are three points
            hour = _whole(groups["h"]) or 0
            minute = 30 if minutes == "半" else _whole((minutes or "").rstrip("分整钟")) or 0
            afternoon = half.startswith("p") or part in ("下午", "晚上", "傍晚") or (part == "中午" and hour < 11)
            hour = hour % 12 + 12 if afternoon and hour <= 12 else 0 if half.startswith("a") and hour == 12 else hour
            said = match[0].strip() if half.count(".") == 2 else match[0].strip().rstrip(".")
            end = match.start() + len(match[0].rstrip(" ."))
            yield Value(
                "time", said, match.start(), end, frozenset({hour * 60.0 + minute}),
                loose=not half and not part and hour <= 12,
            )  # fmt: skip


def _identifiers(text: str, source: bool) -> Iterator[Value]:
    for match in _IDENTIFIER.finditer(text):
        word = match[0].rstrip("-_./:")
        letters, digits = any(c.isalpha() for c in word), any(c.isdigit() for c in word)
        named = (letters and digits) or "_" in word.strip("_") or word.count(".") >= 2 or word.endswith(("++", "#"))
        if not named or not (digits or "_" in word or word.endswith(("++", "#"))):
            continue
        if _WORDLIKE.fullmatch(word) or _is_amount(word):
            continue
        yield Value("identifier", word, match.start(), match.start() + len(word))
    if not source:  # a source that writes TS 12 may be asked for 12
        for match in _SPACED.finditer(text):
            if match[1].lower() not in _ENGLISH_SCALES and not unit_before(text, match.start(2))[0]:
                yield Value("identifier", match[0], match.start(), match.end())


def _is_amount(word: str) -> bool:
    """150kg, 2.5k, 3x: a number with its unit written on to it."""
    number = _NUMBER.match(word)
    if not number:
        return False
    return number.end() == len(word) or unit_after(word, number.end())[1] == len(word)


def _numbers(text: str, source: bool) -> Iterator[Value]:
    for match in _NUMBER.finditer(text):
        base = float(re.sub(r"[,'’ ]", "", match["n"]))
        number = _scaled(base, match["more"]) * _ENGLISH_SCALES.get((match["en"] or "").strip().lower(), 1.0)
        unit, end = ("%", match.end()) if match["of"] == "百分之" else unit_after(text, match.end())
        before, start = unit_before(text, match.start())
        if before and unit == "metre" and text[end - 1] == "m":
            number, unit = number * 1e6, ""  # £1.2m
        start, unit = (match.start(), unit) if unit else (start, before)
        if unit in ("year", "second") and 1000 <= number <= 2999 and text[match.end()] in "年s":
            unit = ""  # 2023年, the 1990s
        readings = {number}
        if source:
            readings |= {base} if match["en"] else set()
            readings |= {float(p) for p in re.split(r"[,'’ ]", match["n"])}
        yield Value("number", text[start:end].strip(), start, end, frozenset(readings), unit)


def _scaled(base: float, more: str) -> float:
    """The number times what follows it: 3 and 万5千 give 35,000."""
    total, number = 0.0, base
    for scale, following in re.findall(rf"\s*({_SCALE})(?:\s*(\d+(?:\.\d+)?))?", more):
        total += number * _HAN_SCALES[scale]
        number = float(following) if following else 0.0
    return total + number


def _han(text: str, source: bool) -> Iterator[Value]:
    for match in _HAN_NUMBER.finditer(text):
        whole, _, decimals = match["n"].partition("点")
        number = han_number(whole)
        if number is None:
            continue
        exact = float(f"{number}.{han_number(decimals)}") if decimals else float(number)
        unit, end = ("%", match.end()) if match["of"] else unit_after(text, match.end())
        if not source and not _meant(text, match, whole, number):
            continue
        yield Value(
            "number",
            text[match.start() : end],
            match.start(),
            end,
            frozenset({exact}),
            unit,
            counted=number <= 10 and not unit,
        )


def _meant(text: str, match: re.Match[str], whole: str, number: int) -> bool:
    """Whether Han characters that may be a numeral are one: 三天 and 第二 are, 万一, 千万 and 三明治 are not."""
    if match["of"]:
        return True
    if number <= 1 or whole[0] in "百千万亿" or set(whole) <= set(HAN_SCALES):
        return False
    if number > 10 and len(whole) > 1:
        return True
    return text[max(0, match.start() - 1) : match.start()] == "第" or bool(_MEASURED.match(text, match.end()))


def _english(text: str, source: bool) -> Iterator[Value]:
    for match in ENGLISH.finditer(text):
        number = english_number(match[0])
        if number is None or (not source and (number <= 1 or match[0].lower() in ("hundred", "thousand", "million"))):
            continue
        unit, end = unit_after(text, match.end())
        readings = frozenset({float(number)})
        yield Value(
            "number", text[match.start() : end], match.start(), end, readings, unit, counted=number <= 10 and not unit
        )


def holds(text: str, identifier: str) -> bool:
    """Whether the text names this identifier, however its parts are joined: E4207, E-4207 and E 4207 are one."""
    parts = re.findall(r"[A-Za-z]+|\d+|[+#]+", identifier)
    joined = r"[-_./: ]?".join(map(re.escape, parts))
    return bool(re.search(rf"(?<![A-Za-z0-9]){joined}(?![A-Za-z0-9])", text.translate(_PLAIN), re.IGNORECASE))
