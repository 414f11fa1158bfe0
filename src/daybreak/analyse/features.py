"""What can be said of a change that bears on its importance: named features, each with the words that show it.

A feature is 0 to 1. Its weight and its wording are data (`weights.toml`), so the grade can be explained and refitted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.analyse.kinds import QUIET
from daybreak.model import Area, Change, Finding, Kind, Reading


class Feature(NamedTuple):
    """One named feature; `detail` is a word from outside that the reason may show."""

    name: str
    value: float = 1.0
    detail: str = ""


_B = r"(?<![A-Za-z])"
_EFFECTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        (
            "wrong_result",
            _B + r"(?:wrong (?:result|output|answer|value|token|scale|shape|index)\w{0,2}|incorrect\w{0,2}|accuracy"
            r"|corrupt\w{0,4}|garbage|garbled|NaNs?|numeric\w{0,6}|correctness|mismatch\w{0,2}|precision)\b",
        ),
        (
            "crash",
            _B
            + r"(?:crash\w{0,3}|segfault\w{0,2}|illegal (?:memory|instruction)|out[- ]of[- ](?:memory|bounds?)|OOM|IMA"
            r"|overflow|leak\w{0,3}|assertion|KeyError|AttributeError|TypeError|ValueError|IndexError|RuntimeError|NoneType)\b",
        ),
        ("hang", _B + r"(?:hang\w{0,4}|deadlock\w{0,2}|livelock|race(?: condition)?|stuck|data race)\b"),
        (
            "security",
            _B + r"(?:CVE-\d{4}-\d{3,7}|security|vulnerabilit\w{1,3}|path traversal|SSRF|RCE|injection|untrusted)\b",
        ),
        ("regression", _B + r"(?:regression\w{0,1}|broken by|broke|unbreak|breakage)\b"),
        (
            "speed",
            _B
            + r"(?:perf|performance|speed ?-?up|faster|throughput|latency|TTFT|ITL|TPOT|optimi[sz]\w{0,6}|fus(?:e|ed|ion)|overlap)\b",
        ),
        (
            "declared_breaking",
            _B
            + r"(?:BREAKING(?: CHANGE)?|backward[- ]incompatib\w{0,4}|deprecat\w{0,4}|no longer support\w{0,2}|drop support)\b",
        ),
        (
            "support",
            _B + r"(?:support\w{0,3}|enabl\w{1,3}|introduc\w{1,3})(?![A-Za-z])",
        ),
        (
            "hardware",
            _B + r"(?:blackwell|hopper|rubin|GB\d{3}|B[23]00|H[12]00|H20|MI3\d\d\w?|SM ?_?1?[0-9]0\d?\w?|gfx\d{3,4})\b",
        ),
        ("default", _B + r"(?:by default|default)\b"),
        (
            "cosmetic",
            _B
            + r"(?:typos?|comments?|lint|nit|mypy|type hints?|typing|log(?:ging)?|cleanup|clean up|rename|chore|refactor\w{0,4}|minor|cosmetic)\b",
        ),
    )
)
_CORE = re.compile(
    r"(?:^|/)(?:scheduler|engine|core|worker|attention|mem_cache|kv_cache\w{0,20}|moe|fused_moe|quantization|model_executor"
    r"|managers|sampl\w{1,10}|speculative|spec_decode|distributed|disaggregation|gemm)(?:/|_|\.)"
)
_NICHE = re.compile(
    r"(?:rocm|(?:^|[/_])hip|xpu|npu|ascend|(?:^|[/_])cpu|hpu|musa|tpu|neuron|multimodal_gen|diffusion|s390|ppc64|riscv"
    r"|mindspore|model-gateway|sgl-router|zen)",
    re.IGNORECASE,
)
_MODEL = re.compile(r"(?:^|/)models?/[\w-]{1,80}\.py$|(?:^|/)models/\w{1,60}/")
_BIG = frozenset(
    {
        "torch",
        "transformers",
        "flashinfer-python",
        "flashinfer_python",
        "flashinfer",
        "triton",
        "cutlass",
        "numpy",
        "sgl-kernel",
        "nvidia-cutlass-dsl",
        "xgrammar",
        "vllm-flash-attn",
        "deepgemm",
        "flashmla",
        "nccl",
    }
)
_DEFAULTS = frozenset({"cli_default_changed", "env_default_changed", "field_default_changed"})
_REMOVALS = frozenset({"function_removed", "class_removed", "operator_removed", "macro_removed"})
_BUMPS = frozenset(
    {"dependency_changed", "pin_changed", "source_changed", "submodule_changed", "python_required_changed"}
)
_ONLY: tuple[tuple[str, frozenset[Area]], ...] = (
    ("only_docs", frozenset({"docs"})),
    ("only_test", frozenset({"test"})),
    ("only_ci", frozenset({"ci"})),
    ("only_quiet", QUIET),
)


def features(change: Change, reading: Reading, kind: Kind) -> tuple[Feature, ...]:
    """Every feature of a change that is not zero."""
    if change.empty:
        return (Feature("empty"),)
    for name, areas in _ONLY:
        if reading.areas and set(reading.areas) <= areas:
            return (Feature(name),)
    if _version_only(reading):
        return (Feature("only_version"),)
    out = [Feature(f"kind_{kind}")]
    out += _from_findings(reading)
    out += _from_paths(change, reading)
    out += _from_words(change)
    return tuple(out)


def _version_only(reading: Reading) -> bool:
    """Nothing but the project's own version and what is told beside it."""
    kinds = {f.kind for f in reading.findings}
    return kinds == {"version_changed"} and set(reading.areas) <= QUIET | {"build", "dependency", "data"}


def _from_findings(reading: Reading) -> Iterator[Feature]:
    by_kind: dict[str, list[Finding]] = {}
    for finding in reading.findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    breaking = [f for f in reading.findings if f.breaking]
    if breaking:
        yield Feature("breaking", 1.0, breaking[0].symbol)
    for name, kinds in (("default_changed", _DEFAULTS), ("removal", _REMOVALS), ("bump", _BUMPS)):
        found = [f for f in reading.findings if f.kind in kinds]
        if found:
            yield Feature(name, 1.0, found[0].symbol)
    big = [f for f in reading.findings if f.kind in _BUMPS and f.symbol.rsplit("/", 1)[-1].lower() in _BIG]
    if big:
        yield Feature("big_bump", 1.0, big[0].symbol)
    for name in ("cli_flag_added", "env_added", "parameter_default_changed", "deprecated", "operator_changed"):
        if name in by_kind:
            yield Feature(name, 1.0, by_kind[name][0].symbol)


def _from_paths(change: Change, reading: Reading) -> Iterator[Feature]:
    front: list[tuple[str, int]] = []
    lines = 0
    quiet = sum(n for a, n in reading.areas.items() if a in QUIET)
    total = sum(reading.areas.values()) or 1
    for file in change.files:
        front.append((file.path, file.added + file.deleted))
        lines += file.added + file.deleted
    for area in ("api", "kernel"):
        count = reading.areas.get(area, 0)
        if count:
            yield Feature(f"area_{area}", min(1.0, 0.4 + count / total))
    if "code" not in reading.areas and "api" not in reading.areas and "kernel" not in reading.areas:
        yield Feature("no_code")
    if any(_CORE.search(p[-300:]) for p, _ in front):
        yield Feature("core")
    niche = sum(1 for p, _ in front if _NICHE.search(p[-300:]))
    if niche * 2 > len(front):
        yield Feature("niche", niche / max(len(front), 1))
    if any(f.status == "A" and _MODEL.search(f.path[-300:]) for f in change.files):
        yield Feature("new_model")
    yield Feature("size", min(1.0, math.log10(1 + lines) / 4))
    yield Feature("quiet_share", quiet / total)


def _from_words(change: Change) -> Iterator[Feature]:
    """Words of the subject count in full, of the body a little: bodies repeat templates."""
    subject, body = change.subject[:400], change.body[:3000]
    for name, pattern in _EFFECTS:
        match = pattern.search(subject)
        if match:
            yield Feature(f"says_{name}", 1.0, match[0])
        elif name in ("wrong_result", "crash", "hang", "security", "regression", "declared_breaking"):
            match = pattern.search(body)
            if match:
                yield Feature(f"says_{name}", 0.3, match[0])
