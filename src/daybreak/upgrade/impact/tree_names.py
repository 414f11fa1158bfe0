"""Words and places of what a chain of names led to at one end and leads to at the other."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.upgrade import Use
from daybreak.findings.kinds import Verb, named
from daybreak.upgrade.impact.chains import Reached, Thing
from daybreak.upgrade.impact.source import Signature
from daybreak.upgrade.impact.surface import Surface
from daybreak.upgrade.impact.table import ARGUMENTS

_MOST_SETTINGS = 20


def gone_finding(family: str, change: Verb, path: str, symbol: str) -> Finding:
    return Finding("", named(family, change), path, 1, symbol, breaking=True, alias=Alias("none"))


def kept_name(end: Surface, known: Sequence[str]) -> tuple[str, int, str] | None:
    """The module that keeps a name of a chain with a warning, the name's place in the chain, and the warning."""
    for size in range(1, len(known)):
        module = end.reach(joined_steps(known[:size])).thing
        found = end.modules.source(end.repo, module.path) if module is not None and module.sort == "module" else None
        if module is not None and found is not None and known[size] not in found.names and known[size] in found.aliases:
            return module.path, size, found.aliases[known[size]]
    return None


def lost_name(pair: tuple[Surface, Surface], owner: Thing, trail: Sequence[Thing | None], step: str) -> Finding:
    """What went: the module, a name of it, or only the name under which a module handed something on."""
    module = next((x for x in trail if x is not None and x.sort == "module" and x.path), None)
    if module is not None:
        return gone_finding("module", "removed", module.path, pair[0].dotted(module))
    thing = trail[0]
    if thing is None or thing.sort not in ("class", "function"):
        return gone_finding("attribute", "removed", owner.path, step)
    if thing.path != owner.path and len(thing.symbol) == 1 and pair[1].named(thing.path, thing.symbol[0]) == thing:
        return gone_finding("export", "removed", owner.path, f"{pair[0].dotted(owner)}.{step}")
    return gone_finding(thing.sort, "removed", thing.path, ".".join(thing.symbol))


def joined_steps(steps: Sequence[str]) -> str:
    text = ""
    for step in steps:
        text += step if step[0] in "([" or not text else f".{step}"
    return text


def homes(paths: Sequence[str], name: str, lost: tuple[Surface, Surface, Thing | None] | None) -> tuple[str, ...]:
    """Files that define what a lost name stood for: a value of its name is no class, and what another file had by that name
    all the time is another thing; whoever had it may have it still.
    """
    if lost is None:  # nothing that went, but what its own words name in its place
        return tuple(paths)
    start, end, was = lost
    if was is None:  # a value, such as the name of a type
        before = {path: start.modules.source(start.repo, path) for path in paths}
        return tuple(
            path for path, had in before.items() if had is None or not (name in had.tops or name in had.values)
        )
    found: dict[str, None] = {}
    for path in paths:
        thing = end.named(path, name)
        if thing is not None and thing.sort in ("class", "function") and start.named(path, name) in (None, was):
            found[thing.path if thing.symbol == (name,) else path] = None
    return (was.path,) if was.path in found else tuple(found)


def written_out(use: Use, steps: Sequence[str]) -> bool:
    """The line has the place itself, from the package on (`"pkg.old.place:Name"`): no import is repaired for it."""
    return ".".join(steps) in use.text.replace(":", ".")


def full_name(tree: Surface, found: Reached, steps: Sequence[str]) -> str:
    """The full name of what a chain leads to, where it is defined; empty when that cannot be said."""
    thing, owner = found.thing, found.owner
    last = steps[found.steps - 1] if found.steps else ""
    if owner is not None and owner.sort in ("class", "object") and last.isidentifier():
        place = tree.member(owner, last)
        return f"{tree.dotted(place.owner)}.{last}" if place else ""
    if thing is not None and thing.sort in ("class", "function"):
        return tree.dotted(thing)
    return ""


def differ(was: Thing, now: Thing) -> bool:
    if was.sort != now.sort:
        return True
    if was.sort == "object":
        return was.symbol[-1:] != now.symbol[-1:]
    return False


def type_said(thing: Thing) -> str:
    if thing.sort == "foreign":
        return thing.path.removesuffix("()")
    if thing.sort in ("many", "tuple"):
        return next(iter(thing.symbol), "list") if thing.sort == "many" else "tuple"
    return ".".join(thing.symbol)


def shifted(then: Signature, later: Signature, places: int) -> str:
    """The parameter that makes an argument by position land elsewhere; one that only has another name does not."""
    was, now = then.places[:places], later.places[:places]
    if then.others and not then.places:
        return ""
    for at, name in enumerate(was):
        if at >= len(now):
            return name
        if now[at] != name and (name in later.places or now[at] in then.places):
            return name
    return ""


def arguments_of(tree: Surface, path: str) -> set[str]:
    """Files of settings that a file imports, and those that they import."""
    found: set[str] = set()
    waiting = [path]
    while waiting and len(found) < _MOST_SETTINGS:
        one = waiting.pop()
        source = tree.modules.source(tree.repo, one)
        for module, name in (*source.origins.values(), *source.hints.values()) if source is not None else ():
            for dotted in (module, f"{module.rstrip('.')}.{name}" if module.strip(".") else f"{module}{name}"):
                file = tree.modules.reached(tree.repo, one, dotted)
                if file is not None and file not in found and ARGUMENTS.search(file):
                    found.add(file)
                    waiting.append(file)
    return found
