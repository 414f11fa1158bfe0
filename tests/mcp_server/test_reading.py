"""What the tools say of the demo's week: days, a report, a change, what breaks, and the history of a name."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.model.day import Finding
from daybreak.findings.kinds import kinds
from daybreak.serve.mcp import breaking, changes, days
from daybreak.serve.mcp.context import Desk
from mcp_server.asking import DAY, RENAME, ask, desk_of, refused
from pages import shelf


def test_days_are_listed_newest_first_and_go_on_by_cursor(desk: Desk) -> None:
    first = days.list_days(desk, limit=3)
    assert [row["date"] for row in first["days"]] == ["2026-03-08", "2026-03-07", "2026-03-06"]
    assert first["days"][2]["breaking"] == 3
    assert first["omitted"] == {"days": {"count": 4, "next": "days:3"}}
    rest = days.list_days(desk, limit=50, cursor="days:3")
    assert [row["date"] for row in rest["days"]] == ["2026-03-05", "2026-03-04", "2026-03-03", "2026-03-02"]
    assert rest["omitted"] == {}
    assert days.list_days(desk, since="2026-03-07", until="2026-03-07")["days"][0]["date"] == "2026-03-07"


def test_a_report_says_what_to_act_on_and_counts_what_it_does_not_tell(desk: Desk) -> None:
    report = days.get_report(desk, DAY, language="en", limit=2)
    asked = days.get_report(desk, DAY, ["actions"], language="en")["actions"]
    renamed = next(action for action in asked if action.get("findings") == [f"{RENAME}/1"])
    assert renamed["url"].startswith(f"https://github.example/daybreak-demo/lantern/commit/{RENAME}")
    assert len(report["changes"]) == 2
    assert report["omitted"]["changes"]["count"] + 2 + report["below_level"] == 12
    low = days.get_report(desk, DAY, ["changes"], level="low", language="en")
    assert (len(low["changes"]), low["below_level"]) == (12, 0)
    levels = [row["level"] for row in low["changes"]]
    assert levels == sorted(levels, key=["high", "medium", "low"].index)
    assert "summary" not in low


def test_the_pages_of_a_list_are_the_whole_list(desk: Desk) -> None:
    whole = days.get_report(desk, DAY, ["changes"], level="low")["changes"]
    paged: list[Any] = []
    cursor: str | None = None
    while True:
        part = days.get_report(desk, DAY, ["changes"], level="low", limit=5, cursor=cursor)
        paged += part["changes"]
        if "changes" not in part["omitted"]:
            break
        cursor = part["omitted"]["changes"]["next"]
    assert paged == whole


def test_every_section_of_a_report_can_be_had_in_both_languages(desk: Desk) -> None:
    for language in ("zh", "en"):
        report: Any = days.get_report(desk, DAY, list(days.SECTIONS), language=language, limit=100)
        assert set(days.SECTIONS) <= set(report)
        assert report["issues"][0]["number"]
        assert report["releases"][0]["repo"] == "daybreak-demo/wick"
    assert "更名" in str(days.get_report(desk, DAY, ["actions"], language="zh"))
    assert "renames" in str(days.get_report(desk, DAY, ["actions"], language="en"))


@pytest.mark.parametrize("name", [RENAME, "#418", "lantern#418", "daybreak-demo/lantern#418", f"lantern@{RENAME}",
                                  "https://github.example/daybreak-demo/lantern/pull/418"])  # fmt: skip
def test_a_change_is_found_by_every_name_it_has(desk: Desk, name: str) -> None:
    answer = changes.get_change(desk, name, language="en")
    found = answer["found"][0]
    assert found["sha"].startswith(RENAME)
    assert found["source"] == "report"
    assert found["page"] == f"en/changes/daybreak-demo-lantern/{RENAME}.html"
    fact = found["facts"][0]
    assert (fact["id"], fact["kind"], fact["breaking"], fact["alias"]) == (
        f"{RENAME}/1",
        "cli_flag_renamed",
        True,
        "none",
    )
    assert fact["untrusted"]["before"] == "--max-num-seqs"
    assert fact["untrusted"]["after"] == "--max-running-requests"
    assert '+            "--max-running-requests",' in found["hunks"][0]["untrusted"]["text"]
    assert f"finding:{RENAME}/1" in found["statements"][0]["evidence"]


def test_a_change_that_no_report_tells_is_read_from_the_mirror_and_says_so(desk: Desk) -> None:
    found = changes.get_change(desk, "6c2ea11a711e")["found"][0]
    assert (found["source"], found["repo"]) == ("mirror", "daybreak-demo/lantern")
    assert found["statements"] == []
    assert found["paths"]


def test_changes_of_a_number_that_are_not_given_are_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "others" not in changes.get_change(desk, "daybreak-demo/lantern#418")
    monkeypatch.setattr(changes, "MOST", 0)
    told = changes.get_change(desk, "daybreak-demo/lantern#418")
    assert (told["found"], told["others"]) == ([], [f"daybreak-demo/lantern@{RENAME}"])


def test_an_issue_number_gives_the_issue(desk: Desk) -> None:
    answer = changes.get_change(desk, "lantern#422", language="en")
    assert answer["found"] == []
    assert answer["items"][0]["kind"] == "issue"
    assert "server does not start" in answer["items"][0]["untrusted"]["title"]


def test_an_issue_says_how_its_fix_was_linked(desk: Desk) -> None:
    (issue,) = changes.get_change(desk, "tilekit#99", language="en")["items"]
    assert (issue["fixed_by"], issue["fixes_linked_by_hand"]) == ([100], [100])
    assert "reopened_after" not in issue


def test_breaking_changes_carry_before_and_after_and_the_way_out(desk: Desk) -> None:
    answer: Any = breaking.list_breaking(desk, language="en", limit=50)
    assert (answer["since"], answer["until"], answer["total"]) == ("2026-03-02", "2026-03-08", 7)
    row = next(one for one in answer["changes"] if one["sha"] == RENAME)
    assert row["breaks"][0]["untrusted"]["after"] == "--max-running-requests"
    assert "What to do" in row["untrusted"]["to_do"]
    other: Any = breaking.list_breaking(desk, since=DAY, until=DAY, repo="tilekit")
    assert {one["repo"] for one in other["changes"]} <= {"daybreak-demo/tilekit"}


def test_findings_are_asked_for_by_kind_surface_symbol_and_mark(desk: Desk) -> None:
    every: Any = breaking.findings(desk, limit=100)
    assert every["total"] >= len(every["findings"]) > 10
    one = every["findings"][0]
    alike: Any = breaking.findings(desk, kind=one["kind"], repo=one["repo"].rpartition("/")[2], limit=100)
    assert one["id"] in [row["id"] for row in alike["findings"]]
    assert {row["kind"] for row in alike["findings"]} == {one["kind"]}
    flags: Any = breaking.findings(desk, kind="cli", mark="breaks", limit=100)
    assert {row["mark"] for row in flags["findings"]} == {"breaks"}
    named: Any = breaking.findings(desk, symbol="--max-running-requests")
    assert named["total"] <= every["total"]
    with pytest.raises(UsageError, match="no kind of finding") as refused_kind:
        breaking.findings(desk, kind="env_remove")
    assert "env_removed" in refused_kind.value.tip


def test_a_part_of_a_symbol_names_it() -> None:
    assert breaking.is_part("AttentionBackend.validate_configuration", "attentionbackend")
    assert breaking.is_part("AttentionBackend.validate_configuration", "validate_configuration")
    assert breaking.is_part("--max-len", "--max-len")
    assert not breaking.is_part("AttentionBackendEnum", "AttentionBackend")


def test_each_mark_has_its_own_list_and_only_findings_that_show_it(desk: Desk) -> None:
    for mark in ("breaks", "deprecates", "internals"):
        answer: Any = breaking.list_breaking(desk, mark=mark, limit=50)
        for row in answer["changes"]:
            assert row.get("breaks") or row.get("facts")
    every: Any = breaking.list_breaking(desk, limit=50)
    assert every == breaking.list_breaking(desk, mark="breaks", limit=50)


def test_a_range_is_netted_from_the_mirror(desk: Desk) -> None:
    answer: Any = breaking.list_breaking(desk, repo="lantern", range="v0.7.0..main", language="en", limit=2)
    assert answer["source"] == "range"
    assert answer["range"]["commits"] == 23
    assert answer["omitted"]["nets"] == {"count": answer["total"] - 2, "next": "nets:2"}
    rest: Any = breaking.list_breaking(desk, repo="lantern", range="v0.7.0..main", limit=50, cursor="nets:2")
    assert "--max-running-requests" in str(answer["nets"]), "what users type comes first"
    assert len(rest["nets"]) == answer["total"] - 2
    assert all(net["url"].startswith("https://github.example/daybreak-demo/lantern/commit/") for net in rest["nets"])


def test_a_range_that_takes_too_long_stops_with_a_word(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaking, "LONGEST", -1.0)
    with pytest.raises(DaybreakError, match="The range is long") as stopped:
        breaking.list_breaking(desk, repo="lantern", range="v0.7.0..main")
    assert "Ask again" in stopped.value.tip
    with desk.alone():  # and the next question is let in
        pass


def test_repositories_that_were_not_looked_through_in_time_are_named(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaking, "LONGEST_NAME", -1.0)
    answer = breaking.symbol_history(desk, "max_num_seqs")
    assert [one["untrusted"]["what"] for one in answer["not_searched"]] == desk.names()
    assert answer["nothing_in"] == []


def test_the_history_of_a_name_follows_its_renames(desk: Desk) -> None:
    answer = breaking.symbol_history(desk, "max_num_seqs")
    assert answer["nothing_in"] == ["daybreak-demo/tilekit", "daybreak-demo/wick"]
    found = answer["found"][0]
    assert (found["source"], found["state"]) == ("mirror", "gone")
    assert [event["kind"] for event in found["events"]] == ["cli_flag_renamed", "cli_flag_added"]
    assert found["events"][0]["sha"] == RENAME
    assert "--max-running-requests" in found["untrusted"]["names"]


def test_without_a_mirror_the_history_comes_from_reports_and_says_so(own_demo_week: Path) -> None:
    found = breaking.symbol_history(desk_of(own_demo_week), "max_num_seqs", "lantern")["found"][0]
    assert (found["source"], found["days_searched"]) == ("reports", 7)
    assert found["events"][0]["id"] == f"{RENAME}/1"
    assert breaking.symbol_history(desk_of(own_demo_week), "no_such_name")["found"] == []


def test_search_finds_changes_and_counts_the_rest(desk: Desk) -> None:
    answer = ask(desk, "search", {"query": "max-num-seqs", "limit": 1, "language": "en"})
    assert answer["total"] >= 1
    assert len(answer["hits"]) == 1
    assert answer["total"] == 1 or answer["omitted"]["hits"]["count"] == answer["total"] - 1
    assert ask(desk, "search", {"query": "nosuchwordatall"})["hits"] == []


# --- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("get_report", {"date": "2026-3-6"}, "date: string should match"),
        ("get_report", {"date": "2025-01-01"}, "There is no report of 2025-01-01. The nearest is 2026-03-02"),
        ("get_report", {"dat": DAY}, "'dat' is no argument of this tool. Did you mean 'date'?"),
        ("get_report", {"sections": ["gossip"]}, "sections: input should be"),
        ("get_report", {"cursor": "../../etc/passwd"}, "The cursor is none of ours."),
        ("get_report", {"cursor": "gossip:3"}, "'gossip' is no section"),
        ("list_days", {"limit": 0}, "limit: input should be greater"),
        ("list_days", {"since": "2026-13-40"}, "is not a date. Write it as 2026-01-31."),
        ("list_days", {"since": "2026-03-08", "until": "2026-03-01"}, "since 2026-03-08 is after until"),
        ("get_report", {"repo": "lantrn"}, "'lantrn' is not on the watchlist."),
        ("get_change", {"change": "zzz"}, "'zzz' names no change."),
        ("get_change", {"change": "0000000"}, "is in no reported day and in no mirror"),
        ("get_change", {"change": "x" * 500}, "change: string should have at most 400"),
        ("list_breaking", {"range": "v1..v2"}, "A range needs its repository."),
        ("list_breaking", {"repo": "lantern", "range": "--upload-pack=x..y"}, "is no range."),
        ("list_breaking", {"repo": "lantern", "range": "v9..v10"}, "has no tag, branch or commit"),
        ("symbol_history", {"name": "-rf /; echo"}, "is not a name."),
        ("check_statement", {"text": "x" * 20_001}, "text: string should have at most 20000"),
        ("check_statement", {"text": " "}, "There is no statement."),
        ("search", {"query": ""}, "query: string should have at least 1"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_with_a_tip(desk: Desk, name: str, arguments: dict[str, Any], said: str) -> None:
    text = refused(desk, name, arguments)
    assert said in text
    assert "\n" not in text
    assert len(text) < 700
    assert "Error executing" not in text


def test_without_reports_every_tool_says_so_or_answers_with_nothing(tmp_path: Path) -> None:
    (tmp_path / "daybreak.toml").write_text('[[repo]]\nname = "acme/engine"\n', encoding="utf-8")
    desk = desk_of(tmp_path)
    assert ask(desk, "list_days", {})["days"] == []
    assert "There is no reported day yet." in refused(desk, "get_report", {})
    assert "There is no reported day yet." in refused(desk, "list_breaking", {})
    assert "is in no reported day" in refused(desk, "get_change", {"change": RENAME})
    assert ask(desk, "search", {"query": "anything"})["hits"] == []
    assert ask(desk, "symbol_history", {"name": "anything"})["nothing_in"] == ["acme/engine"]
    assert ask(desk, "check_statement", {"text": "`x` was removed."})["verdict"] == "undecided"
    assert not (tmp_path / ".daybreak" / "daybreak.db").exists()


def test_a_day_that_cannot_be_read_is_an_error_and_no_peace(tmp_path: Path) -> None:
    (tmp_path / "daybreak.toml").write_text('[[repo]]\nname = "acme/engine"\n', encoding="utf-8")
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "2026-03-06.json").write_text("{}", encoding="utf-8")
    assert "2026-03-06" in refused(desk_of(tmp_path), "list_breaking", {"since": "2026-03-06"})


def test_a_repository_that_two_could_be_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "daybreak.toml").write_text('[[repo]]\nname = "a/x"\n[[repo]]\nname = "b/x"\n', encoding="utf-8")
    with pytest.raises(UsageError, match="not on the watchlist"):
        desk_of(tmp_path).repo("x")


def test_whoever_implements_an_extension_point_is_told_of_its_new_form() -> None:
    """Also where nothing of ours breaks by it: a plug-in is handed an argument that it does not know."""
    kind = next(one.name for one in kinds().values() if one.family == "extension_method" and one.change not in ("added", "removed", "renamed"))  # fmt: skip
    fact = Finding("000000000001/1", kind, "engine/backend.py", 3, "Backend.validate", "(self)", "(self, pcp=False)")
    day = shelf.day(
        "2026-03-02", shelf.repo([shelf.commit(1, "Add a mode", findings=(fact,)), shelf.commit(2, "Other")])
    )
    told: Any = breaking._of_days(SimpleNamespace(days=lambda _: [day]), ["2026-03-02"], None, "breaks_internals", "en", 12, 0)  # type: ignore[arg-type]  # fmt: skip
    assert [row["breaks"][0]["untrusted"]["symbol"] for row in told["changes"]] == ["Backend.validate"]
    assert breaking._has(fact, "breaks_internals")
    assert breaking._fact(day, day.repos[0], day.repos[0].commits[0], fact)["mark"] == "internals"


def test_a_class_that_plugins_derive_from_comes_before_what_only_forks_reach_into() -> None:
    held = Finding("000000000001/1", "internal_field_required_added", "engine/meta.py", 3, "Meta.rows", None, "rows: int", True)  # fmt: skip
    gone = Finding("000000000002/1", "class_removed", "engine/backend.py", 3, "SparseImpl", "SparseImpl", None)
    day = shelf.day(
        "2026-03-02",
        shelf.repo([shelf.commit(1, "Hold more", findings=(held,)), shelf.commit(2, "Go", findings=(held, gone))]),
    )
    told: Any = breaking._of_days(SimpleNamespace(days=lambda _: [day]), ["2026-03-02"], None, "breaks_internals", "en", 12, 0)  # type: ignore[arg-type]  # fmt: skip
    assert [row["untrusted"]["subject"] for row in told["changes"]] == ["Go", "Hold more"]
