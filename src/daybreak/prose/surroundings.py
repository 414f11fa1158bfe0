"""Surroundings of a change: the functions of its hunks, who calls and imports them, where its options and attributes are set.

Hunks grow by unchanged lines, so that a line of them can be cited like any other; what stands elsewhere in the tree is one
piece of its own. All of it is bounded: a prompt must not cost more for it than what was left out elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.git.line_heads import CLOSES, depth_of
from daybreak.collect.git.standing import FUNCTION, telling
from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.findings.paths import area
from daybreak.findings.trees import Trees, Where
from daybreak.judge.change_kinds import is_front
from daybreak.prose.call_paths import call_paths
from daybreak.prose.evidence_pieces import STILL, brief, hunks, in_reading_order, visible
from daybreak.prose.ground import WITHIN
from daybreak.prose.release_lines import lines_in_release

MOST_LINES = 16
"""Unchanged lines that are added to the hunks of one change."""
_BEFORE, _AFTER = 12, 4
"""Of one hunk, above it as far as its function's head, and below it; where that is too far, the heads that enclose it."""
_HEADS = 5
"""Of what encloses a hunk: the innermost ones and the function's."""
_ENCLOSES = re.compile(
    r"(?:\}\s*)?(?:async |pub )*(?:if|elif|else|for|while|with|try|except|match|case|switch|class|struct|impl)\b"
)
_LONGEST = 160
_MOST_NAMES, _MOST_USES = 6, 2
_MOST_ASKED = 12
_RARE = 12
"""Places of a name beyond which it says nothing of who calls it: many things are called so."""
_LARGEST_FILE = 1 << 20
_HEAD = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)+|\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+){2,}\b")
_NO_USE = re.compile(rf"#|//|\*|class\s|{FUNCTION.pattern}")
_SETS = re.compile(r"default|getenv|environ|=|\|")
_ATTRIBUTE = re.compile(r"(?<=[\w\])])(\.[A-Za-z_]\w{5,})\b(?!\()")
"""What an object holds: whether a sentence on it is true lies in where else it is set or asked."""
_DECIDES = re.compile(r"\s*(?:el)?if\b|\s*(?:assert|while|return)\b|[^=!<>]*[^=!<>]=(?!=)")
_MOST_ATTRIBUTES, _MOST_MODELS, _MOST_CLASSES, _COMMON = 2, 3, 8, 40
_SETTINGS = re.compile(r"(?:args?|config|envs?|settings)\w*(?:/\w+)?\.\w+$")
"""Files that say how a setting is typed and what it is by default."""
_PLAIN = re.compile(r"(?:\w{1,20}\[)?(?:bool|int|float|str|Optional|Literal|Union|list|dict|tuple)\b.*=")
_TESTS = re.compile(r"(?:^|/)tests?\.\w+$|_test\.\w+$")
_MODELS = re.compile(r"(?:^|/)models/")


def _stands(name: str, text: str) -> bool:
    """The name as it is, and not the end of a longer one."""
    return re.search(rf"(?<![\w-]){re.escape(name)}", text) is not None


class Seen(Struct, frozen=True):
    """A change with wider hunks, and lines of the tree that it does not touch."""

    change: Change
    elsewhere: str = ""


class Surroundings(Struct, frozen=True):
    """The trees of a repository."""

    trees: Trees

    def of(self, change: Change, findings: Sequence[Finding], *, elsewhere: bool = True) -> Seen:
        """The change as a reader of the whole file sees it; as it is where its files cannot be read. `elsewhere`: and what the tree says."""
        files = [file for _, file in in_reading_order(change, findings) if _worth(file)]
        try:
            texts = dict(self.trees.contents(dict.fromkeys(file.new_blob for file in files)))
            wide = _widened(files, texts)
            read = [(file, texts.get(file.new_blob, "")) for file in files]
            paths = call_paths(change.sha, read, self.trees) if elsewhere else []
            lines = (*paths, *self._elsewhere(change, paths)) if elsewhere else ()
        except GitError:
            return Seen(change)
        return Seen(replace(change, files=tuple(wide.get(file.path, file) for file in change.files)), "\n".join(lines))

    def in_release(self, entry: Entry) -> str:
        """What the newest release that lacks a change has in its place."""
        return lines_in_release(entry.change, entry.after or "", self.trees) if not entry.released else ""

    def _elsewhere(self, change: Change, paths: Sequence[str]) -> Iterator[str]:
        """Where what the change or the calls of it (`paths`) ask for is set, as its user types it, and who has it: a few lines of each."""
        asked = list(dict.fromkeys(name for path in paths for name in _ATTRIBUTE.findall(path) if _ASKS.search(path)))
        held = [*dict.fromkeys((*_attributes(change)[:_MOST_ATTRIBUTES], *asked[:_MOST_ATTRIBUTES]))]
        settings = [one for name in (*(name[1:] for name in asked), *_asked(change)) for one in _typed(name)]
        keys, options, modules = (found(change)[:_MOST_NAMES] for found in (_keys, _options, _modules))
        wanted = [*dict.fromkeys((*options, *keys, *settings[: 2 * _MOST_ASKED], *held, *modules))]
        rows = self.trees.lines([change.sha], wanted, Where(without=("tests", "test", "docs"))) if wanted else None
        touched = {line[1:].strip() for file in change.files for line in file.patch.split("\n")}
        found: dict[str, dict[str, str]] = {name: {} for name in wanted}
        for _, path, line in sorted(rows or (), key=lambda row: (_SETTINGS.search(row[1]) is None, row[1])):
            text = line[:2000].strip()
            if text in touched or not is_front(path) or _NO_USE.match(text) or _TESTS.search(path):
                continue
            for name in wanted:
                if _tells(name, path, text) or (name in keys and _stands(name, text)):
                    found[name].setdefault(f"{brief(path, 100)}: {brief(text, _LONGEST)}", text)
        yield from self._still(change)
        yield from self._called(change)
        for name, lines in found.items():
            if name.startswith("."):
                told = _of_attribute(name, lines, [found[one] for one in held if one != name])
                # Who else reads what a caller asks for says nothing of the change.
                yield from told if name not in asked else (one for one in told if _is_set(name).search(lines[one]))
            elif name in settings:
                yield from list(lines)[:1]
            elif len(lines) <= _RARE:
                yield from list(lines)[: _MOST_MODELS if name in modules else _MOST_USES]

    def _still(self, change: Change) -> Iterator[str]:
        """Where a line that goes still stands after the change: what it puts right may be put right in part."""
        code = [file for file in change.files if _worth(file)]
        came = {line[1:].strip() for file in code for line in file.patch.split("\n") if line[:1] in ("+", " ")}
        lost = (line[1:].strip() for file in code for line in file.patch.split("\n") if line[:1] == "-")
        gone = [line for line in dict.fromkeys(lost) if _is_distinct(line) and line not in came]
        wanted = sorted(gone, key=lambda line: FUNCTION.match(line) is None)[:_MOST_NAMES]  # functions first
        paths = Where(paths=tuple(file.path for file in code))
        rows = self.trees.lines([change.sha], wanted, paths) if wanted else None
        still = dict.fromkeys((text.strip(), path) for _, path, text in rows or () if text.strip() in wanted)
        for line, path in sorted(still, key=lambda one: wanted.index(one[0]))[:_MOST_USES]:
            yield f"{STILL}{brief(path, 100)}: {brief(line, _LONGEST)}"

    def _called(self, change: Change) -> Iterator[str]:
        """Where a method that goes, and that no class has after the change, is still called: that call fails."""
        rows_of = {
            sign: [x[1:].strip() for f in change.files if _worth(f) for x in f.patch.split("\n") if x[:1] == sign]
            for sign in "+-"
        }
        gone, came = ({m[1] for row in rows_of[sign] if (m := _METHOD.match(row))} for sign in "-+")
        wanted = [f"{name}(" for name in sorted(gone - came)][:_MOST_NAMES]
        rows = self.trees.lines([change.sha], wanted, Where(without=("tests", "test", "docs"))) if wanted else None
        for name in wanted:
            own = [(path, text.strip()) for _, path, text in rows or () if _stands(name, text[:2000])]
            calls = [one for one in own if f".{name}" in one[1] and not _NO_USE.match(one[1])]
            if len(calls) <= _RARE and not any((m := _METHOD.match(text)) and f"{m[1]}(" == name for _, text in own):
                yield from (f"{STILL}{brief(path, 100)}: {brief(text, _LONGEST)}" for path, text in calls[:_MOST_USES])


_METHOD = re.compile(r"(?:async )?def (\w{3,80})\(\s*(?:self|cls)\b")
_DISTINCT = 30
"""Characters of a line that stands nowhere by chance."""


def _is_distinct(line: str) -> bool:
    return FUNCTION.match(line) is not None or (len(line) >= _DISTINCT and telling(line))


def _tells(name: str, path: str, text: str) -> bool:
    """Whether a line says something of a name that it holds: that a model has it, calls it, sets it or asks for it."""
    if name.endswith(" import"):
        return _MODELS.search(path) is not None and _stands(name, text)
    if name.startswith("."):
        return re.search(rf"{re.escape(name)}\b(?!\()", text) is not None
    if name.endswith(": "):
        return (
            _SETTINGS.search(path) is not None and text.startswith(name) and _PLAIN.match(text, len(name)) is not None
        )
    if name.startswith("--"):  # as a parser is told it, and not within a message
        return re.search(rf"[\"']{re.escape(name)}[\"']", text) is not None
    return _stands(name, text) and (name.endswith("(") or _SETS.search(text) is not None)


def _of_attribute(name: str, lines: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> list[str]:
    """Where it is set, a plain value first: that is what it has without the change, or what each class has that shares the code, those
    first that set the other attributes as well; then who reads it, a file each.
    """
    sets = {told: found["plain"] is None for told, text in lines.items() if (found := _is_set(name).search(text))}
    beside = {_path(told) for some in others for told, text in some.items() if _SET.search(text)}
    ranked = sorted(sets, key=lambda told: (sets[told], _path(told) not in beside))
    several = len({_path(told) for told in sets}) > _MOST_USES and not any(sets.values())
    first: dict[str, str] = {}
    for told in lines:
        first.setdefault(_path(told), told)
    reads = [told for told in first.values() if told not in sets][:_MOST_USES]
    shown = ranked[: _MOST_CLASSES if several else _MOST_USES]
    return [*shown, *reads] if len(lines) <= _COMMON else shown if several else []


def _path(told: str) -> str:
    return told.partition(": ")[0]


def _is_set(name: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(name)}\s*(?::[^=]+)?=(?!=)\s*(?P<plain>[-\"'\dTFN])?")


_SET = re.compile(r"\.\w+\s*(?::[^=]+)?=(?!=)\s*[-\"'\dTFN]")


def _modules(change: Change) -> list[str]:
    """The files that change, as a model's file imports them; not one that is called like its folder, which is imported more often."""
    paths = (file.path for file in change.files if _worth(file) and file.path.endswith(".py"))
    names = (path.removesuffix(".py").split("/")[-2:] for path in paths if not _MODELS.search(path))
    return list(dict.fromkeys(f"{'.'.join(name)} import" for name in names if len(set(name)) == 2))


def _attributes(change: Change) -> list[str]:
    """What added lines set or ask of an object, the most often named first."""
    files = (file for file in change.files if _worth(file))
    lines = [line[1:] for file in files for line in file.patch.split("\n") if line.startswith("+")]
    deciding = (line[:400] for line in lines if _DECIDES.match(line[:400]))
    found = Counter(name for line in deciding for name in _ATTRIBUTE.findall(line))
    return [name for name, _ in found.most_common()]


def _keys(change: Change) -> list[str]:
    """What added lines put into a config or a message by its name: what it is for stands where it is read."""
    files = (file for file in change.files if _worth(file))
    lines = (line[:400] for file in files for line in file.patch.split("\n") if line.startswith("+"))
    return list(dict.fromkeys(name for line in lines for name in _KEY.findall(line)))


_KEY = re.compile(r"\[[\"'](\w{6,60})[\"']\]\s{0,4}=(?!=)")


def _asked(change: Change) -> list[str]:
    """What the hunks ask of an object before they act, changed lines first: mostly a setting that somebody makes elsewhere."""
    lines = [
        line for file in change.files if _worth(file) for line in file.patch.split("\n") if line[:1] in ("+", "-", " ")
    ]
    asks = sorted((line for line in lines if _ASKS.search(line[1:400])), key=lambda line: line[0] == " ")
    return list(dict.fromkeys(name[1:] for line in asks for name in _ATTRIBUTE.findall(line[1:400])))[:_MOST_ASKED]


_ASKS = re.compile(r"\b(?:if|elif|assert|while|and|or|not|getattr)\b")


def _typed(name: str) -> tuple[str, str]:
    """A setting as its user types it, and as the field that has its default."""
    return f"--{name.replace('_', '-')}", f"{name}: "


def _worth(file: FileChange) -> bool:
    readable = bool(file.patch and file.new_blob) and file.status in "MRC" and not file.patch_cut
    return readable and is_front(file.path) and area(file.path) not in ("test", "docs")


def _options(change: Change) -> list[str]:
    """Options and variables of the environment that changed lines of sources name."""
    files = (file for file in change.files if _worth(file))
    lines = (line for file in files for line in file.patch.split("\n") if line[:1] in ("+", "-"))
    return list(dict.fromkeys(name for line in lines for name in _OPTION.findall(line[:400])))


def _widened(files: Iterable[FileChange], texts: dict[str, str]) -> dict[str, FileChange]:
    """Path -> the file with its hunks grown to their functions, as long as there is room."""
    left, out = MOST_LINES, dict[str, FileChange]()
    for file in files:
        text = texts.get(file.new_blob, "")
        if left <= 0 or not text or len(text) > _LARGEST_FILE:
            continue
        rows, grown, last = visible(text).removesuffix("\n").split("\n"), list[str](), 0
        for hunk in hunks(visible(file.patch)):
            wide, end = _wide(hunk, rows, last, left)
            left -= wide.count("\n") - hunk.count("\n")
            last = end
            grown.append(wide)
        out[file.path] = replace(file, patch="\n".join(grown))
    return out


def _wide(hunk: str, rows: Sequence[str], last: int, left: int) -> tuple[str, int]:
    """A hunk with the lines of its function around it, and where it ends in the new file.

    Lines before `last` are shown already. What does not fit its file as it is now stays as it is.
    """
    told, _, body = hunk.partition("\n")
    head = _HEAD.match(told)
    if head is None:
        return hunk, last
    old, new = int(head[1]), int(head[3])
    after = [line[1:] for line in body.split("\n") if line[:1] in ("+", " ")]
    end = new - 1 + len(after)
    if rows[new - 1 : end] != after:
        return hunk, max(last, end)
    first = _function(rows, new - 1 + _first_changed(body))
    above, below = list[str](), list[str]()
    if first is not None and left > 0 and new - 1 - first <= _BEFORE:
        above = list(rows[max(first, last) : new - 1])
        within = _function(rows, end - 1) == first
        below = list(_rest(rows[end : end + _AFTER], depth_of(rows[first]))) if within else []
    start, size = new - len(above), len(above) + len(after) + len(below)
    was = old - len(above), size - len(after) + sum(line[:1] in ("-", " ") for line in body.split("\n"))
    # What git wrote stays: it may name the class, of which no line is shown.
    heads = _enclosing(rows, start - 1, new - 1 + _first_changed(body), first)
    own = head[5].strip() or (rows[first].strip()[:80] if first is not None else "")
    places = [*filter(None, [own]), *(one for one in heads if not own or not one.startswith(own))]
    place = f" {WITHIN.join(places)}" if places else ""
    lines = [f"@@ -{was[0]},{was[1]} +{start},{size} @@{place}", *(f" {row}" for row in above), body]
    return "\n".join([*lines, *(f" {row}" for row in below)]), end + len(below)


def _enclosing(rows: Sequence[str], start: int, changed: int, function: int | None) -> list[str]:
    """Above a hunk, the heads that decide whether its first changed line runs, and the function's, the outermost first."""
    at = min(changed, len(rows) - 1)
    depth, found = depth_of(rows[at]) if rows[at].strip() else 1 << 10, list[list[str]]()
    for place in range(at, (function if function is not None else max(at - 400, 0)) - 1, -1):
        text = rows[place].strip()
        if not text or text.startswith(CLOSES) or (depth_of(rows[place]) >= depth and place != function):
            continue
        depth = depth_of(rows[place])
        if place < start and (place == function or _ENCLOSES.match(text[:200])):
            found.append(_condition(rows[place:start]))
    return [row for head in (*found[_HEADS:][-1:], *reversed(found[:_HEADS])) for row in head if len(row) <= _LONGEST]


def _condition(rows: Sequence[str]) -> list[str]:
    """A head with all lines of its condition; of a function's the first alone."""
    if FUNCTION.match(rows[0].lstrip()[:300]):
        return [rows[0].strip()]
    ends = next((at for at, row in enumerate(rows[: 2 * _HEADS]) if row.rstrip().endswith((":", "{"))), 0)
    return [row.strip() for row in rows[: ends + 1]]


def _first_changed(body: str) -> int:
    """Lines of the new side before the first that changes."""
    return next((at for at, line in enumerate(body.split("\n")) if line[:1] in ("+", "-")), 0)


def _function(rows: Sequence[str], at: int) -> int | None:
    """Where the innermost function of a line begins, by indentation."""
    at = min(at, len(rows) - 1)
    depth = depth_of(rows[at]) if rows[at].strip() else 1 << 10
    for place in range(at, max(at - 400, -1), -1):
        text = rows[place].lstrip()
        if not text or text.startswith(CLOSES):
            continue
        here = depth_of(rows[place])
        if (here < depth or place == at) and FUNCTION.match(text[:300]):
            return place
        depth = min(depth, here)
    return None


def _rest(rows: Sequence[str], depth: int) -> Iterator[str]:
    """Lines that still belong to a function whose head has this depth."""
    for row in rows:
        if row.strip() and depth_of(row) <= depth and not row.lstrip().startswith(CLOSES):
            return
        yield row
