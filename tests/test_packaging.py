"""A release holds all that it needs: built, unpacked and used as strangers get it."""

from __future__ import annotations

import email
import os
import pwd
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

import daybreak

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
pytest.importorskip("hatchling", reason="hatchling is not installed here")


def call(*command: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, as the release workflow of acme/daybreak makes them."""
    out = tmp_path_factory.mktemp("dist")
    done = call(sys.executable, "-m", "hatchling", "build", "-d", str(out), cwd=ROOT, GITHUB_REPOSITORY="acme/daybreak")
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the wheel was unpacked, which is all that installing it does."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    (found,) = built.glob("*.tar.gz")
    with tarfile.open(found) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # type: ignore[arg-type]  # since 3.11.4
    (inside,) = folder.iterdir()
    return inside


def metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        name = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_a_package_that_says_it_is_typed_has_the_mark_of_it(installed: Path) -> None:
    assert "Typing :: Typed" in PROJECT["project"]["classifiers"]
    assert (installed / "daybreak" / "py.typed").is_file()


def test_the_wheel_takes_every_file_of_the_package_along(installed: Path) -> None:
    listed = call("git", "ls-files", "-z", "src/daybreak", cwd=ROOT).stdout.split("\0")
    assert listed != [""], "git lists nothing here"
    lacking = [name for name in listed if name and not (installed / name.removeprefix("src/")).is_file()]
    assert lacking == []


def test_the_metadata_says_where_it_comes_from_and_what_runs_it(wheel: Path) -> None:
    told = metadata(wheel)
    assert told["Version"] == daybreak.__version__
    assert "Homepage, https://github.com/acme/daybreak" in (told.get_all("Project-URL") or [])
    named = [one.rpartition(" ")[2] for one in told.get_all("Classifier") or [] if " 3.1" in one]
    assert named == ["3.11", "3.12", "3.13", "3.14"]


def test_the_readme_on_an_index_has_no_link_that_leads_nowhere(wheel: Path) -> None:
    text = str(metadata(wheel).get_payload())
    assert "](docs/" not in text
    assert "](https://github.com/acme/daybreak/blob/main/docs/upgrades.md)" in text


def test_a_build_of_nobody_in_particular_claims_no_address(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    assert metadata(next(tmp_path.glob("*.whl"))).get_all("Project-URL") is None


def test_what_is_installed_needs_nothing_of_the_clone(installed: Path, tmp_path: Path) -> None:
    python = (sys.executable, "-P", "-c")
    start = f"import sys; sys.path.insert(0, {str(installed)!r}); sys.argv[0] = 'daybreak'\n"
    start += "import daybreak.__main__ as m; m.main()"

    def program(*words: str) -> subprocess.CompletedProcess[str]:
        return call(*python, start, *words, cwd=tmp_path)

    where = call(
        *python,
        f"import sys; sys.path.insert(0, {str(installed)!r}); import daybreak; print(daybreak.__file__)",
        cwd=tmp_path,
    )
    assert where.stdout.startswith(str(installed))
    assert program("--help").stdout.startswith("usage: daybreak ")
    assert program("docs", "notify").stdout.startswith("# ")
    assert program("init", "new").returncode == 0
    assert (tmp_path / "new" / ".daybreak" / "daybreak.schema.json").is_file()
    demo = program("demo", "--out", "demo")
    assert demo.returncode == 0, demo.stderr
    assert (tmp_path / "demo" / "site" / "index.html").is_file()


def test_the_sdist_holds_what_its_makefile_asks_for(unpacked: Path) -> None:
    for target in ("demo", ".venv/.browser", ".venv/.bench", "docs", "lint"):
        done = call("make", "-n", target, cwd=unpacked)
        assert done.returncode == 0, done.stderr
    tracked = set(call("git", "ls-files", cwd=ROOT).stdout.splitlines())
    there = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert tracked - there <= {".pre-commit-config.yaml"}


def interpreter(version: str) -> str | None:
    """One that starts: a name on PATH may be a mere sign for something that is not there."""
    beside = sorted(Path(pwd.getpwuid(os.getuid()).pw_dir).glob(f".pyenv/versions/{version}.*/bin/python"))
    for one in (shutil.which(f"python{version}"), *map(str, beside)):
        if one and not call(one, "-c", "import venv, ensurepip", cwd=ROOT).returncode:
            return one
    return None


@pytest.mark.soak
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_the_wheel_installs_and_runs_on_each_python(wheel: Path, tmp_path: Path, version: str) -> None:
    python = interpreter(version)
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        pytest.skip("the Python of all other tests")
    if python is None:
        pytest.skip(f"there is no python{version} on this machine; CI has it")
    assert call(python, "-m", "venv", "env", cwd=tmp_path).returncode == 0
    done = call("env/bin/pip", "install", "--quiet", str(wheel), cwd=tmp_path)
    if done.returncode and "No matching distribution" not in done.stderr:
        pytest.skip(f"no index can be reached: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    assert call("env/bin/daybreak", "demo", "--out", "demo", cwd=tmp_path).returncode == 0


# --- which install command is said -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        (None, "daybreak[llm]"),
        ('{"url": "file:///srv/day%20break", "dir_info": {"editable": true}}', "/srv/day break[llm]"),
        (
            '{"url": "https://github.com/acme/daybreak", "vcs_info": {"vcs": "git", "commit_id": "1"}}',
            "daybreak[llm] @ git+https://github.com/acme/daybreak",
        ),
        ('{"url": "file:///tmp/d.whl", "archive_info": {}}', "daybreak[llm] @ file:///tmp/d.whl"),
        ("[]", "daybreak[llm]"),
    ],
)
def test_an_extra_is_installed_from_where_the_program_came(record: str | None, wanted: str) -> None:
    from daybreak.core.origin import _wanted

    assert _wanted("llm", record) == wanted


@pytest.mark.parametrize(
    ("file", "text", "wanted"),
    [
        ("uv-receipt.toml", '[tool]\nrequirements = [{ name = "daybreak", extras = ["mcp"] }]\n', "uv tool install {}[llm,mcp]"),
        ("uv-receipt.toml", "not TOML", "uv tool install {}[llm]"),
        ("pyvenv.cfg", "uv = 0.9\n", "uv pip install --python {here} {}[llm]"),
    ],
)  # fmt: skip
def test_an_extra_is_installed_by_what_installed_the_program(
    file: str, text: str, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from daybreak.core import origin

    (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(origin, "_direct_url", lambda: '{"url": "file:///clone", "dir_info": {}}')
    assert origin.install("llm").replace('"', "") == wanted.format("/clone", here=tmp_path)


def test_docs_and_readme_give_the_install_commands_of_the_one_place_that_decides() -> None:
    from daybreak.core.origin import ON_INDEX

    pages = [ROOT / "README.md", ROOT / "README.zh.md", *(ROOT / "docs").rglob("*.md")]
    other = 'install ".[' if ON_INDEX else "daybreak["
    assert [page.name for page in pages if other in page.read_text(encoding="utf-8")] == []


def test_who_cites_it_cites_this_version() -> None:
    assert f"\nversion: {daybreak.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_every_requirement_of_the_container_is_held_by_a_hash() -> None:
    text = (ROOT / "requirements" / "container.txt").read_text(encoding="utf-8")
    rows = [row for row in text.splitlines() if row[:1].isalpha()]
    assert len(rows) > 20
    assert [row for row in rows if "==" not in row or not row.endswith("\\")] == []
    pinned = {row.partition("==")[0] for row in rows}
    wanted = {row.split(">")[0].split("[")[0] for row in PROJECT["project"]["dependencies"]}
    assert wanted <= pinned


def test_no_workflow_has_more_rights_than_it_says() -> None:
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        assert "\npermissions:" in text, file.name
        assert text.count("uses: actions/checkout@") == text.count("persist-credentials: false"), file.name


def test_every_action_that_is_used_is_held_by_its_commit_with_the_version_beside_it() -> None:
    pages = [ROOT / "action.yml", *ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("template/.github/workflows/*.yml")]
    rows = [
        row.partition("uses:")[2].strip()
        for page in (*pages, *ROOT.glob("docs/*.md"))
        for row in page.read_text(encoding="utf-8").splitlines()
        if row.strip().startswith(("- uses:", "uses:")) and "OWNER/daybreak" not in row
    ]
    assert len(rows) > 20
    assert [row for row in rows if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+(?:: .+)?", row)] == []
    commits = {row.partition("  #")[0] for row in rows}
    assert len(commits) == len({one.partition("@")[0] for one in commits})


def test_all_that_the_demo_needs_is_small() -> None:
    """What the lock of a run installs, with compiled modules as large as their sources; 30 MB are 45 in blocks of a disk."""
    rows = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8").splitlines()
    names = [row.partition("==")[0] for row in rows if row[:1].isalpha()]
    found = [Path(str(one.locate())) for name in names for one in distribution(name).files or ()]
    found += [path for path in (ROOT / "src").rglob("*") if path.is_file()]
    sizes = {path: path.stat().st_size for path in found if path.suffix != ".pyc" and path.is_file()}
    whole = sum(size * (2 if path.suffix == ".py" else 1) for path, size in sizes.items())
    assert len(names) > 15
    assert whole < 30e6, f"{whole / 1e6:.1f} MB"
