"""Confidence: named signals, weighted and added up, with every term kept. Adding a signal is a file and a line here.

A signal is a function Evidence → Measured; its weight stands in the coefficients (confidence/coefficients/*.json).
"""

from assistant.registry import Registry

SIGNALS: Registry[object] = Registry(
    "signal",
    {
        "coverage": "assistant.confidence.coverage:measure",
        "nearness": "assistant.confidence.nearness:measure",
        "lead": "assistant.confidence.lead:measure",
        "identifiers": "assistant.confidence.identifiers:measure",
        "distribution": "assistant.confidence.classic:distribution",
        "overlap": "assistant.confidence.classic:overlap",
        "authority": "assistant.confidence.classic:authority",
    },
)
