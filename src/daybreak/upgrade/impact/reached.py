"""Which of your uses are reached at the end of a range: what their conditions on upstream come to there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from daybreak.core.model.upgrade import Use
from daybreak.core.versions import allows
from daybreak.upgrade.downstream.python_literals import KEY
from daybreak.upgrade.impact.chains import steps_of
from daybreak.upgrade.impact.trees import Trees

_PACKAGE = re.compile(r"[\w.-]+?(?=[=!<>])")


def reached(uses: Iterable[Use], trees: Trees) -> list[Use]:
    """The uses that the code comes to at the end; where that is not known, they are ready for an absence.

    What follows from an import that is not run at the end is not run either.
    """
    every = [(use, _holds(use, trees)) for use in uses]
    imports = {(use.path, use.name): set[bool]() for use, _ in every if use.kind == "import" and use.when}
    for use, holds in every:
        if use.kind == "import" and (use.path, use.name) in imports:
            imports[use.path, use.name].add(holds is not False)
    dead = {place for place, alive in imports.items() if alive == {False}}
    # The question for a name is no news where the code has another way without it.
    asked = {(use.path, one[1:]) for use, _ in every for one in use.when if one[:1] == "~"}
    told = {(use.path, use.name) for use, _ in every if "hasattr" in use.text and not use.when} - asked
    kept, left = [], set[tuple[str, int, str]]()
    for use, holds in every:
        own = [one[1:] for one in use.when if one[:1] == "+" and f"{use.name}.".startswith(f"{one[1:]}.")]
        if holds is None and "hasattr" not in use.text and any((use.path, one) in told for one in own):
            continue  # told where it is asked for
        question = (use.path, use.name) in asked and "hasattr" in use.text and not use.when
        if question or holds is False or (dead and use.kind != "import" and _follows(use, dead)):
            left.add((use.path, use.line, use.name.rpartition(".")[2]))
            continue
        kept.append(replace(use, guarded=True) if holds is None else use)
    # A variable that is read as a name goes with the name.
    return [use for use in kept if use.kind != "env" or (use.path, use.line, use.name) not in left]


def _follows(use: Use, dead: set[tuple[str, str]]) -> bool:
    parts = use.name.split(".")
    return any((use.path, ".".join(parts[:size])) in dead for size in range(2, len(parts) + 1))


def _holds(use: Use, trees: Trees) -> bool | None:
    """True where every condition holds at the end, False where one does not."""
    if not use.when:
        return True
    return _every([_answer(one, use, trees) for one in dict.fromkeys(use.when)])


def _every(told: Sequence[bool | None]) -> bool | None:
    return False if False in told else None if None in told else True


def _answer(condition: str, use: Use, trees: Trees) -> bool | None:
    if " or " in condition:
        parts = [part.split(" and ") for part in condition.split(" or ")]
        told = [_every([_answer(one, use, trees) for one in part]) for part in parts]
        return True if True in told else None if None in told else False
    return _single(condition, use, trees)


def _single(condition: str, use: Use, trees: Trees) -> bool | None:
    sign, name = condition[:1], condition[1:]
    if sign not in "+-~!=#":
        return _version(condition, trees)
    there = _there(name, trees) if sign in "+-~" else None
    own = use.name == name or (use.name.startswith(f"{name}.") and there is not True)
    if KEY in name or (sign in "+-" and own):
        return None  # what is asked for itself: the code is ready for its absence, and does less then
    if sign in "=#":  # a variable that is not on by itself may be put on by somebody
        return True if sign == "=" and trees.variable(name) else None
    if sign == "!":
        every = [_there(one, trees) for one in name.split(",")]
        patched = use.kind == "patch" and use.name in name.split(
            ","
        )  # where it is missing, your own code puts it there
        return False if patched else True if False in every else None if None in every else False
    return there is None or there == (sign != "-")


def _version(condition: str, trees: Trees) -> bool | None:
    found = _PACKAGE.match(condition)
    pair = trees.of(found[0]) if found else None
    running = trees.asked.ends.versions.get(pair[0].repo) if pair else None
    told = allows(condition[len(found[0]) :], running) if found and running else None
    return None if told is False and pair and _left_behind(condition, pair[0].repo, trees) else told


def _left_behind(condition: str, repo: str, trees: Trees) -> bool:
    """`== A`: what is made for the very version that you leave is lost with it, and hardly meant to be."""
    started = trees.asked.ends.started.get(repo)
    _, sign, bound = condition.partition("==")
    return bool(sign and started) and allows(f"=={bound}", started or "") is True


def _there(name: str, trees: Trees) -> bool | None:
    pair = trees.of(name)
    if name.endswith(")") and not name.endswith("()"):
        called, _, part = name[:-1].rpartition("(")
        thing = pair[1].reach(called).thing if pair else None
        taken = pair[1].signature(thing) if pair and thing is not None else None
        return None if taken is None else part in taken.keywords
    steps: Sequence[str] = steps_of(name)
    found = pair[1].reach(name) if pair else None
    if found is None or not found.trail:
        return None
    return True if found.steps == len(steps) else False if found.gone else None
