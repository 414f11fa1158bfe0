"""The clone of a fork is the user's: nothing of it is touched, what cannot be had is one sentence, text stays text."""

from __future__ import annotations

import json
import re
import subprocess
import unicodedata
from typing import TYPE_CHECKING

import pytest

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.upgrade.fork import forking
from daybreak.upgrade.fork.forking import fork_report
from daybreak.upgrade.fork.forms import fork_json, fork_markdown, fork_text
from forkrepo import FIX, Fork, content, lines, named
from gitrepo import clean_environment

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.core.model.upgrade import ForkReport


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    return Fork(tmp_path)


# --- the clone is the user's ---------------------------------------------------------------------------------------


def checkout(fork: Fork, folder: Path, *settings: str) -> Path:
    """A clone with a work tree, an index, a remote and settings of its own."""
    environment = clean_environment(folder.parent)
    where = ["git", "clone", "--quiet", *settings, str(fork.repo.path), str(folder)]
    subprocess.run(where, check=True, env=environment)
    subprocess.run(["git", "-C", str(folder), "checkout", "--quiet", "fork"], check=True, env=environment)
    return folder


def test_nothing_of_the_clone_is_touched_and_nothing_of_it_is_run(fork: Fork, tmp_path: Path) -> None:
    fork.ours({"a.py": lines({5: "ours"}), ".gitattributes": "*.py merge=evil diff=evil filter=evil\n"})
    there = fork.theirs({"a.py": lines({5: "theirs"})})
    clone = checkout(fork, tmp_path / "work")
    trap = f"touch {tmp_path}/trap"
    config = clone / ".git" / "config"
    evil = "".join(f'[{kind} "evil"]\n\t{key} = {trap}\n' for kind, key in (("merge", "driver"), ("filter", "smudge")))
    config.write_text(f'{config.read_text()}{evil}[diff "evil"]\n\ttextconv = {trap}\n[core]\n\tfsmonitor = {trap}\n')
    (clone / "a.py").write_text("not committed\n")
    before = content(clone)
    report = fork_report(clone / ".git", "fork", "origin/main", clean_environment(tmp_path), lambda _: None)
    assert (named(report), report.conflicts) == ([there], ("a.py",))
    assert content(clone) == before
    assert not (tmp_path / "trap").exists()


def test_upstream_is_found_by_itself_and_from_any_folder_of_the_clone(fork: Fork, tmp_path: Path) -> None:
    fork.ours({"pkg/b.py": "b\n"})
    fork.theirs({"c.py": "c\n"})
    clone = checkout(fork, tmp_path / "work")
    environment = clean_environment(tmp_path)
    assert fork_report(clone / "pkg", "fork", None, environment, lambda _: None).upstream == "origin/main"
    for words in (("add", "upstream", str(fork.repo.path)), ("set-url", "origin", "https://github.com/our/own.git")):
        subprocess.run(["git", "-C", str(clone), "remote", *words], check=True, env=environment)
    subprocess.run(["git", "-C", str(clone), "fetch", "--quiet", "upstream"], check=True, env=environment)
    report = fork_report(clone, "fork", None, environment, lambda _: None)
    assert (report.upstream, report.merges, len(report.theirs)) == ("upstream/main", True, 1)
    own = fork_report(clone, "fork", "origin/main", environment, lambda _: None)
    assert own.repo is not None
    assert (own.repo.name, own.repo.url) == ("our/own", "https://github.com/our/own")


# --- what cannot be had --------------------------------------------------------------------------------------------


def refused(place: Path, branch: str, upstream: str | None) -> UsageError:
    with pytest.raises(UsageError) as caught:
        fork_report(place, branch, upstream, clean_environment(place.parent), lambda _: None)
    assert caught.value.tip
    assert "\n" not in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("branch", "upstream", "says"),
    [
        ("nowhere", "main", "There is no branch 'nowhere'"),
        ("--all", "main", "There is no branch '--all'"),
        ("", "main", "There is no branch ''"),
        ("fork", "nowhere/main", "There is no 'nowhere/main'"),
        ("fork", "--output=x", "There is no '--output=x'"),
        ("fork", None, "no remote that the branch could be compared with"),
        ("fork", "orphan", "'fork' and 'orphan' have no commit in common"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(fork: Fork, branch: str, upstream: str | None, says: str) -> None:
    fork.repo.commit("Orphan", {"z.py": "z\n"}, branch="orphan", parents=[])
    assert says in refused(fork.repo.path, branch, upstream).message


def test_a_folder_that_is_no_clone_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert "is not a git repository" in refused(tmp_path / "plain", "fork", "main").message
    assert "is not a folder" in refused(tmp_path / "absent", "fork", "main").message


def test_a_shallow_clone_is_refused_with_the_mend(fork: Fork, tmp_path: Path) -> None:
    fork.ours({"b.py": "b\n"})
    clone = tmp_path / "shallow"
    command = ["git", "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{fork.repo.path}", str(clone)]
    subprocess.run(command, check=True, env=clean_environment(tmp_path))
    for upstream in ("origin/main", None):  # before what is missing for want of history is looked for
        error = refused(clone, "main" if upstream is None else "origin/fork", upstream)
        assert "shallow" in error.message
        assert "--unshallow" in error.tip


def test_an_object_that_is_missing_loses_the_merge_and_not_the_rest(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "ours"})})
    there = fork.theirs({"a.py": lines({5: "theirs"})})
    other = fork.theirs({"a.py": lines({5: "theirs", 25: "more"})}, FIX)
    fork.repo.lose(fork.repo.oid("main:a.py"))
    report = fork.report()
    assert report.merges is None
    assert {"merge", "commits of fork"} <= {skip.what for skip in report.skipped}
    assert {there, other} == set(named(report, "hunk", "file"))
    assert str(fork.repo.path) not in "".join(skip.reason for skip in report.skipped)


def test_a_tree_that_is_missing_is_one_sentence(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "ours"})})
    fork.theirs({"a.py": lines({9: "theirs"})})
    fork.repo.lose(fork.repo.oid("fork^{tree}"))
    with pytest.raises(DaybreakError):
        fork.report()


def test_a_git_that_cannot_merge_says_so(fork: Fork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forking, "can_merge", lambda _: False)
    fork.ours({"a.py": lines({5: "ours"})})
    there = fork.theirs({"a.py": lines({5: "theirs"})}, FIX)
    report = fork.report()
    assert (report.merges, report.picks, named(report, "hunk")) == (None, (), [there])
    assert "2.39" in report.skipped[0].reason


def test_a_branch_without_patches_and_an_upstream_without_news(fork: Fork) -> None:
    report = fork.report()
    assert (report.merges, report.ours, report.theirs, report.touches, report.picks) == (True, (), (), (), ())
    fork.theirs({"a.py": lines({5: "theirs"})})
    report = fork.report()
    assert (report.merges, report.touches, len(report.theirs)) == (True, (), 1)


# --- how it is shown -----------------------------------------------------------------------------------------------


@pytest.fixture
def shown(fork: Fork) -> ForkReport:
    evil = "\x1b[31m[x](https://evil.example) <script> @someone `a` " + "长" * 60
    fork.ours({"a.py": lines({5: "ours"}), "b`<i>.py": "b\n"}, evil)
    fork.theirs({"a.py": lines({5: "theirs"})}, evil)
    fork.theirs({"a.py": lines({5: "theirs", 25: "fixed"})}, f"{FIX} {evil}")
    fork.theirs({"b`<i>.py": "theirs\n"}, evil)
    return fork.report()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_terminal_gets_eighty_columns_and_no_codes(shown: ForkReport, language: str) -> None:
    text = fork_text(shown, language)
    assert "\x1b" not in text
    widths = [sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in row) for row in text.splitlines()]
    assert max(widths) <= 80
    assert all(touch.sha[:9] in text for touch in shown.touches)
    assert ("冲突" in text) == (language == "zh")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_holds_upstream_text_as_text(shown: ForkReport, language: str) -> None:
    page = fork_markdown(shown, language)
    assert "\x1b" not in page
    assert not re.search(r"<script|<i>|\]\(https://evil", page)
    assert page.startswith("<!-- daybreak.fork/1 -->\n")
    assert all(pick.sha[:9] in page for pick in shown.picks)


def test_the_data_says_the_same(shown: ForkReport) -> None:
    data = json.loads(fork_json(shown))
    assert (data["schema"], data["merges"]) == ("daybreak.fork/1", False)
    assert [row["sha"] for row in data["touches"]] == [touch.sha for touch in shown.touches]
    assert [row["sha"] for row in data["picks"]] == [pick.sha for pick in shown.picks]
    assert len(data["picks"]) == 1


def test_one_is_not_many(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "ours"})})
    fork.theirs({"a.py": lines({5: "theirs"})})
    said: list[str] = []
    place = fork.repo.path
    report = fork_report(place, "fork", "main", clean_environment(place.parent), said.append)
    text = fork_text(report, "en")
    assert "fork has 1 commit of its own" in text
    assert "main has 1 new one" in text
    assert "conflicts in 1 file\n" in text
    fork.theirs({"a.py": lines({5: "theirs", 25: "fixed"})}, FIX)
    fork.theirs({"b.py": "b\n"})
    report = fork_report(place, "fork", "main", clean_environment(place.parent), said.append)
    assert "1 small fix is tried on fork" in said
    text = fork_text(report, "en")
    assert "main has 3 new ones" in text
    assert "\nSmall fixes to cherry-pick (1)\n  Each was tried" in text
    assert "\nEach was tried" in fork_markdown(report, "en")
    assert all(line == line.rstrip() for line in text.splitlines())
