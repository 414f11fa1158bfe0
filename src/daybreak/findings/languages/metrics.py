"""Prometheus metrics that a server exports: names that come, go or are renamed, types and labels that are others.

Dashboards and alerts hang on these names, and nothing tells their owners: an alert on a lost metric just stays silent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, ReadFile, Whole, keywords, literal
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.text_surface import Source, alike, changed_text, met_by_users, pairing, quiet_file

__all__ = ["compare", "surface", "touched"]

_CALLS = (
    "Counter(",
    "Gauge(",
    "Histogram(",
    "Summary(",
    "Info(",
    "MetricFamily(",
    "_cls(",
    "counter(",
    "gauge(",
    "histogram(",
)
_NAME = re.compile(r"[a-zA-Z_][\w]*(?::\w+)*")
_CONSTANT = re.compile(r"\n[ \t]*([A-Z][A-Z0-9_]{2,80})\s?(?::\s?[\w.\[\]]{1,40}\s?)?=\s?[\"']([\w:]{3,120})[\"']")
_PREFIXED = re.compile(r"[a-z][a-z0-9]{1,30}:[a-z][\w:]{2,120}")
_CLASS = re.compile(r"^class[ \t]+(\w+)", re.MULTILINE)
_HINTS = ("Counter", "Gauge", "Histogram", "Summary", "_cls(", "name=", "describe_", "documentation", "metric", "label")
_CLIENTS = ("prometheus", "labelnames", "tag_keys")
"""What a file has that makes metrics: Prometheus' own client, or that of Ray, which exports to it."""
_LABEL = re.compile(r"(?<=\w):\w+[\"']")


def touched(file: ReadFile) -> bool:
    """Whether the hunks may have changed a metric."""
    if quiet_file(file):
        return False
    if file.change.patch_cut:
        return True
    text = changed_text(file)
    return any(word in text for word in _HINTS) or _LABEL.search(text) is not None


def surface(path: str, text: str, partial: bool = False) -> Surface:  # noqa: ARG001
    """One row a metric: its type, labels and documentation."""
    source, constants = Source(text), list(_CONSTANT.finditer(text))
    named = list(_named(source, constants))
    if not (any(word in text for word in _CLIENTS) or (partial and "name=" in text)):
        return Surface(named)
    held = {m[1]: m[2] for m in constants} if "prometheus" in text else {}
    rows = list(_rows(source, held))
    forms = Counter(name for name, _ in {(row.name, row.details["type"]) for row in rows})
    return Surface([*(_counted(row, forms[row.name]) for row in rows), *named], broken=source.lost > 0 and not partial)


def _counted(row: Row, forms: int) -> Row:
    """A metric that the file makes as several types says so."""
    return replace(row, details={**row.details, "forms": str(forms)}) if forms > 1 else row


def _named(source: Source, constants: Sequence[re.Match[str]]) -> Iterator[Row]:
    """Constants that hold the name of a metric: a project in front of it, a class of metrics, or a name that says so in a
    file that makes some.
    """
    made = any(word in source.text for word in _CALLS[:4])
    heads = [(m.start(), m[1]) for m in _CLASS.finditer(source.text)] if constants else []
    for match in constants:
        owner = next((name for at, name in reversed(heads) if at < match.start()), "") if match[0][1] in " \t" else ""
        spoken = ("metric" in owner.lower() or (made and "METRIC" in match[1])) and "_" in match[2]
        if (_PREFIXED.fullmatch(match[2]) or (spoken and match[2].islower())) and not source.quiet(match.start(1)):
            slot = f"{owner}.{match[1]}" if owner else match[1]
            yield Row("metric", match[2], source.line(match.start(1)), match[2], {"type": "constant", "slot": slot})


def _rows(source: Source, held: dict[str, str]) -> Iterator[Row]:
    official = "prometheus" in source.text or "tag_keys" in source.text
    for at, word, call in source.calls(*_CALLS):
        given = keywords(call.parts)
        first = call.parts[0] if call.parts else ""
        name = literal(given.get("name", first)) or held.get(given.get("name", first))
        if not name or not _NAME.fullmatch(name):
            continue
        told = given.get("documentation") or given.get("description") or _second(call.parts)
        # a Counter of letters is no metric: it has no description, and its name no project in front
        if not told or not (":" in name or official):
            continue
        maker = re.search(r"\w*$", source.text[max(0, at - 80) : at])
        details = {
            "type": (maker[0] if maker else "") + word[:-1],
            "help": told,
            "labels": given.get("labelnames", given.get("tag_keys", "")),
        }
        yield Row("metric", name, source.line(at), name, details)


def _second(parts: Sequence[str]) -> str:
    return parts[1] if len(parts) > 1 and literal(parts[1].split('" "')[0].strip()) is not None else ""


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:  # noqa: ARG001
    """Metrics that came, went or changed their name, type or labels."""
    before = {name for p in pairs for row in p.old.of("metric") for name in _exposed(row)}
    after = {name for p in pairs for row in p.new.of("metric") for name in _exposed(row)}
    stood = _made([pair.old for pair in pairs])
    now = _made([pair.new for pair in pairs])
    for pair in pairs:
        path, breaks = pair.file.path, met_by_users(pair.file)
        for row in pair.new.of("metric"):
            if row.name in stood and now.get(row.name) is row:
                yield from (
                    Fact("metric_changed", path, row.line, row.name, *turn, breaks)
                    for turn in _turns(stood[row.name], row)
                )
        gone = [row for row in pair.old.of("metric") if not after & _exposed(row)]
        come = [row for row in pair.new.of("metric") if not before & _exposed(row)]
        successors = pairing(gone, come, _same)
        for row in gone:
            successor = successors.get(row.name)
            if successor:
                line = pair.new["metric", successor].line
                yield Fact("metric_renamed", path, line, row.name, row.name, successor, breaks, Alias("none"))
            else:
                yield Fact("metric_removed", path, row.line, row.name, row.name, None, breaks, Alias("none"))
        for row in come:
            if row.name not in successors.values():
                yield Fact("metric_added", path, row.line, row.name, None, row.name)


def _made(sides: Sequence[Surface]) -> dict[str, Row]:
    """Metrics that one place makes; of one that several do it is not known which of them runs."""
    rows = [row for side in sides for row in side.of("metric") if "help" in row.details]
    times = Counter(row.name for row in rows)
    return {row.name: row for row in rows if times[row.name] == 1 and "forms" not in row.details}


def _turns(old: Row, new: Row) -> Iterator[tuple[str, str]]:
    """Another type, or other labels: queries that were written for the old ones give nothing, or something else, as where one
    series is several now.
    """
    was, now = (_TYPE.search(row.details.get("type", "")) for row in (old, new))
    if was and now and was[0].lower() != now[0].lower():
        yield was[0].lower(), now[0].lower()
    first, second = (_labels(row.details.get("labels", "")) for row in (old, new))
    if first and second and any(first) and first[0] == second[0] and set(first[1]) != set(second[1]):
        held = ("…",) if first[0] else ()
        yield tuple(f"labels {', '.join((*held, *names)) or 'none'}" for _, names in (first, second))  # type: ignore[misc]


_TYPE = re.compile(r"counter|gauge|histogram|summary", re.IGNORECASE)
_TEXTS = r"(?:\s?\w?[\"']\w{1,80}[\"']\s?,?)*"
_HELD = r"[\w.]{1,80}(?:\(\))?"
_LITERALS = re.compile(rf"[\[(](?:\*({_HELD}),)?({_TEXTS})[\])]")
_ALL_HELD = re.compile(rf"(?:list\()?({_HELD})\)?(?:\s\+\s\[({_TEXTS})\])?")


def _labels(text: str) -> tuple[str, tuple[str, ...]] | None:
    """What holds labels that are made elsewhere, and names that are written out, in their order; None where it is neither."""
    found = _LITERALS.fullmatch(text.strip()) or _ALL_HELD.fullmatch(text.strip())
    return (found[1] or "", tuple(re.findall(r"[\"'](\w+)[\"']", found[2] or ""))) if found else None


def _exposed(row: Row) -> set[str]:
    """Names it is known by: Python's client puts `_total` behind a counter's name, if it is not there."""
    if "help" in row.details and "counter" in row.details["type"].lower():
        return {row.name, row.name.removesuffix("_total") + "_total"}
    return {row.name}


def _same(old: Row, new: Row) -> bool:
    """Held by the same constant; or of the same type and labels, with a description that says the same."""
    was, now = old.details, new.details
    if "slot" in was and was["slot"] == now.get("slot"):
        return True
    return (
        was.get("type") == now.get("type")
        and same_value(was.get("labels", ""), now.get("labels", ""))
        and bool(was.get("help"))
        and alike(was["help"], now.get("help", "")) >= 0.6
    )
