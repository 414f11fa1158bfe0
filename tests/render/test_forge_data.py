"""The forge's half of the data file: valid against the schema, in the contract's order, and absent without a forge."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from daybreak.core.model.links import Fix, ForgeDay, Link
from daybreak.judge.day_value import day_of
from daybreak.report.index import day_line, day_line_from_json
from daybreak.report.render.markdown import data_page
from render import factory, forge_factory
from render.factory import sha
from render.forge_factory import ENGINE, NUMBERS, WHY

SCHEMA = json.loads(
    resources.files("daybreak.report.render").joinpath("report.schema.json").read_text(encoding="utf-8")
)


def data(forge: ForgeDay | None = None) -> Any:
    page = data_page(day_of(forge_factory.report(forge)))
    return json.loads(page.text)


def fits(found: Any) -> None:
    jsonschema.validate(found, SCHEMA, cls=jsonschema.Draft202012Validator)


def engine(found: Any) -> Any:
    return next(repo for repo in found["repos"] if repo["name"] == ENGINE)


def test_the_schema_is_a_schema_and_the_data_fits_it() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    fits(data())
    fits(json.loads(data_page(day_of(factory.report())).text))


@pytest.mark.parametrize(
    ("where", "field"),
    [("issues", "kind"), ("issues", "commits"), ("pulls", "claimed"), ("pulls", "state"), ("releases", "tag")],
)
def test_the_schema_asks_for_every_field(where: str, field: str) -> None:
    found = data()
    del engine(found)[where][0][field]
    with pytest.raises(jsonschema.ValidationError):
        fits(found)


@pytest.mark.parametrize(
    ("where", "field", "value"),
    [
        ("issues", "kind", "disaster"), ("issues", "state", "merged"), ("pulls", "commits", ["abc"]),
        ("pulls", "coming", ["soon"]), ("releases", "created_at", "yesterday"), ("links", "from", "evil:1"),
    ],
)  # fmt: skip
def test_the_schema_refuses_what_is_none(where: str, field: str, value: object) -> None:
    found = data()
    engine(found)[where][0][field] = value
    with pytest.raises(jsonschema.ValidationError):
        fits(found)


def test_items_begin_with_the_fields_of_the_contract() -> None:
    repo = engine(data())
    begin = ["url", "title", "author", "created_at", "state", "labels", "commits"]
    assert list(repo["issues"][0])[:8] == ["number", *begin]
    assert list(repo["pulls"][0])[:8] == ["number", *begin]
    assert list(repo["releases"][0])[:8] == ["tag", *begin]


def test_top_level_order() -> None:
    assert list(data()) == [
        "schema", "window", "languages", "tool", "analyst", "coverage", "unread", "repos", "actions", "also", "more_actions", "worth", "headline", "links", "across", "summary",
        "conclusion", "grounding", "cost", "revised", "completed", "pages",
    ]  # fmt: skip


def test_coverage_counts_the_items_and_tells_what_nobody_asked_for() -> None:
    found = data()
    lists = ("issues", "pulls", "releases")
    counted = {name: sum(len(repo[name]) for repo in found["repos"]) for name in lists}
    assert {name: found["coverage"][name] for name in lists} == counted == {"issues": 4, "pulls": 4, "releases": 2}
    assert [one["what"] for one in found["coverage"]["left_out"]] == ["acme/quiet on GitHub: the rest (closed issues)"]
    assert found["cost"]["requests"] == 7


def test_an_issue_has_its_kind_its_fix_and_the_commits_that_close_it() -> None:
    first, *_, old = engine(data())["issues"]
    assert (first["kind"], first["components"]) == ("accuracy", ["scheduler", "engine/core"])
    assert first["url"] == "https://github.com/acme/engine/issues/11"
    assert first["commits"] == [sha(1)]
    assert first["fixes"] == [{"number": 101, "state": "merged", "likely": False}]
    assert [cause["likely"] for cause in first["causes"]] == [True]
    assert (old["number"], old["kind"], old["commits"]) == (14, None, [])


def test_how_a_fix_was_linked_and_that_it_did_not_last_is_in_the_data_only_where_it_is_so() -> None:
    base = forge_factory.forge_day()
    reading = replace(base.readings[0].issues[0], fixes=(Fix(101, "merged", by_hand=True, reopened=True),))
    changed = replace(base.readings[0], issues=(reading, *base.readings[0].issues[1:]))
    found = data(replace(base, readings=(changed, *base.readings[1:])))
    fits(found)
    assert engine(found)["issues"][0]["fixes"] == [
        {"number": 101, "state": "merged", "likely": False, "by_hand": True, "reopened": True}
    ]


def test_a_pull_request_has_its_commit_and_its_authors_claims() -> None:
    first = engine(data())["pulls"][0]
    assert first["commits"] == [sha(1)]
    assert first["closes"] == [{"issue": "issue:acme/engine#11", "likely": False}]
    assert first["claimed"]["why"] == WHY
    assert first["claimed"]["numbers"][0] == {"lines": [NUMBERS], "omitted": 0}
    assert engine(data())["pulls"][2]["coming"] == ["breaking", "rfc", "large"]


def test_no_body_is_in_the_data() -> None:
    long = "x" * 1_000_000
    base = forge_factory.forge_day()
    first = base.activities[0]
    heavy = replace(
        first,
        issues=tuple(replace(x, body=long) for x in first.issues),
        pulls=tuple(replace(x, body=x.body + long) for x in first.pulls),
        releases=tuple(replace(x, body=long) for x in first.releases),
    )
    page = data_page(day_of(forge_factory.report(replace(base, activities=(heavy, *base.activities[1:])))))
    assert len(page.text) < 100_000


def test_links_between_repositories_stand_at_the_top_and_others_with_their_repository() -> None:
    found = data()
    assert [(x["kind"], x["likely"]) for x in found["links"]] == [
        ("takes", False), ("uses_removed", True), ("mentions", False), ("mentions", False),
    ]  # fmt: skip
    assert [x["kind"] for x in engine(found)["links"]] == [
        "brings", "brings", "fixes", "fixes", "caused_by", "shipped_in",
    ]  # fmt: skip


def test_a_fix_of_another_repositorys_issue_is_a_link_between_them() -> None:
    base = forge_factory.forge_day()
    link = Link("fixes", f"pull:{ENGINE}#101", "issue:acme/quiet#5", (f"pull:{ENGINE}#101",))
    reading = replace(base.readings[0], links=(*base.readings[0].links, link))
    found = data(replace(base, readings=(reading, *base.readings[1:])))
    assert ("fixes", "issue:acme/quiet#5") in [(x["kind"], x["to"]) for x in found["links"]]


def test_without_a_forge_no_field_is_new() -> None:
    text = data_page(day_of(factory.report())).text
    found = json.loads(text)
    assert "across" not in found
    assert "left_out" not in found["coverage"]
    assert (found["coverage"]["issues"], found["links"], found["cost"]["requests"]) == (0, [], 0)
    assert all("links" not in repo and repo["issues"] == [] for repo in found["repos"])


def test_the_index_line_is_the_same_from_the_stored_file() -> None:
    report = forge_factory.report()
    assert day_line_from_json(data_page(day_of(report)).text.encode()) == day_line(day_of(report))
