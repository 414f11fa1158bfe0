"""Changes of a reported day: commits with what was read and said of them, and the stories that they are part of."""

from __future__ import annotations

from collections.abc import Mapping

from daybreak.core.model import day_fields as f
from daybreak.core.model.findings import Alias, SettingLine
from daybreak.core.model.part import Count, Part, Sha, Share, Text, Time, always, later
from daybreak.core.model.statements import ModelReading, Proof, Reason


class Statement(Part, frozen=True, kw_only=True):
    """One sentence with the evidence that it rests on."""

    role: f.SentenceRole
    dimension: f.Quality | None = always(None)
    text: Text
    evidence: tuple[str, ...] = always(())
    author: f.Author = always("rules")
    proof: tuple[Proof, ...] = ()
    """Of a model's sentence, the lines that it rests on, verbatim."""


class Effective(Part, frozen=True, rename={"when": "with"}):
    """What must happen before it takes effect."""

    when: str


class Finding(Part, frozen=True):
    """A typed fact read from the diff of a commit."""

    id: str
    kind: str
    path: str
    line: Count
    symbol: str
    before: str | None = always(None)
    after: str | None = always(None)
    breaking: bool = always(False)
    alias: Alias | None = always(None)
    effective: Effective | None = always(None)
    default: str | None = None
    """What a setting that came is where nobody sets it; only where that is known."""
    under: str | None = None
    """The question about the machine without which nobody meets it; only where there is one."""


class Announced(Part, frozen=True):
    """What a maintainer tells users, word for word: a claim, held against findings; it makes no mark."""

    claim: f.AnnouncedClaim
    """What is said to be done to users; `changes`: something that they are told of, without more."""
    form: f.AnnouncedForm
    text: str
    path: str = always("")
    """Empty for a message, a pull request and the notes of a release."""
    line: Count = always(0)
    """Of the file, the body or the notes; 0 for a title."""
    state: f.AnnouncedState = always("elsewhere")
    """A finding shows it; none does; its sources have no reader; it is about changes that this report does not hold."""
    findings: tuple[str, ...] = always(())
    """Ids of those that show it."""
    pulls: tuple[Count, ...] = always(())
    """Pull requests and issues that it names."""


class Hunk(Part, frozen=True):
    """A piece of the patch that shows the change."""

    path: str
    text: str | None
    """From @@ on, as git printed it; null where it holds characters that cannot be shown safely."""


class File(Part, frozen=True, kw_only=True):
    """A file that a commit changes."""

    path: str
    old_path: str | None = always(None)
    status: f.FileStatus
    added: Count = always(0)
    deleted: Count = always(0)
    binary: bool = always(False)
    skipped: str | None = None
    """Why it was not read; only where it was not."""
    submodule: bool = False
    mode_changed: bool = False


class PullRef(Part, frozen=True):
    """The pull request that brought a commit."""

    number: Count
    url: str


class Importance(Part, frozen=True):
    """The grade of a commit."""

    level: f.ChangeLevel
    score: Share
    reasons: tuple[Reason, ...] = always(())


class Taken(Part, frozen=True):
    """A version of a repository that another one pins."""

    repo: str
    version: str
    """As its manifest has it."""
    tag: str


class Tells(Part, frozen=True):
    """What a change does in one sentence, by the best witness that it has."""

    text: Text
    source: f.TellSource
    evidence: tuple[str, ...] = always(())


class Commit(Part, frozen=True, kw_only=True):
    """One change with what was read and said of it."""

    sha: Sha
    url: str
    subject: str
    body: str = always("")
    author: str
    committed_at: Time
    authored_at: Time | None = always(None)
    pr: PullRef | None = always(None)
    files: tuple[File, ...] = always(())
    files_total: Count = always(0)
    added: Count = always(0)
    deleted: Count = always(0)
    merged: tuple[Sha, ...] = always(())
    empty: bool = always(False)
    filtered: bool = always(False)
    """Left out of the text by `paths` or `exclude`; counted and listed."""
    kind: f.ChangeKind
    importance: Importance
    breaking: bool = always(False)
    """Its findings, or lines that a model and its critic read, show that existing use breaks: the first of its marks."""
    marks: tuple[f.ChangeMark, ...] = later(())
    """What its findings show, the gravest first: it breaks existing use, deprecates something, breaks plug-ins and forks."""
    announced: tuple[Announced, ...] = later(())
    """What its author tells users of it, in the title, the message, the pull request or a changelog."""
    unannounced: tuple[str, ...] = ()
    """Ids of findings that break existing use and that nothing announces, though the change announces something."""
    findings: tuple[Finding, ...] = always(())
    components: tuple[str, ...] = always(())
    settings: tuple[str, ...] = later(())
    """Options, variables and settings that changed lines of its sources name, shown or not."""
    setting_lines: tuple[SettingLine, ...] = ()
    """What it does with those of them that users set, what decides most first; older reports have none."""
    hunks: tuple[Hunk, ...] = always(())
    """One to three pieces of the patch that show the change, most telling first."""
    released: str | None = always(None)
    """First tag that holds it, as of the window."""
    taken: tuple[Taken, ...] = ()
    """Who of the watched repositories pins a version that has the fault which it puts right; asked of the first screen alone."""
    tells: Tells | None = later(None)
    """What it does in one sentence; null where nothing of it can be told so."""
    story: str | None = always(None)
    statements: tuple[Statement, ...] = always(())
    by_model: ModelReading | None = None
    """What a model made of it as a whole, out of closed lists; only where one read it and something of it stands."""
    skipped: str | None = always(None)
    """Why the commit could not be read."""

    @property
    def short(self) -> str:
        """Twelve digits: enough to name it in an address that stays."""
        return self.sha[:12]


class Span(Part, frozen=True, rename={"start": "from", "end": "to"}):
    """From the commit that was at fault to the one that repaired or reverted it."""

    start: Time
    end: Time
    by: f.FaultEvidence = later("")
    """By what the first is known to be at fault: the repair's message names it, it was reverted, the repair's title names what
    it brought, git shows whose line it mends; `lines`: the repair changes lines that it added, which shows no fault; `ci`: a repair of
    tests or CI alone names it; `skipped`: so does one that leaves such tests out, which ends nothing: `to` is when it did.
    """

    @property
    def shown(self) -> bool:
        """Whether more than lines says so; older reports do not say by what."""
        return self.by != "lines"

    @property
    def open(self) -> bool:
        """No end is seen: what fails was only left out."""
        return self.by == "skipped"


class Story(Part, frozen=True):
    """Changes that are one event."""

    id: str
    kind: f.StoryKind
    commits: tuple[Sha, ...]
    net: Text
    broken: Span | None = always(None)
    earlier: Mapping[str, Time] = later({})
    """Commit times of those of its commits that are not in this report."""

    def goes_on_in(self, other: Story) -> bool:
        """Whether another, of a later day, tells all of it and more: then this is how it stood before."""
        return len(self.commits) < len(other.commits) and set(self.commits) <= set(other.commits)
