"""Bumps: upgrades that pins on watched projects made since a commit of your own repository, or would have to make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from daybreak.core.errors import GitError, UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.upgrade import Use
from daybreak.core.projects import FAULTS, Wanted
from daybreak.core.versions import Version, normalised, version
from daybreak.findings.languages.pins import go_mod
from daybreak.upgrade.downstream.pins import image
from daybreak.upgrade.downstream.readers import kind_of, uses
from daybreak.upgrade.downstream.walk import files_of

LARGEST = 20_000_000
"""Bytes of a file that is read; lock files are long."""
MOST = 2000
"""Changed files that are looked at: a pull request with more is no bump."""
_VERSION = re.compile(r"(?P<sign>===?|~=|>=|\^|~)\s*(?P<version>v?\d[\w.!+-]*)|@(?P<ref>[\w./+-]+)")
_BOUNDS = tuple(re.compile(rf"({sign})\s*v?(\d[\w.!+]*)") for sign in ("===?", "<=", "~=|>=|\\^"))
"""Which version runs: the one that is pinned, or the newest that may, or the oldest."""
_PLACES = 6
"""Files that are named with an upgrade; the others are counted, so that its versions are always seen."""
_NO_PINS = frozenset({"python", "notebook", "cpp", "clients", "json_files", "env_files"})
_NAME = re.compile(r"(?!-)[\w./@{}^~-]{1,200}")


class Bump(NamedTuple):
    """One upgrade, or the way back."""

    repo: str
    project: str
    before: str
    after: str
    place: str
    """`requirements.txt:3`, where the new pin stands; of several files each."""
    signs: tuple[str, str] = ("", "")
    """`>=` before a version that is only a bound; what is pinned has none."""

    @property
    def told(self) -> str:
        """Where, what, from and to."""
        before, after = (
            f"{sign}{version}" for sign, version in zip(self.signs, (self.before, self.after), strict=True)
        )
        places = self.place.split(", ")
        more = f" (+{len(places) - _PLACES})" if len(places) > _PLACES else ""
        return f"{', '.join(places[:_PLACES])}{more}: {self.project} {before} → {after}"

    @property
    def ranges(self) -> Iterator[str]:
        """The range as the tags of a repository may be called, the usual form first."""
        refs = [(before, after) for before, after in [(self.before, self.after)] if _exact(before) and _exact(after)]
        for form in ("v{}", "{}", f"{self.project}-{{}}", f"{self.project}-v{{}}", "release-{}"):
            yield f"{_named(form, self.before)}..{_named(form, self.after)}"
        yield from (f"{before}..{after}" for before, after in refs)


def _exact(text: str) -> bool:
    """A commit, a branch or a tag as it is called, and no bare version."""
    return not text[:1].isdigit() or re.fullmatch("[0-9a-f]{7,40}", text) is not None


def _bare(text: str) -> str:
    """A version as a number: a tag and an image write `v0.24.0` for what a pin writes `0.24.0`."""
    return text[1:] if re.match(r"v\d", text) else text


def _named(form: str, version: str) -> str:
    return version if _exact(version) else form.format(version)


def bumps(git: Git, root: Path, base: str, wanted: Wanted) -> tuple[Bump, ...]:
    """Each upgrade once, in the order of files; raises when the commit is not there."""
    if not _NAME.fullmatch(base):
        raise UsageError(f"{base!r} is not a commit.", "Give a sha, a branch or a tag of your own repository.")
    try:
        rows = git.run("diff", "--name-only", "-z", "--no-renames", "--relative", base, "--", at=root)
    except GitError as error:
        raise _refused(git, root, base, error) from error
    found: dict[tuple[str, str, str], Bump] = {}
    for path in rows.decode("utf-8", "surrogateescape").split("\0")[:MOST]:
        for bump in _of_file(git, root, base, path, wanted) if path else ():
            key = bump.repo or bump.project, _bare(bump.before), _bare(bump.after)
            found[key] = found[key]._replace(place=f"{found[key].place}, {bump.place}") if key in found else bump
    return tuple(found.values())


class _Every(dict[str, str]):
    """Takes any distribution for one that is watched."""

    def __contains__(self, _name: object) -> bool:
        return True

    def __missing__(self, _name: str) -> str:
        return ""


def unwatched(git: Git, root: Path, base: str, wanted: Wanted) -> tuple[Bump, ...]:
    """Pins that moved, of packages that are not watched: nothing is known of what those upgrades change."""
    every = Wanted(projects=_Every(), releases=wanted.releases, sources=wanted.sources, images=wanted.images)
    return tuple(one for one in bumps(git, root, base, every) if one.project not in wanted.projects)


def _refused(git: Git, root: Path, base: str, error: GitError) -> UsageError:
    try:
        git.run("rev-parse", "--git-dir", at=root)
    except GitError:
        return UsageError(
            f"{root} is not in a git repository, so it cannot be compared with {base}.",
            "Name the range: --range OWNER/NAME A..B; or let the pins say where to start: --from-pin REF.",
        )
    return UsageError(
        f"{root} cannot be compared with {base}: {error.message}",
        f"{_remedy(base)} In CI: check out with fetch-depth: 0.",
    )


def _remedy(base: str) -> str:
    """A branch of a remote is fetched, or the local one of its name is taken."""
    remote, slash, branch = base.partition("/")
    if not slash or remote not in ("origin", "upstream"):
        return "Is that commit in it?"
    return f"Fetch it: `git fetch {remote} {branch}`; or compare with your own branch: --bumps {branch}."


def pinned(root: Path, wanted: Wanted, after: str, exclude: Sequence[str] = ()) -> tuple[Bump, ...]:
    """The way from what the code runs of each project to a ref; of several pins the one that says most, then the newest."""
    found: dict[str, tuple[tuple[int, Version], Bump]] = {}
    for path, name in files_of(root, wanted):
        if (kind_of(name) or "python") in _NO_PINS or any(fnmatch(name, glob) for glob in exclude):
            continue
        for use in _pins_in(name, _content(path), wanted):
            sure = next((number for number, one in enumerate(_BOUNDS) if one.search(use.value or "")), None)
            told = _BOUNDS[sure].search(use.value or "") if sure is not None else None
            order = version(told[2]) if told else None
            if sure is None or told is None or order is None or use.name not in wanted.released:
                continue
            repo = wanted.projects[use.name]
            if repo not in found or (-sure, order) > (-found[repo][0][0], found[repo][0][1]):
                signs = _bound(told[1]), ""
                found[repo] = (sure, order), Bump(repo, use.name, told[2], after, f"{name}:{use.line}", signs)
    return tuple(bump for _, bump in found.values())


def _pins_in(name: str, text: str, wanted: Wanted) -> list[Use]:
    try:
        return [use for use in uses(name, text, wanted) if use.kind == "pin"]
    except FAULTS:  # a file that is not what its name says pins nothing
        return []


def _of_file(git: Git, root: Path, base: str, path: str, wanted: Wanted) -> Iterator[Bump]:
    before = _pins(path, _blob(git, root, base, path), wanted)
    for project, new in _pins(path, _content(root / path), wanted).items():
        old = before.get(project)
        if old is not None and _bare(old.version) != _bare(new.version):
            signs = old.sign, new.sign
            yield Bump(wanted.projects[project], project, old.version, new.version, f"{path}:{new.line}", signs)


class _Pin(NamedTuple):
    version: str
    line: int
    sign: str = ""


def _bound(sign: str) -> str:
    return "" if sign.startswith("==") else sign


def _pins(path: str, text: str, wanted: Wanted) -> dict[str, _Pin]:
    """Project → its version and line; where a file names several, the first. Of a Go module, and of an image that is called like
    the project, likewise.
    """
    found: dict[str, _Pin] = {}
    if path.rpartition("/")[2] == "go.mod":
        for project, pin in _modules(text, wanted):
            found.setdefault(project, pin)
        return found
    try:
        for use in uses(path, text, wanted):
            version = _VERSION.match(use.value or "") if use.kind == "pin" else None
            if version and use.name in wanted.projects:
                sign = _bound(version["sign"] or "==")
                found.setdefault(use.name, _Pin(version["ref"] or version["version"], use.line, sign))
    except FAULTS:  # a file that is not what its name says pins nothing
        return found
    for project, pin in _images(path, text, wanted):
        found.setdefault(project, pin)
    return found


def _images(path: str, text: str, wanted: Wanted) -> Iterator[tuple[str, _Pin]]:
    """Images that are called like a project, where images are named; watched ones wherever they are the value of a name."""
    named, valued = _IMAGES_IN.search(path), _VALUES_IN.search(path)
    for number, line in enumerate(text.split("\n"), 1) if named or valued else ():
        said = _IMAGE.match(line[:_LONGEST]) if named else None
        name = normalised(said[1].rpartition("/")[2]) if said else ""
        if said and name in wanted.projects and _HUB.sub("", said[1]) not in wanted.images:
            yield name, _Pin(said[2], number)
        for value in _VALUE.findall(line[:_LONGEST]) if valued and not line.lstrip().startswith(("#", "//")) else ():
            known = image(value, wanted)
            if known and (told := _VERSION.match(known[1].value or "")):
                yield known[1].project, _Pin(told["version"] or told["ref"], number)


def _modules(text: str, wanted: Wanted) -> Iterator[tuple[str, _Pin]]:
    """Modules by the repository that their path names: `github.com/acme/engine/v2`."""
    every = isinstance(wanted.projects, _Every)
    pins = [pin for pin in go_mod(text) if pin.kind == "dependency"]
    for pin in sorted(pins, key=lambda pin: pin.name.count("/")):  # the module of a repository's root stands for it
        host, _, rest = pin.name.lower().partition("/")
        repo = "/".join(rest.split("/")[:2]) if host == "github.com" else ""
        own = wanted.sources.get(repo) if pin.value.startswith("v") else None
        name = own or (pin.name if every else None)
        if name is not None and name in wanted.projects:
            yield name, _Pin(pin.value, pin.line)


_IMAGES_IN = re.compile(r"(?:^|/)[\w.-]{0,80}(?:Dockerfile|Containerfile)[\w.-]{0,80}$|\.ya?ml$", re.IGNORECASE)
_IMAGE = re.compile(
    r"\s{0,80}(?:-\s+)?(?:FROM(?:\s+--\S{1,80})?|image:)\s+[\"']?(?:[\w.-]{1,100}:\d{2,5}/)?([\w./-]{2,200}):(v?\d[\w.+-]{0,100})"
)
_HUB = re.compile(r"^(?:index\.|registry-1\.)?docker\.io/(?:library/)?")
"""What an image's name may begin with and means without it."""
_VALUES_IN = re.compile(r"\.(?:py|tf|tfvars|hcl|env)$|(?:^|/)\.env(?:\.[\w.-]{1,80})?$")
"""Where an image is the value of a name: constants, variables, Terraform."""
_VALUE = re.compile(r"=\s{0,80}[\"']?([\w./:-]{3,300})")
_LONGEST = 1000


def _blob(git: Git, root: Path, base: str, path: str) -> str:
    try:
        return git.run("show", f"{base}:./{path}", at=root)[:LARGEST].decode("utf-8", "replace")
    except GitError:  # it is new
        return ""


def _content(path: Path) -> str:
    try:
        if path.is_symlink():
            return ""
        with path.open("rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace")
    except OSError:  # it is gone
        return ""
