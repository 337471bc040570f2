"""Glassbox: ask your own files; every answer shows how it was found.

Files → documents (readers) → chunks (chunking) → store → routes → fusion → rerank → confidence → decision
→ (rewrite → routes …) → answer → trace → panels.
"""
