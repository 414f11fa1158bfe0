"""What the tests of the join share: one line of yours against one net."""

from __future__ import annotations

from typing import NamedTuple

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.upgrade import Hit, Net, Uses
from daybreak.core.projects import Wanted, wanted_for
from daybreak.upgrade.downstream.readers import uses
from daybreak.upgrade.impact.join import join

REPO = "vllm-project/vllm"
OTHER = "sgl-project/sglang"
NONE, KEPT, OLD = Alias("none"), Alias("kept", "vllm/x.py"), Alias("deprecated", "vllm/x.py")
CUTLASS = "NVIDIA/cutlass"
WANTED: Wanted = wanted_for([REPO, OTHER, CUTLASS])


class Row(NamedTuple):
    """One line of the table."""

    name: str
    code: str
    """Your file's text."""
    finding: tuple[str, str, str, str | None, str | None]
    """kind, path, symbol, before, after."""
    expected: str
    """`certain:3` for a hit at line 3; several apart by spaces; empty for none."""
    file: str = "svc/app.py"
    alias: Alias | None = NONE
    breaking: bool = True
    repo: str = REPO


def net(
    finding: tuple[str, str, str, str | None, str | None], alias: Alias | None = NONE, breaking: bool = True
) -> Net:
    kind, path, symbol, before, after = finding
    return Net(Finding("abc/1", kind, path, 7, symbol, before, after, breaking, alias), ("a" * 40,), "v0.15.0")


def uses_of(file: str, code: str) -> Uses:
    return Uses("/", tuple(uses(file, code, WANTED)), 1, code.count("\n"))


def hits_of(row: Row) -> tuple[Hit, ...]:
    return join(uses_of(row.file, row.code), {row.repo: [net(row.finding, row.alias, row.breaking)]})
