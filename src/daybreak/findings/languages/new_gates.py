"""What ran before and runs now only when a new setting is switched on, or the reverse.

Such a change adds a flag, so it looks like news; but for everyone who does not set the flag a path is gone. Only a
setting that is new in the same commit and off by default counts, and only when the code around it is otherwise the
same: one more `and` in a condition, or one more `if` around lines that stood there before. A new setting that is on where
nobody sets it, or one that switches off, and is asked over code that came into a function which was there, alters what
everybody runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from textwrap import dedent
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.findings.diff import DiffHunk, DiffLine
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet, shown
from daybreak.findings.languages.python_functions import Def, Function, sources
from daybreak.findings.languages.python_public import is_setting
from daybreak.findings.languages.python_syntax import bodies, called_name, expression, last_name, parsed, statements
from daybreak.findings.memory import remembered

MAX_EXTRA = 14
"""Tokens that a new condition may have; more is another piece of code, not a gate."""
MAX_RUN = 40

_OFF = re.compile(
    r"^\s{1,40}(\w{3,60})\s{0,4}:\s{0,4}bool\s{0,4}=\s{0,4}(?:False\b|field\(default=False\b)(?!\s{0,4},)"
    r"|^\s{0,60}[\"']--([\w-]{3,60})[\"'],.{0,120}store_true"
    r"|add_argument\(\s{0,4}[\"']--([\w-]{3,60})[\"'].{0,200}(?:store_true|default=False)"
    r"|^\s{0,40}[\"']?([A-Z][A-Z0-9_]{4,60})[\"']?\s{0,4}[:=].{0,120}(?:EnvBool\(False\)|[\"']0[\"']\)|[\"']False[\"']\))"
)
_HELD = re.compile(
    r"^(\w{3,60})\s{0,4}=\s{0,4}\(?\s{0,40}(?:\w{1,40}\.)?(?:get_bool_env_var|getenv|environ\.get)\(\s{0,40}[\"']([A-Z][A-Z0-9_]{4,80})[\"']"
    r"(?:,\s{0,4}[\"'](?:False|false|0)[\"'])?\s{0,4}\)",
    re.MULTILINE,
)
"""A constant of a module that holds what a variable says which is off where nobody sets it."""
_ON = re.compile(r"\b(\w{3,60})\s{0,4}:\s{0,4}bool\s{0,4}=\s{0,4}(?:True\b|field\(default=True\b)")
_TOKEN = re.compile(r"[A-Za-z_][\w.]{0,120}|\d[\w.]{0,20}|[^\s\w]")
_BRACKETS = frozenset("()")
_LOOKED_UP = re.compile(r"\.(?:get|pop)\(\s?[\"']([a-z]\w{3,60})[\"'], True\)")
_SET_ON = re.compile(
    r"^\s{1,40}(\w{4,80})\s{0,4}:\s{0,4}bool\s{0,4}=\s{0,4}True\b|^\s{1,40}([A-Z][A-Z0-9_]{4,80})\s{0,4}=\s{0,4}EnvBool\(True\)"
)
_SET_OFF = re.compile(r"\s{1,40}(\w{4,80})\s{0,4}:\s{0,4}bool\s{0,4}=\s{0,4}False\b")
_MOST_HOLDERS = 4
"""Names behind names that are followed from a setting to the question."""
_TALK = re.compile(r"_?log(?:ger|ging)?$|print$|warnings?$")
_AS_TEXT = re.compile(r"\bbool\(str\(")
_LOOKS_UP = frozenset({"get", "pop", "getattr", "getenv"})
_MOST_BRACKETS = 12


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Gates that this file's hunks put up or take down."""
    if quiet(file):
        return
    yield from _switched_on(file, whole)
    yield from islice(_by_variable(file, whole), PER_FILE)
    put_up, taken_down = _settings(whole)
    held = _holders(whole) if put_up or taken_down else {}
    found = 0
    for hunk in file.hunks if put_up or taken_down else ():
        for lost, won in _runs(hunk):
            for fact in (_gate(lost, won, put_up, file.path, True), _gate(won, lost, taken_down, file.path, False)):
                if fact is not None and found < PER_FILE:
                    found += 1
                    yield replace(fact, symbol=held.get(fact.symbol, fact.symbol))


def _switched_on(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Settings that are on whatever they say, and what came into functions that were there and runs where nobody sets the
    new setting that is asked over it.
    """
    for hunk in file.hunks if "bool(str(" in file.change.patch else ():
        for line in hunk.lines:
            key, asked = _stuck(line.text[:MAX_LINE]) if line.sign == "+" else ("", "")
            if key and not any(asked in text for text in whole.removed_lines):
                yield Fact("gate_stuck", file.path, line.new, key, None, asked, True)
    names = _on(whole)
    for _, old, new in sources(whole).changed(file.path) if names and file.change.status == "M" else ():
        for node, name in _came_on(old, new, names, _off(whole)):
            kind = "gate_default_changed" if names[name].on else "gate_opt_out"
            text = shown(one_line(new.source(node.test)))
            yield Fact(kind, file.path, new.at(node), names[name].setting, None, text, True)


def _by_variable(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Names that all of several things make true, and for which a new variable must be set as well from now on that is off where
    nobody sets it, whatever else of them is asked otherwise.
    """
    if file.change.status != "M" or not _READ_OFF.search(file.change.patch.replace('"', "'")):
        return
    for _, old, new in sources(whole).changed(file.path):
        before = dict(_all_of(old))
        for target, node in _all_of(new):
            was = before.get(target)
            parts = {ast.unparse(part): part for part in node.values}
            if was is None or parts.keys().isdisjoint(ast.unparse(part) for part in was.values):
                continue
            asked = (match[1] or match[2] for text in parts if (match := _READ_OFF.fullmatch(text)))
            for name in (one for one in asked if one not in sources(whole).before):
                first, second = shown(one_line(old.source(was))), shown(one_line(new.source(node)))
                yield Fact("gate_added", file.path, new.at(node), name, first, second, True)


_READ_OFF = re.compile(
    r"(?:os\.)?(?:getenv|environ\.get)\('([A-Z][A-Z0-9_]{4,80})'(?:, '(?:0|[Ff]alse|)')?\)(?:\.lower\(\))? (?:==|in) .{1,40}"
    r"|(?:\w{1,40}\.)?get_bool_env_var\('([A-Z][A-Z0-9_]{4,80})'(?:, '(?:0|[Ff]alse)')?\)"
)


def _all_of(function: Function) -> Iterator[tuple[str, ast.BoolOp]]:
    """What a name or an attribute is given where all of several things must hold."""
    for node in statements(function.body):
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(value, ast.BoolOp) and isinstance(value.op, ast.And):
            yield ast.unparse(node.targets[0]), value


def _stuck(line: str) -> tuple[str, str]:
    """A key that is looked up and made a text before it is asked, and the question: any text is true, `"False"` as well. Where
    an empty text stands in for a missing key it is asked whether somebody set it.
    """
    head = _AS_TEXT.search(line)
    rest = line[head.start() :] if head and not re.search(r"\bnot\b", line[: head.start()]) else ""
    asked = [rest[: match.end()] for match in islice(re.finditer(r"\)", rest), _MOST_BRACKETS)]
    question, node = next(((text, node) for text in asked if (node := expression(text))), ("", None))
    inner = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
    found = inner.args[0] if isinstance(inner, ast.Call) and called_name(inner) == "str" and inner.args else None
    if not isinstance(found, ast.Call) or called_name(found) not in _LOOKS_UP:
        return "", ""
    given = [one.value if isinstance(one, ast.Constant) else None for one in found.args]
    key = next(islice(given, called_name(found) == "getattr", None), None)
    return (key, question) if isinstance(key, str) and key.isidentifier() and "" not in given else ("", "")


class _Asked(NamedTuple):
    """What a name stands for that a condition asks: a new setting, and whether that must be on."""

    setting: str
    on: bool


@remembered(4)
def _on(whole: Whole) -> dict[str, _Asked]:
    """New settings that let something run where nobody sets them, and what holds or answers them, by its name; not those that are off
    in a class of settings and on in another that derives from it.
    """
    lines = [line[:MAX_LINE] for line in whole.added_lines if "True" in line]
    keys = {m[1] for line in lines for m in _LOOKED_UP.finditer(line)}
    on = {next(filter(None, m.groups())) for line in lines for m in _SET_ON.finditer(line)}
    on -= {match[1] for line in whole.added_lines if (match := _SET_OFF.match(line[:MAX_LINE]))}
    names = dict.fromkeys(on, True) | dict.fromkeys(_settings(whole)[0], False)
    ours = keys | {name for name in names if name.isupper()} | _fields(whole, names)
    found = {name: _Asked(_as_typed(name, whole), names.get(name, True)) for name in ours if not whole.stood(name)}
    for _ in range(_MOST_HOLDERS if found else 0):
        more = {name: asked for name, asked in _answers(whole, found) if name not in found and not whole.stood(name)}
        if not more:
            break
        found |= more
    return found


def _fields(whole: Whole, names: Collection[str]) -> set[str]:
    """Those of the names that a class of settings has which was there: what comes with its class is of something new."""
    outside = (pair for file in whole.files for pair in sources(whole).pairs.get(file.path, ()) if names)
    sides = ((pair.old, pair.new) for pair in outside if pair.old and pair.new and not pair.new.name)
    held = ((old, node) for old, new in sides for node in new.body if isinstance(node, ast.ClassDef))
    known = (node for old, node in held if is_setting(node.name) and f"class {node.name}" in old.text)
    return {name for node in known for one in node.body if (name := last_name(getattr(one, "target", one))) in names}


def _as_typed(name: str, whole: Whole) -> str:
    """The option that gives it, where the change declares one."""
    option = "--" + name.replace("_", "-")
    return option if any(f'"{option}"' in line for line in whole.added_lines) else name


def _answers(whole: Whole, known: Mapping[str, _Asked]) -> Iterator[tuple[str, _Asked]]:
    """Names that are given such a setting, or functions that return it, whatever else they ask."""
    files = (file for file in whole.files if file.path.endswith(".py") and not quiet(file))
    pairs = (pair for file in files for pair in sources(whole).pairs.get(file.path, ()))
    for one in (pair.new for pair in pairs if pair.new is not None and not known.keys().isdisjoint(pair.new.words)):
        for node in statements(one.body):
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign | ast.Return) else None
            names = _alone(value, known, _off(whole)) if value is not None else []
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            held = one.short if isinstance(node, ast.Return) else last_name(target) if target is not None else ""
            yield from ((held, known[name]) for name in names[:1] if held)


def _alone(test: ast.expr, known: Mapping[str, _Asked], off: Collection[str]) -> list[str]:
    """The names among what must all hold; each as its setting is where nobody sets it. None where a setting is asked beside
    them that keeps it from running.
    """
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    asked = [_asked_for(part) for part in parts]
    held = [_holds(name, turned, known) for name, turned in asked]
    kept = any(
        not holds and (name in known or (name in off and not turned))
        for (name, turned), holds in zip(asked, held, strict=True)
    )
    return [] if kept else [name for (name, _), holds in zip(asked, held, strict=True) if holds]


def _asked_for(part: ast.expr) -> tuple[str, bool]:
    """The name that a part of a condition asks for, and whether it must not hold."""
    turned = isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
    bare = part.operand if isinstance(part, ast.UnaryOp) and turned else part
    return last_name(bare.func if isinstance(bare, ast.Call) else bare), turned


def _holds(name: str, turned: bool, known: Mapping[str, _Asked]) -> bool:
    own = name in known and known[name].setting.strip("-").replace("-", "_") == name
    return name in known and turned == (own and not known[name].on)


@remembered(4)
def _off(whole: Whole) -> frozenset[str]:
    """Settings that changed files declare as off, new or not."""
    files = (file for file in whole.files if file.path.endswith(".py") and not quiet(file))
    return frozenset(_declared([line for file in files for line in sources(whole).text(file, "+").split("\n")]))


def _came_on(
    old: Function, new: Function, known: Mapping[str, _Asked], off: Collection[str]
) -> Iterator[tuple[ast.If, str]]:
    """Questions of a function that was there, over statements that came and do something, below nothing else that came."""
    if known.keys().isdisjoint(new.words):
        return
    stood, rows = ([row.strip() for row in one.text.split("\n")] for one in (old, new))
    heads = {one_line(old.source(node.test)) for node in statements(old.body) if isinstance(node, ast.If)}
    open_blocks: list[Sequence[ast.stmt]] = [new.body]
    while open_blocks:
        for node in open_blocks.pop():
            if not isinstance(node, ast.If) or one_line(new.source(node.test)) in heads:
                open_blocks += [*bodies(node)] if not isinstance(node, Def | ast.ClassDef) else []
                continue
            names = _alone(node.test, known, off)
            runs = any(not isinstance(one, ast.Raise | ast.Assert | ast.Pass) and not _talks(one) for one in node.body)
            came = rows[node.body[0].lineno - 1 : node.body[-1].end_lineno]
            if names and runs and not any(len(row) > 1 and row in stood for row in came):
                yield node, names[0]
            open_blocks += [node.orelse]


def _talks(node: ast.stmt) -> bool:
    called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    owner = called.value if isinstance(called, ast.Attribute) else called
    return owner is not None and _TALK.match(last_name(owner)) is not None


@remembered(4)
def _settings(whole: Whole) -> tuple[frozenset[str], frozenset[str]]:
    """Settings, off by default, that the commit adds, and those that it takes away."""
    added, removed = _declared(whole.added_lines), _declared(whole.removed_lines)
    return (
        frozenset(name for name in added - removed if not whole.stood(name)),
        frozenset(name for name in removed - added if not whole.stands(name)),
    )


def added_off(whole: Whole) -> frozenset[str]:
    """Settings that the change adds and that are off where nobody sets them."""
    return _settings(whole)[0]


@remembered(4)
def _holders(whole: Whole) -> dict[str, str]:
    """Those of the whole change, which each of its files asks for."""
    return _held(whole.removed_lines) | _held(whole.added_lines)


def _held(lines: Sequence[str]) -> dict[str, str]:
    """Constant → the variable that it holds."""
    return dict(_HELD.findall("\n".join(line[:MAX_LINE] for line in lines)))


def _declared(lines: Sequence[str]) -> set[str]:
    """Settings that are off wherever they are declared; one that some class or call has on is on for somebody."""
    off = {next(filter(None, m.groups())) for line in lines if _says_off(line) and (m := _OFF.search(line[:MAX_LINE]))}
    on = {match[1] for line in lines if "True" in line and (match := _ON.search(line[:MAX_LINE]))}
    return ({name.replace("-", "_") for name in off} | _held(lines).keys()) - on


def _says_off(line: str) -> bool:
    """One of these is in every line that the pattern finds, and in few others."""
    return "False" in line or "store_true" in line or '0")' in line or "0')" in line


def _runs(hunk: DiffHunk) -> Iterator[tuple[list[DiffLine], list[DiffLine]]]:
    """Neighbouring lines that went and came, as pairs; to a part of a condition belongs the line before it."""
    lost: list[DiffLine] = []
    won: list[DiffLine] = []
    before: list[DiffLine] = []
    for line in (*hunk.lines, DiffLine(" ", "", 0, 0)):
        if line.sign == "-" and not won:
            lost.append(line)
        elif line.sign == "+":
            won.append(line)
        else:
            part = bool(lost) != bool(won) and (lost or won)[0].text.lstrip()[:4] == "and "
            old, new = (before + lost, before + won) if part else (lost, won)
            if old and new and max(len(old), len(new)) <= MAX_RUN:
                yield old, new
            lost, won = ([line] if line.sign == "-" else []), []
        before = [line] if line.sign == " " else before


def _gate(few: Sequence[DiffLine], more: Sequence[DiffLine], names: frozenset[str], path: str, up: bool) -> Fact | None:
    """The gate that `more` has over `few`, when that is all it has."""
    if not names:
        return None
    plain, gated = (_tokens(lines) for lines in (few, more))
    name = _asked(_extra(plain, gated), names)
    if name is None or not plain or _only_checks_itself(few):
        return None
    short, long = (shown(one_line("\n".join(x.text for x in lines)).removeprefix("and ")) for lines in (few, more))
    at = more[0].new or more[0].old
    return (
        Fact("gate_added", path, at, name, short, long, True)
        if up
        else Fact("gate_removed", path, at, name, long, short)
    )


def _only_checks_itself(lines: Sequence[DiffLine]) -> bool:
    """Nothing but asserts, which are for those who look for a fault: no path is behind the gate."""
    tree = parsed(dedent("\n".join(x.text for x in lines)))
    return tree is not None and bool(tree.body) and all(isinstance(node, ast.Assert) for node in tree.body)


def _asked(extra: Sequence[str], names: frozenset[str]) -> str | None:
    """The setting that the extra tokens ask for; with an `else` or a `not` the old way is still the default."""
    if not 2 <= len(extra) <= MAX_EXTRA or {"not", "else", "or", '"', "'"} & set(extra):
        return None
    if extra[0] not in ("and", "if") and extra[-1] not in ("and", "if"):
        return None
    return next((word for token in extra if (word := token.rsplit(".", 1)[-1]) in names), None)


def _tokens(lines: Sequence[DiffLine]) -> list[str]:
    """Words and signs; brackets only hold a condition together over several lines."""
    text = "\n".join(x.text[:MAX_LINE] for x in lines if not x.text.lstrip().startswith("#"))
    return [token for token in _TOKEN.findall(text) if token not in _BRACKETS]


def _extra(plain: Sequence[str], gated: Sequence[str]) -> Sequence[str]:
    """What `gated` has in one place over `plain`; nothing when they differ otherwise too."""
    head = 0
    while head < len(plain) and head < len(gated) and plain[head] == gated[head]:
        head += 1
    rest = len(plain) - head
    if len(gated) <= len(plain) or (rest and list(gated[-rest:]) != list(plain[head:])):
        return ()
    return gated[head : len(gated) - rest]
