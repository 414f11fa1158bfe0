"""What GitHub has of the sample upstreams: in GitHub's own form, as of each midnight, and true to their histories."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from graphql import GraphQLResolveInfo, execute, parse

from daybreak.collect.github.queries import BROUGHT, ISSUES, ITEM, PULLS, RELEASE, RELEASES, TAGS, Part, document
from daybreak.collect.github.requests import VERSION
from daybreak.core.model.changes import Window
from daybreak.core.model.items import Envelope
from daybreak.core.windows import day
from daybreak.demo import history, week
from daybreak.demo.week import Sample
from fake_github.official import schema

ZONE = ZoneInfo(week.ZONE)
SINCE = "2026-03-02T00:00:00Z"
LISTS = {"index/issues": ISSUES, "index/pulls": PULLS, "index/releases": RELEASES, "index/tags": TAGS}
SINGLE: dict[str, tuple[str, dict[str, Any]]] = {
    "items": (ITEM, {"number": 1}),
    "releases": (RELEASE, {"tag": "v1"}),
    "brought": (BROUGHT, {"sha": "0" * 40}),
}
PAGE = {"hasNextPage": False, "endCursor": None}


def window(number: int) -> Window:
    """A day of March, after it."""
    end = datetime(2026, 3, number, tzinfo=ZONE) + timedelta(days=1)
    return day(end.date() - timedelta(days=1), ZONE, end)


@pytest.fixture(scope="module")
def samples() -> dict[str, Sample]:
    return {name: week.load(name, history.load(name)) for name in history.UPSTREAMS}


def found(sample: Sample, number: int) -> dict[tuple[str, str], Any]:
    return {(e.category, e.id): json.loads(e.body) for e in week.answers(sample, window(number))}


def item(sample: Sample, number: int, on: int) -> dict[str, Any]:
    got: dict[str, Any] = found(sample, on)["items", str(number)]
    return got


# --- GitHub's own form -------------------------------------------------------------------------------------------


def official(text: str, values: dict[str, Any], told: Any) -> Any:
    """What GitHub's schema makes of a value that stands where one of our queries has its answer."""
    query, variables = document([Part("o/n", text, dict, values)])
    name = text.partition("(")[0]

    def field(source: Any, info: GraphQLResolveInfo[Any], **_: Any) -> Any:
        return source[info.path.key]

    def kind(value: Any, *_: Any) -> str:
        return str(value["__typename"])

    root = {"p0": {name: told}}
    done = execute(schema(), parse(query), root, variable_values=variables, field_resolver=field, type_resolver=kind)
    assert done.errors is None, done.errors  # type: ignore[union-attr]
    return done.data["p0"][name]  # type: ignore[union-attr,index]


def checked(envelope: Envelope) -> None:
    told = json.loads(envelope.body)
    if envelope.category in LISTS:
        page = {"pageInfo": PAGE, "nodes": told}
        assert official(LISTS[envelope.category], {"first": 100, "after": None, "since": SINCE}, page) == page
    else:
        text, values = SINGLE[envelope.category]
        assert official(text, values, told) == told


def test_every_answer_is_what_githubs_own_schema_gives_for_our_queries() -> None:
    recorded = week.recorded()
    assert len(recorded) > 100
    assert {e.category for e in recorded} == {*LISTS, *SINGLE}
    for envelope in recorded:
        checked(envelope)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"title": None}, "Cannot return null"),
        ({"issueState": "SHUT"}, "cannot represent value"),
        ({"comments": {"totalCount": "many"}}, "cannot represent non-integer"),
    ],
)
def test_an_answer_of_another_form_would_be_found_out(samples: dict[str, Sample], change: Any, fault: str) -> None:
    told = item(samples["lantern"], 422, 6) | change
    with pytest.raises(AssertionError, match=fault):
        official(ITEM, {"number": 1}, told)


def test_they_are_kept_in_the_form_that_a_run_reads() -> None:
    assert week.VERSION == VERSION
    for envelope in week.recorded():
        assert envelope.version == VERSION
        assert envelope.fetched_at == window(int(envelope.label[-2:])).until


# --- as of a moment ----------------------------------------------------------------------------------------------


def test_an_issue_is_open_until_it_is_closed_and_open_again_when_it_is_reopened(samples: dict[str, Sample]) -> None:
    lantern = samples["lantern"]
    states = {on: item(lantern, 413, on) for on in (4, 5, 6)}
    assert [states[on]["issueState"] for on in (4, 5, 6)] == ["OPEN", "CLOSED", "OPEN"]
    assert [states[on]["stateReason"] for on in (4, 5, 6)] == [None, "NOT_PLANNED", "REOPENED"]
    assert states[6]["closedAt"] is None
    events = [node["timelineItems"]["nodes"] for node in found(lantern, 6)["index/issues", span(6)]]
    assert [{"__typename": "ReopenedEvent", "createdAt": "2026-03-06T02:12:00Z"}] in events


def test_a_timeline_says_what_closed_an_issue_and_what_was_linked_by_hand(samples: dict[str, Sample]) -> None:
    home = {"nameWithOwner": "daybreak-demo/lantern"}
    pull = {"__typename": "PullRequest", "number": 424, "repository": home}
    [closing] = item(samples["lantern"], 402, 6)["turns"]["nodes"]
    assert closing == {"__typename": "ClosedEvent", "createdAt": "2026-03-06T07:31:48Z", "closer": pull}
    turns = item(samples["lantern"], 413, 6)["turns"]["nodes"]
    assert [(x["__typename"], x.get("closer")) for x in turns] == [("ClosedEvent", None), ("ReopenedEvent", None)]
    assert item(samples["lantern"], 402, 2)["turns"]["nodes"] == [], "it was open then"
    for number, other in ((99, 100), (100, 99)):
        [linked] = item(samples["tilekit"], number, 6)["turns"]["nodes"]
        assert (linked["__typename"], linked["subject"]["number"]) == ("ConnectedEvent", other)


def span(number: int) -> str:
    one = window(number)
    return f"{week.stamp(one.since)}..{week.stamp(one.until)}"


def test_nothing_of_a_later_day_is_known(samples: dict[str, Sample]) -> None:
    for sample in samples.values():
        for on in range(2, 9):
            end = week.stamp(window(on).until)
            for (category, _), told in found(sample, on).items():
                for one in told if isinstance(told, list) else [told]:
                    times = [v for k, v in one.items() if k.endswith("At") and v]
                    assert all(at <= end for at in times), (category, one)


def test_a_pull_request_is_linked_to_what_it_closes_from_its_opening_on(samples: dict[str, Sample]) -> None:
    lantern = samples["lantern"]
    assert item(lantern, 402, 2)["linked"]["nodes"] == []
    assert [x["number"] for x in item(lantern, 402, 6)["linked"]["nodes"]] == [424]
    assert [x["number"] for x in item(lantern, 424, 6)["linked"]["nodes"]] == [402]


# --- true to the histories ---------------------------------------------------------------------------------------


def test_every_change_that_names_a_number_was_brought_by_that_pull_request(samples: dict[str, Sample]) -> None:
    for sample in samples.values():
        by_commit = {pull["commit"]: pull for pull in sample.pulls if "commit" in pull}
        for commit in sample.history.commits.values():
            last = commit.message.split("\n")[0].rpartition("(#")[2].removesuffix(")")
            if last.isdigit() and commit.date >= window(2).since:
                pull = by_commit[commit.id]
                assert pull["number"] == int(last)
                assert commit.message.startswith(f"{pull['title']} (#{last})")


def test_sizes_are_those_of_the_commits(samples: dict[str, Sample], tmp_path: Path) -> None:
    for name, sample in samples.items():
        history.build(sample.history, tmp_path / name)
        for pull in sample.pulls:
            if "commit" not in pull:
                continue
            sha = sample.history.sha(pull["commit"])
            asked = ["git", f"--git-dir={tmp_path / name}", "diff", "-M", "--numstat", f"{sha}^1", sha]
            rows = [line.split("\t") for line in subprocess.check_output(asked, text=True).splitlines()]
            added, deleted = (sum(int(row[n]) for row in rows if row[n] != "-") for n in (0, 1))
            assert pull["size"] == [len(rows), added, deleted], pull["number"]


def test_numbers_follow_the_time_of_opening(samples: dict[str, Sample]) -> None:
    for sample in samples.values():
        items = sorted((*sample.issues, *sample.pulls), key=lambda x: x["number"])
        assert items == sorted(items, key=lambda x: x["opened"])
        for pull in sample.pulls:
            if "merged" in pull:
                assert pull["opened"] < pull["merged"]
                assert sample.history.commits[pull["commit"]].date <= pull["merged"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('name = "other/name"', "is not"),
        ('name = "daybreak-demo/wick"\n[[issue]]\nnumber = 1\n[[pull]]\nnumber = 1', "given twice"),
        ('name = "daybreak-demo/wick"\n[[pull]]\nnumber = 1\ncommit = "zz"', "no commit zz"),
    ],
)
def test_a_file_that_is_wrong_says_where(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        week.parse(text, history.load("wick"))
