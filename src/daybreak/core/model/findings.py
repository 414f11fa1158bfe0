"""Findings: typed facts read from the diff of one change, and the hunks that show them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Struct, field

from daybreak.core.model.part import Count, Part, always, in_schema

Area = Literal[
    "code", "kernel", "api", "test", "docs", "ci", "build", "dependency", "generated", "vendored", "lock", "data"
]


class Alias(Part, frozen=True):
    """Whether the old name still works."""

    status: Annotated[str, in_schema(enum=["none", "deprecated", "kept"])]
    where: str | None = always(None)


class SettingLine(Part, frozen=True, kw_only=True):
    """What changed lines do with a setting, and the line that shows it."""

    name: str
    does: Annotated[str, in_schema(enum=["set", "take", "ask", "use", "moved", "named"])]
    """A line sets it, sets something else by it, asks for it in a condition, or hands it on; lines that name it are moved alone; it
    stands in texts and comments alone.
    """
    side: Annotated[str, in_schema(enum=["+", "-"])] = "+"
    path: str = ""
    line: Count = 0
    """Of the new file; of the old one for a line that went."""
    text: str = ""
    target: str = ""
    """What is set by it."""
    says: str = ""
    """The comment above it that names the setting."""

    @property
    def decides(self) -> bool:
        """It has a line that says something of the setting; a word of data that is none of ours tells nothing."""
        return bool(self.text) and self.does in _DECIDE


_DECIDE = frozenset({"set", "take", "ask", "use"})


class Finding(Struct, frozen=True):
    """A typed fact read from a diff."""

    id: str
    """`<first 12 of the sha>/<number>`, unique in a report."""
    kind: str
    path: str
    line: int
    """Line in the new file; in the old one for what was removed."""
    symbol: str
    before: str | None = None
    after: str | None = None
    breaking: bool = False
    alias: Alias | None = None
    effective: str | None = None
    """What must happen before it takes effect (for example a pin that must be bumped); None: at once."""
    inner: bool = False
    """Inside the project: kept for those whose code uses the very name, and never told to others."""
    default: str | None = None
    """What a setting that came is where nobody sets it; None where that is not known."""
    under: str | None = None
    """The question about the machine without which nobody meets it: `is_sm100()`; None where there is none."""

    released: str | None = None
    """What the newest release has in place of `before`, where the branch altered that since; empty where it has nothing of it.
    None: what stands in `before`, as far as is known.
    """

    @property
    def awaited(self) -> tuple[str, str] | None:
        """The version of a package that it waits for, and the older one that the tree pins."""
        found = _WAITING.fullmatch(self.effective or "")
        return (found[1], found[2]) if found else None


_WAITING = re.compile(r"(\S{1,120}>=\S{1,60}) \(pinned: (\S{1,60})\)")


def waiting_for(least: str, pinned: str) -> str:
    """What a finding says of when it takes effect, where nothing reads it before a package has a version."""
    return f"{least} (pinned: {pinned})"


class Hunk(Struct, frozen=True):
    """A piece of a patch, verbatim."""

    path: str
    text: str
    """From `@@` to its last line, as git printed it."""


class Unread(Struct, frozen=True):
    """A programming language whose sources no reader looked into."""

    language: str
    files: int
    share: float
    """Of all sources that were asked about, from 0 to 1."""


class Reading(Struct, frozen=True):
    """What one change really does, as far as code can tell."""

    sha: str
    areas: Mapping[Area, int] = field(default_factory=dict)
    """How many of its files lie in each area."""
    components: tuple[str, ...] = ()
    """Parts of the project it touches, most touched first (folder names such as `vllm/v1/core`)."""
    findings: tuple[Finding, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    """One to three hunks that show the change, most telling first."""
    settings: tuple[str, ...] = ()
    """Options, variables and settings that its changed lines name, whether or not a hunk shows them."""
    standing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each path the functions and classes whose head goes from one place of the file while it still writes the name, and
    with a dot behind them its classes with bases, which may give them members.
    """
    setting_lines: tuple[SettingLine, ...] = ()
    """What it does with those of them that users set, what decides most first."""
    skipped: str | None = None
    """Why the change could not be read beyond its files."""
    unparsed: tuple[str, ...] = ()
    """Paths whose content could not be understood, in whole or in part."""
    omitted: int = 0
    """Findings beyond those kept."""
    partly: int = 0
    """Files with more changed lines than are looked at; their first hunks were read."""
