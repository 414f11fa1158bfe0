"""Faults of a simulated world, drawn by its chance; each says in words what it does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from fake_github.faults import OPTIONS
from fake_model import Raw, Refused, Reset
from faults.hanging import MANNERS
from faults.test_failing_git import ENDS
from faults.test_flips import flipped, kept
from notify.services import Fault
from simulation.peers import DISK

if TYPE_CHECKING:
    from simulation.world import World

OF_GITHUB = sorted(set(OPTIONS) - {"hang", "touch", "arrive", "surrogate"})
"""Those that are faults of an answer, and do not change the world itself; a hanging one has tests of its own."""
OF_HOOKS = (Fault("status", 500), Fault("status", 503), Fault("cut"), Fault("lost"))
MANY = 30
"""Openings for writing below a folder in which a disk may become full."""


def draw(world: World) -> str:
    """One more thing goes wrong this morning."""
    faults = {**FAULTS, **({"PostgreSQL": _store} if world.proxy else {})}
    name = world.chance.choice(sorted(faults))
    return f"{name}{faults[name](world)}"


def _store(world: World) -> str:
    assert world.proxy is not None
    more, world.proxy.manner = world.chance.randrange(40_000), world.chance.choice(MANNERS)
    world.proxy.most = world.proxy.said + more
    world.set_silence(3.0)
    return f" {world.proxy.manner} after {more} bytes"


def _git_server(world: World) -> str:
    from simulation.world import SHORT

    world.server.mode = world.chance.choice(("shut", "silent", "cut", "drip"))
    world.server.after = world.chance.randrange(3000)
    world.set_limits(SHORT)
    return f" {world.server.mode} after {world.server.after} bytes"


def _git(world: World) -> str:
    world.gits.started, world.gits.turn = 0, world.chance.randint(1, 60)
    world.gits.end = world.chance.choice(sorted(ENDS))
    return f" {world.gits.turn} {world.gits.end}"


def _github(world: World) -> str:
    kind, skip = world.chance.choice(OF_GITHUB), world.chance.randrange(4)
    times = world.chance.choice((1, 2, 8, 1000))
    world.github.fault(kind, times=times, skip=skip)
    return f": {kind}, {times} times after {skip}"


def _model(world: World) -> str:
    reply = world.chance.choice(
        (Refused(500), Refused(429), Refused(401), Reset(), Reset(40), Raw(b"<html>"), Raw(b""))
    )
    times = world.chance.choice((1, 3, 100))
    world.model.queue.extend([reply] * times)
    return f": {times} × {reply}"


def _hook(world: World) -> str:
    fault = world.chance.choice(OF_HOOKS)
    world.hook.faults.append(fault)
    return f": {fault.kind} {fault.status}"


def _victim(world: World) -> Path | None:
    files = kept(world.other.folder)
    return world.chance.choice(files) if files else None


def _flip(world: World) -> str:
    victim = _victim(world)
    if victim is None or _is_source(victim):
        return " nowhere"
    flipped(victim, world.chance)
    return f" in {victim.name}"


def _lost_file(world: World) -> str:
    victim = _victim(world)
    if victim is None or _is_source(victim):
        return ": none"
    if world.chance.random() < 0.5:
        victim.unlink()
        return f": {victim.name} is gone"
    victim.chmod(0o644)
    victim.write_bytes(victim.read_bytes()[: world.chance.randrange(victim.stat().st_size)])
    return f": {victim.name} is cut"


def _is_source(path: Path) -> bool:
    """Nothing heals the only copy of something by itself: a pack, a setting of a mirror, the store. Those are told, and
    tried one by one by the campaigns of flips and damage."""
    return path.name.startswith("daybreak.db") or path.parent.name == "pack" or path.name in _BY_HAND


_BY_HAND = {"HEAD", "config", "packed-refs", "description", "exclude"}


def _disk(world: World) -> str:
    left, refusals = world.chance.randint(1, MANY), world.chance.choice((1, 3, 1000))
    folder = world.other.folder / world.chance.choice((".daybreak", "reports", ""))
    DISK.fill(folder, left, refusals)
    return f" full below {folder.name} from opening {left} on, {refusals} times"


def _clock(world: World) -> str:
    hours = world.chance.choice((-40, -20, 3, 20, 40))
    world._moment = timedelta(hours=6 + hours)
    return f" wrong by {hours} hours"


FAULTS: dict[str, Callable[[World], str]] = {
    "git server": _git_server,
    "git": _git,
    "GitHub": _github,
    "model": _model,
    "webhook": _hook,
    "flipped bit": _flip,
    "lost file": _lost_file,
    "disk": _disk,
    "clock": _clock,
}
