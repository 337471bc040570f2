"""multilingual-e5-small as an ONNX graph: the word embeddings of one text in, its vector of length 1 out.

Word embeddings come in as numbers, not as token ids: their table stays in 4 bits outside the graph
(E5Weights.word_rows), which keeps the graph at 22 MB instead of 400.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from assistant.providers.e5_weights import E5Weights

# 7 of the 8 bits: without VNNI, x86 adds pairs of products in 16 bits, where 255 × 127 × 2 would overflow silently.
# Costs 0.0004 of cosine.
_LARGEST = 63


def build_graph(weights: E5Weights, int8: bool = True) -> bytes:
    """The serialised graph. Input words (1, tokens, hidden), output vectors (1, hidden), both float32.

    int8: weights rounded per output channel, inputs of each product rounded on the fly (else float32 throughout).
    """
    return _Graph(weights, int8).serialised()


class _Graph:
    """Collects nodes and constants; every method adds some and returns the name of what they give."""

    def __init__(self, weights: E5Weights, int8: bool) -> None:
        self._weights = weights
        self._int8 = int8
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def serialised(self) -> bytes:
        rows = self._embeddings()
        for layer in range(self._weights.layers):
            rows = self._layer(f"l{layer}", rows)
        self._pooled(rows)
        hidden = self._weights.hidden
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", hidden])],
            [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [1, hidden])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="glassbox")
        onnx.checker.check_model(model)
        content: bytes = model.SerializeToString(deterministic=True)
        return content

    def _op(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, list(inputs), [output], name=output, **attributes))
        return output

    def _constant(self, name: str, values: NDArray[Any]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _embeddings(self) -> str:
        hidden = self._weights.hidden
        kinds = self._weights.tensor("emb.type", -1, hidden)
        self._constant("positions", self._weights.tensor("emb.pos", -1, hidden) + kinds[0])
        self._constant("zero", np.array([0], np.int64))
        self._op("Shape", ["words"], "length", start=1, end=2)
        self._op("Slice", ["positions", "zero", "length", "zero"], "places")
        return self._normal("emb.ln", self._op("Add", ["words", "places"], "placed"))

    def _layer(self, layer: str, rows: str) -> str:
        parts = [self._linear(f"{layer}.{part}", rows) for part in ("q", "k", "v")]
        seen = self._op(
            "MultiHeadAttention",
            parts,
            f"{layer}.attention",
            domain="com.microsoft",
            num_heads=self._weights.heads,
        )
        summed = self._op("Add", [rows, self._linear(f"{layer}.ao", seen)], f"{layer}.attended")
        rows = self._normal(f"{layer}.aln", summed)
        inner = self._op("Gelu", [self._linear(f"{layer}.fi", rows)], f"{layer}.gelu")
        summed = self._op("Add", [rows, self._linear(f"{layer}.fo", inner)], f"{layer}.fed")
        return self._normal(f"{layer}.oln", summed)

    def _normal(self, name: str, rows: str) -> str:
        scale = self._constant(f"{name}.w", self._weights.tensor(f"{name}.w"))
        shift = self._constant(f"{name}.b", self._weights.tensor(f"{name}.b"))
        epsilon = self._weights.epsilon
        return self._op("LayerNormalization", [rows, scale, shift], f"{name}.out", axis=-1, epsilon=epsilon)

    def _linear(self, name: str, rows: str) -> str:
        bias = self._weights.tensor(f"{name}.b")
        matrix = self._weights.tensor(f"{name}.w", bias.size, -1).T
        product = self._int8_product(name, rows, matrix) if self._int8 else self._product(name, rows, matrix)
        return self._op("Add", [product, self._constant(f"{name}.b", bias)], f"{name}.out")

    def _product(self, name: str, rows: str, matrix: NDArray[np.float32]) -> str:
        return self._op("MatMul", [rows, self._constant(f"{name}.w", matrix)], f"{name}.product")

    def _int8_product(self, name: str, rows: str, matrix: NDArray[np.float32]) -> str:
        """rows × matrix in whole numbers; onnxruntime fuses these nodes into one."""
        scale = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / _LARGEST
        rounded = np.rint(matrix / scale).astype(np.int8)
        whole, step, zero = self._rounded(rows)
        self._constant(f"{name}.w", rounded)
        self._constant(f"{name}.zero", np.zeros(scale.shape, np.int8))
        self._op("MatMulInteger", [whole, f"{name}.w", zero, f"{name}.zero"], f"{name}.whole")
        self._op("Cast", [f"{name}.whole"], f"{name}.float", to=TensorProto.FLOAT)
        self._op("Mul", [step, self._constant(f"{name}.scale", scale)], f"{name}.steps")
        return self._op("Mul", [f"{name}.float", f"{name}.steps"], f"{name}.product")

    def _rounded(self, rows: str) -> tuple[str, str, str]:
        outputs = (f"{rows}.whole", f"{rows}.step", f"{rows}.zero")
        # query, key and value share their input: rounded once
        if not any(node.name == outputs[0] for node in self._nodes):
            self._nodes.append(helper.make_node("DynamicQuantizeLinear", [rows], list(outputs), name=outputs[0]))
        return outputs

    def _pooled(self, rows: str) -> str:
        """Mean over the tokens, at length 1."""
        self._op("ReduceMean", [rows, self._constant("tokens_axis", np.array([1], np.int64))], "mean", keepdims=0)
        return self._op("LpNormalization", ["mean"], "vectors", axis=-1, p=2)
