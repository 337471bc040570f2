"""What can go wrong, split by what the person does next.

AssistantError
├── SettingsError      a setting has a value that cannot be used: edit it
├── ModelUnavailable   a model cannot be reached or loaded: start it, install it, choose another
├── UnreadableFile     one file cannot be read: it is marked and skipped, the others go on
├── StoreError         the knowledge base cannot be opened or written: close the other program, rebuild
│   ├── BaseInUse      another process has it open
│   └── WrongModel     it was built with another embedding model
├── BadReply           a model answered something that cannot be used: retry
├── TextTooLong        a text is longer than the model reads: cut it into shorter chunks
└── BadTrace           a saved trace cannot be read: choose another file

Each message is one sentence: what happened, with which value, and what to do next.
"""

from __future__ import annotations


class AssistantError(Exception):
    """Base of every error that a person is meant to read."""


class SettingsError(AssistantError):
    """A setting has a value that cannot be used."""


class ModelUnavailable(AssistantError):
    """A model cannot be reached, loaded or found."""


class UnreadableFile(AssistantError):
    """One file cannot be read; `kind` says why in one word that screens and tests can rely on.

    Kinds: encrypted, scan, empty, corrupt, unsupported, too_large, too_slow, missing, denied, model.
    """

    def __init__(self, message: str, kind: str = "corrupt") -> None:
        super().__init__(message)
        self.kind = kind


class StoreError(AssistantError):
    """The knowledge base cannot be opened, read or written."""


class BaseInUse(StoreError):
    """Another process has the knowledge base open; `pid` is its process id, None when unknown."""

    def __init__(self, message: str, pid: int | None = None) -> None:
        super().__init__(message)
        self.pid = pid


class WrongModel(StoreError):
    """The knowledge base was built with another embedding model than the chosen one."""


class BadReply(AssistantError):
    """A model's reply cannot be used."""


class TextTooLong(AssistantError):
    """A text is longer than the model reads; `tokens` is its length, `limit` the model's. Never cut silently."""

    def __init__(self, message: str, tokens: int = 0, limit: int = 0) -> None:
        super().__init__(message)
        self.tokens = tokens
        self.limit = limit


class BadTrace(AssistantError):
    """A saved trace cannot be read."""
