"""Checks in functions that come, which requests and settings that were there before are handed to from now on.

A new function turns nobody away by itself. Where a validator, the `__post_init__` of a class that stood there, or the type
of a request calls it, everybody who came through there is asked.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from daybreak.findings.languages.base import MAX_SPAN, Fact, ReadFile, Whole, bracketed
from daybreak.findings.languages.blocks import PER_FILE, SENTENCE, quiet, shown
from daybreak.findings.languages.guard_reading import Guard, guards
from daybreak.findings.languages.guard_words import new_text, own_text
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import VALIDATOR, parsed
from daybreak.findings.memory import remembered

_CHECKS = re.compile(r"_?(?:validate|verify|check|reject|ensure|forbid|raise)_\w+$")
_ALIAS = re.compile(
    r"^(\w{0,80}(?:Request|Params|Input|Config)\w{0,40})(?:[ ]?:[^=\n]{1,80})?[ ]?=[ ]?(?:\w{1,40}\.)?Annotated\[",
    re.MULTILINE,
)
_LOOKED_UP = re.compile(r"(?:.{0,200} and )?\(\w{1,60} := (\w{1,80})\.get\((\w{1,60})\)\)")
_MOST_NAMED = 3
_LONGEST = 2 * SENTENCE
"""Characters of a check with the words of several errors: a sentence shows its beginning, its advice is told apart."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Refusals of functions that this file has got."""
    if quiet(file) or "raise" not in file.change.patch or not file.path.endswith(".py"):
        return
    told = 0
    for pair in sources(whole).pairs.get(file.path, ()):
        one = pair.new if pair.old is None else None
        users = _users(one.short, whole) if one is not None and _is_check(one) else ()
        for guard in guards(one) if one is not None and users else ():
            if guard.error != "assert" and told < PER_FILE:
                told += 1
                text = _of_table(guard, file, whole) or new_text(guard)
                yield Fact("guard_added", file.path, guard.line, ", ".join(users[:_MOST_NAMED]), None, text, True)


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


def _of_table(guard: Guard, file: ReadFile, whole: Whole) -> str | None:
    """A value that a table of the module has an error for: its keys are refused, in the table's words."""
    asked = _LOOKED_UP.fullmatch(guard.condition)
    table = _table(sources(whole).text(file, "+"), asked[1]) if asked else {}
    if asked is None or not table:
        return None
    keys, words = ", ".join(f'"{key}"' for key in table), " ".join(table.values())
    text = own_text(guard, f"{asked[2]} in ({keys})")
    told = f'{text}("{words}")'
    return told if all(table.values()) and '"' not in words and len(told) <= _LONGEST else shown(text)


def _table(text: str, name: str) -> dict[str, str]:
    """A table of texts at the top of a module."""
    tree = parsed(text)
    for node in tree.body if tree is not None else ():
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        given = getattr(node, "value", None)
        if isinstance(target, ast.Name) and target.id == name and isinstance(given, ast.Dict):
            pairs = zip(given.keys, given.values, strict=True)
            return {k.value: _text(v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)}
    return {}


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
