"""What plugins and subclasses rely on: attributes however they are put there, constructors that upstream calls, guards."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from analyse.impacted import OLD, REPO, net, uses_of
from daybreak.core.model.upgrade import Hit, Net
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends

BEFORE = {
    "vllm/__init__.py": "",
    "vllm/layer.py": """
        from vllm.spec import Narrow
        class Op:
            @classmethod
            def register(cls, kind): ...
            def forward(self, *args, **kwargs): ...
        class Layer(Op):
            merges = False
            def __init__(self, size):
                self.scale = 1
                self.weight = 2
                self.bias = 3
                self.norm = 4
            def build(self, spec: Narrow): ...
        class Backend:
            FLASH = 1
        class Engine:
            def __init__(self):
                self.processor = 1
        """,
    "vllm/spec.py": "class Wide: ...\nclass Narrow(Wide): ...\nclass Other: ...\n",
    "vllm/outputs.py": """
        class Lists:
            def slice(self): ...
        class Output:
            def __init__(self):
                self.lists = Lists()
        """,
    "vllm/names.py": """
        import warnings
        def __getattr__(name):
            if name == "AnyName":
                warnings.warn("`AnyName` has been moved to `vllm.spec.Wide`. It will be removed in v0.13")
        """,
    "vllm/start.py": "",
    "vllm/built.py": "make = build()\n",
}
AFTER = BEFORE | {
    "vllm/layer.py": """
        from vllm.spec import Wide
        def fill(layer, size):
            layer.scale = size
            fill_more(layer)
        def fill_more(one):
            one.norm = 4
        class Op:
            @classmethod
            def register(cls, kind): ...
            def forward(self, x, scaling=None): ...
        class Layer(Op):
            def __init__(self, size, depth=1):
                fill(self, size)
                self.register_buffer("weight", 2)
                for name in ("bias", "other"):
                    setattr(self, name, None)
            def build(self, spec: Wide): ...
        class Answers(type):
            def __getattr__(cls, name): ...
        class Backend(metaclass=Answers): ...
        class Engine:
            @property
            def processor(self): ...
        """,
    "vllm/outputs.py": "class Lists: ...\nclass Output:\n    def __init__(self):\n        self.lists = Lists()\n",
    "vllm/names.py": "",
}


def ends() -> Ends:
    def tree(files: Mapping[str, str]) -> Mapping[str, str]:
        return {path: textwrap.dedent(text).lstrip("\n") for path, text in files.items()}

    before, after = tree(BEFORE), tree(AFTER)
    return Ends(
        lambda _, path: after.get(path),
        lambda _, path: before.get(path),
        passes=lambda _, method, word, *_rest: (method, word) == ("Layer", "depth"),
        defined=lambda *_: {},
        versions={REPO: "v0.12.0"},
        started={REPO: "v0.11.2"},
    )


def hits(code: str, *nets: Net) -> tuple[Hit, ...]:
    return join(uses_of("svc/app.py", textwrap.dedent(code).lstrip("\n")), {REPO: nets}, ends=ends())


CASES = {
    "an attribute that a function puts on what it is given": (
        "from vllm.layer import Layer\ndef f(layer: Layer):\n    layer.scale, layer.norm\n", ""),
    "an attribute that is registered or set by a word": (
        "from vllm.layer import Layer\ndef f(layer: Layer):\n    layer.weight, layer.bias\n", ""),
    "a class whose own class answers for any name": ("from vllm.layer import Backend\nBackend.FLASH\n", ""),
    "an attribute that you set and that is only read now": (
        "from vllm.layer import Engine\ndef f(engine: Engine):\n    engine.processor = 2\n", "certain:3"),
    "one that you only read": ("from vllm.layer import Engine\ndef f(engine: Engine):\n    engine.processor == 2\n", ""),
    "a question for what holds a member says nothing of the member": (
        """
        from vllm.outputs import Output
        def f(output: Output):
            lists = output.lists
            if lists is not None:
                lists.slice()
        """, "certain:5"),
    "code for the version that is left, with another way for all others": (
        """
        from compat import vllm_version_is
        if vllm_version_is("0.11.2"):
            from vllm.layer import Gone
        else:
            from vllm.layer import Layer
        """, ""),
    "a value that nobody reads any more": (
        "from vllm.layer import Layer\nclass Mine(Layer):\n    merges = True\n", "look:3"),
    "what a base took in any form before is not new": (
        "from vllm.layer import Layer\nclass Mine(Layer):\n    def forward(self, x): ...\n", ""),
    "a constructor that only you call": (
        "from vllm.layer import Layer\nclass Mine(Layer):\n    def __init__(self, size): ...\n", ""),
    "a constructor of what upstream makes": (
        "from vllm.layer import Layer\n@Layer.register\nclass Mine(Layer):\n    def __init__(self, size): ...\n", "likely:4"),
    "a base of what you pass takes you as well": (
        "from vllm.layer import Layer\nfrom vllm.spec import Narrow\nLayer(1).build(Narrow())\n", ""),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES.keys())
def test_the_trees_tell(code: str, expected: str) -> None:
    assert " ".join(dict.fromkeys(f"{hit.certainty}:{hit.use.line}" for hit in hits(code))) == expected


def test_what_cannot_be_set_any_more_is_not_told_again_as_to_go() -> None:
    goes = net(("name_deprecated", "vllm/layer.py", "Engine.processor", None, None), OLD, False)
    code = "from vllm.layer import Engine\ndef f(engine: Engine):\n    engine.processor = 2\n"
    assert [hit.certainty for hit in hits(code, goes)] == ["certain"]


def test_a_deprecated_name_is_no_method_of_a_class_in_another_file() -> None:
    goes = net(("deprecated", "vllm/spec.py", "build", None, None), OLD, False)
    assert hits("from vllm.layer import Layer\nLayer(1).build(2)\n", goes) == ()


def test_a_base_that_a_class_has_through_another_one_is_not_lost() -> None:
    lost = net(("base_removed", "vllm/spec.py", "Narrow", "Wide", None), OLD, False)
    assert hits("from vllm.spec import Narrow\nclass Mine(Narrow): ...\n", lost) == ()


def test_a_default_is_told_once_and_outside_of_tests() -> None:
    changed = net(("parameter_default_changed", "vllm/built.py", "make(size)", "1", "2"), OLD, False)
    code = "from vllm.built import make\nmake()\nmake()\n"
    app, test = uses_of("svc/app.py", code), uses_of("a/tests/test_a.py", code)
    both = replace(app, uses=(*test.uses, *app.uses))
    assert [(hit.use.path, hit.use.line) for hit in join(both, {REPO: [changed]}, ends=ends())] == [("svc/app.py", 2)]


def test_a_deprecated_member_is_no_module_of_the_same_name() -> None:
    goes = net(("deprecated", "vllm/engine.py", "start", None, None), OLD, False)
    assert hits("from vllm.start import Engine\n", goes) == ()


def test_a_name_that_was_kept_with_a_warning_is_replaced_by_what_the_warning_named() -> None:
    (hit,) = hits("from vllm.names import AnyName\n")
    assert (hit.certainty, "vllm.spec.Wide" in hit.action["en"]) == ("certain", True)


def test_the_original_that_is_put_back_is_no_patch() -> None:
    code = """
        from vllm.layer import Layer
        original = Layer.__init__
        Layer.__init__ = lambda *_: None
        Layer.__init__ = original
        """
    changed = net(("parameter_removed", "vllm/layer.py", "Layer.__init__(rank)", "rank", None))
    assert [hit.use.line for hit in hits(code, changed) if hit.use.kind == "patch"] == [3]


GUARDS = {
    "nothing but what you pass": ("if self.size < 1: raise ValueError", ["look"]),
    "something else as well": ("if self.size < 1 and self.method == 'x': raise ValueError", []),
    "what a function makes of it": ("if is_odd(self.size): raise ValueError", []),
    "that it lacks": ("if self.size is None: raise ValueError", []),
    "cut off": ("if … and self.size < 1: raise ValueError", []),
}


@pytest.mark.parametrize(("guard", "expected"), GUARDS.values(), ids=GUARDS.keys())
def test_a_new_check_is_told_where_it_is_of_nothing_but_what_you_pass(guard: str, expected: list[str]) -> None:
    added = net(("guard_added", "vllm/built.py", "make", None, guard))
    assert [hit.certainty for hit in hits("from vllm.built import make\nmake(size=1)\n", added)] == expected


def test_a_narrower_choice_is_told_to_who_writes_what_it_lost() -> None:
    fewer = net(("literal_narrowed", "vllm/spec.py", "Other", '"a", "b"', '"a"'))
    assert hits("from vllm.spec import Other\nkind: Other = 'a'\n", fewer) == ()


def test_a_name_that_is_written_out_in_a_call_is_told_where_it_is_now() -> None:
    before = {"vllm/__init__.py": "", "vllm/x/__init__.py": "", "vllm/x/inner.py": "class Name: ...\n"}
    after = {"vllm/__init__.py": "", "vllm/x.py": "class Name: ...\n"}
    both = Ends(
        lambda _, path: after.get(path), lambda _, path: before.get(path), defined=lambda *_: {"Name": ("vllm/x.py",)}
    )
    found = join(uses_of("svc/app.py", "import vllm.x.inner\nvllm.x.inner.Name()\n"), {REPO: ()}, ends=both)
    assert [(hit.use.line, "`vllm.x.Name`" in hit.action["en"]) for hit in found] == [(1, False), (2, True)]
