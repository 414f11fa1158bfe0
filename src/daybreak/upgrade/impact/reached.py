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
    kept, left = [], set[tuple[str, int, str]]()
    for use, holds in every:
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
    if condition[:1] not in "+-~!":
        found = _PACKAGE.match(condition)
        pair = trees.of(found[0]) if found else None
        running = trees.asked.ends.versions.get(pair[0].repo) if pair else None
        told = allows(condition[len(found[0]) :], running) if found and running else None
        return None if told is False and pair and _left_behind(condition, pair[0].repo, trees) else told
    name = condition[1:]
    if KEY in name:
        return None
    if condition[0] == "!":
        if use.kind == "patch" and use.name in name.split(","):
            return False  # where it is missing, your own code puts it there
        every = [_there(one, trees) for one in name.split(",")]
        return True if False in every else None if None in every else False
    if condition[0] != "~" and (use.name == name or use.name.startswith(f"{name}.")):
        return None  # what is asked for itself: the code is ready for its absence, and does less then
    there = _there(name, trees)
    return there is None or there == (condition[0] != "-")


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
