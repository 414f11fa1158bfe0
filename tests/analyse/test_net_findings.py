"""Net of findings over a window: what comes and goes within it is not told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from analyse.storied import CORE, commit
from daybreak.core.model.changes import Change, Collected, Repo, Window
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance
from daybreak.judge.net_findings import netted
from daybreak.judge.rules import RuleAnalyst
from read.made import change_of, patch_of


def entry(digit: str, *steps: tuple[str | None, str | None]) -> Entry:
    change = commit(digit, f"Change {digit} (#{digit})")
    found = tuple(
        Finding(id=f"{digit}-{n}", kind="default_changed", path="a.py", line=1, symbol="--x", before=b, after=a)
        for n, (b, a) in enumerate(steps)
    )
    return Entry(change, replace(Reading(change.sha), findings=found), "other", Importance("medium", 0.5))


def left(*entries: Entry) -> int:
    return sum(len(one.reading.findings) for one in netted(entries[::-1]))


def test_a_default_that_goes_there_and_back_leaves_nothing() -> None:
    assert left(entry("1", ("8", "16")), entry("2", ("16", "8"))) == 0
    assert left(entry("1", ("8", "16")), entry("2", ("16", "32")), entry("3", ("32", "8"))) == 0


def test_what_ends_elsewhere_stays() -> None:
    assert left(entry("1", ("8", "16")), entry("2", ("16", "32"))) == 2
    assert left(entry("1", ("8", "16")), entry("2", ("32", "8"))) == 2, "another thing of the same name lies between"


def parameter(digit: str, kind: str, name: str, after: str | None) -> Entry:
    found = Finding(
        id=f"{digit}-0", kind=kind, path="a.py", line=1, symbol=f"Table.put({name})", before=name, after=after
    )
    made = entry(digit)
    return replace(made, reading=replace(made.reading, findings=(found,)))


def test_a_parameter_that_is_named_anew_and_then_goes_is_told_as_it_is_at_the_end() -> None:
    first = parameter("1", "internal_parameter_renamed", "rows", "all_rows")
    gone = parameter("2", "internal_parameter_removed", "all_rows", None)
    other = parameter("2", "internal_parameter_removed", "sizes", None)
    again = parameter("2", "internal_parameter_renamed", "all_rows", "every_row")

    def told(later: Entry) -> tuple[str, str | None]:
        found = netted([later, first])[-1].reading.findings[0]
        return found.kind, found.after

    assert told(gone) == ("internal_parameter_removed", None)
    assert told(again) == ("internal_parameter_renamed", "every_row")
    assert told(other) == ("internal_parameter_renamed", "all_rows")


def test_findings_without_values_do_not_cancel() -> None:
    assert left(entry("1", (None, None)), entry("2", (None, None))) == 2


def asks_for(digit: str, kind: str, before: str | None, after: str | None) -> tuple[Change, Reading]:
    change = change_of(
        {CORE: patch_of("def put(rows):\n", "def put(rows, size):\n")}, f"Change {digit} (#{digit})", sha=digit * 40
    )
    found = Finding(f"{digit}-0", kind, CORE, 1, "put(size)", before, after, breaking=True)
    return change, Reading(change.sha, findings=(found,), areas={"code": 1})


def window() -> Window:
    start = datetime(2026, 1, 19, tzinfo=UTC)
    return Window(start, start + timedelta(days=1), "UTC", "2026-01-19")


def test_what_one_change_of_a_window_asks_for_and_another_takes_away_marks_neither() -> None:
    first = asks_for("1", "internal_parameter_required_added", None, "size")
    later = asks_for("2", "internal_parameter_removed", "size", None)
    repo = Repo("org/x", "https://example.org/org/x", "")

    def marked(*some: tuple[Change, Reading]) -> list[tuple[str, ...]]:
        known = Collected(repo, changes=tuple(change for change, _ in some))
        found = RuleAnalyst().repository(known, {change.sha: read for change, read in some}, window())
        assert all(entry.reading.findings for entry in found.entries), "what each did stands on its own page"
        return [entry.marks for entry in found.entries]

    assert marked(first) == [("breaks_internals",)]
    assert marked(later, first) == [(), ()]
