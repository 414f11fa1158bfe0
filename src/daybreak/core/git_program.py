"""Runs the git program, sealed from the user's machine.

What a repository or a user's git config may say must not change what we read: no hooks, no external diff, no
textconv, no attributes, no prompts, no protocols beyond the plain ones. Proxies, certificates, credential helpers
and trusted folders are the user's own business and are passed on, by name.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import IO, TypeVar, cast

from daybreak.core.errors import GitError, GitNotFound, GitTooOld, Interrupted

OLDEST_GIT = (2, 34)
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

PASSED_ON = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TEMP",
    "SYSTEMROOT",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GIT_SSL_CAINFO",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "KRB5CCNAME",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_HOST",
    "GH_CONFIG_DIR",
]
"""Environment variables git may see; everything else, GIT_DIR and GIT_EXTERNAL_DIFF among them, is left behind."""

USER_SETTINGS = re.compile(
    r"^(http\.(.*\.)?(proxy|proxyauthmethod|proxysslcainfo|sslcainfo|sslcapath|sslcert|sslkey|extraheader)"
    r"|credential\.(.*\.)?(helper|username|usehttppath)|core\.sshcommand|ssh\.variant|url\..*\.(push)?insteadof"
    r"|safe\.directory)$",
    re.IGNORECASE,
)
"""Settings of the user's own git config that are passed on."""

SEALED = {
    "core.hooksPath": "/dev/null",
    "core.attributesFile": "/dev/null",
    "core.fsmonitor": "false",
    "core.commitGraph": "true",
    # With the other version, git never ends on a commit whose date is beyond all numbers.
    "commitGraph.generationVersion": "1",
    "attr.tree": EMPTY_TREE,
    "i18n.logOutputEncoding": "UTF-8",
    "log.showSignature": "false",
    "log.showRoot": "true",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "http.lowSpeedLimit": "500",
    "http.lowSpeedTime": "60",
}
PROTOCOLS = "https:http:ssh:git:file"
AT_ONCE = 2
"""Gits that are waited for at the same time: the work is theirs, beside us."""
LOOK_UP = 0.2
"""Seconds between looks at signals while they are waited for."""
SSH = "ssh -oBatchMode=yes -oConnectTimeout=30 -oServerAliveInterval=15"

Item = TypeVar("Item")
Answer = TypeVar("Answer")
_TOLD_TO_STOP = (-signal.SIGINT, -signal.SIGTERM)
_NOTHING: Mapping[str, str] = {}
_WHERE_CONFIG_IS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
_CREDENTIALS = re.compile(r"(?<=//)[^/@\s]+@")


def readable(text: str) -> str:
    """Words of git fit for a terminal: no control codes, no passwords of URLs."""
    return _CREDENTIALS.sub("***@", _CONTROL.sub("", text))


@dataclass(slots=True)
class Stream:
    """A running git whose output is read piece by piece."""

    process: subprocess.Popen[bytes]
    output: BufferedReader
    errors: IO[bytes]

    def finish(self) -> int:
        """Wait for the end; the exit code."""
        self.output.close()
        return self.process.wait()

    def last_words(self) -> str:
        self.errors.seek(0)
        return last_words(self.errors.read())


def last_words(stderr: bytes) -> str:
    """The line of git's messages that tells what went wrong."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "ssh:"))] or lines
    return readable(re.sub(r"^(fatal|error): ", "", telling[0] if telling else ""))


@dataclass(slots=True)
class Git:
    """The git program with a sealed environment; safe to use from several threads."""

    environment: Mapping[str, str]
    """The user's environment; only the names in PASSED_ON are taken from it."""
    program: str = "git"
    _settings: tuple[tuple[str, str], ...] | None = None
    _trusted: Path | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _stopped: bool = False

    # --- running ---------------------------------------------------------------------------------------------------

    def run(
        self,
        *args: str,
        at: Path | None = None,
        stdin: bytes = b"",
        network: bool = False,
        read_only: bool = True,
        extra: Mapping[str, str] = _NOTHING,
        whole: bool = False,
    ) -> bytes:
        """Run to the end and return stdout; a failure is a GitError with git's last words.

        `whole`: a complaint is a failure too, since some commands go on without what they could not read.
        """
        with tempfile.TemporaryFile() as errors:
            process = self._start(args, at, errors, network, read_only, fed=bool(stdin), extra=extra)
            try:
                out, _ = process.communicate(stdin or None)
            finally:
                self._ended(process)
            errors.seek(0)
            words = errors.read() if process.returncode or whole else b""
            if process.returncode or words:
                told = words.decode("utf-8", "replace")
                raise GitError(f"git {args[0]} failed: {last_words(words)}", detail=told, code=process.returncode)
            return out

    def run_telling(self, *args: str, at: Path | None = None, stdin: bytes = b"") -> str:
        """Run a network command for its effect and return what it said on stderr."""
        with tempfile.TemporaryFile() as errors:
            process = self._start(args, at, errors, network=True, read_only=False)
            try:
                process.communicate(stdin)
            finally:
                self._ended(process)
            errors.seek(0)
            words = errors.read().decode("utf-8", "replace")
        if process.returncode:
            raise GitError(f"git {args[0]} failed: {last_words(words.encode())}", detail=words)
        return words

    @contextmanager
    def stream(self, *args: str, at: Path, stdin: bytes = b"") -> Iterator[Stream]:
        """Start git and hand out its output; it is killed if the reader leaves early."""
        with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as given:
            # From a file and not through a pipe: git may answer before it has read all, and both sides would wait.
            given.write(stdin)
            given.seek(0)
            process = self._start(args, at, errors, network=False, read_only=True, given=given)
            assert process.stdout is not None
            try:
                yield Stream(process, cast("BufferedReader", process.stdout), errors)
            finally:
                if process.poll() is None:
                    process.kill()
                process.stdout.close()
                process.wait()
                self._ended(process)

    def stop(self) -> None:
        """Kill every git that runs: used when the user asks us to stop."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            process.terminate()

    def _start(
        self,
        args: Sequence[str],
        at: Path | None,
        errors: IO[bytes],
        network: bool,
        read_only: bool,
        fed: bool = True,
        extra: Mapping[str, str] = _NOTHING,
        given: IO[bytes] | None = None,
    ) -> subprocess.Popen[bytes]:
        where = [] if at is None else ["-C", str(at)]
        command = [self.program, "--no-pager", *where, *args]
        with self._lock:
            if self._stopped:
                raise Interrupted("Stopped.")
            try:
                process = subprocess.Popen(
                    command,
                    # With one pipe only, Python reads it in one go instead of by turns: much less CPU.
                    stdin=given or (subprocess.PIPE if fed else subprocess.DEVNULL),
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=self._sealed_environment(network, read_only) | _fenced(at) | dict(extra),
                )
            except FileNotFoundError:
                raise GitNotFound("The git program was not found.", "Install git 2.34 or newer.") from None
            except OSError as error:
                raise GitError(
                    f"git could not be started: {error.strerror}", "Look at the limits of the machine."
                ) from error
            self._running.add(process)
        return process

    def side_by_side(self, function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
        """What a function that waits for git answers to each item; an interrupt ends every git, and then the waiting."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            try:
                asked = [pool.submit(function, item) for item in items]
                # Again and again: a signal that the system hands to another thread does not wake this one.
                while wait(asked, timeout=LOOK_UP).not_done:
                    pass
            except BaseException:
                self.stop()
                raise
            return [one.result() for one in asked]

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        """A git that was told to stop did not end: what it said is cut short, whoever told it (Ctrl-C tells us both)."""
        with self._lock:
            self._running.discard(process)
        if self._stopped or process.returncode in _TOLD_TO_STOP:
            raise Interrupted("Stopped.")

    # --- sealing ---------------------------------------------------------------------------------------------------

    def _sealed_environment(self, network: bool, read_only: bool) -> dict[str, str]:
        found = {name: self.environment[name] for name in PASSED_ON if name in self.environment}
        found |= {
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self._trusted) if self._trusted else "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            # Left to itself, git flushes after each commit: tens of thousands of wake-ups on a long branch.
            "GIT_FLUSH": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "0" if network else "1",
            "GIT_ALLOW_PROTOCOL": PROTOCOLS if network else "none",
        }
        found.setdefault("GIT_SSH_COMMAND", SSH)
        if read_only:
            found["GIT_OPTIONAL_LOCKS"] = "0"
        settings = [*(self._settings or ()), *SEALED.items()]
        if any(key.lower() == "core.sshcommand" for key, _ in settings) and "GIT_SSH_COMMAND" not in self.environment:
            del found["GIT_SSH_COMMAND"]
        found["GIT_CONFIG_COUNT"] = str(len(settings))
        for number, (key, value) in enumerate(settings):
            found[f"GIT_CONFIG_KEY_{number}"] = key
            found[f"GIT_CONFIG_VALUE_{number}"] = value
        return found

    def take_user_settings(self, folder: Path) -> None:
        """Read what is passed on from the user's git config; trusted folders go into a file in `folder`,
        since git hands them to the process it starts in another repository in no other way.
        """
        if self._settings is not None:
            return
        pairs = [item.partition("\n") for item in self._user_config().split("\0") if item]
        found = [(key, value) for key, _, value in pairs if USER_SETTINGS.match(key)]
        self._settings = tuple(found)
        trusted = [value for key, value in found if key.lower() == "safe.directory"]
        if trusted:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / "trusted-folders.gitconfig"
            quoted = ('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in trusted)
            text = "[safe]\n" + "".join(f"\tdirectory = {value}\n" for value in quoted)
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
            self._trusted = path.resolve()

    def _user_config(self) -> str:
        """The user's and the machine's git config, asked where no repository is: GIT_DIR and the like are left behind."""
        own = {k: v for k, v in self.environment.items() if not k.startswith("GIT_") or k in _WHERE_CONFIG_IS}
        command = [
            self.program,
            "config",
            "--includes",
            "-z",
            "--get-regexp",
            r"^(http|credential|core|ssh|url|safe)\.",
        ]
        with tempfile.TemporaryDirectory() as nowhere:
            fence = {"GIT_CEILING_DIRECTORIES": str(Path(nowhere).parent), "LC_ALL": "C"}
            try:
                answer = subprocess.run(command, cwd=nowhere, capture_output=True, env=own | fence, check=False)
            except FileNotFoundError:
                raise GitNotFound("The git program was not found.", "Install git 2.34 or newer.") from None
        return answer.stdout.decode("utf-8", "surrogateescape")

    # --- small questions -------------------------------------------------------------------------------------------

    def version(self) -> tuple[int, ...]:
        """The program's version; raises when it is older than we can use."""
        words = self.run("--version").decode("utf-8", "replace")
        match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", words)
        found = tuple(int(part) for part in match.groups() if part) if match else (0, 0)
        if found[:2] < OLDEST_GIT:
            needed = ".".join(map(str, OLDEST_GIT))
            raise GitTooOld(f"git {'.'.join(map(str, found))} is too old.", f"Install git {needed} or newer.")
        return found

    def blob(self, at: Path, oid: str) -> bytes:
        """The content of one blob."""
        return self.run("cat-file", "blob", oid, at=at)

    def readable_blob(self, at: Path, oid: str) -> bool:
        """Whether the blob can be read to its end; nothing of it is kept."""
        with self.stream("cat-file", "blob", oid, at=at) as stream:
            while stream.output.read1(1 << 16):
                pass
            return stream.finish() == 0

    def missing(self, at: Path, oids: Sequence[str]) -> set[str]:
        """Those of the objects that are not on disk; nothing is fetched to find out."""
        if not oids:
            return set()
        with tempfile.TemporaryDirectory() as nowhere:
            lens = _repository_without_remotes(Path(nowhere))
            borrowed = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(at.resolve() / "objects")}
            answer = self.run(
                *("cat-file", "--batch-check", "--buffer"),
                at=lens,
                stdin=("\n".join(oids) + "\n").encode(),
                extra=borrowed,
            )
        return {line.split(b" ")[0].decode() for line in answer.splitlines() if line.endswith(b" missing")}


def _repository_without_remotes(folder: Path) -> Path:
    """An empty repository through which objects are looked at: cloned without blobs, the mirror itself would try to
    fetch what it lacks, and some versions of git end there.
    """
    (folder / "objects").mkdir()
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
    return folder


def _quoted(path: Path) -> str:
    """One entry of git's list of object folders, whatever characters it has."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _fenced(at: Path | None) -> dict[str, str]:
    """A folder that is no repository (any more) must not lead git to the one around it; and where no repository is
    asked, the one the user stands in has no say: its settings can name programs, such as `credential.helper`.
    """
    return {"GIT_DIR": os.devnull} if at is None else {"GIT_CEILING_DIRECTORIES": str(at.resolve().parent)}
