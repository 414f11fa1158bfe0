"""Python modules that went together: names of one module as one finding, and modules of one package as one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from itertools import takewhile

from msgspec import Struct

from daybreak.core.model.findings import Alias
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact

NONE = Alias("none")
MASS = 3
"""Names of a module, or modules of a package, that are told as one."""


class Mass(Struct, frozen=True):
    """Names that went together from one module to another."""

    old: str
    new: str
    count: int
    path: str
    breaking: bool
    alias: Alias | None


def mass_moves(masses: list[Mass], left: Container[str]) -> Iterator[Fact]:
    """One finding a module; one for a package that was left, when three and more of its modules went the same way, and none
    another: `a.* → b.*` is no answer to who asks for what went to c, or stayed.
    """
    groups: dict[tuple[str, str, bool], list[Mass]] = defaultdict(list)
    for mass in masses:
        old, new = mass.old.split("."), mass.new.split(".")
        while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
            old.pop()
            new.pop()
        groups[".".join(old), ".".join(new), mass.breaking].append(mass)
    targets: dict[str, set[str]] = defaultdict(set)
    for old_root, new_root, _ in groups:
        targets[old_root].add(new_root)
    for (old_root, new_root, breaking), group in groups.items():
        if len(group) < MASS or len(targets[old_root]) > 1 or old_root not in left:
            for mass in group:
                symbol = f"{mass.old} ({mass.count} names)" if mass.count > 1 else mass.old
                yield Fact("module_moved", mass.path, 1, symbol, mass.old, mass.new, breaking, mass.alias)
            continue
        count = sum(mass.count for mass in group)
        shared = _shared([mass.old.removeprefix(f"{old_root}.").split(".")[:-1] for mass in group])
        came, went = (".".join((root, *shared)) for root in (old_root, new_root))
        symbol = f"{came}.* ({len(group)} modules, {count} names)"
        aliases = {mass.alias for mass in group}
        alias = aliases.pop() if len(aliases) == 1 else NONE
        yield Fact("module_moved", group[0].path, 1, symbol, f"{came}.*", f"{went}.*", breaking, alias)


def _shared(rests: list[list[str]]) -> list[str]:
    """Packages that all of the moved modules lie in below the folder that changed: `a.x.*` moved, not all of `a.*`."""
    return [parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, zip(*rests, strict=False))]


def first_alike(facts: Iterable[Fact]) -> Iterator[Fact]:
    """The facts, of one parameter that many functions inside took or lost alike the first few."""
    met: Counter[tuple[str, str]] = Counter()
    for fact in facts:
        if kind_of(fact.kind).family == "internal_parameter":
            name = fact.symbol.rpartition("(")[2]
            alike = (fact.kind, name) if name.endswith(")") else (fact.kind, f"{fact.before} → {fact.after}")
            met[alike] += 1
            if met[alike] > _ALIKE:
                continue
        yield fact


_ALIKE = 3
