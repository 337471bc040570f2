"""The style sheet: every pair of text and ground that is used meets WCAG 2 AA."""

from __future__ import annotations

import re

import pytest

from ui.panels import css

PAIRS = [
    ("ink", "paper"), ("ink", "card"), ("ink", "sunk"), ("soft", "paper"), ("soft", "card"), ("soft", "sunk"),
    ("accent", "paper"), ("accent", "card"), ("accent", "accent-soft"), ("accent-ink", "accent"), ("fair", "card"),
    ("fair", "fair-soft"), ("ink", "fair-soft"), ("poor", "card"), ("poor", "poor-soft"), ("ink", "poor-soft"),
    ("lit-ink", "lit"), ("term", "card"), ("ink", "accent-soft"),
]  # fmt: skip


def palette(selector: str) -> dict[str, str]:
    block = css().split(selector, 1)[1].split("}", 1)[0]
    return dict(re.findall(r"--gb-([\w-]+):\s*(#[0-9a-fA-F]{6})", block))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("selector", [":root {", '[data-jp-theme-light="false"] {', ".gb-auto {"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_meets_aa(selector: str, text: str, ground: str):
    colours = palette(selector)
    assert contrast(colours[text], colours[ground]) >= 4.5


def test_contrast_of_black_on_white_is_21():
    assert round(contrast("#000000", "#ffffff"), 1) == 21.0
