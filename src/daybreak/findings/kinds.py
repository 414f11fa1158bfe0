"""Every kind of finding, with the surface it belongs to; a reader that yields another kind fails its test.

Verbs are the same everywhere: added, removed, renamed (old → new), moved (old place → new place), changed.
`told` is False for what is kept as data but never told as a sentence.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

SurfaceName = Literal[
    "python", "cli", "environment", "config", "server", "metrics", "operators", "cpp", "extension", "dependencies",
    "hardware", "models", "behaviour", "safe",
]  # fmt: skip


class Kind(NamedTuple):
    """What a finding kind is about."""

    surface: SurfaceName
    told: bool = True


KINDS: dict[str, Kind] = {
    # Python API
    "function_added": Kind("python"),
    "function_removed": Kind("python"),
    "function_renamed": Kind("python"),
    "function_moved": Kind("python"),
    "class_added": Kind("python"),
    "class_removed": Kind("python"),
    "class_renamed": Kind("python"),
    "class_moved": Kind("python"),
    "module_moved": Kind("python"),  # a mass move, one finding: symbol is the old module, before → after, count in text
    "module_removed": Kind("python"),
    "export_removed": Kind("python"),  # __all__ or a re-export of a package
    "export_added": Kind("python"),
    "base_removed": Kind("python"),
    "parameter_added": Kind("python"),
    "parameter_required_added": Kind("python"),
    "parameter_removed": Kind("python"),
    "parameter_renamed": Kind("python"),
    "parameter_moved": Kind("python"),
    "parameter_kind_changed": Kind("python"),
    "parameter_default_changed": Kind("python"),
    "annotation_changed": Kind("python", told=False),
    "return_changed": Kind("python", told=False),
    "attribute_added": Kind("python", told=False),
    "attribute_removed": Kind("python"),
    "attribute_changed": Kind("python"),  # a public module constant or class attribute with another value
    "enum_member_added": Kind("python"),
    "enum_member_removed": Kind("python"),
    "enum_member_changed": Kind("python"),
    "decorator_changed": Kind("python"),
    "exception_changed": Kind("python"),
    "deprecated": Kind("python"),
    "literal_widened": Kind("python"),
    "literal_narrowed": Kind("python"),
    # settings that projects declare as dataclass, pydantic or msgspec fields
    "field_added": Kind("config"),
    "field_removed": Kind("config"),
    "field_renamed": Kind("config"),
    "field_default_changed": Kind("config"),
    "field_required_added": Kind("config"),
    # command line
    "cli_flag_added": Kind("cli"),
    "cli_flag_removed": Kind("cli"),
    "cli_flag_renamed": Kind("cli"),
    "cli_flag_deprecated": Kind("cli"),
    "cli_default_changed": Kind("cli"),
    "cli_choices_changed": Kind("cli"),
    # environment
    "env_added": Kind("environment"),
    "env_removed": Kind("environment"),
    "env_renamed": Kind("environment"),
    "env_default_changed": Kind("environment"),
    "env_read_added": Kind("environment", told=False),
    "env_read_removed": Kind("environment"),  # declared, but no longer read, or only warned about
    # servers
    "route_added": Kind("server"),
    "route_removed": Kind("server"),
    "route_renamed": Kind("server"),
    "request_field_added": Kind("server"),
    "request_field_removed": Kind("server"),
    "request_field_default_changed": Kind("server"),
    "message_field_added": Kind("server"),  # gRPC / proto
    "message_field_removed": Kind("server"),
    "message_field_renumbered": Kind("server"),
    "metric_added": Kind("metrics"),
    "metric_removed": Kind("metrics"),
    "metric_renamed": Kind("metrics"),
    # operators, C, C++, CUDA
    "operator_added": Kind("operators"),
    "operator_removed": Kind("operators"),
    "operator_renamed": Kind("operators"),
    "operator_changed": Kind("operators"),
    "cpp_added": Kind("cpp", told=False),
    "cpp_removed": Kind("cpp"),
    "cpp_renamed": Kind("cpp"),
    "cpp_signature_changed": Kind("cpp"),
    "cpp_field_changed": Kind("cpp", told=False),
    "header_added": Kind("cpp", told=False),
    "header_removed": Kind("cpp"),  # a file that users include: whatever it declared, the `#include` fails
    "macro_removed": Kind("cpp"),
    "macro_changed": Kind("cpp"),
    "check_added": Kind("cpp"),
    "check_removed": Kind("cpp"),
    "check_changed": Kind("cpp"),
    # extension points
    "extension_method_added": Kind("extension"),  # abstract: every implementer must follow
    "extension_method_removed": Kind("extension"),
    "extension_method_renamed": Kind("extension"),
    "extension_method_changed": Kind("extension"),
    # dependencies and build
    "dependency_added": Kind("dependencies"),
    "dependency_removed": Kind("dependencies"),
    "dependency_changed": Kind("dependencies"),
    "pin_changed": Kind("dependencies"),
    "image_changed": Kind("dependencies", told=False),
    "source_changed": Kind("dependencies"),
    "submodule_changed": Kind("dependencies"),
    "version_changed": Kind("dependencies"),
    "python_required_changed": Kind("dependencies"),
    "toolchain_required_changed": Kind("dependencies"),  # CUDA, ROCm, CMake, PyTorch
    # hardware and registries
    "arch_added": Kind("hardware"),
    "arch_removed": Kind("hardware"),
    "model_added": Kind("models"),
    "model_removed": Kind("models"),
    "registry_added": Kind("models"),  # quantization method, attention backend, tool parser: symbol is `registry:name`
    "registry_removed": Kind("models"),
    # behaviour
    "guard_added": Kind("behaviour"),
    "guard_removed": Kind("behaviour"),
    "guard_changed": Kind("behaviour"),
    "switched_off": Kind("behaviour"),
    "switched_on": Kind("behaviour"),  # the mirror: code that stood there dead runs again
    "gate_added": Kind("behaviour"),  # what ran before now needs a new setting that is off by default
    "gate_removed": Kind("behaviour"),
    "dispatch_changed": Kind("behaviour"),
    "passing_default_changed": Kind("behaviour"),  # getattr(x, "k", D), cfg.get("k", D)
    "waiting_note_added": Kind("behaviour"),
    "waiting_note_removed": Kind("behaviour"),
    # what is safe
    "only_comments": Kind("safe"),
    "only_formatting": Kind("safe"),
    "only_types": Kind("safe"),
    "only_moved": Kind("safe"),
}
