"""One change as Markdown: in full, in three lines, in one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from daybreak.core.model.changes import Change, FileChange, Repo
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Statement
from daybreak.report.render.addresses import anchor, commit_link, evidence_entries, refs
from daybreak.report.render.escape import aside, bold, code, faithful, fence, heading, showable, statement, text
from daybreak.report.render.forge_change import Edition, cited, own_statements, pull_lines, pull_points, pull_quotes
from daybreak.report.render.head import MARKS

# --- Files, line counts and hunks of a change, as git tells them ---


_HUNK_HEAD = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def lines_text(ed: Edition, added: int, deleted: int) -> str:
    return ed.t("change.lines", added=added, deleted=deleted)


def size(ed: Edition, change: Change) -> str:
    return f"{ed.t('change.files', n=change.files_total)} {lines_text(ed, change.added, change.deleted)}"


def scope(ed: Edition, change: Change, limit: int) -> str:
    """The most changed files with their counts, and how many there are beside them."""
    shown = sorted(change.files, key=lambda f: -(f.added + f.deleted))[:limit]
    told = ed.t("page.list").join(_file(ed, f) for f in shown)
    rest = change.files_total - len(shown)
    if rest <= 0:
        return told
    return f"{told}{ed.t('page.comma')}{ed.t('change.further_files', n=rest)}" if told else ed.t("change.files", n=rest)


def hunk_blocks(ed: Edition, entry: Entry, limit: int) -> list[str]:
    """The hunks that decide, verbatim, each under the name of its file."""
    blocks: list[str] = []
    for hunk in entry.reading.hunks[:limit]:
        if not showable(hunk.text):
            blocks.append(ed.t("change.hunk_unsafe", path=aside(hunk.path)))
            continue
        body = _paired(hunk.text.replace("\r\n", "\n").rstrip("\r\n"))
        if not body:
            continue
        key = "change.hunk_cut" if _is_cut(body) else "change.hunk"
        label = ed.t(key, path=code(hunk.path), n=body.count("\n")) + ed.t("page.colon").rstrip()
        blocks += [label, fence(body, "diff")]
    return blocks


def _file(ed: Edition, file: FileChange) -> str:
    notes = [ed.t("change.binary")] if file.binary else []
    notes += [ed.t("change.file_skipped")] if file.skipped else []
    notes += [ed.t("change.submodule")] if file.submodule else []
    notes += [ed.t("change.file_added")] if file.status == "A" else []
    notes += [ed.t("change.file_deleted")] if file.status == "D" else []
    notes += [ed.t("change.mode")] if file.mode_changed and not file.submodule else []
    if file.old_path and file.status == "R":
        notes.append(ed.t("change.renamed", old=aside(file.old_path)))
    counts = "" if file.binary or file.skipped else f" ({lines_text(ed, file.added, file.deleted)})"
    return code(file.path) + counts + (ed.note(*notes) if notes else "")


def _paired(body: str) -> str:
    """The hunk up to a fence in it that has no partner there: an odd one reads as a block that was never closed."""
    rows = body.split("\n")
    fences = [n for n, row in enumerate(rows) if row.strip().startswith("```")]
    if len(fences) % 2 == 0:
        return body
    kept = rows[: fences[-1]]
    return "\n".join(kept) if any(row[:1] in ("+", "-") for row in kept) else ""


def _is_cut(body: str) -> bool:
    """Whether fewer lines follow than the hunk's own head promises."""
    head = _HUNK_HEAD.match(body)
    if not head:
        return False
    rows = body.split("\n")[1:]
    old, new = (int(n) if n is not None else 1 for n in head.groups())
    return sum(r[:1] in (" ", "-", "") for r in rows) < old or sum(r[:1] in (" ", "+", "") for r in rows) < new


NUMBERED = re.compile(r"\s*\(#\d+\)\s*$")
MERGED_SHOWN = 5
FILE_ENDING = re.compile(
    r"\.(?:pyi?|cuh?|h|hpp|c|cc|cpp|rs|go|[jt]s|md|rst|txt|ya?ml|toml|json|sh|ipynb|inc|jinja|cfg|cmake|proto)$|Dockerfile$"
)


def full(ed: Edition, repo: RepoReport, entry: Entry, *, depth: int, files: int, hunks: int) -> list[str]:
    """Heading, who and when, what it does, its scope, why it has its grade, the decisive hunk."""
    blocks = [title(repo.repo, entry, depth), meta(ed, repo.repo, entry)]
    points = statement_points(ed, entry) + [point(ed, *told) for told in pull_points(ed, entry)]
    points += [point(ed, ed.t("change.scope"), scope(ed, entry.change, files))] if entry.change.files_total else []
    points += remarks(ed, entry.change)
    if why := reasons(ed, entry):
        points.append(f"- {why}")
    blocks += ["\n".join(points)] if points else []
    blocks += pull_quotes(ed, repo, entry)
    blocks += hunk_blocks(ed, entry, hunks)
    return blocks + [f"- {line}" for line in merged(ed, repo.repo, entry.change)]


def brief(ed: Edition, repo: RepoReport, entry: Entry, sentences: int = 3) -> str:
    """A list item of two or three lines: which commit, what it does, why it has its grade."""
    change = entry.change
    facts = [refs(repo.repo, change), ed.t(f"kind.{entry.kind}"), *flags(ed, entry)]
    lines = [f"- {bold(subject(ed, change))} {' · '.join(facts)}"]
    said = [sentence(ed, s, change) + cited(ed, s) for s in own_statements(ed, entry)[:sentences]]
    said += remarks_plain(ed, change)
    if not said and change.files_total:
        said = [ed.ended(ed.t("change.scope") + ed.t("page.colon") + scope(ed, change, 2))]
    lines += [f"  - {ed.t('page.space').join(said)}"] if said else []
    page = f"{ed.label}/{ed.repo_file(repo.repo.name)}"
    lines += [f"  - {told}" for told in pull_lines(ed, repo, entry, page)]
    why = reasons(ed, entry)
    lines += [f"  - {why}"] if why else []
    lines += [f"  - {line}" for line in merged(ed, repo.repo, change)]
    return "\n".join(lines)


def line(ed: Edition, repo: RepoReport, entry: Entry) -> str:
    """One line: for changes that a reader only needs to know of."""
    change = entry.change
    parts = [refs(repo.repo, change), ed.t(f"kind.{entry.kind}"), *flags(ed, entry)]
    parts += [size(ed, change)] if change.files_total else []
    parts += [ed.t("change.empty").rstrip("。.")] if change.empty else []
    parts += [ed.t("change.merged", n=len(change.merged))] if change.merged else []
    return f"- {subject(ed, change)} {' · '.join(parts)}"


def detailed_line(ed: Edition, repo: RepoReport, entry: Entry) -> str:
    """One line with its statements below it: a change of low importance on its repository's page."""
    change = entry.change
    parts = [refs(repo.repo, change), who(ed, change), when(change), ed.t(f"kind.{entry.kind}"), *flags(ed, entry)]
    lines = [f'- <a id="{anchor(change)}"></a>{subject(ed, change)} {" · ".join(parts)}']
    lines += [f"  {p}" for p in statement_points(ed, entry)]
    lines += [f"  {point(ed, *told)}" for told in pull_points(ed, entry)]
    lines += [f"  - {told}" for told in pull_lines(ed, repo, entry)]
    if change.files_total:
        lines.append("  " + point(ed, ed.t("change.scope"), scope(ed, change, 3)))
    lines += [f"  {p}" for p in remarks(ed, change)]
    why = reasons(ed, entry)
    lines += [f"  - {why}"] if why else []
    return "\n".join(lines + [f"  - {item}" for item in merged(ed, repo.repo, change)])


def title(repo: Repo, entry: Entry, depth: int) -> str:
    """The subject verbatim when it ends in `(#N)`; otherwise the commit's link and the subject."""
    change, mark = entry.change, MARKS[entry.importance.level]
    told = change.subject.strip()
    if NUMBERED.search(told) and faithful(told):
        return f"{'#' * depth} {mark} {heading(told, keep_number=True)}"
    return f"{'#' * depth} {mark} {commit_link(repo, change.sha)} {heading(NUMBERED.sub('', told))}".rstrip()


def meta(ed: Edition, repo: Repo, entry: Entry) -> str:
    """Links, author, time, kind and size of a change, in one line."""
    change = entry.change
    parts = [refs(repo, change), who(ed, change), when(change), ed.t(f"kind.{entry.kind}")]
    parts += [size(ed, change)] if change.files_total else []
    return " · ".join([*parts, *flags(ed, entry)])


def subject(ed: Edition, change: Change) -> str:
    """The subject without its own `(#N)`: the link beside it says the same."""
    told = change.subject.strip()
    found = NUMBERED.search(told)
    if found and change.pr is not None and found[0].strip() == f"(#{change.pr})":
        told = told[: found.start()]
    return text(told) or ed.t("change.subject_none")


def who(ed: Edition, change: Change) -> str:
    return text(change.author) or ed.t("change.author_none")


def when(change: Change) -> str:
    return change.committed_at.strftime("%Y-%m-%d %H:%M:%S")


def flags(ed: Edition, entry: Entry) -> list[str]:
    """What a reader must not overlook, and where it can be had."""
    out = [f"⚠️ {bold(ed.t('change.breaking'))}"] if entry.breaking else []
    out += [ed.t("change.unread")] if entry.change.skipped else []
    return out + ([ed.t("day.released", tag=code(entry.released))] if entry.released else [])


def point(ed: Edition, label: str, body: str) -> str:
    return f"- {bold(label)}{ed.t('page.colon')}{ed.ended(body)}"


def statement_points(ed: Edition, entry: Entry) -> list[str]:
    """One list item for each statement, led by its role and dimension."""
    out = []
    for item in own_statements(ed, entry):
        label = ed.t(f"change.{item.role}")
        label += f" · {ed.t(f'dimension.{item.dimension}')}" if item.dimension else ""
        out.append(point(ed, label, sentence(ed, item, entry.change)) + cited(ed, item))
    return out


def sentence(ed: Edition, item: Statement, *changes: Change) -> str:
    return ed.ended(statement(ed.say(item.text), spans_of(changes)))


def reasons(ed: Edition, entry: Entry) -> str:
    """Why the grade is what it is, in words."""
    importance = entry.importance
    told = [statement(ed.say(r.text), spans_of((entry.change,))).rstrip("。.") for r in importance.reasons]
    if not any(told):
        return ""
    label = ed.t(f"change.reasons_{importance.level}")
    return f"*{label}*{ed.t('page.colon')}{ed.t('page.semicolon').join(filter(None, told))}{ed.t('page.stop')}"


def remarks_plain(ed: Edition, change: Change) -> list[str]:
    out = [ed.t("change.empty")] if change.empty else []
    if change.skipped:
        out.append(ed.ended(ed.t("change.unread_why", reason=text(change.skipped))))
    return out


def remarks(ed: Edition, change: Change) -> list[str]:
    return [f"- {remark}" for remark in remarks_plain(ed, change)]


def merged(ed: Edition, repo: Repo, change: Change) -> list[str]:
    """The commits that a merge brought in: how many, and the newest of them."""
    if not change.merged:
        return []
    shown = ed.t("page.list").join(commit_link(repo, sha) for sha in change.merged[:MERGED_SHOWN])
    told = ed.t("change.merged", n=len(change.merged)) + ed.t("page.colon") + shown
    rest = len(change.merged) - MERGED_SHOWN
    return [told + (ed.note(ed.t("change.merged_more", n=rest)) if rest > 0 else "")]


def told_with_links(ed: Edition, repos: Sequence[RepoReport], item: Statement) -> str:
    """A statement about a repository or the day, with links to the commits it rests on."""
    found = evidence_entries(repos, item)
    said = sentence(ed, item, *(e.change for _, e in found))
    return " ".join([said, *(refs(r.repo, e.change) for r, e in found)])


def spans_of(changes: Sequence[Change]) -> Callable[[str], str]:
    """How to set code in a sentence about these changes.

    A file that none of them touches is set apart: in backticks it would read as one that they do.
    """

    def show(value: str) -> str:
        if not FILE_ENDING.search(value):
            return code(value)
        touched = (p for c in changes for f in c.files for p in (f.path, f.old_path or f.path))
        return code(value) if any(("/" + p).endswith("/" + value) for p in touched) else aside(value)

    return show
