"""One change as Markdown: in full, or in one line with its statements below."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from daybreak.core.model.day import Claim, Claimed, Commit, File, Link, RepoDay, Statement
from daybreak.core.model.statements import MARKS as SHOWN
from daybreak.core.words.phrases import reason_in
from daybreak.report.render.edition import (
    MARKS,
    Edition,
    anchor,
    commit_link,
    evidence_commits,
    issue_link,
    pull_link,
    refs,
)
from daybreak.report.render.escape import aside, bold, code, faithful, fence, heading, statement, text

# --- Files, line counts and hunks of a change, as git tells them ---


_HUNK_HEAD = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")


def lines_text(ed: Edition, added: int, deleted: int) -> str:
    return ed.t("change.lines", added=added, deleted=deleted)


def size(ed: Edition, commit: Commit) -> str:
    return f"{ed.t('change.files', n=commit.files_total)} {lines_text(ed, commit.added, commit.deleted)}"


def scope(ed: Edition, commit: Commit, limit: int) -> str:
    """The most changed files with their counts, and how many there are beside them."""
    shown = sorted(commit.files, key=lambda f: -(f.added + f.deleted))[:limit]
    told = ed.t("page.list").join(_file(ed, f) for f in shown)
    rest = commit.files_total - len(shown)
    if rest <= 0:
        return told
    return f"{told}{ed.t('page.comma')}{ed.t('change.further_files', n=rest)}" if told else ed.t("change.files", n=rest)


def hunk_blocks(ed: Edition, commit: Commit, limit: int) -> list[str]:
    """The hunks that decide, verbatim, each under the name of its file."""
    blocks: list[str] = []
    for hunk in commit.hunks[:limit]:
        if hunk.text is None:
            blocks.append(ed.t("change.hunk_unsafe", path=aside(hunk.path)))
            continue
        body = _paired(hunk.text)
        if not body:
            continue
        key = "change.hunk_cut" if _is_cut(body) else "change.hunk"
        label = ed.t(key, path=code(hunk.path), n=body.count("\n")) + ed.t("page.colon").rstrip()
        blocks += [label, fence(body, "diff")]
    return blocks


def _file(ed: Edition, file: File) -> str:
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


# --- What a pull request adds to its change: why, what it closes, how it was tested, and numbers as its author's claim ---
# All of it is quoted: the words are the author's and nobody has checked them, which each label says.


_ISSUES = 5


def own_statements(ed: Edition, commit: Commit) -> tuple[Statement, ...]:
    """Statements without those that only repeat a pull request's text, where that text is quoted itself.

    What a model says of that text is no repetition: it is in the reader's language. Its numbers are quoted.
    """
    pull = ed.known.pull_of(commit)
    if pull is None or pull.claimed is None:
        return commit.statements
    numbers = bool(pull.claimed.numbers)

    def repeats(one: Statement) -> bool:
        quoted = all(name.startswith("pull:") for name in one.evidence)
        return quoted and (one.author != "model" or (numbers and one.dimension == "performance"))

    return tuple(one for one in commit.statements if not repeats(one))


def cited(ed: Edition, item: Statement) -> str:
    """Links to the issues that a statement rests on."""
    found = [ed.known.issues[e] for e in item.evidence if e in ed.known.issues]
    return "".join(f" {issue_link(home, issue.number)}" for home, issue in found[:_ISSUES])


def pull_points(ed: Edition, commit: Commit) -> list[tuple[str, str]]:
    """Label and words: the issues that it closes, and whether it tells how it was tested."""
    # A number that only the text gives, and that nobody looked up, may be anything.
    closed = [link for link in ed.known.closed_by(commit) if not link.likely or link.target in ed.known.issues]
    points = [(ed.t("forge.closes"), _closed(ed, closed))] if closed else []
    pull = ed.known.pull_of(commit)
    if pull is not None and pull.claimed is not None:
        tested = ed.t("forge.tested" if pull.claimed.test_plan else "forge.untested")
        points.append((ed.t("forge.tests"), tested))
    return points


def _closed(ed: Edition, links: list[Link]) -> str:
    told = []
    for link in links[:_ISSUES]:
        found = ed.known.issues.get(link.target)
        number = link.target.rpartition("#")[2]
        name = f"{issue_link(found[0], found[1].number)} {text(found[1].title)}" if found else text(f"#{number}")
        told.append(name + (ed.note(ed.t("forge.likely")) if link.likely else _again(ed, link)))
    return ed.t("page.semicolon").join(told) + (ed.t("range.and_more") if len(links) > _ISSUES else "")


def _again(ed: Edition, link: Link) -> str:
    """That the issue was opened again after this very pull request had closed it."""
    found = ed.known.issues.get(link.target)
    number = link.source.rpartition("#")[2]
    undone = found is not None and link.source.startswith("pull:") and number in map(str, found[1].undone)
    return ed.note(ed.t("forge.fix_reopened")) if undone else ""


def pull_quotes(ed: Edition, repo: RepoDay, commit: Commit) -> list[str]:
    """Blocks: the author's reason, then the numbers as they stand in the pull request."""
    pull = ed.known.pull_of(commit)
    if pull is None or pull.claimed is None:
        return []
    claimed, where = pull.claimed, pull_link(repo, pull.number)
    blocks = []
    if claimed.why and faithful(claimed.why):
        label = ed.t("forge.why", pull=where) + ed.note(ed.t("forge.verbatim")) + ed.t("page.colon").rstrip()
        blocks += [label, f"> {text(claimed.why)}"]
    for claim in _quotable(claimed):
        label = ed.t("forge.claim", pull=where) + _marked(ed, claim) + ed.t("page.colon").rstrip()
        blocks += [label, fence("\n".join(claim.lines), "text")]
    return blocks + _not_shown(ed, claimed)


def pull_lines(ed: Edition, repo: RepoDay, commit: Commit) -> list[str]:
    """The same in few lines of a list: numbers only where they are one sentence."""
    pull = ed.known.pull_of(commit)
    if pull is None or pull.claimed is None:
        return []
    claimed = pull.claimed
    lines = (
        [ed.t("forge.why_short") + ed.t("page.colon") + text(claimed.why)]
        if faithful(claimed.why) and claimed.why
        else []
    )
    short = [claim.lines[0] for claim in _quotable(claimed) if len(claim.lines) == 1]
    lines += [ed.t("forge.claim_short") + ed.t("page.colon") + text(line) for line in short[:1]]
    left = len(claimed.numbers) + claimed.omitted - len(short[:1])
    return lines + ([ed.t("forge.claims_left", n=left, pull=pull_link(repo, pull.number))] if left else [])


def _quotable(claimed: Claimed) -> list[Claim]:
    """Claims that a page can show as they are; one that had to be changed would not be verbatim."""
    return [claim for claim in claimed.numbers if all(map(faithful, claim.lines))]


def _marked(ed: Edition, claim: Claim) -> str:
    """As they stand, and checked by nobody."""
    left = [ed.t("forge.rows_left", n=claim.omitted)] if claim.omitted else []
    return ed.note(ed.t("forge.verbatim"), ed.t("forge.unverified"), *left)


def _not_shown(ed: Edition, claimed: Claimed) -> list[str]:
    left = claimed.omitted + len(claimed.numbers) - len(_quotable(claimed))
    out = [ed.t("forge.claims_omitted", n=left)] if left else []
    out += [] if faithful(claimed.why) else [ed.t("forge.unsafe")]
    return out + ([ed.t("forge.pull_cut")] if claimed.cut else [])


# --- The change itself ---


NUMBERED = re.compile(r"\s*\(#\d+\)\s*$")
MERGED_SHOWN = 5
FILE_ENDING = re.compile(
    r"\.(?:pyi?|cuh?|h|hpp|c|cc|cpp|rs|go|[jt]s|md|rst|txt|ya?ml|toml|json|sh|ipynb|inc|jinja|cfg|cmake|proto)$|Dockerfile$"
)


def full(ed: Edition, repo: RepoDay, commit: Commit, *, depth: int, files: int, hunks: int) -> list[str]:
    """Heading, who and when, what it does, its scope, why it has its grade, the decisive hunk."""
    blocks = [title(repo, commit, depth), meta(ed, repo, commit)]
    blocks += [told] if (told := paragraph(ed, commit)) else []
    points = statement_points(ed, commit) + [point(ed, *told) for told in pull_points(ed, commit)]
    points += [point(ed, ed.t("change.scope"), scope(ed, commit, files))] if commit.files_total else []
    points += remarks(ed, commit)
    if why := reasons(ed, commit):
        points.append(f"- {why}")
    blocks += ["\n".join(points)] if points else []
    blocks += pull_quotes(ed, repo, commit)
    blocks += proof_blocks(ed, commit)
    blocks += hunk_blocks(ed, commit, hunks)
    return blocks + [f"- {line}" for line in merged(ed, repo, commit)]


def detailed_line(ed: Edition, repo: RepoDay, commit: Commit) -> str:
    """One line with its statements below it: a change of low importance on its repository's page."""
    parts = [refs(repo, commit), who(ed, commit), when(commit), ed.t(f"kind.{commit.kind}"), *flags(ed, commit)]
    lines = [f'- <a id="{anchor(commit)}"></a>{subject(ed, commit)} {" · ".join(parts)}']
    lines += [f"  - {told}"] if (told := paragraph(ed, commit)) else []
    lines += [f"  {p}" for p in statement_points(ed, commit)]
    lines += [f"  {point(ed, *told)}" for told in pull_points(ed, commit)]
    lines += [f"  - {told}" for told in pull_lines(ed, repo, commit)]
    if commit.files_total:
        lines.append("  " + point(ed, ed.t("change.scope"), scope(ed, commit, 3)))
    lines += [f"  {p}" for p in remarks(ed, commit)]
    why = reasons(ed, commit)
    lines += [f"  - {why}"] if why else []
    return "\n".join(lines + [f"  - {item}" for item in merged(ed, repo, commit)])


def title(repo: RepoDay, commit: Commit, depth: int) -> str:
    """The subject verbatim when it ends in `(#N)`; otherwise the commit's link and the subject."""
    mark, told = MARKS[commit.importance.level], commit.subject.strip()
    if NUMBERED.search(told) and faithful(told):
        return f"{'#' * depth} {mark} {heading(told, keep_number=True)}"
    return f"{'#' * depth} {mark} {commit_link(repo, commit.sha)} {heading(NUMBERED.sub('', told))}".rstrip()


def meta(ed: Edition, repo: RepoDay, commit: Commit) -> str:
    """Links, author, time, kind and size of a change, in one line."""
    parts = [refs(repo, commit), who(ed, commit), when(commit), ed.t(f"kind.{commit.kind}")]
    parts += [size(ed, commit)] if commit.files_total else []
    return " · ".join([*parts, *flags(ed, commit)])


def subject(ed: Edition, commit: Commit) -> str:
    """The subject without its own `(#N)`: the link beside it says the same."""
    told = commit.subject.strip()
    found = NUMBERED.search(told)
    if found and commit.pr is not None and found[0].strip() == f"(#{commit.pr.number})":
        told = told[: found.start()]
    return text(told) or ed.t("change.subject_none")


def who(ed: Edition, commit: Commit) -> str:
    return text(commit.author) or ed.t("change.author_none")


def when(commit: Commit) -> str:
    return commit.committed_at.strftime("%Y-%m-%d %H:%M:%S")


def flags(ed: Edition, commit: Commit) -> list[str]:
    """What a reader must not overlook, and where it can be had."""
    out = [f"⚠️ {bold(ed.t('change.breaking'))}"] if commit.breaking else []
    out += [ed.t(f"change.{mark}") for mark in commit.marks if mark in SHOWN[1:]]
    out += [ed.t("change.unread")] if commit.skipped else []
    return out + ([ed.t("day.released", tag=code(commit.released))] if commit.released else [])


def point(ed: Edition, label: str, body: str) -> str:
    return f"- {bold(label)}{ed.t('page.colon')}{ed.ended(body)}"


def paragraph(ed: Edition, commit: Commit) -> str:
    """What a model says of it, in its own order, as one text; what belongs to it stands in the issue links behind."""
    said = [one for one in own_statements(ed, commit) if one.author == "model"]
    return ed.t("page.space").join(sentence(ed, one, commit) + cited(ed, one) for one in said)


def proof_blocks(ed: Edition, commit: Commit) -> list[str]:
    """The lines that the paragraph rests on, each once, folded away."""
    lines = [one for item in own_statements(ed, commit) for one in item.proof if one.evidence.startswith("file:")]
    shown = dict.fromkeys(f"{one.side}{one.line}".rstrip() for one in lines if faithful(one.line))
    if not shown:
        return []
    return [
        f"<details><summary>{ed.t('change.proof', n=len(shown))}</summary>",
        fence("\n".join(shown), "diff"),
        "</details>",
    ]


def statement_points(ed: Edition, commit: Commit) -> list[str]:
    """One list item for each statement of the rules, led by its role and dimension."""
    out = []
    for item in own_statements(ed, commit):
        if item.author == "model":
            continue
        label = ed.t(f"change.{item.role}")
        label += f" · {ed.t(f'dimension.{item.dimension}')}" if item.dimension else ""
        out.append(point(ed, label, sentence(ed, item, commit)) + cited(ed, item))
    return out


def sentence(ed: Edition, item: Statement, *changes: Commit) -> str:
    return ed.ended(statement(ed.say(item.text), spans_of(changes)))


def reasons(ed: Edition, commit: Commit) -> str:
    """Why the grade is what it is, in words."""
    importance = commit.importance
    told = [statement(ed.say(r.text), spans_of((commit,))).rstrip("。.") for r in importance.reasons]
    if not any(told):
        return ""
    label = ed.t(f"change.reasons_{importance.level}")
    return f"*{label}*{ed.t('page.colon')}{ed.t('page.semicolon').join(filter(None, told))}{ed.t('page.stop')}"


def remarks_plain(ed: Edition, commit: Commit) -> list[str]:
    out = [ed.t("change.empty")] if commit.empty else []
    if commit.skipped:
        out.append(ed.ended(ed.t("change.unread_why", reason=text(reason_in(ed.language, commit.skipped)))))
    return out


def remarks(ed: Edition, commit: Commit) -> list[str]:
    return [f"- {remark}" for remark in remarks_plain(ed, commit)]


def merged(ed: Edition, repo: RepoDay, commit: Commit) -> list[str]:
    """The commits that a merge brought in: how many, and the newest of them."""
    if not commit.merged:
        return []
    shown = ed.t("page.list").join(commit_link(repo, sha) for sha in commit.merged[:MERGED_SHOWN])
    told = ed.t("change.merged", n=len(commit.merged)) + ed.t("page.colon") + shown
    rest = len(commit.merged) - MERGED_SHOWN
    return [told + (ed.note(ed.t("change.merged_more", n=rest)) if rest > 0 else "")]


def told_with_links(ed: Edition, repos: Sequence[RepoDay], item: Statement) -> str:
    """A statement about a repository or the day, with links to the commits it rests on."""
    found = evidence_commits(repos, item)
    said = sentence(ed, item, *(e for _, e in found))
    return " ".join([said, *(refs(r, e) for r, e in found)])


def spans_of(changes: Sequence[Commit], *, in_table: bool = True) -> Callable[[str], str]:
    """How to set code in a sentence about these changes; outside of a table a bar is as good as any other sign.

    A file that none of them touches is set apart: in backticks it would read as one that they do.
    """

    def show(value: str) -> str:
        if not FILE_ENDING.search(value):
            return code(value, in_table=in_table)
        touched = (p for c in changes for f in c.files for p in (f.path, f.old_path or f.path))
        return code(value) if any(("/" + p).endswith("/" + value) for p in touched) else aside(value)

    return show
