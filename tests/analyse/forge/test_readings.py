"""What issues and pull requests are about, and what is coming."""

from __future__ import annotations

from typing import Any

import pytest

from analyse.forge.forged import REPO, change, entry, issue, pull, read, side
from daybreak.core.model.links import Claim
from daybreak.core.text import plain
from daybreak.judge.checks.statements import judge
from daybreak.judge.forge_join import of_cause, of_pull
from daybreak.judge.links.issue_kinds import components, kind_of
from daybreak.judge.links.repo_links import read_pull
from daybreak.judge.links.texts import prose


@pytest.mark.parametrize(
    ("title", "labels", "body", "kind"),
    [
        ("[Bug]: crash on start", (), "", "bug"),
        ("[Bug] crash on start", ("Bug",), "", "bug"),
        ("[Bug]: Qwen fails", (), "It worked fine in v0.10.2 and fails in v0.11.0", "regression"),
        ("[Bug]: slower after upgrading to 0.11", (), "", "regression"),
        ("[Performance]: throughput regression on H100", (), "", "regression"),
        ("[Bug]: GLM outputs gibberish with FP8", (), "", "accuracy"),
        ("[Bug]: DeepSeek accuracy drop on GSM8K", (), "", "accuracy"),
        ("[Bug]: 模型输出乱码", (), "", "accuracy"),
        ("[Bug]: [Regression Issue] other output than before", (), "", "regression"),
        ("[Bug]: Error after load in 0.7.0 (No Issue in engine 0.6.6)", (), "", "regression"),
        ("[Bug]: small model output", (), "In v0.9.2 it is wrong. But v0.9.1 works.", "regression"),
        ("[Bug] hang in decode", (), "- [x] The bug is still there after upgrading to the latest version.", "bug"),
        ("Questions about installation", (), "", "question"),
        ("[Performance]: low decode speed", (), "", "performance"),
        ("[Usage]: How to run two nodes?", (), "", "question"),
        ("[RFC]: New scheduler", (), "", "rfc"),
        ("[Installation]: no wheel for CUDA 13", (), "", "install"),
        ("[Feature]: support FP4 KV cache", (), "", "feature"),
        ("[New Model]: Foo-3", (), "", "feature"),
        ("[Doc]: typo in the guide", (), "", "other"),
        ("It crashes", ("bug",), "", "bug"),
        ("Something", ("feature request",), "", "feature"),
        ("Something", ("question", "stale"), "", "question"),
        ("Segmentation fault in decode", (), "", "bug"),
        ("pip install fails with undefined symbol", (), "", "install"),
        ("How do I use two GPUs?", (), "", "question"),
        ("Support for SM120", (), "", "feature"),
        ("Decode is slow with small batches", (), "", "performance"),
        ("Thoughts", (), "", "other"),
        ("[Bug]: crash", (), "```\nit worked in 0.10\n```", "bug"),
        ("[Bug]: crash", (), "### Your environment\n\nupdated after upgrading to 2.0", "bug"),
        ("[Bug]: crash", (), "This is not a regression.", "bug"),
        ("[Feature]: regression test for accuracy drop", (), "", "feature"),
    ],
)
def test_the_kind_of_an_issue(title: str, labels: tuple[str, ...], body: str, kind: str) -> None:
    assert kind_of(issue(1, title, body, labels=labels), prose(body)[0]) == kind


def test_the_parts_that_an_issue_names() -> None:
    trace = 'File "/opt/venv/lib/python3.12/site-packages/engine/v1/core/planner.py", line 1'
    made = issue(1, "[Bug][ROCm]: x fails", f"```\n{trace}\n```", labels=("bug", "rocm", "stale", "quantization"))
    (reading,) = read(side(issues=[made])).issues
    assert reading.components == ("ROCm", "quantization", "engine/v1/core")


def test_no_part_that_an_issue_names_is_left_off() -> None:
    labels = ("attention", "moe", "rocm", "scheduler", "tokenizer")
    assert components(issue(1, "Crash", labels=labels), ()) == labels


def test_regressions_and_wrong_results_come_first_then_bugs_by_how_many_react() -> None:
    issues = [
        issue(1, "[Feature]: a", reactions=99),
        issue(2, "[Bug]: b", comments=1),
        issue(3, "[Bug]: c", comments=1, reactions=3),
        issue(4, "[Bug]: gibberish output"),
        issue(5, "[Bug]: regression in d", comments=2),
        issue(6, "[Bug]: closed only", happened=("closed",)),
        issue(7, "[Bug]: again", happened=("reopened",)),
    ]
    assert [r.number for r in read(side(issues=issues)).issues] == [5, 4, 3, 2, 7, 1]


# --- pull requests -----------------------------------------------------------------------------------------------

BODY = """<!-- Thank you for your contribution! -->

PLEASE FILL IN THE PR DESCRIPTION HERE

## Purpose

<!-- why -->
Fixes #12

The planner reads the table twice, e.g. for every batch. This PR reads it once.
Then it does more.

| batch | before (ms) | after (ms) |
| --- | ---: | ---: |
| 1 | 4.20 | 2.10 |
| 8 | 9.00 | **8.00** |

- [ ] Tests are 2x faster than before
- Decode latency drops from 4.2 ms to 2.1 ms.
- See [the run](https://evil.example/x) which is 99% faster.
- Uses 3 GB of memory.

## Test Plan

pytest tests/planner

## Summary by CodeRabbit

* Throughput improved by 500%.
"""


def test_what_a_pull_request_says() -> None:
    reading = read_pull(REPO, pull(3, body=BODY))
    assert reading.why == "The planner reads the table twice, e.g. for every batch. This PR reads it once."
    assert reading.test_plan
    assert reading.claims == (
        Claim(("| batch | before (ms) | after (ms) |", "| 1 | 4.20 | 2.10 |", "| 8 | 9.00 | **8.00** |")),
        Claim(("Decode latency drops from 4.2 ms to 2.1 ms.",)),
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("## Motivation\n\n<!-- Describe the purpose -->\n\n## Modifications\n\nMoved some code around here.", ""),
        ("## 📌 Description\n\nAdds a kernel for SM120 devices.", "Adds a kernel for SM120 devices."),
        (
            "### What this PR does / why we need it?\nThe cache leaks blocks on abort.",
            "The cache leaks blocks on abort.",
        ),
        ("The cache leaks blocks on abort.\n\n## Test Plan\nnone", "The cache leaks blocks on abort."),
        ("FILL IN THE PR DESCRIPTION HERE\n\nFIX #xxxx (*link existing issues this PR will resolve*)", ""),
        ("## Purpose\nFix https://github.com/org/engine/issues/3", ""),
        ("## Purpose\n> quoted text of somebody else", ""),
        (
            "## Purpose\n<img src=https://evil.example/beacon.png>\n\nReal words follow in this line.",
            "Real words follow in this line.",
        ),
        ("This reverts commit 1a2b3c4d5e.\n\n## Motivation\n\n## Modifications", ""),
        ("", ""),
    ],
)
def test_why(body: str, why: str) -> None:
    assert read_pull(REPO, pull(3, body=body)).why == why


@pytest.mark.parametrize(
    ("body", "tested"),
    [
        ("## Test Plan\n\n## Test Result\n\n", False),
        ("## Test Plan\nN/A", False),
        ("## 🧪 Tests\n- [x] Tests have been added or updated as needed.\n- [x] All tests are passing", False),
        ("## How was this patch tested?\nCI passed with a new test.", True),
        ("## Accuracy Tests\n```\ngsm8k 0.95\n```", True),
        ("## Testing\n<!-- how? -->", False),
        ("no headings at all", False),
    ],
)
def test_a_test_plan_is_more_than_a_heading(body: str, tested: bool) -> None:
    assert read_pull(REPO, pull(3, body=body)).test_plan is tested


@pytest.mark.parametrize(
    "line",
    [
        "There are 3 tests in 2 files.",
        "It needs 80 GB of memory.",
        "| a | b |\n| 1 ms | 2 ms |",
        "| file | line |\n|---|---|\n| x | y |",
        "```\nlatency improved 5x\n```",
        "<td>latency improved by 5%</td>",
    ],
)
def test_what_is_no_claim(line: str) -> None:
    assert read_pull(REPO, pull(3, body=line)).claims == ()


TABLE = "| batch | before (ms) |\n|---|---|\n| 1 | 4.20 |\n| 8 | 9.00 |"


@pytest.mark.parametrize(
    ("over", "quoted"),
    [
        ("Ember-7B, one H100, 512 in / 128 out:\n\n", ("Ember-7B, one H100, 512 in / 128 out:",)),
        ("Some words.\nMeasured on one H100 with CUDA 13：\n", ("Measured on one H100 with CUDA 13：",)),
        ("Words that do not lead to it.\n\n", ()),
        ("See https://evil.example/run of one H100:\n\n", ()),
        ("Another part's last line, one H100:\n\n## Results\n", ()),
        ("", ()),
    ],
)
def test_a_table_is_quoted_with_the_line_that_says_what_was_measured(over: str, quoted: tuple[str, ...]) -> None:
    (claim,) = read_pull(REPO, pull(3, body=f"{over}{TABLE}")).claims
    assert claim.lines == (*quoted, "| batch | before (ms) |", "| 1 | 4.20 |", "| 8 | 9.00 |")


def test_what_gets_worse_is_quoted_as_well() -> None:
    line = "p99 time per token falls by 71 %; the prompt itself takes about 18 % longer."
    assert read_pull(REPO, pull(3, body=line)).claims == (Claim((line,)),)


def test_a_long_table_tells_how_many_rows_it_has_beyond() -> None:
    rows = "\n".join(f"| {n} | {n}.5 ms |" for n in range(20))
    (claim,) = read_pull(REPO, pull(3, body=f"| n | time |\n|---|---|\n{rows}")).claims
    assert (len(claim.lines), claim.omitted) == (7, 14)


def test_sentences_stand_up_to_the_checks() -> None:
    made = pull(3, body=BODY)
    evidence = {f"pull:{REPO}#3": plain(f"{made.title}\n{made.body}")}
    said = list(of_pull(read_pull(REPO, made)))
    assert [s.role for s in said] == ["why", "impact"]
    assert [judge(s, evidence).reason for s in said] == ["", ""]
    assert "作者给出的数据（未经核实）" in said[1].text["zh"]


def test_a_cause_is_told_as_a_guess() -> None:
    one = side(entry(change("a", "Change (#33)")), issues=[issue(1, "[Bug]: it fails", "Broken since #33.", at=60)])
    (link,) = (x for x in read(one).links if x.kind == "caused_by")
    said = of_cause(link, one.activity)
    assert said is not None
    assert said.text["en"] == "`[Bug]: it fails` may come from this: the issue says `Broken since #33`."
    assert "可能" in said.text["zh"]


# --- coming ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "reasons"),
    [
        ({"title": "[RFC] New scheduler"}, ("rfc",)),
        ({"title": "feat(api)!: drop the old route"}, ("breaking",)),
        ({"labels": ("breaking-change",)}, ("breaking",)),
        ({"title": "Remove deprecated flags"}, ("breaking",)),
        ({"title": "A non-breaking cleanup"}, ()),
        ({"added": 1400, "deleted": 100}, ("large",)),
        ({"files": 40}, ("large",)),
        ({"added": 100}, ()),
        ({"title": "[Breaking] Move", "added": 9000}, ("breaking", "large")),
    ],
)
def test_open_pull_requests_of_weight(more: dict[str, Any], reasons: tuple[str, ...]) -> None:
    found = read(side(pulls=[pull(3, state="open", **more)])).coming
    assert [c.reasons for c in found] == ([reasons] if reasons else [])
    assert read(side(pulls=[pull(3, state="merged", **more)])).coming == ()


def test_breaking_comes_before_rfc_and_large() -> None:
    pulls = [
        pull(1, state="open", added=9999),
        pull(2, "[RFC] x", state="open"),
        pull(3, "feat!: x", state="open"),
        pull(4, state="open", added=99999),
    ]
    assert [c.number for c in read(side(pulls=pulls)).coming] == [3, 2, 4, 1]
