"""Files, line counts and hunks of a change, as git tells them."""

from __future__ import annotations

import re

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.report import Entry
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import aside, code, fence, showable

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
