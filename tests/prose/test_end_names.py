"""Advice names what a reader finds at the end of the window, or what the change took away and is told as gone."""

from __future__ import annotations

import pytest

from daybreak.core.model.drafts import Case, Draft, Piece, Span
from daybreak.core.model.statements import Proof, Role, Statement
from daybreak.findings.text_trees import TextTrees
from daybreak.prose.model_prose import EndNames, Telling, Wanted
from daybreak.prose.questions import Asker
from daybreak.prose.surroundings import Surroundings
from scripted_telling import Scripted, said, words
from told_days import change, entry, file, patch, report, repository

DIFF = '@@ -1,2 +1,2 @@\n-    parser.add_argument("--old-limit")\n+    parser.add_argument("--new-limit")\n'
TREE = {"engine/args.py": 'parser.add_argument("--new-limit")\nmax_batch_size: int = 4\nENGINE_TRACE_ALL = 1\nclass BatchPlan: ...\n'}  # fmt: skip
CASE = Case("c0ffee", "acme/engine", (Piece("D1", "file:c0ffee:engine/args.py", DIFF),))


def missing(en: str, role: Role = "action", head: str | None = "end") -> str:
    names = EndNames(lambda _: Surroundings(TextTrees({"end": TREE})), {"acme/engine": head})
    return names.missing(Draft(role, {"en": en, "zh": en}, (Span("D1", "+"),)), CASE)


@pytest.mark.parametrize(
    "en",
    [
        "Set `--new-limit 4`.",
        "Set `--max-batch-size` or `--no-max-batch-size`.",
        "Set `ENGINE_TRACE_ALL=1`.",
        "Build a `BatchPlan` first.",
        "Use `--new-limit`; `--old-limit` is gone.",
        "Who passes `--old-limit` has to pass `--new-limit`.",
        "Pass `3` or `x + 1`.",
    ],
)
def test_what_is_there_at_the_end_or_told_as_gone_stands(en: str) -> None:
    assert missing(en) == ""


@pytest.mark.parametrize(
    ("en", "name"),
    [
        ("Set `--old-limit 4`.", "--old-limit"),
        ("Set `--other-limit`.", "--other-limit"),
        ("`ENGINE_TRACE_NONE` is gone.", "ENGINE_TRACE_NONE"),
        ("Call `plan.make_batch()`.", "make_batch"),
    ],
)
def test_what_is_not_there_is_no_advice(en: str, name: str) -> None:
    assert missing(en) == name


@pytest.mark.parametrize(
    ("lines", "lost"),
    [
        (('+    parser.add_argument("--new-limit")',), ""),
        (("+    late = 1",), "late = 1"),
        (("+    late = 1", '+    parser.add_argument("--new-limit")'), ""),
        (('-    parser.add_argument("--old-limit")',), ""),
    ],
)
def test_what_rests_on_added_lines_alone_needs_one_that_no_later_change_replaced(
    lines: tuple[str, ...], lost: str
) -> None:
    proof = tuple(Proof("file:c0ffee:engine/args.py", line[1:], "+" if line[0] == "+" else "-") for line in lines)
    names = EndNames(lambda _: Surroundings(TextTrees({"end": TREE})), {"acme/engine": "end"})
    assert names.replaced(Statement("what", {"zh": "。", "en": "."}, (), proof=proof), CASE) == lost


def test_only_advice_is_held_against_the_end_and_only_where_it_can_be_read() -> None:
    assert missing("Set `--old-limit 4`.", "why") == ""
    assert missing("Set `--old-limit 4`.", head=None) == ""


def test_advice_on_what_a_later_change_took_away_goes_back_and_falls() -> None:
    one = change(1, "Add a limit", files=[file("engine/args.py", patch('+    parser.add_argument("--late-limit")'))])
    do = said("请设置 `--late-limit`。", "Set `--late-limit`.", 'D1: +    parser.add_argument("--late-limit")', role="action")  # fmt: skip
    model = Scripted(lambda p: (do,) if p.task.startswith("change") else ())
    trees = Surroundings(TextTrees({one.sha: TREE}))
    teller = Telling(lambda: model, Asker(("zh", "en")), Wanted(), around=lambda _: trees)
    try:
        found = teller.tell(report(repository([entry(one)])))
    finally:
        teller.close()
    assert words(found.entries[0]) == []
    assert found.retelling is not None
    assert found.retelling.grounding.by_reason == {"not_at_end": 1}
    assert "The code at the end of the day does not have this" in model.asked[1].user
