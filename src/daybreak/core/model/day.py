"""The reported day, `daybreak.report/1`: the one value that `reports/DATE.json` is encoded from and decoded to.

Fields have the names and the order of the JSON; the text below a field is its description in the schema, which
`scripts/report_schema.py` makes of these classes. What a report of an earlier version does not have stands at its default.
All text of commits, issues and people is a stranger's: whoever shows it escapes it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated

from msgspec import Meta

from daybreak.core.model import day_fields as f
from daybreak.core.model.changes import Skipped, Window
from daybreak.core.model.day_changes import (
    Announced,
    Commit,
    Effective,
    File,
    Finding,
    Hunk,
    Importance,
    PullRef,
    Span,
    Statement,
    Story,
    Taken,
    Tells,
)
from daybreak.core.model.day_items import Across, Bump, Claimed, Closes, Issue, Item, Pull, Release
from daybreak.core.model.findings import Alias, SettingLine
from daybreak.core.model.links import Claim, CrossStory, Earlier, Fix, Link, Place, Step
from daybreak.core.model.part import Count, Number, Part, Sha, Text, Time, always, in_schema, later
from daybreak.core.model.statements import Grounding, ModelReading, Proof, Reason
from daybreak.core.text import shortened
from daybreak.core.words.phrases import tag_name

__all__ = [
    "LEVELS", "MOST_ACTIONS", "MOST_ALSO", "MOST_WORTH", "NOT_ASKED", "SCHEMA", "TAGS", "Across", "Action", "Alias", "Analyst", "Announced", "Answers",
    "Bump", "Claim", "Claimed", "Closes", "Commit", "Cost", "Coverage", "CrossStory", "Day", "Earlier", "Effective", "File",
    "Finding", "Fix", "Grounding", "Hunk", "Importance", "Issue", "Item", "Left", "Link", "ModelReading", "Place", "Proof", "Pull",
    "PullRef", "Reason", "Release", "RepoDay", "Retelling", "SettingLine", "Skipped", "Span", "Statement", "Step", "Story",
    "Taken", "Tells", "Text", "Tool", "Touch", "Touches", "Window", "WorkArea", "headline", "in_language",
]  # fmt: skip

SCHEMA = "daybreak.report/1"
LEVELS = ("high", "medium", "low")
TAGS = (
    "security",
    "breaks",
    "announced",
    "corrupts",
    "crash",
    "default",
    "rejects",
    "release",
    "fork",
    "build",
    "deprecates",
    "fix",
)
"""Kinds of things to act on."""
MOST_ACTIONS = 8
"""What fits a first screen; an analyst may offer more, since a check may drop some."""
MOST_ALSO = 10
MOST_WORTH = 30
NOT_ASKED = Across()
"""Of a report for which no forge was asked: this very value is not written."""


def in_language(text: Text, language: str) -> str:
    """The sentence in that language, or in the first one that it has."""
    return text.get(language) or next((one for one in text.values() if one), "")


_LONGEST = 200
"""Characters of a headline: those of today are shorter."""


def headline(day: Day, language: str, repos: Collection[str] | None = None) -> str:
    """The day in one line; of some of its repositories, what it says first of them; empty where it says nothing.

    A report that was made before there was a headline has the first line of what it says.
    """
    entries = [one for one in (*day.actions, *day.also) if repos is None or one.repo in repos]
    if repos is None or (entries and entries[0] is (*day.actions, *day.also)[0]):
        texts = (day.headline, *(one.text for one in entries), *(one.text for one in day.summary if repos is None))
        said = next((said for said in (in_language(text, language) for text in texts) if said), "")
        return said if len(said) <= _LONGEST else shortened(said.replace("`", ""), _LONGEST)
    told = ((one, day.find(one.commits[0])) for one in entries if one.commits)
    first = next(((one, found[1]) for one, found in told if found), None)
    if first is None:
        return ""
    tag = [tag_name(language, first[0].tag)] if first[0].tag else []
    return " · ".join([*tag, first[0].repo.rpartition("/")[2], first[1].subject])


class Held(Part, frozen=True):
    """What a repository pins of another watched one."""

    target: str
    package: str
    version: str
    """As its manifest has it; with `>=` where newer ones do too."""
    release: str = ""
    """The release whose tag has it; empty: the head of its branch."""
    fork: bool = False
    """Somebody's own copy of it, whose versions and commits are not the watched one's."""


class RepoDay(Part, frozen=True):
    """One repository's part of a day."""

    name: str
    url: str
    branch: str | None = always(None)
    head: Sha | None = always(None)
    updated: bool | None = always(None)
    """Whether git has commits in the window; null when it could not be asked."""
    in_git: Count | None = always(None)
    """Commits git has in the window; null when it could not be asked."""
    asleep: Time | None = None
    """When its newest commit was made, where that was more than a week before the window."""
    complete: bool = always(True)
    """Nothing of this repository was skipped."""
    rewritten: Sha | None = always(None)
    """Head of an earlier report that is no longer on the branch."""
    revised: tuple[Sha, ...] = always(())
    """Commits that a forced rebuild added to a day reported without them."""
    completed: tuple[str, ...] = later(())
    """What an earlier report of the day had to skip, and this one has."""
    skipped: tuple[Skipped, ...] = always(())
    commits: tuple[Commit, ...] = always(())
    late: tuple[Commit, ...] = always(())
    stories: tuple[Story, ...] = always(())
    issues: tuple[Issue, ...] = always(())
    pulls: tuple[Pull, ...] = always(())
    releases: tuple[Release, ...] = always(())
    links: tuple[Link, ...] | None = None
    """Between things of this repository; only where its forge was asked."""
    assessment: tuple[Statement, ...] = always(())
    pinned: tuple[Held, ...] = ()
    """What it pins of the other watched ones, at its head and in its newest release."""
    grounding: Grounding = always(Grounding())
    pressing: tuple[int, ...] = ()
    """New issues: regressions and wrong results first, then bugs, each by how many react to it."""
    coming: tuple[int, ...] = ()
    """Open pull requests of weight, those that break something first."""
    partly: bool = False
    """A list of its forge did not come whole."""
    left_out: tuple[Skipped, ...] = ()
    """What its forge was not asked for."""

    @property
    def told(self) -> tuple[Commit, ...]:
        """Those that are told and graded: all of the window but the filtered ones."""
        return tuple(one for one in self.commits if not one.filtered)

    @property
    def slug(self) -> str:
        """`owner-name`, as in the names of files; the config lets no two repositories share one."""
        return self.name.replace("/", "-")

    @property
    def changes(self) -> tuple[Commit, ...]:
        """All that the day tells: its own, then those that arrived late."""
        return (*self.commits, *self.late)

    def find(self, sha: str) -> Commit | None:
        return next((one for one in self.changes if one.sha == sha), None)


class Action(Part, frozen=True):
    """Something a reader must act on, or know of: one change, or one story."""

    repo: str
    commits: tuple[Sha, ...]
    text: Text
    """All of it, as one sentence or a few."""
    findings: tuple[str, ...] = always(())
    tag: Annotated[str, in_schema(enum=["", *TAGS])] = later("")
    """What kind of thing it is to act on; empty where it is only worth knowing."""


class WorkArea(Part, frozen=True):
    """Changes of one area of work that are worth knowing."""

    area: Text
    changes: tuple[Action, ...]
    """One change each, with what it does in one sentence."""


class Touch(Part, frozen=True, kw_only=True):
    """A place of the reader's own code that the day touches."""

    id: str = later("")
    """Name by which `daybreak ack` knows the finding."""
    certainty: f.Certainty
    path: str
    line: Count
    repo: str
    commits: tuple[Sha, ...]
    why: Text
    action: Text
    findings: tuple[str, ...] = always(())
    pinned: str | None = always(None)
    pin_at: str | None = always(None)


class Touches(Part, frozen=True):
    """What touches the reader's own code."""

    paths: tuple[str, ...] = always(())
    files: Count = always(0)
    found: tuple[Touch, ...] = always(())
    acknowledged: Count = always(0)
    skipped: tuple[Skipped, ...] = always(())

    @property
    def refused(self) -> tuple[Skipped, ...]:
        """Those that the reader can mend, since they have a tip: with them, the day would be whole."""
        return tuple(one for one in self.skipped if one.tip)


class Tool(Part, frozen=True):
    """The program that made the report."""

    name: Annotated[str, Meta(extra_json_schema={"const": "daybreak"})] = always("daybreak")
    version: str = always("")


class Analyst(Part, frozen=True):
    """Who wrote the prose."""

    kind: f.AnalystKind = always("rules")
    model: str | None = always(None)
    prompt_version: str | None = always(None)


class Coverage(Part, frozen=True):
    """How much of what happened is in the report."""

    commits_in_git: Count = always(0)
    commits_reported: Count = always(0)
    repos_unknown: Count = always(0)
    """Repositories that could not be asked; commits_in_git leaves them out."""
    issues: Count = always(0)
    pulls: Count = always(0)
    releases: Count = always(0)
    skipped: tuple[Skipped, ...] = always(())
    left_out: tuple[Skipped, ...] = ()
    """What the forge was not asked for, since no token was given; no fault. Only where there is some."""


class Cost(Part, frozen=True):
    """What the answers of forge and model cost when they were first made."""

    requests: Count = always(0)
    prompt_tokens: Count = always(0)
    completion_tokens: Count = always(0)
    money: float | None = always(None)


class Left(Part, frozen=True):
    """What the rules told, or the model was shown in part, and why."""

    repo: str
    """Empty: the day as a whole."""
    sha: str | None
    """Null: the summary of the repository or the day."""
    why: f.LeftWhy
    detail: str


class Answers(Part, frozen=True):
    """Answers in use that came from one endpoint and model."""

    endpoint: str
    model: str
    count: Number


class Retelling(Part, frozen=True):
    """What a model had to do with the report."""

    told: Count
    """Changes that are told in its words."""
    below: Count
    """Changes below the grade that are told by rules."""
    left: tuple[Left, ...]
    """What the rules told instead, and why: nothing it said stood, the budget was spent, no usable answer."""
    partly: tuple[Left, ...]
    """Changes of which the model read only part; detail is the number of pieces it did not."""
    answers: tuple[Answers, ...]
    preferred: str
    """The endpoint that the config names first."""
    grounding: Grounding
    critic: bool = later(False)
    """A critic judged what the sentences mean; without one names and numbers alone are checked."""
    unheard: Count = later(0)
    """Sentences that the critic gave no answer about."""
    mended: Count = later(0)
    """Sentences that went back once and came again so that they hold."""
    unlooked: Count = later(0)
    """Changes below the grade that the model was to look at and gave no answer about."""
    briefly: Count = later(0)
    """Of those it tells such below the grade, asked about many at a time, in a sentence each."""
    weighed: Count = later(0)
    """Changes that it weighed beside each other for the first screen."""
    unranked: Count = later(0)
    """Changes that it was to weigh so and gave no usable answer about."""


class Unread(Part, frozen=True):
    """A programming language whose changed sources no reader looked into."""

    language: str
    files: int
    share: float
    """Of the day's changed sources, from 0 to 1."""


class Day(Part, frozen=True, kw_only=True):
    """One day's report as data. New fields may be added; these keep their meaning."""

    schema: Annotated[str, Meta(extra_json_schema={"const": SCHEMA})]
    window: Window
    languages: tuple[str, ...] = always(("zh", "en"))
    title: str = ""
    """What the reader calls the report; absent where the config names it not."""
    tool: Tool = always(Tool())
    analyst: Analyst = always(Analyst())
    coverage: Coverage
    unread: tuple[Unread, ...] = later(())
    """What no reader looked into; nothing that is said or not said is about it."""
    repos: tuple[RepoDay, ...]
    actions: Annotated[tuple[Action, ...], Meta(extra_json_schema={"maxItems": MOST_ACTIONS})] = always(())
    also: Annotated[tuple[Action, ...], Meta(extra_json_schema={"maxItems": MOST_ALSO})] = later(())
    """What else is worth knowing, one line each."""
    more_actions: Count = later(0)
    """Changes that ask for action as well, and for which neither list has room."""
    worth: tuple[WorkArea, ...] = later(())
    """What is worth knowing below that, by area of work: at most 30 changes in all, most important first."""
    headline: Text = later({})
    """The day in one line: its first entry in short form, or that there is nothing to act on."""
    touches: Touches | None = None
    """What touches the reader's own code; absent when no path is configured."""
    links: tuple[Link, ...] = always(())
    """Between repositories."""
    across: Across = NOT_ASKED
    """What ran between the watched repositories; only where a forge was asked."""
    summary: tuple[Statement, ...] = always(())
    conclusion: tuple[Statement, ...] = always(())
    grounding: Grounding = always(Grounding())
    cost: Cost = always(Cost())
    retelling: Retelling | None = None
    """What a model had to do with the report; only there when one was asked."""
    revised: tuple[Sha, ...] = always(())
    """Commits that a forced rebuild added to a day reported without them."""
    completed: tuple[str, ...] = later(())
    """What an earlier report of the day had to skip, and this one has."""
    pages: dict[str, str] = later({})
    """Digests of the pages that were written with it, by file name: `daybreak verify` knows by them whether one was altered."""

    @property
    def label(self) -> str:
        return self.window.label

    def changes(self) -> Iterator[tuple[RepoDay, Commit]]:
        """Every change of the day with its repository, late arrivals after the day's own."""
        for repo in self.repos:
            for commit in repo.changes:
                yield repo, commit

    def find(self, sha: str) -> tuple[RepoDay, Commit] | None:
        """The change whose sha begins so; no guess where several do."""
        found = [(repo, commit) for repo, commit in self.changes() if commit.sha.startswith(sha)]
        return found[0] if len(found) == 1 else None
