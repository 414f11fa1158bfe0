"""Which uses of Python names a net touches: names that are gone, calls that no longer fit, what you override."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Certainty, Use
from daybreak.core.text import arguments
from daybreak.findings.kinds import GONE, Kind, kind_of, named
from daybreak.upgrade.downstream.python_definitions import NAMED, REGISTERED
from daybreak.upgrade.impact.base import (
    Item,
    Judged,
    Meeting,
    Yours,
    distinctive,
    gives_value,
    is_key,
    meets,
    rest_of,
    unknown_rest,
)
from daybreak.upgrade.impact.source import Signature

USES = frozenset({"import", "attribute", "call", "subclass", "override", "patch"})
_NAMES = frozenset(
    {
        "function", "class", "attribute", "export", "enum_member", "module", "extension_method", "field",
        "message_field",
    }
)  # fmt: skip
_CALLED = frozenset({"dispatch", "decorator"})
_BINDING = ("@classmethod", "@staticmethod", "@property", "@cached_property", "@functools.cached_property")
_FREE = frozenset({"@classmethod", "@staticmethod"})
_WORD = re.compile(r"[A-Za-z_]\w{0,200}")
_QUOTED = re.compile(r"[\"'][^\"']{1,100}[\"']")
_CONDITION = re.compile(r"(?s)\s*(?:if |assert )?(.*?)(?::\s*raise\b.*)?\s*")
_SIGNATURE = frozenset({"required_added", "removed", "renamed", "moved"})
_MANY_BY_PLACE = 3
_LONGEST_VALUE = 80
_NOTHING = frozenset(("''", "None", "False", "[]", "()", "{}"))
"""Ways to set nothing."""
_SUM = re.compile(r"[\d_.eE]+(?:\s*[-+*/]{1,2}\s*[\d_.eE]+)*")


def is_whole(kind: str) -> bool:
    """Whether it takes a name as a whole from where it was: whoever imports it is told once in a file."""
    known = kind_of(kind)
    return known.family in _NAMES and known.change in GONE


def concerns(kind: Kind) -> bool:
    """Whether a use of a Python name can meet it."""
    whole = kind.family in _NAMES and kind.change in GONE
    inside = _is_argument(kind) or _is_extension(kind) or kind.means("operator", "signature_changed")
    return whole or inside or _is_changed(kind) or _is_guard(kind) or _is_called(kind) or kind.family == "base"


def _is_argument(kind: Kind) -> bool:
    return kind.family == "parameter" or kind.means("field", "required_added", "default_changed")


def _is_extension(kind: Kind) -> bool:
    return kind.means("extension_method", "added", "signature_changed")


def _is_changed(kind: Kind) -> bool:
    valued = kind.family in ("attribute", "enum_member") and kind.change == "changed"
    return valued or kind.family == "name" or kind.means("literal", "narrowed")


def _is_guard(kind: Kind) -> bool:
    return kind.means("guard", "added", "changed")


def _is_called(kind: Kind) -> bool:
    return kind.family in _CALLED


def judge(use: Use, name: Sequence[str], item: Item) -> Judged | None:
    """What this net means for this use; None when they do not meet."""
    met = meets(name, item.where)
    if met is None:
        return _deprecated_inside(use, name, item) or _package_gone(use, name, item)
    if met == "handed" and item.known:
        same = item.known.same(item, name[: len(name) - rest_of(name, item.where)])
        # A package may hand on another thing of that name; a deprecated one is hardly more than a member of something.
        other = same is False or (same is None and kind_of(item.net.finding.kind).family == "name")
        return None if other else _judged(use, name, item, "exact" if same else met)
    return _judged(use, name, item, met)


def _judged(use: Use, name: Sequence[str], item: Item, met: Meeting) -> Judged | None:
    kind = kind_of(item.net.finding.kind)
    if (
        kind.means("cli_flag", "removed", "renamed") and item.where.parameter is None
    ):  # the attribute that the flag fills
        read = rest_of(name, item.where) == 0 and use.kind in ("attribute", "patch")
        return Judged("certain", "use", use.name) if read else None
    if item.where.parameter is not None or _is_argument(kind):
        return _parameter(use, name, item, met)
    if is_whole(kind.name):
        return _whole(use, name, item, met)
    if _is_extension(kind):
        return _extension(use, name, item)
    return _changed(use, name, item)


def _sure(item: Item, met: Meeting) -> Certainty:
    """A name that a package hands on is the same one when hardly another can be meant."""
    return "certain" if met != "handed" or (item.lone and distinctive(item.where)) else "likely"


# --- names that are gone -------------------------------------------------------------------------------------------


def _whole(use: Use, name: Sequence[str], item: Item, met: Meeting) -> Judged | None:
    kind, rest = kind_of(item.net.finding.kind), rest_of(name, item.where)
    if kind.change == "moved" and met == "handed":
        return None  # the package hands it on from the new place; were that gone too, it would be a finding
    if kind.means("module", "moved"):
        return _moved_module(use, name, item, rest)
    if use.kind == "override":
        # A class that is gone is told where it is imported; here only its method matters. A value that nobody reads any
        # more hurts nobody.
        level: Certainty = "look" if gives_value(use) else "likely"
        return Judged(level, "override", use.name) if rest == 0 and kind.family != "class" else None
    if kind.family == "field" and rest > 0:
        return None
    return Judged(_sure(item, met), "patch" if use.kind == "patch" else "use", use.name)


def _moved_module(use: Use, name: Sequence[str], item: Item, rest: int) -> Judged | None:
    old, new = item.net.finding.before or "", item.net.finding.after or ""
    if use.kind == "override" or tuple(name[: new.count(".") + 1]) == tuple(new.split(".")):
        return None  # the latter: the new place is written already
    if rest and item.holds is not None and not old.endswith(".*"):
        # What the new module holds at the end is known: the names that went there, and no others.
        return Judged("certain", "use", use.name) if item.holds(name[-rest]) else None
    if old.endswith(".*"):
        return Judged("likely", "use", use.name)  # some of its modules may have stayed
    if not new.startswith(f"{old}."):
        return Judged("certain", "use", use.name)
    # Some names went down into a module of what is a package now; the rest of it stays importable.
    inner = name[len(old.split(".")) :]
    kept = item.net.finding.alias is not None and item.net.finding.alias.status != "none"
    if kept or len(inner) != 1 or use.kind not in ("import", "patch"):
        return None
    return Judged("likely", "use", use.name)


def _package_gone(use: Use, name: Sequence[str], item: Item) -> Judged | None:
    """A name that its package handed on, where the module went elsewhere and the package with it."""
    module = item.where.module
    if (
        not kind_of(item.net.finding.kind).means("module", "moved")
        or item.holds is None
        or use.kind not in ("import", "patch")
    ):
        return None
    if len(name) < 3 or tuple(name[:-1]) != module[: len(name) - 1] or not item.holds(name[-1]):
        return None
    return Judged("certain", "use", use.name)


# --- calls ---------------------------------------------------------------------------------------------------------


def _parameter(use: Use, name: Sequence[str], item: Item, met: Meeting) -> Judged | None:
    if rest_of(name, item.where) or use.kind not in ("call", "override", "patch"):
        return None
    finding, parameter = item.net.finding, item.where.parameter or ""
    if use.kind == "patch":
        unknown = not use.keywords  # a function of yours is judged where it is defined
        return Judged("likely", "patch", use.name) if unknown and _is_signature(kind_of(finding.kind)) else None
    if use.kind == "override":
        ends = (item.known.then(item), item.known.now(item)) if item.known else (None, None)
        return _overridden(use, finding, parameter, *ends)
    found = _call(use, finding, parameter, item)
    if found is not None and met == "handed" and found.certainty == "certain":
        return found._replace(certainty=_sure(item, met))
    return found


def _is_signature(kind: Kind) -> bool:
    return kind.family == "parameter" and kind.change in _SIGNATURE


def _call(use: Use, finding: Finding, parameter: str, item: Item) -> Judged | None:
    change = kind_of(finding.kind).change
    passed = parameter in use.keywords
    then, now = (item.known.then(item), item.known.now(item)) if item.known else (None, None)
    if change in ("removed", "renamed"):
        return _lost(use, finding, parameter, passed, then, now)
    if change == "required_added":
        return _required(use, finding, parameter, item, now)
    if change == "moved":
        size = use.positional or 0
        same = then is not None and now is not None and then.places[:size] == now.places[:size]
        return Judged("likely", "place", use.name) if size > 1 and not same else None
    if change == "passing_changed":
        return _kind(use, finding, parameter, passed, then)
    by_place = now is not None and parameter in now.places[: use.positional or 0]
    meant = change in ("default_changed", "narrowed") and not by_place
    return _default(use, finding, parameter, passed) if meant else None


def _lost(
    use: Use, finding: Finding, parameter: str, passed: bool, then: Signature | None, now: Signature | None
) -> Judged | None:
    if passed:
        if now is not None and parameter in now.keywords:
            return None  # it is back, or another one has its name
        taken = now is not None and now.others
        return Judged("look" if taken else "certain", "pass", use.name, parameter)
    if not kind_of(finding.kind).means("parameter", "removed") or use.positional is None:
        return None
    if then is not None and parameter in then.places:
        # What came after it moves up silently.
        shifts = then.places.index(parameter) < use.positional
        return Judged("certain", "place", use.name, parameter) if shifts else None
    return Judged("look", "place", use.name, parameter) if use.positional >= _MANY_BY_PLACE else None


def _required(use: Use, finding: Finding, parameter: str, item: Item, now: Signature | None) -> Judged | None:
    if now is not None and not unknown_rest(use):
        lacks = now.lacks(parameter, use.positional or 0, use.keywords)
        return Judged("certain", "lack", use.name, parameter) if lacks else None
    if parameter in use.keywords or is_key(use):  # the call itself is judged where it stands
        return None
    family = kind_of(finding.kind).family
    if family == "parameter" and finding.symbol.partition("(")[0].endswith("__post_init__"):
        return None  # what the class passes to itself may have a default as a field
    if unknown_rest(use):
        # An override that hands on whatever it is given has what its caller upstream passes.
        bare = use.positional is None and "super(" in use.text and not any(x.isidentifier() for x in use.keywords)
        return None if bare else Judged("look", "lack", use.name, parameter)
    by_place = bool(use.positional) and (finding.before is not None or named("parameter", "removed") in item.beside)
    fields = bool(use.positional) and family == "field"
    return Judged("likely" if by_place or fields else "certain", "lack", use.name, parameter)


def _kind(use: Use, finding: Finding, parameter: str, passed: bool, then: Signature | None) -> Judged | None:
    if finding.after == "only positional":
        return Judged("certain", "pass", use.name, parameter) if passed else None
    if finding.after == "only keyword" and then is not None and parameter in then.places:
        by_place = parameter in then.places[: use.positional or 0]
        return Judged("certain", "place", use.name, parameter) if by_place else None
    if finding.after != "only keyword" or passed or (use.positional or 0) < 2:
        return None
    return Judged("likely", "place", use.name, parameter)


def _default(use: Use, finding: Finding, parameter: str, passed: bool) -> Judged | None:
    if kind_of(finding.kind).change == "narrowed":
        return Judged("look", "pass", use.name, parameter) if passed else None
    if passed or unknown_rest(use) or not is_value(finding):
        return None
    return Judged("look", "omit", use.name, parameter)


def is_value(finding: Finding) -> bool:
    """Both sides are something a user could write, and differ: no name of the project's own, no expression, no bracket.

    What nobody sets is mostly decided later, so that a default of None says nothing of the value that is taken.
    """
    was, now = finding.before or "None", finding.after or "None"
    left, right = _literal(was), _literal(now)
    if left is not None and right is not None:
        return left != right and "None" not in (left, right) and not {left, right} <= _NOTHING
    return was != now and kind_of(finding.kind).surface == "environment"


def _literal(text: str) -> str | None:
    """A value as Python prints it, however it is written; None for what is none."""
    if len(text) > _LONGEST_VALUE:
        return None
    try:
        return repr(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text if _SUM.fullmatch(text) else None


def goes_own_way(use: Use, then: Signature | None) -> bool:
    """Whether nobody upstream calls a method of yours with what is optional: a constructor, unless upstream was given the
    class, or a method that never took what its base had to get; one name may just differ.
    """
    made_by_you = use.name.endswith(".__init__") and use.value not in (REGISTERED, NAMED)
    return made_by_you or (then is not None and len(then.required - set(use.keywords)) > 1)


def still_asks(use: Use, then: Signature | None, parameter: str) -> bool:
    """Whether a method of yours that takes any other keyword misses a parameter which nobody passes any more."""
    by_place = any(word.startswith("*") and not word.startswith("**") for word in use.keywords)
    return not by_place and then is not None and parameter in then.required


def _overridden(
    use: Use, finding: Finding, parameter: str, then: Signature | None, now: Signature | None
) -> Judged | None:
    """Your method must take what the caller in the base's package passes now."""
    change, has = kind_of(finding.kind).change, parameter in use.keywords
    if change == "removed" and then is not None and now is not None and now.others and not then.others:
        return None  # it went into `**kwargs`: callers may pass it still
    if any(word.startswith("*") for word in use.keywords) and change != "moved":
        misses = change in ("removed", "renamed") and has and still_asks(use, then, parameter)
        return Judged("likely", "override", use.name, parameter) if misses else None
    meant = {
        "added": not has and not goes_own_way(use, then),
        "required_added": not has and finding.before is None,
        "removed": has,
        "renamed": has,
        "moved": True,
    }
    kind = kind_of(finding.kind)
    fails = kind.family == "parameter" and meant.get(kind.change)
    return Judged("likely", "override", use.name, parameter) if fails else None


# --- extension points ----------------------------------------------------------------------------------------------


def _extension(use: Use, name: Sequence[str], item: Item) -> Judged | None:
    finding = item.net.finding
    if kind_of(finding.kind).change == "added" or rest_of(name, item.where):
        return None  # who must write the new method is asked of the class
    was, now = signature_words(finding.before or ""), signature_words(finding.after or "")
    if use.kind == "override" and any(word.startswith("*") for word in use.keywords):
        return _taken(use, now)
    if use.kind == "override":
        fits = bool(now) and set(now) == {word.lstrip("*") for word in use.keywords} - {"self", "cls"}
        return None if fits else Judged("likely", "override", use.name)
    if use.kind == "patch":
        return Judged("likely", "patch", use.name) if not use.keywords else None
    gone = next((word for word in use.keywords if word in was and word not in now), "")
    return Judged("certain", "pass", use.name, gone) if use.kind == "call" and gone and now else None


def _taken(use: Use, now: Sequence[str]) -> Judged | None:
    """An override that takes any keyword fits, unless a new parameter stands before one that it names."""
    named = [word for word in use.keywords if not word.startswith("*") and word not in ("self", "cls")]
    if any(word.startswith("*") and not word.startswith("**") for word in use.keywords):
        return None
    shared = [word for word in named if word in now]
    return Judged("look", "override", use.name) if shared and list(now[: len(shared)]) != shared else None


def judge_subclass(use: Use, name: Sequence[str], item: Item, yours: Yours) -> Judged | None:
    """A method that implementers must write now, asked of a class of yours that lacks it."""
    base = item.where.symbol[:-1]
    method = item.where.symbol[-1]
    owner = Item(item.repo, item.net, type(item.where)(item.where.module, base, None, item.where.dotted), item.lone)
    met = meets(name, owner.where)
    if met is None or rest_of(name, owner.where):
        return None
    must = item.known.abstract(item) if item.known else None
    if method in yours.written.get((use.path, use.name, use.line), ()) or must is False:
        return None
    return Judged("likely", "implement", use.name, method) if must or item.net.finding.breaking else None


def signature_words(head: str) -> list[str]:
    """Parameter names of a head such as `encode(self, prompt: str, *, n: int = 1) -> X`."""
    found = (_WORD.match(part.lstrip("*")) for part in arguments(head))
    return [one[0] for one in found if one and one[0] not in ("self", "cls")]


# --- behaviour -----------------------------------------------------------------------------------------------------


def _changed(use: Use, name: Sequence[str], item: Item) -> Judged | None:
    finding, rest = item.net.finding, rest_of(name, item.where)
    kind = kind_of(finding.kind)
    if rest and kind.family != "name":
        return None
    if kind.family == "base":
        return Judged("look", "use", use.name) if use.kind == "subclass" else None
    if _is_changed(kind):
        told = not kind.means("literal", "narrowed") or _writes_lost(use, finding)
        return Judged("look", "patch" if use.kind == "patch" else "use", use.name) if told else None
    if kind.family == "decorator":
        marks = {x for x in (finding.before, finding.after) if x in _BINDING}
        # Through an object a method is called in the same way, be it static or not.
        apart = use.kind == "call" and marks <= _FREE and not _by_class(use, item)
        return Judged("likely", "use", use.name) if marks and not apart and use.kind in ("call", "override") else None
    if _is_guard(kind) or kind.family == "dispatch":
        return _checked(use, finding)
    is_function = item.where.last[:1].islower() or item.where.last.startswith("_")
    return Judged("look", "use", use.name) if use.kind == "call" and is_function else None


def _writes_lost(use: Use, finding: Finding) -> bool:
    """Whether a line has one of the values that are no longer allowed."""
    was, now = (set(_QUOTED.findall(text or "")) for text in (finding.before, finding.after))
    return any(word in use.text for word in was - now)


def _checked(use: Use, finding: Finding) -> Judged | None:
    """A check of nothing but what you pass; what else must hold for it to refuse you cannot be seen."""
    words = _checked_words((finding.after or "")[:2000]) if use.kind == "call" else None
    if not words or not words <= set(use.keywords):
        return None
    return Judged("look", "pass", use.name, next(word for word in use.keywords if word in words))


def _checked_words(text: str) -> set[str] | None:
    """Names that a condition compares; None where it asks for more than values, or whether something is lacking."""
    found = _CONDITION.fullmatch(text)
    try:
        tree = ast.parse(found[1] if found else "", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    words: set[str] = set()
    for node in ast.walk(tree):
        inner = isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "self")
        if inner or isinstance(node, ast.Call | ast.Is):
            return None
        if isinstance(node, ast.Attribute | ast.Name):
            words.add(node.attr if isinstance(node, ast.Attribute) else node.id)
    return words - {"self"}


def _by_class(use: Use, item: Item) -> bool:
    """A method that is called as `Class.method(…)`."""
    written = r"\s?\.\s?".join(map(re.escape, item.where.symbol[-2:]))
    return re.search(rf"\b{written}\b", use.text) is not None


def _deprecated_inside(use: Use, name: Sequence[str], item: Item) -> Judged | None:
    """A deprecation names a method without its class: met when the use comes from the same module or above it."""
    if kind_of(item.net.finding.kind).family != "name" or name[-1] != item.where.last or len(name) < 3:
        return None
    module = item.where.under(name[0])
    elsewhere = item.known is not None and item.known.same(item, name[:-1]) is False
    if module is None or use.kind == "subclass" or elsewhere:
        return None  # its class stands in another file
    head = name[:-2]
    return Judged("look", "use", use.name) if tuple(head) == module[: len(head)] and name[-2][:1].isupper() else None
