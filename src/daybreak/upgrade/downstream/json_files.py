"""JSON files: dashboards, launch configurations, locks, settings, a model's config."""

from __future__ import annotations

from collections.abc import Iterator

from daybreak.core.projects import Unreadable, Wanted
from daybreak.upgrade.downstream.manifests import Manifest
from daybreak.upgrade.downstream.nodes import Node, Unclosed, json_tree
from daybreak.upgrade.downstream.readers import Found
from daybreak.upgrade.downstream.shell_commands import Embedded
from daybreak.upgrade.downstream.yaml import yaml_trees

_STRICT = (".json", ".jsonc", ".json5", ".lock")


def found(
    name: str, text: str, wanted: Wanted, embedded: Embedded | None = None, program: str | None = None
) -> Iterator[Found]:
    """What a JSON file uses; one that names nothing watched is not read further."""
    manifest = Manifest(f"{name}\n{text}", wanted, embedded, program)
    if not program and not manifest.mentions(text) and '"architectures"' not in text and not name.endswith(".lock"):
        return
    try:
        tree = json_tree(text)
    except Unclosed as error:
        if not name.endswith(_STRICT):  # a template of JSON
            yield from manifest.read(yaml_trees(text))
            return
        raise Unreadable(f"not JSON: {error}") from None
    yield from manifest.read([tree])
    yield from _locked(tree, wanted)
    architectures = tree.get("architectures")
    for one in architectures.items if architectures is not None else ():
        if one.text:
            yield Found("model", one.text, one.line)


def _locked(tree: Node, wanted: Wanted) -> Iterator[Found]:
    """Versions in Pipfile.lock."""
    for group in ("default", "develop"):
        packages = tree.get(group)
        for key, line, value in packages.pairs if packages is not None else ():
            version = value.get("version")
            if key in wanted.projects and version is not None:
                yield Found("pin", key, version.line, version.text)
            elif key in wanted.projects and value.text is not None:
                yield Found("pin", key, line, value.text)
