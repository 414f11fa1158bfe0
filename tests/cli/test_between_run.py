"""`daybreak run` over two repositories without GitHub: what joins them is in the report all the same."""

from __future__ import annotations

import shutil
from html import unescape
from pathlib import Path

import pytest

from cli.place import DAY, Place
from gitrepo import GitRepo

NEEDS = '[project]\nname = "engine"\ndependencies = [\n    "tilekernels=={version}",\n]\n'
BEFORE = "def plan_tables(rows):\n    return rows\n\n\ndef run_tables(rows):\n    return rows\n"
USE = "from tilekernels.ops import plan_tables\n\n\ndef go(rows):\n    return plan_tables(rows)\n"


@pytest.fixture
def two(place: Place, tmp_path: Path) -> Place:
    """A library that drops a name today, and an engine that took it, went back and takes it again today."""
    kernels = GitRepo.make(tmp_path / "kernels.git")
    first = kernels.commit("Begin", {"tilekernels/ops.py": BEFORE}, at="2026-01-02T12:00:00")
    kernels.tag("v1.0", first, at="2026-01-02T12:00:00")
    second = kernels.commit("Tune (#2)", {"tilekernels/b.py": "x = 1\n"}, at="2026-01-14T12:00:00")
    kernels.tag("v1.1", second, at="2026-01-14T13:00:00")
    kernels.commit("Drop plan_tables (#3)", {"tilekernels/ops.py": BEFORE.split("\n\n\n")[1]}, at=f"{DAY}T09:00:00")
    engine = place.upstream
    engine.commit("Need it", {"pyproject.toml": NEEDS.format(version="1.0"), "pkg/u.py": USE}, at="2026-01-10T12:00:00")
    engine.commit("Bump tilekernels (#4)", {"pyproject.toml": NEEDS.format(version="1.1")}, at="2026-01-15T12:00:00")
    engine.commit('Revert "Bump" (#5)', {"pyproject.toml": NEEDS.format(version="1.0")}, at="2026-01-16T12:00:00")
    engine.commit("Bump again (#6)", {"pyproject.toml": NEEDS.format(version="1.1")}, at=f"{DAY}T11:00:00")
    place.config(f'[[repo]]\nname = "acme/tilekernels"\ngit = "{kernels.path}"\n')
    return place


def test_pins_stories_and_removed_names_are_told_without_github(two: Place) -> None:
    answer = two.run("run", "--date", DAY)
    assert answer.returncode == 0, answer.stderr
    links = {link["kind"]: link for link in two.report()["links"]}
    assert links["takes"]["to"] == "release:acme/tilekernels@v1.1"
    assert links["uses_removed"]["to"] == "repo:acme/engine"
    assert [(place["path"], place["line"]) for place in links["uses_removed"]["places"]] == [("pkg/u.py", 1)]
    page = (two.folder / "reports" / f"{DAY}.en.md").read_text(encoding="utf-8")
    across = unescape(page.partition("## Across projects")[2].partition("\n## ")[0])
    across = across.replace("<code>", "").replace("</code>", "")
    story = "released → acme/engine takes 1.1 → acme/engine goes back to 1.0 → acme/engine takes 1.1"
    assert story in across
    assert "pkg/u.py:1" in across
    assert "issue" not in across.lower()


def test_made_again_the_report_has_the_same_bytes_whatever_came_later(two: Place) -> None:
    assert two.run("run", "--date", DAY).returncode == 0
    before = two.written()
    two.upstream.commit("Later", {"pyproject.toml": NEEDS.format(version="1.0")}, at="2026-01-20T12:00:00")
    shutil.rmtree(two.folder / "reports")
    shutil.rmtree(two.folder / ".daybreak")
    (two.folder / "README.md").unlink()
    assert two.run("run", "--date", DAY).returncode == 0
    assert two.written() == before


def test_a_day_on_which_nothing_joins_them_says_nothing_about_it(two: Place) -> None:
    assert two.run("run", "--date", "2026-01-10").returncode == 0
    data = two.report("2026-01-10")
    assert data["links"] == []
    page = (two.folder / "reports" / "2026-01-10.en.md").read_text(encoding="utf-8")
    assert "Across projects" not in page


def test_cloned_mirrors_show_the_same_links_as_borrowed_ones(two: Place, tmp_path: Path) -> None:
    assert two.run("run", "--date", DAY).returncode == 0
    borrowed = two.report()
    for made in ("reports", ".daybreak"):
        shutil.rmtree(two.folder / made)
    (two.folder / "README.md").unlink()
    kernels = GitRepo(tmp_path / "kernels.git")
    config = (two.folder / "daybreak.toml").read_text(encoding="utf-8")
    for repo in (two.upstream, kernels):
        config = config.replace(f'"{repo.path}"', f'"file://{repo.path}"')
    (two.folder / "daybreak.toml").write_text(config, encoding="utf-8")
    answer = two.run("run", "--date", DAY)
    assert answer.returncode == 0, answer.stderr
    assert two.report()["links"] == borrowed["links"]
    assert len(borrowed["links"]) == 2
