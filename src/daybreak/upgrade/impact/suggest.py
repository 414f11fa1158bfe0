"""Suggested edits: for each cause that surely or likely breaks a Python file of yours, a model is asked for one.

What it answers is shown as a diff only when `edits.checked` finds nothing wrong with it; the model decides nothing else.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from daybreak.core.model.upgrade import Use, Uses
from daybreak.core.projects import wanted_for
from daybreak.prose.llm import Model, ModelFault, Prompt
from daybreak.prose.prompt_files import fence_of, prompt_file
from daybreak.upgrade.downstream.readers import uses
from daybreak.upgrade.impact.answer import Yours, prefix_of
from daybreak.upgrade.impact.edits import Checked, Edit, Place, checked
from daybreak.upgrade.impact.ends import Upstream, ends_of
from daybreak.upgrade.impact.form_text import ImpactReport, Told
from daybreak.upgrade.impact.source import Function
from daybreak.upgrade.impact.surface import Surface
from daybreak.upgrade.impact.table import Asked
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
