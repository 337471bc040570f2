"""The store: one DuckDB file per knowledge base, its rows, vectors and text index in step.

`assistant.store.base.Base` is the product's door, `assistant.store.vector_store.GlassboxVectorStore` LlamaIndex's.
"""
