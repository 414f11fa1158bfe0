"""Normal form: one writing for all writings of the same value or question, and what follows from what."""

import ast
import time

import pytest

from daybreak.findings.languages.clauses import implies
from daybreak.findings.languages.python_normal import Scope, question, same_value, value
from daybreak.findings.languages.python_syntax import expression
from timing import beside


def asked(text: str, scope: Scope = Scope()) -> object:  # noqa: B008  a frozen value
    node = expression(text)
    assert node is not None
    return question(node, scope)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a and b", "(b and a)"),
        ("not (a or b)", "not a and not b"),
        ("not a == b", "b != a"),
        ("not x is None", "x != None"),
        ("x in ('a', 'b')", 'x == "b" or x in ["a"]'),
        ("x not in (1, 2)", "x != 1 and not x == 2"),
        ("3 < x", "x > 3"),
        ("0 < x < 8", "x > 0 and x < 8"),
        ("a or (not a and b)", "a or b"),
        ("isinstance(x, (A, B))", "isinstance(x, B) or isinstance(x, A)"),
        ("bool(x)", "x"),
        ("x > 1 << 10", "x > 1024"),
        ("f(a=1, b=2) > 3", "f(b=2, a=1) > 3"),
        ("(b if not c else a)", "(a if c else b)"),
        ("getattr(x, 'size') > 1", "x.size > 1"),
        ("all(f(char) for char in s)", "all(f(c) for c in s)"),
        ("any(k == v for k, v in s.items() if k if v)", "any(a == b for a, b in s.items() if a and b)"),
        ("{k: [w for w in k] for k in s}", "{a: [b for b in a] for a in s}"),
        ("f(key=lambda x, *y, z=1: x + z)", "f(key=lambda a, *b, c=1: a + c)"),
        ("[x for x in x]", "[y for y in x]"),
    ],
)
def test_two_writings_of_one_question_are_the_same(one: str, other: str) -> None:
    assert asked(one) == asked(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a and b", "a or b"),
        ("a < b", "a <= b"),
        ("x in (1, 2)", "x in (1, 3)"),
        ("f(a, b)", "f(b, a)"),
        ("x is None", "not x"),
        ("[a for a in s for b in a]", "[b for a in s for b in a]"),
        ("[a for a in s]", "[b for a in s]"),
        ("any(a(b) for b in s)", "any(b(b) for b in s)"),
        ("f(lambda x, y: x)", "f(lambda x, y: y)"),
        ("f(lambda x: x)", "f(lambda x=1: x)"),
    ],
)
def test_two_questions_are_two(one: str, other: str) -> None:
    assert asked(one) != asked(other)


@pytest.mark.parametrize(
    ("one", "other", "follows"),
    [
        ("x > 16", "x > 8", True),
        ("x > 8", "x > 16", False),
        ("x > 8", "x >= 8", True),
        ("x >= 8", "x > 8", False),
        ("x == 9", "x > 8", True),
        ("a and b", "a", True),
        ("a", "a or b", True),
        ("a or b", "a", False),
        ("x in (1, 2)", "x in (1, 2, 3)", True),
        ("x not in (1, 2, 3)", "x not in (1, 2)", True),
    ],
)
def test_what_follows_from_what(one: str, other: str, follows: bool) -> None:
    assert implies(asked(one), asked(other)) is follows  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("X.y", "( X.y )", True),
        ("'a'", '"a"', True),
        ("10000", "10_000", True),
        ("[1, 2,]", "[1,2]", True),
        ("dict()", "{}", True),
        ("1", "True", False),
        ("(1, 2)", "[1, 2]", False),
        (None, "None", False),
    ],
)
def test_values(one: str | None, other: str, same: bool) -> None:
    assert same_value(one, other) is same


def test_a_name_that_is_given_itself_ends() -> None:
    given = {"x": ast.parse("x + x", mode="eval").body}
    assert asked("x > 1", Scope(given.get)) == asked("x + x > 1")


def test_a_question_that_would_explode_stays_small() -> None:
    text = " and ".join(f"(a{n} or b{n})" for n in range(60))
    start = time.process_time()
    assert asked(text) == asked(f"({text})")
    assert time.process_time() - start < beside(2)


def test_a_value_that_an_f_string_cannot_hold_is_compared_all_the_same() -> None:
    """`sep` stands for its value, which has a backslash: Python of some versions refuses to write that down."""
    held = ast.parse('f"{a}{b}"', mode="eval").body
    assert isinstance(held, ast.JoinedStr)
    assert isinstance(held.values[0], ast.FormattedValue)
    held.values[0].value = ast.Constant("x\\y")
    assert value(held) != value(ast.parse('f"{a}{b}"', mode="eval").body)
