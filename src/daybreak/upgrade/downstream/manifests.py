"""What a tree of keys and values uses, whatever wrote it: Kubernetes, Helm, compose files, workflows, rules, settings.

One reading for all of them: an image, a command, an environment, a query or a script is known by its key and its
form, not by the schema of the file. A flag belongs to the program its own container or list starts.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence

from daybreak.core.projects import Wanted
from daybreak.core.versions import normalised
from daybreak.upgrade.downstream import nodes, pins
from daybreak.upgrade.downstream.commands import Word, commands, flags, guessed_by, guessed_program, watched_module
from daybreak.upgrade.downstream.data_files import carried
from daybreak.upgrade.downstream.nodes import Node
from daybreak.upgrade.downstream.readers import Found, shifted
from daybreak.upgrade.downstream.shell_commands import Embedded, Shell

_RUN = frozenset(
    {"run", "script", "before_script", "after_script", "commands", "cmd", "command", "setup", "install", "entrypoint",
     "bash_command", "exec", "start", "test", "healthcheck", "cmds", "before_install", "shell", "bash", "args",
     "initialization_commands", "setup_commands", "head_start_ray_commands", "run_cmd", "serve_command", "inlinescript"}
)  # fmt: skip
"""Keys whose text is run by a shell."""
_COMMAND = ("command", "entrypoint", "cmd", "Entrypoint", "Cmd")
_ARGS = re.compile(r"(?:\w{0,30}[_-]?)(?:[aA]rgs|ARGS|[fF]lags|[aA]rguments|[cC]ommand|cmd)")
_OF_PROGRAM = (
    r"(?:[-_]?(?:config|args|arguments|extra|engine|serve|options|spec|settings|flags|params|values|runtime)\w{0,30})?"
)
"""What may follow the name of a program in a key: `vllmConfig`, `vllm_args`."""
_ENGINES = re.compile(r"(?i)\w{0,30}(?:engine|backend|runtime|framework)(?:type|name)?")
"""Keys whose value is the program that the rest of the map is for."""
_PROSE = frozenset({"description", "summary", "message", "title", "help", "runbook_url", "note", "notes", "comment"})
_SETTINGS = r"(?:engine|llm|server|runtime|extra_engine|backend|model|PROGRAM)[_-]?(?:kwargs|args|config|options|settings|Args|Config|Kwargs)"
_QUERIES = frozenset(
    {"expr", "query", "metric", "metrics", "metricName", "seriesQuery", "metricsQuery", "definition", "promql"}
)
_ROUTE_KEYS = frozenset({"metrics_path", "uri", "route", "endpoint", "healthCheckPath", "url", "health_check_path"})
_ASKING = frozenset(
    {"httpGet", "paths", "healthcheck", "healthCheck", "health_check", "endpoints", "podMetricsEndpoints", "uri", "match",
     "http", "routes", "route", "livenessProbe", "readinessProbe", "startupProbe", "readiness_probe", "liveness_probe"}
)  # fmt: skip
"""Keys under which a `path` is asked of a server, not found on a disk."""
_FILE_KEY = re.compile(r"[\w.-]{1,100}\.(?:sh|bash|ya?ml|json|py|toml|env|rules|ini|conf|cfg|txt)|Dockerfile|\.env")
_FOLD = re.compile(r"(?<=[^\n\\])\n(?=[^\n])")
"""A line end that folding takes away; an empty line stays one."""
_DEEPEST = 80
_SETTINGS_MOST = 200_000
"""Characters of a file of settings; a larger one is data."""
Frame = tuple[Node, str, str, str | None, int]
Telling = Generator[Found, None, str | None]
"""Uses as they are found; what is returned is the program that flags further down are for."""


class Manifest:
    """Reads the trees of one file."""

    def __init__(self, text: str, wanted: Wanted, embedded: Embedded | None, program: str | None = None) -> None:
        self.wanted = wanted
        self.embedded = embedded
        self.prefixes = tuple(wanted.variables)
        self.metric = nodes.prefixes(wanted)
        names = {*wanted.packages, *wanted.programs, *wanted.images, *wanted.repositories}
        known = sorted((re.escape(one) for one in names if len(one) > 3), key=len, reverse=True)
        self.named = re.compile("|".join(known) or r"(?!)")
        runs = "|".join(re.escape(one) for one in sorted(wanted.programs)) or r"(?!)"
        roots = "|".join(re.escape(one) for one in sorted(wanted.packages)) or r"(?!)"
        self.starts = re.compile(
            rf"^\s{{0,60}}(?:[A-Z_]\w{{0,60}}=\S{{0,100}} |exec |sudo ){{0,10}}(?:[\w./-]{{0,100}}/)?(?:{runs}) [\w-]|\s-m (?:{roots})[.\s]",
            re.MULTILINE,
        )
        """A text under any key that starts a watched program."""
        self.engine = re.compile(_SETTINGS.replace("PROGRAM", runs))
        """A key of settings for an engine, or for a watched program by its name."""
        self.about = self.named.search(text) is not None
        self.program = program
        self.told = [one for one in wanted.settings if re.search(rf"\b{_first(one)}(?![a-z])", text)]
        self.fallback = self.told[0] if len(self.told) == 1 else None
        """The program of a container whose image is a template: the only one the file names."""
        self.keys = {one: re.compile(_first(one) + _OF_PROGRAM, re.IGNORECASE) for one in self.told}
        self.own: frozenset[str] = frozenset()

    def mentions(self, text: str) -> bool:
        """Whether anything watched can be in a text: a cheap look before a costly one."""
        if self.named.search(text) or any(one in text for one in (*self.prefixes, *self.metric)):
            return True
        dashed = text.replace("_", "-") if len(text) < _SETTINGS_MOST else ""
        return any(sum(key in dashed for key in keys) > 1 for keys in self.wanted.settings.values())

    def read(self, trees: Sequence[Node]) -> Iterator[Found]:
        """Everything the trees use."""
        self.own = frozenset(name for tree in trees for name in _recorded(tree))
        for tree in trees:
            waiting: list[Frame] = [(tree, "", "", self.program, 0)]
            while waiting:
                node, key, parent, program, depth = waiting.pop()
                if depth > _DEEPEST:
                    continue
                if node.text is not None:
                    yield from self.scalar(node, key, parent)
                elif node.pairs:
                    program = yield from self.mapping(node, key, program)
                    handled = {"command", "args", "entrypoint", "cmd", "image"} if self.is_container(node) else set()
                    inner = [(v, k, key, program, depth + 1) for k, _, v in node.pairs if k not in handled or v.pairs]
                    waiting += reversed(inner)
                else:
                    yield from self.listed(node, key, program or self.called(key))
                    waiting += reversed([(item, key, parent, program, depth + 1) for item in node.items])

    # --- maps ----------------------------------------------------------------------------------------------------

    def is_container(self, node: Node) -> bool:
        return any(key in ("image", "module", "args", *_COMMAND) for key, _, _ in node.pairs)

    def called(self, key: str) -> str | None:
        """The program that a key names."""
        return next((one for one, pattern in self.keys.items() if pattern.fullmatch(key)), None)

    def engine_of(self, node: Node) -> str | None:
        """The program that a map says it is for: `engine: vllm`."""
        told = (value.text for key, _, value in node.pairs if value.text and _ENGINES.fullmatch(key))
        return next((self.called(text) for text in told if len(text) < 40), None)

    def is_foreign(self, node: Node) -> bool | None:
        """Whether a container has somebody else's image; None when a template decides."""
        image = node.get("image")
        if image is None or not image.text:
            return False
        return None if "{{" in image.text or "$" in image.text else True

    def mapping(self, node: Node, key: str, program: str | None) -> Telling:
        """Yields what a map says and returns the program its flags are for."""
        for name, line, value in node.pairs:
            if name.startswith(self.prefixes) and re.fullmatch(r"[A-Z0-9_]{3,100}", name):
                yield Found("env", name, line, value.text)
            if value.text is not None and name.isupper():
                yield from carried(name, value.text, value.line, self.wanted)
        named = node.get("name", "key")
        if named is not None and named.text and named.text.startswith(self.prefixes):
            given = node.get("value", "default")
            yield Found("env", named.text, named.line, given.text if given is not None else None)
            yield from carried(named.text, given.text, given.line, self.wanted) if given is not None else ()
        yield from self.chart(node) if key == "dependencies" else ()
        image = yield from self.image(node)
        foreign = self.is_foreign(node)
        if foreign is not False:
            program = None if foreign else program or self.fallback
        program = image or program or self.called(key) or self.engine_of(node)
        if self.is_container(node):
            started = yield from self.container(node, image, program)
            program = started or program
        yield from self.settings(node, key, program)
        return program

    def chart(self, node: Node) -> Iterator[Found]:
        """A dependency of a Helm chart that is called as a watched project is."""
        name, number = node.get("name"), node.get("version")
        if name is None or number is None or node.get("repository") is None or not name.text or not number.text:
            return
        if (project := normalised(name.text)) in self.wanted.projects:
            bounds = number.text.strip()
            yield Found("pin", project, number.line, bounds if bounds[:1] in "=~^<>" else f"=={bounds}")

    def image(self, node: Node) -> Telling:
        """A watched image, in one string or as repository and tag; of Kustomize by its new name, or the one it stands for."""
        given = node.get("image", "imageName", "container_image", "docker_image", "repository", "image_id", "imageURI")
        given = given or (node.get("newName") or node.get("name") if node.get("newTag") is not None else None)
        if given is None or given.pairs or not given.text:
            inner = given.get("repository", "name") if given is not None else None
            if inner is None or given is None or not inner.text:
                return None
            node, given = given, inner
        text = given.text or ""
        tag = node.get("tag", "version", "imageTag", "newTag")
        joined = f"{text}:{tag.text}" if tag is not None and tag.text and given is not node.get("image") else text
        if text.lower() in self.wanted.sources and (ref := node.get("ref", "revision", "rev", "branch")) is not None:
            yield Found("pin", self.wanted.sources[text.lower()], ref.line, f"@{ref.text}" if ref.text else None)
        known = pins.image(re.sub(r"^docker:(?://)?", "", joined.strip()), self.wanted)
        if known is None:
            return None
        line = tag.line if joined != text and tag is not None else given.line
        yield Found("pin", known[1].project, line, known[1].value)
        return self.wanted.images[known[0]] or None

    def container(self, node: Node, image: str | None, program: str | None) -> Telling:
        """Command and arguments of one container; returns the program they are for."""
        args = node.get("args", "Args", "arguments")
        module = node.get("module")
        if module is not None and module.text and watched_module(module.text, self.wanted):
            yield from flags(_words(args), f"python -m {module.text}")
            return f"python -m {module.text}"
        words: list[Word] = []
        for part in (node.get("entrypoint", "Entrypoint"), node.get("command", "cmd", "Cmd"), args):
            given = _command_line(part)
            words += given or []
            if given is None and part is not None:
                yield from self.script(part)
        if not words:
            return None
        shell = Shell(self.wanted, self.embedded)
        for word in words:
            yield from shell.reads(word)
        if not words[0].text.startswith("-"):
            yield from shell.passed(words, image or "", 0)
            return None
        name = image or guessed_program(words, self.wanted, self.told) or program
        yield from shell.passed(words, name, 0) if name else ()
        return name

    def settings(self, node: Node, key: str, program: str | None) -> Iterator[Found]:
        """Keys that become flags: of a map named for an engine, or of one that two such keys give away."""
        names = {name.lstrip("-").replace("_", "-") for name, _, _ in node.pairs}
        known = guessed_by(names, self.wanted, self.told)
        hinted = self.about and self.engine.fullmatch(key) is not None
        given = self.program is not None and key == ""
        if known is None and not hinted and not given:
            return
        program = known or program or self.fallback
        for name, line, value in node.pairs:
            if re.fullmatch(r"-{0,2}[A-Za-z][\w.-]{1,80}", name):
                text = value.text if value.text is not None and len(value.text) < 200 else None
                yield Found("config_key", name.lstrip("-"), line, text, program)
                for inner, inner_line, deeper in value.pairs if _is_group(name) else ():
                    yield Found("config_key", f"{name}.{inner}", inner_line, deeper.text, program)

    # --- lists and scalars ---------------------------------------------------------------------------------------

    def listed(self, node: Node, key: str, program: str | None) -> Iterator[Found]:
        """A list of bare flags under a key that says so."""
        words = _words(node)
        shell = Shell(self.wanted, self.embedded)
        if words and words[0].text == "CMD":
            yield from shell.run(words[1:], 0)
        if not words or not _ARGS.fullmatch(key):
            return
        if not words[0].text.startswith("-"):
            if any(" " in word.text for word in words):  # a list of lines, each run by itself: read as scalars
                return
            yield from shell.run(words, 0)
            return
        name = guessed_program(words, self.wanted, self.told) or program
        if name:
            yield from shell.passed(words, name, 0)

    def scalar(self, node: Node, key: str, parent: str) -> Iterator[Found]:
        text = node.text or ""
        if len(text) < 3:
            return
        if self.embedded and _FILE_KEY.fullmatch(key) and "\n" in text:
            yield from _placed(self.embedded(key, text), node)
            return
        if key in _PROSE or key == "record":
            return
        asking = key in _QUERIES
        yield from _placed(nodes.metrics(text, 1, self.wanted, self.own, query=asking), node)
        asked = key in _ROUTE_KEYS or (key in ("path", "prefix", "exact") and parent in _ASKING)
        if asked and text.startswith(("/", "http")) and self.about:
            route = nodes.route(text) if text.startswith("/") else nodes.url_route(text)
            yield from [Found("route", route, node.line)] if route else []
        yield from self.pin(node, key)
        if key in _RUN or self.starts.search(text):
            yield from self.script(node)
        elif "_" in text:
            yield from self.variables(
                node, bare=key.lower() in ("env", "environment", "passenv", "pass_env", "env_vars")
            )

    def pin(self, node: Node, key: str) -> Iterator[Found]:
        text = node.text or ""
        if key in ("dependencies", "pip", "packages", "requirements", "pip_packages", "additional_dependencies"):
            found = pins.requirement(_conda(text), self.wanted)
            if found:
                yield Found("pin", found.project, node.line, found.value)

    def variables(self, node: Node, *, bare: bool) -> Iterator[Found]:
        """`VLLM_X=1` in a list, `$VLLM_X` in a value."""
        shell = Shell(self.wanted)
        word = Word(node.text or "", node.line)
        yield from shell.assigned(word, bare=bare)
        yield from shell.reads(word)

    def script(self, node: Node) -> Iterator[Found]:
        """A text that a shell runs; one of bare flags is for the program they give away."""
        text = _joined(node)
        shell = Shell(self.wanted, self.embedded)
        if text.lstrip().startswith("-"):
            words = [one for command in commands(text)[:1] for one in command.words]
            name = guessed_program(words, self.wanted, self.told)
            yield from _placed(shell.passed(words, name, 0), node) if name else ()
            return
        yield from _placed(shell.read(text), node)


def _joined(node: Node) -> str:
    """The text of a scalar; a folded one is one line to a shell, and keeps its lines here."""
    return _FOLD.sub(" \\\\\n", node.text or "") if node.style == "folded" else node.text or ""


def _command_line(node: Node | None) -> list[Word] | None:
    """The words of one command, in a list or in a text; None when the text is more than one command."""
    if node is None or node.text is None:
        return _words(node)
    found = commands(_joined(node))
    if len(found) > 1 or any(command.bodies for command in found):
        return None
    by = 0 if node.style == "quoted" else node.line - 1
    words = [one._replace(line=one.line + by) for command in found for one in command.words]
    return [one._replace(line=node.line) for one in words] if node.style == "quoted" else words


def _first(program: str) -> str:
    return re.escape(program.removeprefix("python -m ").partition(" ")[0].partition(".")[0])


def _placed(found: Iterator[Found], node: Node) -> Iterator[Found]:
    """Where the text of a node stands in the file; escaped line ends are on one line."""
    if node.style == "quoted":
        return (one._replace(line=node.line) for one in found)
    return shifted(found, node.line - 1)


def _words(node: Node | None) -> list[Word]:
    if node is None:
        return []
    listed = [Word(_word(item), item.line) for item in node.items if item.text is not None]
    while listed and listed[0].text.startswith("{{"):  # whatever a template puts first
        listed.pop(0)
    return listed


def _word(node: Node) -> str:
    """The text of one word; a text that a shell will run keeps its folded lines together, JSON needs no such marks."""
    text = node.text or ""
    return text if text.lstrip().startswith(("{", "[")) else _joined(node)


def _is_group(name: str) -> bool:
    return name.replace("_", "-").endswith("-config") or name.endswith("Config")


def _conda(text: str) -> str:
    """Conda writes one `=` where pip writes two."""
    return re.sub(r"^([\w.-]{1,80})\s?=(?=[\d*])", r"\1==", text.rpartition("::")[2])


def _recorded(tree: Node) -> Iterator[str]:
    """Names under which rules of yours record a series."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        for key, _, value in node.pairs:
            if key == "record" and value.text:
                yield value.text.strip()
            waiting.append(value)
        waiting += node.items
