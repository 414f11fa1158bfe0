"""Netting of findings over a range: chains of one thing, what undoes what, and what is left to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.upgrade import Net
from daybreak.findings.kinds import Kind, Verb, kind_of, named, surfaces
from daybreak.upgrade.range.net_slots import (
    NO_ALIAS,
    Name,
    Transition,
    changed,
    families,
    known,
    last_part,
    lost,
    paired,
    short,
    swapped,
    value_of,
    with_value,
)

# --- A chain: all that happened to one slot within a range, of which the two ends are kept ---


class Text(NamedTuple):
    """A text, and the symbol it was told under."""

    text: str
    symbol: str


@dataclass(slots=True)
class Chain:
    """All that happened to one slot, told by its ends."""

    family: str
    value: bool
    start: Name
    was: str | None
    end: Name
    now: str | None
    newest: Finding
    before: Text | None = None
    """Text of what stood at the start, as far as it was told, and the name it was told under."""
    after: Text | None = None
    breaking: bool = False
    alias: Alias | None = None
    commits: dict[str, None] = field(default_factory=dict)
    alone: bool = True
    """One finding and nothing else: it is told as it is."""

    @property
    def still(self) -> bool:
        return self.was == self.now and (self.value or self.was is None or self.start == self.end)

    def follow(self, step: Transition, commits: Iterable[str]) -> None:
        """One transition more."""
        self.alone = False
        finding = step.finding
        self.end, self.now, self.newest = step.end, step.now, finding
        before, after = _texts(step)
        self.before = before if self.before is None else self.before
        self.after = after if after is not None else self.after
        self.commits.update(dict.fromkeys(commits))
        if self.still:
            self.breaking, self.alias = False, None
            return
        breaks, alias = _said(step)
        if self.was is None and step.was is not None:
            return  # what is new breaks only by its coming
        self.breaking = breaks if self.was is None else self.breaking or breaks
        self.alias = alias if self.was is None else alias or self.alias


def opened(step: Transition, commits: tuple[str, ...]) -> Chain:
    """A chain of one transition."""
    breaks, alias = _said(step)
    return Chain(
        step.family, step.value, step.start, step.was, step.end, step.now, step.finding, *_texts(step),
        breaks, alias, dict.fromkeys(commits),
    )  # fmt: skip


def _texts(step: Transition) -> tuple[Text | None, Text | None]:
    """Texts of the thing itself; a rename shows nothing but names."""
    if step.holds:
        return None, None
    symbol, before, after = step.finding.symbol, step.finding.before, step.finding.after
    return Text(before, symbol) if before is not None else None, Text(after, symbol) if after is not None else None


def _said(step: Transition) -> tuple[bool, Alias | None]:
    """Whether it breaks, and what of the old name still works: said of the thing, not of the value that went with it."""
    return (False, None) if step.derived else (step.finding.breaking, step.finding.alias)


# --- A finding read backwards: what an upgrade in the other direction would tell of the same event ---
# What came went, what went came, before and after change places; the mirror image of the mirror image is the finding
# itself. Going back, what was new is missing: the mirror image of an addition breaks where readers would call the
# removal breaking, which is on every surface that users name in their own code. The image of a removal is an addition and
# breaks nobody; what the removal said of itself stays in its alias, so that nothing is lost.


_Said = tuple[bool, Alias | None]
_T_NONE, _T_NULL, _F_NONE, _F_NULL = ((b, a) for b in (True, False) for a in (NO_ALIAS, None))
_NAMED: dict[_Said, _Said] = {_T_NONE: _F_NULL, _T_NULL: _T_NULL, _F_NONE: _F_NONE, _F_NULL: _T_NONE}
"""What a removal says of breaking and alias -> what its mirror image, an addition, says."""
_TERSE: dict[_Said, _Said] = {_T_NONE: _F_NULL, _F_NULL: _F_NONE, _T_NULL: _T_NULL, _F_NONE: _T_NONE}
"""Readers give these an alias only when the removal breaks."""
_PARAMETER: dict[_Said, _Said] = {_T_NULL: _F_NULL, _F_NULL: _F_NONE, _T_NONE: _T_NULL, _F_NONE: _T_NONE}
"""Readers never give these an alias; a required one breaks when it comes."""
_QUIET: dict[_Said, _Said] = {_F_NULL: _F_NULL, _T_NONE: _F_NONE, _F_NONE: _T_NONE, _T_NULL: _T_NULL}
"""Their coming and going breaks nobody as a rule."""
_INNER: dict[_Said, _Said] = {_F_NONE: _F_NULL, _F_NULL: _F_NONE}
"""What is inside a project breaks nobody who does not use it, whether it comes or goes."""


def mirrored(finding: Finding) -> Finding:
    """The same event read backwards; id, path and line stay those of the change that did it."""
    found, kind = known(finding.kind), kind_of(finding.kind)
    if found is None or found[1] == "none":
        return finding
    family, verb = found
    turned = kind.mirror if "turns" in kind.traits and family != "literal" else kind.name
    back = replace(finding, kind=turned, before=finding.after, after=finding.before)
    if verb == "renamed" or family == "exception":
        return replace(back, symbol=_renamed(finding))
    if family in ("literal", "cli_choices"):
        return _choices(back, finding)
    whole = kind.change == "required_added" and None not in (finding.before, finding.after)
    if verb not in ("added", "removed") or family not in paired() or whole:
        return back
    table = _sayings(kind)
    if finding.inner:
        table = {} if family == "parameter" else _INNER
    if verb == "added":
        return _mirror_said(replace(back, kind=named(family, "removed")), table, False)
    return _mirror_said(replace(back, kind=added_kind(family, finding.before)), table, True)


def mirrored_net(net: Net) -> Net:
    """A net finding read backwards; its changes stay in the order in which they came."""
    names, under = net.names[::-1], tuple(mirrored_net(one) for one in net.under)
    return replace(net, finding=mirrored(net.finding), names=names, under=under)


_NEED_NOT_HAVE_A_VALUE = frozenset({"parameter", "field", "internal_field"})


def added_kind(family: str, text: str | None) -> str:
    """The kind of an addition: what has no default must be given."""
    required = (
        family in _NEED_NOT_HAVE_A_VALUE
        and text is not None
        and not value_of(family.removeprefix("internal_"), text, "added")
    )
    return named(family, "required_added" if required else "added")


def _sayings(kind: Kind) -> dict[_Said, _Said]:
    if kind.family == "parameter":
        return _PARAMETER
    return _QUIET if "nameless" in kind.traits else _TERSE if "within" in kind.traits else _NAMED


def _mirror_said(back: Finding, table: dict[_Said, _Said], was_removal: bool) -> Finding:
    said = (back.breaking, back.alias)
    pairs = table if was_removal else {addition: removal for removal, addition in table.items()}
    breaking, alias = pairs.get(said, said)
    return replace(back, breaking=breaking, alias=alias)


def _choices(back: Finding, finding: Finding) -> Finding:
    """Choices that only came or only went are mirrored like things; where both happened, both happen backwards."""
    fewer, more = lost(finding.before, finding.after), lost(finding.after, finding.before)
    if fewer == more:
        return back
    if kind_of(finding.kind).family == "literal":
        back = replace(back, kind=named("literal", "widened" if fewer else "narrowed"))
    return _mirror_said(back, _NAMED, fewer)


def _renamed(finding: Finding) -> str:
    before, after, symbol = finding.before or "", finding.after or "", finding.symbol
    kind = kind_of(finding.kind)
    if kind.family == "exception":
        return before or symbol
    if kind.means("module", "moved"):
        return after + symbol[len(before) :] if symbol.startswith(before) else symbol
    if before.endswith(f".{symbol}") and before != symbol and _is_defined(kind, "renamed"):
        return after.rpartition(".")[2]
    return symbol if _is_defined(kind, "moved") else swapped(symbol, before, after)


def _is_defined(kind: Kind, change: Verb) -> bool:
    """Whether a function or a class went through it."""
    return kind.family in ("function", "class") and kind.change == change


# --- Chains of slots told as findings again: the kind follows from the family and from what the two ends are ---
# What belongs to a thing that itself came or went says nothing more to a reader and goes under that thing's finding.


_HOLDERS = ("function", "class", "extension_method", "module")
_Slot = tuple[str, str]


def told(chains: Iterable[Chain]) -> tuple[Net, ...]:
    """One net finding a chain: breaking ones first, then by surface, name and path."""
    listed = list(chains)
    values = {(c.family, c.end.full): c for c in listed if c.value and c.family in changed()}
    nets: list[tuple[Chain, Net]] = []
    for chain in listed:
        if chain.value:
            finding = _of_value(chain)
        else:
            value = values.get((chain.family, chain.end.full)) or values.get((chain.family, chain.start.full))
            finding = chain.newest if chain.alone and (value is None or value.alone) else _of_thing(chain, value)
        if finding is not None:
            names = _names(chain) if not chain.value else ()
            nets.append((chain, Net(finding, tuple(chain.commits), names=names)))
    return _nested(nets)


def _nested(nets: list[tuple[Chain, Net]]) -> tuple[Net, ...]:
    whole = {slot: at for at, (chain, _) in enumerate(nets) for slot in _slots_that_came_or_went(chain)}
    names = {full for _, full in whole}
    below: dict[int, list[int]] = {}
    top: list[int] = []
    for at, (chain, _) in enumerate(nets):
        holder = next((whole[slot] for slot in _holders(chain, names) if slot in whole), at)
        (top if holder == at else below.setdefault(holder, [])).append(at)

    def built(at: int) -> Net:
        inner = sorted((built(one) for one in below.get(at, ())), key=_order)
        return replace(nets[at][1], under=tuple(inner)) if inner else nets[at][1]

    return tuple(sorted((built(at) for at in top), key=_order))


def _slots_that_came_or_went(chain: Chain) -> Iterator[_Slot]:
    """A thing whose old name still works is not gone, and what is inside still matters."""
    works = chain.now is None and chain.alias is not None and chain.alias.status != "none"
    if not chain.value and (chain.was is None or chain.now is None) and not works:
        yield chain.family, chain.start.full
        yield chain.family, chain.end.full


def _holders(chain: Chain, names: set[str]) -> Iterator[_Slot]:
    """The slots of what holds this one, nearest first; what left its place is held by none."""
    if chain.start.place != chain.end.place:
        return
    inside, full = families()[chain.family].inside, chain.end.full
    if inside:
        yield inside, full
        if inside == "function":
            yield from ((family, full) for family in ("class", "extension_method", "attribute", "field"))
    if families()[chain.family].everywhere and chain.family != "export":
        return
    at = max(full.rfind("."), full.rfind("("))
    while at > 0:
        if full[:at] in names:
            yield from ((family, full[:at]) for family in _HOLDERS)
        at = max(full.rfind(".", 0, at), full.rfind("(", 0, at))


def _order(one: Net) -> tuple[bool, int, str, str, str, str]:
    f = one.finding
    return not f.breaking, surfaces().index(kind_of(f.kind).surface), f.symbol, f.path, f.kind, f"{f.before}\0{f.after}"


def _names(chain: Chain) -> tuple[str, ...]:
    if chain.start == chain.end or (chain.was is not None and chain.now is not None):
        return ()
    if families()[chain.family].by_text:
        return chain.start.text, chain.end.text
    return chain.start.full, chain.end.full


# --- things --------------------------------------------------------------------------------------------------------


def _of_thing(chain: Chain, value: Chain | None) -> Finding | None:
    if chain.was is None and chain.now is None:
        return None
    newest = replace(chain.newest, breaking=chain.breaking, alias=chain.alias)
    if families()[chain.family].by_text:
        return _of_text(chain, newest)
    if chain.was is None:
        after = _declared(chain.family, chain.after, chain.end, value.now if value else None)
        kind = added_kind(chain.family, after) if chain.family in paired() else named(chain.family, "removed")
        return replace(newest, kind=kind, symbol=_symbol(chain, chain.end), before=_other(chain, 0), after=after)
    if chain.now is None:
        before = _declared(chain.family, chain.before, chain.start, value.was if value else None)
        kind, after = named(chain.family, "removed"), _other(chain, 1)
        return replace(newest, kind=kind, symbol=_symbol(chain, chain.start), before=before, after=after)
    return _rename_left(chain, newest)


def _of_text(chain: Chain, newest: Finding) -> Finding:
    before, after = (None if x is None else n.text for x, n in ((chain.was, chain.start), (chain.now, chain.end)))
    symbol = newest.symbol if chain.family != "exception" else after or newest.symbol
    kind = newest.kind
    if chain.family in paired():
        kind = named(chain.family, "added" if before is None else "removed" if after is None else "changed") or kind
    return replace(newest, kind=kind, symbol=symbol, before=before, after=after)


def _other(chain: Chain, side: int) -> str | None:
    """Architectures show the whole list on both sides, and proto fields the name that took the number."""
    if chain.family not in ("arch", "message_field"):
        return None
    told = chain.after if side else chain.before
    return told.text if told else None


def _symbol(chain: Chain, name: Name) -> str:
    return chain.newest.symbol if chain.family == "arch" else name.own


def _declared(family: str, told: Text | None, name: Name, value: str | None) -> str | None:
    """A declaration under the name that counts, with the value that counts."""
    if told is None:
        return None
    text, first, last = told.text, last_part(told.symbol), last_part(name.own)
    if first != last:
        text = text.replace(first, last, 1)
    if value is not None and value != value_of(family, text, "added"):
        text = with_value(family, text, value)
    return text


def _rename_left(chain: Chain, newest: Finding) -> Finding:
    start, end, family = chain.start, chain.end, chain.family
    if family == "module":
        star = ".*" if (newest.before or "").endswith(".*") else ""
        tail = newest.symbol.removeprefix(newest.before or "")
        before, after = f"{start.own}{star}", f"{end.own}{star}"
        return replace(newest, kind=named(family, "moved"), symbol=f"{before}{tail}", before=before, after=after)
    if start.place != end.place:
        moved = start.own == end.own and family in ("function", "class")
        kind = named(family, "moved" if moved else "renamed")
        return replace(newest, kind=kind, symbol=start.own, before=start.full, after=end.full)
    texts = (short(family, start), short(family, end))
    return replace(newest, kind=named(family, "renamed"), symbol=start.own, before=texts[0], after=texts[1])


# --- values --------------------------------------------------------------------------------------------------------


def _of_value(chain: Chain) -> Finding | None:
    """A value that came or went with its thing is told there."""
    if chain.was is None or chain.now is None:
        return None
    if chain.alone:
        return chain.newest
    newest = replace(chain.newest, symbol=chain.end.own, breaking=chain.breaking, alias=chain.alias)
    if kind_of(newest.kind).change == "deprecated":
        return newest
    if chain.family in changed():
        return _changed(chain, newest)
    if chain.family in ("literal", "cli_choices"):
        newest = _choices_left(chain, newest)
    return replace(newest, before=chain.was or None, after=chain.now or None)


def _changed(chain: Chain, newest: Finding) -> Finding:
    before, after = chain.was or None, chain.now or None
    if chain.family == "operator":
        before, after = _signatures(chain)
    elif chain.family in ("parameter", "field") and "" in (chain.was, chain.now):
        return _required(chain, newest)
    return replace(newest, kind=changed()[chain.family], before=before, after=after)


def _choices_left(chain: Chain, newest: Finding) -> Finding:
    gone = lost(chain.was, chain.now)
    if chain.breaking and not gone:  # what went has come back
        newest = replace(newest, breaking=False, alias=None)
    if chain.family != "literal":
        return newest
    return replace(newest, kind=named("literal", "narrowed" if gone else "widened"))


def _required(chain: Chain, newest: Finding) -> Finding:
    """A default that went or came: told with declarations when they are known."""
    texts = [x for x in (newest.after, newest.before) if x is not None]
    if known(newest.kind) == (chain.family, "changed") or not texts:
        return replace(newest, kind=changed()[chain.family], before=chain.was or None, after=chain.now or None)
    before, after = (with_value(chain.family, texts[0], x or "") for x in (chain.was, chain.now))
    return replace(newest, kind=named(chain.family, "required_added"), before=before, after=after)


def _signatures(chain: Chain) -> tuple[str, str]:
    """Both sides under the name that the operator has now."""
    text = chain.newest.after or chain.newest.before or ""
    if text.partition("(")[0] == last_part(chain.newest.symbol):
        text = last_part(chain.end.own)
    return with_value("operator", text, chain.was or ""), with_value("operator", text, chain.now or "")
