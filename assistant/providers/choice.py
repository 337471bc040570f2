"""Which embedder a base gets: its own, or the one that the settings or a person name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.errors import SettingsError
from assistant.providers import EMBEDDERS
from assistant.providers.identity import EmbedderIdentity, ModelChoice
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.providers.embedder import Embedder

FIRST = "embedded"
"""The provider of a new base, unless the settings name one."""


def choice_of(provider: str, model: str = "") -> ModelChoice:
    """The model of these names, "" = the provider's default. Raises SettingsError for an unknown provider."""
    from assistant.providers.ollama.families import DEFAULT_EMBEDDER, short_name

    EMBEDDERS.check(provider)
    if provider == "ollama":
        return ModelChoice(provider=provider, model=short_name(model or DEFAULT_EMBEDDER))
    if provider == "embedded" and not model:
        from assistant.providers.e5_weights import MODEL

        return ModelChoice(provider=provider, model=MODEL)
    return ModelChoice(provider=provider, model=model)


def parse_choice(text: str) -> ModelChoice:
    """The model of "ollama:bge-m3", "ollama:qwen3-embedding:0.6b" or "embedded". Raises SettingsError."""
    provider, _, model = text.strip().partition(":")
    if not provider:
        raise SettingsError("No embedding model is named; write it like ollama:bge-m3, or embedded.")
    return choice_of(provider, model)


def wished(settings: Settings, own: EmbedderIdentity) -> ModelChoice | None:
    """The model that the settings ask for; None when that is this one, or when they leave it to the base."""
    chosen = settings.embedding
    if not chosen.provider:
        return None
    choice = choice_of(chosen.provider, chosen.model)
    prefixes = [(chosen.query_prefix, own.query_prefix), (chosen.passage_prefix, own.passage_prefix)]
    same_prefixes = own.provider != "ollama" or all(asked in (None, had) for asked, had in prefixes)
    same = choice.provider == own.provider and choice.model in (own.model, _short(own))
    return None if same and same_prefixes else choice


def build_chosen(choice: ModelChoice, settings: Settings) -> Embedder:
    """The embedder of this name, whatever the settings say of models. Raises SettingsError."""
    return EMBEDDERS.build(choice.provider, _naming(choice, settings))


def build_known(identity: EmbedderIdentity, settings: Settings) -> Embedder:
    """The embedder that made the vectors of this identity. A server is asked when vectors are wanted, not before."""
    choice = choice_of(identity.provider, identity.model)
    if identity.provider == "ollama":
        return EMBEDDERS.build("ollama", _naming(choice, settings), known=identity)
    return build_chosen(choice, settings)


def _naming(choice: ModelChoice, settings: Settings) -> Settings:
    return settings.changed({"embedding.provider": choice.provider, "embedding.model": choice.model})


def _short(own: EmbedderIdentity) -> str:
    from assistant.providers.ollama.families import short_name

    return short_name(own.model) if own.provider == "ollama" else own.model
