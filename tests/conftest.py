"""For the whole suite: no network, one embedding model, and a knowledge base per test."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import launch
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.providers.embedder import Embedder
    from assistant.store.base import Base

for _name, _value in launch.QUIET.items():
    os.environ.setdefault(_name, _value)

# the model is built once for all runs, and the user's own cache is left alone
os.environ.setdefault("GLASSBOX_CACHE", str(launch.HERE / ".pytest_cache" / "glassbox"))

_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex
_getaddrinfo = socket.getaddrinfo


class NetworkRefused(RuntimeError):
    """A test tried to reach another machine."""


def _is_here(host: Any) -> bool:
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.decode() if isinstance(host, bytes) else host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _check(host: Any) -> None:
    if not _is_here(host):
        raise NetworkRefused(f"Glassbox works without a network, and a test tried to reach {host!r}.")


def _guarded_connect(self: socket.socket, address: Any) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6):
        _check(address[0])
    _connect(self, address)


def _guarded_connect_ex(self: socket.socket, address: Any) -> int:
    if self.family in (socket.AF_INET, socket.AF_INET6):
        _check(address[0])
    return _connect_ex(self, address)


def _guarded_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
    _check(host)
    return _getaddrinfo(host, *args, **kwargs)


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    socket.socket.connect = _guarded_connect  # type: ignore[method-assign]
    socket.socket.connect_ex = _guarded_connect_ex  # type: ignore[method-assign]
    socket.getaddrinfo = _guarded_getaddrinfo
    yield
    socket.socket.connect = _connect  # type: ignore[method-assign]
    socket.socket.connect_ex = _connect_ex  # type: ignore[method-assign]
    socket.getaddrinfo = _getaddrinfo


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The embedded model that a person gets; built once into the cache and shared by the whole suite."""
    from assistant.providers import EMBEDDERS

    return EMBEDDERS.build("embedded", Settings())


@pytest.fixture
def base(tmp_path: Path, embedder: Embedder) -> Iterator[Base]:
    """An empty knowledge base for the embedded model."""
    from assistant.store.base import Base

    opened = Base.open(tmp_path / "kb", embedder.identity, Settings())
    yield opened
    opened.close()
