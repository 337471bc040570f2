"""Where Ollama is: the many forms in which people write OLLAMA_HOST, made one address."""

from __future__ import annotations

import ipaddress
import os
import re
from urllib.parse import SplitResult, urlsplit

from assistant.errors import SettingsError

DEFAULT = "http://127.0.0.1:11434"
_PORT = 11434
_HOST = re.compile(r"[\w.-]+|[0-9a-f:.%]+")
# what a server binds to is not what a client can connect to: refused on Windows
_CONNECTABLE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


def address(url: str = "") -> str:
    """The address as scheme://host:port[/path]: from `url`, else OLLAMA_HOST, else http://127.0.0.1:11434.

    Blanks, quotes and a trailing /api or /v1 go; without a port it is 11434 (443 for https). Raises SettingsError.
    """
    given = _trimmed(url) or _trimmed(os.environ.get("OLLAMA_HOST", ""))
    if not given:
        return DEFAULT
    try:
        parts = _split(given)
        host, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError as err:
        raise _unusable(given, str(err)) from err
    if parts.scheme not in ("http", "https"):
        raise _unusable(given, "only http and https are spoken")
    if parts.username:
        raise _unusable(f"{parts.scheme}://…@{host}", "a name and password in it would be shown with every error")
    if not _HOST.fullmatch(host):
        raise _unusable(given, f"{host!r} is no host name")
    host = _CONNECTABLE.get(host, host)
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{port or (443 if parts.scheme == 'https' else _PORT)}{_path(parts.path)}"


def leaves_machine(url: str) -> bool:
    """Whether what is sent to this address leaves this machine; a name that is not localhost counts as leaving."""
    host = urlsplit(address(url)).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


def is_near(url: str) -> bool:
    """Whether the address is this machine or its private network, which no proxy can reach on our behalf."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith(_LOCAL_NAMES)


def _trimmed(text: str) -> str:
    return text.strip().strip("\"'").strip()


def _split(given: str) -> SplitResult:
    if "://" not in given:
        given = f"http://{_bracketed(given)}"
    return urlsplit(given)


def _bracketed(given: str) -> str:
    """A bare IPv6 address gets its brackets."""
    try:
        return f"[{given}]" if ipaddress.ip_address(given).version == 6 else given
    except ValueError:
        return given


def _path(path: str) -> str:
    kept = path.rstrip("/")
    for ending in ("/api", "/v1"):
        kept = kept.removesuffix(ending).rstrip("/")
    return kept


def _unusable(given: str, why: str) -> SettingsError:
    return SettingsError(
        f"The Ollama address {given!r} cannot be used ({why}); write it like {DEFAULT} "
        "(setting ollama.url, or OLLAMA_HOST)."
    )
