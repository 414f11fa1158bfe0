"""Your lines against what upstream did: which of them are touched, how surely, and which are left alone."""

from __future__ import annotations

import pytest

from analyse.impacted import CUTLASS, KEPT, OLD, OTHER, REPO, Row, hits_of, net, uses_of
from daybreak.core.model.upgrade import Uses
from daybreak.upgrade.impact.join import fingerprint, join

LLM = "vllm/entrypoints/llm.py"
ARGS = "vllm/engine/arg_utils.py"
SERVER = "python/sglang/srt/server_args.py"
PLATFORM = "vllm/platforms/interface.py"

GONE_NAMES = [
    Row("function", "from vllm.utils import foo_bar\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), "certain:1"),
    Row("function by module", "import vllm.utils as u\nu.foo_bar()\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), "certain:2"),
    Row("told at the import only", "from vllm.utils import foo_bar\nfoo_bar()\nfoo_bar()\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), "certain:1"),
    Row("other module", "from vllm.other import foo_bar\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), ""),
    Row("other package", "from sglang.utils import foo_bar\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), ""),
    Row("own name", "def foo_bar(): ...\nfoo_bar()\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), ""),
    Row("source root", "from sglang.srt.utils import get_thing\n", ("function_removed", "python/sglang/srt/utils.py", "get_thing", "def get_thing()", None), "certain:1", repo=OTHER),
    Row("class handed on", "from vllm import PoolingThing\n", ("class_removed", "vllm/outputs.py", "PoolingThing", "class PoolingThing:", None), "certain:1"),
    Row("common name handed on", "from vllm import Config\n", ("class_removed", "vllm/config/cache.py", "Config", "class Config:", None), "likely:1"),
    Row("class renamed", "from vllm.config import CompilationLevel\n", ("class_renamed", "vllm/config/compilation.py", "CompilationLevel", "CompilationLevel", "CompilationMode"), "certain:1"),
    Row("class subclassed", "from vllm.executor import ExecutorBase\nclass Mine(ExecutorBase):\n    pass\n", ("class_removed", "vllm/executor/executor_base.py", "ExecutorBase", "class ExecutorBase(ABC):", None), "certain:1"),
    Row("alias kept", "from vllm.utils import Device\n", ("class_moved", "vllm/engine/protocol.py", "Device", "vllm.utils.Device", "vllm.engine.protocol.Device"), "look:1", alias=OLD),
    Row("moved", "from vllm.utils import Device\n", ("class_moved", "vllm/engine/protocol.py", "Device", "vllm.utils.Device", "vllm.engine.protocol.Device"), "certain:1"),
    Row("moved, handed on by the package", "from vllm import Device\n", ("class_moved", "vllm/engine/protocol.py", "Device", "vllm.utils.Device", "vllm.engine.protocol.Device"), ""),
    Row("new place already", "from vllm.engine.protocol import Device\n", ("class_moved", "vllm/engine/protocol.py", "Device", "vllm.utils.Device", "vllm.engine.protocol.Device"), ""),
    Row("module removed", "from vllm.engine.metrics import Stats\n", ("module_removed", "vllm/engine/metrics.py", "vllm.engine.metrics", "vllm.engine.metrics", None), "certain:1"),
    Row("module beside it", "from vllm.engine.metrics_types import Stats\n", ("module_removed", "vllm/engine/metrics.py", "vllm.engine.metrics", "vllm.engine.metrics", None), ""),
    Row("module moved", "from vllm.executor.ray_utils import X\n", ("module_moved", "vllm/v1/executor/ray_utils.py", "vllm.executor.ray_utils (11 names)", "vllm.executor.ray_utils", "vllm.v1.executor.ray_utils"), "certain:1"),
    Row("package moved", "import vllm.executor.ray_utils\n", ("module_moved", "vllm/v1/executor/x.py", "vllm.executor.* (4 modules, 20 names)", "vllm.executor.*", "vllm.v1.executor.*"), "likely:1"),
    Row("some names went down", "from vllm.utils import cdiv\n", ("module_moved", "vllm/utils/math_utils.py", "vllm.utils (5 names)", "vllm.utils", "vllm.utils.math_utils"), "likely:1"),
    Row("where they went", "from vllm.utils.math_utils import cdiv\n", ("module_moved", "vllm/utils/math_utils.py", "vllm.utils (5 names)", "vllm.utils", "vllm.utils.math_utils"), ""),
    Row("export", "from vllm.config import BlockSize\n", ("export_removed", "vllm/config/__init__.py", "vllm.config.BlockSize", "BlockSize", None), "certain:1"),
    Row("export, from its own module", "from vllm.config.cache import BlockSize\n", ("export_removed", "vllm/config/__init__.py", "vllm.config.BlockSize", "BlockSize", None), ""),
    Row("import of a package that may be missing", "try:\n    from vllm.utils import foo_bar\nexcept ImportError:\n    foo_bar = None\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), "certain:2"),
    Row("import with one of your own in its place", "try:\n    from vllm.utils import foo_bar\nexcept ImportError:\n    def foo_bar(): ...\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), "look:2"),
    Row("enum member", "from vllm.platforms import PlatformKind\nx = PlatformKind.OLD_ONE\n", ("enum_member_removed", PLATFORM, "PlatformKind.OLD_ONE", "OLD_ONE = 1", None), "certain:2"),
    Row("other enum member", "from vllm.platforms import PlatformKind\nx = PlatformKind.NEW_ONE\n", ("enum_member_removed", PLATFORM, "PlatformKind.OLD_ONE", "OLD_ONE = 1", None), ""),
    Row("attribute", "import vllm.envs as envs\nprint(envs.SOME_CONSTANT)\n", ("attribute_removed", "vllm/envs.py", "SOME_CONSTANT", "SOME_CONSTANT = 1", None), "certain:2"),
    Row("method of an instance", "from vllm import LLM\nllm = LLM('m')\nllm.old_method()\n", ("function_removed", LLM, "LLM.old_method", "def old_method(self)", None), "certain:3"),
    Row("method of another class", "from vllm import SamplingParams\np = SamplingParams()\np.old_method()\n", ("function_removed", LLM, "LLM.old_method", "def old_method(self)", None), ""),
    Row("literal getattr", "import vllm\nf = getattr(vllm, 'PoolingThing')\n", ("class_removed", "vllm/outputs.py", "PoolingThing", "class PoolingThing:", None), "certain:2"),
    Row("patched", "from unittest import mock\nmock.patch('vllm.utils.foo_bar')\n", ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None), "certain:2"),
]  # fmt: skip

CALLS = [
    Row("removed keyword", "from vllm import LLM\nLLM('m').generate('x', prompt_token_ids=[1])\n", ("parameter_removed", LLM, "LLM.generate(prompt_token_ids)", "prompt_token_ids=None", None), "certain:2"),
    Row("keyword not passed", "from vllm import LLM\nLLM('m').generate('x')\n", ("parameter_removed", LLM, "LLM.generate(prompt_token_ids)", "prompt_token_ids=None", None), ""),
    Row("keyword of another method", "from vllm import LLM\nLLM('m').chat('x', prompt_token_ids=[1])\n", ("parameter_removed", LLM, "LLM.generate(prompt_token_ids)", "prompt_token_ids=None", None), ""),
    Row("constructor keyword", "from vllm.outputs import PoolingThing\nPoolingThing(a=1, old=2)\n", ("parameter_removed", "vllm/outputs.py", "PoolingThing.__init__(old)", "old", None), "certain:2"),
    Row("renamed keyword", "from vllm.utils import run_it\nrun_it(alpha=1)\n", ("parameter_renamed", "vllm/utils/__init__.py", "run_it(alpha)", "alpha", "beta"), "certain:2"),
    Row("renamed, by place", "from vllm.utils import run_it\nrun_it(1)\n", ("parameter_renamed", "vllm/utils/__init__.py", "run_it(alpha)", "alpha", "beta"), ""),
    Row("required and missing", "from vllm.utils import run_it\nrun_it(1)\n", ("parameter_required_added", "vllm/utils/__init__.py", "run_it(beta)", None, "beta"), "certain:2"),
    Row("required and given", "from vllm.utils import run_it\nrun_it(1, beta=2)\n", ("parameter_required_added", "vllm/utils/__init__.py", "run_it(beta)", None, "beta"), ""),
    Row("required, anything passed", "from vllm.utils import run_it\nrun_it(*args, **kw)\n", ("parameter_required_added", "vllm/utils/__init__.py", "run_it(beta)", None, "beta"), "look:2"),
    Row("only imported", "from vllm.utils import run_it\n", ("parameter_required_added", "vllm/utils/__init__.py", "run_it(beta)", None, "beta"), ""),
    Row("keyword only now", "from vllm.utils import run_it\nrun_it(1, 2)\n", ("parameter_kind_changed", "vllm/utils/__init__.py", "run_it(beta)", "both", "only keyword"), "likely:2"),
    Row("keyword only, given so", "from vllm.utils import run_it\nrun_it(1, beta=2)\n", ("parameter_kind_changed", "vllm/utils/__init__.py", "run_it(beta)", "both", "only keyword"), ""),
    Row("by place only now", "from vllm.utils import run_it\nrun_it(beta=2)\n", ("parameter_kind_changed", "vllm/utils/__init__.py", "run_it(beta)", "both", "only positional"), "certain:2"),
    Row("order", "from flashinfer import xqa\nxqa(a, b, c)\n", ("parameter_moved", "vllm/xqa.py", "xqa", "q, o", "o, q"), ""),
    Row("order of ours", "from vllm.utils import run_it\nrun_it(a, b)\n", ("parameter_moved", "vllm/utils/__init__.py", "run_it", "q, o", "o, q"), "likely:2"),
    Row("order, by keyword", "from vllm.utils import run_it\nrun_it(q=a, o=b)\n", ("parameter_moved", "vllm/utils/__init__.py", "run_it", "q, o", "o, q"), ""),
    Row("required, handed on to the base", "from vllm.utils import Base\nclass Mine(Base):\n    def __init__(self, *args, **kw):\n        super().__init__(*args, **kw)\n", ("parameter_required_added", "vllm/utils/__init__.py", "Base.__init__(beta)", None, "beta"), ""),
    Row("nothing by another name", "from vllm.config import CompilationConfig\nCompilationConfig(level=1)\n", ("field_default_changed", "vllm/config/compilation.py", "CompilationConfig.dump", '""', "None"), "", alias=None, breaking=False),
    Row("default left", "from vllm import LLM\nLLM('m').encode('x')\n", ("parameter_default_changed", LLM, "LLM.encode(pooling_task)", '"encode"', '"embed"'), "look:2", alias=None, breaking=False),
    Row("default that is decided later", "from vllm import LLM\nLLM('m').encode('x')\n", ("parameter_default_changed", LLM, "LLM.encode(pooling_task)", '"encode"', None), "", alias=None, breaking=False),
    Row("default given", "from vllm import LLM\nLLM('m').encode('x', pooling_task='embed')\n", ("parameter_default_changed", LLM, "LLM.encode(pooling_task)", '"encode"', None), "", alias=None, breaking=False),
    Row("field keyword", "from vllm.config import CompilationConfig\nCompilationConfig(max_capture_size=4)\n", ("field_removed", "vllm/config/compilation.py", "CompilationConfig.max_capture_size", "max_capture_size: int", None), "certain:2"),
    Row("field read", "from vllm.config import CompilationConfig\nc = CompilationConfig()\nprint(c.max_capture_size)\n", ("field_removed", "vllm/config/compilation.py", "CompilationConfig.max_capture_size", "max_capture_size: int", None), "certain:3"),
    Row("field of another class", "from vllm.config import CacheConfig\nCacheConfig(max_capture_size=4)\n", ("field_removed", "vllm/config/compilation.py", "CompilationConfig.max_capture_size", "max_capture_size: int", None), ""),
    Row("required field", "from vllm.config import CompilationConfig\nCompilationConfig(level=1)\n", ("field_required_added", "vllm/config/compilation.py", "CompilationConfig.backend", None, "backend: str"), "certain:2"),
    Row("field default", "from vllm.config import CompilationConfig\nCompilationConfig(level=1)\n", ("field_default_changed", "vllm/config/compilation.py", "CompilationConfig.backend", '""', '"inductor"'), "look:2", alias=None, breaking=False),
    Row("forwarded keyword", "from vllm import LLM\nLLM('m', enable_lora_bias=True)\n", ("field_removed", ARGS, "EngineArgs.enable_lora_bias", "enable_lora_bias: bool", None), "certain:2"),
    Row("forwarded flag", "from vllm import LLM\nLLM('m', enable_lora_bias=True)\n", ("cli_flag_removed", ARGS, "--enable-lora-bias", "--enable-lora-bias", None), "certain:2"),
    Row("flag of a benchmark is no keyword", "from vllm import LLM\nLLM('m', num_prompts=1)\n", ("cli_flag_removed", "vllm/benchmarks/serve.py", "--num-prompts", "--num-prompts", None), ""),
    Row("forwarded to the engine", "import sglang\nsglang.Engine(model_path='m', nsa_decode='x')\n", ("field_renamed", SERVER, "ServerArgs.nsa_decode", "nsa_decode", "nsa_decode_backend"), "certain:2", repo=OTHER),
    Row("deprecated method", "from vllm import LLM\nllm = LLM('m')\nllm.set_tokenizer(t)\n", ("deprecated", LLM, "set_tokenizer", None, "set_tokenizer"), "look:3", alias=None, breaking=False),
    Row("guard on what you pass", "from vllm import LLM\nLLM('m').generate('x', priority=[1])\n", ("guard_added", LLM, "LLM.generate", None, "if priority < 1: raise ValueError"), "look:2", alias=None, breaking=False),
    Row("guard on what you pass and on more", "from vllm import LLM\nLLM('m').generate('x', priority=[1])\n", ("guard_added", LLM, "LLM.generate", None, "if priority is not None and len(priority) != n: raise ValueError"), "", alias=None, breaking=False),
    Row("guard against lacking what you pass", "from vllm import LLM\nLLM('m').generate('x', priority=[1])\n", ("guard_added", LLM, "LLM.generate", None, "if priority is None and is_old(n): raise ValueError"), "", alias=None, breaking=False),
    Row("guard on what you do not pass", "from vllm import LLM\nLLM('m').generate('x')\n", ("guard_added", LLM, "LLM.generate", None, "if priority is not None and len(priority) != n: raise ValueError"), "", alias=None, breaking=False),
    Row("something new", "from vllm import LLM\nLLM('m')\n", ("parameter_added", LLM, "LLM.__init__(fresh)", None, "fresh=None"), "", alias=None, breaking=False),
]  # fmt: skip

SUB = "from vllm.platforms.interface import Platform\nclass Mine(Platform):\n"
EXTENSIONS = [
    Row("abstract method lacking", SUB + "    def other(self): ...\n", ("extension_method_added", PLATFORM, "Platform.get_thing", None, "def get_thing(self)"), "likely:2", alias=None),
    Row("abstract method there", SUB + "    def get_thing(self): ...\n", ("extension_method_added", PLATFORM, "Platform.get_thing", None, "def get_thing(self)"), "", alias=None),
    Row("optional method", SUB + "    def other(self): ...\n", ("extension_method_added", PLATFORM, "Platform.get_thing", None, "def get_thing(self)"), "", alias=None, breaking=False),
    Row("not subclassed", "from vllm.platforms.interface import Platform\nprint(Platform)\n", ("extension_method_added", PLATFORM, "Platform.get_thing", None, "def get_thing(self)"), "", alias=None),
    Row("overridden method changed", SUB + "    def check(self, torch_dtype): ...\n", ("extension_method_changed", PLATFORM, "Platform.check", "check(cls, torch_dtype: t)", "check(cls, dtype: t)"), "likely:3", alias=None),
    Row("override that fits already", SUB + "    def check(self, dtype): ...\n", ("extension_method_changed", PLATFORM, "Platform.check", "check(cls, torch_dtype: t)", "check(cls, dtype: t)"), "", alias=None),
    Row("overridden method removed", SUB + "    def check(self, dtype): ...\n", ("extension_method_removed", PLATFORM, "Platform.check", "def check(self)", None), "likely:3"),
    Row("overridden method renamed", SUB + "    def check(self, dtype): ...\n", ("extension_method_renamed", PLATFORM, "Platform.check", "Platform.check", "Platform.verify"), "likely:3"),
    Row("other method overridden", SUB + "    def other(self, dtype): ...\n", ("extension_method_removed", PLATFORM, "Platform.check", "def check(self)", None), ""),
    Row("same method of an unrelated class", "class Mine:\n    def check(self): ...\nimport vllm\n", ("extension_method_removed", PLATFORM, "Platform.check", "def check(self)", None), ""),
    Row("parameter of an overridden method", SUB + "    def check(self, a, old): ...\n", ("parameter_removed", PLATFORM, "Platform.check(old)", "old", None), "likely:3"),
    Row("base removed", SUB + "    pass\n", ("base_removed", PLATFORM, "Platform", "Thing", None), "look:2", alias=None),
    Row("monkey patch of what changed", "import vllm.utils\nvllm.utils.run_it = None\n", ("parameter_removed", "vllm/utils/__init__.py", "run_it(x)", "x", None), "likely:2"),
]  # fmt: skip

SETTINGS = [
    Row("flag", "vllm serve m --enable-lora-bias\n", ("cli_flag_removed", ARGS, "--enable-lora-bias", "--enable-lora-bias", None), "certain:1", "run.sh"),
    Row("flag with underscores", "vllm serve m --enable_lora_bias\n", ("cli_flag_removed", ARGS, "--enable-lora-bias", "--enable-lora-bias", None), "certain:1", "run.sh"),
    Row("flag of another program", "python -m sglang.launch_server --enable-lora-bias\n", ("cli_flag_removed", ARGS, "--enable-lora-bias", "--enable-lora-bias", None), "", "run.sh"),
    Row("flag of the benchmark", "vllm serve m --num-prompts 3\n", ("cli_flag_removed", "vllm/benchmarks/serve.py", "--num-prompts", "--num-prompts", None), "", "run.sh"),
    Row("benchmark's own flag", "vllm bench serve --num-prompts 3\n", ("cli_flag_removed", "vllm/benchmarks/serve.py", "--num-prompts", "--num-prompts", None), "certain:1", "run.sh"),
    Row("flag renamed", "python3 -m sglang.launch_server --oltp-traces-endpoint x\n", ("cli_flag_renamed", SERVER, "--oltp-traces-endpoint", "--oltp-traces-endpoint", "--otlp-traces-endpoint"), "certain:1", "run.sh", repo=OTHER),
    Row("new flag used already", "python3 -m sglang.launch_server --otlp-traces-endpoint x\n", ("cli_flag_renamed", SERVER, "--oltp-traces-endpoint", "--oltp-traces-endpoint", "--otlp-traces-endpoint"), "", "run.sh", repo=OTHER),
    Row("flag in a Dockerfile", 'FROM vllm/vllm-openai:v0.14.1\nCMD ["--model", "m", "--swap-space", "4"]\n', ("cli_flag_removed", ARGS, "--swap-space", "--swap-space", None), "certain:2", "Dockerfile"),
    Row("flag deprecated", "vllm serve m --cuda-graph-sizes 8\n", ("cli_flag_deprecated", ARGS, "--cuda-graph-sizes", "--cuda-graph-sizes", "--cudagraph-capture-sizes"), "look:1", "run.sh", alias=OLD, breaking=False),
    Row("choice gone", "vllm serve m --kv-cache-dtype fp8_old\n", ("cli_choices_changed", ARGS, "--kv-cache-dtype", '["auto", "fp8_old"]', '["auto"]'), "certain:1", "run.sh"),
    Row("choice left", "vllm serve m --kv-cache-dtype auto\n", ("cli_choices_changed", ARGS, "--kv-cache-dtype", '["auto", "fp8_old"]', '["auto"]'), "", "run.sh"),
    Row("choice of a type", "vllm serve m --load-format gguf\n", ("literal_narrowed", "vllm/loader.py", "LoadFormats", '"auto", "gguf"', '"auto"'), "likely:1", "run.sh"),
    Row("choice of a type left", "vllm serve m --load-format auto\n", ("literal_narrowed", "vllm/loader.py", "LoadFormats", '"auto", "gguf"', '"auto"'), "", "run.sh"),
    Row("choice of another type", "vllm serve m --model-format gguf\n", ("literal_narrowed", "vllm/loader.py", "LoadFormats", '"auto", "gguf"', '"auto"'), "", "run.sh"),
    Row("choice of a type by keyword", "from vllm import LLM\nLLM('m', load_format='gguf')\n", ("literal_narrowed", "vllm/loader.py", "LoadFormats", '"auto", "gguf"', '"auto"'), "likely:2"),
    Row("choice by keyword", "from vllm import LLM\nLLM('m', kv_cache_dtype='fp8_old')\n", ("cli_choices_changed", ARGS, "--kv-cache-dtype", '["auto", "fp8_old"]', '["auto"]'), "certain:2"),
    Row("variable", "export VLLM_USE_OLD_PATH=1\n", ("env_removed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "VLLM_USE_OLD_PATH", None), "certain:1", "run.sh"),
    Row("other variable", "export VLLM_USE_OLD_PATH_2=1\n", ("env_removed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "VLLM_USE_OLD_PATH", None), "", "run.sh"),
    Row("variable in Python", "import os\nos.environ['VLLM_USE_OLD_PATH'] = '1'\n", ("env_renamed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "VLLM_USE_OLD_PATH", "VLLM_USE_NEW_PATH"), "certain:2"),
    Row("variable still forwarded", "export VLLM_USE_OLD_PATH=1\n", ("env_renamed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "VLLM_USE_OLD_PATH", "VLLM_USE_NEW_PATH"), "look:1", "run.sh", alias=KEPT, breaking=False),
    Row("variable set, default changed", "export VLLM_USE_OLD_PATH=1\n", ("env_default_changed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "0", "1"), "", "run.sh", alias=None, breaking=False),
    Row("registry by flag", "vllm serve m --quantization modelopt\n", ("registry_removed", "vllm/q.py", "quantization:modelopt", "modelopt", None), "certain:1", "run.sh"),
    Row("registry by keyword", "from vllm import LLM\nLLM('m', quantization='modelopt')\n", ("registry_removed", "vllm/q.py", "quantization:modelopt", "modelopt", None), "certain:2"),
    Row("same word elsewhere", "vllm serve m --served-model-name modelopt\n", ("registry_removed", "vllm/q.py", "quantization:modelopt", "modelopt", None), "", "run.sh"),
    Row("backend by variable", "export VLLM_ATTENTION_BACKEND=ROCM_FLASH\n", ("registry_removed", "vllm/b.py", "attention_backend:ROCM_FLASH", "ROCM_FLASH", None), "certain:1", "run.sh"),
    Row("model", "import vllm\nARCH = 'VILAForConditionalGeneration'\n", ("model_removed", "vllm/model_executor/models/vila.py", "VILAForConditionalGeneration", "VILAForConditionalGeneration", None), "look:2"),
    Row("inner setting", "vllm serve m --compilation-config.max_capture_size 4\n", ("field_removed", "vllm/config/compilation.py", "CompilationConfig.max_capture_size", "max_capture_size: int", None), "certain:1", "run.sh"),
    Row("inner setting of another", "vllm serve m --speculative-config.max_capture_size 4\n", ("field_removed", "vllm/config/compilation.py", "CompilationConfig.max_capture_size", "max_capture_size: int", None), "", "run.sh"),
]  # fmt: skip

OTHERS = [
    Row("operator", "import torch\nimport vllm\ntorch.ops._C.poly_norm(a, b)\n", ("operator_removed", "csrc/torch_bindings.cpp", "poly_norm", "poly_norm(Tensor a)", None), "certain:3"),
    Row("other operator", "import torch\nimport vllm\ntorch.ops._C.rms_norm(a, b)\n", ("operator_removed", "csrc/torch_bindings.cpp", "poly_norm", "poly_norm(Tensor a)", None), ""),
    Row("operator takes more", "import torch\nimport vllm\ntorch.ops._C.gptq_gemm(a, b)\n", ("operator_changed", "csrc/torch_bindings.cpp", "gptq_gemm", "gptq_gemm(Tensor a, Tensor b) -> Tensor", "gptq_gemm(Tensor a, Tensor b, bool c) -> Tensor"), "certain:3"),
    Row("route", "import requests\nimport vllm\nrequests.post('http://localhost:8000/v1/old_thing', json={'a': 1})\n", ("route_removed", "vllm/entrypoints/openai/api_server.py", "/v1/old_thing", "/v1/old_thing", None), "certain:3"),
    Row("longer route", "import requests\nimport vllm\nrequests.post('http://localhost:8000/v1/old_thing/x')\n", ("route_removed", "vllm/entrypoints/openai/api_server.py", "/v1/old_thing", "/v1/old_thing", None), ""),
    Row("requirement leaves no version", "torch==2.9.1\nvllm==0.14.1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0"), "certain:2", "requirements.txt"),
    Row("requirement of another platform", "vllm==0.14.1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0; platform_machine == 'aarch64'"), "", "requirements.txt"),
    Row("requirement of this platform", "vllm==0.14.1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0; sys_platform == 'linux'"), "likely:1", "requirements.txt"),
    Row("requirement of this machine and another", "vllm==0.14.1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0; platform_machine == 'x86_64' or platform_machine == 'aarch64'"), "likely:1", "requirements.txt"),
    Row("requirement of another system and this", "vllm==0.14.1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0; sys_platform == 'darwin' or sys_platform == 'linux'"), "likely:1", "requirements.txt"),
    Row("requirement of an extra and this system", "vllm==0.14.1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0; sys_platform == 'linux' or extra == 'all'"), "likely:1", "requirements.txt"),
    Row("requirement of two other platforms", "vllm==0.14.1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0; platform_machine == 'aarch64' or sys_platform == 'darwin'"), "", "requirements.txt"),
    Row("requirement of an extra on any machine", "vllm==0.14.1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0; (platform_machine == 'x86_64' or platform_machine == 'aarch64') and extra == 'all'"), "", "requirements.txt"),
    Row("your pin for another platform", "vllm==0.14.1; sys_platform == 'darwin'\n", ("dependency_changed", "requirements/cuda.txt", "vllm", ">=0.10", "==2.10.0"), "", "requirements.txt"),
    Row("requirement that fits", "vllm>=0.14\n", ("dependency_changed", "requirements/cuda.txt", "vllm", "==2.9.0", "==2.10.0"), "", "requirements.txt"),
    Row("candidate of a compatible release", "vllm~=2.9rc1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", "==2.9.0", "==2.10.0"), "", "requirements.txt"),
    Row("compatible release that ends before", "vllm~=2.9.0rc1\n", ("dependency_changed", "requirements/cuda.txt", "vllm", "==2.9.0", "==2.10.0"), "certain:1", "requirements.txt"),
]  # fmt: skip

BOARD = '{"panels": [{"targets": [{"expr": "rate(vllm:%s[5m])"}]}]}\n'
POD = """apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: server
          image: vllm/vllm-openai:v0.14.1
          args: ["--model", "m", "--swap-space", "4"]
          env:
            - name: VLLM_USE_OLD_PATH
              value: "1"
"""
ASK = "import requests\nimport vllm\nrequests.post('http://localhost:8000%s', json={'model': 'm', 'softmax': True})\n"
CLIENTS = [
    Row("metric in a dashboard", BOARD % "old_requests", ("metric_removed", "vllm/v1/metrics/loggers.py", "vllm:old_requests", "vllm:old_requests", None), "certain:1", "board.json"),
    Row("series of a metric", BOARD % "old_seconds_bucket", ("metric_renamed", "vllm/v1/metrics/loggers.py", "vllm:old_seconds", "vllm:old_seconds", "vllm:new_seconds"), "certain:1", "board.json"),
    Row("other metric", BOARD % "new_seconds_bucket", ("metric_renamed", "vllm/v1/metrics/loggers.py", "vllm:old_seconds", "vllm:old_seconds", "vllm:new_seconds"), "", "board.json"),
    Row("longer metric", BOARD % "old_requests_waiting", ("metric_removed", "vllm/v1/metrics/loggers.py", "vllm:old_requests", "vllm:old_requests", None), "", "board.json"),
    Row("flag in a manifest", POD, ("cli_flag_removed", ARGS, "--swap-space", "--swap-space", None), "certain:9", "pod.yaml"),
    Row("a variable that is asked for", 'import os\nif os.environ["VLLM_USE_OLD_PATH"] == "1":\n    pass\n', ("env_removed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "VLLM_USE_OLD_PATH", None), "look:2"),
    Row("a variable that is set by its key", 'import os\nos.environ["VLLM_USE_OLD_PATH"] = "1"\n', ("env_removed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "VLLM_USE_OLD_PATH", None), "certain:2"),
    Row("a variable that is taken away", 'import os\ndel os.environ["VLLM_USE_OLD_PATH"]\n', ("env_removed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "VLLM_USE_OLD_PATH", None), "certain:2"),
    Row("variable in a manifest", POD, ("env_removed", "vllm/envs.py", "VLLM_USE_OLD_PATH", "VLLM_USE_OLD_PATH", None), "certain:11", "pod.yaml"),
    Row("field sent", ASK % "/v1/score", ("request_field_removed", "vllm/entrypoints/openai/protocol.py", "ScoreRequest.softmax", "ScoreRequest.softmax", None), "certain:3"),
    Row("field of an inner message", ASK % "/v1/score", ("request_field_removed", "vllm/io.py", "TokenizedInput.softmax", "TokenizedInput.softmax", None), "", breaking=False),
    Row("field left to its default", ASK % "/v1/chat/completions", ("request_field_default_changed", "vllm/entrypoints/openai/protocol.py", "ChatCompletionRequest.top_k", "-1", "0"), "look:3", alias=None, breaking=False),
    Row("default of another request", ASK % "/v1/chat/completions", ("request_field_default_changed", "vllm/entrypoints/openai/protocol.py", "CompletionRequest.top_k", "-1", "0"), "", alias=None, breaking=False),
    Row("header", '#include "cutlass/old/place.h"\n', ("cpp_renamed", "include/cutlass/new/place.h", "cutlass/old/place.h", "cutlass/old/place.h", "cutlass/new/place.h"), "certain:1", "k.cu", repo=CUTLASS),
    Row("other header", '#include "cutlass/new/place.h"\n', ("cpp_renamed", "include/cutlass/new/place.h", "cutlass/old/place.h", "cutlass/old/place.h", "cutlass/new/place.h"), "", "k.cu", repo=CUTLASS),
    Row("type", "#include <cutlass/a.h>\ncutlass::int3b_t x;\n", ("cpp_removed", "include/cutlass/integer_subbyte.h", "cutlass::int3b_t", "using int3b_t", None), "certain:2", "k.cu", repo=CUTLASS),
    Row("macro", "#include <cutlass/a.h>\nCUTLASS_OLD_MACRO(x);\n", ("macro_removed", "include/cutlass/cutlass.h", "CUTLASS_OLD_MACRO", "1", None), "certain:2", "k.cu", repo=CUTLASS),
    Row("signature", "#include <cutlass/a.h>\nauto y = cutlass::make_thing(x);\n", ("cpp_signature_changed", "include/cutlass/a.h", "cutlass::make_thing", "make_thing(int)", "make_thing(int, int)"), "certain:2", "k.cu", repo=CUTLASS),
]  # fmt: skip

TABLE = [*GONE_NAMES, *CALLS, *EXTENSIONS, *SETTINGS, *OTHERS, *CLIENTS]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_the_table(row: Row) -> None:
    hits = hits_of(row)
    said = " ".join(f"{hit.certainty}:{hit.use.line}" for hit in sorted(hits, key=lambda hit: hit.use.line))
    assert said == row.expected, [(hit.use.kind, hit.use.name) for hit in hits] or uses_of(row.file, row.code).uses


@pytest.mark.parametrize("row", [row for row in TABLE if row.expected], ids=lambda row: row.name)
def test_every_hit_says_why_and_what_to_do_in_both_languages(row: Row) -> None:
    for hit in hits_of(row):
        for text in (hit.why, hit.action):
            assert set(text) == {"zh", "en"}
            assert text["zh"].endswith("。")
            assert text["en"].endswith(".")
            assert "{" not in text["en"].replace("{}", "").replace("{'", "")
            assert text["en"].count("`") == text["zh"].count("`")


def test_the_new_name_is_the_action() -> None:
    row = next(row for row in TABLE if row.name == "flag renamed")
    assert "`--otlp-traces-endpoint`" in hits_of(row)[0].action["en"]
    moved = next(row for row in TABLE if row.name == "moved")
    assert "`vllm.engine.protocol`" in hits_of(moved)[0].action["zh"]


def test_order_does_not_matter() -> None:
    rows = [row for row in TABLE if row.repo == REPO and row.file.endswith(".py")][:30]
    code = "".join(row.code for row in rows)
    nets = [net(row.finding, row.alias, row.breaking) for row in rows]
    found = uses_of("a.py", code)
    forward = join(found, {REPO: nets})
    assert forward == join(Uses("/", found.uses[::-1]), {REPO: nets[::-1]})


def test_ids_are_stable_and_tell_findings_apart() -> None:
    first, second = (net(row.finding).finding for row in TABLE[:2])
    assert fingerprint(REPO, first) == fingerprint(REPO, second)
    other = net(("env_removed", "vllm/envs.py", "VLLM_X", "VLLM_X", None)).finding
    assert fingerprint(REPO, other) == "DB-1e743317"  # people keep it in their acknowledgements
    assert len({fingerprint(REPO, first), fingerprint(OTHER, first), fingerprint(REPO, other)}) == 3
