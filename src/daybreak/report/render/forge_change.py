"""What a pull request adds to its change: why, what it closes, how it was tested, and numbers as its author's claim.

All of it is quoted: the words are the author's and nobody has checked them, which each label says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from daybreak.core.model.findings import Finding
from daybreak.core.model.items import Activity, Happened, Issue, Pull, Release
from daybreak.core.model.links import (
    Bump,
    Claim,
    Earlier,
    ForgeDay,
    Link,
    PullReading,
    RepoForge,
    commit_id,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.report import Entry, RepoReport, Report
from daybreak.core.model.statements import Statement, Text
from daybreak.core.words.phrases import Phrases, phrases
from daybreak.report.render.addresses import anchor, issue_link, pull_link
from daybreak.report.render.escape import faithful, fence, text

# --- What a forge has of a day, looked up by number, tag and sha: what the pages ask for again and again ---


class ForgeView(Struct, frozen=True):
    """The forge's half of a report by evidence id; what is not in here the report does not know."""

    day: ForgeDay
    repos: dict[str, RepoReport]
    entries: dict[str, tuple[RepoReport, Entry]] = field(default_factory=dict)
    """By `commit:SHA`; late ones too."""
    late: frozenset[str] = frozenset()
    findings: dict[str, tuple[RepoReport, Entry, Finding]] = field(default_factory=dict)
    issues: dict[str, tuple[RepoReport, Issue]] = field(default_factory=dict)
    pulls: dict[str, tuple[RepoReport, Pull]] = field(default_factory=dict)
    releases: dict[str, tuple[RepoReport, Release]] = field(default_factory=dict)
    readings: dict[str, PullReading] = field(default_factory=dict)
    """By `pull:REPO#N`."""
    brought_by: dict[str, str] = field(default_factory=dict)
    """`commit:SHA` -> its `pull:REPO#N`."""
    leaving: dict[str, tuple[Link, ...]] = field(default_factory=dict)
    """Links of the repositories by what they start from."""
    arriving: dict[str, tuple[Link, ...]] = field(default_factory=dict)
    earlier: dict[str, tuple[RepoReport, Earlier]] = field(default_factory=dict)
    """Changes of days before, by `commit:SHA`."""

    def activity(self, repo: str) -> Activity | None:
        return self.day.activity(repo)

    def reading(self, repo: str) -> RepoForge | None:
        return self.day.reading(repo)

    def pull_of(self, entry: Entry) -> tuple[Pull, PullReading | None] | None:
        """The pull request that brought a change, and what its text says."""
        name = self.brought_by.get(commit_id(entry.change.sha), "")
        found = self.pulls.get(name)
        return (found[1], self.readings.get(name)) if found else None

    def closed_by(self, entry: Entry) -> list[Link]:
        """Links to the issues that a change closes, by itself or by its pull request; each issue once."""
        own = commit_id(entry.change.sha)
        links = (*self.leaving.get(own, ()), *self.leaving.get(self.brought_by.get(own, ""), ()))
        return list({link.target: link for link in reversed(links) if link.kind == "fixes"}.values())[::-1]

    def bumps(self) -> list[Bump]:
        """Moves of pins that changes of this report made; those of earlier days stand in stories alone."""
        return [one for one in self.day.across.bumps if commit_id(one.sha) in self.entries]

    def crossing(self) -> list[Link]:
        """Links from one repository to another, of whatever part of the analysis."""
        own = [link for reading in self.day.readings for link in reading.links if self._crosses(link)]
        return list({(x.kind, x.source, x.target): x for x in (*self.day.across.links, *own)}.values())

    def _crosses(self, link: Link) -> bool:
        ends = [self.home(x) for x in (link.source, link.target)]
        return None not in ends and ends[0] != ends[1]

    def home(self, name: str) -> str | None:
        """The repository that an evidence id belongs to; None when the report does not know."""
        kind, _, rest = name.partition(":")
        if kind in ("commit", "finding"):
            found = self.entries.get(name) or self.findings.get(name) or self.earlier.get(name)
            return found[0].repo.name if found else None
        return rest.rpartition("@" if kind == "release" else "#")[0] if kind != "repo" else rest


def view_of(report: Report) -> ForgeView | None:
    """None when no forge was asked."""
    if report.forge is None:
        return None
    repos = {repo.repo.name: repo for repo in report.repos}
    told = [(r, e) for r in report.repos for e in (*r.entries, *r.late)]
    links = [link for reading in report.forge.readings for link in reading.links]
    items = [(repos[a.repo], a) for a in report.forge.activities if a.repo in repos]
    return ForgeView(
        report.forge,
        repos,
        {commit_id(e.change.sha): (r, e) for r, e in told},
        frozenset(commit_id(e.change.sha) for r in report.repos for e in r.late),
        {f"finding:{f.id}": (r, e, f) for r, e in told for f in e.reading.findings},
        {issue_id(a.repo, x.number): (r, x) for r, a in items for x in a.issues},
        {pull_id(a.repo, x.number): (r, x) for r, a in items for x in a.pulls},
        {release_id(a.repo, x.tag): (r, x) for r, a in items for x in a.releases},
        {pull_id(x.repo, x.number): x for reading in report.forge.readings for x in reading.pulls},
        {link.target: link.source for link in links if link.kind == "brings"},
        _grouped([(link.source, link) for link in links]),
        _grouped([(link.target, link) for link in links]),
        {commit_id(x.sha): (repos[x.repo], x) for x in report.forge.earlier if x.repo in repos},
    )


def _grouped(pairs: list[tuple[str, Link]]) -> dict[str, tuple[Link, ...]]:
    out: dict[str, list[Link]] = {}
    for name, link in pairs:
        out.setdefault(name, []).append(link)
    return {name: tuple(found) for name, found in out.items()}


# --- One language of one report: its phrases, its file names, and the links between its pages ---


MARKER = "<!-- daybreak.report/1 -->"


class Edition(Struct, frozen=True):
    """What every part of a page needs to know of the whole."""

    report: Report
    t: Phrases
    stems: Mapping[str, str]
    """Repository name -> the name of its page without ending."""
    forge: ForgeView | None
    """None: no forge was asked."""

    @property
    def language(self) -> str:
        return self.t.language

    @property
    def label(self) -> str:
        return self.report.window.label

    def ending(self, language: str) -> str:
        """`.md` for the main edition, `.en.md` and so on for the others."""
        return ".md" if language == self.report.languages[0] else f".{language}.md"

    def day_file(self, language: str = "") -> str:
        return self.label + self.ending(language or self.language)

    def repo_file(self, repo: str, language: str = "") -> str:
        return self.stems[repo] + self.ending(language or self.language)

    def say(self, text: Text) -> str:
        """The sentence in this language, or in the first one it has."""
        return text.get(self.language) or next(iter(text.values()), "")

    def others(self) -> tuple[str, ...]:
        return tuple(x for x in self.report.languages if x != self.language)

    def asked_forge(self, repo: RepoReport) -> bool:
        """Whether a forge was asked about this repository."""
        return self.forge is not None and self.forge.activity(repo.repo.name) is not None

    def ended(self, sentence: str) -> str:
        """The sentence with a full stop, which the end of a section is recognised by."""
        return sentence if re.search(r"[。．.!?！？…；;：:]$", sentence) else sentence + self.t("page.stop")

    def note(self, *parts: str) -> str:
        return self.t("page.note", text=self.t("page.comma").join(parts))


def editions(report: Report) -> tuple[Edition, ...]:
    """One edition for each language of the report, the main one first."""
    stems, forge = page_stems(report.repos), view_of(report)
    return tuple(Edition(report, phrases(language, "report"), stems, forge) for language in report.languages)


def page_stems(repos: Sequence[RepoReport]) -> dict[str, str]:
    """OWNER-NAME for each repository; `a-b/c` and `a/b-c` must not share a page, so the second gets a number."""
    stems: dict[str, str] = {}
    for repo in repos:
        stem = re.sub(r"[^\w.-]+", "-", repo.repo.name)
        same = sum(re.sub(r"-\d+$", "", s).lower() == stem.lower() or s.lower() == stem.lower() for s in stems.values())
        stems[repo.repo.name] = f"{stem}-{same + 1}" if same else stem
    return stems


_ISSUES = 5


def own_statements(ed: Edition, entry: Entry) -> tuple[Statement, ...]:
    """Statements without those that only repeat a pull request's text, where that text is quoted itself.

    What a model says of that text is no repetition: it is in the reader's language. Its numbers are quoted.
    """
    found = ed.forge.pull_of(entry) if ed.forge else None
    if found is None or found[1] is None:
        return entry.statements
    numbers = bool(found[1].claims)

    def repeats(one: Statement) -> bool:
        quoted = all(name.startswith("pull:") for name in one.evidence)
        return quoted and (one.author != "model" or (numbers and one.dimension == "performance"))

    return tuple(one for one in entry.statements if not repeats(one))


def cited(ed: Edition, item: Statement) -> str:
    """Links to the issues that a statement rests on."""
    found = [ed.forge.issues[e] for e in item.evidence if e in ed.forge.issues] if ed.forge else []
    return "".join(f" {issue_link(home.repo, issue.number)}" for home, issue in found[:_ISSUES])


def pull_points(ed: Edition, entry: Entry) -> list[tuple[str, str]]:
    """Label and words: the issues that it closes, and whether it tells how it was tested."""
    view = ed.forge
    if view is None:
        return []
    # A number that only the text gives, and that nobody looked up, may be anything.
    closed = [link for link in view.closed_by(entry) if not link.likely or link.target in view.issues]
    points = [(ed.t("forge.closes"), _closed(ed, view, closed))] if closed else []
    found = view.pull_of(entry)
    if found is not None and found[1] is not None:
        tested = ed.t("forge.tested" if found[1].test_plan else "forge.untested")
        points.append((ed.t("forge.tests"), tested))
    return points


def _closed(ed: Edition, view: ForgeView, links: list[Link]) -> str:
    told = []
    for link in links[:_ISSUES]:
        found = view.issues.get(link.target)
        number = link.target.rpartition("#")[2]
        name = f"{issue_link(found[0].repo, found[1].number)} {text(found[1].title)}" if found else text(f"#{number}")
        told.append(name + (ed.note(ed.t("forge.likely")) if link.likely else _again(ed, view, link)))
    return ed.t("page.semicolon").join(told) + (ed.t("range.and_more") if len(links) > _ISSUES else "")


def _again(ed: Edition, view: ForgeView, link: Link) -> str:
    """That the issue was opened again after this very pull request had closed it."""
    found = view.issues.get(link.target)
    number = link.source.rpartition("#")[2]
    undone = found is not None and link.source.startswith("pull:") and number in map(str, found[1].undone)
    return ed.note(ed.t("forge.fix_reopened")) if undone else ""


def pull_quotes(ed: Edition, repo: RepoReport, entry: Entry) -> list[str]:
    """Blocks: the author's reason, then the numbers as they stand in the pull request."""
    found = ed.forge.pull_of(entry) if ed.forge else None
    if found is None or found[1] is None:
        return []
    reading, where = found[1], pull_link(repo.repo, found[0].number)
    blocks = []
    if reading.why and faithful(reading.why):
        label = ed.t("forge.why", pull=where) + ed.note(ed.t("forge.verbatim")) + ed.t("page.colon").rstrip()
        blocks += [label, f"> {text(reading.why)}"]
    for claim in _quotable(reading):
        label = ed.t("forge.claim", pull=where) + _marked(ed, claim) + ed.t("page.colon").rstrip()
        blocks += [label, fence("\n".join(claim.lines), "text")]
    return blocks + _not_shown(ed, reading)


def pull_lines(ed: Edition, repo: RepoReport, entry: Entry, page: str = "") -> list[str]:
    """The same in few lines of a list: numbers only where they are one sentence; `page`: where all of them stand."""
    found = ed.forge.pull_of(entry) if ed.forge else None
    if found is None or found[1] is None:
        return []
    reading = found[1]
    lines = (
        [ed.t("forge.why_short") + ed.t("page.colon") + text(reading.why)]
        if faithful(reading.why) and reading.why
        else []
    )
    short = [claim.lines[0] for claim in _quotable(reading) if len(claim.lines) == 1]
    lines += [ed.t("forge.claim_short") + ed.t("page.colon") + text(line) for line in short[:1]]
    left = len(reading.claims) + reading.omitted - len(short[:1])
    if left and page and len(_quotable(reading)) > len(short[:1]):
        link = f"[{ed.t('forge.claims_link')}]({page}#{anchor(entry.change)})"
        return [*lines, ed.t("forge.claims_there", n=len(reading.claims) + reading.omitted, link=link)]
    return lines + ([ed.t("forge.claims_left", n=left, pull=pull_link(repo.repo, found[0].number))] if left else [])


def _quotable(reading: PullReading) -> list[Claim]:
    """Claims that a page can show as they are; one that had to be changed would not be verbatim."""
    return [claim for claim in reading.claims if all(map(faithful, claim.lines))]


def _marked(ed: Edition, claim: Claim) -> str:
    """As they stand, and checked by nobody."""
    left = [ed.t("forge.rows_left", n=claim.omitted)] if claim.omitted else []
    return ed.note(ed.t("forge.verbatim"), ed.t("forge.unverified"), *left)


def _not_shown(ed: Edition, reading: PullReading) -> list[str]:
    left = reading.omitted + len(reading.claims) - len(_quotable(reading))
    out = [ed.t("forge.claims_omitted", n=left)] if left else []
    out += [] if faithful(reading.why) else [ed.t("forge.unsafe")]
    return out + ([ed.t("forge.pull_cut")] if reading.cut else [])


# --- How many issues, pull requests and releases a forge has of a day, and what was not asked for and how to get it ---


_SETTING = "GITHUB_TOKEN"


def tally(ed: Edition, repo: RepoReport) -> str:
    """How many issues and pull requests of what kind of event; of a list that did not come whole, at least so many."""
    found = ed.forge.activity(repo.repo.name) if ed.forge else None
    if found is None:
        return ""
    counts: list[tuple[str, Sequence[Issue | Pull], Happened]] = [
        ("issues_opened", found.issues, "opened"), ("issues_closed", found.issues, "closed"),
        ("issues_reopened", found.issues, "reopened"), ("pulls_opened", found.pulls, "opened"),
        ("pulls_merged", found.pulls, "merged"), ("pulls_closed", found.pulls, "closed"),
    ]  # fmt: skip
    told = [ed.t(f"forge.{name}", n=n) for name, items, what in counts if (n := _count(items, what))]
    told += [ed.t("forge.releases", n=len(found.releases))] if found.releases else []
    said = " · ".join(told) or ed.t("forge.nothing")
    return said + (ed.note(ed.t("forge.at_least")) if found.skipped or found.left_out else "")


def _count(items: Sequence[Issue | Pull], what: Happened) -> int:
    """A pull request that was merged counts as merged, not as closed."""
    return sum(what in x.happened and not (what == "closed" and "merged" in x.happened) for x in items)


def left_out(ed: Edition, repos: Sequence[RepoReport]) -> list[str]:
    """What nobody was asked for, since there is no token for it, and how to get it."""
    found = [a for r in repos if ed.forge and (a := ed.forge.activity(r.repo.name)) and a.left_out]
    if not found:
        return []
    lines = [f"- {ed.t('forge.left_out')}"]
    lines += [f"  - {_left(ed, one)}" for one in found]
    return lines


def left_out_note(ed: Edition) -> list[str]:
    """One line for the head of the day page: a reader must know that there is more."""
    count = sum(bool(a.left_out) for a in ed.forge.day.activities) if ed.forge else 0
    return [f"> {ed.t('forge.left_out_note', n=count)}"] if count else []


def _left(ed: Edition, activity: Activity) -> str:
    """What, why, and what to do about it, in the words of the source."""
    said = [ed.ended(f"{text(x.what)}{ed.t('page.colon')}{text(x.reason)}") for x in activity.left_out]
    tips = dict.fromkeys(_tip(ed, x.tip) for x in activity.left_out if x.tip)
    return " ".join([*said, *tips])


def _tip(ed: Edition, tip: str) -> str:
    return ed.t("forge.token") if _SETTING in tip else text(tip)
