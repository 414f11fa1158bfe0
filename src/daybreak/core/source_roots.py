"""The dotted name by which a Python file is imported, and the folders of a repository that such names start in.

A project says in its packaging where its packages lie (`components/src/acme` is imported as `acme`); where no file says
so, names start in `src/` or `python/`, wherever that stands, or in the folder of the project file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

_USUAL = ("src", "python")
"""Folders that hold packages wherever they stand; `lib` does so at the top."""
_PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")
_MOST = 60
"""Project files that are read; a repository with more of them is a collection of examples."""
_SETUP = re.compile(
    r"package_dir\s{0,9}=\s{0,9}(?:\{\s{0,99}[\"']{2}\s{0,9}:\s{0,9}[\"']|\n\s{1,20}=\s{0,9})([\w./-]{1,200})"
    r"|find_(?:namespace_)?packages\(\s{0,99}(?:where\s{0,9}=\s{0,9})?[\"']([\w./-]{1,200})"
    r"|^where\s{0,9}=\s{0,9}([\w./-]{1,200})",
    re.MULTILINE,
)


def root_of(path: str, roots: Iterable[str]) -> str:
    """The folder that imports of the file start in, with its slash; empty where none of the roots holds it."""
    return max((one for one in roots if one and path.startswith(one)), key=len, default="")


@lru_cache(maxsize=65536)
def module_of(path: str, roots: tuple[str, ...] = ()) -> str:
    """`python/pkg/a/b.py` → `pkg.a.b`; a package's `__init__` is the package, and no folder is one that is no identifier."""
    root = root_of(path, roots)
    folders, file = path[len(root) :].split("/")[:-1], path.rpartition("/")[2]
    odd = max((n + 1 for n, one in enumerate(folders) if not one.isidentifier()), default=0)
    folders = folders[odd:]
    if not root:
        usual = max((n + 1 for n, one in enumerate(folders) if one in _USUAL), default=0)
        folders = folders[usual or int(folders[:1] == ["lib"]) :]
    bare = file.removesuffix(".pyi").removesuffix(".py")
    return ".".join((*folders, *([] if bare == "__init__" and folders else [bare])))


def project_files(paths: Iterable[str]) -> list[str]:
    """The files that say where packages lie, those nearest to the top first."""
    found = (path for path in paths if path.rpartition("/")[2] in _PROJECT)
    return sorted(found, key=lambda path: (path.count("/"), path))[:_MOST]


def source_roots(paths: Collection[str], texts: Mapping[str, str]) -> tuple[str, ...]:
    """Folders that imports start in, each with its slash; `texts`: what the project files hold."""
    packages = {path.rpartition("/")[0] for path in paths if path.endswith(("/__init__.py", "/__init__.pyi"))}
    holding = {folder for path in paths if path.endswith((".py", ".pyi")) for folder in _above(path)}
    found: dict[str, None] = {}
    for file in project_files(paths):
        home = file.rpartition("/")[0]
        for folder in _declared(file, texts.get(file, "")) or _by_habit(home, holding, packages):
            place = _climbed(_joined(home, folder), packages)
            if place and place in holding and not any(one in packages for one in _above(f"{place}/")):
                found[f"{place}/"] = None  # what lies in a package of another project is a part of that
    return tuple(found)


def _by_habit(home: str, holding: Collection[str], packages: Collection[str]) -> list[str]:
    """Where packages lie that no line of the project file names."""
    usual = [one for one in _USUAL if (place := _joined(home, one)) in holding and place not in packages]
    return [*usual, "."]


def _declared(file: str, text: str) -> list[str]:
    """Folders, as seen from the project file, that hold the packages it names."""
    if not file.endswith(".toml"):
        return [next(filter(None, found.groups())) for found in _SETUP.finditer(text[:200_000])]
    try:
        tool = _table(tomllib.loads(text), "tool")
    except (ValueError, RecursionError):  # of bad syntax, or of a number without end
        return []
    wheels = [_table(tool, "hatch", "build", "targets", "wheel"), _table(tool, "scikit-build", "wheel")]
    listed = [str(one) for wheel in wheels for one in _strings(wheel.get("packages"))]
    return [*(one.rstrip("/").rpartition("/")[0] or "." for one in listed), *_named(tool)]


def _named(tool: Mapping[str, Any]) -> Iterator[str]:
    """What the other builders call the folder of packages."""
    setuptools = _table(tool, "setuptools")
    yield from _strings(_table(setuptools, "package-dir").get(""))
    yield from _strings(_table(setuptools, "packages", "find").get("where"))
    yield from _strings(_table(tool, "maturin").get("python-source"))
    yield from _strings(_table(tool, "pdm", "build").get("package-dir"))
    yield from _strings(_table(tool, "uv", "build-backend").get("module-root"))
    listed = _table(tool, "poetry").get("packages")
    for one in listed if isinstance(listed, list) else ():
        yield from _strings(one.get("from")) if isinstance(one, dict) else ()


def _table(told: Any, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        told = told.get(key) if isinstance(told, dict) else None
    return told if isinstance(told, dict) else {}


def _strings(value: object) -> Sequence[str]:
    several = value if isinstance(value, list) else [value]
    return [one for one in several if isinstance(one, str) and one]


def _joined(home: str, folder: str) -> str:
    return "/".join(part for part in (*home.split("/"), *folder.split("/")) if part not in ("", "."))


def _climbed(folder: str, packages: Collection[str]) -> str:
    """The folder around the outermost package, where the project file lies in the package itself."""
    while folder in packages:
        folder = folder.rpartition("/")[0]
    return folder


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
