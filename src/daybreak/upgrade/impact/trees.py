"""Your uses held against the trees at both ends of a range: what you reach at the start and no longer at the end.

Where no finding speaks of a name, the trees do: the hit is made from what they hold, with the change that touched it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Certainty, Net, Use
from daybreak.findings.kinds import Verb
from daybreak.upgrade.downstream.python_definitions import EXTENDS, NOTHING
from daybreak.upgrade.downstream.python_values import AS_CLASS, NAMESPACE, TAKEN
from daybreak.upgrade.impact.base import Address, Item, Judged, Role, gives_value, unknown_rest
from daybreak.upgrade.impact.chains import Reached, Thing, steps_of
from daybreak.upgrade.impact.hints import beside_text, head, kinds, written_kind
from daybreak.upgrade.impact.python import goes_own_way, still_asks
from daybreak.upgrade.impact.shapes import is_awaited, is_read_only, size_of
from daybreak.upgrade.impact.source import Signature
from daybreak.upgrade.impact.source_parts import advised_name, deprecation, options_of
from daybreak.upgrade.impact.surface import Surface
from daybreak.upgrade.impact.table import ARGUMENTS
from daybreak.upgrade.impact.tree_lookup import USES, TreeLookup
from daybreak.upgrade.impact.tree_names import (
    differ,
    full_name,
    gone_finding,
    joined_steps,
    kept_name,
    lost_name,
    shifted,
    type_said,
    written_out,
)

Told = tuple[Use, Item, Judged]
_RELEASE = re.compile(r"\bv?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?\b")
_MADE = ("class", "function")
_VAGUE = frozenset(("Any", "object", "None"))
_PLAIN = frozenset(("str", "int", "float", "bool", "list", "dict", "tuple"))
_PUBLIC = re.compile(r"[A-Za-z]\w{0,100}")


class Trees(TreeLookup):
    """Uses judged by both ends."""

    # --- what the ends say of a use ------------------------------------------------------------------------------------

    def judged(self, use: Use) -> Iterator[Told]:
        """What no longer holds for a use at the end, told under the name of what it reaches."""
        shown = self.canonical(use)
        for _, item, judged in self._judged(use, shown.name):
            yield use if judged.what == use.name else shown, item, judged

    def _judged(self, use: Use, name: str) -> Iterator[Told]:
        pair = self.of(use.name) if use.kind in USES else None
        if pair is None:
            return
        steps = steps_of(use.name)
        before = pair[0].reach(use.name)
        hides = use.kind == "override" and TAKEN not in use.name  # a class that stands in for one hides nothing of it
        if hides and before.gone and before.steps == len(steps) - 1:
            yield from self._collides(use, pair, steps)
        known, last = steps[: before.steps], before.trail[-1] if before.trail else None
        failed = before.gone and last is not None and last.sort == "module"  # it could not be imported before either
        if (
            len(known) < 2
            or failed
            or (before.trail[-1:] == before.trail[:1] and len(known) < len(steps) and before.gone)
        ):
            return
        after = pair[1].reach(joined_steps(known))
        if after.gone and after.steps < len(known):
            moved = self._moved(pair, known, before)
            written = use.kind in ("import", "patch") or written_out(use, known[: after.steps + 1])
            if moved is None or written or moved.steps <= after.steps:
                yield from self._gone(use, pair, known, before, after)
                return
            after = moved  # the import is told; here counts what became of the thing itself
            if after.gone and after.steps < len(known):
                yield from self._gone(use, pair, known, before, after)
                return
        yield from self._factory(use, pair, steps, before, after)
        yield from self._alias(use, pair, known)
        yield from self._other_type(use, pair, known, before, after)
        yield from self._read_only(use, pair, steps, before, after)
        yield from self._no_text(use, pair, steps, before, after)
        yield from self._deprecated(use, pair, steps, before, after)
        if after.steps < len(known) or before.steps < len(steps) or before.thing is None or after.thing is None:
            return
        if use.kind == "call":
            yield from self._awaited(use, pair, before.thing, after.thing)
            yield from self._call(replace(use, name=name), pair, before.thing, after.thing)
        elif use.kind == "override":
            yield from self._override(replace(use, name=name), pair, before.thing, after.thing)

    def _gone(
        self, use: Use, pair: tuple[Surface, Surface], known: Sequence[str], before: Reached, after: Reached
    ) -> Iterator[Told]:
        """A step that is missing: told under the name that it had where it was defined."""
        start, _ = pair
        at = after.steps
        owner, thing, step = before.trail[at - 1], before.trail[at], known[at]
        role: Role = "override" if use.kind == "override" else "patch" if use.kind == "patch" else "use"
        level: Certainty = "look" if gives_value(use) else "likely" if use.kind == "override" else "certain"
        if owner is None:
            return
        if owner.sort == "module":
            source = start.modules.source(start.repo, owner.path)
            if thing is not None and thing.sort == "foreign" and not (source and step in source.values):
                return  # what a module only imports from elsewhere is nothing it offers; what it makes of that is its own
            told, finding = joined_steps(known), lost_name(pair, owner, before.trail[at:], step)
            step = known[-1] if known[-1].isidentifier() else step
        else:
            place = start.member(owner, step)
            holder = place.owner if place else owner
            told = f"{start.dotted(holder)}.{step}"
            family = thing.sort if thing is not None and thing.sort in ("class", "function") else "attribute"
            finding = gone_finding(family, "removed", holder.path, ".".join((*holder.symbol, step)))
        now = after.trail[at - 1]
        if not step.isidentifier() or (now is not None and now.sort in ("many", "tuple")):
            told = joined_steps(known[:at])
            path = next((x.path for x in reversed(before.trail[:at]) if x is not None and x.path), "")
            finding = gone_finding("return", "changed", path, told)
            size = size_of(pair[1], now) if step.startswith("[:") and now is not None else None
            if size is not None:
                finding = replace(finding, before=step[2:-1], after=str(size))
            elif now is not None:
                finding = replace(finding, before=type_said(owner), after=type_said(now))
        yield use, self._item(start, finding), Judged(level, role, told)

    def _factory(
        self, use: Use, pair: tuple[Surface, Surface], steps: Sequence[str], before: Reached, after: Reached
    ) -> Iterator[Told]:
        """A class that is a function now: neither it nor what the function gives has what you use of it."""
        both = zip(before.trail, after.trail, strict=False)
        at = next((at for at, (was, now) in enumerate(both) if (was and was.sort, now and now.sort) == _MADE), 0)
        was, now = before.trail[at], after.trail[at] if at < after.steps else None
        step = steps[at + 1] if at + 1 < len(steps) else ""
        if not at or was is None or now is None or use.kind == "override" or use.guarded or "()" in steps[at:]:
            return
        if step.isidentifier():
            of_class = step.startswith("__") or re.search(rf"\b{re.escape(steps[at])}\s?\.\s?{step}\b", use.text)
            instead = () if of_class else tuple(self._instead(use.path, pair, was)) or (pair[1].called(now),)
            if step not in use.text or any(pair[1].has(one, step) for one in instead if one is not None):
                return
        elif step != AS_CLASS and use.kind != "subclass" and not self._names_type(use, at, steps):
            return
        symbol = ".".join(was.symbol)
        finding = gone_finding("attribute", "changed", was.path, symbol)
        finding = replace(finding, before=f"class {symbol}", after=f"def {'.'.join(now.symbol)}")
        through = step.isidentifier() and not of_class
        unseen = step.isidentifier() and before.steps <= at + 1  # something else puts it there, and may do so still
        inner = use.kind == "attribute" or (use.kind == "call" and at + 2 < len(steps))  # a method may be of any base
        yours = inner and through and self._is_made(use.path, joined_steps(steps[: at + 1]))
        if unseen and not yours:
            return  # a base has it, or you are given the object, be it what it may
        level: Certainty = "look" if unseen or use.kind == "import" else "likely" if through else "certain"
        role: Role = "patch" if use.kind == "patch" else "use"
        yield use, self._item(pair[0], finding), Judged(level, role, use.name.removesuffix(AS_CLASS))

    def _names_type(self, use: Use, at: int, steps: Sequence[str]) -> bool:
        """An import of something that the file never calls: it stands for the kind of an object there."""
        return use.kind == "import" and at + 1 == len(steps) and (use.path, use.name) not in self.made

    def _instead(self, path: str, pair: tuple[Surface, Surface], was: Thing) -> Iterator[Thing]:
        """What upstream passes now where it passed objects of a class, to the methods that a file of yours overrides."""
        for name in self.overridden.get(path, ()):
            before, after = (tree.reach(name) for tree in pair)
            moved = self._moved(pair, steps_of(name), before) if after.gone else after
            then, now = before.thing, moved.thing if moved is not None else None
            for part in pair[0].parts(then) if then is not None and now is not None else ():
                taken = pair[0].taken(then, part) if then is not None else None
                given = pair[1].taken(now, part) if now is not None and taken is not None else None
                if given is not None and taken is not None and taken.symbol == was.symbol:
                    yield given

    def _collides(self, use: Use, pair: tuple[Surface, Surface], steps: Sequence[str]) -> Iterator[Told]:
        """A base that gains what a class of yours has defined for itself."""
        start, end = pair
        after = end.reach(use.name)
        owner, thing = after.owner, after.thing
        if after.steps < len(steps) or owner is None or thing is None or thing.sort != "function":
            return
        if start.line_up(owner)[1] - end.line_up(owner)[1] or not _PUBLIC.fullmatch(steps[-1]):
            return
        finding = gone_finding("function", "added", thing.path, ".".join(thing.symbol))
        level: Certainty = "certain" if use.value == EXTENDS else "look"
        yield use, self._item(end, finding), Judged(level, "override", use.name)

    def _alias(self, use: Use, pair: tuple[Surface, Surface], known: Sequence[str]) -> Iterator[Told]:
        """A name that a module keeps for a while, with a warning that the start does not give yet."""
        if use.kind not in ("import", "attribute", "patch"):
            return
        start, end = pair
        found = kept_name(end, known)
        if found is not None and kept_name(start, known) is None:
            path, size, text = found
            if known[size] not in use.text:
                return  # what was made with it follows
            until = _RELEASE.search(text)
            finding = replace(gone_finding("name", "deprecated", path, known[size]), breaking=False)
            new = end.reach(advised_name(text))
            after = advised_name(text) if new.thing is not None and new.thing.sort in ("class", "function") else None
            finding = replace(finding, effective=until[0] if until else None, after=after)
            yield use, self._item(end, finding), Judged("look", "use", joined_steps(known[: size + 1]))

    def _other_type(
        self, use: Use, pair: tuple[Surface, Surface], known: Sequence[str], before: Reached, after: Reached
    ) -> Iterator[Told]:
        """An attribute that holds another kind of thing, of which you use something that only the old one has."""
        for at in range(2, len(known) - 1 if after.steps == len(known) else min(after.steps, len(known) - 1)):
            was, now = before.trail[at], after.trail[at] if at < after.steps else None
            if was is None or now is None or known[at] == "()" or known[at].startswith("["):
                continue
            if {was.sort, now.sort} & {"module", "class", "function"} or not differ(was, now):
                continue
            name = full_name(pair[0], Reached(before.trail[: at + 1]), known[: at + 1])
            if after.steps > at + 1 or not name:
                return  # what you use of it is there again
            owner = before.trail[at - 1]
            place = pair[0].member(owner, known[at]) if owner is not None and owner.symbol else None
            if place is None:
                return
            symbol = ".".join((*place.owner.symbol, known[at]))
            finding = replace(
                gone_finding("attribute", "changed", place.owner.path, symbol),
                before=type_said(was),
                after=type_said(now),
            )
            yield use, self._item(pair[0], finding), Judged("likely", "use", name)
            return

    def _read_only(
        self, use: Use, pair: tuple[Surface, Surface], steps: Sequence[str], before: Reached, after: Reached
    ) -> Iterator[Told]:
        """An attribute that you set, and that is a property without a setter now."""
        owners, last = _owners(use, steps, before, after), steps[-1]
        if owners is None:
            return
        was, now = owners
        if not re.search(rf"\.\s?{re.escape(last)}\s*=(?!=)", use.text):
            return
        if is_read_only(pair[1], now, last) and not is_read_only(pair[0], was, last):
            place = pair[1].member(now, last)
            owner = place.owner if place is not None else now
            finding = gone_finding("attribute", "changed", owner.path, ".".join((*owner.symbol, last)))
            finding = replace(finding, before=f"self.{last} = …", after=f"@property def {last}(self)")
            yield use, self._item(pair[1], finding), Judged("certain", "use", use.name)

    def _awaited(self, use: Use, pair: tuple[Surface, Surface], was: Thing, now: Thing) -> Iterator[Told]:
        """A call that you await, of something that gives its answer at once now; or one that you would have to await now."""
        last = use.name.rpartition(".")[2]
        if {was.sort, now.sort} != {"function"}:
            return
        ends = ((pair[0], pair[0].function(was), was), (pair[1], pair[1].function(now), now))
        then, later = (is_awaited(tree, node, thing) for tree, node, thing in ends)
        awaits = re.search(rf"\bawait\s.*\b{re.escape(last)}\s?\(", use.text)
        alone = re.fullmatch(rf"\s*(?:\w+ = )?[\w.]{{1,200}}\.{re.escape(last)}\(.*", use.text)
        if (then, later) not in ((True, False), (False, True)) or not (awaits if then else alone):
            return
        finding = gone_finding("return", "changed", now.path, ".".join(now.symbol))
        forms = f"async def {last}", f"def {last}"
        finding = replace(finding, before=forms[not then], after=forms[not later])
        yield use, self._item(pair[1], finding), Judged("certain", "use", use.name)

    # --- calls ---------------------------------------------------------------------------------------------------------

    def _call(self, use: Use, pair: tuple[Surface, Surface], was: Thing, now: Thing) -> Iterator[Told]:
        start, end = pair
        then, later = start.signature(was), end.signature(now)
        if then is None or later is None:
            return
        name, symbol = use.name, ".".join(now.symbol)

        def tell(change: Verb, part: str, judged: Judged) -> Told:
            finding = gone_finding("parameter", change, now.path, f"{symbol}({part})")
            return use, self._item(end, finding), judged

        words = [word for word in use.keywords if not word.startswith("*")]
        if any(start.accepts(was, word) is False for word in words):
            return  # it did not fit before either
        gone = [word for word in words if end.accepts(now, word) is False and start.accepts(was, word)]
        for word in gone:
            yield tell("removed", word, Judged("certain", "pass", name, word))
        yield from self._refused(use, pair, was, now)
        if gone or unknown_rest(use):
            for part in () if gone else self._lacking(use, start, was, later):
                yield tell("required_added", part, Judged("likely", "lack", name, part))
            return
        places = use.positional or 0
        if not then.takes(places, use.keywords):
            return  # another one of several things that the name may hold is meant
        for part in later.asks_beyond(then, places, use.keywords):
            yield tell("required_added", part, Judged("certain", "lack", name, part))
        part = shifted(then, later, places)
        if part:
            change: Verb = "moved" if part in later.places else "removed"
            yield tell(change, part, Judged("certain", "place", name, part))
            return
        yield from self._retyped(use, pair, was, now, (*then.places[:places], *words))

    def _lacking(self, use: Use, start: Surface, was: Thing, later: Signature) -> list[str]:
        """What a call must pass now and does not, whatever comes by `**`: nothing that the start refused."""
        passed = {*later.places[: use.positional], *(word.lstrip("*") for word in use.keywords)}
        new = sorted(later.required - passed) if use.positional is not None else ()
        return [part for part in new if start.accepts(was, part) is False]

    def _refused(self, use: Use, pair: tuple[Surface, Surface], was: Thing, now: Thing) -> Iterator[Told]:
        """A value that you write out, of a kind that a parameter or field no longer takes."""
        for part in use.keywords:
            kind = written_kind(use.text, part) if not part.startswith("*") else ""
            narrowed = self._narrowed(pair, was, now, part, kind) if kind else None
            if narrowed is not None:
                finding = gone_finding("annotation", "changed", now.path, f"{'.'.join(now.symbol)}({part})")
                finding = replace(finding, before=narrowed[0], after=narrowed[1])
                yield use, self._item(pair[1], finding), Judged("likely", "pass", use.name, part)

    def _no_text(
        self, use: Use, pair: tuple[Surface, Surface], steps: Sequence[str], before: Reached, after: Reached
    ) -> Iterator[Told]:
        """An attribute that you compare with a string or set to one, and that is none any more: it is an enum now."""
        owners, last = _owners(use, steps, before, after), steps[-1]
        if owners is None:
            return
        was, now = owners
        narrowed = self._narrowed(pair, was, now, last, "str") if beside_text(use.text, last) else None
        if narrowed is not None:
            finding = gone_finding("attribute", "changed", now.path, f"{'.'.join(now.symbol)}.{last}")
            finding = replace(finding, before=narrowed[0], after=narrowed[1])
            yield use, self._item(pair[1], finding), Judged("likely", "use", use.name)

    def _deprecated(
        self, use: Use, pair: tuple[Surface, Surface], steps: Sequence[str], before: Reached, after: Reached
    ) -> Iterator[Told]:
        """An attribute that is a property with a warning now, which says until when and what to use."""
        owners, last = _owners(use, steps, before, after), steps[-1]
        was, now = (tree.member(one, last) for tree, one in zip(pair, owners, strict=True)) if owners else (None, None)
        text = deprecation(now.node) if now is not None and was is not None else ""
        if text and now is not None and was is not None and not deprecation(was.node) and last in use.text:
            new, until = advised_name(text), _RELEASE.search(text)
            known = pair[1].reach(f"{pair[1].modules.dotted(pair[1].repo, now.owner.path)}.{new}") if new else None
            finding = gone_finding("name", "deprecated", now.owner.path, f"{'.'.join(now.owner.symbol)}.{last}")
            there = known is not None and not known.gone
            finding = replace(
                finding, breaking=False, effective=until[0] if until else None, after=new if there else None
            )
            yield use, self._item(pair[1], finding), Judged("look", "use", use.name)

    def _narrowed(
        self, pair: tuple[Surface, Surface], was: Thing, now: Thing, name: str, kind: str
    ) -> tuple[str, str] | None:
        """The annotations at both ends, where only the first lets a kind of value in."""
        (old, at), (new, place) = pair[0].hint(was, name), pair[1].hint(now, name)
        if old is None or new is None or kind not in (kinds(pair[0], old, at) or ()):
            return None
        later = kinds(pair[1], new, place)
        return (ast.unparse(old), ast.unparse(new)) if later and kind not in later else None

    def _retyped(
        self, use: Use, pair: tuple[Surface, Surface], was: Thing, now: Thing, passed: Sequence[str]
    ) -> Iterator[Told]:
        """A parameter that takes an object of another class."""
        for part in passed if "super()" not in use.text else ():  # upstream itself gave what an override hands on
            before, after = pair[0].taken(was, part), pair[1].taken(now, part)
            if before is None or after is None or before.symbol[-1] == after.symbol[-1]:
                continue
            still = pair[1].reach(pair[0].dotted(before)).thing
            wider = still is not None and after.symbol in {one.symbol for one in pair[1].line_up(still)[0]}
            if not wider:  # a base of what you pass takes you as well
                finding = gone_finding("annotation", "changed", now.path, f"{'.'.join(now.symbol)}({part})")
                finding = replace(finding, before=before.symbol[-1], after=after.symbol[-1])
                yield use, self._item(pair[1], finding), Judged("look", "pass", use.name, part)

    def _override(self, use: Use, pair: tuple[Surface, Surface], was: Thing, now: Thing) -> Iterator[Told]:
        """A method of yours that no longer takes what its callers upstream pass."""
        start, end = pair
        then, later = start.signature(was), end.signature(now)
        if was.sort != "function" or then is None or later is None:
            return
        given, wanted = start.returns(was), end.returns(now)
        none = use.value == NOTHING and given == "None" and wanted not in ("", "None")
        if none or (use.value is None and given and wanted and _gives_other(use, given, wanted)):
            finding = gone_finding("return", "changed", now.path, ".".join(now.symbol))
            item = self._item(end, replace(finding, before=given, after=wanted))
            yield use, item, Judged("likely", "override", use.name)
        yield from self._given_other(use, pair, was, now)
        stars = any(x.startswith("*") for x in use.keywords)
        new = [x for x in (*later.places, *sorted(later.keywords)) if x not in then.keywords and x not in then.places]
        old = [x for x in (*then.places, *sorted(then.keywords)) if x not in later.keywords and x not in later.places]
        old = [] if later.others and not then.others else old  # it went into `**kwargs`: callers may pass it still
        # A constructor that hands on is told by its call.
        hands = (use.path, use.name) in self.made
        demanded = [x for x in later.places if x in later.required - then.required and x in then.places and not hands]
        lacks = next((x for x in (*demanded, *new) if x not in use.keywords), "")
        extra = next((x for x in old if x in use.keywords), "")
        if stars:  # what is new is taken along
            lacks, extra = "", extra if still_asks(use, then, extra) else ""
        part, change = (
            (lacks, "required_added" if lacks in later.required else "added") if lacks else (extra, "removed")
        )
        unseen = then.others or then.more or goes_own_way(use, then)  # it may have been passed before, or never will be
        made = part in demanded and goes_own_way(use, then)  # upstream makes the objects, or you do
        if part and not (change == "added" and unseen):
            finding = gone_finding("parameter", change, now.path, f"{'.'.join(now.symbol)}({part})")  # type: ignore[arg-type]
            yield use, self._item(end, finding), Judged("look" if made else "likely", "override", use.name, part)

    def _given_other(self, use: Use, pair: tuple[Surface, Surface], was: Thing, now: Thing) -> Iterator[Told]:
        """A method of yours that is given an object of another class than the one which its file imports for it."""
        for part in use.keywords:
            before, after = pair[0].taken(was, part), pair[1].taken(now, part)
            if before is None or after is None or before.symbol[-1] == after.symbol[-1]:
                continue
            line = {one.symbol[-1] for one in pair[1].line_up(after)[0]}
            if re.search(rf"\b{re.escape(part)}\s*:", use.text) and before.symbol[-1] not in use.text:
                continue  # yours says another kind already
            if before.symbol[-1] not in line and (use.path, before.symbol[-1]) in self.imported:
                finding = gone_finding("annotation", "changed", now.path, f"{'.'.join(now.symbol)}({part})")
                finding = replace(finding, before=before.symbol[-1], after=after.symbol[-1])
                yield use, self._item(pair[1], finding), Judged("look", "override", use.name, part)
                return

    # --- options of a parsed command line --------------------------------------------------------------------------------

    def options(self, uses: Sequence[Use]) -> Iterator[Told]:
        """`args.name` where upstream's parser no longer puts that name on what it gives."""
        asked = [use for use in uses if use.kind == "config_key" and use.program == NAMESPACE]
        for pair, path in self.parsers(uses) if asked else ():
            start, end = pair
            was, now = (tree.modules.source(tree.repo, path) for tree in pair)
            gone = options_of(was) - options_of(now) if was is not None and now is not None else set()
            for use in asked if gone else ():
                top = start.dotted(Thing("module", path)).partition(".")[0]
                name = use.name if use.name in gone else use.name.removeprefix(f"{top}_")
                if name in gone:
                    item = self._item(end, gone_finding("attribute", "removed", path, f"args.{name}"))
                    yield use, item, Judged("likely", "use", f"args.{use.name}")

    def started(self, uses: Sequence[Use]) -> Iterator[Told]:
        """Scripts that your commands start by a path at which the end has none."""
        gone = [(repo, *both) for repo, paths in self.asked.ends.scripts.items() for both in paths.items()]
        for use in (one for one in uses if one.kind == "script" and gone):
            for repo, path, now in gone:
                alike = _alike_at_the_end(use.name, path)
                # A file name alone is told of a script that has no folder: many projects have a `run.py` somewhere.
                if alike > _alike_at_the_end(use.name, now) and (alike > 1 or "/" not in path):
                    finding = gone_finding("module", "moved" if now else "removed", path, path)
                    item = Item(repo, Net(replace(finding, after=now or None), ()), Address((), ()))
                    yield use, item, Judged("likely" if alike > 1 else "look", "use", use.name)

    def parsers(self, uses: Sequence[Use]) -> Iterator[tuple[tuple[Surface, Surface], str]]:
        """Files with the options of a command line, among those that you import from."""
        seen: set[str] = set()
        for name in dict.fromkeys(use.name for use in uses if use.kind == "import"):
            pair = self.of(name)
            for thing in pair[0].reach(name).trail if pair else ():
                if thing is not None and ARGUMENTS.search(thing.path) and thing.path not in seen and pair:
                    seen.add(thing.path)
                    yield pair, thing.path

    # --- findings that the trees make ------------------------------------------------------------------------------------

    def _item(self, tree: Surface, finding: Finding) -> Item:
        net = Net(finding, ())
        return Item(tree.repo, net, Address((), ()))


def _alike_at_the_end(written: str, path: str) -> int:
    """How many last parts two paths share."""
    pairs = zip(reversed(written.split("/")), reversed(path.split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], pairs))


def _gives_other(use: Use, given: str, wanted: str) -> bool:
    """Whether callers upstream get something else from a method than before, and yours does not say so already."""
    was, now = head(given), head(wanted)
    plain = {one.partition("[")[0] for one in (was, now)} & _PLAIN  # of two classes one may stand for the other
    if not plain or not was or not now or was == now or {was, now} & _VAGUE:
        return False
    return head(use.text.rpartition("->")[2].strip(" :")) != now


def _owners(use: Use, steps: Sequence[str], before: Reached, after: Reached) -> tuple[Thing, Thing] | None:
    """Whose attribute it is at both ends, where the way leads to its last step at both."""
    whole = before.steps == after.steps == len(steps)
    if use.kind != "attribute" or not whole or before.owner is None or after.owner is None:
        return None
    return before.owner, after.owner
