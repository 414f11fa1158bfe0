"""The files of a day: Markdown, for each language the day page and one page for each repository, and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from daybreak.core.day_json import encoded
from daybreak.core.markdown_page import page_digests
from daybreak.core.model.day import LEVELS, Commit, Day, RepoDay
from daybreak.core.model.report import Note, Page
from daybreak.report.index import with_notes
from daybreak.report.render.change import detailed_line, full, lines_text
from daybreak.report.render.day_page import day_page, repo_notes, sentences
from daybreak.report.render.edition import MARKS, Edition, anchor, commit_link, editions
from daybreak.report.render.escape import aside, code, text
from daybreak.report.render.forge import forge_blocks, sections, tally
from daybreak.report.render.sections import (
    Counts,
    appendix,
    commit_table,
    count,
    details,
    late_block,
    of_level,
    repo_head,
    skipped_block,
    story_lines,
)
from daybreak.report.render.unread import unread_note

# --- One repository in depth: statistics, contents, every commit, every change with all its statements ---


TOP_COMPONENTS = 6
HUNKS = {"high": 3, "medium": 1}
FILES_SHOWN = 8
ITEMS_SHOWN = 25


def repo_page(ed: Edition, repo: RepoDay) -> Page:
    """`reports/DATE/OWNER-NAME.md` of one language."""
    t, counts = ed.t, count((repo,))
    blocks = repo_head(ed, repo, counts) + skipped_block(ed, repo.skipped)
    blocks += unread_note(ed, (repo,)) + repo_notes(ed, repo)
    if repo.assessment:
        blocks += [f"## {t('section.assessment')}", sentences(ed, (repo,), repo.assessment)]
    blocks += [*_section("stats", t("section.stats")), _stats(ed, repo, counts)]
    if repo.commits or repo.late or sections(ed, repo):
        blocks.append(details(t("section.contents"), _contents(ed, repo)))
    if repo.commits:
        folded = details(t("day.details", title=t("section.table"), n=len(repo.commits)), commit_table(ed, repo))
        blocks += [*_section("commits", t("section.table")), folded]
    blocks += _changes(ed, repo)
    blocks += forge_blocks(ed, repo, depth=2, shown=ITEMS_SHOWN, anchors=True)
    if repo.stories:
        blocks += [*_section("stories", t("section.stories")), "\n".join(story_lines(ed, repo))]
    if repo.late:
        blocks += [*_section("late", t("section.late")), *late_block(ed, repo)]
    blocks += appendix(ed, (repo,), repo.grounding, f"../{ed.label}.json", repo.skipped)
    return Page(f"reports/{ed.label}/{ed.repo_file(repo.name)}", "\n\n".join(blocks) + "\n")


def _changes(ed: Edition, repo: RepoDay) -> list[str]:
    """The changes by importance, each with an id that the contents lead to."""
    blocks: list[str] = []
    for level in ("high", "medium"):
        entries = of_level(repo, level)
        blocks += _section(level, _level_title(ed, repo, level)) if entries else []
        for commit in entries:
            blocks.append(f'<a id="{anchor(commit)}"></a>')
            blocks += full(ed, repo, commit, depth=3, files=FILES_SHOWN, hunks=HUNKS[level])
    if low := of_level(repo, "low"):
        blocks += _section("low", _level_title(ed, repo, "low"))
        blocks.append("\n".join(detailed_line(ed, repo, e) for e in low))
    return blocks


def _section(name: str, heading: str) -> list[str]:
    return [f'<a id="{name}"></a>', f"## {heading}"]


def _level_title(ed: Edition, repo: RepoDay, level: str) -> str:
    entries = [e for e in repo.told if e.importance.level == level]
    return f"{MARKS[level]} " + ed.t("day.details", title=ed.t(f"section.{level}"), n=len(entries))


def _contents(ed: Edition, repo: RepoDay) -> str:
    """Links to every section and change; the ids are written by this same file."""
    t = ed.t
    lines = [f"- [{t('section.stats')}](#stats)"]
    lines += [f"- [{t('section.table')}](#commits)"] if repo.commits else []
    for level in LEVELS:
        entries = of_level(repo, level)
        lines += [f"- [{_level_title(ed, repo, level)}](#{level})"] if entries else []
        lines += [f"  - [{_label(ed, e)}](#{anchor(e)})" for e in entries]
    lines += [f"- [{t(f'section.{name}')}](#{name})" for name, _ in sections(ed, repo)]
    lines += [f"- [{t('section.stories')}](#stories)"] if repo.stories else []
    lines += [f"- [{t('section.late')}](#late)"] if repo.late else []
    return "\n".join(lines)


def _label(ed: Edition, commit: Commit) -> str:
    return text(commit.subject) or f"{ed.t('change.subject_none')} {commit.sha[:9]}"


def _stats(ed: Edition, repo: RepoDay, counts: Counts) -> str:
    """Counts over the window: size, importance, kinds, authors, most touched parts, branch."""
    t = ed.t
    rows: list[tuple[str, str]] = []
    if repo.commits:
        changes = repo.commits
        files = len({f.path for c in changes for f in c.files}) + sum(c.files_total - len(c.files) for c in changes)
        lines = lines_text(ed, sum(c.added for c in changes), sum(c.deleted for c in changes))
        rows.append(("size", t("stats.size_text", files=t("change.files", n=files), lines=lines)))
        rows.append(("levels", counts.marks))
        rows.append(("kinds", _tally(ed, Counter(t(f"kind.{e.kind}") for e in repo.told))))
        rows.append(("authors", t("stats.authors_text", n=len({c.author for c in changes}))))
        parts = Counter(part for e in repo.told for part in e.components)
        rows.append(("components", _tally(ed, Counter({code(p): n for p, n in parts.items()}), TOP_COMPONENTS)))
    if told := tally(ed, repo):
        rows.append(("forge", told))
    if repo.branch:
        rows.append(("branch", _branch(ed, repo)))
    points = [f"- **{t(f'stats.{name}')}**{t('page.colon')}{body}" for name, body in rows if body]
    return "\n".join(points) or t("stats.none")


def _tally(ed: Edition, counter: Counter[str], limit: int | None = None) -> str:
    return " · ".join(ed.t("stats.item", name=name, n=n) for name, n in counter.most_common(limit))


def _branch(ed: Edition, repo: RepoDay) -> str:
    """The branch and its end as of the window; linked only when it is a commit of the window, told with its date."""
    branch = code(repo.branch or "")
    if not repo.head:
        return branch
    known = any(e.sha == repo.head for e in repo.commits)
    return ed.t("stats.branch_head", branch=branch, sha=commit_link(repo, repo.head) if known else aside(repo.head[:9]))


# --- All files of a day ---


def all_pages(day: Day, notes: Sequence[Note] = ()) -> tuple[Page, ...]:
    """Markdown, then the data."""
    told = markdown_pages(day, notes)
    return (*told, data_page(replace(day, pages=page_digests((page.path, page.text) for page in told))))


def markdown_pages(day: Day, notes: Sequence[Note] = ()) -> tuple[Page, ...]:
    """For each language the day page and one page for each repository, with what later reports learned."""
    out: list[Page] = []
    for edition in editions(day):
        out.append(_noted(day_page(edition), edition, notes))
        for repo in day.repos:
            own = [note for note in notes if note.repo == repo.name]
            out.append(_noted(repo_page(edition, repo), edition, own, "../"))
    return tuple(out)


def _noted(page: Page, edition: Edition, notes: Sequence[Note], up: str = "") -> Page:
    if not notes:
        return page
    return Page(page.path, with_notes(page.text, notes, edition.language, edition.ending(edition.language), up))


def data_page(day: Day) -> Page:
    """`reports/DATE.json`: what other programs read and what the next run remembers by."""
    return Page(f"reports/{day.label}.json", encoded(day))
