"""Guards of Python code: `assert`, and `raise` under an `if`, on arguments, requests and configuration.

A guard counts when it came to, left or changed in a function that was there before: checks of new code are part of
that code. Asserts that only help the type checker (`is not None`, `isinstance`) say nothing to a user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.findings.diff import DiffHunk, SideLine, side
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole, bracketed
from daybreak.findings.languages.blocks import (
    PER_FILE,
    code,
    contrast,
    following,
    indent,
    moved,
    one_line,
    owners,
    parent,
    place,
    quiet,
    quoted,
    renamed,
    shown,
    squeezed,
    statement,
    swapped,
    unwrapped,
)

_IF = re.compile(r"\s*(?:el)?if\b(.*):\s*$", re.DOTALL)
_RAISE = re.compile(
    r"\s*(?:raise\s+([\w.]{0,60}(?:Error|HTTPException|Exception))\b|return\s+(?:self\.)?(create_error_response)\()"
)
_NARROWING = re.compile(
    r"(?:not\s+)?(?:isinstance|hasattr|callable|issubclass|is_list_of|type)\(|.*\bis not None\b|[\w.\[\]\"']+$"
    r"|.*\bTYPE_CHECKING\b|(?:False|0|True)\b"
)
_COMPARES = re.compile(r"==|!=|<|>|%|\bin\b|\bnot\b")
_TALK = re.compile(r"\s*(?:[\w.]*log(?:ger)?\.\w+\(|\w*(?:msg|message|err\w*|reason|detail)\s*=|warnings\.warn\()")
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
_DEF = re.compile(r"\s*(?:async\s+)?def\s")
_VALIDATOR = re.compile(r"\s*@(?:\w+\.)?(?:field_validator|model_validator|validator|root_validator)\b")
_CHECKER = re.compile(r"_?(?:validate|verify|check)(?:_\w+)?$|__post_init__$")
_TEXT = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_WORD = re.compile(r"[A-Za-z_]\w+")


REWRITE = 25
"""Changed lines in a row from which on a check is part of a rewrite; in settings and requests only an assert is."""
_COMMON = frozenset({"self", "len", "in", "not", "and", "or", "is", "None", "any", "all", "True", "False", "config"})


class Guard(NamedTuple):
    """One check, on one side of a hunk."""

    line: int
    place: str
    text: str
    """As it is shown: `assert x > 0`, `if x <= 0: raise ValueError`."""
    condition: str
    inner: str
    """The condition without that of the `if` around it."""
    error: str
    changed: bool
    """A changed line lies in its condition."""
    run: int
    """Changed lines around it that came or went with it."""
    message: str = ""
    """What it says, squeezed: the same words mean the same check."""
    public: bool = False
    outer: str = ""
    """The condition of the unchanged `if` around it; `…` when the hunk does not show what it stands under."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Guards that came, went or ask for something else."""
    patch = file.change.patch
    if quiet(file) or not ("raise " in patch or "assert " in patch or "create_error_response" in patch):
        return
    found = [fact for hunk in file.hunks for fact in _compare(file, hunk, whole)]
    swaps = [swapped(f.before, f.after) for f in found if f.before and f.after]
    told: dict[str, set[tuple[str | None, str | None]]] = {}
    for fact in found:
        if fact.before and fact.after and (swap := swapped(fact.before, fact.after)) and swaps.count(swap) > 1:
            continue  # a name that was changed throughout
        seen = told.setdefault(fact.kind, set())
        if (fact.before, fact.after) not in seen and len(seen) < PER_FILE:
            seen.add((fact.before, fact.after))
            yield fact


def _compare(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    if not any("raise" in x.text or "assert" in x.text or "create_error_response" in x.text for x in hunk.lines):
        return
    old, new = _guards(side(hunk, "-"), hunk, file), _guards(side(hunk, "+"), hunk, file)
    same = {squeezed(g.text) for g in old} & {squeezed(g.text) for g in new}
    gone = [g for g in old if squeezed(g.text) not in same]
    come = [g for g in new if squeezed(g.text) not in same]
    for was, now in _pairs(gone, come):
        gone.remove(was)
        come.remove(now)
        was, now = _nested(was, now), _nested(now, was)  # noqa: PLW2901  the same two, said in full
        if (was.changed or now.changed) and _differ(was, now, whole):
            yield Fact("guard_changed", file.path, now.line, now.place, *contrast(was.text, now.text))
    for g in gone:
        if g.changed and whole.complete and not moved(whole, g.inner, "-") and _telling(g):
            yield Fact("guard_removed", file.path, g.line, g.place, shown(_full(g)), None)
    for g in come:
        if g.changed and not moved(whole, g.inner, "+") and _telling(g):
            yield Fact("guard_added", file.path, g.line, g.place, None, shown(_full(g)))


def _differ(was: Guard, now: Guard, whole: Whole) -> bool:
    """The check asks for something else, in words that mean something else."""
    if _core(was.condition) == _core(now.condition) or renamed(was.condition, now.condition, whole):
        return False
    if (was.error == "assert") != (now.error == "assert") and _words(was) == _words(now):
        return False  # the same demand with another kind of error
    if all(re.fullmatch(r"(?:not )?\w+\([^()]*\)", g.condition) for g in (was, now)) and "isinstance(" in (
        was.condition + now.condition
    ):
        return False  # a helper that asks for the type
    return _telling(was) or _telling(now)


def _words(guard: Guard) -> list[str]:
    return sorted(w for w in re.findall(r"\w+", guard.condition) if w not in ("not", "and", "or", "in"))


def _telling(guard: Guard) -> bool:
    """The condition is about something a caller gives, not about the state of the moment."""
    if _INTERNAL.search(guard.condition) or re.fullmatch(r"not isinstance\([^()]*(?:\([^()]*\))?[^()]*\)", guard.inner):
        return False
    if guard.run > REWRITE and (guard.error == "assert" or not guard.public):
        return False
    if guard.error == "assert":
        return all(p.search(guard.condition) for p in (_COMPARES, _SETTING)) and not _INVARIANT.search(guard.condition)
    return bool(_INPUT.search(guard.condition))


def _core(condition: str) -> str:
    """A condition without what a refactoring changes: where a name is reached from, brackets, quotes."""
    bare = re.sub(r"\b[A-Za-z_]\w*(?:\(\))?\.(?=[A-Za-z_])", "", condition)
    bare = re.sub(r"([=!])= None\b", lambda m: " is None" if m[1] == "=" else " is not None", bare)
    return squeezed(re.sub(r"[()'\"]", "", re.sub(r"\b_(?=\w)", "", bare))).lower()


# --- the guards of one side --------------------------------------------------------------------------------------


def _guards(lines: Sequence[SideLine], hunk: DiffHunk, file: ReadFile) -> list[Guard]:
    texts = quoted(lines)
    out: list[Guard] = []
    for at, line in enumerate(lines):
        bare = line.text.lstrip()
        if at in texts or len(line.text) > MAX_LINE or len(out) >= 40:
            continue
        if bare.startswith(("assert ", "assert(")):
            guard = _assert(lines, at, hunk, file)
        elif bare.startswith(("if ", "elif ", "if(")):
            guard = _conditional(lines, at, hunk, file)
        else:
            continue
        if guard and not _fresh(lines, at, public=file.public):
            out.append(guard)
    return out


def _fresh(lines: Sequence[SideLine], at: int, *, public: bool) -> bool:
    """The check is part of new code: its function is new (unless it is a validator), or the block around it is."""
    held = owners(lines, at)
    if held and lines[held[0][0]].changed:
        n, kind, name = held[0]
        validator = any(_VALIDATOR.match(x.text) for x in lines[max(0, n - 4) : n]) or (
            public and indent(lines[n].text) and _CHECKER.match(name)
        )
        if kind != "def" or not validator or any(lines[m].changed for m, _, _ in held[1:]):
            return True
    above = parent(lines, at)
    if above is None or not lines[above].changed or (held and above == held[0][0]):
        return False
    return not _only_guards(lines, above)


def _only_guards(lines: Sequence[SideLine], at: int) -> bool:
    """An `if` whose block holds nothing but checks: one check with two conditions."""
    text, behind = statement(lines, at)
    n = following(lines, behind)
    if not _IF.match(text) or n is None:
        return False
    own = indent(lines[n].text)
    for m in range(n, min(n + 60, len(lines))):
        line = lines[m].text
        if not code(line) or indent(line) > own or line.lstrip()[:1] in ")]}":
            continue
        if indent(line) < own:
            return True
        if not line.lstrip().startswith(("if ", "elif ", "assert ")):
            return False
    return True


def _assert(lines: Sequence[SideLine], at: int, hunk: DiffHunk, file: ReadFile) -> Guard | None:
    text, behind = statement(lines, at)
    span = bracketed(text.lstrip()[len("assert") :] + ")") if text else None
    if span is None or not span.parts:
        return None
    condition = unwrapped(span.parts[0])
    if _NARROWING.match(condition):
        return None
    changed = _condition_changed(lines, at, behind, condition)
    where = place(lines, at, hunk, file)
    return Guard(
        lines[at].number,
        where,
        one_line(f"assert {condition}"),
        condition,
        condition,
        "assert",
        changed,
        _run(lines, at),
    )


def _condition_changed(lines: Sequence[SideLine], at: int, behind: int, condition: str) -> bool:
    """A changed line holds a part of the condition, not only of the message."""
    wanted = squeezed(condition)
    held = (squeezed(x.text).removeprefix("assert").lstrip("(").rstrip("),") for x in lines[at:behind] if x.changed)
    return any(text and (text in wanted or wanted in text or text.split(",")[0] in wanted) for text in held)


def _conditional(lines: Sequence[SideLine], at: int, hunk: DiffHunk, file: ReadFile) -> Guard | None:
    text, behind = statement(lines, at)
    head = _IF.match(text)
    if head is None:
        return None
    raised = _raised(lines, behind, indent(lines[at].text))
    if raised is None:
        return None
    n, error = raised
    inner = condition = unwrapped(head[1])
    above = parent(lines, at)
    around = _IF.match(statement(lines, above)[0]) if above is not None else None
    outer = unwrapped(around[1]) if around else _hidden(lines, at, above, hunk)
    if around and above is not None and lines[above].changed and _only_guards(lines, above):
        condition, outer = _joined(outer, inner), ""
    return Guard(
        lines[at].number,
        place(lines, at, hunk, file),
        _shown(condition, error),
        condition,
        inner,
        error,
        any(x.changed for x in lines[at:behind]) or lines[n].changed,
        _run(lines, at),
        squeezed("".join(_TEXT.findall(statement(lines, n)[0]))),
        file.public,
        outer,
    )


def _shown(condition: str, error: str) -> str:
    return one_line(f"if {condition}: raise {error}")


def _joined(outer: str, inner: str) -> str:
    """The condition of an `if` in an `if`."""
    return f"{_bound(outer)} and {_bound(inner)}"


def _hidden(lines: Sequence[SideLine], at: int, above: int | None, hunk: DiffHunk) -> str:
    """`…` for a check that stands in a block of its function, not at its top: it does not always ask."""
    if above is not None:
        return "" if _DEF.match(lines[above].text) or lines[at].text.lstrip().startswith("elif") else "…"
    return "…" if indent(lines[at].text) > (4 if _DEF.match(hunk.context) else 8) else ""


def _full(guard: Guard) -> str:
    """A check that came or went, with the condition it stands under."""
    if not guard.outer:
        return guard.text
    return _shown(_joined(guard.outer, guard.condition), guard.error)


def _nested(guard: Guard, other: Guard) -> Guard:
    """A check that moved under another condition, or out of it: with that condition, so that both sides compare."""
    if guard.outer and guard.error == other.error and squeezed(guard.outer) == squeezed(other.inner):
        condition = _joined(guard.outer, guard.inner)
        return guard._replace(condition=condition, text=_shown(condition, guard.error))
    return guard


def _run(lines: Sequence[SideLine], at: int) -> int:
    """How many changed lines stand together around one."""
    first = last = at
    while first > 0 and lines[first - 1].changed and at - first < REWRITE:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].changed and last - at < REWRITE:
        last += 1
    return last - first + 1


def _bound(condition: str) -> str:
    """A condition that may stand beside `and`."""
    return f"({condition})" if " or " in condition or " if " in condition else condition


def _raised(lines: Sequence[SideLine], at: int, own: int) -> tuple[int, str] | None:
    """What the block that starts at a line does first: raise (index, error), talk then raise, or something else."""
    for _ in range(3):
        n = following(lines, at)
        if n is None or indent(lines[n].text) <= own:
            return None
        match = _RAISE.match(lines[n].text)
        if match:
            return n, match[1] or match[2]
        if not _TALK.match(lines[n].text):
            return None
        at = statement(lines, n)[1]
    return None


# --- pairs -------------------------------------------------------------------------------------------------------


def _pairs(gone: Sequence[Guard], come: Sequence[Guard]) -> list[tuple[Guard, Guard]]:
    """Old and new forms of one check: most shared words first, each used once."""
    if len(gone) == len(come) == 1 and gone[0].error == come[0].error and max(gone[0].run, come[0].run) <= 3:
        return [(gone[0], come[0])]  # one line for another
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
    return shared if (a.error == "assert") == (b.error == "assert") else shared - 0.4
