"""Reach of a change: whether everybody meets it, or only those who run one model, other hardware or a part that few have.

How many meet a name that goes is read off the change itself: whoever takes away what much is built on has to follow in
many files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

from daybreak.core.config import ReaderConfig
from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding
from daybreak.core.profiles import either, field, profile_of
from daybreak.findings.diff import DiffHunk, hunks
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.paths import within
from daybreak.judge.change_kinds import front, is_kind_word, tags, untagged

EVERYBODY = ReaderConfig()
"""A reader who names neither hardware nor models has what most have."""


class Aside(NamedTuple):
    """Why not everybody meets something."""

    why: Literal["not_yours", "elsewhere", "one_model", "few"]
    """The reader has it not; most have it not; it is of one model, or of a part that few run."""
    what: str = ""


# --- Whom it reaches ---


def concerns_few(change: Change, shown: Sequence[Finding] = ()) -> bool:
    """What is told of it, or else what users run of it, is of hardware, of a model or of a part that few have."""
    return aside(change, shown) is not None


def aside(change: Change, shown: Sequence[Finding], reader: ReaderConfig = EVERYBODY) -> Aside | None:
    """Why not everybody meets it: most paths of these findings are aside of the default path, or its title is tagged with
    hardware that the reader does not have and none of them alters what everybody runs. Without findings the change counts.
    An extra is for those who ask for it.
    """
    if shown and all(kind_of(finding.kind).family == "extra_dependency" for finding in shown):
        return Aside("few")
    paths = [finding.path for finding in shown]
    known = bool(profile_of(change.repo).repo)  # what a folder's name means is known of projects of the field
    elsewhere = _branches(change, reader) or _other(_remarked(change), reader) if not paths else None
    every = [file.path for file in front(change)]
    paths = paths or every
    several = _are_several(paths) or (all(map(model_of, every)) and _are_several(every))
    seen = [(path, one) for path in paths if (one := aside_of(path, reader, known=known))]
    found = [(path, one) for path, one in seen if one.why != "one_model" or not several]
    if len(found) * 2 > len(paths):
        return _foremost(found, change)
    if any(_is_of_all(change, finding, reader) for finding in shown):
        return None
    return (
        _other(tags(_REVERTS.sub("", change.subject)), reader)
        or elsewhere
        or _other(_mended_for(change.subject), reader)
    )


def _is_of_all(change: Change, finding: Finding, reader: ReaderConfig) -> bool:
    """Whatever hardware the title names: it is about hardware that the reader has, or it alters what stood there before,
    under no branch for other hardware. What only goes may have been of that hardware.
    """
    if finding.after is None or _other(finding.path, reader):
        return False
    words = " ".join(filter(None, (finding.symbol, finding.before, finding.after)))
    if hardware(words):
        return _other(words, reader) is None
    altered = finding.before is not None or finding.breaking
    patches = (file.patch[:_MOST_READ] for file in change.files if file.path == finding.path)
    under = (at for patch in patches for hunk in hunks(patch) for line, at in _under(hunk) if finding.line == line)
    return altered and not any(_other(text, reader) for at in under for text in at)


_REVERTS = re.compile(r"^\W*revert\W{1,4}(?=\[)", re.IGNORECASE)
"""What stands before the tags of what is taken back."""


def _are_several(paths: Iterable[str]) -> bool:
    return len({model_of(path[-300:]).partition("_")[0] for path in paths} - {""}) > 1


def _mended_for(subject: str) -> str:
    """The title that says for which hardware it is, by `on` and `for`; of a fix also right behind its verb."""
    title = untagged(subject)
    named = [*(_MENDED.findall(title) if _FIXES.search(subject) else ()), *_MET_ON.findall(title)]
    return title if any(map(hardware, named)) else ""


_FIXES = re.compile(r"fix", re.IGNORECASE)
_MENDED = re.compile(
    r"^\s{0,4}(?:(?:bug)?fix(?:es|ed)?|correct|repair|handle|restore)\b:?\s([\w-]{2,30})\s", re.IGNORECASE
)
_MET_ON = re.compile(
    r"(?<!seen )(?<!found )\b(?:on|for)\s(?:the\s)?([\w-]{2,30}(?:\s\(?[\w.-]{1,30}){0,3})(?=\W|$)", re.IGNORECASE
)


def _remarked(change: Change) -> str:
    """The hardware on which a fix's own comments say that it goes wrong, where they name no other; what is done on the host
    says nothing of whom it hits.
    """
    if not _FIXES.search(change.subject):
        return ""
    files = (file.patch[:_MOST_READ] for file in front(change))
    notes = " ".join(match[1] for patch in files for match in _NOTE.finditer(patch))
    named = hardware(notes) - {"cpu"}
    said = [word for word in _MET_ON.findall(notes) if hardware(word) & named]
    return said[0] if said and len(named) == 1 else ""


_NOTE = re.compile(r"^\+[^\n\"']{0,200}?(?:#|//)\s?([^\n]{1,300})", re.MULTILINE)


def _foremost(found: Sequence[tuple[str, Aside]], change: Change) -> Aside:
    """That of most changed lines: one file for other hardware does not say what a change is for."""
    size = {file.path: file.added + file.deleted for file in change.files}
    share = Counter[Aside]()
    for path, one in found:
        share[one] += size.get(path, 0)
    return max((one for _, one in found), key=lambda one: share[one])


def _branches(change: Change, reader: ReaderConfig) -> Aside | None:
    """Hardware that most do not have, where all that the change alters stands under a branch for it."""
    first: Aside | None = None
    for file in front(change):
        for hunk in hunks(file.patch[:_MOST_READ]):
            for at in altered_under(hunk):
                found = next(filter(None, (_other(text, reader) for text in at)), None)
                if found is None:
                    return None
                first = first or found
    return first


def aside_of(path: str, reader: ReaderConfig = EVERYBODY, *, known: bool = False) -> Aside | None:
    """Why not everybody runs this file, and this reader may not."""
    path = path[-300:]
    if word := _ignored(path, reader.ignore):
        return Aside("not_yours", word)
    if other := _other(path, reader):
        return other
    model = model_of(path)
    if model and reader.models:
        return None if _is_one_of(model, reader.models) else Aside("not_yours", model)
    if _parts().search(path):
        return Aside("few")
    if known and model:
        return None if _run_by_many().match(model) else Aside("one_model", "parser" if _parsers().search(path) else "")
    return Aside("few", "training") if not reader.training and _trained().search(path) else None


def _other(text: str, reader: ReaderConfig) -> Aside | None:
    """Hardware that a path or a tag is for, when the reader has none of it; who names none has what most have."""
    named = hardware(text)
    ours = {name for word in reader.hardware for name in (word.lower(), *hardware(word))}
    has = bool(named & (ours or set(field().most_have)))
    return None if has or not named else Aside("not_yours" if ours else "elsewhere", min(named))


def _ignored(path: str, ignore: Sequence[str]) -> str:
    """A word to ignore that stands in the path between marks."""
    for word in ignore:
        if word and re.search(rf"(?:^|[/_.-]){re.escape(word)}(?:[/_.-]|s?/|$)", path, re.IGNORECASE):
            return word
    return ""


def _is_one_of(model: str, wanted: Sequence[str]) -> bool:
    plain = re.sub(r"[\W_]", "", model.lower())
    return any(re.sub(r"[\W_]", "", word.lower()) in plain for word in wanted if word)


def altered_under(hunk: DiffHunk) -> Iterator[list[str]]:
    """For each altered statement of a hunk the branches for a platform that it stands under, as far as the hunk shows."""
    return (at for _, at in _under(hunk))


def _under(hunk: DiffHunk) -> Iterator[tuple[int, list[str]]]:
    """The same with the number that the statement has now, or had."""
    over: list[tuple[int, str]] = []
    for line in hunk.lines:
        text = line.text.strip()
        if not text or text.startswith(("#", "import ", "from ")):
            continue
        depth = len(line.text) - len(line.text.lstrip())
        over = [one for one in over if one[0] < depth]
        over += [(depth, text)] if _PLATFORM.match(text) else []
        if line.sign != " ":
            yield line.new or line.old, [condition for _, condition in over]


_PLATFORM = re.compile(r"(?:if|elif) (?!.{0,200}\bnot\b)(?:\w{1,60}\.)?_?(?:is|on|use)_\w{1,40}\b.{0,200}:$")
_MOST_READ = 200_000


# --- What paths and tags name ---


_HARDWARE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?:^|[\W_])(?:{'|'.join(words)})(?:[\W_]|$)", re.IGNORECASE))
    for name, words in field().hardware.items()
)
_HOST = re.compile(
    r"offload|\bcpu[- ](?:memory|ram|overhead|usage|utili[sz]ation|time|side|bound|sync\w*|cop(?:y|ies)|buffers?|tensors?)\b",
    re.IGNORECASE,
)


def hardware(text: str) -> frozenset[str]:
    """The hardware that a path or a title names; the host that serves an accelerator, its memory and its time are none."""
    found = frozenset(name for name, pattern in _HARDWARE if pattern.search(text))
    return found - {"cpu"} if _HOST.search(text) else found


def is_tool(path: str) -> bool:
    """What developers of the project run beside it, to measure or to look for faults: nobody is told what to do about it."""
    return _TOOL.search(path[-300:]) is not None


_TOOL = re.compile(
    r"(?:^|/)(?:debug\w{0,20}|\w{1,20}_debug(?:ger|ging)?|tools|scripts|bench\w{0,20}|dev_?tools)/|(?:^|/)(?:bench|debug)\w{0,40}\.\w{1,4}$",
    re.IGNORECASE,
)


def without_plain_tags(subject: str) -> str:
    """The subject without the tags before it, but those that say whose it is or where: hardware, parts, scopes."""
    bare = untagged(subject)
    ahead = subject[: len(subject) - len(bare)]
    known = [
        tag for tag in _TAG.finditer(ahead) if not is_kind_word(tag[1]) and not _PLAIN_TAG.fullmatch(tag[1].strip())
    ]
    whose = [tag[0] for tag in known if hardware(tag[1]) or _parts().search(f"{tag[1].lower()}/")]
    scopes = [tag[0] for tag in known if tag[0] not in whose]
    return " ".join((*whose, *scopes[:_SCOPES], bare))


_SCOPES = 2
"""Parts of a project before a title that are kept: they say where it is, which the title itself often does not."""
_PLAIN_TAG = re.compile(
    r"(?:(?:bug|hot)?[ -]?fix(?:es)?|bugs?|feat(?:ure)?s?|misc|minor|tiny|easy|small|perf(?:ormance)?(?: improvement)?|core|models?|front-?end|kernels?"
    r"|ci(?:/build|/test)?|build|docs?|tests?|refactor\w{0,4}|chore|clean-?up|v\d|wip|rfc|new|add|update|improve\w{0,6}|enhance\w{0,6}"
    r"|optimi[sz]\w{0,6}|hardware|platform|engine|api|security|release|deprecat\w{0,6}|revert|re-?land|(?:part )?\d{1,2}(?:/[\dnx]{1,2})?|\w/\w)",
    re.IGNORECASE,
)
"""What kind of change it is, or a part that most of the project lies in."""


_TAG = re.compile(r"\[([^\]\n]{1,60})\]")


def model_of(path: str) -> str:
    """The one model whose file it is; empty for what is of many."""
    match = _models().search(path)
    return "" if match is None or _shared().fullmatch(match[1]) else match[1]


@cache
def _parts() -> re.Pattern[str]:
    return either(field().parts, re.IGNORECASE)


@cache
def _trained() -> re.Pattern[str]:
    return either(field().trained, re.IGNORECASE)


@cache
def _models() -> re.Pattern[str]:
    return re.compile(rf"(?:^|/)(?:{'|'.join(field().one_a_model)})/([\w-]{{1,80}})(?:\.py$|/)")


@cache
def _parsers() -> re.Pattern[str]:
    return re.compile(rf"(?:^|/)(?:{'|'.join(field().one_a_parser)})/")


@cache
def _run_by_many() -> re.Pattern[str]:
    return either(field().run_by_many, re.IGNORECASE)


@cache
def _shared() -> re.Pattern[str]:
    return either(field().of_many)


# --- How much is built on what goes ---


WIDE, FAR = 3, 8
"""Files that had to follow a name before much is built on it, and from which on those outside surely use it too."""
_LEAF = re.compile(r"[A-Za-z_]\w*")
_LOOKED_AT = 40


def is_wide(change: Change, finding: Finding) -> bool:
    """Whether much is built on what the finding takes away: those who implement it, or files that had to follow."""
    kind = kind_of(finding.kind)
    if within(finding.path, finding.symbol):
        return False
    if kind.surface == "extension" and {"valued", "sought"}.isdisjoint(kind.traits):
        return True  # whoever implements or decodes it is outside, whatever the project itself has to follow
    return _followed(front(change), finding) >= WIDE


def reach(change: Change, findings: Sequence[Finding]) -> int:
    """How many files had to follow, or how many names go where that are more."""
    gone = [f for f in findings if kind_of(f.kind).mark == "internals" or kind_of(f.kind).change in GONE]
    files = front(change) if gone else ()
    return max(len(gone), max((_followed(files, f) for f in gone[:_LOOKED_AT]), default=0))


def _followed(files: Sequence[FileChange], finding: Finding) -> int:
    """Files besides its own that lost a line with the name; of modules that move together, the modules."""
    if (finding.before or "").endswith(".*"):
        return sum(file.old_path is not None and file.old_path != file.path for file in files)
    names = _LEAF.findall(finding.symbol.partition(" (")[0])  # behind it stands how many names a module has
    beside = rf"\b{re.escape(names[-2])}\b.*" if len(names) > 1 and kind_of(finding.kind).family == "export" else ""
    speaks = [file for file in files if file.path != finding.path and names and names[-1] in file.patch]  # few do
    if not speaks:
        return 0
    word = re.compile(rf"(?m)^-.*{beside}\b{re.escape(names[-1])}\b")  # who took it from there
    return sum(word.search(file.patch) is not None for file in speaks)
