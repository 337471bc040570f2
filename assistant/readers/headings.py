"""Headings told from their numbering: 第一章, 一、, （一）, 1.2 Title, Chapter 3."""

from __future__ import annotations

import re

_NUMERAL = "[一二三四五六七八九十百零〇两0-9０-９]{1,6}"
_RULES: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(rf"第\s*{_NUMERAL}\s*[编篇部卷](?:[\s:：、　]|$)"), 1),
    (re.compile(rf"第\s*{_NUMERAL}\s*章"), 1),
    (re.compile(rf"第\s*{_NUMERAL}\s*节"), 2),
    (re.compile(r"(?:chapter|part|appendix)\s+(?:\d{1,3}|[ivxlc]{1,6}|[a-z])\b(?!,)", re.IGNORECASE), 1),
    (re.compile(r"section\s+\d{1,3}(?:\.\d{1,3})*\b(?!,)", re.IGNORECASE), 2),
    (re.compile(r"附(?:录|件|表)\s*[一二三四五六七八九十A-Z0-9]{1,2}(?:[\s:：、]|$)"), 1),
    (re.compile(r"[一二三四五六七八九十]{1,3}\s*、"), 3),  # below 章 and 节
    (re.compile(r"[(（][一二三四五六七八九十]{1,3}[)）]"), 4),
)
_DOTTED = re.compile(
    r"(\d{1,2}(?:\.\d{1,2}){1,4})\.?[ \t　]+(?=[^\W\d_])|(\d{1,2}(?:\.\d{1,2}){1,4})(?=[\u4e00-\u9fff])"
)
_BEGINS = re.compile(r"[第附一二三四五六七八九十(（\d]|chapter|part|appendix|section", re.IGNORECASE)
_CHINESE_SINGLE = re.compile(r"\d{1,2}[、.．]\s*(?=[\u4e00-\u9fff])")
_SINGLE = re.compile(r"\d{1,2}[.、]?[ \t　]+(?=[A-Z\u4e00-\u9fff])")
_SENTENCE = re.compile(r"[。！？；，,;!：:.]$|[。；！]|，.*，|\.{3,}|…{2,}|[.!]\s+[A-Z]")


def level_of_numbered(line: str, alone: bool = False) -> int:
    """1–6 for a line that is a numbered heading, 0 otherwise.

    Short, no sentence, and not a line of a table of contents. "1 Title" counts only when `alone` between blank lines.
    """
    if not _BEGINS.match(line):
        return 0
    wide = bool(re.search(r"[\u4e00-\u9fff]", line))
    if not line or len(line) > (40 if wide else 90) or _SENTENCE.search(line) or re.search(r"\s\d{1,4}$", line):
        return 0
    for rule, level in _RULES:
        if rule.match(line):
            return level
    dotted = _DOTTED.match(line)
    if dotted:
        return min(6, (dotted[1] or dotted[2]).count(".") + 1)
    if alone and _CHINESE_SINGLE.match(line):
        return 5
    return 1 if alone and _SINGLE.match(line) else 0
