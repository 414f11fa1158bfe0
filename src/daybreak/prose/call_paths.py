"""Call paths to a changed function: who calls it and under which conditions, followed upwards until one says who meets the change.

A hunk shows how code behaves, seldom for whom: the flag, the backend or the role of a server is asked where the function is
called, where its class is made, or where its module is imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from daybreak.collect.git.line_heads import Heads
from daybreak.collect.git.standing import FUNCTION
from daybreak.core.model.changes import FileChange
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where
from daybreak.judge.change_kinds import is_front
from daybreak.prose.evidence_pieces import brief, visible
from daybreak.prose.ground import WITHIN

_LEVELS, _MOST_PLACES, _MOST_ROWS, _MOST_FILES = 3, 8, 6, 24
"""Steps upwards, functions of one step, rows in all, and files that are read for them."""
_RARE = 10
"""Calls of a name beyond which it says nothing of who meets the change: many things are called so."""
_SHOWN, _HEADS, _LONGEST = 3, 4, 320
"""Calls of one function that are shown, heads above each of them, and characters of a row."""
_ENOUGH = 2
"""Rows with a setting beyond which nobody looks further up."""
_LARGEST = 1 << 20
_CLASS = re.compile(r"(?:class|struct)\s+(\w{1,120})")
_ASKS = re.compile(r"(?:\}\s?)?(?:if|elif|else|case|match|switch|except)\b(?! TYPE_CHECKING| typing\.TYPE)")
_DECIDES = re.compile(r"\w\.\w|\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b|\w\(")
"""A condition that asks for more than a local name: a platform, a role, a state."""
_SETTING = re.compile(
    r"args\b|config|\benvs?\b|environ|(?:use|enable|disable|is|has|with)_|backend|[A-Z][A-Z0-9]+_[A-Z0-9_]+"
)
"""One that asks for what somebody sets or has."""
_NO_CALL = re.compile(rf"#|//|\*|[\"']|{_CLASS.pattern}|{FUNCTION.pattern}|.*\"\"\"$")
_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
_CODE = Where(without=ASIDE_NAMES)


class _Place(Struct, frozen=True):
    """A function, with the class and the file that it stands in."""

    path: str
    owner: str
    name: str

    @property
    def wanted(self) -> tuple[str, ...]:
        """What its callers write, those that make its class, and those that import its module."""
        called = self.name and not self.name.startswith("__")
        own = (f".{self.name}(" if self.owner else f"{self.name}(",) if called else ()
        module = self.path.removesuffix(".py").split("/")[-2:] if self.path.endswith(".py") else []
        imported = (f"{'.'.join(module)} import",) if len(set(module)) == 2 else ()
        return (*own, *((f"{self.owner}(",) if self.owner else ()), *imported)


def call_paths(sha: str, files: Iterable[tuple[FileChange, str]], trees: Trees) -> list[str]:
    """Rows such as `server.py: def start › if args.metrics: › Exporter(args)`; files come with their texts after the change."""
    return _Search(sha, trees).rows([place for file, text in files for place in _changed(file, text)])


def _changed(file: FileChange, text: str) -> Iterator[_Place]:
    """The functions in which a file's changed lines stand, the first of each hunk."""
    rows = visible(text).split("\n") if len(text) <= _LARGEST else []
    heads, at, fresh = Heads(rows), 0, False
    for line in file.patch.split("\n"):
        if found := _HUNK.match(line):
            at, fresh = int(found[1]) - 1, True
            continue
        if line[:1] in ("+", "-") and fresh and at < len(rows):
            fresh = False
            yield _place(file.path, (rows[at].strip(), *heads.of(at + 1)))
        at += line[:1] in ("+", " ")


def _place(path: str, heads: Sequence[str]) -> _Place:
    """The function and the class that the innermost of these heads name."""
    names = [found[1] for one in heads if (found := FUNCTION.match(one[:300]))]
    owners = [found[1] for one in heads if (found := _CLASS.match(one))]
    return _Place(path, owners[0] if owners else "", names[0] if names else "")


class _Search:
    """The calls of one change's functions in the tree after it."""

    def __init__(self, sha: str, trees: Trees) -> None:
        self._sha, self._trees = sha, trees
        self._read: dict[str, tuple[list[str], Heads]] = {}

    def rows(self, places: Sequence[_Place]) -> list[str]:
        """Those with a setting first, then the nearest."""
        seen, found = set[str](), list[tuple[bool, bool, int, str]]()
        for level in range(_LEVELS):
            wanted = {text: place for place in dict.fromkeys(places) for text in place.wanted if text not in seen}
            some = dict(list(wanted.items())[:_MOST_PLACES])
            seen |= some.keys()
            places = []
            for text, calls in self._calls(some).items():
                for path, heads, call in calls:
                    asks = [head for head in heads if _ASKS.match(head)]
                    decided, setting = (any(map(one.search, asks)) for one in (_DECIDES, _SETTING))
                    if not setting:
                        places.append(_place(path, heads))
                    if decided or (level == 0 and not text.endswith(" import")):
                        found.append((not setting, not decided, level, _row(path, heads, call)))
            if sum(not one[0] for one in found) >= _ENOUGH:
                break
        return list(dict.fromkeys(row for *_, row in sorted(found, key=lambda one: one[:3])))[:_MOST_ROWS]

    def _calls(self, wanted: dict[str, _Place]) -> dict[str, list[tuple[str, tuple[str, ...], str]]]:
        """By what was looked for, each call with its file and the heads that it stands under; none of what is called everywhere."""
        rows = self._trees.lines([self._sha], wanted, _CODE) if wanted else None
        of: dict[str, list[tuple[str, str]]] = {text: [] for text in wanted}
        for _, path, line in rows or ():
            told = line[:2000].strip()
            if is_front(path) and not _NO_CALL.match(told):
                for text in wanted:
                    if _calls(text, told):
                        of[text].append((path, told))
        rare = {text: calls for text, calls in of.items() if 0 < len(calls) <= _RARE}
        self._read_in(path for calls in rare.values() for path, _ in calls)
        return {text: list(self._placed(calls))[:_SHOWN] for text, calls in rare.items()}

    def _read_in(self, paths: Iterable[str]) -> None:
        new = [path for path in dict.fromkeys(paths) if path not in self._read][: _MOST_FILES - len(self._read)]
        blobs = self._trees.blobs_at(f"{self._sha}:{path}" for path in new) if new else {}
        texts = dict(self._trees.contents(dict.fromkeys(blobs.values())))
        for path in new:
            text = texts.get(blobs.get(f"{self._sha}:{path}", ""), "")
            rows = visible(text).split("\n") if len(text) <= _LARGEST else []
            self._read[path] = rows, Heads(rows)

    def _placed(self, calls: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...], str]]:
        """Those under conditions first."""
        found = list(dict.fromkeys((path, heads, call) for path, call in calls for heads in self._heads(path, call)))
        yield from sorted(found, key=lambda one: not any(_ASKS.match(head) for head in one[1]))

    def _heads(self, path: str, call: str) -> Iterator[tuple[str, ...]]:
        rows, heads = self._read.get(path, ([], None))
        for at, row in enumerate(rows if heads is not None else (), 1):
            if row.strip() == call and heads is not None:
                yield tuple(_whole(rows[head - 1 :]) for head in heads.lines_of(at))


def _calls(wanted: str, line: str) -> bool:
    """The name as it is, and not the end of a longer one."""
    at = line.find(wanted)
    return at >= 0 and (wanted.startswith(".") or re.match(r"\w", line[at - 1 : at]) is None)


def _whole(rows: Sequence[str]) -> str:
    """A head; a condition of several lines as one."""
    some = [_REMARK.sub("", row.strip()) for row in (rows[:8] if _ASKS.match(rows[0].strip()) else rows[:1])]
    ends = next((n for n, row in enumerate(some) if row.endswith((":", "{"))), 0)
    return " ".join(some[: ends + 1])


_REMARK = re.compile(r"(?<=[:{(])\s+(?:#|//).*$")


def _row(path: str, heads: Sequence[str], call: str) -> str:
    """The function and the conditions that the call stands under, the outermost first."""
    within = [head for head in heads if _ASKS.match(head)][:_HEADS]
    function = next((head for head in heads if FUNCTION.match(head[:300])), "")
    shown = [
        *([brief(function, 80)] if function else []),
        *(brief(head, 160) for head in reversed(within)),
        brief(call, 120),
    ]
    return brief(f"{path}: {WITHIN.join(shown)}", _LONGEST)
