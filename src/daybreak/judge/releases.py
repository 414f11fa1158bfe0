"""A release that is cut from a change of the day: which, how much is new in it, and what to read before going to it."""

from __future__ import annotations

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.words import say
from daybreak.findings.kinds import kind_of
from daybreak.judge.action_answers import Made
from daybreak.judge.action_words import Told, named, noted
from daybreak.judge.message_refs import title


def releases(repo: RepoReport, entry: Entry) -> Made | None:
    """The change puts the project's version to that of a tag which names this very commit; a candidate is no release."""
    tags = [one for one in repo.tagged if one.sha == entry.change.sha and not one.prerelease]
    moved = [(one, f) for one in tags for f in entry.reading.findings if _is_of(f, one.tag)]
    if not moved:
        return None
    cut, finding = moved[0]
    before = cut.tag.replace(finding.after or "", finding.before or "")
    if not finding.before or not cut.commits:
        said, how = say("judge.action.cut", tag=cut.tag), None
    else:
        said = say("judge.action.cut_with", tag=cut.tag, n=len(cut.commits), before=before)
        how = say("judge.action.cut_how", command=f"daybreak range {repo.repo.name} {before}..{cut.tag}")
    plain = title(entry.change)
    return Made("releases", Told(named(plain, said), how=how), [finding], noted(plain, said))


def _is_of(finding: Finding, tag: str) -> bool:
    kind = kind_of(finding.kind)
    return kind.family == "version" and bool(finding.after) and tag.endswith(finding.after or "")
