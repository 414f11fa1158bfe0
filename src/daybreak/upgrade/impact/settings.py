"""Which settings a net touches: flags, variables, config keys, and the names of models and registries given as values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Certainty, Use
from daybreak.findings.kinds import CAME, Kind, kind_of
from daybreak.upgrade.impact.base import Item, Judged, package_of
from daybreak.upgrade.impact.python import is_value

USES = frozenset({"cli_flag", "config_key", "env", "model"})
_CHOSEN = frozenset({"choices_changed", "narrowed"})
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,80})[\"']")
_SETTINGS_CLASS = re.compile(r"\w{0,200}(?:Args|Config|Arguments|Settings|Options)")
_CAMEL = re.compile(r"[A-Z][a-z0-9]{0,80}")
_CAMEL_NAME = re.compile(r"(?:[A-Z][a-z0-9]{0,80}){2,8}")
_WORDED = re.compile(r"[A-Z_\d].{0,100}[A-Z_]|.{12}")
"""A name that is more than a plain word."""
ARGUMENTS_CLASS = re.compile(r"\w{0,200}(?:Args|Arguments)")


def concerns(kind: Kind) -> bool:
    """Whether a setting that is written meets it."""
    return _is_flag(kind) or _is_field(kind) or _is_variable(kind) or _is_registered(kind)


def is_default(kind: Kind) -> bool:
    """Whether a setting that is left out meets it."""
    return kind.family in ("cli_flag", "field") and kind.change == "default_changed"


def _is_flag(kind: Kind) -> bool:
    return kind.means("cli_flag", "removed", "renamed", "deprecated", "choices_changed")


def _is_field(kind: Kind) -> bool:
    return kind.means("field", "removed", "renamed") or kind.means("literal", "narrowed")


def _is_variable(kind: Kind) -> bool:
    return kind.surface == "environment" and kind.change not in CAME


def _is_registered(kind: Kind) -> bool:
    return kind.surface == "models" and kind.change == "removed"


def keys(item: Item) -> Iterator[str]:
    """Under what a net is looked up."""
    finding, kind = item.net.finding, kind_of(item.net.finding.kind)
    if _is_flag(kind):
        yield f"flag {plain(finding.symbol)}"
    elif _is_field(kind) and "." in finding.symbol:
        yield f"flag {plain(finding.symbol.rpartition('.')[2])}"
    if kind.change in _CHOSEN:
        yield from (f"named {value.casefold()}" for value in lost_values(finding))
    if _is_variable(kind):
        yield f"env {(finding.before or finding.symbol) if kind.change == 'renamed' else finding.symbol}"
    elif _is_registered(kind):
        yield f"named {registered(finding)[1].casefold()}"


def looked_up(use: Use) -> Iterator[str]:
    """What a use is looked up by."""
    if use.kind == "model":  # with the keyword it was given by, if any, as its value
        yield f"named {use.name.casefold()}"
        return
    if use.value:
        yield f"named {bare(use.value).casefold()}"
    if use.kind == "env":
        yield f"env {use.name}"
        return
    name = plain(use.name)
    yield f"flag {name}"
    if name.startswith("no-"):
        yield f"flag {name[3:]}"
    if "." in name:
        yield f"flag {name.partition('.')[0]}"
        yield f"flag {name.rpartition('.')[2]}"


def judge(use: Use, item: Item) -> Judged | None:
    """What this net means for this use."""
    finding, kind = item.net.finding, kind_of(item.net.finding.kind)
    if _is_registered(kind):
        return _named(use, item)
    if use.kind == "model":
        return _chosen(use, finding)
    if _is_variable(kind):
        return _variable(use, item) if use.kind == "env" else None
    if use.kind == "env" or not fits(use.program, item):
        return None
    judged = _field(use, finding) if _is_field(kind) else _flag(use, finding)
    if judged is None or not (use.program or "").endswith(".py"):
        return judged
    return judged._replace(certainty="look")  # only its file name says whose script it is: many have a `train.py`


# --- flags ---------------------------------------------------------------------------------------------------------


def plain(flag: str) -> str:
    """A flag, key or field without dashes before it and with dashes inside, as parsers compare them."""
    return flag.strip().lstrip("-").replace("_", "-").lower()


def bare(value: str) -> str:
    """A value without its quotes."""
    return value.strip().strip("\"'")


def fits(program: str | None, item: Item) -> bool:
    """The program takes flags of the finding's file; an unknown one stands in a file that names the project."""
    path = item.net.finding.path
    if program is None:
        return True
    if program.endswith(".py"):
        return item.known is not None and item.known.takes(item, program)
    words = {part for word in program.split() for part in _program_words(word)}
    if item.known and any(word.rpartition("/")[2] in item.known.programs for word in program.split()):
        return "bench" not in path.lower() or "bench" in program.lower()
    package, short = package_of(path), item.repo.rpartition("/")[2].lower().replace("-", "_")
    known = package.lower().replace("-", "_") in words
    if not known and (short not in words or package.lower().startswith(f"{short}_")):
        return False
    return "bench" not in path.lower() or "bench" in program.lower()


def _program_words(word: str) -> Iterator[str]:
    """`/usr/bin/vllm` → vllm; `sglang.launch_server` → sglang."""
    last = word.rpartition("/")[2].lower().removesuffix(".py").replace("-", "_")
    yield last
    yield last.partition(".")[0]


def _flag(use: Use, finding: Finding) -> Judged | None:
    if "." in plain(use.name) and plain(use.name).partition(".")[0] != plain(finding.symbol):
        return None  # `--a.b` sets a field of `--a`; a flag `--b` is another thing
    if kind_of(finding.kind).change in _CHOSEN:
        return _lost(use, finding)
    return Judged("look" if kind_of(finding.kind).change == "deprecated" else "certain", "set", use.name)


def _field(use: Use, finding: Finding) -> Judged | None:
    if _is_named_after(use.name, finding):
        return _lost(use, finding, "likely")
    owner = finding.symbol.rpartition(".")[0].rpartition(".")[2]
    if kind_of(finding.kind).change == "removed" and finding.alias is not None and finding.alias.status == "kept":
        return None  # another class of the settings has it now
    head, dot, _ = plain(use.name).partition(".")
    # `compilation-config.level` is a field of CompilationConfig and of nothing else; of an inner config a field is set
    # through a key below its flag.
    meant = head.replace("-", "") == owner.lower() if dot else ARGUMENTS_CLASS.fullmatch(owner)
    if use.program is None or not _SETTINGS_CLASS.fullmatch(owner) or not meant:
        return None
    return _lost(use, finding) if kind_of(finding.kind).change in _CHOSEN else Judged("certain", "set", use.name)


def _lost(use: Use, finding: Finding, certainty: Certainty = "certain") -> Judged | None:
    value = bare(use.value or "")
    return Judged(certainty, "value", use.name, value) if value and value in lost_values(finding) else None


def _is_named_after(setting: str, finding: Finding) -> bool:
    """Whether the values are those of a type that is named as the setting is: `LoadFormats` of `--load-format`."""
    words = {word.lower().removesuffix("s") for word in _CAMEL.findall(finding.symbol)}
    narrowed = kind_of(finding.kind).means("literal", "narrowed")
    typed = narrowed and _CAMEL_NAME.fullmatch(finding.symbol) is not None
    return typed and words == {word.removesuffix("s") for word in plain(setting).split("-")}


def lost_values(finding: Finding) -> set[str]:
    """Literal values that only the old list has."""
    was, now = (_QUOTED.findall((x or "")[:20_000]) for x in (finding.before, finding.after))
    return set(was) - set(now)


# --- variables, models, registries ---------------------------------------------------------------------------------


def _variable(use: Use, item: Item) -> Judged | None:
    finding, kind = item.net.finding, kind_of(item.net.finding.kind)
    if kind.change == "default_changed":
        return Judged("look", "use", use.name) if use.value is None and is_value(finding) else None
    if kind.family == "env_read":
        # Another file may read it still, and the finding is about one.
        read = item.known.mentions(item, finding.symbol) if item.known else None
        return None if read else Judged("certain" if read is False else "look", "set", use.name)
    name = re.escape(use.name)
    asked = rf"(?:environ\.get|getenv)\(\s{{0,20}}[\"']{name}\b|[\"']{name}[\"']\s(?:not\s)?in\s"
    taken = rf"(?<!del os\.)environ\[[\"']{name}[\"']\](?!\s?[-+|]?=(?!=))"
    if re.search(asked, use.text) or (use.value is None and re.search(taken, use.text)):
        return Judged("look", "use", use.name)  # your own question is answered as before
    # Who sets what was the default loses nothing: it is mostly the only way by now.
    usual = item.known.default(item, finding.symbol) if item.known and use.value is not None else None
    same = usual is not None and _switched(usual) == _switched(use.value or "")
    return Judged("look" if same else "certain", "set", use.name)


_SWITCHES = {"true": "1", "yes": "1", "on": "1", "false": "0", "no": "0", "off": "0", "none": "", "": ""}


def _switched(value: str) -> str:
    """A value as programs take it: `True`, `1` and `on` are one."""
    plain_value = bare(value).lower()
    return _SWITCHES.get(plain_value, plain_value)


def registered(finding: Finding) -> tuple[str, str]:
    """Registry and name; a model's registry is empty."""
    registry, _, name = finding.symbol.rpartition(":")
    return registry, name


def _is_still_named(item: Item, name: str) -> bool:
    """Another registry of upstream may have what one of them lost."""
    return item.known is not None and item.known.quotes(item, name) is True


def _named(use: Use, item: Item) -> Judged | None:
    registry, name = registered(item.net.finding)
    setting, value = (use.value, use.name) if use.kind == "model" else (use.name, bare(use.value or ""))
    if value != name and (not registry or value.casefold() != name.casefold()):
        return None
    if not registry or setting is None:
        alone = use.kind == "model" and (not registry or _WORDED.search(name) is not None)
        # A name in a table of yours may be meant for another loader.
        sure: Certainty = "look" if use.path.endswith(".py") else "certain"
        return Judged(sure, "use", name) if alone and not _is_still_named(item, name) else None
    # `--tool-call-parser x` names the registry `tool_parser`: each of its words stands in the flag.
    words, said = set(registry.lower().split("_")), set(re.split(r"[-_.]", setting.lower().lstrip("-")))
    same = words <= said or words <= {word.removesuffix("s") for word in said}
    return Judged("certain", "value", setting, value) if same else None


def _chosen(use: Use, finding: Finding) -> Judged | None:
    """A string given by keyword: the flag's choices and the field's values are those of the keyword of that name."""
    field = plain(finding.symbol.rpartition(".")[2])
    if kind_of(finding.kind).change not in _CHOSEN or use.value is None:
        return None
    typed = _is_named_after(use.value, finding)
    if plain(use.value) != field and not typed:
        return None
    return (
        Judged("likely" if typed else "certain", "value", use.value, use.name)
        if use.name in lost_values(finding)
        else None
    )


# --- defaults ------------------------------------------------------------------------------------------------------


def defaults(uses: Iterable[Use], items: Iterable[Item]) -> Iterator[tuple[Use, Item, Judged]]:
    """Launches that leave a flag to its default, which changed; told where the launch's first flag stands.

    A default counts for the commands whose parser has it, as the sources of the end say. What a file of settings leaves
    out, the command that reads it may set.
    """
    launches: dict[tuple[str, str], list[Use]] = defaultdict(list)
    for use in uses:
        if use.kind == "cli_flag" and use.program:
            launches[use.path, use.program].append(use)
    for item in items:
        flag = _defaulted(item.net.finding)
        for (_, program), given in launches.items() if flag else ():
            set_here = {plain(use.name) for use in given} | {plain(use.name).removeprefix("no-") for use in given}
            if plain(flag) not in set_here and item.known is not None and item.known.takes(item, program):
                first = min(given, key=lambda use: use.line)
                yield first, item, Judged("look", "unset", program, flag)


def _defaulted(finding: Finding) -> str:
    """The flag whose default changed; a field counts when its class is the command line's own."""
    if not is_value(finding):
        return ""
    kind = kind_of(finding.kind)
    if kind.means("cli_flag", "default_changed"):
        return finding.symbol
    owner, _, field = finding.symbol.rpartition(".")
    is_ours = kind.means("field", "default_changed") and ARGUMENTS_CLASS.fullmatch(owner)
    return f"--{plain(field)}" if is_ours else ""
