"""The report as data: the contract's fields, valid against the schema, and enough to rebuild the index."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from daybreak.judge.day_value import day_of
from daybreak.report.index import day_line, day_line_from_json
from daybreak.report.render.markdown import data_page
from render import factory

SCHEMA = json.loads(
    resources.files("daybreak.report.render").joinpath("report.schema.json").read_text(encoding="utf-8")
)


def text() -> str:
    page = data_page(day_of(factory.report()))
    assert page.path == "reports/2026-01-19.json"
    return page.text


def data() -> Any:
    return json.loads(text())


def test_the_schema_is_a_schema_and_the_report_fits_it() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(data(), SCHEMA, cls=jsonschema.Draft202012Validator)


def test_the_schema_asks_for_every_field_of_the_contract() -> None:
    broken = data()
    del broken["repos"][0]["commits"][0]["files_total"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_top_level_order() -> None:
    assert list(data()) == [
        "schema", "window", "languages", "tool", "analyst", "coverage", "unread", "repos", "actions", "also", "more_actions", "worth", "headline", "links", "summary",
        "conclusion", "grounding", "cost", "revised", "completed", "pages",
    ]  # fmt: skip


def test_it_reads_well_and_ends_with_a_newline() -> None:
    assert text().startswith('{\n "schema": "daybreak.report/1",\n')
    assert text().endswith("}\n")
    assert "破坏性变更" in text()
    assert text() == text()


def test_counts_and_skips() -> None:
    coverage = data()["coverage"]
    assert (coverage["commits_in_git"], coverage["commits_reported"], coverage["repos_unknown"]) == (8, 8, 1)
    assert len(coverage["skipped"]) == 2
    assert [r["updated"] for r in data()["repos"]] == [True, False, None]


def test_a_commit_has_what_the_contract_names() -> None:
    first = data()["repos"][0]["commits"][0]
    assert first["pr"] == {"number": 101, "url": "https://github.com/acme/engine/pull/101"}
    assert first["committed_at"] == "2026-01-19T19:59:00+08:00"
    assert first["released"] == "v1.2.0"
    assert first["findings"][0]["alias"] == {"status": "none", "where": None}
    assert first["findings"][0]["effective"] == {"with": "pin"}
    assert first["importance"]["reasons"] == [
        {"code": "code", "text": {"zh": "改动运行时代码", "en": "changes code that runs"}}
    ]


def test_memory_can_be_rebuilt() -> None:
    repo = data()["repos"][0]
    assert [c["filtered"] for c in repo["commits"]].count(True) == 1
    assert repo["late"][0]["sha"] == factory.sha(30)
    assert (repo["branch"], repo["head"], repo["rewritten"]) == ("main", factory.sha(1), factory.sha(77))
    assert (repo["in_git"], repo["complete"]) == (8, False)


def test_open_is_there_only_when_it_is() -> None:
    assert "open" not in data()["window"]
    page = data_page(day_of(factory.report(open_=True)))
    assert json.loads(page.text)["window"]["open"] is True


def test_bytes_that_were_no_text_do_not_stop_it() -> None:
    odd = factory.entry(factory.change(1, "bad \udcff byte \x1b[0m"))
    report = factory.report(replace(factory.busy(), entries=(odd,)))
    found = json.loads(data_page(day_of(report)).text)
    assert found["repos"][0]["commits"][0]["subject"].startswith("bad \ufffd")


@pytest.mark.parametrize("languages", [("zh", "en"), ("en", "zh"), ("en",)])
def test_the_index_line_is_the_same_from_the_stored_file(languages: tuple[str, ...]) -> None:
    report = factory.report(languages=languages)
    page = data_page(day_of(report))
    assert day_line_from_json(page.text.encode()) == day_line(day_of(report))
    assert day_line(day_of(report)).headline == day_of(report).headline[languages[0]]
    assert (day_line(day_of(report)).commits, day_line(day_of(report)).high, day_line(day_of(report)).skipped) == (
        8,
        2,
        2,
    )


def test_a_quiet_day_has_a_line_too() -> None:
    report = factory.report(factory.quiet())
    assert day_line_from_json(data_page(day_of(report)).text.encode()) == day_line(day_of(report))


@pytest.mark.parametrize("garbage", [b"", b"{}", b"[1]", b"not json", b'{"window": {"label": 3}}'])
def test_what_is_no_report_is_refused(garbage: bytes) -> None:
    with pytest.raises(ValueError, match="not a daybreak report"):
        day_line_from_json(garbage)
