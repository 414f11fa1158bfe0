"""Version tests are evaluated at the end of the range, and a question for a name covers that name only."""

from __future__ import annotations

import textwrap

import pytest
from msgspec.structs import replace

from analyse.impacted import REPO, net, uses_of
from analyse.test_impact_objects import ends
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.source import source
from daybreak.upgrade.impact.table import Ends

CASES = {
    "what a handler of any fault does is caught by nobody": (
        """
        from vllm.config import Limits
        def answer(limits: Limits):
            try:
                return int("1")
            except Exception:
                print(limits.longest)
        """, "certain:6"),
    "a handler for what is missing has another way": (
        """
        from vllm import LLM
        def answer(llm: LLM):
            try:
                return llm.generate(prompts=["x"])
            except TypeError:
                return llm.generate(prompt_token_ids=[1])
        """, "look:6"),
    "a version test that is true at the end lowers nothing": (
        """
        import vllm
        from packaging.version import Version
        from vllm import LLM
        if Version(vllm.__version__) >= Version("0.8.3"):
            LLM("m", device="cpu")
        """, "certain:5"),
    "a branch that is not run at the end is not told": (
        """
        import vllm
        from vllm import LLM
        if vllm.__version__ < "0.12":
            LLM("m", device="cpu")
        else:
            LLM("m", device="gpu")
        """, "certain:6"),
    "the version by its distribution, held in a name": (
        """
        from importlib.metadata import version
        from vllm import LLM
        installed = version("vllm")
        is_old = installed == "0.11.0"
        if is_old:
            LLM("m", device="cpu")
        if not is_old:
            LLM("m", device="cpu")
        """, "certain:8"),
    "a release as a tuple": (
        """
        import vllm
        from vllm import LLM
        if (0, 13) > vllm.__version_tuple__[:2]:
            LLM("m", device="cpu")
        elif vllm.__version_tuple__ >= (0, 14):
            LLM("m", device="gpu")
        """, "certain:4"),
    "a function of yours that compares": (
        """
        from vllm import LLM
        from compat import vllm_version_is
        if vllm_version_is("0.11.2"):
            LLM("m", device="cpu")
        """, ""),
    "after a way out only the rest of the block is meant": (
        """
        import vllm
        from vllm import LLM
        def old():
            if vllm.__version__ >= "0.12":
                return
            LLM("m", device="cpu")
        LLM("m", device="cpu")
        """, "certain:7"),
    "the import of the other branch and what follows from it": (
        """
        import vllm
        if vllm.__version__ >= "0.12":
            from vllm.params import SamplingParams
        else:
            from vllm.outputs import Output as SamplingParams
        SamplingParams().score
        """, ""),
    "a function below a condition": (
        """
        import vllm
        from vllm import LLM
        if vllm.__version__ >= "0.12":
            def make():
                return LLM("m", device="cpu")
        """, "certain:5"),
    "a question for a name covers that name": (
        """
        from vllm import LLM
        llm = LLM("m")
        if hasattr(llm, "engine"):
            llm.generate(prompt_token_ids=[1])
        """, "certain:4"),
    "what is asked for is ready for its absence": (
        """
        from vllm.entrypoints.llm import Engine
        def f(engine: Engine):
            if hasattr(engine, "drop"):
                engine.drop()
                engine.args.device
        """, "look:3"),
    "the version by a function of yours, and held by an object": (
        """
        from vllm import LLM
        from compat import get_vllm_version, parse_version
        class A:
            def __init__(self):
                self.vllm_version = get_vllm_version()
                if self.vllm_version <= parse_version("0.11.0") and self.ready:
                    LLM("m", device="cpu")
                if get_vllm_version() >= parse_version("0.12.0"):
                    LLM("m", device="cpu")
        """, "certain:9"),
    "the version of something else": (
        """
        from vllm import LLM
        from compat import vllm_plugin_version
        if vllm_plugin_version < "0.12":
            LLM("m", device="cpu")
        """, "look:4"),
    "a question in the same expression that has its own answer": (
        """
        from vllm.entrypoints.llm import Engine
        def f(engine: Engine):
            return not hasattr(engine, "drop") or engine.drop()
        """, ""),
    "a question with another way": (
        """
        from vllm.entrypoints.llm import Engine
        def f(engine: Engine):
            if hasattr(engine, "drop"):
                engine.drop()
            else:
                engine.step()
            return engine.drop() if hasattr(engine, "drop") else None
        """, ""),
    "a name that is asked for by its own truth": (
        """
        import vllm.entrypoints.llm as kept
        Buffer = None
        if ready and hasattr(kept, "Buffer"):
            Buffer = kept.Buffer
        if ready and Buffer:
            Buffer()
        elif Buffer is not None:
            Buffer()
        else:
            kept.Buffer()
        """, "certain:10 look:4"),
    "the other branch of a question among others": (
        """
        from vllm import LLM
        from vllm.entrypoints.llm import Engine
        def f(engine: Engine, new: bool):
            if not hasattr(engine, "drop") or new:
                return
            else:
                LLM("m", device="cpu")
        """, ""),
    "a key that is put into a dict under a condition is passed under that condition": (
        """
        from vllm import SamplingParams
        def make(best):
            kwargs = {"n": 1}
            if hasattr(SamplingParams, "best_of"):
                kwargs["best_of"] = best
            elif best:
                kwargs["best_of"] = 1
            return SamplingParams(**kwargs)
        """, "certain:7"),
    "a loop over keys that asks for each": (
        """
        from vllm import SamplingParams
        def make(given):
            kwargs = {}
            for key in ["n", "best_of"]:
                if hasattr(SamplingParams, key):
                    kwargs[key] = given[key]
            return SamplingParams(**kwargs)
        """, ""),
    "a keyword that is asked for among the parameters": (
        """
        import inspect
        from vllm import SamplingParams
        known = inspect.signature(SamplingParams.__init__).parameters
        kwargs = {}
        if "best_of" in known:
            kwargs["best_of"] = 1
        if "n" in list(inspect.signature(SamplingParams).parameters.keys()):
            SamplingParams(best_of=1)
        if "best_of" not in known:
            SamplingParams(best_of=1)
        SamplingParams(**kwargs)
        """, "certain:8 certain:10"),
    "a keyword that is asked for among the fields": (
        """
        from dataclasses import fields
        from vllm.config import EngineArgs
        names = {one.name for one in fields(EngineArgs)}
        has_device = "device" in EngineArgs.__dataclass_fields__
        if "device" in names:
            EngineArgs("m", device="cpu")
        if has_device:
            EngineArgs("m", device="cpu")
        """, ""),
    "an import for which the handler has another place": (
        """
        try:
            from vllm.entrypoints.llm import Buffer as Worker
        except ImportError:
            from vllm.old import Worker
        """, ""),
    "the other place is not reached where the first one stands": (
        """
        try:
            from vllm.old import Worker
        except ImportError:
            from vllm.entrypoints.llm import Buffer as Worker
        """, ""),
    "both places are gone": (
        """
        try:
            from vllm.entrypoints.llm import Buffer as Worker
        except ImportError:
            from vllm.entrypoints.early import Parser as Worker
        """, "certain:4"),
    "a handler that puts the name where it was": (
        """
        try:
            from vllm.entrypoints.llm import Buffer
        except ImportError:
            import vllm.entrypoints.llm
            vllm.entrypoints.llm.Buffer = object
        """, ""),
    "one of several versions": (
        """
        import vllm
        from vllm import LLM
        if vllm.__version__ in ("0.10.0", "0.10.2"):
            LLM("m", device="cpu")
        elif vllm.__version__ == "0.11.0" or vllm.__version__ == "0.12.0":
            LLM("m", device="cpu")
        elif "0.11.1" <= vllm.__version__ < "0.11.3":
            LLM("m", device="cpu")
        """, "certain:6"),
    "a fallback does not take away what a version told": (
        """
        import vllm
        from vllm import LLM
        try:
            old = vllm.__version__ == "0.7.3"
        except ValueError:
            old = False
        def patch():
            if not old:
                return
            def inner():
                LLM("m", device="cpu")
        """, ""),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES.keys())
def test_conditions_are_asked_of_the_end(code: str, expected: str) -> None:
    known = replace(ends(), versions={REPO: "v0.12.0"})
    found = join(uses_of("svc/app.py", textwrap.dedent(code).lstrip("\n")), {REPO: ()}, ends=known)
    assert " ".join(dict.fromkeys(f"{hit.certainty}:{hit.use.line}" for hit in found)) == expected


def test_a_variable_that_is_asked_for_as_a_name_goes_with_the_name() -> None:
    known = replace(ends(), versions={REPO: "v0.12.0"})
    tree = known.tree
    assert tree is not None
    envs = {"vllm/envs.py": "VLLM_NEW = 1\n"}
    known = replace(
        known,
        tree=lambda repo, path: envs.get(path) or tree(repo, path),
        start=lambda repo, path: "VLLM_OLD = 1\n" if path in envs else tree(repo, path),
    )
    lost = net(("env_removed", "vllm/envs.py", "VLLM_OLD", "VLLM_OLD", None))
    code = "import os\nfrom vllm import envs\nnew = not hasattr(envs, 'VLLM_OLD') or envs.VLLM_OLD\n"
    assert join(uses_of("svc/app.py", code), {REPO: [lost]}, ends=known) == ()


def test_the_branch_of_a_variable_that_is_on_by_itself_is_worth_a_look() -> None:
    tree = ends().tree
    assert tree is not None
    envs = 'import os\nVLLM_NEW = os.getenv("VLLM_NEW", "1") == "1"\n'
    known = replace(ends(), tree=lambda repo, path: envs if path == "vllm/envs.py" else tree(repo, path))
    code = (
        "from vllm import LLM, envs\nif envs.VLLM_NEW:\n    LLM('m', device='a')\nelse:\n    LLM('m', device='b')\n"
        "if not envs.VLLM_NEW:\n    LLM('m', device='c')\n"
    )
    found = join(uses_of("svc/app.py", code), {REPO: ()}, ends=known)
    assert [(hit.certainty, hit.use.line) for hit in found] == [("certain", 3), ("look", 5), ("look", 7)]


def test_code_for_the_very_version_that_is_left_is_worth_a_look() -> None:
    known = replace(ends(), versions={REPO: "v0.12.0"}, started={REPO: "v0.11.2"})
    code = "import vllm\nfrom vllm import LLM\nif vllm.__version__ == '0.11.2':\n    LLM('m', device='cpu')\n"
    (hit,) = join(uses_of("svc/app.py", code), {REPO: ()}, ends=known)
    assert hit.certainty == "look"


def test_an_end_without_a_version_leaves_the_guard_as_it_is() -> None:
    code = "import vllm\nfrom vllm import LLM\nif vllm.__version__ < '0.12':\n    LLM('m', device='cpu')\n"
    (hit,) = join(uses_of("svc/app.py", code), {REPO: ()}, ends=ends())
    assert hit.certainty == "look"


def test_what_a_table_of_old_names_points_to_is_none_of_them() -> None:
    found = source(
        'OLD = {"get_port": "network"}\ndef __getattr__(name):\n    if name in OLD:\n        warnings.warn("gone in v2")\n'
    )
    assert found is not None
    assert list(found.aliases) == ["get_port"]


def test_a_name_that_was_kept_with_a_warning_before_is_no_news() -> None:
    same = replace(ends(), start=ends().tree)
    assert join(uses_of("svc/app.py", "from vllm.utils import get_port\n"), {REPO: ()}, ends=same) == ()


def test_options_of_a_namespace_that_is_annotated_are_read() -> None:
    code = "from argparse import Namespace\nfrom vllm import LLM\ndef f(args: Namespace):\n    return args.swap\n"
    uses = uses_of("svc/app.py", code).uses
    assert [(use.name, use.line) for use in uses if use.kind == "config_key"] == [("swap", 4)]


def test_methods_of_a_base_that_is_gone_follow_its_import() -> None:
    known = ends().tree
    assert known is not None
    gone = replace(ends(), tree=lambda repo, path: None if path.endswith("/llm.py") else known(repo, path))
    code = "from vllm.entrypoints.llm import Engine\nclass Mine(Engine):\n    def step(self):\n        self.drop()\n"
    found = join(uses_of("svc/app.py", code), {REPO: ()}, ends=gone)
    assert [(hit.use.kind, hit.use.line) for hit in found] == [("import", 1), ("subclass", 2)]


def test_what_a_call_of_a_name_gives_follows_the_import_of_the_name() -> None:
    known = ends().tree
    assert known is not None
    gone = replace(ends(), tree=lambda repo, path: None if path.endswith("/llm.py") else known(repo, path))
    code = "from vllm.entrypoints.llm import Engine\ndef f(engine: Engine):\n    out = engine.step()\n    out[0].text\n"
    found = join(uses_of("svc/app.py", code), {REPO: ()}, ends=gone)
    assert [(hit.use.kind, hit.use.line) for hit in found] == [("import", 1)]


def test_an_old_name_says_what_its_warning_names_and_only_where_it_is_written() -> None:
    files = {
        "vllm/__init__.py": "",
        "vllm/chat.py": 'import warnings\ndef __getattr__(name):\n    if name == "resolve":\n        warnings.warn("moved to `vllm.hf.resolve_chat`")\n',
        "vllm/hf.py": "class Chat:\n    text = 1\ndef resolve_chat() -> Chat: ...\n",
    }
    before = files | {"vllm/chat.py": "from vllm.hf import Chat\ndef resolve() -> Chat: ...\n"}
    both = Ends(lambda _, path: files.get(path), lambda _, path: before.get(path))
    code = "from vllm.chat import resolve\nchat = resolve()\nchat.text\n"
    (hit,) = join(uses_of("svc/app.py", code), {REPO: ()}, ends=both)
    assert (hit.certainty, hit.use.line) == ("look", 1)
    assert "vllm.hf.resolve_chat" in hit.action["en"]
