"""Branches and tags of a mirror stand under a checksum: a flipped bit in them costs a question, never a release."""

from __future__ import annotations

from random import Random

import pytest

from conftest import Collector
from gitrepo import GitRepo


@pytest.mark.parametrize("form", ["file://{}", "{}"], ids=["cloned", "borrowed"])
def test_whatever_is_flipped_in_the_refs_the_day_is_the_same_and_they_are_mended(
    repo: GitRepo, collector: Collector, form: str
) -> None:
    repo.commit("Begin", {"a": "1\n"}, at="2026-01-18T10:00:00")
    sha = repo.commit("Add", {"b": "1\n"}, at="2026-01-19T10:00:00")
    repo.tag("v1.2.1", sha)
    repo.tag("v1.2.0", f"{sha}^")
    address, chance = form.format(repo.path), Random(26)
    expected = collector.collect(address)
    (mirror,) = collector.mirrors.iterdir()
    refs = mirror / "packed-refs"
    sound = refs.read_bytes()
    for _ in range(8):
        data = bytearray(sound)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        refs.write_bytes(data)
        found = collector.collect(address)
        assert (found.changes, found.released, found.skipped) == (expected.changes, expected.released, ()), data
        assert refs.read_bytes() == sound


def test_without_a_network_damaged_refs_are_told(repo: GitRepo, collector: Collector) -> None:
    sha = repo.commit("Add", {"b": "1\n"}, at="2026-01-19T10:00:00")
    collector.collect(f"file://{repo.path}")
    (mirror,) = collector.mirrors.iterdir()
    with (mirror / "packed-refs").open("a", encoding="ascii") as refs:
        refs.write(f"{sha} refs/tags/v9.9\n")
    found = collector.collect(f"file://{repo.path}", offline=True)
    assert "not as they were written" in found.skipped[0].reason


@pytest.mark.parametrize("name", ["HEAD", "config", "objects/info/alternates"])
def test_a_mirror_with_a_file_of_noise_is_read_or_made_anew(repo: GitRepo, collector: Collector, name: str) -> None:
    repo.commit("Add", {"b": "1\n"}, at="2026-01-19T10:00:00")
    expected = collector.collect(repo)
    (mirror,) = collector.mirrors.iterdir()
    for noise in (b"\xff\xfe\x00", b"[core\n", b"ref: refs/heads/\xe4in\n"):
        (mirror / name).write_bytes(noise)
        found = collector.collect(repo)
        assert (found.changes, found.skipped) == (expected.changes, ())
