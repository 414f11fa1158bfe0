"""Nets under the names users type: what a use is looked up in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from daybreak.core.model.upgrade import Net
from daybreak.upgrade.impact import native, python, server, settings
from daybreak.upgrade.impact.base import Item
from daybreak.upgrade.impact.modules import Asked, Modules
from daybreak.upgrade.impact.names import Address, address, package_of, path_parts

FORWARDS = {"LLM": "EngineArgs", "AsyncEngineArgs": "EngineArgs", "Engine": "ServerArgs"}
"""Entry classes that hand their keywords on to the class of the command line's arguments."""
_NOWHERE = Address((), ())
_FIELDS = frozenset(
    {
        "field_removed", "field_renamed", "field_required_added", "field_default_changed", "literal_narrowed",
        "message_field_removed",
    }
)  # fmt: skip
_FLAGS = frozenset({"cli_flag_removed", "cli_flag_renamed"})
_ARGUMENTS = re.compile(r"(?:^|/)(?:\w{0,40}_)?arg(?:ument)?s?(?:_utils)?\.py$")
"""Files in which the entry classes' keywords are the flags."""


@dataclass(slots=True)
class Table:
    """Items by key: the kind of name, a space, and the name."""

    by_name: dict[str, list[Item]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, nets: Mapping[str, Sequence[Net]], asked: Asked) -> Table:
        """All nets; where the end can be asked, moved modules know which names went there."""
        table = cls()
        for repo, found in nets.items():
            known = asked.known(repo)
            for item in _python_items(repo, found, asked.end):
                table._put_python(replace(item, known=known))
            for net in found:
                table._put(Item(repo, net, _NOWHERE, known=known), asked.end)
        return table

    def found(self, keys: Iterable[str]) -> Iterator[Item]:
        """Items under any of the keys, each once."""
        seen: set[int] = set()
        for key in keys:
            for item in self.by_name.get(key, ()):
                if id(item) not in seen:
                    seen.add(id(item))
                    yield item

    def _put_python(self, item: Item) -> None:
        self.by_name[f"python {item.where.last}"].append(item)
        if item.net.finding.kind == "module_moved" and len(item.where.module) > 2:
            self.by_name[f"python {item.where.module[-2]}"].append(item)
        if item.net.finding.kind == "extension_method_added" and len(item.where.symbol) > 1:
            self.by_name[f"base {item.where.symbol[-2]}"].append(item)
        for entry, owner in FORWARDS.items():
            if item.where.symbol == (owner,) and item.where.parameter:
                self.by_name[f"forwarded {entry}"].append(_forwarded(item, entry, item.where.parameter))

    def _put(self, item: Item, end: Modules | None) -> None:
        finding = item.net.finding
        for part in (settings, server, native):
            for key in part.keys(item) if finding.kind in part.KINDS else ():
                self.by_name[key].append(item)
        if finding.kind in _FLAGS and _ARGUMENTS.search(finding.path):
            keyword = settings.plain(finding.symbol).replace("-", "_")
            for entry in FORWARDS:
                self.by_name[f"forwarded {entry}"].append(_forwarded(item, entry, keyword))
            for one in _fields(item, keyword, end):
                self.by_name[f"python {one.where.last}"].append(one)


def items_of(nets: Mapping[str, Sequence[Net]], kinds: frozenset[str], asked: Asked) -> list[Item]:
    """Nets of some kinds, in their order."""
    return [
        Item(repo, net, _NOWHERE, known=asked.known(repo))
        for repo, found in nets.items()
        for net in found
        if net.finding.kind in kinds
    ]


def _fields(item: Item, keyword: str, end: Modules | None) -> Iterator[Item]:
    """The field that a flag fills, as an attribute and as a keyword of its class."""
    path = item.net.finding.path
    found = end.classes(item.repo, path) if end else ()
    for name in [one for one in found if settings.ARGUMENTS_CLASS.fullmatch(one)] or {*FORWARDS.values()}:
        if end is None or not end.has_member(item, name, keyword):
            yield replace(item, where=Address(path_parts(path), (name, keyword)))
            yield replace(item, where=Address(path_parts(path), (name,), keyword))


def _forwarded(item: Item, entry: str, keyword: str) -> Item:
    top = package_of(item.net.finding.path)
    return replace(item, where=Address((top,), (entry,), keyword, dotted=True))


def _first_names(placed: Sequence[tuple[Net, Address]]) -> Iterator[tuple[Net, Address]]:
    """What moved or was renamed before it went is typed by its first name."""
    for net, where in placed:
        if net.names and net.finding.kind in python.WHOLE and where.symbol:
            parts = tuple(net.names[0].split("."))
            size = len(where.symbol)
            if len(parts) > size and parts[-size:] == where.symbol and all(map(str.isidentifier, parts)):
                yield net, Address(parts[:-size], where.symbol, where.parameter, dotted=True)


def _python_items(repo: str, nets: Sequence[Net], modules: Modules | None) -> Iterator[Item]:
    wanted = [net for net in nets if net.finding.kind in python.KINDS]
    placed = [(net, where) for net in wanted if (where := address(net.finding))]
    places: dict[tuple[str, ...], set[str]] = defaultdict(set)
    kinds: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for net, where in placed:
        places[where.symbol].add(net.finding.path)
        kinds[net.finding.path, where.symbol].add(net.finding.kind)
    for net, where in [*placed, *_first_names(placed)]:
        finding = net.finding
        known = finding.kind == "module_moved" and modules is not None
        item = Item(
            repo,
            net,
            where,
            lone=len(places[where.symbol]) == 1,
            beside=frozenset(kinds[finding.path, where.symbol]),
            holds=partial(modules.offers, repo, finding.path) if known and modules else None,
        )
        yield item
        if finding.kind in _FIELDS and len(where.symbol) > 1:
            # A field is also the keyword with which its class is built.
            owner = Address(where.module, where.symbol[:-1], where.symbol[-1], where.dotted)
            yield replace(item, where=owner)
