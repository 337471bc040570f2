"""Assistant: the one door to a knowledge base for the app, notebooks and the command line."""

from __future__ import annotations

import asyncio
import threading
import uuid
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import platformdirs

from assistant.answer import WRITERS
from assistant.chunking import CHUNKERS
from assistant.confidence import coefficients
from assistant.documents import FileRow, IngestReport, Progress
from assistant.errors import AssistantError, SettingsError, WrongModel
from assistant.flow import AskFlow, Parts, StepDone
from assistant.fusion import FUSIONS
from assistant.loop import Items, Loop
from assistant.providers import CHATS, Embedder, EmbedderIdentity
from assistant.providers.choice import FIRST, build_chosen, build_known, choice_of, wished
from assistant.providers.identity import ModelChoice
from assistant.registry import Registry
from assistant.rerank import RERANKERS
from assistant.rewrite import REWRITERS
from assistant.routes import ROUTES
from assistant.routes.run import RouteRunner
from assistant.settings import Settings
from assistant.store.base import Base
from assistant.store.schema import mismatch
from assistant.trace import BaseInfo, Failed, Step, Trace, Turn

if TYPE_CHECKING:
    from assistant.ingest.dump import Dumped
    from assistant.models import Models
    from assistant.reembed import Reembedding

MAX_QUESTION = 4000


def default_folder() -> Path:
    """Where the knowledge base is kept unless another folder is given: the user's data folder."""
    return Path(platformdirs.user_data_dir("glassbox", appauthor=False)) / "base"


def dump_chunks(paths: Sequence[str | Path], folder: Path, settings: Settings) -> Iterator[Dumped]:
    """Each file's chunks as JSON in `folder`, without a knowledge base or a model. See `assistant.ingest.dump`."""
    from assistant.ingest.dump import dump

    return dump([Path(p).expanduser() for p in paths], folder, settings)


class Assistant:
    """A knowledge base that is open: add files, ask questions. Use it as a context manager, or call `close`.

    ```python
    with Assistant.open("my-notes") as kb:
        kb.ingest(["~/Documents/notes"])
        trace = kb.ask("What is our travel policy?")
        print(trace.answer, trace.confidence.value)
    ```
    """

    def __init__(self, base: Base, embedder: Embedder, settings: Settings, folder: Path) -> None:
        self.base = base
        self.embedder = embedder
        self.settings = settings
        self.folder = folder
        self._asking = threading.RLock()
        self._runner = RouteRunner([])
        self._retired: WeakSet[RouteRunner] = WeakSet()
        self._offer_routes(settings)
        self._loop = Loop()
        self._models: Models | None = None
        self._reembedding: Reembedding | None = None

    @classmethod
    def open(
        cls, folder: str | Path | None = None, settings: Settings | None = None, keep_model: bool = False
    ) -> Assistant:
        """The knowledge base in this folder, made when it does not exist. None: the user's own (`default_folder`).

        Settings default to `settings.toml` in the folder. A base keeps the embedding model that it was built with; when
        the settings name another one, WrongModel is raised, or with `keep_model` it is opened with its own, and
        `wished` says which one the settings ask for. An Ollama need not run for that. Raises BaseInUse, WrongModel,
        StoreError, ModelUnavailable, SettingsError.
        """
        place = Path(folder).expanduser() if folder else default_folder()
        chosen = settings or Settings.load(place / "settings.toml")
        check_names(chosen)
        base = Base.open(place, None, chosen)
        try:
            embedder = _embedder_of(base, chosen, keep_model)
            base.take_model(embedder.identity)
        except BaseException:
            base.close()
            raise
        return cls(base, embedder, chosen, place)

    def __enter__(self) -> Assistant:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends running questions and lets go of the file. Harmless when repeated."""
        self._loop.close()
        for runner in (self._runner, *self._retired):
            runner.close()
        self.base.close()

    def info(self) -> BaseInfo:
        """The base's name, its numbers of documents and chunks (counted now), and its embedder."""
        counts = self.base.counts()
        return BaseInfo(
            name=self.folder.name,
            documents=counts.documents,
            chunks=counts.chunks,
            embedder=self.embedder.identity.text(),
        )

    def faults(self) -> tuple[str, ...]:
        """What does not fit together in the base, one sentence each; () when all is well."""
        return self.base.faults()

    def ask(
        self, question: str, history: Sequence[Turn] = (), changes: Mapping[str, Any] | None = None, write: bool = True
    ) -> Trace:
        """The finished trace: answer, evidence, scores, attempts, confidence.

        `changes`: settings for this question only, by path. `write` False: retrieval and confidence only, no answer.
        Raises SettingsError for an unusable question or setting; all else that goes wrong is a Failed step.
        """
        trace: Trace | None = None
        for item in self.stream(question, history, changes, write):
            if isinstance(item, Trace):
                trace = item
        if trace is None:
            raise AssistantError("The question was stopped before it was finished; ask it again.")
        return trace

    def stream(
        self, question: str, history: Sequence[Turn] = (), changes: Mapping[str, Any] | None = None, write: bool = True
    ) -> Items:
        """Every step as it is made (and Deltas of a written answer), then the finished Trace.

        `close` on it stops the work, from any thread and also while another waits for the next step.
        """
        flow = self._flow(question, history, changes, write)
        return self._loop.iterate(lambda: _events(flow))

    def continue_answer(self, trace: Trace) -> Items:
        """Deltas of what follows the trace's incomplete answer, its Answered as a whole, then the trace with it.

        Like `stream` otherwise; the settings are those of the trace. Nothing is searched again. Raises SettingsError.
        """
        settings = Settings.of(trace.settings)
        flow = AskFlow(self._parts(settings), trace)
        return self._loop.iterate(lambda: _events(flow))

    async def aask(
        self, question: str, history: Sequence[Turn] = (), changes: Mapping[str, Any] | None = None, write: bool = True
    ) -> Trace:
        """Like `ask`, for code that is asynchronous itself."""
        return await asyncio.to_thread(self.ask, question, history, changes, write)

    def ingest(
        self,
        paths: Sequence[str | Path],
        on_progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestReport:
        """Reads files and folders into the base; what is unchanged costs nothing. See `assistant.ingest`."""
        from assistant.ingest.jobs import run

        places = [Path(p).expanduser() for p in paths]
        while True:
            embedder = self.embedder
            try:
                return run(self.base, embedder, self.settings, places, on_progress=on_progress, cancel=cancel)
            except WrongModel:
                if embedder is self.embedder:
                    raise  # otherwise the model was switched while this ingest waited for its turn

    def add_uploads(
        self,
        paths: Sequence[str | Path],
        on_progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestReport:
        """Like `ingest`, for files that will not stay where they are: a copy is kept in the base's folder."""
        from assistant.ingest.uploads import keep_uploads

        return self.ingest(keep_uploads(paths, self.folder), on_progress, cancel)

    def documents(self) -> tuple[FileRow, ...]:
        """Every file with its state, by name."""
        return self.base.documents()

    def delete(self, document_id: str) -> None:
        """Removes a document with its chunks, vectors and text index rows, and the copy if it was an upload.

        A file anywhere else is the person's own and stays.
        """
        from assistant.ingest.uploads import forget_upload

        row = self.base.document(document_id)
        self.base.delete_document(document_id)
        if row is not None:
            forget_upload(row.path, self.folder)

    @property
    def reembedding(self) -> Reembedding:
        """Another embedding model for this base: its cost, its index beside the present one, the switch."""
        from assistant.ingest.plan import pipeline_hash
        from assistant.reembed import Reembedding

        with self._asking:
            if self._reembedding is None:  # one for all, since only one index is built at a time
                self._reembedding = Reembedding(
                    self.base, self.settings, self._exchange, lambda model: pipeline_hash(self.settings, model)
                )
        return self._reembedding

    @property
    def wished(self) -> ModelChoice | None:
        """The embedding model that the settings ask for while the base keeps another one; None when they agree."""
        return wished(self.settings, self.embedder.identity)

    def _exchange(self, embedder: Embedder) -> None:
        """From now on questions are asked with this embedder; those under way end with theirs."""
        before, runner = self.embedder.identity.fingerprint(), self._runner
        with self._asking:
            self.embedder, self._runner = embedder, RouteRunner([])
            self._offer_routes(self.settings)
        self._retired.add(runner)
        weakref.finalize(runner, self.base.release, before).atexit = False

    @property
    def models(self) -> Models:
        """The Ollama server's models: what is there, loaded and advisable; downloads."""
        from assistant.models import Models

        if self._models is None:  # one for all, since it remembers which models it saw in memory
            self._models = Models(self.settings)
        return self._models

    def chat_models(self) -> tuple[str, ...]:
        """Names of the chat models an Ollama on its address offers; () when there is none."""
        from assistant.providers.ollama import installed_models

        try:
            return tuple(model.name for model in installed_models(self.settings.ollama.url))
        except AssistantError:
            return ()

    def _require_open_with(self, settings: Settings) -> None:
        for group in ("reading", "chunking", "embedding", "index"):
            if getattr(settings, group) != getattr(self.settings, group):
                raise SettingsError(
                    f"The settings of {group} cannot change for one question; open the knowledge base with them."
                )

    def _offer_routes(self, settings: Settings) -> None:
        offered = {route.name for route in self._runner.routes}
        for name in settings.retrieval.routes:
            if name not in offered:
                self._runner.add(ROUTES.build(name, self.base, self.embedder))

    def _flow(self, question: str, history: Sequence[Turn], changes: Mapping[str, Any] | None, write: bool) -> AskFlow:
        asked = _unicode(question).strip()
        if not asked:
            raise SettingsError("The question is empty; type what you want to know.")
        if len(asked) > MAX_QUESTION:
            raise SettingsError(f"The question has {len(asked)} characters; ask in at most {MAX_QUESTION}.")
        settings = self.settings.changed(changes) if changes else self.settings
        self._require_open_with(settings)
        check_names(settings)
        parts = self._parts(settings)
        trace = Trace(
            id=uuid.uuid4().hex,
            question=asked,
            history=tuple(Turn(question=_unicode(t.question), answer=_unicode(t.answer)) for t in history),
            base=self.info(),
            settings=settings.model_dump(mode="json"),
            settings_hash=settings.fingerprint(),
            started=datetime.now(UTC),
        )
        return AskFlow(parts, trace, write)

    def _parts(self, settings: Settings) -> Parts:
        writer = settings.answering.writer
        chat = CHATS.build(writer, settings) if writer in CHATS else None
        with self._asking:
            self._offer_routes(settings)
            return Parts(self.base, self.embedder, self._runner, settings, chat)


def _embedder_of(base: Base, settings: Settings, keep_model: bool) -> Embedder:
    """The base's own embedder, unless it is empty or the settings insist on another one. Raises WrongModel."""
    known, held, chosen = base.embedder, base.counts().chunks, settings.embedding
    own = None if known is None else EmbedderIdentity.model_validate(known.record)
    wish = None if own is None else wished(settings, own)
    if own is not None and (wish is None or (keep_model and held)):
        return build_known(own, settings)
    if wish is not None and held:
        raise WrongModel(mismatch(base.folder, held, known, wish.text()))
    return build_chosen(choice_of(chosen.provider or FIRST, chosen.model), settings)


def check_names(settings: Settings) -> None:
    """Raises SettingsError when a setting names a part that does not exist, before anything is done with it."""
    retrieval, judging = settings.retrieval, settings.judging
    chosen: list[tuple[Registry[Any], str]] = [
        (CHUNKERS, settings.chunking.chunker),
        (FUSIONS, retrieval.fusion),
        (RERANKERS, retrieval.reranker),
        (WRITERS, settings.answering.writer),
        *((ROUTES, name) for name in retrieval.routes),
        *((REWRITERS, name) for name in settings.loop.rewriters),
    ]
    for registry, name in chosen:
        registry.check(name)
    coefficients.load(judging.coefficients or judging.method)


def _unicode(text: str) -> str:
    # half a character (an argument of the command line in another encoding) can be neither embedded nor saved
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


async def _events(flow: AskFlow) -> AsyncIterator[Step | Trace]:
    handler = flow.run()
    running = True
    try:
        async for event in handler.stream_events():
            if isinstance(event, StepDone):
                yield event.step
        await handler
        running = False
        yield flow.trace
    except AssistantError as err:
        running = False
        failed = Failed(attempt=flow.now.attempt, stage="search", message=str(err))
        yield failed
        yield flow.trace.plus(failed)
    finally:
        flow.parts.cancel.set()  # a model that is still being waited for is let go of within a second
        if running:
            await handler.cancel_run()
