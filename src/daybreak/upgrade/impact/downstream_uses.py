"""What your code uses of the repositories that are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from daybreak.core.errors import UsageError
from daybreak.core.model.upgrade import Uses
from daybreak.core.versions import normalised
from daybreak.findings.kinds import kind_of
from daybreak.upgrade.impact.native import is_required
from daybreak.upgrade.impact.upstreams import Upstream


def refuse_unreadable(root: Path) -> None:
    """Raises for a path that is not there or no code, before anything is fetched for it."""
    from daybreak.core.wanted_names import Wanted
    from daybreak.upgrade.downstream.walk import read_uses

    if not root.exists():
        raise UsageError(f"There is no {root}.", "Name a folder or a file with your code.")
    if not root.is_dir():
        read_uses(root, Wanted())


def read_code(root: Path, upstreams: Sequence[Upstream], workers: int) -> tuple[Uses, dict[str, str]]:
    """What the code at a path uses of these repositories; and which distributions carry their version."""
    from daybreak.core.projects import wanted_for
    from daybreak.upgrade.downstream.walk import read_uses

    names = [upstream.repo.name for upstream in upstreams]
    wanted = wanted_for(names, {u.repo.name: u.project for u in upstreams if u.project})
    # What they depend on is looked for as well: your own pin may leave no version for both.
    needed = {
        normalised(net.finding.symbol): upstream.repo.name
        for upstream in upstreams
        for net in upstream.nets
        if is_required(kind_of(net.finding.kind))
    }
    wide = replace(wanted, projects={**needed, **wanted.projects})
    return read_uses(root, wide, workers), wanted.released
