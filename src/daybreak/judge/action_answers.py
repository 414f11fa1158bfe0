"""Answers to what a change may ask of a reader: what it does, which findings show that, and in which words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import inf
from typing import Literal, NamedTuple, get_args

from daybreak.core.model.findings import Finding
from daybreak.core.model.quotes import Gist
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.text import contrast
from daybreak.core.words import say
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import alike, clause, code, ended, joined, large
from daybreak.findings.kinds import GONE, kind_of
from daybreak.judge import phrases
from daybreak.judge.action_words import (
    Told,
    grounds,
    headed,
    in_quotes,
    is_called,
    leads,
    named,
    noted,
    told_of,
)
from daybreak.judge.argument_order import other_signature
from daybreak.judge.breaking import is_own, mark_of
from daybreak.judge.message_refs import title
from daybreak.judge.reach import aside_of
from daybreak.judge.refused import refusal

Does = Literal[
    "security",
    "breaks",
    "refuses",
    "corrupts",
    "default",
    "requires",
    "breaks_one",
    "fork",
    "stops",
    "breaks_few",
    "announced",
    "deprecates",
    "rejects",
    "taken_back",
    "releases",
    "regression",
    "mends",
    "fork_few",
    "otherwise",
    "adds",
    "needs",
]
"""What a change does to somebody who upgrades tonight, the gravest first.

`refuses`: a start that a warning let pass until now. `requires`: another torch, CUDA or kernel library, or a source tree elsewhere; `needs`: any other dependency. `fork`: an
extension point, or what much of the project was built on; `fork_few`: any other name that could be imported.
`breaks_one`: a single name that programs call and nobody types;
`breaks_few`: a model, or an option of a script. `releases`: a release is cut from it. `announced`: its author calls it breaking, and no finding shows it.
"""
ORDER: tuple[Does, ...] = get_args(Does)
FIXES: frozenset[Does] = frozenset({"corrupts", "stops", "mends", "regression"})


class Made(NamedTuple):
    """What one question found, and where findings or the commit itself show it, in which words."""

    does: Does
    told: Told | None = None
    """None: the author's words must tell it."""
    findings: Sequence[Finding] = ()
    item: Text | None = None
    """It in one line."""


def _variables_of_fields(found: Sequence[Finding]) -> frozenset[str]:
    """Variables that go together with the field which they filled: what is typed leads."""
    gone = [f for f in found if kind_of(f.kind).change == "removed"]
    fields = tuple(f"_{f.symbol.rpartition('.')[2].upper()}" for f in gone if kind_of(f.kind).family == "field")
    variables = (f.symbol for f in gone if kind_of(f.kind).family in ("env", "env_read"))
    return frozenset(name for name in variables if name.endswith(fields))


def answered(does: Does, entry: Entry, found: Sequence[Finding], most: int = 1) -> Made:
    """An answer that findings show: what goes and stops a start first, then those that the title names, and of these the
    gravest.
    """
    ranked, leading = phrases.gravest(found), _variables_of_fields(found)
    shrunk = {(f.path, f.symbol.partition("(")[0]) for f in found if _is_argument(f, "removed")}
    chosen = any(kind_of(f.kind).is_operated and kind_of(f.kind).change in GONE for f in found)
    ranked.sort(
        key=lambda f: (
            f.symbol not in leading,
            chosen and kind_of(f.kind).family == "extra",  # installing the rest by hand brings no option back
            not (
                _is_argument(f, "moved") and (f.path, f.symbol) in shrunk
            ),  # who drops the argument has the others exchanged
            _stops(f),
            _met_by_forks(f),
            _moved_names(f),
            aside_of(f.path) is not None,  # what few have comes behind what it is a part of
            -min(leads(f, entry), _NEAR),
            not is_called(f),
            -leads(f, entry),
        )
    )
    plain = title(entry.change)
    error = refusal(entry.change, grounds(ranked))
    told, shown = told_of(entry, ranked, most)
    first = headed(ranked)
    beside = [joined((ended(first), told.more))] if told.more else []
    ways = (*beside, first, headed(ranked[:1]), *_named_at_least(ranked[0]))  # before any words of a page
    ways = (clause(error.what), clause(error.briefly), *ways) if error else ways
    item = next((one for way in ways if (one := noted(plain, way)) != in_quotes(plain)), in_quotes(plain))
    return Made(does, told, shown, item)


def with_main(entry: Entry, made: Made, said: Text | None) -> Text | None:
    """What the change does by its own row, then what forks have to follow, and what goes besides: where that row tells what users can set
    from now on, or in words what few outside meet by its names. Names that are nobody's outside do not follow it.
    """
    gist = entry.gist
    if said is None or gist is None or not (made.findings and _is_main(entry, made, gist)):
        return None
    if all(map(is_own, made.findings)):
        return named(title(entry.change), said)
    meet = ended(large(unplaced(headed(made.findings))))
    more = (made.told.more,) if made.told is not None and made.told.more else ()
    return joined((ended(named(title(entry.change), said)), meet, *more))


def _is_main(entry: Entry, made: Made, gist: Gist) -> bool:
    told = [f for f in entry.reading.findings if f.id in gist.findings]
    if told:
        return all(kind_of(f.kind).is_operated for f in told)
    if all(map(is_own, made.findings)):
        return gist.source not in ("line", "test")
    return made.does == "fork_few" and gist.source in ("body", "error", "changelog", "help")


def _is_argument(finding: Finding, change: str) -> bool:
    kind = kind_of(finding.kind)
    return kind.family in ("parameter", "internal_parameter") and kind.change == change


def _named_at_least(finding: Finding) -> Iterator[Text]:
    """The name that goes or is another, where its sentence is too long for a line; of what it was and is, where they differ."""
    if finding.after and kind_of(finding.kind).change in ("moved", "renamed"):
        yield alike(f"{code(finding.before or finding.symbol)} → {code(finding.after)}")
    elif kind_of(finding.kind).change in GONE:
        yield clause(say("judge.action.gone", name=finding.symbol))
    elif finding.before and finding.after and kind_of(finding.kind).family == "frame":
        yield clause(say("judge.action.frames", name=finding.symbol))
    elif finding.before and finding.after:
        yield from filter(None, [other_signature(finding)])
        was, now = contrast(finding.before, finding.after, _SIDE)
        yield alike(f"{code(finding.symbol)}: {code(was)} → {code(now)}")


_SIDE = 80
"""Characters of each side of a change that is told in one line."""


def _stops(finding: Finding) -> int:
    """How hard what goes fails where it is still used, and what has to be given where it is not: a start, a request, in
    silence, or where it is called.
    """
    kind = kind_of(finding.kind)
    hard = finding.breaking and kind.change in _FAILS and kind.family in _HARDEST
    return _HARDEST.index(kind.family) if hard else len(_HARDEST)


def _moved_names(finding: Finding) -> float:
    """What is gone for good comes before what has another place; modules that moved by how many names they have."""
    if kind_of(finding.kind).change != "moved":
        return 0 if kind_of(finding.kind).family == "module" else -inf
    count = _COUNT.search(finding.symbol)
    return -int(count[1]) if count else 0


_COUNT = re.compile(r"(\d{1,6}) names\)$")


def _met_by_forks(finding: Finding) -> int:
    """Of what forks and plug-ins meet: contracts that they are written against, then modules that they import, then all that only
    follows from these.
    """
    kind = kind_of(finding.kind)
    if mark_of(finding) != "breaks_internals" or kind.family in _CONTRACTS:
        return 0
    return 1 if kind.family == "module" else 3 if kind.mark == "internals" else 2


_CONTRACTS = frozenset({"base", "extension_method", "extension_return"})


_FAILS = frozenset({"removed", "renamed", "required_added"})
_HARDEST = ("cli_flag", "request_field", "field", "env")
_NEAR = 2
"""Words of the title from which on a finding is what the title is about."""
