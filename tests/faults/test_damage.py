"""A store whose file was damaged: it is told or it does no harm, and without the file nothing is lost."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from contracts.conftest import opened
from daybreak.core.errors import DaybreakError
from faults.scene import DAYS, SQLITE, WEEK, Place, Scene, one_error
from kills.killing import assert_equal

TWO_DAYS = ("run", "--since", DAYS[0], "--until", DAYS[2])


def damage_found(place: Place) -> list[str]:
    try:
        store = opened(SQLITE, place.folder)
    except DaybreakError as error:
        return [error.message]
    try:
        return [damage.reason for damage in store.verify()]
    finally:
        store.close()


def overwrite(path: Path, share: float, length: int) -> None:
    """Noise from somewhere in the middle on."""
    data = bytearray(path.read_bytes())
    at = int(len(data) * share) // 4096 * 4096
    data[at : at + length] = Random(5).randbytes(length)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("share", "length"),
    [
        (0.5, 40_000),
        pytest.param(0.0, 64, marks=pytest.mark.soak),
        pytest.param(0.3, 4096, marks=pytest.mark.soak),
        pytest.param(0.95, 4096, marks=pytest.mark.soak),
    ],
)
def test_a_damaged_store_is_told_or_does_no_harm_and_moved_away_it_is_made_again(
    scene: Scene, share: float, length: int
) -> None:
    place = scene.place()
    place.works(*TWO_DAYS)
    before, file = place.pages(), place.folder / ".daybreak" / "daybreak.db"
    overwrite(file, share, length)
    assert damage_found(place)
    answer = place.run(*WEEK)
    if answer.returncode:
        assert "is damaged" in one_error(answer)
        assert place.pages() == before
    else:
        assert place.pages() == scene.expected.written
    assert damage_found(place), "a run must not hide what is lost"
    for path in file.parent.glob("daybreak.db*"):
        path.unlink()
    place.works(*WEEK)
    assert place.pages() == scene.expected.written
    assert damage_found(place) == []
    store = opened(SQLITE, place.folder)
    for label in store.labels():
        assert store.report_data(label) == scene.expected.written[f"reports/{label}.json"]
    assert answer.returncode == 0 or store.labels() == list(DAYS)
    store.close()
    place.works(*WEEK, "--force")
    assert_equal(place.came(), scene.expected)
