"""Check: every technical word stands in the evidence, in the findings or in the glossary."""

from __future__ import annotations

import re

from daybreak.prose.checks.evidence_index import Ground, stands_term
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.lexicon import lexicon
from daybreak.prose.checks.names import stands
from daybreak.prose.checks.stems import parts, stem
from daybreak.prose.checks.tokens import unit
from daybreak.prose.glossary import Term, folded

_FREE = frozenset({"id", "ok", "vs", "etc", "bug", "bugs", "i", "a", "app", "demo"})
_EVERYDAY = frozenset(
    {"api", "apis", "cli", "http", "https", "json", "url", "urls", "ui", "os", "io", "i/o",
     "sdk", "uuid", "readme", "todo", "utf", "ascii", "stdin", "stdout", "ram"}
)  # fmt: skip
"""Abbreviations that prose about any program has."""
_BY_FILES: dict[str, tuple[str, ...]] = {
    "python": (".py",), "rust": (".rs", "cargo."), "cuda": (".cu", ".cuh"), "c++": (".cpp", ".cc", ".h", ".hpp", ".cu"),
    "go": (".go",), "docker": ("dockerfile",), "dockerfile": ("dockerfile",), "yaml": (".yml", ".yaml"), "shell": (".sh",),
    "bash": (".sh",), "cmake": (".cmake", "cmakelists"), "markdown": (".md",), "toml": (".toml",), "pytest": ("test_", "tests/"),
    "pip": ("requirements", "pyproject.toml", "setup.py"), "pypi": ("pyproject.toml", "setup.py"), "ci": (".github/", "ci/"),
    "github": (".github/",), "typescript": (".ts",), "javascript": (".js",), "pytorch": ("torch",), "kubernetes": ("k8s",),
    "nvidia": ("cuda", "nvcc", "nvfp4"), "amd": ("rocm", "gfx", "aiter"), "intel": ("xpu",), "openai": ("chat_completion",),
    "transformers": ("autoconfig", "hf_"), "linux": ("ubuntu", "debian", "manylinux"),
    "arm": ("aarch64", "arm64", "armv7", "armv8"), "arm64": ("aarch64",), "aarch64": ("arm64",), "x86": ("x86_64", "x86-64", "amd64"),
}  # fmt: skip
"""What the names of the files say."""
_SHOWS: dict[str, tuple[str, ...]] = {
    "speculative decoding": ("draft", "eagle", "mtp", "ngram"), "draft model": ("speculative", "eagle", "mtp"),
    "MM": ("vision", "image", "video", "audio"), "VLM": ("vision", "image", "-vl"), "LLM": ("llm", "token"),
    "quantization": ("fp8", "fp4", "int8", "int4", "awq", "gptq", "w8a8", "w4a", "gguf"),
    "dequantization": ("fp8", "fp4", "int8", "int4", "awq", "gptq", "w8a8", "w4a", "gguf"),
    "PD": ("nixl", "mooncake", "disagg"), "disaggregation": ("nixl", "mooncake", "disagg"),
    "RL": ("rlhf", "rollout", "update_weights", "update weights"), "RLHF": ("rollout",),
    "GEMM": ("matmul", "_mm", "cublas", "linear"), "prefix caching": ("radix", "prefix"), "FP8": ("e4m3", "e5m2", "float8"),
    "CUDA graph": ("cuda_graph", "cudagraph", "graph_capture"), "MoE": ("expert",), "structured output": ("xgrammar", "grammar"),
    "DeepSeek": ("dsv3", "dsv4", "ds_v"), "ROCm": ("gfx", "mi300", "mi35"), "scale factor": ("e8m0", "mxfp", "nvfp4"),
    "OOM": ("sufficient host memory", "insufficient memory", "not enough memory", "insufficient host memory"), "HF": ("transformers", "huggingface"),
}  # fmt: skip
"""What a change shows that speaks of a term in none of its spellings: drafts are for speculative decoding."""
_RELEASE = re.compile(r"[A-Za-z]+\d+\.\d+")
_WEIGHTS = re.compile(r"[Ww]\d{1,2}[Aa]\d{1,2}")
_SPLIT = re.compile(r"[-/+:=.]+")
_ABBREVIATIONS = re.compile(r"[A-Z][A-Z0-9]+(?:/[A-Z][A-Z0-9]+)+")


class WordsStand:
    """Words in backticks stand verbatim; other technical words in any case, or by their glossary spellings."""

    def fault(self, claim: Claim) -> Fault | None:
        grounds = tuple(claim.grounds.far(claim.cited))
        shown = [g for g in grounds if g.id]
        for language, sentence in claim.sentences.items():
            for span in sentence.spans:
                if not stands(span, shown):
                    return Fault("word_not_in_evidence", span[:80])
            phrases = {word for phrase in claim.glossary.phrases(sentence.outside) for word in phrase.split()}
            for token in dict.fromkeys(sentence.tokens):
                if token in phrases or folded(token) in phrases:
                    continue  # a word of a term, which is looked at as a whole
                if not self._stands(token, grounds, claim, chinese=language == "zh"):
                    return Fault("word_not_in_evidence", token[:80])
            for phrase in dict.fromkeys(claim.glossary.phrases(sentence.outside)):
                terms = claim.glossary.of(phrase)
                if terms and not any(
                    _licensed(term, grounds) or _ordinary(phrase, term) or _names_repo(term, claim) for term in terms
                ):
                    return Fault("word_not_in_evidence", phrase)
        return None

    def _stands(self, token: str, grounds: tuple[Ground, ...], claim: Claim, *, chinese: bool) -> bool:
        if token.lower() in _FREE or token.lower() in _of_repo(claim) or any(g.has(token) for g in grounds):
            return True
        low = token.lower()
        if (
            (len(low) > 1 and unit(low))
            or low in _EVERYDAY
            or any(end in g.low for end in _BY_FILES.get(low, ()) for g in grounds)
        ):
            return True
        named = claim.glossary.named(token)
        terms = (
            (named,)
            if named
            else claim.glossary.of(token) or (claim.glossary.of(token[:-1]) if token.endswith("s") else ())
        )
        if terms:
            return any(_licensed(term, grounds) or _names_repo(term, claim) for term in terms) or _in_name(
                token, grounds
            )
        if _as_word(token, grounds, claim, chinese=chinese) or _begins_name(token, grounds) or _in_name(token, grounds):
            return True
        if _ABBREVIATIONS.fullmatch(token):
            return all(self._stands(part, grounds, claim, chinese=chinese) for part in token.split("/"))
        pieces = [part for part in _SPLIT.split(token) if part]
        joined = len(pieces) > 1 and not token.startswith(("-", "/")) and "." not in token
        return joined and all(self._stands(part, grounds, claim, chinese=chinese) for part in pieces)


def _of_repo(claim: Claim) -> set[str]:
    """Whose change it is, everybody knows."""
    return set(re.split(r"[/_-]", claim.grounds.case.repo.lower())) | {
        claim.grounds.case.repo.lower().rpartition("/")[2]
    }


def _names_repo(term: Term, claim: Claim) -> bool:
    """Some spelling of the term is the name of the repository itself."""
    name = _squeezed(claim.grounds.case.repo.rpartition("/")[2])
    return any(_squeezed(spelling) == name for spelling in (term.name, *term.spellings))


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]", "", text.lower())


def _as_word(token: str, grounds: tuple[Ground, ...], claim: Claim, *, chinese: bool) -> bool:
    """A plain word: some form of it stands there, or the English text has it too, and stands or falls with it."""
    if not token.isalpha() or (chinese and not token.islower()):
        return False
    if any(parts(token)[-1] in ground.stems for ground in grounds):
        return True
    return chinese and stem(token) in {word.stem for word in claim.sentences["en"].words}


def _begins_name(token: str, grounds: tuple[Ground, ...]) -> bool:
    """`CMake` stands in `CMakeLists.txt`, MiniCPM-V in `MiniCPMV4_5`, Qwen3 and XML in `qwen3xml_parser.py`."""
    name = token.replace("-", "")
    if len(name) > 2 and name.isalpha() and name.isupper():
        ends = re.compile(rf"(?<=\d){name.lower()}(?=[_.-])")
        return any(ends.search(ground.low) for ground in grounds)
    if len(name) < 4 or not name.isalnum() or not name[:1].isupper():
        return False
    after = r"(?=[A-Z_]|\d[\d_.])" if name[-1].isalpha() else r"(?=[A-Z_])"
    begins = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}{after}")
    if any(name in ground.plain and begins.search(ground.plain) for ground in grounds):
        return True
    family = re.compile(rf"(?<![a-z0-9]){re.escape(name.lower())}(?=[a-z_.-])") if name[-1].isdigit() else None
    return family is not None and any(family.search(ground.low) for ground in grounds)


def _in_name(token: str, grounds: tuple[Ground, ...]) -> bool:
    """Qwen3.5 stands in `qwen3_5.py`, W8A8 in `NPUW8A8Int8Method`: a name has no dot, and may go on before and behind."""
    low = token.lower()
    if _RELEASE.fullmatch(token):
        form = rf"(?<![a-z0-9]){re.escape(low.replace('.', '_'))}(?![0-9])"
    elif _WEIGHTS.fullmatch(token):
        form = rf"(?<![0-9]){low}(?![0-9])"
    else:
        return False
    return any(re.search(form, ground.low) for ground in grounds)


def _licensed(term: Term, grounds: tuple[Ground, ...]) -> bool:
    if term.common or stands_term(grounds, term):
        return True
    return any(sign in ground.low for sign in _SHOWS.get(term.name, ()) for ground in grounds)


def _ordinary(phrase: str, term: Term) -> bool:
    """`tuned`, `ahead of time`: prose has it in no sense of the term too, and it counts among the plain words."""
    if phrase == term.name.lower():
        return False
    table = lexicon()
    by_word = table.by_stem.get(stem(phrase), ()) if phrase.isalpha() else table.by_phrase.get(phrase, ())
    concepts = table.by_chinese.get(phrase, ()) or by_word
    return any(concept.weight == "soft" for concept in concepts)
