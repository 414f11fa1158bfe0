"""Findings and histories for the tests of netting."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.upgrade import Net

NONE, KEPT = Alias("none"), Alias("kept", "pkg/old.py")
Steps = list[tuple[str, Finding]]


def found(kind: str, symbol: str, before: str | None = None, after: str | None = None, **more: Any) -> Finding:
    return Finding("0/0", kind, more.pop("path", "pkg/mod.py"), more.pop("line", 1), symbol, before, after, **more)


def history(*findings: Finding) -> Steps:
    """One commit for each finding, oldest first."""
    return [(f"c{at}", replace(finding, id=f"c{at}/0", line=at)) for at, finding in enumerate(findings, 1)]


def seen(nets: tuple[Net, ...]) -> list[tuple[str, str, str | None, str | None]]:
    return [(n.finding.kind, n.finding.symbol, n.finding.before, n.finding.after) for n in nets]


def facts(nets: tuple[Net, ...]) -> list[tuple[Any, ...]]:
    """What nets say, without which changes did it."""
    return [
        (*seen((n,))[0], n.finding.breaking, n.finding.alias, n.finding.effective, tuple(facts(n.under))) for n in nets
    ]
