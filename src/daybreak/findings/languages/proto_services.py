"""Services of gRPC that proto files declare, and their methods: whoever calls one that went gets UNIMPLEMENTED.

Files are taken together: a service that stands in another file now is called as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, ReadFile
from daybreak.findings.languages.text_surface import met_by_users

_Placed = tuple[ReadFile, Row]


def services(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    """Services that went, came or are called otherwise, and methods of those that stayed."""
    old = {row.name: (pair.file, row) for pair in pairs for row in pair.old.of("service")}
    new = {row.name: (pair.file, row) for pair in pairs for row in pair.new.of("service")}
    lost, come = ([one[name] for name in one if name not in other] for one, other in ((old, new), (new, old)))
    names = {was.name: file_now for _, was in lost if (file_now := _under_new_name(was, come)) is not None}
    for file, was in lost:
        if was.name in names:
            place, now = names[was.name]
            yield Fact(
                "service_renamed", place.path, now.line, was.name, was.name, now.name, met_by_users(file), Alias("none")
            )
        else:
            yield Fact(
                "service_removed", file.path, was.line, was.name, was.name, None, met_by_users(file), Alias("none")
            )
    taken = {now.name for _, now in names.values()}
    yield from (Fact("service_added", f.path, r.line, r.name, None, r.name) for f, r in come if r.name not in taken)
    same = [(old[name][1], *new[name]) for name in old if name in new]
    for was, file, now in (*same, *((old[name][1], *names[name]) for name in names)):
        yield from _methods(file, was, now)


def _under_new_name(was: Row, come: Sequence[_Placed]) -> _Placed | None:
    """The one that came with most of its methods."""
    alike = [one for one in come if 2 * len(was.details.keys() & one[1].details.keys()) > len(was.details)]
    return alike[0] if len(alike) == 1 else None


def _methods(file: ReadFile, was: Row, now: Row) -> Iterator[Fact]:
    for name in was.details.keys() - now.details.keys():
        symbol = f"{now.name}.{name}"
        yield Fact("rpc_removed", file.path, now.line, symbol, name, None, met_by_users(file), Alias("none"))
    for name in now.details.keys() - was.details.keys():
        yield Fact("rpc_added", file.path, now.line, f"{now.name}.{name}", None, name)
