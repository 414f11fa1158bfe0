"""Checks in functions that come, which requests and settings that were there before are handed to from now on, and consent
that is asked for from now on.

A new function turns nobody away by itself. Where a validator, the `__post_init__` of a class that stood there, or the type
of a request calls it, everybody who came through there is asked. Whether somebody trusts, may do or may reach something is
asked wherever a function that stood there calls such a check now.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import MAX_SPAN, Fact, ReadFile, Whole, bracketed
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.guard_reading import guards
from daybreak.findings.languages.guard_words import new_text
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import VALIDATOR, called_name, statements, walk
from daybreak.findings.memory import remembered

_CHECKS = re.compile(r"_?(?:validate|verify|check|reject|ensure|forbid|raise)_\w+$")
_ALIAS = re.compile(
    r"^(\w{0,80}(?:Request|Params|Input|Config)\w{0,40})(?:[ ]?:[^=\n]{1,80})?[ ]?=[ ]?(?:\w{1,40}\.)?Annotated\[",
    re.MULTILINE,
)
_MOST_NAMED = 3


_CONSENT = re.compile(
    r"(?:^|_)(?:check|verify|require|ensure|assert|validate|resolve|confirm)_(?:\w{1,40}_)?(?:trust|authenticat|authoriz|permission)\w{0,60}$|_(?:allowed|safe|trusted)_(?:\w{1,40}_)?(?:path|url|host|domain|origin)s?$"
)
_SWITCH = re.compile(r"trust_\w{1,60}|allow_(?:remote|pickle|code|unsafe|untrusted|dangerous)\w{0,40}")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Refusals of functions that this file has got, and what its functions ask first now."""
    if quiet(file) or not file.path.endswith(".py"):
        return
    yield from islice(_consents(file, whole), PER_FILE)
    if "raise" in file.change.patch:
        yield from _refusals(file, whole)


def _refusals(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    told = 0
    for pair in sources(whole).pairs.get(file.path, ()):
        one = pair.new if pair.old is None else None
        users = _users(one.short, whole) if one is not None and _is_check(one) else ()
        for guard in guards(one) if one is not None and users else ():
            if guard.error != "assert" and told < PER_FILE:
                told += 1
                yield Fact(
                    "guard_added", file.path, guard.line, ", ".join(users[:_MOST_NAMED]), None, new_text(guard), True
                )


def _is_check(one: Function) -> bool:
    return "." not in one.name and _CHECKS.match(one.short) is not None


@remembered(64)
def _users(name: str, whole: Whole) -> tuple[str, ...]:
    """Requests and settings that stood there before and call it now, requests first."""
    known = sources(whole)
    found: list[str] = []
    for file in whole.files:
        if not file.public or name not in file.change.patch or not file.path.endswith(".py"):
            continue
        before, after = known.text(file, "-"), known.text(file, "+")
        found += sorted(_aliases(after, name) - _aliases(before, name), key=after.find)
        calls = (f for f in known.functions(file, "+").values() if f"{name}(" in f.text and f.has_class_in(before))
        found += [
            f.name.rpartition(".")[0] for f in calls if f.short == "__post_init__" or VALIDATOR.search(f.decorated)
        ]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: "Request" not in one))


def _aliases(text: str, name: str) -> set[str]:
    """Types of requests under a name of their own, with this validator beside them."""
    called = re.compile(rf"(?:\w+\.)?(?:Before|After|Plain|Wrap)Validator\(\s*(?:\w+\.)*{re.escape(name)}\s*\)")
    out = set()
    for match in _ALIAS.finditer(text):
        span = bracketed(text[match.end() : match.end() + MAX_SPAN])
        if span is not None and any(called.fullmatch(part.strip()) for part in span.parts):
            out.add(match[1])
    return out


# --- consent ---


def _consents(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """`check_trusted(x)` that a function calls now before it goes on, and `trust_code=True` that is somebody's answer now."""
    if not _ASKS.search(file.change.patch):
        return
    for _, old, new in sources(whole).changed(file.path):
        before, given = {called_name(one) for one in _calls(old)}, _granted(old)
        for call in _checked(new):
            name = called_name(call)
            if name not in before and name not in whole.removed_words:
                yield Fact("trust_added", file.path, new.at(call), new.name, None, name, breaking=True)
        for key, (value, line) in _granted(new).items():
            was = given.get(key, ("", 0))[0]
            if was == "True" and value.rpartition(".")[2] == key[1]:
                yield Fact("trust_added", file.path, line, key[0], f"{key[1]}=True", f"{key[1]}={value}")


_ASKS = re.compile(r"^\+.*(?:trust|auth|permission|allow|safe_)", re.MULTILINE)


def _calls(function: Function) -> Iterator[ast.Call]:
    yield from (node for node in walk(function.body) if isinstance(node, ast.Call))


def _checked(function: Function) -> Iterator[ast.Call]:
    """Calls of checks whose answer nobody reads: they raise where it is no."""
    for node in statements(function.body):
        held = node.value if isinstance(node, ast.Expr) else None
        call = held.value if isinstance(held, ast.Await) else held
        if isinstance(call, ast.Call) and _CONSENT.search(called_name(call)):
            yield call


def _granted(function: Function) -> dict[tuple[str, str], tuple[str, int]]:
    """Call and switch → what it is given, and where."""
    return {
        (called_name(call), one.arg): (ast.unparse(one.value)[:200], function.at(one.value))
        for call in _calls(function)
        for one in call.keywords
        if one.arg and _SWITCH.fullmatch(one.arg)
    }
