"""Nets under the names users type: what a use is looked up in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from daybreak.core.model.upgrade import Net
from daybreak.findings.kinds import Kind, kind_of
from daybreak.upgrade.impact import native, python, server, settings
from daybreak.upgrade.impact.base import Item
from daybreak.upgrade.impact.modules import Asked, Modules
from daybreak.upgrade.impact.names import Address, address, package_of, path_parts

FORWARDS = {"LLM": "EngineArgs", "AsyncEngineArgs": "EngineArgs", "Engine": "ServerArgs"}
"""Entry classes that hand their keywords on to the class of the command line's arguments."""
_NOWHERE = Address((), ())
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
        kind = kind_of(item.net.finding.kind)
        if kind.means("module", "moved") and len(item.where.module) > 2:
            self.by_name[f"python {item.where.module[-2]}"].append(item)
        if kind.means("extension_method", "added") and len(item.where.symbol) > 1:
            self.by_name[f"base {item.where.symbol[-2]}"].append(item)
        for entry, owner in FORWARDS.items():
            if item.where.symbol == (owner,) and item.where.parameter:
                self.by_name[f"forwarded {entry}"].append(_forwarded(item, entry, item.where.parameter))

    def _put(self, item: Item, end: Modules | None) -> None:
        finding = item.net.finding
        kind = kind_of(finding.kind)
        for part in (settings, server, native):
            for key in part.keys(item) if part.concerns(kind) else ():
                self.by_name[key].append(item)
        if kind.means("cli_flag", "removed", "renamed") and _ARGUMENTS.search(finding.path):
            keyword = settings.plain(finding.symbol).replace("-", "_")
            for entry in FORWARDS:
                self.by_name[f"forwarded {entry}"].append(_forwarded(item, entry, keyword))
            for one in _fields(item, keyword, end):
                self.by_name[f"python {one.where.last}"].append(one)


def items_of(nets: Mapping[str, Sequence[Net]], wanted: Callable[[Kind], bool], asked: Asked) -> list[Item]:
    """Nets of some kinds, in their order."""
    return [
        Item(repo, net, _NOWHERE, known=asked.known(repo))
        for repo, found in nets.items()
        for net in found
        if wanted(kind_of(net.finding.kind))
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
        if net.names and python.is_whole(net.finding.kind) and where.symbol:
            parts = tuple(net.names[0].split("."))
            size = len(where.symbol)
            if len(parts) > size and parts[-size:] == where.symbol and all(map(str.isidentifier, parts)):
                yield net, Address(parts[:-size], where.symbol, where.parameter, dotted=True)


def _is_field(kind: Kind) -> bool:
    """Whether it is about something that has a class, and with which the class is built."""
    built = kind.means("field", "removed", "renamed", "required_added", "default_changed")
    return built or kind.means("message_field", "removed") or kind.means("literal", "narrowed")


def _python_items(repo: str, nets: Sequence[Net], modules: Modules | None) -> Iterator[Item]:
    wanted = [net for net in nets if python.concerns(kind_of(net.finding.kind))]
    placed = [(net, where) for net in wanted if (where := address(net.finding))]
    places: dict[tuple[str, ...], set[str]] = defaultdict(set)
    kinds: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for net, where in placed:
        places[where.symbol].add(net.finding.path)
        kinds[net.finding.path, where.symbol].add(net.finding.kind)
    for net, where in [*placed, *_first_names(placed)]:
        finding, kind = net.finding, kind_of(net.finding.kind)
        known = kind.means("module", "moved") and modules is not None
        item = Item(
            repo,
            net,
            where,
            lone=len(places[where.symbol]) == 1,
            beside=frozenset(kinds[finding.path, where.symbol]),
            holds=partial(modules.offers, repo, finding.path) if known and modules else None,
        )
        yield item
        if _is_field(kind) and len(where.symbol) > 1:
            # A field is also the keyword with which its class is built.
            owner = Address(where.module, where.symbol[:-1], where.symbol[-1], where.dotted)
            yield replace(item, where=owner)
