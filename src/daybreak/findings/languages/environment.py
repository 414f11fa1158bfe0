"""Environment variables that come, go, change their name or default.

A declared variable (a row of an `envs` table, `SGLANG_X = EnvBool(…)`) is there for users: without it, setting it does
nothing. A row's variable is the one that it reads; its key is only the name that the code uses. A plain read (`os.getenv("X")`) only says that one place does or does not look at it any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.findings import Alias
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.environment_surface import surface
from daybreak.findings.languages.text_surface import (
    alike,
    changed_text,
    lives,
    names,
    pairing,
    quiet_file,
    same_value,
    shown,
    unseen,
)
from daybreak.findings.surface import Row

__all__ = ["compare", "facts", "surface", "touched"]

_PLACES = re.compile(r"(?:^|/)(?:envs?|environ\w*|env_\w+)\.py$")
_HINT = re.compile(
    r"getenv|Getenv|LookupEnv|environ|Env[A-Z]\w*\(|env_\w+\(|_env\w*\(|env::var|[\"'][A-Z]+_[A-Z_]+[\"']|\$\{[A-Z]"
)
_INTERNAL = re.compile(r"_(?:TEST|TESTING|DEBUG_INTERNAL)_|(?:^|_)CI(?:_|$)|_TEST$|^(?:IS_|TEST_)")
"""Variables for the project's own tests and CI: nobody else sets them."""


def touched(file: ReadFile) -> bool:
    """Whether the hunks may have changed what is declared or read."""
    if quiet_file(file):
        return False
    places = file.change.patch_cut or _PLACES.search(file.path[-200:])
    return bool(places or _HINT.search(changed_text(file)))


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """From hunks alone, when nothing else is known."""
    pair = shown(file, surface, touched)
    if pair:
        yield from unseen(compare([pair], whole), file, whole)


class _Names:
    """Which variables a commit's files knew before and know after."""

    def __init__(self, pairs: Sequence[FilePair]) -> None:
        self.declared_before = names((p.old for p in pairs), "env")
        self.declared = names((p.new for p in pairs), "env")
        self.before = self.declared_before | names((p.old for p in pairs), "read")
        self.after = self.declared | names((p.new for p in pairs), "read")
        self.old_names = {row.name: row.text for p in pairs for row in p.new.of("alias")}
        self.earlier_names = {row.name for p in pairs for row in p.old.of("alias")}
        formed = names((p.new for p in pairs), "pattern") - names((p.old for p in pairs), "pattern")
        self.after |= {name for name in self.declared_before if any(name.startswith(start) for start in formed)}
        self._prefixes = [(row.name, row.text) for p in pairs for row in p.new.of("prefix")]

    def forwarded(self, name: str) -> str | None:
        """The new name under which an old one still works."""
        if name in self.old_names:
            return self.old_names[name]
        renamed = (new + name.removeprefix(old) for old, new in self._prefixes if name.startswith(old))
        return next((new for new in renamed if new in self.declared), None)


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:  # noqa: ARG001
    """What happened to the variables of a commit's files."""
    known = _Names(pairs)
    for pair in pairs:
        yield from _declared(pair, known)
        yield from _defaults(pair)
    yield from _reads(pairs, known)


def _declared(pair: FilePair, known: _Names) -> Iterator[Fact]:
    path = pair.file.path
    gone = [r for r in pair.old.of("env") if r.name not in known.after]
    come = [r for r in pair.new.of("env") if r.name not in known.before and r.name not in known.earlier_names]
    successors, taken = pairing(gone, come, _alike), set()
    for row in gone:
        forwarded = known.forwarded(row.name)
        successor = forwarded or successors.get(row.name)
        alias = Alias("deprecated", forwarded) if forwarded else Alias("none")
        breaks = forwarded is None and not _INTERNAL.search(row.name)
        if successor:
            taken.add(successor)
            line = pair.new["env", successor].line if pair.new.has("env", successor) else row.line
            yield Fact("env_renamed", path, line, row.name, row.name, successor, breaks, alias)
        else:
            yield Fact("env_removed", path, row.line, row.name, row.name, None, breaks, alias)
    for row in come:
        if row.name not in taken:
            yield Fact("env_added", path, row.line, row.name, None, row.name)
    yield from _lost_aliases(pair, known)


def _lost_aliases(pair: FilePair, known: _Names) -> Iterator[Fact]:
    """Old names that were still taken, and are not any more, while the new one lives on."""
    for row in pair.old.of("alias"):
        if row.name not in known.after and not known.forwarded(row.name) and row.text in known.after:
            breaks = not _INTERNAL.search(row.name)
            yield Fact("env_renamed", pair.file.path, row.line, row.name, row.name, row.text, breaks, Alias("none"))


def _alike(old: Row, new: Row) -> bool:
    """Defined in the same way, under a name with words in common; or two variables that one row read in turn."""
    if "key" in {**old.details, **new.details} and _key(old) == _key(new):
        return True
    return same_value(old.details.get("body", ""), new.details.get("body", "")) and alike(
        old.name.replace("_", " "), new.name.replace("_", " ")
    ) >= (0.5 if "declared" in old.details or len(old.details.get("body", "")) < 60 else 0.3)


def _key(row: Row) -> str:
    return row.details.get("key", row.name)


def _defaults(pair: FilePair) -> Iterator[Fact]:
    told = set()
    for kind in ("env", "read"):
        for old in pair.old.of(kind):
            new = pair.new.get((kind, old.name))
            if new is None or old.name in told:
                continue
            told.add(old.name)
            was, now = old.details.get("default"), new.details.get("default")
            if was is not None and now is not None and not same_value(was, now):
                yield Fact("env_default_changed", pair.file.path, new.line, old.name, was, now)


def _reads(pairs: Sequence[FilePair], known: _Names) -> Iterator[Fact]:
    told: set[str] = set()
    for pair in pairs:
        if not lives(pair.file):
            continue
        for row in pair.old.of("read"):
            if row.name not in known.after | known.declared_before | told:
                told.add(row.name)
                yield Fact("env_read_removed", pair.file.path, row.line, row.name, row.name, None)
        for row in pair.new.of("read"):
            if row.name not in known.before | known.declared | told:
                told.add(row.name)
                yield Fact("env_read_added", pair.file.path, row.line, row.name, None, row.name)
