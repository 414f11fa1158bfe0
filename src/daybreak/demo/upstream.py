"""From a sample history to a bare git repository, by one `git fast-import`; and what of it the world can see when."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from daybreak.core.config import environment
from daybreak.demo.history import History, Tree, visible

KEPT = "refs/demo/"
"""Where every object stays reachable; hidden from clones, so only `show` decides what is seen."""
_CONFIG = f"""[transfer]
\thideRefs = {KEPT.rstrip("/")}
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[gc]
\tauto = 0
"""


def build(history: History, folder: Path, git: str = "git") -> None:
    """Write a bare repository that holds every object and shows none until `show` is called.

    The ids that git reports are compared with ours: a history that came out different on this
    machine would make every golden report wrong, so it must not pass in silence.
    """
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    init = ["init", "--quiet", "--bare", "--template=", "--object-format=sha1"]
    _run([git, *init, "-b", history.branch, os.fspath(folder)])
    with (folder / "config").open("a", encoding="utf-8") as config:
        config.write(_CONFIG)
    importing = ["-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--date-format=raw"]
    marks = _git(git, folder, importing, b"".join(_stream(history)))
    for commit, sha in zip(history.commits.values(), marks.decode().split(), strict=True):
        if commit.sha != sha:
            raise RuntimeError(f"commit {commit.id}: git made {sha}, expected {commit.sha}")
    moves = [f"delete refs/tags/{name}\n" for name in history.tags]
    moves += [f"update {KEPT}tags/{tag.name} {tag.sha}\n" for tag in history.tags.values()]
    _git(git, folder, ["update-ref", "--stdin"], "".join(moves).encode())


def show(folder: Path, history: History, moment: datetime, git: str = "git") -> None:
    """Move the refs of a built repository to what was visible at `moment`, in one step."""
    seen = visible(history, moment)
    every = [f"refs/heads/{history.branch}", *(f"refs/tags/{name}" for name in history.tags)]
    moves = [f"update {ref} {seen[ref]}\n" if ref in seen else f"delete {ref}\n" for ref in every]
    _git(git, folder, ["update-ref", "--stdin"], "".join(moves).encode())


def _stream(history: History) -> Iterator[bytes]:
    """The input of `git fast-import`: commits as changes to their first parent, then tags."""
    marks = {name: number for number, name in enumerate(history.commits, start=1)}
    for name, commit in history.commits.items():
        yield f"commit {KEPT}{commit.branch}\nmark :{marks[name]}\n".encode()
        yield f"author {commit.author}\ncommitter {commit.committer}\n".encode()
        yield _data(commit.message.encode())
        for parent, word in zip(commit.parents, ("from", *["merge"] * 16), strict=False):
            yield f"{word} :{marks[parent]}\n".encode()
        before = history.commits[commit.parents[0]].tree if commit.parents else {}
        yield from _steps(before, commit.tree)
        yield f"\nget-mark :{marks[name]}\n".encode()
    for tag in history.tags.values():
        if tag.tagger:
            yield f"tag {tag.name}\nfrom :{marks[tag.at]}\ntagger {tag.tagger}\n".encode()
            yield _data(tag.message.encode())


def _steps(before: Tree, after: Tree) -> Iterator[bytes]:
    """What must be said to get from one tree to the next."""
    for path in sorted(set(before) - set(after)):
        yield f"D {path}\n".encode()
    for path, entry in sorted(after.items()):
        if before.get(path) == entry:
            continue
        if entry.data is None:
            yield f"M {entry.mode} {entry.sha} {path}\n".encode()
        else:
            yield f"M {entry.mode} inline {path}\n".encode() + _data(entry.data)


def _data(content: bytes) -> bytes:
    """A counted block, so that no content can be taken for a command."""
    return f"data {len(content)}\n".encode() + content + b"\n"


def _git(git: str, folder: Path, arguments: list[str], stdin: bytes) -> bytes:
    """Run git on the repository in this folder."""
    return _run([git, f"--git-dir={folder}", *arguments], stdin)


def _run(command: list[str], stdin: bytes = b"") -> bytes:
    """Run git sealed from the user's settings, which could change ids or run programs."""
    outside = environment()
    kept: dict[str, str] = {name: outside[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR") if name in outside}
    sealed = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_DEFAULT_REF_FORMAT": "files",
        "LC_ALL": "C",
    }
    done = subprocess.run(command, input=stdin, env=kept | sealed, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"{' '.join(command[:3])} failed ({done.returncode}): {said}")
    return done.stdout
