"""Views of mirrors: repositories of our own over the packs of others, so that nobody writes into a mirror.

PyDriller writes into the config of what it reads, and git dies at objects that a mirror lacks. A view has links to the
packs, the branch of HEAD and the tags, and empty stand-ins for blobs that are not there: everybody reads the same.
"""

from __future__ import annotations

import subprocess
import zlib
from pathlib import Path

from scripts.bench.cost import git


def views(mirrors: Path, folder: Path) -> dict[str, Path]:
    """Repository name -> its view, for every OWNER+NAME/repo; the one with most commits first."""
    found = {}
    for path in sorted(mirrors.glob("*+*/repo")):
        name = path.parent.name.replace("+", "/", 1)
        found[name] = folder / path.parent.name
        make_view(path.resolve(), found[name])
    return dict(sorted(found.items(), key=lambda item: -commits(item[1])))


def commits(repo: Path) -> int:
    return int(git(repo, "rev-list", "--first-parent", "--count", "HEAD"))


def make_view(mirror: Path, target: Path) -> None:
    branch = git(mirror, "symbolic-ref", "HEAD").decode().strip()
    target.mkdir(parents=True)
    git(target, "init", "--quiet", "--bare", "-b", branch.removeprefix("refs/heads/"))
    _link(mirror / "objects", target / "objects")
    form = "--format=%(objectname) %(refname)"
    refs = git(mirror, "for-each-ref", form, branch, "refs/tags")
    (target / "packed-refs").write_bytes(refs)
    for oid in _missing(target):
        _stand_in(target / "objects", oid)


def _missing(repo: Path) -> list[str]:
    """Row by row: what this script holds in memory would count as its children's peak."""
    command = ["git", "-C", str(repo), "rev-list", "--objects", "--missing=print", "HEAD"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        return [row[1:].decode().strip() for row in process.stdout if row.startswith(b"?")]


def _link(source: Path, target: Path) -> None:
    for path in source.rglob("*"):
        if path.is_file() and path.parent.name != "info" and not (target / path.relative_to(source)).exists():
            place = target / path.relative_to(source)
            place.parent.mkdir(exist_ok=True)
            place.symlink_to(path)
    others = source / "info" / "alternates"
    if others.exists():
        for line in others.read_text(encoding="utf-8").splitlines():
            _link((source / line).resolve(), target)


def _stand_in(objects: Path, oid: str) -> None:
    place = objects / oid[:2] / oid[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(b"blob 0\0"))
