"""Guards of Python code: `assert`, and `raise` under an `if`, on arguments, requests and configuration.

The guards of one function before and after are paired by what they turn away, in normal form: the same, moved, widened,
narrowed, other, new or gone. A guard counts in a function that was there before: checks of new code, and checks that ask
for a name which the change adds, turn away nobody who came through before. Asserts that only help the type checker
(`is not None`, `isinstance`) say nothing to a user.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import (
    PER_FILE,
    beside,
    contrast,
    negation_of,
    one_line,
    quiet,
    renamed,
    run_around,
    shown,
    swapped,
    unwrapped,
)
from daybreak.findings.languages.clauses import ALWAYS, NEVER, Atom, Clause, Question, both, implies, of_nothing
from daybreak.findings.languages.python_functions import Function, Pair, Sign, sources
from daybreak.findings.languages.python_normal import Scope, question
from daybreak.findings.languages.python_public import holds_settings
from daybreak.findings.languages.python_syntax import bodies, statements, walk

_ERROR = re.compile(r"[\w.]{0,60}(?:Error|HTTPException|Exception)$")
_TALK = re.compile(r"(?:[\w.]*log(?:ger)?\.\w+\(|\w*(?:msg|message|err\w*|reason|detail)\s*=|warnings\.warn\()")
_NARROWING = re.compile(
    r"(?:isinstance|hasattr|callable|issubclass|is_list_of|type)\(|[\w.\[\]\"']+$|.*\bTYPE_CHECKING\b", re.DOTALL
)
"""What an assert tells a type checker; so does one that something is not None."""
_COMPARES = re.compile(r"==|!=|<|>|%|\bin\b|\bnot\b")
_INPUT = re.compile(
    r"config|args\b|arg\b|params\b|request|option|\bself\.[a-z]\w+\s*(?:[=!<>]=?|\bin\b|\bis\b|not\b|and\b|or\b|$)|_size\b"
    r"|dtype|backend|quant|platform|capability|parallel|_len\b|max_|min_|num_|enable|disable|method|mode\b|head|lora"
    r"|version|topk|top_k|\bis_\w+\(|supports?_|\bsm_?\d|block|shape|format|layout|model|impl|spec|cache|stream|tool|kwargs"
    r"|use_|device|type\b|name\b|path\b|ndim|dim\b|\.size\(|temperature|prompt|tokens?\b",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"config|args\.|params\b|request|dtype|backend|quant\w*|platform|capability|parallel_|version|enable|disable|head_(?:size|dim)"
    r"|\bis_\w+\(|supports?_|\bsm_?\d|tp_size|dp_size|pp_size|ep_size|world_size|page_size|block_size\b|lora|kwargs|topk|top_k|layout",
    re.IGNORECASE,
)
"""What an assert must be about to be news: settings and shapes users choose; all else are notes of the authors."""
_INVARIANT = re.compile(r"\blen\(|> ?0$|\bnumel\(|\bis None$|\bstate\b")
_INTERNAL = re.compile(
    r"\b(?:err|ret|rc|result|res|response|resp|status|status_code|match|proc|future|found|loaded|missing|unexpected"
    r"|weights_not_loaded|timeout|deadline|elapsed|socket|returncode|shutdown\w*|closed|initialized|_initialized)\b"
)
_CHECKS = re.compile(r"\b(?:raise|assert|create_error_response)\b")
_VALIDATOR = re.compile(r"@(?:\w+\.)?(?:field_validator|model_validator|validator|root_validator)\b")
_CHECKER = re.compile(r"_?(?:validate|verify|check)(?:_\w+)?$|__post_init__$")
_WORD = re.compile(r"[A-Za-z_]\w+")
_WANTED = re.compile(r"[^\W\d]\w*\b(?!\()")
REWRITE = 25
"""Changed lines in a row from which on a check is part of a rewrite; in settings and requests only an assert is."""
_COMMON = frozenset({"self", "len", "in", "not", "and", "or", "is", "None", "any", "all", "True", "False", "config"})
_MOST = 80
"""Guards of one function that are looked at."""


class Guard(NamedTuple):
    """One check of a function, on one side of a change."""

    function: Function
    node: ast.If | ast.Assert
    turned: bool
    """It stands in the `else` of its `if`."""
    error: str
    message: str
    outer: tuple[tuple[ast.If, bool], ...]
    """The conditions it stands under, outermost first."""
    before: tuple[tuple[ast.If, bool], ...]
    """Conditions whose branch leaves the function before it is reached."""
    part: bool
    """It stands in a loop or beside other code of a block: it is not asked of everybody."""

    @property
    def condition(self) -> str:
        text = one_line(unwrapped(self.function.source(self.node.test)))
        return negation_of(text) if self.turned else text

    @property
    def line(self) -> int:
        return self.function.at(self.node)

    @property
    def meaning(self) -> tuple[object, ...]:
        """All that follows for what it turns away, as text."""
        polarity = isinstance(self.node, ast.If) and not self.turned
        own = self.function.meaning
        return polarity, own(self.node.test), *((holds, own(node.test)) for node, holds in self.outer)

    def inner(self, scope: Scope) -> Question:
        """What it turns away."""
        return question(self.node.test, scope, isinstance(self.node, ast.If) and not self.turned)

    def full(self, scope: Scope) -> Question:
        """The same with the conditions around it."""
        return both([self.inner(scope), *(question(node.test, scope, holds) for node, holds in self.outer)])

    def left(self, scope: Scope) -> Clause:
        """What must be so for the check to be reached at all, and need not be said."""
        asked = [question(node.test, scope, not holds) for node, holds in self.before]
        return frozenset(atom for one in asked if len(one) == 1 for clause in one for atom in clause)


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Guards that came, went or ask for something else."""
    patch = file.change.patch
    if quiet(file) or not ("raise" in patch or "assert" in patch or "create_error_response" in patch):
        return
    found = [fact for pair in sources(whole).pairs.get(file.path, ()) for fact in _compare(pair, whole)]
    found.sort(key=lambda fact: fact.line)
    swaps = [swapped(f.before, f.after) for f in found if f.before and f.after]
    told: dict[str, set[tuple[str | None, str | None]]] = {}
    for fact in found:
        if fact.before and fact.after and (swap := swapped(fact.before, fact.after)) and swaps.count(swap) > 1:
            continue  # a name that was changed throughout
        seen = told.setdefault(fact.kind, set())
        if (fact.before, fact.after) not in seen and len(seen) < PER_FILE:
            seen.add((fact.before, fact.after))
            yield fact


def _compare(pair: Pair, whole: Whole) -> Iterator[Fact]:
    old, new = (guards(one) if one is not None else [] for one in (pair.old, pair.new))
    if not (old or new) or (pair.old is None and not _validates(pair, sources(whole).before)) or pair.new is None:
        return
    if {g.meaning for g in old} == {g.meaning for g in new}:
        return  # as they are written they turn away the same
    gone, come = _unlike(pair, old, new, whole)
    for was, now in _pairs(gone, come):
        gone.remove(was)
        come.remove(now)
        if _differ(was, now, whole) and not (_opened(now, pair, whole) or _bounds(pair, was, now)):
            kind = _direction(was, now, sources(whole).readings(pair))
            breaks = kind == "guard_narrowed" and holds_settings(pair.file, now.function.name)
            yield Fact(kind, pair.file.path, now.line, pair.place, *contrast(_told(was, now), _told(now, was)), breaks)
    for g in gone:
        if (
            whole.complete
            and _telling(g, pair.file, "-")
            and not (_fresh(g, pair.new) or _elsewhere(g, pair, whole, "+") or _bounds(pair, g, None))
        ):
            yield Fact("guard_removed", pair.file.path, g.line, pair.place, shown(_full(g)), None)
    for g in come:
        fresh = (pair.old is not None and _fresh(g, pair.old)) or _opened(g, pair, whole) or _bounds(pair, None, g)
        if _telling(g, pair.file, "+") and not (fresh or _elsewhere(g, pair, whole, "-")):
            breaks = bool(_VALIDATOR.search(g.function.decorated)) and holds_settings(pair.file, g.function.name)
            yield Fact("guard_added", pair.file.path, g.line, pair.place, None, shown(_full(g)), breaks)


def _validates(pair: Pair, stood: str) -> bool:
    """A new function that is a check of a class which was there: values that passed may not pass now."""
    new = pair.new
    if new is None or not new.name:
        return False
    owner = new.name.rpartition(".")[0]
    known = _VALIDATOR.search(new.decorated) or (pair.file.public and owner and _CHECKER.match(new.short))
    return bool(known and f"class {owner.rpartition('.')[2]}" in stood)


# --- the guards of a function --------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def guards(function: Function) -> list[Guard]:
    """All of its guards, in order."""
    out: list[Guard] = []
    if function.mentions(_CHECKS):  # most functions check nothing, and need not be parsed
        _collect(function, function.body, (), (), False, out)
    return out


Under = tuple[tuple[ast.If, bool], ...]


def _collect(
    function: Function, body: Sequence[ast.stmt], outer: Under, before: Under, part: bool, out: list[Guard]
) -> None:
    if len(out) >= _MOST or len(outer) > 30:
        return
    for node in body:
        if isinstance(node, ast.Assert):
            out.append(Guard(function, node, False, "assert", "", outer, before, part))
        elif isinstance(node, ast.If):
            before = _branches(function, node, outer, before, part, out)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            loops = isinstance(node, ast.For | ast.AsyncFor | ast.While | ast.Match)
            for inside in bodies(node):
                _collect(function, inside, outer, before, part or loops, out)


def _branches(function: Function, node: ast.If, outer: Under, before: Under, part: bool, out: list[Guard]) -> Under:
    """The guards of both branches; what is known behind them, since one of them may leave."""
    for branch, holds in ((node.body, True), (node.orelse, False)):
        raised = _raised(branch)
        if raised is not None:
            out.append(Guard(function, node, not holds, *raised, outer, before, part))
        elif branch:
            _collect(function, branch, (*outer, (node, holds)), before, part, out)
        if _leaves(branch):
            before = (*before, (node, holds))
    return before


def _leaves(branch: Sequence[ast.stmt]) -> bool:
    return bool(branch) and isinstance(branch[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _raised(branch: Sequence[ast.stmt]) -> tuple[str, str] | None:
    """The error and its words, of a branch that does nothing but talk and raise."""
    for node in branch[:3]:
        given = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Return) else None
        if given is not None:
            name = ast.unparse(given.func if isinstance(given, ast.Call) else given)
            answers = isinstance(node, ast.Return) and name.rpartition(".")[2] == "create_error_response"
            raises = isinstance(node, ast.Raise) and _ERROR.match(name)
            return (name.removeprefix("self."), _message(node)) if answers or raises else None
        if not (isinstance(node, ast.Expr | ast.Assign) and _TALK.match(ast.unparse(node))):
            return None
    return None


def _message(node: ast.stmt) -> str:
    words = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return " ".join("".join(words).split())


# --- what is the same ----------------------------------------------------------------------------------------------


def _unlike(pair: Pair, old: Sequence[Guard], new: Sequence[Guard], whole: Whole) -> tuple[list[Guard], list[Guard]]:
    """The guards of each side that turn away what no guard of the other does; written another way, they are the same.

    With one of which a part is left stands the one that turns that part away now.
    """
    gone, come = list(old), list(new)
    halves: list[Guard] = []
    rests: list[Guard] = []
    for first, second in sources(whole).readings(pair):
        if not (gone or come):
            break
        was, now = ([(g, g.full(s), g.left(s)) for g in some] for some, s in ((old, first), (new, second)))
        gone = [g for g, full, left in was if g in gone and not _covered(full, left, now)]
        come = [g for g, full, left in now if g in come and not _covered(full, left, was)]
        halves = [n for n, full, _ in now if n not in come and any(full & other for g, other, _ in was if g in gone)]
        rests = [g for g, full, _ in was if g not in gone and any(full & other for n, other, _ in now if n in come)]
    return gone + rests, come + halves


def _covered(full: Question, left: Clause, others: Sequence[tuple[Guard, Question, Clause]]) -> bool:
    """Every clause stands among those of the other side, as far as one of them is not said before either."""
    return all(
        any(clause ^ there <= beside | left for _, other, beside in others for there in other) for clause in full
    )


def _direction(was: Guard, now: Guard, scopes: Iterable[tuple[Scope, Scope]]) -> str:
    """Whether fewer or more values come through; other ones when neither turns away all that the other does."""
    for old, new in scopes:
        before, after = was.full(old), now.full(new)
        fewer, more = implies(before, after), implies(after, before)
        if fewer != more:
            return "guard_narrowed" if fewer else "guard_widened"
    return "guard_changed"


def _differ(was: Guard, now: Guard, whole: Whole) -> bool:
    """The check asks for something else, in words that mean something else."""
    if _told(was, now) == _told(now, was) or renamed(was.condition, now.condition, whole):
        return False
    if all(re.fullmatch(r"(?:not )?\w+\([^()]*\)", g.condition) for g in (was, now)) and "isinstance(" in (
        was.condition + now.condition
    ):
        return False  # a helper that asks for the type
    return _telling(was, None, "-") or _telling(now, None, "+")


def _telling(guard: Guard, file: ReadFile | None, sign: str) -> bool:
    """The condition is about something a caller gives, not about the state of the moment."""
    text = guard.condition
    if guard.turned and guard.outer and guard.outer[-1][0].orelse == [guard.node]:
        return False  # what is left when every branch was tried
    if _INTERNAL.search(text) or re.fullmatch(r"not isinstance\([^()]*(?:\([^()]*\))?[^()]*\)", text):
        return False
    if (
        file is not None
        and (guard.error in ("assert", "AssertionError") or not file.public)
        and run_around(file, guard.line, sign) > REWRITE
    ):
        return False
    if guard.error in ("assert", "AssertionError"):
        if _narrows(guard):
            return False
        return all(p.search(text) for p in (_COMPARES, _SETTING)) and not _INVARIANT.search(text)
    return bool(_INPUT.search(text))


def _narrows(guard: Guard) -> bool:
    """All that it asks for is what a type checker wants to hear."""
    asked = question(guard.node.test, holds=isinstance(guard.node, ast.Assert) or guard.turned)
    return all(
        (atom.sign, atom.value) == ("is not", "None")
        or (atom.sign in ("true", "false") and _NARROWING.match(atom.subject) is not None)
        for clause in asked
        for atom in clause
    )


def _fresh(guard: Guard, other: Function) -> bool:
    """The block around it is part of new code: nothing of that block stood on the other side."""
    if not guard.outer:
        return guard.part and not _loops(other, guard)
    node, holds = guard.outer[-1]
    branch = node.body if holds else node.orelse
    if all(isinstance(x, ast.Assert) or (isinstance(x, ast.If) and _raised(x.body)) for x in branch):
        return False  # one check with two conditions
    heads = {question(n.test) for n in statements(other.body) if isinstance(n, ast.If)}
    asked = question(node.test)
    return asked not in heads and question(node.test, holds=False) not in heads


def _loops(other: Function, guard: Guard) -> bool:
    """The loop around a guard stood there too."""
    own = [n for n in statements(guard.function.body) if isinstance(n, ast.For | ast.AsyncFor | ast.While | ast.Match)]
    around = [n for n in own if any(x is guard.node for x in ast.walk(n))]
    heads = {_head(n) for n in statements(other.body)}
    return all(_head(n) in heads for n in around)


def _head(node: ast.AST) -> str:
    if isinstance(node, ast.For | ast.AsyncFor):
        return ast.unparse(node.iter)
    if isinstance(node, ast.While):
        return ast.unparse(node.test)
    return ast.unparse(node.subject) if isinstance(node, ast.Match) else ""


# --- nobody is turned away -----------------------------------------------------------------------------------------


def _opened(guard: Guard, pair: Pair, whole: Whole) -> bool:
    """Every way to be turned away asks for something that this change adds: a parameter, a switch, a field."""
    known = sources(whole)
    fresh = frozenset(pair.new.parameters) - pair.old.words if pair.old is not None and pair.new is not None else ()
    plain = guard.function.scope
    full, left = guard.full(plain), guard.left(plain)
    return full not in (NEVER, ALWAYS) and all(
        any(word in fresh or known.is_new(word) for atom in clause | left for word in _WANTED.findall(atom.subject))
        for clause in full
    )


def _bounds(pair: Pair, was: Guard | None, now: Guard | None) -> bool:
    """All that one of them turns away beyond the other is a size or count below one, where -1 had no meaning."""
    full = [g.full(g.function.scope) if g else NEVER for g in (was, now)]
    plain = not any(one is not None and "-1" in one.text for one in (pair.old, pair.new))
    return plain and (full[0] <= full[1] or full[1] <= full[0]) and of_nothing(full[0] ^ full[1])


def _elsewhere(guard: Guard, pair: Pair, whole: Whole, sign: Sign) -> bool:
    """The same check stands on the other side of the change in another function: it moved, or was there already."""
    own = _anonymous(guard)
    if own is None:
        return False
    known: Question = _standing(whole, sign) if sign == "-" else _standing(whole, sign) | _of_callees(pair, whole)
    return own <= known


def _anonymous(guard: Guard) -> Question | None:
    """What a guard turns away, whatever its own names and those of the way to its values are; None when that is nothing."""
    found = guard.inner(guard.function.anonymous)
    if found in (ALWAYS, NEVER):
        return None
    bare = all(atom.subject == "_" and atom.value in ("", "_", "None") for clause in found for atom in clause)
    if bare and not guard.message:
        return None
    # where nothing but its words says which check it is
    words = {Atom(guard.error, "true", guard.message)} if bare else set()
    return frozenset(clause | words for clause in found)


@lru_cache(maxsize=8)
def _standing(whole: Whole, sign: Sign) -> Question:
    """What the guards of all changed functions turn away on one side."""
    some = (p.new if sign == "+" else p.old for found in sources(whole).pairs.values() for p in found)
    return frozenset(clause for one in some if one is not None for g in guards(one) for clause in _anonymous(g) or ())


def _of_callees(pair: Pair, whole: Whole) -> Question:
    """What the functions of the same file turn away that the function calls now."""
    body = pair.new.body if pair.new is not None else []
    called = {getattr(n.func, "attr", getattr(n.func, "id", "")) for n in walk(body) if isinstance(n, ast.Call)}
    known = sources(whole).functions(pair.file, "+").values()
    some = [one for one in known if one.name and one.short in called and one is not pair.new][:40]
    return frozenset(clause for one in some for g in guards(one) for clause in _anonymous(g) or ())


# --- words ---------------------------------------------------------------------------------------------------------


def _shown(condition: str, error: str) -> str:
    return one_line(f"assert {condition}" if error == "assert" else f"if {condition}: raise {error}")


def _full(guard: Guard) -> str:
    """A check that came or went, with the condition it stands under; `…` when it is not asked of everybody."""
    around = _around(guard)
    if guard.error == "assert" or not around:
        return _shown(guard.condition, guard.error)
    return _shown(f"{around} and {beside(guard.condition)}", guard.error)


def _around(guard: Guard) -> str:
    for node, holds in reversed(guard.outer):
        if holds or not _chains(node):
            text = one_line(unwrapped(guard.function.source(node.test)))
            if not holds or text != guard.condition:  # once is enough
                return beside(text) if holds else negation_of(text)
            guard = guard._replace(part=True)
    return "…" if guard.part or _passed_by(guard) else ""


def _chains(node: ast.If) -> bool:
    """Its `else` is an `elif`, which is asked like any other."""
    return len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)


def _passed_by(guard: Guard) -> bool:
    """Some leave the function before, and need not pass."""
    return any(not isinstance(_branch(n, holds)[-1], ast.Raise) for n, holds in guard.before)


def _branch(node: ast.If, holds: bool) -> Sequence[ast.stmt]:
    return node.body if holds else node.orelse


def _told(guard: Guard, other: Guard) -> str:
    """A check beside its other form: with the conditions around it that the other one does not stand under."""
    known = {question(node.test) for node, _ in other.outer}
    own = [node for node, holds in guard.outer if holds and question(node.test) not in known]
    parts = [one_line(unwrapped(guard.function.source(node.test))) for node in own]
    if guard.error == "assert" or len(parts) > 3:
        return _shown(guard.condition, guard.error)
    if not parts and not guard.outer and (guard.part or _passed_by(guard)):
        parts = ["…"]
    return _shown(" and ".join(map(beside, (*parts, guard.condition))), guard.error)


# --- pairs ---------------------------------------------------------------------------------------------------------


def _pairs(gone: Sequence[Guard], come: Sequence[Guard]) -> list[tuple[Guard, Guard]]:
    """Old and new forms of one check: most shared words first, each used once."""
    if len(gone) == len(come) == 1 and gone[0].error == come[0].error and len(gone[0].outer) == len(come[0].outer):
        return [(gone[0], come[0])]  # one check for another
    scored = sorted(
        ((_likeness(a, b), -i, -j, a, b) for i, a in enumerate(gone[:20]) for j, b in enumerate(come[:20])),
        key=lambda item: item[:3],
        reverse=True,
    )
    out: list[tuple[Guard, Guard]] = []
    used: set[tuple[str, int]] = set()
    for score, i, j, was, now in scored:
        if score >= 0.5 and ("-", i) not in used and ("+", j) not in used:
            used |= {("-", i), ("+", j)}
            out.append((was, now))
    return out


def _likeness(a: Guard, b: Guard) -> float:
    if (len(a.message) > 20 and a.message == b.message) or swapped(a.condition, b.condition):
        return 0.9
    first, second = ({w for w in _WORD.findall(g.condition) if w not in _COMMON} for g in (a, b))
    shared = len(first & second) / max(1, min(len(first), len(second)))
    return shared if (a.error == "assert") == (b.error == "assert") else shared - 0.2
