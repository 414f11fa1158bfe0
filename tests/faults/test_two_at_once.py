"""Two runs at once: the second is told who works, and the first one does not notice."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from faults.scene import WEEK, Place, Scene, until
from kills.killing import assert_equal
from program import ended

if TYPE_CHECKING:
    from postgres_fixture import Postgres


class Gate:
    """A git that stops before it reads the history, until it is let through."""

    def __init__(self, folder: Path) -> None:
        (folder / "bin").mkdir(parents=True)
        self._there, self._go = folder / "there", folder / "go"
        git = folder / "bin" / "git"
        wait = f'case "$*" in *" log "*) : > {self._there}; until [ -e {self._go} ]; do sleep 0.02; done;; esac'
        git.write_text(f'#!/bin/sh\n{wait}\nexec {shutil.which("git")} "$@"\n')
        git.chmod(0o755)
        self.path = f"{git.parent}:{os.environ['PATH']}"

    def start(self, place: Place) -> subprocess.Popen[str]:
        """A run that is in the middle of its work."""
        process = place.start(*WEEK, PATH=self.path)
        until(self._there.exists)
        return process

    def open(self) -> None:
        self._go.touch()


def shared_store(kind: str, scene: Scene, request: pytest.FixtureRequest) -> str:
    if kind == "sqlite":
        return f"sqlite:///{scene.root}/shared/daybreak.db"
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.fresh()


def test_the_second_run_in_a_folder_names_the_first_which_goes_on_unharmed(scene: Scene, tmp_path: Path) -> None:
    place, gate = scene.place(), Gate(tmp_path)
    process = gate.start(place)
    assert f"process {process.pid}" in place.fails(*WEEK)
    assert place.pages() == {}
    gate.open()
    assert ended(process).returncode == 0
    assert_equal(place.came(), scene.expected)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_second_run_with_a_store_names_who_holds_it_and_has_its_turn_later(
    scene: Scene, tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    store = shared_store(kind, scene, request)
    first, second, gate = scene.place("first", store=store), scene.place("second", store=store), Gate(tmp_path)
    process = gate.start(first)
    words = second.fails(*WEEK)
    assert f"process {process.pid} on {socket.gethostname()}, since " in words
    assert re.search(r"is working with \S+daybreak\.db\.$|is working with postgresql://", words)
    assert second.pages() == {}
    gate.open()
    assert ended(process).returncode == 0
    assert_equal(first.came(), scene.expected)
    second.works(*WEEK)
    assert_equal(second.came(), scene.expected)


def test_the_second_run_into_a_folder_of_reports_waits_for_its_turn(scene: Scene, tmp_path: Path) -> None:
    out = str(scene.root / "out")
    first, second, gate = scene.place("first", out=out), scene.place("second", out=out), Gate(tmp_path)
    process = gate.start(first)
    assert f"Another run is writing to {out}" in second.fails(*WEEK)
    gate.open()
    assert ended(process).returncode == 0
    assert first.pages() == scene.expected.written
