"""A release that is cut from a change of the day: which, how much is new in it, and what to read before going to it."""

from __future__ import annotations

from typing import NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.words import say
from daybreak.findings.kinds import kind_of
from daybreak.judge.action_answers import Made
from daybreak.judge.action_words import Told, named, noted
from daybreak.judge.message_refs import title


class Cut(NamedTuple):
    """A release that is cut from a change, and the finding that puts the project's version to it."""

    tag: str
    before: str
    """Tag of the version until then; empty where nothing says how much came since."""
    new: int
    command: str
    """What makes the report of the whole way."""
    finding: Finding


def cut_from(repo: RepoReport, entry: Entry) -> Cut | None:
    """The change puts the project's version to that of a tag which names this very commit; a candidate is no release."""
    for one in repo.tagged:
        if one.sha != entry.change.sha or one.prerelease:
            continue
        for finding in entry.reading.findings:
            if kind_of(finding.kind).family != "version" or not _names(one.tag, finding.after or ""):
                continue
            known = bool(finding.before and one.commits)
            before = one.tag.removesuffix(finding.after or "") + (finding.before or "") if known else ""
            command = f"daybreak range {repo.repo.name} {before}..{one.tag}"
            return Cut(one.tag, before, len(one.commits), command, finding)
    return None


def _names(tag: str, version: str) -> bool:
    """The tag ends in the whole version: `v10.5.6` is none of 0.5.6."""
    return bool(version) and tag.endswith(version) and not tag.removesuffix(version)[-1:].isdigit()


def releases(repo: RepoReport, entry: Entry) -> Made | None:
    """What is told of such a change."""
    cut = cut_from(repo, entry)
    if cut is None:
        return None
    said, how = say("judge.action.cut", tag=cut.tag), None
    if cut.before:
        said = say("judge.action.cut_with", tag=cut.tag, n=cut.new, before=cut.before)
        how = say("judge.action.cut_how", command=cut.command)
    plain = title(entry.change)
    return Made("releases", Told(named(plain, said), how=how), [cut.finding], noted(plain, said))


def cut_facts(repo: RepoReport, entry: Entry) -> str:
    """The same as plain words, for sentences to be held against."""
    cut = cut_from(repo, entry)
    return f"{cut.tag} {cut.before} {cut.new} {cut.command}" if cut is not None else ""
