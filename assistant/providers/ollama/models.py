"""Whether an Ollama answers, and which models it has."""

from __future__ import annotations

import re
from typing import Any, Literal

import httpx

from assistant.errors import AssistantError, BadReply, ModelUnavailable, SettingsError
from assistant.providers.ollama.address import address, leaves_machine
from assistant.providers.ollama.families import FAMILIES, bare_name, family, with_tag
from assistant.providers.ollama.server import connection, explain, explained, refused
from assistant.serving import Ability, InstalledModel, InstalledModels, ServerState

_LOOK_SECONDS = 0.8
_READ_SECONDS = 30.0
# from it on a prompt that is too long is refused when that is asked for; older ones cut it without a word
_REFUSES_LONG_PROMPTS = (0, 12, 6)
_ENCODERS = ("bert", "nomic-bert", "nomic-bert-moe", "xlm-roberta", "gemma-embedding", "gemma3-embedding")
_ABILITIES: dict[str, Ability] = {
    "completion": "chat",
    "embedding": "embedding",
    "tools": "tools",
    "thinking": "thinking",
    "vision": "vision",
}
# plain qwen3:4b, 30b and 235b are the thinking weights of July 2025; the others have no way to leave it off
_ALWAYS_THINKS = re.compile(
    r"(^|/)(deepseek-r1|gpt-oss|qwq|magistral|openthinker|exaone-deep|phi4(-mini)?-reasoning)\b"
    r"|(^|/)qwen3:(4b|30b|235b)$|:.*thinking|-thinking:"
)
_shown: dict[tuple[str, str], dict[str, Any]] = {}


def server_state(url: str = "", seconds: float = 3.0) -> ServerState:
    """Whether an Ollama answers at this address (or OLLAMA_HOST), and what helps if not; never raises."""
    try:
        place = address(url)
    except SettingsError as err:
        return ServerState(reachable=False, url=url, why=str(err), action="correct_address")
    away = leaves_machine(place)
    try:
        version = _version(place, seconds)
    except AssistantError as err:
        return ServerState(reachable=False, url=place, leaves_machine=away, why=str(err), action=_help(err, away))
    if _numbers(version) < _REFUSES_LONG_PROMPTS:
        why = f"Ollama {version} may cut long prompts without saying so; update it to 0.12.6 or newer."
        return ServerState(reachable=True, url=place, version=version, leaves_machine=away, why=why, action="update")
    return ServerState(reachable=True, url=place, version=version, leaves_machine=away)


def reachable(url: str = "") -> bool:
    """Whether an Ollama answers at this address, within about a second; never raises."""
    return server_state(url, _LOOK_SECONDS).reachable


def installed(url: str = "") -> InstalledModels:
    """The models that run on the server itself, the most recently changed first. Raises ModelUnavailable, BadReply.

    Those that run on ollama.com are only counted, since questions and sources would leave the machine.
    """
    place = address(url)
    with explained(place, "any model"):
        listed = list_models(place)
        local = [entry for entry in listed if not in_the_cloud(entry)]
        return InstalledModels(models=tuple(_installed(place, m) for m in local), cloud=len(listed) - len(local))


def installed_models(url: str = "") -> tuple[InstalledModel, ...]:
    """The local models that can chat; () when there is none. Raises ModelUnavailable, BadReply."""
    return installed(url).that_can("chat")


def list_models(place: str) -> list[dict[str, Any]]:
    """The raw entries of /api/tags at this normalised address: the client's own records leave fields out."""
    return list(asked(place, "GET", "/api/tags").get("models") or [])


def show_model(place: str, model: str) -> dict[str, Any]:
    """The raw reply of /api/show. Raises ModelUnavailable when there is no such model."""
    return asked(place, "POST", "/api/show", {"model": model})


def asked(place: str, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """The reply to a request that is answered at once; {} for an empty one. Raises ModelUnavailable, BadReply."""
    with explained(place, (body or {}).get("model") or "any model"):
        reply = httpx.request(method, place + path, json=body, **connection(place, _READ_SECONDS))
        if reply.status_code != 200:
            raise refused(reply.status_code, reply.text)
        content: dict[str, Any] = dict(reply.json()) if reply.content else {}
        return content


def details(place: str, model: str, digest: str) -> dict[str, Any]:
    """The reply of /api/show, asked once for each digest; {} when there is none: one broken model hides no others."""
    key = (place, digest or model)
    if key not in _shown:
        try:
            _shown[key] = show_model(place, model)
        except (ModelUnavailable, BadReply):
            return {}
    return _shown[key]


def delete(url: str, model: str) -> None:
    """Takes the model off the server's disk. Raises ModelUnavailable when it is not there, BadReply."""
    asked(address(url), "DELETE", "/api/delete", {"model": model})


def in_the_cloud(entry: dict[str, Any]) -> bool:
    """Whether this entry of /api/tags runs elsewhere."""
    return bool(entry.get("remote_host") or entry.get("remote_model")) or named_for_the_cloud(
        str(entry.get("name", ""))
    )


def named_for_the_cloud(model: str) -> bool:
    """Whether models of this name run on ollama.com."""
    tag = with_tag(model).rsplit(":", 1)[-1]
    return tag == "cloud" or tag.endswith("-cloud")


def cloud_model(model: str) -> ModelUnavailable:
    """Why a model that runs elsewhere is not used."""
    return ModelUnavailable(
        f"The model {model!r} runs on ollama.com, so your documents would leave this machine; choose a local model."
    )


def always_thinks(model: str) -> bool:
    """Whether this model thinks before every answer, whatever it is told."""
    return bool(_ALWAYS_THINKS.search(with_tag(model)))


def _version(place: str, seconds: float) -> str:
    options = connection(place) | {"timeout": httpx.Timeout(2 * seconds, connect=seconds)}
    try:
        reply = httpx.get(f"{place}/api/version", **options)
        if reply.status_code != 200:
            raise refused(reply.status_code, reply.text)
        return str(reply.json()["version"])
    except KeyError as err:
        raise explain(TypeError("no version"), place, "any model") from err
    except Exception as err:
        raise explain(err, place, "any model") from err


def _help(err: AssistantError, away: bool) -> Literal["start", "correct_address", "update"]:
    if isinstance(err.__cause__, (httpx.ConnectError, httpx.TimeoutException)):
        return "correct_address" if away else "start"
    return "update" if "update Ollama" in str(err) else "correct_address"


def _numbers(version: str) -> tuple[int, ...]:
    """ "0.33.0-rc2" as (0, 33, 0); a version that is no number (a build of one's own) counts as new."""
    found = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
    return tuple(map(int, found.groups())) if found and found[0] != "0.0.0" else (99,)


def _installed(place: str, entry: dict[str, Any]) -> InstalledModel:
    name, listed = str(entry["name"]), entry.get("details") or {}
    digest = str(entry.get("digest") or "").removeprefix("sha256:")
    capabilities, context, dimension = _known(place, name, digest, entry)
    embeds = "embedding" in capabilities
    return InstalledModel(
        name=name,
        size=entry.get("size") or 0,
        context=context,
        dimension=dimension if embeds else None,
        abilities=tuple(_ABILITIES[c] for c in capabilities if c in _ABILITIES),
        parameters=listed.get("parameter_size") or "",
        quantisation=listed.get("quantization_level") or "",
        family=listed.get("family") or "",
        english_only=embeds and family(name).english_only,
        thinking_only=not embeds and always_thinks(name),
        digest=digest[:12],
    )


def _known(place: str, name: str, digest: str, entry: dict[str, Any]) -> tuple[list[str], int | None, int | None]:
    """Capabilities, context and dimension: listed since 0.30, shown since 0.6.4, before that told from the family."""
    listed = entry.get("details") or {}
    capabilities, context = entry.get("capabilities"), listed.get("context_length")
    if capabilities is not None and context:
        return list(capabilities), context, listed.get("embedding_length")
    shown = details(place, name, digest)
    info = shown.get("model_info") or {}
    if capabilities is None:
        capabilities = shown.get("capabilities")
    if capabilities is None:
        capabilities = ["embedding"] if _looks_like_embedder(entry) else ["completion"]
    return list(capabilities), context or number_of(info, "context_length"), number_of(info, "embedding_length")


def number_of(info: dict[str, Any], ending: str) -> int | None:
    """The number of /api/show's model_info whose name ends so; None when there is none."""
    return next((int(v) for k, v in info.items() if k.endswith(f".{ending}") and isinstance(v, int) and v > 0), None)


def _looks_like_embedder(entry: dict[str, Any]) -> bool:
    bare = bare_name(entry["name"])
    architecture = (entry.get("details") or {}).get("family", "")
    return architecture in _ENCODERS or "embed" in bare or any(f.name in bare for f in FAMILIES)
