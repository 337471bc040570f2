"""The text index: our own postings, in the same transaction as the rows, so it is never stale.

BM25 with k1 = 1.2, b = 0.75 and idf = ln(1 + (n − df + 0.5)/(df + 0.5)) (Robertson & Zaragoza 2009; Lucene's idf).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assistant.store.chunks import ids_of
from assistant.store.found import TextFound, TextHit
from assistant.store.matrix import Numbers, among, best_rows
from assistant.store.schema import read_meta, registered, write_meta

K1 = 1.2
B = 0.75
_BRANCHES = 40
_SLICES = 8
_SMALL = 200_000

_ADD = """
INSERT INTO postings SELECT md5_number_lower(term), id, count(*), any_value(len)
FROM (SELECT id, unnest(l) AS term, len(l) AS len FROM (SELECT id, string_split(toks, ' ') AS l FROM fresh_terms))
GROUP BY term, id ORDER BY 1, 2
"""

Tokens = Callable[[str], list[str]]


def key(term: str) -> int:
    """The 64-bit key of a term, equal to DuckDB's md5_number_lower; twice as fast to search as the word itself."""
    return int.from_bytes(hashlib.md5(term.encode(), usedforsecurity=False).digest()[8:], "little")


def add(cursor: duckdb.DuckDBPyConnection, numbers: Numbers, texts: Sequence[str], tokens: Tokens) -> None:
    """Indexes these chunks, inside the caller's transaction."""
    terms = [tokens(text) for text in texts]
    filled = [index for index, words in enumerate(terms) if words]
    lengths = pa.table({"doc_id": pa.array(numbers, pa.int32()), "len": pa.array(map(len, terms), pa.int32())})
    joined = pa.array([" ".join(terms[index]) for index in filled], pa.string())
    fresh = pa.table({"id": pa.array(numbers[filled], pa.int32()), "toks": joined})
    with registered(cursor, fresh_lengths=lengths, fresh_terms=fresh):
        cursor.execute("INSERT INTO lengths SELECT doc_id, len FROM fresh_lengths")
        cursor.execute(_ADD)


def remove(cursor: duckdb.DuckDBPyConnection, numbers: Numbers) -> None:
    """Takes these chunks out of the index, inside the caller's transaction."""
    if not len(numbers):
        return
    with registered(cursor, gone=pa.table({"doc_id": pa.array(numbers, pa.int32())})):
        for table in ("postings", "lengths"):
            cursor.execute(f"DELETE FROM {table} WHERE doc_id IN (SELECT doc_id FROM gone)")


def clear(cursor: duckdb.DuckDBPyConnection) -> None:
    """Empties the index, inside the caller's transaction."""
    cursor.execute("CREATE OR REPLACE TABLE postings(term UBIGINT, doc_id INTEGER, tf INTEGER, len INTEGER)")
    cursor.execute("CREATE OR REPLACE TABLE lengths(doc_id INTEGER, len INTEGER)")
    write_meta(cursor, "sorted_postings", "0")


@dataclass(frozen=True)
class Matched:
    """All postings of some terms, in the order of the terms: which term, which chunk, how often, how long a chunk."""

    words: tuple[str, ...]
    which: NDArray[Any]
    docs: NDArray[Any]
    frequencies: NDArray[Any]
    lengths: NDArray[Any]

    def among(self, numbers: Numbers | Sequence[int]) -> Matched:
        """Those of these chunks."""
        kept = np.flatnonzero(among(self.docs, numbers))
        columns = (self.which, self.docs, self.frequencies, self.lengths)
        return Matched(self.words, *(column[kept] for column in columns))


def look_up(cursor: duckdb.DuckDBPyConnection, terms: Sequence[str]) -> Matched:
    """The postings of these terms, repeated terms once."""
    words = tuple(dict.fromkeys(terms))
    parts = [_branches(cursor, words, start) for start in range(0, len(words), _BRANCHES)]
    if not parts:
        return Matched(words, *(np.empty(0, dtype=np.int32) for _ in range(4)))
    columns = [np.concatenate([part[name] for part in parts]) for name in ("i", "doc_id", "tf", "len")]
    order = np.argsort(columns[0], kind="stable")
    return Matched(words, *(column[order] for column in columns))


def _branches(cursor: duckdb.DuckDBPyConnection, words: Sequence[str], start: int) -> dict[str, NDArray[Any]]:
    # one point scan per term: twice as fast as IN, which reads the whole table. SMALLINT: numpy sorts it by radix
    branches = (
        f"SELECT {start + offset}::SMALLINT AS i, doc_id, tf, len FROM postings WHERE term = {key(word)}"
        for offset, word in enumerate(words[start : start + _BRANCHES])
    )
    return cursor.execute(" UNION ALL ".join(branches)).fetchnumpy()


def size(cursor: duckdb.DuckDBPyConnection) -> tuple[int, float]:
    """Chunks in the index, and their average length in terms (0 when there is none)."""
    n, average = cursor.execute("SELECT count(*), coalesce(avg(len), 0) FROM lengths").fetchall()[0]
    return int(n), float(average)


def search(
    cursor: duckdb.DuckDBPyConnection, terms: Sequence[str], depth: int, allowed: Numbers | None = None
) -> TextFound:
    """The `depth` best chunks for these terms by BM25."""
    return rank(cursor, look_up(cursor, terms), size(cursor), depth, allowed)


def rank(
    cursor: duckdb.DuckDBPyConnection,
    matched: Matched,
    size: tuple[int, float],
    depth: int,
    allowed: Numbers | None = None,
) -> TextFound:
    """The `depth` best chunks by BM25, equal ones by age. `size` as returned by size(); `allowed`: the scope."""
    n, average = size
    df = np.bincount(matched.which, minlength=len(matched.words))
    idf = np.log(1 + (n - df + 0.5) / (df + 0.5))
    if allowed is not None:
        matched = matched.among(allowed)
    norm = K1 * (1 - B + B * matched.lengths / average) if average else K1
    shares = idf[matched.which] * matched.frequencies * (K1 + 1) / (matched.frequencies + norm)
    hits = _hits(matched, shares, depth)
    names = ids_of(cursor, list(hits))
    return TextFound(
        tuple(TextHit(names[number], *rest) for number, rest in hits.items() if number in names),
        {word: int(df[index]) for index, word in enumerate(matched.words)},
        n,
        average,
    )


def _hits(
    matched: Matched, shares: NDArray[Any], depth: int
) -> dict[int, tuple[float, int, dict[str, tuple[int, float]]]]:
    """Chunk number → (score, length, term → (tf, share)), best first."""
    if not len(matched.docs):
        return {}
    # one sum per chunk in the order of the terms, so a hit's shares add up to its score to the last bit
    scores = np.bincount(matched.docs, weights=shares)
    seen = np.flatnonzero(scores)
    top = seen[best_rows(scores[seen], seen, depth)]
    held: dict[int, dict[str, tuple[int, float]]] = {doc: {} for doc in top.tolist()}
    lengths: dict[int, int] = {}
    for row in np.flatnonzero(among(matched.docs, top)).tolist():
        doc = int(matched.docs[row])
        held[doc][matched.words[matched.which[row]]] = (int(matched.frequencies[row]), float(shares[row]))
        lengths[doc] = int(matched.lengths[row])
    return {doc: (float(scores[doc]), lengths[doc], terms) for doc, terms in held.items()}


def holders(matched: Matched, numbers: Iterable[int]) -> dict[int, set[str]]:
    """Chunk number → those of the terms it holds; every asked number is there."""
    found: dict[int, set[str]] = {number: set() for number in numbers}
    kept = matched.among(list(found))
    for index, number in zip(kept.which.tolist(), kept.docs.tolist(), strict=True):
        found[number].add(matched.words[index])
    return found


def unsorted_share(cursor: duckdb.DuckDBPyConnection) -> float:
    """Share of the postings that came in since the last compaction, 0–1; 0 while the table is small."""
    rows = cursor.execute("SELECT count(*) FROM postings").fetchall()[0][0]
    if rows < _SMALL:
        return 0.0
    return float(abs(rows - int(read_meta(cursor, "sorted_postings") or 0)) / rows)


def compact(cursor: duckdb.DuckDBPyConnection) -> None:
    """Sorts the postings again, inside the caller's transaction; slice by slice, so memory stays bounded."""
    cursor.execute("CREATE TABLE sorted_postings(term UBIGINT, doc_id INTEGER, tf INTEGER, len INTEGER)")
    step = (1 << 64) // _SLICES
    for index in range(_SLICES):
        last = (index + 1) * step - 1
        cursor.execute(
            f"INSERT INTO sorted_postings SELECT * FROM postings WHERE term BETWEEN {index * step} AND {last} "
            "ORDER BY term, doc_id"
        )
    cursor.execute("DROP TABLE postings")
    cursor.execute("ALTER TABLE sorted_postings RENAME TO postings")
    rows = cursor.execute("SELECT count(*) FROM postings").fetchall()[0][0]
    write_meta(cursor, "sorted_postings", str(rows))
