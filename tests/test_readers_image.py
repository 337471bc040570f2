import io
import struct
import zlib

import pytest
from drawn import picture_of
from PIL import Image

from assistant.errors import UnreadableFile
from assistant.readers import read
from assistant.settings import Reading

LINES = [(20, 40, "采购合同第十八号"), (20, 80, "HT-2024-018"), (20, 120, "Total: 1,200 yuan")]


@pytest.fixture(scope="module")
def drawn():
    return Image.open(io.BytesIO(picture_of(LINES).tobytes("png"))).convert("RGB")


def saved(path, picture, **options):
    picture.save(path, **options)
    return path


def test_the_text_of_a_picture_is_read_and_marked_as_recognised(tmp_path, drawn):
    document = read(saved(tmp_path / "a.webp", drawn))
    assert "HT-2024-018" in document.text
    assert "Total: 1,200 yuan" in document.text
    assert (document.media, document.pages, document.unread) == ("image", 1, ())
    assert document.warnings == ("The text was recognised from a picture and may hold errors.",)


def test_a_photo_is_turned_as_the_camera_says_and_has_its_date(tmp_path, drawn):
    exif = Image.Exif()
    exif[274], exif[306] = 6, "2024:03:15 10:20:30"
    lying = drawn.transpose(Image.Transpose.ROTATE_90)
    document = read(saved(tmp_path / "a.jpg", lying, exif=exif, quality=95))
    assert document.text.index("HT-2024-018") < document.text.index("1,200")
    assert f"{document.modified:%Y-%m-%d %H:%M:%S}" == "2024-03-15 10:20:30"


def test_each_frame_of_a_tiff_is_a_page_and_transparency_is_white(tmp_path, drawn):
    clear = Image.new("RGBA", drawn.size)
    clear.paste((0, 0, 0, 255), mask=drawn.convert("L").point(lambda v: 255 - v))
    empty = Image.new("RGB", drawn.size, "white")
    path = saved(tmp_path / "a.tif", empty, save_all=True, append_images=[clear])
    document = read(path)
    assert document.pages == 2
    assert {block.page for block in document.blocks} == {2}
    assert "HT-2024-018" in document.text


def test_a_picture_without_text_is_told_apart_from_a_damaged_one(tmp_path, drawn):
    whole = io.BytesIO()
    drawn.save(whole, "PNG")
    torn = tmp_path / "torn.png"
    torn.write_bytes(whole.getvalue()[: len(whole.getvalue()) // 2])
    cases = {
        "scan": saved(tmp_path / "blank.bmp", Image.new("L", (200, 100), 255)),
        "corrupt": torn,
    }
    for kind, path in cases.items():
        with pytest.raises(UnreadableFile) as raised:
            read(path)
        assert raised.value.kind == kind
    icon = saved(tmp_path / "icon.gif", Image.new("P", (12, 12)))
    with pytest.raises(UnreadableFile, match="larger picture"):
        read(icon)


def test_a_picture_that_claims_too_many_pixels_is_not_unpacked(tmp_path):
    size = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 0, 0, 0, 0)
    chunk = struct.pack(">I", 13) + b"IHDR" + size + struct.pack(">I", zlib.crc32(b"IHDR" + size))
    bomb = tmp_path / "bomb.png"
    bomb.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk + b"\0\0\0\0IDAT")
    with pytest.raises(UnreadableFile, match="100000 × 100000 pixels") as raised:
        read(bomb)
    assert raised.value.kind == "too_large"


def test_without_ocr_a_picture_is_named_as_one(tmp_path, drawn):
    with pytest.raises(UnreadableFile, match=r"reading\.ocr = true") as raised:
        read(saved(tmp_path / "a.png", drawn), Reading(ocr=False))
    assert raised.value.kind == "scan"


def test_text_that_begins_like_a_bitmap_is_text(tmp_path):
    path = tmp_path / "bm25.txt"
    path.write_text("BM25 ranks by term frequency.")
    assert read(path).media == "txt"
