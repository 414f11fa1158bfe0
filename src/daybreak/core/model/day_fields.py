"""Words of closed sets in the reported day: text to the decoder, an enumeration to the schema."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from msgspec import Meta

from daybreak.core.model.changes import Status
from daybreak.core.model.items import Happened as Event
from daybreak.core.model.items import Review
from daybreak.core.model.links import ComingReason, IssueKind
from daybreak.core.model.part import in_schema
from daybreak.core.model.quotes import Claim, Form, State
from daybreak.core.model.statements import Dimension, Kind, Level, Mark, Role


def _one_of(words: Any) -> Meta:
    return in_schema(enum=list(get_args(words)))


AnalystKind = Annotated[str, in_schema(enum=["rules", "llm"])]
AnnouncedClaim = Annotated[str, _one_of(Claim)]
AnnouncedForm = Annotated[str, _one_of(Form)]
AnnouncedState = Annotated[str, _one_of(State)]
Author = Annotated[str, in_schema(enum=["rules", "model"])]
Certainty = Annotated[str, in_schema(enum=["certain", "likely", "look"])]
ChangeKind = Annotated[str, _one_of(Kind)]
ChangeLevel = Annotated[str, _one_of(Level)]
ChangeMark = Annotated[str, _one_of(Mark)]
Coming = Annotated[str, _one_of(ComingReason)]
FileStatus = Annotated[str, _one_of(Status)]
Happened = Annotated[str, _one_of(Event)]
IssueState = Annotated[str, in_schema(enum=["open", "closed"])]
IssueTopic = Annotated[str, _one_of(IssueKind)]
ItemState = Annotated[str, in_schema(enum=["open", "closed", "merged"])]
LeftWhy = Annotated[str, in_schema(enum=["told", "rules", "budget", "fault"])]
Quality = Annotated[str, _one_of(Dimension)]
PullReview = Annotated[str, _one_of(Review)]
ReleaseState = Annotated[str, in_schema(enum=["released", "prerelease"])]
TagTime = Annotated[str, in_schema(enum=["", "tag", "commit"])]
SentenceRole = Annotated[str, _one_of(Role)]
TellSource = Annotated[str, in_schema(enum=["finding", "body", "quote", "error", "test", "lines", "pull", "model"])]
StoryKind = Annotated[str, in_schema(enum=["revert", "reland", "series", "fixup", "bump", "port"])]
FaultEvidence = Annotated[str, in_schema(enum=["named", "reverted", "symbol", "blame", "lines", "ci", "skipped", ""])]
