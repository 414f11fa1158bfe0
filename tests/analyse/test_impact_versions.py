"""Folders, files and requirements made for one version of upstream say nothing about a step between two others."""

from __future__ import annotations

import pytest

from daybreak.core.model.upgrade import Use, Uses
from daybreak.upgrade.impact.other_versions import for_step, steps_of

REPO = "owner/engine-x"
PROJECTS = {"engine-x": REPO, "other": "owner/other"}


def use(path: str) -> Use:
    return Use("import", "engine_x.api.call", path, 1)


def pin(path: str, name: str, value: str) -> Use:
    return Use("pin", name, path, 1, value=value)


def left(*uses: Use, what: str = "v0.11.0..v0.12.0") -> dict[str, bool]:
    """Path of what is judged for the step → whether it may not be meant."""
    found = for_step(Uses("/", uses), steps_of({REPO: what}, PROJECTS))
    return {f"{one.path} {one.name}" if one.kind == "pin" else one.path: one.guarded for one in found.uses}


@pytest.mark.parametrize(
    "name",
    [
        "patch/engine_x_{}/run.py",
        "third_party/engine-x/v{}/run.py",
        "third_party/engine_x/{}/inner/run.py",
        "Dockerfile.engine-x-{}",
        "compat/my_engine_x_v{}_patch.py",
        "engine_x{}.py",
    ],
)
def test_of_several_versions_the_one_for_the_end_is_meant(name: str) -> None:
    old, start, end, later = (name.format(one) for one in ("0_8_4", "0_11_0", "0_12_0", "0_13"))
    assert left(use(old), use(start), use(end), use(later), use("app.py")) == {end: False, "app.py": False}


def test_without_one_for_the_end_the_newest_before_it_is_meant() -> None:
    assert left(use("engine_x_0_8_4/a.py"), use("engine_x_0_11/a.py")) == {"engine_x_0_11/a.py": False}


def test_what_is_made_for_later_versions_only_is_not_meant() -> None:
    assert left(use("engine_x_0_15/a.py")) == {}


def test_one_that_is_older_than_the_start_is_worth_a_look() -> None:
    assert left(use("engine_x_0_8_4/a.py")) == {"engine_x_0_8_4/a.py": True}


def test_one_for_the_version_that_you_require_is_meant_however_old() -> None:
    mine = pin("requirements.txt", "engine-x", "==0.8.5")
    assert left(use("engine_x_0_8_4/a.py"), mine)["engine_x_0_8_4/a.py"] is False


def test_each_place_is_named_once() -> None:
    uses = Uses("/", (use("x/engine_x_0_8_4/a.py"), use("x/engine_x_0_8_4/b.py"), use("x/engine_x_0_12/a.py")))
    found = for_step(uses, steps_of({REPO: "v0.11.0..v0.12.0"}, PROJECTS))
    assert [(one.what, one.reason) for one in found.skipped] == [
        ("x/engine_x_0_8_4", "made for engine-x 0.8.4, not for v0.12.0")
    ]


@pytest.mark.parametrize(
    "path",
    ["engine_x/v1/a.py", "engine_x/2.5-large/run.sh", "qwen_0_5/a.py", "other_0_8/a.py", "engine_x_7b/a.py", "engine_x/0.5b/a.py"],
)  # fmt: skip
def test_other_numbers_are_no_version_of_it(path: str) -> None:
    assert left(use(path), use("engine_x_0_12/a.py"))[path] is False


def test_refs_that_are_no_releases_leave_everything() -> None:
    assert len(left(use("engine_x_0_8_4/a.py"), use("engine_x_0_11/a.py"), what="v0.11.0..main")) == 2


def test_requirements_beside_another_version_of_it_are_not_meant() -> None:
    found = left(
        pin("old.txt", "engine-x", "==0.8.4"), pin("old.txt", "torch", "==2.6"),
        pin("now.txt", "engine-x", "==0.11.0"), pin("now.txt", "torch", "==2.8"),
        pin("new.txt", "engine-x", "==0.15.1"), pin("new.txt", "torch", "==2.9"),
    )  # fmt: skip
    assert set(found) == {"old.txt engine-x", "now.txt engine-x", "now.txt torch", "new.txt engine-x"}


def test_an_older_requirement_stays_where_nothing_stands_at_the_start() -> None:
    assert len(left(pin("old.txt", "engine-x", "==0.8.4"), pin("old.txt", "torch", "==2.6"))) == 2
