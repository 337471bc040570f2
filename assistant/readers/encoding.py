"""Text from bytes, in whatever encoding Chinese and Western files are found."""

from __future__ import annotations

import codecs
import re

from assistant.errors import UnreadableFile

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SURE = 0.52
"""Least score of an East Asian encoding; wrong ones give 0.3, and 0.45 by chance."""
_LEGACY = ("gb18030", "big5hkscs", "cp932", "euc_kr", "euc_jp")

# The characters that make up about half of running text, simplified and traditional: few wrong decodings hit them.
COMMON_HAN = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行"
    "学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些"
    "然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月"
    "公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知"
    "较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处请务同报价单号码时限部门联系电话通知会议公司"
    "這個國為會來時們說過後對發學經進著現實體機點業開還應無與關變條結題總員設長頭資邊級圖統計見別運農幾區強決從戰處請務報"
    "價單號碼時間門聯電話議將並營項目錄費際網產線質氣內數兩種問題務據證該當給讓辦購買賣張頁組織環境標準"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_RARE = re.compile(
    r"[\ue000-\uf8ff\u3400-\u4dbf\U00010000-\U0010ffff\uff61-\uff9f\u0080-\u009f\u02b0-\u036f\u0530-\u1fff]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]")


def decode(data: bytes, prefer: str = "", name: str = "The file") -> tuple[str, str]:
    """The text, newlines as they are, and the name of its encoding. The byte order mark is not part of the text.

    Order: byte order mark, strict UTF-8 over the whole file (a first non-ASCII byte can come after 70 KB), UTF-16
    by its pattern of zero bytes, `prefer`, the East Asian encodings by how common the characters are that come
    out, charset-normalizer. Raises UnreadableFile("unsupported") for bytes that are no text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _strict(data, encoding, name)
    text = _attempt(data, "utf-8")
    if text is not None and not _binary(text):
        return (data.decode("iso2022_jp"), "iso2022_jp") if _by_escapes(data) else (text, "utf-8")
    wide = _utf16_without_mark(data)
    if wide is not None:
        return wide
    if b"\0" in data:
        raise _no_text(name)
    return _legacy(data, prefer, name)


def _by_escapes(data: bytes) -> bool:
    """Japanese of old mail: seven bits, switched by escape sequences."""
    return b"\x1b$" in data and _attempt(data, "iso2022_jp") is not None


def _strict(data: bytes, encoding: str, name: str) -> tuple[str, str]:
    text = data.decode(encoding, errors="replace")
    if text.count("\ufffd") > max(1, len(text) // 100):
        raise UnreadableFile(
            f"{name} begins like {encoding} text but breaks its rules; save it again as UTF-8.", "corrupt"
        )
    return text, encoding


def _attempt(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _binary(text: str) -> bool:
    sample = text[:200_000]
    return "\0" in sample or len(_CONTROL.findall(sample)) > max(1, len(sample) // 50)


def _utf16_without_mark(data: bytes) -> tuple[str, str] | None:
    """UTF-16 shows zero or repeated high bytes in every second place, line ends at least."""
    if len(data) < 4 or len(data) % 2:
        return None
    best: tuple[float, str, str] | None = None
    for encoding in ("utf-16-le", "utf-16-be"):
        text = _attempt(data, encoding)
        if text is None or _binary(text):
            continue
        plain = sum(1 for c in text[:5000] if c.isascii() or c in COMMON_HAN or "\u3000" <= c <= "\u303f")
        share = plain / min(len(text), 5000)
        if best is None or share > best[0]:
            best = (share, text, encoding)
    needed = 0.3 if b"\0" in data else 0.6  # without any zero byte two-byte Chinese could pass by chance
    return (best[1], best[2]) if best and best[0] >= needed else None


def _legacy(data: bytes, prefer: str, name: str) -> tuple[str, str]:
    candidates = [(encoding, text) for encoding in _LEGACY if (text := _attempt(data, encoding)) is not None]
    if prefer and (text := _attempt(data, prefer)) is not None:
        return text, prefer
    scored = sorted(((_score(text), -i, text, encoding) for i, (encoding, text) in enumerate(candidates)), reverse=True)
    if scored and scored[0][0] >= _SURE and not _western(data):
        return scored[0][2], scored[0][3]
    return _by_statistics(data, name)


def _score(text: str) -> float:
    """Share of the non-ASCII characters that are usual in their language, less the share that hardly occur."""
    sample = text[:100_000]
    foreign = [c for c in sample if not c.isascii()]
    if not foreign:
        return 0.0
    han, kana, hangul = (len(p.findall(sample)) for p in (_HAN, _KANA, _HANGUL))
    common = sum(c in COMMON_HAN for c in foreign) * 1.5
    marks = sum("\u3000" <= c <= "\u303f" or "\uff01" <= c <= "\uff5e" or c in "“”‘’…—·" for c in foreign)
    japanese = kana if kana > han * 0.2 else -kana
    korean = hangul if hangul > han * 6 else -hangul  # short Chinese text read as Korean is a mixture of both
    return (common + marks + japanese + korean + 0.3 * han - 2 * len(_RARE.findall(sample))) / len(foreign)


def _western(data: bytes) -> bool:
    """Single high bytes between ASCII letters (é, ü) come from Western text; East Asian ones come in pairs."""
    sample = data[:200_000]
    runs = re.findall(rb"[\x80-\xff]+", sample)
    high = len(_HIGH.findall(sample))
    lone = sum(len(run) for run in runs if len(run) == 1)
    return bool(high) and lone / high > 0.6


def _by_statistics(data: bytes, name: str) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    text = _attempt(data, "cp1252")
    if text is not None and _western(data) and not _binary(text):
        return text, "cp1252"
    best = from_bytes(data[:1_000_000]).best()
    if best is not None:
        text = _attempt(data, best.encoding)
        if text is not None and not _binary(text) and _printable(text):
            return text, best.encoding
    raise _no_text(name)


def _printable(text: str) -> bool:
    sample = text[:20_000]
    return sum(c.isprintable() or c in "\r\n\t\f" for c in sample) >= 0.97 * len(sample)


def _no_text(name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{name} holds binary data or an unknown encoding, not text; save it as UTF-8.", "unsupported"
    )
