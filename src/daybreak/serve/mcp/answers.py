"""The form of every answer, from which its output schema is made; `untrusted` holds quoted text and nothing else does."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic reads this one in Python 3.11 too

Untrusted = dict[str, str]


class Left(TypedDict):
    """Rows that did not fit, and the cursor that brings them."""

    count: int
    next: str


Omitted = dict[str, Left]
"""Name of a list -> what was left off of it."""


class Missing(TypedDict):
    """What could not be looked at; its reason is quoted, since it may name anything."""

    untrusted: Untrusted


class Finding(TypedDict):
    """A typed fact that code read from the change: kind, place, before and after."""

    kind: str
    line: int
    breaking: bool
    id: NotRequired[str]
    alias: NotRequired[str]
    untrusted: Untrusted


class Change(TypedDict):
    """One change, short."""

    repo: str
    sha: str
    url: str | None
    date: NotRequired[str]
    committed_at: NotRequired[str]
    level: str
    kind: str
    breaking: bool
    pr: NotRequired[int]
    late: NotRequired[bool]
    findings: NotRequired[int]
    untrusted: Untrusted


class Sentence(TypedDict):
    """A statement of a report with the ids it rests on."""

    role: NotRequired[str]
    by: NotRequired[str]
    repo: NotRequired[str]
    evidence: list[str]
    evidence_omitted: NotRequired[int]
    """How many more ids there are."""
    untrusted: Untrusted


# --- list_days -------------------------------------------------------------------------------------------------------


class DayRow(TypedDict):
    date: str
    open: bool
    changes: int
    high: int
    medium: int
    low: int
    breaking: int
    actions: int
    issues: int
    pulls: int
    releases: int
    skipped: int
    by_repo: dict[str, int]
    untrusted: dict[str, str]
    """The headline of the day."""


class Days(TypedDict):
    timezone: str
    languages: list[str]
    repos: list[str]
    days: list[DayRow]
    omitted: Omitted


# --- get_report ------------------------------------------------------------------------------------------------------


class Report(TypedDict):
    date: str
    language: str
    since: str
    until: str
    timezone: str
    open: bool
    analyst: str
    coverage: dict[str, int]
    more_actions: int
    """Changes that ask for action and stand neither under `actions` nor under `also`."""
    untrusted: dict[str, str]
    """The headline of the day."""
    summary: NotRequired[list[Sentence]]
    actions: NotRequired[list[dict[str, Any]]]
    also: NotRequired[list[dict[str, Any]]]
    touches: NotRequired[list[dict[str, Any]]]
    changes: NotRequired[list[Change]]
    below_level: NotRequired[int]
    """Changes that are not told here, since they are of a lower level than was asked for."""
    stories: NotRequired[list[dict[str, Any]]]
    issues: NotRequired[list[dict[str, Any]]]
    pulls: NotRequired[list[dict[str, Any]]]
    releases: NotRequired[list[dict[str, Any]]]
    links: NotRequired[list[dict[str, Any]]]
    skipped: NotRequired[list[Missing]]
    omitted: Omitted


# --- search ----------------------------------------------------------------------------------------------------------


class Later(TypedDict):
    what: Literal["revert", "reland", "fixup"]
    """The change was taken back, landed again, or repaired."""
    date: str
    sha: str


class Hit(TypedDict):
    kind: str
    repo: str
    date: str
    url: str | None
    page: str
    level: NotRequired[str]
    breaking: bool
    sha: NotRequired[str]
    number: NotRequired[int]
    later: NotRequired[Later]
    """What became of the change, as a later day tells."""
    untrusted: Untrusted


class Hits(TypedDict):
    total: int
    hits: list[Hit]
    missing: list[str]
    also: NotRequired[list[str]]
    suggestion: NotRequired[str]
    omitted: Omitted


# --- get_change ------------------------------------------------------------------------------------------------------


class Detail(Change):
    """One change, whole."""

    source: Literal["report", "mirror"]
    page: NotRequired[str]
    story: NotRequired[str]
    files: int
    added: int
    deleted: int
    reasons: list[dict[str, Any]]
    statements: list[Sentence]
    facts: list[Finding]
    hunks: list[dict[str, Any]]
    paths: list[dict[str, Any]]
    links: NotRequired[list[dict[str, Any]]]
    omitted: Omitted


class Changes(TypedDict):
    found: list[Detail]
    items: list[dict[str, Any]]
    """Issues and pull requests of that number, as far as reports tell of them."""
    others: NotRequired[list[str]]
    """More changes of that number, as REPO@SHA: ask for each of them."""


# --- list_breaking ---------------------------------------------------------------------------------------------------


class Breaking(TypedDict):
    source: Literal["reports", "range"]
    days: NotRequired[int]
    since: NotRequired[str]
    until: NotRequired[str]
    repo: NotRequired[str]
    range: NotRequired[dict[str, Any]]
    total: int
    changes: NotRequired[list[dict[str, Any]]]
    nets: NotRequired[list[dict[str, Any]]]
    skipped: list[Missing]
    omitted: Omitted


class Facts(TypedDict):
    """Findings of reported days."""

    days: int
    total: int
    findings: list[dict[str, Any]]
    omitted: Omitted


# --- symbol_history --------------------------------------------------------------------------------------------------


class History(TypedDict):
    name: str
    found: list[dict[str, Any]]
    """One for each repository in which something happened to the name."""
    nothing_in: list[str]
    """Repositories that were looked through and have nothing of it."""
    not_searched: list[Missing]
    omitted: Omitted


# --- check_statement -------------------------------------------------------------------------------------------------

Verdict = Literal["holds", "false", "undecided"]


class Checked(TypedDict):
    """`holds`: all of it was checked and holds; `false`: something in it is false; else `undecided`."""

    verdict: Verdict
    held: dict[str, int]
    """Sort of claim -> how many hold; `wording`: what a sentence says of a change."""
    parts: list[dict[str, Any]]
    undecided: list[dict[str, Any]]
    against: list[dict[str, Any]]
    """The changes it was held against."""
    omitted: dict[str, int]
