"""E-mail (.eml): subject, people, the text once, and what is attached, through the readers of its formats."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from mimetypes import guess_extension
from pathlib import Path

from assistant.documents import Document
from assistant.errors import UnreadableFile
from assistant.language import language_of
from assistant.readers import html, plain_text
from assistant.readers.builder import TextBuilder
from assistant.readers.content import format_of
from assistant.readers.encoding import decode
from assistant.readers.headings import level_of_numbered
from assistant.settings import Reading

MOST_DEPTH = 5
"""Messages attached to messages; deeper ones are named and left out."""
MOST_ATTACHMENTS = 200

_LABELS = {"from": "发件人", "to": "收件人", "cc": "抄送", "date": "日期"}
_SIGNATURES = frozenset(["application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"])
_ENCRYPTED = frozenset(["multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"])
_QUOTED = re.compile(r"^(?:>[ \t]?)+", re.MULTILINE)
_LEAST_REPEATED = 30
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "us-ascii": "", "unknown-8bit": ""}


def read(path: Path, data: bytes, settings: Reading) -> Document:
    """The Document of the message, its attachments and the messages attached to it, each under a heading.

    Of text that is there as plain text and as HTML one is taken; quoted text that was there before is left out.
    Attachments that cannot be read are named in `unread`. Raises UnreadableFile("encrypted") for a message that only
    its recipient can open.
    """
    # not policy.default: it decodes each encoded word alone and by the letter, so that 关于, cut between two words,
    # becomes 关��, and GBK characters under the usual name gb2312 are lost
    message = message_from_bytes(_without_utf16(data, path.name).lstrip())
    if not any(name in message for name in ("from", "to", "subject", "date", "received", "mime-version")):
        return plain_text.read(path, data, settings)
    mail = _Mail(path.name, settings)
    mail.write(message, 0)
    text = mail.builder.text
    fields = {name: _header(message, name) for name in ("from", "to", "cc", "date", "subject", "message-id")}
    return Document(
        path=str(path),
        name=path.name,
        title=fields["subject"],
        media="eml",
        text=text,
        blocks=tuple(mail.builder.blocks),
        language=language_of(text),
        modified=_date(fields["date"]),
        meta={name: value for name, value in fields.items() if value},
        warnings=(*mail.unread, *mail.warnings),
        unread=tuple(mail.unread),
    )


@dataclass
class _Mail:
    """Writes messages into one builder. `said`: the paragraphs that are there already; `charset`: of the last text."""

    name: str
    settings: Reading
    builder: TextBuilder = field(default_factory=TextBuilder)
    unread: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    attachments: int = 0
    said: set[str] = field(default_factory=set)
    charset: str = ""

    def write(self, message: Message, depth: int) -> None:
        """Appends a message: subject, people and date, text, attachments."""
        subject = _header(message, "subject")
        self.builder.add("heading", subject, level=min(6, depth + 1))
        chinese = language_of(subject) in ("zh", "mixed")
        fields = [(name, _header(message, name)) for name in _LABELS]
        sent = _date(_header(message, "date"))
        if sent:  # people ask for 2024-07-01, not for Mon, 01 Jul
            fields[-1] = ("date", f"{sent:%Y-%m-%d %H:%M}")
        self.builder.add(
            "paragraph",
            "\n".join(
                f"{_LABELS[name]}：{value}" if chinese else f"{name.capitalize()}: {value}"
                for name, value in fields
                if value
            ),
        )
        self._part(message, depth, chinese)

    def _part(self, part: Message, depth: int, chinese: bool) -> None:
        kind = part.get_content_type()
        if kind in _SIGNATURES:
            return
        if kind in _ENCRYPTED and "signed" not in str(part.get_param("smime-type", "")):
            raise UnreadableFile(
                f"{self.name} is encrypted for its recipient; save it decrypted in the mail program.", "encrypted"
            )
        if kind == "message/rfc822":
            self._nested(part, depth, chinese)
        elif part.is_multipart():
            for inner in self._chosen(part) if kind == "multipart/alternative" else _parts(part):
                self._part(inner, depth, chinese)
        elif kind in ("text/plain", "text/html") and part.get_content_disposition() != "attachment":
            self._body(self._text(part), depth)
        else:
            self._attachment(part, depth, chinese)

    def _chosen(self, part: Message) -> Iterator[Message]:
        """One of the twins, and the pictures that belong to the HTML."""
        texts = {inner.get_content_type(): inner for inner in part.walk() if not inner.is_multipart()}
        plain, rich = texts.get("text/plain"), texts.get("text/html")
        if plain is not None and rich is not None:
            yield rich if self._says_more(rich, plain) else plain
            yield from (inner for inner in part.walk() if inner.get_content_maintype() == "image")
        else:
            yield from _parts(part)

    def _says_more(self, rich: Message, plain: Message) -> bool:
        """Whether the HTML holds a table, or the plain text is only a remark that there is HTML."""
        made = self._text(rich)
        return any(block.kind == "table" for block in made.blocks) or len(self._text(plain).text) * 2 < len(made.text)

    def _text(self, part: Message) -> Document:
        """The text of a body part; empty when it holds none."""
        self.charset = part.get_content_charset() or ""
        text = _decoded(_payload(part), self.charset, self.name)
        name = Path(self.name)
        empty = Document(path=self.name, name=self.name, media="txt", text="")
        if not text.strip():
            return empty
        if part.get_content_type() == "text/html":
            try:
                return html.read(name, b"\xef\xbb\xbf" + text.encode("utf-8", "replace"), self.settings)
            except UnreadableFile:
                return empty  # no element at all
        if str(part.get_param("format", "")).lower() == "flowed":
            text = re.sub(r" \r?\n(?!-- )", "" if part.get_param("delsp") == "yes" else " ", text)
        return plain_text.read(name, _QUOTED.sub("", text).encode("utf-8", "replace"), self.settings)

    def _body(self, document: Document, depth: int) -> None:
        kept = []
        for n, block in enumerate(document.blocks):
            key = re.sub(r"\W+", "", block.text).casefold()
            if len(key) >= _LEAST_REPEATED and key in self.said:
                continue
            self.said.add(key)
            greeting = n == 0 and block.kind == "heading" and not level_of_numbered(block.text)
            kept.append(block.model_copy(update={"kind": "paragraph", "level": 0}) if greeting else block)
        self.builder.include(document.model_copy(update={"blocks": tuple(kept)}), below=depth + 1)

    def _nested(self, part: Message, depth: int, chinese: bool) -> None:
        inner = part.get_payload()
        for message in inner if isinstance(inner, list) else []:
            if depth >= MOST_DEPTH:
                self.unread.append(f"Messages attached more than {MOST_DEPTH} deep have not been read.")
            elif isinstance(message, Message):
                self.write(message, depth + 1)

    def _attachment(self, part: Message, depth: int, chinese: bool) -> None:
        data = _payload(part)
        if not data:
            return
        self.attachments += 1
        if self.attachments > MOST_ATTACHMENTS:
            if self.attachments == MOST_ATTACHMENTS + 1:
                self.unread.append(f"The attachments after number {MOST_ATTACHMENTS} have not been read.")
            return
        name = self._name(part)
        if format_of(data, Path(name).suffix) == "email":
            if depth >= MOST_DEPTH:
                self.unread.append(f"Messages attached more than {MOST_DEPTH} deep have not been read.")
            else:
                self.write(message_from_bytes(_without_utf16(data, name).lstrip()), depth + 1)
            return
        self._file(part, name, data, depth, chinese)

    def _file(self, part: Message, name: str, data: bytes, depth: int, chinese: bool) -> None:
        from assistant.readers import document_of

        shown = f"{self.name} › {name}"
        settings = self.settings.model_copy(update={"legacy_encoding": self._encoding(part)})
        try:
            document = document_of(data, Path(shown), shown, settings)
        except UnreadableFile as err:
            self._refused(part, err)
            return
        self.builder.add("heading", f"附件：{name}" if chinese else f"Attachment: {name}", level=min(6, depth + 2))
        self.builder.include(document, below=depth + 2)
        self.unread += [f"In {shown}: {said}" for said in document.unread]
        self.warnings += [f"In {shown}: {said}" for said in document.warnings if said not in document.unread]

    def _encoding(self, part: Message) -> str:
        """What an attached text is likely in: what its part states, the charset of the message, the user's choice."""
        for stated in (part.get_content_charset(), self.charset):
            charset = _WIDER.get(stated or "", stated or "")
            if charset and not charset.startswith("utf") and _known(charset):
                return charset
        return self.settings.legacy_encoding

    def _refused(self, part: Message, err: UnreadableFile) -> None:
        """A picture without text is no loss; one that stands in the text (a logo) is not worth a word."""
        if err.kind == "empty" or (part.get_content_maintype() == "image" and err.kind == "scan" and self.settings.ocr):
            if not part.get("content-id"):
                self.warnings.append(str(err))
            return
        self.unread.append(str(err))

    def _name(self, part: Message) -> str:
        """The file name without folders; one made of the type when none is stated."""
        stated = part.get_filename() or ""
        name = re.split(r"[/\\]", _words(stated).strip())[-1]
        return name or f"{self.attachments}{guess_extension(part.get_content_type()) or ''}"


def _parts(part: Message) -> list[Message]:
    inner = part.get_payload()
    return [one for one in inner if isinstance(one, Message)] if isinstance(inner, list) else []


def _payload(part: Message) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _without_utf16(data: bytes, name: str) -> bytes:
    """Mail is ASCII; a program that saved it as UTF-16 changed every byte."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[:3] == b"\xef\xbb\xbf":
        return decode(data, "", name)[0].encode("utf-8")
    return data


def _header(message: Message, name: str) -> str:
    """The first header of this name, its encoded words decoded, on one line; "" when there is none."""
    stated = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")
    if not stated.isascii():  # bytes as they are, which no standard allows and many programs send
        charsets = (part.get_content_charset() for part in message.walk())
        charset = next((c for c in charsets if c and c != "us-ascii"), None)
        stated = _decoded(stated.encode("utf-8", "surrogateescape"), charset, "")
    return " ".join(_words(stated).split())


def _words(stated: str) -> str:
    try:
        parts = decode_header(stated)
    except (HeaderParseError, ValueError):  # base64 that is none
        return stated
    return "".join(part if isinstance(part, str) else _decoded(part, charset, "") for part, charset in parts)


def _known(charset: str) -> bool:
    try:
        codecs.lookup(charset)
    except (LookupError, ValueError):
        return False
    return True


def _decoded(data: bytes, charset: str | None, name: str) -> str:
    """The text in the charset that is stated, when the bytes fit it; otherwise by the bytes."""
    stated = _WIDER.get((charset or "").lower(), charset or "")
    try:
        return data.decode(stated or "utf-8")
    except (LookupError, UnicodeDecodeError):
        pass
    try:
        return decode(data, "", name)[0]
    except UnreadableFile:
        return data.decode("utf-8", "replace")


def _date(stated: str) -> datetime | None:
    try:
        time = parsedate_to_datetime(stated)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
