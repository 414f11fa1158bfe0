"""What each kind of finding means, as one English sentence: the rules of `daybreak impact` as SARIF."""

from __future__ import annotations

from collections.abc import Iterator

_ABOUT = {
    "arch": "support for a hardware architecture",
    "annotation": "a type annotation",
    "attribute": "a public attribute or constant",
    "base": "a base class",
    "check": "a check in native code",
    "class": "a Python class",
    "cli": "a command line option",
    "cli_flag": "a command line option",
    "cpp": "a C++ or CUDA name",
    "cpp_field": "a member of a C++ or CUDA type",
    "cpp_signature": "the signature of a C++ or CUDA function",
    "decorator": "a decorator",
    "dependency": "a dependency",
    "dispatch": "the choice between implementations",
    "enum_member": "an enum member",
    "env": "an environment variable",
    "env_read": "a place that reads an environment variable",
    "exception": "an exception that is raised",
    "export": "a name that a package exports",
    "extension_method": "a method that implementers provide",
    "field": "a configuration field",
    "function": "a Python function",
    "gate": "a setting that must be on for something to run",
    "guard": "a condition that input or settings must meet",
    "header": "a header file",
    "image": "a base image",
    "macro": "a macro",
    "message_field": "a field of a message",
    "metric": "a metric",
    "model": "support for a model",
    "module": "a Python module",
    "operator": "a custom operator",
    "parameter": "a function's parameter",
    "passing": "a value that is looked up",
    "pin": "a pinned version",
    "python_required": "the required Python version",
    "registry": "a registered name",
    "request_field": "a field of a server's request",
    "return": "what a function returns",
    "route": "a server route",
    "source": "a source that is fetched",
    "submodule": "a submodule",
    "toolchain_required": "the required toolchain version",
    "version": "the project's version",
    "waiting_note": "a note about work that is pending",
}
"""First words of a kind -> what it is about."""
_BECAME = {
    "required_added": "{about} that must be given was added",
    "default_changed": "the default of {about} changed",
    "added": "{about} was added",
    "removed": "{about} was removed",
    "renamed": "{about} was renamed",
    "moved": "{about} was moved",
    "changed": "{about} changed",
    "deprecated": "{about} was deprecated",
    "renumbered": "{about} was renumbered",
}
"""Last words of a kind -> what became of it; longer ones first."""
_ALONE = {
    "cli_choices_changed": "a command line option's accepted values changed",
    "deprecated": "a Python name was deprecated",
    "literal_narrowed": "a parameter accepts fewer literal values",
    "literal_widened": "a parameter accepts more literal values",
    "only_comments": "only comments changed",
    "only_formatting": "only the formatting changed",
    "only_moved": "code only moved",
    "only_types": "only type annotations changed",
    "parameter_kind_changed": "the way in which a function's parameter may be passed changed",
    "switched_off": "code that ran was switched off",
    "switched_on": "code that did not run was switched on",
}


def rule_text(kind: str) -> str:
    """One sentence; a kind that is newer than these tables is told by its own words."""
    said = _ALONE.get(kind) or next(_made(kind), kind.replace("_", " "))
    return f"{said[:1].upper()}{said[1:]}."


def _made(kind: str) -> Iterator[str]:
    for verb, sentence in _BECAME.items():
        about = _ABOUT.get(kind.removesuffix(f"_{verb}"))
        if about is not None:
            yield sentence.format(about=about)
