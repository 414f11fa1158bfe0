"""What a pull request adds to its change: why, what it closes, how it was tested, and numbers as its author's claim.

All of it is quoted: the words are the author's and nobody has checked them, which each label says.
"""

from __future__ import annotations

from daybreak.core.model.links import Claim, Link, PullReading
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Statement
from daybreak.report.render.addresses import anchor, issue_link, pull_link
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import faithful, fence, text
from daybreak.report.render.forge_view import ForgeView

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
