"""Between repositories: pins that moved, what they take, stories of taking and going back, mentions, removed names."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from analyse.forge.forged import between, change, ends, entry, finding, issue, pull, release, side
from daybreak.core.model.changes import FileChange
from daybreak.core.model.findings import Finding
from daybreak.core.model.links import HeadUse
from daybreak.core.model.report import Entry
from daybreak.judge.links.pins import Side, pinned

KERNELS = "org/kernels"
NAMES = ("kernels-python", "kernels", "kernels-cubin")
DAYS = 24 * 60


def kernels(*entries: Entry, **more: Any) -> Side:
    return side(*entries, repo=KERNELS, packages=NAMES, **more)


def bump(digit: str, before: str, after: str, subject: str = "Bump", at: int = 0, repo: str = "org/engine") -> Entry:
    move = finding("dependency_changed", "kernels_python", before, after, "pyproject.toml")
    return entry(change(digit, subject, at=at, repo=repo), move)


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("==0.6.15", ("0.6.15", False)),
        ("[cu13] ==0.6.15.post1", ("0.6.15.post1", False)),
        ("v4.4.2", ("v4.4.2", False)),
        (">=4.4.2", ("4.4.2", True)),
        (">=4.4.2,<5", ("4.4.2", True)),
        ("a5b6c7d8" * 5, ("a5b6c7d8" * 5, False)),
        ("main", None),
        ("<5", None),
        ("*", None),
        (None, None),
    ],
)
def test_what_a_pin_names(value: str | None, want: tuple[str, bool] | None) -> None:
    assert pinned(value) == want


def test_a_pin_takes_the_release_of_its_version() -> None:
    cross = between(
        side(bump("a", "[cu13] ==0.6.14", "[cu13] ==0.6.15")), kernels(releases=[release("v0.6.15"), release("v0.6.1")])
    )
    assert ends(cross, "takes") == [("commit:a", f"release:{KERNELS}@v0.6.15")]
    assert not cross.links[0].likely
    assert cross.links[0].evidence[:2] == ("commit:" + "a" * 40, "finding:aaaaaaaaaaaa/1")


def test_the_same_move_in_several_files_is_one_with_the_main_name() -> None:
    moves = (
        finding("pin_changed", "KERNELS_VERSION", "0.6.14", "0.6.15", "docker/Dockerfile"),
        finding("dependency_changed", "kernels_cubin", "==0.6.14", "==0.6.15", "pyproject.toml"),
        finding("dependency_changed", "kernels-python", "==0.6.14", "==0.6.15", "pyproject.toml"),
    )
    cross = between(side(entry(change("a", "Bump"), *moves)), kernels())
    assert [(b.package, len(b.findings), b.sure) for b in cross.bumps] == [("kernels-python", 3, True)]


@pytest.mark.parametrize(
    ("kind", "symbol"),
    [
        ("submodule_changed", "3rdparty/kernels"),
        ("source_changed", "kernels"),
        ("source_changed", "_KERNELS_UPSTREAM_TAG"),
        ("pin_changed", "KERNELS_GIT_REF"),
    ],
)
def test_a_commit_that_is_pinned_is_known_by_its_tag(kind: str, symbol: str) -> None:
    old, new = "1a" * 20, "2b" * 20
    one = side(entry(change("a", "Update"), finding(kind, symbol, old, new)))
    assert ends(between(one, kernels(tags={"v1.0": new})), "takes") == [("commit:a", f"release:{KERNELS}@v1.0")]
    unknown = between(one, kernels())
    assert ends(unknown, "takes") == [("commit:a", f"repo:{KERNELS}")]
    assert unknown.links[0].likely
    assert new not in str(unknown.links[0].why)


@pytest.mark.parametrize(
    ("patch", "joined", "sure"),
    [
        (" GIT_REPOSITORY https://github.com/org/kernels.git\n-GIT_TAG 1\n+GIT_TAG 2", True, True),
        (" GIT_REPOSITORY https://github.com/fork/kernels.git\n-GIT_TAG 1\n+GIT_TAG 2", False, False),
        ("-REPO https://github.com/org/kernels\n+REPO https://github.com/fork/kernels", False, False),
        ("-REPO https://github.com/fork/kernels\n+REPO git@github.com:org/kernels.git", True, True),
        (" nothing here", True, False),
    ],
)
def test_a_fork_of_the_same_name_is_not_the_watched_one(patch: str, joined: bool, sure: bool) -> None:
    made = change("a", "Update", files=(FileChange("deps.cmake", "M", patch=patch),))
    one = side(entry(made, finding("source_changed", "kernels", "1a" * 20, "2b" * 20, "deps.cmake")))
    cross = between(one, kernels())
    assert bool(cross.bumps) is joined
    assert all(b.sure is sure for b in cross.bumps)


@pytest.mark.parametrize(
    "found",
    [
        finding("dependency_changed", "kernels-extra", "==1.0", "==1.1"),
        finding("dependency_changed", "kernels-python", "==1.0", "*"),
        finding("dependency_changed", "kernels-python", "==1.0", "[x] ==1.0"),
        finding("version_changed", "kernels", "1.0", "1.1"),
        finding("dependency_added", "kernels-python", None, "==1.1"),
    ],
)
def test_what_is_no_move_of_a_watched_repository(found: Finding) -> None:
    assert between(side(entry(change("a", "x"), found)), kernels()).bumps == ()


def test_a_repository_does_not_take_itself() -> None:
    assert between(kernels(bump("a", "==1.0", "==1.1", repo=KERNELS))).bumps == ()


def test_the_known_changes_in_between() -> None:
    commits = [change(d, f"k{d}", repo=KERNELS, at=n) for n, d in enumerate("cdef")]
    tagged = kernels(*(entry(c, released=t) for c, t in zip(commits, ("v1.0", "v1.1", "v1.2", None), strict=True)))
    moved = between(side(bump("a", "==1.0", "==1.2")), tagged).bumps[0]
    assert ([s[0] for s in moved.between], moved.whole) == (["d", "e"], False)
    hexed = [replace(c, sha=c.sha[:39] + "0") for c in commits]
    pins = entry(change("a", "x"), finding("submodule_changed", "3rdparty/kernels", hexed[0].sha, hexed[2].sha))
    moved = between(side(pins), kernels(*map(entry, hexed))).bumps[0]
    assert ([s[0] for s in moved.between], moved.whole, moved.sure) == (["d", "e"], True, True)


# --- stories -----------------------------------------------------------------------------------------------------


def test_taken_reverted_and_taken_as_post_release_is_one_story() -> None:
    engine = side(
        bump("c", "==0.6.14", "==0.6.15.post1", "Bump to 0.6.15.post1", at=300),
        earlier=(
            bump("a", "==0.6.14", "==0.6.15", "Bump to 0.6.15", at=-3 * DAYS),
            bump("b", "==0.6.15", "==0.6.14", 'Revert "Bump to 0.6.15"', at=-2 * DAYS),
        ),
    )
    lib = kernels(releases=[release("v0.6.15", at=-4 * DAYS), release("v0.6.15.post1", at=-DAYS)])
    (story,) = between(engine, lib).stories
    assert [(s.kind, s.repo, s.version) for s in story.steps] == [
        ("released", KERNELS, "v0.6.15"),
        ("taken", "org/engine", "0.6.15"),
        ("reverted", "org/engine", "0.6.14"),
        ("released", KERNELS, "v0.6.15.post1"),
        ("taken", "org/engine", "0.6.15.post1"),
    ]
    assert story.repos == (KERNELS, "org/engine")
    assert story.net["en"] == (
        "`org/kernels`: `v0.6.15` released → `org/engine` takes `0.6.15` → `org/engine` goes back to `0.6.14` → "
        "`v0.6.15.post1` released → `org/engine` takes `0.6.15.post1`; at the end of the window `org/engine` is on "
        "`0.6.15.post1`."
    )
    assert story.net["zh"].count("`") == story.net["en"].count("`")


def test_files_of_one_change_that_stood_on_different_versions_are_one_step_and_one_link() -> None:
    moves = (
        finding("dependency_changed", "kernels_python", "==1.0", "==1.2", "pyproject.toml"),
        finding("dependency_changed", "kernels_python", "==1.1", "==1.2", "extra/pyproject.toml"),
    )
    cross = between(side(entry(change("a", "Bump"), *moves)), kernels(releases=[release("v1.2", at=-9)]))
    (story,) = cross.stories
    assert [step.kind for step in story.steps] == ["released", "taken"]
    assert ends(cross, "takes") == [("commit:a", f"release:{KERNELS}@v1.2")]


def test_a_tag_that_was_made_after_its_package_was_taken_is_not_told_as_its_release() -> None:
    second = side(bump("b", "==1.0", "==1.1", at=9, repo="org/server"), repo="org/server")
    (story,) = between(side(bump("a", "==1.0", "==1.1")), second, kernels(releases=[release("v1.1", at=60)])).stories
    assert [step.kind for step in story.steps] == ["taken", "taken"]


@pytest.mark.parametrize(("tag", "want"), [("v0.6.16", True), ("v0.6.16rc1", False), ("v0.6.13", False)])
def test_a_release_of_the_window_ends_the_wait_of_who_had_gone_back(tag: str, want: bool) -> None:
    engine = side(
        earlier=(
            bump("a", "==0.6.14", "==0.6.15", at=-3 * DAYS),
            bump("b", "==0.6.15", "==0.6.14", 'Revert "Bump"', at=-2 * DAYS),
        )
    )
    found = between(engine, kernels(releases=[release(tag)])).stories
    assert [story.steps[-1].version for story in found] == ([tag] if want else [])


def test_two_targets_of_one_change_are_two_stories_of_different_names() -> None:
    tiles = side(repo="org/tiles", packages=("tiles",), releases=[release("v2", at=-9)])
    moves = (
        finding("dependency_changed", "kernels", "==1.0", "==1.1", "pyproject.toml"),
        finding("dependency_changed", "tiles", "==1", "==2", "pyproject.toml"),
    )
    lib = kernels(releases=[release("v1.1", at=-9)])
    found = between(side(entry(change("a", "Bump"), *moves)), lib, tiles).stories
    assert len({story.id for story in found}) == 2


def test_a_single_move_is_no_story_and_an_older_one_is_none_of_this_window() -> None:
    assert between(side(bump("a", "==1.0", "==1.1")), kernels()).stories == ()
    old = side(earlier=(bump("a", "==1.0", "==1.1", at=-DAYS), bump("b", "==1.1", "==1.0", at=-9)))
    assert between(old, kernels()).stories == ()


def test_two_takers_of_one_version_share_a_story() -> None:
    second = side(bump("b", "==1.0", "==1.1", at=9, repo="org/server"), repo="org/server")
    (story,) = between(side(bump("a", "==1.0", "==1.1")), second, kernels()).stories
    assert story.repos == (KERNELS, "org/engine", "org/server")


def test_taking_again_after_a_revert_does_not_go_back() -> None:
    def sub(digit: str, old: str, new: str, at: int) -> Entry:
        return entry(change(digit, "x", at=at), finding("submodule_changed", "3rdparty/kernels", old, new))

    old, new = "1a" * 20, "2b" * 20
    engine = side(sub("a", old, new, 0), sub("b", new, old, 1), sub("c", old, new, 2))
    assert [b.back for b in between(engine, kernels(tags={"v1": new})).bumps] == [False, True, False]


def test_a_lower_bound_that_is_let_down_takes_nobody_back() -> None:
    moves = side(bump("a", "==4.7.0", ">=4.7.0a0"), bump("b", ">=4.7.0a0", "==4.6.0", at=9))
    assert [(b.after, b.back) for b in between(moves, kernels()).bumps] == [("4.7.0a0", False), ("4.6.0", True)]


# --- mentions ----------------------------------------------------------------------------------------------------


def mention(body: str, lib: Side, **more: Any) -> list[tuple[str, str]]:
    return ends(between(side(entry(change("a", "Use kernels (#3)", body)), **more), lib), "mentions")


def test_what_one_repository_names_of_another() -> None:
    known = entry(replace(change("d", "k (#8)", repo=KERNELS), sha="d1" * 20))
    lib = kernels(known, issues=[issue(5)], pulls=[pull(6)])
    assert mention("See org/kernels#5", lib) == [("commit:a", f"issue:{KERNELS}#5")]
    assert mention("See Org/Kernels#6", lib) == [("commit:a", f"pull:{KERNELS}#6")]
    assert mention("See org/kernels#8", lib) == [("commit:a", f"pull:{KERNELS}#8")]
    assert mention("See org/kernels#7", lib) == [("commit:a", f"repo:{KERNELS}")]
    assert mention("https://github.com/org/kernels/pull/99", lib) == [("commit:a", f"pull:{KERNELS}#99")]
    assert mention("needs d1d1d1d1d1d1", lib) == [("commit:a", "commit:d")]
    assert mention("https://github.com/org/kernels/commit/d1d1d1d1", lib) == [("commit:a", "commit:d")]


@pytest.mark.parametrize(
    "body", ["See #5", "org/other#5", "`org/kernels#5`", "```\norg/kernels#5\n```", "d1d1d1d", "x/org/kernels#5"]
)
def test_what_names_nothing_of_another(body: str) -> None:
    assert (
        mention(body, kernels(entry(replace(change("d", "k", repo=KERNELS), sha="d1" * 20)), issues=[issue(5)])) == []
    )


def test_a_pull_request_speaks_as_the_change_it_became() -> None:
    lib = kernels(issues=[issue(5)])
    brought = [pull(3, body="org/kernels#5"), pull(4, body="org/kernels#5", state="open")]
    assert mention("org/kernels#5", lib, pulls=brought) == [
        ("commit:a", f"issue:{KERNELS}#5"),
        ("pull:org/engine#4", f"issue:{KERNELS}#5"),
    ]


# --- names -------------------------------------------------------------------------------------------------------


def used(name: str, path: str, line: int = 1, number: int = 1, sure: bool = True) -> HeadUse:
    return HeadUse(f"finding:dddddddddddd/{number}", "d" * 40, KERNELS, name, path, line, sure)


def test_a_removed_name_that_another_uses_is_one_link_with_its_places_code_first() -> None:
    lib = kernels(entry(change("d", "Remove", repo=KERNELS), finding("function_removed", "plan_block_tables")))
    uses = (
        used("kernels.plan_block_tables", "tests/test_plan.py"),
        *(used("kernels.plan_block_tables", "engine/run.py", line) for line in (9, 3, 3, 5)),
    )
    [link] = between(side(uses=uses), lib).links
    assert (link.kind, link.source, link.target) == ("uses_removed", "finding:dddddddddddd/1", "repo:org/engine")
    assert [(x.path, x.line) for x in link.places] == [("engine/run.py", 3), ("engine/run.py", 5), ("engine/run.py", 9)]
    assert link.places_omitted == 1
    assert not link.likely
    assert link.why is not None
    assert "still uses it" in link.why["en"]


def test_names_of_two_findings_are_two_links_and_what_is_not_sure_is_likely() -> None:
    removed = finding("function_removed", "plan_block_tables"), finding("class_removed", "PlanTable")
    lib = kernels(entry(change("d", "Remove", repo=KERNELS), *removed))
    uses = used("kernels.plan_block_tables", "a.py", sure=False), used("kernels.PlanTable", "a.py", number=2)
    found = between(side(uses=uses), lib).links
    assert [(link.source[-1], link.likely) for link in found] == [("1", True), ("2", False)]
    assert found[0].why is not None
    assert "may still use it" in found[0].why["en"]


def test_nothing_is_linked_where_nothing_is_used() -> None:
    lib = kernels(entry(change("d", "Remove", repo=KERNELS), finding("function_removed", "plan_block_tables")))
    assert between(side(), lib).links == ()


def test_what_a_pull_requests_text_names_rests_on_that_text() -> None:
    one = side(entry(change("a", "Add (#3)")), pulls=[pull(3, body="See org/kernels#7.", merge_sha="a" * 40)])
    [link] = between(one, kernels()).links
    assert link.source == "commit:" + "a" * 40
    assert "pull:org/engine#3" in link.evidence


def test_a_text_that_names_hundreds_says_how_many_were_left_off() -> None:
    body = " ".join(f"org/kernels#{n}" for n in range(100, 140))
    cross = between(side(pulls=[pull(3, body=body)]), kernels(pulls=[pull(n) for n in range(100, 140)]))
    assert (len(ends(cross, "mentions")), cross.omitted) == (12, 28)
