"""Advice of an upgrade that can be followed at its end: a setting that users have there, an old value that is one still."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from daybreak.core.model.upgrade import Net
from daybreak.findings.kinds import kind_of
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_VALUE = re.compile(r"([\"'])([A-Za-z][\w.-]{1,60})\1")
_WORD = re.compile(r"[A-Za-z][\w.-]{1,60}")
_NO_NAME = frozenset(("True", "False", "None"))
_CONFIGS = re.compile(r"(?:^|/)(?:config|configs|configuration)/|(?:^|/)[^/]*(?:config|args)\.py$")
CONFIGS = "config/"
"""Stands for any file with what users configure: a field there can be given, one of any other class is the program's own."""
_Needs = tuple[str, frozenset[str]]
"""A file, or any, and texts of which it must have one."""


def to_follow(trees: Trees, end: str, nets: Sequence[Net]) -> tuple[Net, ...]:
    """The same without advice to set what no user sets, or to keep what is gone."""
    needs = {id(one): [*_needs(one)] for one in nets if one.how}
    texts = {text for some in needs.values() for every in some for _, given in every for text in given}
    where = Where(endings=(".py",), without=ASIDE_NAMES)
    found = trees.matches([end], texts, where) if texts else None
    if found is None:
        return tuple(nets)
    there = {
        place
        for _, path, text in found
        for place in (("", text), (path, text), *([(CONFIGS, text)] if _CONFIGS.search(path) else ()))
    }

    def holds(every: Sequence[_Needs]) -> bool:
        return any((path, text) in there for path, given in every for text in given)

    return tuple(one if all(map(holds, needs.get(id(one), ()))) else _unadvised(one) for one in nets)


def _unadvised(one: Net) -> Net:
    """Without what to do; who does not set what nobody can set is everybody, so that is not told either."""
    return replace(one, how=None, who=None) if kind_of(one.finding.kind).family == "gate" else replace(one, how=None)


def _needs(one: Net) -> Iterator[tuple[_Needs, ...]]:
    """What must stand at the end; of several places of one thing any does."""
    finding, kind = one.finding, kind_of(one.finding.kind)
    filled = kind.family == "filled"
    name = finding.symbol.rpartition(".")[2]
    if filled and not name.isupper():  # a variable is there for users
        yield ("", frozenset(_quoted(f"--{name.replace('_', '-')}"))), (finding.path, frozenset((f"    {name}: ",)))
    if kind.family == "gate" and name.isidentifier() and not name.isupper():
        read = frozenset((*_quoted(f"--{name.replace('_', '-')}"), f'.get("{name}"', f".get('{name}'"))
        yield ("", read), (CONFIGS, frozenset((f"    {name}: ",)))
    if filled or kind.change == "default_changed":
        value = (finding.before or "").partition(" if ")[0]
        written = _VALUE.fullmatch(value)
        plain = kind.family == "cli_flag" and _WORD.fullmatch(value) and value not in _NO_NAME
        if written or plain:
            yield (("", frozenset(_quoted(written[2] if written else value))),)


def _quoted(text: str) -> tuple[str, str]:
    return f'"{text}"', f"'{text}'"
