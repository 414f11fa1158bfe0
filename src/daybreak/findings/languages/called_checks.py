"""Checks in functions that come, which requests and settings that were there before are handed to from now on, and consent
that is asked for from now on.

A new function turns nobody away by itself. Where a validator, the `__post_init__` of a class that stood there, or the type
of a request calls it, everybody who came through there is asked. Whether somebody trusts, may do or may reach something is
asked wherever a function that stood there calls such a check now. What errors and logs show less of is read here, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from daybreak.findings.diff import hunks
from daybreak.findings.languages.base import MAX_SPAN, Fact, ReadFile, Whole, bracketed
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.guard_reading import guards
from daybreak.findings.languages.guard_words import new_text
from daybreak.findings.languages.python_functions import Function, Sources, sources
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
    yield from islice(_cleaned(file, whole), 1)
    if "raise" in file.change.patch:
        yield from _refusals(file, whole)
    if file.public and _CHECKED.search(file.change.patch):
        yield from islice(_asked_more(file, whole), PER_FILE)


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


def _asked_more(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """A check that stood there and raises, which a function that stood there calls now and did not before. One that another
    function called until now only changed its place, and one behind a new setting asks nobody who sets nothing.
    """
    known = sources(whole).functions(file, "+")
    by_name = {one.short: one for one in known.values()}
    stood = {one.short for one in sources(whole).functions(file, "-").values()}
    for _, old, new in sources(whole).changed(file.path):
        before = {called_name(one) for one in _calls(old)}
        for call in _calls(new):
            name = called_name(call)
            fits = _CHECKS.match(name) and _is_own(call) and name in stood and name not in before
            check = by_name.get(name) if fits and name not in whole.removed_words else None
            refused = [one for one in guards(check) if one.error != "assert"] if check is not None else []
            if refused and whole.new_settings.isdisjoint(new.words - old.words):
                texts = (new_text(one) for one in refused[:_MOST_NAMED])
                yield from (Fact("guard_added", file.path, new.at(call), new.name, None, one, True) for one in texts)
                break


_CHECKED = re.compile(r"^\+.*\b_?(?:validate|verify|check|reject|ensure|forbid|raise)_\w+\(", re.MULTILINE)


def _is_own(call: ast.Call) -> bool:
    """A function of the same file, or a method of the same object."""
    return isinstance(call.func, ast.Name) or (
        isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id == "self"
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


# --- what errors and logs show ---


def _cleaned(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """What an error that is answered or a log was given as it is, and gets through a function that comes and cuts out of it."""
    for hunk in hunks(file.change.patch):
        was = {line.text.strip().rstrip(",") for line in hunk.lines if line.sign == "-"}
        now = [line for line in hunk.lines if line.sign != "-"]
        for at, line in enumerate(now):
            found = _PASSED.fullmatch(line.text[:400]) if line.sign == "+" else None
            if found is None or f"{found[2] or ''}{found[4]}" not in was:
                continue
            into = _into([one.text for one in now[:at]], len(found[1]))
            if into and _cuts(found[3], sources(whole)):
                yield Fact("trust_hidden", file.path, line.new or 0, into, found[4], found[3])


_PASSED = re.compile(r"(\s{1,80})(\w{1,80}=)?(\w{1,80})\(([\w.]{1,200})\),?\s{0,8}")
_SHOWS = re.compile(
    r"(?:[\w.]{0,80}\s?=\s?|raise |return )?(\w{0,80}(?:Error|Exception)\w{0,40}|log(?:ger|ging)?\.\w{1,20})\($"
)


def _into(above: Sequence[str], margin: int) -> str:
    """The error or the log that a line further in is handed to; empty where it is something else."""
    outer = next((one for one in reversed(above) if one.strip() and len(one) - len(one.lstrip()) < margin), "")
    found = _SHOWS.fullmatch(outer.strip()[:300])
    return found[1] if found else ""


def _cuts(name: str, known: Sources) -> bool:
    """A function that comes and replaces what a pattern finds."""
    head = re.compile(rf"^[ ]{{0,40}}def {re.escape(name)}\(", re.MULTILINE)
    start = head.search(known.after)
    if start is None or head.search(known.before):
        return False
    body = known.after[start.end() : start.end() + MAX_SPAN]
    return ".sub(" in body[: end.start() if (end := _NEXT.search(body)) else len(body)]


_NEXT = re.compile(r"^(?:async def|def|class|@)", re.MULTILINE)
