"""`daybreak show` as a user runs it: a name's history, one change, one day; in 80 columns and in one sentence when not."""

from __future__ import annotations

import difflib
import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.place import DAY, Place
from daybreak.cli import main
from daybreak.core.errors import UsageError
from daybreak.upgrade.name_history import check
from daybreak.upgrade.name_search import NameSearch
from gitrepo import GitRepo

ARGS, ENVS, BASE = "engine/server_args.py", "engine/envs.py", "engine/base.py"


def flag(name: str, default: int) -> str:
    return f'parser.add_argument(\n    "{name}",\n    type=int,\n    default={default},\n)\n'


@pytest.fixture
def upstream(repo: GitRepo) -> GitRepo:
    """A flag that comes, changes, is renamed and goes; a variable that stays; releases in between."""
    other = 'parser.add_argument("--other")\n'
    repo.commit("Start (#1)", {ARGS: other, BASE: "x = 1\n"}, at="2026-01-01T10:00:00")
    repo.commit("Add a flag (#2)", {ARGS: other + flag("--max-size", 1)}, at="2026-01-02T10:00:00")
    repo.git("tag", "v1.0.0", "main")
    repo.commit("Raise it (#3)", {ARGS: other + flag("--max-size", 8)}, at="2026-01-03T10:00:00")
    repo.commit("Unrelated (#4)", {BASE: "x = 2\n"}, at="2026-01-04T10:00:00")
    repo.commit("Another name (#5)", {ARGS: other + flag("--size-limit", 8)}, at="2026-01-05T10:00:00")
    repo.git("tag", "v1.1.0", "main")
    repo.commit("Take it out (#6)", {ARGS: other}, at="2026-01-06T10:00:00")
    env = 'import os\nenvironment_variables = {\n    "ENGINE_FAST": lambda: os.getenv("ENGINE_FAST", "0"),\n}\n'
    repo.commit("Read a variable (#7)", {ENVS: env}, at="2026-01-07T10:00:00")
    return repo


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command in the same process: (exit code, stdout, stderr)."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["show", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def at(upstream: GitRepo, *more: str) -> list[str]:
    return ["--git", str(upstream.path), "--repo", "acme/engine", "--since", "all", *more]


def test_the_history_of_a_flag_through_its_rename(upstream: GitRepo, said: Any) -> None:
    code, out, err = said(*at(upstream), "--", "--max-size")
    assert code == 0
    assert err.index("looking through") < err.index(
        "of them, which touch lines with --max-size"
    )  # each count has a name
    rows = [line for line in out.splitlines() if line.startswith("2026-")]
    assert [(row[:10], row[12:24].strip(), row.rsplit(None, 1)[1]) for row in rows] == [
        ("2026-01-02", "v1.0.0", "#2"),
        ("2026-01-03", "v1.1.0", "#3"),
        ("2026-01-05", "v1.1.0", "#5"),
        ("2026-01-06", "unreleased", "#6"),
    ]
    assert [word for row in rows for word in ("added", "default changed", "renamed", "removed") if word in row] == [
        "added",
        "default changed",
        "renamed",
        "removed",
    ]
    assert "1 → 8" in rows[1]
    assert "Today: gone since 2026-01-05 (v1.1.0)" in out
    assert max(map(len, out.splitlines())) <= 80


def test_dashes_may_be_left_out(upstream: GitRepo, said: Any) -> None:
    assert said("max-size", *at(upstream))[1].count("\n2026-") == 4


def test_what_is_there_today_is_said_with_its_place(upstream: GitRepo, said: Any) -> None:
    code, out, _ = said("ENGINE_FAST", *at(upstream))
    assert code == 0
    assert "Today: present, engine/envs.py:3." in out
    assert "2026-01-07" in out


def test_a_name_as_data(upstream: GitRepo, said: Any) -> None:
    row = json.loads(said("size-limit", *at(upstream), "--json")[1])
    assert row["names"] == ["--max-size", "--size-limit"]
    kinds = [event["finding"]["kind"] for event in row["events"]]
    assert kinds == ["cli_flag_added", "cli_default_changed", "cli_flag_renamed", "cli_flag_removed"]
    assert (row["present"], row["searched"]) == ([], 7)


def test_older_commits_are_left_out(upstream: GitRepo, said: Any) -> None:
    code, out, _ = said("max-size", "--git", str(upstream.path), "--since", "2026-01-04")
    assert code == 0
    assert "default changed" not in out
    assert "since 2026-01-04, 4 commits" in out


def test_one_change_by_sha_and_by_number(upstream: GitRepo, said: Any) -> None:
    sha = upstream.text("rev-parse", "main~1")
    code, out, _ = said(sha[:10], *at(upstream))
    assert code == 0
    assert "Take it out (#6)" in out
    assert "removed (breaking)" in out
    assert said("#6", *at(upstream))[1] == out
    assert said("6", *at(upstream))[1] == out
    assert json.loads(said("#3", *at(upstream), "--json")[1])["released"] == "v1.1.0"


@pytest.mark.parametrize(
    ("what", "tip"), [("no_such_name", "how it is written"), ("#99", "`(#99)`"), ("deadbeef", "how it is written")]
)
def test_what_is_nowhere_is_one_sentence(upstream: GitRepo, said: Any, what: str, tip: str) -> None:
    code, out, err = said(what, *at(upstream))
    assert (code, out) == (1, "")
    assert "is nowhere in what was looked through" in err
    assert tip in err
    assert "--since all" not in err


@pytest.mark.parametrize(("what", "meant"), [("ENGINE_FSAT", "ENGINE_FAST"), ("--othre", "other")])
def test_a_name_that_is_nowhere_is_told_with_those_written_nearly_so(
    upstream: GitRepo, said: Any, what: str, meant: str
) -> None:
    code, out, err = said(*at(upstream), "--", what)
    assert (code, out) == (1, "")
    assert f"Did you mean `{meant}`?" in err
    early = f"{what} stands in no newest commit; near to it: `{meant}`"
    assert err.index(early) < err.index("looking through"), "nobody waits for a year of commits to learn of a typo"


def test_a_name_that_only_reports_tell_is_not_near_to_itself(
    upstream: GitRepo, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(difflib, "get_close_matches", lambda last, written, **_: [last, *written][:1])
    *_, err = said("ENGINE_GONE_FOR_LONG", *at(upstream))
    assert "near to it: `ENGINE_GONE_FOR_LONG`" not in err


def test_where_a_field_went_is_told_though_a_new_file_holds_it(repo: GitRepo, said: Any) -> None:
    field, other = "    offload_gb: float = 0\n", "    size: int = 1\n"
    cache, offload = "engine/cache.py", "engine/offload.py"
    repo.commit("Start (#1)", {cache: f"class CacheConfig:\n{other}{field}", BASE: "x = 1\n"}, at="2026-01-01T10:00:00")
    repo.commit("Options of its own (#2)", {offload: f"class OffloadConfig:\n{field}"}, at="2026-01-02T10:00:00")
    repo.commit("Remove it there (#3)", {cache: f"class CacheConfig:\n{other}"}, at="2026-01-03T10:00:00")
    code, out, _ = said("offload_gb", *at(repo), "--since", "2026-01-02")
    assert code == 0
    assert "OffloadConfig.offload_gb: field" in out
    assert [row[2] for row in rows(out)] == ["#2"]
    assert said("CacheConfig.offload_gb", *at(repo), "--since", "2026-01-02")[1].count("OffloadConfig") == 0


def test_a_longer_name_is_another_name(repo: GitRepo, said: Any) -> None:
    repo.commit("Start (#1)", {ARGS: flag("--max-size", 1)}, at="2026-01-01T10:00:00")
    repo.commit("More (#2)", {"engine/more.py": flag("--max-sizes", 1)}, at="2026-01-02T10:00:00")
    _, out, err = said("max-size", *at(repo))
    assert [row[2] for row in rows(out)] == ["#1"]
    assert "reading 1 commit of them" in err


def test_a_name_that_may_be_older_is_looked_for_further_back(upstream: GitRepo, said: Any) -> None:
    code, _, err = said("no_such_name", "--git", str(upstream.path), "--since", "2026-01-07")
    assert code == 1
    assert "--since all" in err


def test_what_is_a_sha_or_nothing_is_not_looked_for_in_all_that_was(upstream: GitRepo, said: Any) -> None:
    address = ("--git", str(upstream.path))
    for what in ("deadbeefdead", "deadbeef1234", "0" * 40):
        code, out, err = said(what, *address)
        assert (code, out) == (1, "")
        assert "looking through" not in err
    assert "looking through" in said("deadbeefdead", *address, "--since", "all")[2]
    upstream.commit("A word of such letters (#8)", {BASE: "def defaced():\n    return 1\n"}, at="2026-01-08T10:00:00")
    assert "base.py" in said("defaced", *address)[1]


def test_the_release_of_a_change_is_known_however_many_came_before_it(upstream: GitRepo, said: Any) -> None:
    for number in range(130):
        upstream.tag(f"v1.1.{number}", upstream.oid("main"), at="2026-01-07T12:00:00")
    late = upstream.commit("Late (#8)", {ARGS: flag("--other", 1)}, at="2026-01-08T10:00:00")
    assert "in no release yet" in said(late, "--git", str(upstream.path))[1]
    upstream.tag("v2.0.0", late, at="2026-01-09T12:00:00")
    assert "in v2.0.0" in said(late, "--git", str(upstream.path))[1]
    released = {
        one["pr"]: one["released"]
        for row in said("other", *at(upstream), "--json")[1].splitlines()
        for one in json.loads(row)["events"]
    }
    assert released[8] == "v2.0.0"


@pytest.mark.parametrize("what", ["a b", "$(id)", "x" * 300, "-G.*", "--", "a\x1b[31m", "é"])
def test_what_cannot_be_a_name_is_refused(what: str) -> None:
    with pytest.raises(UsageError):
        check(what)


def test_a_date_that_is_none_is_refused(upstream: GitRepo, said: Any) -> None:
    code, _, err = said("max-size", "--git", str(upstream.path), "--since", "lately")
    assert code == 2
    assert "not a date" in err


def test_a_day_that_no_calendar_has_is_not_to_be_made(said: Any) -> None:
    code, _, err = said("2026-03-99")
    assert (code, "run --date" in err) == (2, False)
    assert "2026-03-99 is no day of the calendar" in err


def test_control_codes_in_a_subject_do_not_reach_the_terminal(repo: GitRepo, said: Any) -> None:
    repo.commit("Evil \x1b[31m (#9)", {ARGS: 'parser.add_argument("--other")\n'}, at="2026-01-01T10:00:00")
    assert "\x1b" not in said("#9", *at(repo))[1]


def test_the_watchlist_is_looked_through_where_it_has_mirrors(
    place: Place, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    code, _, err = said("size")
    assert code == 1
    assert "no mirror" in err
    assert place.run("run", "--date", DAY).returncode == 0
    code, out, _ = said("--since", "all", "--", "--size")
    assert code == 0
    assert "default changed: 1 → 2" in out
    first = out.splitlines()[2].split()[0]
    place.config(top='timezone = "Pacific/Kiritimati"')
    there = said("--since", "all", "--", "--size")[1].splitlines()[2].split()[0]
    assert (first, there) == ("2026-01-18", "2026-01-19"), "days are told in the zone of the config"
    code, _, err = said("size", "--repo", "acme/engin")
    assert code == 2
    assert "Did you mean" in err


def test_what_reports_tell_of_a_name_is_not_looked_for_in_git_again(
    place: Place, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A year of commits takes git a minute; their findings are in the reports already, and the answer is the same."""
    monkeypatch.chdir(place.folder)
    place.upstream.commit("Not yet reported (#9)", {"engine/b.py": "x = 1\n"}, at="2026-01-20T10:00:00")
    with monkeypatch.context() as alone:
        alone.setattr("daybreak.cli.show._take_reports", lambda *_: None)
        assert place.run("run", "--date", DAY).returncode == 0
        by_git = said("--since", "all", "--", "--size")
    asked: list[str] = []
    touching = NameSearch.touching

    def noted(self: NameSearch, shas: Sequence[str]) -> list[str]:
        asked.extend(shas)
        return touching(self, shas)

    monkeypatch.setattr(NameSearch, "touching", noted)
    assert said("--since", "all", "--", "--size") == by_git
    assert "Did you mean `size`" in said("sizee", "--since", "all")[2]
    reported = {commit["sha"] for repo in place.report()["repos"] for commit in repo["commits"]}
    assert reported
    assert asked
    assert reported.isdisjoint(asked)


def test_a_day_from_its_report(place: Place, said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    code, _, err = said(DAY)
    assert code == 1
    assert "no report" in err
    assert place.run("run", "--date", DAY).returncode == 0
    code, out, _ = said(DAY)
    assert code == 0
    assert out.startswith(f"{DAY} (UTC): 1 of 1 commits")
    assert [said(DAY, "--lang", language)[0] for language in ("zh", "en")] == [0, 0]
    Path(place.folder, "reports", f"{DAY}.json").write_text("[1]", "utf-8")
    assert said(DAY)[0] == 2


# --- what findings alone do not tell -----------------------------------------------------------------------------------

CACHE = (
    "class PagedCache:\n    def take(self, count: int) -> int:\n        return count\n\n\ndef pages(n):\n    return n\n"
)


@pytest.fixture
def moved(repo: GitRepo) -> GitRepo:
    """A whole engine in its first commit; then its cache moves, and the field and flag of the batch limit are renamed."""
    args = "class Args:\n    max_num_seqs: int\n\n\n"
    repo.commit(
        "Import (#1)",
        {"engine/cache.py": CACHE, ARGS: args + flag("--max-num-seqs", 8), "engine/__init__.py": ""},
        at="2026-01-01T10:00:00",
    )
    repo.git("tag", "v1.0.0", "main")
    repo.commit(
        "Move the cache (#2)",
        {"engine/cache.py": None, "engine/memory/cache.py": CACHE, "engine/memory/__init__.py": ""},
        at="2026-01-02T10:00:00",
    )
    new = args.replace("max_num_seqs", "max_running") + flag("--max-running", 8)
    repo.commit("Another name (#3)", {ARGS: new}, at="2026-01-03T10:00:00")
    return repo


def rows(out: str) -> list[tuple[str, str, str]]:
    found = [line for line in out.splitlines() if line.startswith("2026-")]
    return [(row[:10], row[12:24].strip(), row.rsplit(None, 1)[1]) for row in found]


def test_a_class_is_followed_from_the_first_commit_through_the_move_of_its_module(moved: GitRepo, said: Any) -> None:
    code, out, _ = said("PagedCache", *at(moved))
    assert code == 0
    assert rows(out) == [("2026-01-01", "v1.0.0", "#1"), ("2026-01-02", "unreleased", "#2")]
    assert "class added" in out
    assert "module moved: engine.cache" in out
    assert "Today: present, engine/memory/cache.py:1" in out


def test_a_method_is_added_with_its_class_and_not_found_without_it(moved: GitRepo, said: Any) -> None:
    assert "function added" in said("PagedCache.take", *at(moved))[1]
    assert said("OtherCache.take", *at(moved))[0] == 1


@pytest.mark.parametrize("what", ["max_num_seqs", "max-num-seqs", "max_running", "max-running"])
def test_a_flag_and_its_field_are_one_name(moved: GitRepo, said: Any, what: str) -> None:
    code, out, _ = said(what, *at(moved))
    assert code == 0
    assert rows(out)[0] == ("2026-01-01", "v1.0.0", "#1")
    assert rows(out)[-1] == ("2026-01-03", "unreleased", "#3")
    assert out.startswith("acme/engine: --max-num-seqs → --max-running (")
    assert ("Today: gone since 2026-01-03" in out) == ("seqs" in what)


def test_what_stood_there_before_the_window_is_not_added_in_it(moved: GitRepo, said: Any) -> None:
    out = said("pages", "--git", str(moved.path), "--since", "2026-01-02")[1]
    assert "added" not in out
    assert said("pages", "--git", str(moved.path), "--since", "2030-01-01")[0] == 0


def test_the_day_it_looks_back_to_has_no_time(moved: GitRepo, said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_NOW", "2026-02-01T11:12:13.456+00:00")
    row = json.loads(said("pages", "--git", str(moved.path), "--json")[1])
    assert row["since"] == "2025-02-01T00:00:00+00:00"


def test_no_line_is_wider_than_the_terminal(repo: GitRepo, said: Any) -> None:
    name = "long_" * 16 + "name"
    repo.commit("长" * 90 + " (#1)", {"engine/a.py": f"def {name}(x):\n    return x\n"}, at="2026-01-01T10:00:00")
    for what in ("#1", name):
        code, out, _ = said(what, *at(repo))
        assert code == 0
        widths = [sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in row) for row in out.splitlines()]
        assert max(widths) <= 80


def test_a_sha_that_is_found_is_not_looked_for_as_a_name(
    place: Place, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = GitRepo.make(place.folder.parent / "other.git")
    other.commit("Other", {"a.py": "a = 1\n"}, at="2026-01-19T10:00:00")
    place.config(more=f'[[repo]]\nname = "acme/other"\ngit = "{other.path}"\n')
    monkeypatch.chdir(place.folder)
    assert place.run("run", "--date", DAY).returncode == 0
    code, _, err = said(place.upstream.oid("main")[:8])
    assert code == 0
    assert "looking through" not in err


def test_without_a_config_the_way_without_one_is_told(
    said: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = said("name")
    assert code == 2
    assert "--git" in err


# --- nothing is left out without a word --------------------------------------------------------------------------------


def test_a_pull_request_is_found_however_many_commits_speak_of_it(repo: GitRepo, said: Any) -> None:
    repo.commit("The change itself (#7)", {BASE: "x = 0\n"}, at="2026-01-01T10:00:00")
    for n in range(1, 23):
        repo.commit(f"Later (#{n + 10})\n\nFollows (#7)", {BASE: f"x = {n}\n"}, at=f"2026-01-{n + 1:02}T10:00:00")
    code, out, _ = said(*at(repo), "#7")
    assert code == 0
    assert "The change itself (#7)" in out
    assert "Later" not in out


def test_findings_beyond_what_a_terminal_takes_are_counted(
    repo: GitRepo, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daybreak.cli.show_changes._FINDINGS_TOLD", 2)
    names = [f"--flag{n}" for n in range(5)]
    repo.commit("Start (#1)", {ARGS: "".join(flag(name, 1) for name in names)}, at="2026-01-01T10:00:00")
    repo.commit("Raise all (#2)", {ARGS: "".join(flag(name, 2) for name in names)}, at="2026-01-02T10:00:00")
    _, out, _ = said(*at(repo), "#2")
    assert "  … 3 more findings, with --json\n" in out
    _, out, _ = said(*at(repo, "--json"), "#2")
    assert len(json.loads(out)["findings"]) == 5


def test_names_that_were_not_followed_any_more_are_said(
    upstream: GitRepo, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daybreak.upgrade.name_history.NAMES", 1)
    code, _, err = said(*at(upstream), "--", "--max-size")
    assert code == 3
    assert "1 names were followed, --size-limit not" in err


@pytest.mark.parametrize("sha", ["deadbeef12", "0" * 40])
def test_a_sha_that_no_repository_has_is_not_looked_for_as_a_name(upstream: GitRepo, said: Any, sha: str) -> None:
    code, out, err = said(*at(upstream), sha)
    assert (code, out) == (1, "")
    assert f"has no commit {sha}" in err
    assert "looking through" not in err


def test_letters_alone_may_be_a_name_though_a_sha_could_be_written_so(upstream: GitRepo, said: Any) -> None:
    upstream.commit("Name it (#8)", {BASE: "deadbeef = 2\n"}, at="2026-01-08T10:00:00")
    code, out, _ = said(*at(upstream), "deadbeef")
    assert code == 0
    assert BASE in out
