from email.message import EmailMessage

import pymupdf
import pytest

from assistant.errors import UnreadableFile
from assistant.readers import read
from assistant.settings import Reading


@pytest.fixture
def sent(tmp_path):
    """A function that reads a message, given as such or as its bytes."""

    def write(message, name="a.eml", settings=None):
        path = tmp_path / name
        path.write_bytes(message if isinstance(message, bytes) else bytes(message))
        return read(path, settings)

    return write


def message(subject="考勤通知", text="各位同事：\n\n弹性打卡时间调整为八点半至十点，请互相转告并遵照执行。\n"):
    made = EmailMessage()
    made["Subject"], made["From"], made["To"] = subject, "人力资源部 <hr@example.cn>", "all@example.cn"
    made["Date"] = "Mon, 01 Jul 2024 09:00:00 +0800"
    made.set_content(text)
    return made


def test_subject_people_and_date_stand_before_the_text(sent):
    document = sent(message())
    assert document.text == (
        "考勤通知\n\n发件人：人力资源部 <hr@example.cn>\n收件人：all@example.cn\n日期：2024-07-01 09:00\n\n"
        "各位同事：\n\n弹性打卡时间调整为八点半至十点，请互相转告并遵照执行。"
    )
    assert (document.title, document.media) == ("考勤通知", "eml")
    assert f"{document.modified:%Y-%m-%d %H:%M %z}" == "2024-07-01 09:00 +0800"
    assert document.meta["from"] == "人力资源部 <hr@example.cn>"
    assert sent(message("Hours", "Dear all,\n\nOpen from nine.\n")).text.startswith("Hours\n\nFrom: 人力资源部")


def test_a_character_cut_between_two_encoded_words_and_gbk_named_gb2312_are_read(sent):
    raw = (
        b"Subject: =?gb2312?B?udjT?=\n =?gb2312?B?2g==?= =?gb2312?B?6Eg=?=\nFrom: a@b.cn\n"
        b"Content-Type: text/plain; charset=gb2312\nContent-Transfer-Encoding: 8bit\n\n"
    )
    document = sent(raw + "朱镕基、陶喆出席会议。".encode("gb18030"))
    assert document.title == "关于" + b"\xe8\x48".decode("gb18030")
    assert "朱镕基、陶喆出席会议。" in document.text


def test_headers_in_raw_gbk_bytes_are_read(sent):
    head = "Subject: 关于二〇二四年度预算安排的通知\nFrom: 财务部 <cw@example.cn>\n\n".encode("gb18030")
    assert sent(head + "请查收。".encode("gb18030")).title == "关于二〇二四年度预算安排的通知"


def test_of_text_and_html_one_is_read(sent):
    made = message(text="Budget is 5,000 yuan for the whole year.")
    made.add_alternative("<p>Budget is 5,000 yuan for the whole year.</p>", subtype="html")
    assert sent(made).text.count("5,000") == 1
    made = message(text="Your program cannot show this.")
    made.add_alternative("<p>" + "The meeting moves to Friday. " * 5 + "</p>", subtype="html")
    assert "Friday" in sent(made).text
    assert "cannot show" not in sent(made).text
    made = message(text="Name Days Ann 12 and more text that is not in the table at all")
    made.add_alternative("<table><tr><th>Name</th><th>Days</th></tr><tr><td>Ann</td><td>12</td></tr></table>", "html")
    assert "Name | Days\nAnn | 12" in sent(made).text


def test_quoted_text_that_was_there_before_is_left_out(sent):
    said = "Please send the signed contract to the legal department by Friday."
    inner = message("Contract", said)
    made = message("Re: Contract", f"Done, it is on its way to you.\n\n> {said}\n")
    made.add_attachment(inner)
    document = sent(made)
    assert document.text.count(said) == 1
    assert "> " not in document.text
    assert [b.text for b in document.blocks if b.kind == "heading"] == ["Re: Contract", "Contract"]


def test_attachments_go_through_their_readers_under_a_heading(sent):
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 100), "The limit is 400 yuan a night.")
        pdf = made.tobytes()
    made = message()
    made.add_attachment(pdf, maintype="application", subtype="octet-stream", filename="差旅办法.pdf")
    made.add_attachment("迟到三次扣二百元".encode("gbk"), maintype="text", subtype="plain", filename="细则.txt")
    made.get_payload()[0].replace_header("Content-Type", "text/plain; charset=utf-8")
    document = sent(made, settings=Reading(legacy_encoding="gb18030"))
    headings = [(block.level, block.text) for block in document.blocks if block.kind == "heading"]
    assert headings == [(1, "考勤通知"), (2, "附件：差旅办法.pdf"), (2, "附件：细则.txt")]
    assert "The limit is 400 yuan a night." in document.text
    assert "迟到三次扣二百元" in document.text
    assert document.unread == ()


def test_an_attached_text_without_charset_is_taken_to_be_in_that_of_the_message(sent):
    made = message()
    made.set_content("各位同事，请看附件。", charset="gb2312", cte="8bit")
    made.add_attachment("迟到三次扣除全勤奖".encode("gbk"), maintype="text", subtype="plain", filename="a.txt")
    assert "迟到三次扣除全勤奖" in sent(made).text


def test_an_attachment_that_cannot_be_read_is_named(sent):
    made = message()
    made.add_attachment(b"\x7fELF" + bytes(100), maintype="application", subtype="octet-stream", filename="../x/run")
    made.add_attachment(b"signature", maintype="application", subtype="pgp-signature", filename="s.asc")
    document = sent(made)
    assert len(document.unread) == 1
    assert document.unread[0].startswith("a.eml › run is a program, which is not read")


def test_messages_within_messages_are_read_to_a_depth(sent):
    made = message("level 7", "The innermost text of all.")
    for level in range(6, -1, -1):
        outer = message(f"level {level}", f"Text of message number {level}.")
        outer.add_attachment(made)
        made = outer
    document = sent(made)
    assert "Text of message number 5." in document.text
    assert "Text of message number 6." not in document.text
    assert document.unread == ("Messages attached more than 5 deep have not been read.",)


def test_a_message_for_its_recipient_only_is_encrypted_and_a_signed_one_is_read(sent):
    sealed = b"Subject: x\nFrom: a@b\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIAG"
    with pytest.raises(UnreadableFile, match="recipient") as raised:
        sent(sealed)
    assert raised.value.kind == "encrypted"
    signed = (
        b"Subject: x\nFrom: a@b\nContent-Type: multipart/signed; boundary=B\n\n--B\n\nSigned text.\n--B\n"
        b"Content-Type: application/pkcs7-signature; name=smime.p7s\n\nMIAG\n--B--\n"
    )
    assert sent(signed).unread == ()


def test_a_message_saved_as_utf16_and_one_under_a_wrong_name_are_read(sent):
    assert sent(bytes(message("Hours", "Open from nine.")).decode().encode("utf-16")).title == "Hours"
    assert sent(b"No message, just a note.").media == "txt"


@pytest.mark.parametrize(
    "broken",
    [
        b"Subject: =?utf-8?B?5?=\nFrom: a\n\nText.",
        b"Subject: x\nContent-Type: text/plain; charset=no-such\n\nText.",
        b"Subject: x\nContent-Type: multipart/mixed\n\nText.",
        b"Subject: x\nDate: never\nContent-Type: ;;;\n\nText.",
        b"Subject: x\nContent-Transfer-Encoding: base64\n\nVGV4dC4",
    ],
)
def test_a_message_with_broken_headers_keeps_its_text(sent, broken):
    assert "Text." in sent(broken).text
