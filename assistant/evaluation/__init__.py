"""Evaluation: many questions over a folder of documents, one line of results each."""
