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

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet, renamed, run_around, swapped
from daybreak.findings.languages.clauses import ALWAYS, NEVER, Atom, Clause, Question, implies, of_nothing
from daybreak.findings.languages.guard_reading import EXIT, Guard, askable, handled, is_part, ways_out
from daybreak.findings.languages.guard_words import beside_other, new_text, short_text, side_by_side, whole_text
from daybreak.findings.languages.moved_guards import elsewhere, in_new_code, reworded
from daybreak.findings.languages.new_gates import added_off
from daybreak.findings.languages.python_functions import Function, Pair, Sources, sources
from daybreak.findings.languages.python_normal import Scope, question
from daybreak.findings.languages.python_public import holds_settings
from daybreak.findings.languages.python_syntax import VALIDATOR, called_name, statements, walk
from daybreak.findings.languages.refused_choices import cannot_hold, refuses_choice
from daybreak.findings.languages.stricter_guards import (
    WORDY,
    also_refused,
    moved_stricter,
    raised_anyway,
    unasked,
    was_refused,
    went_on,
)

_NARROWING = re.compile(
    r"(?:isinstance|hasattr|callable|issubclass|is_list_of|type)\(|[\w.\[\]\"']+$|.*\bTYPE_CHECKING\b", re.DOTALL
)
"""What an assert tells a type checker; so does one that something is not None."""
_COMPARES = re.compile(r"==|!=|<|>|%|\bin\b|\bnot\b")
_INPUT = re.compile(
    r"config|args\b|arg\b|params\b|request|option|\bself\.[a-z]\w+\s*(?:[=!<>]=?|\bin\b|\bis\b|not\b|and\b|or\b|$)|_size\b"
    r"|dtype|backend|quant|platform|capability|parallel|_len\b|max_|min_|num_|enable|disable|method|mode\b|head|lora"
    r"|version|topk|top_k|\bis_\w+\(|supports?_|\bsm_?\d|block|shape|format|layout|model|impl|spec|cache|stream|tool|kwargs"
    r"|\benvs?\.|\benviron|use_|device|type\b|name\b|path\b|ndim|dim\b|\.size\(|temperature|prompt|tokens?\b",
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
_CHECKER = re.compile(r"_?(?:validate|verify|check)(?:_\w+)?$|__post_init__$")
_WORD = re.compile(r"[A-Za-z_]\w+")
_WANTED = re.compile(r"[^\W\d]\w*\b(?!\()")
REWRITE = (
    25  # changed lines in a row from which on a check is part of a rewrite; in settings and requests only an assert
)
_LACKING = frozenset({"ImportError", "ModuleNotFoundError"})
"""What is raised where something is not installed: without the check it failed a line later."""
_COMMON = frozenset({"self", "len", "in", "not", "and", "or", "is", "None", "any", "all", "True", "False", "config"})


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
        alike = fact.before == fact.after  # what differs stands around it, and excludes nothing that the check asks for
        if not alike and (fact.before, fact.after) not in seen and len(seen) < PER_FILE:
            seen.add((fact.before, fact.after))
            yield fact


def _compare(pair: Pair, whole: Whole) -> Iterator[Fact]:
    old, new = (ways_out(one) if one is not None else [] for one in (pair.old, pair.new))
    if not (old or new) or not _compared(pair, sources(whole)):
        return
    if {g.meaning for g in old} == {g.meaning for g in new}:
        return  # as they are written they turn away the same
    known, (gone, come) = sources(whole), _differing(pair, old, new, whole)
    for was, now in _pairs(gone, come):
        gone.remove(was)
        come.remove(now)
        parted = _is_parted(was, now, come, [*known.readings(pair)])
        if _differ(was, now, whole) and not parted and not _turns_nobody_away(pair, was, now, whole):
            kind = _direction(was, now, known.readings(pair))
            yield from also_refused(pair, was, now, whole) if kind == "guard_changed" else ()
            breaks = holds_settings(pair.file, now.function.name) or bool(unasked(was, now))
            sides = side_by_side(beside_other(was, now), beside_other(now, was))
            narrowed = breaks and kind == "guard_narrowed"
            yield Fact(kind, pair.file.path, now.line, now.place(pair), *sides, narrowed)
    for g in gone:
        yield from moved_stricter(g, pair, whole)
        if (
            whole.complete
            and _telling(g, pair.file, "-")
            and not ((pair.new is not None and in_new_code(g, pair.new)) or elsewhere(g, pair, whole, "+"))
            and not _bounds(pair, g, None)
            and not (_raised_anew(g, come, pair) or reworded(g, pair, whole, "+") or _failed(g, pair.new))
        ):
            yield Fact("guard_removed", pair.file.path, g.line, g.place(pair), short_text(whole_text(g)), None)
    eased = [g for g in come if raised_anyway(g, pair)]
    yield from (_eased(g, pair) for g in eased)
    yield from _come([one for one in come if one not in eased], old, pair, whole)


def _come(come: Sequence[Guard], old: Sequence[Guard], pair: Pair, whole: Whole) -> Iterator[Fact]:
    """Checks that turn somebody away who was let in."""
    known = sources(whole)
    for g in come:
        there = _was_there(pair, g, whole) or is_part(g, old, known.readings(pair)) or was_refused(g, pair, whole)
        there = there or cannot_hold(g.full(g.function.scope), known.text(pair.file, "-"))
        settings = holds_settings(pair.file, g.function.name)
        counted = _counts_own(g) if settings else []
        stopped = went_on(g, pair, whole)
        if (counted or stopped or _telling(g, pair.file, "+")) and not there:
            asked = bool(counted) or stopped or (settings and bool(VALIDATOR.search(g.function.decorated)))
            breaks = asked or refuses_choice(g, sources(whole).text(pair.file, "-"), whole.added_lines, settings)
            breaks = breaks and g.error not in _LACKING
            asks = _with_fields(g, counted) if counted else new_text(g)
            yield Fact("guard_added", pair.file.path, g.line, g.place(pair), None, asks, breaks)
        elif (text := _heeded(g, pair)) is not None:
            yield Fact("guard_added", pair.file.path, g.line, g.place(pair), None, short_text(text))


def _eased(guard: Guard, pair: Pair) -> Fact:
    """What was raised whatever it asks now: fewer are turned away."""
    texts = f"raise {guard.error}", short_text(whole_text(guard))
    return Fact("guard_widened", pair.file.path, guard.line, guard.place(pair), *texts)


def _turns_nobody_away(pair: Pair, was: Guard, now: Guard, whole: Whole) -> bool:
    """What is asked otherwise comes with what it asks, or lets in whoever was let in before."""
    known = sources(whole)
    eased = _opened(now, pair, whole) or _bounds(pair, was, now) or _lets_in(was, now, known)
    return eased or _asked_nothing(was, now, known.text(pair.file, "-"))


def _is_parted(was: Guard, now: Guard, come: Sequence[Guard], scopes: Sequence[tuple[Scope, Scope]]) -> bool:
    """What it lets through from now on, another check that comes with it may refuse."""
    return _direction(was, now, scopes) == "guard_widened" and any(is_part(one, [was], scopes) for one in come)


def _was_there(pair: Pair, g: Guard, whole: Whole) -> bool:
    """A check that came here stood elsewhere or in other words, comes with what it asks, or failed there all the same."""
    here = (pair.old is not None and in_new_code(g, pair.old)) or _opened(g, pair, whole) or _bounds(pair, None, g)
    return here or elsewhere(g, pair, whole, "-") or reworded(g, pair, whole, "-") or _failed(g, pair.old)


def _differing(pair: Pair, old: list[Guard], new: list[Guard], whole: Whole) -> tuple[list[Guard], list[Guard]]:
    """Checks of each side that the other has not, and those whose part stands in another's place."""
    gone, come = _unlike(pair, old, new, whole)
    rests, halves = _in_place(old, new, gone, come), _in_place(new, old, come, gone)
    return [g for g in gone + rests if _checks(g)], [g for g in come + halves if _checks(g)]


def _checks(guard: Guard) -> bool:
    """What a type checker wants to hear stands for no check, nor does what is raised when nothing before it left."""
    return not guard.behind and guard.error != EXIT and (guard.error != "assert" or not _narrows(guard))


def _heeded(guard: Guard, pair: Pair) -> str | None:
    """A check of what a call gives back that nobody looked at before: what failed in silence is an error now."""
    names = {n.id for n in ast.walk(guard.node.test) if isinstance(n, ast.Name)}
    if pair.old is None or len(names) != 1 or guard.error == "assert":
        return None
    name = names.pop()
    alone = (n.value for n in statements(pair.old.body) if isinstance(n, ast.Expr))
    unheeded = {ast.dump(call.func) for call in alone if isinstance(call, ast.Call)}
    for node in statements(guard.function.body):
        given = node.value if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name else None
        if isinstance(given, ast.Call) and ast.dump(given.func) in unheeded and node.lineno < guard.node.lineno:
            return re.sub(rf"\b{re.escape(name)}\b", f"{called_name(given)}(…)", whole_text(guard))
    return None


def _compared(pair: Pair, known: Sources) -> bool:
    """Both sides have the function, or the one that has not would be asked for it all the same."""
    if pair.old is None:
        return _validates(pair.file, pair.new, known.before)
    return pair.new is not None or _validates(pair.file, pair.old, known.after)


def _validates(file: ReadFile, one: Function | None, there: str) -> bool:
    """A function of one side alone that is a check of a class which the other has: other values pass now."""
    if one is None or not one.name:
        return False
    known = VALIDATOR.search(one.decorated) or (file.public and _CHECKER.match(one.short))
    return bool(known) and one.has_class_in(there)


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


def _in_place(
    own: Sequence[Guard], there: Sequence[Guard], told: Sequence[Guard], others: Sequence[Guard]
) -> list[Guard]:
    """Guards that the other side has no longer as they are, but with the same words in the same place asks for something
    else: what a name stands for may hide it, and still the check neither came nor went.
    """
    left = {g.meaning for g in own if g not in told} - {g.meaning for g in there}
    return [g for g in own if g not in told and g.meaning in left and any(_same_place(g, one) for one in others)]


def _same_place(one: Guard, other: Guard) -> bool:
    if one.error != other.error or len(one.message) < WORDY or one.message != other.message:
        return False
    asked = ([(question(node.test), holds) for node, holds in g.outer] for g in (one, other))
    return next(asked) == next(asked)


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
    if unasked(was, now):
        return True
    if beside_other(was, now) == beside_other(now, was) or renamed(was.condition, now.condition, whole):
        return False
    if was.error == now.error == "assert" and _beside_none(was) == _beside_none(now):
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
    return bool(_INPUT.search(text) or VALIDATOR.search(guard.function.decorated))


def _beside_none(guard: Guard) -> Question:
    """What an assert asks for, without that something is not None, which helps the type checker where that is used below."""
    asked = question(guard.node.test)
    return frozenset(frozenset(atom for atom in clause if not _is_not_none(atom)) for clause in asked)


def _is_not_none(atom: Atom) -> bool:
    return (atom.sign, atom.value) == ("is not", "None")


def _narrows(guard: Guard) -> bool:
    """All that it asks for is what a type checker wants to hear."""
    asked = question(guard.node.test, holds=isinstance(guard.node, ast.Assert) or guard.turned)
    return all(
        _is_not_none(atom) or (atom.sign in ("true", "false") and _NARROWING.match(atom.subject) is not None)
        for clause in asked
        for atom in clause
    )


# --- nobody is turned away -----------------------------------------------------------------------------------------


def _opened(guard: Guard, pair: Pair, whole: Whole) -> bool:
    """Every way to be turned away asks for something that this change adds: a parameter, a switch, a field; a limit that it
    sets for what was given before is none of them, nor a switch that lets in who sets it.
    """
    known, unset = sources(whole), added_off(whole)
    fresh = frozenset(pair.new.parameters) - askable(pair.old) if pair.old is not None and pair.new is not None else ()
    plain = guard.function.scope
    full, left = guard.full(plain), guard.left(plain)

    def came(text: str) -> bool:
        return any(word in fresh or known.is_new(word) for word in _WANTED.findall(text))

    return full not in (NEVER, ALWAYS) and all(
        any(
            came(atom.subject) and not _limits(atom, came(atom.value))
            for atom in clause | left
            if atom.sign != "false" or atom.subject.rpartition(".")[2] not in unset
        )
        for clause in full
    )


def _failed(guard: Guard, there: Function | None) -> bool:
    """It turns away who lacks a key that the other side takes without asking: that fails there too, in other words."""
    missing = guard.node.test
    sign: type[ast.cmpop] = ast.NotIn
    if isinstance(missing, ast.UnaryOp) and isinstance(missing.op, ast.Not) and isinstance(missing.operand, ast.Name):
        given = (n for n in statements(guard.function.body) if isinstance(n, ast.Assign))
        names = {ast.unparse(n.targets[0]): n.value for n in given}
        missing, sign = names.get(missing.operand.id, missing), ast.In
    if there is None or guard.turned or not (isinstance(missing, ast.Compare) and isinstance(missing.ops[0], sign)):
        return False
    taken = f"{ast.unparse(missing.comparators[0])}[{ast.unparse(missing.left)}]"
    tried = any(isinstance(n, ast.Try) for n in walk(there.body))  # an error of its own may answer the lack
    return not tried and any(isinstance(n, ast.Subscript) and ast.unparse(n) == taken for n in walk(there.body))


def _limits(atom: Atom, both_came: bool) -> bool:
    """What came is held against something that was given before: whoever gave more is refused by it."""
    return atom.sign in ("<", ">", "<=", ">=") and _WANTED.match(atom.value) is not None and not both_came


def _lets_in(was: Guard, now: Guard, known: Sources) -> bool:
    """The two differ by values alone that came with the change: it lets in what it brings, and all others as before."""
    first, second = (g.full(g.function.scope) for g in (was, now))
    atoms = [frozenset(atom for clause in full for atom in clause) for full in (first, second)]
    other = atoms[0] ^ atoms[1]
    return bool(other) and all(known.is_new_value(atom.value) for atom in other)


def _asked_nothing(was: Guard, now: Guard, text: str) -> bool:
    """The two differ by an attribute of the object that nothing in the file gave it: nobody came through by that."""
    atoms = [{atom for clause in g.full(g.function.scope) for atom in clause} for g in (was, now)]
    lost = {atom.subject for atom in atoms[0]} - {atom.subject for atom in atoms[1]}
    names = [subject.removeprefix("self.") for subject in lost if _OWN.fullmatch(subject)]
    return any(
        not re.search(rf"\bself\.{name}\b[^=\n]{{0,80}}=(?!=)|^\s+(?:def )?{name}\b\s*[:=(]", text, re.MULTILINE)
        for name in names
    )


_OWN = re.compile(r"self\.[^\W\d]\w*")


def _bounds(pair: Pair, was: Guard | None, now: Guard | None) -> bool:
    """All that one of them turns away beyond the other is a size or count below one, where -1 had no meaning."""
    full = [g.full(g.function.scope) if g else NEVER for g in (was, now)]
    plain = not any(one is not None and "-1" in one.text for one in (pair.old, pair.new))
    return (
        plain
        and not (now and _counts_own(now))
        and (full[0] <= full[1] or full[1] <= full[0])
        and of_nothing(full[0] ^ full[1])
    )


def _counts_own(guard: Guard) -> list[str]:
    """Fields of its object of which it asks how many are given: whoever gave none, or several, is who it turns away."""
    names = {n.id for n in ast.walk(guard.node.test) if isinstance(n, ast.Name)}
    made = (n for n in statements(guard.function.body) if isinstance(n, ast.Assign) and len(n.targets) == 1)
    sums = [n.value for n in made if len(names) == 1 and ast.unparse(n.targets[0]) in names]
    fields = _asked_whether_given(sums[0]) if len(sums) == 1 else []
    return fields if len(fields) > 1 else []


def _asked_whether_given(node: ast.expr) -> list[str]:
    """Fields of `sum(x is not None for x in (self.a, self.b))` or `len([x for x in (self.a, self.b) if x])`; none of other sums."""
    whole = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else None
    if not isinstance(whole, ast.GeneratorExp | ast.ListComp) or len(whole.generators) != 1:
        return []
    part, called = whole.generators[0], ast.unparse(node).partition("(")[0]
    name = ast.unparse(part.target)
    asked = [ast.unparse(one) for one in part.ifs or ([whole.elt] if called == "sum" else [])]
    counts = called == "len" or not part.ifs or ast.unparse(whole.elt) == "1"
    items = part.iter.elts if isinstance(part.iter, ast.Tuple | ast.List) else []
    own = [one.attr for one in items if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self"]
    given = len(asked) == 1 and asked[0] in (f"{name} is not None", f"bool({name})", *([name] if part.ifs else []))
    return own if called in ("sum", "len") and counts and given and len(own) == len(items) else []


def _with_fields(guard: Guard, fields: Sequence[str]) -> str:
    """The check by the fields that it counts, not by the name that their number has inside."""
    name = next(n.id for n in ast.walk(guard.node.test) if isinstance(n, ast.Name))
    owner = guard.function.name.rpartition(".")[0]
    some = ", ".join((f"{owner}.{fields[0]}", *fields[1:3], *(["…"] if len(fields) > 3 else [])))
    return re.sub(rf"\b{re.escape(name)}\b", f"given({some})", new_text(guard), count=1)


def _raised_anew(guard: Guard, come: Sequence[Guard], pair: Pair) -> bool:
    """Its error has come in another place of the function, which may turn the same away: `len(given) > 1`, `except`."""
    if guard.error == "assert" or pair.old is None or pair.new is None:
        return False
    caught = (handled(one)[guard.error] for one in (pair.new, pair.old))
    return any(one.error == guard.error for one in come) or next(caught) > next(caught)


# --- pairs ---------------------------------------------------------------------------------------------------------


def _pairs(gone: Sequence[Guard], come: Sequence[Guard]) -> list[tuple[Guard, Guard]]:
    """Old and new forms of one check: most shared words first, each used once."""
    if len(gone) == len(come) == 1 and gone[0].error == come[0].error and len(gone[0].outer) == len(come[0].outer):
        return [] if _says_other(gone[0], come[0]) else [(gone[0], come[0])]  # one check for another
    scored = sorted(
        (
            (_same_form(a, b), _likeness(a, b), -i, -j, a, b)
            for i, a in enumerate(gone[:20])
            for j, b in enumerate(come[:20])
        ),
        key=lambda item: item[:4],
        reverse=True,
    )
    out: list[tuple[Guard, Guard]] = []
    used: set[tuple[str, int]] = set()
    for _, score, i, j, was, now in scored:
        if score >= 0.5 and ("-", i) not in used and ("+", j) not in used:
            used |= {("-", i), ("+", j)}
            out.append((was, now))
    return out


def _likeness(a: Guard, b: Guard) -> float:
    if a.error == b.error and a.condition == b.condition and a.message == b.message:
        return 2.0  # the check itself, whatever came around it
    if _says_same(a, b) or swapped(a.condition, b.condition):
        return 0.9
    if _says_other(a, b):
        return 0.0
    first, second = ({w for w in _WORD.findall(g.condition) if w not in _COMMON} for g in (a, b))
    shared = len(first & second) / max(1, min(len(first), len(second)))
    if a.error == b.error != "assert" and a.outer and b.outer and _asked(a) == _asked(b):
        return shared + 0.5  # the same error in the same place
    return shared if _same_form(a, b) else shared - 0.2


def _says_same(a: Guard, b: Guard) -> bool:
    """The same words, or they and more of them."""
    short, long = sorted((a.message.rstrip(" ."), b.message.rstrip(" .")), key=len)
    return len(short) > WORDY and long.startswith(short)


def _says_other(a: Guard, b: Guard) -> bool:
    """Both say why, in words of which few are the same: two checks, whatever they ask."""
    first, second = (set(_WORD.findall(g.message.lower())) for g in (a, b))
    few = min(len(first), len(second))
    return few >= _SAYS and len(first & second) * 3 < few


_SAYS = 3
"""Words of an error from which on they say why."""


def _same_form(a: Guard, b: Guard) -> bool:
    return (a.error == "assert") == (b.error == "assert")


def _asked(guard: Guard) -> tuple[Question, bool]:
    node, holds = guard.outer[-1]
    return question(node.test), holds
