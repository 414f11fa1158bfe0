"""Words that name one thing only: flags, variables, paths and compound names, in texts and of findings.

A plain word (`forward`, `config`) says nothing of which change is meant, so only words of several parts count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.profiles import profiles
from daybreak.findings.kinds import ANOTHER_NAME, Kind, kind_of

TokenKind = Literal["flag", "variable", "name", "path"]

_FLAG = re.compile(r"(?<![\w-])--(?:no-)?[a-z][a-z0-9]{1,40}(?:[-_.][a-z0-9]{1,40}){1,9}(?![\w-])")
_PATH = re.compile(
    r"(?<![\w/.-])/?(?:[\w.-]{1,60}/){1,12}[\w-]{1,80}\.(?:pyi?|cuh?|cpp|cc|h|hpp|rs|cmake|toml|txt|proto)\b"
)
_WORD = re.compile(r"(?<![\w-])[A-Za-z_][A-Za-z0-9_]{6,99}(?![\w-])")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,9}")
_SNAKE = re.compile(r"_{0,2}[a-z][a-z0-9]{1,40}(?:_[a-z0-9]{1,40}){1,9}_{0,2}")
_HUMPS = re.compile(r"[A-Z][a-z0-9]{1,30}")
_SYMBOL = re.compile(r"([\w.:]{1,200})\((\w{1,80})\)")
_EVERYWHERE = frozenset(
    re.findall(
        r"\S+",
        """trust_remote_code max_new_tokens hidden_states input_ids position_ids attention_mask kv_cache block_size num_heads
    head_dim head_size num_layers hidden_size batch_size model_config sampling_params SamplingParams model_runner ModelRunner
    TypeError ValueError RuntimeError AttributeError ImportError KeyError AssertionError NotImplementedError
    ModuleNotFoundError IndexError CUDA_VISIBLE_DEVICES PYTORCH_CUDA_ALLOC_CONF LD_LIBRARY_PATH CUDA_HOME
    CUDA_LAUNCH_BLOCKING HF_TOKEN HF_HOME NCCL_DEBUG --served-model-name --trust-remote-code --tool-call-parser
    --reasoning-parser --dtype --kv-cache-dtype --log-level --chat-template --attention-backend --quantization
    __init__ __call__ __main__ from_pretrained load_model forward_native main_process""",
    )
)
"""Words of launch commands and tracebacks that stand in issues about anything; a project's own are in its profile."""


class Token(NamedTuple):
    """A telling word."""

    kind: TokenKind
    word: str


@cache
def _everywhere() -> frozenset[str]:
    """Those of all projects: an issue of one is about another as well."""
    return _EVERYWHERE.union(*(profile.words.common for profile in profiles()))


def flags(text: str) -> frozenset[Token]:
    """The flags of a text that was already bounded, those that stand everywhere too."""
    return frozenset(Token("flag", m[0].replace("_", "-")) for m in _FLAG.finditer(text))


def tokens(text: str) -> frozenset[Token]:
    """The telling words of a text that was already bounded."""
    out = {token for token in flags(text) if token.word not in _everywhere()}
    out |= {Token("path", path) for m in _PATH.finditer(text) for path in _ends(m[0])}
    for m in _WORD.finditer(text):
        kind = _kind(m[0])
        if kind is not None:
            out.add(Token(kind, m[0]))
    return frozenset(out)


def _ends(path: str) -> Iterator[str]:
    """A path and its ends: a traceback names files where they are installed."""
    parts = path.split("/")
    yield path
    for start in range(1, len(parts) - 2):
        yield "/".join(parts[start:])


def _kind(word: str) -> TokenKind | None:
    if word in _everywhere():
        return None
    if _VARIABLE.fullmatch(word):
        return "variable"
    if _SNAKE.fullmatch(word) and len(word.strip("_")) >= 9:
        return "name"
    return "name" if len(_HUMPS.findall(word)) >= 2 and "_" not in word and len(word) >= 8 else None


def of_finding(finding: Finding) -> Iterator[frozenset[Token]]:
    """What a text must name to speak of the finding: all words of one of these sets."""
    kind = kind_of(finding.kind)
    if kind.surface in ("safe", "dependencies"):
        return
    for shown in dict.fromkeys((finding.symbol, *_names(finding))):
        words = _parts(kind, shown)
        found = [_one(word, gone=kind.means("cli_flag", "removed", "renamed")) for word in words]
        if words and all(found):
            yield frozenset(token for token in found if token)


def _names(finding: Finding) -> tuple[str, ...]:
    """Old and new name of what was renamed or moved."""
    if kind_of(finding.kind).change not in ANOTHER_NAME:
        return ()
    return tuple(x for x in (finding.before, finding.after) if x and len(x) < 200 and " " not in x)


def _parts(kind: Kind, symbol: str) -> list[str]:
    """A parameter or member counts together with what it belongs to: its own name stands in many places."""
    call = _SYMBOL.fullmatch(symbol[:300])
    if call:
        owner = re.split(r"[.:]+", call[1])
        owner = owner[:-1] if owner[-1] == "__init__" and len(owner) > 1 else owner
        return [owner[-1], call[2]]
    if symbol.startswith("--"):
        return [symbol]
    words = [w for w in re.split(r"[.:]+", symbol[:300]) if w]
    if not words or any(not re.fullmatch(r"[\w-]+", w) for w in words):
        return []
    return words[-2:] if "member" in kind.traits and len(words) > 1 else words[-1:]


def _one(word: str, *, gone: bool = False) -> Token | None:
    """A flag that stands everywhere is telling when it is gone."""
    if word.startswith("--"):
        flag = word.replace("_", "-")
        return Token("flag", flag) if _FLAG.fullmatch(flag) and (gone or flag not in _everywhere()) else None
    kind = _kind(word)
    return Token(kind, word) if kind is not None and len(word) >= 7 else None
