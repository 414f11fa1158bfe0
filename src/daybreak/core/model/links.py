"""What joins changes, pull requests, issues and releases, in one repository and across several, as frozen values.

Both ends of a link are evidence ids: `commit:SHA`, `finding:ID`, `repo:NAME`, `pull:REPO#N`, `issue:REPO#N`,
`release:REPO@TAG`. Texts are as their authors wrote them, without markup that hides or points: hostile data, quoted
and never obeyed.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal, get_args

from msgspec import Struct

from daybreak.core.model.items import Activity
from daybreak.core.model.part import Count, EvidenceId, Number, Only, Part, Sha, Time, always, in_schema
from daybreak.core.model.statements import Statement, Text

LinkKind = Literal["brings", "fixes", "caused_by", "shipped_in", "takes", "mentions", "uses_removed"]
"""pull → change · pull or change → issue · issue → change or release · change → release · change → release, change or
repository of another project · anything → anything of another project · finding → repository that uses the name."""
IssueKind = Literal[
    "regression", "accuracy", "bug", "performance", "install", "rfc", "feature", "question", "other"
]  # fmt: skip
_MERGE = re.compile(r"Merge pull request #\d{1,9} from ")
_TITLE = 400
ComingReason = Literal["breaking", "rfc", "large"]
StepKind = Literal["released", "taken", "reverted"]


class Place(Part, frozen=True):
    """A line of a watched repository's code."""

    repo: str
    path: str
    line: Number


class Link(Part, frozen=True, rename={"source": "from", "target": "to"}):
    """Two things that belong together, with what says so."""

    kind: Annotated[str, in_schema(enum=list(get_args(LinkKind)))]
    source: EvidenceId
    target: EvidenceId
    evidence: tuple[str, ...] = always(())
    likely: bool = always(False)
    """A guess for which the words in why speak; never a fact."""
    why: Text | None = always(None)
    places: tuple[Place, ...] = ()
    """Of `uses_removed`: where the name is used, at that repository's head as of the window. Only where there are some."""
    places_omitted: Count | None = None
    """Places beyond these; only where there are places."""


class HeadUse(Struct, frozen=True):
    """A use, at a repository's head, of a name that another one took away in the window."""

    finding: str
    """Evidence id of what took it away."""
    sha: str
    repo: str
    """Whose name it is."""
    name: str
    """As the finding has it."""
    path: str
    line: int
    sure: bool
    """It is imported, called or set as that project's, and nothing guards it."""


class Earlier(Part, frozen=True):
    """A change of a day before, which no commit of this report tells."""

    repo: str
    sha: str
    committed_at: datetime
    subject: str = always("")
    pr: int | None = always(None)


class Fix(Part, frozen=True):
    """A pull request that closes an issue."""

    number: Count
    state: Annotated[str, in_schema(enum=["open", "merged"])] = always("")
    likely: bool = always(False)
    by_hand: Only = False
    """Somebody linked the two by hand; no such field otherwise."""
    reopened: Only = False
    """It closed the issue, which was opened again after that; no such field otherwise."""


class IssueReading(Struct, frozen=True):
    """What an issue is about."""

    repo: str
    number: int
    kind: IssueKind
    components: tuple[str, ...] = ()
    """Parts of the project that it names: tags of the title, labels, folders."""
    fixes: tuple[Fix, ...] = ()
    """Merged ones first; empty: no fix in sight as far as was looked."""
    cut: bool = False
    """Its body is longer than what is looked at."""
    commits: tuple[str, ...] = ()
    """Shas of commits that closed it without a pull request."""


class Claim(Part, frozen=True):
    """Numbers that an author says were measured."""

    lines: tuple[str, ...]
    omitted: Count = always(0)


class PullReading(Struct, frozen=True):
    """What the text of a pull request says."""

    repo: str
    number: int
    why: str = ""
    """First sentences of the part that gives the reason, as they stand; empty: it gives none."""
    test_plan: bool = False
    """It says how it was tested, beyond boxes that were ticked."""
    claims: tuple[Claim, ...] = ()
    omitted: int = 0
    """Claims beyond these."""
    cut: bool = False


class Coming(Struct, frozen=True):
    """An open pull request of weight."""

    repo: str
    number: int
    reasons: tuple[ComingReason, ...]


class ReleaseReading(Struct, frozen=True):
    """What a release holds, as far as is known."""

    repo: str
    tag: str
    commits: tuple[str, ...] = ()
    """Known changes of which it is the first release, oldest first."""
    pulls: tuple[int, ...] = ()
    """Pull requests that its notes name."""
    omitted: int = 0
    """Numbers of the notes beyond these."""
    cut: bool = False


class Bump(Struct, frozen=True):
    """A pin or submodule of a watched repository that moved in another one."""

    repo: str
    """Where the pin stands."""
    sha: str
    at: datetime
    target: str
    """Repository that is taken."""
    package: str
    """Name under which it is pinned."""
    before: str
    after: str
    """Version without operator, or a commit's sha."""
    findings: tuple[str, ...] = ()
    """Evidence ids."""
    sure: bool = True
    """The target is known by the package's name, by an address beside the pin, or by the commit itself."""
    least: bool = False
    """Newer versions than `after` are allowed too."""
    back: bool = False
    """It goes back to what was pinned before."""
    release: str | None = None
    """Tag of the target that it takes, when that is known."""
    between: tuple[str, ...] = ()
    """Known changes of the target that it brings, oldest first."""
    whole: bool = False
    """`between` is all of them."""


class Step(Part, frozen=True):
    """One event of a story across repositories."""

    kind: Annotated[str, in_schema(enum=list(get_args(StepKind)))]
    repo: str
    at: Time
    version: str = always("")
    evidence: tuple[str, ...] = always(())


class CrossStory(Part, frozen=True, kw_only=True):
    """Events in several repositories that are one: a release, who took it, and who went back."""

    id: str
    target: str
    repos: tuple[str, ...]
    commits: tuple[Sha, ...] = always(())
    net: Text
    steps: tuple[Step, ...] = always(())


class RepoForge(Struct, frozen=True):
    """What a forge's items of one repository say and what they are joined with."""

    repo: str
    links: tuple[Link, ...] = ()
    issues: tuple[IssueReading, ...] = ()
    """New ones of the window: regressions and wrong results first, then bugs, each by how many react to it."""
    pulls: tuple[PullReading, ...] = ()
    """Of those that brought a change or were merged, by number."""
    coming: tuple[Coming, ...] = ()
    releases: tuple[ReleaseReading, ...] = ()


class CrossForge(Struct, frozen=True):
    """What happened between the watched repositories."""

    links: tuple[Link, ...] = ()
    bumps: tuple[Bump, ...] = ()
    stories: tuple[CrossStory, ...] = ()
    omitted: int = 0
    """Mentions beyond those kept."""


class ForgeDay(Struct, frozen=True):
    """All that a forge adds to a day: what it has, what that says, and what runs between repositories."""

    activities: tuple[Activity, ...] = ()
    """In the order of the report's repositories; a repository that was not asked about has none."""
    readings: tuple[RepoForge, ...] = ()
    across: CrossForge = CrossForge()
    statements: tuple[Statement, ...] = ()
    """Sentences about what runs between repositories; those about one change stand with its entry."""
    requests: int = 0
    """What the answers cost when they were first made."""
    earlier: tuple[Earlier, ...] = ()
    """Changes of the days before that links, moved pins and stories of this day name, oldest first."""

    def activity(self, repo: str) -> Activity | None:
        return next((one for one in self.activities if one.repo == repo), None)

    def reading(self, repo: str) -> RepoForge | None:
        return next((one for one in self.readings if one.repo == repo), None)


def is_merge(subject: str) -> bool:
    """A subject that GitHub made for the merge of a pull request."""
    return _MERGE.match(subject[:100]) is not None


def title_of(subject: str, body: str) -> str:
    """What a change is called: of GitHub's merge commits the pull request's title, which stands below their own."""
    if not is_merge(subject):
        return subject
    return next((line.strip() for line in body[:_TITLE].splitlines() if line.strip()), subject)


def commit_id(sha: str) -> str:
    return f"commit:{sha}"


def pull_id(repo: str, number: int) -> str:
    return f"pull:{repo}#{number}"


def issue_id(repo: str, number: int) -> str:
    return f"issue:{repo}#{number}"


def release_id(repo: str, tag: str) -> str:
    return f"release:{repo}@{tag}"
