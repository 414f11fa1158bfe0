"""Names as users type them: dotted Python names of findings, and how a use's name meets one.

A finding knows its file and its name inside it; a user may import the name from there, or from a package above it that
hands the name on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from daybreak.core.model.findings import Finding
from daybreak.findings.kinds import ANOTHER_NAME, kind_of

Meeting = Literal["exact", "inside", "handed"]
"""exact: the very name; inside: something below it; handed: through a package that hands it on."""

_ASIDE = frozenset({"tests", "test", "docs", "benchmarks", "examples", "tools", ".github", ".buildkite"})
_SYMBOL = re.compile(r"([\w.]{1,400})(?:\((\**\w{1,200})\))?")
_COUNTED = re.compile(r" \(\d[^()]{0,60}\)$")
_COMMON = frozenset(
    {
        "add", "apply", "args", "attention", "base", "build", "cache", "call", "check", "cleanup", "client",
        "close", "config", "context", "core", "create", "data", "decode", "default", "device", "dtype", "encode",
        "engine", "execute", "executor", "exit", "forward", "generate", "get", "handle", "helper", "id", "index",
        "info", "init", "input", "inputs", "install", "item", "items", "kernel", "key", "kind", "layer", "layers",
        "linear", "list", "load", "loader", "log", "logger", "main", "manager", "mapping", "max", "meta",
        "metadata", "metrics", "min", "mode", "model", "models", "module", "name", "names", "new", "node", "op",
        "open", "ops", "options", "output", "outputs", "params", "parse", "parser", "path", "plan", "platform",
        "prepare", "process", "profile", "quantize", "register", "release", "request", "reset", "response",
        "result", "run", "save", "scheduler", "send", "server", "session", "set", "setup", "shape", "size", "start",
        "state", "stats", "status", "step", "stop", "task", "tokenizer", "tool", "train", "type", "types", "update",
        "utils", "value", "version", "weight", "worker", "wrapper", "write",
    }
)  # fmt: skip
"""Names that several modules of one package may well have."""


class Address(Struct, frozen=True):
    """Where a finding's name stands for whoever uses it."""

    module: tuple[str, ...]
    """Dotted parts when the finding tells them; else the parts of its path, roots such as `python/` included."""
    symbol: tuple[str, ...]
    """Name inside the module; a constructor is its class. Empty for a module."""
    parameter: str | None = None
    dotted: bool = False
    """`module` is a dotted name already."""

    @property
    def last(self) -> str:
        return self.symbol[-1] if self.symbol else self.module[-1] if self.module else ""

    def under(self, top: str) -> tuple[str, ...] | None:
        """The module's dotted parts seen from its top-level package; None when that is not on its way."""
        if self.dotted:
            return self.module if self.module[:1] == (top,) else None
        for number, part in enumerate(self.module[:5]):
            if part == top:
                return self.module[number:]
            if part in _ASIDE:
                return None
        return None


def address(finding: Finding) -> Address | None:
    """Where users find what the finding is about, before the change; None when it cannot be told."""
    kind, before = kind_of(finding.kind), finding.before or ""
    if kind.family == "module":
        name = _COUNTED.sub("", finding.symbol if kind.change == "removed" else before or finding.symbol)
        return Address(tuple(name.removesuffix(".*").split(".")), (), dotted=True) if name else None
    if kind.means("export", "removed"):
        module, _, name = finding.symbol.rpartition(".")
        return Address(tuple(module.split(".")), (name,), dotted=True) if module else None
    found = _SYMBOL.fullmatch(finding.symbol)
    if found is None:
        return None
    if kind.means("message_field", "removed"):
        # What is generated from `a/b.proto` is imported as `a.b_pb2`.
        parts = path_parts(finding.path)
        return Address((*parts[:-1], f"{parts[-1]}_pb2"), tuple(found[1].split("."))[-2:]) if parts else None
    symbol = _without_constructor(tuple(found[1].split(".")))
    if kind.change in ANOTHER_NAME and _is_dotted(before, symbol):
        parts = tuple(before.split("."))
        return Address(parts[: -len(symbol)], symbol, dotted=True)
    if kind.change == "renamed" and found[2] is None and before and before.replace(".", "").isidentifier():
        symbol = tuple(before.split(".")) if "." in before else (*symbol[:-1], before)
    return Address(path_parts(finding.path), symbol, found[2])


def _is_dotted(before: str, symbol: Sequence[str]) -> bool:
    """`before` is the whole old name and not just the name inside its module."""
    parts = before.split(".")
    return (
        len(parts) > len(symbol) and tuple(parts[-len(symbol) :]) == tuple(symbol) and all(map(str.isidentifier, parts))
    )


def _without_constructor(symbol: tuple[str, ...]) -> tuple[str, ...]:
    return symbol[:-1] if len(symbol) > 1 and symbol[-1] in ("__init__", "__new__", "__post_init__") else symbol


def path_parts(path: str) -> tuple[str, ...]:
    """`python/sglang/srt/x.py` → python, sglang, srt, x; a package's own file is the package."""
    bare = path.rpartition(".")[0] if "." in path.rpartition("/")[2] else path
    parts = tuple(part for part in bare.split("/") if part)
    return parts[:-1] if parts and parts[-1] in ("__init__", "__main__") else parts


def package_of(path: str, known: Sequence[str] = ()) -> str:
    """The top-level package that holds a file: past roots such as `python/` and `src/`."""
    parts = path_parts(path)
    for part in parts[:4]:
        if part in known:
            return part
    for number, part in enumerate(parts[:-1]):
        if part in ("python", "src", "py_src", "lib"):
            return parts[number + 1]
    return parts[0] if parts else ""


def meets(name: Sequence[str], where: Address) -> Meeting | None:
    """How a used dotted name meets a finding's."""
    module = where.under(name[0]) if name else None
    if module is None:
        return None
    full = (*module, *where.symbol)
    if tuple(name[: len(full)]) == full:
        return "exact" if len(name) == len(full) else "inside"
    size = len(where.symbol)
    # Shortest head first: a package hands names on far more often than a module further down.
    for head in range(1, min(len(module), len(name) - size + 1)) if size else ():
        if tuple(name[:head]) != module[:head]:
            return None
        if tuple(name[head : head + size]) == where.symbol:
            return "handed"
    return None


def rest_of(name: Sequence[str], where: Address) -> int:
    """How many parts of the used name come after the finding's."""
    module = where.under(name[0]) or ()
    full = (*module, *where.symbol)
    if tuple(name[: len(full)]) == full:
        return len(name) - len(full)
    size = len(where.symbol)
    head = next((n for n in range(1, len(name)) if tuple(name[n : n + size]) == where.symbol), 0)
    return len(name) - head - size


def distinctive(where: Address) -> bool:
    """Hardly two modules of a package have the name."""
    first = where.symbol[0] if where.symbol else ""
    return len(first) > 2 and first.lower() not in _COMMON
