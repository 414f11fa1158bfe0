"""A report that is read and written again has all that it had: pages, API and MCP see what Markdown shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from daybreak.core.model.drafts import Left, Retelling
from daybreak.core.model.links import Fix
from daybreak.core.model.report import Report
from daybreak.core.model.statements import Grounding
from daybreak.report.archive.values import Day, decode
from daybreak.report.render.data import DataRenderer
from hostile_days import hostile_day
from render import factory, forge_factory

SCHEMA: dict[str, Any] = json.loads(
    resources.files("daybreak.report.render").joinpath("report.schema.json").read_text("utf-8")
)


def lost(was: Any, now: Any, at: str = "report") -> Iterator[str]:
    """Where the second tree has not what the first one has; what stands there by default may be more."""
    if isinstance(was, dict) and isinstance(now, dict):
        for name, value in was.items():
            yield from lost(value, now[name], f"{at}.{name}") if name in now else [f"{at}.{name}"]
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for number, pair in enumerate(zip(was, now, strict=True)):
            yield from lost(*pair, f"{at}[{number}]")
    elif was != now and not _same_moment(was, now):
        yield at


def _same_moment(was: Any, now: Any) -> bool:
    try:
        return datetime.fromisoformat(was) == datetime.fromisoformat(now)
    except (TypeError, ValueError):
        return False


def again(data: bytes) -> list[str]:
    """What a report loses on the way."""
    return list(lost(json.loads(data), json.loads(msgspec.json.encode(decode(data)))))


def forged() -> Report:
    """Issues with fixes in every state."""
    day = forge_factory.forge_day()
    fixes = tuple(Fix(n, "merged", n % 2 == 0, by_hand, again) for n, (by_hand, again) in enumerate(_TWO, 101))
    first, *rest = day.readings
    issues = (replace(first.issues[0], fixes=fixes), *first.issues[1:])
    return forge_factory.report(replace(day, readings=(replace(first, issues=issues), *rest)))


_TWO = [(False, False), (False, True), (True, False), (True, True)]


def retold() -> Report:
    """A report that a model had to do with."""
    left = (Left("acme/engine", "ab" * 20, "budget"), Left("", "", "fault", "timeout"))
    grounding = Grounding(5, 4, 1, {"word_not_in_evidence": 1})
    asked = {"told": 3, "below": 2, "left": left, "partly": left[:1], "answers": (("one", "m", 3),), "preferred": "one"}
    told = Retelling(model="m", prompt_version="1", grounding=grounding, **asked)  # type: ignore[arg-type]
    return replace(factory.report(factory.busy()), retelling=told)


def test_no_field_of_a_demo_report_is_lost(demo_week: Path) -> None:
    files = sorted((demo_week / "reports").glob("????-??-??.json"))
    assert len(files) == 7
    assert {path.name: again(path.read_bytes()) for path in files} == {path.name: [] for path in files}


@pytest.mark.parametrize("made", [forged, retold], ids=["fixes in every state", "a model's words"])
def test_no_field_of_a_made_report_is_lost(made: Any) -> None:
    (page,) = DataRenderer().pages(made())
    assert again(page.text.encode()) == []


@pytest.mark.parametrize("start", [0, 57, 211])
def test_no_word_of_a_hostile_day_is_lost(start: int) -> None:
    day = hostile_day(start)
    data = msgspec.json.encode(day)
    assert again(data) == []
    assert decode(data) == day


def test_a_field_that_nobody_reads_is_found() -> None:
    data = json.loads(msgspec.json.encode(hostile_day()))
    data["repos"][0]["issues"][1]["fixes"][0]["unheard_of"] = True
    assert again(json.dumps(data).encode()) == ["report.repos[0].issues[1].fixes[0].unheard_of"]


# --- by the schema, for what no sample has ----------------------------------------------------------------------------


def objects(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Schemas of the objects that may stand in a place."""
    if "$ref" in part:
        yield from objects(SCHEMA["$defs"][part["$ref"].rpartition("/")[2]])
    if "properties" in part:
        yield part
    for way in ("oneOf", "anyOf", "allOf"):
        for one in part.get(way, ()):
            yield from objects(one)
    yield from objects(part["items"]) if isinstance(part.get("items"), dict) else ()


def structs(kind: Any) -> Iterator[type[msgspec.Struct]]:
    """Values that a type holds."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
    for part in get_args(kind):
        yield from structs(part)


def unread(part: dict[str, Any], kind: type[msgspec.Struct], at: str) -> Iterator[str]:
    """Properties of the schema that the value has no field for."""
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for name, below in part["properties"].items():
        if name not in fields:
            yield f"{at}.{name}"
            continue
        for inner in objects(below):
            for held in structs(fields[name]):
                yield from unread(inner, held, f"{at}.{name}")


def test_every_property_of_the_schema_is_a_field_of_the_value() -> None:
    assert list(unread(SCHEMA, Day, "report")) == []
