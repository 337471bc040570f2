"""What is said of embedding files and of the indexes, in English and in Chinese; sentences.py explains the patterns."""

from __future__ import annotations

from ui.panels.sentences_of_files import Pair

EMBEDDED: tuple[Pair, ...] = (
    (
        "{name}: chunk {n:number} ({start}) could not be embedded: {why:reason} {more:number} more failed too.",
        "{name}：第 {n} 个片段（{start}）无法向量化：{why}另有 {more} 个片段也失败了。",
    ),
    (
        "{name}: chunk {n:number} ({start}) could not be embedded: {why:reason}",
        "{name}：第 {n} 个片段（{start}）无法向量化：{why}",
    ),
    (
        "{name}: chunks longer than the embedding model reads: {n:number}; each was embedded in parts.",
        "{name}：有 {n} 个片段超过嵌入模型的长度限制；已分段向量化。",
    ),
    ("The vectors of its parts cancel each other out.", "各段的向量相互抵消。"),
    (
        "{model} at {url} gave no usable vector (zeros or NaN) for the text {start}; restart Ollama and retry.",
        "{url} 上的 {model} 没有为文本 {start} 给出可用的向量（全零或 NaN）；请重启 Ollama 后重试。",
    ),
    (
        "{model} at {url} gave vectors of shape {shape} for {n:number} texts of {size:number} numbers.",
        "{url} 上的 {model} 返回的向量形状为 {shape}，应为 {n} 个文本、每个 {size} 维。",
    ),
    (
        "{model} at {url} gave no vector for a test word; choose another model.",
        "{url} 上的 {model} 没有为一个测试词给出向量；请选择其他模型。",
    ),
    (
        "A text of {n:number} tokens ({start}…) is longer than the {limit:number} that {model} reads; "
        "cut it into shorter chunks (setting chunking.size).",
        "一段 {n} 个词元的文本（{start}…）超过 {model} 可读的 {limit} 个；请切成更短的片段（设置 chunking.size）。",
    ),
    (
        "The embedding model {model} reads English only; choose one for Chinese and English, such as {one} or {other} "
        "(setting embedding.model).",
        "嵌入模型 {model} 只懂英文；请选择中英文模型，例如 {one} 或 {other}（设置 embedding.model）。",
    ),
    # the model of a base
    (
        "The model {model} at {url} is another one now ({now}) than the knowledge base was embedded with ({then}); "
        "embed the base again with it (launch.py reembed).",
        "{url} 上的模型 {model} 已换成另一个（{now}），不是建立知识库时的那个（{then}）；"
        "请用它重新向量化（launch.py reembed）。",
    ),
    (
        "The question was embedded with another model ({model}) than the knowledge base has now; ask it again, or open "
        "the base again.",
        "问题所用的嵌入模型（{model}）与知识库现在的模型不同；请重新提问，或重新打开知识库。",
    ),
    (
        "A vector has {n:number} dimensions, but the knowledge base was built with {built}; choose that model, or "
        "embed everything again.",
        "向量有 {n} 维，而知识库由 {built} 建立；请选择该模型，或重新向量化。",
    ),
    (
        "Vectors of the model {model} cannot be stored in a knowledge base built with {built}; open it with that "
        "model, or embed everything again.",
        "模型 {model} 的向量不能存入由 {built} 建立的知识库；请用该模型打开，或重新向量化。",
    ),
    (
        "There is no embedding provider named {name}; choose one of: {known:list}.",
        "没有名为 {name} 的嵌入来源；可选：{known}。",
    ),
    # indexes
    (
        "An index is being built already; wait for it or stop it first.",
        "正在建立索引；请等待其完成，或先停止。",
    ),
    (
        "The index of {model} is in use; switch to another one before removing it.",
        "{model} 的索引正在使用；请先切换到另一个再移除。",
    ),
    (
        "There is no index {name}; take one from the list of the indexes.",
        "没有索引 {name}；请从索引列表中选择。",
    ),
    (
        "{n:number} of {all:number} chunks have no vector of {model}, and {bad:number} vectors are unusable; embed "
        "them first.",
        "{all} 个片段中有 {n} 个没有 {model} 的向量，另有 {bad} 个向量不可用；请先向量化。",
    ),
    (
        "A vector of {model} is zero or not finite; nothing was kept. Embed the text again.",
        "{model} 的一个向量为零或不是有限数；未保存。请重新向量化该文本。",
    ),
)
