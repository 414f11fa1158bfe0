"""Two configs that name one store: neither replaces the reports of the other nor tells them as its own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.place import DAY, Place, one_sentence_and_a_tip

OTHER = "The store holds the reports of another watchlist: acme/engine is not in this one."


def config(place: Place, store: Path, *names: str) -> Place:
    repos = "".join(f'[[repo]]\nname = "{name}"\ngit = "{place.upstream.path}"\n' for name in names)
    text = f'timezone = "UTC"\nstore = "sqlite:///{store}"\n{repos}'
    place.folder.mkdir(exist_ok=True)
    (place.folder / "daybreak.toml").write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    return tmp_path / "shared.db"


@pytest.fixture
def first(place: Place, shared: Path) -> Place:
    config(place, shared, "acme/engine")
    assert place.run("run", "--date", DAY).returncode == 0
    return place


def beside(first: Place, tmp_path: Path) -> Place:
    """A folder of its own; which upstream stands behind a name does not matter here."""
    return Place(tmp_path / "second", first.upstream)


def rows(store: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store)) as connection:
        return [
            row
            for table in ("reports", "runs", "steps")
            for row in connection.execute(f"SELECT hash FROM {table} ORDER BY hash")
        ]


@pytest.mark.parametrize(
    "command", [("run", "--date", DAY), ("run", "--date", DAY, "--force"), ("run", "--date", "2026-01-18")]
)
@pytest.mark.parametrize("names", [("acme/kernels",), ("acme/kernels", "acme/tools")])
def test_a_run_into_the_store_of_another_watchlist_is_refused(
    first: Place, shared: Path, tmp_path: Path, command: tuple[str, ...], names: tuple[str, ...]
) -> None:
    before, pages = rows(shared), first.written()
    second = config(beside(first, tmp_path), shared, *names)
    answer = second.run(*command)
    assert answer.returncode == 2
    assert OTHER in one_sentence_and_a_tip(answer)
    assert "`store` of its own" in answer.stderr
    assert rows(shared) == before
    assert not (second.folder / "reports").exists()
    assert first.run("run", "--date", DAY).returncode == 0
    assert first.written() == pages


@pytest.mark.parametrize("command", [("status",), ("site",), ("search", "engine")])
def test_nothing_of_another_watchlist_is_shown(
    first: Place, shared: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    second = config(beside(first, tmp_path), shared, "acme/kernels")
    answer = second.run(*command)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert OTHER in one_sentence_and_a_tip(answer)


def test_watchlists_that_overlap_are_two_as_well(place: Place, shared: Path, tmp_path: Path) -> None:
    config(place, shared, "acme/engine", "acme/common")
    assert place.run("run", "--date", DAY).returncode == 0
    second = config(beside(place, tmp_path), shared, "acme/common", "acme/kernels")
    answer = second.run("run", "--date", DAY)
    assert (answer.returncode, OTHER in answer.stderr) == (2, True)


@pytest.mark.parametrize("names", [("acme/engine", "acme/more"), ("acme/more",), ("ACME/engine",)])
def test_a_watchlist_that_is_edited_goes_on_with_its_store(first: Place, shared: Path, names: tuple[str, ...]) -> None:
    config(first, shared, *names)
    assert first.run("run", "--date", "2026-01-18").returncode == 0
    assert first.run("status").returncode in (0, 3)


def test_another_machine_with_the_same_watchlist_may_share_the_store(
    first: Place, shared: Path, tmp_path: Path
) -> None:
    second = config(beside(first, tmp_path), shared, "acme/engine")
    assert second.run("run", "--date", "2026-01-18").returncode == 0
