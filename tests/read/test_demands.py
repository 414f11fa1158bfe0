"""Checks that the default of a new setting does not pass."""

from __future__ import annotations

import os
from zoneinfo import ZoneInfo

import pytest

from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo
from daybreak.findings.languages import demands
from daybreak.findings.reader import RuleReader
from gitrepo import GitRepo
from read.behaviour import Told, facts_of, file_of

ARGS = "python/engine/server_args.py"
CACHE = "python/engine/mem_cache/remote.py"
SERVING = "python/engine/entrypoints/openai/serving.py"
BEFORE = "class ServerArgs:\n    enable_remote: bool = False\n"
FIELD = "    remote_file: Optional[str] = None\n"
FLAG = 'def add(parser):\n    parser.add_argument("--remote-file", type=str)\n'
OLD = "class Remote:\n    def __init__(self, args):\n        self.connect(args)\n"
RAISES = "            raise ValueError('give --remote-file')\n"
CHECK = f"        if not args.remote_file:\n{RAISES}"
DEMAND = [("demand_added", "--remote-file", None, "if not args.remote_file: raise ValueError")]


def remote(check: str) -> str:
    return OLD.replace("        self.connect", f"{check}        self.connect")


@pytest.mark.parametrize(
    ("what", "settings", "after", "expected"),
    [
        ("the default is refused", FIELD, remote(CHECK), DEMAND),
        ("the default is refused under its own name", FIELD, remote("        path = args.remote_file or ''\n" + CHECK.replace("args.remote_file", "path")), [("demand_added", "--remote-file", None, "if not path: raise ValueError")]),
        ("it is None that is refused", FIELD, remote(CHECK.replace("not args.remote_file", "args.remote_file is None")), [("demand_added", "--remote-file", None, "if args.remote_file is None: raise ValueError")]),
        ("a mode that everybody has now", FIELD, remote("        self.mode = Mode.MP\n        if self.mode is Mode.MP:\n            if not args.remote_file:\n                raise ValueError('no')\n            go()\n"), DEMAND),
        ("a bad value is refused, the default passes", FIELD, remote(CHECK.replace("not args.remote_file", "args.remote_file == 'x'")), []),
        ("the default is something", FIELD.replace("None", '"a.yaml"'), remote(CHECK), []),
        ("only under a new switch", FIELD + "    fast_remote: bool = False\n", remote(CHECK.replace("if not", "if args.fast_remote and not")), []),
        ("only for a value that came with it", FIELD + "    mode: Literal['old', 'drawn'] = 'old'\n", remote(CHECK.replace("        if not", "        if args.mode == 'drawn' and not")), []),
        ("an assert that it is there", FIELD, remote("        assert args.remote_file\n"), [("demand_added", "--remote-file", None, "assert args.remote_file")]),
        ("an assert that it is unset", FIELD, remote("        assert not args.remote_file\n"), []),
        ("a switch that is off", FIELD.replace("Optional[str] = None", "bool = False"), remote(CHECK), []),
        ("who sets it has left", FIELD, remote("        if args.remote_file:\n            return\n        assert args.enable_remote\n"), []),
        ("who lacks the new switch has left", FIELD + "    fast_remote: bool = False\n", remote(f"        if not args.fast_remote:\n            return\n{CHECK}"), []),
    ],
)  # fmt: skip
def test_a_check_that_a_new_settings_default_does_not_pass_breaks_what_ran_before(
    what: str, settings: str, after: str, expected: list[Told]
) -> None:
    files = (
        file_of(ARGS, BEFORE + FLAG.split("\n", maxsplit=1)[0] + "\n    pass\n", BEFORE + settings + FLAG),
        file_of(CACHE, OLD, after),
    )
    assert facts_of(demands.facts, *files) == expected, what


def test_a_check_of_a_function_that_is_new_demands_nothing_of_those_who_ran_before() -> None:
    args = file_of(ARGS, BEFORE, BEFORE + FIELD + FLAG)
    new = OLD + f"\n    def attach(self, args):\n{CHECK}        self.connect(args)\n"
    assert facts_of(demands.facts, args, file_of(CACHE, OLD, new)) == []


def test_a_check_that_stood_there_demands_nothing_new_whatever_comes_before_it() -> None:
    args = file_of(ARGS, BEFORE, BEFORE + FIELD + FLAG)
    old = remote("        assert args.enable_remote in (True, None)\n")
    new = old.replace("        assert", "        if args.remote_file:\n            return\n        assert")
    assert facts_of(demands.facts, args, file_of(CACHE, old, new)) == []
    old = remote(CHECK.replace("args.remote_file", "path")).replace(
        "        if", "        path = args.path\n        if"
    )
    new = old.replace("path = args.path", "path = args.remote_file")
    assert facts_of(demands.facts, args, file_of(CACHE, old, new)) == []


def test_a_check_that_moves_into_the_branch_of_who_sets_nothing_demands_nothing_new() -> None:
    args = file_of(ARGS, BEFORE, BEFORE + FIELD + FLAG)
    stood = "        assert self.rank < count(), 'rank {self.rank} is out of bounds'\n"
    set_branch = "        if args.remote_file is not None:\n            assert self.rank < len(args.remote_file)\n"
    else_branch = "        else:\n            assert self.rank < count(), 'rank is out of bounds'\n"
    new = remote(set_branch + else_branch)
    assert facts_of(demands.facts, args, file_of(CACHE, remote(stood), new)) == []
    told = [(kind, name) for kind, name, *_ in facts_of(demands.facts, args, file_of(CACHE, OLD, new))]
    assert told == [("demand_added", "--remote-file")], "without the earlier check it is the default that fails now"


INNER = "python/engine/entrypoints/context.py"
CONTEXT = "class Context:\n    outputs: list\n"
COUNT = "    n_rows: int | None = None\n"
RUN = "class Runner:\n    def post(self, ctx):\n        return self.join(ctx)\n"
ASKS = RUN.replace("        return", "        assert ctx.n_rows is not None\n        return")
DEMANDED = [("demand_added", "n_rows", None, "assert ctx.n_rows is not None")]


@pytest.mark.parametrize(
    ("what", "caller", "expected"),
    [
        ("nobody fills it", "        return rows\n", DEMANDED),
        ("an attribute is given", "        ctx.n_rows = len(rows)\n", []),
        ("an argument is given", "        ctx = Context(outputs=rows, n_rows=len(rows))\n", []),
        ("it is handed on as it came", "        ctx = Context(outputs=rows, n_rows=request.n_rows)\n", DEMANDED),
    ],
)
def test_a_field_that_the_change_fills_itself_is_demanded_of_nobody(
    what: str, caller: str, expected: list[Told]
) -> None:
    head = "class Caller:\n    def pre(self, ctx, rows, request):\n"
    files = (
        file_of(INNER, CONTEXT, CONTEXT + COUNT),
        file_of("python/engine/caller.py", head + "        pass\n", head + caller),
        file_of(CACHE, RUN, ASKS),
    )
    assert facts_of(demands.facts, *files) == expected, what


def test_an_assert_of_a_field_that_has_another_name_now_demands_nothing_new() -> None:
    fields = file_of(INNER, CONTEXT + COUNT.replace("n_rows", "offset"), CONTEXT + COUNT)
    assert facts_of(demands.facts, fields, file_of(CACHE, ASKS.replace("n_rows", "offset"), ASKS)) == []


LAYOUT = '        assert first_dim(args), "Transfers need that layout. Set ENGINE_STATE_LAYOUT=DS"\n'
SAID = [("demand_added", "ENGINE_STATE_LAYOUT=DS", None, "assert first_dim(args)")]
USE = "        if not args.enable_remote:\n            raise ValueError('It requires --enable-remote')\n"
VALUE = "        if args.kv_dtype != 'bfloat16':\n            raise ValueError('It requires --kv-dtype to be that')\n"
FAST = remote(
    "        self.fast = False\n        if args.enable_remote:\n            self.fast = args.backend == 'fast'\n"
)
STAYS = remote("        target = envs.ENGINE_TARGET.get()\n        if not target:\n            return\n")
UNDER = "        if args.enable_remote:\n            assert first_dim(args), 'Set ENGINE_STATE_LAYOUT=DS'\n            self.go()\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a variable must be set", OLD, remote(LAYOUT), SAID),
        ("under a setting that stood there", OLD, remote(UNDER), [("demand_under", "ENGINE_STATE_LAYOUT=DS", "args.enable_remote", "if args.enable_remote: assert first_dim(args)")]),
        ("a flag that the check itself asks for", OLD, remote(USE), [("demand_added", "--enable-remote", None, "if not args.enable_remote: raise ValueError")]),
        ("a flag that the check does not ask for", OLD, remote(USE.replace("not args.enable_remote", "not first_dim(args)")), []),
        ("a flag of which one value alone passes", OLD, remote(VALUE), [("demand_added", "--kv-dtype=bfloat16", None, "if args.kv_dtype != 'bfloat16': raise ValueError")]),
        ("one of two values passes", OLD, remote(VALUE.replace("'bfloat16':", "'bfloat16' and args.kv_dtype != 'half':")), [("demand_added", "--kv-dtype", None, "if args.kv_dtype != 'bfloat16' and args.kv_dtype != 'half': raise ValueError")]),
        ("a flag that must differ from another", OLD, remote("        if args.side_port == args.port:\n            raise ValueError('Set another one than --port')\n"), []),
        ("the setting that is refused comes with it", OLD, "class Args:\n    enable_side: bool = False\n" + remote(USE.replace("not args", "args.enable_side and not args")), []),
        ("one of two flags must be set", OLD, remote(USE.replace("It requires", "It requires either --local or")), []),
        ("a variable that must not be set", OLD, remote(LAYOUT.replace("Set ", "Do not set ")), []),
        ("a name that is no variable", OLD, remote(LAYOUT.replace("ENGINE_STATE_LAYOUT=DS", "FLASH_ATTN")), []),
        ("the check stood there in other words", remote(LAYOUT.replace("Set ", "Use ")), remote(LAYOUT), []),
        ("what was refused as a whole", remote("        if args.enable_remote:\n            raise ValueError('not yet')\n"), remote(UNDER), []),
        ("a choice that comes with it", OLD, remote("        if args.backend == 'fresh':\n            if not args.enable_remote:\n                raise ValueError('fresh requires --enable-remote')\n"), []),
        ("a variable to look closer with", OLD, remote(LAYOUT.replace("STATE_LAYOUT=DS", "LOGGING_LEVEL=DEBUG to see why")), []),
        ("the words stood there, under another condition", remote(LAYOUT.replace("first_dim(args)", "first_dim(args) or is_hip()")), remote(LAYOUT), []),
        ("two that exclude each other", OLD, remote("        assert not (args.use_pool and args.mode == 'abort'), '--use-pool is incompatible with --mode=abort'\n"), []),
        ("what stands for it where nobody sets it passes", OLD, remote("        assert getattr(args, 'pp_size', 1) == 1, 'It requires --pp-size 1'\n"), []),
        ("who has not left before", STAYS, STAYS.replace("        self", USE + "        self"), [("demand_under", "--enable-remote", "envs.ENGINE_TARGET.get()", "if envs.ENGINE_TARGET.get() and not args.enable_remote: raise ValueError")]),
        ("where a name of its own holds", FAST, remote("        self.fast = args.backend == 'fast'\n" + USE.replace("if not", "if self.fast and not")), [("demand_under", "--enable-remote", "args.backend == 'fast'", "if self.fast and not args.enable_remote: raise ValueError")]),
        ("the function is new", "class Remote:\n    pass\n", remote(LAYOUT), []),
        ("the variable comes with it", OLD, "ENGINE_STATE_LAYOUT: str = 'SD'\n" + remote(LAYOUT), []),
    ],
)  # fmt: skip
def test_a_new_check_whose_words_say_what_must_be_set_breaks_who_did_not(
    what: str, before: str, after: str, expected: list[Told]
) -> None:
    assert facts_of(demands.facts, file_of(CACHE, before, after)) == expected, what


@pytest.mark.parametrize(
    ("made", "told"), [("self.find_tasks(model)", []), ('os.environ.get("ENGINE_MODE")', ["ENGINE_V2=0"])]
)
def test_a_check_of_what_the_function_has_made_itself_since_demands_nothing(made: str, told: list[str]) -> None:
    """Before there was no such value, and who has none of it failed in another way, or did not come there."""
    check = f"        self.tasks = {made}\n        if not self.tasks:\n            raise ValueError('no task. Set ENGINE_V2=0 to run it')\n"
    other = file_of("python/engine/other.py", "def f(x):\n    return x.tasks\n", "def f(x):\n    return x.tasks or 1\n")
    found = facts_of(demands.facts, other, file_of(CACHE, OLD, remote(check)))
    assert [symbol for _, symbol, _, _ in found] == told


FUSED = "class ServerArgs:\n    def handle(self):\n        if self.backend == 'fused':\n            self.size = 1\n"


@pytest.mark.parametrize(
    ("given", "asked", "told"),
    [
        ('os.environ.get("ENGINE_FUSED_MODE")', 'mode not in ["1", "2"]', ["ENGINE_FUSED_MODE"]),
        ('os.getenv("ENGINE_FUSED_MODE", None)', "not mode", ["ENGINE_FUSED_MODE"]),
        ('os.environ.get("ENGINE_FUSED_MODE", "1")', 'mode not in ["1", "2"]', []),
        ('os.environ.get("ENGINE_FUSED_MODE")', 'mode is not None and mode not in ["1", "2"]', []),
        ('os.environ.get("ENGINE_FUSED_MODE")', 'mode == "3"', []),
        ("self.mode", 'mode not in ["1", "2"]', []),
    ],
)
def test_a_variable_that_is_new_and_must_be_set_where_a_way_ran_before_is_demanded(
    given: str, asked: str, told: list[str]
) -> None:
    check = f"            mode = {given}\n            if {asked}:\n                raise ValueError('wrong mode')\n"
    after = FUSED.replace("            self.size", f"{check}            self.size")
    assert [symbol for _, symbol, _, _ in facts_of(demands.facts, file_of(ARGS, FUSED, after))] == told


@pytest.mark.parametrize(
    "check",
    [
        "        if args.enable_remote:\n            if not args.remote_file:\n                raise ValueError('no')\n",
        "        if args.enable_remote and not args.remote_file:\n            raise ValueError('no')\n",
    ],
)
def test_a_demand_of_some_alone_says_of_whom_however_it_is_nested(check: str) -> None:
    args = file_of(ARGS, BEFORE, BEFORE + FIELD + FLAG)
    (told,) = facts_of(demands.facts, args, file_of(CACHE, OLD, remote(check)))
    asked = "if args.enable_remote and not args.remote_file: raise ValueError"
    assert told == ("demand_under", "--remote-file", "args.enable_remote", asked)


def test_what_a_function_declares_for_itself_is_demanded_of_nobody() -> None:
    cut = "            parts, places = cut(args)\n"
    check = f"        if args.enable_remote:\n{cut}            if not parts:\n                raise ValueError('no')\n"
    own = remote(f"        parts: Optional[list[bytes]] = None\n{check}")
    assert facts_of(demands.facts, file_of(SERVING, OLD, own)) == []
    asked = remote(check.replace("parts, places = cut(args)", "parts = args.parts"))
    settings = file_of(ARGS, BEFORE, BEFORE + "    parts: Optional[str] = None\n")
    (told,) = facts_of(demands.facts, settings, file_of(SERVING, OLD, asked))
    assert told[:2] == ("demand_under", "parts")


SWITCH = 'def add(p):\n    p.add_argument("--only-critic", action="store_true")\n{}\n\n'
VALIDATE = "def validate(args):\n{}    args.ready = True\n{}"
NEEDS = "    if args.only_critic and not args.use_critic:\n        raise ValueError('--only-critic requires --use-critic')\n"
"""A check of something that may be an option or not."""


@pytest.mark.parametrize(
    ("what", "declared", "assigned", "demanded"),
    [
        ("an option", '    p.add_argument("--use-critic", action="store_true")\n', "", True),
        ("what no parser takes", "", "", False),
        ("what the program works out", "", "    args.use_critic = args.estimator == 'ppo'\n", False),
        (
            "an option that the program sets itself",
            '    p.add_argument("--use-critic", action="store_true")\n',
            "    args.use_critic = args.estimator == 'ppo'\n",
            False,
        ),
    ],
)
def test_only_an_option_that_users_can_give_is_demanded(
    what: str, declared: str, assigned: str, demanded: bool, repo: GitRepo
) -> None:
    def text(check: str) -> str:
        return SWITCH.format(declared) + VALIDATE.format(check, assigned)

    repo.commit("one", {ARGS: text("")})
    sha = repo.commit("two", {ARGS: text(NEEDS)})
    changes = HistoryReader(Git(dict(os.environ)), repo.path, "org/engine", ZoneInfo("UTC")).read([sha])
    collected = Collected(Repo("org/engine", "https://x.example", "x"), changes=tuple(changes), mirror=str(repo.path))
    found = RuleReader(Git(dict(os.environ))).read(collected)[sha].findings
    told = [(f.symbol, f.before) for f in found if f.kind.startswith("demand")]
    assert told == ([("--use-critic", "args.only_critic")] if demanded else []), what
