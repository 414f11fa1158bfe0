"""A fix that is another version of a dependency: the release's own file says whether it asks for the old one."""

from __future__ import annotations

import pytest

from conftest import Collector
from gitrepo import GitRepo

PINS = "requirements/common.txt"


@pytest.mark.parametrize(
    ("released", "has"), [("grammar == 0.1.29; linux\n", True), ("grammar == 0.1.30; linux\n", None)]
)
def test_a_release_that_pins_what_a_security_fix_takes_away_has_the_fault(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    sha = repo.commit("Begin", {PINS: released, "a.py": "x = 1\n"}, at="2026-01-05T10:00:00")
    repo.tag("v1.0", sha, at="2026-01-05T11:00:00")
    repo.commit("Pin", {PINS: "grammar ==0.1.29; linux\n", "a.py": "x = 2\n"}, at="2026-01-10T10:00:00")
    now: dict[str, str | None] = {PINS: "grammar >= 0.1.32; linux\n"}
    fix = repo.commit("Upgrade grammar for a security fix (#7)", now, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed[fix]
    assert (found.has, found.applies) == (has, None)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("setup.py", 'EXTRAS = ["proxy>={},<2.9.0"]\n'),
        ("go.mod", "require example.org/proxy v{}\n"),
        ("Cargo.toml", 'proxy = "{}"\n'),
        ("docker/build.sh", 'PROXY_VERSION="{}"\n'),
    ],
)
@pytest.mark.parametrize(("released", "has"), [("", None), ("2.8.20", True)])
def test_a_release_without_the_line_that_a_bump_replaces_is_not_spared(
    repo: GitRepo, collector: Collector, path: str, line: str, released: str, has: bool | None
) -> None:
    """What is vulnerable may be there under another name, or built by another file."""
    files: dict[str, str | None] = {"a.py": "x = 1\n", path: line.format(released) if released else "begin\n"}
    repo.tag("v1.0", repo.commit("Begin", files, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Go on", {path: line.format("2.8.20"), "a.py": "x = 2\n"}, at="2026-01-10T10:00:00")
    now: dict[str, str | None] = {path: line.format("2.8.25")}
    fix = repo.commit("Fix CVE-2026-1 in the proxy (#7)", now, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed.get(fix)
    assert found is None or found.has is has
