"""What an author writes beside a fix and what does not tell it: remarks, code that stays, heads of files, assertions."""

from difflib import unified_diff

import pytest

from analyse.test_gist import CODE, english
from daybreak.core.model.quotes import Quote
from daybreak.judge.quote_rank import Topic, most_telling, words
from daybreak.judge.quotes_of_fixes import is_remark

FIX = "[Bugfix] Free the blocks of a request once"
REASON = "# The blocks of a request were freed twice, so that another request could get them.\n"


def patch_of(before: str, after: str) -> str:
    """A file as git prints its change, from its first line on."""
    rows = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), n=3)
    return "".join(row for row in rows if not row.startswith(("---", "+++")))


FILLING = "".join(f"step_{n}(state, blocks, {n})\n" for n in range(14))


def test_a_comment_over_a_statement_that_stays_does_not_tell_a_fix() -> None:
    before = f"def free(blocks):\n    return release(blocks)\n\n\n{FILLING}"
    note = "    # Blocks of a request cannot be released before the transfer ends, otherwise they are corrupted.\n"
    after = f"def free(blocks):\n{note}    return release(blocks)\n\n\n{FILLING}".replace("blocks, 13", "request, 13")
    said = english({CODE: patch_of(before, after)}, subject=FIX)
    assert said is None or "transfer ends" not in said


def test_a_comment_tells_a_fix_where_the_statement_below_it_came_or_the_one_beside_it_went() -> None:
    came = f"def free(blocks):\n    {REASON}    if blocks.freed:\n        return\n    release(blocks)\n\n\n{FILLING}"
    went = f"def free(blocks):\n    {REASON}    release(blocks)\n\n\n{FILLING}"
    old = f"def free(blocks):\n    release(blocks)\n\n\n{FILLING}"
    twice = f"def free(blocks):\n    blocks.release_all_of_them()\n    release(blocks)\n\n\n{FILLING}"
    for before, after in ((old, came), (twice, went)):
        said = english({CODE: patch_of(before, after)}, subject=FIX)
        assert said is not None
        assert "were freed twice" in said


def test_a_comment_over_a_condition_tells_a_fix_of_what_the_condition_opens() -> None:
    before = f"def free(blocks):\n    if blocks:\n        release(blocks)\n\n\n{FILLING}"
    after = f"def free(blocks):\n    {REASON}    if blocks:\n        release(blocks.once())\n\n\n{FILLING}"
    said = english({CODE: patch_of(before, after)}, subject=FIX)
    assert said is not None
    assert "were freed twice" in said


def test_a_comment_over_a_statement_that_is_in_another_function_now_may_tell_a_fix() -> None:
    before = f"def save(blocks):\n    release(blocks)\n\n\n{FILLING}"
    after = f"def save(blocks):\n    pass\n\n\ndef finish(blocks):\n    {REASON}    release(blocks)\n\n\n{FILLING}"
    said = english({CODE: patch_of(before, after)}, subject=FIX)
    assert said is not None
    assert "were freed twice" in said


def test_the_docstring_of_a_file_does_not_tell_a_fix_and_that_of_a_function_may() -> None:
    whole = '"""Blocks of a request, which are freed once because another request may get them."""\n\n'
    own = (
        '    """Free the blocks of a request once, otherwise another request would get them while they are in use."""\n'
    )
    said = english({CODE: patch_of("", f"{whole}{FILLING}")}, subject=FIX)
    assert said is None or "docstring" not in said
    said = english({CODE: patch_of("", f"def free(blocks):\n{own}{FILLING}")}, subject=FIX)
    assert said is not None
    assert "docstring says: “Free the blocks of a request once, otherwise" in said


def test_what_an_assertion_says_is_not_the_fix_and_what_a_refusal_says_may_be() -> None:
    for says, told in (("assert blocks, (", False), ("if not blocks:\n    raise ValueError(", True)):
        after = f'{says}\n    "the blocks of a request have to be there once"\n)\n{FILLING}'
        said = english({CODE: patch_of("", after)}, subject=FIX) or ""
        assert ("have to be there" in said) is told


@pytest.mark.parametrize(
    "text",
    [
        "Keep this narrowly scoped to the transfer of blocks.",
        "Keep this narrowly scoped: more blocks at the start would lengthen it for all other requests.",
        "Do not add other fields of a request here.",
        "NOTE: make sure to free the blocks in the order of the requests.",
        "Whether a lookup of blocks may be run for a request.",
        "Returns the path on success, and nothing where it failed to load.",
        "The transfer of all other blocks is unchanged by this and runs as it did.",
        "This preserves the existing behaviour of requests without blocks.",
        "Other requests retain the small block to start as fast as they did.",
    ],
)
def test_orders_and_what_stays_as_it_was_are_remarks(text: str) -> None:
    assert is_remark(text)


@pytest.mark.parametrize(
    "text",
    [
        "Keep the blocks alive here, otherwise another request would get them.",
        "Do not free the blocks twice: that corrupts the cache.",
        "The scales stay in sync with the weights when experts are rearranged.",
        "Blocks of a request were freed twice.",
    ],
)
def test_what_says_why_or_what_goes_wrong_is_no_remark(text: str) -> None:
    assert not is_remark(text)


ABOUT = Topic(words("Free blocks of a request"), frozenset(), frozenset(), mends=True)


def cut(text: str, most: int) -> str:
    return most_telling(Quote("comment", CODE, 1, "added", text), ABOUT, most)


def test_no_clause_is_shown_that_leans_on_one_left_out() -> None:
    long = "The version of a library was added in the release of last year for all who ask, so its absence breaks them"
    assert not cut(long, 40).startswith("… so")


def test_a_clause_that_follows_is_shown_without_the_word_that_ties_it() -> None:
    long = (
        "The request signals its end before the buffer of blocks is committed, so the next one can read garbage of it"
    )
    assert cut(long, 40) == "… the next one can read garbage of it"


def test_a_condition_is_not_shown_without_what_follows_from_it() -> None:
    long = "If an error of a transfer is reported by a request, the number of blocks is set anew by the one who asked"
    assert "the number of blocks" in cut(long, 60)


def test_what_would_follow_otherwise_may_stand_alone() -> None:
    long = "In all modes of a request the numbers of its blocks must be copied, otherwise the graph reads stale values"
    assert cut(long, 45) == "… otherwise the graph reads stale values"


def test_a_sentence_that_speaks_of_the_one_before_it_brings_that_along() -> None:
    two = "The scales of a request are shared by blocks. They are views and would be corrupted, so free them once."
    assert cut(two, 70) == two


def test_of_a_fix_what_went_wrong_is_quoted_though_it_ends_a_long_sentence() -> None:
    after = (
        "class Cache:\n    def needs_zeros(self):\n"
        '        """Whether blocks that were allocated must be zeroed before a request may use them.\n\n'
        "        Required for the layers of a state space, whose state is read before it was written for the first time by anybody\n"
        "        at all, and for caches of mixed precision, where a block that is used again can be read under another precision and\n"
        '        decode stale bytes to NaN or Inf. Caches of one precision skip zeros.\n        """\n        return self.mixed\n'
    )
    before = "class Cache:\n    def needs_zeros(self):\n        return False\n"
    said = english({CODE: patch_of(before, after)}, subject="[Bugfix] Zero new blocks of quantized caches") or ""
    assert "decode stale bytes to NaN or Inf" in said
    assert "skip zeros" not in said
