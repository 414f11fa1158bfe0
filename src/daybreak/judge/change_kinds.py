"""The kind of a change, from what it touches first and from what its message says second.

Paths cannot lie, so a change of nothing but tests is a test whatever its title says; titles decide the rest, in the
styles the watched projects use: `[Bugfix]`, `fix(x):`, `Fix …`, `Revert "…"`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area, Reading
from daybreak.core.model.statements import Kind
from daybreak.core.profiles import field
from daybreak.findings.diff import DiffHunk, hunks
from daybreak.findings.kinds import kind_of as finding_kind
from daybreak.findings.paths import BEHIND, is_written, ships
from daybreak.judge.hazards import hazard

# --- Where a change takes effect: its files that are not tests, docs or CI, and what their lines say ---
# `Reading.areas` counts files; a mixed commit is graded by the files that remain when the quiet ones are taken away, so
# here each path is judged by itself.


QUIET = BEHIND

MAX_LINES = 20_000
"""Lines of patches that are looked at; a mass edit says no more in its rest."""

is_front = ships


def front(change: Change) -> tuple[FileChange, ...]:
    """Files of the change that are not tests, docs, CI, vendored or written by a program."""
    return tuple(file for file in change.files if is_front(file.path) and not is_written(file.patch))


def front_hunks(change: Change, naming: Callable[[str], object] = bool) -> Iterator[DiffHunk]:
    """Hunks of these files as far as they are read; `naming`: whether a patch has anything of what is sought."""
    left = MAX_LINES
    for file in front(change):
        for hunk in hunks(file.patch) if file.patch and naming(file.patch) else ():
            left -= len(hunk.lines)
            if left < 0:
                return
            yield hunk


def moved_root(change: Change) -> tuple[str, str] | None:
    """Where a folder that is built by itself lay and lies now: scripts that enter it do not find it."""
    built = [file for file in front(change) if file.old_path and _BUILT_BY.search(file.path[-200:])]
    roots = {((file.old_path or "").rpartition("/")[0], file.path.rpartition("/")[0]) for file in built}
    ours = (pair for pair in roots if pair[0] and pair[0] != pair[1])
    return min(ours, default=None, key=lambda pair: (len(pair[0]), pair))


_BUILT_BY = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.py|CMakeLists\.txt)$")


def is_quiet(change: Change, reading: Reading) -> bool:
    """Nothing that runs at a user's is touched."""
    if not change.files:
        return bool(reading.areas) and set(reading.areas) <= QUIET
    return bool(reading.areas) and not front(change)


def lines(change: Change, sign: str) -> Iterator[str]:
    """Lines that the change's front files lost (`-`) or won (`+`), without the sign."""
    left = MAX_LINES
    for file in front(change):
        if not file.patch:
            continue
        for line in file.patch.split("\n"):
            if line[:1] == sign:
                yield line[1:401]
            left -= 1
            if left < 0:
                return


# --- What a commit's subject says, whatever the project's habit of writing titles is ---
# Tags (`[Bugfix]`, `feat(x):`, `(#12)`) are taken off: whether a project tags its titles must not change a grade.


_TAGS = re.compile(r"^\s{0,4}(?:(?:\[[^\]\n]{0,80}\]|【[^】\n]{0,80}】)\s{0,8}(?:[:：]\s{0,8})?){1,6}")
"""Only one place can take each blank: where two can, a title of blanks between tags is tried in every way."""
_PREFIX = re.compile(r"^\s{0,4}[A-Za-z][\w/ .-]{0,30}(?:\([^)\n]{0,60}\))?!?:\s")
_NUMBER = re.compile(r"\s*\(#\d{1,9}\)")
MAX_SUBJECT = 400


def bare(subject: str) -> str:
    """The subject without tags, prefix and pull request number."""
    text = untagged(_NUMBER.sub("", subject[:MAX_SUBJECT]))
    shorter = _PREFIX.sub("", text)
    return (shorter if len(shorter) > 8 else text).strip()


def untagged(subject: str) -> str:
    """The subject without the tags in brackets before it."""
    return _TAGS.sub("", subject[:MAX_SUBJECT])


def tags(subject: str) -> str:
    """What `bare` took off, and tags at the end, for those who ask what kind of change the author says it is."""
    text = subject[:MAX_SUBJECT]
    rest, last = bare(text), _LAST_TAGS.search(_NUMBER.sub("", text))
    return (text[: text.find(rest)] if rest and rest in text else "") + (last[0] if last else "")


_LAST_TAGS = re.compile(r"(?: ?\[[^\]\n]{1,40}\]){1,4} ?$")


__all__ = ["QUIET", "is_revert", "kind_of", "puts_back"]

_REVERT = re.compile(r"^(?:\[[^\]]{0,60}\]\s{0,2}){0,4}(?:\"?Revert\b|revert(?:\(\w{0,30}\))?[:!\s])", re.IGNORECASE)
_SECURITY = re.compile(
    r"\bCVE-\d{4}-\d{3,7}\b|[\[(]security[\])]|\bsecurity (?:fix|issue|vulnerab)|\bvulnerabilit|\bpath traversal"
    r"|\bGHSA-\w{4}-\w{4}-\w{4}\b|\b(?:SSRF|RCE|XSS)\b|remote code execution",
    re.IGNORECASE,
)
_TAG = re.compile(r"\[([^\]\n]{1,60})\]")
_CONVENTIONAL = re.compile(r"^(?:\[[^\]]{0,60}\]\s{0,2}){0,4}([A-Za-z]{2,14})(?:\([^)]{0,60}\))?!?:\s")

_WORDS: dict[str, Kind] = {
    "bugfix": "fix",
    "bug": "fix",
    "fix": "fix",
    "hotfix": "fix",
    "bug fix": "fix",
    "regression": "fix",
    "perf": "perf",
    "performance": "perf",
    "optimization": "perf",
    "optimize": "perf",
    "opt": "perf",
    "feat": "feature",
    "feature": "feature",
    "model": "feature",
    "new model": "feature",
    "frontend": "feature",
    "refactor": "refactor",
    "cleanup": "refactor",
    "clean up": "refactor",
    "chore": "refactor",
    "misc": "other",
    "style": "refactor",
    "mypy": "refactor",
    "mypy fix": "refactor",
    "typing": "refactor",
    "deprecation": "refactor",
    "doc": "docs",
    "docs": "docs",
    "documentation": "docs",
    "test": "test",
    "tests": "test",
    "ci": "ci",
    "ci/build": "build",
    "build": "build",
    "release": "build",
    "deps": "dependency",
    "dependency": "dependency",
    "dependencies": "dependency",
    "security": "security",
}
_MENDS = re.compile(
    r"^\s{0,4}(?:(?:(?!\b(?:support|add|enable)s?\b).){0,200}:\s{1,4})?"
    r"(?:(?:properly|correctly|gracefully|safely|cleanly|robustly|actually|temporarily)\s)?"
    r"(?:fixed(?!\s(?:length|point|shape|sized?|split|window)\b)|corrects?"
    r"|resolves?|prevents?|handles?|restores?|use (?:the )?(?:correct|right|proper)"
    r"|add(?:s|ed)? (?:an? |the )?(?:missing|guards?|(?:null|none|nil|bounds?)[- ]checks?|checks? (?:for|against)))\b(?!-)",
    re.IGNORECASE,
)
"""The first word of an untagged title, or the first after a colon; "Support x: handle y" is about what it supports.

A verb that other sentences use as well ("auto resolve") says what a change does only there; what is avoided may be a cost
as well as a fault (`_averts`); an
adverb before it says that it was done badly until now, which "automatically" does not.
"""
_UNNEEDED = re.compile(r"\s{0,4}(?:remov|drop|delet|retir|clean)\w{0,4}\b.{0,60}\bwork-?arounds?\b", re.IGNORECASE)
"""What went round a fault goes, since that was put right elsewhere."""
_VERBS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (
        re.compile(r"\b(?:bump|upgrade|pin|unpin|update)\b.{0,40}(?:\bto\b|\bversion\b|==|\bv?\d+\.\d)", re.IGNORECASE),
        "dependency",
    ),
    (re.compile(r"^(?:bump|release)\b", re.IGNORECASE), "build"),
    (re.compile(r"\bperf(?:ormance)? fix(?:es)?\b", re.IGNORECASE), "perf"),
    (_UNNEEDED, "refactor"),
    (re.compile(r"\b(?:fix(?:es)?|bugfix|hotfix|repair|unbreak|workaround)\b", re.IGNORECASE), "fix"),
    (_MENDS, "fix"),
    (
        re.compile(
            r"\b(?:optimi[sz]e|opt|speed ?up|faster|accelerate|reduce (?:overhead|latency|memory)|fuse|tune)\b",
            re.IGNORECASE,
        ),
        "perf",
    ),
    (
        re.compile(
            r"\b(?:refactor|clean ?up|simplif(?:y|ies)|rename|move|hoist|split|extract|unify|deduplicate|drop dead)\b",
            re.IGNORECASE,
        ),
        "refactor",
    ),
    (
        re.compile(
            r"\b(?:add|adds|support|enable|introduc(?:e|ing)|implement|allow|expose|integrate|new|register)\b",
            re.IGNORECASE,
        ),
        "feature",
    ),
    (re.compile(r"\b(?:remove|delete|deprecate|drop)\b", re.IGNORECASE), "refactor"),
)
_MENDS_ISSUE = re.compile(r"\bfix(?:es|ed)?:?\s(?:[\w-]{1,20}\s){0,2}#\d{1,9}\b(?!\)$)", re.IGNORECASE)
"""`fixes #12`; behind the title stands its own number."""
_GRANTS = re.compile(
    r"(?:adds?|supports?|enables?|introduces?|implements?)\s(?!missing\b|back\b|(?:a\s)?guard)", re.IGNORECASE
)
"""What was wished for in that issue is there now, and nothing was at fault."""
_OF_WORDS = re.compile(
    r"\b(?:suppress|silence|mute|spurious|noisy|misleading)\b.{0,60}\b(?:warnings?|logs?|logging)\b"
    r"|\bwarning (?:spam|noise)\b|\bhelp (?:text|message|string)\b|\bspelling\b"
    r"|\btypos\b|\btypo(?= *(?:\(#\d{1,9}\))?$| in (?:[\w-]{1,20} ){0,2}(?:comments?|docs?|docstrings?|logs?|messages?|texts?)\b)",
    re.IGNORECASE,
)
"""What is said to people is put right, and nothing that runs."""
_LATE: frozenset[Kind] = frozenset({"ci", "docs", "test", "other"})
"""Kinds that a title may only claim when the paths agree."""


def grants(subject: str) -> bool:
    """The subject says, behind its tags, that something is there now which was not: nothing need have been at fault."""
    return bool(_GRANTS.match(bare(subject[:MAX_SUBJECT])))


def is_revert(subject: str) -> bool:
    """The subject says that it takes an earlier change back."""
    return bool(_REVERT.match(subject[:MAX_SUBJECT]))


def undoes(subject: str) -> bool:
    """The subject says that it takes back something, and does not name a change by its title as a revert does."""
    return bool(_UNDOES.search(subject[:MAX_SUBJECT]))


_UNDOES = re.compile(r"\bundo(?:es|ing)?\b|\broll(?:s|ing)? back\b|\bback(?:s|ing)? out\b", re.IGNORECASE)


def puts_back(subject: str) -> bool:
    """The subject says that it takes a change back or lands one again: what it brings may be older than it."""
    return is_revert(subject) or bool(_AGAIN.search(subject[:MAX_SUBJECT]))


_AGAIN = re.compile(
    r"^\W{0,3}re-?(?:land|appl(?:y|ies))\b|[\[(]re-?(?:land|apply)\b|\bre-?land(?:s|ed|ing)?\b", re.IGNORECASE
)


_DEFAULT = re.compile(
    r"\bby default\b|\bas (?:the )?(?:new )?default\b|\b(?:make|set|switch|change|move|flip|raise|lower|increase|decrease|reduce)\b.{1,80}\bdefault\b"
    r"|^(?:the )?defaults? .{1,80}\bto\b",
    re.IGNORECASE,
)
_BRINGS = re.compile(
    r"(?:adds?|provid\w{1,3}|support|introduc\w{1,3}|implement|allow|expose|document|fix(?:es)?)\b", re.IGNORECASE
)


def claims_default(subject: str) -> bool:
    """The subject says what applies where nobody sets anything; not of something that it brings itself."""
    plain = bare(subject)
    return _DEFAULT.search(plain) is not None and not _BRINGS.match(plain)


_CHOOSES = re.compile(
    rf"(?:\w{{1,20}} )?(?:(?:re-?)?enabl|us(?:e|ing)\b|switch|disabl|skip|integrat|migrat|replac|prefer|rout(?:e|ing)\b)"
    rf".{{0,80}}?(?<![a-z])({'|'.join(field().chosen)}|{'|'.join(field().asked_for)})",
    re.IGNORECASE,
)


def chosen_by(subject: str) -> str:
    """The library or kernel by which a subject says that something is done from now on, or no longer; empty: none."""
    found = _CHOOSES.match(bare(subject))
    return found[1].lower() if found else ""


def security_word(subject: str) -> str:
    """The word by which a subject says that it is about security; empty where it has none."""
    found = _SECURITY.search(subject[:MAX_SUBJECT])
    return found[0].strip("[]()") if found else ""


def kind_of(change: Change, reading: Reading) -> Kind:
    """The kind of one change."""
    subject = change.subject[:MAX_SUBJECT]
    if is_revert(subject):
        return "revert"
    return _by_paths(change, reading) or _by_message(subject, reading)


def _by_message(subject: str, reading: Reading) -> Kind:
    """The kind of a change that touches more than CI, tests and docs."""
    if security_word(subject):
        return "security"
    if _only(reading, frozenset({"dependency"})) or _pins_only(reading):
        return "fix" if _builds_from(reading) and _FIXES.match(bare(subject)) else "dependency"
    if _GRANTS.match(bare(subject)):
        subject = _MENDS_ISSUE.sub("", subject)
    told = "fix" if _MENDS_ISSUE.search(subject) else _by_title(subject)
    if told is None:
        told = "build" if _only(reading, frozenset({"build", "dependency"})) else _by_verb(subject)
    return "other" if told == "fix" and _OF_WORDS.search(subject) else told


def _by_paths(change: Change, reading: Reading) -> Kind | None:
    """The kind of a change that touches nothing but CI, tests, docs and what is made from them."""
    if not is_quiet(change, reading):
        return None
    if set(reading.areas) <= {"vendored", "lock"}:
        return "dependency"
    order: tuple[tuple[Area, Kind], ...] = (("docs", "docs"), ("test", "test"), ("ci", "ci"))
    ranked = sorted(order, key=lambda item: -reading.areas.get(item[0], 0))
    return ranked[0][1] if reading.areas.get(ranked[0][0]) else "other"


def _only(reading: Reading, areas: frozenset[Area]) -> bool:
    return bool(reading.areas) and set(reading.areas) <= areas


def _pins_only(reading: Reading) -> bool:
    """Build and dependency files whose findings are pins."""
    kinds = [finding_kind(f.kind) for f in reading.findings]
    pins = bool(kinds) and all("pinned" in kind.traits or kind.family == "image" for kind in kinds)
    return pins and _only(reading, frozenset({"build", "dependency", "vendored", "ci", "docs"}))


def _builds_from(reading: Reading) -> bool:
    """Sources that the project builds itself move: what is mended there is mended here."""
    return any(finding_kind(f.kind).family in ("source", "submodule") for f in reading.findings)


def _by_title(subject: str) -> Kind | None:
    """What the title's tags or its conventional prefix say: that it mends, wherever among them it stands; else the first
    one that is known and not vague. A part of the project says only that something is new there, unless a verb mends.
    """
    match = _CONVENTIONAL.match(subject)
    tagged = [match[1].lower()] if match else []
    tagged += [_COUNTED.sub("", tag.strip().lower()) for tag in _TAG.findall(subject)]
    known = [(word, kind) for word in tagged if (kind := _WORDS.get(word.rstrip("0123456789 ")))]
    clear = [(word, kind) for word, kind in known if kind not in _LATE]
    if not clear:
        return None
    word, kind = clear[0]
    mends = any(kind == "fix" for _, kind in clear) or (word in _PARTS and _FIXES.match(bare(subject)))
    return "fix" if mends else kind


_PARTS = frozenset({"model", "frontend"})
"""Tags that name a part of the project."""
_FIXES = re.compile(r"(?:bug ?|hot)?fix(?:es)?\b(?!-)", re.IGNORECASE)


def is_kind_word(word: str) -> bool:
    """A word by which titles say what kind of change they are of."""
    return word.lower() in _WORDS


_COUNTED = re.compile(r"\s?#?\d{1,6}$")
"""`[bug2]`."""


RUNS_TEST = re.compile(r"^(?:re-?)?(?:enable|activate)s?\b.{0,60}\btests?\b|\bunskip\b", re.IGNORECASE)
"""What a title lets run again says nothing of the source that had to follow."""


def _by_verb(subject: str) -> Kind:
    plain = untagged(subject)
    if RUNS_TEST.search(plain):
        return "other"
    if _averts(plain):
        return "fix"
    for pattern, kind in _VERBS:
        if pattern.match(plain) if pattern in (_MENDS, _UNNEEDED) else pattern.search(subject):
            return kind
    return "perf" if GAIN.search(plain) else "other"


def _averts(title: str) -> bool:
    """The title says what went wrong until now, behind how it is put right or as what it avoids."""
    said = _SO_THAT_NOT.search(title)
    return said is not None and hazard(title[said.end() :]) is not None


_SO_THAT_NOT = re.compile(r"(?:^\s{0,4}|:\s{1,4}|\b(?:to|and) )(?:avoid|prevent)s?\b", re.IGNORECASE)
GAIN = re.compile(r"\d(?:\.\d{1,3})?\s?(?:%|[x×](?!\w)|ms\b|us\b|µs|[MG]i?B\b)|\bO\(")
"""By how much something is quicker or smaller."""
