"""Record → HTML string. No host, no arithmetic beyond formats and widths; every text escaped.

`page` puts any panel on a page of its own, for reports and tests.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

SHARED = "panels.css"


@cache
def css() -> str:
    """The style sheet of all panels, what they share first; both hosts load it once."""
    sheets = [f for f in files("ui.panels").iterdir() if f.name.endswith(".css")]
    return "\n".join(f.read_text(encoding="utf-8") for f in sorted(sheets, key=lambda f: (f.name != SHARED, f.name)))


def page(body: str, title: str = "Glassbox", lang: str = "en", dark: bool = False) -> str:
    """A whole HTML page around these panels that opens without any network."""
    theme = "dark" if dark else ""
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<style>{css()}</style></head><body class="gb-page {theme}">{body}</body></html>'
    )
