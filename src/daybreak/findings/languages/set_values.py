"""Values that a program writes itself: into a setting that users left to it, and into what it answers.

`config.connector = "A"` that is `"B"` now, `Message(content=text or None)` that is `text or ""`: no default is declared, and
yet whoever sets nothing, or reads the answer, meets another value. Only a constant that stands for another one counts.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.text import SENTENCE, contrast
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, beside, one_line, quiet, unwrapped
from daybreak.findings.languages.clauses import Question, implies, written
from daybreak.findings.languages.python_functions import Function, Pair, Sources, sources
from daybreak.findings.languages.python_normal import question
from daybreak.findings.languages.python_public import is_setting
from daybreak.findings.languages.python_syntax import VALIDATOR, assigned, last_name, runs_itself, statements, walk
from daybreak.findings.memory import remembered
from daybreak.findings.paths import ships

_HOLDS_SETTINGS = re.compile(r"(?:^|_)(?:args|config|params)$")
_ANSWERS = re.compile(r"(?:^|\.)[A-Z]\w*(?:Response|Message|Choice|Delta|Output|Usage)(?:\w{0,12})$")
_SETS = re.compile(r"\.\s*\w+\s*=(?!=)|setattr(?:__)?\(")
_DEFAULT_OF = re.compile(r"_{0,2}(?:(?:resolve|get|choose|select|infer|compute)_)?default_(\w{3,80})$")
"""A method that gives what a setting is where nobody sets it."""
_OWN = re.compile(r"\bself\.([a-z]\w{2,80})\b(?!\()")
_TEXT = re.compile(r"'[^'\\\n]{1,80}'")
_LONGEST = 60
"""Characters of a text that is a value; a longer one is a message."""
_LONGEST_SAID = 300


class _Written(NamedTuple):
    line: int
    text: str
    value: str
    form: str
    """The expression with nothing for its constants."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Settings and fields of answers that a function gives another constant, or gives one under a condition."""
    if quiet(file) or not ("=" in file.change.patch or "return" in file.change.patch):
        return
    known = sources(whole)
    sides = (one for one in _sides(file.path, known) if file.public or (_settles(one[2]) and ships(file.path)))
    found = (fact for one in sides for fact in (*_compare(*one), *_filled(*one, known)))
    yield from islice(found, PER_FILE)


def _settles(function: Function) -> bool:
    """It says by its name that it makes configurations ready, and is handed one: what users left out is chosen there."""
    handed = any(map(_HOLDS_SETTINGS.search, function.parameters))
    return handed and _READY.fullmatch(function.short) is not None


_READY = re.compile(
    r"(?:[a-z]{1,20}_){0,3}(?:update|override|adjust|apply|resolve|finalize)_(?:\w{1,40}_)?(?:config|args|defaults?|settings)s?|\w{1,40}_adjustments?"
)


def _sides(path: str, known: Sources) -> Iterator[tuple[Pair, Function, Function]]:
    """Pairs of a file with both sides, and checks that run by themselves in a class which stands on both: one that came or
    went was none.
    """
    yield from known.changed(path)
    for pair in known.pairs.get(path, ()):
        alone = pair.old if pair.new is None else pair.new if pair.old is None else None
        there = known.text(pair.file, "-" if pair.old is None else "+")
        if alone is not None and runs_itself(alone.name, alone.decorated) and alone.has_class_in(there):
            none = Function(alone.name, alone.line, ("",))
            yield pair, pair.old or none, pair.new or none


def _compare(pair: Pair, old: Function, new: Function) -> Iterator[Fact]:
    before, after = _written(old), _written(new)
    for name in sorted(before.keys() & after.keys()):
        gone = [x for x in before[name] if x.value not in {y.value for y in after[name]}]
        come = [x for x in after[name] if x.value not in {y.value for y in before[name]}]
        if len({x.value for x in gone}) == len({x.value for x in come}) == 1 and gone[0].form == come[0].form:
            values = contrast(gone[0].text, come[0].text)
            yield Fact("written_changed", pair.file.path, come[0].line, name, *values)


def _filled(pair: Pair, old: Function, new: Function, known: Sources) -> Iterator[Fact]:
    """Settings that the program gives a value under a condition from now on, or no longer, wherever it did so before."""
    if not (is_setting(new.name.rpartition(".")[0]) or _settles(new)):
        return
    before, after = _fills(old), _fills(new)
    gone, come = before.keys() - after.keys(), after.keys() - before.keys()
    alike = {key[0] for key in gone} & {key[0] for key in come}  # another form of what stands there
    yield from _for_more((pair, old, new), {key: before[key] for key in gone}, {key: after[key] for key in come}, known)
    gone = {key for key in gone if _times(old, key) > _times(new, key)}
    come = {key for key in come if _times(new, key) > _times(old, key)}
    yield from _unheeded(pair, before, after, known)
    yield from _resolved(pair, old, new, known)
    swapped = dict(_swapped(gone, come))
    for was, now in swapped.items():
        instead = f"{now[0]} = {now[1]}"
        yield Fact("filled_replaced", pair.file.path, after[now].line, was[0], before[was].text, instead)
    gone, come = gone - swapped.keys(), come - {*swapped.values()}
    alike |= {key[0] for key in come if _replaces(key, after[key], known)}
    for verb, keys, here in (("added", come, after), ("removed", gone, before)):
        for key in sorted(keys):
            if key[0] in alike or not _stays(key[0], pair, known, verb) or _stands(key, pair, known, verb):
                continue
            if verb == "added" and _comes_along(key, here[key], known):
                continue
            line, shown = here[key][:2]
            other = _chosen(old if verb == "added" else new, key[0])
            if other is None:
                once, from_now = (None, shown) if verb == "added" else (shown, None)
                costs = not _does_nothing(key, here[key])
                yield Fact(f"filled_{verb}", pair.file.path, line, key[0], once, from_now, costs)
            elif verb == "added":  # it was given one of two values
                yield Fact("filled_changed", pair.file.path, line, key[0], other, shown, True)


def _for_more(sides: tuple[Pair, Function, Function], gone: _Fills, come: _Fills, known: Sources) -> Iterator[Fact]:
    """What is written as before, for those as well who did not meet the condition until now."""
    pair, old, new = sides
    for key in sorted(come):
        now, alone = come[key], sum(other[:2] == key[:2] for other in come) == 1
        was = [fill for other, fill in gone.items() if other[:2] == key[:2]]
        wider = len(was) == 1 and alone and implies(was[0].asked, now.asked) and not implies(now.asked, was[0].asked)
        if wider and not _comes_along(key, now, known):
            once, from_now = (
                one_line(unwrapped(one)) for one in (old.source(was[0].branch.test), new.source(now.branch.test))
            )
            once, from_now = contrast(once, from_now)
            texts = f"{key[1]} if {once}", f"{key[1]} if {from_now}"
            yield Fact("filled_for_more", pair.file.path, now.line, key[0], *texts, True)


def _comes_along(key: Fill, fill: _Filled, known: Sources) -> bool:
    """What is given, or a field or a question that must hold, comes with the change."""
    said = fill.whole.replace('"', "'")
    values = (key[1], *_TEXT.findall(f"{key[2]} {said}"))
    must = not any(word in said for word in (" or ", "not "))
    asked = must and any(_defines(name, known.after) and name not in known.before for name in _ASKED.findall(said))
    return asked or any(map(known.is_new_value, values)) or any(comes(own, known) for own in _OWN.findall(said))


def _defines(name: str, text: str) -> bool:
    return re.search(rf"^[ \t]*def {name}\(", text, re.MULTILINE) is not None


_ASKED = re.compile(r"\b(\w{4,80})\(\)")
"""A question to what holds the settings: `is_action_gen` of `config.task.is_action_gen()`."""


def _does_nothing(key: Fill, fill: _Filled) -> bool:
    """A switch of what several share, and there is only one of them."""
    sure = key[1] in ("True", "False") and not any(other in fill.whole for other in (" or ", "not ("))
    return sure and _OF_SEVERAL.search(key[0]) is not None and _ALONE.search(fill.whole) is not None


_OF_SEVERAL = re.compile(r"parallel|reduce|gather|comm|shard|(?:^|_)[stdpe]p(?:_|$)")
_ALONE = re.compile(r"(?:parallel|world)_size (?:==|<=) 1(?![\d.])")


def _stays(name: str, pair: Pair, known: Sources, verb: str) -> bool:
    """The setting is there on the other side as well; of a variable no other file of the change speaks: it is declared elsewhere."""
    own, other = (known.after, known.before) if verb == "added" else (known.before, known.after)
    if pair.new is not None and _settles(pair.new) and not _is_declared(name, own):
        return True  # what makes others' settings ready declares none
    here = known.text(pair.file, "+" if verb == "added" else "-")
    word = re.compile(rf"\b{name}\b")
    alone = name.isupper() and len(word.findall(own)) == len(word.findall(here))
    return alone or word.search(other) is not None


def comes(name: str, known: Sources) -> bool:
    """A field that is declared with the change, and in none of its files before: nobody could give it."""
    return _is_declared(name, known.after) and not _is_declared(name, known.before)


def _is_declared(name: str, text: str) -> bool:
    return re.search(rf"^[ \t]+{re.escape(name)}[ \t]?:", text, re.MULTILINE) is not None


def _times(function: Function, key: Fill) -> int:
    """How often it writes just that into the setting, in whatever branch: where it does so as often, what changed is when."""
    given = (one for node in statements(function.body) for one in _given(function, node))
    return sum((name, ast.unparse(value)) == key[:2] for name, value in given)


def _swapped(gone: set[Fill], come: set[Fill]) -> Iterator[tuple[Fill, Fill]]:
    """Where the same is asked, one setting is given a value in place of another one."""
    for was in sorted(gone):
        here = [now for now in come if now[2] == was[2] and now[0] != was[0]]
        if len(here) == 1 and sum(one[2] == was[2] for one in gone) == 1:
            yield was, here[0]


def _unheeded(pair: Pair, before: _Fills, after: _Fills, known: Sources) -> Iterator[Fact]:
    """Settings that have another value than the one which somebody chose for them: it is taken no more, and nothing says no."""
    were = {(key[0], value) for key, fill in before.items() for value in _replaces(key, fill, known)}
    for key in sorted(after):
        chosen = {(key[0], value) for value in _replaces(key, after[key], known)}
        if chosen - were and not _stands(key, pair, known, "added") and not _sets_more(key, after[key]):
            line, shown = after[key][:2]
            yield Fact(
                "filled_over", pair.file.path, line, key[0], ", ".join(sorted(v for _, v in chosen - were)), shown, True
            )


def _sets_more(key: Fill, fill: _Filled) -> bool:
    """The branch sets something else as well: what was chosen is said by that from now on, and still works."""
    given = (node.targets[0] for node in fill.branch.body if isinstance(node, ast.Assign))
    return any(last_name(target) != key[0] for target in given)


def _replaces(key: Fill, fill: _Filled, known: Sources) -> set[str]:
    """Values that stood there to be chosen, in place of which the setting is given its value."""
    own = (a for clause in fill.asked for a in clause if a[:2] == (f"self.{key[0]}", "=="))
    return {a.value for a in own if _PICKED.fullmatch(a.value) and not known.is_new_value(a.value)}


_PICKED = re.compile(r"'(?!(?:auto|default|none)')[\w.-]{2,60}'", re.IGNORECASE)
"""A value that somebody writes; what leaves the choice to the program is none."""


def _chosen(function: Function, name: str) -> str | None:
    """The value with a condition that a function gives a setting, where it is one alone."""
    found = _decisions(function).get(name, ())
    return function.source(found[0].value)[:_LONGEST_SAID] if len(found) == 1 else None


def _decisions(function: Function) -> dict[str, list[_Decision]]:
    """Setting -> what it is given that depends on a condition of its own."""
    out = defaultdict[str, list[_Decision]](list)
    for node in statements(function.body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.IfExp):
            target = node.targets[0]
            if isinstance(target, ast.Attribute):
                out[target.attr].append(_Decision(node, node.value))
    return out


class _Decision(NamedTuple):
    node: ast.Assign
    value: ast.IfExp


def _resolved(pair: Pair, old: Function, new: Function, known: Sources) -> Iterator[Fact]:
    """Settings that were left to the program and for which it asks something else now, before it gives one of the same two."""
    before, after = _decisions(old), _decisions(new)
    for name in sorted(before.keys() & after.keys()):
        if len(before[name]) == len(after[name]) == 1 and _is_left(new, after[name][0].node, name):
            was, now = before[name][0].value, after[name][0].value
            arms = [(ast.dump(one.body), ast.dump(one.orelse)) for one in (was, now)]
            same = arms[0] == arms[1] and question(was.test, old.scope) == question(now.test, new.scope)
            once, from_now = one_line(unwrapped(old.source(was))), one_line(unwrapped(new.source(now)))
            if arms[0] == arms[1] and not same and not any(comes(own, known) for own in _OWN.findall(from_now)):
                yield Fact("filled_changed", pair.file.path, new.at(now), name, *contrast(once, from_now), True)


def _is_left(function: Function, given: ast.Assign, name: str) -> bool:
    """It is given under the question whether the setting was left to the program."""
    heads = (node.test for node in statements(function.body) if isinstance(node, ast.If) and given in node.body)
    return any(_LEFT.search(ast.unparse(test)) and f".{name}" in ast.unparse(test) for test in heads)


_LEFT = re.compile(r"(?:==|is) (?:'auto'|'default'|None)|\bnot self\.", re.IGNORECASE)


Fill = tuple[str, str, str]
"""A setting, what it is given, and when, in normal form."""


class _Filled(NamedTuple):
    line: int
    text: str
    whole: str
    """The value and all of its conditions."""
    branch: ast.If
    asked: Question
    """Its own condition."""


_Fills = Mapping[Fill, _Filled]


def _stands(key: Fill, pair: Pair, known: Sources, verb: str) -> bool:
    """Another function of the file does so on the other side: it moved there, or came from there."""
    there = known.functions(pair.file, "-" if verb == "added" else "+").values()
    return any(key in _fills(one) for one in there if key[0] in one.words)


@remembered(256)
def _fills(function: Function) -> dict[Fill, _Filled]:
    """What branches of a function write into settings, each with its line and its words."""
    out: dict[Fill, _Filled] = {}
    branches = [node for node in statements(function.body) if isinstance(node, ast.If)]
    around = {id(inside): (node, True) for node in branches for inside in node.body}
    around |= {id(inside): (node, False) for node in branches for inside in node.orelse}
    for node in branches:
        when = _conditions(function, node, around)
        for inside in node.body:
            for name, given in _given(function, inside):
                plain = isinstance(given, ast.Constant) and given.value is not None and _constants(given)
                if (plain or _is_named(given)) and not _keeps(function, name, given, node, around):
                    value = function.source(given)
                    asked = question(node.test, function.scope)
                    out[name, ast.unparse(given), written(asked)] = _Filled(
                        function.at(given), _said(value, when), " ".join((value, *when)), node, asked
                    )
    return out


def _keeps(
    function: Function, name: str, given: ast.expr, node: ast.If, around: Mapping[int, tuple[ast.If, bool]]
) -> bool:
    """A condition around it asks whether the setting is just that: nothing is written."""
    told = ast.unparse(given)
    place: tuple[ast.If, bool] | None = (node, True)
    while place is not None:
        inner, holds = place
        asked = question(inner.test, function.scope) if holds else ()
        if asked and all(any(a[0].endswith(f".{name}") and a[1:] == ("==", told) for a in clause) for clause in asked):
            return True
        place = around.get(id(inner))
    return False


def _said(value: str, when: Sequence[str]) -> str:
    """A value with its conditions; where they are too long for a sentence, `…` for the outer ones: the innermost decides."""
    parts = [beside(one) for one in when] if len(when) > 1 else list(when)
    told = f"{value} if {' and '.join(parts)}"
    for left in range(1, len(parts)):
        if len(told) <= SENTENCE:
            break
        told = f"{value} if … and {' and '.join(parts[left:])}"
    return told[:_LONGEST_SAID]


def _conditions(function: Function, node: ast.If, around: Mapping[int, tuple[ast.If, bool]]) -> list[str]:
    """All that must hold for a branch to be taken, the outermost first; of a chain of `elif` the own arm alone."""
    found = [one_line(unwrapped(function.source(node.test)))]
    inner: ast.If = node
    while place := around.get(id(inner)):
        below, (inner, holds) = inner, place
        text = one_line(unwrapped(function.source(inner.test)))
        if holds or inner.orelse != [below]:
            found.insert(0, text if holds else f"not ({text})")
    return found


def _written(function: Function) -> dict[str, list[_Written]]:
    """Name → what a function writes there; one that writes nothing of the kind need not be walked through."""
    gives = _DEFAULT_OF.fullmatch(function.short) or function.mentions(_SETS)
    if not (gives or any(map(_ANSWERS.search, function.words))):
        return {}
    out: dict[str, list[_Written]] = defaultdict(list)
    for node in walk(function.body):
        for name, given in _given(function, node):
            if _constants(given):
                value = ast.dump(given)
                text = one_line(function.source(given))
                out[name].append(_Written(function.at(given), text, value, _CONSTANT.sub("Constant", value)))
    return out


def _given(function: Function, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    node = assigned(node)
    if (
        isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and (_is_named(node.value) or isinstance(node.value, ast.Constant))
    ):
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
            if own := _setting(function, target):
                yield own, node.value
        elif isinstance(target, ast.Subscript) and (name := _field_of_request(function, target)):
            yield name, node.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield from _set_variable(node.value)
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value is not None:
        named = _DEFAULT_OF.match(function.short) if is_setting(function.name.rpartition(".")[0]) else None
        if named:
            yield named[1], node.value
    elif isinstance(node, ast.Call) and _ANSWERS.search(called := ast.unparse(node.func)[-200:]):
        kind = called.rpartition(".")[2]
        plain = (
            one for one in node.keywords if one.arg and not any(isinstance(x, ast.Call) for x in ast.walk(one.value))
        )
        yield from ((f"{kind}.{one.arg}", one.value) for one in plain)


def _set_variable(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """A variable of the environment that the program sets for itself: `envs.ENGINE_LEVEL.set(2)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "set" and len(call.args) == 1 and not call.keywords:
        held = call.func.value
        if isinstance(held, ast.Attribute) and _is_named(held) and last_name(held.value).startswith("env"):
            yield held.attr, call.args[0]


def _is_named(node: ast.expr) -> bool:
    """A constant by its name: `Config.DEFAULT_SIZE`, `Level.HIGH`."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    member = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id[:1].isupper()
    return _CAPITALS.fullmatch(name) is not None or (member and name.isupper())


_CAPITALS = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def _setting(function: Function, target: ast.Attribute) -> str:
    """The name of an attribute of what users set: `self.config.x`, `args.x`, `self.config.part.x` (`part.x`), or `self.x` in a
    class of settings.
    """
    holders = ast.unparse(target.value)[-200:].split(".")
    held = next((at for at in range(len(holders) - 1, -1, -1) if _HOLDS_SETTINGS.search(holders[at])), None)
    if held is not None and all(map(str.isidentifier, holders[held + 1 :])):
        return ".".join((*holders[held + 1 :], target.attr))
    return target.attr if holders == ["self"] and is_setting(function.name.rpartition(".")[0]) else ""


def _field_of_request(function: Function, target: ast.Subscript) -> str | None:
    """The field that a validator writes into what it is handed before there is an object: `data["x"]`."""
    held, key = target.value, target.slice
    if not (isinstance(held, ast.Name) and held.id in function.parameters and VALIDATOR.search(function.decorated)):
        return None
    return (
        key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier() else None
    )


def _constants(node: ast.expr) -> Sequence[ast.Constant]:
    """Constants in an expression, if no text among them is a message."""
    found = [one for one in ast.walk(node) if isinstance(one, ast.Constant)]
    return [] if any(isinstance(one.value, str) and len(one.value) > _LONGEST for one in found) else found


_CONSTANT = re.compile(r"Constant\(value=(?:'[^'\\]*'|\"[^\"\\]*\"|[^()'\"]{0,80})\)")
