"""What the commands of a shell text use: variables set and read, flags of watched programs, pins, requests."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream import nodes, pins
from daybreak.upgrade.downstream.commands import (
    DEEPEST,
    Command,
    Word,
    base,
    commands,
    flags,
    guessed_program,
    launched,
    program_at,
)
from daybreak.upgrade.downstream.readers import Found, shifted

# --- Functions of a script that hand their own arguments on to a watched program: `serve() { vllm serve "$@"; }` ---


_HEAD = re.compile(
    r"^[ \t]{0,40}(?:function[ \t]{1,9})?([A-Za-z_][\w-]{0,60})[ \t]{0,9}(?:\([ \t]{0,9}\))[ \t\n]{0,9}\{", re.MULTILINE
)
_BODY_MOST = 4_000
"""Characters of a function that are looked at."""
_MOST = 200
"""Functions of a file that are looked at."""
_ALL = frozenset({"$@", "$*", "${@}", "${*}"})


def handing_on(text: str, wanted: Wanted) -> dict[str, str]:
    """Function -> the watched program that gets its arguments."""
    found: dict[str, str] = {}
    if not any(mark in text for mark in _ALL):
        return found
    for count, match in enumerate(_HEAD.finditer(text)):
        if count == _MOST:
            break
        end = text.find("\n}", match.end(), match.end() + _BODY_MOST)
        if end < 0:
            end = text.find("}", match.end(), match.end() + _BODY_MOST)
        for command in commands(text[match.end() : end]) if end > 0 else ():
            words = command.words
            if not any(word.text in _ALL for word in words):
                continue
            known = next((one for at in range(min(len(words), 20)) if (one := program_at(words, at, wanted))), None)
            if known:
                found[match[1]] = known[0]
    return found


Embedded = Callable[[str, str], Iterator[Found]]
"""Reads a text as the file of that name."""

_ASSIGNED = re.compile(r"([A-Za-z_]\w{0,100})(\+?=)(.*)", re.DOTALL)
_EXPANSION = re.compile(r"\$\{?([A-Za-z_]\w{0,100})(?:\[[@*]\])?(?:[:+-][^}]{0,200})?\}?")
_READ = re.compile(r"\$\{?!?([A-Za-z_]\w{0,100})")
_NAME = re.compile(r"[A-Za-z_]\w{0,100}")
_KEYWORDS = frozenset(
    ("if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "time", "exec", "command", "builtin")
)
_SETTERS = frozenset({"export", "declare", "typeset", "readonly", "local", "unset", "setenv", "printenv"})
_PACKAGERS = frozenset(
    {"pip", "pip3", "uv", "poetry", "pdm", "conda", "mamba", "micromamba", "pipx", "rye", "uvx", "pixi"}
)
_CONTAINERS = frozenset({"docker", "podman", "nerdctl", "nvidia-docker", "sudo-docker"})
_SILENT = frozenset(
    {
        "echo",
        "printf",
        "grep",
        "egrep",
        "fgrep",
        "rg",
        "ag",
        "sed",
        "awk",
        "gawk",
        "cat",
        "ls",
        "cd",
        "mkdir",
        "cp",
        "mv",
        "rm",
        "ln",
        "test",
        "[",
        "[[",
        "which",
        "type",
        "pkill",
        "pgrep",
        "kill",
        "killall",
        "log",
        "info",
        "warn",
        "error",
        "die",
        "usage",
        "fail",
        "help",
        "apt",
        "apt-get",
        "yum",
        "dnf",
        "apk",
        "brew",
        "npm",
        "yarn",
        "cargo",
        "make",
        "cmake",
        "ninja",
        "tar",
        "unzip",
        "chmod",
        "chown",
        "touch",
        "head",
        "tail",
        "sort",
        "uniq",
        "wc",
        "cut",
        "tr",
        "jq",
        "yq",
        "read",
        "trap",
        "source",
        ".",
        "return",
        "exit",
        "sleep",
        "wait",
        "alias",
        "case",
        "helm",
        "kustomize",
        "logger",
        "notify",
        "gh",
        "az",
        "gcloud",
        "aws",
        "systemctl",
        "journalctl",
        "dirname",
        "basename",
        "find",
        "diff",
        "say",
    }
)
"""Heads whose arguments are not run."""
_INTERPRETED = frozenset(
    {"bash", "sh", "zsh", "dash", "ksh", "eval", "ssh", "su", "tmux", "screen", "watch", "srun", "parallel", "xargs"}
)
_RUNNERS = frozenset(
    {"sudo", "nohup", "nice", "timeout", "numactl", "taskset", "mpirun", "mpiexec", "nsys", "ncu", "setsid", "stdbuf", "tini",
     "dumb-init", "kubectl", "oc", "gosu", "chroot", "singularity", "apptainer", "strace", "catchsegv", "run", "launch"}
)  # fmt: skip
"""Programs that start the one named after their options."""
_ENDS_OPTIONS = frozenset({"--", "-c", "-it", "-d", "-i", "-t", "--rm", "-m"})
_CHOOSERS = frozenset({"--backend", "--engine", "--framework", "--name", "--app", "--model", "--runtime", "--label"})
_RUNS_MOST = 12
"""Programs that start programs on one line."""
_EXPANDED_MOST = 20_000
"""Words that variables may add in one file."""


class Shell:
    """Reads the commands of one text; remembers what its variables were set to."""

    def __init__(self, wanted: Wanted, embedded: Embedded | None = None) -> None:
        self.wanted = wanted
        self.embedded = embedded
        self.variables: dict[str, list[Word]] = {}
        self.functions: dict[str, str] = {}
        self.left = _EXPANDED_MOST
        self.prefixes = tuple(wanted.variables)

    def read(self, text: str, line: int = 1, depth: int = 0) -> Iterator[Found]:
        """Everything a text uses; assignments are noted first, since functions may come before what they read."""
        found = commands(text, line)
        self.functions |= handing_on(text, self.wanted)
        for command in found:
            self.note(command)
        for command in found:
            yield from self.command(command, depth)

    def note(self, command: Command) -> None:
        words = command.words
        for at, word in enumerate(words[:4]):
            if word.text.endswith("=("):
                name = word.text[:-2].removesuffix("+")
                self.variables.setdefault(name, []).extend(words[at + 1 : at + 2000])
                return
        for word in words[:50]:
            match = _ASSIGNED.fullmatch(word.text)
            if match is None:
                if word.text not in _SETTERS and word.text != "env":
                    break
                continue
            known = self.variables.setdefault(match[1], [])
            if len(known) < 2000 and match[3]:
                known += [Word(match[3], word.line, word.literal)]

    def command(self, command: Command, depth: int) -> Iterator[Found]:
        words = command.words
        for word in words:
            if not word.literal and "$" in word.text:
                yield from self.reads(word)
        yield from self.run(words, depth)
        for body in command.bodies:
            yield from self.here(command, body.text, body.line, depth)

    def reads(self, word: Word) -> Iterator[Found]:
        for match in _READ.finditer(word.text[:10_000]):
            if match[1].startswith(self.prefixes):
                yield Found("env", match[1], word.line + word.text.count("\n", 0, match.start()))

    def assigned(self, word: Word, *, bare: bool = False) -> Iterator[Found]:
        match = _ASSIGNED.fullmatch(word.text)
        if match and match[1].startswith(self.prefixes):
            yield Found("env", match[1], word.line, match[3])
        elif bare and _NAME.fullmatch(word.text) and word.text.startswith(self.prefixes):
            yield Found("env", word.text, word.line)

    def run(self, words: Sequence[Word], depth: int) -> Iterator[Found]:
        at = 0
        while at < len(words) and (
            _ASSIGNED.fullmatch(words[at].text) or base(words[at].text) in _KEYWORDS or words[at].text.startswith("{{")
        ):
            yield from self.assigned(words[at])
            at += 1
        if at == len(words) or words[0].text.endswith("=(") or depth > _RUNS_MOST:
            return
        words = self.expanded(words[at:])
        head = base(words[0].text)
        if head in _SETTERS or head == "env":
            yield from self.setter(words, depth)
        elif head in nodes.SENDERS:
            yield from nodes.of_curl(words)
        elif head in _CONTAINERS:
            yield from (
                self.entered(words, depth)
                if "exec" in (one.text for one in words[1:4])
                else self.container(words, depth)
            )
        elif head == "git" and any(word.text == "clone" for word in words[1:6]):
            yield from pins.of_clone(words[1:], self.wanted, self.variables)
        elif head in self.functions:
            yield from flags(words[1:], self.functions[head])
        elif head == "eval" and len(words) > 2:
            # It joins its words: a quote inside a quoted command ends the word and not the command.
            parts = [part for one in words[1:] for inner in commands(one.text, one.line) for part in inner.words]
            yield from self.run(parts, depth + 1)
        elif head not in _SILENT:
            yield from self.started(words, depth)

    def setter(self, words: Sequence[Word], depth: int) -> Iterator[Found]:
        for i, word in enumerate(words[1:], 1):
            if words[0].text == "setenv" and i == 1 and word.text.startswith(self.prefixes):
                yield Found("env", word.text, word.line, words[2].text if len(words) > 2 else None)
                return
            given = word.text.startswith("-") or words[i - 1].text in ("-u", "--unset")
            if words[0].text == "env" and not given and not _ASSIGNED.fullmatch(word.text):
                yield from self.run(words[i:], depth + 1)
                return
            yield from self.assigned(word, bare=True)

    def started(self, words: Sequence[Word], depth: int) -> Iterator[Found]:
        """A command that runs a watched program, itself or through others: `timeout 30 srun vllm serve …`."""
        if base(words[0].text) in ("kubectl", "oc"):
            yield from self.pod(words, depth)
        packaged = list(self.packages(words))
        yield from packaged
        if packaged and not any(word.text == "run" for word in words[:6]):
            return
        for at in range(min(len(words), 60)):
            if at:
                yield from self.assigned(words[at], bare=words[at - 1].text in ("-e", "--env", "-x"))
            if at and base(words[at].text) in _CONTAINERS:
                yield from self.container(words[at:], depth)
                return
            known = self.program(words, at)
            if known:
                yield from launched(words, known)
                return
            if depth < DEEPEST and at and any(mark in words[at].text for mark in " \n"):
                yield from self.inner(words, at, depth)

    def pod(self, words: Sequence[Word], depth: int) -> Iterator[Found]:
        """`kubectl run NAME --image=IMAGE --env=VAR=1 -- ARGS`."""
        program = None
        for before, word in itertools.pairwise(words):
            flag, _, value = word.text.partition("=")
            given = word._replace(text=value) if flag in ("--image", "--env") else word
            if flag == "--env" or before.text == "--env":
                yield from self.assigned(given)
            known = pins.image(pins.expanded(given.text, self.variables), self.wanted)
            if known and "--image" in (flag, before.text):
                yield Found("pin", known[1].project, word.line, known[1].value)
                program = self.wanted.images[known[0]]
        end = next((i for i, word in enumerate(words) if word.text == "--"), len(words))
        if program is not None and end + 1 < len(words):
            yield from self.passed(words[end + 1 :], program, depth)

    def program(self, words: Sequence[Word], at: int) -> tuple[str, int] | None:
        """The watched program that a word starts; as an argument (`--backend vllm`, `pip remove vllm`) it starts none."""
        known = program_at(words, at, self.wanted)
        if known is None or not at:
            return known
        value = words[at - 1].text.startswith("-") and words[at - 1].text not in _ENDS_OPTIONS
        if " " in known[0]:
            return None if value and words[at - 1].text in _CHOOSERS else known
        before = {base(word.text) for word in words[:at]}
        runs = before & (_RUNNERS | _INTERPRETED | _CONTAINERS)
        return known if runs and not value and not before & (_SILENT | _PACKAGERS) else None

    def inner(self, words: Sequence[Word], at: int, depth: int) -> Iterator[Found]:
        """A word that is itself a text to run: `bash -c "…"`, `python -c "…"`."""
        word, before = words[at], words[at - 1].text
        head = base(words[0].text)
        shells = any(base(one.text) in _INTERPRETED for one in words[:at])
        if before == "-c" and not shells and self.embedded and "python" in head:
            yield from shifted(self.embedded("inline.py", word.text), word.line - 1)
        elif shells:
            yield from self.read(word.text, word.line, depth + 1)
        elif word.text.startswith("--wrap="):
            yield from self.read(word.text.partition("=")[2], word.line, depth + 1)

    def packages(self, words: Sequence[Word]) -> Iterator[Found]:
        for at, word in enumerate(words[:8]):
            follows = {one.text for one in words[at + 1 : at + 4]}
            if base(word.text) in _PACKAGERS and follows & {"install", "add", "download", "wheel", "run", "--with"}:
                yield from pins.of_words(words[at + 1 :], self.wanted, self.variables)
                return

    def entered(self, words: Sequence[Word], depth: int) -> Iterator[Found]:
        """`docker exec -e VAR=1 NAME COMMAND`: the name is not started, the command is."""
        at = next(i for i, word in enumerate(words) if word.text == "exec") + 1
        while at < len(words) and words[at].text.startswith("-"):
            valued = words[at].text in ("-e", "--env", "-w", "--workdir", "-u", "--user", "--index")
            if valued and at + 1 < len(words):
                yield from self.assigned(words[at + 1], bare=True)
            at += 1 + valued
        yield from self.run(words[at + 1 :], depth + 1)

    def container(self, words: Sequence[Word], depth: int) -> Iterator[Found]:
        """`docker run -e VAR=1 IMAGE ARGS`: variables, the image's tag, and the arguments if the image is watched."""
        for i, word in enumerate(words[1:], 1):
            value = word.text.partition("=")[2] if word.text.startswith(("--env=", "-e=")) else word.text
            yield from self.assigned(word._replace(text=value), bare=words[i - 1].text in ("-e", "--env"))
            known = (
                None if word.text.startswith("-") else pins.image(pins.expanded(word.text, self.variables), self.wanted)
            )
            if known and words[1].text not in ("run", "create", "pull", "exec", "compose"):
                return
            if known:
                yield Found("pin", known[1].project, word.line, known[1].value)
                entry = self.entrypoint(words[:i])
                yield from self.passed([*entry, *words[i + 1 :]], self.wanted.images[known[0]], depth)
                return
            started = self.program(words, i)
            if started:
                yield from launched(words, started)
                return
            if depth < DEEPEST and " " in word.text and words[i - 1].text in ("-c", "-lc", "-ic", "-ec", "-exc"):
                yield from self.read(word.text, word.line, depth + 1)
        program = guessed_program(words, self.wanted) if len(words) > 1 and words[1].text == "run" else None
        if program:
            yield from flags([one for one in words if self.setting(one, program)], program)

    def setting(self, word: Word, program: str) -> bool:
        return word.text[2:].partition("=")[0].replace("_", "-") in self.wanted.settings[program]

    def entrypoint(self, words: Sequence[Word]) -> list[Word]:
        for i, word in enumerate(words):
            if word.text == "--entrypoint" and i + 1 < len(words):
                return [words[i + 1]]
            if word.text.startswith("--entrypoint="):
                return [word._replace(text=word.text.partition("=")[2])]
        return []

    def passed(self, words: Sequence[Word], program: str, depth: int) -> Iterator[Found]:
        """The arguments of a container whose image starts `program`."""
        words = self.expanded(words)
        if not words:
            return
        if program and (words[0].text.startswith("-") or not self.names_command(words)):
            yield from flags(words, program)
        else:
            yield from self.run(words, depth + 1)

    def names_command(self, words: Sequence[Word]) -> bool:
        head = base(words[0].text)
        return head in _INTERPRETED or program_at(words, 0, self.wanted) is not None or head.startswith("python")

    def expanded(self, words: Sequence[Word]) -> list[Word]:
        """Words with `$ARGS` and `"${ARGS[@]}"` replaced by what the file puts in them, each on its own line."""
        given: list[Word] = []
        for word in words:
            match = None if word.literal else _EXPANSION.fullmatch(word.text)
            known = self.variables.get(match[1], []) if match else []
            if not known or self.left <= 0:
                given.append(word)
                continue
            for value in known:
                parts = [one for command in commands(value.text, value.line) for one in command.words]
                self.left -= len(parts) + 1
                given += parts if self.left > 0 else []
        return given or list(words)

    def here(self, command: Command, text: str, line: int, depth: int) -> Iterator[Found]:
        """A here-document: a script when it is run or written as one, nothing when it is only shown."""
        heads = {base(word.text) for word in command.words[:6]}
        written = [*command.targets, *(word.text for word in command.words[1:])]
        name = next((one for one in written if re.search(r"\.\w{1,8}$", one)), "")
        if heads & _INTERPRETED and depth < DEEPEST:
            yield from self.read(text, line, depth + 1)
        elif self.embedded and depth < DEEPEST:
            name = "x.yaml" if heads & {"kubectl", "oc"} else name
            name = "x.py" if any(one.startswith("python") for one in heads) else name
            name = "Dockerfile" if heads & _CONTAINERS else name
            if name:
                yield from shifted(self.embedded(name.rpartition("/")[2], text), line - 1)
