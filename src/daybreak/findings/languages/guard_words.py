"""Words of guards: a check as one line of code, with as much of what stands around it as a reader needs."""

from __future__ import annotations

import ast
import re

from daybreak.core.text import SENTENCE, contrast
from daybreak.findings.languages.blocks import beside, negation_of, one_line, shown, unwrapped
from daybreak.findings.languages.guard_reading import Guard
from daybreak.findings.languages.python_normal import question
from daybreak.findings.languages.python_syntax import VALIDATOR, has_elif, statements


def own_text(guard: Guard, condition: str = "") -> str:
    """A check alone, or under another condition than its own."""
    asked = condition or guard.condition
    return one_line(f"assert {asked}" if guard.error == "assert" else f"if {asked}: raise {guard.error}")


def whole_text(guard: Guard) -> str:
    """A check that came or went, with all the conditions it stands under; `…` for those that find no room, and when it is
    not asked of everybody.
    """
    around = [beside(text) for text in _around(guard)]
    told = _under(guard, around)
    if len(told) <= SENTENCE or len(around) < _SEVERAL:
        return told
    return _under(guard, [*_platform(guard, around[-1]), "…", around[-1]])


def demanding_text(guard: Guard) -> str:
    """A check that came, as all of it must hold: with what holds for those who have not left the function before, in place of `…`."""
    told = whole_text(guard)
    if guard.part or not told.startswith("if … and "):
        return told
    given = _given(guard)
    return own_text(guard, " and ".join(beside(given.get(text, text)) for text in (*_stayed(guard), guard.condition)))


def conditions(guard: Guard, name: str) -> str:
    """What else must hold for a check of the named setting to turn somebody away; nothing where it asks everybody."""
    test = guard.node.test
    joined = (
        isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and guard.error != "assert" and not guard.turned
    )
    parts = [guard.function.source(part) for part in test.values] if joined and isinstance(test, ast.BoolOp) else []
    around = [text for text in _around(guard) if text != "…" or guard.part]
    given = _given(guard)
    every = (*around, *_stayed(guard), *(one_line(unwrapped(text)) for text in parts))
    found = [beside(given.get(text, text)) for text in every if not re.search(rf"\b{re.escape(name)}\b", text)]
    return "" if "…" in found else " and ".join(found)


def _under(guard: Guard, around: list[str]) -> str:
    if not around:
        return own_text(guard)
    if guard.error == "assert":
        return one_line(f"if {' and '.join(around)}: {own_text(guard)}")
    return own_text(guard, " and ".join((*around, beside(guard.condition))))


def _around(guard: Guard) -> list[str]:
    """What must hold for it to be reached, outermost first."""
    out: list[str] = []
    for node, holds in guard.outer:
        text = one_line(unwrapped(guard.function.source(node.test)))
        if holds and text == guard.condition:  # once is enough
            guard = guard._replace(part=True)
        elif holds or not has_elif(node) or node.orelse == [guard.node]:
            out.append(text if holds else negation_of(text))
    return out or (["…"] if guard.part or _passed_by(guard) else [])


def _platform(guard: Guard, around: str) -> list[str]:
    """The platform that it is for: whoever has another never meets it."""
    for node, holds in guard.outer:
        parts = one_line(unwrapped(guard.function.source(node.test))).split(" and ") if holds else []
        found = [part for part in parts if _PLATFORM.fullmatch(part) and part not in around]
        if found:
            return found[:1]
    return []


_PLATFORM = re.compile(
    r"(?:\w{1,40}\.)*_?(?:is|on)_(?:cuda|hip|rocm|npu|xpu|cpu|musa|tpu|hpu|mps|mlx|sm\d|gfx|amd|nvidia|intel|blackwell|hopper)\w{0,40}(?:\(\))?"
)


def _passed_by(guard: Guard) -> bool:
    """Some leave the function before, and need not pass."""
    return any(_leaves_quietly(node, holds) for node, holds in guard.before)


def _stayed(guard: Guard) -> list[str]:
    """What holds for those who have not left before."""
    return [_held(node.test, not holds) for node, holds in guard.before if _leaves_quietly(node, holds)]


def _held(test: ast.expr, holds: bool) -> str:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    text = one_line(ast.unparse(test))
    return text if holds else negation_of(text)


def _given(guard: Guard) -> dict[str, str]:
    """What the function itself gives a name, once: a reader sets that, and not the name."""
    values: dict[str, list[str]] = {}
    for node in statements(guard.function.body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and not isinstance(node.value, ast.Constant):
            values.setdefault(ast.unparse(node.targets[0]), []).append(one_line(ast.unparse(node.value)))
    return {name: found[0] for name, found in values.items() if len(found) == 1 and len(found[0]) <= _LONGEST_VALUE}


_LONGEST_VALUE = 100


def _leaves_quietly(node: ast.If, holds: bool) -> bool:
    return not isinstance((node.body if holds else node.orelse)[-1], ast.Raise)


def beside_other(guard: Guard, other: Guard) -> str:
    """A check beside its other form: with the conditions around it that the other one does not stand under, or asks itself."""
    known, asked = {question(node.test) for node, _ in other.outer}, question(other.node.test)
    tried = _tried(guard)
    around = guard.outer[: len(guard.outer) - len(tried)]
    texts = [(node, holds, one_line(unwrapped(guard.function.source(node.test)))) for node, holds in around]
    parts = [
        text if holds else negation_of(text)
        for node, holds, text in texts
        if (question(node.test) not in known if holds else question(node.test) == asked)
    ]
    if guard.error == "assert" or len(parts) > 3:
        return own_text(guard)
    if not around and (guard.part or _passed_by(guard)):
        parts = ["…"]
    return own_text(guard, " and ".join(map(beside, (*parts, *tried, guard.condition))))


def _tried(guard: Guard) -> list[str]:
    """For an `else` that raises behind `elif`: what was asked before, none of which holds where it is reached."""
    below: ast.stmt = guard.node
    out: list[str] = []
    for node, holds in reversed(guard.outer if guard.turned else ()):
        if holds or node.orelse != [below]:
            break
        out.insert(0, negation_of(one_line(unwrapped(guard.function.source(node.test)))))
        below = node
    return out


# --- as long as a sentence -----------------------------------------------------------------------------------------

_SEVERAL = 2
_RAISES = ": raise "
_LEAST = 20
"""Characters of an error's words from which on they say more than its name."""


def new_text(guard: Guard) -> str:
    """A check that came, with the words of its error: they say more than its condition, which makes way for them."""
    text, words = _by_field(whole_text(guard), guard), _words(guard)
    if not words:
        return short_text(text)
    told = f'{text}("{words}")'
    if len(told) <= SENTENCE:
        return told
    asked, raises, error = text.rpartition(_RAISES)
    short = len(words) <= _MOST_WORDS and raises and asked.startswith("if ")
    left = SENTENCE - len(asked)
    return f'{asked if left > _LEAST else "if …"}{raises}{error}("{words}")' if short else short_text(text)


def _by_field(text: str, guard: Guard) -> str:
    """The condition of a validator by the field that it is for: users write that, and not what the function calls its value."""
    found = _OF_ONE_FIELD.search(guard.function.decorated)
    value = _VALUE.search(guard.function.text)
    if not (found and value and VALIDATOR.search(found[0])):
        return text
    asked, raises, error = text.rpartition(_RAISES)
    return re.sub(rf"(?<![\w.]){value[1]}\b", found[1], asked) + raises + error


_OF_ONE_FIELD = re.compile(r"@(?:\w+\.)?\w{1,40}\(\s?[\"'](\w{1,80})[\"']\s?(?:,\s?\w+\s?=[^()]{0,80})?\)")
_VALUE = re.compile(r"\bdef \w{1,120}\(\s?\w{1,40},\s?(\w{1,80})")


def _words(guard: Guard) -> str:
    """What the error says, as one text: what it is filled with is left open, and names that it carries besides are no words."""
    last = guard.branch[-1] if guard.branch else None
    given = last.exc if isinstance(last, ast.Raise) else None
    if not isinstance(given, ast.Call):
        return ""
    by_name = [one.value for one in given.keywords if one.arg in _SAID_BY]
    said = given.args if len(given.args) == 1 else by_name if not given.args else []
    words = " ".join(_text(said[0]).split()) if said else ""
    plain = words.replace('"', "'").replace("\\", "")
    return plain if len(plain.replace("…", "")) >= _LEAST else ""


def _text(said: ast.expr) -> str:
    """A text as it is written, `…` for each value that is put into it; nothing of what is put together otherwise."""
    if isinstance(said, ast.Constant):
        return said.value if isinstance(said.value, str) else ""
    if isinstance(said, ast.JoinedStr):
        return "".join(_text(one) if isinstance(one, ast.Constant) else "…" for one in said.values)
    return ""


_SAID_BY = frozenset({"detail", "message", "msg"})
"""Names under which errors take their words."""
_MOST_WORDS = 200


def short_text(text: str) -> str:
    """A long check without the middle of its condition: how it begins, how it ends and what it raises."""
    if len(text) <= SENTENCE:
        return text
    condition, raises, error = text.rpartition(_RAISES)
    room = SENTENCE - len(raises + error) - 3
    if not raises or room < _LEAST:
        return shown(text)
    condition = _folded(condition, room)
    if len(condition) <= room:
        return f"{condition}{raises}{error}"
    last = condition[-(room // 3) :].partition(" ")[2]
    first = condition[: room - len(last)]
    return f"{first.rpartition(' ')[0] or first} …{' ' if last else ''}{last}{raises}{error}"


def _folded(condition: str, room: int) -> str:
    """A condition with whole brackets left out, `not (…)`: cut within one, it would say the opposite of what it asks."""
    while len(condition) > room and (groups := _brackets(condition)):
        fit = [one for one in groups if len(condition) - (one[1] - one[0]) + 1 <= room]
        first, last = min(fit, key=_length) if fit else max(groups, key=_length)
        condition = f"{condition[:first]}…{condition[last:]}"
    return condition


def _length(span: tuple[int, int]) -> int:
    return span[1] - span[0]


def _brackets(text: str) -> list[tuple[int, int]]:
    """What stands between two brackets that belong together: where it begins, and where it ends."""
    opened, out = list[int](), list[tuple[int, int]]()
    for at, char in enumerate(text):
        if char in "([{":
            opened.append(at + 1)
        elif char in ")]}" and opened:
            first = opened.pop()
            out += [(first, at)] if at - first > 1 else []
    return out


def side_by_side(before: str, after: str) -> tuple[str, str]:
    """Two forms of a check cut down to where they differ, with what they raise."""
    (was, raises, old), (now, also, new) = (text.rpartition(_RAISES) for text in (before, after))
    if max(len(before), len(after)) <= SENTENCE or not (raises and also):
        return contrast(before, after)
    first, second = contrast(was, now, SENTENCE - len(raises) - max(len(old), len(new)))
    return f"{first}{raises}{old}", f"{second}{raises}{new}"
