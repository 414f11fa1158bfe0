"""Your file replaces a line in the source of upstream, as text: it stood there at the start, and does not at the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from daybreak.core.model.upgrade import Net, Use
from daybreak.upgrade.impact.base import UNREAD, Address, Item, Judged
from daybreak.upgrade.impact.surface import Surface
from daybreak.upgrade.impact.tree_names import gone_finding
from daybreak.upgrade.impact.trees import Told, Trees

_MOST = 40
"""Sources that a file of yours may be about."""
_Both = tuple[str, str, str, str | None]
"""Repository, path, and the text at both ends."""


def lost_texts(uses: Sequence[Use], trees: Trees) -> Iterator[Told]:
    """Lines of sources that you import from or name by their path, held against both ends."""
    lines: dict[str, list[Use]] = defaultdict(list)
    imports: dict[str, dict[str, None]] = defaultdict(dict)
    for use in uses:
        if use.kind == "text":
            lines[use.path].append(use)
        elif use.kind == "import":
            imports[use.path][use.name] = None
    for path, asked in lines.items():
        sources = list(_sources(imports[path], asked[0].keywords, trees))
        for use in asked:
            for repo, where, was, now in sources:
                lost = use.name in was and now is not None and use.name not in now
                if lost or (now is None and where.endswith(f"/{use.name}")):
                    finding = gone_finding("attribute", "removed", where, use.name)
                    yield use, Item(repo, Net(finding, ()), Address((), ())), Judged("likely", "patch", use.name)
                    break


def _sources(names: Iterable[str], paths: Iterable[str], trees: Trees) -> Iterator[_Both]:
    found: dict[tuple[str, str], tuple[Surface, Surface]] = {}
    tops = {}
    for name in names:
        pair = trees.of(name)
        trail = pair[0].reach(name).trail if pair else ()
        for thing in trail[-1:] if pair else ():
            if thing is not None and thing.path.endswith(".py") and thing.sort != "foreign" and pair:
                found[pair[0].repo, thing.path] = pair
        if pair:
            tops[name.partition(".")[0]] = pair
    for top, pair in tops.items():
        for root in pair[0].modules.roots(pair[0].repo):
            for path in paths:
                found |= {(pair[0].repo, f"{root}{where}"): pair for where in (path, f"{top}/{path}")}
    for (repo, path), (start, end) in [*found.items()][:_MOST]:
        was, now = start.modules.text(repo, path), end.modules.text(repo, path)
        if was is not None and UNREAD not in (was, now) and was != now:
            yield repo, path, was, now
