"""A clean Debian root in which the steps of a Dockerfile are executed, where no docker is to be had.

The base is made by debootstrap, with Debian's own Python where the image has one; `DEBIAN_ROOT=folder` names one made before.
Needs the rights of root: folders become roots, and containers get namespaces of their own.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUITE = "trixie"
"""The release that `python:3.12-slim` and `postgres:17` are built on."""
MIRROR = "http://deb.debian.org/debian"
PLAIN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"}
_READY = "mount --bind {root} {root} && mount -t proc proc {root}/proc && mount -t tmpfs tmpfs {root}/tmp"


def instructions(text: str) -> list[tuple[str, str]]:
    """(instruction, rest) in order, lines joined, comments gone."""
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    rows = plain.replace("\\\n", " ").splitlines()
    return [(row.split(" ", 1)[0], row.split(" ", 1)[1]) for row in rows if row.strip()]


def debian(folder: Path) -> Path:
    """A root with Debian and Python and nothing else; skips with the reason where there can be none."""
    if os.geteuid():
        pytest.skip("a clean root needs the rights of root")
    made = os.environ.get("DEBIAN_ROOT")
    if made:
        return Path(made)
    program = shutil.which("debootstrap", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("debootstrap is not installed here")
    done = subprocess.run(
        [program, "--variant=minbase", SUITE, str(folder), MIRROR], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no Debian can be had here: {done.stdout[-200:]}")
    install(folder, "python3", "python3-venv", "ca-certificates")
    (folder / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    return folder


def connect(root: Path) -> None:
    """What this machine needs to reach names and indexes, as the network of a builder brings it along."""
    for name in ("etc/resolv.conf", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt"):
        if Path("/", name).exists() and (root / name).parent.is_dir():
            shutil.copy(Path("/", name), root / name)


def install(root: Path, *packages: str) -> None:
    """Packages of Debian, in a root."""
    connect(root)
    names = shlex.join(packages)
    step = f"apt-get update -qq && apt-get install -yqq --no-install-recommends {names}"
    inside(root, step, PLAIN, "/")


def inside(root: Path, step: str, variables: dict[str, str], folder: str) -> None:
    """One `RUN`: a shell in the root, with these variables and no others."""
    given = [f"{name}={value}" for name, value in variables.items()]
    command = ["chroot", str(root), "/usr/bin/env", "-i", "-C", folder, *given, "/bin/sh", "-ec", step]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{step}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@dataclass
class Image:
    """One stage of a Dockerfile: its root, and what it says of those who run in it."""

    root: Path
    variables: dict[str, str] = field(default_factory=lambda: dict(PLAIN))
    folder: str = "/"
    said: dict[str, str] = field(default_factory=dict)
    """The last of each other instruction: USER, CMD, ENTRYPOINT, HEALTHCHECK …"""

    def words(self, name: str) -> list[str]:
        """The JSON list of CMD, ENTRYPOINT or HEALTHCHECK."""
        found: list[str] = json.loads(self.said[name][self.said[name].index("[") :])
        return found


def build(text: str, context: Path, base: Path, place: Path) -> Image:
    """The last stage, each instruction executed in its order as the reference of Dockerfiles has it."""
    stages: dict[str, Image] = {}
    image = Image(base)
    for word, rest in instructions(text):
        if word == "FROM":
            name = rest.partition(" AS ")[2] or "last"
            image = stages[name] = Image(place / name)
            subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(place / name)], check=True)
            connect(image.root)
        elif word == "WORKDIR":
            image.folder = rest
            (image.root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            _copy(image, stages, context, rest)
        elif word == "RUN":
            inside(image.root, rest, image.variables, image.folder)
        elif word == "ENV":
            pairs = (pair.split("=", 1) for pair in shlex.split(rest))
            image.variables |= {k: Template(v).substitute(image.variables) for k, v in pairs}
        else:
            image.said[word] = rest
    return image


def _copy(image: Image, stages: dict[str, Image], context: Path, rest: str) -> None:
    """A folder's contents go into the target, a file under its own name where the target ends in a slash."""
    words = rest.split()
    source = context
    if words[0].startswith("--from="):
        source = stages[words.pop(0).removeprefix("--from=")].root
    *names, target = words
    where = image.root / image.folder.lstrip("/") / target
    if target.startswith("/"):
        where = image.root / target.lstrip("/")
    for name in names:
        one = source / name.lstrip("/")
        assert one.exists(), f"COPY {rest}: {name} is not there"
        if one.is_dir():
            where.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-a", f"{one}/.", str(where)], check=True)
        else:
            end = where / one.name if target.endswith("/") or where.is_dir() else where
            end.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(one, end)


def context_of(folder: Path) -> Path:
    """What a builder is sent: the files of the clone without those that .dockerignore names."""
    folder.mkdir()
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if name.split("/")[0] not in ignored:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


class Network:
    """A network of its own, with nothing in it but itself; each container of a compose file is in it.

    None of it outlives the test: what still runs is ended with the network, and the kernel ends it with a test that was killed.
    """

    def __init__(self) -> None:
        self._started: list[subprocess.Popen[str]] = []
        command = [*_WITH_US, "unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec sleep infinity"]
        self._holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == "ready\n"

    def close(self) -> None:
        for process in (*reversed(self._started), self._holder):
            process.kill()
            process.communicate()

    def start(
        self, image: Image, command: list[str], variables: dict[str, str], volume: Path, *, read_only: bool = True
    ) -> subprocess.Popen[str]:
        """A container: its root, read-only, /tmp in memory, the volume in its place, the image's user without any right."""
        user, at = image.said["USER"], image.said["VOLUME"].lstrip("/")
        ready = _READY.format(root=shlex.quote(str(image.root)))
        ready += f" && mount --bind {shlex.quote(str(volume))} {shlex.quote(str(image.root / at))}"
        ready += f" && mount -o remount,bind,ro {shlex.quote(str(image.root))}" if read_only else ""
        given = [f"{name}={value}" for name, value in (image.variables | variables).items()]
        nobody = [
            "--reuid",
            user,
            "--regid",
            user,
            "--clear-groups",
            "--no-new-privs",
            "--bounding-set=-all",
            *_WITH_US[1:],
        ]
        who = ["chroot", str(image.root), "setpriv", *nobody, "/usr/bin/env", "-i", "-C", image.folder]
        script = f"{ready} && exec {shlex.join([*who, *given, *command])}"
        outside = ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net", "unshare", "--mount", "sh", "-ec", script]
        self._started.append(subprocess.Popen(outside, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return self._started[-1]


_WITH_US = ["setpriv", "--pdeathsig", "KILL"]
"""The kernel kills it when the process that started it is gone."""
