"""Suggested edits: for each cause that surely or likely breaks a Python file of yours, a model is asked for one.

What it answers is shown as a diff only when `edits.checked` finds nothing wrong with it; the model decides nothing else.
"""

from __future__ import annotations

import ast
import asyncio
import io
import keyword
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher, unified_diff
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from daybreak.core.model.upgrade import Use, Uses
from daybreak.core.projects import wanted_for
from daybreak.prose.llm import Model, ModelFault, Prompt
from daybreak.prose.prompt_files import fence_of, prompt_file
from daybreak.upgrade.downstream.readers import uses
from daybreak.upgrade.impact.answer import Yours, prefix_of
from daybreak.upgrade.impact.base import unknown_rest
from daybreak.upgrade.impact.chains import Thing, steps_of
from daybreak.upgrade.impact.ends import Upstream, ends_of
from daybreak.upgrade.impact.form_text import ImpactReport, Told
from daybreak.upgrade.impact.source import Function, tree_of
from daybreak.upgrade.impact.surface import Surface
from daybreak.upgrade.impact.table import Asked
from daybreak.upgrade.impact.tree_lookup import USES
from daybreak.upgrade.impact.trees import Trees

MOST = 40
"""Causes that are asked about, the worst first."""
_AROUND = 20
_TOP = 60
_LARGEST = 400_000
_ANSWER = 1500
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "edits": {
            "type": "array",
            "maxItems": 8,
            "items": {
                "type": "object",
                "properties": {
                    "old": {"type": "string", "maxLength": 4000},
                    "new": {"type": "string", "maxLength": 4000},
                },
                "required": ["old", "new"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["edits"],
    "additionalProperties": False,
}


Reader = Callable[[str], Iterable[Use]]


class Cause(NamedTuple):
    """What breaks one file in one way."""

    told: tuple[Told, ...]
    place: Place


class Suggested(NamedTuple):
    """The answer with the edits that hold, and what became of the others."""

    report: ImpactReport
    shown: int = 0
    asked: int = 0
    left: int = 0
    """Causes that were not asked about."""


def with_edits(
    report: ImpactReport, yours: Yours, upstreams: Sequence[Upstream], environment: Mapping[str, str], model: Model
) -> Suggested:
    """The same answer with the edits that a model suggests and that hold."""
    names = [upstream.repo.name for upstream in upstreams]
    wanted = wanted_for(names, {one.repo.name: one.project for one in upstreams if one.project})
    groups = _groups(report)
    found = list(_causes(groups[:MOST], yours, lambda path: lambda text: uses(path, text, wanted)))
    if not found:
        return Suggested(report)
    hits = tuple(one.hit.use for cause in found for one in cause.told)
    trees = Trees(Asked(ends_of(upstreams, environment, Uses("", hits))), names)
    trees.prepare(hits)
    diffs = asyncio.run(_asked(found, trees, model))
    edits = {id(cause.told[0]): diff for cause, diff in zip(found, diffs, strict=True) if diff}
    told = tuple(replace(one, edit=edits.get(id(one), "")) for one in report.told)
    return Suggested(replace(report, told=told), len(edits), len(found), len(groups[MOST:]))


def _groups(report: ImpactReport) -> list[list[Told]]:
    """Hits that say the same of one Python file, the worst first."""
    groups: dict[tuple[str, str], list[Told]] = {}
    for one in report.counted:
        if one.hit.certainty != "look" and one.hit.use.path.endswith(".py"):
            groups.setdefault((one.id, one.hit.use.path), []).append(one)
    return list(groups.values())


def _causes(groups: Iterable[Sequence[Told]], yours: Yours, read: Callable[[str], Reader]) -> Iterator[Cause]:
    prefix, root = prefix_of(yours), yours.root
    for group in groups:
        path = group[0].hit.use.path
        file = root if root.is_file() else root / path.removeprefix(prefix)
        text = _text(file)
        if text is not None:
            lines = frozenset(one.hit.use.line for one in group)
            yield Cause(tuple(group), Place(path, text, lines, read(path)))


def _text(file: Path) -> str | None:
    """The file as it is, with its line ends; None when it cannot be read or is no text."""
    try:
        data = file.read_bytes()
        return data.decode("utf-8") if len(data) <= _LARGEST and not file.is_symlink() else None
    except (OSError, UnicodeDecodeError):
        return None


# --- asking --------------------------------------------------------------------------------------------------------


async def _asked(causes: Sequence[Cause], trees: Trees, model: Model) -> list[str]:
    try:
        return list(await asyncio.gather(*(_edit(cause, trees, model) for cause in causes)))
    finally:
        await model.close()


async def _edit(cause: Cause, trees: Trees, model: Model) -> str:
    """A diff that holds; empty for none. What is wrong with the first answer is told once, and no second one is begged for."""

    def check(data: Mapping[str, Any]) -> Checked:
        edits = [Edit(one["old"], one["new"]) for one in data["edits"]]
        return checked(cause.place, edits, trees) if edits else Checked()

    try:
        answer = await model.ask(_prompt(cause, trees), lambda data: check(data).wrong or None)
    except ModelFault:
        return ""
    return check(answer.data).diff


def _prompt(cause: Cause, trees: Trees) -> Prompt:
    file = f"`{cause.place.path}`:\n{_excerpt(cause.place)}"
    said = (f"line {one.hit.use.line}: {one.hit.why['en']} {one.hit.action['en']}" for one in cause.told)
    complaints = "What breaks:\n" + "\n".join(said)
    shapes = "\n".join(_shapes(cause, trees)) or "(none found)"
    definitions = f"Upstream's definitions at the end of the range:\n{shapes}"
    values = {"file": file, "complaints": complaints, "definitions": definitions}
    prompt = prompt_file("edit")
    system, user = prompt.fill({**values, "fence": fence_of("".join(values.values()))})
    return Prompt("edit", prompt.version, system, user, _SCHEMA, _ANSWER)


def _excerpt(place: Place) -> str:
    """The lines around what breaks and the head of the file, each with its number."""
    lines = place.text.split("\n")
    shown = {number for one in place.lines for number in range(one - _AROUND, one + _AROUND + 1)} | {*range(1, _TOP)}
    return "\n".join(f"{number:5}  {line[:400]}" for number, line in enumerate(lines, 1) if number in shown)


def _shapes(cause: Cause, trees: Trees) -> Iterator[str]:
    """What the names of a cause are at the end: where they are defined, and what they take."""
    seen: set[str] = set()
    for one in cause.told:
        hit = one.hit
        pair = trees.of(hit.use.name)
        if pair is None:
            continue
        parts = hit.use.name.split(".")
        homes = [f"{home}.{part}" for part in parts[-2:] if (home := trees.home(hit.repo, part))]
        new = trees.successor(hit.repo, hit.use.name)
        for name in (hit.use.name, ".".join(parts[:-1]), *homes, new, hit.net.finding.after or ""):
            shape = _shape(pair[1], name) if name and name.isascii() else ""
            if shape and shape not in seen:
                seen.add(shape)
                yield shape


def _shape(end: Surface, name: str) -> str:
    found = end.reach(name)
    thing = found.thing
    if thing is None or thing.sort not in ("class", "function") or len(name.split(".")) != found.steps:
        return ""
    module = name.rpartition(".")[0]
    if thing.sort == "class":
        place = end.member(thing, "__init__")
        node = place.node if place else None
    else:
        node = end.function(thing)
    takes = ast.unparse(node.args)[:1500] if isinstance(node, Function) else ""
    return f"{module}: {thing.sort} {'.'.join(thing.symbol)}({takes})"


# An edit that somebody suggests for a file of yours: held against the file and against upstream's end, or not shown.
_NEAR = 12
"""Lines around what breaks that an edit may touch; imports it may touch anywhere."""
_LONGEST = 4000
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_DIRECTION = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Edit(NamedTuple):
    """Text of the file, and what stands there instead."""

    old: str
    new: str


class Checked(NamedTuple):
    """A diff that holds, or in one sentence what is wrong with it."""

    diff: str = ""
    wrong: str = ""


class Place(NamedTuple):
    """A file of yours and the lines of it that break."""

    path: str
    text: str
    lines: frozenset[int]
    read: Callable[[str], Iterable[Use]]
    """What a text of the file uses of upstream."""


def checked(place: Place, edits: Sequence[Edit], trees: Trees) -> Checked:
    """The edits as a diff, if everything about them holds."""
    if not edits or sum(len(one.new) for one in edits) > _LONGEST:
        return Checked(wrong="There is no edit, or it is too long.")
    new = applied(place.text, edits)
    if new is None or new == place.text:
        return Checked(wrong="Each `old` must be in the file exactly once, and `new` must differ.")
    was = tree_of(place.text)
    if was is None or tree_of(new) is None:
        return Checked(wrong="The file does not parse with the edit.")
    wrong = _far(place, edits, was) or _invented(place, new, trees)
    return Checked(wrong=wrong) if wrong else Checked(_diff(place, new))


def _invented(place: Place, new: str, trees: Trees) -> str:
    """What the edit writes that is not there; empty when there is nothing like that."""
    uses = list(_touched(place, new))
    unknown = next((use.name for use, fresh in uses if not _holds(use, fresh, trees)), "")
    if unknown:
        return f"Upstream does not have `{unknown}` like that at the end of the range."
    foreign = _foreign(place.text, new, (use for use, _ in uses))
    return f"Neither the file nor upstream has `{foreign[:80]}`." if foreign else ""


def applied(text: str, edits: Iterable[Edit]) -> str | None:
    """The file with the edits; None when one of them does not fit exactly one place."""
    spans = []
    for edit in edits:
        if not edit.old.strip() or text.count(edit.old) != 1:
            return None
        at = text.index(edit.old)
        spans.append((at, at + len(edit.old), edit.new))
    out, done = "", 0
    for start, end, new in sorted(spans):
        if start < done:
            return None
        out, done = out + text[done:start] + new, end
    return out + text[done:]


def _far(place: Place, edits: Sequence[Edit], tree: ast.Module) -> str:
    """What is wrong with where the edits are: something breaks that they leave, or they change what does not break."""
    imports = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    covered: set[int] = set()
    for edit in edits:
        first = place.text[: place.text.index(edit.old)].count("\n") + 1
        lines = range(first, first + edit.old.rstrip("\n").count("\n") + 1)
        covered |= {*lines}
        near = all(any(abs(line - one) <= _NEAR for one in place.lines) for line in lines)
        if not near and not imports.issuperset(lines):
            return "An edit changes lines that do not break."
    return "" if place.lines <= covered else "A line that breaks is not changed."


def _touched(place: Place, new: str) -> Iterator[tuple[Use, bool]]:
    """What the new text uses of upstream on lines that changed or as it was not used before; and whether it is new."""
    was, now = place.text.split("\n"), new.split("\n")
    steps = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    lines = {line + 1 for tag, _, _, start, end in steps if tag != "equal" for line in range(start, end)}
    known = Counter(map(_key, place.read(place.text)))
    for use in place.read(new):
        fresh = known[_key(use)] <= 0
        known[_key(use)] -= 1
        if fresh or use.line in lines:
            yield use, fresh


def _key(use: Use) -> tuple[object, ...]:
    return use.kind, use.name, use.keywords, use.positional, use.value


def _holds(use: Use, fresh: bool, trees: Trees) -> bool:
    """Whether the end has what is used, as it is used; what cannot be said counts against what is new."""
    pair = trees.of(use.name) if use.kind in USES else None
    if pair is None:
        return not fresh
    found = pair[1].reach(use.name)
    if found.steps < len(steps_of(use.name)):
        return not fresh and not found.gone
    if use.kind not in ("call", "override") or found.thing is None:
        return True
    return _fits(use, found.thing, pair[1], fresh)


def _fits(use: Use, thing: Thing, end: Surface, fresh: bool) -> bool:
    """Whether a call or an override goes with the parameters at the end."""
    takes = end.signature(thing)
    if takes is None:
        return not fresh
    words = [word for word in use.keywords if not word.startswith("*")]
    if use.kind == "override":
        return len(words) < len(use.keywords) or {*takes.places, *takes.required} <= {*words}
    if not all(end.accepts(thing, word) for word in words):
        return False
    return unknown_rest(use) or takes.takes(use.positional or 0, words)


# --- words ---------------------------------------------------------------------------------------------------------


def _foreign(was: str, now: str, uses: Iterable[Use]) -> str:
    """A name, text or remark that is neither in the file nor upstream's; empty when there is none."""
    old, new = _words(was), _words(now)
    if old is None or new is None:
        return "?"
    names = {*old, *keyword.kwlist, *keyword.softkwlist}
    for use in uses:
        names |= {*steps_of(use.name), *use.keywords}
    return next((word for word in new if word not in names), "")


def _words(text: str) -> list[str] | None:
    """Names, strings and remarks of a file; None when it has no tokens or turns the direction of writing."""
    skipped = {tokenize.OP, tokenize.NUMBER, tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT}
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None
    if _DIRECTION & set(text):
        return None
    return [one.string for one in found if one.type not in skipped and one.type != tokenize.ENDMARKER]


def _diff(place: Place, new: str) -> str:
    """The form that `git apply` takes."""
    was, now = (_LINE.findall(text) for text in (place.text, new))
    rows = unified_diff(was, now, f"a/{place.path}", f"b/{place.path}")
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)
