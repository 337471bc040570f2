"""Units of numbers in Chinese and English, under one name each."""

from __future__ import annotations

import re

_NAMES = {
    "%": "% percent per_cent pct 个百分点 百分点",
    "second": "second seconds sec secs s 秒 秒钟",
    "minute": "minute minutes min mins 分钟",
    "hour": "hour hours hr hrs h 小时 个小时 钟头 个钟头",
    "day": "day days 天 日 个工作日 工作日 working_days working_day business_days business_day calendar_days",
    "week": "week weeks 周 星期 个星期",
    "month": "month months 个月 月",
    "year": "year years yr yrs 年 岁 周年",
    "euro": "euro euros eur € 欧元",
    "dollar": "dollar dollars usd $ us$ 美元 美金",
    "pound": "pound pounds gbp £ 英镑",
    "yuan": "yuan rmb cny 元 块 人民币",
    "yen": "yen jpy 日元",
    "hk dollar": "hkd hk$ 港元 港币",
    "mm": "mm millimetres millimeters 毫米",
    "cm": "cm centimetres centimeters 厘米",
    "metre": "m metre metres meter meters 米",
    "km": "km kilometre kilometres kilometer kilometers 公里 千米",
    "mg": "mg milligrams 毫克",
    "gram": "g gram grams 克",
    "kg": "kg kilo kilos kilogram kilograms 公斤 千克",
    "tonne": "tonne tonnes ton tons 吨",
    "litre": "l litre litres liter liters 升",
    "ml": "ml 毫升",
    "kb": "kb",
    "mb": "mb",
    "gb": "gb",
    "tb": "tb",
    "celsius": "°c ℃ 摄氏度",
    "fahrenheit": "°f ℉ 华氏度",
    "kw": "kw 千瓦",
    "volt": "v volt volts 伏 伏特",
    "watt": "w watt watts 瓦",
}
_OF = {alias.replace("_", " "): unit for unit, names in _NAMES.items() for alias in names.split()}
_LONGEST_FIRST = sorted(_OF, key=len, reverse=True)
_WORDS = "|".join(re.escape(a).replace("\\ ", r"\s+") for a in _LONGEST_FIRST if a[-1].isascii() and a[-1].isalpha())
_SIGNS = "|".join(re.escape(a) for a in _LONGEST_FIRST if not (a[-1].isascii() and a[-1].isalpha()))
_AFTER = re.compile(rf"[\s-]?(?:{_SIGNS}|(?:{_WORDS})(?![A-Za-z0-9]))", re.IGNORECASE)
_BEFORE = re.compile(r"(?:US\$|HK\$|[€$£]|(?<![A-Za-z])(?:USD|EUR|GBP|CNY|RMB|JPY|HKD)|人民币)\s?$", re.IGNORECASE)


def unit_after(text: str, at: int) -> tuple[str, int]:
    """(the unit that follows at this place, where it ends); ("", at) when none does."""
    found = _AFTER.match(text, at)
    if not found:
        return "", at
    alias = " ".join(found[0].strip(" -\t\n").split())
    if len(alias) == 1 and alias in "GHLS":  # 5G is no weight
        return "", at
    return _OF[alias.lower()], found.end()


def unit_before(text: str, at: int) -> tuple[str, int]:
    """(the currency that stands right before this place, where it begins); ("", at) when there is none."""
    found = _BEFORE.search(text, max(0, at - 5), at)
    return (_OF[found[0].strip().lower()], found.start()) if found else ("", at)
