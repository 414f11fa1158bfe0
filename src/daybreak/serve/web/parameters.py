"""Parameters of the API: what each may be, said once for the check of a request and for the description."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, get_args

from msgspec import Struct, field

from daybreak.core.model.day import TAGS
from daybreak.core.model.links import IssueKind
from daybreak.core.model.statements import Kind
from daybreak.core.words.phrases import REFERENCE, languages
from daybreak.findings.kinds import kinds
from daybreak.serve.web.rows import DEFAULT, MARKS, MOST
from daybreak.site.search.opening import DEEPEST
from daybreak.site.search.opening import MOST as MOST_HITS
from daybreak.site.search.query import MOST_CHARACTERS
from daybreak.site.search.spelling import near


class Mistake(Exception):
    """What is wrong with a request, in one sentence."""


class Parameter(Struct, frozen=True):
    """One parameter; its schema is the one of the description."""

    name: str
    about: str
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    in_path: bool = False
    required: bool = False

    def read(self, text: str) -> Any:
        """The value; raises Mistake when it is none that the schema allows."""
        kind = self.schema["type"]
        if kind == "integer":
            return self._number(text)
        if kind == "boolean":
            if text not in ("true", "false"):
                raise Mistake(f"{self.name} is true or false.")
            return text == "true"
        return self._text(text)

    def _number(self, text: str) -> int:
        low, high = self.schema["minimum"], self.schema["maximum"]
        if not re.fullmatch(r"-?[0-9]{1,9}", text) or not low <= int(text) <= high:
            raise Mistake(f"{self.name} is a number from {low} to {high}.")
        return int(text)

    def _text(self, text: str) -> str:
        schema = self.schema
        if "enum" in schema and text not in schema["enum"]:
            raise Mistake(f"{self.name} is one of {', '.join(schema['enum'])}.")
        if len(text) > schema.get("maxLength", 100):
            raise Mistake(f"{self.name} has at most {schema.get('maxLength', 100)} characters.")
        if len(text) < schema.get("minLength", 0):
            raise Mistake(f"{self.name} is empty.")
        if schema.get("format") == "date" and not _is_date(text):
            raise Mistake(f"{self.name} is a day such as 2026-03-06.")
        if "pattern" in schema and not re.search(schema["pattern"].replace("$", r"\Z"), text, re.ASCII):
            raise Mistake(f"{self.name} is not of the form {schema['pattern']}.")
        return text


def _is_date(text: str) -> bool:
    try:
        return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False


def read_query(parameters: Iterable[Parameter], pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The values of a query; a parameter that nobody knows is a mistake, since a filter that is ignored tells lies."""
    known = {one.name: one for one in parameters if not one.in_path}
    values: dict[str, Any] = {}
    for name, text in pairs:
        if name not in known:
            close = near(name, list(known)) if known else None
            told = f"did you mean {close}?" if close else f"it knows {', '.join(known) or 'none'}."
            raise Mistake(f"This address knows no such parameter; {told}")
        if name in values:
            raise Mistake(f"{name} is given twice.")
        values[name] = known[name].read(text)
    missing = [one.name for one in known.values() if one.required and one.name not in values]
    if missing:
        raise Mistake(f"{missing[0]} is missing.")
    return values


def _texts(pattern: str, longest: int = 100) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern, "maxLength": longest}


def _words(some: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(some)}


_DAY = {"type": "string", "format": "date"}
_NAME = _texts(r"^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)?$", 140)
_WORD = _texts(r"^[a-z0-9_]+$", 40)

LIMIT = Parameter("limit", "Rows of a page.", {"type": "integer", "minimum": 1, "maximum": MOST, "default": DEFAULT})
CURSOR = Parameter(
    "cursor", "Where the page begins: `next` has it.", _texts(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\.[0-9]{1,6}$")
)
SINCE = Parameter("since", "From this day on.", _DAY)
UNTIL = Parameter("until", "Up to and with this day.", _DAY)
REPO = Parameter("repo", "Of this repository only: `owner/name`, or `name`.", _NAME)
LEVEL = Parameter("level", "Of this importance only.", {"type": "string", "enum": ["high", "medium", "low"]})
TAG = Parameter("tag", "Of this kind of thing to act on only.", {"type": "string", "enum": list(TAGS)})
KIND = Parameter("kind", "Of this kind only.", _words(get_args(Kind)))
ISSUE_KIND = Parameter("kind", "Of this kind only.", _words(get_args(IssueKind)))
STORY_KIND = Parameter("kind", "Of this kind only.", _words(("revert", "reland", "series", "fixup", "bump", "port")))
FINDING_KIND = Parameter("kind", "Of this kind only.", _words(kinds()))
SYMBOL = Parameter(
    "symbol",
    "A name as it is written, or a part of it between dots.",
    {"type": "string", "minLength": 1, "maxLength": 200},
)
MARK = Parameter("mark", "What it does to existing use.", _words(MARKS.values()))
STATE = Parameter("state", "In this state only, such as `open`.", _WORD)
BREAKING = Parameter("breaking", "Only changes that break something, or only those that do not.", {"type": "boolean"})
COMPONENT = Parameter(
    "component", "Touching this component or one below it.", {"type": "string", "minLength": 1, "maxLength": 200}
)
QUERY = Parameter(
    "q",
    "Words and filters, as in docs/search.md.",
    {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS},
    required=True,
)
OFFSET = Parameter(
    "cursor", "Results to pass over: `next` has it.", {"type": "integer", "minimum": 0, "maximum": DEEPEST}
)
HITS = Parameter("limit", "Results of a page.", {"type": "integer", "minimum": 1, "maximum": MOST_HITS, "default": 20})
LANGUAGE = Parameter(
    "language", "Of the words that are quoted.", {"type": "string", "enum": list(languages()), "default": REFERENCE}
)

PAGING = (LIMIT, CURSOR)
WINDOW = (SINCE, UNTIL)
LABEL = Parameter("date", "A reported day.", _DAY, in_path=True, required=True)
OWNER = Parameter("owner", "Owner of the repository.", _texts(r"^[A-Za-z0-9._-]+$"), in_path=True, required=True)
NAME = Parameter("name", "Name of the repository.", _texts(r"^[A-Za-z0-9._-]+$"), in_path=True, required=True)
SHA = Parameter("sha", "At least seven digits of the commit.", _texts(r"^[0-9a-f]{7,64}$"), in_path=True, required=True)
