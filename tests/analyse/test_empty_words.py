"""Empty words: what stands for no change, and what is told instead of it."""

import pytest

from analyse.test_gist import CODE, english
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote, QuoteSource
from daybreak.findings.quotes import quotes
from daybreak.judge.purpose import with_purpose
from daybreak.judge.quote_rank import LEAST, ranked, topic
from read.made import change_of, patch_of


def worth(text: str, title: str, source: QuoteSource = "comment", *, mends: bool = False) -> float:
    about = topic(change_of({}, subject=title), [], mends=mends)
    return max((one.score for one in ranked([Quote(source, CODE, 1, "added", text)], about, 280)), default=-9.0)


def test_of_several_tests_of_a_fix_none_is_quoted_that_holds_what_worked_before() -> None:
    tests = (
        "def test_config_text_only_regression():\n    assert build()\n\n"
        'def test_config_vlm():\n    """A config with a VLM target must build without errors."""\n    assert build(vlm)\n'
    )
    patches = {
        CODE: patch_of("config = flat(config)\nuse(config)\n", "config = kept(config)\nuse(config)\n"),
        "tests/test_config.py": patch_of("", tests),
    }
    assert english(patches, subject="[Bugfix] Fix config for VLM models") == (
        "New test: “A config with a VLM target must build without errors.”"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Streaming parsing would require a separate endpoint with its own parser.",
        "Record the ids of requests that were sent in this step of streaming.",
        "Return the parser for the next step when streaming requests.",
    ],
)
def test_what_is_not_built_and_a_step_of_a_recipe_stand_for_no_change(text: str) -> None:
    assert worth(text, "Parse requests while streaming") < LEAST


def test_a_step_that_says_why_or_what_was_before_still_tells() -> None:
    text = "Record the ids of streaming requests, since otherwise their parser would be lost."
    assert worth(text, "Parse requests while streaming") >= LEAST


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# the kernel onln takes heads of sixteen rows\nrun(1)\n",
            "# the kernel only takes heads of sixteen rows\nrun(2)\n",
        ),
        (
            "# The kernel takes heads of sixteen rows\nrun(1)\n",
            "# the kernel takes heads of sixteen rows.\nrun(2)\n",
        ),
    ],
)
def test_a_comment_that_is_only_spelt_or_worded_otherwise_is_no_news(before: str, after: str) -> None:
    assert [q.text for q in quotes(change_of({CODE: patch_of(before, after)}))] == []


def test_a_remark_over_code_that_stays_is_quoted_only_where_nothing_else_changed() -> None:
    reworded = patch_of(
        "# The cache is cleared when it stops.\nrun()\n", "# The cache is cleared before it stops.\nrun()\n"
    )
    assert [q.side for q in quotes(change_of({CODE: reworded}))] == ["added", "removed"]
    assert quotes(change_of({CODE: reworded, "engine/plan.py": patch_of("plan(1)\n", "plan(2)\n")})) == []


def test_a_comment_in_which_another_word_stands_is_news() -> None:
    before, after = (
        f"# The cache is {word} while the engine sleeps\nrun({n})\n" for n, word in enumerate(("kept", "dropped"))
    )
    assert [q.side for q in quotes(change_of({CODE: patch_of(before, after)}))] == ["added", "removed"]


def test_branches_that_change_places_are_no_other_condition() -> None:
    old = 'def plan(self):\n    if self.graphs:\n        log("no fast kernel with graphs")\n    else:\n        kernel = "fast"\n    return kernel\n'
    new = 'def plan(self):\n    if not self.graphs:\n        kernel = "fast"\n    return kernel\n'
    assert "if not self.graphs" not in str(english({CODE: patch_of(old, new)}, subject="Say less at the start"))
    kept = old.replace("if self.graphs", "if not self.graphs")
    assert "if not self.graphs" in str(english({CODE: patch_of(old, kept)}, subject="Say less at the start"))


def test_a_line_that_moved_is_placed_by_what_is_done_above_it() -> None:
    guard = "if name not in known:\n        continue\n"
    old = f"for name in names:\n    {guard}    map(name)\n    # without this the load would fail\n    load(name)\n"
    new = f"for name in names:\n    map(name)\n    # without this the load would fail\n    {guard}    load(name)\n"
    said = str(english({CODE: patch_of(old, new)}, subject="[Bugfix] Load what has another name"))
    assert "# without" not in said


def test_an_error_by_which_new_code_checks_itself_stands_for_no_feature() -> None:
    check = 'def shape(layer):\n    if layer.size != SIZE:\n        raise ValueError(f"Mixed layout size mismatch for layer {layer.name}")\n    return layer\n'
    said = str(english({CODE: patch_of("", check)}, subject="[Feature] Mixed layout size of a layer"))
    assert not said.startswith("New error")
    limit = check.replace("size mismatch for layer", "size is not supported for layer")
    assert "is not supported" in str(
        english({CODE: patch_of("", limit)}, subject="[Feature] Mixed layout size of a layer")
    )


def test_the_documentation_of_a_metric_is_quoted_as_a_help_text() -> None:
    code = (
        'GAUGE = Gauge(\n    name="kit:pinned",\n    documentation="Share of pages pinned by running transfers.",\n)\n'
    )
    assert [(q.source, q.text) for q in quotes(change_of({CODE: patch_of("", code)}))] == [
        ("help", "Share of pages pinned by running transfers.")
    ]


def test_what_goes_wrong_is_kept_where_only_the_clause_that_says_when_leans_on_another_sentence() -> None:
    first = (
        "With asynchronous scheduling the store of a preempted request can be flushed by the worker long before the scheduler "
        "reads that the store is complete, since the output of the step is still queued."
    )
    end = "the connector should put the read off instead of asserting later that no store of the request is tracked"
    about = topic(change_of({}, subject="[Bugfix] Put reads off while a store is tracked"), [], mends=True)
    said = Quote("test", "tests/test_store.py", 1, "added", f"{first} If it comes back in that window, {end}.")
    assert ranked([said], about, 280)[0].quote.text == f"… {end}."


def test_a_metric_is_told_with_its_documentation_though_a_constant_holds_its_name() -> None:
    names = 'class Names:\n    PINNED = "engine:pinned_share"\n'
    table = 'TABLE = {\n    Names.PINNED: Metadata(\n        documentation="Part of all memory that transfers hold.",\n    )\n}\n'
    subject = "[Feature] Show what is pinned"
    change = change_of({"engine/names.py": patch_of("", names), CODE: patch_of("", table)}, subject=subject)
    finding = Finding("a/1", "metric_added", "engine/names.py", 2, "engine:pinned_share", None, "engine:pinned_share")
    came = Gist({"en": "Adds it", "zh": "新增"}, "finding", findings=(finding.id,))
    told = with_purpose(came, change, Reading("a", findings=(finding,)), topic(change, []), quotes(change))
    assert [quote.text for quote in told.quotes] == ["Part of all memory that transfers hold."]


def test_what_a_test_covers_is_not_what_was_wrong() -> None:
    said = "the rank that sets off the port of each publisher, across all of the modes."
    title = "Fix collision of the port of publishers"
    assert worth(f"Covers {said}", title, "test", mends=True) < worth(
        f"Two of them take {said}", title, "test", mends=True
    )
