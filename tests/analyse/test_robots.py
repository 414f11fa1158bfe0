"""Robots' bumps: counted in one line and graded low, unless somebody has to look at them."""

from __future__ import annotations

import pytest

from analyse.storied import commit
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry
from daybreak.judge.day import assessment
from daybreak.judge.robots import is_bump, is_routine
from daybreak.judge.rules import grade
from read.made import patch_of

GO = {"go.mod": patch_of("x v1.2.2\n", "x v1.2.3\n"), "go.sum": patch_of("x a\n", "x b\n")}

_CASES = {
    "Renovate's fix(deps)": ("renovate[bot]", "fix(deps): update module github.com/x/y to v1.2.3 (#1)", "", True),
    "Renovate's chore(deps)": ("renovate[bot]", "chore(deps): update actions/stale action to v10.4.0 (#1)", "", True),
    "Dependabot's title": ("dependabot[bot]", "Bump x from 1.2.2 to 1.2.3 (#1)", "", True),
    "the words of a robot by a person": ("Ann", "chore(deps): bump x from 1.2.2 to 1.2.3 (#1)", "", True),
    "another robot that bumps": ("acme-ci[bot]", "Update x (#1)", "", True),
    "a group of updates with their table": ("renovate[bot]", "fix(deps): update modules (#1)", "| x | `v1.2.2` -> `v1.3.0` |", True),
    "all dependencies at once": ("Ann", "running make update-all-go-deps", "", True),
    "a major version": ("renovate[bot]", "fix(deps): update dependency react-router-dom to v7 (#1)", "", False),
    "a step over a major version": ("dependabot[bot]", "Bump x from 1.9.0 to 2.0.0 (#1)", "", False),
    "a major version in the table": ("renovate[bot]", "fix(deps): update modules (#1)", "| x | `v1.2.2` -> `v2.0.0` |", False),
    "a security update": ("renovate[bot]", "fix(deps): update module x to v1.2.3 [SECURITY] (#1)", "", False),
    "an advisory in the body": ("dependabot[bot]", "Bump x from 1.2.2 to 1.2.3 (#1)", "Fixes CVE-2026-1234.", False),
    "a badge in the body": ("dependabot[bot]", "Bump x from 1.2.2 to 1.2.3 (#1)", "[![score](https://b.app/s?v=1)](https://docs.acme.com/managing-security-vulnerabilities/about-security-updates)", True),
    "a linked advisory": ("dependabot[bot]", "Bump x from 1.2.2 to 1.2.3 (#1)", "See https://github.com/advisories/GHSA-aaaa-bbbb-cccc.", False),
    "a person's bump": ("Ann", "Bump x from 1.2.2 to 1.2.3 (#1)", "", False),
    "a robot that does other work": ("acme-ci[bot]", "Sync generated files (#1)", "", False),
}  # fmt: skip


@pytest.mark.parametrize(("author", "subject", "body", "routine"), _CASES.values(), ids=_CASES.keys())
def test_which_bumps_are_routine(author: str, subject: str, body: str, routine: bool) -> None:
    change = commit("1", subject, GO, body=body, author=author)
    assert is_routine(change, Reading(change.sha)) == routine


def test_a_bump_that_touches_code_is_a_dependency_and_not_routine() -> None:
    files = {**GO, "server/main.go": patch_of("a := 1\n", "a := 2\n")}
    change = commit("1", "fix(deps): adapt to x v1.2.3 (#1)", files, author="Ann")
    assert (is_bump(change), is_routine(change, Reading(change.sha))) == (True, False)
    assert grade(change, Reading(change.sha)).kind == "dependency"


@pytest.mark.parametrize("version", ["1.25.7", "1.26.0"])
def test_a_newer_go_which_the_toolchain_fetches_leaves_a_bump_routine_and_breaks_nobody(version: str) -> None:
    form = "module a\n\ngo {}\n\nrequire x.org/y v{}\n"
    files = {"go.mod": patch_of(form.format("1.25.0", "1.2.2"), form.format(version, "1.2.3"))}
    change = commit("1", "fix(deps): update module x.org/y to v1.2.3 (#1)", files, author="renovate[bot]")
    step = Finding("f", "toolchain_required_changed", "go.mod", 3, "Go", "1.25.0", version)
    entry = grade(change, Reading(change.sha, findings=(step,)))
    assert (entry.importance.level, entry.breaking) == ("low", False)


def test_routine_bumps_are_low_dependencies_and_told_in_one_line() -> None:
    def entry(digit: str) -> Entry:
        change = commit(digit, f"fix(deps): update module x/{digit} to v1.2.3 (#{digit})", GO, author="renovate[bot]")
        return grade(change, Reading(change.sha))

    entries = [entry(digit) for digit in "123"]
    assert {(e.kind, e.importance.level) for e in entries} == {("dependency", "low")}
    said = [s.text["en"] for s in assessment("org/x", entries, (), ())]
    line = "Robots moved dependencies as usual, none for security and none to a new major version."
    assert said.count(line) == 1


def test_that_no_bump_is_for_security_is_said_only_where_none_is() -> None:
    titles = ("fix(deps): update module x/1 to v1.2.3 (#1)", "fix(deps): update module x/2 to v1.2.3 [security] (#2)")
    changes = [commit(str(n), title, GO, author="renovate[bot]") for n, title in enumerate(titles, 1)]
    entries = [grade(change, Reading(change.sha)) for change in changes]
    (said,) = [s for s in assessment("org/x", entries, (), ()) if "robots" in s.text["en"].lower()]
    assert "some bumps are for security" in said.text["en"]
    assert said.evidence[1:] == (f"commit:{changes[1].sha}",)


def test_what_the_checks_run_on_is_no_dependency() -> None:
    tags = {".github/workflows/tags.yml": patch_of("image: ci:20260101\n", "image: ci:20260102\n")}
    change = commit("1", "Update the tags of images (#1)", tags, author="acme-ci[bot]")
    entry = grade(change, Reading(change.sha))
    assert is_routine(change, entry.reading)
    said = [s.text["en"] for s in assessment("org/x", [entry], (), ())]
    assert "Robots moved what the checks (CI) run on, and no dependency." in said


def test_a_bump_of_the_projects_own_version_moves_no_dependency() -> None:
    own = {"pyproject.toml": patch_of('version = "0.5.13"\n', 'version = "0.5.14"\n')}
    with_other = {**own, "requirements.txt": patch_of("x==1.2.2\n", "x==1.2.3\n")}
    lock = {"uv.lock": own["pyproject.toml"]}
    for files, routine in ((own, False), ({**own, **lock}, False), (lock, True), (with_other, True), (GO, True)):
        change = commit("1", "Bump version to 0.5.14 (#1)", files, author="acme-ci[bot]")
        assert is_routine(change, Reading(change.sha)) is routine
        entry = grade(change, Reading(change.sha, {"dependency": 1}))
        said = [one.text["en"] for one in assessment("acme/engine", [entry], (), ())]
        assert any("Robots moved dependencies" in one for one in said) is routine


def test_what_a_robot_writes_of_itself_is_not_what_a_bump_does() -> None:
    body = "Bumps x from 1.2.2 to 1.2.3.\n\nThe robot will resolve any conflicts with this change as long as you don't alter it.\n"

    def said(author: str) -> str:
        change = commit("1", "build(deps): bump x from 1.2.2 to 1.2.3 (#1)", GO, body=body, author=author)
        told = grade(change, Reading(change.sha)).gist
        return told.text["en"] if told else ""

    assert "resolve" not in said("dependabot[bot]")
    assert "resolve" in said("Ann")
