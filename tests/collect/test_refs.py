"""Ranges of real repositories: what names mean, where two lines part, what each side has, which release was first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daybreak.collect.git.mirror import Mirror, open_mirror
from daybreak.collect.git.refs import latest, resolve
from daybreak.core.errors import UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo
from daybreak.core.model.upgrade import Span
from gitrepo import GitRepo


@pytest.fixture
def git() -> Git:
    return Git(dict(os.environ))


class Upstream:
    """A branch of numbered commits."""

    def __init__(self, repo: GitRepo, tmp_path: Path, git: Git) -> None:
        self.repo, self._tmp, self._git = repo, tmp_path, git
        self.shas = [self.add(number) for number in range(6)]

    def add(self, number: int, branch: str | None = None, **more: object) -> str:
        at = 1_768_000_000 + number * 3600
        files = {f"f{number}{branch or ''}.txt": "x\n"}
        return self.repo.commit(f"Change {number} (#{number})", files, at=at, branch=branch, **more)  # type: ignore[arg-type]

    def opened(self) -> tuple[Mirror, Repo]:
        repo = Repo("acme/engine", "https://example.org/acme/engine", str(self.repo.path))
        return open_mirror(self._git, repo, self._tmp / "mirrors", False, lambda _: None), repo

    def resolve(self, text: str) -> Span:
        mirror, repo = self.opened()
        return resolve(self._git, mirror, repo, text)


@pytest.fixture
def upstream(repo: GitRepo, tmp_path: Path, git: Git) -> Upstream:
    return Upstream(repo, tmp_path, git)


def test_a_linear_range_is_what_git_log_lists(upstream: Upstream) -> None:
    upstream.repo.tag("v1.0", upstream.shas[1])
    upstream.repo.tag("v1.1", upstream.shas[4], at=1_768_900_000)
    span = upstream.resolve("v1.0..v1.1")
    assert span.gained == tuple(upstream.shas[2:5])
    assert span.lost == ()
    assert (span.start.name, span.start.sha, span.end.sha) == ("v1.0", upstream.shas[1], upstream.shas[4])
    assert span.start.committed_at.timestamp() == 1_768_003_600


@pytest.mark.parametrize("text", ["{1}..{4}", "{1:.9}..main", "v1.0..main", "v1.0..latest", "refs/tags/v1.0..HEAD"])
def test_tags_branches_shas_and_latest(upstream: Upstream, text: str) -> None:
    upstream.repo.tag("v1.0", upstream.shas[1])
    upstream.repo.tag("v1.2", upstream.shas[5])
    upstream.repo.tag("v1.3rc1", upstream.shas[5])
    span = upstream.resolve(text.format(*upstream.shas))
    assert span.start.sha == upstream.shas[1]
    assert span.gained[0] == upstream.shas[2]


@pytest.mark.parametrize(
    "text", ["{3}^..{3}", "{3:.9}~1..main~2", "v1.2~3..HEAD", "latest~3..latest", "main^^^~..v1.2^"]
)
def test_steps_back_from_a_name_are_taken_as_git_takes_them(upstream: Upstream, text: str) -> None:
    upstream.repo.tag("v1.2", upstream.shas[5])
    span = upstream.resolve(text.format(*upstream.shas))
    first, last = text.format(*upstream.shas).replace("latest", "v1.2").split("..")
    assert [span.start.sha, span.end.sha] == [upstream.repo.oid(first), upstream.repo.oid(last)]


def test_the_same_ref_twice_is_an_empty_range(upstream: Upstream) -> None:
    span = upstream.resolve("main..main")
    assert (span.gained, span.lost) == ((), ())


def test_the_way_back_loses_what_the_way_there_gained(upstream: Upstream) -> None:
    there, back = upstream.resolve(f"{upstream.shas[1]}..main"), upstream.resolve(f"main..{upstream.shas[1]}")
    assert back.gained == ()
    assert back.lost == there.gained != ()


def test_a_release_branch_leaves_its_own_commits_behind(upstream: Upstream) -> None:
    pick = upstream.add(10, "release", parents=[upstream.shas[2]])
    upstream.repo.tag("v1.0.1", pick)
    span = upstream.resolve("v1.0.1..main")
    assert span.lost == (pick,)
    assert span.gained == tuple(upstream.shas[3:])


def test_a_branch_that_the_mirror_does_not_follow(upstream: Upstream) -> None:
    own = upstream.add(11, "release/1.x", parents=[upstream.shas[3]])
    assert upstream.resolve("main..release/1.x").gained == (own,)


def test_the_line_of_first_parents_goes_before_a_merge(upstream: Upstream) -> None:
    side = upstream.add(20, "side", parents=[upstream.shas[2]])
    merge = upstream.repo.commit("Merge side", {}, parents=[upstream.shas[5], side], at=1_768_100_000)
    span = upstream.resolve(f"{side}..main")
    assert span.lost == (side,)
    assert span.gained == (*upstream.shas[3:], merge)


def test_the_first_release_that_holds_a_commit_wherever_its_tag_lies(upstream: Upstream) -> None:
    repo, shas = upstream.repo, upstream.shas
    on_branch = upstream.add(30, "release", parents=[shas[2]])
    repo.tag("v1.1", on_branch, at=1_768_200_000)
    repo.tag("v1.2", shas[4], at=1_768_300_000)
    repo.tag("v1.0rc1", shas[1], at=1_768_150_000)
    span = upstream.resolve(f"{shas[0]}..main")
    assert [span.released.get(sha) for sha in shas[1:]] == ["v1.1", "v1.1", "v1.2", "v1.2", None]


@pytest.mark.parametrize(
    ("tags", "newest"),
    [
        (["v0.9.0", "v0.10.0", "v0.10.1rc1"], "v0.10.0"),
        (["v0.6.2", "v0.6.2.post1", "nightly-v0.7.0"], "v0.6.2.post1"),
        (["gateway-v0.3.1", "v0.1.0"], "v0.1.0"),
        (["gateway-v0.3.1", "gateway-v0.3.10"], "gateway-v0.3.10"),
        (["nightly", "test"], None),
    ],
)
def test_latest_is_the_highest_number(tags: list[str], newest: str | None) -> None:
    repo = Repo("acme/engine", "https://example.org/acme/engine", "")
    assert latest([(0, name) for name in tags], repo) == newest


@pytest.mark.parametrize(
    ("text", "words", "tip"),
    [
        ("v1.0...main", "three dots", "v1.0..main"),
        ("v1.0", "not a range", "v0.14.1..v0.15.0"),
        ("..main", "not a range", "latest"),
        ("v1.0..", "not a range", "latest"),
        ("v1.0..a..b", "not a range", "latest"),
        ("1.0..main", "no tag, branch or commit '1.0'", "'v1.0'"),
        ("v1.0..mian", "no tag, branch or commit 'mian'", "'main'"),
        ("v1.0..--all", "no tag, branch or commit '--all'", "Use a tag"),
        ("v1.0..mian~1", "no tag, branch or commit 'mian'", "'main'"),
        ("v1.0..main~99", "no commit 'main~99': its history does not go back so far", "fewer steps"),
        ("v1.0..main^3", "no commit 'main^3'", "fewer steps"),
        ("v1.0..main^{/fix}", "no tag, branch or commit 'main^{/fix}'", "Use a tag"),
        ("v1.0..main@{1}", "no tag, branch or commit 'main@{1}'", "'main'"),
        ("v1.0..deadbeef", "no tag, branch or commit 'deadbeef'", "newest release is 'v1.0'"),
        ("v1.0..\x1b[31mred", "no tag, branch or commit", "Use a tag"),
    ],
)
def test_a_name_that_means_nothing_is_one_sentence_and_a_near_name(
    upstream: Upstream, text: str, words: str, tip: str
) -> None:
    upstream.repo.tag("v1.0", upstream.shas[1])
    with pytest.raises(UsageError) as caught:
        upstream.resolve(text)
    assert words in caught.value.message
    assert tip in caught.value.tip
    assert "\x1b" not in caught.value.message + caught.value.tip


def test_no_release_has_no_latest(upstream: Upstream) -> None:
    with pytest.raises(UsageError, match="no release tag"):
        upstream.resolve("main..latest")


def test_histories_that_are_not_related(upstream: Upstream) -> None:
    upstream.repo.commit("Other root", {"o.txt": "o\n"}, branch="other", parents=[])
    with pytest.raises(UsageError, match="no commit in common"):
        upstream.resolve("other..main")
