"""All checks of a day together: what comes out of here may be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from daybreak.core.model.day import MOST_ACTIONS, MOST_ALSO, Action, Touches, WorkArea
from daybreak.core.model.findings import Hunk
from daybreak.core.model.items import Issue, Pull, Release
from daybreak.core.model.links import (
    CrossForge,
    CrossStory,
    Earlier,
    ForgeDay,
    Link,
    PullReading,
    commit_id,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Grounding, Statement
from daybreak.core.text import plain
from daybreak.judge.checks.evidence import FactEvidence, day_evidence, repository_evidence
from daybreak.judge.checks.statements import Evidence, judge, sift, sift_actions, total
from daybreak.judge.first_screen import asking, candidates
from daybreak.judge.interface import Judgement
from daybreak.judge.worth_knowing import by_area, lines

# --- What a forge's items say, as evidence; and which sentences and quotes about them may stand ---
# A quote stands only when it is in the body it is taken from, word for word; whatever does not stand is dropped and
# counted like any other statement.


_QUOTE = "quote_not_in_body"


def forge_evidence(forge: ForgeDay) -> FactEvidence:
    """Items and stories of a forge by evidence id."""
    makers: dict[str, Callable[[], str]] = {}
    for bump in forge.across.bumps:
        if bump.release:  # of a tag that git has and of which the forge has no release, the name is known
            makers[release_id(bump.target, bump.release)] = partial(str, bump.release)
    for activity in forge.activities:
        repo = activity.repo
        makers |= {pull_id(repo, x.number): partial(_item, x) for x in activity.pulls}
        makers |= {issue_id(repo, x.number): partial(_item, x) for x in activity.issues}
        makers |= {release_id(repo, x.tag): partial(_release, x) for x in activity.releases}
    makers |= {commit_id(x.sha): partial(_earlier, x) for x in forge.earlier}
    makers |= {f"story:{story.id}": partial(_story, story) for story in forge.across.stories}
    return FactEvidence(makers)


def _item(item: Issue | Pull) -> str:
    parts = (item.title, item.body, item.author, " ".join(item.labels), item.milestone or "")
    return "\n".join((*parts, f"#{item.number} {item.state} comments {item.comments} reactions {item.reactions}"))


def _release(release: Release) -> str:
    return f"{release.tag}\n{release.name}\n{release.body}\n{release.author}"


def _earlier(change: Earlier) -> str:
    number = f"#{change.pr}" if change.pr else ""
    return f"{change.sha}\n{change.subject}\n{number}\n{change.committed_at:%Y-%m-%d}"


def _story(story: CrossStory) -> str:
    """Who takes part and which versions were released, taken or left; not the sentence itself."""
    steps = (f"{step.kind} {step.repo} {step.version}" for step in story.steps)
    return "\n".join((story.target, *story.repos, *steps))


# --- what stands -------------------------------------------------------------------------------------------------


def standing(forge: ForgeDay, evidence: Evidence) -> tuple[ForgeDay, Grounding]:
    """The same day of a forge with the sentences, stories, words and quotes that stand, and how many did not."""
    tally = _Tally()
    said, one = sift(forge.statements, evidence)
    across = CrossForge(
        tally.links(forge.across.links, evidence),
        forge.across.bumps,
        tuple(story for story in forge.across.stories if tally.story(story, evidence)),
        forge.across.omitted,
    )
    bodies = {pull_id(a.repo, p.number): p.body for a in forge.activities for p in a.pulls}
    readings = tuple(
        replace(
            reading,
            links=tally.links(reading.links, evidence),
            pulls=tuple(tally.pull(pull, bodies.get(pull_id(pull.repo, pull.number), "")) for pull in reading.pulls),
        )
        for reading in forge.readings
    )
    return replace(forge, statements=said, across=across, readings=readings), total((one, tally.grounding()))


class _Tally:
    """Judges what is no statement by form and counts it like one."""

    def __init__(self) -> None:
        self._kept = 0
        self._dropped: Counter[str] = Counter()

    def grounding(self) -> Grounding:
        dropped = self._dropped.total()
        return Grounding(self._kept + dropped, self._kept, dropped, dict(sorted(self._dropped.items())))

    def links(self, links: Iterable[Link], evidence: Evidence) -> tuple[Link, ...]:
        """Without words that do not stand; a guess for which no words speak is none."""
        out = []
        for link in links:
            if link.why is None or self._stands(Statement("what", link.why, link.evidence), evidence):
                out.append(link)
            elif not link.likely:
                out.append(replace(link, why=None))
        return tuple(out)

    def story(self, story: CrossStory, evidence: Evidence) -> bool:
        return self._stands(Statement("what", story.net, (f"story:{story.id}",)), evidence)

    def pull(self, reading: PullReading, body: str) -> PullReading:
        """The reading with the quotes that the body has."""
        if not reading.why and not reading.claims:
            return reading
        body = plain(body)
        why = reading.why if not reading.why or self._quoted((reading.why,), body) else ""
        return replace(reading, why=why, claims=tuple(c for c in reading.claims if self._quoted(c.lines, body)))

    def _stands(self, statement: Statement, evidence: Evidence) -> bool:
        verdict = judge(statement, evidence)
        self._count("" if verdict.ok else verdict.reason)
        return verdict.ok

    def _quoted(self, lines: Iterable[str], body: str) -> bool:
        good = all(plain(line) and plain(line) in body for line in lines)
        self._count("" if good else _QUOTE)
        return good

    def _count(self, reason: str) -> None:
        if reason:
            self._dropped[reason] += 1
        else:
            self._kept += 1


def sifted_late(repo: RepoReport, evidence: Evidence) -> RepoReport:
    """The repository with those statements of its entries judged that rest on more than its own history.

    They were made when the forge's items had been joined, after the repository itself was checked.
    """
    own, parts = repository_evidence(repo), []

    def judged(entry: Entry) -> Entry:
        late = [s for s in entry.statements if any(name not in own for name in s.evidence)]
        kept, grounding = sift(late, evidence)
        parts.append(grounding)
        gone = [s for s in late if s not in kept]
        return replace(entry, statements=tuple(s for s in entry.statements if s not in gone)) if gone else entry

    entries, late = tuple(map(judged, repo.entries)), tuple(map(judged, repo.late))
    return replace(repo, entries=entries, late=late, grounding=total((repo.grounding, *parts)))


class AllChecks:
    """Sifts statements, quotes and hunks against the facts."""

    def repository(self, repo: RepoReport) -> RepoReport:
        evidence = repository_evidence(repo)
        entries, one = _entries(repo.entries, evidence)
        late, two = _entries(repo.late, evidence)
        assessment, three = sift(repo.assessment, evidence)
        return replace(repo, entries=entries, late=late, assessment=assessment, grounding=total((one, two, three)))

    def day(self, report: Judgement) -> Judgement:
        evidence, four = day_evidence(report.repos, report.window), Grounding()
        if report.forge is not None:
            evidence = evidence.merged(forge_evidence(report.forge))
            forge, four = standing(report.forge, evidence)
            repos = tuple(sifted_late(_counted(repo, forge), evidence) for repo in report.repos)
            same = all(one.entries == two.entries for one, two in zip(repos, report.repos, strict=True))
            report = replace(report, forge=forge, repos=repos, asking=report.asking if same else None)
        actions, one = sift_actions(report.actions, evidence)
        also, five = sift_actions(report.also, evidence)
        actions = actions[:MOST_ACTIONS]
        above = {(action.repo, action.commits) for action in actions}
        also = tuple(action for action in also if (action.repo, action.commits) not in above)[:MOST_ALSO]
        worth, six = _worth(report, (*actions, *also), evidence)
        summary, two = sift(report.summary, evidence)
        conclusion, three = sift(report.conclusion, evidence)
        # What a model said of the day and was dropped before is counted already.
        grounding = total((*(r.grounding for r in report.repos), report.grounding, one, two, three, four, five, six))
        return replace(
            report,
            actions=actions,
            also=also,
            worth=worth,
            more_actions=sum(bool(one.tag) for area in worth for one in area.changes),
            summary=summary,
            conclusion=conclusion,
            grounding=grounding,
            touches=_borne_out(report),
        )


def _worth(report: Judgement, above: Iterable[Action], evidence: Evidence) -> tuple[tuple[WorkArea, ...], Grounding]:
    """What is worth knowing, of the lines that stand."""
    tags = asking(candidates(report.repos)) if report.asking is None else report.asking
    found = lines(report.repos, above, tags)
    kept, grounding = sift_actions((line.action for line in found), evidence)
    return by_area(line for line in found if line.action in kept), grounding


def _borne_out(report: Judgement) -> Touches | None:
    """Touches whose changes and findings are in the report; of the reader's own file nothing else can be known."""
    if report.touches is None:
        return None
    shas = {(repo.repo.name, entry.change.sha) for repo in report.repos for entry in repo.entries}
    known = {finding.id for entry in report.entries for finding in entry.reading.findings}
    kept = tuple(
        one
        for one in report.touches.found
        if one.commits and all((one.repo, sha) in shas for sha in one.commits) and set(one.findings) <= known
    )
    return replace(report.touches, found=kept)


def _counted(repo: RepoReport, forge: ForgeDay) -> RepoReport:
    """With every list of its forge that could not be had among what was skipped."""
    activity = forge.activity(repo.repo.name)
    lost = [one for one in activity.skipped if one not in repo.skipped] if activity else []
    return replace(repo, skipped=(*repo.skipped, *lost)) if lost else repo


def _entries(entries: Sequence[Entry], evidence: Evidence) -> tuple[tuple[Entry, ...], Grounding]:
    """The same entries with the statements that stand."""
    out: list[Entry] = []
    parts: list[Grounding] = []
    for entry in entries:
        kept, grounding = sift(entry.statements, evidence)
        checked = entry if len(kept) == len(entry.statements) else replace(entry, statements=kept)
        out.append(_with_hunks(checked))
        parts.append(grounding)
    return tuple(out), total(parts)


def _with_hunks(entry: Entry) -> Entry:
    """Without hunks that are not, line by line, in a patch of the change."""
    patches = [file.patch for file in entry.change.files]

    def stands(hunk: Hunk) -> bool:
        if any(hunk.text in patch for patch in patches):
            return True
        rows = {row.rstrip() for patch in patches for row in patch.split("\n")}
        return all(row.rstrip() in rows for row in hunk.text.split("\n") if row.strip())

    hunks = tuple(filter(stands, entry.reading.hunks))
    same = len(hunks) == len(entry.reading.hunks)
    return entry if same else replace(entry, reading=replace(entry.reading, hunks=hunks))
