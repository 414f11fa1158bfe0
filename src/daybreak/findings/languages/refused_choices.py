"""Checks of what somebody chose: a backend, a method, a variable, a size in a configuration, the machine it runs on.

Whoever chose it and was served is refused from now on, wherever in the program the check stands. What asks for values of
the moment (a tensor's shape, a length, something that is None) refuses nobody by their choice: such a check mostly names
what would have failed a line later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from daybreak.findings.languages.clauses import ALWAYS, NEVER, Atom, Clause, Question
from daybreak.findings.languages.guard_reading import Guard
from daybreak.findings.languages.python_functions import Function

_MACHINE = re.compile(
    r"\benvs?\.[A-Z]|\benviron\b|\bplatform\.|\b(?:is|has)_\w+\(\)|(?:\b|_)supports?_\w+\(|_supports?\(\)|_supported\(\)|_count\(\)$"
)
_PICKED = re.compile(r"(?:^|[._])(?:backend|quantization|quant_method|strategy|policy|algorithm)$")
_CONFIGURED = re.compile(
    r"(?:\w+\.)+(?:\w+_)?(?:dtype|method|mode|format|size|version|rank|degree|enabled?|disabled?|(?:use|enable|disable)_\w+)$"
)
_OWN = re.compile(r"self(?:\.[a-z]\w*){1,2}(?:\(\))?")
"""In a class of settings: one of them, or what a method makes of them."""
_NUMBER = re.compile(r"(?:\w+\.)?is_?(?:finite|nan|inf)\(self\.[a-z]\w*\)")
"""Whether one of them is a number at all: a bound that is asked of it lets others through."""
_SWITCH = re.compile(r"(?:enable|disable)_\w+")
_CONSTANT = re.compile(
    r"[\"'][\w.:-]*[\"']|-?\d+|True|False|_?[A-Z][A-Z0-9_]{2,}|(?:\w+\.)+[A-Z]\w*|[\[({](?:[\"'\w.:, -])*[\])}]"
)


_ENTRY = re.compile(r"\s*([\"'])([\w.:-]{1,80})\1,?\s*")


def refuses_choice(guard: Guard, before: str, added: Iterable[str], of_settings: bool) -> bool:
    """In every way to be turned away something that was chosen is asked for, and nothing else. An assert is a check where
    settings are made out; elsewhere its author only notes what holds anyway. `before`: the file as it was. `added`: lines
    of the change; a value that it adds to a list of choices was nobody's choice before.
    """
    checks = of_settings or not (guard.error in ("assert", "AssertionError") or _is_for_callers(guard))
    full, handed = guard.full(guard.function.scope), frozenset(guard.function.parameters)
    return checks and (
        of_choices(full, before, added, of_settings, handed)
        or _of_requests(full, _sent(guard.function))
        or (of_settings and _of_named_option(guard.message, full, before))
    )


def _of_named_option(message: str, full: Question, before: str) -> bool:
    """Its words name an option that stood there, and whoever is turned away has it on or at a value that is written out: beside
    a value of the model, which nobody chooses, it was taken until now.
    """
    names = {name.replace("-", "_") for name in _OPTION.findall(message)}
    stood = [f"self.{name}" for name in names if re.search(rf"^\s+{name}\s?:", before, re.MULTILINE)]
    if not stood or full in (NEVER, ALWAYS):
        return False
    return all(any(_sets_one(atom, stood) for atom in clause) for clause in full)


def _sets_one(atom: Atom, options: Iterable[str]) -> bool:
    """The option is on, or what is made of it (`self.runner_type` of `--runner`) has a value."""
    subject, made = atom.subject, any(atom.subject.startswith(f"{name}_") for name in options)
    valued = atom.sign in ("==", "in") and _CONSTANT.fullmatch(atom.value) is not None
    return (subject in options and (valued or atom.sign == "true")) or (made and valued)


_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]{2,80})")


def _of_requests(full: Question, sent: frozenset[str]) -> bool:
    """In every way to be turned away something that a client may send is asked for, beside a setting or as such: that it is
    there at all. A bound of such a value alone mostly names what failed a line later.
    """
    return bool(sent) and full not in (NEVER, ALWAYS) and all(_is_of_request(clause, sent) for clause in full)


def _is_of_request(clause: Clause, sent: frozenset[str]) -> bool:
    asked = [atom for atom in clause if _is_sent(atom, sent)]
    others = [atom for atom in clause if atom not in asked]
    given = any(atom.sign == "true" or (atom.sign, atom.value) == ("is not", "None") for atom in asked)
    return bool(asked) and all(map(_is_set, others)) and (bool(others) or given)


def _is_sent(atom: Atom, sent: frozenset[str]) -> bool:
    """A field that is there, or held against a value that is written out, on whichever side."""
    for subject, value in ((atom.subject, atom.value), (atom.value, atom.subject)):
        holder, _, field = subject.rpartition(".")
        plain = not value or (atom.sign, value) == ("is not", "None") or _CONSTANT.fullmatch(value)
        if holder in sent and _FIELD.fullmatch(field) and plain and atom.sign != "false":
            return True
    return False


def _is_set(atom: Atom) -> bool:
    """A choice, or a part of the configuration that is there."""
    there = (atom.sign, atom.value) == ("is not", "None") and _PART.search(atom.subject) is not None
    return there or (not _is_unset(atom) and _is_chosen(atom))


_FIELD = re.compile(r"[a-z][a-z0-9_]{1,80}")
_PART = re.compile(r"config(?:uration)?$")


def _sent(function: Function) -> frozenset[str]:
    """What it is handed of a kind that clients send; a bare `Request` is mostly the engine's own."""
    return frozenset(_SENT.findall(function.text)).intersection(function.parameters)


_SENT = re.compile(r"\b(\w{1,80}): ?[\"']?[A-Z]\w{1,60}(?:Request|Params|ReqInput)\b")


def _is_for_callers(guard: Guard) -> bool:
    """Its words name the function that it stands in: they are for whoever calls that, and nobody chooses it."""
    name = guard.function.short
    return "_" in name.strip("_") and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", guard.message) is not None


def of_choices(
    full: Question, before: str, added: Iterable[str], of_settings: bool, handed: frozenset[str] = frozenset()
) -> bool:
    """In every way to answer yes something that was chosen is asked for, and nothing else. `handed`: what a function is
    given by its callers.
    """
    come = {entry[2] for line in added if (entry := _ENTRY.fullmatch(line))}
    if full in (NEVER, ALWAYS):
        return False
    return all(_is_of_choice(clause, before, come, of_settings, handed) for clause in full)


def _is_of_choice(clause: Clause, before: str, come: set[str], of_settings: bool, handed: frozenset[str]) -> bool:
    told = [atom for atom in clause if not _is_unset(atom)]
    chosen = (_is_chosen(atom) or _is_switch(atom, handed) or (of_settings and _is_own(atom)) for atom in told)
    return bool(told) and all(chosen) and not any(_is_new(atom, before, come) for atom in told)


def _is_switch(atom: Atom, handed: frozenset[str]) -> bool:
    """A switch that a caller hands on: `enable_cache`."""
    return atom.sign in ("true", "false") and atom.subject in handed and _SWITCH.fullmatch(atom.subject) is not None


def _is_own(atom: Atom) -> bool:
    """A setting that is on, off or a plain value, or two that do not go together."""
    plain = atom.sign in ("true", "false") or _CONSTANT.fullmatch(atom.value) is not None
    held = _OWN.fullmatch(atom.subject) or _NUMBER.fullmatch(atom.subject)
    return _is_between(atom) or (plain and held is not None)


def _is_between(atom: Atom) -> bool:
    """Two settings that do not go together: `self.tp_size != self.dp_size`."""
    return all(_CONFIGURED.fullmatch(side) for side in (atom.subject, atom.value))


def _is_new(atom: Atom, before: str, come: set[str]) -> bool:
    """A value that the file did not know, or that can be chosen from now on: nobody was served with it."""
    value = atom.value[1:-1]
    return atom.sign == "==" and atom.value[:1] in ("'", '"') and (value not in before or value in come)


def cannot_hold(full: Question, before: str) -> bool:
    """In every way to be turned away a setting is asked for a value that its type does not let anybody choose."""
    return full not in (NEVER, ALWAYS) and all(any(_is_shut(atom, before) for atom in clause) for clause in full)


def _is_shut(atom: Atom, before: str) -> bool:
    """`self.policy != "default"`, where `policy: Literal["default"]`."""
    values = _values_of(atom.subject.removeprefix("self."), before) if atom.sign in ("==", "!=") else None
    return values is not None and (atom.value not in values if atom.sign == "==" else values == {atom.value})


def _values_of(name: str, text: str) -> set[str] | None:
    """All that the type of a field allows, written out beside it or under a name in the same file; texts alone.

    Where two classes have such a field it is not asked which one is meant.
    """
    fields = re.findall(rf"^[ \t]+{re.escape(name)}: ([\w.]{{1,80}})(\[[^\]\n]{{1,400}}\])?(.?.?)", text, re.MULTILINE)
    if len(fields) != 1 or not _ENDS.fullmatch(fields[0][2]):
        return None
    kind, listed, _ = fields[0]
    if not listed:
        head = rf"^{re.escape(kind)} = ((?:\w{{1,40}}\.)?Literal)(\[[^\]]{{1,800}}\])[ \t]*$"
        named = re.search(head, text, re.MULTILINE)
        kind, listed = (named[1], named[2]) if named else ("", "")
    if not kind.endswith("Literal") or _QUOTED.sub("", listed).strip("[], \t\r\n"):
        return None
    return {f"'{match[2]}'" for match in _QUOTED.finditer(listed)} or None


_ENDS = re.compile(r"|[ \t]?[=#]|[ \t]{2}")
"""What follows a type that is all that is said of a field."""
_QUOTED = re.compile(r"([\"'])([^\"'\n]{1,80})\1")


def is_picked(subject: str) -> bool:
    """Somebody chose it among others: a backend, a method of quantization."""
    return _PICKED.search(subject) is not None


def _is_unset(atom: Atom) -> bool:
    """Whether something was given at all says nothing of what it is."""
    return atom.sign in ("is", "is not") and atom.value == "None"


def _is_chosen(atom: Atom) -> bool:
    if _MACHINE.search(atom.subject):
        return True
    plain = atom.sign in ("true", "false") or _CONSTANT.fullmatch(atom.value) is not None
    return plain and (_PICKED.search(atom.subject) or _CONFIGURED.fullmatch(atom.subject)) is not None
