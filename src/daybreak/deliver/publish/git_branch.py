"""Pushes the published pages to a branch of a git repository: on top of what is there, and never over what is not ours.

It works in a bare repository of its own under `.daybreak/`; nobody's checkout is touched. The commit is made with an
index of its own, from the newest commit of the branch: other files of the branch stay as they are. Nothing is ever
forced: when somebody pushed meanwhile, the commit is made anew on top of theirs.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from daybreak.core.address import readable
from daybreak.core.errors import GitError, NotOursError, PublishError
from daybreak.core.git_program import Git, last_words
from daybreak.deliver.publish.folder import OURS, Blobs, Found

# --- git's complaints about a place that is pushed to, in the words of our users; nothing of an address that is secret ---


# The first row whose words stand in git's complaint decides.
_FAULTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("dubious ownership",),
        "the repository at {address} belongs to another user",
        "If you trust it, run: git config --global --add safe.directory '{address}'",
    ),
    (("No space left on device",), "the disk is full", "Free some space; the next run pushes it."),
    (
        ("protected branch", "hook declined", "GH006", "GH013", "push declined", "not allowed to push"),
        "{address} refuses pushes to the branch {branch!r}",
        "Let the token or key push there, or name another branch with git_branch.",
    ),
    (
        ("refusing to update checked out branch", "branch is currently checked out"),
        "the branch {branch!r} is checked out in {address}",
        "Name another branch with git_branch, or push to a bare repository.",
    ),
    (
        (
            "Could not resolve host",
            "Temporary failure in name resolution",
            "Network is unreachable",
            "No route to host",
        ),
        "{address} cannot be reached: no network",
        "Check the network and the proxy settings; the next run pushes it.",
    ),
    (
        (
            "Failed to connect",
            "Connection refused",
            "Connection timed out",
            "Connection reset",
            "early EOF",
            "timed out",
        ),
        "{address} does not answer",
        "The next run tries again.",
    ),
    (
        (
            "Authentication failed",
            "could not read Username",
            "could not read Password",
            "Permission denied (publickey",
            "terminal prompts disabled",
            "Invalid username or",
        ),
        "{address} does not accept our credentials, or does not exist",
        "Set up a git credential helper or an SSH key that may push, or set GITHUB_TOKEN; the next run tries again.",
    ),
    (
        ("error: 403", "Write access to repository not granted", "denied to", "requires a key with write access"),
        "{address} does not let us push",
        "Give the token or key the right to write; the next run tries again.",
    ),
    (
        ("Host key verification failed",),
        "the SSH host key of {address} is not known",
        "Connect once by hand with ssh to accept it.",
    ),
    (("transport '", "protocol '"), "git may not use the protocol of {address}", "Use an https, ssh or file address."),
    (
        (
            "not a git repository",
            "does not appear to be a git repository",
            "not found",
            "does not exist",
            "not valid: is this a git",
        ),
        "{address} is not a git repository",
        "Check `git` under [publish]; a new one is made with `git init --bare`.",
    ),
    (
        (
            "Permission denied",
            "unable to create",
            "Read-only file system",
            "insufficient permission",
            "unable to write",
        ),
        "{address} may not be written",
        "Check the permissions of the folder; the next run tries again.",
    ),
)


def explain(error: GitError, address: str, branch: str) -> PublishError:
    """The same failure as one sentence about the place, with its tip."""
    shown, said = readable(address), without_remote_words(error.detail) or error.detail
    # What the other side says may be anything; it is only looked at for what we know.
    for words, sentence, tip in _FAULTS:
        if any(word in text for text in (said, error.detail) for word in words):
            return PublishError(
                f"{sentence.format(address=shown, branch=branch)}.", tip.format(address=shown, branch=branch)
            )
    told = last_words(said.encode())
    return PublishError(f"{shown} did not take the pages: {told or 'git failed'}.", "The next run tries again.")


def without_remote_words(said: str) -> str:
    """Lines of git itself: what the other side sent stands behind `remote:`."""
    return "\n".join(line for line in said.splitlines() if not line.lstrip().startswith("remote:"))


TRIES = 5
_TIP = "refs/daybreak/tip"
_PUSHED = "daybreak-pushed"
_RACES = ("[rejected]", "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref", "already exists")
_DAMAGED = ("object file", "corrupt", "bad object", "unable to read", "not a valid object")
"""What git says of objects that it finds cut off or empty: a machine that lost its power leaves such."""
_LABEL = re.compile(r"reports/(\d{4}-\d\d-\d\d)(?:[./])")
_FILE = "100644"
SITE_LIST = ".daybreak-site.json"


class Target(Struct, frozen=True):
    """Where the pages go, and in whose name."""

    address: str
    branch: str
    folder: str
    author: str
    email: str
    helper: str = ""
    """Host for which the token in GITHUB_TOKEN is offered when no helper of the user has one."""

    def inside(self, path: str) -> str:
        return f"{self.folder}/{path}" if self.folder else path


class Pushed(Struct, frozen=True):
    """What came of it."""

    commit: str | None
    """None: the branch had all of it already."""
    paths: tuple[str, ...] = ()


@dataclass(slots=True)
class GitBranch:
    """One branch of one repository."""

    git: Git
    target: Target
    clone: Path
    """Bare repository of our own."""
    when: datetime
    _made: bool = field(default=False)

    def publish(self, out: Path, files: Sequence[Found], *, trusting: bool = False) -> Pushed:
        """Bring the branch up to these files; raises PublishError or NotOursError, and then nothing was pushed.

        `trusting`: when just these files were pushed before, nobody is asked whether they are still there.
        """
        try:
            try:
                return self._publish(out, files, trusting)
            except GitError as error:
                if not any(word in without_remote_words(error.detail) for word in _DAMAGED):
                    raise
                shutil.rmtree(self.clone, ignore_errors=True)  # there is nothing in it that is not elsewhere
                self._made = False
                return self._publish(out, files, trusting=False)
        except GitError as error:
            raise explain(error, self.target.address, self.target.branch) from error
        except OSError as error:
            raise PublishError(
                f"{self.clone} cannot be used: {error.strerror}.", "Check the permissions of .daybreak, or remove it."
            ) from error

    def _publish(self, out: Path, files: Sequence[Found], trusting: bool) -> Pushed:
        for _ in range(TRIES):
            if trusting and self._note(out, files) == self._noted():
                return Pushed(None)
            tip = self._tip()
            wanted = self._names(out, files, "sha256" if tip and len(tip) == 64 else "sha1")
            sources = {self.target.inside(file.path): out / file.path for file in files}
            commit, changed = self._commit(tip, wanted, sources)
            if commit is None or self._push(commit):
                self._remember(self._note(out, files))
                return Pushed(commit, tuple(changed))
        raise PublishError(
            f"Others push to {self.target.branch!r} of {readable(self.target.address)} all the time.",
            "The next run tries again.",
        )

    def _names(self, out: Path, files: Sequence[Found], form: str) -> dict[str, str]:
        """Path in the branch -> what git calls its content."""
        blobs = Blobs(self.clone, form)
        wanted = {self.target.inside(file.path): blobs.oid(out, file) for file in files}
        blobs.save()
        return wanted

    def _note(self, out: Path, files: Sequence[Found]) -> str:
        """One name for the target and the files as they are."""
        told = sorted(self._names(out, files, "sha1").items())
        return hashlib.sha256(repr((self.target, told)).encode("utf-8", "surrogateescape")).hexdigest()

    def _noted(self) -> str:
        try:
            return (self.clone / _PUSHED).read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return ""

    def _remember(self, note: str) -> None:
        with suppress(OSError):  # without it the next run asks
            (self.clone / _PUSHED).write_text(note, encoding="ascii")

    # --- what is there ---------------------------------------------------------------------------------------------

    def _tip(self) -> str | None:
        """Newest commit of the branch, with its files at hand; None: there is no such branch yet."""
        ref = f"refs/heads/{self.target.branch}"
        rows = self._asking("ls-remote", self.target.address, ref).decode("utf-8", "replace").splitlines()
        tip = next((oid for oid, _, name in (row.partition("\t") for row in rows) if name == ref), None)
        self._ready(tip)
        if tip is None or self._has(tip):
            return tip
        refspec = f"+{ref}:{_TIP}"
        fetch = ("fetch", "--progress", "--no-write-fetch-head", "--no-auto-gc", "--no-tags", "--depth=1")
        self._asking(*fetch, self.target.address, refspec)
        return self._here("rev-parse", _TIP).decode().strip()

    def _has(self, tip: str) -> bool:
        try:
            self._here("cat-file", "-e", f"{tip}^{{tree}}")
        except GitError:
            return False
        return True

    def _ready(self, tip: str | None) -> None:
        """The repository of our own: made when it is not there, and anew when it is damaged or of another kind."""
        if self._made:
            return
        form = "sha256" if tip and len(tip) == 64 else "sha1"
        # Left by a git that was killed: whoever comes here holds the folder's lock, so nobody else is at it.
        for left in (*self.clone.glob("*.lock"), *(self.clone / "refs").rglob("*.lock")):
            left.unlink(missing_ok=True)
        try:
            known = self._here("rev-parse", "--show-object-format", "--is-bare-repository").decode().split()
        except (GitError, OSError):
            known = []
        if known != [form, "true"]:
            shutil.rmtree(self.clone, ignore_errors=True)
            self.clone.mkdir(parents=True)
            made = ("init", "--quiet", "--bare", "--template=", f"--object-format={form}", str(self.clone))
            self.git.run(*made, at=self.clone.parent, read_only=False)
        self._made = True

    # --- what is to be there ---------------------------------------------------------------------------------------

    def _commit(
        self, tip: str | None, wanted: Mapping[str, str], sources: Mapping[str, Path]
    ) -> tuple[str | None, list[str]]:
        """A commit that has these files, and what it changes; None when the branch has them all."""
        held = self._held(tip)
        changed = [path for path, oid in wanted.items() if held.get(path) != (_FILE, oid)]
        gone = self._gone(held, wanted)
        if not changed and not gone:
            return None, []
        self._refuse_foreign(changed, held)
        lines = "".join(f"{sources[path]}\n" for path in changed).encode("utf-8", "surrogateescape")
        written = self._here("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=lines) if changed else b""
        # What was written counts: a page may have changed since its name was made.
        rows = [(_FILE, oid, path) for oid, path in zip(written.decode().split(), changed, strict=True)]
        rows += [("0", "0" * len(tip or ""), path) for path in gone]
        return self._on_top(tip, rows), [*changed, *gone]

    def _on_top(self, tip: str | None, rows: Iterable[tuple[str, str, str]]) -> str:
        told = "".join(f"{mode} {oid}\t{path}\0" for mode, oid, path in rows)
        with tempfile.TemporaryDirectory(dir=self.clone) as place:
            own = {"GIT_INDEX_FILE": str(Path(place).resolve() / "index")}
            self._here("read-tree", *([tip] if tip else ["--empty"]), extra=own)
            self._here("update-index", "-z", "--index-info", stdin=told.encode(), extra=own)
            tree = self._here("write-tree", extra=own).decode().strip()
        who = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (
                ("NAME", self.target.author),
                ("EMAIL", self.target.email),
                ("DATE", self.when.isoformat(timespec="seconds")),
            )
        }
        parent = ("-p", tip) if tip else ()
        text = message(path for _, _, path in rows).encode()
        return self._here("commit-tree", tree, *parent, stdin=text, extra=who).decode().strip()

    def _held(self, tip: str | None) -> dict[str, tuple[str, str]]:
        """Path -> mode and content of all that the branch has."""
        if tip is None:
            return {}
        found = {}
        for row in self._here("ls-tree", "-r", "-z", "--full-tree", tip).split(b"\0"):
            facts, tab, path = row.partition(b"\t")
            if tab:
                mode, _, oid = facts.decode().split(" ")
                found[path.decode("utf-8", "surrogateescape")] = (mode, oid)
        return found

    def _gone(self, held: Mapping[str, tuple[str, str]], wanted: Mapping[str, str]) -> list[str]:
        """Pages of the site that were pushed and are no longer wanted; reports are never taken away."""
        site = self.target.inside("site")
        if f"{site}/{SITE_LIST}" not in wanted:
            return []
        listed = self._listed(held)
        return sorted(path for path in held if path in listed and path not in wanted)

    def _listed(self, held: Mapping[str, tuple[str, str]]) -> set[str]:
        """Files of the site that the branch itself lists as ours."""
        import msgspec

        site = self.target.inside("site")
        mode, oid = held.get(f"{site}/{SITE_LIST}", ("", ""))
        if mode != _FILE:
            return set()
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            told = msgspec.json.decode(self.git.blob(self.clone, oid))
            pages = told.get("pages") if isinstance(told, dict) else None
            return {f"{site}/{path}" for path in pages} if isinstance(pages, dict) else set()
        return set()

    def _refuse_foreign(self, changed: Iterable[str], held: Mapping[str, tuple[str, str]]) -> None:
        """Raise for the first file of the branch that stands in the way and was not written by Daybreak."""
        folders = {parent for path in held for parent in _parents(path)}
        listed: set[str] | None = None
        for path in changed:
            in_way = next((one for one in _parents(path) if one in held), path if path in folders else None)
            if in_way is None and path in held:
                mode, oid = held[path]
                if mode == _FILE and self.git.blob(self.clone, oid).startswith(OURS):
                    continue
                listed = self._listed(held) if listed is None else listed
                if path in listed or path.endswith(f"site/{SITE_LIST}"):
                    continue
                in_way = path
            if in_way is not None:
                raise NotOursError(
                    f"{in_way} in the branch {self.target.branch!r} was not written by Daybreak and is left alone.",
                    "Name a folder of its own with git_folder, or another branch with git_branch.",
                )

    # --- out -------------------------------------------------------------------------------------------------------

    def _push(self, commit: str) -> bool:
        """False: somebody else was there first."""
        refspec = f"{commit}:refs/heads/{self.target.branch}"
        try:
            self._asking("push", "--progress", "--no-verify", self.target.address, refspec)
        except GitError as error:
            said = without_remote_words(error.detail)
            if any(word in said for word in _RACES) and "hook declined" not in said and "protected" not in said:
                return False
            raise
        self._here("update-ref", _TIP, commit)
        return True

    def _here(self, *args: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> bytes:
        return self.git.run(*args, at=self.clone, stdin=stdin, read_only=False, extra=extra or {})

    def _asking(self, *args: str) -> bytes:
        """With the network; the user's own helpers are asked for credentials first."""
        offer = ("-c", f"credential.https://{self.target.helper}.helper={_OFFER}") if self.target.helper else ()
        # Never where the user stands: the config of a repository there has no say in this.
        at = self.clone if self.clone.is_dir() else self.clone.parent
        at.mkdir(parents=True, exist_ok=True)
        return self.git.run(*offer, *args, at=at, network=True, read_only=False)


_OFFER = '!f() { test "$1" = get && echo username=x-access-token && echo "password=$GITHUB_TOKEN"; }; f'
"""A credential helper that hands out what the environment holds: the token stands in no command line and no file."""


def message(paths: Iterable[str]) -> str:
    """Made of days and of nothing else: no word of a report gets into it, so there is nothing in it that takes effect."""
    days = sorted({found[1] for path in paths if (found := _LABEL.search(path))})
    if not days:
        return "Daybreak index\n"
    if len(days) == 1:
        return f"Daybreak report of {days[0]}\n"
    return f"Daybreak reports of {days[0]} to {days[-1]} ({len(days)} days)\n"


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:n]) for n in range(1, len(parts))]
