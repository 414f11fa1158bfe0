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


def test_findings_without_values_do_not_cancel() -> None:
    assert left(entry("1", (None, None)), entry("2", (None, None))) == 2
