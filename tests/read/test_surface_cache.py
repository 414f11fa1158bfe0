"""Surfaces by blob: the same when they were let go and read again from their bytes, here or by the next run."""

from __future__ import annotations

from pathlib import Path

from daybreak.findings import blobs
from daybreak.findings.blobs import Surface, SurfaceCache
from daybreak.findings.languages.python_surface import surface


def made(number: int) -> Surface:
    return surface("a.py", f"LIMIT = {number}\n\n\ndef run_{number}(rows, *, width={number}):\n    return rows\n")


def filled(cache: SurfaceCache, count: int) -> SurfaceCache:
    for number in range(count):
        cache.put("python-1", f"{number:040x}", made(number))
    return cache


def test_few_are_held_and_all_are_found() -> None:
    count = 3 * blobs.HELD
    cache = filled(SurfaceCache(), count)
    for number in (*range(count), *reversed(range(count))):
        found = cache.get("python-1", f"{number:040x}")
        assert found is not None
        assert dict(found) == dict(made(number))
    assert len(cache._held) <= blobs.HELD  # what is bounded cannot be seen from outside


def test_the_next_run_finds_them_on_disk(tmp_path: Path) -> None:
    filled(SurfaceCache(tmp_path, "org/a"), 3).save()
    again = SurfaceCache(tmp_path, "org/a")
    assert [again.get("python-1", f"{n:040x}") for n in range(3)] == [made(n) for n in range(3)]
    assert again.get("python-2", f"{0:040x}") is None


def test_a_surface_that_could_not_be_read_stays_so() -> None:
    cache = SurfaceCache()
    cache.put("python-1", "a" * 40, Surface(broken=True))
    filled(cache, blobs.HELD + 1)
    found = cache.get("python-1", "a" * 40)
    assert found is not None
    assert found.broken
