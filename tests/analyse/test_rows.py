"""Rows: what a change does in twenty words, of a longer quote the clauses that tell most."""

from __future__ import annotations

from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Quote
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance
from daybreak.core.words.brief import brief_line
from daybreak.judge.gist import gist
from daybreak.judge.quote_rank import topic
from daybreak.judge.rows import WORDS, most_in, row
from read.made import SHA, change_of, patch_of

CODE = "engine/cache.py"


def row_of(subject: str, files: dict[str, str] | None = None, body: str = "", reading: Reading | None = None) -> str:
    change = change_of(files or {}, subject=subject, body=body)
    read = reading or Reading(SHA)
    entry = Entry(change, read, "fix", Importance("low", 0.1), gist=gist(change, read))
    found = row(entry)
    assert found is not None
    assert all(brief_line(said, WORDS) == said for said in found.values())
    return found["en"]


def test_a_row_holds_the_clauses_that_tell_and_not_the_first_words() -> None:
    body = (
        "Most payloads of a transfer read rows of the pool and match the range that was written there before. "
        "The state of a request is sent once, so it must not be counted with the pages of its tokens again."
    )
    said = row_of("Send the state of a request once", body=body)
    assert said.startswith("Commit: “The state of a request is sent once, so it must not be counted")


def test_a_row_that_fits_is_whole_and_names_no_file() -> None:
    comment = "# Copy the block, otherwise two requests would share its memory.\n"
    assert row_of("Fix sharing of a block", {CODE: patch_of("x = 1\n", f"{comment}x = 2\n")}).endswith("its memory.”")


def test_what_is_left_out_before_a_clause_and_behind_it_is_marked() -> None:
    long = "The pool of blocks is large, the table of pages is not, so the state of a request overflows it and crashes."
    quote = Quote("comment", CODE, 1, "added", long)
    about = topic(change_of({}, subject="Fix overflow of the state of a request"), (), mends=True)
    said = most_in(quote, about, 11)
    assert said == "… so the state of a request overflows it and crashes."


def test_no_row_begins_with_a_clause_that_leans_on_the_one_before_it() -> None:
    long = "The array of a kernel required a match of both types in all calls before, which means that values must be cast."
    quote = Quote("body", "", 1, "message", long)
    about = topic(change_of({}, subject="Cast values of an array"), ())
    assert most_in(quote, about, 10).startswith("The array of a kernel")


def test_a_cut_leaves_no_bracket_open_and_no_article_behind() -> None:
    long = (
        "The pool keeps the slots of a request (and of all of its drafts) until the last step has been sent to a peer."
    )
    quote = Quote("comment", CODE, 1, "added", long)
    about = topic(change_of({}, subject="Keep the slots of a request"), ())
    for words in range(6, 20):
        said = most_in(quote, about, words)
        assert said.count("(") == said.count(")")
        assert not said.endswith(("the …", "of …", "a …"))


def test_a_row_has_a_frame_of_one_word_even_where_there_is_room() -> None:
    comment = "# Copy the block, otherwise two requests would share its memory.\n"
    said = row_of("Fix sharing of a block", {CODE: patch_of("x = 1\n", f"{comment}x = 2\n")})
    assert said == "Comment: “Copy the block, otherwise two requests would share its memory.”"


def test_a_row_of_lines_has_no_words_about_them_where_two_would_not_fit_with_them() -> None:
    old = "width = layer.measure(rows, columns, steps, 0, 1, 2, 3)\n"
    said = row_of("Measure layers", {CODE: patch_of(old, old.replace("0, 1", "4, 5"))})
    assert said.endswith(".")
    assert "→" in said


def test_no_clause_closes_a_bracket_that_it_did_not_open() -> None:
    long = "The wheel of this package shrinks by far (for example, 6.6 GB to 1.5 GB). Compression is common (see, for one, the toolkit)."
    quote = Quote("body", "", 1, "message", long)
    about = topic(change_of({}, subject="Enable compression of the wheel"), ())
    for words in range(6, 18):
        assert not most_in(quote, about, words).lstrip("… ").startswith("6.6")


def test_no_clause_begins_within_a_list_in_brackets() -> None:
    text = "Give the tokens of a step back in the shape [rows, 1] to match one token, since a step may have [rows, 2] of them."
    quote, about = Quote("comment", CODE, 3, "added", text), topic(change_of({}, subject="Fix the shape of a step"), [])
    for words in range(8, 20):
        said = most_in(quote, about, words)
        assert said.count("[") >= said.count("]"), said


def test_a_row_has_both_sides_of_a_turn_or_none() -> None:
    was, now = (f"self.rows > {n} and {' and '.join(f'self.has_part_{m}' for m in range(20))}" for n in (8, 16))
    found = Finding(f"{SHA[:12]}/1", "dispatch_changed", CODE, 1, "Pool.take", was, now)
    said = row_of("Take more rows", {CODE: patch_of("a\n", "b\n")}, reading=Reading(SHA, findings=(found,)))
    assert "8" in said.partition("→")[0]
    assert "16" in said.partition("→")[2]
