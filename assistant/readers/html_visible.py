"""Which part of a page a reader came for."""

from __future__ import annotations

import re
from typing import Any

_NEVER = frozenset(
    re.findall(
        r"\w+",
        """script style noscript template head svg canvas iframe object embed audio video button select option input
        textarea datalist nav rp rt map link meta""",
    )
)
_ROLES = frozenset(
    ["navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog", "toolbar"]
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# Names of things around the text, as whole words of a class or id
_AROUND = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|breadcrumbs?|skip-?(?:link|to)?|sidebar|side-bar|navbar|navigation|navbox|menu"
    r"|advert(?:isement)?s?|adsbygoogle|popup|newsletter|share|sharing|social|recent-posts|related-posts|site-footer"
    r"|site-header|page-footer|printfooter|catlinks|mw-jump-link|mw-editsection|vector-toc|toc-toggle|noprint)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SURE_SHARE = 0.3
_MOST_AROUND = 0.5


def without_invisible(root: Any) -> Any:
    """The body without what no reader sees or came for: scripts, hidden parts, navigation, page header and footer."""
    body = root.find("body")
    body = root if body is None else body
    whole = length(body)
    for element in list(body.iter()):
        if element is body or element.getparent() is None:
            continue
        if not isinstance(element.tag, str) or _unseen(element) or _around(element, whole):
            _drop(element)
    return body


def main_part(body: Any) -> Any:
    """<main>, or the only <article>, when it holds a good part of the text; the body otherwise."""
    whole = length(body)
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = body.findall(path)
        if len(found) == 1 and length(found[0]) >= _SURE_SHARE * whole and length(found[0]) > 100:
            return _with_title(found[0], body)
    return body


def _with_title(part: Any, body: Any) -> Any:
    """The part, begun with the page's only <h1> when that stands above it."""
    titles = body.findall(".//h1")
    if len(titles) == 1 and part not in titles[0].iterancestors():
        title = titles[0]
        _drop(title)
        title.tail, part.text = part.text, None
        part.insert(0, title)
    return part


def length(element: Any) -> int:
    """Characters of text, white space not counted."""
    return sum(len(re.sub(r"\s+", "", text)) for text in element.itertext())


def _unseen(element: Any) -> bool:
    if element.tag in _NEVER or "hidden" in element.attrib:
        return True
    if element.get("aria-hidden") == "true" and length(element) < 200:
        return True
    return bool(_HIDDEN.search(element.get("style") or ""))


def _around(element: Any, whole: int) -> bool:
    """Page header and footer, side bars and notices; never what holds half of the text."""
    named = f"{element.get('class') or ''} {element.get('id') or ''}"
    page_edge = element.tag in ("footer", "header", "aside") and not _in_article(element)
    suspect = page_edge or element.get("role") in _ROLES or (bool(named.strip()) and bool(_AROUND.search(named)))
    if not suspect or element.tag in ("html", "body", "main", "article"):
        return False
    if element.tag == "header" and element.find(".//h1") is not None:
        return False
    return length(element) < _MOST_AROUND * whole


def _in_article(element: Any) -> bool:
    return any(above.tag in ("article", "main", "section") for above in element.iterancestors())


def _drop(element: Any) -> None:
    """Removes an element but not the text behind it."""
    parent, tail = element.getparent(), element.tail
    if tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + tail
        else:
            parent.text = (parent.text or "") + tail
    parent.remove(element)
