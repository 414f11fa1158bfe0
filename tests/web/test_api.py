"""The JSON API: what it gives, page by page, its ETags and its errors; and that it is as it describes itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from starlette.types import ASGIApp

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.model.day import Day
from daybreak.report.archive.opening import FolderArchive
from daybreak.serve.web.app import api_routes
from daybreak.serve.web.endpoints import ENDPOINTS, Sources, description
from daybreak.serve.web.guard import Guard
from daybreak.serve.web.rows import Index
from daybreak.site.search.opening import Found
from feeds.days import REPO, Shelf, commit, day, days
from web.guarded import Got, app_of, ask

V1 = "/api/v1"


class NoSearch:
    """Asked for what it has not."""

    def find(self, query: str, limit: int = 20, offset: int = 0, language: str = "en", facets: bool = False) -> Found:
        raise UsageError(f"{limit} {offset} {language} of something.", "Try otherwise.")


def over(archive: Any) -> ASGIApp:
    from starlette.routing import Router

    return Guard(Router(api_routes(Sources(Index(archive), NoSearch))))


@pytest.fixture(scope="module")
def app(demo_week: Path) -> ASGIApp:
    return app_of(demo_week)


@pytest.fixture(scope="module")
def week(demo_week: Path) -> list[Day]:
    archive = FolderArchive(demo_week)
    return [found for label in archive.labels() if (found := archive.day(label))]


def items(app: ASGIApp, target: str) -> list[Any]:
    return list(ask(app, V1 + target).json()["items"])


def pages(app: ASGIApp, target: str) -> Iterator[Got]:
    following: str | None = V1 + target
    while following:
        got = ask(app, following)
        assert got.status == 200, got.text
        yield got
        following = got.json()["next"]
        link = got.headers.get("link")
        assert link == (f'<{following}>; rel="next"' if following else None)


# --- what it gives ---------------------------------------------------------------------------------------------------


def test_days_are_listed_newest_first(app: ASGIApp, week: list[Day]) -> None:
    listed = items(app, "/days")
    assert [one["day"] for one in listed] == [one.label for one in reversed(week)]
    full = next(one for one in listed if one["day"] == "2026-03-06")
    assert (full["commits_reported"], full["high"], full["medium"], full["low"]) == (11, 4, 3, 4)
    assert (full["breaking"], full["late"], full["repos"]) == (3, 1, 3)


def test_a_report_is_given_as_it_was_written(app: ASGIApp, demo_week: Path) -> None:
    for path in (demo_week / "reports").glob("????-??-??.json"):
        got = ask(app, f"{V1}/days/{path.stem}")
        assert got.body == path.read_bytes()
        assert got.headers["content-type"] == "application/json"


def test_every_change_is_listed_and_has_its_detail(app: ASGIApp, week: list[Day]) -> None:
    told = {(repo.name, one.sha) for found in week for repo, one in found.changes()}
    listed = items(app, "/changes?limit=200")
    assert {(one["repo"], one["sha"]) for one in listed} == told
    for one in listed[::7]:
        detail = ask(app, one["detail"]).json()
        assert (detail["day"], detail["repo"], detail["change"]["sha"]) == (one["day"], one["repo"], one["sha"])
        assert detail["change"]["subject"] == one["subject"]
        assert detail["story"] is None or detail["story"]["id"] == one["story"]


def test_a_change_is_found_by_its_first_digits(app: ASGIApp) -> None:
    one = items(app, "/changes?breaking=true&limit=1")[0]
    short = ask(app, f"{V1}/changes/{one['repo'].upper()}/{one['sha'][:7]}")
    assert short.json()["change"]["sha"] == one["sha"]


@pytest.mark.parametrize(
    ("query", "passes"),
    [
        ("repo=daybreak-demo/tilekit", lambda row: row["repo"] == "daybreak-demo/tilekit"),
        ("repo=DAYBREAK-DEMO/Tilekit", lambda row: row["repo"] == "daybreak-demo/tilekit"),
        ("repo=Tilekit", lambda row: row["repo"] == "daybreak-demo/tilekit"),
        ("level=high", lambda row: row["level"] == "high"),
        ("kind=perf", lambda row: row["kind"] == "perf"),
        ("breaking=true", lambda row: row["breaking"]),
        ("breaking=false", lambda row: not row["breaking"]),
        ("component=lantern", lambda row: any(c.split("/")[0] == "lantern" for c in row["components"])),
        ("component=lant", lambda row: False),
        ("since=2026-03-06", lambda row: row["day"] >= "2026-03-06"),
        ("until=2026-03-03", lambda row: row["day"] <= "2026-03-03"),
        (
            "since=2026-03-04&until=2026-03-04&level=high",
            lambda row: row["day"] == "2026-03-04" and row["level"] == "high",
        ),
    ],
)
def test_filters(app: ASGIApp, query: str, passes: Any) -> None:
    every, found = items(app, "/changes?limit=200"), items(app, f"/changes?limit=200&{query}")
    assert found == [row for row in every if passes(row)]
    assert len(found) < len(every)


def test_stories_releases_issues_and_pulls(app: ASGIApp, week: list[Day]) -> None:
    for name in ("stories", "releases", "issues", "pulls"):
        listed = items(app, f"/{name}?limit=200")
        assert len(listed) == sum(len(getattr(repo, name)) for found in week for repo in found.repos) > 0
    opened = items(app, "/issues?state=open&limit=200")
    assert {one["state"] for one in opened} == {"open"}
    assert {one["repo"] for one in items(app, "/pulls?repo=daybreak-demo/wick")} == {"daybreak-demo/wick"}
    (nans,) = (one for one in items(app, "/issues?repo=daybreak-demo/tilekit&limit=200") if one["number"] == 99)
    assert nans["fixes"] == [{"number": 100, "state": "open", "likely": False, "by_hand": True}]


def test_repositories_and_status(app: ASGIApp, week: list[Day]) -> None:
    repos = {one["name"]: one for one in items(app, "/repos")}
    assert list(repos) == ["daybreak-demo/lantern", "daybreak-demo/tilekit", "daybreak-demo/wick"]
    assert repos["daybreak-demo/wick"]["newest"] == "2026-03-06"
    assert sum(one["changes"] for one in repos.values()) == sum(1 for found in week for _ in found.changes())
    status = ask(app, f"{V1}/status").json()
    assert (status["days"], status["first"], status["newest"], status["unreadable"]) == (
        7,
        "2026-03-02",
        "2026-03-08",
        [],
    )


def test_search_goes_on_where_it_stopped(app: ASGIApp) -> None:
    whole = ask(app, f"{V1}/search?q=lantern&limit=100").json()
    assert whole["total"] > 3
    assert whole["next"] is None
    found = [one for got in pages(app, "/search?q=lantern&limit=3") for one in got.json()["items"]]
    assert found == whole["items"]


# --- page by page ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 7, 200])
def test_pages_put_together_are_the_whole(app: ASGIApp, limit: int) -> None:
    whole = items(app, "/changes?limit=200")
    parts = [got.json() for got in pages(app, f"/changes?limit={limit}")]
    assert [row for part in parts for row in part["items"]] == whole
    assert {part["total"] for part in parts} == {len(whole)}
    assert all(len(part["items"]) == limit for part in parts[:-1])


def test_a_new_day_moves_no_page() -> None:
    archive = Shelf.of(*days(3))
    app = over(archive)
    first = ask(app, f"{V1}/changes?limit=3").json()
    rest = ask(app, first["next"]).json()["items"]
    archive.kept["2026-02-01"] = day("2026-02-01")
    assert ask(app, first["next"]).json()["items"] == rest


def test_filters_stay_on_the_next_page(app: ASGIApp) -> None:
    for got in pages(app, "/changes?repo=daybreak-demo%2Flantern&limit=2"):
        assert {row["repo"] for row in got.json()["items"]} == {"daybreak-demo/lantern"}


def test_an_empty_archive() -> None:
    app = over(Shelf())
    assert ask(app, f"{V1}/changes").json() == {"items": [], "next": None, "total": 0, "unreadable": []}
    assert ask(app, f"{V1}/status").json()["newest"] is None
    assert ask(app, f"{V1}/repos").json() == {"items": [], "next": None, "total": 0, "unreadable": []}


def test_a_day_is_decoded_once_and_again_when_it_changed() -> None:
    archive = Shelf.of(*days(5))
    app = over(archive)
    for _ in range(3):
        assert ask(app, f"{V1}/changes").json()["total"] == 10
    assert archive.asked == 5
    archive.kept["2026-01-19"] = day(commits=(commit(9),))
    assert ask(app, f"{V1}/changes").json()["total"] == 9
    assert archive.asked == 6


def test_a_day_that_cannot_be_read_is_named_and_the_others_are_listed() -> None:
    archive = Shelf.of(day())
    archive.broken.add("2026-01-20")
    app = over(archive)
    assert ask(app, f"{V1}/changes").json()["total"] == 2
    assert ask(app, f"{V1}/status").json()["unreadable"] == ["2026-01-20"]
    for target in ("days", "changes", "stories", "releases", "issues", "pulls", "repos", "changes?limit=1"):
        assert ask(app, f"{V1}/{target}").json()["unreadable"] == ["2026-01-20"], target
    assert "2026-01-20 cannot be read" in ask(app, f"{V1}/changes/acme/engine/{'0' * 40}").json()["detail"]


def test_only_days_that_were_asked_for_are_named_as_unreadable() -> None:
    archive = Shelf.of(day())
    archive.broken |= {"2026-01-10", "2026-01-20"}
    app = over(archive)
    assert ask(app, f"{V1}/changes").json()["unreadable"] == ["2026-01-10", "2026-01-20"]
    assert ask(app, f"{V1}/changes?since=2026-01-11").json()["unreadable"] == ["2026-01-20"]
    assert ask(app, f"{V1}/days?until=2026-01-19").json()["unreadable"] == ["2026-01-10"]
    assert ask(over(Shelf.of(day())), f"{V1}/days").json()["unreadable"] == []


def test_a_day_whose_file_is_gone_or_closed_is_named_too(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "2026-01-20.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "reports" / "2026-01-21.json").write_text("{")
    answer = ask(over(FolderArchive(tmp_path)), f"{V1}/days").json()
    assert (answer["items"], answer["total"], answer["unreadable"]) == ([], 0, ["2026-01-20", "2026-01-21"])


def test_the_description_has_what_lists_could_not_read() -> None:
    schemas = json.loads(description())["components"]["schemas"]
    for name in ("DayPage", "ChangePage", "StoryPage", "ReleasePage", "ItemPage", "RepoList"):
        assert "unreadable" in schemas[name]["properties"]
        assert "unreadable" in schemas[name]["required"]


# --- ETags -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["/days", "/days/2026-03-06", "/changes?limit=2", "/status", "/openapi.json"])
def test_what_is_still_so_is_not_sent_again(app: ASGIApp, target: str) -> None:
    first = ask(app, V1 + target)
    again = ask(app, V1 + target, headers=[("if-none-match", first.headers["etag"])])
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers.get("link") == first.headers.get("link")
    assert ask(app, V1 + target, headers=[("if-none-match", '"other"')]).body == first.body


def test_a_changed_day_has_another_etag() -> None:
    archive = Shelf.of(day())
    app = over(archive)
    before = ask(app, f"{V1}/days").headers["etag"]
    archive.kept["2026-01-19"] = day(commits=())
    assert ask(app, f"{V1}/days").headers["etag"] != before


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "status", "words"),
    [
        ("/days/2026-03-09", 404, "There is no report of 2026-03-09."),
        ("/days/2026-02-30", 400, "date is a day such as 2026-03-06."),
        ("/days/..%2f..%2fdaybreak.toml", 404, ""),
        ("/days/%00", 400, "date is a day"),
        ("/changes/daybreak-demo/lantern/1234567", 404, "No report tells of 1234567 of daybreak-demo/lantern."),
        ("/changes/daybreak-demo/lantern/123456", 400, "sha is not of the form"),
        ("/changes/daybreak-demo/lantern/zzzzzzz", 400, "sha is not of the form"),
        ("/changes?limit=0", 400, "limit is a number from 1 to 200."),
        ("/changes?limit=1e2", 400, "limit is a number"),
        ("/changes?limit=%D9%A3", 400, "limit is a number"),
        ("/changes?limit=", 400, "limit is a number"),
        ("/changes?limit=5&limit=6", 400, "limit is given twice."),
        ("/changes?repos=a/b", 400, "This address knows no such parameter; did you mean repo?"),
        ("/changes?brekaing=true", 400, "This address knows no such parameter; did you mean breaking?"),
        ("/changes?nonsense=1", 400, "This address knows no such parameter; it knows "),
        ("/changes?cursor=2026-03-06", 400, "cursor is not of the form"),
        ("/changes?cursor=2026-03-06.1%0A", 400, "cursor is not of the form"),
        ("/changes?breaking=yes", 400, "breaking is true or false."),
        ("/changes?level=urgent", 400, "level is one of high, medium, low."),
        ("/changes?repo=x%20y", 400, "repo is not of the form"),
        ("/changes?repo=daybreak-demo/none", 404, "repo is one of daybreak-demo/lantern"),
        ("/changes?kind=nonsense", 400, "kind is one of feature"),
        ("/issues?kind=perf", 400, "kind is one of"),
        ("/findings?kind=hook_x", 400, "kind is one of"),
        ("/findings?mark=all", 400, "mark is one of breaks, deprecates, internals"),
        ("/series?since=2026-03-06&until=2026-03-05", 404, "since 2026-03-06 is after until 2026-03-05"),
        ("/changes?since=yesterday", 400, "since is a day such as 2026-03-06."),
        ("/changes?%ff=1", 400, "The query cannot be read."),
        ("/changes?" + "&".join("a=1" for _ in range(50)), 400, "The query cannot be read."),
        ("/search", 400, "q is missing."),
        ("/search?q=", 400, "q is empty."),
        ("/search?q=" + "x" * 401, 400, "q has at most 400 characters."),
        ("/repos?x=1", 400, "it knows none"),
        ("/none", 404, "/api/v1/openapi.json lists all"),
        ("/", 404, "/api/v1/openapi.json lists all"),
        ("", 404, "/api/v1/openapi.json lists all"),
    ],
)
def test_mistakes_are_problems(app: ASGIApp, target: str, status: int, words: str) -> None:
    got = ask(app, V1 + target, headers=[("accept", "text/html")])
    assert got.status == status, got.text
    assert got.headers["content-type"] == "application/problem+json"
    assert got.json()["status"] == status
    assert words in got.json().get("detail", "")


def test_a_mistake_in_a_search_is_told_with_its_tip() -> None:
    got = ask(over(Shelf()), f"{V1}/search?q=x&limit=5&cursor=10&language=zh")
    assert (got.status, got.json()["detail"]) == (400, "5 10 zh of something. Try otherwise.")


def test_a_store_that_does_not_answer_is_told() -> None:
    class Gone(Shelf):
        def digests(self) -> dict[str, str]:
            raise DaybreakError("The store cannot be reached.", "Start it.")

    got = ask(over(Gone()), f"{V1}/days")
    assert (got.status, got.json()["detail"]) == (503, "The store cannot be reached.")


def test_digits_that_several_changes_begin_with_are_no_answer() -> None:
    first = commit(1)
    twin = type(first)(
        **{name: getattr(first, name) for name in first.__struct_fields__} | {"sha": first.sha[:8] + "0" * 32}
    )
    app = over(Shelf.of(day(commits=(first, twin))))
    assert "give more digits" in ask(app, f"{V1}/changes/{REPO}/{first.sha[:8]}").json()["detail"]
    assert ask(app, f"{V1}/changes/{REPO}/{first.sha}").status == 200


def test_hostile_text_comes_out_as_it_went_in() -> None:
    hostile = "</script><script>alert(1)</script>\x1b[31m\u202e\x00 ]]>"
    app = over(Shelf.of(day(hostile=hostile)))
    got = ask(app, f"{V1}/changes")
    assert got.json()["items"][0]["subject"] == hostile
    assert b"\x1b" not in got.body
    assert got.headers["content-type"] == "application/json"
    assert got.headers["x-content-type-options"] == "nosniff"


# --- its description -------------------------------------------------------------------------------------------------


def test_the_description_names_every_address(app: ASGIApp) -> None:
    described = ask(app, f"{V1}/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    assert list(described["paths"]) == [one.path for one in ENDPOINTS]
    names = [operation["get"]["operationId"] for operation in described["paths"].values()]
    assert len(set(names)) == len(names)
    for schema in described["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_the_schema_of_a_report_is_served(app: ASGIApp) -> None:
    got = ask(app, f"{V1}/report.schema.json")
    assert got.headers["content-type"] == "application/schema+json"
    report = ask(app, f"{V1}/days/2026-03-06").json()
    jsonschema.validate(report, got.json())


def test_real_answers_are_as_described(app: ASGIApp) -> None:
    """Made requests rarely name a day or a change that exists: here every kind of answer is there."""
    described = ask(app, f"{V1}/openapi.json").json()
    change = items(app, "/changes?breaking=true&limit=1")[0]
    values = {"date": "2026-03-06", "sha": change["sha"]}
    values["owner"], values["name"] = change["repo"].split("/")
    for path, operation in described["paths"].items():
        target = path.format(**values) + ("?q=lantern" if path == "/search" else "")
        got = ask(app, V1 + target)
        assert got.status == 200, target
        ((media, content),) = operation["get"]["responses"]["200"]["content"].items()
        assert got.headers["content-type"] == media
        schema = {**content["schema"], "components": described["components"]}
        jsonschema.Draft202012Validator(schema).validate(json.loads(got.body))


def test_several_may_ask_at_once(app: ASGIApp) -> None:
    """Of threads that read, decode and describe at the same time, all get the same answers."""
    from concurrent.futures import ThreadPoolExecutor

    targets = ["/openapi.json", "/changes?limit=200", "/days/2026-03-06", "/search?q=lantern", "/repos"] * 4
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda target: ask(app, V1 + target), targets))
    assert {got.status for got in answers} == {200}
    for at, target in enumerate(targets[:5]):
        assert len({got.body for got in answers[at::5]}) == 1, target


def test_findings_are_asked_for_by_kind_symbol_and_mark(app: ASGIApp) -> None:
    every = items(app, "/findings?limit=200")
    assert len(every) > 20
    breaks = items(app, "/findings?mark=breaks&limit=200")
    assert breaks
    assert all(row["mark"] == "breaks" for row in breaks)
    one = breaks[0]
    alike = items(app, f"/findings?kind={one['kind']}&repo={one['repo'].rpartition('/')[2]}&limit=200")
    assert one in alike
    assert {row["kind"] for row in alike} == {one["kind"]}
    method = next(row for row in every if "." in row["symbol"] and "(" not in row["symbol"])
    part = method["symbol"].rpartition(".")[2]
    assert method in items(app, f"/findings?symbol={part}&limit=200")


def test_series_have_a_figure_for_every_repository_and_day(app: ASGIApp, week: list[Day]) -> None:
    rows = items(app, "/series?limit=200")
    assert len(rows) == sum(len(day.repos) for day in week)
    assert sum(row["commits"] for row in rows) == sum(len(repo.commits) for day in week for repo in day.repos)
