"""Dispatch conditions: predicates over hardware, versions, types and sizes that select a backend or a kernel.

Told only when the predicate itself changed: an `if`, a `return` or a named condition that stands at the same place of
its function (in C++ of the hunk) on both sides and asks something else now, in normal form.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, TypeGuard

from daybreak.core.profiles import field
from daybreak.core.text import contrast
from daybreak.findings.diff import DiffHunk, SideLine
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, indent, one_line, place, quiet, squeezed, unwrapped
from daybreak.findings.languages.clauses import implies, written
from daybreak.findings.languages.dispatch_text import HARDWARE, JOINS, SHAPE, asks_something_else, core
from daybreak.findings.languages.predicates import is_predicate
from daybreak.findings.languages.python_functions import Function, Pair, Sources, sources
from daybreak.findings.languages.python_normal import Scope, question
from daybreak.findings.languages.python_public import holds_settings
from daybreak.findings.languages.python_syntax import called_name, statements, walk

_PYTHON = re.compile(r"\.pyi?$")
_HEAD_C = re.compile(
    r"\s*(?:\}?\s*(?:else\s+)?(if)\s*(?:constexpr\s*)?(?=\()|#\s*(if|elif)\s+|(?:const\s+)?(?:bool|auto)\s+(\w+)\s*=\s*)"
)
_CHOICE = re.compile(
    rf"kernel|backend|impl|fused|{'|'.join(field().chosen)}|use_|gemm|dispatch"
    r"|\bsupport|enable|cuda_?graph|launch|launcher|fallback|Backend",
    re.IGNORECASE,
)
_PREDICATE = re.compile(r"\b(?:if|elif|return|and|or|not|in)\b|=")
_JOINED = re.compile(r"^\s*(?:and|or)\b|\b(?:and|or)\s*$", re.MULTILINE)
"""A part of a condition over several lines: the rest of it may stand on lines that did not change."""
_OPERATOR = re.compile(r"==|!=|<=?|>=?|\bin\b|\bnot\b|\band\b|\bor\b|\bis\b|&&|\|\||\(\)|\w\(|^\w+$|defined")
_RAISES = re.compile(
    r"\s*(?:raise\b|assert\b|logger|log\.|warnings|pytest|TORCH_CHECK|TVM_FFI_ICHECK|throw\b|return\s+(?:self\.)?create_error)"
)


class Predicate(NamedTuple):
    """A condition on one side of a hunk."""

    line: int
    at: int
    head: str
    """`if`, `return` or the name it is given to."""
    slot: int
    """Unchanged lines of the hunk before it: the same number means the same place."""
    depth: int
    text: str
    below: str
    changed: bool


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Predicates that ask something else than before."""
    if quiet(file):
        return
    told: set[tuple[str | None, str | None]] = set()
    if _PYTHON.search(file.path):
        found = (fact for pair in sources(whole).pairs.get(file.path, ()) for fact in _python(pair, whole))
    else:
        found = (fact for hunk in file.hunks for fact in _compare(file, hunk, whole))
    for fact in found:
        if (fact.before, fact.after) not in told and len(told) < PER_FILE:
            told.add((fact.before, fact.after))
            yield fact


# --- Python ----------------------------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """A predicate of a function; the block that it decides about."""

    function: Function
    node: ast.expr
    head: str
    block: Sequence[ast.stmt]
    otherwise: Sequence[ast.stmt] = ()

    @property
    def text(self) -> str:
        return one_line(unwrapped(self.function.source(self.node)))

    @property
    def below(self) -> str:
        return ast.unparse(self.block[0])[:400] if self.block else ""


def _python(pair: Pair, whole: Whole) -> Iterator[Fact]:
    if pair.old is None or pair.new is None or is_predicate(pair):
        return
    yield from _taken_elsewhere(pair, pair.old, pair.new, whole)
    changed = "\n".join(line[:MAX_LINE] for line in (*pair.old.changed(pair.new), *pair.new.changed(pair.old)))
    if not _PREDICATE.search(changed):
        return
    settles = holds_settings(pair.file, pair.new.name)
    if not (settles or HARDWARE.search(changed) or SHAPE.search(changed) or _JOINED.search(changed)):
        return
    known = sources(whole)
    before, after = (_asked(one) for one in (pair.old, pair.new))
    for was, now in _changed_places(before, after, *next(known.readings(pair))):
        if squeezed(was.text) == squeezed(now.text) or not (_selects(was, now) or (settles and _fills(was, now))):
            continue
        if _RAISES.match(now.below) or _RAISES.match(was.below) or (_words_alone(was) and _words_alone(now)):
            continue
        if _same_question(was, now, pair, known) or _moved_into_callee(was, now, known) or _is_split(was, now):
            continue
        name = now.head.removeprefix("self.")
        symbol = pair.place
        if now.head not in ("if", "return"):
            symbol = f"{symbol}.{name}" if pair.new.name else name
        yield Fact("dispatch_changed", pair.file.path, now.function.at(now.node), symbol, *contrast(was.text, now.text))


def _fills(was: Asked, now: Asked) -> bool:
    """Both decide about the value of the same setting, which is written out: its default is another one for some."""
    first, second = (_filled(one.block) for one in (was, now))
    return bool(first & second)


def _words_alone(asked: Asked) -> bool:
    """What it decides is the text of a message: nothing runs otherwise."""
    return bool(asked.block) and all(
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and " " in str(node.value.value)
        for node in (*asked.block, *asked.otherwise)
    )


def _filled(block: Sequence[ast.stmt]) -> set[str]:
    assigned = (node for node in block if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant))
    names = (ast.unparse(target) for node in assigned for target in node.targets if isinstance(target, ast.Attribute))
    return {name for name in names if name.startswith("self.")}


def _asked(function: Function) -> list[Asked]:
    """The predicates of a function in their order."""
    out: list[Asked] = []
    for node in statements(function.body):
        if isinstance(node, ast.If):
            out.append(Asked(function, node.test, "if", node.body, node.orelse))
        elif isinstance(node, ast.Return) and node.value is not None:
            out.append(Asked(function, node.value, "return", ()))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name = ast.unparse(target) if isinstance(target, ast.Name | ast.Attribute) else ""
            if re.fullmatch(r"(?:self\.)?\w+", name):
                out.append(Asked(function, node.value, name, ()))
    return out[:400]


def _changed_places(
    old: Sequence[Asked], new: Sequence[Asked], was: Scope, now: Scope
) -> Iterator[tuple[Asked, Asked]]:
    """Predicates at the same place that read otherwise: as many on the one side as on the other, heads alike."""
    first, second = (
        [(a.head, written(question(a.node, scope))) for a in some] for some, scope in ((old, was), (new, now))
    )
    for tag, i, i_end, j, j_end in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag != "replace":
            continue
        left, right = old[i:i_end], new[j:j_end]
        heads = [a.head for a in left] == [a.head for a in right]
        if not heads:
            kinds = {a.head for a in left} & {a.head for a in right}
            left, right = ([a for a in some if a.head in kinds] for some in (left, right))
        if [a.head for a in left] == [a.head for a in right] and len(left) <= 3:
            asked = {id(a): key for a, key in (*zip(old, first, strict=True), *zip(new, second, strict=True))}
            pairs = zip(left, right, strict=True)
            yield from (pair for pair in pairs if not _stands(asked[id(pair[0])], first, second))


def _stands(key: tuple[str, str], first: Sequence[tuple[str, str]], second: Sequence[tuple[str, str]]) -> bool:
    """A question is asked as often as before, only at another place of the function."""
    return key[0] == "if" and second.count(key) >= first.count(key)


def _same_question(was: Asked, now: Asked, pair: Pair, known: Sources) -> bool:
    """The same question in other words, or its opposite with the branches in each other's place."""
    for old, new in known.readings(pair):
        asked = question(now.node, new)
        if question(was.node, old) == asked or (now.head == "if" and question(was.node, old, False) == asked):
            return True
    return False


def _moved_into_callee(was: Asked, now: Asked, known: Sources) -> bool:
    """A part of the condition is left out, and what the block calls now leaves early where it did not."""
    fewer = implies(question(was.node), question(now.node))
    calls = [n for n in walk(now.block) if isinstance(n, ast.Call)] if fewer else []
    names = {called_name(n) for n in calls}
    if len(now.block) != 1 or not names:
        return False
    callees = [p for some in known.pairs.values() for p in some if p.new is not None and p.new.short in names]
    return any(_exits(p.new) > (_exits(p.old) if p.old else 0) for p in callees if p.new is not None)


def _is_split(was: Asked, now: Asked) -> bool:
    """Each of the cases that had one branch together has a branch now, of its own or not: nobody falls through."""
    chain = [*_cases(now.node), *(case for test, _ in _branches(now.otherwise) for case in _cases(test))]
    cases = _cases(was.node)
    return now.head == "if" and len(cases) > 1 and set(cases) <= set(chain)


def _cases(test: ast.expr) -> list[str]:
    """`a or b` as its two cases."""
    return [ast.unparse(one) for one in (test.values if _is_either(test) else [test])]


def _is_either(test: ast.expr) -> TypeGuard[ast.BoolOp]:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)


def _branches(chain: Sequence[ast.stmt]) -> Iterator[tuple[ast.expr, Sequence[ast.stmt]]]:
    """Tests of an `if` and its `elif`, each with its block."""
    while len(chain) == 1 and isinstance(node := chain[0], ast.If):
        yield node.test, node.body
        chain = node.orelse


def _taken_elsewhere(pair: Pair, old: Function, new: Function, whole: Whole) -> Iterator[Fact]:
    """Names that one platform takes from another module than before: another implementation runs there."""
    if old.name or new.name:
        return
    before, after = _taken(old), _taken(new)
    for case in (case for case in before if case in after):
        was, (line, now) = before[case][1], after[case]
        switched: dict[tuple[str, str], list[str]] = {}
        for name in (name for name in was if name in now and not _is_same(name, was[name], now[name], whole)):
            switched.setdefault((was[name], now[name]), []).append(name)
        for modules, names in switched.items():
            first, second = (f"if {case}: from {module} import {', '.join(names)}" for module in modules)
            yield Fact("dispatch_changed", pair.file.path, line, pair.place, first, second)


def _is_same(name: str, was: str, now: str, whole: Whole) -> bool:
    """The two modules give one thing: a package and a module of it, or one that was renamed or lost the definition here."""
    inside = f"{was}.".startswith(f"{now}.") or f"{now}.".startswith(f"{was}.")
    paths = (old.removesuffix(".py").replace("/", ".") for old, _ in whole.renames)
    left = re.compile(rf"\s*(?:async )?(?:def|class) {re.escape(name)}\b")
    return inside or any(path.endswith(was.lstrip(".")) for path in paths) or any(map(left.match, whole.removed_lines))


def _taken(module: Function) -> dict[str, tuple[int, dict[str, str]]]:
    """Hardware that a module asks for as it is loaded -> where, and which names it takes there from which modules."""
    out: dict[str, tuple[int, dict[str, str]]] = {}
    for top in module.body:
        for test, block in _branches([top]):
            for case in filter(HARDWARE.search, _cases(test)):
                names = out.setdefault(case, (module.at(test), {}))[1]
                for node in block:
                    if isinstance(node, ast.ImportFrom):
                        source = "." * node.level + (node.module or "")
                        names.update({alias.name: source for alias in node.names if alias.asname is None})
    return out


def _exits(function: Function) -> int:
    ifs = (node for node in function.body if isinstance(node, ast.If))
    return sum(isinstance(node.body[-1], ast.Return) for node in ifs)


# --- C++ -------------------------------------------------------------------------------------------------------------


def _compare(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    former, at = _side(hunk, "-")
    before = _predicates(former, at)
    if not before:
        return
    lines, slots = _side(hunk, "+")
    after = _predicates(lines, slots)
    for was, now in _pairs(before, after):
        if _type_around(former, was.at) != _type_around(lines, now.at) or _is_nested(was, now, after):
            continue
        if not (was.changed or now.changed) or not asks_something_else(was.text, now.text, whole):
            continue
        if not _selects(was, now) or _RAISES.match(now.below) or _RAISES.match(was.below):
            continue
        symbol = place(lines, now.at, hunk, file)
        if now.head not in ("if", "return"):
            symbol = now.head if symbol == file.path.rsplit("/", 1)[-1] else f"{symbol}.{now.head}"
        yield Fact("dispatch_changed", file.path, now.line, symbol, *contrast(was.text, now.text))


def _is_nested(was: Predicate, now: Predicate, after: Sequence[Predicate]) -> bool:
    """What the condition asks no longer, another one below it asks: the two hold together as the one did."""
    first, _, rest = core(was.text).partition("&&")
    below = (one for one in after if one.changed and one.at > now.at)
    return bool(rest) and first == core(now.text) and any(core(unwrapped(one.text)) == rest for one in below)


def _type_around(lines: Sequence[SideLine], at: int) -> str:
    """The last type whose head stands above a line: one that went and one that came are two things, however alike."""
    return next((m[1] for x in reversed(lines[:at]) if (m := _TYPE_HEAD.match(x.text[:MAX_LINE]))), "")


_TYPE_HEAD = re.compile(r"(?:template\s*<[^;{]*>\s*)?(?:struct|class|union)\s+(\w+)[^;]*$")


def _side(hunk: DiffHunk, sign: str) -> tuple[list[SideLine], list[int]]:
    """Lines of one side, and for each the number of unchanged lines before it."""
    lines: list[SideLine] = []
    slots: list[int] = []
    kept = 0
    for x in hunk.lines:
        if x.sign in (sign, " "):
            lines.append(SideLine(x.text, x.new if sign == "+" else x.old, x.sign != " "))
            slots.append(kept)
        kept += x.sign == " "
    return lines, slots


def _predicates(lines: Sequence[SideLine], slots: Sequence[int]) -> list[Predicate]:
    out: list[Predicate] = []
    for at, line in enumerate(lines):
        if not (line.changed or _open(lines, at)) or len(line.text) > MAX_LINE or len(out) > 60:
            continue
        match = _HEAD_C.match(line.text)
        if match is None:
            continue
        text, behind = _c_statement(lines, at)
        condition = _condition(text[match.end() :])
        if not condition or not _OPERATOR.search(condition):
            continue
        head = next(g for g in match.groups() if g)
        below = lines[behind].text if behind < len(lines) else ""
        changed = any(x.changed for x in lines[at:behind])
        kind = "if" if head == "elif" else head
        out.append(Predicate(line.number, at, kind, slots[at], indent(line.text), condition, below, changed))
    return out


def _open(lines: Sequence[SideLine], at: int) -> bool:
    """A statement that starts at an unchanged line may go on into changed ones, on this side or the other."""
    return lines[at].text.rstrip().endswith(("(", "[", ",", "&&", "||", "\\"))


def _condition(rest: str) -> str:
    text = re.sub(r"//.*", "", rest.strip()).strip().rstrip("{; ").strip()
    return one_line(unwrapped(text))


def _c_statement(lines: Sequence[SideLine], at: int) -> tuple[str, int]:
    """A C condition to the end of its brackets, a preprocessor line to its last continuation."""
    depth, out = 0, []
    for n in range(at, min(at + 12, len(lines))):
        text = lines[n].text[:MAX_LINE]
        out.append(text.rstrip("\\"))
        bare = re.sub(r"\"[^\"]*\"|'[^']*'|//.*", "", text)
        depth += bare.count("(") - bare.count(")")
        if depth <= 0 and not text.endswith("\\"):
            return "\n".join(out), n + 1
    return "", at + 1


def _pairs(old: Sequence[Predicate], new: Sequence[Predicate]) -> Iterator[tuple[Predicate, Predicate]]:
    """Predicates at the same place: same run of changes, same head, same depth, the same order."""
    slots: dict[tuple[int, str, int], tuple[list[Predicate], list[Predicate]]] = {}
    for n, side in enumerate((old, new)):
        for p in side:
            slots.setdefault((p.slot, p.head, p.depth), ([], []))[n].append(p)
    for was, now in slots.values():
        same = {squeezed(p.text) for p in was} & {squeezed(p.text) for p in now}
        first = [p for p in was if squeezed(p.text) not in same]
        second = [p for p in now if squeezed(p.text) not in same]
        if len(first) == len(second) and len(first) <= 3:
            yield from zip(first, second, strict=True)


def _selects(was: Predicate | Asked, now: Predicate | Asked) -> bool:
    """Hardware on either side, or a size or type that decides about a kernel; and both must ask about one thing."""
    atoms = [set(re.findall(r"[A-Za-z_]\w{2,}", p.text)) - _COMMON for p in (was, now)]
    if not atoms[0] & atoms[1] and not (HARDWARE.search(was.text) and HARDWARE.search(now.text)):
        return False
    if now.head != "if" and not (_question(was.text) and _question(now.text)):
        return False
    if HARDWARE.search(was.text) or HARDWARE.search(now.text):
        return True
    if len(atoms[0] & atoms[1]) * 2 < len(atoms[0] | atoms[1]):
        return False  # another question altogether: the code was rewritten
    shaped = SHAPE.search(was.text) or SHAPE.search(now.text)
    return bool(shaped and _CHOICE.search(f"{was.text} {now.text} {was.below} {now.below} {now.head}"))


_COMMON = frozenset(
    {
        "self",
        "and",
        "not",
        "None",
        "True",
        "False",
        "len",
        "torch",
        "config",
        "isinstance",
        "getattr",
        "current_platform",
    }
)


def _question(text: str) -> bool:
    """True or false rather than a value that is computed: outside its brackets it compares or joins, or it is a call
    that asks about hardware.
    """
    outer, depth = [], 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            outer.append(char)
    bare = "".join(outer)
    if re.search(r"\bif\b|\blambda\b", bare):
        return False
    return bool(JOINS.search(bare)) or (len(text) < 100 and bool(HARDWARE.match(text.rsplit(".", maxsplit=1)[-1])))
