"""What the watched repositories are called in other people's files: packages, variables, programs, images.

Of a project with a profile it says what they are; those of any other are derived from its name and, where its text is at
hand, from its pyproject.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.profiles import Names, profile_of
from daybreak.core.versions import normalised

# --- What every reader of your files takes and gives: which names are looked for, and the uses found ---
# A reader is a function `uses(path: str, text: str, wanted: Wanted) -> Iterator[Use]`. It never raises on any text
# (except `Unreadable` for a file that is not what its name says), takes linear time, and keeps the file's order.


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
    extensions: Mapping[str, str] = field(default_factory=dict)
    """Setting that names a class of yours by a string -> upstream class that gets its methods."""
    repositories: Mapping[str, str] = field(default_factory=dict)
    """Lower-case OWNER/NAME -> watched repository, for requirements on a git address and submodules."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Image or lower-case OWNER/NAME -> distribution whose version its tag is (`vllm/vllm-openai` -> `vllm`)."""
    releases: frozenset[str] = frozenset()
    """Distributions whose version is a tag of the repository; others (`sgl-kernel`) count on their own."""
    launchers: Mapping[str, str] = field(default_factory=dict)
    """Programs, scripts and modules that hand their options on -> the watched program that gets them."""
    lost: frozenset[str] = frozenset()
    """Names that the watched projects took away: looked for on objects of unknown classes, too."""

    @property
    def released(self) -> dict[str, str]:
        """Distribution -> watched repository, where a version of the one is a tag of the other."""
        return {name: repo for name, repo in self.projects.items() if name in self.releases}


def with_launchers(wanted: Wanted, launchers: Mapping[str, str]) -> Wanted:
    """The same with programs and images of the reader's own, as far as they start something that is watched."""
    known = {name.strip(): target.strip() for name, target in launchers.items() if _starts(target.strip(), wanted)}
    images = {name: target for name, target in known.items() if "/" in name}
    names = {name.rpartition("/")[2] for name in known}
    return replace(
        wanted,
        programs=wanted.programs | names,
        images={**images, **wanted.images},
        sources={**dict.fromkeys(images, ""), **wanted.sources},
        launchers={**{name.rpartition("/")[2]: target for name, target in known.items()}, **known},
    )


def _starts(target: str, wanted: Wanted) -> bool:
    module = target.removeprefix("python -m ")
    first = module.partition(" ")[0].partition(".")[0]
    return first in (wanted.packages if module != target else wanted.programs)


def shown(line: str) -> str:
    """A line as a use keeps it."""
    return line.strip()[:TEXT_MOST]


_LISTS = ("packages", "variables", "namespaces", "programs", "headers", "scopes", "macros")
_AFFIX = re.compile(r"^(?:python|py)[-_.]|[-_.](?:python|py)$")
_WORD = re.compile(r"[A-Za-z_][\w.]{0,100}")


def wanted_for(repos: Iterable[str], pyprojects: Mapping[str, str] | None = None) -> Wanted:
    """What to look for, given OWNER/NAME of each watched repository and the text of its pyproject.toml if known."""
    rows: dict[str, Names] = {}
    for repo in dict.fromkeys(repos):
        known = profile_of(repo)
        rows[repo] = known.names if known.repo else _derived(repo, (pyprojects or {}).get(repo, ""))
    lists = {part: frozenset(item for row in rows.values() for item in getattr(row, part)) for part in _LISTS}
    return Wanted(
        **lists,
        metrics=frozenset(f"{one[:-1]}_" for one in lists["namespaces"] if one.endswith(":") and "." not in one),
        projects={one: repo for repo, row in rows.items() for one in (*row.distributions, *row.parts)},
        images={image: program for row in rows.values() for image, program in row.images.items()},
        settings={p: frozenset(keys) for row in rows.values() for p, keys in row.settings.items()},
        extensions={key: path for row in rows.values() for key, path in row.extensions.items()},
        repositories={repo.lower(): repo for repo in rows},
        sources={one: row.distributions[0] for repo, row in rows.items() for one in (*row.images, repo.lower())},
        releases=frozenset(one for row in rows.values() for one in row.distributions),
        launchers={},
    )


def packages_of(repo: str) -> tuple[str, ...]:
    """Distributions of a repository that is written down, the main one first; none for any other."""
    return profile_of(repo).names.distributions


def _derived(repo: str, pyproject: str) -> Names:
    """A repository that nobody wrote down: `acme/some-lib` is taken for `some_lib`, unless its own file says more."""
    told = _pyproject(pyproject)
    project = _table_of(told, "project")
    name = project.get("name")
    bare = repo.rpartition("/")[2]
    distribution = normalised(name if isinstance(name, str) and name else _AFFIX.sub("", bare) or bare)
    package = distribution.replace("-", "_")
    packages = tuple(_packages(told)) or (package,)
    scripts = _table_of(project, "scripts")
    return Names(
        packages=packages,
        distributions=(distribution,),
        variables=tuple(sorted({f"{one.rpartition('.')[2].upper()}_" for one in (package, *packages)})),
        namespaces=(*packages, *(f"{one}:" for one in packages)),
        programs=tuple(sorted(str(one) for one in scripts)) or (distribution, f"{distribution}-serve"),
        images={repo.lower(): str(next(iter(scripts))) if len(scripts) == 1 else ""},
        headers=packages,
        scopes=packages,
        macros=tuple(f"{one.upper()}_" for one in packages),
    )


def _pyproject(text: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):  # another project's file: what it does not say is guessed
        return {}


def _table_of(told: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        inner = told.get(key)
        if not isinstance(inner, dict):
            return {}
        told = inner
    return told


def _packages(told: Mapping[str, Any]) -> list[str]:
    """Import names a pyproject.toml names outright: scripts, build tools' lists of packages."""
    found: list[str] = []
    scripts = _table_of(told, "project", "scripts")
    found += [str(target).partition(":")[0].partition(".")[0] for target in scripts.values()]
    listed = _table_of(told, "tool", "setuptools").get("packages")
    found += [str(one).partition(".")[0] for one in listed] if isinstance(listed, list) else []
    wheel = _table_of(told, "tool", "hatch", "build", "targets", "wheel").get("packages")
    found += [str(one).rpartition("/")[2] for one in wheel] if isinstance(wheel, list) else []
    poetry = _table_of(told, "tool", "poetry").get("packages")
    for one in poetry if isinstance(poetry, list) else ():
        found += [str(one["include"])] if isinstance(one, dict) and "include" in one else []
    return sorted({one for one in found if _WORD.fullmatch(one) and one not in ("tests", "test", "src")})
