"""The image built and the compose file started in clean Debian roots, step by step: no docker is needed, but root is."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from container.clean_root import ROOT, Image, Network, build, context_of, debian, install
from gitrepo import GitRepo

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3000)]
DAY = "2026-01-19"
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yml").read_text(encoding="utf-8"))
SERVER = """
export PATH=/usr/lib/postgresql/17/bin:$PATH PGHOST=/tmp
echo "$POSTGRES_PASSWORD" > /tmp/word
initdb -D /var/lib/postgresql/data -U "$POSTGRES_USER" $POSTGRES_INITDB_ARGS --pwfile=/tmp/word --auth-host=scram-sha-256 --auth-local=trust > /dev/null 2>&1
(until pg_isready -q; do sleep 0.2; done; createdb -U "$POSTGRES_USER" "$POSTGRES_DB") &
exec postgres -D /var/lib/postgresql/data -k /tmp
"""
"""What the entry point of `postgres` does with these variables."""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """On a disk: three roots are too much for memory."""
    with tempfile.TemporaryDirectory(prefix="daybreak-roots-", dir="/var/tmp") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def base(place: Path) -> Path:
    return debian(place / "debian")


@pytest.fixture(scope="module")
def image(base: Path, place: Path) -> Image:
    text = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    made = build(text, context_of(place / "context"), base, place)
    with (made.root / "etc/hosts").open("a", encoding="utf-8") as hosts:
        hosts.write("127.0.0.1 localhost db\n")
    return made


@pytest.fixture(scope="module")
def database(base: Path, place: Path) -> Image:
    """In place of the image of PostgreSQL: the same release, of Debian."""
    root = place / "db"
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
    install(root, "postgresql-17")
    user = subprocess.run(["chroot", str(root), "id", "-u", "postgres"], capture_output=True, text=True, check=True)
    data = root / "var/lib/postgresql/data"
    subprocess.run(["install", "-d", "-o", user.stdout.strip(), "-m", "700", str(data)], check=True)
    return Image(root, said={"USER": user.stdout.strip(), "VOLUME": "/var/lib/postgresql/data"})


@pytest.fixture
def network() -> Iterator[Network]:
    found = Network()
    yield found
    found.close()


def volume_of(image: Image, folder: Path) -> Path:
    """A new volume is filled with what the image has in its place, owners and all."""
    subprocess.run(["cp", "-a", str(image.root / image.said["VOLUME"].lstrip("/")), str(folder)], check=True)
    return folder


def given(service: str) -> dict[str, str]:
    """The variables of a service, with what `.env` says filled in."""
    known = {"POSTGRES_PASSWORD": "p4ss", "DAYBREAK_TOKEN": "t" * 32, "GITHUB_TOKEN": ""}
    rows: dict[str, str] = COMPOSE["services"][service]["environment"]
    filled = {}
    for name, value in rows.items():
        for key, word in known.items():
            start, _, rest = value.partition(f"${{{key}:")
            value = start + word + rest.partition("}")[2] if rest else value  # noqa: PLW2901
        filled[name] = value
    return filled


def test_the_image_holds_the_program_and_its_extras_and_no_tool_that_built_it(image: Image) -> None:
    assert image.said["USER"] == "10001"
    assert not (image.root / "src").exists()
    owned = subprocess.run(
        ["find", str(image.root), "-xdev", "-user", "10001"], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {Path(one).relative_to(image.root).parts[0] for one in owned} == {"data", "home"}


def test_the_compose_file_comes_up_reports_and_goes_down(
    image: Image, database: Image, network: Network, place: Path
) -> None:
    data = volume_of(image, place / "data")

    def ask(*words: str, code: int = 0) -> str:
        process = network.start(image, [*image.words("ENTRYPOINT"), *words], given("daybreak"), data)
        out, err = process.communicate(timeout=300)
        assert process.returncode == code, out + err
        return out

    server = network.start(database, ["sh", "-c", SERVER], given("db"), volume_of(database, place / "pg"))
    try:
        # The commands of the head of the compose file, in their order.
        ask("init", ".", "--lang", "en", "--timezone", "Europe/Berlin", "--repo", "acme/engine")
        config = data / "daybreak.toml"
        upstream = GitRepo.make(data / "engine.git")
        upstream.commit("First (#1)", {"a.py": "x = 1\n"}, at=f"{DAY}T10:00:00")
        text = config.read_text(encoding="utf-8").replace('"acme/engine"', '"acme/engine"\ngit = "engine.git"', 1)
        config.write_text(text, encoding="utf-8")
        subprocess.run(["chown", "-R", "10001:10001", str(data)], check=True)
        _ready(lambda: ask("run", "--date", DAY))
        assert "First" in (data / "reports" / f"{DAY}.md").read_text(encoding="utf-8")
        assert not list((data / ".daybreak").glob("*.db"))  # all of it is in PostgreSQL
        assert "PostgreSQL" in ask("status")
        service = network.start(image, [*image.words("ENTRYPOINT"), *image.words("CMD")], given("daybreak"), data)
        try:
            check = image.words("HEALTHCHECK")
            _ready(lambda: _healthy(network, image, check, data))
        finally:
            service.terminate()
            out, err = service.communicate(timeout=60)
        assert service.returncode == 0, out + err
        assert not _lives(network, image, check, data)
    finally:
        server.send_signal(signal.SIGINT)  # at once: SIGTERM lets PostgreSQL wait for its clients
        server.communicate(timeout=60)


def _lives(network: Network, image: Image, check: list[str], data: Path) -> bool:
    process = network.start(image, check, {}, data)
    process.communicate(timeout=60)
    return process.returncode == 0


def _healthy(network: Network, image: Image, check: list[str], data: Path) -> None:
    assert _lives(network, image, check, data)


def _ready(question: Callable[[], object]) -> None:
    """Asked until it is answered, for a minute: a service may take its time to come up."""
    end = time.monotonic() + 60
    while True:
        try:
            question()
        except AssertionError:
            if time.monotonic() > end:
                raise
            time.sleep(1)
        else:
            return
