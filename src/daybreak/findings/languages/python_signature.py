"""Two signatures of one Python function compared: what a caller must write otherwise."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from daybreak.findings.blobs import Row
from daybreak.findings.languages.base import MAX_SPAN, Whole, bracketed, keywords
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.python_types import one_writing, step, takes_place

# --- Python as text: strings over several lines taken out, comments cut, brackets counted, parameters split ---


_TOKEN = re.compile(r"#|\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?")


def without_texts(text: str) -> str | None:
    """The file with each triple-quoted string replaced by `""`, line numbers kept; None when one never closes."""
    out: list[str] = []
    at = 0
    marks = [('"""', text.find('"""')), ("'''", text.find("'''"))]
    while (found := _first(text, marks, at)) is not None:
        quote, start = found
        opened, skip = _opens(text, at, start)
        if not opened:
            out.append(text[at:skip])
            at = skip
            continue
        closed = _closing(text, start + 3, quote)
        if closed < 0:
            return None
        lines = text.count("\n", start, closed)
        out.append(text[at:start])
        out.append('""')
        if lines:
            end = text.find("\n", closed)
            rest = text[closed : end if end >= 0 else len(text)].strip()
            # what follows a long text is deep inside, so that it never looks like a statement of its own
            out.append("\n" * lines + (" " * 80 if rest else ""))
        at = closed
    out.append(text[at:])
    return "".join(out)


def _first(text: str, marks: list[tuple[str, int]], at: int) -> tuple[str, int] | None:
    """The nearest of the marks from `at` on; each is looked for only behind where it was last seen.

    Two plain searches are many times faster than one pattern that may begin with either.
    """
    for number, (quote, seen) in enumerate(marks):
        if 0 <= seen < at:
            marks[number] = (quote, text.find(quote, at))
    return min((mark for mark in marks if mark[1] >= 0), key=_place, default=None)


def _place(mark: tuple[str, int]) -> int:
    return mark[1]


def _opens(text: str, start: int, at: int) -> tuple[bool, int]:
    """Whether the three quotes at `at` open a string; if not, from where to look on (never before `at`)."""
    line = max(text.rfind("\n", start, at) + 1, start)
    while line < at:
        token = _TOKEN.search(text, line)
        if token is None or token.start() >= at:
            return True, at
        if token[0] == "#":
            end = text.find("\n", at)
            return False, end if end >= 0 else len(text)
        if token.end() > at:
            return False, max(token.end(), at + 1)
        line = token.end()
    return True, at


def _closing(text: str, at: int, quote: str) -> int:
    """Where a triple-quoted string ends, or -1."""
    while (end := text.find(quote, at)) >= 0:
        slashes = 0
        while end - 1 - slashes >= at and text[end - 1 - slashes] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return end + 3
        at = end + 1
    return -1


_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#.*$")


def whole_names(text: str) -> frozenset[str]:
    """The names in it, an option's as its programs call it: a longer name that holds one is another."""
    flat = (word.lstrip("_") for word in re.findall(r"\w+", text.replace("-", "_")))
    return frozenset((*re.findall(r"\w+", text), *flat))


def without_sentences(rows: Sequence[str], body: Sequence[ast.stmt]) -> str:
    """The lines of a function without its docstring, its comments and its messages: a text with a blank in it, as in
    `raise ValueError("no backend")`, is no key and no choice.
    """
    first = body[0].value if body and isinstance(body[0], ast.Expr) else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        rows = [*rows[: first.lineno - 1], *rows[first.end_lineno :]]
    text = _COMMENT.sub("", "\n".join(rows))
    return _STRING.sub(lambda found: "" if " " in found[0] else found[0], text)


def before_hash(line: str) -> str:
    """The line without its comment and the white space before it."""
    if "#" not in line:
        return line.rstrip()
    for mark in _TOKEN.finditer(line):
        if mark[0] == "#":
            return line[: mark.start()].rstrip()
    return line.rstrip()


def whole_lines(lines: Iterable[str]) -> str:
    """Lines as one text; one that goes on behind a backslash stands together with the next."""
    out: list[str] = []
    on = False
    for line in lines:
        out.append(" " if on else "\n")
        on = _goes_on(line)
        out.append(line[:-1].rstrip() if on else line)
    return "".join(out[1:])


def _goes_on(line: str) -> bool:
    """It ends in a backslash that is no part of a string."""
    if not line.endswith("\\"):
        return False
    strings = [mark[0] for mark in _STRING.finditer(line) if mark.end() == len(line) - 1]
    return all(len(text) > 1 and text[0] == text[-1] for text in strings)


def depth_of(line: str) -> int:
    """Opening minus closing brackets, those in strings not counted."""
    if '"' in line or "'" in line:
        line = _STRING.sub("", line)
    opened = line.count("(") + line.count("[") + line.count("{")
    return opened - line.count(")") - line.count("]") - line.count("}")


def split_default(part: str) -> tuple[str, str | None]:
    """`x: int = 3` → (`x: int`, `3`); an equals sign inside brackets or a string does not count."""
    depth = at = 0
    while at < len(part):
        char = part[at]
        if char in "\"'":
            token = _STRING.match(part, at)
            at = token.end() if token else at + 1
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "=" and depth == 0 and part[at + 1 : at + 2] != "=" and part[at - 1 : at] not in tuple("=!<>:"):
            return part[:at].strip(), part[at + 1 :].strip()
        at += 1
    return part.strip(), None


_OPEN = re.compile(r"(?:async\s+)?def\s+\w+\s*(?:\[[^\]]*\])?\s*\(")
_PLUMBING = frozenset({"loc", "ip"})
"""Places in the generated code that a compiler's own decorators pass on; nobody writes them."""
Kind = Literal["only_positional", "both", "only_keyword", "rest"]


class Parameter(Struct, frozen=True):
    """One parameter as it is written."""

    name: str
    kind: Kind
    annotation: str
    default: str | None

    @property
    def required(self) -> bool:
        return self.default is None and self.kind != "rest"

    @property
    def shown(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"

    @property
    def declared(self) -> str:
        """With its type, as the head writes it."""
        if not self.annotation:
            return self.shown
        return f"{self.name}: {self.annotation}" + ("" if self.default is None else f" = {self.default}")


class Signature(Struct, frozen=True):
    """All of a function's head that a caller can notice."""

    parameters: tuple[Parameter, ...]
    returns: str

    @property
    def named_rest(self) -> str:
        """`**kwargs`, which takes any keyword."""
        return next((p.name for p in self.parameters if p.name.startswith("**")), "")

    @property
    def takes_any(self) -> bool:
        return bool(self.named_rest)

    @property
    def takes_more(self) -> bool:
        """Any number of arguments by place."""
        return any(p.kind == "rest" and not p.name.startswith("**") for p in self.parameters)

    @property
    def placed(self) -> tuple[Parameter, ...]:
        """What can be given by place, in its order."""
        return tuple(p for p in self.parameters if p.kind in ("both", "only_positional"))


class Difference(Struct, frozen=True):
    """One difference: the finding's kind, the parameter, before and after, and whether it can break a caller."""

    kind: str
    name: str
    before: str | None
    after: str | None
    breaks: bool


def signature(row: Row) -> Signature | None:
    """The signature of a function or method row; None when it cannot be trusted."""
    opened = _OPEN.match(row.text)
    span = bracketed(row.text[opened.end() :]) if opened else None
    if opened is None or span is None or not span.whole:
        return None
    found: list[Parameter] = []
    kind: Kind = "both"
    parts = span.parts
    if row.kind == "method" and parts and "staticmethod" not in row.details.get("decorators", ""):
        parts = parts[1:]
    for part in _lambdas(parts):
        if part == "/":
            found = [Parameter(p.name, "only_positional", p.annotation, p.default) for p in found]
            continue
        if part.startswith("*"):
            if part.strip() != "*":
                found.append(Parameter(part.split(":")[0].strip(), "rest", part.partition(":")[2].strip(), None))
            kind = "only_keyword"
            continue
        head, default = split_default(part)
        name, _, annotation = (piece.strip() for piece in head.partition(":"))
        found.append(Parameter(name, _by_place(name, kind), *one_writing(annotation, default)))
    tail = row.text[opened.end() + span.length :]
    returns = re.match(r"\s*->\s*(.{0,400}?)\s*:", tail + ":")
    return Signature(tuple(found), returns[1] if returns else "")


def _by_place(name: str, kind: Kind) -> Kind:
    """`__x` is how a parameter by place alone was written before there was `/`."""
    dunder = name.startswith("__") and not name.endswith("__")
    return "only_positional" if dunder and kind == "both" else kind


def _lambdas(parts: tuple[str, ...]) -> Iterator[str]:
    """A default `lambda a, b: …` is one part though it has commas."""
    held = ""
    for part in parts:
        held = f"{held}, {part}" if held else part
        head, word, rest = held.rpartition("lambda")
        if not (word and ":" not in rest and re.search(r"[=\s(]\Z", head)):
            yield held
            held = ""
    if held:
        yield held


def differences(old: Signature, new: Signature) -> Iterator[Difference]:
    """Every difference, parameter by parameter."""
    was = {p.name: p for p in old.parameters if p.kind != "rest"}
    now = {p.name: p for p in new.parameters if p.kind != "rest"}
    for name, first in was.items():
        if name in now:
            yield from _same_name(first, now[name])
    yield from _came_and_went(old, new, was, now)
    yield from _order(old, new)
    yield from _no_more_rest(old, new, was)
    if not same_value(old.returns, new.returns):
        yield Difference("return_changed", "->", old.returns or None, new.returns or None, False)


def _no_more_rest(old: Signature, new: Signature, was: Mapping[str, Parameter]) -> Iterator[Difference]:
    """It took any keyword and takes none but its own; where names came in its place, those may be all that was passed."""
    come = any(p.name not in was for p in new.parameters if p.kind != "rest")
    if old.takes_any and not new.takes_any and not come:
        yield Difference("parameter_removed", old.named_rest, old.named_rest, None, True)


def is_new_answer(d: Difference, whole: Whole) -> bool:
    """It gives back something of another type, which comes with the change: a hint alone would not need it."""
    if d.kind != "return_changed":
        return False
    before, after = d.before or "", d.after or ""
    names = set(re.findall(r"[A-Z]\w+", after)) - set(re.findall(r"\w+", before))
    came = {name for name in names if name in whole.defined and not whole.stood(name)}
    return bool(came) and (step(before, after) == "other" or takes_place(before, after, came))


def is_other_choice(d: Difference) -> bool:
    """One of several ways is taken where the caller names none, and another one was; `auto` may well take the same. A measure
    that is no whole number (a scale, a threshold) alters what comes out; whole ones are mostly sizes.
    """
    before, after = d.before or "", d.after or ""
    texts = all(map(_CHOICE.fullmatch, (before, after))) and after.strip("\"'") != "auto"
    measure = _MEASURE.fullmatch(before) and (after == "None" or _NUMBER.fullmatch(after))
    return d.kind == "parameter_default_changed" and bool(texts or measure)


_CHOICE = re.compile(r"([\"'])[\w.-]{1,60}\1")
_MEASURE = re.compile(r"-?\d{1,20}(?:\.\d{0,20}(?:e-?\d{1,3})?|e-?\d{1,3})")
_NUMBER = re.compile(rf"-?\d{{1,20}}|{_MEASURE.pattern}")


def _same_name(was: Parameter, now: Parameter) -> Iterator[Difference]:
    if was.default is not None and now.default is None:
        yield Difference("parameter_required_added", was.name, was.shown, now.name, True)
    elif was.default is not None and not _same_default(
        was.default, now.default
    ):  # one that may be left out hits nobody
        yield Difference("parameter_default_changed", was.name, was.default, now.default, False)
    if was.kind != now.kind:
        words = (was.kind.replace("_", " "), now.kind.replace("_", " "))
        yield Difference("parameter_kind_changed", was.name, *words, now.kind != "both")
    if not same_value(was.annotation, now.annotation):
        yield Difference("annotation_changed", was.name, was.annotation or None, now.annotation or None, False)


def _same_default(one: str, other: str | None) -> bool:
    """The same value, or nothing switched on, written as `None` and as `False`."""
    return same_value(one, other) or {one, other} == {"None", "False"}


def _came_and_went(
    old: Signature, new: Signature, was: dict[str, Parameter], now: dict[str, Parameter]
) -> Iterator[Difference]:
    """Parameters that only one side has; one for one at the same place is a rename, which keyword callers notice."""
    placed = [(gone, here) for gone, here in _by_place_alone(old, new) if gone.name not in now and here.name not in was]
    for gone, here in placed:
        yield from _other_name(gone, here)
    known = {p.name for pair in placed for p in pair}
    lost = [p for p in was.values() if p.name not in now and p.name not in known]
    come = [p for p in now.values() if p.name not in was and p.name not in known]
    for gone, here in _all_renamed(old, new, lost, come):
        if not gone.name.startswith("_"):  # what is taken and not used has no name that anybody passes
            yield Difference("parameter_renamed", gone.name, gone.name, here.name, not new.takes_any)
        rest = (d for d in _same_name(gone, here) if d.kind != "annotation_changed")
        yield from (replace(d, name=here.name) for d in rest)  # told of the name that it has now
        lost, come = [p for p in lost if p is not gone], [p for p in come if p is not here]
    pairs = (zip(*gap, strict=True) for gap in replaced(old, new, lost, come) if len(gap[0]) == len(gap[1]))
    instead = {gone.name: here.name for pair in pairs for gone, here in pair}
    for p in lost:
        if new.takes_any and p.kind == "both" and p.name not in instead:  # taken with all others that have a name
            yield Difference("parameter_kind_changed", p.name, "both", new.named_rest, False)
        else:
            yield Difference("parameter_removed", p.name, p.shown, instead.get(p.name), _missed(p, new))
    for p in come:
        kind = "parameter_required_added" if p.required else "parameter_added"
        yield Difference(kind, p.name, None, p.shown, p.required)


Gap = tuple[list[Parameter], list[Parameter]]


def replaced(old: Signature, new: Signature, lost: Iterable[Parameter], come: Iterable[Parameter]) -> list[Gap]:
    """What went and what came behind the same parameter that both have: one for one, or others that must be given."""
    gaps: dict[str, Gap] = {}
    for side, (sign, others) in enumerate(((old, list(lost)), (new, list(come)))):
        last = ""
        for p in sign.parameters:
            if p in others:
                gaps.setdefault(last, ([], []))[side].append(p)
            elif p.kind != "rest":
                last = p.name
    both = (gap for gap in gaps.values() if gap[0] and gap[1])
    return [gap for gap in both if len(gap[0]) == len(gap[1]) == 1 or any(p.required for p in gap[1])]


def _all_renamed(
    old: Signature, new: Signature, lost: list[Parameter], come: list[Parameter]
) -> list[tuple[Parameter, Parameter]]:
    """All that only changed their names, or the one; options may come or go beside it, but nothing that must be given."""
    if len(lost) == len(come) and all(_renamed(old, new, *pair) for pair in zip(lost, come, strict=True)):
        return list(zip(lost, come, strict=True))
    if 1 not in (len(lost), len(come)):
        return []
    pairs = [(gone, here) for gone in lost for here in come if _renamed(old, new, gone, here)]
    others = [p for p in (*lost, *come) if pairs and p not in pairs[0]]
    return pairs if len(pairs) == 1 and not any(p.required for p in others) else []


def _by_place_alone(old: Signature, new: Signature) -> Iterator[tuple[Parameter, Parameter]]:
    """Pairs at the same place one of which cannot be passed by name: one parameter, whatever it is called."""
    pairs = zip(old.placed, new.placed, strict=False)
    return ((gone, here) for gone, here in pairs if "only_positional" in (gone.kind, here.kind))


def _other_name(gone: Parameter, here: Parameter) -> Iterator[Difference]:
    """At the same place under another name: it breaks those who pass the old name, where that could be passed."""
    if gone.kind == "only_positional":
        yield Difference("parameter_renamed", gone.name, gone.name, here.name, False)
    yield from (d for d in _same_name(gone, here) if d.kind != "annotation_changed")


def _missed(gone: Parameter, new: Signature) -> bool:
    """Whether a caller that passes the parameter fails: what is passed by place alone, `**kwargs` does not take."""
    if gone.kind == "only_positional":
        return not new.takes_more
    return not gone.name.startswith("_") and not new.takes_any and gone.name not in _PLUMBING


def _renamed(old: Signature, new: Signature, gone: Parameter, here: Parameter) -> bool:
    """At the same place, of the same type; where no type is written, with the same default; never the opposite one."""
    if {gone.default, here.default} == {"True", "False"}:
        return False
    same_place = old.parameters.index(gone) == new.parameters.index(here)
    same_place = same_place and (bool(gone.annotation) or same_value(gone.default, here.default))
    return (
        same_place and gone.kind == here.kind and gone.annotation == here.annotation and gone.required == here.required
    )


def _order(old: Signature, new: Signature) -> Iterator[Difference]:
    """Parameters that can be given by place and changed their order."""
    was, now = {p.name: p for p in old.placed}, {p.name: p for p in new.placed}
    common, after = [name for name in was if name in now], [name for name in now if name in was]
    if common != after:
        yield Difference("parameter_moved", "", ", ".join(common), ", ".join(after), True)
    elif _pushed(was, now):
        yield Difference("parameter_moved", "", ", ".join(was), ", ".join(now), True)


def _pushed(was: dict[str, Parameter], now: dict[str, Parameter]) -> bool:
    """An option came in front of what is given by place alone: the same call means another parameter now."""
    places = {name: place for place, name in enumerate(now)}
    if not was.keys() <= now.keys() or any(p.required for name, p in now.items() if name not in was):
        return False  # told as what went or must be given
    alone = (name for name, p in was.items() if p.kind == now[name].kind == "only_positional")
    return any(list(was).index(name) != places[name] for name in alone)


def pushed_back(old: Signature, new: Signature) -> Iterator[Difference]:
    """An option that came in front of others: a call by place gives it what was meant for the next one."""
    was, now = ([p.name for p in side.placed] for side in (old, new))
    if set(was) < set(now) and now[: len(was)] != was:
        first = next(at for at, name in enumerate(was) if now[at] != name)
        near = ([*names] if first < _SHOWN else ["…", *names[first - 1 : first + 2]] for names in (was, now))
        before, after = map(", ".join, near)
        yield Difference("parameter_moved", "", before, after, True)


_SHOWN = 6
"""Parameters before the first that moved which are told with it; of more those beside it."""


def handed_over(whole: Whole, method: str, new: Signature) -> set[str]:
    """Parameters that calls of the method are given by name after the commit: whoever wrote it without them is called so."""
    called = re.compile(rf"(?<!super\(\))\.{re.escape(method)}\(")
    calls = (bracketed(whole.standing[m.end() :][:MAX_SPAN]) for m in called.finditer(whole.standing))
    given = {name for span in calls if span and span.whole for name in keywords(span.parts)}
    return given & {p.name for p in new.parameters}


def without_types(head: str) -> str:
    """The head of a function by the names of its parameters and what they default to; as it is where it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (made,) = ast.parse(f"def {head}: ...").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return head
    if not isinstance(made, ast.FunctionDef):
        return head
    for one in ast.walk(made.args):
        if isinstance(one, ast.arg):
            one.annotation = None
    return f"{made.name}({ast.unparse(made.args)})"
