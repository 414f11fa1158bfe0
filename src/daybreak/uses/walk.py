"""Reads a folder or a file of yours and says what it uses of the watched repositories.

Nothing is run, imported or followed out of the folder. What cannot be read is named with its reason, and the rest
goes on.
"""

from __future__ import annotations

import gc
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daybreak.errors import UsageError
from daybreak.model import Skipped
from daybreak.upgrade import Use, Uses
from daybreak.uses.interface import FAULTS, Unreadable, Wanted
from daybreak.uses.python_project import Project
from daybreak.uses.readers import kind_of, uses

SIZE_MOST = 5_000_000
"""Bytes of a file that is read; a larger one is data."""
SKIPPED_MOST = 500
"""Skipped files that are named one by one; the rest is counted."""
NOISE = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "site-packages",
     "dist-packages", "__pycache__", "build", "dist", ".tox", ".nox", ".eggs", ".mypy_cache", ".ruff_cache",
     ".pytest_cache", ".hypothesis", ".ipynb_checkpoints", ".idea", ".terraform", ".next", ".cache",
     "bower_components", "wandb", "mlruns", "htmlcov", ".daybreak", "__pypackages__", ".direnv", ".gradle"}
)  # fmt: skip
"""Folders that hold what tools made or somebody else wrote."""
_HEAD = 8192
_COLLECT_EVERY = 100_000
"""Objects between two searches for cycles."""


def read_uses(root: Path, wanted: Wanted) -> Uses:
    """Everything the code at a path uses, file by file in the order of their names."""
    try:
        mode = root.stat().st_mode
    except (OSError, ValueError) as error:
        raise UsageError(f"There is nothing at {root}.", "Give the folder or file of your own code.") from error
    walk = _Walk(root, wanted)
    if stat.S_ISDIR(mode):
        files = walk.folder()
    elif stat.S_ISREG(mode) and kind_of(root.name, _first_line(root)) is not None:
        files = iter([(root, root.name)])
    else:
        raise UsageError(
            f"{root} is not code that can be read.",
            "Give a folder, or a Python, notebook, shell, Dockerfile, YAML, JSON, TOML, requirements or C++ file.",
        )
    with few_collections():
        for path, name in files:
            walk.file(path, name)
        walk.joined()
        walk.settings()
    if not walk.files and not walk.skipped:
        raise UsageError(f"There is no code in {root} that can be read.", "Give the folder of your own code.")
    return walk.result()


@contextmanager
def few_collections() -> Iterator[None]:
    """Trees of code are many small objects without cycles: looking for cycles among them costs a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT_EVERY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Walk:
    def __init__(self, root: Path, wanted: Wanted) -> None:
        self.root, self.wanted = root, wanted
        self.uses: list[Use] = []
        self.skipped: list[Skipped] = []
        self.files = self.lines = 0
        self.project = Project(wanted)
        self.configs: dict[str, tuple[Path, str]] = {}
        """Files of settings by name, for programs that are told to read them."""

    def folder(self) -> Iterator[tuple[Path, str]]:
        """Files in order, and what stands in the way of reading them."""
        waiting = [(self.root, "")]
        while waiting:
            folder, prefix = waiting.pop()
            try:
                with os.scandir(folder) as found:
                    entries = sorted(found, key=lambda one: one.name)
            except OSError as error:
                self.skip(prefix.rstrip("/") or ".", _reason(error))
                continue
            inner: list[tuple[Path, str]] = []
            for entry in entries:
                if entry.is_symlink():  # a file outside is not ours, one inside is read where it stands
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    yield Path(entry.path), f"{prefix}{entry.name}"
                elif self.enters(Path(entry.path), f"{prefix}{entry.name}"):
                    inner.append((Path(entry.path), f"{prefix}{entry.name}/"))
            waiting += reversed(inner)

    def enters(self, folder: Path, name: str) -> bool:
        if folder.name in NOISE or folder.name.endswith((".egg-info", ".dist-info")):
            return False
        if any((folder / one).exists() for one in ("pyvenv.cfg", "CACHEDIR.TAG")):
            return False
        copied = copy_of(folder, self.wanted)
        if copied is not None:
            self.skip(name, f"a copy of {copied} itself, not your use of it")
        return copied is None

    def skip(self, what: str, reason: str) -> None:
        self.skipped.append(Skipped(what, reason))

    def file(self, path: Path, name: str) -> None:
        """Reads one file, if it is of a kind that is read."""
        kind = kind_of(name)
        if kind is None and "." in path.name:
            return
        text = self.text(path, name)
        if text is None:
            return
        kind = kind or kind_of(name, text[:200].partition("\n")[0])
        if kind is None:
            return
        if kind in ("yaml", "json_files"):
            self.configs.setdefault(path.name, (path, name))
        self.files += 1
        self.lines += text.count("\n") + (not text.endswith("\n") and bool(text))
        self.read(name, text, kind)

    def text(self, path: Path, name: str) -> str | None:
        """A file's text; None when it is too large, binary or cannot be read."""
        try:
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode):
                return None
            if status.st_size > SIZE_MOST:
                if kind_of(name) is not None:
                    self.skip(name, f"{status.st_size // 1_000_000} MB: more than 5 MB are not read")
                return None
            with path.open("rb") as file:
                head = file.read(_HEAD)
                if b"\0" in head:
                    return None
                whole = head + file.read(SIZE_MOST)
        except OSError as error:
            self.skip(name, _reason(error))
            return None
        return whole.decode("utf-8", errors="replace")

    def read(self, name: str, text: str, kind: str, program: str | None = None) -> None:
        before = len(self.uses)
        try:
            if kind == "python":
                self.uses.extend(self.project.uses(name, text))
            else:
                self.uses.extend(uses(name, text, self.wanted, kind=kind, program=program))
        except Unreadable as error:
            self.skip(name, str(error))
        except RecursionError:
            del self.uses[before:]
            self.skip(name, "nested too deeply")
        except FAULTS as error:
            del self.uses[before:]  # a fault of ours must not cost the user the other files
            self.skip(name, f"could not be read ({type(error).__name__})")

    def joined(self) -> None:
        """What Python files use through classes, functions and objects of other files of yours."""
        if not self.root.is_dir():
            return
        try:
            for use in self.project.joined(lambda name: self.text(self.root / name, name), self.stumbled):
                self.uses.append(use)
        except FAULTS as error:  # each file's own uses are there already
            self.skip(".", f"files could not be read together ({type(error).__name__})")

    def stumbled(self, name: str, error: BaseException) -> None:
        """One file could not be read again with the knowledge of the others: what it uses by itself stays."""
        self.skip(name, f"could not be read together with your other files ({type(error).__name__})")

    def settings(self) -> None:
        """Reads again the files that a program is told to take its settings from: `vllm serve --config x.yaml`."""
        told = {
            (one.value or "").rpartition("/")[2]: one.program
            for one in self.uses
            if one.kind == "cli_flag" and one.name == "--config" and one.value
        }
        for value, program in sorted(told.items()):
            if value not in self.configs or not program:
                continue
            path, name = self.configs[value]
            if any(one.path == name and one.kind == "config_key" for one in self.uses):
                continue
            text = self.text(path, name)
            if text is not None:
                self.read(name, text, kind_of(name) or "yaml", program)

    def result(self) -> Uses:
        found = sorted(dict.fromkeys(self.uses), key=_order)
        skipped = sorted(dict.fromkeys(self.skipped), key=lambda one: (one.what, one.reason))
        if len(skipped) > SKIPPED_MOST:
            rest = len(skipped) - SKIPPED_MOST
            skipped = [*skipped[:SKIPPED_MOST], Skipped(f"{rest} more files", "could not be read")]
        return Uses(str(self.root), tuple(found), self.files, self.lines, tuple(skipped))


def copy_of(folder: Path, wanted: Wanted) -> str | None:
    """The watched package or project that a folder is a copy of: it has the same name and its version file."""
    name = folder.name
    marks: tuple[str, ...] = ()
    if name in wanted.packages and (folder / "__init__.py").is_file():
        marks = ("version.py", "_version.py")
    elif name in wanted.headers and folder.parent.name == "include":
        marks = (f"{name}.h", f"{name}.hpp", f"{name}.cuh", "tensor.hpp", "layout.cuh")
    if any((folder / one).is_file() for one in marks):
        return name
    if (folder / ".git").exists():
        return next((repo for repo in wanted.repositories.values() if repo.rpartition("/")[2] == name), None)
    return None


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(200).decode("utf-8", errors="replace").partition("\n")[0]
    except OSError:
        return ""


def _reason(error: OSError) -> str:
    return "no permission to read it" if isinstance(error, PermissionError) else "it cannot be read"


def _order(use: Use) -> tuple[object, ...]:
    return (
        use.path,
        use.line,
        use.kind,
        use.name,
        use.value or "",
        use.program or "",
        use.keywords,
        use.positional or 0,
    )
