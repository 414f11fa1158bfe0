"""The reported day is one value: written and read again it is the same, and a view of it is a part of the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from daybreak.core.day_json import decode, encoded, view
from daybreak.core.model.day import Across, Coverage, Day, Window, in_language
from daybreak.core.model.drafts import Left, Retelling
from daybreak.core.model.links import Fix
from daybreak.core.model.statements import Grounding
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.render.markdown import data_page
from daybreak.serve.web.endpoints import description
from hostile_days import hostile_day
from render import factory, forge_factory


def test_every_report_of_the_demo_is_the_bytes_of_its_value(demo_week: Path) -> None:
    files = sorted((demo_week / "reports").glob("????-??-??.json"))
    assert len(files) >= 7
    for path in files:
        data = path.read_bytes()
        assert encoded(decode(data)).encode() == data, path.name


def test_a_day_of_hostile_texts_comes_back_as_it_was() -> None:
    day = hostile_day()
    assert decode(encoded(day).encode()) == day


def forged() -> Judgement:
    """Issues with fixes in every state."""
    day, states = forge_factory.forge_day(), product((False, True), (False, True))
    fixes = tuple(Fix(number, "merged", number % 2 == 0, *state) for number, state in enumerate(states, 101))
    first, *rest = day.readings
    issues = (replace(first.issues[0], fixes=fixes), *first.issues[1:])
    return forge_factory.report(replace(day, readings=(replace(first, issues=issues), *rest)))


def retold() -> Judgement:
    """A report that a model had to do with."""
    left = (Left("acme/engine", "ab" * 20, "budget"), Left("", "", "fault", "timeout"))
    told = Retelling(
        "m", "1", Grounding(5, 4, 1, {"word_not_in_evidence": 1}), 3, 2, left, left[:1], (("one", "m", 3),)
    )
    return replace(factory.report(factory.busy()), retelling=told)


@pytest.mark.parametrize("made", [forged, retold], ids=["fixes in every state", "a model's words"])
def test_what_is_written_of_a_made_report_comes_back_whole(made: Callable[[], Judgement]) -> None:
    page = data_page(day_of(made()))
    assert encoded(decode(page.text.encode())) == page.text
    assert '"by_hand": true' in page.text or '"left": [' in page.text


def test_what_pages_say_is_written_and_what_a_terminal_says_is_not() -> None:
    day = day_of(forged())
    assert any(repo.pressing for repo in day.repos)
    assert any(one.tip for repo in day.repos for one in repo.left_out)
    data = json.loads(data_page(day).text)

    def names(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
        for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from names(one)

    assert not [name for name in names(data) if name.startswith("_")]
    assert {"pressing", "left_out", "tip"} <= set(names(data))
    assert "detail" not in set(names(data))
    assert not [name for name in names(json.loads(description())) if name.startswith("_")]


def test_what_a_report_leaves_out_is_neither_written_nor_missed() -> None:
    day = hostile_day()
    bare = Day(schema=day.schema, window=day.window, coverage=Coverage(), repos=())
    text = encoded(bare)
    for name in ("touches", "across", "retelling", "left_out", "open"):
        assert f'"{name}"' not in text
    assert decode(text.encode()) == bare
    assert '"across"' in encoded(replace(bare, across=Across())), "a forge that was asked and has nothing is told"


def test_times_are_written_with_their_offset_and_text_without_halves_of_characters() -> None:
    day = hostile_day()
    since = datetime(2026, 3, 6, tzinfo=UTC)
    window = Window(since, since, "UTC \udcff", "2026-03-06")
    text = encoded(replace(day, window=window))
    assert '"since": "2026-03-06T00:00:00+00:00"' in text
    assert '"timezone": "UTC �' in text


def test_a_view_has_the_fields_that_were_named_and_no_others() -> None:
    day = hostile_day()
    seen = view("window.label", "repos.name", "repos.commits.sha", "repos.stories.broken")(encoded(day).encode())
    assert seen.window.label == day.window.label
    assert [repo.name for repo in seen.repos] == [repo.name for repo in day.repos]
    assert [c.sha for c in seen.repos[0].commits] == [c.sha for c in day.repos[0].commits]
    assert [s.broken for s in seen.repos[0].stories] == [s.broken for s in day.repos[0].stories]
    with pytest.raises(AttributeError):
        _ = seen.languages


@pytest.mark.parametrize("name", ["nothing", "repos.nothing", "window.label.nothing"])
def test_a_view_of_a_field_that_is_none_is_refused_at_once(name: str) -> None:
    with pytest.raises((KeyError, TypeError)):
        view(name)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"schema": "daybreak.report/1"}'])
def test_what_is_no_report_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode(data)


def test_another_schema_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="report/2"):
        decode(encoded(replace(hostile_day(), schema="daybreak.report/2")).encode())


def test_a_sentence_is_told_in_the_language_asked_for_or_in_one_that_it_has() -> None:
    assert in_language({"zh": "改", "en": "Changes"}, "en") == "Changes"
    assert in_language({"zh": "改", "en": ""}, "en") == "改"
    assert in_language({"zh": "改", "en": "Changes", "ja": "変更"}, "ja") == "変更"
    assert in_language({}, "en") == ""
