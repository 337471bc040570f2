"""The text index by DuckDB's fts extension, over our own tokens; kept for comparison, slower than the postings.

The extension sees no row that came after its index was built, so a search over a stale index builds it again first.
"""

from __future__ import annotations

import importlib.util
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from assistant.errors import SettingsError, StoreError
from assistant.store import chunks, index
from assistant.store.chunks import Change
from assistant.store.database import Database
from assistant.store.found import TextFound, TextHit
from assistant.store.matrix import Numbers
from assistant.store.postings import K1, B, size
from assistant.store.schema import read_meta, registered, write_meta
from assistant.tokens import Tokenizer

_BATCH = 2_000
# fts takes the logarithm to base 10
_SCALE = math.log(10)


def load(database: Database) -> None:
    """Loads the extension from its PyPI package; never from the network. Raises SettingsError when it is not there."""
    found = importlib.util.find_spec("duckdb_extension_fts")
    folders = list(found.submodule_search_locations or []) if found else []
    files = [Path(folder) / "extensions" / f"v{duckdb.__version__}" / "fts.duckdb_extension" for folder in folders]
    file = next((file for file in files if file.exists()), None)
    if file is None:
        raise SettingsError(
            "The setting index.text_index = 'fts' needs DuckDB's extension; "
            f"run: pip install duckdb-extension-fts=={duckdb.__version__}, or choose 'postings'."
        )
    quoted = str(file).replace("'", "''")
    # without this match_bm25 multiplies all chunks with all terms: 3 s for 1,000 chunks (duckdb 1.3.2)
    database.setup(f"LOAD '{quoted}'; SET disabled_optimizers = 'join_order'")


def search(
    database: Database, terms: Sequence[str], depth: int, allowed: Numbers | None, tokenizer: Tokenizer
) -> TextFound:
    """The same as the postings find; the index is built anew first when chunks have changed since."""
    if database.read(behind):
        _rebuild(database, tokenizer)
    return database.read(lambda cursor: _search(cursor, list(dict.fromkeys(terms)), depth, allowed))


def behind(cursor: duckdb.DuckDBPyConnection) -> bool:
    """Whether chunks changed since the index was built."""
    return read_meta(cursor, "fts_built") != _wanted(cursor)


def _wanted(cursor: duckdb.DuckDBPyConnection) -> str:
    return f"{index.revision(cursor)} {read_meta(cursor, 'tokenizer')}"


def _rebuild(database: Database, tokenizer: Tokenizer) -> None:
    if database.read_only:
        raise StoreError("The fts index is behind the documents; open the knowledge base once for writing.")

    def work(cursor: duckdb.DuckDBPyConnection) -> Change:
        _fill(cursor, tokenizer)
        cursor.execute(
            "PRAGMA create_fts_index('fts_terms', 'number', 'terms', stemmer = 'none', stopwords = 'none', "
            "ignore = '\\s+', strip_accents = 0, lower = 0, overwrite = 1)"
        )
        write_meta(cursor, "fts_built", _wanted(cursor))
        return Change()

    database.write(work)


def _fill(cursor: duckdb.DuckDBPyConnection, tokenizer: Tokenizer) -> None:
    cursor.execute("CREATE OR REPLACE TABLE fts_terms(number INTEGER, terms VARCHAR)")
    numbers = chunks.numbers(cursor, "true")
    for start in range(0, len(numbers), _BATCH):
        listed = ",".join(map(str, numbers[start : start + _BATCH].tolist()))
        rows = chunks.stored(cursor, f"number IN ({listed})")
        joined = [" ".join(tokenizer.tokens(row.indexed_text())) for row in rows]
        fresh = pa.table({"number": pa.array([row.number for row in rows], pa.int32()), "terms": joined})
        with registered(cursor, fresh_fts=fresh):
            cursor.execute("INSERT INTO fts_terms SELECT number, terms FROM fresh_fts")


def _search(cursor: duckdb.DuckDBPyConnection, words: list[str], depth: int, allowed: Numbers | None) -> TextFound:
    n, average = size(cursor)
    if not words:
        return TextFound((), {}, n, average)
    marks = ",".join("?" * len(words))
    sql = f"SELECT term, df FROM fts_main_fts_terms.dict WHERE term IN ({marks})"
    counted = dict(cursor.execute(sql, words).fetchall())
    frequencies = {word: int(counted.get(word, 0)) for word in words}
    rows = _matched(cursor, words, depth, allowed)
    names = chunks.ids_of(cursor, [number for number, _, _ in rows])
    hits = []
    for number, score, text in rows:
        held = Counter(text.split(" "))
        length = sum(held.values())
        shares = {word: _share(held[word], frequencies[word], length, n, average) for word in words if held[word]}
        terms = {word: (held[word], share) for word, share in shares.items()}
        hits.append(TextHit(names[number], score * _SCALE, length, terms))
    return TextFound(tuple(hits), frequencies, n, average)


def _matched(
    cursor: duckdb.DuckDBPyConnection, words: list[str], depth: int, allowed: Numbers | None
) -> list[tuple[int, float, str]]:
    scope = {} if allowed is None else {"allowed": pa.table({"number": pa.array(allowed, pa.int32())})}
    narrowed = "" if allowed is None else "SEMI JOIN allowed USING (number)"
    with registered(cursor, **scope):
        return cursor.execute(
            "SELECT number, score, terms FROM (SELECT number, terms, fts_main_fts_terms.match_bm25(number, ?) AS score "
            f"FROM fts_terms) {narrowed} WHERE score IS NOT NULL ORDER BY score DESC, number LIMIT {int(depth)}",
            [" ".join(words)],
        ).fetchall()


def _share(tf: int, df: int, length: int, n: int, average: float) -> float:
    idf = float(np.log(1 + (n - df + 0.5) / (df + 0.5)))
    return idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / average))
