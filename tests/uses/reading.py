"""What the tests of the readers share: the watched names, and uses in a short form."""

from __future__ import annotations

from daybreak.core.model.upgrade import Use
from daybreak.core.projects import wanted_for
from daybreak.upgrade.downstream.readers import uses

WANTED = wanted_for(
    ["vllm-project/vllm", "sgl-project/sglang", "NVIDIA/cutlass", "flashinfer-ai/flashinfer", "acme/lantern"],
    {"acme/lantern": '[project]\nname = "lantern"\n[project.scripts]\nlantern-serve = "lantern.server:main"\n'},
)


def read(path: str, text: str) -> list[Use]:
    return list(uses(path, text, WANTED))


def short(path: str, text: str, *kinds: str) -> list[str]:
    """Each use as `kind name=value@line`, without what a test does not ask about."""
    return [
        f"{use.kind} {use.name}{'' if use.value is None else '=' + use.value}@{use.line}"
        for use in read(path, text)
        if not kinds or use.kind in kinds
    ]
