"""What a repository pins of the other watched ones is read at its head and at the tag of its newest release."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from between.looked import ENGINE, KERNELS, TODAY, WINDOW, Watched, moment
from between.test_takers import needs
from daybreak.core.model.changes import Held
from daybreak.judge.cross_repo import held, mirrors


def pinned(watched: Watched) -> tuple[Held, ...]:
    names = list(watched.repos)
    sides, skipped = watched.looking().into(
        [watched.report(name) for name in names], [watched.side(name) for name in names], WINDOW
    )
    assert skipped == {}
    return next(side for side in sides if side.repo == ENGINE).pinned


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    made = Watched.make(tmp_path, KERNELS, ENGINE)
    made.repos[KERNELS].commit("Begin", {"tilekernels/a.py": "a = 1\n"}, at=TODAY)
    return made


def test_a_release_is_told_by_its_own_tag_and_a_candidate_is_none(watched: Watched) -> None:
    engine = watched.repos[ENGINE]
    for tag, version, days in (("v1.0", "0.6.3", 30), ("v1.1", "0.6.4", 9), ("v1.2rc1", "0.6.5", 5)):
        engine.tag(tag, engine.commit(f"Take {version}", needs("x", f"=={version}"), at=moment(days)), at=moment(days))
    engine.commit("Take another", needs("x", ">=0.6.6"), at=TODAY)
    assert pinned(watched) == (
        Held(KERNELS, "tilekernels", ">=0.6.6"),
        Held(KERNELS, "tilekernels", "0.6.4", "v1.1"),
    )


def test_what_only_an_extra_takes_or_no_file_pins_is_not_told(watched: Watched) -> None:
    extra = '[project]\nname = "x"\n[project.optional-dependencies]\nfast = ["tilekernels==0.6.4"]\n'
    watched.repos[ENGINE].commit("Begin", {"pyproject.toml": extra, "a.md": "tilekernels==1\n"}, at=TODAY)
    assert pinned(watched) == ()


def test_a_package_within_the_folder_of_the_one_that_is_installed_pins_nothing_for_the_project(
    watched: Watched,
) -> None:
    inner = "from setuptools import setup\n\nsetup(name='inner', install_requires=['tilekernels>=0.2.1'])\n"
    own = {f"python/{path}": text for path, text in needs("x", "==0.6.4").items()}
    deeper = {"python/x/csrc/inner/setup.py": inner, "python/x/csrc/inner/requirements.txt": "tilekernels==0.2.1\n"}
    watched.repos[ENGINE].commit("Begin", {**own, **deeper}, at=TODAY)
    assert pinned(watched) == (Held(KERNELS, "tilekernels", "0.6.4"),)


def test_a_root_that_only_configures_tools_holds_no_package_and_a_list_below_the_installed_one_is_its_own(
    watched: Watched,
) -> None:
    tools = {"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}
    package = {
        "python/pyproject.toml": '[project]\nname = "x"\n',
        "python/requirements/gpu.txt": "tilekernels==0.6.4\n",
    }
    watched.repos[ENGINE].commit("Begin", {**tools, **package}, at=TODAY)
    assert pinned(watched) == (Held(KERNELS, "tilekernels", "0.6.4"),)


def test_somebodys_copy_is_told_as_one_at_the_head_and_at_the_release(watched: Watched) -> None:
    def built(sha: str, owner: str) -> dict[str, str]:
        address = f"https://github.com/{owner}/{KERNELS.rpartition('/')[2]}.git"
        lines = (
            f"FetchContent_Declare({KERNELS.rpartition('/')[2]}",
            f"  GIT_REPOSITORY {address}",
            f"  GIT_TAG {sha}",
            ")",
        )
        return {"cmake/kernels.cmake": "\n".join(lines) + "\n"}

    engine, name = watched.repos[ENGINE], KERNELS.rpartition("/")[2]
    engine.tag("v1.0", engine.commit("Build the copy", built("1a2b" * 10, "acme"), at=moment(9)), at=moment(9))
    engine.commit("A newer copy", built("3c4d" * 10, "acme"), at=TODAY)
    copies = (("3c4d", ""), ("1a2b", "v1.0"))
    assert pinned(watched) == tuple(Held(KERNELS, name, sha * 10, tag, fork=True) for sha, tag in copies)
    engine.commit("Its own", built("3c4d" * 10, KERNELS.partition("/")[0]), at=TODAY)
    assert not pinned(watched)[0].fork


@pytest.mark.parametrize(
    ("package", "copy"), [("tilekernels-next", False), (f"{ENGINE.partition('/')[0]}-tilekernels", True)]
)
def test_a_part_of_a_project_is_its_own_unless_it_is_called_after_who_takes_it(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, package: str, copy: bool
) -> None:
    monkeypatch.setattr(held, "wanted_for", lambda names: SimpleNamespace(projects={package: KERNELS}))
    monkeypatch.setattr(mirrors, "wanted_for", lambda names: SimpleNamespace(packages=(), projects={package: KERNELS}))
    pyproject = f'[project]\nname = "x"\ndependencies = ["{package}==0.6.4"]\n'
    watched.repos[ENGINE].commit("Begin", {"pyproject.toml": pyproject}, at=TODAY)
    assert pinned(watched) == (Held(KERNELS, package, "0.6.4", fork=copy),)
