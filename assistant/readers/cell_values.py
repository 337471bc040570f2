"""What the cells of a workbook show: numbers and dates by their number format."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # how Office writes characters that XML does not allow
_ZEROS = re.compile(r"0{2,}")
CHINESE_DATES: dict[int, str] = {
    **dict.fromkeys((27, 36, 50, 52, 57), 'yyyy"年"m"月"'),
    **dict.fromkeys((28, 29, 51, 53, 54, 58), 'm"月"d"日"'),
    30: "m/d/yy",
    31: 'yyyy"年"m"月"d"日"',
    32: 'h"时"mm"分"',
    33: 'h"时"mm"分"ss"秒"',
    34: 'h"时"mm"分"',
    35: 'h"时"mm"分"ss"秒"',
    55: 'h"时"mm"分"',
    56: 'h"时"mm"分"ss"秒"',
}
"""Number formats that Chinese Excel and WPS use by number without writing them into the file (ECMA-376, 18.8.30)."""


def shown(value: object, number_format: str = "General") -> str:
    """The text of a cell's value: dates as 2024-09-30, times as 08:30, 25.6 % as "25.6%", TRUE; "" for None.

    Numbers have at most 15 digits, as Excel has, no thousands separators, and the leading zeros of formats like 00000.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        text = _ESCAPED.sub(lambda m: chr(int(m[1], 16)), value) if "_x" in value else value
        return text.strip()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime):
        return _moment(value, number_format)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return _clock(value)
    if isinstance(value, timedelta):
        return _hours(value)
    return str(value).strip()


def _number(value: float, number_format: str) -> str:
    if number_format == "General":
        return _digits(value)
    plain = _LITERAL.sub("", number_format.partition(";")[0]).strip()
    if plain.endswith("%"):
        return _digits(value * 100) + "%"
    if _ZEROS.fullmatch(plain) and value >= 0:
        return f"{value:.0f}".zfill(len(plain))
    return _digits(value)


def _digits(value: float) -> str:
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    return f"{value:.15g}"


def _moment(value: datetime, number_format: str) -> str:
    marks = _LITERAL.sub("", number_format.partition(";")[0]).lower()
    if not re.search("[yd]", marks) and re.search("[hs]", marks):
        return _clock(value.time())
    if not re.search("[hs]", marks) or value.time() == time():
        month_only = "y" in marks and "m" in marks and "d" not in marks
        return f"{value:%Y-%m}" if month_only and value.day == 1 else f"{value:%Y-%m-%d}"
    return f"{value:%Y-%m-%d} {_clock(value.time())}"


def _clock(value: time) -> str:
    if value.microsecond >= 500_000:  # Excel keeps fractions of a day: 08:29:59.9999 is 08:30
        rounded = datetime.combine(date(2000, 1, 1), value.replace(microsecond=0)) + timedelta(seconds=1)
        value = rounded.time()
    return f"{value:%H:%M}" if value.second == 0 else f"{value:%H:%M:%S}"


def _hours(value: timedelta) -> str:
    """Durations may have more than 24 hours."""
    minutes, seconds = divmod(round(abs(value.total_seconds())), 60)
    sign = "-" if value < timedelta() else ""
    return f"{sign}{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
