"""Dispatch conditions as text: what tells hardware, a size or a type, and which two of them ask the same in other words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from keyword import iskeyword

from daybreak.core.profiles import field
from daybreak.findings.languages.base import MAX_LINE, Whole
from daybreak.findings.languages.blocks import renamed, swapped

HARDWARE = re.compile(
    r"\bis_(?:cuda|rocm|hip|xpu|cpu|tpu|npu|musa|hpu|cuda_alike|sm\w*|hopper|blackwell\w*|ampere|gfx\w*|fp8_fnuz|out_of_tree)\b"
    r"|(?<!\w)_?is_(?:cuda|hip|npu|xpu|cpu)\b|capability\w*|\bsm_?\d{2,3}\w*|get_device_sm|device_sm|\bsm_version\b|\bsm\b|\bgfx\d|on_gfx\w*|\bon_mi\d+"
    r"|cc_major|\barch\b|compute_capability|cuda_version|CUDA_VERSION|CUDART_VERSION|__CUDA_ARCH__|torch_version|is_torch_equal\w*"
    r"|is_torch_greater\w*|\bsupports?_\w+\(|is_\w+_supported\b"
    rf"|has_(?:{'|'.join(field().asked_for)})\w*"
    r"|\bcurrent_platform\b|__HIP__|USE_ROCM|get_device_prop\w*|multi_processor_count",
)
SHAPE = re.compile(
    r"\bhead_(?:size|dim)\w*|\bdtype\w*\b|\btop_?k\b|\bnum_experts\b|\bblock_size\b|\bpage_size\b|\bnum_(?:kv_)?heads\b|\bnum_tokens\b"
    r"|\bhidden_size\b|\b[mnkMNK]\s*(?:[<>]=?|%|==)|server_args\.\w+\s*(?:==|!=|in\b|not in\b)|_backend\w*\s*(?:==|!=|in\b|not in\b|is\b)"
    r"|kv_cache_dtype|quant_(?:method|algo|type)\w*|group_size"
)
_TYPE = re.compile(
    r"(?:(?:u?int\d|b?float|double|half|fp\d|bf\d|e\dm\d|nv_)\w*|int|bool|char|str|bytes|dict|list|tuple|set|object|\w+_t)$"
)
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_PREFIX = re.compile(r"\b[A-Za-z_]\w*(?:\(\))?(?:\.|::|->)(?=[A-Za-z_])")
JOINS = re.compile(r"==|!=|<|>|\bin\b|\bnot\b|\band\b|\bor\b|&&|\|\||\bis\b")


def asks_something_else(was: str, now: str, whole: Whole) -> bool:
    """Not the same question in other words: another way to reach the name, a renamed helper or variable, brackets."""
    first, second = core(was), core(now)
    turned = first.startswith("not") and second.startswith(first[3:])  # the branches changed places
    turned = turned or (second.startswith("not") and first.startswith(second[3:]))
    reordered = _parts(was) == _parts(now)
    if first == second or turned or reordered:
        return False
    return not renamed(was, now, whole) and not _other_variable(was, now, whole)


def _other_variable(was: str, now: str, whole: Whole) -> bool:
    """The same expression about a variable of another name.

    A name that itself says hardware, a size or a type is what is asked. Where both names stood there before and still
    do, or where one is a condition that holds the other, they are two things, not two names of one.
    """
    pair = swapped(was, now)
    if pair is None or _STRING.findall(was) != _STRING.findall(now) or any(map(_tells, pair)):
        return False
    old, new = pair
    if whole.stood(new) and whole.stands(old):
        return False
    if _narrowed(new, old, whole.added_lines) or _narrowed(old, new, whole.removed_lines):
        return False
    return _variable(old, was, now) and _variable(new, now, was)


def _narrowed(name: str, other: str, lines: Sequence[str]) -> bool:
    """One of the lines makes the name out of the other and a further question."""
    given = re.compile(rf"\s*(?:\w+ )*{re.escape(name)}\s*(?::[^=]*)?=(?!=)(.*)")
    found = (m[1] for line in lines if name in line and other in line and (m := given.match(line[:MAX_LINE])))
    return any(re.search(rf"\b{re.escape(other)}\b", value) and JOINS.search(value) for value in found)


def _tells(name: str) -> bool:
    return iskeyword(name) or any(p.search(name) for p in (HARDWARE, SHAPE)) or bool(_TYPE.match(name))


def _variable(name: str, here: str, there: str) -> bool:
    """A local name in each place of the one text and in none of the other: not called, no attribute, no keyword."""
    here, there = _STRING.sub("", here), _STRING.sub("", there)
    word = rf"\b{re.escape(name)}\b"
    plain = rf"(?<![.>:]){word}(?!\s*(?:\(|::|=(?!=)))"
    if not name[0].islower() or re.search(word, there):
        return False
    return len(re.findall(plain, here)) == len(re.findall(word, here))


def _parts(text: str) -> list[str]:
    """The parts of a chain of `and` or `or`, in no order; a mix of both is one part."""
    joins = [word for word in (" and ", " or ", " && ", " || ") if word in text]
    return sorted(map(core, text.split(joins[0]))) if len(joins) == 1 else [core(text)]


def core(text: str) -> str:
    bare = _PREFIX.sub("", _PREFIX.sub("", text))
    bare = re.sub(r"\b_(?=\w)", "", re.sub(r"\(\)", "", bare)).lower()
    return re.sub(r"[()\s'\"]", "", bare).replace("staticcast<int>", "")
