"""From bodies to pages: whatever is read out of them, the report's own gate has nothing against the pages."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from analyse.forge.forged import WINDOW, between, change, entry, finding, issue, pull, read, release, side
from analyse.forge.test_checked import TEXTS, pins
from daybreak.core.model.changes import Repo
from daybreak.core.model.links import CrossForge, ForgeDay, RepoForge
from daybreak.core.model.report import RepoReport
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.day_value import day_of
from daybreak.judge.forge_join import of_bump, of_cause, of_pull, of_stories
from daybreak.judge.interface import Judgement
from daybreak.judge.links.pins import Side
from daybreak.report.gate import problems
from daybreak.report.render.markdown import all_pages, markdown_pages
from render.test_forge_hostile import HOSTILE, inert

SCHEMA = json.loads(
    resources.files("daybreak.report.render").joinpath("report.schema.json").read_text(encoding="utf-8")
)
BODIES = st.lists(
    st.one_of(st.sampled_from(TEXTS), st.sampled_from([x for n, x in HOSTILE.items() if n != "long"]), st.text(max_size=30)),
    min_size=1,
    max_size=5,
).map("\n\n".join)  # fmt: skip


def sides(body: str) -> tuple[Side, Side]:
    engine = side(
        entry(change("a", "Change (#33)", body, pr=33), *pins(), files=("engine/v1/core/planner.py",)),
        pulls=[pull(33, "A pull request", body, merge_sha="a" * 40), pull(40, f"[RFC] {body[:200]}", body, "open")],
        issues=[issue(5, "[Bug]: it fails", body, at=9), issue(6, body[:200] or "x", body, at=9)],
        releases=[release("v2.0", body=body)],
    )
    lib = side(
        entry(
            change("d", "Faster kernels", repo="org/kernels"),
            finding("function_removed", "plan_block_tables"),
            released="v1.0",
        ),
        repo="org/kernels",
        packages=("kernels-python",),
        pulls=[pull(9)],
        issues=[issue(2, "An issue", body)],
        releases=[release("v1.0", sha="2b" * 20)],
    )
    return engine, lib


def told(one: Side, reading: RepoForge, cross: CrossForge) -> RepoReport:
    """The repository with its sentences, as wiring puts them in."""
    said = [s for x in reading.pulls for s in of_pull(x)]
    said += [s for x in reading.links if (s := of_cause(x, one.activity)) is not None]
    said += [of_bump(b, {"d" * 40: "Faster kernels"}) for b in cross.bumps if b.repo == one.repo]
    entries = tuple(replace(e, statements=(*e.statements, *said)) for e in one.entries)
    repo = Repo(one.repo, f"https://github.com/{one.repo}", "")
    return RepoReport(repo, "main", entries[0].change.sha, entries, in_git=len(entries))


def report(body: str) -> Judgement:
    engine, lib = both = sides(body)
    cross = between(*both)
    readings = (read(engine, lib), read(lib, engine))
    forge = ForgeDay((engine.activity, lib.activity), readings, cross, of_stories(cross.stories))
    repos = tuple(told(one, reading, cross) for one, reading in zip(both, readings, strict=True))
    return AllChecks().day(Judgement(WINDOW, "0", ("zh", "en"), repos, forge=forge))


@settings(max_examples=5, deadline=None)
@given(BODIES)
@example("## Purpose\n\nThe planner `leaks` **blocks** on abort.\n\nLatency drops from 4.2 ms to 2.1 ms.\n\nFixes #5")
@example("Fixes #777, broken since #33, see org/kernels#2 and org/kernels#9")
def test_the_gate_has_nothing_against_pages_of_any_bodies(body: str) -> None:
    made = report(body)
    pages = all_pages(day_of(made))
    assert problems(pages, day_of(made), lambda _: True) == ()
    for page in pages:
        if page.path.endswith(".md"):
            inert(page)
        else:
            found: Any = json.loads(page.text)
            jsonschema.validate(found, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_what_is_read_of_plain_bodies_is_all_told() -> None:
    made = report(
        "## Purpose\n\nThe planner leaks blocks on abort.\n\nLatency drops from 4.2 ms to 2.1 ms.\n\nFixes #5"
    )
    assert made.grounding.dropped == 0, made.grounding
    day = markdown_pages(day_of(made))[0].text
    for words in ("### 新 Issue（2 条）", "### 即将到来（1 条）", "### 发布（1 条）", "## 跨项目联动", "修复 PR [#33]"):
        assert words in day
    page = markdown_pages(day_of(made))[1].text
    assert "> The planner leaks blocks on abort." in page
    assert "```text\nLatency drops from 4.2 ms to 2.1 ms.\n```" in page
