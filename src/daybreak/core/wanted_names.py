"""What every reader of your files takes and gives: which names are looked for, and the uses found.

A reader is a function `uses(path: str, text: str, wanted: Wanted) -> Iterator[Use]`. It never raises on any text
(except `Unreadable` for a file that is not what its name says), takes linear time, and keeps the file's order.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

FAULTS = (ValueError, MemoryError, RecursionError, IndexError, KeyError, TypeError, AttributeError, AssertionError)
"""What a fault of ours may raise on a file nobody thought of: it must not cost the user the other files."""
TEXT_MOST = 200
"""Characters of a line that are kept."""


class Unreadable(ValueError):
    """The file is not what its name says; the message is the reason to show, the rest of the tree goes on."""


class Wanted(Struct, frozen=True):
    """Names of the watched projects, by the places where your files write them."""

    packages: frozenset[str] = frozenset()
    """Import names: `vllm`, `sgl_kernel`, `flash_attn`; with a dot where the first part is shared (`cuda.tile`)."""
    variables: frozenset[str] = frozenset()
    """Prefixes of environment variables: `VLLM_`."""
    namespaces: frozenset[str] = frozenset()
    """`torch.ops` namespaces (`_C`, `sgl_kernel`) and metric prefixes with their colon (`vllm:`)."""
    metrics: frozenset[str] = frozenset()
    """Metric prefixes that are joined by an underscore: `lantern_`."""
    programs: frozenset[str] = frozenset()
    """Console scripts: `vllm`. `python -m MODULE` counts for every module of `packages`."""
    projects: Mapping[str, str] = field(default_factory=dict)
    """Distribution on PyPI, normalised (`flash-attn`) -> watched repository."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Container image without registry and tag (`vllm/vllm-openai`) -> program its arguments go to ("" for none)."""
    headers: frozenset[str] = frozenset()
    """First folder of included headers: `cutlass`."""
    scopes: frozenset[str] = frozenset()
    """Outermost C++ namespaces: `cute`."""
    macros: frozenset[str] = frozenset()
    """Prefixes of C macros: `CUTLASS_`."""
    settings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Program -> some of its flag names without dashes, by which a file of settings is known."""
    repositories: Mapping[str, str] = field(default_factory=dict)
    """Lower-case OWNER/NAME -> watched repository, for requirements on a git address and submodules."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Image or lower-case OWNER/NAME -> distribution whose version its tag is (`vllm/vllm-openai` -> `vllm`)."""
    releases: frozenset[str] = frozenset()
    """Distributions whose version is a tag of the repository; others (`sgl-kernel`) count on their own."""

    @property
    def released(self) -> dict[str, str]:
        """Distribution -> watched repository, where a version of the one is a tag of the other."""
        return {name: repo for name, repo in self.projects.items() if name in self.releases}


def shown(line: str) -> str:
    """A line as a use keeps it."""
    return line.strip()[:TEXT_MOST]
