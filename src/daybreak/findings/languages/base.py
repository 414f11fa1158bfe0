"""What every language reader shares: the fact it yields, what it may ask of the whole commit, and small scanners.

All scanners are linear in their input and give up on what they do not understand: a missing fact is a pity,
a wrong one is a false statement in a report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

from msgspec import Struct, field

from daybreak.core.model.changes import FileChange
from daybreak.core.model.findings import Alias, Area
from daybreak.core.profiles import Profile, generic
from daybreak.findings.diff import DiffHunk, SideLine, side

MAX_SPAN = 6000
"""Characters of one call or signature that we look at."""
MAX_LINE = 2000
"""Longer lines are data, not code."""


class Fact(Struct, frozen=True):
    """A finding without its id, which only the commit's reader can give."""

    kind: str
    path: str
    line: int
    symbol: str
    before: str | None = None
    after: str | None = None
    breaking: bool = False
    alias: Alias | None = None
    effective: str | None = None
    inner: bool = False
    """Of no interest to anyone but those whose code uses the very name."""
    default: str | None = None
    """What a setting that came is where nobody sets it."""
    under: str | None = None
    """The question about the machine without which nobody meets it."""


Reach = Literal["usual", "public", "all"]
"""Whose names count: what users of a known application import; every public one of a library; every one there is."""


class ReadFile(Struct, frozen=True):
    """One file of the commit, parsed once."""

    change: FileChange
    area: Area
    hunks: tuple[DiffHunk, ...]
    reach: Reach = "usual"
    handed: frozenset[str] = frozenset()
    """Names of this module that a public package hands on: of a private module of a library, or of any module of a
    project that nobody surveyed.
    """
    profile: Profile = field(default_factory=generic)

    @property
    def path(self) -> str:
        return self.change.path

    @property
    def public(self) -> bool:
        """Users meet what this file defines: settings, requests, variables, functions."""
        return self.area == "api"

    @property
    def tool(self) -> bool:
        """A script for the project's own people."""
        return bool(_TOOLS.search(self.path[-400:]))

    @property
    def library(self) -> bool:
        """Users import this file's functions and classes; server internals are api too, but nobody imports them."""
        return self.area == "api" and not _SERVER.search(self.path[-400:])


class Whole:
    """The whole commit: asked before anything is called removed or new.

    `complete` is False when some file's patch is missing or cut; then nothing can be called removed or moved.
    """

    def __init__(
        self,
        files: Sequence[ReadFile],
        complete: bool,
        wide: bool = False,
        sources: Mapping[str, str] | None = None,
    ) -> None:
        self._files = self.files = files
        self.sources: Mapping[str, str] = sources or {}
        """Blob id → text of changed files that are read whole; those that are missing are known by their hunks."""
        self.complete = complete
        self.wide = wide
        """What only insiders use is wanted too."""

    def _text(self, signs: str) -> str:
        return "\n".join(x.text for f in self._files for h in f.hunks for x in h.lines if x.sign in signs)

    def _lines(self, sign: str) -> tuple[str, ...]:
        return tuple(x.text for f in self._files for h in f.hunks for x in h.lines if x.sign == sign)

    @cached_property
    def added_lines(self) -> tuple[str, ...]:
        return self._lines("+")

    @cached_property
    def removed_lines(self) -> tuple[str, ...]:
        return self._lines("-")

    @cached_property
    def standing(self) -> str:
        """Every line that stands after the commit, as far as the diff shows it."""
        return self._text("+ ")

    @cached_property
    def added_words(self) -> frozenset[str]:
        """Words of the code that came: a comment that says of a name that it is gone does not use it."""
        return frozenset(_WORD.findall("\n".join(x for x in self.added_lines if not _COMMENT.match(x))))

    @cached_property
    def removed_words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self._text("-")))

    @cached_property
    def defined(self) -> frozenset[str]:
        """Words that added lines define: parameters, fields, names that are given a value, options and variables."""
        lines = [line[:MAX_LINE] for line in self.added_lines]
        bare = (_STRING.sub("", line) for line in lines)  # `set X=1` in a text defines nothing
        names = (m[1] for line in bare for m in _DEFINED.finditer(line))
        options = (m[1].replace("-", "_") for line in lines if "--" in line for m in _OPTION.finditer(line))
        return frozenset((*names, *options))

    @cached_property
    def new_settings(self) -> frozenset[str]:
        """Fields, parameters and options that added lines declare, none of them known to the lines before or on by default."""
        lines = (line[:MAX_LINE] for line in self.added_lines if (":" in line or "--" in line) and "True" not in line)
        found = (m for line in lines for m in _DECLARED.finditer(line))
        return frozenset((m[1] or m[2]).replace("-", "_") for m in found) - self._before_words

    @cached_property
    def _standing_words(self) -> frozenset[str]:
        return frozenset(_NAME.findall(self.standing))

    @cached_property
    def _before_words(self) -> frozenset[str]:
        return frozenset(_NAME.findall(self._text("- ")))

    @cached_property
    def renames(self) -> tuple[tuple[str, str], ...]:
        """Old and new paths of the files that were renamed."""
        moved = ((f.change.old_path, f.path) for f in self._files if f.change.status == "R")
        return tuple((old, new) for old, new in moved if old)

    def begins_with(self, file: ReadFile) -> bool:
        """The first file whose hunks are read: who speaks of the commit as a whole speaks there."""
        return file.path == next((f.path for f in self._files if f.hunks and not f.change.submodule), None)

    @cached_property
    def _places(self) -> dict[str, set[str]]:
        """Word → shipped files with a changed line that holds it and is no comment."""
        out: dict[str, set[str]] = {}
        for file in self._files if len(self._files) > 1 else ():
            changed = (x.text[:MAX_LINE] for h in file.hunks for x in h.lines if x.sign != " ")
            lines = [text for text in changed if text.lstrip()[:1] != "#"] if file.area in _SHIPPED else []
            for word in {word for text in lines for word in _WORD.findall(text)}:
                out.setdefault(word, set()).add(file.path)
        return out

    def followed(self, path: str, name: str) -> bool:
        """The commit changed another file where the name stands: what it means reaches beyond its own file."""
        return len(name) >= TELLING and bool(self._places.get(name, set()) - {path})

    def left(self, path: str, name: str) -> bool:
        """The commit took the name out of another file, and wrote it on no new line: nobody uses it any more."""
        return self.followed(path, name) and name not in self.added_words

    @cached_property
    def _asked(self) -> dict[str, dict[str, set[str]]]:
        """Sign → attribute → shipped files with a changed line of that sign that asks for it and is no comment."""
        out: dict[str, dict[str, set[str]]] = {"-": {}, "+": {}}
        for file in self._files if len(self._files) > 1 else ():
            changed = [x for h in file.hunks for x in h.lines if x.sign != " " and file.area in _SHIPPED]
            own = {m[1] for x in changed if x.sign == "-" and (m := _GIVES_ITSELF.match(x.text[:MAX_LINE]))}
            for line in changed:
                for self_, name in _ATTRIBUTE.findall(line.text[:MAX_LINE]) if line.text.lstrip()[:1] != "#" else ():
                    if not (self_ and line.sign == "-" and name in own):  # a class there had one of its own
                        out[line.sign].setdefault(name, set()).add(file.path)
        return out

    def unasked(self, path: str, name: str) -> bool:
        """The commit took `x.name` out of another file, and writes it on no new line: the attribute was read there."""
        return self.asked_before(path, name) and name not in self._asked["+"]

    def asked_before(self, path: str, name: str) -> bool:
        """The commit took `x.name` out of another file, whatever it writes elsewhere."""
        return bool(self._asked["-"].get(name, set()) - {path})

    def missed(self, path: str, method: str) -> bool:
        """Other shipped files called the method, and do not any more or of something else."""
        return self.unasked(path, method) or self._handed_on(path, method)

    def _handed_on(self, path: str, method: str) -> bool:
        """Other shipped files call the method of something else than before: `old.reset_all()` is `new.reset_all()` there. A
        plain word (`reset`) is many methods' name.
        """
        call = re.compile(rf"([A-Za-z_]\w*)\.{re.escape(method)}\(")
        of: dict[str, set[str]] = {"-": set(), "+": set()}
        for file in self._files if "_" in method and self.asked_before(path, method) else ():
            for line in (x for h in file.hunks for x in h.lines if file.area in _SHIPPED):
                elsewhere = line.sign != "-" or file.path != path
                found = call.findall(line.text[:MAX_LINE]) if elsewhere and method in line.text else ()
                of["-" if line.sign == "-" else "+"].update(found)
        return bool(of["+"]) and bool(of["-"] - {"self"}) and of["-"].isdisjoint(of["+"])

    def called(self, path: str, method: str, argument: str = "") -> bool:
        """Another shipped file calls the method of something otherwise than before. A plain word (`update`) is many methods'
        name: it counts where the call names the argument as well.
        """
        word = "" if "_" in method else argument
        if len(method) < TELLING or (not word and "_" not in method):
            return False
        call = re.compile(rf"(?<!\bself)(?<!super\(\))\.{re.escape(method)}\(")
        others = (f for f in self._files if f.path != path and f.area in _CODE and f".{method}(" in f.change.patch)
        return any(word in text for file in others for text in _changed_calls(file, call))

    def read_otherwise(self, path: str, name: str, read: bool) -> bool:
        """Another shipped file reads `x.name` where it called it, or (not `read`) calls what it read."""
        if len(name) < TELLING:
            return False
        ways = re.compile(rf"\.{re.escape(name)}\b(?!\()"), re.compile(rf"\.{re.escape(name)}\(")
        was, now = reversed(ways) if read else ways
        others = (f for f in self._files if f.path != path and f.area in _CODE and f".{name}" in f.change.patch)
        return any(_on_sides(file, was, now) for file in others)

    def stands(self, name: str) -> bool:
        """The name (a flag, a variable) is still seen somewhere after the commit."""
        return name in self._standing_words

    def stood(self, name: str) -> bool:
        """The name was already seen somewhere before the commit."""
        return name in self._before_words


def _on_sides(file: ReadFile, was: re.Pattern[str], now: re.Pattern[str]) -> bool:
    """A line that went has the one form, a line that came the other, in one hunk."""
    return any(
        any(x.sign == "-" and was.search(x.text[:MAX_LINE]) for x in hunk.lines)
        and any(x.sign == "+" and now.search(x.text[:MAX_LINE]) for x in hunk.lines)
        for hunk in file.hunks
    )


def _changed_calls(file: ReadFile, call: re.Pattern[str]) -> Iterator[str]:
    """Such calls in which a line came or went, as they stand on either side, as far as the hunk shows them."""
    for lines in (side(hunk, sign) for hunk in file.hunks for sign in SIDES):
        for at, line in enumerate(lines):
            if match := call.search(line.text[:MAX_LINE]):
                span = bracketed(joined(lines, at)[match.end() :])
                text = joined(lines, at)[: match.end() + span.length] if span else ""
                if text and any(x.changed for x in lines[at : at + text.count("\n") + 1]):
                    yield text


SIDES: tuple[Literal["-"], Literal["+"]] = ("-", "+")


LanguageReader = Callable[[ReadFile, Whole], Iterable[Fact]]

_CODE = frozenset({"api", "code", "kernel"})
_SHIPPED = _CODE | {"docs"}
TELLING = 6
"""Letters of a name that hardly means something else in another file."""
_TOOLS = re.compile(r"(?:^|/)(?:scripts?|tools?|playground|dev)/")
_SERVER = re.compile(
    r"(?:^|/)entrypoints/(?!(?:llm|engine)\.py$)|(?:^|/)(?:io_struct|protocol|server_args|arg_utils|envs?|environ"
    r"|api_server|http_server|launch_server|cli_args)\.py$|^(?:(?:python|src)/)?\w{1,60}/config/"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_COMMENT = re.compile(r"\s{0,200}(?:#(?:\s|$)|//|/?\*[\s*])")
_ATTRIBUTE = re.compile(r"(\bself)?\.([A-Za-z_]\w*)")
_GIVES_ITSELF = re.compile(r"\s*self\.([A-Za-z_]\w*)\s*(?::(?!:)|=(?!=))")
_DEFINED = re.compile(r"(?<![\w.])(?:self\.)?([^\W\d]\w*)\s*(?::(?!:)|=(?!=))")
_OPTION = re.compile(r"[\"']--([a-z][\w-]+)[\"']")
_DECLARED = re.compile(r"(?<![\w.])([^\W\d]\w*)\s*:(?!:)|[\"']--([a-z][\w-]+)[\"']")
_NAME = re.compile(r"(?:--)?[A-Za-z_](?:[\w-]*\w)?")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?")
"""A string, or what is left of the line behind a quote that never closes: so no quote is looked at twice."""
_MARK = re.compile(r"[()\[\]{},#\n]|\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?")


_HASH_OR_STRING = re.compile(r"#|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?")


class Span(Struct, frozen=True):
    """The inside of one pair of brackets, cut at its commas."""

    parts: tuple[str, ...]
    whole: bool
    """The closing bracket was seen."""
    length: int
    """Characters up to and with the closing bracket."""


def bracketed(text: str) -> Span | None:
    """Reads from just behind an opening bracket to its match; None when the text is not worth trusting."""
    depth, start, parts, comment = 0, 0, [], False
    for mark in _MARK.finditer(text, 0, MAX_SPAN):
        char = mark[0]
        if comment:
            comment = char != "\n"
            start = (
                mark.end()
                if not comment and not text[start : mark.start()].split("#", maxsplit=1)[0].strip()
                else start
            )
            continue
        if char == "#":
            comment = True
        elif char in ('"""', "'''") or (char[0] in "\"'" and (len(char) == 1 or char[-1] != char[0])):
            return None  # a text over several lines, or a quote that never closes: nothing here can be trusted
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                parts.append(text[start : mark.start()])
                return Span(_tidy(parts), True, mark.end())
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start : mark.start()])
            start = mark.end()
    return Span(_tidy(parts), False, min(len(text), MAX_SPAN))


def _tidy(parts: Iterable[str]) -> tuple[str, ...]:
    """Each part on one line, without comments; empty ones (a trailing comma) left out."""
    clean = (" ".join(_uncomment(p).split()) for p in parts)
    return tuple(p for p in clean if p)


def _uncomment(part: str) -> str:
    if "#" not in part:
        return part
    return "\n".join(_before_hash(line) for line in part.split("\n"))


def _before_hash(line: str) -> str:
    if "#" not in line:
        return line
    for mark in _HASH_OR_STRING.finditer(line):
        if mark[0] == "#":
            return line[: mark.start()]
    return line


def keywords(parts: Iterable[str]) -> dict[str, str]:
    """The `name=value` parts of a call."""
    out: dict[str, str] = {}
    for part in parts:
        match = re.match(r"([A-Za-z_]\w*)\s*=(?!=)\s*", part)
        if match:
            out[match[1]] = part[match.end() :]
    return out


def literal(text: str) -> str | None:
    """The content of a plain string literal, or None for anything else."""
    text = text.strip()
    if len(text) >= 2 and text[0] in "\"'" and text[-1] == text[0] and _STRING.fullmatch(text):
        return text[1:-1]
    return None


def joined(lines: Sequence[SideLine], at: int, limit: int = 60) -> str:
    """The side's text from line `at` on, bounded."""
    return "\n".join(x.text for x in lines[at : at + limit])[:MAX_SPAN]


def logical(lines: Sequence[SideLine], at: int, limit: int = 40) -> str:
    """The statement that starts at line `at`: further lines as long as a bracket is open."""
    depth, out = 0, []
    for line in lines[at : at + limit]:
        if len(line.text) > MAX_LINE:
            break
        out.append(_before_hash(line.text))
        bare = _STRING.sub("", out[-1]) if '"' in out[-1] or "'" in out[-1] else out[-1]
        depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
        if depth <= 0:
            break
    return "\n".join(out) if depth == 0 else ""


def touched(lines: Sequence[SideLine], at: int, text_length: int) -> bool:
    """Whether a changed line lies within the `text_length` characters that start at line `at`."""
    used = 0
    for line in lines[at:]:
        if used > text_length:
            return False
        if line.changed:
            return True
        used += len(line.text) + 1
    return False


# --- names -------------------------------------------------------------------------------------------------------


def destination(flag: str) -> str:
    """What a parser calls the value of a flag."""
    return flag.lstrip("-").replace("-", "_")


def same_words(first: str, second: str) -> bool:
    """Two names of the same words in another order, or with one more: `a_fp4_gemm` and `a_gemm_fp4`, `a_b_c` and `a_b_x_c`."""
    a, b = (Counter(name.lower().split("_")) for name in (first, second))
    return min(a.total(), b.total()) >= _WORDS_OF_A_NAME and (a - b).total() + (b - a).total() <= 1


_WORDS_OF_A_NAME = 4
"""Words below which two functions that do different things may share all but one."""
