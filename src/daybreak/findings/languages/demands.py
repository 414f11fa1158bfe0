"""Demands of a setting that the change itself brings: a check on a way that ran before fails while it has its default.

A check that asks for a new setting turns nobody away where it asks whether the setting is on. Where it refuses the
setting's own default, everybody who went that way before is refused until they set it. A check that stood there asks
for nothing new, whatever the change puts before it or around it: who sets nothing comes to the check that they passed
before. Nor is a switch that is off by default ever demanded, nor a field that the change fills by itself: nobody outside
can set it. Of a setting that stood there before only the words of a new check say that it must be set now ("… Set NAME=1").
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet, shown, unwrapped
from daybreak.findings.languages.clauses import Atom, Clause, Question, written
from daybreak.findings.languages.guard_reading import Guard, guards, message
from daybreak.findings.languages.guard_words import conditions, demanding_text, own_text, short_text, whole_text
from daybreak.findings.languages.python_functions import Function, Sources, sources
from daybreak.findings.languages.python_normal import question
from daybreak.findings.languages.python_syntax import statements
from daybreak.findings.memory import remembered

_UNSET = re.compile(
    r"^[ \t]{1,40}(\w{3,80})\s{0,4}:\s{0,4}[^=\n]{1,200}=\s{0,4}(?:field\(default=)?(None|\"\"|''|0)\s{0,4}(?:[,)#]|$)"
)
_READ = re.compile(r"\bos\.(?:environ\.get|getenv)\([\"']([A-Z][A-Z0-9_]{2,80})[\"'](?:,\s{0,4}None)?\)")
"""A variable that is nothing where nobody sets it."""
_FLAG = re.compile(r"[\"']--([a-z][\w-]{2,80})[\"']")
_WORD = re.compile(r"[^\W\d]\w*")
_FALSE = frozenset({"None", "False", '""', "''", "0"})


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Checks of this file that a new setting's default does not pass."""
    if quiet(file) or not ("raise" in file.change.patch or "assert" in file.change.patch):
        return
    told: set[str] = set()
    for _, old, new in sources(whole).changed(file.path):
        for fact in (*_demands(file, old, new, whole), *_said(file, old, new, whole)) if new.name else ():
            if fact.symbol not in told and len(told) < PER_FILE:
                told.add(fact.symbol)
                yield fact


@remembered(4)
def _unset(whole: Whole) -> dict[str, str]:
    """Settings that the change brings and that are nothing until somebody sets them → how users write them."""
    flags = {m[1].replace("-", "_"): f"--{m[1]}" for line in whole.added_lines for m in _FLAG.finditer(line[:MAX_LINE])}
    public = (f for f in whole.files if f.public)
    added = (x.text[:MAX_LINE] for f in public for h in f.hunks for x in h.lines if x.sign == "+")
    lines = [line for line in added if "=" in line]
    names = {match[1] for line in lines if (match := _UNSET.match(line))}
    read = {name: name for line in lines for name in _READ.findall(line) if not whole.stood(name)}
    new = {name: flags.get(name, name) for name in names if not whole.stood(name)}
    return read | {name: told for name, told in new.items() if name in flags or not _is_filled(name, whole)}


def _is_filled(name: str, whole: Whole) -> bool:
    """The change gives the field a value of its own: `ctx.count = len(rows)`, `Context(count=3)`; what only hands it on
    under its own name (`Config(count=args.count)`) fills nothing.
    """
    given = re.compile(rf"(?:\w\.|[(,]\s{{0,4}}|^\s{{1,80}}){name}\s{{0,4}}=(?!=)\s{{0,4}}([^,]*)")
    shipped = (
        x.text[:MAX_LINE] for f in whole.files if not quiet(f) for h in f.hunks for x in h.lines if x.sign == "+"
    )
    values = (match[1] for line in shipped if name in line for match in given.finditer(line))
    return any(name not in _WORD.findall(value) for value in values if value.strip())


def _is_renamed(asked: Question, stood: Iterable[Question], name: str) -> bool:
    """The same was asked of a field under another name, which nobody asks for any more."""
    form = re.compile(re.escape(written(asked)).replace(re.escape(name), r"\w+"))
    return any(form.fullmatch(written(one)) for one in stood)


def _demands(file: ReadFile, old: Function, function: Function, whole: Whole) -> Iterator[Fact]:
    known, unset = sources(whole), _unset(whole)
    come = {x.new for hunk in file.hunks for x in hunk.lines if x.sign == "+"}
    stood = {guard.inner(old.scope) for guard in guards(old)}
    asks = {guard.inner(function.scope) for guard in guards(function)}
    for guard in guards(function):
        asked = guard.inner(function.scope)
        if asked in stood:
            continue
        name = _refused(guard, known, unset) if not come.isdisjoint(_lines(guard)) else None
        came = name is not None and (name.isupper() or known.is_new(name))  # a variable is declared nowhere
        ours = name is not None and (guard.part or _is_local(function, name))
        if name is not None and came and not ours and not _is_renamed(asked, stood - asks, name):
            where = conditions(guard, name) if _is_for_some(guard, name) else ""
            yield _fact(file, guard, unset[name], where, shown(own_text(guard)))


def _is_local(function: Function, name: str) -> bool:
    """A variable of the function itself, which nobody outside can set."""
    declared = (node.target for node in statements(function.body) if isinstance(node, ast.AnnAssign))
    return any(isinstance(one, ast.Name) and one.id == name for one in declared)


def _said(file: ReadFile, old: Function, function: Function, whole: Whole) -> Iterator[Fact]:
    """Checks that came on a way that ran before, and whose words say what must be set."""
    if not _NAMES.search(file.change.patch):
        return
    stood, known = {guard.inner(old.scope) for guard in guards(old)}, sources(whole)
    come = {x.new for hunk in file.hunks for x in hunk.lines if x.sign == "+"}
    said = {_text(guard) for guard in guards(old)}
    for guard in guards(function):
        found = _wanted(guard)
        if found is None or guard.inner(function.scope) in stood or _text(guard) in said or not come >= {guard.line}:
            continue
        asked = [question(node.test, function.scope, holds) for node, holds in guard.outer]
        tests = (*(node.test for node, _ in guard.outer), guard.node.test)
        words = {word for test in tests for word in _WORD.findall(function.source(test))}
        fresh = any(f'"{one}"' not in known.before and f"'{one}'" not in known.before for one in _picked(tests))
        came = fresh or any(map(known.is_new, words)) or _is_made(guard, old)
        if not (came or stood.intersection(asked) or _is_brought(found, whole)):
            where = conditions(guard, _destination(found))
            yield _fact(file, guard, found, where, short_text(whole_text(guard)))


def _fact(file: ReadFile, guard: Guard, name: str, where: str, text: str) -> Fact:
    """The demand; of those alone for whom something else holds, with that."""
    kind, told = ("demand_under", short_text(demanding_text(guard))) if where else ("demand_added", text)
    return Fact(kind, file.path, guard.line, name, where or None, told, breaking=True)


def _destination(name: str) -> str:
    return name.partition("=")[0].lstrip("-").replace("-", "_")


def _picked(tests: Iterable[ast.expr]) -> set[str]:
    """Texts that something must be equal to for the check to be reached: what was chosen."""
    compared = (n for test in tests for n in ast.walk(test) if isinstance(n, ast.Compare))
    sides = (side for n in compared if isinstance(n.ops[0], ast.Eq | ast.In) for side in (n.left, *n.comparators))
    held = (x for side in sides for x in ast.walk(side) if isinstance(x, ast.Constant))
    return {x.value for x in held if isinstance(x.value, str)}


def _is_made(guard: Guard, old: Function) -> bool:
    """It asks for a value that the function makes itself, of nothing that is set, and did not make before."""
    asked = ast.unparse(guard.node.test).removeprefix("not ")
    given = (node for node in statements(guard.function.body) if isinstance(node, ast.Assign))
    made = [ast.unparse(node.value) for node in given if ast.unparse(node.targets[0]) == asked]
    return bool(made) and not any(map(_SET.search, made)) and asked.rpartition(".")[2] not in old.words


_SET = re.compile(r"env|args|config|param|option|request", re.IGNORECASE)


def _wanted(guard: Guard) -> str | None:
    """What the words of a check say that must be set: a variable with its value, or a flag that the check itself asks for."""
    text = _text(guard)
    found = _SAYS.search(text[:MAX_LINE])
    if found is None or _AGAINST.search(text[: found.end()]) or _TO_LOOK.match(text[found.end() :]):
        return None
    name = found[1]
    if _passes_unset(name, guard):
        return None
    own = not name.startswith("--") or _asks_for(name.lstrip("-").replace("-", "_"), guard)
    return (
        _with_value(name, guard) if own and (name.startswith("--") or "=" in name or _VARIABLE.search(text)) else None
    )


def _text(guard: Guard) -> str:
    return message(guard.node.msg) if isinstance(guard.node, ast.Assert) and guard.node.msg else guard.message


def _asks_for(name: str, guard: Guard) -> bool:
    """The check is about the setting, and not about one that must differ from it (`port == grpc_port`)."""
    clashes = ast.NotEq if isinstance(guard.node, ast.Assert) else ast.Eq
    compared = (node for node in ast.walk(guard.node.test) if isinstance(node, ast.Compare))
    against = (side for one in compared if isinstance(one.ops[0], clashes) for side in (one.left, *one.comparators))
    return bool(re.search(rf"\b{name}\b", guard.condition)) and all(
        ast.unparse(side).rpartition(".")[2] != name for side in against
    )


def _passes_unset(name: str, guard: Guard) -> bool:
    """What stands for the setting where nobody sets it is what the check lets through: `getattr(args, "size", 1) == 1`."""
    passes = ast.Eq if isinstance(guard.node, ast.Assert) else ast.NotEq
    for node in ast.walk(guard.node.test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], passes) and isinstance(node.left, ast.Call):
            call, wanted = node.left, ast.unparse(node.comparators[0])
            taken = [ast.unparse(one) for one in call.args]
            if ast.unparse(call.func) == "getattr" and taken[1:] == [repr(_destination(name)), wanted]:
                return True
    return False


def _with_value(name: str, guard: Guard) -> str:
    """A flag with the one value that the check lets through (`x != "v"`): to set it to anything else helps nobody."""
    passes = ast.Eq if isinstance(guard.node, ast.Assert) else ast.NotEq
    values = set[str]()
    for node in ast.walk(guard.node.test) if name.startswith("--") else ():
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], passes) and len(node.ops) == 1:
            left, value = ast.unparse(node.left).rpartition(".")[2], node.comparators[0]
            given = value.value if isinstance(value, ast.Constant) else None
            if left == name.lstrip("-").replace("-", "_") and isinstance(given, str | int):
                values.add("" if isinstance(given, bool) else str(given))
    only = values.pop() if len(values) == 1 else ""
    return f"{name}={only}" if only else name


def _is_brought(name: str, whole: Whole) -> bool:
    """The change itself declares the variable or the flag."""
    plain = re.escape(name.partition("=")[0])
    declared = re.compile(
        rf"\s*[\"']?{plain}[\"']?\s*[:=]|.*(?:getenv|environ|add_argument)\S{{0,8}}\(\s*[\"']{plain}[\"']"
    )
    shipped = (x.text for f in whole.files if not quiet(f) for h in f.hunks for x in h.lines if x.sign == "+")
    return any(declared.match(line[:MAX_LINE]) for line in shipped if name.partition("=")[0] in line)


_NAMES = re.compile(r"^\+.*(?:\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|[\s\"'`]--[a-z])", re.MULTILINE)
_SAYS = re.compile(
    r"(?<![\w-])(?i:requires?|needs?|must|set|enable|pass|specify|use)(?![\w-])[^.;]{0,60}?(?<![\w-])"
    r"(--[a-z][\w-]{2,60}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=\w{1,20})?)"
)
_AGAINST = re.compile(
    r"\b(?:not|cannot|can't|without|unset|disable|remove|instead|smaller|larger|increase|reduce|either|one of"
    r"|incompatible|conflicts?|exclusive|unsupported)\b",
    re.IGNORECASE,
)
_TO_LOOK = re.compile(
    r"\W{0,4}(?:to (?:see|debug|get|view|find|trace)|for (?:more |further )?(?:details?|info))", re.IGNORECASE
)
"""What somebody sets to learn more is not what the check wants."""
_VARIABLE = re.compile(r"\benv(?:ironment|iron)?\b", re.IGNORECASE)


def _lines(guard: Guard) -> set[int]:
    """The lines that it is written on: its condition, and what is raised."""
    parts: list[ast.expr | ast.stmt] = [guard.node.test, *guard.branch]
    first = guard.line - guard.node.lineno
    return {first + at for one in parts for at in range(one.lineno, (one.end_lineno or one.lineno) + 1)}


def _refused(guard: Guard, known: Sources, unset: dict[str, str]) -> str | None:
    """The setting whose default alone is turned away."""
    held, scope = _given(guard.function, guard), guard.function.scope
    for clause in guard.full(scope):
        rest = frozenset(atom for atom in clause | guard.left(scope) if (atom.subject, atom.value) not in held)
        names = {word for atom in rest for word in _WORD.findall(atom.subject) if word in unset}
        found: list[str] = [
            name for name in names if any(_is_unset(atom, name) for atom in clause) and _only(rest, name, known)
        ]
        if len(names) == 1 and found:
            return found[0]
    return None


def _is_for_some(guard: Guard, name: str) -> bool:
    """Who has something else set than all have is asked, and nobody else."""
    held, scope = _given(guard.function, guard), guard.function.scope
    atoms = {atom for clause in guard.full(scope) for atom in clause | guard.left(scope)}
    return any((atom.subject, atom.value) not in held and not _is_unset(atom, name) for atom in atoms)


def _only(clause: Clause, name: str, known: Sources) -> bool:
    """Each part asks whether the setting is unset, or for something that was there before."""
    return all(
        _is_unset(atom, name)
        or not (known.is_new_value(atom.value) or any(word == name or known.is_new(word) for word in _words(atom)))
        for atom in clause
    )


def _words(atom: Atom) -> list[str]:
    return _WORD.findall(f"{atom.subject} {atom.value}")


def _is_unset(atom: Atom, name: str) -> bool:
    if not re.search(
        rf"(?:^|\.){re.escape(name)}$|(?:environ\.get|getenv)\('{re.escape(name)}'(?:, None)?\)$", atom.subject
    ):
        return False
    other = atom.sign == "!=" and _TEXT.fullmatch(atom.value) is not None  # nothing is no text either
    return other or atom.sign == "false" or (atom.sign in ("is", "==") and atom.value in _FALSE)


_TEXT = re.compile(r"\"[^\"]{1,80}\"|'[^']{1,80}'")


def _given(function: Function, guard: Guard) -> set[tuple[str, str]]:
    """What is so whoever calls: a name that was given this value once, before the check, and is asked for it."""
    found: dict[str, list[str]] = {}
    for node in statements(function.body):
        if isinstance(node, ast.Assign):
            given = one_line(unwrapped(ast.unparse(node.value)))
            for target in node.targets:
                found.setdefault(ast.unparse(target), []).append(given)
    top = [x for x in function.body if isinstance(x, ast.Assign) and x.lineno < guard.node.lineno]
    always = {ast.unparse(x.targets[0]) for x in top}
    return {(name, values[0]) for name, values in found.items() if len(values) == 1 and name in always}
