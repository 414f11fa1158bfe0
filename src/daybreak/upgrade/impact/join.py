"""Joins what your code uses with what changed upstream: which nets touch which uses, and how surely.

Nets are looked up by the names users type, so the work grows with the uses and not with uses times nets. A use that
several nets meet through the same name is told once, by the surest of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain

from msgspec.structs import replace

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Hit, Net, Use, Uses
from daybreak.core.versions import holds, normalised
from daybreak.core.words import say, term
from daybreak.core.words.grammar import sentence
from daybreak.findings.kinds import ANOTHER_NAME, Kind, kind_of
from daybreak.judge import phrases
from daybreak.upgrade.downstream.python_definitions import NAMED
from daybreak.upgrade.downstream.python_values import is_class_name
from daybreak.upgrade.impact import native, python, server, settings
from daybreak.upgrade.impact.base import Address, Item, Judged, Yours, is_key, meets, provided, saved, settled
from daybreak.upgrade.impact.harm import Pin, by_harm, folded, order, pins_of, without_followers
from daybreak.upgrade.impact.lost_members import lost_members
from daybreak.upgrade.impact.raised import dead_handlers
from daybreak.upgrade.impact.reached import reached
from daybreak.upgrade.impact.source_parts import advised_field
from daybreak.upgrade.impact.source_texts import lost_texts
from daybreak.upgrade.impact.table import FORWARDS, Asked, Ends, Table, items_of
from daybreak.upgrade.impact.trees import Trees

# --- The sentences of a hit: what you use and what became of it, and what to write instead ---


def why(judged: Judged, net: Net) -> Text:
    """What you use, and what upstream did to it."""
    use = term("upgrade.use", judged.role, what=judged.what, part=judged.part)
    return say("upgrade.hit.why", use=use, upstream=_upstream(net.finding))


def action(judged: Judged, net: Net) -> Text:
    """What to write instead."""
    finding, kind = net.finding, kind_of(net.finding.kind)
    if judged.role == "reach" or _is_script(finding):
        moved = finding.after if _is_script(finding) else None
        return say("upgrade.hit.instead", new=moved) if moved else say("upgrade.hit.outdated")
    mine = judged.role == "override" or (judged.role == "patch" and judged.certainty != "certain")
    own = judged.role in ("implement", "place", "pin") or (mine and not _words_renames(finding))
    if own:
        return term("upgrade.use_action", judged.role, part=judged.part)
    # Without an id it is the trees that tell: what they name instead is a name at the end.
    if kind.change == "deprecated" and finding.after and (kind.family == "cli_flag" or not finding.id):
        return say("upgrade.hit.instead", new=finding.after)
    if written := _as_written(judged, finding):
        return written
    how = phrases.remedy((finding,))
    if how is None:
        return say("upgrade.hit.look") if judged.certainty == "look" else say("upgrade.hit.outdated")
    return sentence(how)


def _as_written(judged: Judged, finding: Finding) -> Text | None:
    """What to do about a field or an option, in the form that your code has it in: `--max-size`, or `max_size`."""
    kind = kind_of(finding.kind)
    name = judged.part if judged.role == "pass" else judged.what if judged.role == "set" else ""
    if kind.family not in ("field", "cli_flag") or not name or "." in name:
        return None
    other = name.startswith("--") != (kind.family == "cli_flag")
    if kind.change == "renamed" and finding.after and other:
        new = settings.plain(finding.after.rpartition(".")[2])
        return say("upgrade.hit.instead", new=f"--{new}" if name.startswith("--") else new.replace("-", "_"))
    known = finding.alias is not None and bool(finding.alias.where)
    if kind.change == "removed" and judged.role == "pass":
        return say("upgrade.hit.drop", part=name)
    return say("upgrade.hit.leave_out", part=name) if kind.change == "removed" and other and not known else None


def _words_renames(finding: Finding) -> bool:
    return kind_of(finding.kind).change in ANOTHER_NAME and bool(finding.after)


def _upstream(finding: Finding) -> Text:
    name, path, was, now = finding.symbol, finding.path, finding.before, finding.after
    if kind_of(finding.kind).means("return", "changed") and (now or "").isdigit():
        return say("upgrade.hit.values", name=name, path=path, before=int(was or 0), after=int(now or 0))
    if _is_script(finding):
        return say("upgrade.hit.moved_script", path=path) if now else say("upgrade.hit.no_script", path=path)
    found = phrases.what((finding,), 1)
    if not found and was and now:
        return say("upgrade.hit.retyped", name=name, path=path, before=was, after=now)
    return found[0].text if found else say("upgrade.hit.changed", name=name, path=path)


def _is_script(finding: Finding) -> bool:
    """The trees tell it of a file that is started by its path; a manifest is its own symbol as well."""
    return kind_of(finding.kind).family == "module" and finding.symbol == finding.path


_Met = tuple[Use, Item, Judged]
_LISTED = re.compile(r"^\s{1,8}[\"']([A-Z][A-Z0-9_]{2,100})[\"']\s{0,4}:", re.MULTILINE)
_ABOVE = re.compile(r"\bsuper\(\)\s?\.")
_MANY = 20
"""Variables that a list of them has at least."""


def join(
    uses: Uses,
    nets: Mapping[str, Sequence[Net]],
    projects: Mapping[str, str] | None = None,
    *,
    window: bool = False,
    ends: Ends | None = None,
) -> tuple[Hit, ...]:
    """Every net that touches a use, surest first, then by place.

    `nets` is by repository name; `projects` maps distributions to repository names, for pins. With `window`, what the
    version you run already holds is no news; a range decides that itself. With `ends`, a name that the module you
    import it from still offers at the end is left alone, and calls are held against the parameters of the end.
    """
    both = _Sides(uses.uses, nets, pins_of(uses.uses, nets, projects or {}), Asked(ends), window)
    both.from_nets()
    both.from_trees()
    distributions = {normalised(name) for name in (*(projects or {}), *(repo.rpartition("/")[2] for repo in nets))}
    ordered = sorted(without_followers(both.hits.values(), both.lives_on, both.imports), key=order)
    found = _dated(folded(ordered, uses.uses, distributions), both.asked)
    if window and both.asked.ends.decided:
        # The trees around a day may hold what other days did, and what the version you run has already.
        others = both.asked.ends.others
        found = [hit for hit in found if hit.net.finding.id or _of_day(hit, others.get(hit.repo, frozenset()))]
    return tuple(sorted(found, key=by_harm))


class _Sides:
    """Your uses and what changed, while they are joined."""

    def __init__(
        self,
        uses: Sequence[Use],
        nets: Mapping[str, Sequence[Net]],
        pins: Mapping[str, Pin],
        asked: Asked,
        window: bool,
    ) -> None:
        self.nets, self.pins, self.asked, self.window = nets, pins, asked, window
        self.trees = Trees(asked, nets)
        self.uses = reached(uses, self.trees)
        self.yours = Yours.of(uses)
        self.trees.prepare(self.uses)
        self.known = [self.trees.canonical(use) for use in self.uses]
        self.written = dict(zip(self.known, self.uses, strict=True))
        self.keyed = {(use.path, use.name, use.keywords[0]) for use in self.known if is_key(use)}
        self.provided = provided((*self.uses, *self.known))
        self.saved = saved(self.uses)
        self.imports = {(use.path, use.name) for use in self.uses if use.kind == "import"}
        self.covered = {(use.path, use.name) for use in self.known if use.kind == "import" and use.guarded}
        self.variables: dict[str, set[str]] = defaultdict(set)
        """File → variables of upstream that it names."""
        for use in self.uses:
            if use.kind == "env":
                self.variables[use.path].add(use.name)
        self.hits: dict[tuple[object, ...], Hit] = {}

    def from_nets(self) -> None:
        """What the findings say."""
        for met, item, judged in _met(self.known, self.nets, self.yours, self.asked):
            use = _guarded(met, judged, item.net.finding, self.covered)
            if _elsewhere(use, judged, self.keyed) or self._is_yours(use) or self._spared(use, item, judged):
                continue
            whole = python.is_whole(item.net.finding.kind) and judged.role in ("use", "patch")
            if whole and met.kind in ("attribute", "call") and self.trees.stood(self.written[met], end=True):
                continue  # what held it went, and the way that you write leads to it still
            stands = self.asked.standing(item, use.name) if whole else None
            refused = judged.role == "pass" and self.trees.refuses(use, judged.part)
            gone = stands is False or refused
            star = stands is False and (item.net.finding.before or "").endswith(".*")
            if star and not self.trees.went_along(use.name, item.net.finding):
                continue
            surest = judged._replace(certainty="certain") if star or refused else judged
            final = settled(surest, use, item.net, alias=not gone)
            if stands or final is None:
                continue
            hit = _hit(use, item, final, self.pins.get(item.repo), gone, self.trees)
            key = _told_once(use, item, final)
            if key not in self.hits or order(hit) < order(self.hits[key]):
                self.hits[key] = hit

    def lives_on(self, hit: Hit) -> bool:
        """Whether a name that is not where you import it from is defined elsewhere at the end, as far as that is known."""
        change = kind_of(hit.net.finding.kind).change
        if not python.is_whole(hit.net.finding.kind):
            return True
        home = self.trees.home(hit.repo, hit.use.name.rpartition(".")[2])
        return change != "renamed" and (change == "moved" or home != "")

    def _is_yours(self, use: Use) -> bool:
        """What your own code has put there, whatever upstream has: a method that you patch, an attribute that you set."""
        if use.kind not in ("attribute", "call"):
            return False
        if ("", f"{use.name}.__init__") in self.provided:
            return True
        parts = use.name.split(".")
        if use.kind == "call" and not re.search(rf"[.\"']\s?{re.escape(parts[-1])}\b", use.text):
            return False  # called by a name of yours that holds what was there before
        last = re.escape(parts[-1])
        if (use.path, use.line, use.name) in self.saved:
            return False  # what was there is kept before yours takes its place
        # What a class of yours calls above itself is upstream's, whatever else now goes by the name of that class.
        heads = [".".join(parts[:size]) for size in range(len(parts) if _ABOVE.search(use.text) else 2, len(parts) + 1)]
        if re.search(rf"\bself\.{last}\s*=(?!=).*\.{last}\b", use.text):
            heads.remove(use.name)  # what you set is taken from another object that has it by the same name
        return any({("", head), (use.path, head)} & self.provided for head in heads)

    def _spared(self, use: Use, item: Item, judged: Judged) -> bool:
        """What the version you run, your own fallback or the trees speak against."""
        pin, new = self.pins.get(item.repo), item.net.finding.after
        if self.window and pin and holds(item.net.since, pin.version):
            return True
        if use.guarded and new and self.yours.tries(use, new):
            return True
        if judged.role in ("pass", "lack", "place") and self.trees.fits(use, judged.role):
            return True
        whole = judged.role == "override" and python.is_whole(item.net.finding.kind)
        base = kind_of(item.net.finding.kind).family == "base"
        if (whole and self.trees.stood(use, end=True)) or (base and self.trees.derives(use, item.net.finding.before)):
            return True  # a base has it still, or is one still through another
        foreign = judged.role == "pin" and not self._depends(item.repo, item.net.finding)
        foreign = foreign or self.asked.unmoved(item) or self._is_copy(use, item)
        if foreign or self.trees.is_of_another(use, item) or self._is_idle(judged, use, item):
            return True
        # It was not there before either: the other one of two imports is meant.
        return use.kind in python.USES and self.trees.stood(use) is False

    def _is_copy(self, use: Use, item: Item) -> bool:
        """Whether a file of yours is a copy of upstream's own list of variables: it sets none of them."""
        if use.kind != "env" or self.asked.start is None:
            return False
        listed = set(_LISTED.findall(self.asked.start.text(item.repo, item.net.finding.path) or ""))
        yours = self.variables.get(use.path, set())
        return len(yours) >= _MANY and 2 * len(yours & listed) > len(listed)

    def _depends(self, repo: str, finding: Finding) -> bool:
        """Whether you install what asks for it: the distribution, unless only its build asks; a crate where you name it."""
        index = native.packages_of(finding.path)
        text = (self.asked.end.text(repo, finding.path) if self.asked.end else None) or ""
        if index == "python":
            return not (finding.path.endswith("pyproject.toml") and native.only_builds(text, finding.symbol))
        name = native.package_named(text)
        pins = (use for use in self.uses if use.kind == "pin" and native.packages_of(use.path) == index)
        return bool(name) and any(normalised(use.name) == name for use in pins)

    def _is_idle(self, judged: Judged, use: Use, item: Item) -> bool:
        """A method of yours that lacks something optional which nobody upstream passes."""
        passes = self.asked.ends.passes
        if judged.role != "override" or passes is None:
            return False
        one = kind_of(item.net.finding.kind).means("parameter", "added") and judged.part
        new = {judged.part} if one else self.trees.gained(use) - set(use.keywords)
        owner, _, method = use.name.rpartition(".")
        holder = owner.rpartition(".")[2]
        method = holder if method == "__init__" else f".{method}" if is_class_name(holder) else method
        method = "" if use.value == NAMED else method  # it is made under a name that nobody can know
        asked = [(word, self.trees.place(use, word)) for word in sorted(new)]
        return bool(new) and all(passes(item.repo, method, word, place, use.keywords) is False for word, place in asked)

    def from_trees(self) -> None:
        """What the trees say where no finding does."""
        for met, item, judged in chain(
            self.trees.options(self.uses),
            self.trees.started(self.uses),
            lost_members(self.uses, self.trees),
            dead_handlers(self.uses, self.trees),
            lost_texts(self.uses, self.trees),
            *map(self.trees.judged, self.uses),
        ):
            use = _guarded(met, judged, item.net.finding, self.covered)
            spared = _elsewhere(use, judged, self.keyed) or self._is_yours(use) or self._is_idle(judged, use, item)
            final = None if spared else settled(judged, use, item.net)
            key = _told_once(use, item, judged)
            if final is not None and key not in self.hits:
                self.hits[key] = _hit(use, item, final, self.pins.get(item.repo), False, self.trees)


def _of_day(hit: Hit, others: frozenset[str]) -> bool:
    """Where commits of other days lie between, what no commit is known of may be theirs."""
    own = not others or (bool(hit.net.commits) and others.isdisjoint(hit.net.commits))
    return own and holds(hit.net.since, hit.pinned) is not True


def _dated(hits: Iterable[Hit], asked: Asked) -> list[Hit]:
    """What the trees alone tell, with the change that did it."""
    found = list(hits)
    words: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for hit in found:
        if not hit.net.commits:
            words[hit.repo].add((hit.net.finding.path, _word(hit.net.finding)))
    decided = asked.ends.decided
    known = {repo: decided(repo, frozenset(some)) for repo, some in words.items()} if decided else {}
    dated = []
    for hit in found:
        place = (hit.net.finding.path, _word(hit.net.finding))
        sha, since = known.get(hit.repo, {}).get(place, ("", None)) if not hit.net.commits else ("", None)
        # What lies between two ends is in the release at the end, whatever change did it.
        since = since or hit.net.since or asked.ends.versions.get(hit.repo)
        dated.append(replace(hit, net=replace(hit.net, commits=(sha,) if sha else hit.net.commits, since=since)))
    return dated


def _word(finding: Finding) -> str:
    """The name that a change must have touched: a parameter, or the last part of what holds it."""
    return finding.symbol.removesuffix(")").replace("(", ".").rpartition(".")[2]


def _guarded(use: Use, judged: Judged, finding: Finding, covered: Container[tuple[str, str]]) -> Use:
    """A call of a name whose import has another choice copes with the name's absence, not with a member's or parameter's."""
    member = "." in finding.symbol and kind_of(finding.kind).family not in ("module", "export")
    if judged.role != "use" or use.kind != "call" or use.guarded or member:
        return use
    parts = use.name.split(".")
    ready = any((use.path, ".".join(parts[:size])) in covered for size in range(2, len(parts) + 1))
    return replace(use, guarded=True) if ready else use


def _elsewhere(use: Use, judged: Judged, keyed: Container[tuple[str, str, str]]) -> bool:
    """A keyword is told on the line where it is written, not again where the call begins; of the call, its line tells."""
    if judged.role == "use" and is_key(use):
        return True
    if judged.role != "pass" or is_key(use) or (use.path, use.name, judged.part) not in keyed:
        return False
    return re.search(rf"\b{re.escape(judged.part)}\b", use.text) is None


def fingerprint(repo: str, finding: Finding) -> str:
    """A short name that stays the same from run to run: `DB-3f9a2c71`."""
    parts = (repo, finding.kind, finding.symbol, finding.before or "", finding.after or "")
    text = "\0".join(f"{len(part)}:{part}" for part in parts)
    return f"DB-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


# --- looking up ----------------------------------------------------------------------------------------------------


def _met(uses: Sequence[Use], nets: Mapping[str, Sequence[Net]], yours: Yours, asked: Asked) -> Iterator[_Met]:
    table = Table.of(nets, asked)
    went = _went(table.by_name)
    for use in uses:
        if use.kind == "subclass" and yours.indirect(use):
            continue  # the class of yours in between is told
        if use.kind in python.USES:
            if "(" in use.name or "[" in use.name:
                continue  # what a call or an item gives has no name of its own: the trees speak of it
            yield from _python(use, _called(use), table, yours)
            for name in _later_names(_called(use), went):
                # What changed after the move is told under the new name.
                later = _python(use, name, table, yours)
                yield from (met for met in later if not python.is_whole(met[1].net.finding.kind))
            continue
        for part in (settings, server, native):
            if use.kind in part.USES:
                for item in table.found(part.looked_up(use)):
                    judged = part.judge(use, item)
                    if judged is not None:
                        yield use, item, judged
    yield from settings.defaults(uses, items_of(nets, settings.is_default, asked))
    yield from server.defaults(uses, items_of(nets, server.is_default, asked))


def _python(
    use: Use,
    name: tuple[str, ...],
    table: Table,
    yours: Yours,
) -> Iterator[_Met]:
    for item in table.found(f"python {part}" for part in dict.fromkeys(name)):
        judged = python.judge(use, name, item)
        if judged is not None:
            yield use, item, judged
    if use.kind == "call" and name[-1] in FORWARDS and len(name) > 1:
        short = (name[0], name[-1])
        for item in table.found([f"forwarded {name[-1]}"]):
            judged = python.judge(use, short, item)
            if judged is not None:
                yield use, item, judged
    for item in table.found([f"base {name[-1]}"]) if use.kind == "subclass" else ():
        judged = python.judge_subclass(use, name, item, yours)
        if judged is not None:
            yield use, item, judged


def _called(use: Use) -> tuple[str, ...]:
    """The dotted parts of a use's name; a constructor is its class."""
    parts = tuple(use.name.split("."))
    return parts[:-1] if len(parts) > 1 and parts[-1] in ("__init__", "__new__") and use.kind != "override" else parts


def _renames(kind: Kind) -> bool:
    return kind.family in ("class", "function") and kind.change in ANOTHER_NAME


def _went(table: Mapping[str, Sequence[Item]]) -> dict[str, list[tuple[Address, tuple[str, ...]]]]:
    """Last part of an old name → where it was, and the parts of the name it has now; a short name stays in its module."""
    out: dict[str, list[tuple[Address, tuple[str, ...]]]] = defaultdict(list)
    for items in table.values():
        for item in items:
            finding = item.net.finding
            if _renames(kind_of(finding.kind)) and item.where.symbol and finding.after and item.where.parameter is None:
                out[item.where.last].append((item.where, tuple(finding.after.split("."))))
    return out


def _later_names(
    name: tuple[str, ...], went: Mapping[str, Sequence[tuple[Address, tuple[str, ...]]]]
) -> Iterator[tuple[str, ...]]:
    for number, part in enumerate(name):
        for where, now in went.get(part, ()):
            met = meets(name[: number + 1], where)
            module = where.under(name[0])
            if met is None or module is None:
                continue
            yield (*(() if now[0] == name[0] else module), *now, *name[number + 1 :])


# --- hits ----------------------------------------------------------------------------------------------------------


def _hit(use: Use, item: Item, judged: Judged, pin: Pin | None, gone: bool, trees: Trees) -> Hit:
    """`gone`: an alias that a change left is no longer there at the end, so the words must not promise it."""
    net, alias = item.net, item.net.finding.alias
    left = gone and not (alias and alias.status == "none")  # which says what to use, not what still works
    told = replace(net, finding=replace(net.finding, alias=Alias("none"))) if left else net
    version, place = (pin.version, pin.at) if pin else (None, None)
    said = why(judged, told)
    todo = _home(use, item, trees) or _read_instead(use, item, trees) or action(judged, told)
    return Hit(judged.certainty, use, item.repo, net, said, todo, version, place)


def _home(use: Use, item: Item, trees: Trees) -> Text | None:
    """Where an imported name is defined at the end, as its tree says; nothing where a finding knows its new name."""
    finding = item.net.finding
    kind = kind_of(finding.kind)
    spelled = use.kind in ("attribute", "call") and ".".join(use.name.split(".")[:2]) in use.text
    text = spelled and use.name.rpartition(".")[2] in use.text  # a name that is written out
    if not (text or use.kind in ("import", "patch")) or not (python.is_whole(kind.name) or kind.change == "deprecated"):
        return None
    last = use.name.rpartition(".")[2]
    module = kind.means("module", "moved")  # its names may have gone to several places
    renamed = not module and finding.after and finding.after.rpartition(".")[2] not in (last, "*")
    home = None if renamed else trees.home(item.repo, last)
    if home and f"{home}.{last}" == use.name:
        return None  # it is there still
    moved = finding.after if home is None and kind.change == "moved" and not renamed else None
    if moved and moved.endswith(f".{last}"):
        home = moved.removesuffix(f".{last}")
    if module and not home:
        moved = trees.moved_to(use.name, finding)
        return say("upgrade.hit.instead", new=moved) if moved else None
    if home:
        new = f"{home}.{last}"
        return say("upgrade.hit.instead", new=new) if text else say("upgrade.hit.import_from", module=home)
    successor = trees.successor(item.repo, use.name) if home is not None else ""
    if successor:
        return say("upgrade.hit.instead", new=successor)
    told = finding.alias and finding.alias.status == "none" and finding.alias.where
    unknown = told or (home is None and (use.kind != "import" or finding.after))
    return say("upgrade.hit.outdated") if python.is_whole(kind.name) and not unknown else None


def _read_instead(use: Use, item: Item, trees: Trees) -> Text | None:
    """Of a field that you read: what its own text said to use before it went; dropping it is for those who set it."""
    finding, before = item.net.finding, trees.asked.ends.before
    if use.kind != "attribute" or not kind_of(finding.kind).means("field", "removed"):
        return None
    text = before(item.repo, item.net.commits[-1], finding.path) if before and item.net.commits else None
    owner, _, name = finding.symbol.rpartition(".")
    new = advised_field(text or "", owner, name)
    return say("upgrade.hit.instead", new=new) if new else say("upgrade.hit.outdated")


def _told_once(use: Use, item: Item, judged: Judged) -> tuple[object, ...]:
    """Hits that say the same of the same place: a name that is gone, a method you override, a parameter, a setting."""
    place = (use.path, use.line, item.repo)
    kind = item.net.finding.kind
    if python.is_whole(kind) and judged.role in ("use", "patch", "reach"):
        return (*place, "gone", use.name)
    if judged.role in ("override", "place"):
        return (*place, judged.role, judged.what)
    if judged.part or judged.role in ("set", "send"):
        return (*place, judged.role, judged.what, judged.part)
    return (*place, judged.role, judged.what, kind_of(kind).family)
