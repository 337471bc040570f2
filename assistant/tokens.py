"""The one tokenizer: index, query and marking all use it, for Chinese and English alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from assistant.errors import SettingsError

VERSION = 1

# NFKC folds only two of the radicals U+2E80–2EF3 that PDF text layers hold instead of the ideographs; this is Unicode's
# EquivalentUnifiedIdeograph for the others.
_RADICALS = str.maketrans(
    "⺁⺂⺃⺄⺅⺆⺇⺈⺉⺊⺋⺌⺍⺎⺏⺐⺑⺒⺓⺔⺕⺖⺗⺘⺙⺛⺜⺝⺞⺟⺠⺡⺢⺣⺤⺥⺦⺧⺨⺩⺪⺫⺬⺭⺮⺯⺰⺱⺲⺳⺴⺵⺶⺷⺸⺹⺺"
    "⺻⺼⺽⺾⺿⻀⻁⻂⻃⻄⻅⻆⻇⻈⻉⻊⻋⻌⻍⻎⻏⻐⻑⻒⻓⻔⻕⻖⻗⻘⻙⻚⻛⻜⻝⻞⻟⻠⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲⻳",
    "厂乛乚乙亻冂𠘨刀刂卜㔾小小兀尣尢𡯂巳幺彑彐忄心扌攵旡日月歺母民氵氺灬爫爫丬牛犭王𤴔目示礻𥫗糹纟罓罒㓁冗𦉫羊𦍌𦍋耂肀"
    "聿肉𦥑艹艹艹虎衤覀西见角𧢲讠贝𧾷车辶辶辶邑钅長镸长门𨸏阝雨青韦页风飞食𩙿飠饣𩠐马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟",
)
_ACCENTS = re.compile(r"[\u0300-\u036f]+")
_ACCENTED = re.compile(r"[\u00c0-\u058f\u1e00-\u1fff]")
_CJK = "々-〇ぁ-ゖァ-ヺー㐀-䶿一-鿿가-힣豈-﫿\U00020000-\U000323af"
_WORD = rf"[^\W{_CJK}]"
_RUN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<thousands>(?<!\w)[0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9]))"
    r"|(?P<contraction>(?<=\w)['’](?:s|t|d|m|re|ve|ll)\b)"
    rf"|(?P<latin>{_WORD}+(?:[-.]{_WORD}+)*(?:\+\+|\#(?!\w))?)"
)
_PARTS = re.compile(r"[0-9]+|[^\W\d_]+|\d+")
_FEW_PARTS = 12
_CONNECTED = re.compile(r"[^\W_]+")
_ORDINAL = re.compile(r"[0-9]+(?:st|nd|rd|th)")
_CLUSTER = re.compile(r".[\u0300-\u036f\u3099\u309a\u1160-\u11ff]*", re.DOTALL)


class Token(NamedTuple):
    """One term of a query. `identifier`: a thing a person types exactly, such as ERR_CONN_1042, X200, C++ or 2023."""

    text: str
    identifier: bool


class _Piece(NamedTuple):
    text: str
    start: int
    end: int
    whole: bool


def fold(text: str) -> str:
    """The text as it is compared: NFKC, case folded, accents off, radicals as ideographs. For comparison only."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text.translate(_RADICALS)).casefold()
    if _ACCENTED.search(folded) or _ACCENTS.search(folded):
        folded = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", folded)))
    return folded


@dataclass(frozen=True)
class Tokenizer:
    """Cuts text into terms. Equal settings have an equal `identity`, which each knowledge base stores.

    `cjk`: "bigrams" (each two neighbouring characters) or "words" (jieba, search mode). `stem`: English plural s off.
    """

    cjk: Literal["words", "bigrams"] = "words"
    stem: bool = False

    @property
    def identity(self) -> str:
        """What a text index was built with, e.g. "1:bigrams"."""
        return f"{VERSION}:{self.cjk}{':stem' if self.stem else ''}"

    def tokens(self, text: str) -> list[str]:
        """All terms in order, repeated ones too; identifiers both whole and in parts. None contains white space."""
        return [piece.text for piece in self._pieces(fold(text))]

    def query_terms(self, text: str) -> list[Token]:
        """The distinct terms in order. Parts of an identifier are terms of their own, but not identifiers."""
        found: dict[str, bool] = {}
        for piece in self._pieces(fold(text)):
            named = piece.whole and is_identifier(piece.text)
            found[piece.text] = found.get(piece.text, False) or named
        return [Token(term, identifier) for term, identifier in found.items()]

    def spans(self, text: str, terms: Collection[str]) -> list[tuple[int, int, str]]:
        """(start, end, term) of each occurrence in the original text, by start, the longer first; they may overlap."""
        wanted = set(terms)
        folded, offsets = _fold_with_offsets(text)
        found = {
            (offsets[piece.start][0], offsets[piece.end - 1][1], piece.text)
            for piece in self._pieces(folded)
            if piece.text in wanted
        }
        return sorted(found, key=lambda span: (span[0], -span[1], span[2]))

    def _pieces(self, folded: str) -> Iterator[_Piece]:
        for run in _RUN.finditer(folded):
            start, text = run.start(), run.group()
            if run.lastgroup == "cjk":
                yield from self._cjk(text, start)
            elif run.lastgroup == "thousands":
                yield _Piece(text.replace(",", ""), start, run.end(), True)
            elif run.lastgroup == "latin":
                yield from self._latin(text, start)

    def _cjk(self, run: str, start: int) -> Iterator[_Piece]:
        if self.cjk == "words":
            for word, first, last in _jieba_words(run):
                yield _Piece(word, start + first, start + last, True)
        elif len(run) == 1:
            yield _Piece(run, start, start + 1, True)
        else:
            for at in range(len(run) - 1):
                yield _Piece(run[at : at + 2], start + at, start + at + 2, True)

    def _latin(self, run: str, start: int) -> Iterator[_Piece]:
        if run.isalpha() or run.isdigit():
            yield _Piece(self._stemmed(run), start, start + len(run), True)
            return
        whole = run.strip("_")
        if not whole:
            return
        start += run.index(whole)
        yield _Piece(whole, start, start + len(whole), True)
        parts = list(_PARTS.finditer(whole))
        if len(parts) > _FEW_PARTS:
            parts = list(_CONNECTED.finditer(whole))
        for part in parts:
            if part.group() != whole:
                yield _Piece(self._stemmed(part.group()), start + part.start(), start + part.end(), False)

    def _stemmed(self, word: str) -> str:
        """Harman's S-stemmer (JASIS 1991): ies → y, es → e, s → nothing, with its exceptions."""
        if not self.stem or len(word) < 4 or not word.endswith("s") or word.endswith(("us", "ss")):
            return word
        if word.endswith("ies"):
            return word if word.endswith(("eies", "aies")) else word[:-3] + "y"
        if word.endswith("es") and word.endswith(("aes", "ees", "oes")):
            return word
        return word[:-1]


def is_identifier(term: str) -> bool:
    """Whether a person would type this exactly: letters with digits, underscores, C++, C#, numbers from two digits."""
    digits = sum(character.isdigit() for character in term)
    if _ORDINAL.fullmatch(term):
        return False
    if term.isdigit():
        return digits >= 2
    return digits > 0 or "_" in term or term.endswith(("+", "#"))


def _fold_with_offsets(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The folded text, and for each of its characters where it came from."""
    if text.isascii():
        return text.lower(), [(at, at + 1) for at in range(len(text))]
    folded: list[str] = []
    offsets: list[tuple[int, int]] = []
    for cluster in _CLUSTER.finditer(text):
        piece = _fold_cluster(cluster.group())
        folded.append(piece)
        offsets.extend([cluster.span()] * len(piece))
    return "".join(folded), offsets


@lru_cache(maxsize=20_000)
def _fold_cluster(cluster: str) -> str:
    return fold(cluster)


def _jieba_words(run: str) -> Iterator[tuple[str, int, int]]:
    try:
        import rjieba
    except ImportError as err:
        raise SettingsError("Cutting Chinese into words needs jieba; run: pip install rjieba==0.2.2") from err
    yield from rjieba.tokenize(run, "search")


DEFAULT = Tokenizer()


def tokens(text: str) -> list[str]:
    """All terms of the text in order, as the default tokenizer cuts them."""
    return DEFAULT.tokens(text)


def query_terms(text: str) -> list[Token]:
    """The distinct terms of a query in order, as the default tokenizer cuts them."""
    return DEFAULT.query_terms(text)


def spans(text: str, terms: Collection[str]) -> list[tuple[int, int, str]]:
    """(start, end, term) of each occurrence of these terms in the original text; they may overlap."""
    return DEFAULT.spans(text, terms)


def identifiers(query: str) -> tuple[str, ...]:
    """The query's identifiers in order, folded as terms: ("err_conn_1042",). Empty when there is none."""
    return tuple(term.text for term in query_terms(query) if term.identifier)
