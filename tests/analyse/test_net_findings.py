"""Net of findings over a window: what comes and goes within it is not told."""

from __future__ import annotations

from msgspec.structs import replace

from analyse.storied import commit
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance
from daybreak.judge.net_findings import netted


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
