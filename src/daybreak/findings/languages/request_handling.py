"""What a program does with what it is sent, where no name of it came, went or changed: which of two values wins, a value that was
passed over and is heeded now, who reads what a list of the allowed is asked about, and what two ends have to agree on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Function, Pair, Sources, sources
from daybreak.findings.languages.python_public import is_setting
from daybreak.findings.languages.python_syntax import called_name, choices, statements, walk

_SENT = re.compile(r"(?:^|_)(?:req|request|body)$")
_HELD = re.compile(rf"{_SENT.pattern}|(?:^|_)(?:args|config|params)$")
_ALLOWED = re.compile(r"(?:^|_)(?:allow(?:ed|list)?|whitelist(?:ed)?|permitted|trusted)(?:_|$)")
_READERS = {
    **dict.fromkeys(("urlparse", "urlsplit"), "urllib"),
    "parse_url": "urllib3",
    **dict.fromkeys(("abspath", "normpath"), "as written"),
    "realpath": "links followed",
}
"""Readers of addresses and paths → by which rules they read: of these alone it is known that two of them disagree."""
_AGREED = re.compile(r"(?:compat|handshake)\w{0,40}_(?:hash|key|digest|fingerprint)$")
_HINT = re.compile(r"^-.*(?: or |\bif\b.* is not None|\w=\w|= ?(?:\w+\.){0,6}\w+\()|compat|handshake", re.MULTILINE)


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """What functions of a file that stand on both sides do otherwise with what they are handed."""
    if quiet(file) or not _HINT.search(file.change.patch):
        return
    known = sources(whole)
    sides = ((pair, old, new) for pair, old, new in known.changed(file.path) if new.name)
    found = (
        fact
        for one in sides
        for fact in (*_order(*one, known), *_heeded(*one, known), *_overruled(*one), *_asked(*one), *_agreed(*one))
    )
    once = {(fact.kind, fact.symbol, fact.before): fact for fact in islice(found, PER_FILE)}
    yield from once.values()


# --- which of several is taken ---


def _order(pair: Pair, old: Function, new: Function, known: Sources) -> Iterator[Fact]:
    """`self.a or self.b` that is `self.b or self.a`: who gives both gets the other one. Of two switches it is the same which."""
    before = _choices(old) if pair.file.public and "-> bool:" not in old.text else {}
    after = _choices(new) if before else {}
    for names in sorted(before.keys() & after.keys(), key=sorted):
        was, now = before[names], after[names]
        if was is None or now is None or ast.unparse(was) == ast.unparse(now):
            continue
        if not all(_is_switch(one, known.text(pair.file, "-")) for one in names):
            yield Fact("taken_changed", pair.file.path, new.at(now), new.name, ast.unparse(was), ast.unparse(now), True)


def _choices(function: Function) -> dict[frozenset[str], ast.BoolOp | None]:
    """Names of one request or setting → the choice between them; None where there are several."""
    out: dict[frozenset[str], ast.BoolOp | None] = {}
    for node in choices(walk(function.body)) if " or " in function.text else ():
        names = frozenset(ast.unparse(one) for one in node.values if _is_given(function, one))
        if len(names) == len(node.values):
            out[names] = node if names not in out else None
    return out


def _is_switch(field: str, text: str) -> bool:
    """By its name, or by what the file declares."""
    name = field.rpartition(".")[2]
    return bool(_SWITCH.match(name) or re.search(rf"^[ \t]+{name}[ \t]?:[ \t]?bool\b", text, re.MULTILINE))


_SWITCH = re.compile(r"(?:is|has|use|enable|disable)_")


def _is_given(function: Function, node: ast.expr) -> bool:
    """A field of what users send or set."""
    if not isinstance(node, ast.Attribute):
        return False
    holder = ast.unparse(node.value)[-200:].rpartition(".")[2]
    own = holder == "self" and is_setting(function.name.rpartition(".")[0])
    return own or _HELD.search(holder) is not None


# --- what was passed over ---


def _heeded(pair: Pair, old: Function, new: Function, known: Sources) -> Iterator[Fact]:
    """`call(x=False)` that is `call(x=request.x)`: what clients sent as `x`, and nobody looked at, counts now."""
    before = _handed(old) if pair.file.public else {}
    for (called, name), value in _handed(new).items() if before else ():
        was = before.get((called, name))
        if (
            isinstance(was, ast.Constant)
            and was.value is not None
            and isinstance(value, ast.Attribute)
            and value.attr == name
            and _SENT.search(ast.unparse(value.value)[-200:])
            and _is_sent(name, known)
        ):
            yield Fact("taken_added", pair.file.path, new.at(value), name, ast.unparse(was), ast.unparse(value), True)


def _overruled(pair: Pair, old: Function, new: Function) -> Iterator[Fact]:
    """`if args.x is not None: self.x = args.x` that asks first whether `self.x` was given: what a request or a caller says wins
    from now on over what the server was started with.
    """
    before, after = _taken_over(old), _taken_over(new)
    for target in before.keys() & after.keys():
        (was, _), (now, node) = before[target], after[target]
        came = now - was
        if was and came and now > was and came <= {f"{target} is None", f"not {target}"}:
            yield Fact("taken_changed", pair.file.path, new.at(node), new.name, ast.unparse(node.value), target, True)


def _taken_over(function: Function) -> dict[str, tuple[set[str], ast.Assign]]:
    """Field of what users send → the questions below which it is given the field of the same name of something else."""
    found: dict[str, tuple[set[str], ast.Assign]] = {}
    for node in (node for node in statements(function.body) if isinstance(node, ast.If)):
        asked = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        for inner in (one for one in node.body if isinstance(one, ast.Assign)):
            value, target = inner.value, inner.targets[0]
            both = isinstance(value, ast.Attribute) and isinstance(target, ast.Attribute) and value.attr == target.attr
            if both and _is_given(function, target):
                found[ast.unparse(target)] = {ast.unparse(one) for one in asked}, inner
    return found


def _is_sent(name: str, known: Sources) -> bool:
    """A field that a class of requests which users meet had before; what is further in is a parameter of a method."""
    field = re.compile(rf"^(?: {{2}}| {{4}}|\t){name}[ \t]?:", re.MULTILINE)
    texts = (known.text(file, "-") for file in known.files if file.public)
    heads = (text[: at.start()].rpartition("\nclass ")[2] for text in texts for at in islice(field.finditer(text), 8))
    return any(_REQUEST.match(head) and not _OUTSIDE.search(head) for head in heads)


_REQUEST = re.compile(r"(?:class )?\w{0,80}Request\b")
_OUTSIDE = re.compile(r"\n[^\s#)]")
"""A line that begins at the margin: the class is over."""


def _handed(function: Function) -> dict[tuple[str, str], ast.expr | None]:
    """Call and name of an argument → what it is handed; None where calls hand over different things."""
    out: dict[tuple[str, str], ast.expr | None] = {}
    for node in (node for node in walk(function.body) if isinstance(node, ast.Call)):
        for one in node.keywords:
            if one.arg:
                key = called_name(node), one.arg
                same = key not in out or ast.dump(one.value) == ast.dump(out[key] or ast.Constant(None))
                out[key] = one.value if same else None
    return out


# --- what a list of the allowed is asked about ---


def _asked(pair: Pair, old: Function, new: Function) -> Iterator[Fact]:
    """`urlparse(x)` that is `parse_url(x)` before a check against the allowed: what passes the check may be another."""
    before, after = _read_for_checks(old), _read_for_checks(new)
    for key in sorted(before.keys() & after.keys()):
        (was, _), (now, line) = before[key], after[key]
        if was in _READERS and now in _READERS and _READERS[was] != _READERS[now]:
            yield Fact("trust_changed", pair.file.path, line, key[1], was, now)


def _read_for_checks(function: Function) -> dict[tuple[str, str], tuple[str, int]]:
    """What is read, and the check that is asked about it → the function that reads it."""
    made: dict[str, ast.Call] = {}
    out: dict[tuple[str, str], tuple[str, int]] = {}
    for node in statements(function.body) if _ALLOWED_HINT.search(function.text) else ():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
            made[ast.unparse(node.targets[0])] = node.value
    for part in walk(function.body) if made else ():
        for check, asked in _checks(part):
            for name in sorted({x.id for x in ast.walk(asked) if isinstance(x, ast.Name)} & made.keys()):
                call = made[name]
                given = ", ".join(map(ast.unparse, call.args))
                out[given, check] = called_name(call), function.at(call)
    return out


_ALLOWED_HINT = re.compile(r"allow|whitelist|permitted|trusted")


def _checks(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The name of a check against the allowed, and what it is asked about."""
    if isinstance(node, ast.Call) and _ALLOWED.search(name := called_name(node)):
        yield from ((name, one) for one in node.args)
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        name = ast.unparse(node.comparators[0])[-200:].rpartition(".")[2]
        if _ALLOWED.search(name):
            yield name, node.left


# --- what two ends agree on ---


def _agreed(pair: Pair, old: Function, new: Function) -> Iterator[Fact]:
    """Keys of what two programs compare before they work together: with another set of them neither takes the other."""
    if not _AGREED.search(new.short):
        return
    was, now = _keys(old), _keys(new)
    if was and now and was.keys() != now.keys():
        other = [*(f"+{key}" for key in now if key not in was), *(f"-{key}" for key in was if key not in now)]
        yield Fact(
            "agreement_changed", pair.file.path, next(iter(now.values())), new.name, None, ", ".join(other)[:300], True
        )


def _keys(function: Function) -> dict[str, int]:
    tables = (node for node in walk(function.body) if isinstance(node, ast.Dict))
    keys = (key for table in tables for key in table.keys if isinstance(key, ast.Constant))
    return {key.value: function.at(key) for key in keys if isinstance(key.value, str)}
