"""Where a watched repository uses, at its head as of the window, names that another one took away in the window.

Git looks for the words in the head's tree, and only in repositories whose own requirement and build files name the
other project; tests, documentation, benchmarks and examples are left aside. The readers of uses then decide: a mere
word is no use, it must be imported, called or set as that project's. Nothing is checked out and nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from daybreak.core.errors import GitError
from daybreak.core.git_program import EMPTY_TREE, Git
from daybreak.core.model.changes import Skipped
from daybreak.core.model.links import HeadUse
from daybreak.core.model.report import RepoReport
from daybreak.core.model.upgrade import Hit, Net, Use, Uses
from daybreak.core.projects import FAULTS, Wanted, wanted_for
from daybreak.findings.kinds import ANOTHER_NAME, GONE, kind_of
from daybreak.judge.cross_repo.mirrors import NEEDS, REQUIREMENTS, Looked, known_as, spelled
from daybreak.judge.cross_repo.trees import Opened, Tree
from daybreak.judge.links.pins import squeezed
from daybreak.upgrade.downstream.readers import uses
from daybreak.upgrade.impact.base import Item, address
from daybreak.upgrade.impact.ends import Files
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.python import USES
from daybreak.upgrade.impact.table import Asked, Ends, Table
from daybreak.upgrade.range.net import net

_Told = tuple[tuple[HeadUse, ...], int] | GitError
MOST_FILES = 400
"""Files of one repository with such words that are read."""
_NAMES = frozenset(
    {
        "function", "class", "module", "export", "attribute", "enum_member", "extension_method", "cli_flag", "env",
        "env_read", "metric", "operator", "cpp", "header", "macro",
    }
)  # fmt: skip
_SHORT = 4
_FOLDERS = ("test", "tests", "docs", "benchmark", "benchmarks", "example", "examples", "third_party", "3rdparty")
_ASIDE = tuple(f":(exclude,glob,top)**/{folder}/**" for folder in _FOLDERS)
"""What does not ship with a project is not its use of a name."""
_PYTHON = ("*.py", "*.pyi")
_NATIVE = ("*.c", "*.cc", "*.cpp", "*.cu", "*.cuh", "*.h", "*.hpp", "*.inl")
_SETTINGS = ("*.sh", "*.yml", "*.yaml", "*.toml", "*.env", "*Dockerfile*")


def uses_at_heads(git: Git, reports: Sequence[RepoReport], mirror: Callable[[str], Opened | None]) -> Looked:
    """Every use, in a watched repository, of a name that another one took away; nothing is asked when none went.

    `mirror` is asked for by the repository's name.
    """
    gone = {report.repo.name: found for report in reports if (found := _gone(report))}
    asked = [report for report in reports if report.head and gone.keys() - {report.repo.name}]
    mirrors = git.side_by_side(lambda report: mirror(report.repo.name), asked)
    heads: list[tuple[str, Tree, Mapping[str, Sequence[Net]]]] = []
    for report, opened in zip(asked, mirrors, strict=True):
        others = {repo: nets for repo, nets in gone.items() if repo != report.repo.name}
        if opened is not None and report.head is not None:
            heads.append((report.repo.name, Tree(git, opened, report.head), others))
    ends = partial(_ends, git, reports, mirror)
    answers: list[_Told] = git.side_by_side(lambda one: _asked(one[1], one[2], ends), heads)
    out = Looked()
    for (name, tree, _), told in zip(heads, answers, strict=True):
        if isinstance(told, GitError):
            out.skipped[name] = (Skipped(f"{name} at its head", f"could not be looked into: {told.message}"),)
            continue
        used, left = told
        out.uses |= {name: used} if used else {}
        out.skipped |= {name: tuple(_left(name, left, tree))} if left or tree.unread else {}
    return out


def _asked(tree: Tree, others: Mapping[str, Sequence[Net]], ends: Callable[[Sequence[Use]], Ends]) -> _Told:
    """What is used at one head; a fault is told of that repository alone."""
    try:
        return _of_head(tree, others, ends)
    except GitError as error:
        return error


def _left(name: str, left: int, tree: Tree) -> Iterator[Skipped]:
    if left:
        yield Skipped(f"{name} at its head", f"{left} more files hold the words that are looked for")
    if tree.unread:
        yield Skipped(f"{name} at its head", f"contents of {tree.unread} files are missing")


def _gone(report: RepoReport) -> tuple[Net, ...]:
    """What the day took away for good, of changes that the reader wants to hear of."""
    told = [entry for entry in reversed(report.entries) if not entry.change.filtered]
    known = {finding.id for entry in told for finding in entry.reading.findings}
    steps = [(entry.change.sha, finding) for entry in told for finding in entry.reading.findings]
    if not any(_is_gone(finding.kind) for _, finding in steps):
        return ()
    return tuple(one for one in net(steps) if _is_gone(one.finding.kind) and one.finding.id in known and _bare(one))


def _is_gone(kind: str) -> bool:
    known = kind_of(kind)
    return known.family in _NAMES and known.change in GONE


def _bare(one: Net) -> bool:
    """Nothing stands under the old name."""
    return one.finding.alias is None or one.finding.alias.status == "none"


# --- one repository --------------------------------------------------------------------------------------------------


def _of_head(
    tree: Tree, others: Mapping[str, Sequence[Net]], ends: Callable[[Sequence[Use]], Ends]
) -> tuple[tuple[HeadUse, ...], int]:
    """The uses, and how many files with the words were not read."""
    taken = _taken(tree, others)
    nets = {repo: others[repo] for repo in others if repo in taken}
    wanted = wanted_for(nets)
    words = _words(nets)
    signs, patterns = _signs(words, wanted)
    if not signs:
        return (), 0
    needed = list({one for some in words.values() for one in some})
    paths, lost = tree.using(signs, patterns, needed)
    texts = list(tree.texts(paths[:MOST_FILES]))
    found = [use for path, text in texts for use in _read(path, text, wanted)]
    left = lost + len(paths) - len(texts)
    if not join(Uses("", tuple(found)), nets):
        return (), left
    # A pinned version that holds the change already says that the use is of the past; and a name that the package
    # still hands on is not gone.
    found += [use for path, text in tree.texts(tree.matching(REQUIREMENTS)) for use in _read(path, text, wanted)]
    known = ends(found)
    asked = Asked(known)
    hits = join(Uses("", tuple(dict.fromkeys(found))), nets, wanted.released, window=True, ends=known)
    kept = dict.fromkeys(use for hit in hits if (use := _use(hit, asked, nets[hit.repo])) is not None)
    return tuple(kept), left


def _ends(git: Git, reports: Sequence[RepoReport], mirror: Callable[[str], Opened | None], uses: Sequence[Use]) -> Ends:
    """What the repositories hold at the window's end, and held before its first change."""
    hints = {use.name for use in uses if "." in use.name}
    known = {r.repo.name: (r, m) for r in reports if r.head and r.entries and (m := mirror(r.repo.name))}

    def files(at: Callable[[RepoReport], str]) -> Callable[[str, str], str | None]:
        found = {name: Files(git.environment, str(m.path), at(r), hints) for name, (r, m) in known.items()}
        return lambda repo, path: found[repo].text(path)

    def mentions(repo: str, word: str) -> bool | None:
        report, opened = known[repo]
        held = Tree(git, opened, report.head or "").holding([word], (*_PYTHON, *_NATIVE, *_SETTINGS))
        return None if held else False

    return Ends(files(lambda report: report.head or ""), files(_start), mentions)


def _start(report: RepoReport) -> str:
    """The commit that the window's first change stands on."""
    return next(iter(report.entries[-1].change.parents), EMPTY_TREE)


def _taken(tree: Tree, others: Iterable[str]) -> set[str]:
    """Those projects that the requirement and build files name, and not in a remark."""
    names = {repo: sorted(set(known_as(repo))) for repo in others}
    lines = tree.lines_with(sorted({name for some in names.values() for name in some}), NEEDS)
    told = "\n".join(line.partition("#")[0] for line in lines)
    words = squeezed(told)  # most are not named at all, and a pattern costs more than a look
    near = {repo: found for repo, some in names.items() if (found := [x for x in some if squeezed(x) in words])}
    return {repo for repo, some in near.items() if re.search("|".join(map(_standing, some)), told, re.IGNORECASE)}


def _standing(name: str) -> str:
    """Not inside another word: `vllm` is not in `vllmx`, but in `VLLM_VERSION`."""
    return rf"(?<![a-z0-9]){spelled(name)}(?![a-z0-9])"


def _words(nets: Mapping[str, Sequence[Net]]) -> dict[str, set[frozenset[str]]]:
    """Kind of name -> words that must all be in a file which uses it; a file without them is not worth reading."""
    found: dict[str, set[frozenset[str]]] = {}
    for repo, some in nets.items():
        wanted = wanted_for([repo])
        for key, items in Table.of({repo: some}, Asked(None)).by_name.items():
            kind, _, name = key.partition(" ")
            # Flags are passed to a program, and a variable of another project's name is that one's.
            flag_of_none = kind == "flag" and not (wanted.programs or wanted.images)
            if not flag_of_none and (kind != "env" or name.startswith(tuple(wanted.variables))):
                found.setdefault(kind, set()).update(_spelled(kind, name, items))
    return {kind: words for kind, words in found.items() if words}


def _spelled(kind: str, name: str, items: Iterable[Item]) -> Iterator[frozenset[str]]:
    if kind == "python":
        found = {frozenset(item.where.symbol or item.where.module[-2:]) for item in items}
    elif kind == "flag":
        found = {frozenset((f"--{name}",)), frozenset((f"--{name.replace('-', '_')}",))}
    else:
        found = {frozenset((name.rpartition("/")[2] if kind == "header" else name,))}
    yield from (words for words in found if kind != "forwarded" and max(map(len, words), default=0) >= _SHORT)


def _signs(words: Mapping[str, set[frozenset[str]]], wanted: Wanted) -> tuple[list[str], tuple[str, ...]]:
    """What a file has that uses these projects at all, and which files may: git looks for few strings, not for words
    such as `forward`.
    """
    signs: set[str] = set()
    patterns: list[str] = []
    if "python" in words:
        signs |= {f"{how} {name}" for name in wanted.packages for how in ("import", "from")}
        patterns += _PYTHON
    if "operator" in words:
        signs |= {f"ops.{name}" for name in wanted.namespaces if not name.endswith(":")}
        patterns += _PYTHON
    if words.keys() & {"native", "header"}:
        signs |= {f"{name}/" for name in wanted.headers} | {f"{name}::" for name in wanted.scopes} | wanted.macros
        patterns += _NATIVE
    settings = words.keys() - {"python", "operator", "native", "header"}
    if settings:
        signs |= {word for kind in settings for one in words[kind] for word in one if _plain(word)}
        patterns += (*_PYTHON, *_SETTINGS)
    return sorted(signs), (*dict.fromkeys(patterns), *_ASIDE)


def _plain(word: str) -> bool:
    return word.isascii() and word.isprintable()


def _read(path: str, text: str, wanted: Wanted) -> Iterable[Use]:
    """What one file uses; a file of somebody else's that cannot be read says nothing."""
    try:
        return list(uses(path, text, wanted))
    except FAULTS:
        return ()


def _use(hit: Hit, asked: Asked, nets: Sequence[Net]) -> HeadUse | None:
    """None for what is only worth a look, and for a name that was not there before the window either.

    A guarded use counts, for what it does ends without a word; but it is never sure.
    """
    use = hit.use
    net = _named(hit, nets)
    if net is None or (hit.certainty == "look" and not use.guarded):
        return None
    finding = net.finding
    where = address(finding) if use.kind in USES else None
    stood = asked.stood(Item(hit.repo, net, where), use.name) if where is not None else True
    if stood is False:
        return None
    sure = hit.certainty == "certain" and bool(stood) and not use.guarded
    named = finding.before if kind_of(finding.kind).change in ANOTHER_NAME and finding.before else finding.symbol
    return HeadUse(f"finding:{finding.id}", net.commits[-1], hit.repo, named, use.path, use.line, sure)


def _named(hit: Hit, nets: Sequence[Net]) -> Net | None:
    """The net whose name the use has; the trees tell a name that went without one."""
    parts = hit.use.name.split(".")

    def last(net: Net) -> str:
        where = address(net.finding) if hit.use.kind in USES else None
        return where.last if where is not None and where.symbol else ""

    if hit.net.commits and last(hit.net) in ("", *parts):
        return hit.net
    others = [net for net in nets if last(net) == parts[-1]]
    return others[0] if len(others) == 1 else None
