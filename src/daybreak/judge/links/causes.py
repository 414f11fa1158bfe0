"""Which change may have caused an issue: one it names, the version it came with, or one that changed what it names.

Precision goes first: a link needs a word that is rare among the issues and changes of these days, the issue must be
of a kind that a change can cause, and it came within days. It is likely at best, with the words it rests on.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache

from msgspec import Struct

from daybreak.core.model.changes import Change
from daybreak.core.model.items import Issue
from daybreak.core.model.links import IssueKind, Link, commit_id, issue_id, release_id
from daybreak.core.model.report import Entry
from daybreak.core.profiles import profiles
from daybreak.core.projects import wanted_for
from daybreak.core.versions import version
from daybreak.core.words import say
from daybreak.core.words.grammar import listing
from daybreak.judge.links.joins import Numbers
from daybreak.judge.links.texts import prose, without_code
from daybreak.judge.links.tokens import Token, flags, of_finding, tokens

DAYS = timedelta(days=7)
"""So long after a change an issue is held against it."""
MOST = 3
"""Causes of one issue that are offered."""
RARE = 2
"""In more issues or changes than this, a word tells nothing."""
_SMALL = 30
"""A change with more files touches everything: its paths say nothing."""
_CAUSED: frozenset[IssueKind] = frozenset({"regression", "accuracy", "bug", "performance", "install"})

_BLAME = re.compile(
    r"\b(?:since|after|introduced|caused|broken?|breaks|regress\w{0,5}|bisect\w{0,6}|culprit|due to|because of|first bad|"
    r"reverting|started (?:with|from|at|in))\b[^.;\n]{0,50}$",
    re.IGNORECASE,
)
_BLAMED = re.compile(
    r"^[\s\])`'\"]{0,4}(?:(?:has|have|seems? to have|appears? to have) )?(?:broke|breaks|introduced|introduces|caused|causes|regressed|is the (?:first bad|culprit))\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<![\w/#.+-])(?:(?:PR ?)?#(?P<number>[1-9]\d{1,8})|(?P<sha>[0-9a-f]{7,40}))(?![\w])|/(?:pull/(?P<pull>[1-9]\d{0,8})|commit/(?P<commit>[0-9a-f]{7,40}))(?![\w])"
)
_SINCE = (
    r"\b(?:since|after (?:the )?(?:upgrad\w{1,3}|updat\w{1,3}|bump\w{0,3}|switch\w{0,3}|mov\w{1,3}) (?:\S{1,40} ){0,3}?(?:to|from \S{1,24} to)"
    r"|(?:upgrad\w{1,3}|updat\w{1,3}) (?:\S{1,40} ){0,2}?from \S{1,24} to|regress\w{0,5} (?:in|since|from|with)|broken? (?:in|since|by)|started (?:with|in|from)|introduced in)"
    r"\s(?:(?:the )?(?:version|release|tag) |(?:PROGRAM) )?[`'\"]?(?P<version>v?\d{1,4}\.\d{1,4}(?:\.\w{1,20}){0,3})"
)


class _Text(Struct, frozen=True):
    """An issue with what is looked for in it."""

    issue: Issue
    plain: str
    """Title and paragraphs, without code: where a cause is named in words."""
    words: frozenset[Token]


class _Known(Struct, frozen=True):
    """The changes an issue is held against."""

    numbers: Numbers
    shas: Sequence[str]
    """Sorted."""
    by_sha: Mapping[str, Change]
    wanted: Mapping[frozenset[Token], Sequence[tuple[Change, str]]]
    """Words that must all be named -> the changes and evidence ids that they are of."""
    tags: Sequence[str]
    told: frozenset[str]
    """Evidence that the report has: of the window's changes and releases."""


def causes(
    numbers: Numbers,
    issues: Sequence[tuple[Issue, IssueKind]],
    entries: Sequence[Entry],
    earlier: Sequence[Entry] = (),
    tags: Mapping[str, bool] | None = None,
) -> Iterator[Link]:
    """Likely causes of the new issues, among changes of the window and of the days before it, as far as they were read.

    `tags` is tag -> whether it is a release of the window.
    """
    texts = [_text(issue) for issue, kind in issues if kind in _CAUSED]
    often = Counter(token for text in texts for token in text.words)
    known = _known(numbers, entries, earlier, tags or {})
    for text in texts:
        named = list(_named(known, text))
        found = named or [*_by_version(known, text), *_by_words(known, text, often)]
        yield from list({link.target: link for link in reversed(found)}.values())[::-1][:MOST]


def looked_for(issues: Sequence[tuple[Issue, IssueKind]]) -> frozenset[Token]:
    """Words of the issues that may point to a change of the days before."""
    often = Counter(token for issue, kind in issues if kind in _CAUSED for token in _text(issue).words)
    return frozenset(token for token, count in often.items() if count <= RARE)


def _text(issue: Issue) -> _Text:
    blocks = prose(issue.body).blocks
    plain = [without_code(b.text) if "`" in b.text else b.text for b in blocks if b.kind in ("text", "item", "heading")]
    everything = "\n".join((issue.title[:400], *(b.text for b in blocks if not _environment(b.section))))
    # In a launch command a common flag says nothing; in a title it is what the issue is about.
    return _Text(issue, "\n".join((issue.title[:400], *plain)), tokens(everything) | flags(issue.title[:400]))


def _environment(section: str) -> bool:
    """Listings of installed packages name everything."""
    return "environment" in section or "collect_env" in section


def _known(numbers: Numbers, entries: Sequence[Entry], earlier: Sequence[Entry], tags: Mapping[str, bool]) -> _Known:
    wanted: dict[frozenset[Token], list[tuple[Change, str]]] = {}
    by_sha = {change.sha: change for change in numbers.changes}
    for entry in (*earlier, *entries):
        change = entry.change
        by_sha.setdefault(change.sha, change)
        for words, evidence in _of_entry(entry):
            wanted.setdefault(words, []).append((change, evidence))
    told = {release_id(numbers.repo, tag) for tag, of_window in tags.items() if of_window}
    told |= {commit_id(entry.change.sha) for entry in entries}
    return _Known(numbers, sorted(by_sha), by_sha, wanted, tuple(tags), frozenset(told))


def _of_entry(entry: Entry) -> Iterator[tuple[frozenset[Token], str]]:
    """What a text must name to speak of a change, each with its evidence."""
    change = entry.change
    for finding in entry.reading.findings:
        for words in of_finding(finding):
            yield words, f"finding:{finding.id}"
    for file in change.files if change.files_total <= _SMALL else ():
        path = re.sub(r"^(?:python|src)/", "", file.path)
        if path.count("/") > 1 and not _quiet(path):
            yield frozenset((Token("path", path),)), f"file:{change.sha}:{file.path}"


def _quiet(path: str) -> bool:
    return bool(
        re.search(r"(?:^|/)(?:tests?|docs?|benchmarks?|examples?|\.github|\.buildkite)/|requirements", path[:400])
    )


def _before(change: Change, issue: Issue, within: timedelta = DAYS) -> bool:
    return timedelta(0) <= issue.created_at - change.committed_at <= within


# --- named in words ----------------------------------------------------------------------------------------------


def _named(known: _Known, text: _Text) -> Iterator[Link]:
    """`since #12`, `bisected to 1a2b3c4`, `#12 broke`: a change that the issue blames."""
    for m in _NAMED.finditer(text.plain):
        before = text.plain[max(0, m.start() - 90) : m.start()]
        led, followed = _BLAME.search(before), _BLAMED.match(text.plain[m.end() : m.end() + 60])
        change = _change(known, m) if led or followed else None
        if change is None or change.committed_at > text.issue.created_at:
            continue
        said = f"{led[0]}{m[0] if m['number'] else ''}" if led else followed[0] if followed else ""
        yield _link(known, text, commit_id(change.sha), say("judge.link.issue_says", words=_quotable(said)))


def _quotable(words: str) -> str:
    """Up to the first address or sha: sentences hold none, code alone puts them in as links."""
    return re.split(r"https?:|(?<!\w)[0-9a-f]{7,40}(?!\w)", words)[0].strip(" `'\"([:,")


def _change(known: _Known, m: re.Match[str]) -> Change | None:
    number, sha = m["number"] or m["pull"], m["sha"] or m["commit"]
    if number is not None:
        return known.numbers.by_pull.get(int(number))
    if not re.search(r"\d", sha) or not re.search(r"[a-f]", sha):
        return None
    at = bisect_left(known.shas, sha)
    found = [x for x in known.shas[at : at + 2] if x.startswith(sha)]
    return known.by_sha.get(found[0]) if len(found) == 1 else None


def _by_version(known: _Known, text: _Text) -> Iterator[Link]:
    """`since v0.11`, `after upgrading to 0.6.15`: the release it came with, when we know that one."""
    for m in _since(known.numbers.repo).finditer(text.plain):
        wanted = version(m["version"].rstrip("."))
        tag = next((t for t in known.tags if wanted is not None and version(t) == wanted), None)
        if tag is not None:
            why = say("judge.link.issue_says", words=m[0])
            yield _link(known, text, release_id(known.numbers.repo, tag), why)


@cache
def _since(repo: str) -> re.Pattern[str]:
    """The words before a version, which may be one of a program: of the repository itself or of one that is known."""
    programs = {name for profile in profiles() for name in profile.names.programs} | wanted_for([repo]).programs
    return re.compile(_SINCE.replace("PROGRAM", "|".join(map(re.escape, sorted(programs)))), re.IGNORECASE)


# --- named by what was changed -----------------------------------------------------------------------------------


def _by_words(known: _Known, text: _Text, often: Counter[Token]) -> Iterator[Link]:
    """Changes of the days before that touch the very things the issue names, most telling first."""
    found: dict[str, tuple[set[str], set[Token]]] = {}
    for words, places in known.wanted.items():
        if not words <= text.words or any(often[word] > RARE for word in words):
            continue
        near = {change.sha: (change, ids) for change, ids in places if _before(change, text.issue)}
        if len({change.sha for change, _ in places}) > RARE or not near:
            continue
        for sha, (_, evidence) in near.items():
            ids, named = found.setdefault(sha, (set(), set()))
            ids.add(evidence)
            named |= words
    ranked = sorted(found.items(), key=lambda x: (_paths_only(x[1][1]), -len(x[1][1]), x[0]))
    by_name = any(not _paths_only(named) for _, named in found.values())
    for sha, (ids, named) in ranked:
        # Beside a change of the very name, one that merely touched the same file says nothing.
        if _paths_only(named) and (by_name or not _bad_place(known.by_sha[sha], text)):
            continue
        why = say("judge.link.issue_names", names=listing(sorted(token.word for token in named)))
        yield _link(known, text, commit_id(sha), why, tuple(sorted(ids)))


def _paths_only(words: set[Token]) -> bool:
    return all(word.kind == "path" for word in words)


def _bad_place(change: Change, text: _Text) -> bool:
    """A path alone counts only for a small change soon before, of which nobody else speaks."""
    return change.files_total <= 4 and _before(change, text.issue, timedelta(days=3))


def _link(known: _Known, text: _Text, target: str, why: Mapping[str, str], more: tuple[str, ...] = ()) -> Link:
    """Findings of another day are no evidence of this report; the change itself is."""
    source = issue_id(known.numbers.repo, text.issue.number)
    earlier = target.startswith("commit:") and target not in known.told
    evidence = (source, target, *more) if target in known.told else (source, target) if earlier else (source,)
    return Link("caused_by", source, target, evidence, likely=True, why=why)
