"""The JSON Schema of a report, made from the value that a report is encoded from.

Run by `make docs`; a test holds the file to it. Descriptions are the texts below the fields in `core/model/day*.py`. A field
is required when every report of `daybreak.report/1` has it: it has no default, or an `always` one.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import FieldInfo

from daybreak.core.model import day
from daybreak.core.model.part import EvidenceId, Part, Sha, Text, Time, Written

FILE = Path(__file__).resolve().parent.parent / "src" / "daybreak" / "report" / "render" / "report.schema.json"
_NAMES = {"RepoDay": "repo"}
"""Definitions are named as they were before there was a class for each."""
_PLAIN = {"evidence_id": EvidenceId, "sha": Sha, "text": Text, "time": Time}
"""Types without fields that have a definition of their own."""


def report_schema() -> dict[str, Any]:
    """The schema, its definitions in the order of their names."""
    _, found = msgspec.json.schema_components([day.Day], ref_template="#/$defs/{name}")
    known = {name: one for name in found if issubclass(one := getattr(day, name), Part)}
    made = {_name(name): _definition(found[name], one) for name, one in known.items()}
    made |= {name: _plain(kind) for name, kind in _PLAIN.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://daybreak.invalid/report.schema.json",
        "title": day.SCHEMA,
        **made.pop("day"),
        "$defs": dict(sorted(made.items())),
    }


def _definition(schema: dict[str, Any], part: type[Part]) -> dict[str, Any]:
    about = _descriptions(part)
    fields = [one for one in msgspec.structs.fields(part) if one.encode_name[0] != "_"]  # `unwritten` are not in it
    return {
        "type": "object",
        "description": schema["description"],
        "properties": {
            one.encode_name: _property(schema["properties"][one.encode_name], one, about.get(one.name))
            for one in fields
        },
        "required": [one.encode_name for one in fields if _is_required(one)],
    }


def _is_required(one: FieldInfo) -> bool:
    factory = one.default_factory
    return factory.required if isinstance(factory, Written) else one.required


def _property(schema: dict[str, Any], one: FieldInfo, about: str | None) -> dict[str, Any]:
    """One field; what is left out of a report when it is nothing is never null."""
    schema = {key: value for key, value in schema.items() if key != "default"}
    branches = [branch for branch in schema.get("anyOf", ()) if branch != {"type": "null"}]
    if one.default is None and len(branches) == 1:
        schema = branches[0]
    return {**_renamed(schema), **({"description": about} if about else {})}


def _plain(kind: Any) -> dict[str, Any]:
    """Without the format of times: their offsets may have seconds, which it forbids."""
    return {key: value for key, value in msgspec.json.schema(kind).items() if key != "format"}


def _renamed(schema: Any) -> Any:
    """With references to the definitions, under their names here."""
    if isinstance(schema, list):
        return [_renamed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: value for key, value in schema.items() if key != "format"}
    shared = next((name for name, kind in _PLAIN.items() if plain == _plain(kind)), None)
    if shared:
        return {"$ref": f"#/$defs/{shared}"}
    if "$ref" in schema:
        return schema | {"$ref": f"#/$defs/{_name(schema['$ref'].rpartition('/')[2])}"}
    return {key: _renamed(value) for key, value in schema.items()}


def _name(name: str) -> str:
    return _NAMES.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _descriptions(part: type[Part]) -> dict[str, str]:
    """Field -> the text below it, also of those that a class has from another."""
    found: dict[str, str] = {}
    for one in reversed(part.__mro__[:-1]):
        if issubclass(one, Part):
            (node,) = ast.parse(textwrap.dedent(inspect.getsource(one))).body
            assert isinstance(node, ast.ClassDef)
            for field, below in zip(node.body, node.body[1:], strict=False):
                match field, below:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as text)):
                        found[name] = text
    return found


def written() -> str:
    """The file's text."""
    return json.dumps(report_schema(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
