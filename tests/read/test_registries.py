"""Registries: tables of before, after and exactly the findings that must come out."""

import contextlib
import time

import pytest

from daybreak.core.model.findings import Alias
from daybreak.findings.languages import registries
from read import pairs
from read.offers import Told, facts_of, mirrored, plainly, told
from timing import beside

REGISTRY = "engine/models/registry.py"
TEXT = '_TEXT_GENERATION_MODELS = {{\n    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),\n{}}}\n'
EMBED = '_EMBEDDING_MODELS = {{\n    "BertModel": ("bert", "BertModel"),\n{}}}\n'
OLD = '_PREVIOUSLY_SUPPORTED_MODELS = {{\n    "Gone": "0.9",\n{}}}\n'
NEWER = '    "NewerForCausalLM": (\n        "newer",  # (a file\n        "NewerForCausalLM",\n    ),\n'
QUANT = 'QuantizationMethods = Literal[\n    "fp8",\n{}]\n'

CASES: dict[str, tuple[str, str, str, list[Told]]] = {
    "model new": (REGISTRY, TEXT.format(""), TEXT.format(NEWER), [("model_added", "NewerForCausalLM", None, "NewerForCausalLM", False)]),
    "model gone": (REGISTRY, TEXT.format(NEWER), TEXT.format(""), [("model_removed", "NewerForCausalLM", "NewerForCausalLM", None, True)]),
    "model gone and remembered": (
        REGISTRY,
        TEXT.format(NEWER) + OLD.format(""),
        TEXT.format("") + OLD.format('    "NewerForCausalLM": "0.12.0",\n'),
        [("model_removed", "NewerForCausalLM", "NewerForCausalLM", None, True)],
    ),
    "method that a call under a condition adds now": (
        "engine/layers/quantization/__init__.py",
        'METHODS = {\n    "gptq": GPTQConfig,\n}\nBASE_QUANTIZATION_METHODS = {\n    "fp8": Fp8Config,\n    "gptq": GPTQConfig,\n}\n',
        'BASE_QUANTIZATION_METHODS = {\n    "fp8": Fp8Config,\n}\nif has_other():\n    more.update({\n        "gptq": GPTQConfig,\n    })\n',
        [],
    ),
    "model in another table": (REGISTRY, TEXT.format(NEWER) + EMBED.format(""), TEXT.format("") + EMBED.format(NEWER), []),
    "model by another class": (REGISTRY, TEXT.format(NEWER), TEXT.format(NEWER.replace('"newer"', '"llama"')), []),
    "table that is no offer": (REGISTRY, "_FLOAT16_NOT_SUPPORTED_MODELS = {\n    'A': 'x',\n}\n", "x = 1\n", []),
    "the same registered under another name": (
        "engine/offload/factory.py",
        'Tiers.register_tier(\n    "fs_python",\n    "engine.fs",\n    "FsManager",\n)\n',
        'Tiers.register_tier(\n    "fs",\n    "engine.fs",\n    "FsManager",\n)\n',
        [("registry_renamed", "tier:fs_python", "fs_python", "fs", True)],
    ),
    "a class registered under another name": (
        "engine/offload/factory.py",
        '@register_tier("fs_python")\nclass FsManager:\n    pass\n',
        '@register_tier("fs")\nclass FsManager:\n    pass\n',
        [("registry_renamed", "tier:fs_python", "fs_python", "fs", True)],
    ),
    "the same registered under a second name": (
        "engine/offload/factory.py",
        'Tiers.register_tier("fs_python", Fs)\n',
        'Tiers.register_tier("fs", Fs)\nTiers.register_tier("fs_python", Fs)\n',
        [],
    ),
    "something else registered under another name": (
        "engine/offload/factory.py",
        'Tiers.register_tier("fs_python", Fs)\n',
        'Tiers.register_tier("s3", S3)\n',
        [],
    ),
    "a tensor of an object under another name": (
        "engine/offload/factory.py",
        'class A:\n    def __init__(self):\n        self.register_buffer("inv", table)\n',
        'class A:\n    def __init__(self):\n        self.register_buffer("inverse", table)\n',
        [],
    ),
    "model registered by a call": (
        "engine/plugins/register.py",
        'ModelRegistry.register_model("MyModel", "a:B")\n',
        "x = 1\n",
        [("model_removed", "MyModel", "MyModel", None, True)],
    ),
    "class of a model file": (
        "engine/srt/models/newer.py",
        "class A: ...\n\n\nEntryClass = [A, NewerForCausalLM]\n".replace("[A, ", "["),
        "class A: ...\n\n\nEntryClass = [NewerForCausalLM, NewerMoe]\n",
        [("model_added", "NewerMoe", None, "NewerMoe", False)],
    ),
    "class of a part": ("engine/models/vaes/x.py", "\nEntryClass = SomeVae\n", "x = 1\n", []),
    "quantization gone": (
        "engine/quantization/__init__.py",
        QUANT.format('    "gguf",\n'),
        QUANT.format(""),
        [("registry_removed", "quantization:gguf", "gguf", None, True)],
    ),
    "quantization in a table": (
        "engine/quantization/__init__.py",
        'BASE_QUANTIZATION_METHODS: Dict[str, Type[X]] = {\n    "fp8": Fp8,\n}\n',
        'BASE_QUANTIZATION_METHODS: Dict[str, Type[X]] = {\n    "fp8": Fp8,\n    "mxfp4": Mx,\n}\n',
        [("registry_added", "quantization:mxfp4", None, "mxfp4", False)],
    ),
    "tool parser": (
        "engine/tool_parsers/a_parser.py",
        '@ToolParserManager.register_module("hermes")\nclass A: ...\n',
        '@ToolParserManager.register_module(["hermes", "hermes2"])\nclass A: ...\n',
        [("registry_added", "tool_parser:hermes2", None, "hermes2", False)],
    ),
    "tool parser in a table": (
        "engine/function_call/function_call_parser.py",
        'class P:\n    ToolCallParserEnum: Dict[str, Type[D]] = {\n        "qwen": A,\n        "kimi": B,\n    }\n',
        'class P:\n    ToolCallParserEnum: Dict[str, Type[D]] = {\n        "qwen": A,\n    }\n',
        [("registry_removed", "tool_parser:kimi", "kimi", None, True)],
    ),
    "reasoning parser": (
        "engine/reasoning/__init__.py",
        '_REASONING_PARSERS_TO_REGISTER = {\n    "r1": ("a", "B"),\n}\n',
        '_REASONING_PARSERS_TO_REGISTER = {\n    "r1": ("a", "B"),\n    "r2": ("a", "C"),\n}\n',
        [("registry_added", "reasoning_parser:r2", None, "r2", False)],
    ),
    "attention backend": (
        "engine/attention/attention_registry.py",
        'import x\n\n@register_attention_backend("wave")\ndef f(): ...\n',
        "import x\n",
        [("registry_removed", "attention_backend:wave", "wave", None, True)],
    ),
    "attention backend of an enum": (
        "engine/attention/backends/registry.py",
        'class AttentionBackendEnum(Enum):\n    FLASH = "a"\n    XFORMERS = "b"\n',
        'class AttentionBackendEnum(Enum):\n    FLASH = "a2"\n',
        [("registry_removed", "attention_backend:XFORMERS", "XFORMERS", None, True)],
    ),
    "attention backend of an enum with nothing behind": (
        "engine/attention/backends/registry.py",
        "class _Backend(enum.Enum):\n    FLASH = enum.auto()\n    DUAL = enum.auto()  # V0\n",
        "class _Backend(enum.Enum):\n    FLASH = enum.auto()\n",
        [("registry_removed", "attention_backend:DUAL", "DUAL", None, False)],
    ),
    "wrappers that are picked by themselves": (
        REGISTRY,
        '_TRANSFORMERS_BACKEND_MODELS = {\n    "WrapForCausalLM": ("wrap", "A"),\n}\n',
        '_TRANSFORMERS_BACKEND_MODELS = {\n    "WrapMoe": ("wrap", "A"),\n}\n',
        [],
    ),
    "model table under another name": (REGISTRY, TEXT.format(NEWER), TEXT.format(NEWER).replace("_TEXT_GENERATION_MODELS", "_TRANSFORMERS"), []),
    "model table under the name of wrappers": (
        REGISTRY,
        '_WRAPPED_MODELS = {\n    "WrapForCausalLM": ("wrap", "A"),\n}\n',
        '_MORE_MODELS = {\n    "Emu": ("wrap", "B"),\n}\n_TRANSFORMERS_BACKEND_MODELS = {\n    "WrapForCausalLM": ("wrap", "A"),\n}\n',
        [("model_added", "Emu", None, "Emu", False)],
    ),
    "model table under another name that loses a row": (
        REGISTRY,
        TEXT.format(NEWER),
        TEXT.format("").replace("_TEXT_GENERATION_MODELS", "_GENERATORS"),
        [("model_removed", "NewerForCausalLM", "NewerForCausalLM", None, True)],
    ),
    "model table that a function hands out": (
        REGISTRY, TEXT.format(""), TEXT.format("").replace("_TEXT_GENERATION_MODELS =", "def models():\n    return"), []
    ),
    "model of a table that says what is gone": (
        REGISTRY,
        TEXT.format(NEWER),
        TEXT.format("") + 'removed_models = {\n    "NewerForCausalLM": "use Llama",\n}\n',
        [("model_removed", "NewerForCausalLM", "NewerForCausalLM", None, True)],
    ),
    "model of which a table says a number": (
        REGISTRY,
        TEXT.format(NEWER) + 'SIZES = {\n    "NewerForCausalLM": 3,\n}\n',
        TEXT.format("") + 'SIZES = {\n    "NewerForCausalLM": 3,\n}\n',
        [("model_removed", "NewerForCausalLM", "NewerForCausalLM", None, True)],
    ),
    "model that a call of another name registers": (
        "engine/plugins/register.py", 'ModelRegistry.register_model("MyModel", "a:B")\n', 'models.register(\n    "MyModel", "a:B"\n)\n', []
    ),
    "quantization list under another name": (
        "engine/quantization/__init__.py", QUANT.format('    "gguf",\n'), QUANT.format('    "gguf",\n').replace("QuantizationMethods", "Quantizers"), []
    ),
    "quantization that a list only mentions": (
        "engine/quantization/__init__.py",
        QUANT.format('    "gguf",\n') + 'SLOW = ["gguf"]\n',
        QUANT.format("") + 'SLOW = ["gguf"]\n',
        [("registry_removed", "quantization:gguf", "gguf", None, True)],
    ),
    "quantization by a decorator of another name": (
        "engine/quantization/a.py", 'import x\n@register_quantization_config("gguf")\nclass A: ...\n', 'import x\n@register_quant("gguf")\nclass A: ...\n', []
    ),
    "tool parser table under another name": (
        "engine/function_call/function_call_parser.py",
        'class P:\n    ToolCallParserEnum: Dict[str, Type[D]] = {\n        "qwen": A,\n    }\n',
        'class P:\n    DETECTORS: Dict[str, Type[D]] = MappingProxyType(\n        {\n            "qwen": A,\n        }\n    )\n',
        [],
    ),
    "tool parser whose name a reasoning parser keeps": (
        "engine/parsers/glm_parser.py",
        '@ToolParserManager.register_module("glm")\nclass A: ...\n@ReasoningParserManager.register_module("glm")\nclass B: ...\n',
        'class A: ...\n@ReasoningParserManager.register_module("glm")\nclass B: ...\n',
        [("registry_removed", "tool_parser:glm", "glm", None, True)],
    ),
    "attention backends of an enum of another name": (
        "engine/attention/backends/registry.py",
        'class AttentionBackendEnum(Enum):\n    FLASH = "a"\n    XFORMERS = "b"\n',
        'class Backends(enum.Enum):\n    FLASH = "a"\n    XFORMERS = "b"\n',
        [],
    ),
    "class of a model file that is only exported": (
        "engine/srt/models/newer.py",
        '__all__ = ["NewerMoe"]\nEntryClass = [NewerMoe]\n',
        '__all__ = ["NewerMoe"]\n',
        [("model_removed", "NewerMoe", "NewerMoe", None, True)],
    ),
    "connector": (
        "engine/kv_connector/factory.py",
        'x = 1\nKVConnectorFactory.register_connector(\n    "NixlConnector", "a.b", "C"\n)\n',
        "x = 1\n",
        [("registry_removed", "kv_connector:NixlConnector", "NixlConnector", None, True)],
    ),
    "in a comment": (REGISTRY, TEXT.format('    # "Old": ("a", "B"),\n'), TEXT.format(""), []),
    "in a test": ("tests/models/registry.py", TEXT.format(NEWER), TEXT.format(""), []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_registries(name: str) -> None:
    path, before, after, expected = CASES[name]
    assert told(facts_of(registries, {path: (before, after)})) == expected


@pytest.mark.parametrize("name", CASES)
def test_the_same_gives_nothing_and_backwards_is_mirrored(name: str) -> None:
    path, before, after, _ = CASES[name]
    assert facts_of(registries, {path: (before, before)}) == []
    there, back = (facts_of(registries, {path: pair}) for pair in ((before, after), (after, before)))
    assert mirrored(there) == plainly(back)


@pytest.mark.parametrize(
    ("old", "new", "successor"),
    [
        ('"opt": OptFp8', '"opt_fp8": OptFp8', "opt_fp8"),
        ('"opt": OptFp8', '"opt_fp8": Other', "opt_fp8"),
        ('"opt": OptFp8', '"better": OptFp8', "better"),
        ('"opt": OptFp8', '"better": Other', None),
        ('"opt": OptFp8', '"opt_a": A,\n    "opt_b": B', None),
    ],
)
def test_a_lost_name_says_under_which_one_its_class_lives_on(old: str, new: str, successor: str | None) -> None:
    table = "BASE_QUANTIZATION_METHODS = {{\n    {},\n}}\n".format
    facts = facts_of(registries, {"engine/quantization/__init__.py": (table(old), table(new))})
    (gone,) = (f for f in facts if f.kind == "registry_removed")
    assert gone.breaking
    assert gone.alias is not None
    assert (gone.alias.status, gone.alias.where) == ("none", successor)


def test_a_model_whose_file_moved_is_not_removed() -> None:
    text = "class A: ...\nEntryClass = NewerForCausalLM\n"
    files = {"engine/srt/models/a.py": (text, None), "engine/srt/models/b/c.py": (None, text)}
    assert facts_of(registries, files) == []


@pytest.mark.parametrize(
    ("what", "entry", "before", "after"),
    [
        ("engine/models/registry.py", NEWER, "_TEXT_MODELS = {{\n{}}}\n", "GENERATORS = {{\n{}}}\n"),
        ("engine/models/registry.py", NEWER, "_TEXT_MODELS = {{\n{}}}\n", "def f():\n  return {{\n    **more,\n{}  }}\n"),
        ("engine/quantization/__init__.py", '    "gguf": GGUF,\n', "METHOD_TO_CONFIG = {{\n{}}}\n", "QUANT = {{\n{}}}\n"),
        ("engine/parsers/a_parser.py", '"hermes"', "@ToolParserManager.register_module({})\nclass A: ...\n", "parsers.register(name={})\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("other", ["engine/new/registry.py", "engine/new/offers.py"])
def test_an_entry_that_moved_to_a_table_of_another_name_in_another_file_is_not_removed(
    what: str, entry: str, before: str, after: str, other: str
) -> None:
    files = {what: (before.format(entry), "x = 1\n"), other: ("y = 1\n", after.format(entry))}
    assert pairs.facts_of(registries, files) == []
    assert pairs.facts_of(registries, {path: (new, old) for path, (old, new) in files.items()}) == []


def test_an_entry_that_stands_for_something_else_in_another_file_is_removed() -> None:
    sizes = "SIZES = {{\n{}}}\n".format
    files = {
        REGISTRY: (TEXT.format(NEWER), TEXT.format("")),
        "engine/new/registry.py": (sizes(""), sizes('    "NewerForCausalLM": SizeOfNewer,\n')),
    }
    assert [f.kind for f in facts_of(registries, files)] == ["model_removed"]


@pytest.mark.parametrize(
    "text", ["_A_MODELS = {" * 40_000, '_A_MODELS = {\n"a  b": 1,' + '"a  b": 1,' * 30_000, "\nEntryClass = [" * 40_000, "DetectorMap" * 80_000, "x = {\n" * 80_000, "register(" * 60_000, "register" * 80_000, "x" * 600_000, "x = [1]\n" * 60_000, "class A(Enum):\n    AB = 1\n" * 20_000]
)  # fmt: skip
def test_hostile_sizes_are_linear(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(ValueError):  # counted as a file that is not understood
        registries.surface("engine/models/registry.py", text)
    assert time.process_time() - started < beside(4)


def test_a_model_with_other_capitals_is_the_successor_of_the_old_name() -> None:
    before, after = (TEXT.format(f'    "{name}": ("say", "{name}"),\n') for name in ("SayASRModel", "SayAsrModel"))
    gone = [fact for fact in facts_of(registries, {REGISTRY: (before, after)}) if fact.kind == "model_removed"]
    assert [(fact.symbol, fact.alias) for fact in gone] == [("SayASRModel", Alias("none", "SayAsrModel"))]
