"""One public name of a library that stands in both releases: its signature, its bases and its members compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module

from msgspec.structs import replace

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_members import default_of
from daybreak.findings.languages.python_public import is_data, is_enum, lost_base, private
from daybreak.findings.languages.python_signature import Difference, Parameter, Signature, differences, signature
from daybreak.findings.languages.python_tree import PLAIN_BASES, Definition, Member, Tree
from daybreak.findings.languages.renames import similar

NONE = Alias("none")
_SPECIAL = frozenset({
    "__init__", "__call__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__iter__", "__next__", "__aiter__",
    "__anext__", "__await__", "__len__", "__bool__", "__contains__", "__getitem__", "__setitem__", "__delitem__",
    "__missing__", "__reversed__", "__get__", "__set__", "__delete__", "__int__", "__float__", "__index__",
    "__fspath__", "__bytes__", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__matmul__",
    "__truediv__", "__floordiv__", "__mod__", "__pow__", "__and__", "__or__", "__xor__", "__lshift__", "__rshift__",
    "__neg__", "__abs__", "__invert__",
})  # fmt: skip
"""Special methods that users meet through the language; others are called by tools, or every object has them."""
_STANDARD = frozenset({
    "abc", "argparse", "ast", "asyncio", "builtins", "collections", "collections.abc", "concurrent.futures",
    "configparser", "contextlib", "datetime", "email.message", "enum", "html.parser", "http.client", "http.server",
    "io", "json", "logging", "pathlib", "queue", "socketserver", "string", "threading", "typing", "unittest",
})  # fmt: skip
"""Modules of the standard library whose classes libraries inherit from; only these are ever imported to be asked."""
_UNION = re.compile(r"(?:\w+\.)?(?:Union|Optional|Literal)\[|[\w.\[\]\"', ]{1,400}\|")
_NAMED = re.compile(r"(?:(?:\w+\.)?Annotated\[\s*)?([^\W\d][\w.]{0,200})(?:\s*,|\s*\Z)")
_PROPERTY = re.compile(r"(?:property|Property|reify)\b")
_ASSIGNED = re.compile(r"\b(?:self|cls|instance|obj)\.([^\W\d]\w{0,120})\s{0,40}(?::|=(?!=))")
_INSIDE = frozenset(" \t#)]}")
"""What a line inside a class has at the class's own column."""
_DATACLASS = re.compile(r"(?:^|\.)(?:dataclass|define|frozen|mutable)(?:$|\()")


@dataclass
class Classes:
    """Both trees, and the members that were told already."""

    old: Tree
    new: Tree
    told: set[tuple[str, ...]] = field(default_factory=set)
    assigned: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)


def compared(trees: Classes, was: Definition, now: Definition) -> Iterator[Fact]:
    """What became of one name."""
    if was.row is None or now.row is None:
        return
    if was.kind == now.kind == "function":
        yield from _signatures(was.row, now.row, now.module.path, was.name)
    elif was.kind == now.kind == "class":
        yield from _bases(trees, was, now)
        yield from _members(trees, was, now)
        yield from _constructor(trees, was, now)
    elif was.kind == "class":
        # a function can be called as before, but is no base and cannot stand in `isinstance`; a union is not even called
        shown = now.row.text if now.kind == "function" else f"{now.name} = {now.row.text}"
        if now.kind == "function" or _UNION.match(now.row.details.get("value", "")):
            place = (now.module.path, now.row.line, was.name)
            yield Fact("attribute_changed", *place, was.row.text[:200], shown[:200], True)
    elif was.kind == "attribute" and now.kind == "class":
        yield from _own_class(trees, was, now)


def _own_class(trees: Classes, was: Definition, now: Definition) -> Iterator[Fact]:
    """`Name = Other` that became a class of its own: its objects are no longer `Other` unless it is their base."""
    assert was.row is not None
    assert now.row is not None
    named = _NAMED.match(was.row.details.get("value", ""))
    short = named[1].split(".")[-1] if named else ""
    if short and short not in ("None", "Any", "object") and short not in _names(trees.new, now):
        yield Fact("base_removed", now.module.path, now.row.line, now.name, short, None, True)


def _names(tree: Tree, owner: Definition) -> set[str]:
    """Last words of the class and of all its bases."""
    return {one.name.split(".")[-1] for one in tree.line(owner)}


# --- signatures ----------------------------------------------------------------------------------------------------


def _signatures(was: Row, now: Row, path: str, symbol: str) -> Iterator[Fact]:
    old, new = _whole(was), _whole(now)
    if old is None or new is None:
        return
    yield from _told(old, new, path, now.line, symbol)


def _told(old: Signature, new: Signature, path: str, line: int, symbol: str) -> Iterator[Fact]:
    for d in library_differences(old, new):
        name = f"{symbol}({d.name})" if d.name not in ("", "->") else symbol
        before, after = (text[:200] if text else text for text in (d.before, d.after))
        yield Fact(d.kind, path, line, name, before, after, d.breaks)


def _whole(row: Row) -> Signature | None:
    """The signature that runs: behind overloads the last one; of a definition under conditions nobody knows."""
    if "whole" in row.details:
        found = signature(Row(row.kind, row.name, row.line, row.details["whole"], row.details))
    else:
        found = None if "many" in row.details else signature(row)
    return found


def library_differences(old: Signature, new: Signature) -> Iterator[Difference]:
    """As `differences`, with what only a caller by place or with free keywords notices."""
    found = list(differences(old, new))
    placed = _same_places(old, new)
    for d in found:
        if d.name in placed and kind_of(d.kind).change in ("removed", "required_added"):
            continue  # given by place alone: another name is none
        if d.after == new.named_rest and not new.takes_more:  # who passes it by place fails
            yield replace(d, breaks=not d.name.startswith("_"))
        else:
            yield _no_rename(old, d) if kind_of(d.kind).change == "renamed" else d
    spelled = any(kind_of(d.kind).change == "added" for d in found)
    yield from (replace(d, breaks=d.breaks and not spelled) for d in _rest(old, new))
    if not any(kind_of(d.kind).change == "moved" for d in found):
        yield from _shifted(old, new)


def _no_rename(old: Signature, d: Difference) -> Difference:
    """One option that took the place of another with the same default is a new one unless its name says otherwise."""
    option = any(p.name == d.name and not p.required for p in old.parameters)
    if not option or similar(d.before or "", d.after or "", 0.5):
        return d
    return Difference("parameter_removed", d.name, d.before, None, d.breaks)


def _same_places(old: Signature, new: Signature) -> set[str]:
    """Names of parameters by place alone that stand at the same place on both sides."""
    pairs = zip(_placed(old), _placed(new), strict=False)
    return {p.name for pair in pairs if pair[0].kind == "only_positional" for p in pair if pair[0].name != pair[1].name}


def _placed(one: Signature) -> list[Parameter]:
    return [p for p in one.parameters if p.kind in ("both", "only_positional")]


def _rest(old: Signature, new: Signature) -> Iterator[Difference]:
    """`*args` or `**kwargs` that are no longer taken; where options came instead, they were spelled out."""
    for stars in ("**", "*"):
        was, now = (_star(one, stars) for one in (old, new))
        if was is not None and now is None:
            yield Difference("parameter_removed", was, was, None, True)


def _star(one: Signature, stars: str) -> str | None:
    names = (p.name for p in one.parameters if p.kind == "rest")
    return next((n for n in names if n.startswith("**") == (stars == "**")), None)


def _shifted(old: Signature, new: Signature) -> Iterator[Difference]:
    """A parameter that came or went in the middle: those behind it are given by another place now."""
    was, now = ([p.name for p in _placed(one)] for one in (old, new))
    both = [name for name in was if name in now]
    if all(was.index(name) == now.index(name) or name.startswith("_") for name in both):
        return
    yield Difference("parameter_moved", "", ", ".join(was), ", ".join(now), True)


# --- classes -------------------------------------------------------------------------------------------------------


def _bases(trees: Classes, was: Definition, now: Definition) -> Iterator[Fact]:
    """A base that the class no longer has, near or far; that the base itself is gone was told where it stood."""
    assert was.row is not None
    assert now.row is not None
    after = _names(trees.new, now)
    nearest = {b.split("[")[0].split(".")[-1] for b in was.row.details.get("bases", "").split("\n")}
    for one in trees.old.line(was)[1:]:
        short = one.name.split(".")[-1]
        if short in after or short in PLAIN_BASES or "(" in short or private(short) or short not in nearest:
            continue
        stands = one.kind == "outside" or getattr(trees.new.find(*one.key), "kind", "") == "class"
        yield Fact(lost_base(now.name), now.module.path, now.row.line, now.name, short, None, stands)


def _members(trees: Classes, was: Definition, now: Definition) -> Iterator[Fact]:
    old, new = trees.old.members(was), trees.new.members(now)
    outside = trees.new.outside(now)
    served = "__getattr__" in new and "__getattr__" not in old
    for short, member in old.items():
        if private(short) or (short.startswith("__") and short not in _SPECIAL):
            continue
        here = new.get(short)
        key = (*member.owner.key, short, *(here.owner.key if here else ()))
        if key in trees.told:
            continue
        if here is not None:
            trees.told.add(key)
            found = _kept(trees, member, here, short)
            yield from _known_fields(old, found) if short == "__init__" else found
        elif not served and short != "__init__" and not _set(trees, now, short):
            trees.told.add(key)
            yield _lost(trees, was, now, member, short, _inherited(outside, short))


def _inherited(outside: frozenset[str], short: str) -> bool:
    """A base that is not in the tree has the member, or may have it."""
    for base in outside:
        known = _standard(base)
        if known is None:
            if base.split(".")[-1] not in _OF_FIELDS and not short.startswith("__"):
                return True  # a class of another project: nobody here knows
        elif hasattr(known, short):
            return True
    return False


_OF_FIELDS = frozenset({"BaseModel", "BaseSettings", "Struct", "Module", "Model"})
"""Bases of other projects that give no public names which children use to override."""


@lru_cache(maxsize=512)
def _standard(base: str) -> type | None:
    """A class of the standard library by its dotted name."""
    module, _, name = base.rpartition(".")
    for one in (module,) if module else ("builtins", "collections.abc", "enum"):
        if one in _STANDARD:
            found = getattr(import_module(one), name, None)
            found = getattr(found, "__origin__", found)  # `typing.Mapping` stands for that of `collections.abc`
            if isinstance(found, type):
                return found
    return None


def _set(trees: Classes, now: Definition, short: str) -> bool:
    """Some method of the class, or of one of its bases, still gives objects the attribute."""
    return any(short in _sets(trees, one) for one in trees.new.line(now) if one.kind == "class")


def _sets(trees: Classes, owner: Definition) -> frozenset[str]:
    """The attributes that the lines of a class assign."""
    if owner.key not in trees.assigned:
        assert owner.row is not None
        lines, at = owner.module.lines, owner.row.line - 1
        indent = len(lines[at]) - len(lines[at].lstrip())
        end = at + owner.row.text.count("\n") + 1
        while end < len(lines) and (not (line := lines[end]).strip() or line[indent : indent + 1] in _INSIDE):
            end += 1
        trees.assigned[owner.key] = frozenset(m[1] for line in lines[at:end] for m in _ASSIGNED.finditer(line[:500]))
    return trees.assigned[owner.key]


def _lost(trees: Classes, was: Definition, now: Definition, member: Member, short: str, inherited: bool) -> Fact:
    """A member that is gone, told at the public class that held it."""
    at = was if private(member.owner.name) else member.owner
    home = trees.new.find(*at.key) if at is not was else now
    if home is None or home.row is None or home.kind != "class" or short in trees.new.members(home):
        at, home = was, now  # the base has it still, or is gone itself: this class lost it
    if member.kind == "method" and not _PROPERTY.search(member.row.details.get("decorators", "")):
        kind = "function_removed"
    elif member.kind == "class":
        kind = "class_removed"
    elif is_enum(at.row):
        kind = "enum_member_removed"
    else:
        annotated = member.kind == "attribute" and bool(member.row.details.get("annotation"))
        kind = "field_removed" if annotated and is_data(at.row) else "attribute_removed"
    shown = member.row.text if member.kind in ("method", "class") else short
    line = home.row.line if home.row else 1
    alias = Alias("kept", home.module.path) if inherited else NONE
    return Fact(kind, home.module.path, line, f"{at.name}.{short}", shown[:200], None, not inherited, alias)


def _kept(trees: Classes, was: Member, here: Member, short: str) -> Iterator[Fact]:
    path, symbol = here.owner.module.path, f"{here.owner.name}.{short}"
    if was.kind == here.kind == "method":
        first, second = (bool(_PROPERTY.search(m.row.details.get("decorators", ""))) for m in (was, here))
        if first != second and "whole" not in {**was.row.details, **here.row.details}:
            before, after = ("@property", None) if first else (None, "@property")
            yield Fact("decorator_changed", path, here.row.line, symbol, before, after, True)
        elif not first:
            yield from _signatures(was.row, here.row, path, symbol)
    elif was.kind == here.kind == "class":
        pair = (Definition("class", m.owner.module, m.row.name, m.row) for m in (was, here))
        yield from compared(trees, *pair)
    elif was.kind in ("attribute", "given") and here.kind == "method" and not here.row.details.get("decorators"):
        called = "Callable" in was.row.details.get("annotation", "") or "(" in was.row.text or "lambda" in was.row.text
        if was.kind == "attribute" and not called and "many" not in here.row.details:
            shown = here.row.text[:200]
            yield Fact("attribute_changed", path, here.row.line, symbol, short, shown, True)


def _known_fields(fields: Mapping[str, Member], found: Iterator[Fact]) -> Iterator[Fact]:
    """A constructor that spells out what its base took as fields asks for nothing new."""
    for fact in found:
        name = fact.symbol.rpartition("(")[2].rstrip(")")
        asked = kind_of(fact.kind).means("parameter", "required_added") and fact.before is None
        known = fields.get(name) if asked else None
        declared = known is not None and known.kind == "attribute" and bool(known.row.details.get("annotation"))
        yield replace(fact, breaking=False) if declared else fact


# --- constructors that are made from fields ------------------------------------------------------------------------


def _constructor(trees: Classes, was: Definition, now: Definition) -> Iterator[Fact]:
    """A dataclass is called with its fields; two written constructors were compared as members."""
    old, new = _fields(trees.old, was), _fields(trees.new, now)
    if now.row is None or (old is None and new is None):
        return
    old, new = old or _written(trees.old, was), new or _written(trees.new, now)
    if old is None or new is None:
        return
    for fact in _told(old, new, now.module.path, now.row.line, f"{now.name}.__init__"):
        if kind_of(fact.kind).family not in ("annotation", "return"):
            yield fact


def _written(tree: Tree, owner: Definition) -> Signature | None:
    made = tree.members(owner).get("__init__")
    return _whole(made.row) if made is not None and made.kind == "method" else None


def _fields(tree: Tree, owner: Definition) -> Signature | None:
    """The signature that `@dataclass` makes; None for a class that is none or writes its own."""
    found: dict[str, Parameter] = {}
    for one in reversed(tree.line(owner)):
        if one.kind != "class" or one.row is None:
            return None
        mark = next((d for d in one.row.details.get("decorators", "").split("\n") if _DATACLASS.search(d)), None)
        start = one.name + "."
        if mark is None or one.module.surface.has("method", start + "__init__") or "init=False" in mark:
            return None
        named = "kw_only=True" in mark.replace(" ", "")
        for row in one.module.surface.of("attribute"):
            annotation = row.details["annotation"]
            if not row.name.startswith(start) or "." in row.name[len(start) :] or not annotation:
                continue
            if "ClassVar" in annotation or re.search(r"\binit\s*=\s*False\b", row.details["value"]):
                continue
            short = row.name[len(start) :]
            if annotation.endswith("KW_ONLY"):
                named = True
                continue
            found[short] = Parameter(short, "only_keyword" if named else "both", annotation, default_of(row))
    return Signature(tuple(found.values()), "")
