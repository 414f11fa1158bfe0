"""Parts that the day page and the repository page share: commit table, stories, late arrivals, appendix."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.changes import Skipped
from daybreak.core.model.drafts import Left, Retelling
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Grounding
from daybreak.report.render.addresses import commit_link, find_entries, refs
from daybreak.report.render.change import flags, merged, reasons, remarks_plain, sentence, spans_of, subject, when, who
from daybreak.report.render.escape import bold, cell, code, faithful, statement, text
from daybreak.report.render.forge_change import Edition, cited, left_out, own_statements, pull_lines
from daybreak.report.render.head import MARKS, count, skipped_line

# --- The appendix's part about the model: how many of its statements stand, what the rules told instead, and why ---


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


RULE = "| --- | --- | --- | --- |"


def details(summary: str, body: str) -> str:
    """A folded part; GitHub reads Markdown in it only after a blank line."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def commit_table(ed: Edition, repo: RepoReport) -> str:
    """Every commit of the window, newest first, as git has it."""
    return "\n".join([ed.t("table.header"), RULE, *(_row(ed, repo, e) for e in repo.entries)])


def _row(ed: Edition, repo: RepoReport, entry: Entry) -> str:
    """Time, author, subject, link.

    A subject that could not be shown as it is gets a wider first cell: programs that compare quotations read only
    rows of the exact form.
    """
    change = entry.change
    exact = faithful(change.subject.strip()) and faithful(change.author.strip())
    link = commit_link(repo.repo, change.sha)
    link += f" · {ed.t('change.filtered')}" if change.filtered else ""
    link += f" · {ed.t('change.unread')}" if change.skipped else ""
    return f"| {when(change)}{'' if exact else ' '} | {cell(change.author)} | {cell(change.subject)} | {link} |"


def story_lines(ed: Edition, repo: RepoReport) -> list[str]:
    return [_story(ed, repo, story) for story in repo.stories]


def _story(ed: Edition, repo: RepoReport, story: Story) -> str:
    """Which commits belong together, in order, and what is true at the end."""
    entries = [e for e in (repo.find(sha) for sha in story.commits) if e]
    steps = [step for step in (_step(ed, repo, story, sha) for sha in story.commits) if step]
    parts = [" → ".join(steps)] if steps else []
    unknown = len(story.commits) - len(steps)
    parts += [ed.t("story.earlier", n=unknown)] if unknown else []
    told = bold(ed.t(f"story.{story.kind}")) + ed.t("page.colon") + ed.t("page.comma").join(parts) + ed.t("page.stop")
    net = statement(ed.say(story.net), spans_of([e.change for e in entries]))
    told += f"{ed.t('page.space')}{ed.t('story.net')}{ed.t('page.colon')}{ed.ended(net)}" if net else ""
    if story.broken:
        start, end = (moment.strftime("%Y-%m-%d %H:%M") for moment in story.broken)
        told += ed.t("page.space") + ed.ended(ed.t("story.broken", start=start, end=end))
    return f"- {told}"


def _step(ed: Edition, repo: RepoReport, story: Story, sha: str) -> str:
    """One change of a story; one that belongs to another day stands with its date."""
    entry = repo.find(sha)
    if entry is None:
        moment = story.earlier.get(sha)
        return f"{moment:%Y-%m-%d %H:%M:%S} {commit_link(repo.repo, sha)}" if moment else ""
    dated = "" if entry in repo.entries else f"{when(entry.change)} "
    return f"{dated}{subject(ed, entry.change)} {refs(repo.repo, entry.change)}"


def late_block(ed: Edition, repo: RepoReport) -> list[str]:
    """Commits of earlier windows, each with its date."""
    return [ed.t("late.lead"), "\n".join(_late(ed, repo, entry) for entry in repo.late)]


def _late(ed: Edition, repo: RepoReport, entry: Entry) -> str:
    change = entry.change
    facts = [refs(repo.repo, change), who(ed, change), ed.t(f"kind.{entry.kind}"), *flags(ed, entry)]
    mark = MARKS[entry.importance.level]
    lines = [f"- {when(change)} · {mark} {bold(subject(ed, change))} {' · '.join(facts)}"]
    said = [sentence(ed, s, change) + cited(ed, s) for s in own_statements(ed, entry)] + remarks_plain(ed, change)
    lines += [f"  - {ed.t('page.space').join(said)}"] if said else []
    lines += [f"  - {told}" for told in pull_lines(ed, repo, entry)]
    why = reasons(ed, entry)
    lines += [f"  - {why}"] if why else []
    return "\n".join(lines + [f"  - {item}" for item in merged(ed, repo.repo, change)])


def appendix(
    ed: Edition, repos: Sequence[RepoReport], grounding: Grounding, data: str, skipped: Sequence[Skipped]
) -> list[str]:
    """How complete the page is and how its statements were checked; ends with the link to the data."""
    t, counts = ed.t, count(repos)
    points = [t("appendix.coverage", reported=counts.reported, in_git=counts.in_git)]
    points += [t("appendix.coverage_unknown", n=counts.unknown)] if counts.unknown else []
    points += [t("appendix.filtered", n=counts.filtered)] if counts.filtered else []
    points += [t("appendix.late", n=counts.late)] if counts.late else []
    points.append(t("appendix.code"))
    points += [t("appendix.forge")] if any(map(ed.asked_forge, repos)) else []
    n = grounding.statements
    told = t("appendix.grounding", n=n, statements=n, kept=grounding.kept, dropped=grounding.dropped)
    points.append(ed.ended(told + why_dropped(ed, grounding)))
    points += _revised(ed, repos)
    points += _completed(ed, repos)
    points.append(ed.ended(t("appendix.skipped", n=len(skipped))) if skipped else t("appendix.skipped_none"))
    lines = [f"- {point}" for point in points] + [f"  - {skipped_line(ed, s)}" for s in skipped]
    lines += left_out(ed, repos)
    lines += retelling_lines(ed, repos)
    link = f"[{t('appendix.data')}]({data})"
    lines.append(f"- {t('appendix.same', link=link)}")
    return [f"## {t('section.appendix')}", "\n".join(lines)]


def _completed(ed: Edition, repos: Sequence[RepoReport]) -> list[str]:
    names = [what for repo in repos for what in repo.completed]
    if not names:
        return []
    return [ed.t("day.completed", n=len(names)) + ed.t("page.space") + ed.t("page.list").join(map(text, names))]


def _revised(ed: Edition, repos: Sequence[RepoReport]) -> list[str]:
    found = find_entries(repos, ed.report.revised)
    if not found:
        return []
    told = ed.t("day.revised", n=len(found))
    return [" ".join([told, *(refs(r.repo, e.change) for r, e in found)])]
