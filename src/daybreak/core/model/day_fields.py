"""Fields of the reported day: when one is written, and what its values look like in the schema.

A plain default means that the field is not written while it stands at it. `always` and `later` are written in any case;
their values are those of a report that was made before there was such a field. `unwritten` never is: what pages of a day
that was just made say and `daybreak.report/1` does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar, get_args

from msgspec import Meta, Struct, field

from daybreak.core.model.changes import Status
from daybreak.core.model.items import Happened as Event
from daybreak.core.model.items import Review
from daybreak.core.model.links import ComingReason, IssueKind, LinkKind, StepKind
from daybreak.core.model.statements import Dimension, Kind, Level, Role

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


def _schema(**more: Any) -> Meta:
    """For the schema alone: a report with another word or number is still read."""
    return Meta(extra_json_schema=more)


def _one_of(words: Any) -> Meta:
    return _schema(enum=list(get_args(words)))


Count = Annotated[int, _schema(minimum=0)]
Number = Annotated[int, _schema(minimum=1)]
Share = Annotated[float, _schema(minimum=0, maximum=1)]
Time = Annotated[
    datetime, _schema(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d(?::\d\d)?)$")
]  # fmt: skip
Label = Annotated[str, _schema(pattern=r"^\d{4}-\d\d-\d\d$")]
Sha = Annotated[str, _schema(pattern="^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
EvidenceId = Annotated[
    str,
    _schema(
        pattern="^(?:commit|finding|repo|pull|issue|release):",
        description="Evidence id: commit:SHA, finding:ID, repo:NAME, pull:REPO#N, issue:REPO#N, release:REPO@TAG.",
    ),
]
Text = Annotated[
    Mapping[str, str],
    _schema(description="One sentence per report language; code stands in backticks, all else is literal."),
]
Only = Annotated[bool, _schema(const=True)]
"""A mark that is only written where it is set."""

AliasStatus = Annotated[str, _schema(enum=["none", "deprecated", "kept"])]
AnalystKind = Annotated[str, _schema(enum=["rules", "llm"])]
Author = Annotated[str, _schema(enum=["rules", "model"])]
Certainty = Annotated[str, _schema(enum=["certain", "likely", "look"])]
ChangeKind = Annotated[str, _one_of(Kind)]
ChangeLevel = Annotated[str, _one_of(Level)]
Coming = Annotated[str, _one_of(ComingReason)]
EventKind = Annotated[str, _one_of(StepKind)]
FileStatus = Annotated[str, _one_of(Status)]
FixState = Annotated[str, _schema(enum=["open", "merged"])]
Happened = Annotated[str, _one_of(Event)]
IssueState = Annotated[str, _schema(enum=["open", "closed"])]
IssueTopic = Annotated[str, _one_of(IssueKind)]
ItemState = Annotated[str, _schema(enum=["open", "closed", "merged"])]
LeftWhy = Annotated[str, _schema(enum=["told", "rules", "budget", "fault"])]
LinkType = Annotated[str, _one_of(LinkKind)]
Quality = Annotated[str, _one_of(Dimension)]
PullReview = Annotated[str, _one_of(Review)]
ReleaseState = Annotated[str, _schema(enum=["released", "prerelease"])]
SentenceRole = Annotated[str, _one_of(Role)]
StoryKind = Annotated[str, _schema(enum=["revert", "reland", "series", "fixup", "bump", "port"])]
