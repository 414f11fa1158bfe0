"""Checks of commits: shas, pull requests, quoted titles, authors and dates are those of the commit they are given for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from daybreak.core.markdown_page import plain, unlinked
from daybreak.verify.check_input import Study
from daybreak.verify.context import NOT_MERGED, Address, Named, Sieve, Spot, address
from daybreak.verify.mirror import Commit, Mirror

_NO_MIRROR = "no mirror of that repository"
_WHOLE = (40, 64)


def check_shas(study: Study) -> None:
    _look_everywhere(study)
    for spot in study.prose:
        linked = {one.text for one in spot.names if one.linked}
        for one in spot.names:
            if one.linked or not any(full.startswith(one.text) for full in linked):
                _one(study, spot, one)


def _look_everywhere(study: Study) -> None:
    """Shas that their own repository lacks may be another's, or of a file: every mirror is asked for all of them."""
    lost = {
        one.text
        for spot in study.prose
        for one in spot.names
        if (mirror := _meant(study, spot, one)) and mirror.commit(one.text) is None
    }
    for mirror in study.known.mirrors.values() if lost else ():
        mirror.seek(sorted(lost))


def _meant(study: Study, spot: Spot, one: Named) -> Mirror | None:
    return study.known.by_url.get(one.base) if one.base else study.mirror(spot.repo)


def _one(study: Study, spot: Spot, one: Named) -> None:
    mirror = _meant(study, spot, one)
    if mirror is None:
        _anywhere(study, spot, one)
        return
    span = (one.start, one.end)
    if one.linked:
        words = f"the link's sha has {len(one.text)} digits, a whole one has 40"
        study.findings.decide(len(one.text) in _WHOLE, "link", one.line, one.text, words, span)
    commit = mirror.commit(one.text) if len(one.text) <= 64 else None
    if commit is None:
        _missing(study, spot, one, mirror)
    elif commit.sha not in mirror.log:
        study.findings.unknown("sha", "a commit that is not on the branch")
    else:
        study.findings.true("sha")


def _anywhere(study: Study, spot: Spot, one: Named) -> None:
    """Under no repository: any of them will do; one that is in none of them can still be of another."""
    if not one.base and not spot.foreign and any(m.commit(one.text) for m in study.known.mirrors.values()):
        study.findings.true("sha")
    elif one.sure:
        study.findings.unknown("sha", _NO_MIRROR if one.base or spot.foreign else "named under no repository")


def _missing(study: Study, spot: Spot, one: Named, mirror: Mirror) -> None:
    others = [m.name for m in study.known.mirrors.values() if m is not mirror and m.commit(one.text)]
    why = f"{one.text[:12]} is no commit of {mirror.name}"
    if others:
        why += f", but one of {others[0]}"
    elif not one.sure or mirror.holds([one.text])[one.text]:
        return  # a word, a number, or a file's or tree's own id
    elif not one.linked and _quoted(study, spot, one):
        study.findings.unknown("sha", "stands in the diff of the commit")
        return
    elif len(one.text) > 12 and (meant := mirror.commit(one.text[:12])):
        why += f"; {meant.short} is"
    study.findings.false("sha", one.line, one.text, why, (one.start, one.end))


def _quoted(study: Study, spot: Spot, one: Named) -> bool:
    """A pin that the commit itself speaks of."""
    for commit in spot.commits:
        mirror = study.mirror(commit.repo)
        shown = mirror.shown(commit.sha) if mirror else None
        if shown and re.search(re.escape(one.text[:7]), shown.text):
            return True
    return False


# --- Pull requests: the number given for a commit is the one of its subject, and a merged one is merged ---

_IN_TITLE = re.compile(r"\(#(\d{1,9})\)(?=\s*(?:$|\[|\]|\(\[|\*\*|`|\||<))")


def check_pulls(study: Study) -> None:
    for spot in study.prose:
        if "#" not in spot.line.text and "/pull/" not in spot.line.text:
            continue
        links = [
            (found, (link.start, link.end))
            for link in spot.line.links
            if (found := address(link.target)) and found.kind == "pull"
        ]
        named = [one for one in spot.names if one.linked or one.sure]
        if named and spot.own:
            _of_commits(study, spot, links)
        else:
            for found, span in links:
                _alone(study, spot, found, span)


def _of_commits(study: Study, spot: Spot, links: list[tuple[Address, tuple[int, int]]]) -> None:
    """One commit with one number must agree; of several, each number must be of one of them."""
    given = [(int(n), span) for found, span in links if (n := found.rest.split("/")[0]).isdigit()]
    if not given and not spot.line.heading:
        text = spot.line.text if not spot.line.links else spot.line.text[: spot.line.links[0].start]
        given = [(int(m[1]), m.span()) for m in list(_IN_TITLE.finditer(text))[-1:]]
    numbered = [c for c in spot.own if c.pull is not None]
    for number, span in given:
        fits = any(number == c.pull or number in c.pulls for c in spot.own)
        if fits:
            study.findings.true("pull request")
        elif not numbered or len(numbered) < len(spot.own) or (len(spot.own) > 1 and len(given) > len(spot.own)):
            _elsewhere(study, number, spot)
        elif spot.issues or (len(spot.own) > 1 and _merged(study, spot.own, number)):
            study.findings.true("pull request")
        else:
            words = f"{_words(numbered)}, not #{number}"
            study.findings.false("pull request", spot.line.number, f"#{number}", words, span)


def _words(commits: list[Commit]) -> str:
    return "; ".join(f"{c.short} is of #{c.pull}" for c in commits[:2])


def _merged(study: Study, commits: tuple[Commit, ...], number: int) -> bool:
    """A line with several commits may name the pull request of another one beside them."""
    mirror = study.mirror(commits[0].repo)
    return mirror is not None and mirror.pull(number) is not None


def _elsewhere(study: Study, number: int, spot: Spot) -> None:
    mirror = study.mirror(spot.own[0].repo)
    if mirror and mirror.pull(number):
        study.findings.true("pull request")
    else:
        study.findings.unknown("pull request", "the commit's subject has no number")


def _alone(study: Study, spot: Spot, found: Address, span: tuple[int, int]) -> None:
    number = found.rest.split("/")[0]
    mirror = study.known.by_url.get(found.base)
    if not number.isdigit() or mirror is None:
        study.findings.unknown("pull request", "no mirror of that repository")
    elif mirror.pull(int(number)) or study.items.find(found.base, int(number)):
        study.findings.true("pull request")
        _beside(study, spot, int(number), span)
    elif spot.listing and not spot.issues and mirror.numbered and not NOT_MERGED.search(spot.line.text):
        words = f"is listed among the commits, but no commit of {mirror.name} is of #{number}"
        study.findings.false("pull request", spot.line.number, f"#{number}", words, span)
    else:
        study.findings.unknown("pull request", "not merged into the branch, as far as git knows")


def _beside(study: Study, spot: Spot, number: int, span: tuple[int, int]) -> None:
    """A line below a commit that only gives its pull request: `[PR #12](…)` under `- abc1234`."""
    if spot.line.item or spot.line.table or not spot.around or spot.line.heading:
        return
    near = [c for c in spot.around if c.pull is not None]
    if (
        near
        and len(near) == len(spot.around) == 1
        and spot.line.text.strip().startswith(("[", "<", "PR", "pr", "**PR"))
    ):
        held = number in near[0].pulls or number == near[0].pull
        study.findings.decide(
            held, "pull request", spot.line.number, f"#{number}", f"{_words(near)}, not #{number}", span
        )


# --- Quoted titles: a heading that ends in a pull request's number is the commit's subject, and quoted words are its words ---

_GRADE = re.compile(r"- (?:[^\[\]]{1,40} · )?[🔴🟡🟢] ")
_NUMBERED = re.compile(r"\(#(\d{1,9})\)\s*$")
_MARKS = re.compile("^[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\\s*_#]+")
_QUOTED = re.compile(r'"([^"\n]{20,300})"|“([^“”\n]{20,300})”|「([^」\n]{20,300})」|\*\*?([A-Za-z\[(][^*\n]{18,300})\*')
_WORD = re.compile(r"[a-z0-9]+")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\*\*)?(\S.{0,400}?)(?:\*\*)?\s{0,3}(?:\(?\[|<https?:)")
_SPACE = re.compile(r"\s+")
_SMALL = {"a", "an", "and", "by", "for", "from", "in", "of", "on", "the", "to", "with"}
_ALIKE, _FEWEST = 0.8, 5
"""Share of the words that make it a quotation, and the fewest words that do."""


def check_titles(study: Study) -> None:
    for spot in study.prose:
        if spot.issues or spot.foreign or not spot.commits:
            continue
        if spot.line.number - spot.title_line <= 3 and spot.own and spot.title:
            _heading(study, spot)
        if spot.line.item and spot.own:
            _listed(study, spot)
        _quotes(study, spot)


def _heading(study: Study, spot: Spot) -> None:
    """The commit of the first line below a heading has that heading as its subject."""
    title = spot.title
    if spot.line.heading or not _NUMBERED.search(title) or spot.line.item:
        return
    subjects = [c.subject for c in spot.own]
    words = f"the subject of {spot.own[0].short} is {subjects[0][:80]!r}"
    study.findings.decide(any(same(title, s) for s in subjects), "title", spot.title_line, title[:80], words)


def _listed(study: Study, spot: Spot) -> None:
    """`- subject (#12) [sha](…)`; on pages of ours the subject stands without its number, behind the mark of its grade."""
    graded = _GRADE.search(spot.line.text) if study.page.ours and spot.line.links else None
    if graded and graded.end() < (at := spot.line.links[0].start):
        title = plain(spot.line.text[graded.end() : at]).strip("* ")
        words = f"the subject of {spot.own[0].short} is {spot.own[0].subject[:80]!r}"
        held = _titled(study, spot, title) or _in_message(study, [c for c in spot.own if len(c.parents) > 1], title)
        study.findings.decide(held, "title", spot.line.number, title[:80], words, (graded.end(), at))
        return
    m = _ITEM.match(spot.line.text)
    title = _PERIOD.sub("", _ANCHOR.sub("", plain(m[1]))) if m else ""
    if m and _NUMBERED.search(title):
        words = f"the subject of {spot.own[0].short} is {spot.own[0].subject[:80]!r}"
        held = _titled(study, spot, title)
        study.findings.decide(held, "title", spot.line.number, title[:80], words, m.span(1))


def _titled(study: Study, spot: Spot, title: str) -> bool:
    """The subject, with the number of its pull request or without: a subject may end in two."""
    subjects = (c.subject for c in study.told_by(spot.own))
    return any(same(title, s) for subject in subjects for s in (subject, _NUMBERED.sub("", subject).strip()))


_ANCHOR = re.compile(r"^<a id=[^<>]*></a>")
_PERIOD = re.compile(r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC \S{1,4} \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC[:：]\s*")
"""Since when and until when a branch was at fault, before the title of what brought it."""


def same(title: str, subject: str) -> bool:
    """Word for word, or its beginning when it is cut with dots."""
    title, subject = (_MARKS.sub("", _SPACE.sub(" ", plain(text))) for text in (title, subject))
    if title.endswith(("...", "…")):
        return subject.startswith(title.rstrip(".… "))
    return title.replace("`", "") == subject.replace("`", "")


def _quotes(study: Study, spot: Spot) -> None:
    """Words in quotation marks that are nearly a subject, but not quite."""
    for m in _QUOTED.finditer(spot.line.text):
        said = next(group for group in m.groups() if group)
        words = words_of(said)
        near = [c for c in spot.commits if words and alike(words, c.subject)]
        if not near:
            continue
        held = any(within(words, c.subject) for c in near) or _in_message(study, near, said)
        why = f"the subject of {near[0].short} is {near[0].subject[:100]!r}"
        study.findings.decide(held, "title", spot.line.number, said[:80], why, m.span())


def alike(words: list[str], title: str) -> bool:
    """So many of the words are the title's, in its order, that they are meant to be it."""
    real = _WORD.findall(title.lower())[:80]
    found = SequenceMatcher(None, words[:80], real, autojunk=False).get_matching_blocks()
    return sum(block.size for block in found) >= _ALIKE * len(words)


def within(words: list[str], title: str) -> bool:
    """No word that the title does not have; some may be left out or moved."""
    return set(words) - _SMALL <= set(_WORD.findall(title.lower()))


def words_of(text: str) -> list[str]:
    """The words of a quotation; empty when it is too short to be one, or not in English."""
    words = _WORD.findall(plain(text).lower())
    return words if len(words) >= _FEWEST and plain(text).isascii() else []


def _in_message(study: Study, commits: list[Commit], said: str) -> bool:
    for commit in commits:
        mirror = study.mirror(commit.repo)
        shown = mirror.shown(commit.sha) if mirror else None
        if shown and (shown.has(plain(said)) or _unticked(plain(said)) in _unticked(shown.text)):
            return True
    return False


def _unticked(text: str) -> str:
    """Marks of code are written in many ways, and long lines are broken."""
    return _SPACE.sub(" ", text.replace("`", ""))


# --- Authors and dates given for a commit: beside each other after `作者` or `Author`, or in a row of a table of commits ---

_DAY = r"\d{4}-\d\d-\d\d"
_TIME = _DAY + r"[ T]\d\d:\d\d(?::\d\d)?"
_LABELLED = re.compile(
    r"(?:作者|提交者|\b[Aa]uthors?|\b[Cc]ommitted by|\bby)[\s*]{0,4}[:：][\s*_]{0,5}"
    r"([^\s，,*|·;；][^，,*|·;；\n]{0,79}?)\s{0,4}(?=[，,*|·;；]|\s-\s|\.?$)"
    rf"(?:[，,]\s{{0,2}}({_DAY})(?:[ T](\d\d:\d\d(?::\d\d)?))?)?"
)
_LABEL_AFTER = re.compile(r"(?:^|[^\w\s])\s*(?:\w+\s?)?$")
"""What stands before a label: nothing, or a mark, and at most one word (`**Commit author**:`)."""
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


def check_people(study: Study) -> None:
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
            if not _LABEL_AFTER.search(spot.line.text, 0, m.start()):
                continue  # within a sentence it labels nothing
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
    if with_comma or any(_fits(name, commit) for commit in study.told_by(spot.commits)) or _helped(study, spot, name):
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
    names = (commit.author, commit.committer, login, plain(commit.author))
    return low in {form for one in names for form in (one.lower(), one.lower().strip(" *_`"))}


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
        held = any(same(one, c.subject) for c in study.told_by(candidates) for one in subjects)
        study.findings.decide(held, "title", line, said, words, row.span(4))
    on_time = [c for c in candidates if at_time(study, c, day, time)]
    _date(study, spot, candidates, day, time, (row.start(1), row.end(2)))
    _author(study, _of(spot, on_time or candidates), author, row.span(3))


def _of(spot: Spot, commits: list[Commit]) -> Spot:
    return Spot(spot.line, spot.repo, spot.names, tuple(commits), ())


def _subject(cell: str) -> str:
    return plain(_LINKED.sub("", cell))
