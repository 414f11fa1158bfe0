"""Parts that the pages share: the first lines with their counts, commit table, stories, late arrivals, appendix."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from daybreak.core.model.day import Commit, Grounding, Left, RepoDay, Retelling, Skipped, Story
from daybreak.core.words.phrases import language_name, part_in, reason_in
from daybreak.report.render.change import (
    cited,
    flags,
    merged,
    own_statements,
    pull_lines,
    reasons,
    remarks_plain,
    sentence,
    spans_of,
    subject,
    when,
    who,
)
from daybreak.report.render.edition import MARKER, MARKS, Edition, commit_link, find_commits, refs
from daybreak.report.render.escape import bold, cell, code, faithful, reason, statement, text
from daybreak.report.render.unread import unread_point

# --- The numbers of a page's head, counted from the same values that the page lists ---


class Counts(Struct, frozen=True):
    """What a head line says of one or several repositories."""

    repos: int
    reported: int
    known: int
    """Commits that git has in the window, of the repositories that could be asked."""
    unknown: int
    """Repositories that could not be asked."""
    high: int
    medium: int
    low: int
    breaking: int
    filtered: int
    late: int
    skipped: int

    @property
    def in_git(self) -> str:
        """The number git has; "≥" when a repository could not be asked, since then nobody knows it."""
        if not self.unknown:
            return str(self.known)
        return "?" if self.unknown == self.repos else f"≥ {self.known}"

    @property
    def marks(self) -> str:
        return f"🔴 {self.high} 🟡 {self.medium} 🟢 {self.low}"


def count(repos: Sequence[RepoDay]) -> Counts:
    """Count over repositories; filtered commits are reported but have no grade."""
    told = [e for r in repos for e in r.told]
    levels = [e.importance.level for e in told]
    return Counts(
        repos=len(repos),
        reported=sum(len(r.commits) for r in repos),
        known=sum(r.in_git or 0 for r in repos),
        unknown=sum(r.in_git is None for r in repos),
        high=levels.count("high"),
        medium=levels.count("medium"),
        low=levels.count("low"),
        breaking=sum(e.breaking for e in told),
        filtered=sum(e.filtered for r in repos for e in r.commits),
        late=sum(len(r.late) for r in repos),
        skipped=sum(len(r.skipped) for r in repos),
    )


def of_level(repo: RepoDay, level: str) -> tuple[Commit, ...]:
    """Most important first; equals stay newest first."""
    chosen = [e for e in repo.told if e.importance.level == level]
    return tuple(sorted(chosen, key=lambda e: -e.importance.score))


def day_head(ed: Edition, counts: Counts) -> list[str]:
    title = f"{text(ed.day.title)} · {ed.label}" if ed.day.title else ed.t("page.title", label=ed.label)
    return [MARKER, f"# {title}", head_line(ed, counts), _day_links(ed)]


def repo_head(ed: Edition, repo: RepoDay, counts: Counts) -> list[str]:
    title = ed.t("page.repo_title", repo=text(repo.name), label=ed.label)
    return [MARKER, f"# {title}", head_line(ed, counts), _repo_links(ed, repo)]


def head_line(ed: Edition, counts: Counts) -> str:
    """Window and counts, in the one form that other programs read."""
    t, window = ed.t, ed.day.window
    parts = [t("head.window", label=window.label, zone=window.timezone)]
    parts += [t("head.open")] if window.open else []
    parts += [
        t("head.repos", n=counts.repos),
        t("head.commits", reported=counts.reported, in_git=counts.in_git),
        counts.marks,
        t("head.breaking_told", n=counts.breaking),
        t("head.skipped", n=counts.skipped),
    ]
    parts += [t("head.filtered", n=counts.filtered)] if counts.filtered else []
    parts += [t("head.late", n=counts.late)] if counts.late else []
    line = "> " + " · ".join(parts)
    return line.replace("） · ", "）· ")


def skipped_block(ed: Edition, skipped: Sequence[Skipped]) -> list[str]:
    """What could not be had stands before everything else: a reader must know that the page is not whole."""
    if not skipped:
        return []
    lines = [f"> ⚠️ **{ed.t('section.skipped')}**{ed.t('page.colon')}{ed.t('day.skipped_lead')}", ">"]
    return ["\n".join(lines + [f"> - {skipped_line(ed, item)}" for item in skipped])]


def skipped_line(ed: Edition, item: Skipped) -> str:
    return ed.ended(
        f"{text(part_in(ed.language, item.what))}{ed.t('page.colon')}{reason(reason_in(ed.language, item.reason))}"
    )


def _day_links(ed: Edition) -> str:
    links = [f"[{language_name(x)}]({ed.day_file(x)})" for x in ed.others()]
    month = ed.label[:7]
    ending = ed.ending(ed.language)
    links += [f"[{ed.t('head.index')}](../README{ending})", f"[{ed.t('head.month', month=month)}]({month}{ending})"]
    return " · ".join(links)


def _repo_links(ed: Edition, repo: RepoDay) -> str:
    links = [f"[{ed.t('head.day')}](../{ed.day_file()})"]
    links += [f"[{language_name(x)}]({ed.repo_file(repo.name, x)})" for x in ed.others()]
    return " · ".join([*links, f"[{ed.t('head.index')}](../../README{ed.ending(ed.language)})"])


# --- What was not asked for, and how to get it ---


_SETTING = "GITHUB_TOKEN"


def left_out(ed: Edition, repos: Sequence[RepoDay]) -> list[str]:
    """What nobody was asked for, since there is no token for it, and how to get it."""
    found = [f"  - {_left_out(ed, repo)}" for repo in repos if repo.left_out]
    return [f"- {ed.t('forge.left_out')}", *found] if found else []


def left_out_note(ed: Edition) -> list[str]:
    """One line for the head of the day page: a reader must know that there is more."""
    count = sum(bool(repo.left_out) for repo in ed.day.repos)
    return [f"> {ed.t('forge.left_out_note', n=count)}"] if count else []


def _left_out(ed: Edition, repo: RepoDay) -> str:
    """What, why, and what to do about it, in the words of the source."""
    tips = dict.fromkeys(_tip(ed, x.tip) for x in repo.left_out if x.tip)
    return " ".join([*(skipped_line(ed, x) for x in repo.left_out), *tips])


def _tip(ed: Edition, tip: str) -> str:
    return ed.t("forge.token") if _SETTING in tip else text(tip)


# --- The appendix's part about the model: how many of its statements stand, what the rules told instead, and why ---


_SHOWN = 40
"""Changes that are linked for one reason; the rest is counted, and all are in the data."""


def retelling_lines(ed: Edition, repos: Sequence[RepoDay]) -> list[str]:
    """Lines of the appendix; none when rules alone wrote the report."""
    told = ed.day.retelling
    if told is None:
        return []
    whole = len(repos) == len(ed.day.repos)
    lines = [f"- {ed.t('model.lead')}"]
    if whole:
        lines = [f"- {ed.ended(_counted(ed, told))}", *_critic(ed, told), *_from_where(ed, told)]
    names = {repo.name for repo in repos} | ({""} if whole else set())
    left = [one for one in told.left if one.repo in names]
    for why in ("rules", "budget", "fault"):
        lines += _reason(ed, repos, why, [one for one in left if one.why == why])
    lines += _reason(ed, repos, "partly", [one for one in told.partly if one.repo in names])
    for name in ("weighed", "unranked", "briefly", "below", "unlooked"):
        if whole and (n := getattr(told, name)):
            lines.append(f"  - {ed.t(f'model.{name}', n=n)}")
    return lines


def _counted(ed: Edition, told: Retelling) -> str:
    found = told.grounding
    name = code(ed.day.analyst.model or "") or ed.t("model.nobody")
    said = ed.t("model.counts", n=found.statements, model=name, kept=found.kept, dropped=found.dropped)
    return said + why_dropped(ed, found) + ed.t("model.told", n=told.told)


def _critic(ed: Edition, told: Retelling) -> list[str]:
    """What was checked of the sentences: without a critic's answer not their meaning."""
    points = [] if told.critic else [ed.t("model.no_critic")]
    points += [ed.t(f"model.{name}", n=n) for name, n in (("unheard", told.unheard), ("mended", told.mended)) if n]
    return [f"  - {point}" for point in points]


def why_dropped(ed: Edition, grounding: Grounding) -> str:
    """The reasons with their counts, in brackets."""
    if not grounding.by_reason:
        return ""
    told = [f"{ed.t.get(f'reason.{name}', code(name))} {n}" for name, n in sorted(grounding.by_reason.items())]
    return ed.note(ed.t("appendix.reasons") + ed.t("page.colon") + ed.t("page.list").join(told))


def _from_where(ed: Edition, told: Retelling) -> list[str]:
    """Said when an answer did not come from the endpoint that was to be asked first."""
    if all(one.endpoint == told.preferred for one in told.answers):
        return []
    listed = ed.t("page.list").join(f"{code(one.endpoint)} ({code(one.model)}) {one.count}" for one in told.answers)
    return [f"  - {ed.ended(ed.t('model.endpoints', first=code(told.preferred), listed=listed))}"]


def _reason(ed: Edition, repos: Sequence[RepoDay], why: str, left: Sequence[Left]) -> list[str]:
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


def _link(repos: Sequence[RepoDay], one: Left) -> str:
    """To the change, late ones too."""
    repo = next((repo for repo in repos if repo.name == one.repo), None)
    commit = repo.find(one.sha or "") if repo is not None else None
    return refs(repo, commit) if repo is not None and commit is not None else ""


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


def commit_table(ed: Edition, repo: RepoDay) -> str:
    """Every commit of the window, newest first, as git has it."""
    return "\n".join([ed.t("table.header"), RULE, *(_row(ed, repo, e) for e in repo.commits)])


def _row(ed: Edition, repo: RepoDay, commit: Commit) -> str:
    """Time, author, subject, link.

    A subject that could not be shown as it is gets a wider first cell: programs that compare quotations read only
    rows of the exact form.
    """
    exact = faithful(commit.subject.strip()) and faithful(commit.author.strip())
    link = commit_link(repo, commit.sha)
    link += f" · {ed.t('change.filtered')}" if commit.filtered else ""
    link += f" · {ed.t('change.unread')}" if commit.skipped else ""
    return f"| {when(commit)}{'' if exact else ' '} | {cell(commit.author)} | {cell(commit.subject)} | {link} |"


def story_lines(ed: Edition, repo: RepoDay) -> list[str]:
    return [_story(ed, repo, story) for story in repo.stories]


def _story(ed: Edition, repo: RepoDay, story: Story) -> str:
    """Which commits belong together, in order, and what is true at the end."""
    entries = [e for e in (repo.find(sha) for sha in story.commits) if e]
    steps = [step for step in (_step(ed, repo, story, sha) for sha in story.commits) if step]
    parts = [" → ".join(steps)] if steps else []
    unknown = len(story.commits) - len(steps)
    parts += [ed.t("story.earlier", n=unknown)] if unknown else []
    told = bold(ed.t(f"story.{story.kind}")) + ed.t("page.colon") + ed.t("page.comma").join(parts) + ed.t("page.stop")
    net = statement(ed.say(story.net), spans_of(entries))
    told += f"{ed.t('page.space')}{ed.t('story.net')}{ed.t('page.colon')}{ed.ended(net)}" if net else ""
    if story.broken:
        start, end = (moment.strftime("%Y-%m-%d %H:%M") for moment in (story.broken.start, story.broken.end))
        key = "story.broken_open" if story.broken.open else "story.broken"
        said = [ed.t(key, start=start, end=end)] if story.broken.shown else []
        said += [ed.t(f"story.by_{story.broken.by}")] if story.broken.by else []
        told += ed.t("page.space") + ed.ended(ed.t("page.comma").join(said))
    return f"- {told}"


def _step(ed: Edition, repo: RepoDay, story: Story, sha: str) -> str:
    """One change of a story; one that belongs to another day stands with its date."""
    commit = repo.find(sha)
    if commit is None:
        moment = story.earlier.get(sha)
        return f"{moment:%Y-%m-%d %H:%M:%S} {commit_link(repo, sha)}" if moment else ""
    dated = "" if commit in repo.commits else f"{when(commit)} "
    return f"{dated}{subject(ed, commit)} {refs(repo, commit)}"


def late_block(ed: Edition, repo: RepoDay) -> list[str]:
    """Commits of earlier windows, each with its date."""
    return [ed.t("late.lead"), "\n".join(_late(ed, repo, commit) for commit in repo.late)]


def _late(ed: Edition, repo: RepoDay, commit: Commit) -> str:
    facts = [refs(repo, commit), who(ed, commit), ed.t(f"kind.{commit.kind}"), *flags(ed, commit)]
    mark = MARKS[commit.importance.level]
    lines = [f"- {when(commit)} · {mark} {bold(subject(ed, commit))} {' · '.join(facts)}"]
    said = [sentence(ed, s, commit) + cited(ed, s) for s in own_statements(ed, commit)] + remarks_plain(ed, commit)
    lines += [f"  - {ed.t('page.space').join(said)}"] if said else []
    lines += [f"  - {told}" for told in pull_lines(ed, repo, commit)]
    why = reasons(ed, commit)
    lines += [f"  - {why}"] if why else []
    return "\n".join(lines + [f"  - {item}" for item in merged(ed, repo, commit)])


def appendix(
    ed: Edition, repos: Sequence[RepoDay], grounding: Grounding, data: str, skipped: Sequence[Skipped]
) -> list[str]:
    """How complete the page is and how its statements were checked; ends with the link to the data."""
    t, counts = ed.t, count(repos)
    points = [t("appendix.coverage", reported=counts.reported, in_git=counts.in_git)]
    points += [t("appendix.coverage_unknown", n=counts.unknown)] if counts.unknown else []
    points += [t("appendix.filtered", n=counts.filtered)] if counts.filtered else []
    points += [t("appendix.late", n=counts.late)] if counts.late else []
    points += unread_point(ed, repos)
    points.append(t("appendix.code"))
    points += [t("appendix.forge")] if any(repo.links is not None for repo in repos) else []
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


def _completed(ed: Edition, repos: Sequence[RepoDay]) -> list[str]:
    names = [what for repo in repos for what in repo.completed]
    if not names:
        return []
    return [ed.t("day.completed", n=len(names)) + ed.t("page.space") + ed.t("page.list").join(map(text, names))]


def _revised(ed: Edition, repos: Sequence[RepoDay]) -> list[str]:
    found = find_commits(repos, ed.day.revised)
    if not found:
        return []
    told = ed.t("day.revised", n=len(found))
    return [" ".join([told, *(refs(r, e) for r, e in found)])]
