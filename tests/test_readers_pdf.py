import pymupdf
import pytest

from assistant.chunking import chunk
from assistant.errors import UnreadableFile
from assistant.readers import read
from assistant.settings import Reading

CHINESE = "china-s"


@pytest.fixture
def pdf(tmp_path):
    """A function that writes a PDF: one list of (x, y, text, size, font) per page."""

    def write(*pages, name="a.pdf", **options):
        path = tmp_path / name
        with pymupdf.open() as made:
            for items in pages:
                page = made.new_page(width=595, height=842)
                for x, y, text, *more in items:
                    size, font = (more + [11, "helv"][len(more) :])[:2]
                    page.insert_text((x, y), text, fontsize=size, fontname=font)
            made.save(path, **options)
        return path

    return write


def lines(x, y, texts, size=11, font="helv"):
    return [(x, y + n * size * 1.3, text, size, font) for n, text in enumerate(texts)]


def kinds(document):
    return [(block.kind, block.text) for block in document.blocks]


def assert_exact(document):
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)


def test_lines_of_a_paragraph_are_joined_and_hyphens_go_where_a_word_was_split(pdf):
    text = [
        "The retrieval of passages is done in two stages, of which the infor-",
        "mation stage comes first and is followed by the Lucene-",
        "BM25 stage that orders everything once again by its own",
        "score.",
    ]
    document = read(pdf(lines(72, 100, text)))
    (block,) = document.blocks
    assert "of which the information stage" in block.text
    assert "Lucene-BM25 stage" in block.text
    assert (document.pages, block.page, document.media) == (1, 1, "pdf")


def test_chinese_line_ends_are_joined_without_a_space(pdf):
    text = ["为加强公司差旅费用管理，规范报销流程，提高资金使用效益，根据国家有", "关财务制度，制定本办法。"]
    document = read(pdf(lines(72, 100, text, 12, CHINESE)))
    assert document.text == "".join(text)
    assert document.language == "zh"


def column(word):
    return [f"{word} column line {n} has enough words here" for n in range(8)]


def test_columns_are_read_one_after_the_other_below_their_common_title(pdf):
    document = read(
        pdf(
            [
                (150, 60, "A title across both of the columns", 18),
                *lines(50, 100, column("Left")),
                *lines(310, 100, column("Right")),
            ]
        )
    )
    assert document.title == "A title across both of the columns"
    left, right = document.text.find("Left column line 7"), document.text.find("Right column line 0")
    assert 0 < left < right


def test_three_columns_are_read_one_after_the_other(pdf):
    columns = [[f"{word} line {n} has some words" for n in range(20)] for word in ("First", "Second", "Third")]
    placed = [place for n, column in enumerate(columns) for place in lines(40 + n * 180, 100, column)]
    text = read(pdf([(150, 60, "A title across the three columns", 18), *placed])).text
    assert "First line 18 has some words First line 19" in text
    assert text.find("First line 19") < text.find("Second line 0") < text.find("Second line 19") < text.find("Third")


def test_running_headers_footers_and_page_numbers_go_and_single_lines_stay(pdf):
    def page(n):
        body = lines(72, 200, [f"Invoice number {7 * n * n} is open.", f"It differs: {'abcd'[n] * 5}."])
        return [
            (72, 40, "Acme internal manual"),
            *body,
            (280, 810, f"- {n + 1} -"),
            (72, 790, "Only here" if n == 2 else " "),
        ]

    document = read(pdf(*map(page, range(4))))
    assert "Acme internal manual" not in document.text
    assert "- 2 -" not in document.text
    assert "Only here" in document.text
    assert all(f"Invoice number {7 * n * n} is open" in document.text for n in range(4))


def test_chinese_page_numbers_that_count_are_dropped(pdf):
    body = [lines(72, 200, [f"第{n}部分的正文内容在这里。"], 12, CHINESE) for n in "甲乙丙"]
    pages = [[*body[n], (250, 800, f"第 {'一二三'[n]} 页 共 三 页", 10, CHINESE)] for n in range(3)]
    assert "共" not in read(pdf(*pages)).text


def test_numbers_at_the_edge_that_do_not_count_pages_stay(pdf):
    pages = [
        [*lines(72, 200, [f"Some text on page {n}."]), (72, 700, number)]
        for n, number in enumerate(("450", "120", "87"))
    ]
    text = read(pdf(*pages)).text
    assert all(number in text for number in ("450", "120", "87"))


def test_paragraph_that_runs_over_a_page_break_is_one_block_with_both_pages(pdf):
    first = lines(72, 760, ["The report should state the reason for the journey, the places visited, and"])
    second = lines(72, 80, ["the names of all who took part in it."])
    (block,) = read(pdf(first, second)).blocks
    assert block.text.endswith("visited, and the names of all who took part in it.")
    assert (block.page, block.page_end) == (1, 2)


def test_bold_drawn_twice_is_read_once(pdf):
    twice = [(72, 100, "项目描述", 12, CHINESE), (72.4, 100, "项目描述", 12, CHINESE)]
    assert read(pdf([*twice, (72, 140, "普通正文。", 12, CHINESE)])).text.count("项目描述") == 1


def test_headings_carry_levels_by_size_and_numbering(pdf):
    body = ["Running text in the size of the body, long enough to count as body."] * 4
    document = read(
        pdf(
            [
                (72, 80, "The Annual Report", 22),
                (72, 130, "1 Introduction", 15),
                *lines(72, 160, body),
                (72, 260, "1.1 Scope", 13),
                *lines(72, 290, body),
            ]
        )
    )
    assert [(b.text, b.level) for b in document.blocks if b.kind == "heading"] == [
        ("The Annual Report", 1),
        ("1 Introduction", 2),
        ("1.1 Scope", 3),
    ]


def ruled(page, x, y, rows, width=120, height=24):
    for n, row in enumerate(rows):
        for m, text in enumerate(row):
            box = pymupdf.Rect(x + m * width, y + n * height, x + (m + 1) * width, y + (n + 1) * height)
            page.draw_rect(box)
            page.insert_text((box.x0 + 4, box.y1 - 8), text, fontname=CHINESE, fontsize=11)


def test_ruled_table_becomes_rows_with_header_and_its_text_stands_once(tmp_path):
    path = tmp_path / "table.pdf"
    with pymupdf.open() as made:
        page = made.new_page()
        page.insert_text((72, 90), "住宿标准如下：", fontname=CHINESE, fontsize=11)
        ruled(page, 72, 110, [("职级", "城市", "标准"), ("经理", "北京", "800"), ("员工", "上海", "500")])
        made.save(path)
    document = read(path)
    (table,) = [block for block in document.blocks if block.kind == "table"]
    assert table.text == "职级 | 城市 | 标准\n经理 | 北京 | 800\n员工 | 上海 | 500"
    assert document.text[table.start : table.header_end] == "职级 | 城市 | 标准"
    assert document.text.count("北京") == 1
    (made,) = chunk(document)
    assert made.text.startswith("住宿标准如下：")


def test_table_without_rules_becomes_rows(pdf):
    cells = [("Code", "Shelf", "Stock"), ("SKU-1", "A-12", "450"), ("SKU-2", "B-07", "120"), ("SKU-3", "C-15", "87")]
    page = [(72 + m * 150, 100 + n * 18, text) for n, row in enumerate(cells) for m, text in enumerate(row)]
    assert ("table", "\n".join(" | ".join(row) for row in cells)) in kinds(read(pdf(page)))


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_rotated_page_reads_in_order(tmp_path, rotation):
    path = tmp_path / "rotated.pdf"
    with pymupdf.open() as made:
        page = made.new_page()
        for n, text in enumerate(("First line here.", "Second line here.")):
            page.insert_text((72, 100 + n * 14), text)
        page.set_rotation(rotation)
        made.save(path)
    assert read(path).text == "First line here. Second line here."


def test_text_set_sideways_reads_in_order(tmp_path):
    path = tmp_path / "sideways.pdf"
    with pymupdf.open() as made:
        page = made.new_page()
        for n, text in enumerate(("First line here.", "Second line here.")):
            page.insert_text((100 + n * 14, 700), text, rotate=90)
        made.save(path)
    assert read(path).text == "First line here. Second line here."


def test_user_password_is_refused_and_owner_password_is_read(pdf):
    keep = pymupdf.PDF_ENCRYPT_AES_256
    secret = pdf([(72, 100, "Secret text.")], encryption=keep, user_pw="u", owner_pw="o", name="user.pdf")
    with pytest.raises(UnreadableFile, match="password") as raised:
        read(secret)
    assert raised.value.kind == "encrypted"
    assert read(pdf([(72, 100, "Open text.")], encryption=keep, owner_pw="o", name="owner.pdf")).text == "Open text."


def picture_page(made):
    page = made.new_page()
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80))
    pixels.clear_with(200)
    page.insert_image(page.rect, pixmap=pixels)


def test_without_ocr_a_document_of_pictures_is_a_scan_and_single_picture_pages_are_named(tmp_path):
    scan, mixed = tmp_path / "scan.pdf", tmp_path / "mixed.pdf"
    with pymupdf.open() as made:
        picture_page(made)
        made.save(scan)
    with pytest.raises(UnreadableFile, match=r"reading\.ocr = true") as raised:
        read(scan, Reading(ocr=False))
    assert raised.value.kind == "scan"
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 100), "A page with text.")
        picture_page(made)
        picture_page(made)
        made.save(mixed)
    document = read(mixed, Reading(ocr=False))
    assert document.unread == document.warnings == ("Pages 2–3 have no text: pictures that need OCR.",)


@pytest.mark.parametrize(
    "layer",
    ["\ue000\ue001\ue002 \ue003\ue004", "୰ᅧᩥ௳", "WKH TXLFN EURZQ IRA MXPSV RYHU WKH ODCB GRJ DQG " * 4],
)
def test_text_layer_with_wrong_letters_is_recognised(layer):
    from assistant.readers.pdf.quality import garbled

    assert garbled(layer)


@pytest.mark.parametrize(
    "layer",
    [
        "The quick brown fox jumps over the lazy dog. " * 4,
        "第一章 总则 为加强管理 2024",
        "ABSTRACT INTERNATIONAL EQUIPMENT LIST " * 4,
        "تعتبر البرمجة",
        "α β γ ∑ x² ≤ 3",
        "",
    ],
)
def test_real_text_is_not_taken_for_wrong_letters(layer):
    from assistant.readers.pdf.quality import garbled

    assert not garbled(layer)


def test_text_over_a_picture_of_the_page_is_named_as_recognised(tmp_path):
    path = tmp_path / "ocr.pdf"
    with pymupdf.open() as made:
        picture_page(made)
        for n in range(6):
            made[0].insert_text((72, 100 + 20 * n), "A line that an OCR program put over the picture.", render_mode=3)
        made.save(path)
    document = read(path)
    assert document.warnings == ("Page 1: the text was recognised from a picture and may hold errors.",)
    assert document.unread == ()


def test_truncated_file_is_corrupt_and_a_page_without_anything_is_empty(pdf, tmp_path):
    whole = pdf([(72, 100, "Some text.")]).read_bytes()
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(whole[:200])
    with pytest.raises(UnreadableFile) as raised:
        read(cut)
    assert raised.value.kind == "corrupt"
    with pytest.raises(UnreadableFile) as raised:
        read(pdf([], name="blank.pdf"))
    assert raised.value.kind == "empty"


def test_pdf_is_read_as_pdf_under_any_name(pdf):
    document = read(pdf([(72, 100, "Inside a PDF.")], name="really.txt"))
    assert (document.text, document.media) == ("Inside a PDF.", "pdf")


def test_free_text_and_notes_are_read_once(tmp_path):
    path = tmp_path / "notes.pdf"
    with pymupdf.open() as made:
        page = made.new_page()
        page.insert_text((72, 100), "Body text.")
        page.add_freetext_annot((72, 200, 300, 230), "A remark on the page")
        page.add_text_annot((300, 100), "A hidden note")
        made.save(path)
    text = read(path).text
    assert text.count("A remark on the page") == 1
    assert "A hidden note" in text


def test_nothing_is_printed_for_a_damaged_file(tmp_path, pdf, capfd):
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(pdf([(72, 100, "Some text.")]).read_bytes().replace(b"xref", b"xxxx"))
    document = read(damaged)
    assert_exact(document)
    assert capfd.readouterr() == ("", "")


def test_chunks_of_a_table_and_of_a_paragraph_over_several_pages_carry_their_own_pages(tmp_path):
    path = tmp_path / "long.pdf"
    with pymupdf.open() as made:
        for n in range(3):
            page = made.new_page()
            rows = [(f"Part {n * 20 + row}", f"{row} pieces of it", f"Shelf {n}") for row in range(20)]
            ruled(page, 50, 80, [("Name", "Count", "Place"), *rows])
        made.save(path)
    chunks = chunk(read(path))
    for row, page in (("Part 0 |", 1), ("Part 25 |", 2), ("Part 59 |", 3)):
        (held,) = [c for c in chunks if row in c.text]
        assert held.pages[0] <= page <= held.pages[1]
    assert chunks[-1].pages == (3, 3)


def test_chunks_of_a_paragraph_over_a_page_break_carry_their_own_pages(pdf):
    full = [f"and the committee decided to go on with number {n:03} of its long list," for n in range(80)]
    chunks = chunk(read(pdf([*lines(50, 80, full[:40])], [*lines(50, 80, full[40:])])))
    assert {c.pages for c in chunks if "number 010" in c.text} == {(1, 1)}
    assert {c.pages for c in chunks if "number 070" in c.text} == {(2, 2)}


def test_ticked_boxes_are_ticks_and_a_comment_does_not_run_into_the_text_it_is_on(tmp_path):
    path = tmp_path / "form.pdf"
    with pymupdf.open() as made:
        page = made.new_page()
        page.insert_text((50, 60), "Application form", fontsize=16)
        page.insert_text((50, 120), "I agree:")
        box = pymupdf.Widget()
        box.rect, box.field_name = pymupdf.Rect(150, 110, 165, 125), "agree"
        box.field_type, box.field_value = pymupdf.PDF_WIDGET_TYPE_CHECKBOX, True
        page.add_widget(box)
        note = page.add_highlight_annot((50, 45, 150, 65))
        note.set_info(content="Is this the right form?")
        note.update()
        made.save(path)
    assert read(path).text.split("\n\n") == ["Application form", "I agree: ✓", "Is this the right form?"]
