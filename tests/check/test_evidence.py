"""Evidence: one text for each id, made when asked for."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Repo, Window
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.report import RepoReport, Story
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.checks.evidence import day_evidence, repository_evidence
from daybreak.judge.rules import grade
from read.made import SHA, change_of, patch_of, read_one
from render import factory

CHANGE = change_of(
    {"engine/server_args.py": patch_of('    p.add_argument("--kv")\n', "")},
    subject="Drop (#7)",
    body="why\u202e not",
    pr=7,
)
ENTRY = grade(CHANGE, read_one(CHANGE))
REPORT = RepoReport(
    Repo("acme/engine", "u", "g"),
    "main",
    None,
    (ENTRY,),
    stories=(Story("s-1", "series", (SHA,), {"zh": "一。", "en": "One."}),),
    in_git=1,
)


def test_ids() -> None:
    found = repository_evidence(REPORT)
    assert set(found) == {
        "repo:acme/engine",
        f"commit:{SHA}",
        f"file:{SHA}:engine/server_args.py",
        f"finding:{SHA[:12]}/1",
        "story:s-1",
    }
    assert all(found.values())


def test_texts() -> None:
    found = repository_evidence(REPORT)
    assert "why not" in found[f"commit:{SHA}"]
    assert "files 1 +0 −1" in found[f"commit:{SHA}"]
    assert 'add_argument("--kv")' in found[f"file:{SHA}:engine/server_args.py"]
    assert 'add_argument("--kv")' not in found[f"commit:{SHA}"]
    assert "--kv" in found[f"finding:{SHA[:12]}/1"]
    assert "commits 1 breaking 1" in found["repo:acme/engine"]


def test_day() -> None:
    start = datetime(2026, 1, 19, tzinfo=UTC)
    found = day_evidence((REPORT,), Window(start, start + timedelta(days=1), "UTC", "2026-01-19"))
    assert "commits 1" in found["window"]
    assert f"commit:{SHA}" in found


def test_a_finding_names_what_keeps_or_follows_a_name() -> None:
    gone = Finding(
        f"{SHA[:12]}/1", "model_removed", "engine/server_args.py", 1, "SayASRModel", "SayASRModel", None, True
    )
    heir = replace(gone, alias=Alias("none", "SayAsrModel"))
    entry = grade(CHANGE, replace(read_one(CHANGE), findings=(heir,)))
    report = RepoReport(Repo("acme/engine", "u", "g"), "main", None, (entry,), in_git=1)
    assert "SayAsrModel" in repository_evidence(report)[f"finding:{gone.id}"]
    assert any("`SayAsrModel`" in said.text["en"] for said in entry.statements if said.role == "action")


@pytest.mark.parametrize(
    ("hunk", "stands"),
    [
        ("@@ -1,2 +1,2 @@ def f():\n-    return 1\n+    return 2", True),
        ("@@ -1,2 +1,2 @@ def f():\r\n-    return 1\r\n+    return 2\r\n", True),
        ("@@ -1,2 +1,2 @@ def f():\n-    return 1\n+    return 3", False),
        ("@@ -1,9 +1,2 @@ def f():\n-    return 1\n+    return 2", False),
    ],
)
def test_a_hunk_that_is_not_in_the_patch_of_its_change_never_becomes_part_of_a_report(hunk: str, stands: bool) -> None:
    one = factory.entry(factory.change(1, files=(factory.file(),)), hunk=hunk)
    checked = AllChecks().repository(RepoReport(factory.repo(), "main", None, (one,), in_git=1))
    assert [h.text for h in checked.entries[0].reading.hunks] == ([hunk] if stands else [])
