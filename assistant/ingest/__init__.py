"""Files into the knowledge base: find → plan → read → chunk → embed → write, one file at a time, all or nothing."""

from assistant.ingest.jobs import run

__all__ = ["run"]
