"""Checks of files: paths, line counts and code given for a commit stand in what it touched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from functools import lru_cache

from msgspec import Struct

from daybreak.core.markdown_page import KEPT, Line, plain, ticked_in
from daybreak.verify.check_input import Study
from daybreak.verify.context import Sieve, Spot, listed
from daybreak.verify.mirror import Commit, Files, Shown

_EXTENSIONS = (
    "py|pyi|pyx|cu|cuh|h|hh|hpp|hxx|c|cc|cpp|cxx|inl|inc|rs|go|js|jsx|ts|tsx|md|mdx|rst|txt|ya?ml|toml|json|jsonl|sh|bash|"
    "ipynb|jinja2?|j2|cfg|ini|conf|cmake|proto|html|css|java|kt|rb|pl|lock|mlir|td|bat|ps1|csv|patch|diff|dockerfile|in"
)
_END = rf"(?:\.(?:{_EXTENSIONS})|Dockerfile|Makefile|CODEOWNERS)"
_SIGN = r"[\w.*+{},=@~-]"
PATH = re.compile(rf"(?:{_SIGN}{{0,255}}/){{0,30}}{_SIGN}{{0,255}}{_END}|(?:{_SIGN}{{1,255}}/){{1,30}}{_SIGN}{{0,255}}")
_IS_FILE = re.compile(rf"{_END}$")
_BRACES = re.compile(r"\{[^{}]*\}|\.{3}|…")
_FILES = re.compile(
    r"\s*(?:[-*+]\s+)?\**(?:受影响的?文件|涉及文件|变更文件|[Ff]iles(?: changed| touched)?|[Aa]ffected files)\**\s*[:：]\**\s*(.+)$"
)


_BETWEEN = re.compile(r"[,，、]\s*")
_NO_FILES = "the mirror does not have the files of the commit"


class Said(Struct, frozen=True):
    """A path as the report writes it."""

    text: str
    start: int
    end: int
    listed: bool = False
    """One of a list of files, where it can be nothing else."""


def check_paths(study: Study) -> None:
    for spot in study.prose:
        if spot.advice or spot.issues or spot.foreign or not spot.commits:
            continue
        for said in said_in(spot):
            _one(study, spot, said)


def said_in(spot: Spot) -> tuple[Said, ...]:
    text = spot.line.text
    return _said(text) if len(text) < KEPT else tuple(_read(text))


@lru_cache(maxsize=1 << 12)
def _said(text: str) -> tuple[Said, ...]:
    """Kept, since paths and counts both ask for it, and pages of a day have lines in common."""
    return tuple(_read(text))


def _read(text: str) -> Iterator[Said]:
    for one in ticked_in(text):
        if PATH.fullmatch(one.text):
            yield Said(one.text, one.start, one.end)
    found = _FILES.match(text)
    if found and "`" not in found[1] and "](" not in found[1]:
        at = found.start(1)
        for part in _BETWEEN.split(found[1]):
            name = plain(part).strip().rstrip(".")
            if name and PATH.fullmatch(name):
                yield Said(name, at, at + len(part), listed=True)
            at += len(part) + 1


def _one(study: Study, spot: Spot, said: Said) -> None:
    files = _files_of(study, spot)
    if any(matches(said.text, f) for _, f in files):
        study.findings.true("path")
    elif len(files) < len(spot.commits):
        study.findings.unknown("path", _NO_FILES)
    elif said.listed or (_IS_FILE.search(said.text) and not _spoken_of(study, said.text, [c for c, _ in files])):
        _untouched(study, spot, said, [c for c, _ in files])


def _files_of(study: Study, spot: Spot) -> list[tuple[Commit, Files]]:
    """Of each commit that can be meant; fewer than those when a mirror lacks files: then nothing is false."""
    return [(c, f) for c in spot.commits if (m := study.mirror(c.repo)) and (f := m.files(c.sha))]


def _untouched(study: Study, spot: Spot, said: Said, commits: Sequence[Commit]) -> None:
    mirrors = {c.sha: m for c in commits if (m := study.mirror(c.repo))}
    exists = any(_matching(said.text, m.tree(sha) or ()) for sha, m in mirrors.items())
    if exists and spot.impact:
        study.findings.unknown("path", "is said to be affected, not to be changed")
        return
    why = f"is not touched by {listed(commits)}" + ("" if exists else " and is nowhere in its tree")
    study.findings.false("path", spot.line.number, said.text, why, (said.start, said.end))


def _spoken_of(study: Study, path: str, commits: Iterable[Commit]) -> bool:
    """Its message or diff has the words; a patch that was not read to its end may have them."""
    for commit in commits:
        mirror = study.mirror(commit.repo)
        shown = mirror.shown(commit.sha) if mirror else None
        if shown is None or not shown.whole or shown.has(path):
            return True
    return False


def matches(said: str, files: Files) -> list[str]:
    """The files that a path can mean: whole, shortened in front, a folder, with `*` or dots for a part."""
    if said in files.counts:
        return [said]
    return _matching(said, files.counts)


def _matching(said: str, paths: Iterable[str]) -> list[str]:
    name = _BRACES.sub("*", said.rstrip("/")).removeprefix("./")
    if "*" in name:
        pattern = re.compile(translate("*/" + re.sub(r"\*{2,}", "*", name)))
        inside = re.compile(translate("*/" + re.sub(r"\*{2,}", "*", name) + "/*"))
        return [p for p in paths if pattern.match(f"/{p}") or inside.match(f"/{p}")] if name.count("*") <= 4 else []
    whole = [p for p in paths if p == name or p.endswith(f"/{name}")]
    return whole or [p for p in paths if f"/{name}/" in f"/{p}"]


# --- Line counts: of a file right behind its path, and of a commit in total ---

_IN_BRACKETS = re.compile(r"[\s*]{0,4}[（(]([^（）()`|]{1,80})[）)]")
_BEHIND = re.compile(r"[\s*]{0,4}((?:大幅)?(?:新增|增加|删除|移除|减少|变更|改动|修改|[+±-])[^`|。；;（）()]{1,60})")
_NUMBER = r"(\d{1,7}(?:,\d{3}){0,2})"
_ADDED = re.compile(
    rf"(?:\+|新增|增加|added|additions?:?)\s*{_NUMBER}(?!\s*(?:个|KB|MB|处|项|倍|%))|{_NUMBER} (?:lines? added|additions?)"
)
_DELETED = re.compile(
    rf"(?:(?<![\w+])-|删除|移除|减少|removed|deleted|deletions?:?)\s*{_NUMBER}(?!\s*(?:个|KB|MB|处|项|倍|%))|{_NUMBER} (?:lines? (?:removed|deleted)|deletions?)"
)
_EITHER = re.compile(
    rf"±\s*{_NUMBER}|(?:变更|改动|修改|changed|^)\s*{_NUMBER}\s*(?:行|lines?)|{_NUMBER} lines? changed"
)
_ARE_LINES = re.compile(r"\d\s*(?:行|lines?\b|additions?|deletions?)|\+\s*\d+[\s/,，、]{0,4}-\s*\d")
_NOT_ALONE = re.compile(r"[共累各约近]|\d\+\d+\+|\beach\b|\btotal|\babout\b|~|≈|\bover\b|超过")
_TOTAL = re.compile(
    rf"(?:累计|共计|合计|总计|共|\bin total|\btotal(?:ing|s)?(?: of)?)[\s*:：]{{0,4}}(?:\+{_NUMBER}\s{{0,2}}[/,，、]?\s{{0,2}}-\s{{0,2}}{_NUMBER}|\+?{_NUMBER})[\s*]{{0,4}}(?:行|lines?\b)"
)
_DIGIT = re.compile(r"\d")
_OF_COMMIT = re.compile(
    r"(\d{1,6})\s{0,2}(?:个文件|files?)(?: changed| touched)?\s{0,2}[,，（(]?\s{0,2}\+(\d{1,9})\s{0,2}[/,，、]?\s{0,2}-(\d{1,9})"
)


Matches = Iterable[re.Match[str]]
_TOTAL_IN = Sieve(_TOTAL, "累计", "共", "合计", "总计", "total")
_OF_COMMIT_IN = Sieve(_OF_COMMIT, "个文件", "file")


class Count(Struct, frozen=True):
    added: int | None = None
    deleted: int | None = None
    either: int | None = None

    def fits(self, added: int, deleted: int) -> bool:
        if self.either is not None:
            return self.either in (added, deleted, added + deleted)
        return self.added in (None, added) and self.deleted in (None, deleted)

    def __str__(self) -> str:
        if self.either is not None:
            return f"{self.either} lines"
        return " ".join(f"{sign}{n}" for sign, n in (("+", self.added), ("-", self.deleted)) if n is not None)


def check_counts(study: Study) -> None:
    totals, of_commits = _TOTAL_IN.all_on(study.page), _OF_COMMIT_IN.all_on(study.page)
    for spot in study.prose:
        if spot.advice or spot.issues or spot.foreign or not spot.commits or not _DIGIT.search(spot.line.text):
            continue
        paths = said_in(spot)
        if not paths and not counted(spot.line.text):
            continue
        files = _files_of(study, spot)
        _of_files(study, spot, paths, files)
        _in_total(study, spot, paths, files, totals(spot.line.text))
        _of_commit(study, spot, files, of_commits(spot.line.text))


def counted(text: str) -> bool:
    """It may give counts of a commit: in total, or as `4 files +7 -7`."""
    return "+" in text or "共" in text or "计" in text or "total" in text


def count_behind(text: str) -> Count | None:
    """The count in the words right behind a path."""
    m = _IN_BRACKETS.match(text) or _BEHIND.match(text)
    if not m or not _ARE_LINES.search(m[1]) or _NOT_ALONE.search(m[1]):
        return None
    added, deleted = _ADDED.search(m[1]), _DELETED.search(m[1])
    if added or deleted:
        return Count(_int(added), _int(deleted))
    either = _EITHER.search(m[1])
    return Count(either=_int(either)) if either else None


def _int(m: re.Match[str] | None) -> int | None:
    number = next((group for group in m.groups() if group), None) if m else None
    return int(number.replace(",", "")) if number else None


def _of_files(study: Study, spot: Spot, paths: Sequence[Said], files: Sequence[tuple[Commit, Files]]) -> None:
    for said in paths:
        count = None if said.listed else count_behind(spot.line.text[said.end : said.end + 120])
        if count is None:
            continue
        real = [(c, f.counts[p], len(hits)) for c, f in files for hits in [matches(said.text, f)] for p in hits[:20]]
        if any(count.fits(*one) for _, one, _ in real):
            study.findings.true("line count")
        elif len(files) < len(spot.commits):
            study.findings.unknown("line count", _NO_FILES)
        elif not real:
            continue  # that the commit did not touch it is said of the path
        elif all(number > 1 for _, _, number in real):
            study.findings.unknown("line count", "several files can be meant")
        else:
            commit, (added, deleted), _ = next(one for one in real if one[2] == 1)
            why = f"{said.text} is +{added} -{deleted} in {commit.short}"
            study.findings.false("line count", spot.line.number, str(count), why, (said.start, said.end))


def _in_total(
    study: Study, spot: Spot, paths: Sequence[Said], files: Sequence[tuple[Commit, Files]], said: Matches
) -> None:
    """Of the commit, or of the files that the line names."""
    for m in said:
        numbers = [int(n.replace(",", "")) if n else None for n in m.groups()]
        count = Count(numbers[0], numbers[1]) if numbers[0] is not None else Count(either=numbers[2])
        sums = [(f.added, f.deleted) for _, f in files] + [_sum(paths, f) for _, f in files]
        told = (f"{c.short} is +{f.added} -{f.deleted} in total" for c, f in files)
        _counted(study, spot, files, any(count.fits(*s) for s in sums), m, told)


def _counted(
    study: Study, spot: Spot, files: Sequence[tuple[Commit, Files]], held: bool, m: re.Match[str], told: Iterator[str]
) -> None:
    """A count that does not hold is false only when the files of every commit that can be meant were read."""
    if not held and len(files) < len(spot.commits):
        study.findings.unknown("line count", _NO_FILES)
    else:
        study.findings.decide(held, "line count", spot.line.number, m[0], next(told, ""), m.span())


def _sum(paths: Sequence[Said], files: Files) -> tuple[int, int]:
    named = {p for said in paths for p in matches(said.text, files)}
    return sum(files.counts[p][0] for p in named), sum(files.counts[p][1] for p in named)


def _of_commit(study: Study, spot: Spot, files: Sequence[tuple[Commit, Files]], told: Matches) -> None:
    """`4 files +7 -7`."""
    for m in told:
        said = tuple(map(int, m.groups()))
        held = any(said == (f.number, f.added, f.deleted) for _, f in files)
        words = (f"{one.short} has {f.number} files +{f.added} -{f.deleted}" for one, f in files)
        _counted(study, spot, files, held, m, words)


# --- Code in blocks: lines of a diff stand in the diff, and names that other code defines or decorates with are real ---

_DIFF = re.compile(r"^[+\- @]")
_BULLET = re.compile(r"^[+\-\s]*[*\-#>]*\s*")
_DOTS = re.compile(r"(?:\.{3}|…).*$")
_DEFINED = re.compile(
    r"(?:\b(?:def|class|struct|enum class|enum|fn|func|function|interface|namespace)\s+([A-Za-z_]\w{2,80})"
    r"|^\s*@([A-Za-z_][\w.]{3,80})|^\s*#define\s+([A-Za-z_]\w{2,80})|^\s*(?:from|import)\s+([A-Za-z_][\w.]{2,80}))"
)
_COMMENT = re.compile(r"^\s*(?:#(?!define|include)|//|/\*|\*|--|;|<!--)")
_NOT_CODE = {"text", "json", "markdown", "md", "mermaid", "console", "log", "output", "quote"}
_MOST = 2_000
"""Lines of one block that are looked at."""


class _Block(Struct, frozen=True):
    info: str
    spot: Spot
    lines: tuple[Line, ...]
    more: int
    """Lines beyond those that are looked at."""


def check_snippets(study: Study) -> None:
    blocks = list(_blocks(study))
    _read_ahead(study, blocks)
    for block in blocks:
        commits = _shown(study, block.spot.commits)
        if block.more:
            study.findings.unknown("snippet", f"lines of a block beyond {_MOST}", block.more)
        if not block.spot.commits or block.spot.issues or block.spot.advice:
            continue
        if len(commits) < len(block.spot.commits):
            study.findings.unknown("snippet", "the mirror does not have the diff of the commit")
        elif block.info.split(" ")[0].lower() in ("diff", "patch"):
            _diff(study, block, commits)
        elif block.info.split(" ")[0].lower() not in _NOT_CODE:
            _code(study, block, commits)


def _blocks(study: Study) -> Iterator[_Block]:
    """Each block with the line before it that says what it shows."""
    for spot in study.spots:
        lines = study.page.blocks.get(spot.line.number) if spot.line.fence is not None else None
        if lines:
            yield _Block(lines[0].info, spot, tuple(lines[:_MOST]), max(0, len(lines) - _MOST))


def _read_ahead(study: Study, blocks: list[_Block]) -> None:
    wanted: dict[str, set[str]] = {}
    for block in blocks:
        for commit in block.spot.commits:
            wanted.setdefault(commit.repo, set()).add(commit.sha)
    for repo, shas in wanted.items():
        mirror = study.mirror(repo)
        if mirror:
            mirror.show(sorted(shas))


def _shown(study: Study, commits: tuple[Commit, ...]) -> list[tuple[Commit, Shown]]:
    return [(c, s) for c in commits if (m := study.mirror(c.repo)) and (s := m.shown(c.sha)) and s.whole]


def _diff(study: Study, block: _Block, commits: list[tuple[Commit, Shown]]) -> None:
    indent = min((line.indent for line in block.lines if not line.blank), default=0)
    opening = block.spot.line
    cut = min(indent, opening.indent)
    for line in block.lines:
        text = line.text[cut:].rstrip()
        if not _DIFF.match(text) or any(text in shown.rows for _, shown in commits) or not text.strip("+-@ "):
            study.findings.true("snippet")
            continue
        words = _DOTS.sub("", _BULLET.sub("", text)).rstrip()
        held = len(words) < 8 or any(shown.has(words) for _, shown in commits)
        why = f"this line is not in the diff of {listed(c for c, _ in commits)}"
        study.findings.decide(held, "snippet", line.number, text[:80], why)


def _code(study: Study, block: _Block, commits: list[tuple[Commit, Shown]]) -> None:
    """A name the block defines, decorates with or imports must be in the diff, its context or its message."""
    for line in block.lines:
        if line.blank or _COMMENT.match(line.text):
            continue
        m = _DEFINED.search(line.text)
        if not m:
            continue
        name = next(group for group in m.groups() if group)
        word = re.compile(rf"(?<![\w]){re.escape(name)}(?![\w])")
        if any(word.search(shown.text) for _, shown in commits):
            study.findings.true("snippet")
            continue
        held = _in_files(study, commits, name)
        if held is None:
            study.findings.unknown("snippet", "not all files of the commit could be searched")
            continue
        why = f"`{plain(name)}` is not in the diff of {listed(c for c, _ in commits)}"
        study.findings.decide(held, "snippet", line.number, line.text.strip()[:80], why, m.span())


def _in_files(study: Study, commits: list[tuple[Commit, Shown]], name: str) -> bool | None:
    """In a file the commit touched, as it is after the commit; None: not to be known."""
    mirrors = [(commit.sha, mirror) for commit, _ in commits if (mirror := study.mirror(commit.repo))]
    found = [mirror.in_files(sha, name) for sha, mirror in mirrors]
    return True if True in found else None if None in found else False
