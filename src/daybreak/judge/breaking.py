"""Marks of a change: whether it breaks existing use, deprecates something or breaks plug-ins and forks, each by its findings.

No mark stands without a finding that shows it, or a changed line in which a model read it and its critic too
(`daybreak.judge.model_reading`). What a title, a body, a branch or a comment says makes none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.statements import MARKS, Mark, Reason, Text
from daybreak.core.profiles import field, profiles
from daybreak.core.text import arguments
from daybreak.core.versions import Version, exact, lowest, shut_out, version
from daybreak.core.words import say
from daybreak.core.words.grammar import code, joined, listing
from daybreak.core.words.phrases import REFERENCE, chosen, languages
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.paths import builds_part, within
from daybreak.judge.change_kinds import front, is_front, is_quiet
from daybreak.judge.phrases import LISTED, is_hash, is_typed_at, own_name, side
from daybreak.judge.reach import aside_of, model_of

# --- What a finding does to a user, as a short reason ---


LONGEST_VALUE = 60
"""A longer value would bury the name it belongs to."""


def said_by(finding: Finding) -> Reason:
    """The finding as a reason: what is done to which name, with its old and new value where they are short."""
    return Reason(finding.kind, _operator(finding) or _valued(finding) or _plain(finding))


def _plain(finding: Finding) -> Text:
    kind = kind_of(finding.kind)
    row = kind.brief_read if side(finding) == "read" else kind.brief
    return _filled(row, {"{name}": own_name(finding)})


def _valued(finding: Finding) -> Text | None:
    """Old and new value; nothing where there is no such pair, or one that a reader has nothing from."""
    kind = kind_of(finding.kind)
    row = kind.turn_read if side(finding) == "read" else kind.turn
    before, after = finding.before or "", _new(finding)
    if (
        row is None
        or not (_tells(before) or "{b}" not in chosen(row, REFERENCE))
        or not _tells(after)
        or before == after
    ):
        return None
    return _filled(row, {"{name}": own_name(finding), "{b}": before, "{a}": after})


def _filled(row: Text, places: dict[str, str]) -> Text:
    """Filled at once, so that braces inside filled words stay as they are."""
    return {language: _PLACE.sub(lambda m: code(places[m[0]]), chosen(row, language)) for language in languages()}


_PLACE = re.compile(r"\{(?:name|a|b)\}")


def _new(finding: Finding) -> str:
    """What it is now: of a thing with another name that name alone, of one that moved its new place."""
    before, after, symbol = finding.before or "", finding.after or "", finding.symbol
    if not before.endswith(f".{symbol}"):
        return after
    change = kind_of(finding.kind).change
    if change == "moved":
        return after.removesuffix(f".{symbol}")
    return after.rpartition(".")[2] if change == "renamed" else after


def _tells(value: str) -> bool:
    """Short, and no id of a commit elsewhere."""
    return 0 < len(value) <= LONGEST_VALUE and not is_hash(value) and "://" not in value


def _operator(finding: Finding) -> Text | None:
    """Parameters that an operator lost and won, where both schemas are known and name them."""
    if not kind_of(finding.kind).means("operator", "signature_changed"):
        return None
    was, now = (_parameters(schema or "") for schema in (finding.before, finding.after))
    if was is None or now is None:
        return None
    lost, come = [x for x in was if x not in now], [x for x in now if x not in was]
    if not lost and not come:
        return None
    gone = [say("judge.finding.arguments_gone", names=listing(lost, 3))] if lost else []
    new = [say("judge.finding.arguments_new", names=listing(come, 3))] if come else []
    return say("judge.finding.arguments", head=_plain(finding), parts=joined((*gone, *new), "comma"))


def _parameters(schema: str) -> list[str] | None:
    """Names of what stands in the first parentheses; None where they do not close or do not name each."""
    parts = [part.partition("=")[0].strip() for part in arguments(schema)]
    if not parts:
        return None
    found = [_parameter(part) for part in parts if part not in ("", "*")]
    return [name for name in found if name] if all(found) else None


_NAMED = re.compile(
    r"(\w{1,80})\s{0,4}:(?!:).{1,200}|([^:]{0,200}(?:::[^:]{0,200}){0,9}[\s&*])([A-Za-z_]\w{0,80})", re.DOTALL
)
"""`name: type`, or `type name`."""
_QUALIFIERS = frozenset({"const", "volatile", "struct", "class", "enum", "typename"})
"""Before a word, and nothing else, they make it a type: `const Tensor` has no name."""
_TYPES = _QUALIFIERS | frozenset("unsigned signed long short int char bool float double void auto __restrict__".split())  # noqa: SIM905  words read better than a list of strings


def _parameter(part: str) -> str | None:
    """Its name; None for a type without one, as C++ allows."""
    match = _NAMED.fullmatch(part)
    if match is None or match[1]:
        return match and match[1]
    unnamed = match[3] in _TYPES or _QUALIFIERS.issuperset(match[2].split())
    return None if unnamed else match[3]


# --- Marks, each with the findings that show it ---


_LITERAL = re.compile(r"[\w.+-]{1,80}|\"[^\"{/]{0,80}\"|'[^'{/]{0,80}'|\d[\d_]{0,20}(?: ?[*+] ?\d[\d_]{0,20}){1,4}")
_NEEDED = frozenset({"python_required", "toolchain_required"})
_TAKEN = frozenset({"dependency", "pin"})
Marks = Mapping[Mark, tuple[Finding, ...]]


def marks(change: Change, reading: Reading) -> Marks:
    """The marks of a change, the gravest first, each with the findings that show it."""
    if change.skipped is not None or change.filtered or change.empty or is_quiet(change, reading):
        return {}
    found: dict[Mark, list[Finding]] = {mark: [] for mark in MARKS}
    for finding in reading.findings:
        mark = mark_of(finding) or ("breaks_internals" if _is_asked_instead(finding, reading) else None)
        if mark and not any(one(change, finding) for one in _EXCUSES):
            found[mark].append(finding)
    return {mark: tuple(shown) for mark, shown in found.items() if shown}


def _is_asked_instead(finding: Finding, reading: Reading) -> bool:
    """A method that came to what plug-ins implement, and that a condition asks in place of another question: whoever answered
    that one with yes, and writes nothing, is passed by from now on.
    """
    if not kind_of(finding.kind).means("extension_method", "added") or not is_front(finding.path):
        return False
    short = finding.symbol.rpartition(".")[2]
    ways = (f for f in reading.findings if kind_of(f.kind).family == "dispatch" and f.before and f.after)
    asked = (tuple(set(_ASKED.findall(side or "")) for side in (f.before, f.after)) for f in ways)
    return any(short in now - was and was - now for was, now in asked)


_ASKED = re.compile(r"(\w{3,80})\(")


def is_own(finding: Finding) -> bool:
    """Its name, or one around it, says that nobody outside should use it."""
    return _OWN.search(finding.symbol.partition("(")[0]) is not None


_OWN = re.compile(r"(?:^|\.)_(?!_)\w")


def is_built_within(change: Change, finding: Finding) -> bool:
    """A field that has to be given, of what only its own file builds: no other file of the change had to follow, so that
    nobody outside does either.
    """
    family = kind_of(finding.kind).family
    if kind_of(finding.kind).change != "required_added" or family not in ("field", "internal_field"):
        return False
    given = f"{finding.symbol.rpartition('.')[2]}="
    gives = re.compile(rf"\+\s{{1,80}}(?:.{{0,200}}[(,\s])?{re.escape(given)}(?!=)")
    follows = [file.path for file in front(change) if any(map(gives.match, _naming(file.patch, given)))]
    return follows == [finding.path]


def _is_by_platform(change: Change, finding: Finding) -> bool:
    """A default that the platform gives from now on: on the one that it was written for it may be the same."""
    if kind_of(finding.kind).change != "default_changed" or finding.after != "None":
        return False
    name = finding.symbol.rpartition(".")[2]
    given = re.compile(rf"\+.{{0,200}}\b{re.escape(name)}\s?=(?!=).{{0,80}}platform")
    return any(any(map(given.match, _naming(file.patch, name))) for file in front(change))


def _is_installed_still(change: Change, finding: Finding) -> bool:
    """A package that an extra gave and that the change asks for elsewhere, or as a part of another package
    (`cuda-toolkit[nvcc]` for `nvidia-cuda-nvcc`): whoever installs the project has it by that.
    """
    if not kind_of(finding.kind).means("extra_dependency", "removed"):
        return False
    package = finding.symbol.rpartition(" ")[2]
    part = package.rpartition("-")[2]
    asks = re.compile(
        rf"\+[^#]{{0,200}}?(?:(?<![\w.-]){re.escape(package)}(?![\w.-])|\w\[(?:[\w.-]{{1,40}},\s?){{0,20}}{re.escape(part)}[\],])"
    )
    manifests = (file for file in change.files if file.path.endswith(_MANIFESTS))
    return any(any(map(asks.match, _naming(file.patch, part))) for file in manifests)


_MANIFESTS = (".toml", ".txt", ".cfg", ".in", "setup.py")


_EXCUSES = (is_built_within, _is_by_platform, _is_installed_still)
"""What of the change as a whole shows that a finding of it hits nobody."""


def _naming(patch: str, text: str) -> Iterator[str]:
    """Lines of a patch that hold a text: no pattern is tried on the thousands that do not."""
    return (line for line in patch.split("\n") if text in line) if text in patch else iter(())


def mark_of(finding: Finding) -> Mark | None:
    """What a finding by itself shows of the change."""
    kind = kind_of(finding.kind)
    if finding.awaited or not is_front(finding.path) or _is_same_sent(finding) or _is_own_debug(kind.family, finding):
        return None
    if kind.mark == "deprecates":
        return "deprecates"
    if finding.breaking or (kind.mark == "breaks" and _costs(finding)):
        inside = kind.mark == "internals" or (
            kind.family == "guard" and finding.released == ""
        )  # of what no release has
        return "breaks_internals" if inside else "breaks"
    return "breaks_internals" if _imported(finding) else None


def _is_probe(finding: Finding) -> bool:
    """A variable by which somebody looks into the program or feigns a part of it; what is declared as a setting is one."""
    return finding.symbol.isupper() and LOOKS_IN.search(f"{finding.symbol} {finding.path}") is not None


def _is_own_debug(family: str, finding: Finding) -> bool:
    """A variable, declared nowhere, by which whoever wrote a model looks for its faults, or what the program sets there itself."""
    if family in _FOR_SOME or family == "container":
        return LOOKS_IN.search(f"{finding.symbol} {finding.path}") is not None
    return family == "env_read" and LOOKS_IN.search(finding.symbol) is not None and bool(model_of(finding.path))


def _is_same_sent(finding: Finding) -> bool:
    """A field of a message whose type has another name and is sent alike: a list is a sequence."""
    if not kind_of(finding.kind).means("request_field", "changed") or not finding.before or not finding.after:
        return False
    was, now = (_ROWS.sub("list", "".join(side.split())) for side in (finding.before, finding.after))
    return was == now


_ROWS = re.compile(r"\b(?:(?:typing|t|collections\.abc)\.)?(?:List|Sequence|MutableSequence|Iterable|Collection)\b")


def _imported(finding: Finding) -> bool:
    """A name that plug-ins and forks can import, though the project offers it to nobody, is no longer there or has another
    number, or a method of what they derive from, whether they had to write it or not; of Go, whose packages anybody can
    import, or is called otherwise.
    """
    kind = kind_of(finding.kind)
    kept = finding.alias is not None and finding.alias.status != "none"
    if kept or finding.inner or "nameless" in kind.traits or within(finding.path, finding.symbol):
        return False
    if kind.family == "symbol":
        return finding.path.endswith(".go") and (kind.change in GONE or kind.change == "signature_changed")
    if kind.means("enum_member", "changed"):
        return all(map(_NUMBER.fullmatch, (finding.before or "", finding.after or "")))
    surface = kind.surface == "python" or kind.family == "extension_method"
    return surface and kind.change in GONE and kind.slot == kind.family


_NUMBER = re.compile(r"-?\d{1,20}")


def _costs(finding: Finding) -> bool:
    """Another default of a setting, a package that an extra no longer brings, or a requirement that shuts versions out which
    it allowed: of what it is built on a pin that moves by more than a patch does so too.
    """
    kind = kind_of(finding.kind)
    if kind.change == "default_changed":
        told = kind.family != "parameter" and side(finding) != "read" and not _is_probe(finding)
        return told and _plain_values(finding)
    if kind.means("extra_dependency", "removed"):
        return aside_of(finding.path) is None
    before, after = finding.before or "", finding.after or ""
    if kind.change != "changed" or builds_part(finding.path) or shut_out(before, after) is None:
        return False
    if kind.family in _NEEDED:
        return _minors(before) != _minors(after)
    core = kind.family in _TAKEN and is_core(finding.symbol) and _releases_apart(before, after)
    narrowed = core or (kind.family in ("dependency", "extra_dependency") and _refuses(before, after))
    return narrowed and aside_of(finding.path) is None  # who builds for other hardware takes it from there, pin by pin


def _refuses(before: str, after: str) -> bool:
    """It refuses what it allowed by more than a patch of its lowest version. Where one pin follows another nobody had a
    choice before either; a range that became one version leaves none.
    """
    pins = [exact(side) is not None for side in (before, after)]
    if any(pins):
        return not all(pins) and before not in ("", "*")
    was, now = (version(lowest(side) or "0") for side in (before, after))
    return was == now or (was is not None and now is not None and _numbers(was, 2) != _numbers(now, 2))


def is_core(package: str) -> bool:
    """A package that images and wheels are built on, by whatever path it is named."""
    return package.rsplit("/", 1)[-1].lower() in _core_packages()


@cache
def _core_packages() -> frozenset[str]:
    return frozenset((*field().built_on, *(name for profile in profiles() for name in profile.names.pins)))


def must_follow(finding: Finding) -> bool:
    """A requirement that images have to follow: of what everything is built on, or by more than a patch."""
    return is_core(finding.symbol) or _releases_apart(finding.before or "", finding.after or "")


def _releases_apart(before: str, after: str) -> bool:
    """Two pins that differ by more than a patch."""
    was, now = (version(exact(side) or "") for side in (before, after))
    return was is not None and now is not None and _numbers(was, 2) != _numbers(now, 2)


def _numbers(one: Version, most: int) -> tuple[int, ...]:
    """Its first numbers: `13.0.0` and `13` are one release."""
    return (*one.release, *[0] * most)[:most]


def _minors(requirement: str) -> list[str]:
    """Versions of a requirement without what a patch changes: whoever has the release takes its next patch."""
    return re.findall(r"[<>=!~]{1,3}|(?<![\d.])\d{1,6}(?:\.\d{1,6})?", requirement)


def _plain_values(finding: Finding) -> bool:
    """Both defaults are literals: what stands behind an expression may be the same value. Of a request or a configuration the
    new one may be none at all: whoever left it out got a value, and gets what is chosen elsewhere. One of two by a condition
    is another for some.
    """
    before, after = finding.before or "", finding.after or ""
    given = before != "None" and _LITERAL.fullmatch(before) is not None
    chosen_elsewhere = after == "None" and kind_of(finding.kind).surface in ("server", "config")
    values = {after} if (either := _CHOSEN.fullmatch(after)) is None else {either[1], either[2]}
    plain = "None" not in values and all(map(_LITERAL.fullmatch, values)) and values != {before}
    return given and (chosen_elsewhere or plain)


_CHOSEN = re.compile(r"(\S{1,80}) if .{1,300} else (\S{1,80})")


def _is_set_by_few(finding: Finding) -> bool:
    """A default of one model's own file, which whoever runs the model gets, one that is another by a condition, or of what
    measures and looks for faults.
    """
    if kind_of(finding.kind).change != "default_changed":
        return False
    some = model_of(finding.path) or _CHOSEN.fullmatch(finding.after or "")
    return bool(some or LOOKS_IN.search(f"{finding.symbol} {finding.path}"))


LOOKS_IN = re.compile(
    r"profil(?:er|ing|es?\b|e_)|simulat(?:e|ed|ion)|debug|verbose|nsys|nvtx|(?<![a-z])trac(?:e|er|ing)(?![a-z])|(?<![a-z])dump",
    re.IGNORECASE,
)
"""Settings, files and titles of what measures or looks for faults: `--profiler-dir`, `engine/tracing.py`."""


def is_of_few(finding: Finding) -> bool:
    """One model, or an option of a script, stops those who use it and nobody else; what looks into a program runs beside it.
    So does a check that no request comes to as such, a variable that is declared nowhere, what a new setting brings that is no
    option, a requirement that an installer meets by itself, and what runs otherwise for those alone who meet its condition or
    choose its name.
    """
    kind = kind_of(finding.kind)
    surface = kind.surface
    if kind.family in ("guard", "check"):
        return _SENT.search(finding.symbol) is None
    if (
        (finding.under and kind.family == LISTED)
        or kind.family == "env_read"
        or (kind.means("gate", "default_changed") and finding.symbol[:2] != "--")
    ):
        return True
    if kind.family in _FOR_SOME and kind.effect == "behaviour":
        # for whoever sets nothing, and not under a condition alone
        return not (kind.means("filled", "changed") or kind.means("listed", "default_changed"))
    if _is_set_by_few(finding):
        return True
    if kind.family in ("dependency", "extra_dependency", "need"):
        return kind.family != "dependency" or not is_core(finding.symbol)
    return surface == "models" or (surface == "cli" and not is_typed_at(finding.path))


_FOR_SOME = frozenset({"choice", "class_behind", "filled", "listed", "taken"})
"""What is another thing for those alone who choose the name or meet the condition."""
_SENT = re.compile(r"(?:Request|Params)\b")
"""Checks of what every client sends."""
