"""Real Python sources: the standard library, what is installed, our own code and the demo's upstreams."""

from __future__ import annotations

import ast
import sysconfig
import tomllib
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LARGEST = 60_000
_ASIDE = ("test", "tests", "testing", "idlelib", "lib2to3", "site-packages", "__pycache__", "_vendor", "turtledemo")
_OURS = Path(__file__).resolve().parents[2] / "src" / "daybreak"


@cache
def sources() -> tuple[tuple[str, str], ...]:
    """Name and text of each file, in an order that does not depend on the machine's folders."""
    roots = (Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib")), _OURS)
    found = [(f"{root.name}/{path.relative_to(root)}", path) for root in roots for path in root.rglob("*.py")]
    texts = {name: _text(path) for name, path in sorted(found) if not _aside(name)}
    texts |= dict(_demo())
    return tuple((name, text) for name, text in texts.items() if text and len(text) <= LARGEST)


def _aside(name: str) -> bool:
    return any(part in _ASIDE or part.startswith("test_") for part in name.split("/")[1:])


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return ""


def _demo() -> Iterator[tuple[str, str]]:
    for upstream in sorted((_OURS / "demo" / "upstreams").glob("*.toml")):
        for commit in tomllib.loads(upstream.read_text(encoding="utf-8"))["commit"]:
            for path, text in commit.get("write", {}).items():
                if path.endswith(".py") and isinstance(text, str):
                    yield f"{upstream.stem}/{path}", text


@cache
def parsed(name: str) -> ast.Module | None:
    """The file's syntax tree; None for one that this Python does not read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(dict(sources())[name])
        except (SyntaxError, ValueError, RecursionError):
            return None
