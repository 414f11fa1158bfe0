"""Who may import whom: arrows go down only. This table is the one of the layout; a new folder needs a row here."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import daybreak

ROOT = Path(daybreak.__file__).parent
STAGES = {"collect", "read", "analyse", "check", "render", "publish"}
BELOW_STAGES = {
    "model",
    "items",
    "links",
    "drafts",
    "glossary",
    "upgrade",
    "analyst_config",
    "publish_config",
    "notify_config",
    "config",
    "errors",
    "memory",
    "unseen",
    "newest",
    "signatures",
    "code_digest",
}
READERS = {"archive", "search", "charts", "pages", "feeds"}
"""They read what was reported, for those who look at it."""
SIBLINGS = {"web", "feeds", "notify", "mcp", "demo"}
OF_COMMANDS = {
    "wiring", "away", "recording", "parts", "stages", "pipeline", "histories", "grading", "ranging", "impacts", "forking", "tracing",
    "store", "config", "model", "upgrade", "errors", "windows", "verify", "telling", "net", "unseen",
}  # fmt: skip

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "unseen": set(),
    "newest": set(),
    "signatures": set(),
    "code_digest": set(),
    "changes": set(),
    "model": {"changes", "links", "drafts"},  # the last two for types alone
    "items": {"model"},
    "links": {"model", "items"},
    "drafts": {"model"},
    "glossary": set(),
    "upgrade": {"model"},
    "memory": {"model", "errors"},
    "analyst_config": {"errors"},
    "publish_config": {"errors"},
    "notify_config": {"errors"},
    "config": {"analyst_config", "publish_config", "notify_config", "model", "errors"},
    "windows": {"model", "errors"},
    "gitobjects": {"model", "errors"},
    "net": {"model", "config", "errors"},
    "llm": {"model", "config", "analyst_config", "errors", "net"},
    "collect": BELOW_STAGES | {"gitobjects", "net"},
    "read": BELOW_STAGES | {"gitobjects"},
    "analyse": BELOW_STAGES | {"llm"},
    "check": BELOW_STAGES,
    "render": BELOW_STAGES,
    "publish": BELOW_STAGES | {"net", "gitobjects"},
    "store": {"model", "items", "upgrade", "config", "errors", "memory"},
    "execute": {"model", "config", "errors"},
    "assemble": {"analyse", "model"},
    "parts": {"model"},
    "joining": {"collect", "analyse", "uses", "model", "items", "links", "errors", "parts"},
    "between": BELOW_STAGES | {"collect", "read", "analyse", "gitobjects", "uses", "impacts"},
    "telling": BELOW_STAGES | {"analyse", "check", "llm", "parts"},
    "verify": BELOW_STAGES | {"gitobjects", "check", "windows"},
    "hindsight": {"model", "memory"},
    "stages": STAGES | {"execute", "model", "links", "memory", "parts"},
    "pipeline": {"stages", "hindsight", "assemble", "parts", "model", "errors"},
    "recording": {"store", "parts", "config", "model"},
    "uses": {"model", "upgrade", "errors"},
    "histories": BELOW_STAGES | {"collect", "gitobjects", "store"},
    "grading": STAGES | BELOW_STAGES | {"gitobjects"},
    "ranging": STAGES | BELOW_STAGES | {"gitobjects", "grading"},
    "forking": STAGES | BELOW_STAGES | {"gitobjects", "grading", "ranging"},
    "tracing": STAGES | BELOW_STAGES | {"gitobjects", "grading", "ranging"},
    "impacts": STAGES | BELOW_STAGES | {"gitobjects", "uses", "store", "ranging", "forking"},
    "touches": BELOW_STAGES | {"analyse", "uses", "store"},
    "wiring": STAGES
    | {
        "touches",
        "store",
        "execute",
        "llm",
        "stages",
        "hindsight",
        "joining",
        "between",
        "telling",
        "verify",
        "parts",
        "gitobjects",
        "net",
        "uses",
    }
    | BELOW_STAGES,
    "away": {"wiring", "pipeline", "stages", "parts", "execute", "store", "config", "memory", "model", "errors"},
    "demo": {"model", "items", "errors", "config", "windows"},
    "archive": {"store", "config", "model", "errors"},
    "charts": set(),
    "search": {"archive", "store", "config", "model", "errors"},
    "feeds": {"archive", "render", "config", "model", "errors"},
    "pages": {"code_digest", "archive", "search", "charts", "feeds", "render", "store", "config", "model", "errors"},
    "notify": {"archive", "render", "net", "store", "config", "notify_config", "model", "errors"},
    "web": OF_COMMANDS | READERS,
    "mcp": OF_COMMANDS | READERS | {"check", "drafts", "glossary"},  # a statement is held against facts as drafts are
    "exits": {"archive", "pages", "search", "notify", "publish", "store", "wiring", "config", "model", "errors"},
    "cli": OF_COMMANDS | SIBLINGS | READERS | {"exits"},
    "__main__": {"cli"},
    "__init__": set(),
}
"""Part of the package -> parts it may import, besides itself and the version in `daybreak`."""

ONE_FILE_ONLY = {
    "fcntl": {"store/lock.py"},
    "ray": {"execute/ray_cluster.py"},
    "psycopg": {"store/postgres.py"},
    "sqlite3": {"store/sqlite.py", "store/migrations.py"},
    "subprocess": {"gitobjects.py", "demo/upstream.py"},
    "rich": {"cli/voice.py"},
    "httpx": {"net/http.py"},
    "cryptography": {"collect/forge/app.py"},
    "uvicorn": {"web/server.py"},
    "prometheus_client": {"web/metrics.py"},
    "starlette": {"web/app.py", "web/server.py", "web/api.py", "web/guard.py", "mcp/http.py"},
    "jinja2": {"pages/templates.py"},
    "pygments": {"pages/highlight.py"},
    "apprise": {"notify/by_apprise.py"},
    "mcp": {"mcp/server.py", "mcp/http.py"},
    "pathspec": {"collect/filters.py"},
    "openai": {"llm/openai_compatible.py"},
}
HEAVY = {
    "msgspec",
    "rich",
    "sqlalchemy",
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
    typing_only: bool


def files() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "__pycache__" not in path.parts)


def imports(path: Path) -> list[Import]:
    """Every import of a file, inside functions too, as full module names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(ROOT).as_posix()
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        for inner in block.body
        for node in ast.walk(inner)
    }
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            assert node.level == 0, f"{name}:{node.lineno} imports relatively"
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [
                m
                if (ROOT.parent / (m.replace(".", "/"))).with_suffix(".py").exists()
                or (ROOT.parent / m.replace(".", "/")).is_dir()
                else str(node.module)
                for m in inside
            ]
        found += [Import(name, module, node.lineno, id(node) in typing_only) for module in dict.fromkeys(modules)]
    return found


ALL = [one for path in files() for one in imports(path)]


def part(file: str) -> str:
    return file.split("/", maxsplit=1)[0].removesuffix(".py")


def test_every_part_of_the_package_has_its_row() -> None:
    assert {part(path.relative_to(ROOT).as_posix()) for path in files()} <= set(MAY_IMPORT)


@pytest.mark.parametrize("name", sorted(MAY_IMPORT))
def test_arrows_go_down_only(name: str) -> None:
    wrong = []
    for one in ALL:
        top, _, rest = one.module.partition(".")
        if part(one.file) != name or top != "daybreak" or not rest:
            continue
        target = rest.split(".")[0]
        if target != name and target not in MAY_IMPORT[name]:
            wrong.append(f"{one.file}:{one.line} imports {one.module}")
    assert wrong == []


@pytest.mark.parametrize("file", ["pipeline.py", "stages.py"])
def test_the_pipeline_knows_interfaces_only(file: str) -> None:
    known = {one.module for one in ALL if one.file == file and one.module.startswith("daybreak.")}
    assert {m for m in known if not m.endswith(".interface")} <= {
        "daybreak.model",
        "daybreak.links",
        "daybreak.errors",
        "daybreak.memory",
        "daybreak.assemble",
        "daybreak.parts",
        "daybreak.stages",
        "daybreak.hindsight",
    }


def test_model_and_errors_need_only_the_standard_library_and_structs() -> None:
    for one in ALL:
        if one.file in ("changes.py", "model.py", "errors.py", "memory.py", "windows.py") and not one.typing_only:
            top = one.module.split(".")[0]
            ours = (
                one.module == "daybreak.changes" if one.file == "model.py" else one.file in ("memory.py", "windows.py")
            )
            structs = top == "msgspec" and one.file != "errors.py"  # `--help` loads the errors
            assert top in sys.stdlib_module_names or structs or (top == "daybreak" and ours), one


@pytest.mark.parametrize("module", sorted(ONE_FILE_ONLY))
def test_some_packages_have_one_door(module: str) -> None:
    users = {one.file for one in ALL if one.module.split(".")[0] == module}
    assert users <= ONE_FILE_ONLY[module]


def test_only_the_config_reads_the_environment() -> None:
    readers = set()
    for path in files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv")
            taken = (
                isinstance(node, ast.ImportFrom)
                and node.module == "os"
                and {a.name for a in node.names} & {"environ", "getenv"}
            )
            if named or taken:
                readers.add(path.relative_to(ROOT).as_posix())
    assert readers == {"config.py"}


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
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if path.name != "__init__.py" or not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict):
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
