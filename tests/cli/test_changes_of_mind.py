"""What a user may change between two runs, and what may break in between: nothing is lost, nothing is told twice."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from cli.place import DAY, Place, one_sentence_and_a_tip
from gitrepo import GitRepo
from program import ended, run


def shas(place: Place, day: str = DAY) -> list[str]:
    return [commit["sha"] for repo in place.report(day)["repos"] for commit in repo["commits"]]


def test_another_zone_makes_the_day_anew_with_all_its_commits(place: Place) -> None:
    early = place.upstream.commit("Late in the evening, elsewhere (#3)", {"a.py": "x\n"}, at="2026-01-20T03:00:00")
    assert place.run("run", "--date", DAY).returncode == 0
    assert early not in shas(place)
    place.config(top='timezone = "America/Los_Angeles"')
    assert place.run("run", "--date", DAY).returncode == 0
    assert early in shas(place)
    assert place.report()["coverage"]["commits_in_git"] == len(shas(place))


def test_another_branch_makes_the_day_anew(place: Place) -> None:
    first = place.upstream.oid("main~1")
    dev = place.upstream.commit("On dev", {"b.py": "y\n"}, at=f"{DAY}T12:00:00", branch="dev", parents=[first])
    assert place.run("run", "--date", DAY).returncode == 0
    place.config(repo='branch = "dev"')
    assert place.run("run", "--date", DAY).returncode == 0
    assert shas(place) == [dev]


def test_another_main_language_never_overwrites_the_main_edition(place: Place) -> None:
    place.run("run", "--date", DAY)
    before = place.written()
    answer = place.run("run", "--date", DAY, "--lang", "en")
    assert answer.returncode == 2
    assert "main edition" in one_sentence_and_a_tip(answer)
    assert place.written() == before


def test_a_repository_that_left_the_watchlist_stays_in_its_reports(place: Place, tmp_path: Path) -> None:
    other = GitRepo.make(tmp_path / "other.git")
    other.commit("Other", {"a.py": "x = 1\n"}, at=f"{DAY}T11:00:00")
    place.config(f'[[repo]]\nname = "acme/other"\ngit = "{other.path}"\n')
    place.run("run", "--date", DAY)
    before = place.written()
    place.config()
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 3
    assert "no longer on the watchlist" in one_sentence_and_a_tip(answer)
    assert place.written() == before
    assert place.run("run", "--date", DAY, "--force").returncode == 0
    assert [repo["name"] for repo in place.report()["repos"]] == ["acme/engine"]


def test_a_damaged_mirror_of_a_remote_is_made_anew(place: Place) -> None:
    text = (place.folder / "daybreak.toml").read_text(encoding="utf-8")
    (place.folder / "daybreak.toml").write_text(text.replace('git = "', 'git = "file://'), encoding="utf-8")
    assert place.run("run", "--date", "2026-01-18").returncode == 0
    mirror = place.folder / ".daybreak" / "mirrors" / "acme+engine.git"
    shutil.rmtree(mirror / "objects" / "pack")
    shutil.rmtree(mirror / "objects" / "info", ignore_errors=True)
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 0, answer.stderr
    assert "making it anew" in answer.stderr
    assert len(shas(place)) == 1


def test_several_days_as_json_are_one_line_each(place: Place) -> None:
    answer = place.run("run", "--since", "2026-01-18", "--until", "2026-01-20", "--json")
    assert [json.loads(line)["window"]["label"] for line in answer.stdout.splitlines()] == ["2026-01-18", DAY]


def test_a_terminal_without_unicode_is_no_reason_to_fail(place: Place) -> None:
    answer = ended(place.start("run", "--date", DAY, PYTHONIOENCODING="ascii"))
    assert answer.returncode == 0, answer.stderr
    assert ended(place.start("--help", PYTHONIOENCODING="ascii")).returncode == 0


def test_a_demo_never_clears_a_folder_that_is_not_its_own(place: Place) -> None:
    (place.folder / "mine").mkdir()
    (place.folder / "mine" / "file").write_text("kept")
    answer = place.run("demo", "--out", "mine")
    assert answer.returncode == 2
    assert "was not made by the demo" in one_sentence_and_a_tip(answer)
    assert (place.folder / "mine" / "file").read_text() == "kept"


def test_the_days_behind_are_counted_from_the_newest_day_that_is_over(place: Place) -> None:
    assert place.run("run", "--date", DAY).returncode == 0
    later = {"DAYBREAK_NOW": "2026-03-20T12:00:00+00:00"}
    answer = place.run("run", "--date", "2026-03-20", **later)
    assert answer.stdout.startswith("2026-03-20, which is not over: 0 commits"), answer.stderr
    told = " ".join(place.run("status", **later).stdout.split())
    assert f"Newest {DAY}, 59 days behind yesterday; 2026-03-20 is reported and not over" in told
    assert f"{DAY} stands alone" in told
    assert "Nothing so far" in (place.folder / "README.en.md").read_text(encoding="utf-8")


def doctor(place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    return place.run("doctor", *arguments)


def test_what_is_on_disk_is_offered_only_where_something_is(place: Place) -> None:
    with socket.socket() as nobody:  # bound, and nobody listens
        nobody.bind(("127.0.0.1", 0))
        place.config(f'[[repo]]\nname = "acme/away"\ngit = "http://127.0.0.1:{nobody.getsockname()[1]}/x.git"\n')
        asked = place.run("run", "--date", "2026-01-19")
        assert "disk" not in asked.stderr
        assert "Try again later.\n" in doctor(place).stdout
        (place.folder / ".daybreak" / "mirrors" / "acme+away.git").mkdir(parents=True, exist_ok=True)
        assert "Try again later. Until then runs go on with the mirror on disk, and say so.\n" in doctor(place).stdout


def test_the_doctor_finds_what_a_run_would_meet(place: Place, tmp_path: Path) -> None:
    assert doctor(place).returncode == 0
    place.config(f'[[repo]]\nname = "acme/gone"\ngit = "{tmp_path / "gone.git"}"\n[analyst]\nkind = "llm"\n')
    answer = doctor(place)
    assert answer.returncode == 3
    failed = [line for line in answer.stdout.splitlines() if line.startswith("FAIL")]
    assert any("acme/gone" in line for line in failed)
    assert any("llm" in line for line in failed)


@pytest.mark.parametrize(
    "command", [("doctor", "--offline"), ("doctor",), ("show", "size"), ("range", "acme/gone", "v1..v2")]
)
def test_a_path_that_is_not_there_is_told_as_that_and_no_run_mends_it(
    place: Place, tmp_path: Path, command: tuple[str, ...]
) -> None:
    gone = tmp_path / "gone.git"
    (place.folder / "daybreak.toml").write_text(f'[[repo]]\nname = "acme/gone"\ngit = "{gone}"\n', encoding="utf-8")
    answer = place.run(*command)
    said = answer.stdout + answer.stderr
    assert answer.returncode != 0
    assert f"acme/gone: {gone} does not exist" in said
    assert "Check `git` of this repository in daybreak.toml." in said
    assert "--offline" not in said


def test_the_doctor_says_how_old_a_folder_is_that_nobody_may_have_fetched_into(place: Place) -> None:
    told = place.run("doctor").stdout
    day = subprocess.run(
        ["git", "log", "-1", "--format=%cs", "main"],
        cwd=place.upstream.path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert f" of {day}; a folder is as new as whoever fetches into it" in told


def test_the_doctor_says_what_a_folder_lacks_whose_contents_were_left_out(place: Place) -> None:
    sha = place.upstream.commit("Add a table", {"table.txt": "a table\n"}, at="2026-01-19T12:00:00")
    assert "contents of" not in place.run("doctor").stdout
    place.upstream.lose(place.upstream.oid(f"{sha}:table.txt"))
    assert "; contents of 1 file are not in it: `git fetch --refetch` brings them" in place.run("doctor").stdout


def test_a_clone_that_no_fetch_can_bring_up_to_date_for_what_it_lost_is_made_anew(place: Place) -> None:
    """Its branches and its newest commit can be read: only the fetch stumbles, and would every morning."""
    text = (place.folder / "daybreak.toml").read_text(encoding="utf-8")
    (place.folder / "daybreak.toml").write_text(text.replace('git = "', 'git = "file://'), encoding="utf-8")
    place.upstream.tag("v1.0.0", place.upstream.oid("main~1"), at="2026-01-19T12:00:00")
    assert place.run("run", "--date", DAY).returncode == 0
    mirror = GitRepo(place.folder / ".daybreak" / "mirrors" / "acme+engine.git")
    lost = mirror.oid("refs/tags/v1.0.0")
    for pack in (mirror.path / "objects" / "pack").glob("*.pack"):
        aside = pack.rename(place.folder / pack.name)
        subprocess.run(
            ["git", "-C", mirror.path, "unpack-objects", "-q"], input=aside.read_bytes(), check=True, timeout=60
        )
        aside.unlink()
    for one in ("pack", "info"):
        shutil.rmtree(mirror.path / "objects" / one)
    mirror.lose(lost)
    later = place.upstream.commit("Go on (#9)", {"a.py": "SIZE = 9\n"}, at="2026-01-21T10:00:00")
    answer = place.run("run", "--date", "2026-01-21")
    assert answer.returncode == 0, answer.stderr
    assert later in shas(place, "2026-01-21")
    assert mirror.oid(f"{lost}^{{tree}}"), "the tag's object is there again"


def test_the_demo_can_be_made_again_in_the_folder_it_stands_in(place: Place) -> None:
    """Its config and its reports are there again, and another day can be asked for."""
    below = place.folder / "again"
    below.mkdir()
    for _ in range(2):
        made = run("demo", "--out", ".", "--lang", "en", cwd=below)
        assert made.returncode == 0, made.stderr
    assert (below / "reports/2026-03-06.md").is_file()
    assert run("run", "--date", "2026-03-06", cwd=below).returncode == 0
