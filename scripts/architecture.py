"""Writes the tree of docs/tree.md from the first sentence of each module; `--check` only compares."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "tree.md"
BEGIN, END = "<!-- tree: begin -->", "<!-- tree: end -->"


def tree(package: Path) -> str:
    """One line a file, folders in the order of the pipeline, then by name."""
    lines = ["```text", "src/daybreak/"]
    for folder in [package, *sorted((p for p in package.rglob("*") if p.is_dir()), key=_order)]:
        if not any("__pycache__" not in path.parts for path in folder.rglob("*.*")):
            continue  # nothing but what Python, or a compiled template, left of a folder
        depth = len(folder.relative_to(package).parts)
        if folder != package:
            lines.append(f"{'  ' * depth}{folder.name}/")
        lines += [_line(path, depth + 1) for path in sorted(folder.iterdir()) if path.is_file()]
    return "\n".join([*lines, "```"])


STAGES = (
    "core",
    "collect",
    "store",
    "findings",
    "judge",
    "report",
    "prose",
    "deliver",
    "site",
    "upgrade",
    "runs",
    "serve",
    "cli",
    "verify",
    "demo",
)
"""Rooms in the order in which a day passes them."""


def _order(folder: Path) -> tuple[int, str]:
    first = folder.parts[len(ROOT.parts) + 2]
    return (STAGES.index(first) if first in STAGES else len(STAGES), str(folder))


def _line(path: Path, depth: int) -> str:
    return f"{'  ' * depth}{path.name:<{28 - 2 * depth}} {_says(path)}".rstrip()


def _says(path: Path) -> str:
    if path.suffix == ".py":
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        return " ".join(words.split("\n\n")[0].split())
    return {".toml": "data", ".json": "JSON Schema", "": ""}.get(path.suffix, "data")


def page() -> str:
    """The page with today's tree in it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{tree(ROOT / 'src' / 'daybreak')}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(page() != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page(), encoding="utf-8")
