"""Documents to be searched: what each reported day makes of its changes, issues, pull requests and releases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from itertools import islice

from daybreak.core.model.day import Commit, Day, Finding, Issue, Item, Pull, Release, RepoDay, Statement
from daybreak.core.words.phrases import languages, tag_name
from daybreak.findings.kinds import GONE, Kind, kind_of
from daybreak.findings.languages.base import destination
from daybreak.report.render.tags import break_tag, setting_told
from daybreak.site.pages.broken_names import what_breaks
from daybreak.site.search.tokens import DOES, IDLE, NAMES, TITLE, cut_row, lower, name, names
from daybreak.store import Document

DAY_SHIFT, DAY_BITS = 24, 20
GAP = "."
_EPOCH = date(1970, 1, 1).toordinal()
_PLACES = 8000
"""Tokens of one document that stand in a row; PostgreSQL knows 16,383 places."""
_SAME = 250
"""Places of one token in one document; PostgreSQL keeps 255."""
_BYTES = 800_000
"""Of a document's tokens; PostgreSQL takes a mebibyte, and what is around each of them counts."""
_AROUND = 12
_BODY, _VALUE, _LINE, _LINES, _PATHS = 4000, 200, 300, 30, 12
"""Characters of a commit's message, of one value of a finding, and of a line that a snippet may be cut from; how many lines, and words beside them."""
_FILES, _FINDINGS = 60, 60
"""Of each change; all of them can be found on the change's own page."""
_SETTING = re.compile(r"(?<![\w-])--[a-z][a-z0-9]{1,40}-[a-z0-9-]{1,60}|\b[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{2,60}\b")
_NAMED, _SETTINGS = 60, 12
"""Of each change, names in lines that are shown, and settings whose deciding line is told."""
_TRAILER = re.compile(r"\s*[A-Za-z]+(?:-[A-Za-z]+){0,3}-by:\s")
"""`Signed-off-by: …`: tells nothing of the change, and was shown as what had matched."""
_BREAK = re.compile(r"[\t\n\r\v\f\u0085\u2028\u2029]+")
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


@dataclass(slots=True)
class _Draft:
    """A document before it has its number."""

    kind: str
    repo: str
    key: str
    title: str
    at: datetime
    url: str
    author: str = ""
    level: str = ""
    breaking: bool = False
    topic: str = ""
    lines: list[tuple[str, str]] = field(default_factory=list)
    """(language or nothing, text); the first ones are the likeliest snippets."""
    words: list[str] = field(default_factory=list)
    """More text that is searched; the first ones are shown where no line has the word."""
    symbols: list[str] = field(default_factory=list)
    """What it is about, by name: a word in one of them counts as much as one in the title."""
    marks: set[str] = field(default_factory=set)
    """Tokens that stand beside the row."""
    names: list[str] = field(default_factory=list)
    """What a snippet may say it was found by, where no line shows it."""


def day_number(label: str) -> int | None:
    """Days since 1970; None for what is no day."""
    try:
        number = date.fromisoformat(label).toordinal() - _EPOCH
    except ValueError:
        return None
    return number if 0 <= number < 1 << DAY_BITS else None


def documents(day: Day) -> list[Document]:
    """Everything the day tells of; the same day gives the same documents."""
    number = day_number(day.label)
    if number is None:
        return []
    tags = _tags(day)
    drafts = [draft for repo in day.repos for draft in _drafts(repo, tags)]
    drafts.sort(key=lambda one: (one.at.astimezone(UTC), one.kind, one.repo, one.key))
    return [_document(draft, day.label, number, place) for place, draft in enumerate(drafts)]


def _document(draft: _Draft, label: str, number: int, place: int) -> Document:
    grade = _grade(draft)
    return Document(
        id=(grade << (DAY_SHIFT + DAY_BITS)) | (number << DAY_SHIFT) | place,
        label=label,
        kind=draft.kind,
        repo=draft.repo,
        key=draft.key,
        title=_valid(draft.title[:_LINE]),
        level=draft.level,
        breaking=draft.breaking,
        at=draft.at.isoformat(),
        author=_valid(draft.author[:_VALUE]),
        topic=draft.topic,
        url=_valid(draft.url),
        text=_snippets(draft),
        tokens=_tokens(draft),
    )


def _snippets(draft: _Draft) -> str:
    some = [*draft.lines[:_LINES], *(("", word) for word in draft.words[:_PATHS] if word)]
    lines = [(language, _valid(line[:_LINE])) for language, line in some]
    lines += [(NAMES, _valid(" ".join(draft.names)))] if draft.names else []
    return json.dumps(lines, ensure_ascii=False, separators=(",", ":"))


def _valid(text: str) -> str:
    """One line that both databases take and a page may show: no control codes, nothing invisible, no half character."""
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub("", _BREAK.sub(" ", text)).encode("utf-8", "replace").decode()


def _grade(draft: _Draft) -> int:
    if draft.kind == "release":
        return 3
    if draft.kind != "change":
        return 1
    return {"high": 6, "medium": 4}.get(draft.level, 2 if draft.breaking else 0) + (
        draft.breaking and draft.level in ("high", "medium")
    )


def _tokens(draft: _Draft) -> str:
    row: list[str] = []
    marks = set(draft.marks)
    seen: dict[str, int] = {}
    size = 0
    heads = [(TITLE, text) for text in (draft.title, *draft.symbols)]
    texts = [draft.title, *(line for _, line in draft.lines), draft.author, *draft.words]
    for before, text in dict.fromkeys([*heads, *(("", text) for text in texts)]):
        some, beside = cut_row(_valid(text))
        some = [before + token for token in some] if before else some
        size += sum(len(token.encode()) + _AROUND for token in (*some, *beside))
        if size > _BYTES:
            break
        marks.update(beside)
        for token in some:
            seen[token] = seen.get(token, 0) + 1
            row.append(token if seen[token] <= _SAME else GAP)
        row.append(GAP)
        if len(row) > _PLACES:
            break
    return " ".join([*row[:_PLACES], *sorted(marks)])


# --- what is told ------------------------------------------------------------------------------------------------------


def _tags(day: Day) -> dict[str, str]:
    """Changes with the tag that the day's page gives them."""
    acted = (*day.actions, *day.also, *(one for area in day.worth for one in area.changes))
    return {sha: one.tag for one in reversed(acted) if one.tag for sha in one.commits}


def _drafts(repo: RepoDay, tags: Mapping[str, str]) -> Iterator[_Draft]:
    late = {commit.sha for commit in repo.late}
    for commit in repo.changes:
        tag = tags.get(commit.sha) or break_tag(commit)
        yield _marked(_change(repo.name, commit, commit.sha in late, tag))
    for issue in repo.issues:
        yield _marked(_issue(repo.name, issue))
    for pull in repo.pulls:
        yield _marked(_pull(repo.name, pull))
    for release in repo.releases:
        yield _marked(_release(repo.name, release))


def _marked(draft: _Draft) -> _Draft:
    """With what filters ask for."""
    marks = {f"!in:{draft.kind}", f"!repo:{repo_mark(draft.repo)}", f"!breaking:{'yes' if draft.breaking else 'no'}"}
    if draft.level:
        marks.add(f"!level:{draft.level}")
    if draft.topic:
        marks.add(f"!kind:{mark(draft.topic)}")
    return replace(draft, marks=draft.marks | marks | set(author_marks(draft.author)))


def mark(value: str) -> str:
    """A value of a filter as (part of) a token."""
    return name(value) or "-"


def repo_mark(repo: str) -> str:
    """A repository's whole name as part of a token: nothing in it may end one."""
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "_./-") else "+" for sign in lower(repo))[:160]


def author_marks(author: str) -> list[str]:
    """A person is asked for by any part of the name."""
    row, beside = cut_row(author)
    return list(dict.fromkeys([*(f"@{token.lstrip('~')}" for token in (*row, *beside)), f"@={name(author)}"]))


def _change(repo: str, commit: Commit, late: bool, tag: str) -> _Draft:
    draft = _Draft("change", repo, commit.sha, commit.subject, commit.committed_at, commit.url)
    draft.author, draft.level, draft.breaking = commit.author, commit.importance.level, commit.breaking
    draft.topic = commit.kind
    draft.marks.add(f"={lower(commit.sha)[:40]}")
    if commit.pr:
        draft.marks |= {f"=#{commit.pr.number}", f"={commit.pr.number}", f"~#{commit.pr.number}"}
    draft.marks |= {f"!is:{word}" for word, so in _states(commit, late) if so}
    draft.marks |= {f"!tag:{tag}"} if tag else set()
    draft.lines += _told(commit, tag)
    said = [line for _, line in draft.lines]
    draft.lines += [one for one in _statements(commit.statements) if not any(line.endswith(one[1]) for line in said)]
    for finding in commit.findings[:_FINDINGS]:
        kind = kind_of(finding.kind)
        draft.lines.append((f"{DOES}{kind.change}", _finding(finding)))
        called = names(finding.symbol[:_VALUE])
        draft.marks |= called | _effects(kind, called) | {f"!kind:{mark(finding.kind)}"}
        draft.symbols.append(finding.symbol[:_VALUE])
    _settings(draft, commit)
    draft.lines += [("", line) for line in _named_in_code(commit)]
    body = commit.body[:_BODY]
    draft.lines += [("", line) for line in body.splitlines() if line.strip() and not _TRAILER.match(line)]
    draft.words += [path for file in commit.files[:_FILES] for path in (file.path, file.old_path) if path]
    draft.words += [*commit.components, commit.released or ""]
    return draft


EFFECTS = ("=!", "=@", "==", "=^")
"""Before a name, in place of `=`: it is gone, does otherwise by itself, is refused or asked for in another way, will go. Made of
marks, so that all that is known of a name stands in one file of the index.
"""


def _effects(kind: Kind, called: Iterable[str]) -> set[str]:
    """What only plug-ins and forks meet is told by the name alone."""
    if kind.mark == "internals":
        return set()
    gone, otherwise = kind.change in GONE, kind.change == "default_changed"
    soon = kind.change == "deprecated"
    asked = not soon and (kind.mark == "breaks" or kind.effect == "tightened")
    effect = next((one for one, so in zip(EFFECTS, (gone, otherwise, asked, soon), strict=True) if so), "")
    return {f"{effect}{one[1:]}" for one in called} if effect else set()


def _named_in_code(commit: Commit) -> list[str]:
    """Of each option and variable in added and removed lines the first that holds it: lines around a change do not name it."""
    found: dict[str, str] = {}
    for line in (line for hunk in commit.hunks for line in (hunk.text or "").split("\n") if line[:1] in ("+", "-")):
        for setting in _SETTING.findall(line):
            found.setdefault(setting, _around(line[1:].strip(), setting))
    return list(islice(dict.fromkeys(found.values()), _NAMED))


def _around(line: str, setting: str) -> str:
    """As much of a long line as is read, with the name in it."""
    return line[max(line.find(setting) - _VALUE // 2, 0) :][:_VALUE]


def _settings(draft: _Draft, commit: Commit) -> None:
    """What it does with settings, in a sentence; what only moves or mentions one is found by its name, behind all that decide."""
    told = [one for one in commit.setting_lines if one.decides][:_SETTINGS]
    draft.lines += [(of, setting_told(one, of)) for one in told for of in languages()]
    idle = {destination(one.name) for one in commit.setting_lines if not one.decides}
    draft.marks |= {f"{'~' if destination(one) in idle else '=~'}{mark(one)}" for one in commit.settings}
    for one in dict.fromkeys(one for one in (*draft.symbols, *commit.settings) if not one[_VALUE // 2 :]):
        draft.names.append(f"{IDLE}{one}" if destination(one) in idle else one)


def _told(commit: Commit, tag: str) -> Iterator[tuple[str, str]]:
    """What it does in one sentence behind its tag: what a result shows, and how a word of the tag finds it."""
    said = [*what_breaks(commit), *([commit.tells] if commit.tells else commit.statements)]
    for language, text in (said[0].text if said else dict.fromkeys(languages(), "")).items():
        named = tag_name(language, tag) if tag else ""
        if told := " · ".join(part for part in (named, text.replace("`", "")) if part):
            yield language, told


def _states(commit: Commit, late: bool) -> tuple[tuple[str, bool], ...]:
    return (
        ("breaking", commit.breaking),
        ("late", late),
        ("released", commit.released is not None),
        ("skipped", commit.skipped is not None),
    )


def _statements(statements: Iterable[Statement]) -> Iterator[tuple[str, str]]:
    for one in statements:
        for language, text in one.text.items():
            if text:
                yield language, text.replace("`", "")


def _finding(finding: Finding) -> str:
    """`--max-len 4096 → 8192 (engine/args.py)`."""
    shown = " → ".join(value[:_VALUE] for value in (finding.before, finding.after) if value)
    symbol = "" if finding.symbol in shown else finding.symbol[:_VALUE]
    parts = [symbol, shown, f"({finding.path[:_VALUE]})"]
    return " ".join(part for part in parts if part)


def _item(kind: str, repo: str, item: Item) -> _Draft:
    draft = _Draft(kind, repo, str(item.number), item.title, item.created_at, item.url, item.author)
    draft.marks |= {f"=#{item.number}", f"={item.number}", f"~#{item.number}"}
    draft.marks |= {f"!is:{mark(word)}" for word in (item.state, *item.happened)}
    draft.words += [*item.labels, item.milestone or "", *(sha[:40] for sha in item.commits[:_FILES])]
    return draft


def _issue(repo: str, issue: Issue) -> _Draft:
    draft = _item("issue", repo, issue)
    draft.at, draft.topic = issue.closed_at or issue.created_at, issue.kind or ""
    draft.words += [*issue.components, *(f"#{fix.number}" for fix in issue.fixes)]
    draft.lines += [
        (language, text.replace("`", ""))
        for link in issue.causes
        if link.why
        for language, text in link.why.items()
        if text
    ]
    return draft


def _pull(repo: str, pull: Pull) -> _Draft:
    draft = _item("pull", repo, pull)
    draft.at = pull.merged_at or pull.closed_at or pull.created_at
    draft.marks |= {f"!is:{word}" for word, so in (("draft", pull.draft), ("coming", bool(pull.coming))) if so}
    if pull.claimed:
        draft.lines += [("", pull.claimed.why[:_BODY])] if pull.claimed.why else []
        draft.lines += [("", line) for claim in pull.claimed.numbers for line in claim.lines]
    draft.words += [closes.issue for closes in pull.closes]
    return draft


def _release(repo: str, release: Release) -> _Draft:
    draft = _Draft("release", repo, release.tag, release.title or release.tag, release.created_at, release.url)
    draft.author = release.author
    draft.marks |= {f"={name(release.tag)}", f"!is:{mark(release.state)}"}
    draft.lines += [("", note) for note in release.notes]
    draft.words += [release.tag, *(f"#{number}" for number in release.pulls)]
    return draft
