"""Authors and dates given for a commit: beside each other after `作者` or `Author`, or in a row of a table of commits."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daybreak.core.markdown_page import plain, unlinked
from daybreak.verify.check_input import Study
from daybreak.verify.context import Sieve, Spot, address
from daybreak.verify.mirror import Commit

_DAY = r"\d{4}-\d\d-\d\d"
_TIME = _DAY + r"[ T]\d\d:\d\d(?::\d\d)?"
_LABELLED = re.compile(
    r"(?:作者|提交者|\b[Aa]uthors?|\b[Cc]ommitted by|\bby)[\s*]{0,4}[:：][\s*_]{0,5}"
    r"([^\s，,*|·;；][^，,*|·;；\n]{0,79}?)\s{0,4}(?=[，,*|·;；]|\s-\s|\.?$)"
    rf"(?:[，,]\s{{0,2}}({_DAY})(?:[ T](\d\d:\d\d(?::\d\d)?))?)?"
)
_AFTER = re.compile(rf"· ([^·|]{{1,100}}?) · ({_TIME})(?= ·|\s*$)")
_DATED = re.compile(
    r"(?:提交时间|提交日期|时间|日期|\b[Dd]ate|\b[Cc]ommitted(?: at| on)?|\b[Tt]ime)[\s*]{0,4}[:：][\s*]{0,4}"
    rf"({_DAY})(?:[ T](\d\d:\d\d(?::\d\d)?))?"
)
_BEFORE_LINK = re.compile(rf"({_DAY})[ T](\d\d:\d\d(?::\d\d)?)\s+$")
_ROW = re.compile(
    rf"\|\s{{0,4}}({_DAY})[ T](\d\d:\d\d(?::\d\d)?)\s{{0,4}}\|\s{{0,4}}((?:\\.|[^|\\]){{0,200}}?)\s{{0,4}}\|(.*)$"
)
_NUMBER_OF_ACCOUNT = re.compile(r"^\d+\+")
_LINKED = re.compile(r"\(?\[[^\[\]]{0,200}\]\(http[^()\s]{0,300}\)\)?")
_LABELLED_IN = Sieve(_LABELLED, "作者", "提交者", "author", "by")
_DATED_IN = Sieve(_DATED, "时间", "日期", "date", "committed", "time")
_CELL = re.compile(r"(?<!\\)\|")


def check(study: Study) -> None:
    labelled, dated = _LABELLED_IN.all_on(study.page), _DATED_IN.all_on(study.page)
    for spot in study.prose:
        if spot.line.table:
            row = _ROW.search(spot.line.text)
            if row and (spot.repo or spot.own):
                _row(study, spot, row)
            continue
        if spot.issues or not spot.commits or spot.foreign:
            continue
        for m in labelled(spot.line.text):
            _author(study, spot, m[1], m.span(1))
            if m[2]:
                _date(study, spot, spot.commits, m[2], m[3], m.span(2))
        if spot.own:
            _besides(study, spot, dated(spot.line.text))


def _besides(study: Study, spot: Spot, dated: Iterable[re.Match[str]]) -> None:
    """Name and time behind a commit's link, and a time right before one."""
    text = spot.line.text
    for m in _AFTER.finditer(text):
        _author(study, spot, m[1], m.span(1))
        _date(study, spot, spot.commits, m[2][:10], m[2][11:], m.span(2))
    for m in dated:
        _date(study, spot, spot.commits, m[1], m[2], m.span())
    for link in spot.line.links:
        found = address(link.target)
        at = _BEFORE_LINK.search(text[max(0, link.start - 24) : link.start])
        if at and found and found.kind == "commit":
            commits = [c for c in spot.own if c.sha == found.rest]
            start = link.start - len(at[0])
            if commits:
                _date(study, spot, commits, at[1], at[2], (start, start + len(at[0].rstrip())))


def _author(study: Study, spot: Spot, said: str, span: tuple[int, int]) -> None:
    name = plain(unlinked(said)).strip(" *_`")
    if not name or _is_time(name):
        return
    rest = spot.line.text[span[0] : span[0] + 120]
    with_comma = any("," in c.author and rest.startswith(c.author) for c in spot.commits)
    if with_comma or any(_fits(name, commit) for commit in spot.commits) or _helped(study, spot, name):
        study.findings.true("author")
    elif name.startswith("@"):
        study.findings.unknown("author", "git does not have the names of accounts")
    else:
        real = ", ".join(dict.fromkeys(f"{c.short} is by {c.author}" for c in spot.commits[:2]))
        study.findings.false("author", spot.line.number, name, real, span)


def _is_time(text: str) -> bool:
    return bool(re.match(_DAY, text))


def _fits(name: str, commit: Commit) -> bool:
    login = _NUMBER_OF_ACCOUNT.sub("", commit.email.partition("@")[0])
    low = name.lower().lstrip("@")
    return low in (commit.author.lower(), commit.committer.lower(), login.lower(), plain(commit.author).lower())


def _helped(study: Study, spot: Spot, name: str) -> bool:
    """One who is named in the message as having written it too."""
    for commit in spot.commits:
        mirror = study.mirror(commit.repo)
        shown = mirror.shown(commit.sha) if mirror else None
        if shown and re.search(
            rf"(?i)^\s*(?:co-authored-by|signed-off-by):\s*{re.escape(name.lstrip('@'))}\s*<", shown.text, re.MULTILINE
        ):
            return True
    return False


def _date(
    study: Study, spot: Spot, commits: Iterable[Commit], day: str, time: str | None, span: tuple[int, int]
) -> None:
    commits = list(commits)
    said = f"{day} {time}" if time else day
    if any(at_time(study, commit, day, time) for commit in commits):
        study.findings.true("date")
        return
    real = "; ".join(
        f"{c.short} is of {c.times(study.when.zones()[0])[0].strftime('%Y-%m-%d %H:%M:%S')}" for c in commits[:2]
    )
    study.findings.false("date", spot.line.number, said, real, span)


def at_time(study: Study, commit: Commit, day: str, time: str | None) -> bool:
    """Committed or written then, by the report's zone or one of the usual ones."""
    if not time:
        return day in study.when.days_of(commit)
    form = "%Y-%m-%d %H:%M:%S" if time.count(":") == 2 else "%Y-%m-%d %H:%M"
    return any(moment.strftime(form) == f"{day} {time}" for zone in study.when.zones() for moment in commit.times(zone))


# --- tables of commits -----------------------------------------------------------------------------------------------


def _row(study: Study, spot: Spot, row: re.Match[str]) -> None:
    """A commit with that time, author and subject exists, and is the one that is linked."""
    day, time, author, rest = row.groups()
    rest = rest.strip().removesuffix("|").strip()
    cells = [cell.strip() for cell in _CELL.split(rest)]
    subjects = {_subject(cells[0]), _subject(cells[0].split("<br>")[0]), _subject(rest.split("<br>")[0])}
    mirror = study.mirror(spot.own[0].repo if spot.own else spot.repo)
    if mirror is None:
        study.findings.unknown("title", "no mirror of that repository")
        return
    candidates = list(spot.own) or [c for s in subjects for c in mirror.with_subject(s)]
    line, said = spot.line.number, cells[0][:80]
    if not candidates:
        in_issues = spot.issues or "/issues/" in rest
        if not in_issues:
            words = f"no commit of {mirror.name} has this subject"
            study.findings.false("title", line, said, words, row.span(4))
        return
    if spot.own:
        words = f"the subject of {spot.own[0].short} is {spot.own[0].subject[:80]!r}"
        study.findings.decide(any(c.subject in subjects for c in candidates), "title", line, said, words, row.span(4))
    on_time = [c for c in candidates if at_time(study, c, day, time)]
    _date(study, spot, candidates, day, time, (row.start(1), row.end(2)))
    _author(study, _of(spot, on_time or candidates), author, row.span(3))


def _of(spot: Spot, commits: list[Commit]) -> Spot:
    return Spot(spot.line, spot.repo, spot.names, tuple(commits), ())


def _subject(cell: str) -> str:
    return plain(_LINKED.sub("", cell))
