"""Kinds: paths first, then the styles of titles."""

import pytest

from daybreak.core.model.findings import Area, Reading
from daybreak.judge.change_kinds import is_revert, kind_of
from read.made import SHA, change_of


@pytest.mark.parametrize(
    ("subject", "areas", "expected"),
    [
        ("[Bugfix] Fix the scheduler (#1)", {"code": 1}, "fix"),
        ("fix(moe): wrong index", {"code": 1}, "fix"),
        ("Fix hang in PD", {"code": 1}, "fix"),
        ("[Perf] Fuse q, k norm", {"kernel": 1}, "perf"),
        ("feat(x): add y", {"code": 1}, "feature"),
        ("[Feature] overlap LoRA", {"code": 1, "test": 1}, "feature"),
        ("Support GLM 4.7", {"code": 1}, "feature"),
        ('Revert "[Perf] x" (#2)', {"code": 1}, "revert"),
        ("[ROCm] Revert #12 and #13", {"code": 1}, "revert"),
        ("Reverting is not a revert of ours", {"docs": 1}, "docs"),
        ("[Bugfix] typo in docs", {"docs": 2}, "docs"),
        ("[Bugfix][CI] fix typos (#3)", {"code": 2}, "other"),
        ("fix: typo (#3)", {"code": 1}, "other"),
        ("[Bugfix] Fix typo in the log message", {"code": 1}, "other"),
        ("[Bugfix] Fix typo in attribute name", {"code": 1}, "fix"),
        ("[CI] Fix flaky job", {"ci": 1}, "ci"),
        ("[CI] Fix flaky job", {"ci": 1, "code": 1}, "fix"),
        ("[Misc] tests", {"test": 3, "ci": 1}, "test"),
        ("Bump torch to 2.9", {"dependency": 1}, "dependency"),
        ("chore: upgrade flashinfer to v0.6.1", {"code": 1}, "refactor"),
        ("[Refactor] Split loader", {"code": 1}, "refactor"),
        ("harden tarfile extraction against path traversal", {"code": 1}, "security"),
        ("Fix CVE-2026-12345", {"code": 1}, "security"),
        ("Update CMake", {"build": 1}, "build"),
        ("v4.7 update.", {"code": 1}, "other"),
        ("[bug2] skip recovery on locked pages (#9)", {"code": 1}, "fix"),
        ("[Perf] Keep the cache (fixes #12) (#13)", {"code": 1}, "fix"),
        ("Add support for lanes (fixes #12) (#13)", {"code": 1}, "feature"),
        ("Add missing checks of lanes (fixes #12) (#13)", {"code": 1}, "fix"),
        ("Decode perf fixes (#13)", {"code": 1}, "perf"),
        ("[Perf] Keep the prefix (#13)", {"code": 1}, "perf"),
        ("[Frontend][Bugfix] Pass the settings on (#1)", {"code": 1}, "fix"),
        ("[Perf][Bugfix] Index the layers (#2)", {"kernel": 1}, "fix"),
        ("[images] model: Fix the output of Flux (#3)", {"code": 1}, "fix"),
        ("[Model] Support Flux and fix its test (#4)", {"code": 1}, "feature"),
        ("[Bugfix] Suppress spurious cache warning (#5)", {"code": 1}, "other"),
        ("Fix help text of the cache (#6)", {"code": 1}, "other"),
        ("[BE] Remove workaround code for fixed library issue (#7)", {"code": 1}, "refactor"),
        ("Add a workaround for the library (#7)", {"code": 1}, "fix"),
        ("[Bugfix] Remove the workaround that hangs (#7)", {"code": 1}, "fix"),
        ("Fix grammar errors that warn of the logs (#7)", {"code": 1}, "fix"),
        ("", {}, "other"),
    ],
)
def test_kind(subject: str, areas: dict[Area, int], expected: str) -> None:
    assert kind_of(change_of({}, subject=subject), Reading(SHA, areas)) == expected


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("fa3: sync-free spec via fixed-window metadata", "other"),
        ("Fixed-point scales for the router", "other"),
        ("[Kernel] Fixed length rows in the decode kernel", "other"),
        ("Add fixed-prompt mode to the client", "feature"),
        ("[Core] Fixed gray images at the output", "fix"),
        ("fix-grouped-mm-backend", "fix"),
        ("Support x and fix its hang", "fix"),
        ("[Runner V2] support auto resolve cudagraph mode", "feature"),
        ("Use a heap to avoid a full sort", "other"),
        ("Refactor the predictor to avoid a copy", "refactor"),
        ("loader: yield weights one by one to avoid an OOM", "fix"),
        ("Order the streams and prevent races on the cache", "fix"),
        ("[fp8] Swap the sides of scaled_mm (1.16x)", "perf"),
        ("Let requests handle embeddings", "other"),
        ("Extract shareable-handle helpers", "refactor"),
        ("Handle-free launches of graphs", "other"),
        ("[PD][Nixl] Avoid a deadlock of the engine", "fix"),
        ("【PD】 Handle aborted requests", "fix"),
        ("Gracefully handle an empty prompt", "fix"),
        ("[Core] Properly restore the sampler", "fix"),
        ("Automatically resolve the backend", "other"),
        ("[CI] Dynamically resolve the branch", "other"),
        ("[PD]  [Nixl] :  Prevent blocking the engine", "fix"),
        ("[moe] Avoid an extra buffer and slicing", "other"),
        ("[Spec] DFlash worker: prevent a second capture", "fix"),
        ("Enable the new router: handle empty batches", "feature"),
        ("[Misc] Use the correct stride for padded rows", "fix"),
        ("Mark the correct owner of core::handle", "other"),
    ],
)
def test_a_verb_makes_a_fix_where_it_says_what_the_change_does(subject: str, expected: str) -> None:
    assert kind_of(change_of({}, subject=subject), Reading(SHA, {"code": 1})) == expected


@pytest.mark.parametrize("subject", ['Revert "x"', "revert: x", "[A][B] Revert x", "Revert x (#1) (#2)"])
def test_reverts(subject: str) -> None:
    assert is_revert(subject)
