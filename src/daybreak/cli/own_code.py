"""Own code of a reader: which repositories it builds on and what it runs on, read from pins, images, imports and manifests."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from daybreak.core.model.upgrade import Use
from daybreak.core.profiles import Profile, profiles
from daybreak.core.projects import Wanted, wanted_for
from daybreak.core.versions import normalised, version

READ_MOST = 25_000_000
"""Weight of files that are read for what they use: a first look takes seconds, whatever lies in the folder."""
TEXTS_MOST = 15_000_000
"""Bytes that are looked through for addresses and hardware."""
_INSTALLED_MOST = 3000
_HEAD = 300_000
_DEPLOYS = re.compile(
    r"(?:.*\.)?(?:ya?ml|sh|env|tf|toml|cfg|txt|in|mod|gitmodules|dockerfile)|.*(?:Docker|Container|Make)file.*"
)
_ADDRESS = re.compile(r"github\.com[/:]([A-Za-z0-9][\w.-]{0,38}/[A-Za-z0-9_][\w.-]{0,99})")
_BUILT_ON = re.compile(r"^(?:[^#]{0,200}\bgit\+|\s*url\s*=|[^#]{0,200}\bgit\s*=|\s*(?:require\s+)?github\.com/)")
"""How a line begins that takes a repository as a dependency: pip, submodules, Cargo and uv, Go."""
_MACHINE = re.compile(r"gpu|accelerator|arch|device|image|^\s*from\b|node|instance|machine", re.IGNORECASE)
"""A line that says what something runs on."""
_ARCH = re.compile(r"(?:ARCH_LIST|ARCHS?)\W{1,4}((?:\d{1,2}\.\d[af]?(?:\+PTX)?[;, ]*)+)")
_CUDA = re.compile(r"\bcuda\b|\bnvidia|[/+:-]cu1\d\d\b", re.IGNORECASE)
"""An image, an index of wheels or a resource of CUDA."""
_NO_DEPLOYMENT = frozenset({"ci", "test", "docs"})
_LISTED_MOST = 5
"""Repositories outside the field that a list of requirements may have before they are taken for its small parts."""
_SIZE = re.compile(r"^[\d.]+ MB: ")
"""Of one file, where several are left out for the same reason."""
_PIN = re.compile(
    r"\s*(?:-\s{1,9})?[\"']?([A-Za-z][\w.-]{1,60})(?:\[[^\]\n]{0,80}\])?\s*(?:([=~><!]=|[<>])|[\"'],?\s*$|;|#|$)"
)
"""A line of a file of requirements, of a list of a pyproject or of an environment, with or without a version."""
_QUOTED, _OWN_NAME = re.compile(r"[\"']([^\"']{2,200})[\"']"), re.compile(r"\s*name\s*=")
_REQUIRES = (".txt", ".in", "pyproject.toml", "environment.yml", "environment.yaml")
_REQUIRED = re.compile(r"require|constrain|depend|deps|freeze", re.IGNORECASE)
"""How a plain file of requirements is called; any other one shows by its versions that it is no list of words."""


class OwnCode(NamedTuple):
    """What was read."""

    repos: dict[str, str]
    """OWNER/NAME → the place that says so; those that are used most come first."""
    hardware: Mapping[str, str]
    """What it runs on → the place that says so."""
    unknown: tuple[str, ...]
    """Pins of projects whose repository nothing here tells."""
    unread: Mapping[str, tuple[str, ...]] = {}
    """Why files were left out or could not be read → which."""
    aside: Mapping[str, str] = {}
    """Repositories of a long list of requirements that are not of the field → the place; named, and not watched."""
    examples: Mapping[str, str] = {}
    """Repositories of well-known packages, by our table → the place; to be checked by who watches them."""


def own_code(root: Path) -> OwnCode:
    """Everything that the folder tells of what it builds on."""
    from daybreak.cli.common_options import cores
    from daybreak.upgrade.downstream.walk import read_uses

    known = profiles()
    wanted = wanted_for(one.repo for one in known)
    read = read_uses(root, wanted, cores(), READ_MOST)
    texts, left = _texts(root, wanted)
    named = _used(read.uses, known)
    installed = _installed(root)
    for path, number, line in _lines(texts):
        built_on = "github.com" in line and _BUILT_ON.match(line) and "// indirect" not in line
        for repo in _ADDRESS.findall(line) if built_on else ():
            named.setdefault(repo.removesuffix(".git").rstrip("."), f"{path}:{number}")
    table = well_known()
    pinned = _pinned(texts, {*installed, *table})
    for name, place in pinned.items():
        if name in installed:
            named.setdefault(installed[name], place)
    examples = {table[name]: f"{place} {name}" for name, place in pinned.items() if name in {*table} - {*installed}}
    examples = {repo: place for repo, place in examples.items() if repo not in named}
    ours = {normalised(one) for profile in known for one in (*profile.names.distributions, *profile.names.parts)}
    unknown = tuple(sorted(pinned.keys() - installed.keys() - table.keys() - ours))
    reasons = dict.fromkeys(
        left, f"beyond the {TEXTS_MOST // 1_000_000} MB of the smallest files that a first look takes"
    )
    reasons |= {one.what: _SIZE.sub("", one.reason) for one in read.skipped}
    unread = {why: tuple(sorted(one for one in reasons if reasons[one] == why)) for why in sorted({*reasons.values()})}
    field = {profile.repo for profile in known}
    listed = [
        repo for repo, place in named.items() if repo not in field and place.rpartition(":")[0].endswith("go.mod")
    ]
    aside = (
        {repo: named.pop(repo) for repo in listed} if len(listed) > _LISTED_MOST and len(listed) < len(named) else {}
    )
    return OwnCode(named, _hardware(texts), unknown, unread, aside, examples)


def well_known() -> dict[str, str]:
    """Distribution → the repository that it is made from; a table that may be behind the world."""
    return tomllib.loads(Path(__file__).with_name("packages.toml").read_text(encoding="utf-8"))


def _used(uses: Iterable[Use], known: Iterable[Profile]) -> dict[str, str]:
    """Projects that are written down, the most used first, each with a pin or else its first use."""
    count: Counter[str] = Counter()
    places: dict[str, str] = {}
    pins: dict[str, tuple[tuple[object, ...], str]] = {}
    for use in uses:
        for profile in known:
            if _is_of(use, profile):
                count[profile.repo] += 1
                places.setdefault(profile.repo, f"{use.path}:{use.line}")
                if use.kind == "pin":
                    worth = _worth(use, profile)
                    if profile.repo not in pins or worth > pins[profile.repo][0]:
                        told = " ".join(filter(None, (f"{use.path}:{use.line}", _version(use.value or ""))))
                        pins[profile.repo] = worth, told
    return {repo: pins[repo][1] if repo in pins else places[repo] for repo, _ in count.most_common()}


def _worth(use: Use, profile: Profile) -> tuple[object, ...]:
    """What a pin says: a version more than a name, the package itself more than a part of it, one version more than a
    bound, a file of requirements more than a chart or an image; then the newest.
    """
    bounds = _version(use.value or "")
    main = use.name in profile.names.distributions[:1]
    number = version(bounds.lstrip("=~><^ ").partition(",")[0].strip()) if bounds else None
    requires = use.path.endswith((".txt", ".in", ".toml", ".cfg", ".lock", "setup.py"))
    return bool(bounds), main, bounds.startswith("=="), requires, number or ()


def _version(value: str) -> str:
    """The bounds of a pin without its marker (`; sys_platform == "linux"`); empty where no version is named."""
    bounds = value.partition(";")[0].strip()
    return bounds if any(sign.isdigit() for sign in bounds) else ""


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


def _texts(root: Path, wanted: Wanted) -> tuple[dict[str, str], tuple[str, ...]]:
    """Files that pin, build or deploy, as many of the smallest as there is room for, and the names of the others."""
    from daybreak.upgrade.downstream.walk import files_of, lightest, size_of

    files = {name: path for path, name in files_of(root, wanted) if _DEPLOYS.fullmatch(path.name) and path.is_file()}
    chosen = frozenset(lightest(((name, size_of(path)) for name, path in files.items()), TEXTS_MOST))
    texts = {name: _text(path, TEXTS_MOST) for name, path in files.items() if name in chosen}
    return texts, tuple(name for name in files if name not in chosen)


def _text(path: Path, most: int = _HEAD) -> str:
    """What a file has, up to so many bytes; empty for one that cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""


def _lines(texts: Mapping[str, str]) -> Iterator[tuple[str, int, str]]:
    for path, text in texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            yield path, number, line[:500]


def _pinned(texts: Mapping[str, str], known: Collection[str]) -> dict[str, str]:
    """Distributions that the files of requirements name → where; without a version only what is known: it may be a word."""
    found: dict[str, str] = {}
    for path, whole in texts.items():
        quoted = path.endswith(".toml")
        told, keywords = _of_project(whole) if path.endswith("pyproject.toml") else ("", frozenset())
        pins: list[tuple[str, str, int]] = []
        for _, number, line in _lines({path: whole}):
            for text in _QUOTED.findall(line) if quoted and not _OWN_NAME.match(line) else () if quoted else (line,):
                pin = _PIN.match(text) if path.endswith(_REQUIRES) and text not in keywords else None
                if pin and (pin[2] or normalised(pin[1]) in known) and normalised(pin[1]) != told:
                    pins.append((normalised(pin[1]), pin[2] or "", number))
        plain = path.endswith((".txt", ".in")) and not _REQUIRED.search(path)
        for name, _, number in pins if not plain or any(sign for _, sign, _ in pins) else ():
            found.setdefault(name, f"{path}:{number}")
    return found


def _of_project(text: str) -> tuple[str, frozenset[str]]:
    """What a project calls itself, and the words that describe it: neither is something it requires."""
    try:
        project = tomllib.loads(text).get("project")
    except tomllib.TOMLDecodeError:
        return "", frozenset()
    project = project if isinstance(project, dict) else {}
    words = project.get("keywords")
    return normalised(str(project.get("name", ""))), frozenset(map(str, words if isinstance(words, list) else ()))


def _installed(root: Path) -> dict[str, str]:
    """Distribution → its repository, as those in an environment of the folder say of themselves."""
    found: dict[str, str] = {}
    for file in sorted(root.glob("*/lib/python3*/site-packages/*.dist-info/METADATA"))[:_INSTALLED_MOST]:
        head = _text(file).partition("\n\n")[0]
        name = re.search(r"^Name: (\S{1,100})", head, re.MULTILINE)
        address = re.search(rf"^(?:Project-URL|Home-page):[^\n]{{0,300}}{_ADDRESS.pattern}", head, re.MULTILINE)
        if name and address:
            found[normalised(name[1])] = address[1].removesuffix(".git")
    return found


def _hardware(texts: Mapping[str, str]) -> dict[str, str]:
    """What deployment files name, in their order, with the place; a processor is everybody's.

    Where CUDA is named without a chip, all of it is the reader's, and naming the others alone would put it aside.
    """
    from daybreak.findings.paths import area
    from daybreak.judge.reach import hardware

    found: dict[str, str] = {}
    cuda, seen = False, set[str]()
    for path, number, line in _lines({path: text for path, text in texts.items() if area(path) not in _NO_DEPLOYMENT}):
        if line in seen:  # manifests that a program wrote say the same again and again
            continue
        seen.add(line)
        cuda = cuda or (_CUDA.search(line) is not None and not line.lstrip().startswith("#"))
        if _MACHINE.search(line) and not line.lstrip().startswith("#"):
            archs = (one.split("+")[0] for list_ in _ARCH.findall(line) for one in re.split(r"[;, ]+", list_) if one)
            named = hardware(" ".join((line, *(f"sm{one.replace('.', '').rstrip('af')}" for one in archs))))
            for name in sorted(named - {"cpu"}):
                found.setdefault(name, f"{path}:{number}")
    return {} if cuda and not any(name.startswith("sm") for name in found) else found
