"""The JSON Schema of `daybreak.toml`, made from the typed config: editors complete and check the file by it.

Run by `make docs`; a test holds the file to it. Descriptions are the texts below the fields in `core/config`.
"""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from pathlib import Path
from typing import Any

import msgspec

from daybreak.core import config
from daybreak.core.config import sections

FILE = Path(__file__).resolve().parent.parent / "src" / "daybreak" / "core" / "config" / "daybreak.schema.json"


def config_schema() -> dict[str, Any]:
    """All of the file; an unknown key is a mistake."""
    _, found = msgspec.json.schema_components([config.Config], ref_template="#/$defs/{name}")
    made = {name: _with_texts(schema, name) for name, schema in sorted(found.items())}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "daybreak.toml",
        **made.pop("Config"),
        "$defs": made,
    }


def _with_texts(schema: dict[str, Any], name: str) -> dict[str, Any]:
    texts = _texts(getattr(config, name, None) or getattr(sections, name))
    fields = {
        key: {**one, **({"description": texts[key]} if key in texts else {})}
        for key, one in schema["properties"].items()
    }
    return {**schema, "properties": fields}


def _texts(part: type) -> dict[str, str]:
    """Field -> the text below it."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(part))).body
    assert isinstance(node, ast.ClassDef)
    found: dict[str, str] = {}
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as text)):
                found[name] = " ".join(text.split())
    return found


def written() -> str:
    """The file's text."""
    return json.dumps(config_schema(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
