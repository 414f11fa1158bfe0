"""Every sentence about forge items stands up to the checks that sentences of a report must pass."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyse.forge.forged import between, change, entry, finding, issue, pull, read, release, side
from daybreak.core.model.findings import Finding
from daybreak.core.model.links import CrossForge, HeadUse, RepoForge
from daybreak.core.model.statements import Statement
from daybreak.core.text import plain
from daybreak.judge.checks.statements import judge
from daybreak.judge.forge_join import of_bump, of_cause, of_pull, of_stories
from daybreak.judge.links.pins import Side

TEXTS = (
    "Broken since #33.",
    "https://github.com/org/engine/pull/33 broke it",
    "after upgrading to v1.0 it hangs",
    "--swap-space-size is unknown",
    "engine/v1/core/planner.py fails",
    "See org/kernels#2 and Org/Kernels#9 and https://github.com/org/kernels/pull/7",
    "Fixes #5, fixes #777, closes https://github.com/org/engine/issues/6",
    "## Purpose\n\nThe planner `leaks` **blocks** on abort.\n\nLatency drops from 4.2 ms to 2.1 ms.",
    "| n | time |\n|---|---|\n| 1 | 2 ms |",
    "since commit a1b2c3d4e5",
)


def evidence_of(*sides: Side) -> dict[str, str]:
    """What the report has: the texts of its items, as the checks see them."""
    out: dict[str, str] = {}
    for one in sides:
        out[f"repo:{one.repo}"] = one.repo
        for x in one.entries:
            out[f"commit:{x.change.sha}"] = f"{x.change.subject}\n{x.change.body}"
            out |= {f"finding:{f.id}": f"{f.symbol} {f.before} {f.after}" for f in x.reading.findings}
            out |= {f"file:{x.change.sha}:{f.path}": f.path for f in x.change.files}
        items = one.activity
        out |= {f"pull:{one.repo}#{p.number}": f"{p.title}\n{p.body}" for p in items.pulls}
        out |= {f"issue:{one.repo}#{i.number}": f"{i.title}\n{i.body}" for i in items.issues}
        out |= {f"release:{one.repo}@{r.tag}": f"{r.tag}\n{r.body}" for r in items.releases}
    return {key: plain(text) for key, text in out.items()}


def said(one: Side, forge: RepoForge, cross: CrossForge) -> list[Statement]:
    links = (*forge.links, *cross.links)
    out = [Statement("what", x.why, x.evidence) for x in links if x.why is not None]
    out += [s for x in forge.links if (s := of_cause(x, one.activity)) is not None]
    out += [s for reading in forge.pulls for s in of_pull(reading)]
    titles = {"d" * 40: "Faster kernels"}
    return out + [of_bump(bump, titles) for bump in cross.bumps]


def pins() -> tuple[Finding, ...]:
    return (
        finding("cli_flag_removed", "--swap-space-size", "--swap-space-size"),
        finding("dependency_changed", "kernels-python", "==0.9", "==1.0"),
        finding("submodule_changed", "3rdparty/kernels", "1a" * 20, "2b" * 20),
        finding("dependency_changed", "kernels-python", ">=0.9", ">=1.0"),
    )


@given(
    st.lists(st.one_of(st.sampled_from(TEXTS), st.text(max_size=30)), min_size=1, max_size=5),
    st.sampled_from(["\n\n", "\n", " "]),
)
def test_every_sentence_stands(parts: list[str], by: str) -> None:
    body = by.join(parts)
    engine = side(
        entry(change("a", "Change (#33)", body), *pins(), files=("engine/v1/core/planner.py",)),
        pulls=[pull(33, "A pull request", body)],
        issues=[issue(5, "[Bug]: it fails", body, at=9), issue(6, "[Bug]: again", at=9)],
        releases=[release("v1.0")],
        uses=(HeadUse("finding:dddddddddddd/1", "d" * 40, "org/kernels", "plan_block_tables", "a.py", 1, True),),
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
        issues=[issue(2)],
        releases=[release("v1.0", sha="2b" * 20)],
    )
    cross = between(engine, lib)
    evidence = evidence_of(engine, lib) | {f"story:{s.id}": plain(" ".join(s.net.values())) for s in cross.stories}
    statements = [*said(engine, read(engine, lib), cross), *of_stories(cross.stories)]
    assert len(statements) >= 5
    for statement in statements:
        verdict = judge(statement, evidence)
        assert verdict.ok, (verdict, statement)
