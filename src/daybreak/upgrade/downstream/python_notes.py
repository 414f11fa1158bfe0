"""The uses found in one Python file so far, with what stands around the place being read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daybreak.core.model.upgrade import Use, UseKind
from daybreak.core.wanted_names import TEXT_MOST, Wanted, shown
from daybreak.upgrade.downstream.python_words import Words
from daybreak.upgrade.downstream.use import Found, lines_of

_ENVIRONMENT = re.compile(r"(?i)(?<![a-z])env|[a-z]env\b")
EVERYTHING, IMPORTS, CALLS = 1, 2, 4
"""What a guard covers: all uses, imports only, calls only."""


class Notes:
    """Collects uses, each once a line."""

    __slots__ = (
        "absent",
        "declaring",
        "environment",
        "guard",
        "has_address",
        "has_variable",
        "lines",
        "loose",
        "muted",
        "path",
        "seen",
        "uses",
        "wanted",
        "words",
    )

    def __init__(self, path: str, text: str, words: Words, wanted: Wanted) -> None:
        self.path = path
        self.lines = lines_of(text)
        self.environment: bool | None = None
        self.has_address = "://" in text
        shaped = any(prefix in text for prefix in wanted.variables)
        self.has_variable = shaped and words.quoted.search(text) is not None
        """Files without such a string are not asked again at every call and comparison."""
        self.words = words
        self.wanted = wanted
        self.guard = 0
        self.muted = False
        """Inside a message to people: what a string names there is not used."""
        self.declaring = False
        """Inside a decorator: a route there is one of yours."""
        self.absent: set[str] = set()
        """Paths imported under a guard: the code copes without them."""
        self.uses: list[Use] = []
        self.loose: list[Found] = []
        """Flags of a program that cannot be seen."""
        self.seen: set[tuple[object, ...]] = set()

    def has_environment(self) -> bool:
        """Whether the file speaks of an environment at all; one that does not has names of that shape for other ends."""
        if self.environment is None:
            self.environment = any(map(_ENVIRONMENT.search, self.lines))
        return self.environment

    def guards(self, kind: UseKind, name: str) -> bool:
        """Whether a use here may be absent already."""
        if self.guard & EVERYTHING or name in self.absent:
            return True
        return bool(self.guard & IMPORTS and kind == "import") or bool(self.guard & CALLS and kind == "call")

    def add(
        self,
        kind: UseKind,
        name: str,
        line: int,
        *,
        value: str | None = None,
        keywords: tuple[str, ...] = (),
        positional: int | None = None,
        program: str | None = None,
        guarded: bool | None = None,
    ) -> None:
        """Keep one use; the same on the same line counts once."""
        line = min(max(line, 1), len(self.lines))
        key = (kind, name, line, value, keywords)
        if key in self.seen:
            return
        self.seen.add(key)
        self.uses.append(
            Use(
                kind=kind,
                name=name,
                path=self.path,
                line=line,
                text=shown(self.lines[line - 1]),
                value=None if value is None else value[:TEXT_MOST],
                keywords=keywords,
                positional=positional,
                program=program,
                guarded=self.guards(kind, name) if guarded is None else guarded,
            )
        )

    def add_all(self, found: Iterable[Found], last: int) -> None:
        """Keep what another reader found in a piece of this file that ends on the line `last`."""
        for one in found:
            if one.kind == "cli_flag" and one.program is None:
                self.loose.append(one._replace(line=min(one.line, last)))
                continue
            self.add(
                one.kind, one.name, min(one.line, last),
                value=one.value, keywords=one.keywords, positional=one.positional, program=one.program,
            )  # fmt: skip

    def all(self) -> list[Use]:
        """Everything in the order of its lines; loose flags count where the file imports or starts a watched project."""
        if any(use.kind == "import" or (use.kind == "cli_flag" and use.program) for use in self.uses):
            for one in self.loose:
                self.add(one.kind, one.name, one.line, value=one.value)
        self.loose = []
        return sorted(self.uses, key=lambda use: use.line)
