"""Candidates of a release: which of them have a fault that is mended."""

from __future__ import annotations

from collect.test_release_doubts import CORE, FAULT, FIXED
from conftest import Collector
from gitrepo import GitRepo


def test_each_of_the_last_candidates_that_has_the_fault_is_named(repo: GitRepo, collector: Collector) -> None:
    other = FAULT.replace("factor_of(values)", "measured_by(factor)")
    repo.tag("v1.0", repo.commit("Begin", {CORE: other}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    for number, text in enumerate((other, FAULT, FAULT)):
        files: dict[str, str | None] = {CORE: text, "x.py": f"{number}\n"}
        sha = repo.commit(f"Go on (#{number})", files, at=f"2026-01-1{number}T10:00:00")
        repo.tag(f"v1.1rc{number}", sha, at=f"2026-01-1{number}T11:00:00")
    sha = repo.commit("Fix division by zero (#7)", {CORE: FIXED}, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed[sha]
    assert (found.has, found.candidates) == (False, ("v1.1rc1", "v1.1rc2"))


def test_a_candidate_from_before_the_change_that_brought_the_fault_has_not_got_it(
    repo: GitRepo, collector: Collector
) -> None:
    repo.tag("v1.0", repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.tag("v1.1rc1", repo.commit("Go on", {"x.py": "1\n"}, at="2026-01-10T10:00:00"), at="2026-01-10T11:00:00")
    bound = "count_upper_bound = planned(values)\n"
    repo.commit("[Core] Avoid count GPU->CPU sync (#5)", {"engine/batch.py": bound}, at="2026-01-19T09:00:00")
    said = "The count may be an upper bound when the host avoids a device sync."
    fixed = FIXED.replace("    return", f"    # {said}\n    return")
    sha = repo.commit("Fix division by zero (#7)", {CORE: fixed}, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed[sha]
    assert (found.has, found.cause, found.candidates) == (False, "#5", ())
