"""Reads a folder or a file of yours and says what it uses of the watched repositories.

Nothing is run, imported or followed out of the folder. What cannot be read is named with its reason, and the rest
goes on.
"""

from __future__ import annotations

import gc
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from daybreak.core.errors import UsageError
from daybreak.core.model.changes import Skipped
from daybreak.core.model.upgrade import Use, Uses
from daybreak.core.projects import FAULTS, Unreadable, Wanted
from daybreak.findings.languages import language_by_strings
from daybreak.findings.unread import shares
from daybreak.upgrade.downstream.choices import with_choices
from daybreak.upgrade.downstream.parallel import beside, portions, processes
from daybreak.upgrade.downstream.python_project import Exports, Project
from daybreak.upgrade.downstream.readers import kind_of, uses

SIZE_MOST = 5_000_000
"""Bytes of a file that is read; a larger one is data."""
REFUSED_TIP = "Let this user read it, or take it out of what is to be read, and run again."
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
_PARSED = (".py", ".pyi", ".ipynb", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp")
"""Sources of which the names they use are known."""
_COLLECT_EVERY = 400_000
"""Objects between two searches for cycles."""
_ROUNDS = 4
"""Times that files are read again which import each other in a circle."""
_LEVEL = 300_000
"""Weight of files that do not need each other and are worth being read side by side."""
_HELD_MOST = 30_000_000
"""Characters of Python files that are kept until they are read."""
_WEIGHTS = {"cpp": 0.03, "clients": 0.3, "json_files": 0.3, "shell": 3.0, "yaml": 1.5}
"""Time that a character of a file takes, where it is not about that of Python."""


T = TypeVar("T")


def read_uses(root: Path, wanted: Wanted, workers: int = 1, most: float | None = None) -> Uses:
    """Everything the code at a path uses, in the order of files and lines; many files are read by several processes.

    `most` bounds the weight that is read: the largest files are left out and named, since what people write by hand is
    small.
    """
    try:
        mode = root.stat().st_mode
    except PermissionError as error:
        raise UsageError(f"There is no permission to read {root}.", "Let this user read your own code.") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"There is nothing at {root}.", "Give the folder or file of your own code.") from error
    walk = _Walk(root, wanted, workers)
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
        walk.everything(files if most is None else walk.lightest(files, most))
        walk.settings()
    if not walk.found.files and not walk.found.skipped:
        raise UsageError(f"There is no code in {root} that can be read.", "Give the folder of your own code.")
    return walk.result()


def files_of(root: Path, wanted: Wanted) -> Iterator[tuple[Path, str]]:
    """The files below a folder that would be read, with their names from there; a file by itself is one."""
    return _Walk(root, wanted, 1).folder() if root.is_dir() else iter([(root, root.name)])


@contextmanager
def few_collections() -> Iterator[None]:
    """Trees of code are many small objects without cycles: looking for cycles among them costs a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(_COLLECT_EVERY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _File(NamedTuple):
    path: Path
    name: str
    kind: str
    size: int


@dataclass(slots=True)
class _Part:
    """What reading some of the files gave."""

    uses: list[Use] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    files: int = 0
    lines: int = 0

    def take(self, other: _Part) -> None:
        self.uses += other.uses
        self.skipped += other.skipped
        self.files += other.files
        self.lines += other.lines

    def __reduce__(self) -> tuple[Any, ...]:
        """Uses are many, and travel faster from process to process as bytes."""
        uses: bytes | list[Use] = self.uses
        with suppress(UnicodeError, msgspec.MsgspecError):
            uses = msgspec.msgpack.encode(uses)
        return _arrived, (uses, self.skipped, self.files, self.lines)


def _arrived(uses: bytes | list[Use], *rest: Any) -> _Part:
    return _Part(msgspec.msgpack.decode(uses, type=list[Use]) if isinstance(uses, bytes) else uses, *rest)


class _Walk:
    def __init__(self, root: Path, wanted: Wanted, workers: int) -> None:
        self.root, self.wanted, self.workers = root, wanted, workers
        self.found = _Part()
        self.project = Project(wanted)
        self.held: dict[str, str] = {}
        """Texts of Python files, as long as there is room for them."""
        self.room = _HELD_MOST
        self.languages: Counter[str | None] = Counter()
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
                self.refused(prefix.rstrip("/") or ".", error)
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
        try:
            if any((folder / one).exists() for one in ("pyvenv.cfg", "CACHEDIR.TAG")):
                return False
            copied = copy_of(folder, self.wanted)
        except OSError as error:
            self.refused(name, error)
            return False
        if copied is not None:
            self.skip(name, f"a copy of {copied} itself, not your use of it")
        return copied is None

    def skip(self, what: str, reason: str) -> None:
        self.found.skipped.append(Skipped(what, reason))

    def refused(self, what: str, error: OSError) -> None:
        """A folder or file that the system does not let us read now: another day it may."""
        self.found.skipped.append(Skipped(what, _reason(error), REFUSED_TIP))

    def counted(self, files: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
        """The same files, each source counted by its language; None for one whose names are read."""
        for path, name in files:
            language = language_by_strings(name)
            if language is not None or name.endswith(_PARSED):
                self.languages[language] += 1
            yield path, name

    def lightest(self, files: Iterable[tuple[Path, str]], most: float) -> list[tuple[Path, str]]:
        """As many files as a weight allows, in their order; the others are named."""
        weighed = [(path, name, _File(path, name, kind_of(name) or "", size_of(path))) for path, name in files]
        chosen = {one.name for one in lightest([(one, _weight(one)) for *_, one in weighed if one.kind], most)}
        for _, name, one in weighed:
            if one.kind and name not in chosen:
                self.skip(
                    name,
                    f"{one.size / 1_000_000:.1f} MB: left out, the smallest files are read first, {most / 1_000_000:.0f} MB of them",
                )
        return [(path, name) for path, name, one in weighed if not one.kind or name in chosen]

    # --- all files -----------------------------------------------------------------------------------------------

    def everything(self, files: Iterable[tuple[Path, str]]) -> None:
        """Python files that others import come first and in one process; meanwhile other files are read in others."""
        known = [one for path, name in self.counted(files) if (one := self.seen(path, name)) is not None]
        named = {one.name: one for one in known}
        levels = [[named[name] for name in level] for level in self.project.levels()]
        last = [(one, _weight(one)) for one in known if one.name in self.project.last]
        rest = [(one, _weight(one)) for one in known if one.kind != "python"]
        count = processes(sum(map(_weight, known)), self.workers)
        parts: dict[str, _Part] = {}
        while count > 1 and levels and sum(map(_weight, levels[0])) > _LEVEL:
            self.share(levels.pop(0), parts, count)
        weight = sum(_weight(one) for level in levels for one in level)
        early, late = _until(rest, weight * (count - 1)) if count > 1 else ([], rest)
        for found in beside(lambda: self.inner(levels, parts, named), self.copies(portions(early, count - 1))):
            self.found.take(found)
        first, *others = portions([*last, *late], count)
        for found in beside(lambda: self.portion(first), self.copies(others)):
            self.found.take(found)
        for _ in range(_ROUNDS):
            self.again(named)
        self.held.clear()

    def again(self, named: Mapping[str, _File]) -> None:
        """Reads those files again whose functions get objects of upstream from other files."""
        news = self.project.hand_over(self.found.uses)
        if not news:
            return
        kept = frozenset(news)
        self.found.uses = [one for one in self.found.uses if one.path not in kept]
        for name in news:
            self.found.uses += self.apart(named[name]).uses

    def seen(self, path: Path, name: str) -> _File | None:
        """A file of a kind that is read; what a Python file imports is remembered."""
        kind = kind_of(name)
        if kind is None and "." in path.name:
            return None
        if kind in ("yaml", "json_files"):
            self.configs.setdefault(path.name, (path, name))
        if kind not in ("python", None):
            return _File(path, name, kind, size_of(path))
        text = self.text(path, name)
        kind = None if text is None else kind or kind_of(name, text[:200].partition("\n")[0])
        if text is None or kind is None:
            return None
        if kind == "python":
            self.project.look(name, text)
        if len(text) <= self.room:
            self.room -= len(text)
            self.held[name] = text
        return _File(path, name, kind, len(text))

    def copies(self, portioned: Iterable[Sequence[_File]]) -> list[Callable[[], _Part]]:
        return [partial(self.portion, files) for files in portioned if files]

    def portion(self, files: Iterable[_File]) -> _Part:
        """What files use that nobody imports."""
        found = _Part()
        for one in files:
            found.take(self.apart(one))
        return found

    def share(self, level: Sequence[_File], parts: dict[str, _Part], count: int) -> None:
        """Reads files that do not need each other in several processes."""
        first, *others = portions([(one, _weight(one)) for one in level], count)
        copies = [partial(self.exporting, files) for files in others if files]
        project, at = self.project, self.project.clock
        for found, exports in beside(lambda: self.exporting(first), copies):
            parts |= found
            project.exports |= exports
        project.read_at |= dict.fromkeys((one.name for one in level), at)
        project.admit(one.name for one in level)

    def exporting(self, files: Iterable[_File]) -> tuple[dict[str, _Part], dict[str, Exports]]:
        """What files use, each by itself, and what they export."""
        return {one.name: self.apart(one) for one in files}, self.project.exports

    def inner(self, levels: Iterable[Sequence[_File]], parts: dict[str, _Part], named: Mapping[str, _File]) -> _Part:
        """What Python files use that other files import; those read too early are read again."""
        for level in levels:
            parts |= {one.name: self.apart(one) for one in level}
            self.project.admit(one.name for one in level)
        for _ in range(_ROUNDS):
            stale = self.project.stale()
            for name in stale:
                parts[name] = self.apart(named[name])
                self.project.admit([name])
            if not stale:
                break
        found = _Part()
        for part in parts.values():
            found.take(part)
        return found

    def apart(self, one: _File) -> _Part:
        """What one file gives, by itself: it may be read again, or in another process."""
        before, self.found = self.found, _Part()
        self.file(one)
        part, self.found = self.found, before
        return part

    def stumbled(self, name: str, error: BaseException) -> None:
        """One file could not be read with the knowledge of the others: what it uses by itself stays."""
        self.skip(name, f"could not be read together with your other files ({type(error).__name__})")

    # --- one file ------------------------------------------------------------------------------------------------

    def file(self, one: _File) -> None:
        """Reads one file by the reader of its kind."""
        text = self.held.get(one.name) or self.text(one.path, one.name)
        if text is None:
            return
        self.found.files += 1
        self.found.lines += text.count("\n") + (not text.endswith("\n") and bool(text))
        self.read(one.name, text, one.kind)

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
            self.refused(name, error)
            return None
        return whole.decode("utf-8", errors="replace")

    def read(self, name: str, text: str, kind: str, program: str | None = None) -> None:
        uses = self.found.uses
        before = len(uses)
        try:
            uses.extend(self.reader(name, text, kind, program))
        except Unreadable as error:
            self.skip(name, str(error))
        except RecursionError:
            del uses[before:]
            self.skip(name, "nested too deeply")
        except FAULTS as error:
            del uses[before:]  # a fault of ours must not cost the user the other files
            self.skip(name, f"could not be read ({type(error).__name__})")

    def reader(self, name: str, text: str, kind: str, program: str | None) -> Iterator[Use]:
        if kind == "python":
            return self.project.uses(name, text, self.stumbled)
        return uses(name, text, self.wanted, kind=kind, program=program)

    # --- the whole -----------------------------------------------------------------------------------------------

    def settings(self) -> None:
        """Reads again the files that a program is told to take its settings from: `vllm serve --config x.yaml`."""
        told = {
            (one.value or "").rpartition("/")[2]: one.program
            for one in self.found.uses
            if one.kind == "cli_flag" and one.name == "--config" and one.value
        }
        for value, program in sorted(told.items()):
            if value not in self.configs or not program:
                continue
            path, name = self.configs[value]
            if any(one.path == name and one.kind == "config_key" for one in self.found.uses):
                continue
            text = self.text(path, name)
            if text is not None:
                self.read(name, text, kind_of(name) or "yaml", program)

    def result(self) -> Uses:
        found = sorted(with_choices(dict.fromkeys(self.found.uses), self.project.imports), key=_order)
        skipped = sorted(dict.fromkeys(self.found.skipped), key=lambda one: (one.what, one.reason))
        if len(skipped) > SKIPPED_MOST:
            rest = len(skipped) - SKIPPED_MOST
            tip = max(one.tip for one in skipped[SKIPPED_MOST:])
            skipped = [*skipped[:SKIPPED_MOST], Skipped(f"{rest} more files", "could not be read", tip)]
        languages = shares(self.languages.elements())
        return Uses(str(self.root), tuple(found), self.found.files, self.found.lines, tuple(skipped), languages)


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


def _weight(one: _File) -> float:
    return one.size * _WEIGHTS.get(one.kind, 1.0)


def lightest(items: Iterable[tuple[T, float]], most: float) -> list[T]:
    """The lightest items that together weigh no more."""
    ordered = sorted(items, key=lambda one: one[1])
    sums = accumulate(weight for _, weight in ordered)
    return [item for (item, _), reached in zip(ordered, sums, strict=True) if reached <= most]


def _until(
    items: Sequence[tuple[_File, float]], weight: float
) -> tuple[list[tuple[_File, float]], list[tuple[_File, float]]]:
    """The first items up to a weight, and the others."""
    sums = accumulate(one for _, one in items)
    size = sum(1 for reached in sums if reached <= weight)
    return list(items[:size]), list(items[size:])


def size_of(path: Path) -> int:
    """Bytes of a file; none where it cannot be asked."""
    try:
        return path.lstat().st_size
    except OSError:
        return 0


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
