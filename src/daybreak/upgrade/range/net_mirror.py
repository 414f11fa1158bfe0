"""A finding read backwards: what an upgrade in the other direction would tell of the same event.

What came went, what went came, before and after change places; the mirror image of the mirror image is the finding
itself. Going back, what was new is missing: the mirror image of an addition breaks where readers would call the
removal breaking, which is on every surface that users name in their own code. The image of a removal is an addition and
breaks nobody; what the removal said of itself stays in its alias, so that nothing is lost.
"""

from __future__ import annotations

from msgspec.structs import replace

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.upgrade import Net
from daybreak.findings.kinds import Kind, Verb, kind_of, named
from daybreak.upgrade.range.net_slots import NO_ALIAS, known, lost, paired, swapped, value_of

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
        return _said(replace(back, kind=named(family, "removed")), table, False)
    return _said(replace(back, kind=added_kind(family, finding.before)), table, True)


def mirrored_net(net: Net) -> Net:
    """A net finding read backwards; its changes stay in the order in which they came."""
    names, under = net.names[::-1], tuple(mirrored_net(one) for one in net.under)
    return replace(net, finding=mirrored(net.finding), names=names, under=under)


def added_kind(family: str, text: str | None) -> str:
    """The kind of an addition: what has no default must be given."""
    required = family in ("parameter", "field") and text is not None and not value_of(family, text, "added")
    return named(family, "required_added" if required else "added")


def _sayings(kind: Kind) -> dict[_Said, _Said]:
    if kind.family == "parameter":
        return _PARAMETER
    return _QUIET if "nameless" in kind.traits else _TERSE if "within" in kind.traits else _NAMED


def _said(back: Finding, table: dict[_Said, _Said], was_removal: bool) -> Finding:
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
    return _said(back, _NAMED, fewer)


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
