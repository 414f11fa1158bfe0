"""Paragraphs of a message that say something of the change, without templates, trailers and bots."""

import time

import pytest

from analyse.test_gist import BODY, told
from daybreak.core.model.findings import Reading
from daybreak.judge.gist import gist
from daybreak.judge.message_quotes import message_quotes
from read.made import SHA, change_of
from timing import beside


def said_in(body: str) -> list[str]:
    return [quote.text for quote in message_quotes(body)]


def test_the_body_without_trailers_templates_and_bots() -> None:
    body = """## Description
<!-- What does this PR do,
and why is it needed by the users? -->

The kernel reads one past the end of the map on every launch.

Fixes #12

- [x] I have installed pre-commit and all of the hooks
(or used the preferred method of the project).

## Tests
All of the tests pass on a machine with two cards.

Summary by CodeRabbit is that this is a bug fix for the map.

Signed-off-by: Ada <ada@example.com>
Co-authored-by: Bob the builder of the project <bob@example.com>
"""
    assert said_in(body) == ["The kernel reads one past the end of the map on every launch."]


def test_a_paragraph_of_those_who_helped_is_no_word_on_the_change() -> None:
    helped = "\n".join(f"Co-authored-by: Person Number {n} <{n}@acme.example>" for n in range(9))
    assert list(message_quotes(helped)) == []


def test_the_subjects_of_squashed_commits_are_no_paragraphs() -> None:
    body = "* Fix the tests of the map\n\nThe map is padded by one, so that the kernel may read it.\n\n* address the comments\n"
    assert said_in(body) == ["The map is padded by one, so that the kernel may read it."]


def test_a_list_belongs_to_the_line_that_leads_to_it() -> None:
    body = "There are two paths for the pages of the cache:\n\n- fast, when the page is a tile\n- slow, for all the others\n"
    assert said_in(body) == [
        "There are two paths for the pages of the cache:\n- fast, when the page is a tile\n- slow, for all the others"
    ]


def test_a_body_is_not_quoted_up_to_the_middle_of_its_list() -> None:
    steps = "\n".join(f"{n}. Walk over all of the pages of the cache for the {n} time." for n in range(1, 30))
    body = f"The kernel of the cache finds the pages as follows:\n\n{steps}\n\n{BODY}\n"
    found = told({}, "Kernel", body=body)
    assert found is not None
    assert found.quotes[0].text == BODY


def test_a_list_in_a_message_is_one_paragraph() -> None:
    assert said_in("- The first path is the fast one.\n- The second is for all the others.\n") == [
        "- The first path is the fast one.\n- The second is for all the others."
    ]


@pytest.mark.parametrize(
    "body", ["<!--" * 20_000, "- a\n" * 50_000, "the a. " * 60_000, "a:\n" * 40_000, "*" * 300_000]
)
def test_a_hostile_message_costs_little(body: str) -> None:
    start = time.process_time()
    gist(change_of({}, body=body), Reading(SHA))
    assert time.process_time() - start < beside(5)
