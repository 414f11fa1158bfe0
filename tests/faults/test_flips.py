"""Flipped bits in whatever is derived and kept under `.daybreak`: the report is the same, or it is told that it is not."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

import program
from daybreak.core.file_cache import keep_newest, read_kept

DAY = "2026-03-06"
STORE = ".daybreak/daybreak.db"


def pages(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "reports").rglob("*.md")}


def searched(folder: Path) -> str:
    """What a search finds, or that it told of a fault."""
    asked = program.run("search", "--json", "in:change", cwd=folder)
    return asked.stdout or f"told {asked.returncode}"


def flipped(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.chmod(0o644)
    path.write_bytes(data)


def kept(folder: Path) -> list[Path]:
    found = [path for path in sorted((folder / ".daybreak").rglob("*")) if path.is_file() and path.stat().st_size]
    return [
        path for path in found if path.name not in ("lock", "daybreak.db.lock", "daybreak.db-wal", "daybreak.db-shm")
    ]


@pytest.mark.timeout(6000)
@pytest.mark.parametrize(("count", "seed"), [(5, 26), pytest.param(1000, 1, marks=pytest.mark.soak)])
def test_a_flipped_bit_of_what_is_kept_changes_no_report_in_silence(
    demo_week: Path, tmp_path: Path, count: int, seed: int
) -> None:
    names, first, chance = ("lantern", "tilekit", "wick"), tmp_path / "first", Random(seed)
    rows = "".join(f'[[repo]]\nname = "demo/{n}"\ngit = "file://{demo_week / "upstreams" / n}.git"\n' for n in names)
    first.mkdir()
    (first / "daybreak.toml").write_text(f'timezone = "Asia/Shanghai"\n{rows}', encoding="utf-8")
    assert program.run("run", "--date", DAY, cwd=first).returncode == 0
    expected, found = pages(first), searched(first)
    for number in range(count):
        place = Path(shutil.copytree(first, tmp_path / str(number)))
        # The store is one file of many, and holds most of what is derived.
        victim = place / STORE if chance.random() < 0.4 else chance.choice(kept(place))
        flipped(victim, chance)
        assert searched(place) in (found, "told 1"), victim.relative_to(place)
        code = program.run("run", "--date", DAY, "--force", cwd=place).returncode
        assert code in (0, 1, 2, 3), victim
        assert code or (pages(place), searched(place)) == (expected, found), victim.relative_to(place)
        shutil.rmtree(place)


def test_a_kept_file_is_given_only_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "one.kept"
    keep_newest(path, b"what was found", 3)
    assert read_kept(path) == b"what was found"
    for at in range(path.stat().st_size):
        keep_newest(path, b"what was found", 3)
        data = bytearray(path.read_bytes())
        data[at] ^= 4
        path.write_bytes(data)
        assert read_kept(path) is None
        assert not path.exists()
