"""Pages on a branch: on top of what is there, nobody's file or checkout touched, nothing forced, no secret said."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from daybreak.core.errors import NotOursError, PublishError
from daybreak.core.git_program import Git
from daybreak.deliver.publish.folder import own_files
from daybreak.deliver.publish.git_branch import GitBranch, Pushed, Target
from gitrepo import GitRepo, link
from publish.branch_desk import MARK, WHEN, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    made.day("2026-01-19")
    return made


def test_pages_go_to_a_branch_of_their_own(desk: Desk) -> None:
    pushed = desk.publish()
    assert set(desk.held()) == {"README.md", "reports/2026-01-19.md", "reports/2026-01-19/o-n.md"}
    assert desk.held()["README.md"] == (desk.out / "README.md").read_text(encoding="utf-8")
    assert desk.log("%H %an <%ae> %cn %s") == [
        f"{pushed.commit} Daybreak <daybreak@example.invalid> Daybreak Daybreak report of 2026-01-19"
    ]
    assert desk.log("%cI") == ["2026-01-20T08:00:00+00:00"]
    assert len(pushed.paths) == 3


def test_nothing_new_is_no_commit(desk: Desk) -> None:
    desk.publish()
    assert desk.publish() == Pushed(None)
    os.utime(desk.out / "README.md")
    assert desk.publish() == Pushed(None)
    assert len(desk.log()) == 1


def test_what_was_pushed_is_not_asked_about_when_nothing_is_new(desk: Desk, tmp_path: Path) -> None:
    desk.publish(trusting=True)
    desk.remote.path.rename(tmp_path / "away")
    assert desk.publish(trusting=True) == Pushed(None)
    with pytest.raises(PublishError):
        desk.publish()
    desk.day("2026-01-20")
    with pytest.raises(PublishError):
        desk.publish(trusting=True)
    (tmp_path / "away").rename(desk.remote.path)
    assert desk.publish(trusting=True).commit is not None
    desk.target = replace(desk.target, branch="other")
    assert desk.publish(trusting=True).commit is not None


def test_a_second_day_goes_on_top_and_only_what_changed_is_in_it(desk: Desk) -> None:
    desk.publish()
    desk.day("2026-01-20")
    pushed = desk.publish()
    assert set(pushed.paths) == {"README.md", "reports/2026-01-20.md", "reports/2026-01-20/o-n.md"}
    assert desk.log() == ["Daybreak report of 2026-01-20", "Daybreak report of 2026-01-19"]
    assert "reports/2026-01-19.md" in desk.held()


def test_other_files_of_the_branch_stay(tmp_path: Path) -> None:
    desk = Desk(tmp_path, branch="main", folder="docs/news")
    theirs = desk.remote.commit(
        "Theirs", {"README.md": "# Ours\n", "docs/a.md": "a", 'ünicode\n"x': "b", "l": link("x")}
    )
    desk.day("2026-01-19")
    desk.publish()
    assert desk.remote.text("show", "main:README.md") == "# Ours"
    assert desk.remote.text("diff-tree", "-r", "--name-status", theirs, "main").splitlines() == [
        "A\tdocs/news/README.md",
        "A\tdocs/news/reports/2026-01-19.md",
        "A\tdocs/news/reports/2026-01-19/o-n.md",
    ]
    assert desk.log()[1] == "Theirs"


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"README.md": "# My own\n"}, "README.md"),
        ({"README.md": link("elsewhere")}, "README.md"),
        ({"reports": "a file"}, "reports"),
        ({"reports": link("/etc")}, "reports"),
        ({"README.md/inside": "x"}, "README.md"),
        ({"reports/2026-01-19.md": ""}, "reports/2026-01-19.md"),
    ],
)
def test_a_file_that_is_not_ours_is_left_alone(desk: Desk, files: dict[str, str], named: str) -> None:
    before = desk.remote.commit("Theirs", files, branch="reports")
    with pytest.raises(NotOursError) as caught:
        desk.publish()
    assert caught.value.message.startswith(f"{named} in the branch 'reports'")
    assert "git_folder" in caught.value.tip
    assert desk.remote.oid("reports") == before


def test_what_was_pushed_before_is_replaced_and_what_was_taken_from_the_folder_stays(desk: Desk) -> None:
    desk.publish()
    (desk.out / "reports" / "2026-01-19.md").unlink()
    desk.day("2026-01-20", "two")
    desk.publish()
    assert "reports/2026-01-19.md" in desk.held()
    assert desk.held()["README.md"].endswith("two README.md 2026-01-20")


def test_files_beside_the_reports_are_not_pushed(desk: Desk) -> None:
    (desk.out / "daybreak.toml").write_text("secret", encoding="utf-8")
    (desk.out / "reports" / "notes.md").write_text("mine", encoding="utf-8")
    (desk.out / "reports" / "secret.json").symlink_to("/etc/passwd")
    (desk.out / ".daybreak").mkdir()
    (desk.out / ".daybreak" / "x.md").write_text(MARK, encoding="utf-8")
    desk.publish()
    assert set(desk.held()) == {"README.md", "reports/2026-01-19.md", "reports/2026-01-19/o-n.md"}


# --- the site ---------------------------------------------------------------------------------------------------------


def site(desk: Desk, *paths: str) -> None:
    folder = desk.out / "site"
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"<html>{path}", encoding="utf-8")
    told = {"schema": "daybreak.site/1", "pages": dict.fromkeys(paths, "digest")}
    (folder / ".daybreak-site.json").write_text(json.dumps(told), encoding="utf-8")


def test_the_site_goes_along_when_asked_and_pages_it_lost_go(desk: Desk) -> None:
    site(desk, "index.html", "zh/old.html")
    desk.publish(site=True)
    assert {"site/index.html", "site/zh/old.html"} <= set(desk.held())
    site(desk, "index.html", "zh/new.html")
    desk.publish(site=True)
    assert "site/zh/new.html" in desk.held()
    assert "site/zh/old.html" not in desk.held()
    assert "reports/2026-01-19.md" in desk.held()
    desk.publish()
    assert "site/index.html" in desk.held()


def test_a_page_of_the_branch_that_is_not_on_our_list_is_left_alone(desk: Desk) -> None:
    desk.remote.commit("Theirs", {"site/index.html": "<html>theirs"}, branch="reports")
    site(desk, "index.html")
    with pytest.raises(NotOursError, match=r"site/index\.html"):
        desk.publish(site=True)


# --- others at the same branch ------------------------------------------------------------------------------------------


def test_when_somebody_pushed_meanwhile_ours_goes_on_top_of_theirs(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.publish()
    desk.day("2026-01-20")
    real = GitBranch._push
    raced: list[str] = []

    def push(self: GitBranch, commit: str) -> bool:
        if len(raced) < 2:
            desk.remote._tips["reports"] = desk.remote.oid("reports")
            raced.append(desk.remote.commit(f"Theirs {len(raced)}", {f"their{len(raced)}": "x"}, branch="reports"))
        return real(self, commit)

    monkeypatch.setattr(GitBranch, "_push", push)
    desk.publish()
    assert desk.log() == ["Daybreak report of 2026-01-20", "Theirs 1", "Theirs 0", "Daybreak report of 2026-01-19"]
    assert {"their0", "their1", "reports/2026-01-20.md"} <= set(desk.held())


def test_two_who_make_the_branch_at_once_both_get_there(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = GitBranch._push
    raced: list[str] = []

    def push(self: GitBranch, commit: str) -> bool:
        if not raced:
            raced.append(desk.remote.commit("Theirs", {"their": "x"}, branch="reports"))
        return real(self, commit)

    monkeypatch.setattr(GitBranch, "_push", push)
    desk.publish()
    assert desk.log() == ["Daybreak report of 2026-01-19", "Theirs"]


def test_a_race_without_end_is_given_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GitBranch, "_push", lambda *_: False)
    with pytest.raises(PublishError, match="all the time"):
        desk.publish()


def test_a_branch_that_was_set_back_is_gone_on_from_there(desk: Desk) -> None:
    first = desk.publish().commit
    desk.day("2026-01-20")
    desk.publish()
    assert first is not None
    desk.remote.move(first, "reports")
    assert desk.publish().commit is not None
    assert "reports/2026-01-20.md" in desk.held()


def test_a_clone_that_is_lost_or_damaged_is_made_anew(desk: Desk, tmp_path: Path) -> None:
    desk.publish()
    (tmp_path / "state" / "clone.git" / "HEAD").write_text("")
    desk.day("2026-01-20")
    assert desk.publish().commit is not None
    assert len(desk.log()) == 2


@pytest.mark.parametrize("left", ["refs/daybreak/tip.lock", "shallow.lock"])
def test_what_a_killed_git_leaves_keeps_no_later_run_from_pushing(desk: Desk, tmp_path: Path, left: str) -> None:
    desk.publish()
    lock = tmp_path / "state" / "clone.git" / left
    lock.write_text("")
    theirs = Desk(tmp_path)
    theirs.out = tmp_path / "theirs"
    theirs.day("2026-01-18")
    GitBranch(theirs.git, theirs.target, tmp_path / "other.git", WHEN).publish(theirs.out, own_files(theirs.out))
    desk.day("2026-01-20")
    assert desk.publish().commit is not None
    assert len(desk.log()) == 3
    assert not lock.exists()


def test_objects_that_a_power_cut_left_empty_are_fetched_anew(desk: Desk, tmp_path: Path) -> None:
    desk.publish()
    found = list((tmp_path / "state" / "clone.git" / "objects").glob("??/*"))
    for path in found:
        path.chmod(0o600)
        path.write_bytes(b"")
    desk.day("2026-01-20")
    assert found
    assert desk.publish().commit is not None
    assert len(desk.log()) == 2


def test_a_push_whose_answer_was_lost_is_seen_by_the_next_run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = GitBranch._push

    def push(self: GitBranch, commit: str) -> bool:
        real(self, commit)
        raise PublishError("the line went dead.")

    with monkeypatch.context() as patched:
        patched.setattr(GitBranch, "_push", push)
        with pytest.raises(PublishError):
            desk.publish()
    assert desk.publish() == Pushed(None)
    assert len(desk.log()) == 1


# --- the user's own repository ------------------------------------------------------------------------------------------


def checkout(path: Path) -> Path:
    path.mkdir()
    for command in (
        ["init", "-q", "-b", "main"],
        ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(["git", *command], cwd=path, check=True)
    (path / "work.txt").write_text("not committed")
    return path


def test_a_checkout_is_never_touched(tmp_path: Path) -> None:
    own = checkout(tmp_path / "own")
    desk = Desk(tmp_path, address=str(own))
    desk.day("2026-01-19")
    desk.publish()
    status = subprocess.run(["git", "status", "--porcelain", "-b"], cwd=own, capture_output=True, text=True, check=True)
    assert status.stdout == "## main\n?? work.txt\n"
    assert (own / ".git" / "refs" / "heads" / "reports").exists()


def test_the_branch_that_is_checked_out_is_refused_in_words(tmp_path: Path) -> None:
    desk = Desk(tmp_path, address=str(checkout(tmp_path / "own")), branch="main")
    desk.day("2026-01-19")
    with pytest.raises(PublishError, match="is checked out in") as caught:
        desk.publish()
    assert "git_branch" in caught.value.tip


def test_hooks_of_the_users_machine_do_not_run(desk: Desk, own_home: Path, tmp_path: Path) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-push", "pre-commit", "post-commit", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
        (hooks / name).chmod(0o755)
    (own_home / ".gitconfig").write_text(
        f"[core]\n\thooksPath = {hooks}\n[commit]\n\tgpgSign = true\n[push]\n\tfollowTags = true\n"
    )
    desk.git.take_user_settings(tmp_path)
    desk.publish()
    assert not (tmp_path / "ran").exists()


def test_the_config_of_the_repository_one_stands_in_has_no_say(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = checkout(tmp_path / "trap")
    (trap / ".git" / "config").write_text(f'[url "{tmp_path}/elsewhere"]\n\tinsteadOf = {desk.remote.path}\n')
    monkeypatch.chdir(trap)
    assert desk.publish().commit == desk.remote.oid("reports")


def test_the_users_addresses_for_pushing_hold(desk: Desk, own_home: Path, tmp_path: Path) -> None:
    (own_home / ".gitconfig").write_text(f'[url "{tmp_path}/"]\n\tinsteadOf = https://git.example/\n')
    desk.target = Target("https://git.example/remote.git", "reports", "", "D", "d@example.invalid")
    desk.git = Git(dict(os.environ))
    desk.git.take_user_settings(tmp_path)
    desk.publish()
    assert len(desk.log()) == 1


def test_an_address_for_pushing_alone_holds_too(desk: Desk, own_home: Path, tmp_path: Path) -> None:
    other = GitRepo.make(tmp_path / "pushed.git")
    (own_home / ".gitconfig").write_text(f'[url "{other.path}"]\n\tpushInsteadOf = {desk.remote.path}\n')
    desk.git = Git(dict(os.environ))
    desk.git.take_user_settings(tmp_path)
    assert desk.publish().commit == other.oid("reports")
    assert desk.remote.text("for-each-ref") == ""


# --- refusals ---------------------------------------------------------------------------------------------------------


def refusing(desk: Desk, words: str) -> None:
    hook = desk.remote.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 1\n")
    hook.chmod(0o755)


@pytest.mark.parametrize(
    "words", ["no", "GH006: Protected branch update failed", "[rejected] fetch first", "fatal: \033[31mx"]
)
def test_a_hook_that_says_no_is_one_sentence_and_is_asked_once(desk: Desk, words: str) -> None:
    refusing(desk, words)
    with pytest.raises(PublishError) as caught:
        desk.publish()
    assert "refuses pushes to the branch 'reports'" in caught.value.message
    assert "\033" not in caught.value.message


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("{base}/nowhere.git", "is not a git repository"),
        ("http://127.0.0.1:1/x.git", "does not answer"),
        ("ext::sh -c touch% /tmp/x", "may not use the protocol"),
        ("http://nowhere.invalid/x.git", "cannot be reached"),
    ],
)
def test_a_place_that_is_not_there_is_one_sentence(tmp_path: Path, address: str, said: str) -> None:
    desk = Desk(tmp_path, address=address.format(base=tmp_path))
    desk.day("2026-01-19")
    with pytest.raises(PublishError) as caught:
        desk.publish()
    assert said in caught.value.message
    assert caught.value.tip
    assert desk.remote.text("for-each-ref") == ""


def test_no_secret_of_an_address_is_said(tmp_path: Path) -> None:
    desk = Desk(tmp_path, address="http://me:hunter22@127.0.0.1:1/x.git")
    desk.day("2026-01-19")
    with pytest.raises(PublishError) as caught:
        desk.publish()
    assert "hunter22" not in caught.value.message + caught.value.tip + str(caught.value)
