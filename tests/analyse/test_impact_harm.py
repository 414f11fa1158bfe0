"""What hurts most is told first; what follows by itself, or changes nothing, is folded."""

from __future__ import annotations

import pytest

from analyse.impacted import NONE, REPO, WANTED, net
from daybreak.core.model.upgrade import Hit, Use, Uses
from daybreak.upgrade.downstream.readers import uses
from daybreak.upgrade.impact.harm import Harm, harm
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.native import is_lock
from daybreak.upgrade.impact.python import is_value
from daybreak.upgrade.impact.table import Ends

Row = tuple[str, str, str, str | None, str | None]
GONE: Row = ("function_removed", "vllm/utils/__init__.py", "foo_bar", "def foo_bar()", None)
LOST: Row = ("parameter_removed", "vllm/entrypoints/llm.py", "LLM.generate(old)", "old=None", None)
VARIABLE: Row = ("env_removed", "vllm/envs.py", "VLLM_OLD", "VLLM_OLD", None)
TORCH: Row = ("dependency_changed", "requirements/cuda.txt", "torch", "==2.8.0", "==2.9.0")


def found(
    files: dict[str, str], rows: list[Row], ends: Ends | None = None, more: tuple[Use, ...] = ()
) -> tuple[Hit, ...]:
    read = [use for path, text in files.items() for use in uses(path, text, WANTED)]
    return join(Uses("/", (*read, *more), 1, 1), {REPO: [net(row, NONE) for row in rows]}, {"vllm": REPO}, ends=ends)


def pin(path: str, name: str, value: str, line: int = 1) -> Use:
    return Use("pin", name, path, line, f"{name}{value}", value)


def test_what_fails_at_import_comes_before_calls_pins_and_settings() -> None:
    files = {
        "a.py": "import os\nos.environ['VLLM_OLD'] = '1'\n",
        "b.py": "from vllm import LLM\nLLM('m').generate('x', old=1)\n",
        "z.py": "from vllm.utils import foo_bar\n",
    }
    pins = (pin("requirements.txt", "vllm", "==0.11.0"), pin("requirements.txt", "torch", "==2.8.0", 2))
    hits = found(files, [VARIABLE, LOST, GONE, TORCH], more=pins)
    assert [harm(hit) for hit in hits] == [Harm.IMPORT, Harm.CALL, Harm.REFUSED, Harm.SILENT]


def test_a_pin_counts_where_upstream_is_installed() -> None:
    here = (pin("requirements.txt", "vllm", "==0.11.0"), pin("requirements.txt", "torch", "==2.8.0", 2))
    other = (pin("docker/other.txt", "torch", "==2.8.0"),)
    hits = found({}, [TORCH], more=(*here, *other))
    assert [(hit.use.path, hit.certainty) for hit in hits] == [
        ("requirements.txt", "certain"),
        ("docker/other.txt", "look"),
    ]
    assert hits[0].action["en"] == "Require `==2.9.0` instead."


def test_a_lock_file_is_one_line_worth_a_look() -> None:
    lines = tuple(pin("uv.lock", "torch", "==2.8.0", line) for line in range(1, 9))
    hits = found({}, [TORCH], more=(pin("uv.lock", "vllm", "==0.11.0", 20), *lines))
    assert [(hit.use.path, hit.use.line, hit.certainty) for hit in hits] == [("uv.lock", 1, "look")]
    assert found({}, [TORCH], more=lines) == ()  # this lock is for something that does not install upstream


def test_a_crate_is_no_distribution_of_that_name() -> None:
    crate: Row = ("dependency_changed", "rust/Cargo.toml", "torch", "==2.8.0", "==2.9.0")
    pins = (pin("requirements.txt", "vllm", "==0.11.0"), pin("requirements.txt", "torch", "==2.8.0", 2))
    assert found({}, [crate], more=pins) == ()


@pytest.mark.parametrize("path", ["uv.lock", "a/poetry.lock", "requirements.lock.txt", "Cargo.lock", "conda-lock.yml"])
def test_lock_files(path: str) -> None:
    assert is_lock(path)
    assert not is_lock("requirements/block.txt")


@pytest.mark.parametrize(
    ("before", "after", "differ"),
    [("False", "( False )", False), ("( None )", "None", False), ("'a'", '"a"', False), ("1", "2", True), ("1", "make()", False)],
)  # fmt: skip
def test_a_default_is_compared_as_a_value(before: str, after: str, differ: bool) -> None:
    finding = net(("parameter_default_changed", "vllm/a.py", "f(x)", before, after)).finding
    assert is_value(finding) is differ


def test_what_goes_through_a_file_of_yours_is_repaired_there() -> None:
    start = {"vllm/__init__.py": "", "vllm/protocol.py": "class Request:\n    model: str\n    best_of: int\n"}
    end = {"vllm/__init__.py": "", "vllm/new.py": "class Request:\n    model: str\n"}
    ends = Ends(
        lambda _, path: end.get(path),
        lambda _, path: start.get(path),
        defined=lambda _repo, names: {name: ("vllm/new.py",) for name in names if name == "Request"},
    )
    code = "from vllm.protocol import Request\ndef f(r: Request):\n    return r.model, r.best_of\n"
    hits = found({"a.py": code}, [], ends)
    assert [(hit.use.line, hit.use.name) for hit in hits] == [
        (1, "vllm.protocol.Request"),
        (3, "vllm.protocol.Request.best_of"),
    ]
    assert hits[0].action["en"] == "Import it from `vllm.new`."


def test_upstreams_own_words_name_the_successor() -> None:
    text = 'class Old:\n    def __init__(self):\n        warn("Old is deprecated. Please use NewThing instead.")\n'
    ends = Ends(
        lambda _, path: {"vllm/__init__.py": "", "vllm/a.py": "class NewThing: ...\n"}.get(path),
        lambda _, path: {"vllm/__init__.py": "", "vllm/a.py": text}.get(path),
        defined=lambda _repo, names: {name: ("vllm/a.py",) for name in names if name == "NewThing"},
    )
    (hit,) = found({"a.py": "from vllm.a import Old\n"}, [], ends)
    assert hit.action["en"] == "Use `vllm.a.NewThing` instead."


def test_a_call_that_fits_at_the_end_is_left_alone_whatever_a_finding_says() -> None:
    files = {"vllm/__init__.py": "from vllm.entrypoints.llm import LLM\n", "vllm/entrypoints/__init__.py": ""}
    was = files | {"vllm/entrypoints/llm.py": "class LLM:\n    def generate(self, prompts, old=None): ...\n"}
    now = files | {"vllm/entrypoints/llm.py": "class LLM:\n    def generate(self, prompts, new=None): ...\n"}
    row: Row = ("parameter_removed", "vllm/entrypoints/llm.py", "LLM.generate(old)", "old=None", None)
    ends = Ends(lambda _, path: now.get(path), lambda _, path: was.get(path))
    code = "from vllm import LLM\ndef f(llm: LLM):\n    llm.generate('x', None)\n"
    assert found({"a.py": code}, [row], ends) == ()


def between(was: dict[str, str], now: dict[str, str]) -> Ends:
    return Ends(lambda _, path: now.get(path), lambda _, path: was.get(path), defined=lambda _repo, _names: {})


def test_what_a_method_gave_follows_the_line_that_calls_it() -> None:
    was = {"vllm/__init__.py": "", "vllm/moe.py": "class Moe:\n    def pick(self, x) -> tuple[Moe, Moe]: ...\n"}
    now = {"vllm/__init__.py": "", "vllm/moe.py": "class Moe:\n    def _pick(self, x) -> tuple[Moe, Moe]: ...\n"}
    row: Row = ("function_renamed", "vllm/moe.py", "Moe.pick", "Moe.pick", "Moe._pick")
    code = "from vllm.moe import Moe\ndef f(moe: Moe):\n    a, b = moe.pick(1)\n    a = a.pick(2)\n    return b.sum(), a.to(3)\n"
    hits = found({"a.py": code}, [row], between(was, now))
    assert [(hit.use.line, hit.action["en"]) for hit in hits] == [(n, "Use `Moe._pick` instead.") for n in (3, 4)]


def test_a_member_of_a_class_that_moved_has_nothing_to_follow() -> None:
    was = {"vllm/__init__.py": "", "vllm/old.py": "class Base:\n    def shape(self): ...\n", "vllm/pick.py": "from vllm.old import Base\ndef pick() -> Base: ...\n"}  # fmt: skip
    now = {"vllm/__init__.py": "", "vllm/new.py": "class Base:\n    def shape(self): ...\n", "vllm/pick.py": "from vllm.new import Base\ndef pick() -> Base: ...\n"}  # fmt: skip
    row: Row = ("module_moved", "vllm/new.py", "vllm.old (1 names)", "vllm.old", "vllm.new")
    code = "from vllm.pick import pick\nbase = pick()\nbase.shape()\n"
    assert found({"a.py": code}, [row], between(was, now)) == ()


def test_a_name_that_another_package_hands_on_is_told_at_its_import() -> None:
    was = {"vllm/__init__.py": "from vllm.utils import seed_all\n", "vllm/utils.py": "def seed_all(n): ...\n"}
    now = {"vllm/__init__.py": "", "vllm/utils.py": "", "vllm/torch.py": "def seed_all(n): ...\n"}
    row: Row = ("function_moved", "vllm/torch.py", "seed_all", "vllm.utils.seed_all", "vllm.torch.seed_all")
    hits = found({"a.py": "from vllm import seed_all\nseed_all(1)\n"}, [row], between(was, now))
    assert [hit.use.line for hit in hits] == [1]


def test_a_folder_that_moved_is_no_reason_for_a_name_that_did_not() -> None:
    was = {
        "vllm/__init__.py": "",
        "vllm/attn/__init__.py": "",
        "vllm/attn/layer.py": "class Old: ...\nclass Kept: ...\n",
    }
    now = {"vllm/__init__.py": "", "vllm/v1/__init__.py": "", "vllm/v1/attn/__init__.py": "", "vllm/v1/attn/layer.py": "class Kept: ...\n"}  # fmt: skip
    row: Row = ("module_moved", "vllm/v1/attn/layer.py", "vllm.attn.*", "vllm.attn.*", "vllm.v1.attn.*")
    hits = found({"a.py": "from vllm.attn.layer import Kept, Old\n"}, [row], between(was, now))
    assert {hit.use.name: "Moves" in hit.why["en"] for hit in hits} == {
        "vllm.attn.layer.Kept": True,
        "vllm.attn.layer.Old": False,
    }


def test_a_call_that_never_fitted_is_one_of_another_thing_under_the_same_name() -> None:
    was = {"vllm/__init__.py": "", "vllm/n.py": "class Ngram:\n    def propose(self, a, b, c): ...\n"}
    now = {"vllm/__init__.py": "", "vllm/n.py": "class Ngram:\n    def propose(self, a, c): ...\n"}
    row: Row = ("parameter_removed", "vllm/n.py", "Ngram.propose(b)", "b", None)
    code = "from vllm.n import Ngram\ndef f(n: Ngram):\n    n.propose(1, 2, 3)\n    n.propose(1, 2, 3, 4, 5)\n"
    assert [hit.use.line for hit in found({"a.py": code}, [row], between(was, now))] == [3]


def test_an_override_that_goes_its_own_way_need_not_take_what_is_optional() -> None:
    was = {"vllm/__init__.py": "", "vllm/e.py": "class Eagle:\n    def propose(self, ids, at, hidden): ...\n"}
    now = {
        "vllm/__init__.py": "",
        "vllm/e.py": "class Eagle:\n    def propose(self, ids, at, hidden, extra=None): ...\n",
    }
    row: Row = ("parameter_added", "vllm/e.py", "Eagle.propose(extra)", None, "extra=None")
    mine = "from vllm.e import Eagle\nclass Mine(Eagle):\n    def propose(self, ids, {}): ...\n"
    assert found({"a.py": mine.format("table, runner")}, [row], between(was, now)) == ()
    assert [hit.use.line for hit in found({"a.py": mine.format("at, hidden")}, [row], between(was, now))] == [3]


def test_what_your_own_code_puts_there_is_not_missed() -> None:
    was = {
        "vllm/__init__.py": "",
        "vllm/w.py": "class Worker:\n    def __init__(self, a):\n        self.num = 1\n        self.size = 2\n",
    }
    now = {"vllm/__init__.py": "", "vllm/w.py": "class Worker:\n    def __init__(self, b): ...\n"}
    code = (
        "from vllm.w import Worker\ndef start(self, a, c):\n    self.num = 0\n    print(self.num, self.size)\n"
        "Worker.__init__ = start\nWorker(1, c=2)\n"
    )
    hits = found({"a.py": code}, [], between(was, now))
    assert [(hit.use.line, hit.use.name) for hit in hits] == [(4, "vllm.w.Worker.size")]


def test_a_deprecated_name_is_told_at_its_import() -> None:
    row: Row = ("deprecated", "vllm/utils/__init__.py", "group", None, "group")
    code = "from vllm.utils import group\nx = group(\n    1,\n    pin=2,\n)\n"
    assert [hit.use.line for hit in found({"a.py": code}, [row])] == [1]
    whole = "import vllm.utils\nx = vllm.utils.group(1)\n"
    assert [hit.use.line for hit in found({"a.py": whole}, [row])] == [2]


def test_a_constructor_of_yours_need_not_take_what_is_optional() -> None:
    was = {"vllm/__init__.py": "", "vllm/e.py": "class Core:\n    def __init__(self, a): ...\n"}
    now = {"vllm/__init__.py": "", "vllm/e.py": "class Core:\n    def __init__(self, a, {}): ...\n"}
    mine = "from vllm.e import Core\nclass Mine(Core):\n    def __init__(self, a):\n        self.x = a\n"
    for new, lines in (("extra=None", []), ("extra", [3])):
        ends = between(was, {path: text.replace("{}", new) for path, text in now.items()})
        assert [hit.use.line for hit in found({"a.py": mine}, [], ends)] == lines


def test_only_the_hand_that_passed_it_on_is_gone() -> None:
    was = {"vllm/__init__.py": "", "vllm/data.py": "class Tokens: ...\n", "vllm/serve.py": "from vllm.data import Tokens as Mine\n"}  # fmt: skip
    (hit,) = found({"a.py": "from vllm.serve import Mine\n"}, [], between(was, was | {"vllm/serve.py": ""}))
    assert "No longer exports `vllm.serve.Mine`" in hit.why["en"]


def test_a_method_that_a_base_has_still_is_overridden_as_before() -> None:
    was = {"vllm/__init__.py": "", "vllm/m.py": "class Base:\n    def is_one(self): ...\nclass M(Base):\n    def is_one(self): ...\n"}  # fmt: skip
    now = {"vllm/__init__.py": "", "vllm/m.py": "class Base:\n    def is_one(self): ...\nclass M(Base):\n    pass\n"}
    row: Row = ("function_removed", "vllm/m.py", "M.is_one", "def is_one(self)", None)
    code = "from vllm.m import M\nclass Mine(M):\n    def is_one(self): ...\n"
    assert found({"a.py": code}, [row], between(was, now)) == ()


def test_each_old_name_has_its_own_warning_and_one_that_stays_no_new_home() -> None:
    hook = "".join(
        f'    if name == "{name}":\n        warn("`old.{name}` has been moved to `vllm.new.{name}`.")\n'
        for name in ("Parser", "ParserManager")
    )
    was = {"vllm/__init__.py": "", "vllm/old.py": "class Parser: ...\nclass ParserManager: ...\n"}
    now = {"vllm/__init__.py": "", "vllm/old.py": f"def __getattr__(name):\n{hook}", "vllm/new.py": was["vllm/old.py"]}
    hits = found({"a.py": "from vllm.old import ParserManager\n"}, [], between(was, now))
    assert [hit.action["en"] for hit in hits] == ["Use `vllm.new.ParserManager` instead."]
    row: Row = ("deprecated", "vllm/old.py", "Parser", None, "Parser")
    ends = Ends(lambda _, path: was.get(path), lambda _, path: was.get(path), defined=lambda _r, names: dict.fromkeys(names, ("vllm/old.py",)))  # fmt: skip
    assert "Import it from" not in found({"a.py": "from vllm.old import Parser\n"}, [row], ends)[0].action["en"]


def test_a_variable_is_told_where_it_is_written_and_not_where_its_value_is_asked_for() -> None:
    code = (
        "import os\nclass A:\n    def f(self):\n        self.old = os.environ['VLLM_OLD']\n"
        "        if self.old:\n            print(self.old)\n"
    )
    later = tuple(Use("env", "VLLM_OLD", "a.py", line, "if self.old:") for line in (5, 6))
    assert [hit.use.line for hit in found({"a.py": code}, [VARIABLE], more=later)] == [4]


@pytest.mark.parametrize(
    ("mark", "call", "expected"),
    [
        ("@staticmethod", "engine.drop(1)", 0),
        ("@staticmethod", "Engine.drop(engine, 1)", 1),
        ("@property", "engine.drop(1)", 1),
    ],
)
def test_a_method_that_becomes_static_is_called_through_an_object_as_before(
    mark: str, call: str, expected: int
) -> None:
    row: Row = ("decorator_changed", "vllm/engine.py", "Engine.drop", None, mark)
    code = f"from vllm.engine import Engine\ndef f(engine: Engine):\n    {call}\n"
    assert len(found({"a.py": code}, [row])) == expected


def test_a_name_of_yours_that_is_called_as_a_lost_attribute_is_not_that_attribute() -> None:
    row: Row = ("field_removed", "vllm/engine.py", "Engine.best", "best: int", None)
    code = "from vllm.engine import Engine\ndef f(engine: Engine):\n    held = engine.best\n    for best in held.items(): pass\n"
    assert [hit.use.line for hit in found({"a.py": code}, [row])] == [3]


def test_a_requirement_beside_a_file_that_is_named_for_upstream_is_for_something_else() -> None:
    here = (pin("requirements_vllm.txt", "vllm", "==0.11.0"), pin("requirements_vllm.txt", "torch", "==2.8.0", 2))
    other = (pin("requirements_other.txt", "torch", "==2.8.0"), pin("docker/other.txt", "torch", "==2.8.0"))
    hits = found({}, [TORCH], more=(*here, *other))
    assert [(hit.use.path, hit.certainty) for hit in hits] == [
        ("requirements_vllm.txt", "certain"),
        ("docker/other.txt", "look"),
    ]


def test_what_a_lost_base_of_a_lost_base_had_follows_the_import_from_that_module() -> None:
    rows: list[Row] = [
        ("class_removed", "vllm/base.py", "Outer", "class Outer", None),
        ("class_removed", "vllm/base.py", "Inner", "class Inner", None),
    ]
    code = "from vllm.base import Outer\nclass Mine(Outer):\n    def f(self):\n        self.config\n"
    inherited = Use("attribute", "vllm.base.Inner.config", "a.py", 4, "self.config")
    assert [(hit.use.kind, hit.use.line) for hit in found({"a.py": code}, rows, more=(inherited,))] == [("import", 1)]


def test_an_option_is_told_where_it_is_written_and_a_default_of_requests_once() -> None:
    flag: Row = ("cli_flag_removed", "vllm/engine/arg_utils.py", "--swap", "--swap", None)
    written = Use("cli_flag", "--swap", "a.py", 1, '"--swap",', program="vllm serve")
    handed = Use("cli_flag", "--swap", "a.py", 9, "start(*args)", program="vllm serve")
    assert [hit.use.line for hit in found({}, [flag], more=(written, handed))] == [1]
    default: Row = ("request_field_default_changed", "vllm/protocol.py", "ChatCompletionRequest.calls", "False", "True")
    routes = tuple(Use("route", "/v1/chat/completions", "b.py", line, "/v1/chat/completions") for line in (1, 5))
    assert len(found({}, [default], more=routes)) == 1
