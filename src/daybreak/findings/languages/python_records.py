"""Structures whose fields have places: what came in front of others shifts them for whoever builds or unpacks by place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_members import default_of
from daybreak.findings.languages.python_public import bases, forked, is_setting
from daybreak.findings.languages.python_signature import Parameter, Signature, pushed_back

_PLACED = re.compile(r"(?:^|\.)(?:dataclass|NamedTuple|Struct)(?:$|\()")
_BY_NAME = re.compile(r"\bkw_only\s*=\s*True")
_MOST = 16
"""Fields of what is still built by place; of longer ones each is named."""


def shifted(pair: FilePair) -> Iterator[Fact]:
    """Structures of a known application, which forks build: settings are written by name."""
    old_ones, new_ones = pair.old.attributes(), pair.new.attributes()
    for owner, old in ((owner, _fields(rows)) for owner, rows in old_ones.items()):
        was, now = pair.old.get(("class", owner)), pair.new.get(("class", owner))
        if was is None or now is None or not (_is_placed(was) and _is_placed(now)) or len(old) > _MOST:
            continue
        if is_setting(owner) or not forked(pair.file, owner) or bases(was) != bases(now) or _made(pair.new, owner):
            continue
        new = _fields(new_ones.get(owner, {}))
        needed = [name for name, row in new.items() if default_of(row) is None]
        if not needed or not old.keys() >= set(needed):
            continue  # filled in piece by piece where nothing has to be given; what has to be from now on is told as that
        for moved in pushed_back(*(Signature(tuple(map(_given, names)), "") for names in (old, new))):
            yield Fact("internal_parameter_moved", pair.file.path, now.line, owner, moved.before, moved.after, True)


def _fields(rows: dict[str, Row]) -> dict[str, Row]:
    """Fields by their short names."""
    declared = {name: row for name, row in rows.items() if row.details["annotation"]}
    return {name: row for name, row in declared.items() if "ClassVar" not in row.details["annotation"]}


def _given(name: str) -> Parameter:
    return Parameter(name, "both", "", None)


def _is_placed(row: Row) -> bool:
    """A dataclass, a named tuple or a structure, whose constructor takes the fields in their order."""
    marks = [*row.details["decorators"].split("\n"), *bases(row)]
    return any(map(_PLACED.search, marks)) and not any(map(_BY_NAME.search, marks))


def _made(side: Surface, owner: str) -> bool:
    return side.has("method", f"{owner}.__init__")
