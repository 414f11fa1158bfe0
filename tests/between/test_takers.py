"""Of a fault that a release has it is said who pins a version with it: only where the pin, its tag and the fault are shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from between.looked import ENGINE, KERNELS, TODAY, WINDOW, Watched, moment
from daybreak.core.model.changes import Exposure, Taken
from daybreak.judge.exposure import dated
from daybreak.judge.rules import grade

SERVER, OTHER = "org/server", "org/tools"
PADDED = "    return torch.empty((rows * columns,), dtype=torch.uint8)\n"
MENDED = "    return torch.empty((padded(rows) * columns,), dtype=torch.uint8)\n"


def scales(line: str) -> dict[str, str]:
    head = "import torch\n\n\ndef padded(rows):\n    return -(-rows // 16) * 16\n\n\n"
    return {
        "tilekernels/scales.py": f"{head}def scale_buffer(rows, columns):\n{line}",
        "pyproject.toml": '[project]\nname = "tilekernels"\n',
    }


def needs(name: str, version: str, called: str = "scale_buffer") -> dict[str, str]:
    return {
        "pyproject.toml": f'[project]\nname = "{name}"\ndependencies = [\n    "tilekernels{version}",\n]\n',
        "engine/layers.py": f"from tilekernels.scales import {called}\n",
    }


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    """A fault in two releases and not in the first; three others that take the library."""
    made = Watched.make(tmp_path, KERNELS, ENGINE, SERVER, OTHER)
    kernels = made.repos[KERNELS]
    before = "    return torch.zeros((16 * columns,), dtype=torch.uint8)\n"
    for version, line, days in (("0.6.4", before, 40), ("0.6.5", PADDED, 20), ("0.6.6", PADDED, 6)):
        files = scales(line) | {"tilekernels/version.py": f"V = {version!r}\n"}
        kernels.tag(f"v{version}", kernels.commit(f"Work for {version}", files, at=moment(days)), at=moment(days))
    said = "Fix crash by missing padding in scale_buffer (#7)\n\nThe kernel crashed where scale_buffer got rows that are no multiple of 16."
    kernels.commit(said, scales(MENDED), at=TODAY)
    return made


def taken(watched: Watched) -> tuple[Taken, ...]:
    report = watched.report(KERNELS)
    fix = grade(report.entries[0].change, report.entries[0].reading)
    mended = replace(report, entries=(replace(fix, exposure=Exposure("v0.6.6", has=True, applies=True)),))
    reports = [mended, *(watched.report(name) for name in watched.repos if name != KERNELS)]
    sides, skipped = watched.looking().into(reports, [watched.side(name) for name in watched.repos], WINDOW)
    assert skipped == {}
    return next(side for side in sides if side.repo == KERNELS).taken.get(fix.change.sha, ())


def test_who_pins_a_version_with_the_fault_is_told_and_who_pins_one_without_it_is_not(watched: Watched) -> None:
    for name, version in ((ENGINE, "0.6.6"), (SERVER, "0.6.5"), (OTHER, "0.6.4")):
        watched.repos[name].commit("Begin", needs("x", f"=={version}"), at=moment(3))
    assert taken(watched) == (Taken(ENGINE, "0.6.6", "v0.6.6"), Taken(SERVER, "0.6.5", "v0.6.5"))


def test_nothing_is_said_of_who_pins_it_and_names_nothing_that_the_fix_alters(watched: Watched) -> None:
    for name, called in ((ENGINE, "scale_buffer"), (SERVER, "something_else"), (OTHER, "more")):
        watched.repos[name].commit("Begin", needs("x", "==0.6.6", called), at=moment(3))
    assert taken(watched) == (Taken(ENGINE, "0.6.6", "v0.6.6"),)


def test_nothing_is_said_of_a_package_that_is_built_from_another_folder(watched: Watched) -> None:
    watched.repos[ENGINE].commit("Begin", needs("x", "==0.6.6"), at=moment(3))
    for name in (SERVER, OTHER):
        watched.repos[name].commit("Begin", {"a.py": "a = 1\n"}, at=moment(3))
    moved = {"pyproject.toml": None, "python/pyproject.toml": '[project]\nname = "tilekernels"\n'}
    watched.repos[KERNELS].commit("Build elsewhere", moved, at=moment(1))
    watched.repos[KERNELS].commit("Fix crash by missing padding (#8)", {"tilekernels/more.py": MENDED}, at=TODAY)
    assert taken(watched) == ()


@pytest.mark.parametrize("version", [">=0.6.5", "", "==0.6.7"])
def test_nothing_is_said_of_a_bound_of_any_version_and_of_one_that_has_no_tag(watched: Watched, version: str) -> None:
    for name in (ENGINE, SERVER, OTHER):
        watched.repos[name].commit("Begin", needs("x", version), at=moment(3))
    assert taken(watched) == ()


def test_nothing_is_said_where_two_manifests_pin_two_versions(watched: Watched) -> None:
    other = {"requirements/rocm.txt": "tilekernels==0.6.5\n"}
    watched.repos[ENGINE].commit("Begin", needs("x", "==0.6.6") | other, at=moment(3))
    for name in (SERVER, OTHER):
        watched.repos[name].commit("Begin", {"a.py": "a = 1\n"}, at=moment(3))
    assert taken(watched) == ()


def test_who_pins_it_is_said_behind_the_release_that_has_the_fault(watched: Watched) -> None:
    entry = watched.report(KERNELS).entries[0]
    pins = (Taken(ENGINE, "0.6.6", "v0.6.6"), Taken(SERVER, "0.6.5", "v0.6.5"))
    told = replace(entry, kind="fix", exposure=Exposure("v0.6.6", has=True, applies=True, taken=pins))
    text = dated({"en": "Mended.", "zh": "已修复。"}, told, "fix", picks=True)
    assert (
        text["en"]
        == "Mended. `v0.6.6` has this fault; pinned with it on their main branches: engine `0.6.6` and server `0.6.5`."
    )
    assert text["zh"] == "已修复。`v0.6.6` 有此问题，主分支锁定的版本同样有此问题的有：engine `0.6.6`、server `0.6.5`。"
