"""Generated forks whose conflicts are known by construction.

Each file is a row of slots with lines between them that nobody edits, so that two edits meet exactly when they are of
the same slot. What each upstream commit did to which slot, and which of them are the reason for a conflict, is worked
out on these slots and never on lines of text.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gitrepo import File, GitRepo

if TYPE_CHECKING:
    from pathlib import Path

SLOTS = 6
SUBJECTS = (
    "[Bugfix] Fix crash on empty batch",
    "[Bugfix] Fix wrong logits",
    "Refactor the runner",
    "[Bugfix] Fix memory leak in cache",
    "Add a feature",
)
Slot = tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """One file at one commit."""

    name: str
    path: str
    slots: tuple[Slot, ...]
    noise: tuple[int, ...] = ()
    """How many lines of noise stand before each slot: they shift what follows."""
    binary: bool = False
    mode: str = "100644"

    @property
    def parts(self) -> tuple[object, ...]:
        """What can be edited on its own."""
        return *self.slots, *self.noise

    def content(self) -> bytes:
        if self.binary:
            # Enough that stays, so that git knows the file again when it was renamed and edited.
            return (
                b"\0" + b"".join(b"%s %d\n" % (self.name.encode(), n) for n in range(200)) + repr(self.slots).encode()
            )
        lines = []
        for number, slot in enumerate(self.slots):
            lines += [f"keep_{self.name}_{number}_a = [", "    0,", "]", "", f"keep_{self.name}_{number}_b = 1"]
            lines += ["pass"] * self.noise[number]
            lines += [f"keep_{self.name}_{number}_c = [", "    0,", "]", "", *slot]
            lines += [f"keep_{self.name}_{number}_d = [", "    0,", "]", ""]
        return "\n".join(lines).encode() + b"\n"


State = dict[str, Sheet | None]


@dataclass
class Side:
    """A branch as it grows: states after each commit, the first one being the base."""

    states: list[State]
    shas: list[str] = field(default_factory=list)


@dataclass
class History:
    repo: GitRepo
    base: str
    ours: Side
    theirs: Side

    # --- what is known of it ---------------------------------------------------------------------------------------

    def conflicting(self) -> set[str]:
        """Upstream commits that are the reason for a conflict."""
        return {sha for name in self.ours.states[0] for sha in self._of(name)}

    def meeting(self) -> set[str]:
        """Upstream commits that edit what our net patch edits."""
        found = set()
        for name, base in self.ours.states[0].items():
            mine = self.ours.states[-1][name]
            for sha, old, new in self._steps(name):
                if meets(base, mine, old, new):
                    found.add(sha)
        return found

    def _steps(self, name: str) -> list[tuple[str, Sheet | None, Sheet | None]]:
        states = [state[name] for state in self.theirs.states]
        return [(sha, a, b) for sha, a, b in zip(self.theirs.shas, states, states[1:], strict=False) if a != b]

    def _of(self, name: str) -> set[str]:
        base, mine = self.ours.states[0][name], self.ours.states[-1][name]
        steps = self._steps(name)
        end = self.theirs.states[-1][name]
        if base is None or base in (mine, end) or mine == end:
            return set()
        if end is None:
            return {next(sha for sha, _, new in reversed(steps) if new is None)}
        if mine is None:
            named = road(steps, lambda s: s and s.path, base, None) if end.path != base.path else set()
            edited = road(steps, lambda s: s and (s.parts, s.mode), base, None)
            return named | edited
        found = road(steps, lambda s: s and s.path, base, mine) if clash(base.path, mine.path, end.path) else set()
        if base.binary:
            both = clash(base.slots, mine.slots, end.slots)
            return found | (road(steps, lambda s: s and s.slots, base, mine) if both else set())
        for at in range(2 * SLOTS):
            if clash(base.parts[at], mine.parts[at], end.parts[at]):
                found |= road(steps, lambda s, at=at: s and s.parts[at], base, mine)
        return found


def clash(base: object, mine: object, end: object) -> bool:
    return base not in (mine, end) and mine != end


def meets(base: Sheet | None, mine: Sheet | None, old: Sheet | None, new: Sheet | None) -> bool:
    """Whether a step edits what our side edits, taken as a whole."""
    assert base is not None
    if base.binary:
        inside = (old and old.slots) != (new and new.slots)
        return inside and (mine is None or mine.slots != base.slots)
    changed = {n for n in range(2 * SLOTS) if mine is None or mine.parts[n] != base.parts[n]}
    if old is None or new is None:
        return bool(changed)
    return any(old.parts[n] != new.parts[n] for n in changed)


def road(steps: list[Any], part: Any, base: Sheet, mine: Sheet | None) -> set[str]:
    """The steps that led to where upstream is, without those that led back to somewhere."""
    resting = [part(base), part(mine)]
    left: list[tuple[str, object]] = []
    now = part(base)
    for sha, _, sheet in steps:
        state = part(sheet)
        if state == now:
            continue
        now = state
        seen = [known for _, known in left]
        if state in resting:
            left = []
        elif state in seen:
            left = left[: seen.index(state) + 1]
        else:
            left.append((sha, state))
    return {sha for sha, _ in left}


# --- making one -----------------------------------------------------------------------------------------------------


def make(path: Path, seed: int) -> History:
    chance = random.Random(seed)
    repo = GitRepo.make(path)
    start: State = {}
    for number in range(chance.randint(2, 4)):
        slots = tuple(() if chance.random() < 0.2 else (f"base_{number}_{n} = 0",) for n in range(SLOTS))
        sheet = Sheet(f"f{number}", f"pkg/f{number}.py", slots, (0,) * SLOTS, binary=chance.random() < 0.15)
        start[sheet.name] = sheet
    base = repo.commit("Base", {"pkg/other.py": "x = 1\n", **files({}, start)})
    ours = Side([start])
    for number in range(chance.randint(1, 4)):
        _grow(chance, ours, "o", number, ours)
        ours.shas.append(_commit(repo, ours, "fork", base, number))
    theirs = Side([start])
    for number in range(chance.randint(2, 10)):
        _grow(chance, theirs, "t", number, ours)
        theirs.shas.append(_commit(repo, theirs, "main", base, number))
    return History(repo, base, ours, theirs)


def files(before: State, after: State) -> dict[str, Any]:
    gone = {sheet.path: None for name, sheet in before.items() if sheet is not None and after[name] != sheet}
    come = {s.path: File(s.content(), s.mode) for name, s in after.items() if s is not None and before.get(name) != s}
    return gone | come


def _commit(repo: GitRepo, side: Side, branch: str, base: str, number: int) -> str:
    before, after = side.states[-2:]
    subject = f"{SUBJECTS[(number + len(branch)) % len(SUBJECTS)]} {branch} {number}"
    changed = {**files(before, after), f"pkg/log_{branch}.py": f"log = {number}\n"}
    return repo.commit(subject, changed, branch=branch, parents=None if side.shas else [base])


def _grow(chance: random.Random, side: Side, mark: str, number: int, ours: Side) -> None:
    state = dict(side.states[-1])
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(sorted(state))
        state[name] = _changed(chance, side, state[name], f"{mark}{number}", name, ours.states[-1][name])
    side.states.append(state)


def _changed(
    chance: random.Random, side: Side, sheet: Sheet | None, mark: str, name: str, mine: Sheet | None
) -> Sheet | None:
    if sheet is None:
        # Now and then a file that was deleted is put back as it was.
        before = [state[name] for state in side.states if state[name] is not None]
        return before[-1] if chance.random() < 0.4 else None
    dice = chance.random()
    if dice < 0.04:
        return None
    if dice < 0.09:
        return replace(sheet, path=f"pkg/{name}_{chance.choice('ab')}.py")
    if dice < 0.12:
        return replace(sheet, mode="100755" if sheet.mode == "100644" else "100644")
    if dice < 0.3 and not sheet.binary:
        at = chance.randrange(SLOTS)
        noise = list(sheet.noise)
        noise[at] = chance.randint(0, 4)
        return replace(sheet, noise=tuple(noise))
    slots = list(sheet.slots)
    at = chance.randrange(SLOTS)
    slots[at] = _value(chance, side, slots, at, mark, name, mine)
    return replace(sheet, slots=tuple(slots))


def _value(
    chance: random.Random, side: Side, slots: list[Slot], at: int, mark: str, name: str, mine: Sheet | None
) -> Slot:
    dice = chance.random()
    earlier = [sheet.slots[at] for state in side.states if (sheet := state[name]) is not None]
    if dice < 0.2:
        return chance.choice(earlier)
    if dice < 0.3 and mine is not None:
        return mine.slots[at]
    if dice < 0.4:
        return ()
    return tuple(f"{mark}_{name}_{at}_{n} = {chance.randint(0, 1)}" for n in range(chance.choice((1, 1, 1, 2, 3))))
