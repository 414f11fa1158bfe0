"""Parts that the day page and the repository page share: commit table, stories, late arrivals, appendix."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.changes import Skipped
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Grounding
from daybreak.report.render.addresses import commit_link, find_entries, refs
from daybreak.report.render.change import flags, merged, reasons, remarks_plain, sentence, spans_of, subject, when, who
from daybreak.report.render.counts import MARKS, count
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import bold, cell, faithful, statement, text
from daybreak.report.render.forge_change import cited, own_statements, pull_lines
from daybreak.report.render.forge_counts import left_out
from daybreak.report.render.head import skipped_line
from daybreak.report.render.model_appendix import retelling_lines, why_dropped

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
