"""A database that goes away, and one that several configs share."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from faults.scene import DAYS, WEEK, Scene, one_error, until
from kills.killing import assert_equal
from program import ended

if TYPE_CHECKING:
    from postgres_fixture import Postgres


def test_a_server_that_stops_in_the_middle_of_a_run_is_one_error_and_the_next_run_goes_on(
    scene: Scene, own_postgres: Postgres
) -> None:
    place = scene.place(store=own_postgres.fresh())
    process = place.start(*WEEK)
    until((place.folder / "reports" / f"{DAYS[0]}.json").exists)
    process.send_signal(signal.SIGSTOP)
    own_postgres.stop()
    process.send_signal(signal.SIGCONT)
    answer = ended(process)
    assert answer.returncode == 1, answer.stderr
    assert "cannot be reached" in one_error(answer)
    half = place.pages()
    assert f"reports/{DAYS[2]}.json" not in half
    assert "cannot be reached" in place.fails(*WEEK)
    assert place.pages() == half
    own_postgres.start()
    place.works(*WEEK)
    assert_equal(place.came(), scene.expected)


def test_a_server_that_was_never_there_costs_no_page(scene: Scene) -> None:
    place = scene.place(store="postgresql+psycopg://nobody:secret@127.0.0.1:1/daybreak")
    words = place.fails(*WEEK)
    assert "127.0.0.1:1/daybreak cannot be reached" in words
    assert "secret" not in words
    assert place.pages() == {}
