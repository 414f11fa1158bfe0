"""Nothing is said where nothing changed: real sources, rewritten without a change of meaning, give no finding for users."""

from __future__ import annotations

import ast
import random
import sysconfig
import warnings
from functools import lru_cache
from pathlib import Path

import pytest

import daybreak
from daybreak.core.model.findings import Finding
from daybreak.findings import read
from daybreak.findings.kinds import kind_of
from daybreak.findings.reader import Limits
from read.rewrites import MODULE, REWRITES

SEED = 20
FEW, MANY = 6, 100
SMALL = 9_000
_SILENT = frozenset({"added", "internal"})
"""Effects that are no change for those who use what was there."""


@lru_cache(maxsize=1)
def sources() -> list[Path]:
    """The standard library, what is installed, and our own code: files that people wrote, of a size they read."""
    roots = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")] + [Path(daybreak.__file__).parent]
    found = {path for root in roots for path in root.rglob("*.py") if "test" not in str(path.relative_to(root))}
    usual = (p for p in sorted(found) if 2_000 < p.stat().st_size < 30_000 and "idlelib" not in str(p))
    return [p for p in usual if p.name not in ("__init__.py", "_pydecimal.py")]


def text_of(path: Path) -> str | None:
    """A source that can be written anew; None when it cannot be read."""
    try:
        text = path.read_text("utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (UnicodeDecodeError, SyntaxError, ValueError):
        return None
    return text


def claims(before: dict[str, str], after: dict[str, str], wide: bool) -> list[Finding]:
    """Findings that tell a user of a change; a name that still works by its alias is none."""
    found = read(before, after, limits=Limits(wide=wide, hunks=False))
    return [f for f in found if f.breaking or not _silent(f)]


def _silent(finding: Finding) -> bool:
    kind = kind_of(finding.kind)
    kept = finding.alias is not None and finding.alias.status != "none"
    return kind.told == "data" or kind.effect in _SILENT or finding.inner or kept


def said(name: str, path: Path, chance: random.Random, ways: int) -> list[str]:
    """What is said of the rewrite of a file: there or back, of what users meet or of all that is public."""
    text = text_of(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = REWRITES[name](text, chance) if text is not None else {}
    if text is None or not after:
        return []
    pairs = [
        (old, new, wide) for old, new in (({MODULE: text}, after), (after, {MODULE: text})) for wide in (True, False)
    ]
    found = [f for pair in chance.sample(pairs, ways) for f in claims(*pair)]
    return [f"{path.name}: {f.kind} {f.symbol}: {f.before} -> {f.after}" for f in found]


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_of_real_sources_says_nothing(name: str) -> None:
    chance = random.Random(f"{SEED}{name}")
    small = [path for path in sources() if path.stat().st_size < SMALL]
    assert [line for path in chance.sample(small, FEW) for line in said(name, path, chance, 1)] == []


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_of_many_real_sources_says_nothing(name: str) -> None:
    chance = random.Random(f"{SEED + 1}{name}")
    assert [line for path in chance.sample(sources(), MANY) for line in said(name, path, chance, 4)] == []


def test_a_real_change_in_the_same_sources_is_said() -> None:
    """So that the silence above is that of readers who look: each guard of these sources, turned round, is told."""
    text = "def load(config, tp_size):\n    if config.head_size > 256:\n        raise ValueError('no')\n    return 1\n"
    turned = text.replace("config.head_size > 256", "config.head_size <= 256")
    assert [f.kind for f in claims({MODULE: text}, {MODULE: turned}, wide=False)] == ["guard_changed"]
