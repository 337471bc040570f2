"""All settings with their defaults, bounds and meaning; docs/settings.md is generated from here."""

from __future__ import annotations

import codecs
import hashlib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from assistant.errors import SettingsError


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Reading(_Group):
    """How files are read. Another legacy encoding, and OCR switched on or off, need a new index."""

    max_megabytes: int = Field(200, ge=1, le=10_000, description="Larger files are refused with a reason.")
    seconds_per_file: int = Field(
        120, ge=1, le=3600, description="A file that takes longer to read, time for OCR not counted, is given up."
    )
    ocr: bool = Field(True, description="Recognise the text of pictures, and of PDF pages without a usable text layer.")
    seconds_per_ocr_page: int = Field(
        60,
        ge=1,
        le=3600,
        description="Each recognised page has this time of its own; one that takes longer is left out and named.",
    )
    ocr_minutes_per_file: int = Field(
        60,
        ge=1,
        le=1440,
        description="A page takes 2 to 10 seconds. Of a long scan the pages recognised in this time are kept and "
        "indexed, the others are named and the file counts as partly read.",
    )
    legacy_encoding: str = Field("", description="Encoding preferred for text that is not Unicode, e.g. gb18030.")

    @model_validator(mode="after")
    def _encoding_exists(self) -> Reading:
        if self.legacy_encoding:
            try:
                codecs.lookup(self.legacy_encoding)
            except (LookupError, ValueError) as err:
                raise ValueError(f"there is no encoding {self.legacy_encoding!r}") from err
        return self


class Chunking(_Group):
    """How documents are cut. Changing these needs a new index."""

    chunker: str = Field("structure", description="structure: headings, paragraphs, tables, then sentences.")
    size: int = Field(800, ge=100, le=4000, description="Characters per chunk, about.")
    overlap: int = Field(100, ge=0, le=1000, description="Characters repeated from the chunk before, about.")

    @model_validator(mode="after")
    def _overlap_below_half(self) -> Chunking:
        if self.overlap * 2 > self.size:
            raise ValueError(f"overlap {self.overlap} is more than half of size {self.size}")
        return self


class Embedding(_Group):
    """Which model turns text into vectors. A base keeps its own until it is switched to another one."""

    provider: str = Field(
        "",
        description="embedded: in-process, Chinese and English; ollama: a local server; "
        "empty = the base's own, embedded for a new one.",
    )
    model: str = Field("", description="Model name; empty = the provider's default.")
    query_prefix: str | None = Field(None, description="Put before questions for Ollama; unset = as the model needs.")
    passage_prefix: str | None = Field(None, description="Put before passages for Ollama; unset = as the model needs.")
    threads: int = Field(2, ge=1, le=64, description="Processor threads for the embedded model.")


class Index(_Group):
    """Which index answers. The data is the same; only the way it is searched changes."""

    text_index: Literal["postings", "fts"] = Field("postings", description="postings: ours; fts: DuckDB's extension.")
    vector_index: Literal["matrix", "sql"] = Field("matrix", description="matrix: exact, in memory; sql: DuckDB scan.")


class Retrieval(_Group):
    """How candidates are found and ordered."""

    routes: tuple[str, ...] = Field(("vector", "text"), min_length=1, description="Routes that search side by side.")
    depth: int = Field(50, ge=1, le=500, description="Hits taken from each route.")
    keep: int = Field(10, ge=1, le=100, description="Candidates that go on as evidence.")
    seconds_per_route: float = Field(0.3, gt=0, le=60, description="A later route is left out and recorded as late.")
    fusion: str = Field(
        "scores", description="scores: fixed scales; min_max: each route's own range; reciprocal_rank: RRF."
    )
    vector_weight: float = Field(0.5, ge=0, le=1, description="Weight of the vector route.")
    text_weight: float = Field(0.5, ge=0, le=1, description="Weight of the text route.")
    identifier_vector_weight: float = Field(0.2, ge=0, le=1, description="Vector weight for a query with identifiers.")
    identifier_text_weight: float = Field(0.8, ge=0, le=1, description="Text weight for a query with identifiers.")
    rrf_k: int = Field(60, ge=1, le=1000, description="k of reciprocal rank fusion.")
    reranker: str = Field("none", description="none: the fused order is final; graded: a chat model grades the best.")
    graded: int = Field(8, ge=1, le=50, description="So many of the best passages are graded.")
    min_grade: int = Field(0, ge=0, le=3, description="Passages graded lower (0–3) are dropped; 0 = none.")
    min_fused: float = Field(0.0, ge=0, le=1, description="Candidates with a lower fused score are dropped.")
    neighbours: int = Field(0, ge=0, le=3, description="Chunks before and after each hit added to the evidence.")

    @model_validator(mode="after")
    def _each_route_once(self) -> Retrieval:
        if len(set(self.routes)) < len(self.routes):
            raise ValueError("a route is named twice")
        return self


class Judging(_Group):
    """How confidence is computed and what follows from it."""

    method: str = Field("signals", description="signals: fitted; classic: .4 distribution + .3 overlap + .3 authority.")
    coefficients: str = Field("", description="Name of the shipped coefficients; empty = those of the embedder.")
    answer_at: float = Field(0.6, ge=0, le=1, description="At least this: answer.")
    decline_below: float = Field(0.25, ge=0, le=1, description="Below this: decline. Between: try again, then caveat.")
    authority: bool = Field(False, description="Adjust by the authority of the best source, up to ±0.1.")
    grades: bool = Field(True, description="Adjust by the best grade, where passages were graded: +0.1 to −0.3.")
    freshness: bool = Field(False, description="−0.1 for sources older than 6 months, −0.2 older than 12.")

    @model_validator(mode="after")
    def _bands_in_order(self) -> Judging:
        if self.decline_below > self.answer_at:
            raise ValueError(f"decline_below {self.decline_below} is above answer_at {self.answer_at}")
        return self


class Loop(_Group):
    """The retries."""

    max_attempts: int = Field(3, ge=1, le=10, description="Searches per question at most.")
    rewriters: tuple[str, ...] = Field(
        ("split", "identifiers", "translate", "decompose", "reword", "hyde", "step_back", "widen"),
        description="Ways to search again that may be tried; the reason of the failure says in which order. All but "
        "split, identifiers and widen ask the chat model and are left out without one.",
    )
    min_gain: float = Field(0.02, ge=0, le=1, description="A retry that gains less ends the loop.")


class Answering(_Group):
    """How the answer is written."""

    writer: str = Field("extractive", description="extractive: quoted sentences; ollama: written by a local model.")
    sentences: int = Field(2, ge=1, le=10, description="Sentences quoted; twice as many while the answer is short.")
    short: int = Field(105, ge=0, le=2000, description="An answer of at most so many characters counts as short.")
    model: str = Field("", description="Ollama chat model for written answers.")
    window: int = Field(
        8192, ge=1024, le=262_144, description="num_ctx for the chat model, never above what the model has."
    )
    max_tokens: int = Field(1024, ge=64, le=8192, description="num_predict: longest answer in tokens.")
    style: Literal["brief", "full", "detailed"] = Field(
        "full", description="brief: one sentence; full: some sentences; detailed: all that the sources say."
    )
    effort: Literal["quick", "balanced", "careful"] = Field(
        "balanced",
        description="Which requests the chat model gets besides the answer: quick: none; balanced: follow-ups and "
        "retries; careful: also grading and verification.",
    )


class Ollama(_Group):
    """Where the local model server is."""

    url: str = Field("", description="Address; empty = OLLAMA_HOST, else http://127.0.0.1:11434.")
    first_token_seconds: float = Field(
        600, gt=0, le=7200, description="Loading the model and reading the prompt may take so long."
    )
    idle_seconds: float = Field(60, gt=0, le=7200, description="An answer that pauses longer is given up.")
    keep_alive: str = Field("30m", pattern=r"^-?\d+(ms|s|m|h)$", description="How long a model stays loaded unused.")


class Settings(_Group):
    """Every setting of Glassbox. Frozen; `changed` gives a copy."""

    reading: Reading = Reading()
    chunking: Chunking = Chunking()
    embedding: Embedding = Embedding()
    index: Index = Index()
    retrieval: Retrieval = Retrieval()
    judging: Judging = Judging()
    loop: Loop = Loop()
    answering: Answering = Answering()
    ollama: Ollama = Ollama()
    authority_rules: dict[str, float] = Field(
        default={}, description="File pattern → authority 0–1, e.g. {'policies/**' = 0.9}; the last match wins."
    )

    def changed(self, changes: Mapping[str, Any]) -> Settings:
        """A copy with these changes, by path: {"retrieval.depth": 100}. Raises SettingsError naming the field."""
        data = self.model_dump()
        for path, value in changes.items():
            *groups, field = path.split(".")
            target: Any = data
            for group in groups:
                target = target.get(group) if isinstance(target, dict) else None
            if not isinstance(target, dict) or (field not in target and target is not data["authority_rules"]):
                raise SettingsError(f"There is no setting {path!r}; docs/settings.md lists them all.")
            target[field] = value
        return _validated(data)

    def fingerprint(self) -> str:
        """12 hexadecimal digits over all settings: equal settings, equal fingerprint."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @classmethod
    def load(cls, path: str | Path) -> Settings:
        """Settings from a TOML file; a missing file gives the defaults. Raises SettingsError."""
        file = Path(path)
        try:
            data = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as err:
            raise SettingsError(
                f"The settings file {str(file)!r} is not readable ({err}); correct or remove it."
            ) from err
        return cls.of(data)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Settings:
        """Settings from their record, which may lack some. Raises SettingsError."""
        return _validated(data)


def _validated(data: Mapping[str, Any]) -> Settings:
    try:
        return Settings.model_validate(data)
    except ValidationError as err:
        first = err.errors()[0]
        place = ".".join(str(p) for p in first["loc"]) or "settings"
        why = "write it with a unit, like 30m" if place == "ollama.keep_alive" else first["msg"]
        raise SettingsError(f"Setting {place} = {first.get('input')!r} cannot be used: {why}.") from err
