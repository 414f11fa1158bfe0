"""YAML files and templates: manifests, charts, compose files, workflows, rules, settings."""

from __future__ import annotations

from collections.abc import Iterator

from daybreak.uses.found import Found
from daybreak.uses.interface import Wanted
from daybreak.uses.manifests import Manifest
from daybreak.uses.shell_commands import Embedded
from daybreak.uses.yaml_nodes import yaml_trees


def found(
    name: str, text: str, wanted: Wanted, embedded: Embedded | None = None, program: str | None = None
) -> Iterator[Found]:
    """What a YAML file uses; `program` when it is known that its keys are that program's settings."""
    manifest = Manifest(f"{name}\n{text}", wanted, embedded, program)
    yield from manifest.read(yaml_trees(text))
