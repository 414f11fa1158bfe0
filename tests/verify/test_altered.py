"""Each number, quote, tag and grade of a page of ours altered once: every one is caught, and untouched pages are true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from daybreak.cli.beside_report import beside
from daybreak.upgrade.range.range_page import RangePages
from daybreak.verify.check_input import Written
from daybreak.verify.verifying import verify
from render import range_factory

PAGES = (
    "README.md",
    "reports/2026-03.md",
    "reports/2026-03-03.md",
    "reports/2026-03-06.md",
    "reports/2026-03-06.en.md",
    "reports/2026-03-06/daybreak-demo-lantern.md",
    "reports/2026-W10.md",
    "reports/2026-W10.en.md",
)
_FACTS = re.compile(
    r"(?P<number>\d+)|(?P<quote>“[^”]+”|「[^」]+」)|(?P<tag>\*\*[^*]+\*\*)|(?P<code>`[^`]+`)|(?P<grade>🔴|🟡|🟢)"
    r"|(?P<level>\b(?:high|medium|low|breaking|certain|likely)\b)"
)
LEAST, MOST = 0.95, 40


def altered(text: str) -> Iterator[tuple[str, str]]:
    """The page with one fact made another, and which."""
    for m in _FACTS.finditer(text):
        said = m[0]
        if m["number"]:
            new = f"{said[:-1]}{(int(said[-1]) + 1) % 10}"
        elif m["grade"]:
            new = "🟢" if said != "🟢" else "🔴"
        elif m["level"]:
            new = "low" if said != "low" else "high"
        else:
            new = f"{said[:-1]}X{said[-1:]}" if m["quote"] or m["code"] else f"{said[:-2]}X**"
        yield f"{text[: m.start()]}{new}{text[m.end() :]}", f"{m.lastgroup} {said} at {m.start()}"


def false_in(path: Path, text: str, written: Written | None = None) -> int:
    written = written or beside(path, text, None).written
    return sum(alarm.kind == "written" for alarm in verify(path.name, text, {}, written=written).alarms)


@pytest.mark.parametrize("name", PAGES)
def test_what_was_altered_is_caught(demo_week: Path, name: str) -> None:
    path = demo_week / name
    text = path.read_text(encoding="utf-8")
    assert false_in(path, text) == 0
    written = beside(path, text, None).written
    every = list(altered(text))
    every = every[:: len(every) // MOST + 1]
    missed = [what for page, what in every if not false_in(path, page, written)]
    assert every
    assert len(missed) <= (1 - LEAST) * len(every), missed


def test_a_copy_under_another_name_is_held_against_the_same_data(demo_week: Path) -> None:
    text = (demo_week / "reports/2026-03-06.en.md").read_text(encoding="utf-8")
    copy = demo_week / "reports" / "mine.md"
    assert false_in(copy, text) == 0
    assert false_in(copy, text.replace("**BREAKS**", "**CRASH/HANG**", 1)) == 1


def test_a_line_that_is_gone_and_one_that_moved(demo_week: Path) -> None:
    path = demo_week / "reports/2026-03-06.md"
    rows = path.read_text(encoding="utf-8").split("\n")
    at = next(n for n, row in enumerate(rows) if row.startswith("| ") and rows[n + 1].startswith("| "))
    assert false_in(path, "\n".join(rows[:at] + rows[at + 1 :])) == 1
    swapped = [*rows[:at], rows[at + 1], rows[at], *rows[at + 2 :]]
    assert false_in(path, "\n".join(swapped)) == 1


def test_a_page_in_other_words_is_not_called_false(demo_week: Path) -> None:
    """As one of an earlier version is, whose data has no digests; it is held against git and by its values as before."""
    path = demo_week / "reports/2026-03-06.md"
    other = "\n".join(f"{row} so" if row.strip() else row for row in path.read_text(encoding="utf-8").split("\n"))
    assert false_in(path, other, replace(beside(path, other, None).written, digest="")) == 0


@pytest.mark.parametrize("name", ["reports/2026-03-06.en.md", "reports/2026-W10.en.md"])
def test_a_page_of_another_build_is_not_called_altered_and_an_altered_one_is(demo_week: Path, name: str) -> None:
    """The words of this build are others than those that the page was written with."""
    path = demo_week / name
    text = path.read_text(encoding="utf-8")
    written = beside(path, text, None).written
    other = replace(written, lines=tuple(row.replace(" the ", " that ") for row in written.lines or ()))
    found = verify(path.name, text, {}, written=other)
    assert not [alarm for alarm in found.alarms if alarm.kind == "written"]
    assert any("another build" in why for kind, why in found.unchecked if kind == "written")
    assert false_in(path, text.replace("**BREAKS**", "**CRASH/HANG**", 1).replace("5", "6", 1), other) == 1
    noted = verify(path.name, f"{text}\n> 📌 v9 has no fault\n", {}, written=other).unchecked
    assert any("later reports" in why for kind, why in noted if kind == "written")


def test_what_is_not_held_against_the_data_is_said(demo_week: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(name: str) -> list[str]:
        path = demo_week / name
        text = path.read_text(encoding="utf-8")
        found = verify(path.name, text, {}, written=beside(path, text, None).written)
        assert not [alarm for alarm in found.alarms if alarm.kind == "written"]
        return [why for kind, why in found.unchecked if kind == "written"]

    assert said("reports/2026-03-06.md") == []
    monkeypatch.setattr("daybreak.__version__", "9.9.9")
    assert said("reports/2026-03-06.md") == said("README.md") == ["each line: version 0.1.0 of the program wrote it"]
    monkeypatch.setattr("daybreak.cli.beside_report.LARGEST", 1_000)
    assert said("reports/2026-03-06.md") == ["the data beside it has more than 0 MB"]


def test_a_range_page_knows_that_it_was_altered(tmp_path: Path) -> None:
    *told, data = RangePages().pages(range_factory.report())
    for page in (*told, data):
        (tmp_path / page.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page.path).write_text(page.text, encoding="utf-8")
    for page in (one for one in told if one.path.rpartition("/")[0] == "reports/range"):
        assert false_in(tmp_path / page.path, page.text) == 0
        assert false_in(tmp_path / page.path, page.text.replace("1", "2", 1)) == 1
