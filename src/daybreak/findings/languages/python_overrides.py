"""What a base asks otherwise of those who write its methods: subclasses in the same commit had to follow, and so has any other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from daybreak.core.text import contrast
from daybreak.findings.blobs import Row
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.python_methods import is_hook
from daybreak.findings.languages.python_public import bases, forked
from daybreak.findings.languages.python_signature import signature, without_types


class _Method(NamedTuple):
    """One that stands on both sides, and whose head is another one now."""

    pair: FilePair
    was: Row
    now: Row

    @property
    def owner(self) -> str:
        return self.now.name.rpartition(".")[0]

    @property
    def short(self) -> str:
        return self.now.name.rpartition(".")[2]

    @property
    def options(self) -> set[str]:
        """Parameters that came and may be left out."""
        old, new = signature(self.was), signature(self.now)
        if old is None or new is None or old.takes_any or old.takes_more:
            return set()  # it took whatever it was given, and so do those who wrote it over like that
        return {p.name for p in new.parameters if not p.required} - {p.name for p in old.parameters}


def asked_otherwise(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Methods of a base that subclasses of the commit write with the same new parameter, or that gave nothing and of which
    the base tests the answer now.
    """
    found = [*_heads(pairs)]
    classes = {row.name: row for pair in pairs for row in pair.new.of("class")} if len(found) > 1 else {}
    below: dict[tuple[str, str], list[_Method]] = {}
    for one in found:
        for base in _above(one.owner, classes):
            below.setdefault((base, one.short), []).append(one)
    for one in found:
        file, others = one.pair.file, below.get((one.owner, one.short), [])
        if not others or not forked(file, one.now.name) or is_hook(file, one.pair.old, one.was):
            continue
        if any(one.options & other.options for other in others):
            shown = contrast(without_types(_head(one.was)), without_types(_head(one.now)))
            yield Fact("extension_method_changed", file.path, one.now.line, one.now.name, *shown, breaking=True)
        elif _answers_now(one, whole):
            yield Fact("extension_return_changed", file.path, one.now.line, one.now.name, "None", "bool", breaking=True)


def _above(name: str, classes: Mapping[str, Row]) -> set[str]:
    """Its bases and theirs, as far as the files of the commit tell."""
    met, left = set[str](), [name]
    while left:
        own = {base.split("[")[0].rpartition(".")[2] for base in bases(classes.get(left.pop()))} - met
        met |= own
        left += own
    return met - {name}


def _heads(pairs: Sequence[FilePair]) -> Iterator[_Method]:
    for pair in pairs:
        if pair.file.change.status in "MRT":
            for key, was in pair.old.items():
                now = pair.new.get(key) if was.kind == "method" else None
                if now is not None and was.text != now.text and "many" not in {**was.details, **now.details}:
                    yield _Method(pair, was, now)


def _head(row: Row) -> str:
    return " ".join(re.sub(r"^(?:async )?def ", "", row.text).rstrip(":").split())


def _answers_now(one: _Method, whole: Whole) -> bool:
    """It did nothing, gives yes or no from now on, and a line that came asks for that."""
    answers = one.now.details.get("returns") in ("True", "False")
    if "stub" not in one.was.details or not answers or "returns" in one.was.details:
        return False
    asked = re.compile(rf"\s*(?:el)?(?:if|while)\b.{{0,80}}\bself\.{re.escape(one.short)}\(")
    return any(asked.match(line[:400]) for line in whole.added_lines)
