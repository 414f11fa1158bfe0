"""The marks in a message by which one change points to another: shas, numbers and quoted titles.

A number or a sha counts only when it is that of an earlier change of the same branch that we know, so an issue, a
pull request of another project or a commit of somebody's fork never makes a link.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from daybreak.collect.git.culprits import BROUGHT, MENTION, REFERENCE
from daybreak.core.model.changes import Change
from daybreak.findings.paths import ships
from daybreak.judge.change_kinds import is_revert

_BODY = 4000
_SUBJECT = 400
_MENTIONS = 40
"""References of one message that are looked at: a list of hundreds says nothing of one of them."""
_LEAST_TITLE = 20
"""A shorter beginning may be that of many titles."""

_NUMBER = re.compile(r"\s*\(#(\d{1,9})\)\s*$")
_REVERT_TITLE = re.compile(
    r"Revert:?\s+[\"'“](.{3,300}?)[\"'”]?(?:\s*\(#\d{1,9}(?:(?:\s?[,&+]|\sand)\s?(?:and\s)?#\d{1,9}){0,9}\)){0,2}\s*$",
    re.IGNORECASE,
)
_UNDOES = re.compile(r"\brevert\w{0,3}\b|\broll(?:ed|ing)?[ -]?back\b|\bback(?:ed|ing)? out\b|\bundo\b", re.IGNORECASE)
_REVERTED = re.compile(
    r"\b(?:revert(?:s|ed|ing)?|roll(?:s|ed|ing)?[ -]?back|back(?:s|ed|ing)? out|undo(?:es|ing)?)"
    r"\s(?:(?:of|the|commits?|merge|PRs?|pull requests?)\s){0,3}[\[(:\"']{0,2}$",
    re.IGNORECASE,
)
_AND = re.compile(r"[\w)](?:\s?,|\s?&|\s?and)(?:\sand)?\s(?:PR\s?)?$", re.IGNORECASE)
_TAGS = re.compile(r"(?:\[[^\[\]]{1,60}\]\s?){1,5}")
_CUT_NUMBER = re.compile(r"\s?\(?#?\d{0,9}$")
_LISTED = re.compile(r"\((?:PRs?\s)?#\d{2,9}(?:(?:\s?(?:,|&|\+)|\sand)\s?(?:and\s)?#\d{2,9}){1,9}\)", re.IGNORECASE)
"""`(#12 and #13)`: more than the number of the change itself."""
_REVERTS = re.compile(r"\bThis reverts (?:merge )?commits? ([0-9a-f]{7,40})\b", re.IGNORECASE)

_AGAIN = re.compile(
    r"\b(?:re-?land(?:s|ed|ing)?|re-?appl(?:y|ies|ied|ying)|re-?submit(?:s|ted)?|re-?introduc(?:e[sd]?|ing)|re-?add(?:s|ed)?"
    r"|redo|retry|try again|take 2|fixed version|second attempt|revert(?:s|ing)? (?:of )?(?:the )?revert)\b",
    re.IGNORECASE,
)

_FAULT = re.compile(
    r"\b(?:(?:broken?|breaks|breakages?|caused|regress(?:ed|ions?)|bugs?|issues?|errors?|failures?|crash(?:es)?|hangs?|problems?)"
    r"(?:\s(?:introduced|caused|added|coming|brought))?\s(?:by|in|from|of|since|after|with|due to)|due to|because of|hotfix (?:of|for|to)|bug-?fix (?:of|for|to))\s"
    + REFERENCE,
    re.IGNORECASE,
)
_ORIGIN = re.compile(
    r"\b(?:introduced|added|missed|missing|left over|forgotten)\s(?:by|in|from|with|since)\s" + REFERENCE, re.IGNORECASE
)
_CAME = re.compile(r"\b(?:introduced|dropped|lost)\s(?:by|in|from|with)\s" + REFERENCE, re.IGNORECASE)
_CAME_FIRST = re.compile(r"(?-i:\bIntroduced)\s(?:by|in|from|with)\s" + REFERENCE, re.IGNORECASE)
"""At the head of a sentence it speaks of the fault; within one, of whatever is used."""
_HOTFIX = re.compile(r"\bhot[- ]?fix\b|\bunbreak\b", re.IGNORECASE)
_SKIPS = re.compile(
    r"\b(?:skip|disable|xfail|exclude)(?:s|d|ped|ping|ing)?\b[^.;\n]{0,60}\b(?:tests?|CI|nightly|jobs?)\b|\bxfail\b",
    re.IGNORECASE,
)
_CI = re.compile(r"\b(?:CI|tests?|testing|unit ?tests?|nightly|trunk)\b", re.IGNORECASE)
_FAILS = re.compile(r"^[^.;\n]{0,40}\b(?:broken|fail(?:s|ing|ed)?)\b", re.IGNORECASE)
_FIXES = re.compile(r"\b(?:bug|hot)?fix(?:e[sd]|up)?\s(?:(?:for|of|to|up|from|after|on)\s)?" + REFERENCE, re.IGNORECASE)
_FIX_AFTER = re.compile(r"\bfix(?:e[sd])?\b[^.;\n]{1,60}\b(?:after|since|from)\s" + REFERENCE, re.IGNORECASE)
_FOLLOWS = re.compile(
    r"\b(?:follow(?:ing|s|ed)?[- ]?ups?|continu(?:es|ation|ing)|completes|amends?|addendum|address(?:es|ing)?\s(?:the\s)?(?:review\s)?comments?"
    r"|clean[- ]?up)\s?(?:to|of|on|for|from|after|in|:)?\s(?:#\d{1,9}\s?(?:/|,|&|and)\s?){0,3}" + REFERENCE,
    re.IGNORECASE,
)
_BLAMED = re.compile(
    r"\baccident(?:al(?:ly)?)?\b|\b(?:regress\w{0,4}|bugs?|breakages?|errors?|crash(?:es)?|hangs?|faults?)\b[^.;]{0,30}\b(?:introduced|caused|brought|came|due to)\b",
    re.IGNORECASE,
)
"""In one sentence with a number: what it names came by mistake, however many words stand between."""
_SOUND = re.compile(
    r"\b(?:restor\w{1,4}|re-?add\w{0,3}|re-?appl\w{1,4}|bring\w{0,3} back|extend\w{0,3}|complet\w{1,4}|(?:part(?:s|ial(?:ly)?|ly)?|rest) (?:of|fix\w{0,3})|fix(?:ed|es)? (?:in|by)"
    r"|sync\w{0,6} with|upstream fix\w{0,3}|back-?port\w{0,3}|cherry-?pick\w{0,3})"
    r"\b[^.;#]{0,24}$",
    re.IGNORECASE,
)
"""Words before a number that say it was right, and this brings it back or goes further."""
_BROKE = re.compile(
    r"^[\])`]{0,2}\s(?:[a-z]{2,20}s?\s[^.;]{1,50}\sand\s)?(?:broke|breaks|has broken|caused|regressed"
    r"|stopped|dropped|removed|deleted|forgot|missed|skipped|lost|overwrote|ignored"
    r"|introduced (?:an? |the )?(?:\w{1,20} )?(?:bug|regression|issue|error|crash))\b",
    re.IGNORECASE,
)
"""What the change that a number names did or lost, as the first or the second thing that is said of it."""
_LEFT = re.compile(r"^[\])`]{0,2}\s(?:[a-z]{2,20}s?\s[^.;]{1,50}\sand\s)?did(?:n't| not)\b", re.IGNORECASE)
"""What it did not do: of what this goes on with, that is what was left to do and no fault that came with it."""
FIX = re.compile(
    r"\b(?:fix(?:e[sd]|ing|up)?|bug-?fix(?:es)?|hot-?fix|bug\d{0,2}|repair|restore|correct|unbreak|regression)\b",
    re.IGNORECASE,
)

_BESIDE = re.compile(
    r"\b(?:similar|like|as in|same|see|rebas\w+|depends?|based on|on top|merged?|requires?|builds? on|splits?|replac\w+|supersed\w+"
    r"|clos\w+|match\w*|align\w*|alternatives?|unlike|related|refs?|cc|after|before|prior|needs?|blocked|part|copied|from|original|test\w*|instead|reviv\w+)"
    r"\b[^.;]{0,30}$",
    re.IGNORECASE,
)
"""Words before a number that say how two changes stand to each other: not as fault and repair."""

_AS = re.compile(
    r"\b(?:match\w*|like|similar|as in|align\w*|same as|based on|on top of|port of|follow\w*)\b[^.;]{0,12}$",
    re.IGNORECASE,
)

_DOCUMENTS = re.compile(r"\W{0,3}(?:docs?|documentation)(?:\([^()]{0,40}\))?!?\s?[:\]]", re.IGNORECASE)

Relation = Literal["repairs", "mends", "follows", "documents"]
"""`repairs`: the message says that the other was at fault; `mends`: a fix that speaks of it without such a word."""


class Mention(NamedTuple):
    """One reference in a text, resolved to a change; `before` and `after` are the words around it."""

    change: Change
    before: str
    after: str


class Index:
    """The changes of the window and those before it, oldest first, by sha, number and title."""

    def __init__(self, changes: Sequence[Change], recent: Sequence[Change] = ()) -> None:
        self.window = frozenset(c.sha for c in changes)
        self.all = (*recent, *changes)
        self.place = {c.sha: i for i, c in enumerate(self.all)}
        self.by_sha = {c.sha: c for c in self.all}
        self._shas = sorted(self.by_sha)
        self.by_number: dict[int, list[Change]] = {}
        self.by_title: dict[str, list[Change]] = {}
        self._mentions: dict[str, tuple[Mention, ...]] = {}
        for c in self.all:
            self.by_title.setdefault(plain(title(c)), []).append(c)
            if c.pr is not None:
                self.by_number.setdefault(c.pr, []).append(c)

    def mentions(self, change: Change) -> tuple[Mention, ...]:
        """The earlier changes that a message refers to; looked for once."""
        if change.sha not in self._mentions:
            text = f"{title(change)[:_SUBJECT]} \n{change.body[:_BODY]}"
            self._mentions[change.sha] = tuple(mentions(change, text, self))
        return self._mentions[change.sha]

    def before(self, change: Change, found: Sequence[Change]) -> Change | None:
        """The newest of some changes that stands below this one."""
        return next((c for c in reversed(found) if self.place[c.sha] < self.place[change.sha]), None)

    def number(self, change: Change, number: int) -> Change | None:
        return self.before(change, self.by_number.get(number, ()))

    def prefix(self, change: Change, sha: str) -> Change | None:
        """The change whose sha begins so, when only one does."""
        at = bisect_left(self._shas, sha)
        found = [x for x in self._shas[at : at + 2] if x.startswith(sha)]
        return self.before(change, [self.by_sha[found[0]]]) if len(found) == 1 else None

    def titled(self, change: Change, quoted: str) -> Change | None:
        """By whole title; a title that GitHub cut with `…` by its beginning, when only one fits."""
        wanted = plain(quoted)
        if wanted in self.by_title:
            return self.before(change, self.by_title[wanted])
        if len(wanted) >= _LEAST_TITLE:
            # The quotation may leave the tags out.
            fits = [cs for t, cs in self.by_title.items() if t.endswith(wanted) and _TAGS.fullmatch(t[: -len(wanted)])]
            if len(fits) == 1:
                return self.before(change, fits[0])
        if wanted.endswith(("…", "...")):
            start = _CUT_NUMBER.sub("", wanted.rstrip("…."))
            fits = [cs for t, cs in self.by_title.items() if t.startswith(start)]
            return self.before(change, fits[0]) if len(fits) == 1 and len(start) >= _LEAST_TITLE else None
        return None


def title(change: Change) -> str:
    """The subject without its pull request number."""
    return _NUMBER.sub("", change.subject)


def plain(text: str) -> str:
    """A title in the form to compare in."""
    text = _NUMBER.sub("", text[:_SUBJECT]).strip().strip("\"'“”").lower()
    return " ".join(text.split())


def quoted_title(change: Change) -> str | None:
    """The title that a revert quotes."""
    match = _REVERT_TITLE.search(change.subject[:_SUBJECT])
    return _NUMBER.sub("", match[1].strip().rstrip("\"'”")) if match else None


def mentions(change: Change, text: str, index: Index) -> Iterator[Mention]:
    """The earlier changes that a text refers to."""
    text = " ".join(text.split())
    for m in islice(MENTION.finditer(text), _MENTIONS):
        where = m["there"] or m["where"]
        if where and where.lower() != change.repo.lower():
            continue
        sha, number = m["sha"] or m["commit"], m["number"] or m["bare"] or m["pull"]
        if number is not None:
            found = index.number(change, int(number)) if int(number) != change.pr else None
        else:
            found = index.prefix(change, sha)
        if found is not None:
            yield Mention(found, text[max(0, m.start() - 90) : m.start()], text[m.end() : m.end() + 60])


# --- reverts -----------------------------------------------------------------------------------------------------


def reverted(change: Change, index: Index) -> tuple[Change, ...]:
    """The earlier changes that a change says it takes back, oldest first: by `This reverts commit`, by a quoted title, or
    by `Reverts #12` of its text. One number in a title says only that the two have to do with each other; a list of them
    in brackets is what a revert takes back.
    """
    subject, body = title(change)[:_SUBJECT], change.body[:_BODY]
    if not is_revert(change.subject) and (_AGAIN.search(subject) or not _UNDOES.search(subject)):
        return ()
    found = [one for sha in _REVERTS.findall(body) if (one := index.prefix(change, sha.lower())) is not None]
    listed = _LISTED.search(subject) if is_revert(change.subject) else None
    if not found and listed:
        found = [m.change for m in mentions(change, listed[0], index)]
    quoted = quoted_title(change)
    if not found and quoted:
        match = index.titled(change, quoted)
        found = [match] if match else []
    if not found:
        found = [m.change for m in _undone(change, body, index)]
    return tuple(sorted({c.sha: c for c in found}.values(), key=lambda c: index.place[c.sha]))


def _undone(change: Change, text: str, index: Index) -> Iterator[Mention]:
    """`Reverts #12, #13 and #14`."""
    told = False
    for m in mentions(change, text, index):
        told = bool(_REVERTED.search(m.before)) or (told and bool(_AND.search(m.before[-12:])))
        if told:
            yield m


def says_again(change: Change) -> bool:
    """The title says that something lands once more."""
    return bool(_AGAIN.search(title(change)[:_SUBJECT])) and not is_revert(change.subject)


def lands_again(change: Change, original: str, chain: Sequence[Change], index: Index) -> bool:
    """The change says that it lands a reverted one again: by its title, or by naming one of the chain as such."""
    if is_revert(change.subject):
        return False
    wanted, own = plain(original), plain(title(change))
    if own == wanted or (own.startswith(wanted) and len(wanted) >= _LEAST_TITLE):
        return True
    if says_again(change) and (wanted in own or alike(own, wanted)):
        return True
    shas = {c.sha for c in chain}
    for m in index.mentions(change):
        told = (
            says_again(change) or _AGAIN.search(m.before) or re.search(r"\brevert(?:ed|s)?\b", m.after, re.IGNORECASE)
        )
        if m.change.sha in shas and told:
            return True
    return False


_WORD = re.compile(r"[a-z0-9][a-z0-9_.-]{1,60}")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the for and with from into that this add adds added support enable use fix fixes update improve make remove new in on"
        " of to by re land reland reapply refactor bugfix feature feat perf misc core model kernel frontend doc docs ci test"
        " tests chore minor tiny part phase step",
    )
)
"""Words that titles of unrelated changes share."""


def words(text: str) -> frozenset[str]:
    """The telling words of a title."""
    return frozenset(w.strip(".-") for w in _WORD.findall(text.lower()[:_SUBJECT])) - _COMMON


def alike(one: str, two: str) -> bool:
    """Two titles of which one says again what the other says."""
    first, second = words(_AGAIN.sub(" ", one)), words(two)
    shared = first & second
    return len(shared) >= 3 and len(shared) * 5 >= 3 * min(len(first), len(second))


# --- repairs -----------------------------------------------------------------------------------------------------


def named(change: Change, index: Index) -> tuple[Change, Relation] | None:
    """The earlier change that the message says this one repairs, or else follows; words about it repair nothing, and
    two that document are beside each other.
    """
    found = _named(change, index)
    if found is None or not _DOCUMENTS.match(title(change)[:_SUBJECT]):
        return found
    return None if _DOCUMENTS.match(title(found[0])[:_SUBJECT]) else (found[0], "documents")


def _named(change: Change, index: Index) -> tuple[Change, Relation] | None:
    fix = bool(FIX.search(title(change)[:_SUBJECT]))
    found = index.mentions(change)
    continued = {m.change.sha for m in found if _FOLLOWS.search(m.before)}
    for m in found:
        weak = fix and m.change.sha not in continued and (_ORIGIN.search(m.before) or _FIX_AFTER.search(m.before))
        # `the xfail of the test, added in #12`: of what only came there, shared code shows that it was at fault
        if (_at_fault(m, m.change.sha in continued) or (weak and _shares_code(change, m.change))) and not _SOUND.search(
            m.before
        ):
            return m.change, "repairs"
    if fix and not says_again(change):
        # `[fix] Fix two test regressions due to flexkv change (#29701)`: the fix's own number is cut off.
        told = next(mentions(change, title(change)[:_SUBJECT], index), None)
        if told is not None and not _FOLLOWS.search(told.before) and not _AS.search(told.before):
            return told.change, "mends" if _SOUND.search(told.before) else "repairs"
    for m in found:
        if _FOLLOWS.search(m.before) or _ORIGIN.search(m.before):
            return m.change, "follows"
        if fix and _on_its_files(change, m):
            return m.change, "mends"
    return None


def _at_fault(m: Mention, continued: bool) -> bool:
    """Its message says that what it names was wrong."""
    return bool(_says_fault(m.before) or _broke(m, continued) or _FIXES.search(m.before) or _in_blame(m))


def _broke(m: Mention, continued: bool = False) -> bool:
    return bool(_BROKE.search(m.after) or (not continued and _LEFT.search(m.after)))


def _says_fault(before: str) -> bool:
    return _FAULT.search(before) is not None or BROUGHT.search(before) is not None


def _in_blame(m: Mention) -> bool:
    sentence = re.split(r"[.;](?=\s)", m.before)[-1] + " " + re.split(r"[.;](?=\s|$)", m.after)[0]
    return bool(_BLAMED.search(sentence))


def blamed(change: Change, first: Change, index: Index) -> bool:
    """Whether its message says in words that the other broke something, or its title is that of a hotfix and names it: then
    nothing more has to show it.
    """
    said = [m for m in index.mentions(change) if m.change.sha == first.sha and not _SOUND.search(m.before)]
    if any(_says_fault(m.before) or _broke(m) or _in_blame(m) for m in said):
        return True
    if is_fix(change) and any(_CAME_FIRST.search(m.before) for m in said):
        return True
    told = [m for m in mentions(change, title(change)[:_SUBJECT], index) if m.change.sha == first.sha]
    soon = bool(told) and not says_again(change)
    if skips_tests(change):
        given = (m for m in _reasons(change, index) if m.change.sha == first.sha)
        return (soon and any(_FAILS.search(m.after) for m in told)) or any(
            _CAME.search(m.before) or _says_fault(m.before) for m in given
        )
    names = any(_FIX_AFTER.search(m.before) or _CAME.search(m.before) for m in told)
    return soon and (bool(_HOTFIX.search(title(change))) or (names and is_fix(change)))


def denies(change: Change) -> bool:
    """The message says that what it mends was no regression, or is older than what it names."""
    return _DENIED.search(" ".join(f"{change.subject[:_SUBJECT]}. {change.body[:_BODY]}".split())) is not None


_DENIED = re.compile(
    r"\b(?:not|never|isn['’]?t|wasn['’]?t)\s(?:\w{1,12}\s){0,3}(?:regress(?:ion|ed)\b|(?:introduced|caused|broken)\sby\b)"
    r"|\bfalse\salarm\b|\bpre-?existing\s(?:\w{1,20}\s)?(?:bug|fault|defect)\b|\b(?:bug|fault|defect|problem)\spre-?dates\b",
    re.IGNORECASE,
)


def skips_tests(change: Change) -> bool:
    """The title says that tests are left out."""
    return bool(_SKIPS.search(change.subject[:_SUBJECT]))


def blamed_for_tests(change: Change, index: Index) -> Change | None:
    """The earlier change that one which repairs tests or CI, or leaves some out, names as what broke them."""
    if not (is_fix(change) or skips_tests(change)):
        return None
    named = (*index.mentions(change), *_reasons(change, index))
    return next((m.change for m in named if blamed(change, m.change, index)), None)


def _reasons(change: Change, index: Index) -> tuple[Mention, ...]:
    """Earlier changes that the new lines of a change name which leaves tests out: why stands beside the mark that does it."""
    if not skips_tests(change):
        return ()
    new = (
        line[1:].strip(" \"'") for file in change.files for line in file.patch[:_BODY].splitlines() if line[:1] == "+"
    )
    return tuple(mentions(change, " ".join(new), index))


def of_tests(change: Change) -> bool:
    """The title says that it is about tests or CI."""
    return bool(_CI.search(change.subject[:_SUBJECT]))


def _on_its_files(change: Change, m: Mention) -> bool:
    """A fix that speaks of an earlier change and touches the same files: `#95 stopped at 64 of 72`."""
    if _BESIDE.search(m.before[-60:]):
        return False
    return bool({f.path for f in change.files} & {f.path for f in m.change.files})


def _shares_code(change: Change, other: Change) -> bool:
    """They touch one file of code, as far as their paths are known."""
    mine, theirs = ({f.path for f in one.files if ships(f.path)} for one in (change, other))
    return not other.files or not mine.isdisjoint(theirs)


# --- What the title says that it puts right ---


def is_fix(change: Change) -> bool:
    """The title says that something was wrong, and not only with words, types or layout."""
    subject = change.subject[:_SUBJECT]
    return bool(FIX.search(subject)) and not _WORDS_ONLY.search(subject)


def mends_fault(change: Change) -> bool:
    """The title says that what users run was wrong: not tests, not messages."""
    return is_fix(change) and for_users(change)


def for_users(change: Change) -> bool:
    """The title does not say that it is about tests, CI or messages."""
    return not _NO_USER.search(change.subject[:_SUBJECT])


_WORDS_ONLY = re.compile(
    r"\b(?:typos?|lint(?:er|ing)?|mypy|pre-?commit|docs?|docstrings?|comments?|typing|type hints?|format(?:ting)?|style|nits?)\b",
    re.IGNORECASE,
)
_NO_USER = re.compile(
    r"\b(?:logs?|logging|warnings?|messages?|CI|tests?|testing|unit ?tests?|nightly|flaky|benchmarks?|bench)\b",
    re.IGNORECASE,
)
