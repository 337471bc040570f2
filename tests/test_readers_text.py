import pytest

from assistant.errors import UnreadableFile
from assistant.readers import SUPPORTED, read
from assistant.settings import Reading

CHINESE = "采购合同管理办法\n\n第一条 单笔金额超过人民币五万元的采购，须经三家以上供应商比价。\n"
TRADITIONAL = "臺北市政府公文處理要點\n\n公文應於收文後三日內辦結，密件應由專人遞送。\n"
JAPANESE = "就業規則\n\n始業時刻は午前九時、終業時刻は午後六時とする。年次有給休暇は二十日とする。\n"


@pytest.fixture
def written(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def texts(document, kind):
    return [block.text for block in document.blocks if block.kind == kind]


def assert_exact(document):
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        (CHINESE, "utf-8", "utf-8"),
        (CHINESE, "utf-8-sig", "utf-8-sig"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "utf-16", "utf-16"),
        (CHINESE, "utf-16-le", "utf-16-le"),
        (CHINESE, "utf-16-be", "utf-16-be"),
        (TRADITIONAL, "big5", "big5hkscs"),
        (JAPANESE, "cp932", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        ("한국어 문서입니다. 연차 휴가는 이십 일입니다. 신청은 삼 일 전에 합니다.", "euc_kr", "euc_kr"),
        ("# 标题\n\n段落一\n段落二\n\n列：值\n甲：1", "gb18030", "gb18030"),
        ("姓名,年龄\n张伟,3", "gb18030", "gb18030"),
        ("蘋果 香蕉 葡萄", "big5", "big5hkscs"),
        ("짧은 글", "euc_kr", "euc_kr"),
        (JAPANESE, "iso2022_jp", "iso2022_jp"),
        ("plain words\n", "ascii", "utf-8"),
    ],
)
def test_text_of_any_usual_encoding_is_decoded_in_full(written, text, encoding, named):
    document = read(written("a.txt", text.encode(encoding)))
    assert (document.text, document.encoding) == (text, named)


def test_western_text_is_not_taken_for_chinese(written):
    assert "können" in read(written("a.md", "## können\n\näöüß Größe über\n".encode("latin-1"))).text
    french = "L'été dernier, il était déjà élève à l'école, très préoccupé.".encode("cp1252")
    assert "été dernier" in read(written("b.txt", french)).text


def test_first_non_ascii_byte_after_70_000_characters_is_decoded(written):
    text = "plain ascii words. " * 4000 + "最后一句。"
    assert read(written("late.txt", text)).text == text


def test_setting_prefers_a_legacy_encoding_for_bytes_that_several_could_be(written):
    path = written("short.txt", "语".encode("gb18030") * 3)
    assert read(path, Reading(legacy_encoding="gb18030")).text == "语语语"


def test_text_is_the_decoded_file_with_its_own_line_ends(written):
    document = read(written("a.txt", b"one\r\n\r\ntwo\rthree\n"))
    assert document.text == "one\r\n\r\ntwo\rthree\n"
    assert_exact(document)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("zero.pdf", b"", "empty"),
        ("zero.docx", b"", "empty"),
        ("blank.txt", b" \r\n\t\n ", "empty"),
        ("wide.txt", "\u3000\n\u3000".encode(), "empty"),
        ("rubbish.txt", bytes(range(256)) * 40, "unsupported"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n" + b"x" * 50, "corrupt"),
        ("clip.csv", b"OggS" + b"x" * 50, "unsupported"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "unsupported"),
        ("secret.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        ("cut.docx", b"PK\x03\x04 and then nothing", "corrupt"),
        ("cut.pdf", b"%PDF-1.7\n1 0 obj", "corrupt"),
    ],
)
def test_file_that_cannot_be_read_says_which_kind_of_fault_it_has(written, name, content, kind):
    with pytest.raises(UnreadableFile) as raised:
        read(written(name, content))
    assert raised.value.kind == kind
    assert name in str(raised.value)


def test_missing_folder_and_too_large_files_are_refused(tmp_path, written):
    with pytest.raises(UnreadableFile) as missing:
        read(tmp_path / "gone.txt")
    with pytest.raises(UnreadableFile) as folder:
        read(tmp_path)
    with pytest.raises(UnreadableFile, match="max_megabytes = 1") as large:
        read(written("big.txt", b"x" * 1_100_000), Reading(max_megabytes=1))
    assert (missing.value.kind, folder.value.kind, large.value.kind) == ("missing", "unsupported", "too_large")


def test_unsupported_format_is_named_with_a_way_out(written):
    with pytest.raises(UnreadableFile, match=r"binary Excel.*which is not read; save it as PDF, Word or text"):
        read(written("a.xlsb", _zip({"xl/workbook.bin": "x"})))


def _zip(parts):
    import io
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def test_shown_name_is_the_one_given(written):
    assert read(written("a.txt", "text"), name="notes/a.txt").name == "notes/a.txt"
    assert ".pdf" in SUPPORTED


MARKDOWN = """---
title: 运维手册
authority: 0.9
status: current
date: 2024-05-01
---

# 运维手册

First paragraph
in two lines.

Setext heading
--------------

| 服务 | 端口 |
| --- | --- |
| 网关 | 8443 |

```bash
# no heading
restart
```

- [x] one
- [ ] two <!-- not indexed -->

Footnote[^1].

[^1]: Its text is kept.
"""


def test_markdown_blocks_are_spans_of_the_file_without_front_matter_and_comments(written):
    document = read(written("a.md", MARKDOWN))
    assert document.text == MARKDOWN
    assert_exact(document)
    assert [(b.text, b.level) for b in document.blocks if b.kind == "heading"] == [
        ("运维手册", 1),
        ("Setext heading", 2),
    ]
    assert texts(document, "code") == ["```bash\n# no heading\nrestart\n```"]
    assert texts(document, "list") == ["- [x] one\n- [ ] two"]
    (table,) = [b for b in document.blocks if b.kind == "table"]
    assert document.text[table.start : table.header_end].strip() == "| 服务 | 端口 |\n| --- | --- |"
    assert "[^1]: Its text is kept." in " ".join(texts(document, "paragraph"))
    assert not any("not indexed" in b.text or "authority" in b.text for b in document.blocks)


def test_front_matter_gives_title_authority_status_and_date(written):
    document = read(written("a.md", MARKDOWN))
    assert (document.title, document.authority, document.meta["status"]) == ("运维手册", 0.9, "current")
    assert document.modified is not None
    assert document.modified.date().isoformat() == "2024-05-01"


@pytest.mark.parametrize("stated", ["1.5", "high", "-1", "nan", ""])
def test_authority_that_is_no_number_from_0_to_1_is_not_stated(written, stated):
    assert read(written("a.md", f"---\nauthority: {stated}\n---\nText.")).authority is None


def test_rule_at_the_top_of_a_note_is_no_front_matter(written):
    document = read(written("a.md", "---\nJust a line of text\n---\nAnd more."))
    assert document.meta == {}
    assert "Just a line of text" in " ".join(b.text for b in document.blocks)


def test_long_paragraph_above_a_rule_is_no_heading(written):
    document = read(written("a.md", "word " * 60 + "\n---\nnext"))
    assert texts(document, "heading") == []


QUESTIONS = """# FAQ

## How do I apply?

Ask your manager.

## 年假可以结转吗？

可结转至次年三月底。

## Background

A section that asks nothing.
"""


def test_question_as_heading_with_its_answer_is_one_block(written):
    document = read(written("faq.md", QUESTIONS))
    assert texts(document, "qa") == ["How do I apply?\n\nAsk your manager.", "年假可以结转吗？\n\n可结转至次年三月底。"]
    assert texts(document, "heading") == ["FAQ", "Background"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("问：发票开错了怎么办？\n答：联系财务。\n\n问：可以远程吗？\n答：可以。", 2),
        ("Q: Is it free?\nA: Yes.\nQ: For ever?\nA: Yes.", 2),
        ("Q1. What is it?\n\nA1. A tool.\n\nQ2. Who made it?\n\nA2. We did.", 2),
        ("**Q1：** 怎么登录？\n\n**A1：** 用工号。", 1),
        ("**How do I start?**\n\nPress the button.\n\n**How do I stop?**\n\nPress it again.", 2),
        ("Q1: revenue rose to 3 million.\n\nQ2: revenue fell.", 0),
    ],
)
def test_marked_questions_with_answers_are_one_block_each(written, text, pairs):
    for name in ("faq.md", "faq.txt"):
        document = read(written(name, text))
        assert len(texts(document, "qa")) == pairs
        assert_exact(document)
        visible = "".join(b.text for b in document.blocks)
        assert "".join(visible.split()) == "".join(text.split())


def test_plain_text_headings_are_found_where_numbering_is_clear(written):
    text = "员工手册\n\n第一章 总则\n为加强管理，制定本办法。\n\n1.2 Scope of work\nThis part says much.\n\n"
    text += "一、考勤\n每天九点上班。\n"
    document = read(written("a.txt", text))
    assert texts(document, "heading") == ["员工手册", "第一章 总则", "1.2 Scope of work", "一、考勤"]
    assert document.title == "员工手册"


def test_numbered_sentences_and_lists_are_no_headings(written):
    text = "一、公文应于三日内办结。\n二、密件应由专人递送。\n\n1. buy milk\n2. buy eggs\n\n"
    text += "1.5 million people live there, they say.\n"
    assert texts(read(written("a.txt", text)), "heading") == []


def test_one_line_of_a_megabyte_is_read(written):
    document = read(written("long.txt", "word and number 12, " * 60_000 + "END-MARKER"))
    assert document.blocks[-1].text.endswith("END-MARKER")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("这是一份中文文件。", "zh"),
        ("An English file.", "en"),
        ("数据库 PostgreSQL 端口 is open", "mixed"),
        ("カタカナとひらがな", "other"),
        ("123", "other"),
    ],
)
def test_language_is_told_by_the_share_of_letters(written, text, language):
    assert read(written("a.txt", text)).language == language
