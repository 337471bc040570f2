import zipfile

import pytest

from assistant.errors import UnreadableFile
from assistant.readers import read

CONTAINER = '<container xmlns="urn:c"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
META = '<dc:title xmlns:dc="urn:dc">员工读本</dc:title><dc:creator xmlns:dc="urn:dc">王敏</dc:creator>'
META += '<meta property="dcterms:modified">2024-05-01T08:00:00Z</meta>'


@pytest.fixture
def book(tmp_path):
    """A function that reads an e-book of these chapters by name, in this order unless a spine is given."""

    def write(chapters, spine=None, manifest="", **members):
        items = "".join(f'<item id="i{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters)
        order = "".join(f'<itemref idref="i{name}"/>' for name in (spine or chapters))
        opf = f'<package xmlns="urn:p"><metadata>{META}</metadata><manifest>{items}{manifest}</manifest>'
        path = tmp_path / "a.epub"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mimetype", "application/epub+zip")
            archive.writestr("META-INF/container.xml", CONTAINER)
            archive.writestr("OEBPS/book.opf", f"{opf}<spine>{order}</spine></package>")
            for name, body in chapters.items():
                if body is not None:
                    page = f"<?xml version='1.0'?><html xmlns='urn:h'><body>{body}</body></html>"
                    archive.writestr(f"OEBPS/{name}", page)
            for name, content in members.items():
                archive.writestr(name.replace("__", "/"), content)
        return read(path)

    return write


def test_chapters_come_in_the_order_of_the_spine_with_what_the_book_says_of_itself(book):
    document = book(
        {"b.xhtml": "<h1>二</h1><p>后文。</p>", "a.xhtml": "<h1>一</h1><p>前文。</p>"}, ["a.xhtml", "b.xhtml"]
    )
    assert document.text == "一\n\n前文。\n\n二\n\n后文。"
    assert (document.title, document.media, document.meta["creator"]) == ("员工读本", "epub", "王敏")
    assert f"{document.modified:%Y-%m-%d}" == "2024-05-01"


def test_a_chapter_without_heading_has_the_title_of_the_table_of_contents(book):
    contents = (
        "<ncx xmlns='urn:n'><navMap><navPoint><navLabel><text>Leave</text></navLabel>"
        "<content src='a.xhtml#x'/></navPoint></navMap></ncx>"
    )
    manifest = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    document = book({"a.xhtml": "<p>Twelve days.</p>"}, manifest=manifest, **{"OEBPS__toc.ncx": contents})
    assert document.text == "Leave\n\nTwelve days."
    assert document.blocks[0].level == 1


def test_the_table_of_contents_is_no_chapter_and_a_missing_chapter_is_named(book):
    nav = '<item id="inav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    document = book(
        {"a.xhtml": "<p>Text.</p>", "gone.xhtml": None},
        spine=["nav", "a.xhtml", "gone.xhtml"],
        manifest=nav,
        **{"OEBPS__nav.xhtml": "<html><body><a href='a.xhtml'>Only here</a></body></html>"},
    )
    assert document.text == "Only here\n\nText."  # as the heading of its chapter
    assert document.unread == ("a.epub › gone.xhtml is missing in the file; get the file again from where it came.",)


def test_copy_protection_is_named_and_scrambled_fonts_are_none(book):
    listed = "<encryption><EncryptedData><CipherReference URI='OEBPS/{}'/></EncryptedData></encryption>"
    chapter = {"a.xhtml": "<p>Text.</p>"}
    assert book(chapter, **{"META-INF__encryption.xml": listed.format("x.otf")}).text == "Text."
    with pytest.raises(UnreadableFile, match="copying") as raised:
        book(chapter, **{"META-INF__encryption.xml": listed.format("a.xhtml")})
    assert raised.value.kind == "encrypted"


@pytest.mark.parametrize("data", [b"PK\x03\x04torn", b"PK\x03\x04" + bytes(100)])
def test_a_torn_book_is_corrupt(tmp_path, data):
    path = tmp_path / "a.epub"
    path.write_bytes(data)
    with pytest.raises(UnreadableFile, match="EPUB") as raised:
        read(path)
    assert raised.value.kind == "corrupt"
