"""Line counts: of a file right behind its path, and of a commit in total."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from daybreak.verify.check_input import Study
from daybreak.verify.checks.paths import Said, matches, said_in
from daybreak.verify.context import Sieve, Spot
from daybreak.verify.mirror import Commit, Files

_IN_BRACKETS = re.compile(r"[\s*]{0,4}[（(]([^（）()`|]{1,80})[）)]")
_BEHIND = re.compile(r"[\s*]{0,4}((?:大幅)?(?:新增|增加|删除|移除|减少|变更|改动|修改|[+±-])[^`|。；;（）()]{1,60})")
_NO_FILES = "the mirror does not have the files of the commit"
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


def check(study: Study) -> None:
    totals, of_commits = _TOTAL_IN.all_on(study.page), _OF_COMMIT_IN.all_on(study.page)
    for spot in study.prose:
        if spot.advice or spot.issues or spot.foreign or not spot.commits or not _DIGIT.search(spot.line.text):
            continue
        paths = said_in(spot)
        if not paths and not counted(spot.line.text):
            continue
        files = [(c, f) for c in spot.commits if (m := study.mirror(c.repo)) and (f := m.files(c.sha))]
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
        if not files:
            study.findings.unknown("line count", _NO_FILES)
            continue
        real = [(c, f.counts[p], len(hits)) for c, f in files for hits in [matches(said.text, f)] for p in hits[:20]]
        if not real:
            continue  # that the commit did not touch it is said of the path
        if any(count.fits(*one) for _, one, _ in real):
            study.findings.true("line count")
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
        if not files:
            study.findings.unknown("line count", _NO_FILES)
            continue
        numbers = [int(n.replace(",", "")) if n else None for n in m.groups()]
        count = Count(numbers[0], numbers[1]) if numbers[0] is not None else Count(either=numbers[2])
        sums = [(f.added, f.deleted) for _, f in files] + [_sum(paths, f) for _, f in files]
        words = f"{files[0][0].short} is +{files[0][1].added} -{files[0][1].deleted} in total"
        study.findings.decide(any(count.fits(*s) for s in sums), "line count", spot.line.number, m[0], words, m.span())


def _sum(paths: Sequence[Said], files: Files) -> tuple[int, int]:
    named = {p for said in paths for p in matches(said.text, files)}
    return sum(files.counts[p][0] for p in named), sum(files.counts[p][1] for p in named)


def _of_commit(study: Study, spot: Spot, files: Sequence[tuple[Commit, Files]], told: Matches) -> None:
    """`4 files +7 -7`."""
    for m in told:
        if not files:
            study.findings.unknown("line count", _NO_FILES)
            continue
        said = tuple(map(int, m.groups()))
        held = any(said == (f.number, f.added, f.deleted) for _, f in files)
        one, f = files[0]
        words = f"{one.short} has {f.number} files +{f.added} -{f.deleted}"
        study.findings.decide(held, "line count", spot.line.number, m[0], words, m.span())
