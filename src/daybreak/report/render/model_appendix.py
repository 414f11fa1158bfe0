"""The appendix's part about the model: how many of its statements stand, what the rules told instead, and why."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.drafts import Left, Retelling
from daybreak.core.model.report import RepoReport
from daybreak.core.model.statements import Grounding
from daybreak.report.render.addresses import refs
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import code

_SHOWN = 40
"""Changes that are linked for one reason; the rest is counted, and all are in the data."""


def retelling_lines(ed: Edition, repos: Sequence[RepoReport]) -> list[str]:
    """Lines of the appendix; none when rules alone wrote the report."""
    told = ed.report.retelling
    if told is None:
        return []
    whole = len(repos) == len(ed.report.repos)
    lines = [f"- {ed.t('model.lead')}"]
    if whole:
        lines = [f"- {ed.ended(_counted(ed, told))}", *_from_where(ed, told)]
    names = {repo.repo.name for repo in repos} | ({""} if whole else set())
    left = [one for one in told.left if one.repo in names]
    for why in ("rules", "budget", "fault"):
        lines += _reason(ed, repos, why, [one for one in left if one.why == why])
    lines += _reason(ed, repos, "partly", [one for one in told.partly if one.repo in names])
    if whole and told.below:
        lines.append(f"  - {ed.t('model.below', n=told.below)}")
    return lines


def _counted(ed: Edition, told: Retelling) -> str:
    found = told.grounding
    name = code(told.model) or ed.t("model.nobody")
    said = ed.t("model.counts", n=found.statements, model=name, kept=found.kept, dropped=found.dropped)
    return said + why_dropped(ed, found) + ed.t("model.told", n=told.told)


def why_dropped(ed: Edition, grounding: Grounding) -> str:
    """The reasons with their counts, in brackets."""
    if not grounding.by_reason:
        return ""
    told = [f"{ed.t.get(f'reason.{name}', code(name))} {n}" for name, n in sorted(grounding.by_reason.items())]
    return ed.note(ed.t("appendix.reasons") + ed.t("page.colon") + ed.t("page.list").join(told))


def _from_where(ed: Edition, told: Retelling) -> list[str]:
    """Said when an answer did not come from the endpoint that was to be asked first."""
    others = [one for one in told.answers if one[0] != told.preferred]
    if not others:
        return []
    listed = ed.t("page.list").join(f"{code(endpoint)} ({code(model)}) {n}" for endpoint, model, n in told.answers)
    return [f"  - {ed.ended(ed.t('model.endpoints', first=code(told.preferred), listed=listed))}"]


def _reason(ed: Edition, repos: Sequence[RepoReport], why: str, left: Sequence[Left]) -> list[str]:
    """One line a reason: the changes with their links, then summaries that could not be had."""
    changes = [one for one in left if one.sha]
    lines = []
    if changes:
        links = [link for one in changes[:_SHOWN] if (link := _link(repos, one))]
        rest = len(changes) - len(links)
        more = [ed.t("forge.in_data", n=rest)] if rest else []
        told = ed.t(f"model.{why}", n=len(changes)) + _details(ed, changes, why)
        lines.append("  - " + ed.t("page.colon").join([told, ed.t("page.list").join(links)]) + " ".join(["", *more]))
    summaries = [one for one in left if not one.sha]
    if summaries:
        names = [code(one.repo) if one.repo else ed.t("model.day") for one in summaries]
        told = ed.t("model.summaries", listed=ed.t("page.list").join(names)) + _details(ed, summaries, why)
        lines.append(f"  - {ed.ended(told)}")
    return lines


def _link(repos: Sequence[RepoReport], one: Left) -> str:
    """To the change, late ones too."""
    repo = next((repo for repo in repos if repo.repo.name == one.repo), None)
    entry = repo.find(one.sha) if repo is not None else None
    return refs(repo.repo, entry.change) if repo is not None and entry is not None else ""


def _details(ed: Edition, left: Sequence[Left], why: str) -> str:
    """Of faults, which ones."""
    found = sorted({one.detail for one in left if one.detail})
    if why != "fault" or not found:
        return ""
    return ed.note(ed.t("page.list").join(ed.t.get(f"refusal.{one}", code(one)) for one in found))
