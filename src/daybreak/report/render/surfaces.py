"""Which part of a project a kind of finding is about, in the order an upgrade report tells them."""

from __future__ import annotations

from functools import lru_cache

SURFACES = (
    "python", "cli", "environment", "config", "server", "metrics", "operators", "extension", "dependencies",
    "hardware", "models", "behaviour",
)  # fmt: skip
"""Operators and C, C++, CUDA are one: who calls the one calls the other."""

_BY_BEGINNING: tuple[tuple[str, str], ...] = (
    ("cli_", "cli"),
    ("env_", "environment"),
    ("field_", "config"),
    ("route_", "server"),
    ("request_field_", "server"),
    ("message_field_", "server"),
    ("metric_", "metrics"),
    ("operator_", "operators"),
    ("cpp_", "operators"),
    ("header_", "operators"),
    ("macro_", "operators"),
    ("check_", "operators"),
    ("extension_method_", "extension"),
    ("dependency_", "dependencies"),
    ("pin_", "dependencies"),
    ("image_", "dependencies"),
    ("source_", "dependencies"),
    ("submodule_", "dependencies"),
    ("version_", "dependencies"),
    ("python_required_", "dependencies"),
    ("toolchain_required_", "dependencies"),
    ("arch_", "hardware"),
    ("model_", "models"),
    ("registry_", "models"),
    ("guard_", "behaviour"),
    ("gate_", "behaviour"),
    ("switched_", "behaviour"),
    ("dispatch_", "behaviour"),
    ("passing_default_", "behaviour"),
    ("waiting_note_", "behaviour"),
    ("only_", "safe"),
)

_UNTOLD = frozenset(
    {
        "annotation_changed", "return_changed", "attribute_added", "env_read_added", "cpp_added", "cpp_field_changed", "header_added",
        "image_changed", "waiting_note_added", "waiting_note_removed",
    }
)  # fmt: skip
_FELT = ("guard_", "gate_", "check_", "switched_", "dispatch_")


@lru_cache(maxsize=1024)
def surface_of(kind: str) -> str:
    """The surface of a finding kind; `safe` for what changes nothing, `python` for names of Python code."""
    return next((surface for start, surface in _BY_BEGINNING if kind.startswith(start)), "python")


def is_told(kind: str) -> bool:
    """Whether a page tells such a finding when it breaks nothing; the others are in the data only."""
    return kind not in _UNTOLD and surface_of(kind) != "safe"


def is_felt(kind: str) -> bool:
    """Whether it can be felt without calling anything new: defaults, deprecations, guards, dispatch."""
    return kind.endswith(("default_changed", "deprecated")) or kind.startswith(_FELT)
