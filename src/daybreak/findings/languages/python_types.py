"""Types as annotations write them, compared: the same in other words, wider, narrower, or others."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Literal

from daybreak.findings.blobs import Surface
from daybreak.findings.languages.base import bracketed

Step = Literal["same", "wider", "narrower", "other"]
_LITERAL = re.compile(r"(?:^|[^\w])Literal\[")
STRING = re.compile(r"\"([^\"\\\n]{0,100})\"|'([^'\\\n]{0,100})'")
_LITERAL_VALUE = re.compile(r"-?[\d.][\w.+-]*|True|False|None|\"[^\"]*\"|'[^']*'")
_LONGEST = 1000
_WORD = re.compile(r"\w+")
_DEEPEST = 30
_SPELLED = {
    "List": "list", "Dict": "dict", "Set": "set", "FrozenSet": "frozenset", "Tuple": "tuple", "Type": "type", "Text": "str",
}  # fmt: skip
_WRAPPERS = frozenset(
    {"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar", "A", "SkipValidation"}
)
"""What stands around a type without being one."""
_ANYTHING = frozenset({"Any", "object"})
_WITHIN = {"bool": ("int", "float"), "int": ("float",)}
_KINDS = {
    "list": ("Sequence", "Collection", "Iterable"), "tuple": ("Sequence", "Collection", "Iterable"),
    "Sequence": ("Collection", "Iterable"), "set": ("Collection", "Iterable"), "Collection": ("Iterable",),
    "dict": ("Mapping", "MutableMapping"), "MutableMapping": ("Mapping",),
}  # fmt: skip
"""What each container is a kind of."""
_CONTAINERS = frozenset({"list", "dict", "set", "frozenset", "tuple", "Sequence", "Mapping", "Iterable"})
PLAIN = frozenset({"str", "int", "float", "bool", "bytes", "None", "list", "dict"})
"""Types that a message in JSON or msgpack is made of."""


def step(before: str, after: str) -> Step:
    """How a type changed; one that is not written or not understood, and one left open, is the same as any other."""
    old, new = members(before), members(after)
    if not old or not new or (old | new) & _ANYTHING or _only_filled(old, new) or _unknown(old, new):
        return "same"
    if (inside := _held(old, new)) is not None:
        return inside
    fits, covers = _all_within(old, new), _all_within(new, old)
    return "same" if fits and covers else "wider" if fits else "narrower" if covers else "other"


def _only_filled(old: frozenset[str], new: frozenset[str]) -> bool:
    """`list` that became `list[int]`: what it holds was not written before."""
    heads = [
        {one.partition("[")[0] for one in side if not one.startswith("Literal[")} for side in (old - new, new - old)
    ]
    bare = all("[" not in one for one in old - new) or all("[" not in one for one in new - old)
    return heads[0] == heads[1] and bare and not any(one.startswith("Literal[") for one in old ^ new)


def _unknown(old: frozenset[str], new: frozenset[str]) -> bool:
    """They differ by names that may be others for what the other side writes out: inside of one type, beside a text, or a
    name for several types.
    """
    gone, come = old - new, new - old
    if any(_stands_for(one, many) for one, many in ((gone, come), (come, gone))):
        return True
    if "str" in old & new and all(one.isidentifier() and one not in PLAIN for one in gone | come):
        return True
    if len(gone) != 1 or len(come) != 1:
        return False
    (first, inner), (second, other) = (_opened(next(iter(side))) for side in (gone, come))
    apart = [(a, b) for a, b in zip(inner, other, strict=False) if a != b]
    return first == second and len(inner) == len(other) > 0 and all(_may_be_alias(*pair) for pair in apart)


def _stands_for(one: frozenset[str], many: frozenset[str]) -> bool:
    """A name of some module, and several types among which are names as well: they are not plain, so nobody would know."""
    return len(one) == 1 < len(many) and not many <= PLAIN and _may_be_alias(*one, *one)


def _held(old: frozenset[str], new: frozenset[str]) -> Step | None:
    """The step of what one container holds, where the sides differ by nothing else: `dict[str, int]` takes less than
    `dict[str, int | str]`.
    """
    gone, come = old - new, new - old
    if len(gone) != 1 or len(come) != 1:
        return None
    (first, inner), (second, other) = (_opened(next(iter(side))) for side in (gone, come))
    if first not in _CONTAINERS or first != second or not 0 < len(inner) == len(other):
        return None
    steps = {step(a, b) for a, b in zip(inner, other, strict=True)} - {"same"}
    return steps.pop() if len(steps) == 1 else "other" if steps else "same"


def takes_place(before: str, after: str, names: Collection[str]) -> bool:
    """One of the names, each known to be a type of its own, stands in a container where something else did."""
    sides = [members(side) for side in (before, after)]
    if any(len(side) != 1 for side in sides):
        return False
    (first, inner), (second, other) = (_opened(next(iter(side))) for side in sides)
    return first == second and len(inner) == len(other) and any(b in names for b in set(other) - set(inner))


def _opened(one: str) -> tuple[str, tuple[str, ...]]:
    """`tuple[A, B]` → `tuple`, (`A`, `B`)."""
    head, opened, rest = one.partition("[")
    span = bracketed(rest) if opened else None
    return head, span.parts if span else ()


def _may_be_alias(first: str, second: str) -> bool:
    """One of two is a name that a module gave to some type."""
    return any(one.isidentifier() and one[0].isupper() for one in (first, second))


def _all_within(some: frozenset[str], others: frozenset[str]) -> bool:
    return all(_within(one, others) for one in some)


def _within(one: str, others: frozenset[str]) -> bool:
    head = one.partition("[")[0]
    if one in others or others & _ANYTHING or head in others:
        return True
    if any(wide in others or wide + one[len(head) :] in others for wide in _KINDS.get(head, ())):
        return True
    plain = "str" if head == "Literal" and one[8:9] in "\"'" else one
    return plain in others or any(wide in others for wide in _WITHIN.get(plain, ()))


def written_out(first: str, second: str) -> bool:
    """A name of some module's own became plain types: it may have stood for these, or for some of their values."""
    gone, come = members(first) - members(second), members(second) - members(first)
    return bool(come) and come <= PLAIN and any(_may_be_alias(one, one) for one in gone)


def plain(first: str, second: str) -> bool:
    """Two types differ by types alone that a message is made of, whatever holds them."""
    return set(_WORD.findall(" ".join(members(first) ^ members(second)))) <= PLAIN


@lru_cache(maxsize=4096)
def members(text: str) -> frozenset[str]:
    """The types that a union is made of, each in one spelling; none where the text cannot be read."""
    try:
        known = len(text) <= _LONGEST and "\\" not in text
        return frozenset(_parts(ast.parse(text.strip(), mode="eval").body, 0)) if known else frozenset()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def _parts(node: ast.expr, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise ValueError("a type of types of types")
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _parts(ast.parse(node.value.strip(), mode="eval").body, depth + 1)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from (part for side in (node.left, node.right) for part in _parts(side, depth + 1))
    elif isinstance(node, ast.Subscript):
        yield from _subscript(node, depth)
    elif isinstance(node, ast.Attribute | ast.Name):
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        yield _SPELLED.get(name, name)
    else:
        yield ast.unparse(node)


def _subscript(node: ast.Subscript, depth: int) -> Iterator[str]:
    head = next(_parts(node.value, depth + 1))
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head in ("Union", "Optional"):
        yield from (part for one in inner for part in _parts(one, depth + 1))
        if head == "Optional":
            yield "None"
    elif head in _WRAPPERS:
        yield from _parts(inner[0], depth + 1)
    elif head == "Literal":
        yield from (f"Literal[{ast.unparse(one)}]" for one in inner)
    else:
        written = (" | ".join(sorted(_parts(one, depth + 1))) for one in inner)
        yield f"{head}[{', '.join(written)}]"


def are_plain(*values: str) -> bool:
    """Values that are written down whole; an empty text may stand for a long one."""
    return all(map(_LITERAL_VALUE.fullmatch, values)) and '""' not in values


def by_another_name(old: Surface, first: str, new: Surface, second: str) -> bool:
    """A name that the file itself gives to such a type: what it holds may be told apart, the field is of the same kind."""
    sides = ((old.get(("attribute", first)), first), (new.get(("attribute", second)), second))
    meant = [row.details["value"] if row is not None else text for row, text in sides]
    heads = {text.partition("[")[0].strip().lower() for text in meant}
    return meant != [first, second] and len(heads) == 1 and all("[" in text for text in meant)


def literals(text: str) -> tuple[str, ...] | None:
    """The plain values that the first `Literal` allows, as they are written; None where there is none, or it allows others."""
    opened = _LITERAL.search(text)
    span = bracketed(text[opened.end() :]) if opened else None
    if (
        span is None
        or not span.whole
        or not all(STRING.fullmatch(p) or _LITERAL_VALUE.fullmatch(p) for p in span.parts)
    ):
        return None
    return tuple(f'"{p[1:-1]}"' if STRING.fullmatch(p) else p for p in span.parts if p != "None")


_ASKED_FROM = re.compile(r"(?:fastapi\.|params\.)?(Query|Body|Path|Header|Cookie|Form|File|Field|Depends|Security)\(")
"""What says where an argument of a route comes from: in the place of its default, or beside its type."""
_BESIDE_TYPE = re.compile(r"(?:typing\.|t\.)?Annotated\[")


def one_writing(annotation: str, default: str | None) -> tuple[str, str | None]:
    """`x: bool = Query(True)` and `x: Annotated[bool, Query()] = True` as one; what is taken from a call stands as the default."""
    if annotation and (marked := _call(default or "")) is not None:
        name, given = marked
        value = next((part.removeprefix("default=") for part in given if _PLACED.match(part)), None)
        if name in ("Depends", "Security") or any(part.startswith("default_factory") for part in given):
            return annotation, default
        rest = [part for part in given if not _PLACED.match(part)]
        return f"Annotated[{annotation}, {name}({', '.join(rest)})]", None if value == "..." else value
    opened = _BESIDE_TYPE.match(annotation)
    span = bracketed(annotation[opened.end() :]) if opened else None
    if span is None or len(span.parts) != 2 or (marked := _call(span.parts[1])) is None:
        return annotation, default
    name, given = marked
    call = f"{name}({', '.join(given)})"
    if name in ("Depends", "Security"):
        return span.parts[0], default or call
    return f"Annotated[{span.parts[0]}, {call}]", default


_PLACED = re.compile(r"default=|(?![A-Za-z_]\w*=[^=])")
"""The value of such a call: its only argument without a name, or the one of this name."""


def _call(text: str) -> tuple[str, tuple[str, ...]] | None:
    """What such a call is of, and what it is given."""
    opened = _ASKED_FROM.match(text)
    span = bracketed(text[opened.end() :]) if opened else None
    whole = opened is not None and span is not None and span.whole and opened.end() + span.length == len(text)
    return (opened[1], span.parts) if opened and span and whole else None
