"""What your code uses of the repositories that are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from daybreak.analyse.impact_native import REQUIRED
from daybreak.analyse.versions import normalised
from daybreak.errors import UsageError
from daybreak.impacts.upstreams import Upstream
from daybreak.upgrade import Uses


def refuse_unreadable(root: Path) -> None:
    """Raises for a path that is not there or no code, before anything is fetched for it."""
    from daybreak.uses.interface import Wanted
    from daybreak.uses.walk import read_uses

    if not root.exists():
        raise UsageError(f"There is no {root}.", "Name a folder or a file with your code.")
    if not root.is_dir():
        read_uses(root, Wanted())


def read_code(root: Path, upstreams: Sequence[Upstream], workers: int) -> tuple[Uses, dict[str, str]]:
    """What the code at a path uses of these repositories; and which distributions carry their version."""
    from daybreak.uses.projects import wanted_for
    from daybreak.uses.walk import read_uses

    names = [upstream.repo.name for upstream in upstreams]
    wanted = wanted_for(names, {u.repo.name: u.project for u in upstreams if u.project})
    # What they depend on is looked for as well: your own pin may leave no version for both.
    needed = {
        normalised(net.finding.symbol): upstream.repo.name
        for upstream in upstreams
        for net in upstream.nets
        if net.finding.kind in REQUIRED
    }
    wide = replace(wanted, projects={**needed, **wanted.projects})
    return read_uses(root, wide, workers), wanted.released
