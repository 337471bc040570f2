"""Pictures of text for the tests of OCR."""

from __future__ import annotations

import pymupdf


def page_with(made, lines, size=(220, 220), fontsize=16):
    """A new page of this size in points with these (x, y, text)."""
    page = made.new_page(width=size[0], height=size[1])
    for x, y, text in lines:
        # the built-in Chinese font sets Latin letters as wide as ideographs
        page.insert_text((x, y), text, fontname="helv" if text.isascii() else "china-s", fontsize=fontsize)
    return page


def picture_of(lines, size=(220, 220), fontsize=16, dpi=130):
    """The same as pixels without a text layer."""
    with pymupdf.open() as made:
        return page_with(made, lines, size, fontsize).get_pixmap(dpi=dpi, alpha=False)


def scan_in(made, lines, size=(220, 220), fontsize=16):
    """A page that is a picture of these lines."""
    page = made.new_page(width=size[0], height=size[1])
    page.insert_image(page.rect, pixmap=picture_of(lines, size, fontsize))
    return page
