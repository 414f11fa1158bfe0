"""Versions and requirements compared as pip compares them, as far as reports need it: no URLs, no local parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_VERSION = re.compile(
    r"v?(?:\d{1,4}!)?(\d{1,9}(?:\.\d{1,9}){0,8})(?:[._-]?(a|alpha|b|beta|c|rc|pre|preview)[._-]?(\d{0,9}))?"
    r"(?:[._-]?(post|rev|r)[._-]?(\d{0,9}))?(?:[._-]?dev[._-]?(\d{0,9}))?(?:\+[\w.-]{0,200})?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(===|==|~=|!=|>=|<=|>|<|\^)\s*([^\s,;]{1,200})")
_STAGES = {"a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "pre": -1, "preview": -1}
_SMALL = 1
"""Step with which the neighbours of a bound are tried."""


class Version(NamedTuple):
    """A version in the order of releases."""

    release: tuple[int, ...]
    stage: int = 0
    number: int = 0
    post: int = -1
    final: int = 1
    """0 for a development version."""


def normalised(distribution: str) -> str:
    """A distribution's name as PyPI compares it, without extras."""
    return re.sub(r"[-_.]+", "-", distribution.partition("[")[0].strip()).lower()


def version(text: str) -> Version | None:
    """`v0.15.0rc1` as a version; None for what is none."""
    found = _VERSION.fullmatch(text.strip()[:300])
    if found is None:
        return None
    release = [int(part) for part in found[1].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    stage = _STAGES[found[2].lower()] if found[2] else 0
    dev = found[6] is not None  # `+dev` is a local part: a build of the release itself
    if dev and not stage:
        stage = -4
    return Version(tuple(release), stage, int(found[3] or 0), int(found[5] or 0) if found[4] else -1, 0 if dev else 1)


def exact(specifier: str) -> str | None:
    """The one version that a requirement allows; None when it allows more."""
    clauses = list(_clauses(specifier))
    if len(clauses) == 1 and clauses[0][0] in ("==", "===") and "*" not in clauses[0][1]:
        return clauses[0][1] if version(clauses[0][1]) else None
    bare = specifier.strip()
    return bare if not clauses and version(bare) else None


def lowest(specifier: str) -> str | None:
    """The version that a requirement asks for at least; None where it names none."""
    return next((text for operator, text in _clauses(specifier) if operator in (">=", "~=", "==")), None)


def holds(release: str | None, running: str | None) -> bool | None:
    """The version you run has what came with a release; None when either is no version."""
    first, second = version(release or ""), version(running or "")
    return None if first is None or second is None else first <= second


def allows(specifier: str, running: str) -> bool | None:
    """Whether a version satisfies a requirement; None when either cannot be read."""
    one, clauses = version(running), list(_clauses(specifier))
    return _allow(clauses, one) if one is not None and clauses else None


def compatible(mine: str, theirs: str) -> bool | None:
    """Some version satisfies both requirements; None when that cannot be told."""
    clauses = [*_clauses(_pinned(mine)), *_clauses(_pinned(theirs))]
    if not list(_clauses(_pinned(mine))) or not list(_clauses(_pinned(theirs))):
        return None
    tried = [one for operator, text in clauses for one in _near(text, operator)]
    if not tried:
        return None
    return any(_allow(clauses, one) for one in tried)


def shut_out(before: str, after: str) -> str | None:
    """The versions that a requirement allowed and allows no more, as a requirement (`<3.10`, `>=3.14`).

    Empty where some are shut out and no one bound says which, as where a pin moves; None where nobody is.
    """
    was, now = list(_clauses(_pinned(before))), list(_clauses(_pinned(after)))
    tried = sorted({one for operator, text in (*was, *now) for one in _near(text, operator)})
    kept = [one for one in tried if _allow(now, one)]
    lost = [one for one in tried if _allow(was, one) and one not in kept]
    if not now or not lost:
        return None
    below, above = (bool(kept) and (max(lost) < kept[0]), bool(kept) and min(lost) > kept[-1])
    for operator, text in now:
        if below and operator in (">", ">=", "~="):
            return f"{'<=' if operator == '>' else '<'}{text}"
        if above and operator in ("<", "<="):
            return f"{'>' if operator == '<=' else '>='}{text}"
    return ""


def lifted(before: str, after: str) -> str | None:
    """The bound that kept newer major versions out and does so no more (`<5`), as it was written; None without one."""
    was, now = list(_clauses(_pinned(before))), list(_clauses(_pinned(after)))
    tried = [_NEWEST, *(one for operator, text in (*was, *now) for one in _near(text, operator))]
    newest = [max((one for one in tried if _allow(side, one)), default=None) for side in (was, now)]
    if newest[0] is None or newest[1] is None or newest[0].release[0] >= newest[1].release[0]:
        return None
    return ",".join(operator + text for operator, text in was if not _allows(operator, text, newest[1])) or None


_NEWEST = Version((999_999_999,))


def _allow(clauses: Iterable[tuple[str, str]], one: Version) -> bool:
    return all(_allows(operator, text, one) for operator, text in clauses)


def _pinned(specifier: str) -> str:
    """A bare version is an exact requirement."""
    return f"=={specifier.strip()}" if version(specifier) else specifier


def _clauses(specifier: str) -> Iterator[tuple[str, str]]:
    for found in _CLAUSE.finditer(specifier[:2000]):
        if found[1] != "^":
            yield found[1], found[2]
        elif bound := _caret(found[2]):
            yield from ((">=", found[2]), ("<", bound))


def _caret(text: str) -> str | None:
    """The first version that `^1.2` does not allow: the first number that is not zero counts."""
    found = _VERSION.fullmatch(text.strip())
    parts = [int(part) for part in found[1].split(".")] if found else []
    at = next((number for number, part in enumerate(parts) if part), len(parts) - 1)
    return ".".join(map(str, (*parts[:at], parts[at] + 1))) if parts else None


def _near(text: str, operator: str) -> Iterator[Version]:
    """The bound itself and its neighbours: if two requirements meet at all, they meet near one of their bounds."""
    found = version(text.removesuffix(".*"))
    if found is None:
        return
    yield found
    padded = (*found.release, 0, 0, 0)[:4]
    yield Version((*padded, _SMALL))
    for place in range(len(padded)):
        if padded[place]:
            yield Version((*padded[:place], padded[place] - 1, 999_999_999))
    if operator in (">", ">=", "~="):
        yield Version((*padded[:3], padded[3] + 1))


def _allows(operator: str, text: str, one: Version) -> bool:
    if operator in ("==", "!=", "===") and text.endswith(".*"):
        base = [int(part) for part in re.findall(r"\d+", text)]
        same = list((*one.release, *[0] * len(base))[: len(base)]) == base
        return same if operator != "!=" else not same
    bound = version(text)
    if bound is None:
        return True
    if operator == "~=":
        written = _VERSION.fullmatch(text.strip())  # its zeros count, its `rc1` does not
        parts = [int(part) for part in written[1].split(".")][:-1] if written else []
        return one >= bound and list((*one.release, *[0] * len(parts))[: len(parts)]) == parts
    answers = {
        "==": one == bound, "===": one == bound, "!=": one != bound, ">=": one >= bound, "<=": one <= bound,
        ">": one > bound and one.release != bound.release, "<": one < bound and one.release != bound.release,
    }  # fmt: skip
    return answers[operator]
