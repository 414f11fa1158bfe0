"""The schema of reports is made from their value: the file is what the script writes, and it holds what it promises."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from daybreak.cli.show import day_lines
from daybreak.core.day_json import decode, encoded
from daybreak.report.index import day_line_from_json
from hostile_days import hostile_day
from render import factory
from render.test_data import data

ROOT = Path(__file__).resolve().parents[2]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("report_schema", ROOT / "scripts" / "report_schema.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


SCHEMA = script().report_schema()
VALID = jsonschema.Draft202012Validator(SCHEMA)


def test_the_file_is_what_the_script_writes() -> None:
    made = script()
    assert made.FILE.read_text(encoding="utf-8") == made.written(), "run `make docs`"


def test_every_field_that_says_nothing_by_its_name_has_a_description() -> None:
    texts = [one for part in SCHEMA["$defs"].values() for one in part.get("properties", {}).values()]
    assert sum("description" in one for one in texts) > 40
    assert all("description" in part for name, part in SCHEMA["$defs"].items() if "properties" in part), (
        "a class has one"
    )


def test_reports_of_the_demo_fit(demo_week: Path) -> None:
    for path in (demo_week / "reports").glob("????-??-??.json"):
        VALID.validate(json.loads(path.read_bytes()))


def test_all_that_every_report_has_is_asked_for() -> None:
    assert set(SCHEMA["properties"]) - set(SCHEMA["required"]) == {
        "touches",
        "across",
        "retelling",
        "completed",
        "pages",
        "unread",
        "also",
        "more_actions",
        "worth",
        "headline",
        "title",
    }
    for name in SCHEMA["required"]:
        broken = data()
        del broken[name]
        assert not VALID.is_valid(broken), name


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("schema",), "daybreak.report/2"),
        (("window", "label"), "2026-1-1"),
        (("window", "open"), False),
        (("coverage", "commits_in_git"), -1),
        (("repos", 0, "commits", 0, "sha"), "abc"),
        (("repos", 0, "commits", 0, "committed_at"), "yesterday"),
        (("repos", 0, "commits", 0, "importance", "level"), "huge"),
        (("repos", 0, "commits", 0, "kind"), "chore"),
        (("actions",), [{"repo": "a", "commits": [], "text": {}, "findings": []}] * 9),
        (("summary",), [{"role": "what", "text": {"zh": "x"}}]),
        (("touches",), None),
    ],
)
def test_what_no_report_says_does_not_fit(place: tuple[str | int, ...], value: Any) -> None:
    broken = data()
    part = broken
    for one in place[:-1]:
        part = part[one]
    part[place[-1]] = value
    assert not VALID.is_valid(broken)


def test_a_report_of_before_later_fields_fits_and_is_read() -> None:
    older = data()
    del older["completed"]
    for repo in older["repos"]:
        del repo["completed"]
        for story in repo["stories"]:
            del story["earlier"]
    for action in older["actions"]:
        del action["tag"]
    VALID.validate(older)
    day = decode(json.dumps(older).encode())
    assert (day.completed, day.actions[0].tag) == ((), "")
    assert day.repos[0].stories
    assert len(day.repos[0].commits) == len(factory.report().repos[0].entries)


def test_a_stored_report_whose_lines_joined_several_changes_is_read_with_all_they_say() -> None:
    stored = data()
    line = stored["actions"][0]
    line["text"] = {"zh": "留意：一；二。", "en": "Look: one; two."}
    line["lead"] = {"zh": "留意。", "en": "Look."}
    line["parts"] = [{"commits": line["commits"][:1], "text": {"zh": "一。", "en": "One."}, "findings": []}]
    del stored["headline"]
    stored["of_another_version"] = {"deep": [line]}
    VALID.validate(stored)
    day = decode(json.dumps(stored).encode())
    assert day.actions[0].text["en"] == "Look: one; two."
    assert any("Look: one; two." in shown for shown in day_lines(day, "en"))
    assert day_line_from_json(json.dumps(stored).encode()).headline == "留意：一；二。"


def test_what_strangers_write_never_makes_a_report_another_form() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    found = {error.validator for error in VALID.iter_errors(json.loads(encoded(hostile_day())))}
    assert found.isdisjoint({"type", "required", "const"}), "fields and their types hold whatever the texts are"
