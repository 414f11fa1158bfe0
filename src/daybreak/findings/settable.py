"""What users can give: whether an option that a check asks for is one of it, since a parser or a field declares it and the
program does not work it out by itself; and the flag by which a setting with a list of values is given. What is given by
one name is told once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.findings.kinds import GONE, kind_of, named
from daybreak.findings.languages.base import Fact, destination
from daybreak.findings.languages.python_public import is_setting
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_PYTHON = Where(endings=(".py",), without=ASIDE_NAMES)


def without_unsettable(trees: Trees, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts without demands of options that nobody can give."""
    found = set(facts)
    asked = {
        f: f.symbol.partition("=")[0] for f in found if kind_of(f.kind).family == "demand" and f.symbol[:2] == "--"
    }
    texts = {text for flag in asked.values() for text in (flag, flag[2:].replace("-", "_"))}
    rows = trees.lines([change.sha], texts, _PYTHON) if asked else None
    lines = [line for _, _, line in rows or ()]
    return found if rows is None else {f for f in found if f not in asked or _is_settable(asked[f], lines)}


def _is_settable(flag: str, lines: Iterable[str]) -> bool:
    name = re.escape(flag[2:].replace("-", "_"))
    declared = re.compile(rf"[^#]*[\"']--{name.replace('_', '[-_]')}[\"']|\s+{name}\s*:\s*[A-Z\"'\w]")
    made = re.compile(
        rf"\s{{0,4}}\w*args\.{name}\s*=(?!=)(?!.*\b{name}\b)"
    )  # not under a condition: whatever was given
    lines = list(lines)
    return any(map(declared.match, lines)) and not any(map(made.match, lines))


def without_asserted(trees: Trees, change: Change, facts: set[Fact]) -> set[Fact]:
    """The same facts; a check of the machine alone that an assert of the same package made before turns nobody away."""
    checks = {f: m[1] for f in facts if f.breaking and (m := _OF_MACHINE.match(f.after or "")) and change.parents}
    rows = trees.lines([change.parents[0]], {f"assert {call}" for call in checks.values()}, _PYTHON) if checks else ()
    held = {(path.rpartition("/")[0], line.strip().partition(",")[0]) for _, path, line in rows or ()}
    known = {f for f, call in checks.items() if (f.path.rpartition("/")[0], f"assert {call}") in held}
    return {replace(f, breaking=False) if f in known else f for f in facts}


_OF_MACHINE = re.compile(r"if not ((?:is|has)_\w{1,80}\(\)): raise ")


def by_flag(trees: Trees, change: Change, facts: set[Fact]) -> set[Fact]:
    """The same facts, those about values of a setting by the flag that gives it, where a parser of the tree declares one."""
    asked = {f: _flag(f.symbol) for f in facts if kind_of(f.kind).family == "literal" and _is_field(f.symbol)}
    rows = trees.lines([change.sha], set(asked.values()), _PYTHON) if asked else ()
    lines = [line for _, _, line in rows or ()]
    given = {f: flag for f, flag in asked.items() if any(re.match(rf"[^#]*[\"']{flag}[\"']", line) for line in lines)}
    return {_as_choice(f, given[f]) if f in given else f for f in facts}


def _is_field(symbol: str) -> bool:
    owner, _, name = symbol.rpartition(".")
    return is_setting(owner) and name.isidentifier()


def _flag(symbol: str) -> str:
    return "--" + symbol.rpartition(".")[2].replace("_", "-")


def _as_choice(fact: Fact, flag: str) -> Fact:
    kind = named("cli_flag", "choices_changed")
    return replace(fact, kind=kind, symbol=flag, before=f"[{fact.before}]", after=f"[{fact.after}]")


def without_echoes(facts: set[Fact]) -> set[Fact]:
    """A setting that is a flag or a request field is told once, by the name its users type. A field that went while its flag
    is kept under the old name is told beside it: who fills it in Python has no other name for it.
    """
    flags = [f for f in facts if kind_of(f.kind).family == "cli_flag"]
    held = {destination(name) for f in flags for name in (f.before or f.symbol, f.symbol)}
    sent = {f.symbol.rsplit(".", 1)[-1] for f in facts if kind_of(f.kind).family == "request_field"}
    said = {f.symbol: f for f in facts if kind_of(f.kind).means("name", "deprecated")}
    twice = {f for f in facts if kind_of(f.kind).means("cli_flag", "deprecated") and f.symbol in said}
    full = {replace(f, after=f.after or (said[f.symbol].after if said[f.symbol].before else None)) for f in twice}
    rest = facts - twice - {said[f.symbol] for f in twice}
    kept = held - {destination(f.before or f.symbol) for f in flags if f.breaking} - sent
    fields = {f: f.symbol.rsplit(".", 1)[-1] for f in rest if kind_of(f.kind).family == "field"}
    lost = {f for f, name in fields.items() if name in kept and f.breaking and kind_of(f.kind).change in GONE}
    again = {f for f in fields if any(_is_default_of(f, flag) for flag in flags)}
    return full | {f for f in rest - again if f in lost or fields.get(f) not in held | sent}


def _is_default_of(field: Fact, flag: Fact) -> bool:
    """One default that is written at the field, which the flag fills under a name of its own."""
    both = (field, flag)
    if (
        any(kind_of(f.kind).change != "default_changed" for f in both)
        or len({(f.path, f.before, f.after) for f in both}) > 1
    ):
        return False
    return set(flag.symbol.strip("-").split("-")) <= set(field.symbol.rpartition(".")[2].split("_"))


def once(facts: Iterable[Fact]) -> list[Fact]:
    """What several lines of a file say alike is told of the first of them. Two checks that say the opposite of each other are
    no change: they changed places, which two settings that take each other's value did not.
    """
    told = {replace(fact, line=0): fact for fact in sorted(facts, key=lambda one: -one.line)}
    turned = {(f.path, f.before, f.after) for f in told if kind_of(f.kind).family == "check" and f.before and f.after}
    back = {one: kind_of(one.kind).family == "check" and (one.path, one.after, one.before) in turned for one in told}
    return [fact for one, fact in told.items() if not back[one]]
