"""The lines between two rules at the start of a note: title, date, authority, status, …"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

_FENCED = re.compile(
    r"\A\ufeff?---[ \t]*(?:\r\n|\r|\n)(.*?)(?:\r\n|\r|\n)(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)", re.DOTALL
)
_FIELD = re.compile(r"([A-Za-z_\u4e00-\u9fff][\w \-.\u4e00-\u9fff]{0,60}?)[ \t]*[:：](?:[ \t]+|$)(.*)")
_DATE = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})")
_CONTINUED = re.compile(r"\s+\S|- |#|\s*$|[\]}]")


def front_matter(text: str) -> tuple[dict[str, str], int]:
    """The fields, keys in lower case, and where the text after them begins; ({}, 0) when there are none.

    Only lines "key: value" with their continuations count: a rule at the top of an ordinary note is no front matter.
    """
    fenced = _FENCED.match(text)
    if fenced is None:
        return {}, 0
    fields: dict[str, str] = {}
    key = ""
    for line in fenced[1].splitlines():
        field = _FIELD.match(line)
        if field:
            key = field[1].strip().lower()
            fields[key] = _plain(field[2])
        elif not _CONTINUED.match(line):
            return {}, 0
        elif key and line.strip() and not line.lstrip().startswith("#"):
            fields[key] = f"{fields[key]} {line.strip().removeprefix('- ')}".strip()
    return (fields, fenced.end()) if fields else ({}, 0)


def authority_of(fields: Mapping[str, str]) -> float | None:
    """The number 0–1 under `authority`; None when there is none or it is not such a number."""
    try:
        number = float(fields.get("authority", ""))
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


def date_of(fields: Mapping[str, str]) -> datetime | None:
    """The first of updated, modified, date that is a date: 2024-05-01, 2024/5/1, 2024年5月1日; UTC by default."""
    for key in ("updated", "modified", "last_modified", "lastmod", "date"):
        stated = fields.get(key, "")
        found = _DATE.match(stated)
        try:
            time = datetime.fromisoformat(stated) if "T" in stated or ":" in stated else None
            if found and time is None:
                time = datetime(*(int(part) for part in found.groups()))  # type: ignore[arg-type]
        except ValueError:
            continue
        if time is not None:
            return time if time.tzinfo else time.replace(tzinfo=UTC)
    return None


def _plain(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return re.sub(r"\s+#.*$", "", value)
