"""What a range says came, went or has a value now, held against the file at both ends: a state in between is nobody's.

A commit that renames a name everywhere, or the type that many fields have, is read as one thing; the fields that an
earlier commit of the range told keep their words of then. What stands in the last tree is told, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from keyword import iskeyword

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.findings import Finding
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import SURFACES, read_surface
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.trees import Trees, Where

_WRITTEN = frozenset({"function", "class", "export", "attribute", "field", "request_field", "parameter", "enum_member"})
"""Families of names that a Python file writes as they are told: what it does not write is not there."""
_SOURCES = Where(endings=(".py", ".pyi"))
_FIELDS = frozenset({"field", "request_field"})
_CODE = frozenset({"filled", "guard"})
"""Families whose value is code: what a commit between wrote otherwise is at neither end."""
_TAKEN = frozenset({"parameter", "internal_parameter"})
_PYTHON = next(language.key for language in SURFACES if language.name == "python")
_WORD = re.compile(r"[A-Za-z_]\w*")


def at_ends(trees: Trees, start: str, end: str, findings: Sequence[Finding]) -> list[Finding | None]:
    """Each finding as the two ends have it: None where they have nothing of it."""
    never = _never(trees, start, findings)
    asked = [finding for finding in findings if _is_written(finding) or _family(finding) in (*_CODE, *_TAKEN)]
    was, now = (
        {path: _File(path, text) for path, text in _texts(trees, ref, paths).items()}
        for ref, paths in (
            (start, {one.path for one in asked if one.after is None}),
            (end, {one.path for one in asked if one.after is not None}),
        )
    )

    def held(one: Finding) -> Finding | None:
        if one in never:
            return None
        side, family = was if one.after is None else now, _family(one)
        if one.path in side and family in _CODE and not side[one.path].writes(one.after or one.before or ""):
            return None
        came = family in _TAKEN and kind_of(one.kind).change in CAME
        if came and one.path in side and not side[one.path].has(_named(one)):
            return None
        if not _is_written(one):
            return one
        if one.after is None:
            return one if one.path not in was or was[one.path].names(one) else None
        return now[one.path].holds(one) if one.path in now else one

    return [held(one) for one in findings]


def _family(finding: Finding) -> str:
    return kind_of(finding.kind).family if finding.path.endswith((".py", ".pyi")) else ""


def _never(trees: Trees, start: str, findings: Sequence[Finding]) -> set[Finding]:
    """Names that went on the way and that no file had at the start: a commit of the range brought them."""
    gone = [one for one in findings if _goes(one)]
    was = {path: _File(path, text) for path, text in _texts(trees, start, {one.path for one in gone}).items()}
    asked = {one: _named(one) for one in gone if one.path not in was or not was[one.path].has(_named(one))}
    rows = trees.matches([start], {name for names in asked.values() for name in names}, _SOURCES) if asked else ()
    if rows is None:
        return set()
    stood = {text for *_, text in rows}
    return {one for one, names in asked.items() if not names <= stood}


def _named(finding: Finding) -> set[str]:
    """The name that went, of a parameter also that of what takes it; a constructor's is that of its class."""
    names = [name for name in _WORD.findall(finding.symbol) if name != "__init__"]
    return set(names[-2:] if "(" in finding.symbol else names[-1:])


def _goes(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    known = kind.family in _WRITTEN or kind.family.startswith("internal_")
    python = finding.path.endswith((".py", ".pyi")) and bool(_WORD.fullmatch(_last(finding)))
    return python and known and kind.change in ("removed", "renamed")


def earlier(
    trees: Trees, start: str, tags: Sequence[str], findings: Sequence[Finding], since: Sequence[str | None]
) -> list[str | None]:
    """Since when each holds, where a release between has it already: by a commit of its own, picked from the branch."""
    told = list(since)
    asked = [at for at, one in enumerate(findings) if since[at] in tags and _comes_or_goes(one)]
    paths = {findings[at].path for at in asked}
    was = {path: _File(path, text) for path, text in _texts(trees, start, paths).items()} if asked else {}
    for place in range(len(tags) - 2, -1, -1):
        here = [at for at in asked if told[at] == tags[place + 1] and findings[at].path in was]
        texts = _texts(trees, f"refs/tags/{tags[place]}", {findings[at].path for at in here}) if here else {}
        now = {path: _File(path, text) for path, text in texts.items()}
        for at in (at for at in here if findings[at].path in now):
            one, gone = findings[at], findings[at].after is None
            if was[one.path].names(one) == gone and now[one.path].names(one) != gone:
                told[at] = tags[place]
    return told


def _comes_or_goes(finding: Finding) -> bool:
    change = kind_of(finding.kind).change
    return _is_written(finding) and (change == "removed" or change in CAME) and bool(_WORD.fullmatch(_last(finding)))


def _is_written(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    if kind.family not in _WRITTEN or not finding.path.endswith((".py", ".pyi")):
        return False
    return kind.change in CAME or kind.change == "removed" or (kind.family in _FIELDS and None not in _values(finding))


def _values(finding: Finding) -> tuple[str | None, str | None]:
    return finding.before, finding.after


def _texts(trees: Trees, ref: str, paths: Iterable[str]) -> Mapping[str, str]:
    try:
        blobs = trees.blobs_at(f"{ref}:{path}" for path in sorted(paths))
    except GitError:
        return {}
    contents = dict(trees.contents(blobs.values()))
    return {name.removeprefix(f"{ref}:"): contents[oid] for name, oid in blobs.items() if oid in contents}


class _File:
    """A file of one of the two trees."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text
        self._words = set(_WORD.findall(text))
        self._rows: Surface | None = None

    def has(self, names: set[str]) -> bool:
        return names <= self._words

    def names(self, finding: Finding) -> bool:
        """Whether it has the name that the finding is about."""
        last = _last(finding)
        return last in self._words or not _WORD.fullmatch(last)

    def holds(self, finding: Finding) -> Finding | None:
        """The finding, with the type or default of the end where it told another; None where the name is not there."""
        if not self.names(finding):
            return None
        if kind_of(finding.kind).family not in _FIELDS or self.writes(finding.after or ""):
            return finding
        row = self._surface.get(("attribute", finding.symbol))
        now = _as_told(finding, _last(finding), row) if row is not None and row.details else None
        return replace(finding, after=now) if now and now != finding.before else None

    @property
    def _surface(self) -> Surface:
        self._rows = self._rows or read_surface(_PYTHON, self._path, self._text)
        return self._rows

    def writes(self, value: str) -> bool:
        """All of its words stand in the file; of a value that was cut nobody knows the last one."""
        return "…" in value or all(word in self._words or iskeyword(word) for word in _WORD.findall(value))


def _last(finding: Finding) -> str:
    return re.split(r"[.:(]", finding.symbol.rstrip(")"))[-1]


def _as_told(finding: Finding, name: str, row: Row) -> str:
    """What the row declares, in the form of the finding's value."""
    kind, value = row.details["annotation"], row.details["value"]
    change = kind_of(finding.kind).change
    if change == "default_changed":
        return value
    whole = f"{name}: {kind} = {value}" if value else f"{name}: {kind}"
    return whole if change in CAME else kind
