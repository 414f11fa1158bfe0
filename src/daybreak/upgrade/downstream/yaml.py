"""YAML files and templates: manifests, charts, compose files, workflows, rules, settings."""

from __future__ import annotations

from collections.abc import Iterator

from daybreak.core.wanted_names import Wanted
from daybreak.upgrade.downstream.manifests import Manifest
from daybreak.upgrade.downstream.shell_commands import Embedded
from daybreak.upgrade.downstream.use import Found
from daybreak.upgrade.downstream.yaml_nodes import yaml_trees


def found(
    name: str, text: str, wanted: Wanted, embedded: Embedded | None = None, program: str | None = None
) -> Iterator[Found]:
    """What a YAML file uses; `program` when it is known that its keys are that program's settings."""
    manifest = Manifest(f"{name}\n{text}", wanted, embedded, program)
    yield from manifest.read(yaml_trees(text))
