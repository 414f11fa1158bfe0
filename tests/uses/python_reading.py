"""What the tests of the Python reader share: the watched names, and a case as a source with all its uses."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import pytest

from daybreak.core.model.upgrade import Use
from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream.python import uses

WANTED = Wanted(
    packages=frozenset({"vllm", "sgl_kernel", "cuda.tile"}),
    variables=frozenset({"VLLM_"}),
    namespaces=frozenset({"_C", "vllm", "sgl_kernel", "vllm:"}),
    programs=frozenset({"vllm"}),
    projects={"vllm": "vllm-project/vllm"},
    images={"vllm/vllm-openai": "vllm serve"},
    sources={"vllm/vllm-openai": "vllm"},
    settings={"vllm serve": frozenset({"tensor-parallel-size", "max-model-len"})},
)


def told(use: Use) -> str:
    """A use as one line: `12 call vllm.LLM(model, n) 1 =value @program ?` with `?` for guarded or on a condition."""
    words = f"{use.line} {use.kind} {use.name}"
    if use.kind in ("call", "override", "operator") and (use.keywords or use.positional is not None):
        words += f"({', '.join(use.keywords)}) {use.positional}"
    words += f" ={use.value}" if use.value is not None else ""
    words += f" @{use.program}" if use.program else ""
    return words + (" ?" if use.guarded or use.when else "")


def found(source: str) -> list[str]:
    return [told(use) for use in uses("app.py", textwrap.dedent(source).lstrip("\n"), WANTED)]


def check(source: str, expected: str) -> None:
    lines = [line.strip() for line in expected.strip().splitlines() if line.strip()]
    assert sorted(found(source)) == sorted(lines)


def table(**groups: Mapping[str, tuple[str, str]]) -> list[Any]:
    """Every case of the groups under its name."""
    return [
        pytest.param(*case, id=f"{group}: {name}") for group, cases in groups.items() for name, case in cases.items()
    ]
