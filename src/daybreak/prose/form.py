"""The form of a model's answer: what it is asked to fill in about a change or about statements, and what is read from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from msgspec import Struct

from daybreak.core.model.drafts import Draft, Span
from daybreak.core.model.statements import Hit, Role, Severity

ROLES: tuple[Role, ...] = get_args(Role)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
HITS: tuple[Hit, ...] = get_args(Hit)
SECTIONS_OF = {"day": ("headline", "summary", "across", "conclusion"), "span": ("summary", "across", "conclusion")}
"""Of sentences about a whole."""
MOST_SPANS = 4
_LONGEST_LINE = 400
_SMALL_TEXT = {"zh": 16, "en": 60}
"""Characters; a weak model spends up to three tokens on a Chinese one, and half of its answer on the form."""
_SMALL_LINE = 24


def object_form(fields: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object that has these fields and no others."""
    return {"type": "object", "properties": dict(fields), "required": list(fields), "additionalProperties": False}


TEXT = {"type": "string"}
WRONG_FINDINGS = {"type": "array", "items": object_form({"finding": TEXT, "at": TEXT, "line": TEXT})}
_LINES = {"type": "array", "items": object_form({"at": TEXT, "line": TEXT})}


class Refuted(Struct, frozen=True):
    """A finding that the model holds for wrong, and the line that shows it."""

    finding: str
    """The piece that shows the finding, such as `F2`."""
    span: Span


class Filled(Struct, frozen=True):
    """A filled-in form."""

    drafts: tuple[tuple[str, Draft], ...] = ()
    """Section (empty where there is none) and sentence."""
    severity: Severity | None = None
    hit: Hit | None = None
    refuted: tuple[Refuted, ...] = ()
    fault: tuple[Span, ...] = ()
    """Of a fix, the lines in which what it mends lies."""
    lost: tuple[Span, ...] = ()
    """The lines by which somebody loses what worked."""


def change_form(
    languages: Sequence[str], refs: Sequence[str], most: int, *, small: bool, several: bool = False
) -> dict[str, Any]:
    """JSON Schema of the answer about a change, in the words that every server with structured output takes.

    A small one keeps a weak model within few tokens. Of another one nothing is bounded here: what is too long, too much
    or names a wrong id costs its sentence, not the whole answer. Of several changes nothing is asked as a whole.
    """
    at = {"type": "string"} | ({"enum": list(refs)} if small else {})
    line = {"type": "string"} | ({"maxLength": _SMALL_LINE} if small else {})
    spans = {"type": "array", "items": object_form({"at": at, "line": line})} | (
        {"minItems": 1, "maxItems": 1} if small else {}
    )
    fields = {"role": {"type": "string", "enum": list(ROLES)}, **_texts(languages, small), "spans": spans}
    tells = {"type": "array", "items": object_form(fields)} | ({"minItems": 1, "maxItems": most} if small else {})
    if small or several:
        return object_form({"tells": tells})
    return object_form(
        {
            "tells": tells,
            "hit": {"type": "string", "enum": list(HITS)},
            "severity": {"type": "string", "enum": list(SEVERITIES)},
            "lost": _LINES,
            "fault": _LINES,
            "wrong_findings": WRONG_FINDINGS,
        }
    )


def statements_form(languages: Sequence[str], sections: Sequence[str] = ()) -> dict[str, Any]:
    """The same for sentences about statements, in these sections where there are several."""
    fields: dict[str, Any] = {"section": {"type": "string", "enum": list(sections)}} if sections else {}
    fields |= {"role": {"type": "string", "enum": list(ROLES)}, **_texts(languages, small=False)}
    fields["evidence"] = {"type": "array", "items": {"type": "string"}}
    return object_form({"statements": {"type": "array", "items": object_form(fields)}})


def _texts(languages: Sequence[str], small: bool) -> dict[str, Any]:
    bounds = {x: {"minLength": 1, "maxLength": _SMALL_TEXT.get(x, 40)} if small else {} for x in languages}
    return {language: {"type": "string"} | bounds[language] for language in languages}


def filled(data: Mapping[str, Any], languages: Sequence[str]) -> Filled:
    """What has the form of an answer; the rest of it is not there."""
    rows = [*_rows(data.get("tells")), *_rows(data.get("statements"))]
    drafts = ((str(row.get("section") or ""), _draft(row, languages)) for row in rows)
    severity, hit, lost = data.get("severity"), data.get("hit"), tuple(_spans(data.get("lost")))
    return Filled(
        tuple((section, draft) for section, draft in drafts if draft is not None),
        severity if severity in SEVERITIES else None,
        hit if hit in HITS else None,
        tuple(_refuted(data.get("wrong_findings"))),
        tuple(_spans(data.get("fault")))[:MOST_SPANS],
        lost,
    )


def _rows(found: object) -> list[Mapping[str, Any]]:
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []


def _draft(row: Mapping[str, Any], languages: Sequence[str]) -> Draft | None:
    role, refs = row.get("role"), row.get("evidence")
    if role not in ROLES:
        return None
    texts = {language: " ".join(str(row.get(language) or "").split()) for language in languages}
    names = tuple(dict.fromkeys(ref for ref in refs if isinstance(ref, str))) if isinstance(refs, list) else ()
    return Draft(role, texts, tuple(_spans(row.get("spans")))[:MOST_SPANS], names)


def _spans(found: object) -> Iterator[Span]:
    for row in _rows(found):
        if (span := _span(row)) is not None:
            yield span


def _span(row: Mapping[str, Any]) -> Span | None:
    at, line = row.get("at"), row.get("line")
    if not isinstance(at, str) or not isinstance(line, str) or not line.strip():
        return None
    return Span(at[:40], _MARK.sub("", line.strip("\n"))[:_LONGEST_LINE])


_MARK = re.compile(r"^\[[A-Z]\d{1,4}(?:\.[A-Z]\d{1,4})?\] ")
"""The id that evidence stands behind, as in `[F1] removes …`: models copy it with the line."""


def _refuted(found: object) -> Iterator[Refuted]:
    for row in _rows(found):
        finding, span = row.get("finding"), _span(row)
        if isinstance(finding, str) and span is not None:
            yield Refuted(finding[:40], span)
