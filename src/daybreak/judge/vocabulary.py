"""Words in which fixes say what they repair, and names of folders that bear on importance, by habits that projects share."""

from __future__ import annotations

import re
from functools import cache

from daybreak.core.profiles import field, profiles

_I = re.IGNORECASE
_B = r"(?<![A-Za-z])"

WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(_B + pattern, _I))
    for name, pattern in (
        ("wrong_result", r"(?:wrong|incorrect)(?:ly)? (?:\w{1,20} ){0,3}(?:results?|outputs?|answers?|values?|logits|logprobs?|tokens?|scores?)\b|(?:accuracy|correctness) (?:issue|bug|problem|drop|loss|regression)s?\b|(?:corrupt\w{0,4}|garbage|garbled|gibberish|NaNs?|data loss)\b"),
        ("hang", r"(?:hang(?:s|ing)?|hung|deadlock\w{0,2}|livelock\w{0,2}|race condition|stuck)\b"),
        ("crash", r"(?:crash\w{0,3}|segfault\w{0,2}|illegal (?:memory|instruction)|out[- ]of[- ](?:memory|bounds?)|OOM|OOB|IMA|leak(?:s|ed|ing)?|\w{2,20}Error|NoneType)\b"),
        ("security", r"(?:CVE-\d{4}-\d{3,7}|GHSA-[\w-]{4,20}|security|vulnerabilit\w{1,3}|path traversal|SSRF|RCE)\b"),
        ("regression", r"(?:regression|regressed)\b"),
    )
)  # fmt: skip
"""What a fix may say that it repairs, in words that mean nothing else, looked for in the subject without its tags. No more
than a claim: it counts where the fix alters what users run.
"""

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
_PARTS = re.compile(r"multimodal_gen|diffusion|mindspore|model-gateway|(?<=[a-z])-router", _I)
"""Parts of projects that few run."""
HARDWARE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?:^|[\W_])(?:{'|'.join(words)})(?:[\W_]|$)", _I)) for name, words in field().hardware.items()
)
"""Hardware -> how paths and titles name it."""
_OFFLOADS = re.compile(r"offload", _I)


def hardware(text: str) -> frozenset[str]:
    """The hardware that a path or a title names; memory of the host that an accelerator uses is none."""
    found = frozenset(name for name, pattern in HARDWARE if pattern.search(text))
    return found - {"cpu"} if _OFFLOADS.search(text) else found


def is_elsewhere(text: str) -> bool:
    """A path or a title that names hardware, and none that most have."""
    named = hardware(text)
    return bool(named) and not any(name.startswith("sm") for name in named)


def for_few(path: str) -> bool:
    """A file that runs only on hardware, or in a part of the project, that few have."""
    return is_elsewhere(path) or _PARTS.search(path) is not None


def is_core(package: str) -> bool:
    """A package that images and wheels are built on, by whatever path it is named."""
    return package.rsplit("/", 1)[-1].lower() in _core_packages()


@cache
def _core_packages() -> frozenset[str]:
    return frozenset((*field().built_on, *(name for profile in profiles() for name in profile.names.pins)))
