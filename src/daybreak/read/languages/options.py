"""Command line options of Python programs: argparse, click, typer.

An option is compared with itself inside one hunk. It is called removed only when its name stands nowhere else in
what the commit shows, and renamed only when one goes and one comes in the same hunk with the same definition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from daybreak.model import Alias
from daybreak.read.diff import DiffHunk, SideLine, side
from daybreak.read.languages.base import Fact, ReadFile, Whole, bracketed, joined, keywords, literal, logical, touched

_CALL = re.compile(r"(?:\.add_argument|\bclick\.option|\btyper\.Option|@option)\(")
_FLAG = re.compile(r"--[A-Za-z][\w-]{0,80}")
_MENTION = ("add_argument(", "click.option(", "typer.Option(", "@option(")
_CONSTANT = re.compile(r"([A-Z][A-Z0-9_]{0,80}CHOICES[A-Z0-9_]{0,40})(?:\s{0,2}:[^=]{1,80})?\s{0,2}=\s{0,2}(?=[\[({])")
_TOLD = frozenset({"api", "code", "kernel"})
_FRONT = frozenset({"api", "code"})
"""Where an option is met by users; scripts beside kernels, tests and tools are not."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option as its definition stands on one side of a hunk."""

    flags: tuple[str, ...]
    line: int
    rest: tuple[str, ...]
    whole: bool
    changed: bool
    named: bool
    """The line that holds its name changed."""

    @property
    def values(self) -> dict[str, str]:
        return keywords(self.rest)


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """What happened to the options that a file defines."""
    if file.tool or file.area not in _TOLD:
        return
    patch = file.change.patch
    calls, constants = any(word in patch for word in _MENTION), "CHOICES" in patch
    for hunk in file.hunks if calls or constants else ():
        if calls and any(word in x.text for x in hunk.lines for word in _MENTION):
            yield from _compare(file, hunk, whole)
        if constants:
            yield from _constants(file, hunk)


def _front(file: ReadFile) -> bool:
    return file.area in _FRONT and not file.tool


def _constants(file: ReadFile, hunk: DiffHunk) -> Iterator[Fact]:
    """Lists of allowed values that a module keeps as a constant, `X_CHOICES = [...]`."""
    old, new = _constant_table(side(hunk, "-")), _constant_table(side(hunk, "+"))
    for name in old.keys() & new.keys():
        (_, was), (line, now) = old[name], new[name]
        if was != now:
            lost = _lost_choices(was, now)
            alias = Alias("none") if lost else None
            yield Fact("cli_choices_changed", file.path, line, name, was, now, lost and _front(file), alias)


def _constant_table(lines: list[SideLine]) -> dict[str, tuple[int, str]]:
    out = {}
    for at, line in enumerate(lines):
        match = _CONSTANT.match(line.text[:400])
        text = " ".join(logical(lines, at).split()) if match else ""
        if match and text:
            out[match[1]] = (line.number, text[text.index("=") + 1 :].strip())
    return out


def _compare(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    before, after = _options(side(hunk, "-")), _options(side(hunk, "+"))
    old = {flag: o for o in before for flag in o.flags}
    new = {flag: o for o in after for flag in o.flags}
    gone = [o for o in before if o.named and whole.complete and not any(whole.stands(f) for f in o.flags)]
    # argparse takes unambiguous prefixes, so a longer new name keeps the old one working: no break, below.
    come = [o for o in after if o.named and not any(whole.stood(f) for f in o.flags)]
    breaks = _front(file)
    if len(gone) == len(come) == 1 and gone[0].rest == come[0].rest and gone[0].whole and come[0].whole:
        was, now = gone[0].flags[0], come[0].flags[0]
        yield Fact("cli_flag_renamed", file.path, come[0].line, was, was, now, breaks and not now.startswith(was))
        gone, come = [], []
    for option in gone:
        yield Fact("cli_flag_removed", file.path, option.line, option.flags[0], option.flags[0], None, breaks)
    for option in come:
        yield Fact("cli_flag_added", file.path, option.line, option.flags[0], None, option.flags[0])
    for flag in old.keys() & new.keys():
        if flag == new[flag].flags[0]:
            yield from _changed(file, flag, old[flag], new[flag], breaks)
    yield from _lost_names(file, before, new, whole, breaks)


def _lost_names(
    file: ReadFile, before: Iterable[Option], new: dict[str, Option], whole: Whole, breaks: bool
) -> Iterator[Fact]:
    """One of several names of an option that lives on: `add_argument("--a", "--b")` → `add_argument("--a")`."""
    for option in before:
        kept = [f for f in option.flags if f in new]
        lost = [f for f in option.flags if f not in new and whole.complete and not whole.stands(f)]
        prefixes = [f for f in lost if any(k.startswith(f) for k in kept)]
        for flag in (f for f in lost if kept and f not in prefixes):
            yield Fact("cli_flag_renamed", file.path, option.line, flag, flag, kept[0], breaks, Alias("none"))


def _changed(file: ReadFile, flag: str, old: Option, new: Option, breaks: bool) -> Iterator[Fact]:
    was, now = old.values, new.values
    if not (old.changed or new.changed):
        return
    for key in ("default", "choices"):
        if key not in was or key not in now or was[key] == now[key]:
            continue
        lost = key == "choices" and _lost_choices(was[key], now[key])
        yield Fact(
            f"cli_{key}_changed",
            file.path,
            new.line,
            flag,
            was[key],
            now[key],
            bool(lost) and breaks,
            Alias("none") if lost else None,
        )


def _lost_choices(was: str, now: str) -> bool:
    """Some literal choice is gone; False when a side is no list of literals."""
    old, new = _literals(was), _literals(now)
    return bool(old and new and set(old) - set(new))


def _literals(text: str) -> list[str]:
    if text[:1] not in "([{":
        return []
    span = bracketed(text[1:])
    if span is None or not span.whole:
        return []
    values = [literal(part) for part in span.parts]
    return [] if None in values else [v for v in values if v is not None]


def _options(lines: list[SideLine]) -> list[Option]:
    """Every option definition that one side of a hunk shows, whole or cut by the hunk's end."""
    out = []
    for at, line in enumerate(lines):
        call = _CALL.search(line.text[:400])
        if call is None or line.text.lstrip().startswith("#"):
            continue
        text = joined(lines, at)[call.end() :]
        span = bracketed(text)
        if span is None:
            continue
        flags = tuple(f for f in (literal(p) for p in span.parts) if f and _FLAG.fullmatch(f))
        if not flags:
            continue
        rest = tuple(p for p in span.parts if literal(p) is None)
        length = call.end() + span.length
        named = _named(lines, at, flags[0])
        out.append(Option(flags, named[0], rest, span.whole, touched(lines, at, length), named[1]))
    return out


def _named(lines: list[SideLine], at: int, flag: str) -> tuple[int, bool]:
    """Line that holds the option's name, and whether it changed."""
    for line in lines[at : at + 6]:
        if f'"{flag}"' in line.text or f"'{flag}'" in line.text:
            return line.number, line.changed
    return lines[at].number, False
