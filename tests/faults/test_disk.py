"""A disk that is full and a folder that may not be written: one error, nothing half-written, and the next run ends well.

Everywhere the system is told to let no file grow any more, which needs no rights; where a small file system can be
mounted, a disk is really filled as well.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from faults.scene import DAYS, WEEK, Place, Scene
from gitrepo import GitRepo
from kills.killing import Came, assert_equal

LIMITED = Path(__file__).with_name("limited.py")
POWERLESS = Path(__file__).with_name("powerless.py")
FIRST = ("run", "--date", DAYS[0])


@contextmanager
def mounted(size: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="daybreak-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    done = shutil.which("mount") and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        if not done:
            raise PermissionError
        yield folder
    finally:
        if done:
            subprocess.run(["umount", str(folder)], check=True)
        folder.rmdir()


def can_mount() -> bool:
    with suppress(PermissionError), mounted("64k"):
        return True
    return False


where_disks_can_be_mounted = pytest.mark.parametrize("size", ["4m"] if can_mount() else [])


def fill(disk: Path, left: int) -> Path:
    """All of the disk but so many bytes."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    with filler.open("r+b") as file:
        file.truncate(filler.stat().st_size - left)
    return filler


def limited(place: Place, words: str, most: int) -> Place:
    """The same place, run by a program that may write no more from some moment on."""
    return Place(place.folder, place.store, place.out, (sys.executable, str(LIMITED), words, str(most)))


# --- where the pages go ----------------------------------------------------------------------------------------------


def test_pages_that_find_no_room_are_not_published_and_the_next_run_publishes_them(scene: Scene) -> None:
    place = scene.place()
    place.works(*FIRST)
    before = place.pages()
    words = limited(place, ".daybreak-staged", 2000).fails(*WEEK)
    assert str(place.folder) in words
    assert place.pages() == before
    place.works(*WEEK)
    assert_equal(place.came(), scene.expected)


@where_disks_can_be_mounted
def test_a_full_disk_under_the_pages_is_one_error_and_the_next_run_publishes_them(scene: Scene, size: str) -> None:
    with mounted(size) as disk:
        place = scene.place(out=str(disk / "out"))
        place.works(*FIRST)
        before = place.pages()
        filler = fill(disk, 16 << 10)
        assert "The disk is full" in place.fails(*WEEK)
        assert place.pages() == before
        filler.unlink()
        place.works(*WEEK)
        assert_equal(place.came(), scene.expected)


# --- the store -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "most", [pytest.param(20_000, marks=pytest.mark.soak), 200_000], ids=["at its making", "later"]
)
def test_a_store_that_may_not_grow_is_one_error_and_the_next_run_goes_on(scene: Scene, most: int) -> None:
    place = scene.place()
    words = limited(place, "daybreak.db", most).fails(*WEEK)
    assert "the store" in words
    whole = {name for name in place.pages() if name.endswith(".json")}
    assert all(place.pages()[name] == scene.expected.written[name] for name in whole)
    place.works(*WEEK)
    assert_equal(place.came(), scene.expected)


@where_disks_can_be_mounted
@pytest.mark.parametrize("left", [*(pytest.param(n, marks=pytest.mark.soak) for n in (0, 60 << 10)), 260 << 10])
def test_a_full_disk_under_the_store_is_one_error_and_the_next_run_goes_on(scene: Scene, size: str, left: int) -> None:
    with mounted(size) as disk:
        place = scene.place(store=f"sqlite:///{disk}/daybreak.db")
        filler = fill(disk, left)
        words = place.fails(*WEEK)
        assert "the store" in words or str(disk) in words, words
        filler.unlink()
        place.works(*WEEK)
        assert_equal(place.came(), scene.expected)


# --- mirrors and caches ----------------------------------------------------------------------------------------------


def completes(place: Place, scene: Scene) -> None:
    """Days that lacked a repository are completed; the facts are those of the undisturbed place."""
    place.works(*WEEK)
    came = place.came()
    assert sorted(came.written) == sorted(scene.expected.written)
    assert facts(came) == facts(scene.expected)


def facts(came: Came) -> dict[str, Any]:
    """Day -> repository -> its head and its commits with all that was read from them."""
    days = {name: json.loads(data) for name, data in came.written.items() if name.endswith(".json")}
    assert days
    return {
        name: {repo["name"]: (repo["head"], repo["commits"], repo["late"]) for repo in day["repos"]}
        for name, day in days.items()
    }


@where_disks_can_be_mounted
def test_a_full_disk_under_the_mirrors_is_told_in_the_report_and_the_next_run_completes_it(
    scene: Scene, size: str
) -> None:
    with mounted(size) as disk:
        place = scene.place()
        (place.folder / ".daybreak").mkdir()
        (place.folder / ".daybreak" / "mirrors").symlink_to(disk)
        filler = fill(disk, 0)
        answer = place.run(*WEEK)
        assert answer.returncode == 3
        assert "disk is full" in answer.stderr
        filler.unlink()
        (place.folder / ".daybreak" / "mirrors").unlink()
        completes(place, scene)


def test_a_mirror_that_may_not_grow_is_told_in_the_report_and_the_next_run_completes_it(scene: Scene) -> None:
    """git itself is ended by the system when it writes more than it may."""
    repo = GitRepo.make(scene.root / "large.git")
    repo.commit("Begin", {"a.txt": "a\n"}, at=f"{DAYS[0]}T09:00:00")
    repo.commit("Grow", {"b.txt": Random(5).randbytes(3 << 20).hex()}, at=f"{DAYS[0]}T10:00:00")
    place, calm = scene.place(), scene.place("calm")
    for one in (place, calm):
        one.config({"acme/large": f"file://{repo.path}"})
    answer = limited(place, "daybreak/lock", 2 << 20).run(*FIRST)
    assert answer.returncode == 3, answer.stderr
    assert "skipped: acme/large" in answer.stderr
    place.works(*FIRST)
    calm.works(*FIRST)
    found, expected = place.came(), calm.came()
    assert found.written.keys() == expected.written.keys()
    assert facts(found) == facts(expected)


@where_disks_can_be_mounted
def test_a_full_disk_under_the_caches_costs_nothing_but_time(scene: Scene, size: str) -> None:
    with mounted(size) as disk:
        place = scene.place()
        (place.folder / ".daybreak").mkdir()
        for name in ("cache", "published"):
            (place.folder / ".daybreak" / name).symlink_to(disk)
        fill(disk, 0)
        place.works(*WEEK)
        assert place.pages() == scene.expected.written


# --- folders that may not be written ---------------------------------------------------------------------------------


@pytest.fixture
def powerless(scene: Scene) -> Iterator[Place]:
    place = scene.place(program=(sys.executable, str(POWERLESS)))
    yield place
    for path in (place.folder, *place.folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)


def test_a_folder_that_may_not_be_written_is_one_error_and_stays_as_it_was(scene: Scene, powerless: Place) -> None:
    powerless.works(*FIRST)
    before = powerless.pages()
    (powerless.folder / "reports").chmod(0o555)
    assert "may not be written" in powerless.fails(*WEEK)
    assert powerless.pages() == before
    (powerless.folder / "reports").chmod(0o755)
    powerless.works(*WEEK)
    assert_equal(powerless.came(), scene.expected)


def test_a_state_folder_that_may_not_be_written_is_one_error(scene: Scene, powerless: Place) -> None:
    powerless.works(*FIRST)
    before, state = powerless.pages(), powerless.folder / ".daybreak"
    for path in (state, state / "daybreak.db"):
        mode = path.stat().st_mode
        path.chmod(0o555 if path.is_dir() else 0o444)
        words = powerless.fails(*WEEK)
        assert str(state) in words
        assert powerless.pages() == before
        path.chmod(mode)
    powerless.works(*WEEK)
    assert_equal(powerless.came(), scene.expected)


def test_mirrors_that_may_not_be_written_are_told_in_the_report_and_completed(scene: Scene, powerless: Place) -> None:
    mirrors = powerless.folder / ".daybreak" / "mirrors"
    mirrors.mkdir(parents=True)
    mirrors.chmod(0o555)
    answer = powerless.run(*WEEK)
    assert answer.returncode == 3
    mirrors.chmod(0o755)
    completes(powerless, scene)


def test_places_that_cannot_be_are_one_error(scene: Scene) -> None:
    """Whoever runs it, nothing can be made below a file or in /proc."""
    for number, what in enumerate(({"out": "/proc/daybreak"}, {"store": "sqlite:////proc/daybreak/x.db"})):
        place = scene.place(f"impossible-{number}", **what)
        assert "/proc/daybreak" in place.fails(*FIRST)
        assert not (place.folder / "reports").exists()
    (scene.root / "file").write_text("")
    place = scene.place("below", out=str(scene.root / "file" / "out"))
    assert "file/out cannot be used" in place.fails(*FIRST)
    (scene.root / "file").unlink()


def test_a_folder_of_your_code_that_may_not_be_read_is_named_and_the_day_is_there(
    scene: Scene, powerless: Place
) -> None:
    powerless.config(scene.upstreams, '[impact]\npaths = ["code"]\n')
    shut = powerless.folder / "code" / "shut"
    shut.mkdir(parents=True)
    (shut.parent / "a.py").write_text("import served\n", encoding="utf-8")
    shut.chmod(0o000)
    try:
        answer = powerless.run("run", "--date", DAYS[0])
    finally:
        shut.chmod(0o755)
    assert answer.returncode in (0, 3), answer.stderr
    page = (powerless.folder / "reports" / f"{DAYS[0]}.md").read_text(encoding="utf-8")
    assert "code/shut" in page + answer.stderr
