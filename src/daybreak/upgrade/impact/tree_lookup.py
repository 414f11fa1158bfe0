"""Both ends of each repository's range: where a name of yours leads at the start, and where at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Use
from daybreak.upgrade.impact.base import Item, Role, unknown_rest
from daybreak.upgrade.impact.chains import Reached, Thing, steps_of
from daybreak.upgrade.impact.source_parts import advised_name
from daybreak.upgrade.impact.surface import Surface
from daybreak.upgrade.impact.table import ARGUMENTS, Asked
from daybreak.upgrade.impact.tree_names import arguments_of, full_name, homes, joined_steps, kept_name, shifted

USES = frozenset({"import", "attribute", "call", "subclass", "override", "patch"})


class TreeLookup:
    """Both ends of each repository's range."""

    def __init__(self, asked: Asked, repos: Iterable[str]) -> None:
        self.asked, self.repos = asked, tuple(repos)
        self.ends: dict[str, tuple[Surface, Surface] | None] = {}
        self.defined: dict[str, dict[str, tuple[str, ...]]] = {}
        """Repository → name that left its place → files of the end that define it."""
        self.overridden: dict[str, dict[str, None]] = {}
        """File of yours → methods of upstream that it overrides."""
        self.made: set[tuple[str, str]] = set()
        """Files of yours and what they call of upstream."""
        self.imported: set[tuple[str, str]] = set()
        """Files of yours and the last names of what they import."""

    def of(self, name: str) -> tuple[Surface, Surface] | None:
        """The two trees of the repository that a name belongs to."""
        top = name.partition(".")[0]
        if top not in self.ends:
            start, end = self.asked.start, self.asked.end
            found = [(Surface(start, one), Surface(end, one)) for one in self.repos] if start and end else []
            self.ends[top] = next((pair for pair in found if pair[0].reach(top).trail), None)
        return self.ends[top]

    def canonical(self, use: Use) -> Use:
        """The same use under the name of what it reaches, where that is defined; as it is when that is not known."""
        pair = self.of(use.name) if use.kind in USES and use.kind != "import" else None
        steps = steps_of(use.name)
        if pair is None or len(steps) < 3:
            return use
        found = pair[0].reach(use.name)
        name = full_name(pair[0], found, steps)
        same = name.split(".")[-2:] == steps[-2:]  # as you write it, unless it leads through something else
        return replace(use, name=name) if name and not same and found.steps == len(steps) else use

    def stood(self, use: Use, *, end: bool = False) -> bool | None:
        """Whether a use can be reached at the start or the end; None when that is not known."""
        pair = self.of(use.name)
        found = pair[end].reach(use.name) if pair else None
        if found is None or not found.trail:
            return None
        return False if found.gone else True if found.steps == len(steps_of(use.name)) else None

    # --- where names went ----------------------------------------------------------------------------------------------

    def prepare(self, uses: Iterable[Use]) -> None:
        """Look for everything at once that is no longer where you take it from."""
        uses = list(uses)
        for use in uses:
            if use.kind == "call":
                self.made.add((use.path, use.name))
            elif use.kind == "import":
                self.imported.add((use.path, use.name.rpartition(".")[2]))
            if use.kind == "override" and use.keywords:
                self.overridden.setdefault(use.path, {})[use.name] = None
        lost: dict[str, set[str]] = {}
        things: dict[tuple[str, str], tuple[Surface, Surface, Thing | None]] = {}
        for name in dict.fromkeys(use.name for use in uses if use.kind in USES):
            pair = self.of(name)
            before = pair[0].reach(name) if pair else None
            if pair is None or before is None or before.steps < 2:
                continue
            steps = steps_of(name)[: before.steps]
            if not pair[1].reach(joined_steps(steps)).gone and kept_name(pair[1], steps) is None:
                continue
            first = next((x for x in before.trail if x is not None and x.sort in ("class", "function")), None)
            sought, gone = lost.setdefault(pair[0].repo, set()), first.symbol[0] if first else steps[-1]
            sought |= {gone}
            if first is not None or (pair[0].repo, gone) not in things:
                things[pair[0].repo, gone] = (*pair, first)
            sought |= {successor} if first is not None and (successor := pair[0].successor(first)) else set()
        for repo, names in lost.items():
            defined = self.asked.ends.defined
            found = defined(repo, frozenset(names)) if defined else {}
            self.defined[repo] = {name: homes(paths, name, things.get((repo, name))) for name, paths in found.items()}

    def _is_made(self, path: str, name: str) -> bool:
        """Whether objects of a class in a file of yours are made by you: it calls the class, or has them without naming it."""
        return (path, name) in self.made or (path, name.rpartition(".")[2]) not in self.imported

    def successor(self, repo: str, name: str) -> str:
        """What upstream's own words name in place of something that is gone, where the end defines it."""
        pair = self.of(name)
        kept = kept_name(pair[0], steps_of(name)) if pair else None
        told = advised_name(kept[2]) if kept else ""
        if pair and told and pair[1].reach(told).steps == len(steps_of(told)):
            return told
        before = pair[0].reach(name) if pair else None
        found = pair[0].successor(before.thing) if pair and before and before.thing else ""
        home = self.home(repo, found) if found else ""
        return f"{home}.{found}" if home else ""

    def home(self, repo: str, name: str) -> str | None:
        """The one module of the end that defines a name; empty for none, None when it cannot be said."""
        known = self.defined.get(repo)
        if known is None or self.asked.ends.defined is None:
            return None
        paths = known.get(name, ())
        pair = next((x for x in self.ends.values() if x and x[0].repo == repo), None)
        if len(paths) > 1 or pair is None:
            return None
        return pair[1].dotted(Thing("module", paths[0])) if paths else ""

    def _moved(self, pair: tuple[Surface, Surface], known: Sequence[str], before: Reached) -> Reached | None:
        """The same chain from where its first class or function is defined at the end."""
        for at, thing in enumerate(before.trail):
            if thing is not None and thing.sort in ("class", "function") and len(thing.symbol) == 1:
                home = self.home(pair[0].repo, thing.symbol[0])
                after = pair[1].reach(joined_steps((home, thing.symbol[0], *known[at + 1 :]))) if home else None
                if after is None:
                    return None
                start = len(steps_of(home or "")) - at
                trail = after.trail[start:] if start >= 0 else (*[Thing("module")] * -start, *after.trail)
                return Reached(trail, after.gone)
        return None

    def moved_to(self, name: str, finding: Finding) -> str:
        """The name of something in a module that moved, where the end has it; empty otherwise."""
        old, new = ((text or "").removesuffix(".*") for text in (finding.before, finding.after))
        pair = self.of(name)
        moved = f"{new}{name.removeprefix(old)}"
        if pair is None or not name.startswith(old):
            return ""
        return moved if pair[1].reach(moved).steps == len(steps_of(moved)) else ""

    def is_of_another(self, use: Use, item: Item) -> bool:
        """Whether settings of another program of the same project are meant: who starts or is built here takes its own."""
        path = item.net.finding.path
        if not ARGUMENTS.search(path) or self.asked.end is None:
            return False
        program = (use.program or "").rpartition(" -m ")[2] if use.kind == "cli_flag" else ""
        name = use.name if use.kind == "call" else program if "." in program else ""
        pair = self.of(name) if name else None
        thing = pair[1].reach(name).thing if pair else None
        if pair is None or thing is None or thing.path == path:
            return False
        near = arguments_of(pair[1], thing.path)
        return bool(near) and path not in near

    def variable(self, name: str) -> bool:
        """Whether an environment variable that a module of the end offers is on unless somebody sets it."""
        pair = self.of(name)
        module, _, last = name.rpartition(".")
        thing = pair[1].reach(module).thing if pair else None
        return thing is not None and pair is not None and pair[1].modules.is_on(pair[1].repo, thing.path, last)

    def went_along(self, name: str, finding: Finding) -> bool:
        """Whether a name is where a folder of modules went to; otherwise the trees tell how it was lost, if they can."""
        old, new = ((text or "").removesuffix(".*") for text in (finding.before, finding.after))
        pair = self.of(name)
        moved = f"{new}{name.removeprefix(old)}"
        if pair is None or pair[0].reach(name).steps < len(steps_of(name)):
            return True
        return pair[1].reach(moved).steps == len(steps_of(moved))

    def derives(self, use: Use, base: str | None) -> bool:
        """Whether a class of the end has a base of that name, be it through another one."""
        pair = self.of(use.name)
        thing = pair[1].reach(use.name).thing if pair else None
        line, others = pair[1].line_up(thing) if pair and thing is not None else ([], frozenset[str]())
        names = {one.symbol[-1] for one in line} | {other.rpartition(".")[2] for other in others}
        return (base or "?").rpartition(".")[2] in names

    def fits(self, use: Use, role: Role) -> bool:
        """Whether a call is surely taken at the end as it is, or never was one of this function."""
        pair = self.of(use.name) if use.kind == "call" and use.positional is not None else None
        steps = steps_of(use.name)
        before, after = (tree.reach(use.name) for tree in pair) if pair else (None, None)
        if pair is None or before is None or after is None or before.thing is None or after.thing is None:
            return False
        then, now = pair[0].signature(before.thing), pair[1].signature(after.thing)
        if then is None or now is None or after.steps < len(steps) or unknown_rest(use):
            return False
        places = use.positional or 0
        if role == "place" and not then.takes(places, use.keywords):
            return True  # another one of several things that the name may hold is meant
        lacks = any(now.lacks(part, places, use.keywords) for part in now.required)
        taken = all(pair[1].accepts(after.thing, word) for word in use.keywords)
        return taken and not lacks and places <= len(now.places) and not shifted(then, now, places)

    def refuses(self, use: Use, part: str) -> bool:
        """Whether a call surely may not pass a keyword any more, though what it called so may be there to be read."""
        pair = self.of(use.name) if use.kind == "call" else None
        was, now = (tree.reach(use.name).thing for tree in pair) if pair else (None, None)
        if pair is None or was is None or now is None:
            return False
        return pair[1].accepts(now, part) is False and pair[0].accepts(was, part) is True

    def gained(self, use: Use) -> set[str]:
        """What a method takes more than before and need not be given; empty where it lost something or must get more."""
        pair = self.of(use.name)
        was, now = (tree.reach(use.name).thing for tree in pair) if pair else (None, None)
        then = pair[0].signature(was) if pair and was is not None else None
        later = pair[1].signature(now) if pair and now is not None else None
        if then is None or later is None or later.required - then.required or then.keywords - later.keywords:
            return set()
        return set(later.keywords - then.keywords)

    def place(self, use: Use, word: str) -> int | None:
        """How many arguments by place come before a parameter of the end."""
        pair = self.of(use.name)
        now = pair[1].reach(use.name).thing if pair else None
        taken = pair[1].signature(now) if pair and now is not None else None
        return taken.places.index(word) if taken is not None and word in taken.places else None
