"""Effect of a change on what users run: the statements it alters, after all that does nothing was taken out.

Taken out are files that nobody is given, comments, docstrings, calls that only log, texts of errors and of help, line breaks, and a
renaming that goes through. What is cut off or cannot be read counts as a statement: it may be one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding
from daybreak.findings.diff import SideLine, hunks, side
from daybreak.findings.kinds import kind_of
from daybreak.judge.change_kinds import front
from daybreak.judge.moved_statements import DEFINES, passes_another
from daybreak.judge.phrases import is_on

MAX_PATCH = 400_000
"""Characters of a change's patches that are looked at; of more, some do something."""
_SLASHED = re.compile(
    r"\.(?:c|cc|cpp|cxx|cuh?|h|hh|hpp|inl|inc|hip|rs|go|java|kt|swift|jsx?|tsx?|proto|metal|mm?)$", re.IGNORECASE
)
"""Files whose comments begin with `//`; in all others they begin with `#`."""
_BEHIND_CODE = {"#": re.compile(r"\s{2,80}#\s.*"), "//": re.compile(r"\s{1,80}///?\s.*")}
_LOGS = re.compile(
    r"(?:self\.|_)?(?:log(?:ger|ging)?|LOG(?:GER)?|tracing|slog|klog|glog|console|fmt)(?:\.|::|_?\()|(?:print|printf)\s?\("
    r"|(?:print|println|eprintln|info|debug|warn|trace|error)!\s?[(\[]"
)
"""Where a call begins that only tells somebody."""
_REFUSES = re.compile(r"(?:raise|assert|throw)\b")
_TEXT = re.compile(r"[fr]{0,2}(?:\"[^\"]{0,400}\"|'[^']{0,400}')[),;]{0,6}")
"""A line of such a statement that holds words and nothing else."""
_HELP = re.compile(r"help\s?=\s?\(?(?:[fr]{0,2}(?:\"[^\"]{0,400}\"|'[^']{0,400}'))?,?")
"""What users are told of an option."""
_CLOSES = re.compile(r"^(?!\w?\w?(?:\"\"\"|''')).{0,400}[\w.)!?`:](?:\"\"\"|''')$")
"""The last line of a docstring, which holds its last words."""
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?|[^\s\w]")
_FIXED = frozenset(
    """True False None true false null nullptr not and or is in if elif else while for return raise throw break continue
    assert await async yield del try except finally switch case default goto static const self this""".split()  # noqa: SIM905  words read better than a list of strings
)
"""Words that no renaming touches."""


def alters(change: Change) -> bool:
    """Some statement of a file that users are given is another one now, is new or is gone."""
    files = front(change)
    if not files or len(change.files) < change.files_total or any(map(_unseen, files)):
        return bool(files) or len(change.files) < change.files_total
    if sum(len(file.patch) for file in files) > MAX_PATCH:
        return True
    sides = [(list(statements(file, "-")), list(statements(file, "+"))) for file in files]
    if any(asks(file) for file in files for asks in (_crosses, _nests_otherwise, passes_another)):
        return True
    edited = [(was, now) for was, now in sides if _plain(was) != _plain(now)]
    was, now = ([line for pair in edited for line in pair[at]] for at in (0, 1))
    return bool(edited) and not _renames(was, now, files)


def only_renames(change: Change) -> bool:
    """All that it alters is what something is called, in strings as well, and where that is bound."""
    files = front(change)
    was, now = ([_STRING.sub(" ", line) for file in files for line in statements(file, sign)] for sign in "-+")
    return bool(was) and not any(map(_unseen, files)) and _renames(was, now, files)


_STRING = re.compile(r"[\"']")


def _crosses(file: FileChange) -> bool:
    """A statement stands on the other side of one that leaves the loop or the function: it runs where it did not, or not
    where it did.
    """
    for hunk in hunks(file.patch):
        moved = Counter(x.text for x in hunk.lines if x.sign == "-") & Counter(
            x.text for x in hunk.lines if x.sign == "+"
        )
        at = [n for n, line in enumerate(hunk.lines) if line.sign != " " and line.text in moved and line.text.strip()]
        between = hunk.lines[at[0] : at[-1]] if at else ()
        inner = all(line.text[:1].isspace() for line in between if line.text.strip())
        if (
            inner
            and any(line.sign == " " and _LEAVES.match(line.text) for line in between)
            and not any(DEFINES.match(line.text) for line in between)
        ):
            return True
    return False


_LEAVES = re.compile(r"\s*(?:return|continue|break|raise|throw)\b")


def _nests_otherwise(file: FileChange) -> bool:
    """A Python statement stands in another block than before, though its words are the same: it runs where it did not, or
    not where it did.
    """
    if not _INDENTED.search(file.path[-20:]):
        return False
    for hunk in hunks(file.patch):
        was, now = (Counter(_nested(side(hunk, sign))) for sign in ("-", "+"))
        if was != now and _texts(was) == _texts(now):
            return True
    return False


_INDENTED = re.compile(r"\.py[ix]?$", re.IGNORECASE)
"""Files in which white space says what a statement belongs to."""


def _texts(nested: Counter[tuple[int, str]]) -> Counter[str]:
    texts: Counter[str] = Counter()
    for (_, text), count in nested.items():
        texts[text] += count
    return texts


def _nested(lines: Sequence[SideLine]) -> Iterator[tuple[int, str]]:
    """The statements of one side without blanks, each with how many blocks deeper it stands than the first: a file that
    is indented by two instead of four nests as before.
    """
    steps: list[int] = []
    depth = 0
    for width, text in _logical(lines):
        while steps and width < steps[-1]:
            steps.pop()
            depth -= 1
        if steps and width > steps[-1]:
            depth += 1
        if not steps or width > steps[-1]:  # where none is left, it ends a block that begins before the hunk
            steps.append(width)
        yield depth, text


def _logical(lines: Sequence[SideLine]) -> Iterator[tuple[int, str]]:
    """Whole statements with their indentation; what the hunk begins in the midst of has none of its own."""
    found: list[tuple[int, str]] = []
    width, parts, depth = 0, list[str](), 0
    for line, text in _kept(lines, "#"):
        if not parts:
            width = len(line.text.expandtabs()) - len(line.text.expandtabs().lstrip())
        parts.append(text.removesuffix("\\"))
        depth += _brackets(text)
        if depth < 0:
            found, parts, depth = [], [], 0
        elif depth == 0 and not text.endswith("\\"):
            found.append((width, _plain(parts)))
            parts = []
    return iter([*found, (width, _plain(parts))] if parts else found)


def switches_on(change: Change, finding: Finding) -> bool:
    """A setting that came, is on where nobody sets it, and is asked before code that came with it: what stood there
    before can only be switched off by it.
    """
    kind = kind_of(finding.kind)
    if kind.change != "added" or kind.surface not in _SETTINGS or not is_on(finding):
        return False
    name = finding.symbol.rpartition(".")[2].lstrip("-").replace("-", "_")
    asks = re.compile(rf"\b{re.escape(name)}\b")
    return any(_brings(file, asks) for file in front(change) if len(file.patch) <= MAX_PATCH)


_SETTINGS = frozenset({"cli", "environment", "server"})
_ENDS = re.compile(r"(?:return|continue|break|pass)\b")


def _brings(file: FileChange, asks: re.Pattern[str]) -> bool:
    """Behind a new line that reads a setting stands a new line that stood nowhere in the file."""
    rows = file.patch.split("\n")
    was = {row[1:].strip() for row in rows if row[:1] == "-"}
    for at, row in enumerate(rows):
        if row[:1] == "+" and asks.search(row) and not _DECLARES.search(row):
            behind = next((one for one in rows[at + 1 : at + 4] if not _ENDS.match(one[1:].strip())), "")
            if behind[:1] == "+" and behind[1:].strip() not in was:
                return True
    return False


_DECLARES = re.compile(
    r"^\+\s{0,40}\w{1,100}\s{0,4}(?::[^=]{1,80})?=\s{0,4}(?:Env\w{1,30}\(|True\b)|[\"']--?\w|[\"']\w{1,100}[\"']\s?:"
)


def _unseen(file: FileChange) -> bool:
    """Nothing of it was read, or not all: a binary, a link to another repository, a file that only moved or was cut."""
    return file.binary or file.submodule or file.patch_cut or file.skipped is not None or not file.patch


def _plain(lines: Sequence[str]) -> str:
    """The text without blanks, breaks and what is written down of what functions return."""
    return _RETURNS.sub("):", "".join("".join(lines).split()))


_RETURNS = re.compile(r"\)->[\w.\[\],|\"']{1,160}:(?!:)")


def statements(file: FileChange, sign: str) -> Iterator[str]:
    """Changed lines of one side that hold code that does something."""
    mark = "//" if _SLASHED.search(file.path[-20:]) else "#"
    for hunk in hunks(file.patch):
        yield from _code(side(hunk, "+" if sign == "+" else "-"), mark)


def _code(lines: Sequence[SideLine], mark: str) -> Iterator[str]:
    """The changed ones of these lines that hold code."""
    return (text for line, text in _kept(lines, mark) if line.changed)


def _kept(lines: Sequence[SideLine], mark: str) -> Iterator[tuple[SideLine, str]]:
    """These lines without what is said to people: comments, docstrings, log calls."""
    inside, depth, refusal = _opens_inside(lines, mark), 0, 0
    for line in lines:
        text = line.text.strip()
        if inside:
            inside = _stays(text, mark)
            continue
        if depth > 0:
            depth += _brackets(text)
            continue
        text = _unworded(text, refusal)
        within, refusal = refusal > 0, _refusal(text, refusal)
        if _is_comment(text, mark):
            inside = _begins(text, mark)
        elif (within and _TEXT.fullmatch(text)) or _HELP.fullmatch(text):
            continue
        elif _LOGS.match(text):
            depth = _brackets(text)
        elif bare := _BEHIND_CODE[mark].sub("", text):
            yield line, bare


def _refusal(text: str, depth: int) -> int:
    """How many brackets of a statement that refuses something stay open behind this line."""
    return max(depth + _brackets(text), 0) if depth > 0 or _REFUSES.match(text) else 0


def _unworded(text: str, depth: int) -> str:
    """A line of a statement that refuses something, `depth` brackets deep, without the text behind its condition, or that of
    its error.
    """
    if not text or not (depth > 0 or _REFUSES.match(text)):
        return text
    behind = _BEHIND_CONDITION.search(text)
    if behind is not None and depth + _brackets(text[: behind.start()]) == 0:
        return text[: behind.start()]
    return _OF_ERROR.sub(r"\1\2", text)


_LITERAL = r"[fr]{0,2}(?:\"[^\"]{0,400}\"|'[^']{0,400}')"
_BEHIND_CONDITION = re.compile(rf",\s{{0,4}}{_LITERAL}$")
_OF_ERROR = re.compile(rf"^((?:raise|throw)\s[\w.:]{{1,120}}\(){_LITERAL}(\)[;\w\s]{{0,40}})$")


def _is_comment(text: str, mark: str) -> bool:
    if not text:
        return True
    if mark == "#":
        return text.startswith(("#", '"""', "'''", 'r"""'))
    return text.startswith(("//", "/*", "*/", "* ")) or text == "*"


def _begins(text: str, mark: str) -> bool:
    """A comment or docstring that goes on behind this line begins here."""
    if mark == "//":
        return text.startswith("/*") and "*/" not in text
    return (text.count('"""') + text.count("'''")) % 2 == 1


def _stays(text: str, mark: str) -> bool:
    return "*/" not in text if mark == "//" else '"""' not in text and "'''" not in text


def _opens_inside(lines: Sequence[SideLine], mark: str) -> bool:
    """The hunk begins within a docstring or comment: what closes one stands before what opens one."""
    for line in lines:
        text = line.text.strip()
        if mark == "//":
            if "/*" in text or "*/" in text:
                return "*/" in text and not text.startswith("/*") and "/*" not in text
        elif '"""' in text or "'''" in text:
            return _CLOSES.search(text) is not None or (len(text) == 3 and not _follows_definition(lines, line))
    return False


def _follows_definition(lines: Sequence[SideLine], line: SideLine) -> bool:
    """The line before is the head of a function or class; where there is none, what ends it stands further down."""
    at = lines.index(line)
    before = next((one.text.strip() for one in reversed(lines[:at]) if one.text.strip()), "")
    if not before:
        return any('"""' in one.text or "'''" in one.text for one in lines[at + 1 :])
    return before.endswith(":") or before.startswith(("def ", "class "))


def _brackets(text: str) -> int:
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


# --- A renaming that goes through: the same tokens but for names, each old name one new name everywhere ---

_BINDING = (
    re.compile(r"\b(?:def|class|fn|func|struct|enum|let|var|const|auto|import|as|for)(?= (\w+))"),
    re.compile(r"(?:^|[(,])(?=\s{0,80}(\w+)\s?:)", re.MULTILINE),
    re.compile(r"(?<![\w.])(?:self\.|this->)?(\w+)\s?=(?!=)"),
)
"""`def name`, `(name: int`, `name = 1`; what another object is given under a name, somebody else reads by it."""


def _renames(was: Sequence[str], now: Sequence[str], files: Sequence[FileChange]) -> bool:
    """The lines differ in names alone, each bound anew here; no line that stands has an old one, and none had a new one."""
    old, new = (_TOKEN.findall("\n".join(lines)) for lines in (was, now))
    if len(old) != len(new):
        return False
    names: dict[str, str] = {}
    for a, b in zip(old, new, strict=True):
        if a != b and not (_is_name(a) and _is_name(b)):
            return False
        if _is_name(a) and names.setdefault(a, b) != b:
            return False
    pairs = {a: b for a, b in names.items() if a != b}
    if len(set(names.values())) < len(names) or not pairs:
        return False
    standing, stood = ({word for file in files for word in _words(file, signs)} for signs in ("+ ", "- "))
    bound = _bound("\n".join(now))
    return all(a not in standing and b in bound and b not in stood for a, b in pairs.items())


def _is_name(token: str) -> bool:
    return (token[0].isalpha() or token[0] == "_") and token not in _FIXED


def _words(file: FileChange, signs: str) -> Iterator[str]:
    """Tokens of the lines with one of these signs."""
    for line in file.patch.split("\n"):
        if line[:1] in signs and line:
            yield from _TOKEN.findall(line[1:2000])


def _bound(text: str) -> set[str]:
    """Names that the text defines or takes in: a function, a class, a parameter, a variable, an import."""
    return {name for pattern in _BINDING for name in pattern.findall(text)}
