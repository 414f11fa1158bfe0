"""Which clients a net touches: routes called, fields sent, metrics queried."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from daybreak.core.model.upgrade import Use
from daybreak.findings.kinds import Kind, kind_of
from daybreak.judge.phrases import side
from daybreak.upgrade.impact.base import Item, Judged
from daybreak.upgrade.impact.python import is_value

USES = frozenset({"route", "request_field", "metric"})
_NAMED = frozenset({"route", "request_field", "metric"})
_HOST = re.compile(r"^(?:[a-z]{2,8}://[^/]{0,300})?")
_PARAMETER = re.compile(r"\{[^{}]{0,80}\}|<[^<>]{0,80}>|(?<=/):\w{1,80}|(?<=/)\$\w{1,80}")
_SERIES = re.compile(r"_(?:bucket|count|sum|total|created)$")
_EVERYBODYS = frozenset({"/", "/health", "/healthz", "/metrics", "/ping", "/version", "/status", "/ready", "/live"})
_WORDS = re.compile(r"[A-Z][a-z0-9]+")
_REQUEST = frozenset({"Request", "Req", "Input", "Params", "Generic", "Base", "Args"})
_COMMON_FIELDS = frozenset(
    {
        "content", "data", "id", "index", "input", "inputs", "key", "label", "labels", "messages", "metadata",
        "model", "name", "options", "prompt", "role", "size", "status", "stream", "task", "tasks", "text", "type",
        "url", "user", "value",
    }
)  # fmt: skip
"""Names that requests to anything may have."""


def concerns(kind: Kind) -> bool:
    """Whether clients meet it by a name that they write."""
    return kind.family in _NAMED and kind.change in ("removed", "renamed")


def is_default(kind: Kind) -> bool:
    """Whether clients meet it by what they leave out."""
    return kind.means("request_field", "default_changed")


def keys(item: Item) -> Iterator[str]:
    """Under what a net is looked up."""
    finding, family = item.net.finding, kind_of(item.net.finding.kind).family
    if family == "route":
        yield f"route {route(finding.before or finding.symbol)}"
    elif family == "request_field":
        yield f"sent {finding.symbol.rpartition('.')[2]}"
    else:
        name = finding.before or finding.symbol
        yield f"metric {name}"
        yield f"metric {_SERIES.sub('', name)}"


def looked_up(use: Use) -> Iterator[str]:
    """What a use is looked up by."""
    if use.kind == "route":
        yield f"route {route(use.name)}"
    elif use.kind == "request_field":
        yield f"sent {use.name.rpartition('.')[2]}"
    else:
        yield f"metric {use.name}"
        yield f"metric {_SERIES.sub('', use.name)}"


def route(text: str) -> str:
    """A path without host, query and the names of its parameters."""
    path = _HOST.sub("", text[:2000]).partition("?")[0]
    return _PARAMETER.sub("{}", path).rstrip("/") or "/"


def judge(use: Use, item: Item) -> Judged | None:
    """What this net means for this use."""
    finding = item.net.finding
    if use.kind == "route":
        return Judged("likely" if route(use.name) in _EVERYBODYS else "certain", "use", use.name)
    if use.kind == "metric":
        return _metric(use, item)
    owner, _, field = finding.symbol.rpartition(".")
    if side(finding) == "read" or not (finding.breaking or _is_request(owner)):
        return None  # a field of an answer is not what a request sends under the same name
    return Judged("likely" if field in _COMMON_FIELDS else "certain", "send", field)


def _metric(use: Use, item: Item) -> Judged | None:
    """A histogram's series carry its name; `x_total` is another metric than `x` only when both exist."""
    finding = item.net.finding
    name = finding.before or finding.symbol
    successor = finding.after or ""
    if use.name != name and use.name == successor:
        return None  # the new name is written already
    if _SERIES.search(name) and use.name == _SERIES.sub("", name) and not name.endswith("_total"):
        return None
    return Judged("certain", "use", use.name)


def _is_request(owner: str) -> bool:
    return owner.endswith(("Request", "ReqInput", "RequestBody")) and not owner.startswith("Tokenized")


def defaults(uses: Iterable[Use], items: Iterable[Item]) -> Iterator[tuple[Use, Item, Judged]]:
    """Requests that leave a field to its default, which changed; told where the route is called.

    Servers of several projects answer the same routes: a file counts that speaks of this one otherwise, too.
    """
    routes: dict[str, list[Use]] = defaultdict(list)
    sent: dict[str, set[str]] = defaultdict(set)
    speaking: set[str] = set()
    for use in uses:
        if use.kind not in USES:
            speaking.add(use.path)
        if use.kind == "route":
            routes[use.path].append(use)
        elif use.kind == "request_field":
            sent[use.path].add(use.name.rpartition(".")[2])
    for item in items:
        owner, _, field = item.net.finding.symbol.rpartition(".")
        words = [w.lower() for w in _WORDS.findall(owner) if w not in _REQUEST]
        if not words or not _is_request(owner) or not is_value(item.net.finding):
            continue
        for path, called in routes.items():
            if path not in speaking and item.repo.rpartition("/")[2].lower() not in path.lower():
                continue
            first = next((use for use in called if _answers(use.name, words)), None)
            if first is not None and field not in sent[path]:
                yield first, item, Judged("look", "unset", first.name, field)


def _answers(name: str, words: list[str]) -> bool:
    """The route that takes the request: each word of the class stands in it, and no more."""
    said = [part.removesuffix("s") for part in re.split(r"[/_-]", route(name).lower()) if part and part != "v1"]
    return sorted(said) == sorted(word.removesuffix("s") for word in words)
