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
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, TypeVar, cast

from daybreak.core import address, git_watch
from daybreak.core.address import readable
from daybreak.core.errors import GitError, GitNotFound, GitTooOld, Interrupted
from daybreak.core.git_watch import FAULTS, WATCH, Faults, Limits, Output, Watched, at_end, end_seen, is_fault, told_to

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
UNSEEN = 255
"""Exit code of a git whose end nobody saw."""
_BUFFER = 1 << 16
_PROGRESS = re.compile(r"(?:remote: )?[A-Z][a-z ]+: +\d+(?:% \(\d+/\d+\).*|, done\.)?\s*$")
"""`Receiving objects:  12% (3/25), 1.2 MiB`, `remote: Enumerating objects: 25, done.`"""
_NOTHING: Mapping[str, str] = {}
_WHERE_CONFIG_IS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


@dataclass(slots=True)
class Stream:
    """A running git whose output is read piece by piece."""

    process: subprocess.Popen[bytes]
    output: BufferedReader
    errors: IO[bytes]
    ending: Callable[[], int]
    """Waits for the end; the exit code, or `UNSEEN`."""
    code: int | None = None

    def finish(self) -> int:
        """Wait for the end; the exit code, another than git's own when its end was not seen."""
        self.output.close()
        self.code = self.ending()
        return self.code

    def lacks(self) -> None:
        """It said less than it was asked for: however it ended, its end is not to be believed."""
        self.code = self.finish() or UNSEEN

    def last_words(self) -> str:
        self.errors.seek(0)
        return last_words(self.errors.read())


def last_words(stderr: bytes) -> str:
    """The line of git's messages that tells what went wrong."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "ssh:"))] or lines
    return readable(re.sub(r"^(fatal|error): ", "", telling[0] if telling else ""))


@dataclass(slots=True)
class _Run:
    """One git from its start to its end."""

    args: Sequence[str]
    at: Path | None
    process: subprocess.Popen[bytes]
    errors: IO[bytes]
    end: IO[bytes]
    watched: Watched

    @property
    def name(self) -> str:
        """The command, settings before it left out."""
        return next(iter(self.args[2 if self.args[0] == "-c" else 0 :]), "")

    def words(self) -> str:
        """What git said, without its hundred lines of how far it is."""
        self.errors.seek(0)
        said = self.errors.read().decode("utf-8", "replace")
        return "\n".join(line for line in said.splitlines() if not _PROGRESS.match(line))

    def failure(self, code: int) -> GitError:
        """What went wrong, with git's own words."""
        late, words = self.watched.late, self.words()
        if late:
            return GitError(f"git {self.name} {late}", detail=f"timed out: {words}", code=code)
        if code == UNSEEN and not words.strip():
            words = "it ended in the middle"
        return GitError(f"git {self.name} failed: {last_words(words.encode())}", detail=words, code=code)


@dataclass(slots=True)
class Git:
    """The git program with a sealed environment; safe to use from several threads."""

    environment: Mapping[str, str]
    """The user's environment; only the names in PASSED_ON are taken from it."""
    program: str = "git"
    limits: Limits = field(default_factory=lambda: git_watch.LIMITS)
    faults: Faults = FAULTS
    _settings: tuple[tuple[str, str], ...] | None = None
    _trusted: Path | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _silent: set[Path | tuple[str, ...]] = field(default_factory=set)
    """Places whose server ran out of time: it is not waited for again."""
    _graphless: set[Path] = field(default_factory=set)
    _stopped: bool = False
    _tells_end: bool | None = None

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
        with self._begun(args, at, network, read_only, fed=bool(stdin), extra=extra) as run:
            out, _ = run.process.communicate(stdin or None)
            code = self._code(run) or (UNSEEN if git_watch.cut_short(args, out, stdin) else 0)
            if code or (whole and run.words()):
                raise self._noted(run, code)
            return out

    def run_telling(self, *args: str, at: Path | None = None, stdin: bytes = b"") -> str:
        """Run a network command for its effect and return what it said on stderr."""
        with self._begun(args, at, network=True, read_only=False) as run:
            run.process.communicate(stdin)
            if code := self._code(run):
                raise self._noted(run, code)
            return run.words()

    @contextmanager
    def stream(self, *args: str, at: Path, stdin: bytes = b"") -> Iterator[Stream]:
        """Start git and hand out its output; it is killed if the reader leaves early."""
        with tempfile.TemporaryFile() as given:
            # From a file and not through a pipe: git may answer before it has read all, and both sides would wait.
            given.write(stdin)
            given.seek(0)
            with self._begun(args, at, network=False, read_only=True, given=given) as run:
                raw = cast("RawIOBase", cast("BufferedReader", run.process.stdout).raw)
                said = Output(raw, run.watched)
                output = cast("BufferedReader", BufferedReader(said, _BUFFER))

                def ending() -> int:
                    run.process.wait()
                    return self._code(run) or (UNSEEN if git_watch.within_a_row(args, said.last) else 0)

                stream = Stream(run.process, output, run.errors, ending)
                try:
                    yield stream
                finally:
                    if stream.code is None and at_end(output):
                        stream.code = ending()
                    if stream.code and is_fault(stream.code, run.words()):
                        self.faults.add(at, run.name, run.words())
                    output.close()

    def stop(self) -> None:
        """Kill every git that runs: used when the user asks us to stop."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            process.terminate()

    def leave_graph(self, at: Path) -> None:
        """Read the history of a place from its commits alone: a commit-graph there cannot be believed."""
        self._graphless.add(at)

    @contextmanager
    def _begun(
        self,
        args: Sequence[str],
        at: Path | None,
        network: bool,
        read_only: bool,
        fed: bool = True,
        extra: Mapping[str, str] = _NOTHING,
        given: IO[bytes] | None = None,
    ) -> Iterator[_Run]:
        """A git that is watched until it has ended; one whose reader has left is killed."""
        if network and (asked := at or tuple(args)) in self._silent:
            raise GitError(f"git {args[0]} was not tried again", detail="timed out before")
        moves = network and "--progress" in args
        whole = self.limits.of_server(args) if network else self.limits.reading
        with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as end:
            command = [self.program, "--no-pager", *([] if at is None else ["-C", str(at)]), *args]
            environment = self._sealed_environment(network, read_only, at) | _fenced(at) | dict(extra)
            process = self._start(command, environment, given or (subprocess.PIPE if fed else None), errors, end)
            # One that is read piece by piece waits for us more than we for it.
            watched = Watched(process, errors, self.limits, None if given else whole, network, moves)
            WATCH.begin(watched)
            try:
                yield _Run(args, at, process, errors, end, watched)
            finally:
                if process.poll() is None:
                    process.kill()
                if process.stdout:
                    process.stdout.close()
                process.wait()
                WATCH.end(watched)
                if network and watched.late:
                    self._silent.add(asked)
                self._ended(process)

    def _start(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        stdin: IO[bytes] | int | None,
        errors: IO[bytes],
        end: IO[bytes],
    ) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise Interrupted("Stopped.")
            try:
                process = subprocess.Popen(
                    command,
                    # With one pipe only, Python reads it in one go instead of by turns: much less CPU.
                    stdin=subprocess.DEVNULL if stdin is None else stdin,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env={**environment, **told_to(end)},
                    pass_fds=(end.fileno(),),
                )
            except FileNotFoundError:
                raise GitNotFound("The git program was not found.", "Install git 2.34 or newer.") from None
            except OSError as error:
                raise GitError(
                    f"git could not be started: {error.strerror}", "Look at the limits of the machine."
                ) from error
            self._running.add(process)
        return process

    def _code(self, run: _Run) -> int:
        """The exit code; `UNSEEN` where somebody else ended it, or something else than git answered."""
        code = run.process.returncode
        if code in _TOLD_TO_STOP or self._stopped:
            raise Interrupted("Stopped.")
        return code if code < 0 or end_seen(run.end, code) or not self._ends_are_told() else UNSEEN

    def _ends_are_told(self) -> bool:
        """Whether git on this machine tells its end at all: asked once, when one is missed."""
        if self._tells_end is None:
            with tempfile.TemporaryFile() as end:
                environment = self._sealed_environment(network=False, read_only=True, at=None)
                process = self._start([self.program, "--version"], environment, None, end, end)
                process.communicate()
                self._running.discard(process)
                self._tells_end = end_seen(end, process.returncode)
        return self._tells_end

    def _noted(self, run: _Run, code: int) -> GitError:
        if is_fault(code, run.words()):
            self.faults.add(run.at, run.name, run.words())
        return run.failure(code)

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

    def _sealed_environment(self, network: bool, read_only: bool, at: Path | None) -> dict[str, str]:
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
        settings += [("core.commitGraph", "false")] if at in self._graphless else []
        if network:
            helpers, secrets = address.for_git(self.environment)
            settings, found = [*helpers, *settings], found | secrets
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
        self.version()  # a git that is too old is told before anything is asked of it
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
            given = ("\n".join(oids) + "\n").encode()
            try:
                answer = self.run("cat-file", "--batch-check", "--buffer", at=lens, stdin=given, extra=borrowed)
            except GitError:
                self.faults.take(lens)
                self.faults.add(at, "cat-file")
                raise
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
