"""The upgrade report as data: valid against its schema, and nothing of the report is missing."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, get_args

import jsonschema
import pytest
from msgspec.structs import fields, replace

from daybreak.core.model.upgrade import Certainty, Hit, Net, Outage, RangeReport, Use, UseKind
from daybreak.findings.kinds import kinds
from daybreak.upgrade.range.range_page import RangeData, as_range_data
from render import factory, range_factory

SCHEMA = json.loads(resources.files("daybreak.upgrade.range").joinpath("range.schema.json").read_text(encoding="utf-8"))


def asked() -> RangeReport:
    return range_factory.report(hits=range_factory.hits(), ignored=9)


def data(report: RangeReport) -> Any:
    (page,) = RangeData().pages(report)
    return json.loads(page.text)


def valid(value: Any) -> None:
    jsonschema.validate(value, SCHEMA, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "report",
    [range_factory.report(), asked(), range_factory.small(), range_factory.empty(), range_factory.back()],
    ids=["whole", "with hits", "small", "empty", "back"],
)
def test_the_report_fits_the_schema(report: RangeReport) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    valid(data(report))


def test_the_file() -> None:
    (page,) = RangeData().pages(asked())
    assert page.path == "reports/range/acme-engine-v1.1.0..v1.2.0.json"
    assert page.text.startswith('{\n "schema": "daybreak.range/1",\n')
    assert page.text.endswith("}\n")
    assert "删除命令行参数" in page.text


def test_top_level_order() -> None:
    assert list(data(asked())) == [
        "schema", "repo", "start", "end", "languages", "tool", "coverage", "summary", "hits", "ignored", "unread",
        "unread_languages", "nets", "judged", "reverted", "had", "outages", "commits", "left_behind", "gained", "lost",
        "grounding", "pages",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "path",
    [
        ("end", "sha"),
        ("coverage", "breaking"),
        ("nets", 0, "how"),
        ("nets", 0, "commits"),
        ("hits", 0, "use", "line"),
        ("outages", 0, "holds_end"),
        ("commits", 0, "importance"),
    ],
)
def test_the_schema_asks_for_every_field(path: tuple[str | int, ...]) -> None:
    broken = data(asked())
    place = broken
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    with pytest.raises(jsonschema.ValidationError):
        valid(broken)


def test_the_schema_knows_every_kind_of_use_certainty_and_surface() -> None:
    defs = SCHEMA["$defs"]
    assert set(defs["use"]["properties"]["kind"]["enum"]) == set(get_args(UseKind))
    assert set(defs["hit"]["properties"]["certainty"]["enum"]) == set(get_args(Certainty))
    assert set(defs["net"]["properties"]["surface"]["enum"]) == {kind.surface for kind in kinds().values()}


def test_no_field_of_the_report_is_forgotten() -> None:
    found = data(asked())
    other = {"finding", "tool_version", "span", "entries", "skipped", "repo", "start", "end"}
    assert {f.name for f in fields(Net)} - set(found["nets"][0]) <= other
    assert {f.name for f in fields(Hit)} - set(found["hits"][0]) <= other
    assert {f.name for f in fields(Use)} == set(found["hits"][0]["use"])
    assert {f.name for f in fields(Outage)} - set(found["outages"][0]) <= other
    assert {f.name for f in fields(RangeReport)} - set(found) <= other


def test_a_net_with_what_stands_under_it() -> None:
    whole = range_factory.nets()[0]
    member = replace(whole, finding=replace(whole.finding, symbol="engine.old.f1.x"))
    net = data(range_factory.report(nets=(replace(whole, under=(member,), names=("a", "b")),)))["nets"][0]
    assert (net["surface"], net["names"]) == ("python", ["a", "b"])
    assert net["under"][0]["symbol"] == "engine.old.f1.x"
    assert net["text"]["en"].startswith("Removes the function")
    assert net["how"] == {"zh": "升级前去掉对上述名称的引用", "en": "remove the references before upgrading"}


def test_counts() -> None:
    coverage = data(asked())["coverage"]
    assert (coverage["commits_in_git"], coverage["commits_reported"], coverage["left_behind"]) == (10, 10, 1)
    assert (coverage["breaking"], coverage["judged"], len(coverage["skipped"])) == (11, 1, 1)


def test_a_commit_is_told_as_in_a_day_but_for_its_statements() -> None:
    first = data(asked())["commits"][0]
    assert first["pr"] == {"number": 101, "url": "https://github.com/acme/engine/pull/101"}
    assert first["released"] == "v1.2.0"
    assert "statements" not in first


def test_nobody_asked_is_not_nothing_found() -> None:
    assert data(range_factory.report())["hits"] is None
    assert data(range_factory.report(hits=()))["hits"] == []


def test_bytes_that_were_no_text_and_terminal_codes_do_no_harm() -> None:
    odd = range_factory.graded(1, "bad \udcff byte \x1b[0m \u202e")
    hit = range_factory.hits()[0]
    evil = replace(hit, use=replace(hit.use, text="\x1b[31m\udcff"))
    (page,) = RangeData().pages(range_factory.report(entries=(odd,), hits=(evil,)))
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text
    assert json.loads(page.text)["commits"][0]["subject"].startswith("bad \ufffd")


def test_reverted_within_the_range() -> None:
    report = range_factory.report()
    back = replace(report.entries[1], kind="revert")
    outage = replace(report.outages[0], fault=factory.sha(9), repair=factory.sha(2))
    found = as_range_data(replace(report, entries=(report.entries[0], back, *report.entries[2:]), outages=(outage,)))
    assert found["reverted"] == [factory.sha(9)]
    assert found["judged"] == []
