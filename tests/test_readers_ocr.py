import numpy as np
import pymupdf
import pytest
from drawn import page_with, picture_of, scan_in

from assistant.errors import UnreadableFile
from assistant.ingest.reading import ReaderProcess
from assistant.readers import ocr, read
from assistant.readers.pdf.lines import Page
from assistant.readers.pdf.scans import blank, lines_of, recognised, scale_for
from assistant.settings import Reading

NOTICE = [(20, 40, "停水通知：八月十二日"), (20, 80, "Call extension 6120 first.")]


@pytest.fixture
def saved(tmp_path):
    """A function that saves a new PDF with the pages that the given functions make."""

    def save(*pages):
        with pymupdf.open() as made:
            for page in pages:
                page(made)
            made.save(tmp_path / "a.pdf")
        return tmp_path / "a.pdf"

    return save


def pixels_of(pixmap):
    return np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, pixmap.n)


@pytest.mark.accept("J6")
def test_a_page_without_text_is_recognised_and_the_others_stay_as_they_are(saved):
    table = [(20, 120, "楼栋"), (140, 120, "时间"), (20, 150, "甲楼"), (140, 150, "18:30"), (20, 180, "乙楼")]
    table.append((140, 180, "19:00"))
    path = saved(
        lambda made: page_with(made, [(20, 40, "员工手册第一页")]),
        lambda made: scan_in(made, [*NOTICE, *table]),
    )
    document = read(path)
    assert "员工手册第一页" in document.text
    assert "停水通知" in document.text
    assert "Call extension 6120 first." in document.text
    assert [block.text for block in document.blocks if block.kind == "table"] == [
        "楼栋 | 时间\n甲楼 | 18:30\n乙楼 | 19:00"
    ]
    assert {block.page for block in document.blocks} == {1, 2}
    assert document.unread == ()
    assert document.warnings == ("Page 2: the text was recognised from a picture and may hold errors.",)


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_page_lying_in_any_direction_is_read_from_its_top(quarters):
    turned = np.rot90(pixels_of(picture_of(NOTICE)), quarters)
    seen = ocr.recognise(turned, 60)
    assert [line.text for line in sorted(seen, key=lambda line: line.y0)] == [text for _, _, text in NOTICE]
    assert all(line.x1 - line.x0 > 2 * (line.y1 - line.y0) for line in seen)


@pytest.mark.accept("J6")
def test_a_garbled_text_layer_gives_way_to_what_the_page_shows(saved):
    shifted = "WKH TXLFN EURZQ IRA MXPSV RYHU WKH ODCB GRJ DQG "

    def garbled_scan(made):
        page = scan_in(made, NOTICE)
        for y in (20, 50, 80):
            page.insert_text((10, y), shifted, render_mode=3, fontsize=8)

    document = read(saved(garbled_scan))
    assert "停水通知" in document.text
    assert "TXLFN" not in document.text
    assert document.unread == ()


def test_a_stamp_at_the_edge_of_a_scan_does_not_pass_for_its_text(saved):
    stamp = "China Journal Electronic Publishing House. All rights reserved. http://www.example.cn"

    def stamped(made):
        scan_in(made, NOTICE).insert_text((5, 215), stamp, fontsize=4)

    assert "停水通知" in read(saved(stamped)).text


def test_a_single_small_line_on_a_large_page_is_found():
    seen = ocr.recognise(pixels_of(picture_of([(300, 400, "A-17")], size=(595, 842), fontsize=9, dpi=170)), 60)
    assert [line.text for line in seen] == ["A-17"]
    assert seen[0].x0 == pytest.approx(300 * 170 / 72, abs=12)


def test_a_page_that_ocr_cannot_read_is_named_and_a_blank_one_is_not(saved):
    noise = np.random.default_rng(1).integers(0, 256, (220, 220, 3), dtype=np.uint8)

    def picture(pixels):
        def insert(made):
            page = made.new_page(width=220, height=220)
            pixmap = pymupdf.Pixmap(pymupdf.csRGB, 220, 220, pixels.tobytes(), False)
            page.insert_image(page.rect, pixmap=pixmap)

        return insert

    path = saved(
        lambda made: page_with(made, [(20, 40, "A page with text.")]), picture(noise), picture(np.full_like(noise, 250))
    )
    assert read(path).unread == ("Page 2 has no text that OCR can read.",)
    with pytest.raises(UnreadableFile, match="finds no legible text") as raised:
        read(saved(picture(noise)))
    assert raised.value.kind == "scan"


def test_pages_beyond_the_time_for_ocr_are_named_and_the_others_are_kept(saved):
    path = saved(lambda made: page_with(made, [(20, 40, "Kept text.")]), *[lambda made: scan_in(made, NOTICE)] * 3)
    document = read(path, Reading().model_copy(update={"ocr_minutes_per_file": 0}))
    assert document.text == "Kept text."
    assert document.unread == ("Pages 2–4 have not been read, because OCR took too long.",)


def test_a_page_that_takes_longer_than_its_time_is_given_up():
    with pytest.raises(ocr.TooSlow):
        ocr.recognise(pixels_of(picture_of(NOTICE)), 0)


@pytest.mark.accept("I5")
def test_pages_with_a_text_layer_are_not_recognised(saved, monkeypatch):
    monkeypatch.setattr(ocr, "recognise", lambda *_: pytest.fail("a page with text went to OCR"))
    text = [(20, 40, "This page has a text layer of its own, and that is enough.")]
    assert read(saved(lambda made: page_with(made, text, size=(600, 120)))).warnings == ()


def test_a_picture_too_large_to_unpack_is_named_and_not_drawn(saved):
    def huge(made):
        page = made.new_page(width=220, height=220)
        image = page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 20, 20)))
        made.xref_set_key(image, "Width", "20000")
        made.xref_set_key(image, "Height", "20000")

    path = saved(lambda made: page_with(made, [(20, 40, "Kept text.")]), huge)
    assert read(path).unread == ("Page 2 has no text: pictures too large for OCR.",)


@pytest.mark.accept("I2")
def test_the_reading_process_recognises_within_its_memory(saved):
    path = saved(lambda made: scan_in(made, NOTICE))
    process = ReaderProcess(Reading())
    try:
        document = process.read(str(path), "scan.pdf")
    finally:
        process.end()
        process.let_go()
    assert document.name == "scan.pdf"
    assert "Call extension 6120 first." in document.text


def test_whoever_waits_hears_of_each_page(saved):
    told = []
    token = ocr.PAGE_DONE.set(lambda: told.append(1))
    try:
        read(
            saved(*[lambda made: scan_in(made, NOTICE)] * 2, lambda made: page_with(made, [(20, 40, "Text.")])),
            Reading().model_copy(update={"ocr_minutes_per_file": 0}),
        )
    finally:
        ocr.PAGE_DONE.reset(token)
    assert len(told) == 3


def test_nothing_is_recognised_when_ocr_is_switched_off():
    page = Page(1, 100.0, (), picture=True)
    assert recognised(None, [page], Reading(ocr=False)).pages == (page,)


def test_pages_are_drawn_at_200_dpi_within_the_pixel_limit():
    assert scale_for(595, 842) == pytest.approx(200 / 72)
    assert 3000 * scale_for(3000, 3000) == pytest.approx(3000)  # 9 million pixels
    assert 100_000 * scale_for(100_000, 10) == pytest.approx(20_000)


def test_blank_is_what_has_hardly_any_ink_light_or_dark():
    white = np.full((200, 300, 3), 255, np.uint8)
    speck = white.copy()
    speck[0:2, 0:2] = 0  # 4 of 60,000 pixels
    line = white.copy()
    line[100:102, 20:280] = 0
    assert [blank(white), blank(speck), blank(line), blank(255 - line)] == [True, True, False, False]


def test_sizes_that_differ_by_the_wobble_of_boxes_are_one_size():
    seen = [ocr.Seen("正文" * 10, 0, y, 400, y + height, 1.0) for y, height in ((0, 28), (40, 31), (80, 27))]
    seen.append(ocr.Seen("标题", 0, 120, 100, 170, 1.0))
    lines = lines_of(seen, 0.5)
    assert [line.size for line in lines] == [10.0, 10.0, 10.0, 18.0]  # 28 × 0.5 × 0.72 = 10.08; 50 × 0.36 = 18
    assert (lines[3].x1, lines[3].y1) == (50.0, 85.0)
