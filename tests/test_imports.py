"""Who may import whom: one line says it, and what else must not be loaded early or twice."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import daybreak

ROOT = Path(daybreak.__file__).parent
ORDER = "__main__ → cli → {serve, demo} → runs → {upgrade, deliver, site} → prose → report → judge → {findings, collect, store, verify} → core → __init__"
"""A room imports only rooms to its right; those in braces do not know each other. `findings` and `verify` know `core` alone."""
FLOORS = [{name.strip(" {}") for name in floor.split(",")} for floor in ORDER.split("→")]
FLOOR_OF = {room: number for number, floor in enumerate(FLOORS) for room in floor}

ONE_FILE_ONLY = {
    "fcntl": {"store/lock.py"},
    "ray": {"runs/ray_cluster.py"},
    "psycopg": {"store/postgres.py"},
    "sqlite3": {"store/sqlite.py", "store/database.py"},
    "subprocess": {"core/git_program.py", "demo/history.py"},
    # Both keep the current folder out of it.
    "multiprocessing": {"runs/executors.py", "upgrade/range/entries.py"},
    "httpx": {"core/http.py"},
    "cryptography": {"collect/github/tokens.py"},
    "uvicorn": {"serve/web/service.py"},
    "prometheus_client": {"serve/web/metrics.py"},
    "starlette": {
        "serve/web/app.py",
        "serve/web/service.py",
        "serve/web/api.py",
        "serve/web/guard.py",
        "serve/mcp/server.py",
    },
    "jinja2": {"site/pages/templates.py", "site/pages/compiled.py"},
    "pygments": {"site/pages/hunks.py"},
    "apprise": {"deliver/notify/by_apprise.py"},
    "mcp": {"serve/mcp/server.py"},
    "pathspec": {"collect/git/source.py"},
    "openai": {"prose/llm/openai_compatible.py"},
}
HEAVY = {
    "msgspec",
    "psycopg",
    "starlette",
    "uvicorn",
    "prometheus_client",
    "pathspec",
    "tomllib",
    "tree_sitter",
    "sqlite3",
    "zoneinfo",
    "asyncio",
    "http",
    "ssl",
    "concurrent",
    "openai",
    "jinja2",
    "pygments",
    "apprise",
    "mcp",
}


class Import(NamedTuple):
    file: str
    module: str
    line: int
    inside: bool
    """In a function, where it is loaded when that runs."""


def files() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "__pycache__" not in path.parts)


def imports(path: Path) -> list[Import]:
    """Every import of a file, inside functions too, as full module names."""
    name = path.relative_to(ROOT).as_posix()
    found = []
    for node, inside in _statements(ast.parse(path.read_text(encoding="utf-8")), inside=False):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            assert node.level == 0, f"{name}:{node.lineno} imports relatively"
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [
                m
                if (ROOT.parent / (m.replace(".", "/"))).with_suffix(".py").exists()
                or (ROOT.parent / m.replace(".", "/")).is_dir()
                else str(node.module)
                for m in whole
            ]
        found += [Import(name, module, node.lineno, inside) for module in dict.fromkeys(modules)]
    return found


def _statements(node: ast.AST, *, inside: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Statements below one, each with whether a function holds it; expressions, which are most of a file, hold none."""
    inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        below = getattr(node, field, ())
        for child in below if isinstance(below, list) else ():
            yield child, inside
            yield from _statements(child, inside=inside)


@cache
def every_import() -> tuple[Import, ...]:
    """When a test asks: a worker that only looks for tests takes no file apart."""
    return tuple(one for path in files() for one in imports(path))


def part(file: str) -> str:
    return file.split("/", maxsplit=1)[0].removesuffix(".py")


def test_the_line_names_every_room() -> None:
    assert {part(path.relative_to(ROOT).as_posix()) for path in files()} == set(FLOOR_OF)


def arrows() -> set[tuple[str, str, str]]:
    """From room, to room, where: every import of another room."""
    found = set()
    for one in every_import():
        top, _, rest = one.module.partition(".")
        here, there = part(one.file), (rest.split(".")[0] if rest else "__init__")
        if top == "daybreak" and here != there:
            found.add((here, there, f"{one.file}:{one.line} imports {one.module}"))
    return found


def test_a_room_imports_only_rooms_to_its_right() -> None:
    assert [where for here, there, where in sorted(arrows()) if FLOOR_OF[here] >= FLOOR_OF[there]] == []


@pytest.mark.parametrize("room", ["findings", "verify"])
def test_what_could_be_a_package_of_its_own_imports_core_alone(room: str) -> None:
    """Also inside functions; `daybreak` itself gives the version."""
    assert [where for here, there, where in sorted(arrows()) if here == room and there != "core"] == []


def test_the_house_has_few_arrows() -> None:
    assert len({(here, there) for here, there, _ in arrows()}) <= 75


def test_no_files_import_each_other_in_a_circle() -> None:
    """At the top of a file; what a function imports when it runs closes no circle."""
    graph: dict[str, set[str]] = {}
    for one in every_import():
        if one.module.startswith("daybreak.") and not one.inside:
            here = module_of(one.file)
            graph.setdefault(here, set()).update(loaded_by(one.module) - loaded_by(here))
    assert circles(graph) == []


def loaded_by(module: str) -> set[str]:
    """A module and the folders that it stands in: their `__init__` runs before it."""
    parts = module.split(".")
    return {".".join(parts[:end]) for end in range(2, len(parts) + 1)}


def module_of(file: str) -> str:
    return ".".join(("daybreak", *Path(file).with_suffix("").parts)).removesuffix(".__init__")


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Every circle of a graph, once, by the path on which it was met."""
    found, done = [], set[str]()

    def visit(node: str, path: list[str]) -> None:
        if node in path:
            found.append(path[path.index(node) :])
        elif node not in done:
            for other in sorted(graph.get(node, ())):
                visit(other, [*path, node])
            done.add(node)

    for node in sorted(graph):
        visit(node, [])
    return found


def test_the_pipeline_knows_interfaces_only() -> None:
    known = {one.module for one in every_import() if one.file in ("runs/pipeline.py", "runs/run_context.py")}
    doors = {"daybreak.collect", "daybreak.deliver.publish", "daybreak.runs.executors"}
    concrete = {m for m in known if m.startswith("daybreak.") and not m.endswith(".interface")} - doors
    assert {m for m in concrete if not m.startswith("daybreak.core.")} <= {
        "daybreak.judge.day_value",
        "daybreak.judge.repo_report",
        "daybreak.runs.pipeline",
    }


def test_the_errors_need_only_the_standard_library() -> None:
    """`--help` loads them."""
    outside = {one.module for one in every_import() if one.file == "core/errors.py"}
    assert {module.split(".")[0] for module in outside} <= sys.stdlib_module_names


@pytest.mark.parametrize("module", sorted(ONE_FILE_ONLY))
def test_some_packages_have_one_door(module: str) -> None:
    users = {one.file for one in every_import() if one.module.split(".")[0] == module}
    assert users <= ONE_FILE_ONLY[module]


def test_only_the_config_reads_the_environment() -> None:
    readers = set()
    for path in files():
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "environ" in text or "getenv" in text else ():
            named = isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv")
            taken = (
                isinstance(node, ast.ImportFrom)
                and node.module == "os"
                and {a.name for a in node.names} & {"environ", "getenv"}
            )
            if named or taken:
                readers.add(path.relative_to(ROOT).as_posix())
    # The second one sets, for those who are started, and gives to none.
    assert readers == {"core/config/__init__.py", "core/safe_path.py"}


def test_help_loads_nothing_heavy() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "daybreak", "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "usage: daybreak" in said.stdout
    loaded = {
        row.rsplit("|", 1)[1].strip().split(".")[0]
        for row in said.stderr.splitlines()
        if row.startswith("import time:")
    }
    at_start = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "pass"], capture_output=True, text=True, check=True
    )
    before = {
        row.rsplit("|", 1)[1].strip().split(".")[0]
        for row in at_start.stderr.splitlines()
        if row.startswith("import time:")
    }
    assert loaded & HEAVY <= before


def test_every_registry_names_what_exists() -> None:
    for path in files():
        if path.name != "__init__.py":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict):
                continue
            for value in node.value.values:
                if (
                    isinstance(value, ast.Constant)
                    and isinstance(value.value, str)
                    and value.value.startswith("daybreak.")
                ):
                    module, _, name = value.value.partition(":")
                    source = ROOT.parent / f"{module.replace('.', '/')}.py"
                    assert source.exists(), value.value
                    assert f"class {name}" in source.read_text(encoding="utf-8"), value.value
