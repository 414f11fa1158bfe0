"""`daybreak show` over a watchlist of which one mirror cannot be read: what was not looked through is said."""

from __future__ import annotations

from pathlib import Path

from cli.place import DAY, Place, one_sentence_and_a_tip
from daybreak.collect.git.chain import lacks_objects
from gitrepo import GitRepo

_OID = "53c8eb3ab1f2" + "0" * 28


def test_a_mirror_that_cannot_be_read_is_said_and_is_something_to_look_at(place: Place) -> None:
    place.config(repo=f'[[repo]]\nname = "acme/second"\ngit = "{place.upstream.path}"\n')
    assert place.run("run", "--date", DAY).returncode == 0
    assert place.run("show", "--since", "all", "--", "--size").returncode == 0
    (place.folder / ".daybreak" / "mirrors" / "acme+second.git" / "shallow").write_text("0" * 40 + "\n", "utf-8")
    answer = place.run("show", "--since", "all", "--", "--size")
    assert answer.returncode == 3, answer.stderr
    assert "acme/engine: " in answer.stdout
    assert "not looked through: " in answer.stderr
    assert "shallow" in answer.stderr


def test_a_repository_whose_contents_are_missing_is_named_and_the_others_are_looked_through(
    place: Place, tmp_path: Path
) -> None:
    hollow = GitRepo.make(tmp_path / "hollow.git")
    hollow.commit("Begin", {"a.py": "SIZE = 1\n"}, at="2026-01-18T10:00:00")
    hollow.commit("Go on", {"a.py": "SIZE = 2\n"}, at="2026-01-19T10:00:00")
    place.config(repo=f'[[repo]]\nname = "acme/hollow"\ngit = "{hollow.path}"\n')
    assert place.run("run", "--date", DAY).returncode == 0
    hollow.lose(hollow.oid("main~1:a.py"))  # of the commit that no report tells of: git has to be asked about it
    answer = place.run("show", "--since", "all", "--", "--size")
    assert answer.returncode == 3, answer.stderr
    assert "acme/engine: " in answer.stdout
    told = " ".join(answer.stderr.split())
    assert "not looked through: acme/hollow: objects that it needs are missing from" in told
    alone = place.run("show", "--since", "all", "--repo", "acme/hollow", "--", "--size")
    assert alone.returncode == 1
    assert "acme/hollow: objects that it needs are missing" in one_sentence_and_a_tip(alone)


def test_a_search_that_lacks_objects_is_told_as_that_in_both_languages(place: Place, tmp_path: Path) -> None:
    hollow = GitRepo.make(tmp_path / "hollow.git")
    reads = 'import os\n\nSIZE = os.environ["ACME_SIZE"]\n'
    hollow.commit("Begin", {"acme/a.py": reads, "acme/b.py": "X = 1\n"}, at=f"{DAY[:8]}10T10:00:00")
    hollow.commit("Go on", {"acme/a.py": "SIZE = 2\n"}, at=f"{DAY}T10:00:00")
    hollow.lose(hollow.oid("main:acme/b.py"))
    place.config(repo=f'[[repo]]\nname = "acme/hollow"\ngit = "{hollow.path}"\n')
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 3, answer.stderr
    told = " ".join(answer.stderr.split())
    assert (
        "acme/hollow: objects that it needs are missing from its folder, or damaged, so findings, stories or releases may be missing. Bring them"
        in told
    )
    assert "`git fetch --refetch`" in told
    pages = [page.read_text("utf-8") for page in (place.folder / "reports").glob(f"{DAY}*.md")]
    assert sum("objects that it needs" in page for page in pages) <= 1


def test_a_repository_without_a_mirror_is_none_to_look_in(place: Place) -> None:
    assert place.run("run", "--date", DAY).returncode == 0
    place.config(repo='[[repo]]\nname = "acme/new"\n')
    answer = place.run("show", "--since", "all", "--", "--size")
    assert answer.returncode == 0, answer.stderr
    assert "acme/new" not in answer.stdout + answer.stderr


def test_only_what_git_says_of_objects_is_taken_for_missing_ones() -> None:
    lacking = (
        "fatal: unable to read tree (53c8eb3)",
        "fatal: unable to read 53c8eb3ab1f2",
        "error: missing blob 53c8eb3",
        f"error: Could not read {_OID}\nfatal: revision walk setup failed",
        f"fatal: missing object {_OID} for refs/tags/v1",
        f"fatal: bad tree object {_OID}",
        f"error: Failed to traverse parents of commit {_OID}",
    )
    others = (
        "error: unable to read askpass response from 'x'",
        "fatal: unable to read config file '/etc/gitconfig'",
        f"From https://git.example/a\n * branch {_OID} -> FETCH_HEAD",
        "fatal: could not read Username for 'https://git.example'",
    )
    assert [lacks_objects(said) for said in (*lacking, *others)] == [True] * len(lacking) + [False] * len(others)
