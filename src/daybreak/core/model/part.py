"""Parts of the reported day: when a field is written, and what the plain ones look like in the schema.

A plain default means that the field is not written while it stands at it. `always` and `later` are written in any case;
their values are those of a report that was made before there was such a field. `unwritten` never is: what a
terminal says of a run, and no page of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct, field

Value = TypeVar("Value")


class Part(Struct, frozen=True, omit_defaults=True):
    """Base of all that a report is made of."""


class Written(Generic[Value]):
    """Factory of a default that does not keep its field from being written, as a plain default would."""

    def __init__(self, value: Value, required: bool) -> None:
        self.value, self.required = value, required

    def __call__(self) -> Value:
        return self.value


def always(value: Value) -> Value:
    """A field that every report has, and that the schema asks for."""
    return field(default_factory=Written(value, required=True))


def later(value: Value) -> Value:
    """A field that came after the first reports of `daybreak.report/1`: the schema cannot ask for it."""
    return field(default_factory=Written(value, required=False))


def unwritten(name: str, value: Value) -> Value:
    """A field that the JSON does not have, known to msgspec by its name with `_` before it."""
    return field(default=value, name=f"_{name}")


def in_schema(**more: Any) -> Meta:
    """For the schema alone: a report with another word or number is still read."""
    return Meta(extra_json_schema=more)


Count = Annotated[int, in_schema(minimum=0)]
Number = Annotated[int, in_schema(minimum=1)]
Share = Annotated[float, in_schema(minimum=0, maximum=1)]
Time = Annotated[
    datetime, in_schema(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d(?::\d\d)?)$")
]  # fmt: skip
Label = Annotated[str, in_schema(pattern=r"^\d{4}-\d\d-\d\d$")]
Sha = Annotated[str, in_schema(pattern="^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
EvidenceId = Annotated[
    str,
    in_schema(
        pattern="^(?:commit|finding|repo|pull|issue|release):",
        description="Evidence id: commit:SHA, finding:ID, repo:NAME, pull:REPO#N, issue:REPO#N, release:REPO@TAG.",
    ),
]
Text = Annotated[
    Mapping[str, str],
    in_schema(description="One sentence per report language; code stands in backticks, all else is literal."),
]
Only = Annotated[bool, in_schema(const=True)]
"""A mark that is only written where it is set."""
