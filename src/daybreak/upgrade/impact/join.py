"""Joins what your code uses with what changed upstream: which nets touch which uses, and how surely.

Nets are looked up by the names users type, so the work grows with the uses and not with uses times nets. A use that
several nets meet through the same name is told once, by the surest of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Hit, Net, Use, Uses
from daybreak.core.versions import exact, holds, normalised
from daybreak.core.words import say, term
from daybreak.core.words.grammar import sentence
from daybreak.findings.kinds import ANOTHER_NAME, Kind, kind_of
from daybreak.judge import phrases
from daybreak.upgrade.impact import native, python, server, settings
from daybreak.upgrade.impact.base import Address, Item, Judged, Yours, address, meets, settled
from daybreak.upgrade.impact.python import is_whole
from daybreak.upgrade.impact.table import FORWARDS, Asked, Ends, Table, items_of

# --- Names that both ends of a range know to be gone, though no finding names them: told by what emptied their module ---
# A module may end because each of its names went elsewhere, one finding for each; whoever imports the module itself, or a
# name that came along unnamed, meets all of them.


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


# --- The sentences of a hit: what you use and what became of it, and what to write instead ---


def why(judged: Judged, net: Net) -> Text:
    """What you use, and what upstream did to it."""
    use = term("upgrade.use", judged.role, what=judged.what, part=judged.part)
    return say("upgrade.hit.why", use=use, upstream=_upstream(net.finding))


def action(judged: Judged, net: Net) -> Text:
    """What to write instead."""
    finding, kind = net.finding, kind_of(net.finding.kind)
    if judged.role == "reach":
        return say("upgrade.hit.outdated")
    mine = judged.role == "override" or (judged.role == "patch" and judged.certainty != "certain")
    own = judged.role in ("implement", "place") or (mine and not _words_renames(finding))
    if own:
        return term("upgrade.use_action", judged.role, part=judged.part)
    if kind.means("cli_flag", "deprecated") and finding.after:
        return say("upgrade.hit.instead", new=finding.after)
    if judged.role == "pass" and kind.family in ("field", "cli_flag") and kind.change == "removed":
        return say("upgrade.hit.drop", part=judged.part)
    how = phrases.remedy((finding,))
    if how is None:
        return say("upgrade.hit.look") if judged.certainty == "look" else say("upgrade.hit.outdated")
    return sentence(how)


def _words_renames(finding: Finding) -> bool:
    return kind_of(finding.kind).change in ANOTHER_NAME and bool(finding.after)


def _upstream(finding: Finding) -> Text:
    found = phrases.what((finding,), 1)
    return found[0].text if found else say("upgrade.hit.changed", name=finding.symbol, path=finding.path)


RANK: dict[str, int] = {"certain": 0, "likely": 1, "look": 2}
_Met = tuple[Use, Item, Judged]


class Pin(Struct, frozen=True):
    """The version you run of a repository's project, and where that is written."""

    version: str
    at: str


def join(
    uses: Uses,
    nets: Mapping[str, Sequence[Net]],
    projects: Mapping[str, str] | None = None,
    *,
    window: bool = False,
    ends: Ends | None = None,
) -> tuple[Hit, ...]:
    """Every net that touches a use, surest first, then by place.

    `nets` is by repository name; `projects` maps distributions to repository names, for pins. With `window`, what the
    version you run already holds is no news; a range decides that itself. With `ends`, a name that the module you
    import it from still offers at the end is left alone, and calls are held against the parameters of the end.
    """
    yours = Yours.of(uses.uses)
    pins = _pins(uses.uses, nets, projects or {})
    asked = Asked(ends)
    hits: dict[tuple[object, ...], Hit] = {}
    for use, item, judged in _with_orphans(_met(uses.uses, nets, yours, asked), uses.uses, nets, asked):
        whole = python.is_whole(item.net.finding.kind) and judged.role in ("use", "patch")
        stands = asked.standing(item, use.name) if whole else None
        gone = stands is False
        star = gone and (item.net.finding.before or "").endswith(".*")
        surest = judged._replace(certainty="certain") if star else judged
        final = settled(surest, use, item.net, alias=not gone)
        pin = pins.get(item.repo)
        if stands or final is None or (window and pin and holds(item.net.since, pin.version)):
            continue
        if use.guarded and item.net.finding.after and yours.tries(use, item.net.finding.after):
            continue
        hit = _hit(use, item, final, pin, gone)
        key = _told_once(use, item, final)
        if key not in hits or _order(hit) < _order(hits[key]):
            hits[key] = hit
    return tuple(sorted(_without_followers(hits.values()), key=_order))


def fingerprint(repo: str, finding: Finding) -> str:
    """A short name that stays the same from run to run: `DB-3f9a2c71`."""
    parts = (repo, finding.kind, finding.symbol, finding.before or "", finding.after or "")
    text = "\0".join(f"{len(part)}:{part}" for part in parts)
    return f"DB-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


# --- looking up ----------------------------------------------------------------------------------------------------


def _met(uses: Sequence[Use], nets: Mapping[str, Sequence[Net]], yours: Yours, asked: Asked) -> Iterator[_Met]:
    table = Table.of(nets, asked)
    went = _went(table.by_name)
    for use in uses:
        if use.kind == "subclass" and yours.indirect(use):
            continue  # the class of yours in between is told
        if use.kind in python.USES:
            yield from _python(use, _called(use), table, yours)
            for name in _later_names(_called(use), went):
                # What changed after the move is told under the new name.
                later = _python(use, name, table, yours)
                yield from (met for met in later if not python.is_whole(met[1].net.finding.kind))
            continue
        for part in (settings, server, native):
            if use.kind in part.USES:
                for item in table.found(part.looked_up(use)):
                    judged = part.judge(use, item)
                    if judged is not None:
                        yield use, item, judged
    yield from settings.defaults(uses, items_of(nets, settings.is_default, asked))
    yield from server.defaults(uses, items_of(nets, server.is_default, asked))


def _with_orphans(
    met: Iterable[_Met], uses: Sequence[Use], nets: Mapping[str, Sequence[Net]], asked: Asked
) -> Iterator[_Met]:
    told: set[tuple[str, int, str]] = set()
    for one in met:
        told.add((one[0].path, one[0].line, one[0].name))
        yield one
    yield from orphans(uses, nets, asked, told)


def _python(
    use: Use,
    name: tuple[str, ...],
    table: Table,
    yours: Yours,
) -> Iterator[_Met]:
    for item in table.found(f"python {part}" for part in dict.fromkeys(name)):
        judged = python.judge(use, name, item)
        if judged is not None:
            yield use, item, judged
    if use.kind == "call" and name[-1] in FORWARDS and len(name) > 1:
        short = (name[0], name[-1])
        for item in table.found([f"forwarded {name[-1]}"]):
            judged = python.judge(use, short, item)
            if judged is not None:
                yield use, item, judged
    for item in table.found([f"base {name[-1]}"]) if use.kind == "subclass" else ():
        judged = python.judge_subclass(use, name, item, yours)
        if judged is not None:
            yield use, item, judged


def _called(use: Use) -> tuple[str, ...]:
    """The dotted parts of a use's name; a constructor is its class."""
    parts = tuple(use.name.split("."))
    return parts[:-1] if len(parts) > 1 and parts[-1] in ("__init__", "__new__") and use.kind != "override" else parts


def _renames(kind: Kind) -> bool:
    return kind.family in ("class", "function") and kind.change in ANOTHER_NAME


def _went(table: Mapping[str, Sequence[Item]]) -> dict[str, list[tuple[Address, tuple[str, ...]]]]:
    """Last part of an old name → where it was, and the parts of the name it has now; a short name stays in its module."""
    out: dict[str, list[tuple[Address, tuple[str, ...]]]] = defaultdict(list)
    for items in table.values():
        for item in items:
            finding = item.net.finding
            if _renames(kind_of(finding.kind)) and item.where.symbol and finding.after and item.where.parameter is None:
                out[item.where.last].append((item.where, tuple(finding.after.split("."))))
    return out


def _later_names(
    name: tuple[str, ...], went: Mapping[str, Sequence[tuple[Address, tuple[str, ...]]]]
) -> Iterator[tuple[str, ...]]:
    for number, part in enumerate(name):
        for where, now in went.get(part, ()):
            met = meets(name[: number + 1], where)
            module = where.under(name[0])
            if met is None or module is None:
                continue
            yield (*(() if now[0] == name[0] else module), *now, *name[number + 1 :])


# --- hits ----------------------------------------------------------------------------------------------------------


def _hit(use: Use, item: Item, judged: Judged, pin: Pin | None, gone: bool) -> Hit:
    """`gone`: an alias that a change left is no longer there at the end, so the words must not promise it."""
    net = item.net
    told = replace(net, finding=replace(net.finding, alias=Alias("none"))) if gone else net
    version, place = (pin.version, pin.at) if pin else (None, None)
    said, todo = why(judged, told), action(judged, told)
    return Hit(judged.certainty, use, item.repo, net, said, todo, version, place)


def _told_once(use: Use, item: Item, judged: Judged) -> tuple[object, ...]:
    """Hits that say the same of the same place: a name that is gone, a method you override, a parameter, a setting."""
    place = (use.path, use.line, item.repo)
    kind = item.net.finding.kind
    if python.is_whole(kind) and judged.role in ("use", "patch", "reach"):
        return (*place, "gone", use.name)
    if judged.role in ("override", "place"):
        return (*place, judged.role, judged.what)
    if judged.part or judged.role in ("set", "send"):
        return (*place, judged.role, judged.what, judged.part)
    return (*place, judged.role, judged.what, kind_of(kind).family)


def _without_followers(hits: Iterable[Hit]) -> Iterator[Hit]:
    """A name that is gone is told where the file imports it, as a type checker does, not again at every use."""
    kept = sorted(hits, key=lambda hit: (*_order(hit)[:3], len(hit.use.name)))
    told = {
        (hit.use.path, hit.use.name)
        for hit in kept
        if hit.use.kind == "import" and python.is_whole(hit.net.finding.kind)
    }
    lines: set[tuple[object, ...]] = set()
    for hit in kept:
        place = (hit.use.path, hit.use.line, hit.repo, hit.net.finding.id, hit.net.finding.kind, hit.net.finding.symbol)
        follows = python.is_whole(hit.net.finding.kind) and hit.use.kind in ("attribute", "call", "subclass")
        if follows and (place in lines or _imported(hit.use, told)):
            continue
        lines.add(place)
        yield hit


def _imported(use: Use, told: Container[tuple[str, str]]) -> bool:
    """The import of the name is told and the use relies on that import; one written out behind a module does not."""
    parts = use.name.split(".")
    heads = [size for size in range(1, len(parts) + 1) if (use.path, ".".join(parts[:size])) in told]
    return any(
        size < 2 or not re.search(rf"\b{re.escape(parts[size - 2])}\s?\.\s?{re.escape(parts[size - 1])}\b", use.text)
        for size in heads
    )


def _order(hit: Hit) -> tuple[object, ...]:
    finding = hit.net.finding
    return (
        RANK[hit.certainty], hit.use.path, hit.use.line, hit.use.name, not finding.after, -finding.symbol.count("."),
        finding.kind, finding.symbol, finding.path, finding.line, hit.repo,
    )  # fmt: skip


# --- pins ----------------------------------------------------------------------------------------------------------


def _pins(uses: Iterable[Use], nets: Mapping[str, Sequence[Net]], projects: Mapping[str, str]) -> dict[str, Pin]:
    """Repository → the version that an exact requirement says you run; the first one in the order of files wins."""
    short = {normalised(repo.rpartition("/")[2]): repo for repo in nets}
    found: dict[str, Pin] = {}
    for use in uses:
        if use.kind == "pin":
            name = normalised(use.name)
            repo = projects.get(name) or short.get(name)
            version = exact(use.value or "")
            if repo and version and repo not in found:
                found[repo] = Pin(version, f"{use.path}:{use.line}")
    return found
