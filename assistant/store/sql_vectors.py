"""The vector route by a plain SQL scan: slower than the matrix, but holds nothing in memory."""

from __future__ import annotations

import duckdb
import pyarrow as pa

from assistant.store.database import another_model
from assistant.store.found import Background, VectorFound
from assistant.store.matrix import Numbers, Vectors, normalised
from assistant.store.schema import read_embedder, registered

# not DuckDB's own cosine: for a vector of zeros it says −1 (1.3.2), the matrix says 0
_SEARCH = """
WITH c AS MATERIALIZED (
    SELECT node_id, number, least(1, greatest(-1, coalesce(
        {product}(embedding, {vector}) / nullif(sqrt({product}(embedding, embedding)), 0), 0))) AS cosine
    FROM documents {scope} WHERE embedding IS NOT NULL)
SELECT node_id, cosine, b.mean, b.deviation, b.n
FROM c, (SELECT avg(cosine) AS mean, stddev_pop(cosine) AS deviation, count(*) AS n FROM c) b
ORDER BY cosine DESC, number LIMIT {depth}
"""


def search(
    cursor: duckdb.DuckDBPyConnection,
    vector: Vectors,
    depth: int,
    allowed: Numbers | None = None,
    model: str | None = None,
) -> VectorFound:
    """The `depth` nearest chunks by cosine, equal ones by age. `allowed`: chunk numbers of the scope.

    `model`: fingerprint of the model that the vectors must be of. Raises WrongModel.
    """
    known = read_embedder(cursor)
    if model is not None and (known is None or known.fingerprint != model):
        raise another_model(model)
    typed = cursor.execute(
        "SELECT data_type FROM duckdb_columns() WHERE table_name = 'documents' AND column_name = 'embedding'"
    )
    column = typed.fetchall()[0][0]
    sql = _SEARCH.format(
        product="list_inner_product" if column == "FLOAT[]" else "array_inner_product",
        # a Python list as parameter takes 75 ms where a text takes 0.7
        vector=f"'[{','.join(repr(float(x)) for x in normalised(vector))}]'::{column}",
        scope="" if allowed is None else "SEMI JOIN allowed USING (number)",
        depth=int(depth),
    )
    scope = {} if allowed is None else {"allowed": pa.table({"number": pa.array(allowed, pa.int32())})}
    with registered(cursor, **scope):
        rows = cursor.execute(sql).fetchall()
    if not rows:
        return VectorFound((), (), Background())
    mean, deviation, n = rows[0][2:]
    return VectorFound(
        tuple(row[0] for row in rows),
        tuple(float(row[1]) for row in rows),
        Background(mean=mean, deviation=deviation, n=n),
    )
