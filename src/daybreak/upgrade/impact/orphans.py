"""Names that both ends of a range know to be gone, though no finding names them: told by what emptied their module.

A module may end because each of its names went elsewhere, one finding for each; whoever imports the module itself, or a
name that came along unnamed, meets all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence

from daybreak.core.model.upgrade import Net, Use
from daybreak.upgrade.impact.base import Item, Judged
from daybreak.upgrade.impact.modules import Asked
from daybreak.upgrade.impact.names import address
from daybreak.upgrade.impact.python import is_whole

_KINDS = frozenset({"import", "patch"})
_Module = tuple[str, ...]


def orphans(
    uses: Sequence[Use], nets: Mapping[str, Sequence[Net]], asked: Asked, told: Container[tuple[str, int, str]]
) -> Iterator[tuple[Use, Item, Judged]]:
    """Imports that worked at the start and fail at the end; `told` holds the places that have their hit already."""
    if asked.end is None or asked.start is None:
        return
    emptied: dict[str, dict[_Module, list[Item]]] = {}
    for use in uses:
        parts = tuple(use.name.split("."))
        if use.kind not in _KINDS or len(parts) < 2 or (use.path, use.line, use.name) in told:
            continue
        if parts[0] not in emptied:
            emptied[parts[0]] = _emptied(nets, parts[0])
        item = _nearest(emptied[parts[0]], parts)
        if item and asked.standing(item, use.name) is False and asked.stood(item, use.name):
            yield use, item, Judged("certain", "reach", use.name)


def _emptied(nets: Mapping[str, Sequence[Net]], top: str) -> dict[_Module, list[Item]]:
    """Modules below a package → what left them."""
    found: dict[_Module, list[Item]] = defaultdict(list)
    for repo, every in nets.items():
        for net in every:
            where = address(net.finding) if is_whole(net.finding.kind) else None
            module = where.under(top) if where else None
            if where and module and len(where.symbol) < 2:
                found[module].append(Item(repo, net, where))
    return found


def _nearest(emptied: Mapping[_Module, Sequence[Item]], parts: Sequence[str]) -> Item | None:
    """What left the module of a name; a finding on the module as a whole before one on a name of it."""
    for size in range(len(parts), 1, -1):
        items = emptied.get(tuple(parts[:size]), ())
        if items:
            return min(items, key=lambda one: (bool(one.where.symbol), one.net.finding.path, one.net.finding.symbol))
    return None
