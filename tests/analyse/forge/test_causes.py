"""A cause is offered only for a telling word, named soon after the change, and never as a fact."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from analyse.forge.forged import REPO, change, ends, entry, finding, issue, read, release, side
from daybreak.judge.links.tokens import Token, of_finding, tokens

SOON = 60
DAYS = 24 * 60


def blamed(text: str, *findings: Any, title: str = "[Bug]: it fails", at: int = SOON, **more: Any) -> list[str]:
    """What is offered as the cause of one issue, for a change with some findings."""
    files = more.pop("files", ())
    one = side(
        entry(change("a", "Change (#33)"), *findings, files=files), issues=[issue(1, title, text, at=at)], **more
    )
    forge = read(one)
    assert all(link.likely and link.why for link in forge.links if link.kind == "caused_by")
    return [target for _, target in ends(forge, "caused_by")]


@pytest.mark.parametrize(
    "text",
    [
        "This happens since #33 was merged.",
        "Bisected to #33",
        "It seems PR #33 introduced a wrong check.",
        "https://github.com/org/engine/pull/33 broke it",
        "regression from #33",
    ],
)
def test_a_change_that_the_issue_blames(text: str) -> None:
    assert blamed(text) == ["commit:a"]


def test_a_commit_named_by_its_sha() -> None:
    sha = "a1b2c3d4e5" * 4
    made = replace(change("a", "x"), sha=sha)
    one = side(entry(made), issues=[issue(1, "[Bug]: x", "Broken since commit a1b2c3d4e.", at=SOON)])
    link = next(x for x in read(one).links if x.kind == "caused_by")
    assert link.target == f"commit:{sha}"
    assert link.why == {"zh": "issue 中写到 `Broken since commit`。", "en": "The issue says `Broken since commit`."}


@pytest.mark.parametrize(
    "text",
    [
        "Related to #33.",
        "I run commit aaaaaaaaa, version 0.1.dev7+gaaaaaaaaa.",
        "`since #33`",
        "```\nbroken since #33\n```",
        "since #34",
    ],
)
def test_a_change_that_is_only_named_is_not_blamed(text: str) -> None:
    assert blamed(text) == []


def test_an_issue_older_than_the_change_was_not_caused_by_it() -> None:
    assert blamed("broken since #33", at=-5) == []
    assert blamed("`--foo-bar` crashes", finding("cli_flag_added", "--foo-bar"), at=-5) == []


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Fails since v0.6.15", [f"release:{REPO}@v0.6.15"]),
        ("After upgrading vllm from 0.6.14 to 0.6.15 it hangs", [f"release:{REPO}@v0.6.15"]),
        ("regression in version 0.6.15", [f"release:{REPO}@v0.6.15"]),
        ("works in 0.6.15", []),
        ("I use v0.6.15", []),
        ("since 0.6.1", []),
        ("since v0.6.15.post1", []),
    ],
)
def test_a_version_that_it_came_with(text: str, want: list[str]) -> None:
    assert blamed(text, releases=[release("v0.6.15")]) == want


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (finding("cli_flag_removed", "--swap-space-size"), "error: unrecognized arguments: --swap-space-size"),
        (finding("cli_flag_removed", "--swap-space-size"), "```\nengine serve --swap_space_size 4\n```"),
        (finding("env_removed", "ENGINE_USE_TRITON"), "I set ENGINE_USE_TRITON=1"),
        (finding("function_removed", "warm_block_table_kernels"), "cannot import name 'warm_block_table_kernels'"),
        (finding("class_moved", "VideoBackendMixin"), "No module has VideoBackendMixin"),
        (
            finding("parameter_removed", "BlockPlanner.plan_blocks(sm_scale_factor)"),
            "plan_blocks() got sm_scale_factor",
        ),
        (
            finding("extension_method_removed", "ModelStateBase.get_mm_embeddings"),
            "plan(get_mm_embeddings) ModelStateBase",
        ),
    ],
)
def test_the_very_thing_that_was_changed(found: Any, text: str) -> None:
    assert blamed(text, found) == ["commit:a"]


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (finding("function_removed", "forward"), "forward fails"),
        (finding("function_removed", "Attention"), "Attention fails"),
        (finding("cli_default_changed", "--max-model-len"), "engine serve --max-model-len 10"),
        (finding("env_default_changed", "CUDA_VISIBLE_DEVICES"), "CUDA_VISIBLE_DEVICES=0"),
        (finding("parameter_added", "BlockPlanner.plan_all(kv_layout)"), "kv_layout is wrong"),
        (finding("parameter_removed", "BlockPlanner.plan(sm_scale_factor)"), "plan got sm_scale_factor"),
        (finding("dependency_changed", "flashinfer_python"), "flashinfer_python is installed"),
        (finding("function_removed", "warm_block_table_kernels"), "warm_block_table_kernels_v2 fails"),
    ],
)
def test_common_words_never_match(found: Any, text: str) -> None:
    assert blamed(text, found) == []


@pytest.mark.parametrize("title", ["[Feature]: more flags", "[Usage]: how to?", "[RFC]: flags", "[Doc]: flags"])
def test_only_faults_have_causes(title: str) -> None:
    assert blamed("--swap-space-size", finding("cli_flag_removed", "--swap-space-size"), title=title) == []


def test_a_word_that_many_issues_name_says_nothing() -> None:
    flag = finding("cli_flag_removed", "--swap-space-size")
    many = [issue(n, "[Bug]: x", "--swap-space-size", at=SOON) for n in (1, 2, 3)]
    assert ends(read(side(entry(change("a", "x"), flag), issues=many)), "caused_by") == []
    assert len(ends(read(side(entry(change("a", "x"), flag), issues=many[:2])), "caused_by")) == 2


def test_a_week_later_it_is_somebody_elses() -> None:
    flag = finding("cli_flag_removed", "--swap-space-size")
    assert blamed("--swap-space-size", flag, at=6 * DAYS) == ["commit:a"]
    assert blamed("--swap-space-size", flag, at=8 * DAYS) == []


def test_a_file_alone_counts_for_a_small_change_soon_before() -> None:
    trace = '  File "/usr/lib/python3.12/site-packages/engine/v1/core/planner.py", line 3, in plan'
    path = ("python/engine/v1/core/planner.py",)
    assert blamed(trace, files=path) == ["commit:a"]
    assert blamed(trace, files=path, at=4 * DAYS) == []
    assert blamed(trace, files=(*path, *(f"engine/v1/core/x{n}.py" for n in range(6)))) == []
    assert blamed(trace, files=("tests/v1/core/planner.py",)) == []


def test_a_change_of_the_same_file_is_not_offered_beside_one_of_the_very_name() -> None:
    gone = entry(
        change("a", "Drop it"), finding("function_removed", "reserve_blocks"), files=("engine/v1/core/plan.py",)
    )
    near = entry(change("b", "Touch it"), files=("engine/v1/core/plan.py",))
    text = "```\nFile engine/v1/core/plan.py in reserve_blocks\n```"
    both = read(side(gone, near, issues=[issue(1, "[Bug]: it fails", text, at=SOON)]))
    assert ends(both, "caused_by") == [(f"issue:{REPO}#1", "commit:a")]
    alone = read(side(near, issues=[issue(1, "[Bug]: it fails", text, at=SOON)]))
    assert ends(alone, "caused_by") == [(f"issue:{REPO}#1", "commit:b")]


def test_the_environment_listing_names_nothing() -> None:
    text = "### Your current environment\n\n```\nENGINE_USE_TRITON=1\n```\n\n### Describe the bug\n\nIt fails."
    assert blamed(text, finding("env_removed", "ENGINE_USE_TRITON")) == []


def test_telling_words() -> None:
    text = "--foo-bar --tp SOME_NAME UPPER CamelCase Camel snake_case_name a_b forward x/y/z.py"
    assert {t.word for t in tokens(text)} == {"--foo-bar", "SOME_NAME", "CamelCase", "snake_case_name", "x/y/z.py"}
    assert list(of_finding(finding("cli_flag_renamed", "--foo-bar", "--foo-bar", "--foo-baz"))) == [
        frozenset({Token("flag", "--foo-bar")}),
        frozenset({Token("flag", "--foo-baz")}),
    ]
