"""Words in which fixes say what they repair, and names of folders that say whom a change concerns."""

from __future__ import annotations

import re
from functools import cache

from daybreak.core.profiles import either, field, profiles

_I = re.IGNORECASE
_B = r"(?<![A-Za-z])"

WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(_B + pattern, _I))
    for name, pattern in (
        ("wrong_result", r"(?:wrong|incorrect)(?:ly)? (?:\w{1,20} ){0,3}(?:results?|outputs?|answers?|values?|logits|logprobs?|tokens?|scores?|scales?|weights?|rows?|blocks?|slots?|ind(?:ex|ices)|offsets?|states?|requests?)\b|silent(?:ly)? (?:wrong|incorrect)\b|(?:accuracy|correctness|precision) (?:\w{1,20} )?(?:issue|bug|problem|drop|loss|regression)s?\b|(?:corrupt\w{0,4}|garbage(?! collect)|garbled|gibberish|NaNs?|data loss)\b|(?:drop|los|overwrit|contaminat)\w{1,4} (?:\w{1,20} ){0,2}(?:tokens?|requests?|messages?|data|outputs?|chunks?|blocks?|updates?|results?|state)\b|double[- ](?:count|reduc)\w{1,4}\b"),
        ("hang", r"(?:hang(?:s|ing)?|hung|deadlock\w{0,2}|livelock\w{0,2}|race conditions?|stuck)\b"),
        ("crash", r"(?:crash\w{0,3}|segfault\w{0,2}|illegal (?:memory|instruction|address)|out[- ]of[- ](?:memory|bounds?)|OOM|OOB|IMA|(?:over|under)flow(?:s|ed)?|device[- ]side assert|leak(?:s|ed|ing)?|\w{2,20}Error|NoneType)\b"),
        ("security", r"(?:CVE-\d{4}-\d{3,7}|GHSA-[\w-]{4,20}|security|vulnerabilit\w{1,3}|path traversal|SSRF|RCE)\b"),
        ("regression", r"(?:regression|regressed)\b"),
    )
)  # fmt: skip
"""What a fix may say that it repairs, in words that mean nothing else. No more than a claim: it counts where the fix
alters what users run.
"""
VAGUE = re.compile(r"leak\w{0,3}|\w{2,20}Error|NoneType", _I)
"""What is a fault in the title of a fix; in a comment it may be a check that works."""

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
        ("served", r"(?:^|/)(?:entrypoints|openai|api_server|http_server|serving_\w{1,30})(?:/|_|\.)"),
    )
)  # fmt: skip
"""Parts of a project that every request runs through, by habits of naming."""
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
    return is_elsewhere(path) or is_part_of_few(path)


def is_part_of_few(path: str) -> bool:
    return _parts().search(path) is not None


def model_of(path: str) -> str:
    """The one model whose file it is; empty for what is of many."""
    match = _models().search(path)
    return "" if match is None or _shared().fullmatch(match[1]) else match[1]


@cache
def _parts() -> re.Pattern[str]:
    return either(field().parts, _I)


@cache
def _models() -> re.Pattern[str]:
    return re.compile(rf"(?:^|/)(?:{'|'.join(field().one_a_model)})/([\w-]{{1,80}})(?:\.py$|/)")


@cache
def _shared() -> re.Pattern[str]:
    return either(field().of_many)


def is_core(package: str) -> bool:
    """A package that images and wheels are built on, by whatever path it is named."""
    return package.rsplit("/", 1)[-1].lower() in _core_packages()


@cache
def _core_packages() -> frozenset[str]:
    return frozenset((*field().built_on, *(name for profile in profiles() for name in profile.names.pins)))
