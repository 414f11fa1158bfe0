"""Real Python sources: the standard library, our own code and the demo's upstreams; what is installed for long runs."""

from __future__ import annotations

import ast
import sysconfig
import tomllib
import warnings
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

LARGEST = 60_000
_ASIDE = ("test", "tests", "testing", "idlelib", "lib2to3", "__pycache__", "_vendor", "turtledemo")
_INSTALLED = ("site-packages", "dist-packages")
_OURS = Path(__file__).resolve().parents[2] / "src" / "daybreak"


@cache
def sources(installed: bool = False) -> dict[str, str]:
    """Name and text of each file; only with what is installed do they depend on more than the version of Python."""
    roots = {"stdlib": Path(sysconfig.get_path("stdlib")), "daybreak": _OURS}
    if installed:
        roots["site-packages"] = Path(sysconfig.get_path("purelib"))
    found = [(f"{name}/{path.relative_to(root)}", path) for name, root in roots.items() for path in root.rglob("*.py")]
    texts = {name: _text(path) for name, path in sorted(found) if not _aside(name)}
    texts |= dict(_demo())
    return {name: text for name, text in texts.items() if text and len(text) <= LARGEST}


def drawn(seed: str, sources: dict[str, str]) -> list[str]:
    """The names in an order by chance in which each has its place by itself: a file more or less moves no other."""
    return sorted(sources, key=lambda name: sha256(f"{seed} {name}".encode()).digest())


def _aside(name: str) -> bool:
    parts = name.split("/")[1:]
    return any(part in _ASIDE or part in _INSTALLED or part.startswith("test_") for part in parts)


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
def parsed(text: str) -> ast.Module | None:
    """The syntax tree of a text; None for one that this Python does not read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
