"""Git objects and refs written without git: a process for each commit would be most of what a small history costs."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = b"40000"
MODES = (b"100644", b"100755", b"120000", b"160000")
PLAIN_NAME = re.compile(r"[\w.-]+(/[\w.-]+)*", re.ASCII)
"""Of a ref, for which no rule of git needs to be known."""
MANY = 100
"""Files of a commit that had better go into a pack."""


@dataclass
class Tree:
    """A folder; never changed once it is written."""

    entries: dict[bytes, tuple[bytes, Tree | str]] = field(default_factory=dict)
    oid: str = ""

    def put(self, path: Sequence[bytes], mode: bytes, oid: str) -> Tree:
        """The folder with a file at the path, whatever was there."""
        name, *rest = path
        if not rest:
            return Tree({**self.entries, name: (mode, oid)})
        _, inner = self.entries.get(name, (FOLDER, Tree()))
        below = inner if isinstance(inner, Tree) else Tree()
        return Tree({**self.entries, name: (FOLDER, below.put(rest, mode, oid))})

    def drop(self, path: Sequence[bytes]) -> Tree:
        """The folder without what is at the path, and without folders that are empty then."""
        name, *rest = path
        _, inner = self.entries.get(name, (b"", ""))
        kept = {one: entry for one, entry in self.entries.items() if one != name}
        if rest and isinstance(inner, Tree):
            below = inner.drop(rest)
            return Tree({**kept, name: (FOLDER, below)}) if below.entries else Tree(kept)
        return self if rest else Tree(kept)


@dataclass
class Writer:
    """Writes into a bare repository of the plain form."""

    path: Path
    trees: dict[str, Tree] = field(default_factory=dict)
    """Of commits that were written here or asked for."""

    def make(self, branch: str) -> None:
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
            (self.path / folder).mkdir(parents=True)
        (self.path / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n")
        (self.path / "HEAD").write_text(f"ref: refs/heads/{branch}\n")

    def object(self, kind: str, data: bytes) -> str:
        content = b"%s %d\0%s" % (kind.encode(), len(data), data)
        oid = hashlib.sha1(content, usedforsecurity=False).hexdigest()
        place = Path(f"{self.path}/objects/{oid[:2]}/{oid[2:]}")
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            with os.fdopen(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o444), "wb") as file:
                file.write(zlib.compress(content, 1))
        return oid

    def ref(self, name: str, oid: str) -> bool:
        """False where git must do it."""
        if not PLAIN_NAME.fullmatch(name) or ".." in name or name.endswith((".lock", ".")) or "/." in name:
            return False
        place = self.path / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"{oid}\n")
        except OSError:  # a folder has its name, or a ref that of a folder
            return False
        return True

    def tree_of(self, commit: str) -> Tree | None:
        """As it was written here, or as git lists it."""
        if commit not in self.trees:
            asked = ["git", f"--git-dir={self.path}", "ls-tree", "-r", "-z", "--full-tree", commit]
            listed = subprocess.run(asked, capture_output=True, check=False)
            if listed.returncode:
                return None
            tree = Tree()
            for row in filter(None, listed.stdout.split(b"\0")):
                about, _, path = row.partition(b"\t")
                mode, _, oid = about.split(b" ")
                tree = tree.put(path.split(b"/"), mode, oid.decode())
            self.trees[commit] = tree
        return self.trees[commit]

    def commit(self, files: Mapping[bytes, tuple[bytes, bytes] | None], parents: Sequence[str], rest: bytes) -> str:
        """A commit on its first parent with files of a mode and content; `rest` follows its parents. Empty where git must do it."""
        tree = self.tree_of(parents[0]) if parents else Tree()
        if tree is None or not (self.path / "objects").is_dir() or len(files) > MANY:
            return ""
        for path, file in files.items():
            parts = path.split(b"/")
            if b"" in parts or (file and file[0] not in MODES):
                return ""
            if file is None:
                tree = tree.drop(parts)
            else:
                mode, content = file
                oid = content.decode() if mode == b"160000" else self.object("blob", content)
                tree = tree.put(parts, mode, oid)
        head = [f"tree {self._written(tree)}\n".encode(), *(f"parent {one}\n".encode() for one in parents)]
        sha = self.object("commit", b"".join(head) + rest)
        self.trees[sha] = tree
        return sha

    def _written(self, tree: Tree) -> str:
        if not tree.oid:
            rows = []
            for name, (mode, inner) in tree.entries.items():
                oid = self._written(inner) if isinstance(inner, Tree) else inner
                row = mode + b" " + name + b"\0" + bytes.fromhex(oid)
                rows.append((name + b"/" if mode == FOLDER else name, row))
            tree.oid = self.object("tree", b"".join(row for _, row in sorted(rows)))
        return tree.oid
