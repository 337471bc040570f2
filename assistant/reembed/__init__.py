"""A second index beside the first: the stored texts embedded with another model, then exchanged, or left again.

Questions and ingests go on meanwhile; no file is read again.
"""

from assistant.reembed.records import EmbedMoment, Estimate, Index, ReembedReport
from assistant.reembed.reembedding import Reembedding

__all__ = ["EmbedMoment", "Estimate", "Index", "ReembedReport", "Reembedding"]
