"""Checks in functions that come, which requests and settings that were there before are handed to from now on.

A new function turns nobody away by itself. Where a validator, the `__post_init__` of a class that stood there, or the type
of a request calls it, everybody who came through there is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.findings.languages.base import MAX_SPAN, Fact, ReadFile, Whole, bracketed
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.guard_reading import guards
from daybreak.findings.languages.guard_words import new_text
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import VALIDATOR
from daybreak.findings.memory import remembered

_CHECKS = re.compile(r"_?(?:validate|verify|check|reject|ensure|forbid|raise)_\w+$")
_ALIAS = re.compile(
    r"^(\w{0,80}(?:Request|Params|Input|Config)\w{0,40})(?:[ ]?:[^=\n]{1,80})?[ ]?=[ ]?(?:\w{1,40}\.)?Annotated\[",
    re.MULTILINE,
)
_MOST_NAMED = 3


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
