"""A week with a model: one question about the whole, asked once, held against the facts of the week."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.place import Place
from fake_model import Asked, FakeModel, Refused, Reply

WEEK = "2026-W04"
"""19 to 25 January; what breaks in it is another default of `--size`."""
GOOD: dict[str, Any] = {
    "section": "conclusion", "role": "action", "evidence": ["S1"],
    "zh": "升级前自己设置 `--size`。", "en": "Set `--size` yourself before an upgrade.",
}  # fmt: skip
INVENTED = GOOD | {"zh": "升级前设置 `--turbo`。", "en": "Set `--turbo` before an upgrade."}
MISCOUNTED = GOOD | {"section": "summary", "role": "what", "zh": "有 17 处破坏 `--size`。", "en": "17 changes break `--size`."}  # fmt: skip


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel() as found:
        yield found


def answering(*rows: Mapping[str, Any]) -> Reply:
    return {"statements": list(rows)}


def of_spans(asked: Asked) -> bool:
    return "one week or month" in asked.system


def written(place: Place, server: FakeModel, more: str = "") -> Place:
    place.config(f'[analyst]\nkind = "llm"\nbase_url = "{server.url}"\nmodel = "fake"\n{more}')
    return place


def week_by_rules(place: Place) -> None:
    answer = place.run("run", "--since", "2026-01-19", "--until", "2026-01-26", "--analyst", "rules")
    assert answer.returncode in (0, 3), answer.stderr


def rolled(place: Place) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place.folder / "reports" / f"{WEEK}.json").read_bytes())
    return found


def asked_about_spans(server: FakeModel) -> list[Asked]:
    return [one for one in server.asked if of_spans(one)]


def test_a_week_is_asked_about_once_and_what_stands_is_told_in_markdown_page_and_feed(
    place: Place, server: FakeModel
) -> None:
    week_by_rules(written(place, server))
    server.compute = lambda asked: answering(GOOD, INVENTED, MISCOUNTED) if of_spans(asked) else answering()
    answer = place.run("rollup", "--week", WEEK)
    assert answer.returncode == 0, answer.stderr
    prose = rolled(place)["prose"]
    assert [one["text"]["en"] for one in prose["said"]] == [GOOD["en"]]
    assert set(prose["dropped"]) == {"name_not_in_evidence", "number_not_in_evidence"}
    assert prose["requests"] >= 2  # the question and its critic
    assert GOOD["en"] in (place.folder / "reports" / f"{WEEK}.en.md").read_text(encoding="utf-8")
    assert GOOD["zh"] in (place.folder / "reports" / f"{WEEK}.md").read_text(encoding="utf-8")
    spent = [
        model for run in json.loads(place.run("status", "--json").stdout)["runs"] for model in run.get("models", [])
    ]
    assert sum(model["requests"] for model in spent) == len(server.asked)
    assert place.run("site").returncode == 0
    page = (place.folder / "site" / "en" / "rollups" / f"{WEEK}.html").read_text(encoding="utf-8")
    assert "yourself before an upgrade" in page
    feed = (place.folder / "site" / "en" / "feeds" / "rollup.xml").read_text(encoding="utf-8")
    assert "yourself before an upgrade" in feed


def test_the_second_roll_up_of_the_same_facts_asks_nothing(place: Place, server: FakeModel) -> None:
    week_by_rules(written(place, server))
    server.compute = lambda asked: answering(GOOD) if of_spans(asked) else answering()
    place.run("rollup", "--week", WEEK)
    first, before = len(server.asked), (place.folder / "reports" / f"{WEEK}.json").read_bytes()
    assert len(asked_about_spans(server)) == 1
    place.run("rollup", "--week", WEEK)
    (place.folder / "reports" / f"{WEEK}.json").unlink()  # the answer is kept by its question as well
    place.run("rollup", "--week", WEEK)
    assert len(server.asked) == first
    assert (place.folder / "reports" / f"{WEEK}.json").read_bytes() == before


def test_the_run_of_the_last_day_asks_and_no_run_before_it(place: Place, server: FakeModel) -> None:
    written(place, server, "[publish]\nsite = true\n")
    server.compute = lambda asked: answering(GOOD) if of_spans(asked) else answering()
    place.run("run", "--since", "2026-01-19", "--until", "2026-01-25")
    assert asked_about_spans(server) == []
    assert rolled(place)["prose"] is None
    answer = place.run("run", "--date", "2026-01-25")
    assert len(asked_about_spans(server)) == 1, answer.stderr
    assert [one["text"]["en"] for one in rolled(place)["prose"]["said"]] == [GOOD["en"]]


def test_without_an_answer_the_rules_tell_the_week(place: Place, server: FakeModel) -> None:
    week_by_rules(written(place, server))
    server.compute = lambda _: Refused(401)
    answer = place.run("rollup", "--week", WEEK)
    assert answer.returncode == 0, answer.stderr
    assert "no answer about the whole" in answer.stderr
    assert rolled(place)["prose"] is None
    assert Path(place.folder / "reports" / f"{WEEK}.md").is_file()
