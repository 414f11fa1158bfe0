"""The day page when the reader's own code is known: what touches it leads, and the data says the same."""

from __future__ import annotations

import html
import sys
from pathlib import Path

import pytest

from cli.place import DAY, Place
from gitrepo import GitRepo

ARGS = "engine/server_args.py"
WITHOUT_POWERS = (sys.executable, str(Path(__file__).parents[1] / "faults" / "powerless.py"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "work"
    (folder / "svc").mkdir(parents=True)
    upstream = GitRepo.make(tmp_path / "upstream.git")
    upstream.commit("First (#1)", {ARGS: 'p.add_argument("--kv")\np.add_argument("--tp")\n'}, at="2026-01-18T10:00:00")
    upstream.commit("Tidy up (#2)", {ARGS: 'p.add_argument("--tp")\n'}, at=f"{DAY}T10:00:00")
    (folder / "svc" / "run.sh").write_text("python -m engine.launch --kv 3\n", "utf-8")
    made = Place(folder, upstream)
    made.config(more='[impact]\npaths = ["svc"]\n')
    return made


def page(place: Place, name: str = DAY) -> str:
    return html.unescape((place.folder / "reports" / f"{name}.md").read_text("utf-8"))


def test_what_touches_your_code_leads_the_page(place: Place) -> None:
    said = place.run("run", "--date", DAY)
    assert said.returncode == 0, said.stderr
    for name, title in ((DAY, "## 影响你的代码"), (f"{DAY}.en", "## Touches your code")):
        text = page(place, name)
        assert text.index(title) < text.index("\n## ", text.index(title) + 3)
        assert text.index(title) == text.index("\n## ") + 1
        assert "svc/run.sh:1" in text
        assert f" · {place.report()['touches']['found'][0]['id']}\n" in text
    touches = place.report()["touches"]
    (one,) = touches["found"]
    assert one["id"].startswith("DB-")
    assert place.run("ack", one["id"], "--reason", "known").returncode == 0
    assert (one["certainty"], one["path"], one["line"], one["repo"]) == ("certain", "svc/run.sh", 1, "acme/engine")
    assert one["commits"] == [place.report()["repos"][0]["commits"][0]["sha"]]
    assert (touches["paths"], touches["acknowledged"]) == (["svc"], 0)


def test_a_day_that_touches_nothing_says_so(place: Place) -> None:
    (place.folder / "svc" / "run.sh").write_text("python -m engine.launch --tp 3\n", "utf-8")
    assert place.run("run", "--date", DAY).returncode == 0
    assert "uses nothing that changed today" in page(place, f"{DAY}.en")
    assert place.report()["touches"]["found"] == []


def test_where_no_repository_could_be_had_nothing_is_said_of_your_code(place: Place) -> None:
    place.upstream.path.rename(place.folder / "elsewhere.git")
    assert place.run("run", "--date", DAY).returncode == 3
    text = page(place, f"{DAY}.en")
    assert text[text.index("## Touches your code") :].split("\n\n")[1] == "Not known: no repository could be had."
    assert "uses nothing" not in text


def test_that_your_code_uses_nothing_is_said_with_how_many_repositories_are_unknown(place: Place) -> None:
    (place.folder / "svc" / "run.sh").write_text("python -m engine.launch --tp 3\n", "utf-8")
    gone = f'[[repo]]\nname = "acme/gone"\ngit = "{place.folder}/nowhere.git"\n'
    place.config(more='[impact]\npaths = ["svc"]\n' + gone)
    assert place.run("run", "--date", DAY).returncode == 3
    assert "uses nothing that changed today. Nothing is known of 1 repository." in page(place, f"{DAY}.en")
    assert "有 1 个仓库的情况未知" in page(place)


def test_acknowledged_places_are_counted_and_not_listed(place: Place) -> None:
    text = '[[ack]]\nfinding = "cli_flag_removed:--kv"\nreason = "known"\n'
    (place.folder / "daybreak-acks.toml").write_text(text, "utf-8")
    assert place.run("run", "--date", DAY).returncode == 0
    assert (place.report()["touches"]["found"], place.report()["touches"]["acknowledged"]) == ([], 1)


def test_code_that_is_not_there_is_named_and_costs_nobody_the_day(place: Place) -> None:
    place.config(more='[impact]\npaths = ["svc", "gone"]\n')
    said = place.run("run", "--date", DAY)
    assert said.returncode == 3, said.stderr
    assert "skipped: gone: There is nothing at" in said.stderr
    assert [one["what"] for one in place.report()["touches"]["skipped"]] == ["gone"]
    assert [one["what"] for one in place.report()["coverage"]["skipped"]] == ["gone"]
    assert page(place, f"{DAY}.en").count("gone") > 1
    (place.folder / "gone").mkdir()
    (place.folder / "gone" / "run.sh").write_text("python -m engine.launch --kv 4\n", "utf-8")
    again = place.run("run", "--date", DAY)
    assert again.returncode == 0, again.stderr
    assert [one["path"] for one in place.report()["touches"]["found"]] == ["gone/run.sh", "svc/run.sh"]


@pytest.mark.parametrize("closed", ["svc/closed", "svc/deep/closed", "closed", "svc/closed.sh"])
def test_one_folder_that_may_not_be_read_is_named_and_costs_nobody_the_day(place: Place, closed: str) -> None:
    """The reader's other code is read, and once it may be read, the next run completes the day."""
    place.config(more='[impact]\npaths = ["svc", "closed"]\n')
    for name in ("svc/closed", "svc/deep/closed", "closed"):
        (place.folder / name).mkdir(parents=True, exist_ok=True)
        (place.folder / name / "run.sh").write_text("python -m engine.launch --kv 4\n", "utf-8")
    (place.folder / "svc" / "closed.sh").write_text("python -m engine.launch --kv 5\n", "utf-8")
    shut = place.folder / closed
    shut.chmod(0)
    said = place.run("run", "--date", DAY, program=WITHOUT_POWERS)
    shut.chmod(0o755)
    assert said.returncode == 3, said.stderr
    assert f"skipped: {closed}: no permission to read it." in said.stderr
    tip = "Let this user read it, or take it out of what is to be read, and run again."
    expected = [{"what": closed, "reason": "no permission to read it", "tip": tip}]
    report = place.report()
    assert report["touches"]["skipped"] == report["coverage"]["skipped"] == expected
    assert len(report["touches"]["found"]) == 4
    for name in (DAY, f"{DAY}.en"):
        assert f"> - {closed}" in page(place, name)
        assert "svc/run.sh:1" in page(place, name)
    assert place.run("run", "--date", DAY).returncode == 0
    assert place.report()["coverage"]["skipped"] == []
    assert len(place.report()["touches"]["found"]) == 5


def test_the_home_of_somebody_unknown_is_a_path_that_is_not_there(place: Place) -> None:
    place.config(more='[impact]\npaths = ["svc", "~nobody-of-this-name/code"]\n')
    assert place.run("run", "--date", DAY).returncode == 3
    assert [one["what"] for one in place.report()["coverage"]["skipped"]] == ["~nobody-of-this-name/code"]


def test_without_paths_there_is_no_section(place: Place) -> None:
    place.config()
    assert place.run("run", "--date", DAY).returncode == 0
    assert "touches" not in place.report()
    assert "影响你的代码" not in page(place)
