"""Nothing is said where nothing changed: real sources, rewritten without a change of meaning, give no finding for users."""

from __future__ import annotations

import random
import warnings

import pytest

from daybreak.core.model.findings import Finding
from daybreak.findings import read
from daybreak.findings.kinds import kind_of
from daybreak.findings.reader import Limits
from laws.real_sources import drawn, parsed, sources
from laws.rewrites import MODULE, ONE_WAY, REWRITES

SEED = 20
FEW, MANY = 6, 100
SMALL = 9_000
_SILENT = frozenset({"added", "internal"})
"""Effects that are no change for those who use what was there."""


def claims(before: dict[str, str], after: dict[str, str], wide: bool) -> list[Finding]:
    """Findings that tell a user of a change; a name that still works by its alias is none."""
    found = read(before, after, limits=Limits(wide=wide, hunks=False))
    return [f for f in found if f.breaking or not _silent(f)]


def _silent(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    kept = finding.alias is not None and finding.alias.status != "none"
    return kind.told == "data" or kind.effect in _SILENT or finding.inner or kept


def said(name: str, path: str, text: str, ways: int) -> list[str]:
    """What is said of the rewrite of a file: there or back, of what users meet or of all that is public."""
    chance = random.Random(f"{SEED}{name}{path}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = REWRITES[name](text, chance) if parsed(text) is not None else {}
    if not after:
        return []
    ways_there = [({MODULE: text}, after), (after, {MODULE: text})][: 1 if name in ONE_WAY else 2]
    pairs = [(old, new, wide) for old, new in ways_there for wide in (True, False)]
    found = [f for pair in chance.sample(pairs, min(ways, len(pairs))) for f in claims(*pair)]
    return [f"{path}: {f.kind} {f.symbol}: {f.before} -> {f.after}" for f in found]


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_of_real_sources_says_nothing(name: str) -> None:
    small = {path: text for path, text in sources().items() if 1_000 < len(text) < SMALL}
    some = drawn(f"{SEED}{name}", small)[:FEW]
    assert [line for path in some for line in said(name, path, small[path], 1)] == []


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_of_many_real_sources_says_nothing(name: str) -> None:
    every = sources(installed=True)
    some = drawn(f"{SEED + 1}{name}", every)[:MANY]
    assert [line for path in some for line in said(name, path, every[path], 2)] == []


def test_a_real_change_in_the_same_sources_is_said() -> None:
    """So that the silence above is that of readers who look: each guard of these sources, turned round, is told."""
    text = "def load(config, tp_size):\n    if config.head_size > 256:\n        raise ValueError('no')\n    return 1\n"
    turned = text.replace("config.head_size > 256", "config.head_size <= 256")
    assert [f.kind for f in claims({MODULE: text}, {MODULE: turned}, wide=False)] == ["guard_changed"]
