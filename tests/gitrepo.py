"""Real git repositories with fixed dates and authors; what is not plain goes through `git fast-import`, so any bytes go."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitwriting import Writer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Moment = str | int
_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class File:
    """Content with a mode that is not the usual one."""

    content: str | bytes
    mode: str = "100755"


def link(target: str | bytes) -> File:
    """A symbolic link."""
    return File(target, "120000")


def submodule(sha: str) -> File:
    """A submodule at a commit."""
    return File(sha, "160000")


def clean_environment(home: Path) -> dict[str, str]:
    """What git needs, and nothing of the machine's own settings."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }


def seconds(moment: Moment) -> int:
    """A time as git keeps it; text without an offset is UTC."""
    if isinstance(moment, int):
        return moment
    text = moment if "+" in moment or moment.count("-") > 2 else f"{moment}+00:00"
    return int(datetime.fromisoformat(text).timestamp())


@dataclass
class GitRepo:
    """A bare repository; each commit goes on top of its branch."""

    path: Path
    branch: str = "main"
    _tips: dict[str, str] = field(default_factory=dict)
    _writer: Writer = field(init=False)

    def __post_init__(self) -> None:
        self._writer = Writer(self.path)

    @classmethod
    def make(cls, path: Path, branch: str = "main") -> GitRepo:
        path.parent.mkdir(parents=True, exist_ok=True)
        repo = cls(path, branch)
        if not path.exists():
            repo._writer.make(branch)
            return repo
        command = ["git", "init", "--quiet", "--bare", "--template=", f"--initial-branch={branch}", str(path)]
        subprocess.run(command, check=True, env=clean_environment(path.parent))
        return repo

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Run git in the repository; its output."""
        command = ["git", f"--git-dir={self.path}", *arguments]
        env = clean_environment(self.path.parent)
        return subprocess.run(command, input=stdin, check=True, capture_output=True, env=env).stdout

    def text(self, *arguments: str) -> str:
        return self.git(*arguments).decode("utf-8", "replace").strip()

    def commit(
        self,
        message: str | bytes,
        files: Mapping[Any, str | bytes | File | None] | None = None,
        *,
        at: Moment = "2026-01-19T12:00:00",
        author: str | bytes = "Ann Lee",
        branch: str | None = None,
        parents: Sequence[str] | None = None,
        encoding: str = "",
    ) -> str:
        """Put a commit on the branch; a file that is None goes away."""
        name = branch or self.branch
        tip = self._tips.get(name)
        chosen = list(parents) if parents is not None else [tip] if tip else []
        sha = self._plain_commit(name, message, files or {}, seconds(at), author, chosen, encoding)
        if not sha:
            stream = _commit(name, message, files or {}, seconds(at), author, chosen, encoding)
            sha = self.fast_import(stream + b"get-mark :1\n").decode().strip()
        self._tips[name] = sha
        return sha

    def _plain_commit(
        self,
        branch: str,
        message: str | bytes,
        files: Mapping[Any, str | bytes | File | None],
        at: int,
        author: str | bytes,
        parents: Sequence[str],
        encoding: str,
    ) -> str:
        """A commit as fast-import would write it, without a process; empty where that takes git."""
        name, text = _bytes(author), _bytes(message)
        odd = not name or set(b"<>\n\0") & set(name) or b"\0" in text or at < 0
        if odd or not all(_SHA.fullmatch(one) for one in parents):
            return ""
        who = name + b" <someone@example.org> %d +0000\n" % at
        coded = b"encoding %s\n" % encoding.encode() if encoding else b""
        plain = {_bytes(name): _mode_and_content(content) for name, content in files.items()}
        sha = self._writer.commit(plain, parents, b"author %scommitter %s%s\n%s" % (who, who, coded, text))
        return sha if sha and self._writer.ref(f"refs/heads/{branch}", sha) else ""

    def fast_import(self, stream: bytes) -> bytes:
        return self.git("fast-import", "--quiet", "--force", "--date-format=raw-permissive", stdin=stream)

    def write_commit(self, raw: bytes) -> str:
        """Store a commit object as it is, however wrong, and put it on the branch."""
        sha = self.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw).decode().strip()
        self.move(sha)
        return sha

    def move(self, sha: str, branch: str | None = None) -> None:
        """Point the branch elsewhere, as a force-push does."""
        name = branch or self.branch
        if not _SHA.fullmatch(sha) or not self._writer.ref(f"refs/heads/{name}", sha):
            self.git("update-ref", f"refs/heads/{name}", sha)
        self._tips[name] = sha

    def tag(self, name: str, sha: str, at: Moment | None = None) -> None:
        """A plain tag, or an annotated one when it has a date."""
        if at is not None:
            text = f"object {sha}\ntype commit\ntag {name}\ntagger T <t@example.org> {seconds(at)} +0000\n\n{name}\n"
            sha = self._writer.object("tag", text.encode())
        if not _SHA.fullmatch(sha) or not self._writer.ref(f"refs/tags/{name}", sha):
            self.git("update-ref", f"refs/tags/{name}", sha)

    def oid(self, name: str) -> str:
        return self.text("rev-parse", name)

    def loose(self, oid: str) -> Path:
        """Where an object lies; fast-import leaves small histories loose."""
        return self.path / "objects" / oid[:2] / oid[2:]

    def lose(self, oid: str) -> None:
        self.loose(oid).unlink()

    def damage(self, oid: str) -> None:
        """Flip bytes in the middle of an object."""
        path = self.loose(oid)
        data = bytearray(path.read_bytes())
        for index in range(len(data) // 2, len(data)):
            data[index] ^= 0xFF
        path.chmod(0o644)
        path.write_bytes(bytes(data))

    def log(self, low: int, high: int, branch: str | None = None) -> list[str]:
        """What git itself says: first-parent commits with a committer date in `[low, high)`, newest first."""
        rows = self.text("log", "--first-parent", "--format=%H %ct", branch or self.branch).splitlines()
        pairs = [row.partition(" ")[::2] for row in rows]
        return [sha for sha, time in pairs if time.isdigit() and low <= int(time) < high]

    def numstat(self, sha: str) -> dict[str, tuple[int, int, bool]]:
        """Path -> lines added, deleted, binary, against the first parent, as git counts them."""
        base = [f"{sha}^1"] if b" " in self.git("rev-list", "--parents", "-1", sha).strip() else ["--root"]
        arguments = [*base, sha] if base != ["--root"] else ["--root", "--no-commit-id", sha]
        fields = self.git("diff-tree", "-r", "--numstat", "-M", "-z", *arguments).split(b"\0")
        found = {}
        while len(fields) > 1:
            added, deleted, path = fields.pop(0).split(b"\t", 2)
            if not path:
                fields.pop(0)
                path = fields.pop(0)
            binary = added == b"-"
            count = (0, 0, True) if binary else (int(added), int(deleted), False)
            found[path.decode("utf-8", "replace")] = count
        return found


def _mode_and_content(file: str | bytes | File | None) -> tuple[bytes, bytes] | None:
    if file is None:
        return None
    if isinstance(file, File):
        return file.mode.encode(), _bytes(file.content)
    return b"100644", _bytes(file)


def _commit(
    branch: str,
    message: str | bytes,
    files: Mapping[Any, str | bytes | File | None],
    at: int,
    author: str | bytes,
    parents: Sequence[str],
    encoding: str,
) -> bytes:
    who = _bytes(author) + b" <someone@example.org> %d +0000\n" % at
    parts = [b"commit refs/heads/%s\nmark :1\nauthor %scommitter %s" % (branch.encode(), who, who)]
    if encoding:
        parts.append(b"encoding %s\n" % encoding.encode())
    parts.append(_data(_bytes(message)))
    parts += [b"%s %s\n" % (b"merge" if i else b"from", parent.encode()) for i, parent in enumerate(parents)]
    for name, content in files.items():
        parts.append(_file(_quoted(_bytes(name)), content))
    return b"".join(parts) + b"\n"


def _file(path: bytes, content: str | bytes | File | None) -> bytes:
    if content is None:
        return b"D %s\n" % path
    file = content if isinstance(content, File) else File(content, "100644")
    if file.mode == "160000":
        return b"M 160000 %s %s\n" % (_bytes(file.content), path)
    return b"M %s inline %s\n%s" % (file.mode.encode(), path, _data(_bytes(file.content)))


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _quoted(path: bytes) -> bytes:
    return (
        b'"'
        + b"".join(b"\\%03o" % byte if byte < 33 or byte > 126 or byte in b'"\\' else bytes([byte]) for byte in path)
        + b'"'
    )
