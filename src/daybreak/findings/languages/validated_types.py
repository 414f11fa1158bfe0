"""Types under a name of their own, and the checks that stand beside them: `Budget = Annotated[int, BeforeValidator(check)]`,
`budget: int = Field(default=8, ge=1)`.

Such a name keeps the type that it is made of. What changes is which values of the type are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import MAX_LINE, MAX_SPAN, Fact, Whole, bracketed, keywords
from daybreak.findings.languages.blocks import shown
from daybreak.findings.languages.guard_reading import guards
from daybreak.findings.languages.guard_words import whole_text
from daybreak.findings.languages.python_functions import Function, Sign, sources
from daybreak.findings.memory import remembered

_NAME = re.compile(r"[A-Z_a-z]\w*")
_ANNOTATED = re.compile(r"(?:\w+\.)?Annotated\[")
_VALIDATOR = re.compile(r"(?:\w+\.)?(?:Before|After|Plain|Wrap)Validator\(\s*(?:func\s*=\s*)?([A-Za-z_][\w.]*)\s*\)")
_BOUNDED = re.compile(r"(?:\w+\.)?(?:Field|Interval|Gt|Ge|Lt|Le|Meta|constr|conint|confloat)\(")
_REFUSED = {
    "gt": "{} <= {}", "ge": "{} < {}", "lt": "{} >= {}", "le": "{} > {}", "multiple_of": "{} % {} != 0",
    "min_length": "len({}) < {}", "max_length": "len({}) > {}", "pattern": "not re.fullmatch({1}, {0})",
}  # fmt: skip
"""What a bound turns away, as the check that it stands for."""
_LOW, _HIGH = ("gt", "ge", "min_length"), ("lt", "le", "max_length")
_MOST = 3
"""Checks of one field that are told."""


def written_type(text: str, whole: Whole, sign: Sign) -> str:
    """The type that a name stands for, where a changed file says so; the text itself otherwise."""
    bare = text.strip()
    return _stands_for(whole, sign, bare) or text if _NAME.fullmatch(bare) else text


@remembered(64)
def _stands_for(whole: Whole, sign: Sign, name: str) -> str | None:
    given = re.compile(rf"^{name}(?:\s*:\s*(?:\w+\.)?TypeAlias)?\s*=\s*", re.MULTILINE)
    for file in whole.files:
        if name not in file.change.patch or not file.path.endswith((".py", ".pyi")):
            continue
        text = sources(whole).text(file, sign)
        if found := given.search(text):
            parts = _parts(text[found.end() : found.end() + MAX_SPAN])
            if parts:
                return f"Annotated[{', '.join(parts)}]"
    return None


def _parts(text: str) -> tuple[str, ...]:
    """The type and what stands beside it; nothing where a text is no such type."""
    opened = _ANNOTATED.match(text)
    span = bracketed(text[opened.end() :]) if opened else None
    return span.parts if span is not None and span.whole else ()


def new_checks(
    path: str, line: int, symbol: str, before: str, after: str, whole: Whole, breaks: bool
) -> Iterator[Fact]:
    """Checks that stand beside a type from now on, told of the field that they are asked of."""
    old, new = (_parts(text.strip())[1:] for text in (before, after))
    checks = [check for check in new if check not in old]
    was, now = (next((bounds for check in some if (bounds := _bounds(check))), {}) for some in (old, new))
    yield from _tighter(path, line, symbol, was, now, breaks)
    texts = (text for check in checks for text in _refusals(check, symbol.rpartition(".")[2], whole))
    yield from (Fact("guard_added", path, line, symbol, None, shown(text), breaks) for text in islice(texts, _MOST))


def new_bounds(path: str, both: Iterable[tuple[Row, Row]], breaks: bool) -> Iterator[Fact]:
    """Bounds that fields have got beside their defaults: `Field(default=8, ge=1)`. `both`: each before and after."""
    for was, now in both:
        sides = _bounds(was.details["value"]), _bounds(now.details["value"])
        yield from _tighter(path, now.line, now.name, *sides, breaks)


def _bounds(text: str) -> dict[str, str]:
    """Bounds of a field by their names; none where a text is no such call."""
    opened = _BOUNDED.match(text.strip())
    span = bracketed(text.strip()[opened.end() :]) if opened else None
    named = keywords(span.parts).items() if span is not None and span.whole else ()
    return {name: value for name, value in named if name in _REFUSED and not _is_of_type(name, value)}


_OF_TYPE = re.compile(
    r"-?(?:(?:\w{1,40}\.)?(?:iinfo\([\w.]{0,40}(?:64|long)\)|\w{0,40}(?:64|LONG)_?INFO)\.(max|min)|sys\.maxsize"
    r"|\(?2 ?\*\* ?(?:63|64)\)?(?: ?[-+] ?1)?)|-\(?2 ?\*\* ?3[12]\)?"
)
_ENDS = frozenset(str(sign * (2**bits + more)) for sign in (1, -1) for bits in (63, 64) for more in (-1, 0, 1))


def _is_of_type(name: str, value: str) -> bool:
    """The first or the last number that an integer of the machine holds, as the bound of that side: nobody gave less or more.
    Above 32 bits somebody did: seeds are such numbers.
    """
    found = _OF_TYPE.fullmatch(value)
    below = value.startswith("-") or (found is not None and found[1] == "min")
    return (found is not None or value in _ENDS) and name in (_LOW if below else _HIGH)


def _tighter(
    path: str, line: int, symbol: str, was: dict[str, str], now: dict[str, str], breaks: bool
) -> Iterator[Fact]:
    """Bounds that came, or that turn more away than they did, told of the field and its class."""
    came = {name: value for name, value in now.items() if name not in was and not _is_spelt(name, was)}
    if came:
        asked = " or ".join(_REFUSED[name].format(symbol, value) for name, value in came.items())
        hits = breaks and not all(_is_of_nothing(*one) for one in came.items())
        yield Fact("guard_added", path, line, symbol, None, shown(f"if {asked}: raise ValidationError"), hits)
    for name in (name for name in now if name in was and _is_nearer(name, was[name], now[name])):
        old, new = (f"if {_REFUSED[name].format(symbol, one[name])}: raise ValidationError" for one in (was, now))
        hits = breaks and not _is_of_nothing(name, now[name])
        yield Fact("guard_narrowed", path, line, symbol, shown(old), shown(new), hits)


def _is_of_nothing(name: str, value: str) -> bool:
    """What it turns away is below one: a size or a count that hardly anybody gave."""
    return name in _LOW and value in ("0", "0.0", "1")


def _is_spelt(name: str, was: dict[str, str]) -> bool:
    """A bound of the same side stood there: of integers `gt=0` is `ge=1`."""
    side = next((some for some in (_LOW, _HIGH) if name in some), ())
    return any(other in was for other in side)


def _is_nearer(name: str, was: str, now: str) -> bool:
    """The bound leaves less room than it did; numbers alone can be told apart."""
    try:
        first, second = float(was), float(now)
    except ValueError:
        return False
    return second > first if name in _LOW else second < first if name in _HIGH else False


def _refusals(check: str, field: str, whole: Whole) -> list[str]:
    """What a validator turns away, in words of the field."""
    called = _VALIDATOR.fullmatch(check)
    one = _function(called[1], whole) if called else None
    if one is None or not one.parameters:
        return []
    given = re.compile(rf"\b{re.escape(next(iter(one.parameters)))}\b")
    texts = [given.sub(field, whole_text(guard)) for guard in guards(one)]
    return sorted(texts, key=lambda text: "isinstance(" in text)  # of another type it hardly was before


def _function(name: str, whole: Whole) -> Function | None:
    short = name.rpartition(".")[2]
    known = (
        sources(whole).functions(f, "+") for f in whole.files if f.path.endswith(".py") and short in f.change.patch
    )
    return next((some[key] for some in known for key in (name, short) if key in some), None)


def with_refused(facts: Iterable[Fact], patch: str, whole: Whole) -> Iterator[Fact]:
    """And a parameter that takes another type from now on, where a check that came in its file turns the old one away: a hint alone
    refuses nobody.
    """
    for fact in facts:
        yield fact
        if fact.kind == "annotation_changed" and _is_refused(fact, patch, whole):
            yield replace(fact, kind="parameter_changed", breaking=True)


def _is_refused(fact: Fact, patch: str, whole: Whole) -> bool:
    was, now = (_PLAIN.fullmatch((side or "").strip()) for side in (fact.before, fact.after))
    if not was or not now or now[1] in (was[1], "object") or (was[1], now[1]) == ("bool", "int"):
        return False
    came = re.search(rf"^\+class {now[1]}\b", patch, re.MULTILINE) and not _derives(was[1], now[1], whole)
    if was[0] not in _BUILT_IN and not (came or now[1] == "None"):
        return False
    name = re.escape(fact.symbol.rpartition("(")[2].rstrip(")"))
    alias = re.search(rf"^\+\s{{1,80}}(\w{{1,80}}) = {name}$", patch, re.MULTILINE)
    held = f"(?:{name}|{alias[1]})" if alias else name
    asked = rf"isinstance\({held}, (?:\w+\.){{0,4}}{now[1]}\)"
    demanded = rf"{held} is None(?:,|$)" if now[1] == "None" else asked
    raised = rf"if not {asked}:\n\+\s{{1,80}}raise TypeError\("
    return re.search(rf"^\+\s{{1,80}}(?:{raised}|assert {demanded})", patch, re.MULTILINE) is not None


def _derives(was: str, now: str, whole: Whole) -> bool:
    """The old class may be one of the new: it is written in the change, or some class there has the new one among its bases."""
    head = re.compile(rf"\s{{0,40}}(?:class {was}\b|class \w{{1,80}}\(.{{0,200}}\b{now}\b|{now},?$|{was} = )")
    lines = (line for line in whole.standing.split("\n") if now in line or was in line)
    return not whole.complete or any(head.match(line[:MAX_LINE]) for line in lines)


_BUILT_IN = frozenset({"bool", "bytes", "dict", "float", "int", "list", "set", "str", "tuple"})
"""Types that derive from nothing that a project asks for; of any other the new one may be its base, unless it just came
and the change derives nothing from it."""
_PLAIN = re.compile(r"(?:[A-Za-z_]\w*\.){0,4}([A-Za-z_]\w*)")


# --- hints that nobody asks for ------------------------------------------------------------------------------------

_STANDARD = re.compile(r"(?:dataclasses\.)?dataclass(?:\(|$)")
_BY_HINT = re.compile(r"\b(?:metadata\s*=|Field\()")
"""What a parser that reads annotations, or one that checks, is told beside a field."""
_READERS = re.compile(r"(?:pydantic|transformers|trl|tyro|simple_parsing|jsonargparse|draccus|typer)\b")
"""Packages that check values by annotations, or make options of them."""


def hint_alone(side: Surface, owner: Row, field: Row) -> bool:
    """The type of a field is a note to type checkers: a dataclass of the standard library looks at none, it has no base that could,
    and its file takes nothing from those that read annotations.
    """
    marks = [mark for mark in owner.details.get("decorators", "").split("\n") if mark]
    plain = len(marks) == 1 and _STANDARD.match(marks[0]) is not None and not owner.details.get("bases")
    taken = (
        row
        for row in side.of("import")
        if "arser" in row.name or row.name.startswith("dataclass") or row.text == row.name
    )
    return plain and not _BY_HINT.search(field.details["value"]) and not any(_READERS.match(row.text) for row in taken)
