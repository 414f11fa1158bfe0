"""Names that a module only imported and has no more: other files took them from there and must take them elsewhere now, and so must
whoever took them from outside.
"""

from __future__ import annotations

from collections.abc import Iterator

from daybreak.findings.blobs import Row
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_masses import NONE
from daybreak.findings.languages.python_modules import Module, absolute
from daybreak.findings.languages.python_moves import Moves
from daybreak.findings.languages.python_public import hidden, private
from daybreak.findings.paths import ships


def taken_elsewhere(moves: Moves) -> Iterator[Fact]:
    """One finding a name: who followed in the same commit shows that it was taken from there."""
    followed = {one for name, module in moves.before.items() for one in _left(module, moves.after.get(name))}
    for source, name in sorted(followed):
        was, now = moves.before.get(source), moves.after.get(source)
        row = was.surface.get(("import", name)) if was is not None else None
        if was is None or now is None or row is None or now.offers(name) or not _is_reached(was, name):
            continue
        home = absolute(row.details["from"], was)
        if home.partition(".")[0] == source.partition(".")[0] and not now.surface.of("star"):
            kind = "class_moved" if name[:1].isupper() else "function_moved"
            yield Fact(kind, now.path, row.line, name, f"{source}.{name}", f"{home}.{name}", False, NONE)


def _is_reached(module: Module, name: str) -> bool:
    package = module.path.endswith("__init__.py")  # what a package hands on is asked of it by itself
    return not (package or private(name) or hidden(module.path)) and ships(module.path)


def _left(was: Module, now: Module | None) -> Iterator[tuple[str, str]]:
    """Module and name of what a file took and takes from there no more, though it still knows the name."""
    if now is None or now.path != was.path:
        return
    for row in was.surface.of("import"):
        source, other = absolute(row.details["from"], was), now.surface.get(("import", row.name))
        if row.details["name"] == row.name and (other is None or _source(other, now) != source):
            yield source, row.name


def _source(row: Row, module: Module) -> str:
    return absolute(row.details["from"], module)
