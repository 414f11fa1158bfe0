"""Families of tags: which release a reader means, of projects that number themselves and their parts."""

from __future__ import annotations

import pytest

from conftest import Collector
from daybreak.collect.git.families import families, family_of
from gitrepo import GitRepo

_YEAR = 365 * 86400
_NOW = 1_768_000_000

Case = tuple[str, list[tuple[float, str]], str | None, str | None]

_CASES: dict[str, Case] = {
    "a plain tag of years ago does not beat the named ones that are alive": (
        "rs/loom",
        [(-8, "0.1.5"), (-0.2, "loom-1.53.0"), (-0.1, "loom-1.53.1"), (0, "loom-util-0.7.19")],
        "loom",
        "loom-1.53.1",
    ),
    "of two numberings of the same commits the higher one is told": (
        "org/watch",
        [(-0.2, "v3.13.1"), (-0.2, "v0.313.1"), (-0.1, "v3.13.2"), (0, "v0.313.2")],
        "",
        "v3.13.2",
    ),
    "a repair of an old line that was made last is not the newest": (
        "org/web",
        [(-0.3, "v15.2.0"), (-0.2, "v15.3.2"), (-0.1, "v15.4.0-canary.54"), (0, "v15.1.8")],
        "",
        "v15.3.2",
    ),
    "a numbering by years that was given up does not count": (
        "org/tool",
        [(-4, "v2021.12"), (-1, "v1.0"), (0, "v1.2")],
        "",
        "v1.2",
    ),
    "a part with its own numbers is not the project": (
        "org/serve",
        [(-1, "v0.5.6"), (0, "gateway-v0.2.4")],
        "",
        "v0.5.6",
    ),
    "a project that always writes its name": ("org/ray", [(-1, "ray-2.9.10"), (0, "ray-2.9.9")], "ray", "ray-2.9.10"),
    "a project released for two languages": (
        "org/frames",
        [(-0.3, "py-1.42.0"), (-0.2, "py-1.43.0"), (-0.1, "rs-0.54.4"), (0, "py-1.43.2")],
        "py",
        "py-1.43.2",
    ),
    "a family of candidates alone has its highest": ("org/x", [(-1, "v1.0b1"), (0, "v1.0b2")], "", "v1.0b2"),
    "words and hashes are no versions": (
        "org/x",
        [(0, "submission"), (0, "dev_67fc648"), (0, "nightly-v1.2")],
        None,
        None,
    ),
}


@pytest.mark.parametrize("case", _CASES.values(), ids=_CASES.keys())
def test_the_newest_release_is_the_highest_of_the_living_family(case: Case) -> None:
    repo, tags, main, newest = case
    known = families([(int(_NOW + years * _YEAR), name) for years, name in tags], repo)
    found = known.newest(known.main)
    assert (known.main, found.name if found else None) == (main, newest)


def test_a_pattern_of_the_config_says_which_tags_are_the_releases() -> None:
    tags = [(_NOW - 2, "v2.0"), (_NOW - 1, "sdk-1.4"), (_NOW, "sdk-1.10")]
    known = families(tags, "org/x", "sdk-*")
    found = known.newest(known.main)
    assert found is not None
    assert found.name == "sdk-1.10"


def test_candidates_after_the_newest_release_are_known() -> None:
    known = families([(_NOW, name) for name in ("v1.0", "v1.0rc1", "v1.1rc1", "v1.1rc2")], "org/x")
    assert [tag.name for tag in known.candidates(known.main)] == ["v1.1rc2", "v1.1rc1"]


def test_a_tag_of_a_part_is_a_release_of_its_folder_and_of_nothing_else(repo: GitRepo, collector: Collector) -> None:
    first = repo.commit("Begin", {"srv/a.py": "1", "org-gateway/src/a.rs": "1"}, at="2026-01-10T10:00:00")
    repo.tag("v1.0", first, at="2026-01-10T11:00:00")
    python = repo.commit("Python", {"srv/a.py": "2", "org-gateway/tests/t.rs": "1"}, at="2026-01-19T10:00:00")
    rust = repo.commit("Rust", {"org-gateway/src/a.rs": "2", "docs/gateway.md": "x"}, at="2026-01-19T10:10:00")
    repo.tag("gateway-v0.2.4", rust, at="2026-01-19T11:00:00")
    later = repo.commit("Later", {"org-gateway/src/a.rs": "3"}, at="2026-01-19T12:00:00")
    collected = collector.collect(repo)
    assert collected.released == {rust: "gateway-v0.2.4"}
    assert (collected.newest[python], collected.newest[later]) == ("v1.0", "gateway-v0.2.4")


def test_a_part_may_be_named_only_in_the_manifest_that_takes_its_version_from_the_tags(
    repo: GitRepo, collector: Collector
) -> None:
    manifest = "[tool.setuptools_scm]\ntag_regex = '^fa4-v(.+)$'\n"
    first = repo.commit("Begin", {"flash/cute/pyproject.toml": manifest, "flash/a.py": "1"}, at="2026-01-10T10:00:00")
    repo.tag("v2.8.3", first, at="2026-01-10T11:00:00")
    part = repo.commit("Part", {"flash/cute/x.py": "1"}, at="2026-01-19T10:00:00")
    whole = repo.commit("Whole", {"flash/a.py": "2"}, at="2026-01-19T11:00:00")
    repo.tag("fa4-v4.0.0.beta5", whole, at="2026-01-19T12:00:00")
    collected = collector.collect(repo)
    assert collected.released == {part: "fa4-v4.0.0.beta5"}
    assert collected.newest[whole] == "v2.8.3"


def test_files_that_ship_nowhere_do_not_make_a_change_of_a_part_one_of_the_project() -> None:
    shipped = {"fa4": ("flash/cute/",)}
    beside = [".gitignore", "AGENTS.md", "benchmarks/clc.py", "tests/cute/test_clc.py"]
    assert family_of(["flash/cute/interface.py", *beside], "", shipped) == "fa4"
    assert family_of(["flash/cute/interface.py", "flash/core.py"], "", shipped) == ""
