"""Own code of a reader: which repositories it builds on and what it runs on, read from pins, images, imports and manifests."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from daybreak.core.model.upgrade import Use
from daybreak.core.profiles import Profile, profiles
from daybreak.core.projects import normalised, wanted_for

MOST_FILES = 3000
"""Files that are looked at for addresses and hardware; a folder with more is no service."""
LARGEST = 300_000
_DEPLOYS = re.compile(
    r"(?:.*\.)?(?:ya?ml|sh|env|tf|toml|cfg|txt|in|mod|gitmodules|dockerfile)|.*(?:Docker|Container|Make)file.*"
)
_ADDRESS = re.compile(r"github\.com[/:]([A-Za-z0-9][\w.-]{0,38}/[A-Za-z0-9_][\w.-]{0,99})")
_BUILT_ON = re.compile(r"^(?:[^#]{0,200}\bgit\+|\s*url\s*=|[^#]{0,200}\bgit\s*=|\s*(?:require\s+)?github\.com/)")
"""How a line begins that takes a repository as a dependency: pip, submodules, Cargo and uv, Go."""
_MACHINE = re.compile(r"gpu|accelerator|arch|device|image|^\s*from\b|node|instance|machine", re.IGNORECASE)
"""A line that says what something runs on."""
_ARCH = re.compile(r"(?:ARCH_LIST|ARCHS?)\W{1,4}((?:\d{1,2}\.\d[af]?(?:\+PTX)?[;, ]*)+)")
_PIN = re.compile(r"^([A-Za-z][\w.-]{1,60})(?:\[[^\]\n]{0,80}\])?\s*[=~><!]=")


class OwnCode(NamedTuple):
    """What was read."""

    repos: dict[str, str]
    """OWNER/NAME → the place that says so; those that are used most come first."""
    hardware: tuple[str, ...]
    unknown: tuple[str, ...]
    """Pins of projects whose repository nothing here tells."""


def own_code(root: Path) -> OwnCode:
    """Everything that the folder tells of what it builds on."""
    from daybreak.cli.common_options import cores
    from daybreak.upgrade.downstream.walk import read_uses

    known = profiles()
    uses = read_uses(root, wanted_for(one.repo for one in known), cores()).uses
    texts = dict(_texts(root))
    named = _used(uses, known)
    installed = _installed(root)
    for path, number, line in _lines(texts):
        built_on = "github.com" in line and _BUILT_ON.match(line) and "// indirect" not in line
        for repo in _ADDRESS.findall(line) if built_on else ():
            named.setdefault(repo.removesuffix(".git").rstrip("."), f"{path}:{number}")
    pinned = _pinned(texts)
    for name, place in pinned.items():
        if name in installed:
            named.setdefault(installed[name], place)
    ours = {normalised(one) for profile in known for one in (*profile.names.distributions, *profile.names.parts)}
    unknown = tuple(sorted(name for name in pinned if name not in installed and name not in ours))
    return OwnCode(named, _hardware(texts), unknown)


def _used(uses: Iterable[Use], known: Iterable[Profile]) -> dict[str, str]:
    """Projects that are written down, the most used first, each with a pin or else its first use."""
    count: Counter[str] = Counter()
    places: dict[str, str] = {}
    pins: dict[str, str] = {}
    for use in uses:
        for profile in known:
            if _is_of(use, profile):
                count[profile.repo] += 1
                places.setdefault(profile.repo, f"{use.path}:{use.line}")
                if use.kind == "pin":
                    pins.setdefault(profile.repo, f"{use.path}:{use.line} {use.value or ''}".rstrip())
    return {repo: pins.get(repo, places[repo]) for repo, _ in count.most_common()}


def _is_of(use: Use, profile: Profile) -> bool:
    names = profile.names
    if use.kind == "pin":
        return use.name in (*names.distributions, *names.parts)
    if use.kind in ("import", "include"):
        owned = names.packages if use.kind == "import" else names.headers
        return any(use.name == one or use.name.startswith((f"{one}.", f"{one}/")) for one in owned)
    if use.kind == "env":
        return use.name.startswith(names.variables or ("\0",))
    return use.kind == "cli_flag" and (use.program or "").split(" ")[0] in names.programs


# --- files without a reader of their own -------------------------------------------------------------------------------


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    """Files that pin, build or deploy; never followed out of the folder."""
    from daybreak.upgrade.downstream.walk import NOISE

    left = MOST_FILES
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in NOISE)
        for name in sorted(names) if left else ():
            path = Path(folder, name)
            if _DEPLOYS.fullmatch(name) and not path.is_symlink() and path.is_file():
                left = max(left - 1, 0)
                yield path.relative_to(root).as_posix(), _text(path)


def _text(path: Path) -> str:
    """As much as a file of this kind has; empty for one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def _lines(texts: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    for path, text in texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            yield path, number, line[:500]


def _pinned(texts: Mapping[str, str]) -> dict[str, str]:
    """Distributions that the files of requirements name → where."""
    found: dict[str, str] = {}
    for path, number, line in _lines(texts):
        if path.endswith((".txt", ".in")) and (pin := _PIN.match(line)):
            found.setdefault(normalised(pin[1]), f"{path}:{number}")
    return found


def _installed(root: Path) -> dict[str, str]:
    """Distribution → its repository, as those in an environment of the folder say of themselves."""
    found: dict[str, str] = {}
    for file in sorted(root.glob("*/lib/python3*/site-packages/*.dist-info/METADATA"))[:MOST_FILES]:
        head = _text(file).partition("\n\n")[0]
        name = re.search(r"^Name: (\S{1,100})", head, re.MULTILINE)
        address = re.search(rf"^(?:Project-URL|Home-page):[^\n]{{0,300}}{_ADDRESS.pattern}", head, re.MULTILINE)
        if name and address:
            found[normalised(name[1])] = address[1].removesuffix(".git")
    return found


def _hardware(texts: Mapping[str, str]) -> tuple[str, ...]:
    """What deployment files name, in their order; a processor is everybody's."""
    from daybreak.judge.reach import hardware

    found: dict[str, None] = {}
    for line in dict.fromkeys(
        line for _, _, line in _lines(texts)
    ):  # manifests that a program wrote say the same again and again
        if _MACHINE.search(line) and not line.lstrip().startswith("#"):
            archs = (one.split("+")[0] for list_ in _ARCH.findall(line) for one in re.split(r"[;, ]+", list_) if one)
            named = hardware(" ".join((line, *(f"sm{one.replace('.', '').rstrip('af')}" for one in archs))))
            found |= dict.fromkeys(sorted(named - {"cpu"}))
    return tuple(found)
