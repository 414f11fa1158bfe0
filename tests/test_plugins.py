"""Plug-ins: the example package, installed as a stranger would, adds a source, a language, a notifier and a publisher."""

from __future__ import annotations

import importlib
import inspect
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gitrepo import GitRepo, clean_environment
from program import run

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "plugin"
BEFORE = "local M = {}\nfunction M.open(path)\nend\nfunction M.close(handle)\nend\nreturn M\n"
AFTER = "local M = {}\nfunction M.open(path, mode)\nend\nreturn M\n"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example's wheel, unpacked as an installer does it."""
    place = tmp_path_factory.mktemp("packages")
    source = shutil.copytree(EXAMPLE, place / "source")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(place)]
    subprocess.run(command, cwd=source, capture_output=True, check=True)
    with zipfile.ZipFile(next(place.glob("*.whl"))) as wheel:
        wheel.extractall(place / "installed")
    return place / "installed"


RUN = ("run", "--date", "2026-03-10")


def prepared(folder: Path, settings: str) -> None:
    """A day of one repository with a change of Lua."""
    repo = GitRepo.make(folder / "upstream")
    repo.commit("First", {"src/files.lua": BEFORE}, at="2026-03-09T08:00:00")
    repo.commit("Files: a mode for open", {"src/files.lua": AFTER}, at="2026-03-10T08:00:00")
    (folder / "daybreak.toml").write_text(
        f'timezone = "UTC"\nlanguages = ["en"]\n{settings}\n[[repo]]\nname = "a/b"\ngit = "upstream"\n',
        encoding="utf-8",
    )


def daybreak(folder: Path, packages: Path | None, *words: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: which packages are installed is asked once a process."""
    environment = clean_environment(folder) | ({"PYTHONPATH": str(packages)} if packages else {})
    command = [sys.executable, "-m", "daybreak", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_what_a_package_adds_takes_part_in_the_report(packages: Path, tmp_path: Path) -> None:
    logbook = tmp_path / "logbook.txt"
    settings = f'[notify]\nurls = ["logbook://{logbook}"]\n[publish]\nplugins = ["listing"]\n'
    prepared(tmp_path, settings)
    done = daybreak(tmp_path, packages, *RUN)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "reports" / "2026-03-10.md").read_text(encoding="utf-8")
    assert "removes the exported name `M.close`" in page
    assert "Lua" not in page  # it is read, so nobody is told that it was not
    assert logbook.read_text(encoding="utf-8").count("\n") == 1
    assert "reports/2026-03-10.md" in (tmp_path / "listing.txt").read_text(encoding="utf-8").split()


def test_a_source_brings_a_repository_that_git_alone_cannot_reach(packages: Path, tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "far")
    repo.commit("First", {"a.py": "x = 1\n"}, at="2026-03-09T08:00:00")
    repo.commit("Second of its kind", {"a.py": "x = 2\n"}, at="2026-03-10T08:00:00")
    repo.git("bundle", "create", "-q", str(tmp_path / "far.bundle"), "--all", "HEAD")
    (tmp_path / "daybreak.toml").write_text(
        f'timezone = "UTC"\nlanguages = ["en"]\n[[repo]]\nname = "a/b"\ngit = "bundle://{tmp_path}/far.bundle"\n',
        encoding="utf-8",
    )
    page = tmp_path / "reports" / "2026-03-10.md"
    assert daybreak(tmp_path, packages, "run", "--date", "2026-03-10").returncode == 0
    assert "Second of its kind" in page.read_text(encoding="utf-8")
    assert "brought by the plug-in 'bundle'" in daybreak(tmp_path, packages, "doctor").stdout
    right = (tmp_path / "daybreak.toml").read_text("utf-8")
    (tmp_path / "daybreak.toml").write_text(right.replace("bundle://", "bundel://"), "utf-8")
    wrong = daybreak(tmp_path, packages, "run", "--date", "2026-01-19", "--out", str(tmp_path / "wrong"))
    assert "did you mean bundle://" in wrong.stderr
    (tmp_path / "daybreak.toml").write_text(right, "utf-8")
    repo.commit("Third, a day later", {"a.py": "x = 3\n"}, at="2026-03-11T08:00:00")
    repo.git("bundle", "create", "-q", str(tmp_path / "far.bundle"), "--all", "HEAD")
    later = page.with_name("2026-03-11.md")
    assert daybreak(tmp_path, packages, "run", "--date", "2026-03-11").returncode == 0
    assert "Third, a day later" in later.read_text(encoding="utf-8")
    (tmp_path / "far.bundle").unlink()
    assert daybreak(tmp_path, packages, "run", "--date", "2026-03-11", "--offline", "--force").returncode == 0
    assert "Third, a day later" in later.read_text(encoding="utf-8")
    done = daybreak(tmp_path, packages, "run", "--date", "2026-03-12")
    assert done.returncode == 3
    assert "the plug-in 'bundle' did not bring it (CalledProcessError)" in done.stdout + done.stderr


def test_without_the_package_the_same_day_says_that_lua_was_not_read(tmp_path: Path) -> None:
    prepared(tmp_path, "")
    done = run(*RUN, cwd=tmp_path)
    page = (tmp_path / "reports" / "2026-03-10.md").read_text(encoding="utf-8")
    assert done.returncode in (0, 3)
    assert "M.close" not in page.partition("Appendix")[0].partition("| ")[0]
    assert "Lua" in page


def test_a_publisher_that_is_not_installed_is_told_by_name_and_costs_nothing_else(tmp_path: Path) -> None:
    prepared(tmp_path, '[publish]\nplugins = ["nobody"]\n')
    done = run(*RUN, cwd=tmp_path)
    assert done.returncode == 3
    assert "There is no plug-in 'nobody'" in done.stderr
    assert (tmp_path / "reports" / "2026-03-10.md").is_file()


def doctor(folder: Path, packages: Path, settings: str) -> tuple[int, str]:
    folder.mkdir()
    prepared(folder, settings)
    done = daybreak(folder, packages, "doctor")
    return done.returncode, done.stdout


def test_the_doctor_loads_every_plug_in_that_a_run_would_call(packages: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(packages, tmp_path / "broken")
    (broken / "daybreak_example" / "lua.py").write_text("raise ValueError\n", encoding="utf-8")
    named = '[notify]\nurls = ["logbook:///log"]\n[publish]\nplugins = ["listing"]\n'
    source = f'[[repo]]\nname = "a/c"\ngit = "bundle://{tmp_path}/c.bundle"\n'
    code, said = doctor(tmp_path / "whole", packages, named + source)
    assert code == 0, said
    for name in ("bundle (daybreak.sources)", "lua (daybreak.languages)", "logbook (daybreak.n", "listing (daybreak.p"):
        assert f"ok   plug-in {name}" in said
    code, said = doctor(tmp_path / "bad", broken, '[publish]\nplugins = ["listng"]\n')
    assert code == 3
    assert "FAIL plug-in listng: There is no plug-in 'listng' for daybreak.publishers. — Installed: listing." in said
    assert "FAIL plug-in lua: The plug-in 'lua' (daybreak_example.lua) does not load: ValueError." in said


def test_the_page_has_the_signatures_that_the_example_has(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(packages))
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    told: dict[str, Any] = {}
    exec(page.partition("```python\n")[2].partition("```")[0], told)
    bundle, lua, logbook, listing = (
        importlib.import_module(f"daybreak_example.{name}") for name in ("bundle", "lua", "logbook", "listing")
    )
    pairs = [(bundle, "bring"), (lua, "facts"), (listing, "publish")]
    for said, there in (
        *((told[name], getattr(module, name)) for module, name in pairs),
        (told["Logbook"].send, logbook.Logbook.send),
    ):
        ours, theirs = (inspect.signature(one, eval_str=True) for one in (said, there))
        assert [one.annotation for one in ours.parameters.values()] == [
            one.annotation for one in theirs.parameters.values()
        ]
        assert ours.return_annotation == theirs.return_annotation
    assert told["FILES"] == lua.FILES
    assert "src/" not in page


def test_a_package_in_the_folder_one_stands_in_is_no_plug_in(tmp_path: Path) -> None:
    inside = tmp_path / "evil-1.0.dist-info"
    inside.mkdir()
    (inside / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n", encoding="utf-8")
    (inside / "entry_points.txt").write_text("[daybreak.languages]\nevil = evil\n", encoding="utf-8")
    (tmp_path / "evil.py").write_text("raise SystemExit('run from the current folder')\n", encoding="utf-8")
    environment = clean_environment(tmp_path)
    command = [str(Path(sys.executable).parent / "daybreak"), "doctor", "--offline"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "current folder" not in done.stdout + done.stderr
    prepared(tmp_path, "")
    done = daybreak(tmp_path, None, *RUN)
    assert "current folder" not in done.stdout + done.stderr
    assert (tmp_path / "reports" / "2026-03-10.md").is_file()
