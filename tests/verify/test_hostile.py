"""Reports written to do harm: no long waits, no exceptions, nothing of theirs becomes markup or a terminal code."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from daybreak.core.markdown_page import LONGEST_LINE, Page
from daybreak.verify.values import annotated
from daybreak.verify.verifying import verify
from timing import beside
from verify.scenes import World, build

LONG = LONGEST_LINE - 200
PIECES = (
    "[", "](", "[a](", "`a", "**", "*a ", "（", "abcdef1 ", "a1", "2026-01-19 ", "· a ", "+1 -", "作者: a ",
    "https://a/b/c ", '"abcd efgh ijkl mnop ', "| a ", "`a.py` ", "Files: a.py, ", "共 +1 ", "{{a ", "<a id= ", "&#1",
    "\\", "(#1) ", "Issue ", "1 files +1 ", "commit ", "author ", "> ", "~~~", "#", "累计 ", " - ",
)  # fmt: skip
ALONE = (
    "author" + " " * LONG + ":",
    "### a" + " " * LONG + "x",
    "| 2026-01-19 10:00:00 | a | " + " " * LONG + "x",
    "| 2026-01-19 10:00:00 | a | " + "[" * LONG,
    "共 +1" + " " * LONG,
    "`" + "a/" * (LONG // 2) + "`",
    "`" + "*a" * (LONG // 2) + ".py`",
    "1 files +1" + " " * LONG,
    "- " + "a" * LONG + " (#1) ",
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build(Path(tmp_path_factory.mktemp("world")))


def head(world: World) -> str:
    one = world.today[0]
    return f"# Daily report (2026-01-19)\n\n## acme/engine\n\n### {one.subject}\n\n{one.link}\n\n"


@pytest.mark.parametrize(
    "text", [*((piece * LONG)[:LONG] for piece in PIECES), *ALONE], ids=lambda text: repr(text[:12])
)
def test_a_long_line_takes_no_long_time(world: World, text: str) -> None:
    before = time.process_time()
    verify("x.md", f"{head(world)}- {text}\n\n{text}\n", world.mirrors)
    assert time.process_time() - before < beside(8)


def test_a_line_beyond_all_measure_is_left_out_and_counted(world: World) -> None:
    result = verify("x.md", f"{head(world)}{'x' * (LONGEST_LINE + 1)}\n", world.mirrors)
    assert result.unchecked["whole", "a line is too long to be read"] == 1


def test_many_unknown_shas_are_looked_up_together(world: World) -> None:
    """One process for each of them would take minutes."""
    shas = "\n".join(f"- `{n:07x}a1`" for n in range(4_000))
    before = time.process_time()
    result = verify("x.md", head(world) + shas, world.mirrors)
    assert time.process_time() - before < beside(30)
    assert sum(alarm.kind == "sha" for alarm in result.alarms) > 2_000


def test_blocks_that_open_again_and_again_end(world: World) -> None:
    text = "".join("`" * (3 + n % 50) + "\n# a\n" for n in range(2_000))
    assert verify("x.md", text, world.mirrors).alarms


@pytest.mark.parametrize(
    "text", ["", "\n", "\ufeff", "\0" * 100, "\u202e\u2066" * 50, "```", "|", "#", "# ", "<", "](", "\ud800"]
)
def test_scraps_raise_nothing(world: World, text: str) -> None:
    verify("x.md", text, world.mirrors)
    verify("x.md", text, {})


def test_words_of_a_report_do_not_become_markup_in_marks(world: World) -> None:
    name = "[x](javascript:alert(1)) <img src=x> | `code` @someone"
    one = world.today[0]
    text = f"{head(world)}- Author: {name.replace('|', '')}, 2026-01-19\n- `{one.sha[:6]}0` | `src/<b>x</b>.py`\n"
    result = verify("x.md", text, world.mirrors)
    copy = annotated(text, result)
    marks = [row.split("⟦✗ ")[1:] for row in copy.split("\n")]
    for mark in (part.split("⟧")[0] for some in marks for part in some):
        assert not any(
            sign in mark.replace("\\[", "").replace("\\<", "").replace("\\`", "").replace("\\|", "") for sign in "[<`|"
        )


def test_an_unclosed_block_does_not_hide_the_rest() -> None:
    page = Page("x.md", "```python\nx = 1\n\n## Next\n\ntext\n")
    assert page.unclosed == (1,)
    assert [line.text for line in page.prose if line.heading] == ["## Next"]
