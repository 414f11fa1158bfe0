"""Statements of a source are those of its whole tree, in the same order, without a look at what they are made of."""

from __future__ import annotations

import ast
import inspect
import textwrap

import daybreak.collect.git as room
from daybreak.collect.git.line_heads import statements_of
from daybreak.findings.languages.lost_imports import _bound

FORMS = """
import a
async def serve(x: int = 1, *rest):
    async with a as b, c:
        async for d in b:
            e = lambda: 1
        else:
            class F(a.B):
                g: int = 2
    try:
        match x:
            case [1, *_] if x:
                def h(): pass
            case _:
                raise
    except* ValueError as error:
        del error
    else:
        global k
    finally:
        while x:
            k = [i for i in rest]
        else: import z
"""


def test_they_are_those_of_the_whole_tree_in_its_order() -> None:
    sources = [FORMS, *(inspect.getsource(module) for module in vars(room).values() if inspect.ismodule(module))]
    for tree in map(ast.parse, sources):
        found = [node for node in statements_of(tree) if isinstance(node, ast.stmt)]
        assert found == [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def test_a_name_that_a_function_gives_its_module_is_bound_wherever_the_statement_stands() -> None:
    for row in (
        "global kept; kept = 1",
        "if 1: global kept",
        "pass; global kept",
        "global\\\n  kept",
        "\tglobal\tkept",
    ):
        body = textwrap.indent(row, " ") if not row.startswith("\t") else row
        bound = _bound(f'def give():\n{body}\n\n\ndef told():\n    """Its global state."""\n')
        assert bound is not None
        assert "kept" in bound
