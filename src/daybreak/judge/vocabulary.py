"""Words of a subject and names of folders that bear on importance, by habits of writing that projects share."""

from __future__ import annotations

import re
from functools import cache

from daybreak.core.profiles import field, profiles

_I = re.IGNORECASE
_B = r"(?<![A-Za-z])"
_CIRCUMSTANCES = ("on", "after", "when", "if", "upon", "instead of")
_NO_CIRCUMSTANCE = "(?=fail)" + "".join(
    rf"(?<!\b{word} [\w -]{{{gap}}})" for word in _CIRCUMSTANCES for gap in range(25)
)
"""Not in "on failed store", "after the prefill failure", "when x fails": there it is when the fault shows, not the fault.
A lookbehind has one width, hence one for each.
"""
_MEASURE = r"(?:d?type|shape|dim(?:ension)?|size|rank|length|count|number|device|mode|arg(?:ument)?|param(?:eter)?|signature)s?"
_UNFIT = (
    rf"(?:{_MEASURE}[ -]mis-?match(?:es|ed)?|mis-?match(?:es|ed)? (?:\w{{1,20}} ){{0,3}}{_MEASURE})"
    r"(?![^\n]{0,200}\wError\b)"
)
"""What does not fit stops; other mismatches may go on and compute, or not, so no word of theirs stands here. An error
that is named says more.
"""
_WAITS = (
    "".join(f"(?<!{word}[ _-])" for word in ("non", "bug", "issue", "gap", "gaps", "lint", "KV", "cache", "register"))
    + r"blocking(?! (?:[DH]2[DH]|cop(?:y|ies)|CUDA|events?|labels?|ops?|CI)\b)"
    r"|block(?:s|ed)? (?:forever|indefinitely)|blocks the (?:event loop|engine|scheduler|server)"
)
"""Not "non-blocking", "the bug blocking x", "cache blocking", nor a copy that waits for its end; a block is mostly memory."""

WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(_B + pattern, _I))
    for name, pattern in (
        (
            "wrong_result",
            (
                r"(?:wrong|incorrect\w{0,2}|accuracy|corrupt\w{0,4}|garbage|garbled|gibberish|NaNs?|numeric\w{0,6}|correctness"
                r"|degradation|duplicat\w{1,4}|invalid JSON|precision|stale|repeated outputs?|output repetition|data loss)\b"
            ),
        ),
        (
            "crash",
            (
                r"(?:crash\w{0,3}|segfault\w{0,2}|illegal (?:memory|instruction)|out[- ]of[- ](?:memory|bounds?)|OOM|OOB|IMA"
                r"|overflow|leak\w{0,3}|assert\w{0,5}|\w{2,20}Error|NoneType|exception|import error"
                rf"|{_NO_CIRCUMSTANCE}fail(?:ure|s|ed|ing)?|{_UNFIT})\b"
            ),
        ),
        (
            "hang",
            (
                r"(?:hang\w{0,4}|deadlock\w{0,2}|livelock|race(?: condition)?|stuck|orphan\w{0,3}"
                rf"|{_WAITS})\b"
            ),
        ),
        (
            "security",
            (
                r"(?:CVE-\d{4}-\d{3,7}|GHSA-[\w-]{4,20}|security|vulnerabilit\w{1,3}|path traversal|SSRF|RCE|injection"
                r"|unsafe|untrusted|sanitiz\w{1,4}|DoS)\b"
            ),
        ),
        ("regression", r"(?:regression\w{0,1}|broken|broke|unbreak|breakage)\b"),
        (
            "speed",
            (
                r"(?:perf|performance|speed ?-?up|faster|throughput|latency|TTFT|ITL|TPOT|optimi[sz]\w{0,6}|fus(?:e|ed|ion)"
                r"|overlap|multi-stream|zero[- ]bubble|accelerat\w{1,4})\b"
            ),
        ),
        ("measured", r"(?<![\d.])(?:\d[\d.]{0,6}\s?%|\d[\d.]{0,4}x\b|E2E)"),
        ("support", r"(?:support\w{0,3}|compatib\w{1,6})\b"),
        ("enable", r"(?:enabl\w{1,3}|introduc\w{1,3}|implement\w{0,3}|integrat\w{1,4}|initial|new)\b"),
        ("add", r"(?:add|adds|adding|added)\b"),
        ("default", r"(?:by default|default)\b"),
        ("ends", r"(?:deprecat\w{0,4}|remov\w{1,3}|drop\w{0,3}|renam\w{1,3}|no longer|breaking)\b"),
        ("hardware", r"(?:blackwell|hopper|rubin|GB\d{3}|B[23]00|H[12]00|H20|MI3\d\d\w?|SM ?_?(?:90|1[0-2]\d)\w?|gfx\d{3,4}|DGX|RTX)\b"),
        ("low_bits", r"(?:NVFP4|MXFP[48]|FP[48]|INT[48]|W4A\d{1,2}|(?<!\d)[248]-bit|quanti[sz]\w{0,6})\b"),
        ("speculative", r"(?:spec(?:ulative)?(?:[- ]?decod\w{0,4})|MTP|eagle\d?|dflash|n-?gram|draft)\b"),
        ("graphs", r"(?:cuda ?-?graphs?|piecewise|torch\.?compile|compil\w{1,6})\b"),
        ("cache", r"(?:KV|prefix[- ]cach\w{1,3}|HiCache|hybrid|mamba|offload\w{0,3}|disaggregat\w{1,4}|PD)\b"),
        ("parallel", r"(?:DP|EP|TP|PP|CP|DCP|PCP|EPLB|all-?reduce|pipeline parallel\w{0,3}|async scheduling)\b"),
        ("served", r"(?:API|endpoint|OpenAI|Anthropic|responses|chat|tool[- ]?call\w{0,3}|stream\w{0,4}|server|gRPC|realtime)\b"),
        ("tidying", r"(?:typos?|comments?|lint|nit|mypy|type (?:hints?|annotations?)|typing|cleanup|clean ?up|chore|minor|cosmetic|redundant|unused|dead code|docstrings?|pre-commit|simplif\w{1,4}|dedup\w{0,9}|unify|refactor\w{0,4}|move|hoist|rename|reorganiz\w{1,3}|shared utils)\b"),
        ("testing", r"(?:CI|tests?|flaky|stabiliz\w{1,3}|unit ?tests?|nightly|benchmarks?|bench|pytest|runner)\b"),
        ("telling", r"(?:log|logs|logging|message|messages|warning|warnings|metrics?|tracing|debug\w{0,4}|dump)\b"),
        ("step", r"(?:follow[- ]?up|misc|small|minor)\b"),
    )
)  # fmt: skip
"""Looked for in the subject without its tags."""

IN_BODY = ("wrong_result", "crash", "hang", "security", "regression", "measured")
"""Words that count a little when only the body has them: bodies repeat templates."""

PLACES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, _I))
    for name, pattern in (
        ("schedule", r"(?:^|/)(?:scheduler|sched|managers|core|engine)(?:/|_|\.)"),
        ("attention", rf"(?:^|/)\w{{0,30}}(?:{'|'.join(field().attention)})\w{{0,30}}(?:/|\.)"),
        ("moe", r"(?:^|/)\w{0,20}(?:moe|expert)\w{0,20}(?:/|\.)"),
        ("quantization", r"(?:^|/)\w{0,20}(?:quant|fp8|fp4|gemm)\w{0,20}(?:/|\.)"),
        ("cache", r"(?:^|/)\w{0,20}(?:kv_cache|mem_cache|kv_transfer|kv_offload|disaggregation|block_pool)\w{0,30}(?:/|\.)"),
        ("speculative", r"(?:^|/)(?:spec_decode|speculative)(?:/|\.)"),
        ("distributed", r"(?:^|/)(?:distributed|parallel_state|comm|device_communicators)(?:/|\.)"),
        ("runner", r"(?:^|/)(?:worker|model_executor/model_runner|gpu_model_runner|cuda_graph_runner)\w{0,30}(?:/|_|\.)"),
        ("compile", r"(?:^|/)(?:compilation|compile|inductor)(?:/|_|\.)"),
        ("models", r"(?:^|/)models?/[\w-]{1,80}(?:\.py$|/)"),
        ("parsers", r"(?:^|/)(?:tool_parsers|function_call|reasoning|parser|tokenizers|renderers)(?:/|_|\.)"),
        ("served", r"(?:^|/)(?:entrypoints|openai|api_server|http_server|serving_\w{1,30})(?:/|_|\.)"),
        ("settings", r"(?:^|/)(?:server_args|arg_utils|envs?|environ|config)(?:/[\w-]{1,40})?\.py$"),
        ("multimodal", r"(?:^|/)(?:multimodal|vision|audio|encoder)\w{0,20}(?:/|_|\.)"),
        ("lora", r"(?:^|/)lora(?:/|_|\.)"),
    )
)  # fmt: skip
"""Parts of a project that its users run through, by habits of naming."""
NICHE = re.compile(
    r"(?:rocm|aiter|(?:^|[/_.])hip(?:[/_.]|$)|xpu|npu|ascend|(?:^|[/_.])cpu(?:[/_.]|$)|hpu|musa|tpu|neuron|multimodal_gen"
    r"|diffusion|s390|ppc64|riscv|mindspore|model-gateway|(?<=[a-z])-router|(?:^|/)zen(?:/|_|\.)|mlx|(?:^|/)metal)",
    _I,
)


def is_core(package: str) -> bool:
    """A package that images and wheels are built on, by whatever path it is named."""
    return package.rsplit("/", 1)[-1].lower() in _core_packages()


@cache
def _core_packages() -> frozenset[str]:
    return frozenset((*field().built_on, *(name for profile in profiles() for name in profile.names.pins)))
