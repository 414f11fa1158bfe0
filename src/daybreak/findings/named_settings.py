"""Settings that the changed lines of a change name: what a flag does may change where neither it nor its default does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, takewhile

from daybreak.core.errors import GitError
from daybreak.core.model.findings import SettingLine
from daybreak.findings.blobs import Surface, SurfaceCache
from daybreak.findings.diff import DiffHunk, DiffLine
from daybreak.findings.languages.base import destination
from daybreak.findings.languages.options_surface import DEFINES, surface
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

MOST = 60
"""Names of one change: one that names more is a move of files, and tells of none of them."""
_NAMED = re.compile(
    r"(?<![\w-])(--[a-z][a-z0-9]{1,40}-[a-z0-9-]{1,60})"
    r"|\b([A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{2,60})\b"
    r"|(?:args|config|options|settings)\.([a-z][a-z0-9]{0,40}_[a-z0-9_]{1,60})\b"
)
"""An option, a variable, and what a program reads of those that it was given."""
_WORD = re.compile(r"(?<![\w-])[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){2,9}(?![\w(])")
"""A name of three parts or more: `batch_size` is anybody's, and with a bracket behind it it is a function."""
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,100}")
_HOLDER = re.compile(r"\b[A-Za-z_]\w{0,100}(?:\(\))?\.")
"""`self.` of `self.args.size`, and `get_args().` of `get_args().size`."""
_COMMENT = ("#", "//", "*")
_STRING = re.compile(r"""[rbfu]{0,2}(?:"([^"\n]{0,400})"|'([^'\n]{0,400})')""")
_CODE = re.compile(r"[()\[\]{},:]|[=!<>]=|[<>]")
_CONDITION = re.compile(r"(?:if|elif|while|and|or|not|assert)\b")
_COMPARED = re.compile(r" (?:[<>]=?|[!=]=|is|in) ")
_SENTENCE = re.compile(r"[.;] ")
_Made = tuple[int, str, str]
"""How little a line decides by a setting, what it does with it, and what is set by it."""
_SET, _TAKEN, _BOUND, _ASKED, _USED, _COPY = range(6)
"""What a line may do with it, the most decisive first: one that holds it against a value of its own tells more than one that only asks."""
_MOVED, _NAMED_ALONE = (6, "moved", ""), (7, "named", "")
_VALUE = re.compile(r"(?<![\w.])-?\d")
_HEAD = re.compile(r"\s*(?:async +)?def |\s*class ")
_READ = re.compile("env", re.IGNORECASE)
"""Where a name in capitals is a variable of the environment, and no constant."""
_NEAR = 16
"""Lines before one among which its comment is looked for."""
_LONGEST = 300
_PYTHON = Where(endings=(".py",), without=ASIDE_NAMES)
_KEY = "settings-1"


def named_settings(hunks: Iterable[DiffHunk], known: AbstractSet[str] = frozenset()) -> tuple[str, ...]:
    """In the order of the lines; lines around a change do not count. `known`: settings that may stand by their bare name."""
    lines = (line.text for hunk in hunks for line in hunk.lines if line.sign in "+-")
    return tuple(islice(dict.fromkeys(name for line in lines for name in _in_line(line, known)), MOST))


def _in_line(line: str, known: AbstractSet[str]) -> Iterator[str]:
    if "_" not in line and "--" not in line:
        return
    for names in _NAMED.findall(line):
        yield next(filter(None, names))
    yield from (name for name in (_WORD.findall(line) if known and line.count("_") > 1 else ()) if name in known)


def setting_lines(
    files: Iterable[tuple[str, Sequence[DiffHunk]]], names: Sequence[str], known: AbstractSet[str] = frozenset()
) -> tuple[SettingLine, ...]:
    """Of each name that users set, the line that decides most by it: it sets it, or something by it, or asks for it. A line that
    stands on the other side as well was moved, and a text decides nothing.
    """
    wanted = {destination(name): name for name in reversed(names) if name[:1] == "-" or name in known or name.isupper()}
    speaks = re.compile("|".join(re.escape(word).replace("_", "[_-]") for word in wanted)).search
    every = [(path, hunk, line) for path, some in files for hunk in some for line in hunk.lines if line.sign in "+-"]
    changed = [row for row in every if speaks(row[2].text)] if wanted else []
    both = {sign: {_plain(line.text) for _, _, line in every if line.sign == sign} for sign in "+-"} if changed else {}
    found: dict[str, tuple[_Made, str, DiffHunk, DiffLine]] = {}
    for path, hunk, line in changed:
        moved, code = _plain(line.text) in both["-" if line.sign == "+" else "+"], _code(line.text)
        in_code = set(_IDENTIFIER.findall(code))
        for word in sorted({destination(name) for name in (*_in_line(line.text, known), *in_code)} & wanted.keys()):
            made = _MOVED if moved else _decides(word, code) if word in in_code else _NAMED_ALONE
            if word not in found or made[0] < found[word][0][0]:
                found[word] = made, path, hunk, line
    found = {word: _followed(*one) if one[0][0] == _COPY else one for word, one in found.items()}
    rows = (_row(wanted[word], word, *best) for word, best in sorted(found.items(), key=lambda item: item[1][0][0]))
    return tuple(one for one in rows if not (one.decides and one.name.isupper()) or _READ.search(one.text))


def _row(name: str, word: str, made: _Made, path: str, hunk: DiffHunk, line: DiffLine) -> SettingLine:
    _, does, target = made
    if made in (_MOVED, _NAMED_ALONE):
        return SettingLine(name=name, does=does)
    text, says = line.text.strip()[:_LONGEST], _comment_above(line, hunk, word)
    if not says and word not in _IDENTIFIER.findall(text):  # it stands there under the name of a copy
        says = next(
            (one.text.strip()[:_LONGEST] for one in hunk.lines if one.sign == line.sign and _copied(word, one)), ""
        )
    at = line.new or line.old
    return SettingLine(name=name, does=does, side=line.sign, path=path, line=at, text=text, target=target, says=says)


def _plain(line: str) -> str:
    """Without what it is indented by and the holders of its names: what it reads may have become `args.size`."""
    return " ".join(_HOLDER.sub("", line).split())


def _code(line: str) -> str:
    """Without texts and comments; a text of one word is a key or a variable."""
    line = "" if line.lstrip().startswith(_COMMENT) else _STRING.sub(_key, line)
    return line.partition(" # ")[0].partition(" // ")[0].strip()


def _key(text: re.Match[str]) -> str:
    inside = text[1] or text[2] or ""
    return inside if inside.isidentifier() else ""


def _decides(word: str, code: str) -> _Made:
    """A copy under another name decides nothing by itself."""
    left, is_set, value = (part.strip() for part in code.partition(" = "))
    target = left.partition(":")[0]
    if is_set and " " not in target:
        holder, _, own = target.rpartition(".")
        if _plain(value) == word and not holder:
            return _COPY, "use", target
        return (_SET, "set", "") if own == word else (_TAKEN, "take", target)
    if code.endswith(".") or not _CODE.search(code):
        return _NAMED_ALONE
    if not (_CONDITION.match(code) or _COMPARED.search(code)):
        return _USED, "use", ""
    return (_BOUND if _VALUE.search(code) else _ASKED), "ask", ""


def _copied(word: str, line: DiffLine) -> bool:
    code = _code(line.text)
    return word in _IDENTIFIER.findall(code) and _decides(word, code)[0] == _COPY


def _followed(made: _Made, path: str, hunk: DiffHunk, line: DiffLine) -> tuple[_Made, str, DiffHunk, DiffLine]:
    """Of a setting that lines only copy, the line behind it that decides most by the copy; the copy itself where none does."""
    within = takewhile(lambda one: not _HEAD.match(one.text), hunk.lines[hunk.lines.index(line) + 1 :])
    behind = [one for one in within if one.sign == line.sign]
    asked = (
        (_decides(made[2], code), one) for one in behind if made[2] in _IDENTIFIER.findall(code := _code(one.text))
    )
    best, where = min(asked, key=lambda pair: pair[0][0], default=(made, line))
    return (best, path, hunk, where) if _SET < best[0] < _USED else (made, path, hunk, line)


def _comment_above(line: DiffLine, hunk: DiffHunk, word: str) -> str:
    """What the nearest comment before it in its block says, where that names the setting."""
    if line.sign != "+":
        return ""
    said: list[str] = []
    for one in reversed([one for one in hunk.lines if one.sign != "-" and one.new < line.new][-_NEAR:]):
        comment = one.text.lstrip().startswith(_COMMENT)
        if comment and one.sign == "+":
            said.insert(0, one.text.strip().lstrip("#/ "))
        elif said or not one.text.strip():
            break
    text = " ".join(said)
    at = max((found.end() for found in _SENTENCE.finditer(text[: max(text.rfind(word), 0)])), default=0)
    told = text[at:] if word in text else ""
    return told if len(told) <= _LONGEST else told[:_LONGEST].rpartition(" ")[0] + " …"


def known_settings(trees: Trees | None, commit: str, cache: SurfaceCache) -> frozenset[str]:
    """What the parsers of a tree take, as its code spells it (`chunked_prefill_size`); nothing where it cannot be read."""
    if trees is None:
        return frozenset()
    try:
        paths = {path for _, path, _ in trees.matches([commit], DEFINES, _PYTHON) or ()}
        oids = set(trees.blobs_at(f"{commit}:{path}" for path in paths).values())
    except GitError:
        return frozenset()
    for oid, text in trees.contents(oid for oid in oids if cache.get(_KEY, oid) is None):
        rows = surface("", text).of("option", "setting")
        cache.put(_KEY, oid, Surface(rows))
    found = (cache.get(_KEY, oid) for oid in oids)
    return frozenset(destination(row.name) for one in found if one is not None for row in one.values())
