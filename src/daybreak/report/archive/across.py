"""What runs between repositories on a reported day: pins that moved, stories over several of them, earlier changes named."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from daybreak.report.archive.texts import Statement, Text


class Bump(Struct, frozen=True):
    """A pin of one watched repository that moved in another one."""

    repo: str
    sha: str
    at: datetime
    target: str
    package: str = ""
    before: str = ""
    after: str = ""
    findings: tuple[str, ...] = ()
    likely: bool = False
    least: bool = False
    back: bool = False
    release: str | None = None
    """Evidence id `release:REPO@TAG`."""
    between: tuple[str, ...] = ()
    whole: bool = False


class Step(Struct, frozen=True):
    kind: str
    repo: str
    at: datetime
    version: str = ""
    evidence: tuple[str, ...] = ()


class CrossStory(Struct, frozen=True):
    """Events in several repositories that are one: a release, who took it, and who went back."""

    id: str
    target: str
    repos: tuple[str, ...]
    net: Text
    commits: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


class Earlier(Struct, frozen=True):
    """A change of a day before, which no commit of this report tells."""

    repo: str
    sha: str
    committed_at: datetime
    subject: str = ""
    pr: int | None = None


class Across(Struct, frozen=True):
    bumps: tuple[Bump, ...] = ()
    stories: tuple[CrossStory, ...] = ()
    statements: tuple[Statement, ...] = ()
    mentions_omitted: int = 0
    earlier: tuple[Earlier, ...] = ()
