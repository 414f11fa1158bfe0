"""What the code cells of a notebook use, and on which line of the file."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.core.projects import Unreadable, Wanted
from daybreak.upgrade.downstream.python import notebook_uses
from daybreak.upgrade.downstream.readers import lines_of

WANTED = Wanted(
    packages=frozenset({"vllm"}),
    variables=frozenset({"VLLM_"}),
    programs=frozenset({"vllm"}),
    projects={"vllm": "vllm-project/vllm"},
)


def code(*lines: str) -> dict[str, Any]:
    return {"cell_type": "code", "source": [f"{line}\n" for line in lines[:-1]] + list(lines[-1:])}


def notebook(*cells: dict[str, Any], indent: int | None = 1) -> str:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4}, indent=indent)


def told(text: str) -> list[str]:
    """`kind name`, and the source line found at the use's line."""
    lines = lines_of(text)
    found = list(notebook_uses("a.ipynb", text, WANTED))
    assert all(use.text == lines[use.line - 1].strip()[:200] for use in found)
    return [f"{use.kind} {use.name} | {json.loads(use.text.removesuffix(',')).strip()}" for use in found]


def test_cells_are_one_program_and_lines_are_those_of_the_file() -> None:
    text = notebook(
        code("from vllm import LLM", "x = 1"),
        {"cell_type": "markdown", "source": ["from vllm import Nothing"]},
        code("x = 1", "llm = LLM('ü')"),
        code("x = 1", "await llm.generate(n=2)"),
    )
    assert told(text) == [
        "import vllm.LLM | from vllm import LLM",
        "call vllm.LLM | llm = LLM('ü')",
        "call vllm.LLM.generate | await llm.generate(n=2)",
    ]


def test_commands_and_magics() -> None:
    text = notebook(
        code("%pip install vllm==0.9.1", "%env VLLM_A=1", "%matplotlib inline", "import vllm"),
        code("if go:", "    !vllm serve m \\", "      --dtype half", "    vllm.f()"),
        code("out = !vllm serve --seed 1", "out.x", "vllm.help?", "vllm.g"),
        code("%%bash", "vllm serve --port 2"),
        code("%%time", "vllm.h()"),
        code("%%html", "import vllm.no"),
    )
    assert told(text) == [
        "pin vllm | %pip install vllm==0.9.1",
        "env VLLM_A | %env VLLM_A=1",
        "import vllm | import vllm",
        "cli_flag --dtype | --dtype half",
        "call vllm.f | vllm.f()",
        "cli_flag --seed | out = !vllm serve --seed 1",
        "attribute vllm.g | vllm.g",
        "cli_flag --port | vllm serve --port 2",
        "call vllm.h | vllm.h()",
    ]


def test_a_cell_that_is_not_python_is_named_after_the_uses_of_the_others() -> None:
    reading = notebook_uses("a.ipynb", notebook(code("import vllm"), code("def ("), code("vllm.f()")), WANTED)
    assert [next(reading).name, next(reading).name] == ["vllm", "vllm.f"]
    with pytest.raises(Unreadable, match="a cell is not readable by this Python"):
        next(reading)


def test_a_notebook_on_one_line_and_one_of_the_old_format() -> None:
    (use,) = notebook_uses("a.ipynb", notebook(code("import vllm"), indent=None), WANTED)
    assert (use.line, use.name) == (1, "vllm")
    cell = {"cell_type": "code", "input": "import vllm\n"}
    (use,) = notebook_uses("a.ipynb", json.dumps({"worksheets": [{"cells": [cell]}]}), WANTED)
    assert use.name == "vllm"


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "{}", '{"cells": 3}', "[" * 100_000, '"\\ud800"'])
def test_what_is_no_notebook_is_named_in_a_few_words(text: str) -> None:
    with pytest.raises(Unreadable, match=r"^not (?:JSON|a notebook)$"):
        list(notebook_uses("a.ipynb", text, WANTED))


CELLS = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", 3])},
    optional={
        "source": st.lists(
            st.sampled_from(["import vllm\n", "!vllm serve --x\n", "%%bash\n", "\r", "vllm.f()"]) | st.text()
        )
        | st.text()
        | st.none()
    },
)


@settings(max_examples=100, deadline=None)
@given(st.lists(CELLS, max_size=4), st.sampled_from([None, 1]))
def test_any_cells_give_uses_whose_lines_exist(cells: list[dict[str, Any]], indent: int | None) -> None:
    text = notebook(*cells, indent=indent)
    lines = lines_of(text)
    with suppress(Unreadable):
        for use in notebook_uses("a.ipynb", text, WANTED):
            assert use.text == lines[use.line - 1].strip()[:200]
