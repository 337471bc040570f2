"""Ollama: written answers and embeddings from a model server on this machine or in the house.

Its Python client is imported at first use: it takes a third of a second, and fails to import at all under some proxies.
"""

from assistant.providers.chat import ChatPiece
from assistant.providers.ollama.address import address, leaves_machine
from assistant.providers.ollama.chat import OllamaChat
from assistant.providers.ollama.models import installed_models, reachable

__all__ = ["ChatPiece", "OllamaChat", "address", "installed_models", "leaves_machine", "reachable"]
