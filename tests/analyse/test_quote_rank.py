"""Rank of quotes: which of two sentences tells more, and what is left of a long one."""

import pytest

from daybreak.core.model.findings import Hunk
from daybreak.core.model.quotes import Quote, QuoteSide, QuoteSource
from daybreak.judge.leaning import hangs, unplaced
from daybreak.judge.quote_rank import LEAST, SOURCE, most_telling, ranked, score, shortened, topic
from daybreak.judge.sayings import SAYS
from daybreak.judge.telling_words import words
from read.made import change_of

PATH = "engine/cache.py"
ABOUT = topic(
    change_of({}, subject="Free pages without a device sync (#12)"),
    [Hunk(PATH, "@@ -1 +1 @@\n-    unique(pages)\n+    pages[::stride]")],
)


def quote(text: str, source: QuoteSource = "comment", side: QuoteSide = "added", path: str = PATH) -> Quote:
    return Quote(source, path, 1, side, text)


def best(*found: Quote) -> str:
    return ranked(found, ABOUT, 200)[0].quote.text


@pytest.mark.parametrize(
    ("more", "less"),
    [
        (
            "Pages of one row are strided, so no sync is needed here.",
            "Pages of one row are strided in the pool of this.",
        ),
        (
            "Freeing a page must not wait for the device of the pool.",
            "Weights of one layer must not wait for another one.",
        ),
        (
            "The pages were sorted before, and that is no longer so.",
            "The pages are sorted in the order of their numbers.",
        ),
        (
            "Without it the pages of the other request would be lost.",
            "TODO: otherwise the pages would be lost for good.",
        ),
        (
            "Pages stay in the pool when the engine sleeps for long.",
            "Get the pages of the pool in the order of the row.",
        ),
    ],
)
def test_the_first_tells_more_than_the_second(more: str, less: str) -> None:
    assert best(quote(less), quote(more)) == more


def test_what_came_tells_more_than_what_went() -> None:
    text = "Freeing a page waits for the device, since the pages are unsorted"
    assert best(quote(f"{text} then.", side="removed"), quote(f"{text} now.")) == f"{text} now."


def test_a_file_that_users_meet_tells_more_than_one_inside() -> None:
    text = "Opt-in: pages are freed without a sync by {} of one engine, scheduler or worker."
    inside, met = quote(text.format("rows"), path="engine/a.py"), quote(text.format("requests"), path="engine/envs.py")
    assert best(inside, met) == met.text


def test_what_only_repeats_the_title_is_not_worth_a_sentence() -> None:
    assert not ranked([quote("Free the pages without a sync of the device.")], ABOUT, 200)


def test_a_test_of_what_the_title_says_tells_nothing() -> None:
    said = quote("Regression tests for pages that are freed without a sync of the device.", "test")
    assert not ranked([said], ABOUT, 200)


def test_of_equals_the_first_one_stands() -> None:
    late, soon = (f"Pages are freed {when} by the scheduler of each worker." for when in ("late", "soon"))
    assert best(quote(late), quote(soon)) == late


def test_a_quote_is_cut_to_its_telling_sentence_and_what_is_beside_it() -> None:
    dull = "Here stands a sentence of no use to the reader of this report at all, and it is rather long as well."
    telling = "Freeing a page must not wait, otherwise the device would sync."
    found = ranked([quote(f"{dull} {telling} It would stall.")], ABOUT, 100)[0].quote.text
    assert found == f"{telling} It would stall."


@pytest.mark.parametrize("text", ["It may also wait when a page is freed.", "This forces a sync when pages are freed."])
def test_a_quote_never_begins_with_a_pronoun_that_stands_for_nothing(text: str) -> None:
    assert ranked([quote(text)], ABOUT, 200) == []
    (found,) = ranked([quote(f"Here stands the device of the pages. {text}")], ABOUT, 200)
    assert found.quote.text.startswith("Here stands")


def test_this_with_a_noun_says_what_it_means() -> None:
    assert ranked([quote("This class must not wait, otherwise the device would sync.")], ABOUT, 200)


@pytest.mark.parametrize(
    "text",
    [
        "TODO: free the pages without a sync when the device is idle.",
        "Pages are freed without a sync when one of these holds:",
        "Pages are freed when one of these holds:\n- the device is idle and has nothing to do at all\n- nobody waits for the page of that device",
    ],
)
def test_neither_a_note_of_what_is_left_nor_a_lead_to_what_is_missing_is_quoted(text: str) -> None:
    assert ranked([quote(text)], ABOUT, 100) == []


def test_a_label_is_not_worth_a_sentence() -> None:
    assert score("The second part of the loop.", quote("", path="engine/other.py"), ABOUT) < LEAST


def test_every_source_has_its_weight_and_every_say_its_words() -> None:
    announced = {"title", "pull", "release"}  # claims alone are quoted from there
    assert {*SOURCE, *announced} == set(QuoteSource.__args__)  # type: ignore[attr-defined]
    assert all(say.worth > 0 and say.words for say in SAYS)


def test_words_are_compared_without_endings_and_across_the_parts_of_names() -> None:
    assert words("max_position_embeddings") >= words("positions embedding")
    assert words("DeepSeekModel") & words("deep seek")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Short.", "Short."),
        ("One sentence is here. Another one is there and is too long.", "One sentence is here."),
        ("A very long sentence, with a clause, and with another clause", "A very long sentence, with a clause …"),
        ("a" * 60, "a" * 40 + " …"),
    ],
)
def test_a_text_is_cut_at_the_end_of_a_sentence_or_of_a_clause(text: str, left: str) -> None:
    assert shortened(text, 40) == left


def test_of_a_long_sentence_the_clauses_are_told_that_tell_most() -> None:
    lead = "The graph pads the tokens of a batch up to a size that was captured before"
    harm = "otherwise the last block of a query would corrupt the pages of another request"
    text = f"{lead}, so that there are more rows than any of the lists of lengths covers; {harm}, see issue 12."
    assert most_telling(quote(text), ABOUT, 60) == f"… {harm}, see issue 12."


def test_a_sentence_is_not_cut_before_what_an_aside_stands_in() -> None:
    text = (
        "Autotuning the backends of the eighth kind (and another one) silently selected the default tactic in all cases"
    )
    assert "silently selected" in most_telling(quote(text + "."), ABOUT, 60)


def test_of_a_long_sentence_the_clause_stays_that_says_what_goes_wrong() -> None:
    lead = "Clamp the pages to free of a device without a sync"
    text = f"{lead}, as the pool of a device has room for no more than that, which causes illegal memory access"
    assert most_telling(quote(text), ABOUT, 50) == "… which causes illegal memory access"
    # where there is room, it begins with its sentence
    assert most_telling(quote(text), ABOUT, 62) == f"{lead} … which causes illegal memory access"
    assert most_telling(quote(text.replace("which causes", "causing")), ABOUT, 62).startswith(lead)


def test_of_a_fix_the_clause_that_tells_the_fault_is_kept_though_it_begins_with_a_pronoun() -> None:
    about = topic(change_of({}, subject="Fix a read past the end of the map"), [], mends=True)
    said = quote(
        "The read is speculative and its value is never consumed by any of the kernels that follow it, so outputs are correct — but"
        " it faults with CUDA_ERROR_ILLEGAL_ADDRESS whenever the allocation ends at a boundary.",
        "body",
    )
    assert most_telling(said, about, 80).endswith("whenever the allocation ends at a boundary.")


def test_what_would_be_without_it_points_back_to_nothing() -> None:
    assert not hangs("Without this, admission allows too many requests when the pool is nearly full.")
    assert hangs("Drop captures that would violate this (as the others do).")


def test_a_sentence_whose_case_was_told_before_it_is_not_quoted_without_it() -> None:
    case = "Across layers the tensor has the physical layout, whereas the shape is the logical one."
    rest = "To match them, we need to permute the shape"
    assert rest not in most_telling(quote(f"{case} {rest}"), ABOUT, 60)


MENDS = topic(change_of({}, subject="Fix the kernel of small scales (#13)"), [], mends=True)


def test_what_these_are_is_quoted_with_what_goes_wrong_with_them() -> None:
    case = "Some models have scales near zero for experts that nobody uses."
    harm = "The kernel does not handle these correctly on the old devices, producing NaN."
    rest = "Clamping to a small minimum prevents this without a change of any result at all, as they are zero anyway."
    (found,) = ranked([quote(f"{case} {harm} {rest}")], MENDS, 200)
    assert found.quote.text == f"{case} {harm}"
    brief = "Clamp small scales to avoid NaN."  # where there is no room for both, what stands alone
    assert most_telling(quote(f"{brief} {case} {harm}"), MENDS, 60) == brief


def test_a_sentence_is_quoted_without_the_word_by_which_it_goes_on() -> None:
    text = "As a result, the kernel reads stale scales of another request."
    (found,) = ranked([quote(text)], MENDS, 200)
    assert found.quote.text == "… the kernel reads stale scales of another request."


def test_what_must_not_happen_is_quoted_where_there_is_no_room_for_what_leads_to_it() -> None:
    case = "The dummy run shares the pinned buffers of all the scales (small ones, large ones, etc.) with the real one."
    harm = "so that steps one behind the other do not overwrite memory while a copy is still reading it."
    said = quote(f"{case} It must take part in the same protocol of events as all the others do, {harm}")
    assert most_telling(said, MENDS, 80) == f"… {harm}"


def test_what_could_follow_is_quoted_where_its_sentence_is_too_long() -> None:
    lead = "The old rows of the kernel lose all the references that are held (by the batch of the worker and by the batch itself)"
    harm = "so the allocator could take the memory back before the device has read it."
    assert most_telling(quote(f"The rows were made elsewhere. {lead}, {harm}"), MENDS, 80) == f"… {harm}"


def test_what_its_author_calls_the_bug_is_quoted_before_what_a_test_expects() -> None:
    bug = "The bug: the executor took one address for every group. Binding to it fails on all other nodes."
    expects = "The kernel should fail to bind when the address is not a local one."
    about = [quote(expects, "test"), quote(bug, "test")]
    assert ranked(about, MENDS, 200)[0].quote.text == bug


def test_the_option_under_which_it_holds_stays_where_a_sentence_is_cut() -> None:
    text = "Run it on another stream to avoid copies on the default stream (which the driver refuses) when --enable-pool is used"
    assert shortened(text, 105) == text.replace("(which the driver refuses)", "…")
    assert shortened(text, 70).endswith("… when --enable-pool is used")


def test_no_bracket_stays_open_where_a_sentence_is_cut() -> None:
    text = "The queue should fail to bind when the address is not local (as in the case of another node that was used)"
    assert shortened(text, 80) == "The queue should fail to bind when the address is not local …"


def test_no_quote_says_that_something_must_be_which_the_title_takes_back() -> None:
    about = topic(change_of({}, subject="Do not force the router to run in fp32"), [])
    said = quote("The routing of experts requires fp32 logits of the router.")
    free = topic(change_of({}, subject="Run the router in fp32"), [])
    assert ranked([said], about, 200)[0].score < ranked([said], free, 200)[0].score - 2


def test_a_sentence_that_tells_when_by_what_another_one_names_says_nothing_alone() -> None:
    """`In that window` of a test's docstring: the window is named by the sentence before it."""
    assert hangs("If the request comes again in that window, the connector should put it off.")
    assert hangs("Keep it at that boundary only.")
    assert not hangs("A window begins with the first request, and in that window nothing is read.")
    assert not hangs("The reads differ in that they wait.")
    first, rest = (
        "A request whose store is under way must not read.",
        "The worker may flush it before the scheduler knows.",
    )
    docstring = (
        f"{first} {rest} If it comes again in that window, the connector should put it off instead of reading it."
    )
    about = topic(change_of({}, subject="[Bugfix] Put off reads while a request's store is under way"), [], mends=True)
    assert not most_telling(quote(docstring, "test"), about, 80).startswith("If it")


@pytest.mark.parametrize("word", ["Otherwise", "Else", "Then"])
def test_what_begins_with_what_it_leaves_out_is_no_sentence_to_quote(word: str) -> None:
    assert ranked([quote(f"{word} the pages of the other request would be lost.")], ABOUT, 200) == []


def test_a_sentence_too_long_for_its_place_is_not_cut_to_begin_with_otherwise() -> None:
    long = "Do NOT count the pages of evicted nodes in the total length of the prefix, otherwise the pages of the cache are freed though the tree refers to them."
    (found,) = ranked([quote(long)], ABOUT, 110)
    assert found.quote.text.startswith("Do NOT count")


def test_a_comment_that_names_what_only_the_code_shows_stands_behind_one_that_anybody_can_place() -> None:
    inside = "The rows of _gather_slots would be read here by pad_rows() once more."
    alone = "The rows of another request would be read once more."
    assert ranked([quote(inside), quote(alone)], MENDS, 200)[0].quote.text == alone
    assert unplaced("the kernel of small_scales reads rows_of and pad_rows()", MENDS.title) == 1
    assert unplaced("Set `--max-rows 2` where flash_attn is older than 2.8", MENDS.title) == 0


def test_no_case_is_quoted_without_what_holds_in_it_and_nothing_without_its_case() -> None:
    case = "When delayed frees are on (for transfers of the pool that go on behind it), "
    held = (
        "the request that was taken back is not set to None until all of its blocks have been sent to the other side."
    )
    assert most_telling(quote(case + held), MENDS, 60) != case.strip().rstrip(",") + " …"
    limit = (
        "The rows of a batch are written in one step by the kernel of small scales unless the graph was captured before"
    )
    assert not shortened(limit, 80)
