"""Command line options: tables of before, after and exactly the findings that must come out."""

import pytest

from daybreak.findings import read as read_sides
from daybreak.findings.languages import options
from read.made import change_of, patch_of, read, read_one
from read.made import told as told_findings
from read.offers import Told, facts_of, told

ARGS = "python/engine/server_args.py"


def flag(name: str, rest: str = 'type=int, default=8, help="How many."') -> str:
    return f'    parser.add_argument("--{name}", {rest})\n'


def server_args(field: str, *flags: str) -> str:
    return f"class ServerArgs:\n{field}\n    def add_cli_args(parser):\n" + "".join("    " + f for f in flags)


RAISES = 'class Gone(argparse.Action):\n    def __call__(self, parser, values: Any = (), option=None) -> None:\n        """No."""\n        raise ValueError(self.help)\n\n\n'
WARNS = "class DeprecatedAction(argparse.Action):\n    def __call__(self, parser):\n        warn(self.help)\n\n\n"
KV = '    p.add_argument("--kv", choices={})\n'
FP4 = 'FP4_GEMM_CHOICES = [\n    "auto",  # picks one\n    {}\n]\nX = 1\nparser.add_argument("--fp4-gemm", choices=FP4_GEMM_CHOICES)\n'
TWO = 'BACKEND_CHOICES = {}\np.add_argument("--prefill-backend", choices=BACKEND_CHOICES)\np.add_argument("--backend", choices=BACKEND_CHOICES)\n'
LITERAL = 'Mode = Literal[{}]\np.add_argument("--mode", choices=get_args(Mode))\n'
FIELD = '    tp_size: A[int, Arg(help="Ranks, (all) of them.", aliases=["--tensor-parallel-size"]), NS("x")] = {}\n'
GENERATED = 'class FrontendArgs:\n{}    y: int = 1\n\n    def add(parser):\n        parser.add_argument(f"--{{key}}", **value)\n'

EMPTY = 'prefix = "run-" if nested else ""\n'
GIVEN = 'def add_cli_args(parser, prefix: str = "{}"):\n    {}    return parser\n'
BEHIND = 'parser.add_argument(f"--{{prefix}}{}", type=int, default={})\n'

CASES: dict[str, tuple[str, str, list[Told]]] = {
    "removed": (flag("max-seqs"), "", [("cli_flag_removed", "--max-seqs", "--max-seqs", None, True)]),
    "added": ("", flag("max-seqs"), [("cli_flag_added", "--max-seqs", None, "--max-seqs", False)]),
    "a parser that is filled from a table from now on, and one flag that the table lacks": (
        flag("max-seqs") + flag("keep-ptx") + flag("legacy") + 'VALUED = ["--max-seqs"]\n',
        'TABLE = {"max-seqs": int, "keep_ptx": bool}\nfor name in TABLE:\n    flag = "--" + name\n    parser.add_argument(flag)\n',
        [("cli_flag_removed", "--legacy", "--legacy", None, True)],
    ),
    "behind a prefix that may be empty": (
        EMPTY + BEHIND.format("seqs", 1) + BEHIND.format("port", 1),
        EMPTY + BEHIND.format("port", 2),
        [
            ("cli_default_changed", "--port", "1", "2", False),
            ("cli_flag_removed", "--seqs", "--seqs", None, True),
        ],
    ),
    "behind a prefix that never is empty": (
        'prefix = "run-"\n' + BEHIND.format("seqs", 1) + BEHIND.format("port", 1),
        'prefix = "run-"\n' + BEHIND.format("port", 2),
        [],
    ),
    "behind a prefix that the function gives": (
        GIVEN.format("t5-config", BEHIND.format(".seqs", 1) + "    " + BEHIND.format(".port", 1)),
        GIVEN.format("t5-config", BEHIND.format(".port", 2)),
        [
            ("cli_default_changed", "--t5-config.port", "1", "2", False),
            ("cli_flag_removed", "--t5-config.seqs", "--t5-config.seqs", None, True),
        ],
    ),
    "a prefix that came before it": (flag("seqs"), EMPTY + BEHIND.format("seqs", 8), []),
    "renamed": (
        flag("max-seqs"),
        flag("seq-limit"),
        [("cli_flag_renamed", "--max-seqs", "--max-seqs", "--seq-limit", True)],
    ),
    "renamed with new words in its help": (
        flag("enable-mtp", 'action="store_true", help="Enable multi-layer MTP speculative decoding."'),
        flag("enable-eagle", 'action="store_true", help="Enable multi-layer Eagle speculative decoding."'),
        [("cli_flag_renamed", "--enable-mtp", "--enable-mtp", "--enable-eagle", True)],
    ),
    "one goes and an unlike one comes": (
        flag("max-seqs"),
        flag("log-file", 'type=str, help="Where to write."'),
        [
            ("cli_flag_added", "--log-file", None, "--log-file", False),
            ("cli_flag_removed", "--max-seqs", "--max-seqs", None, True),
        ],
    ),
    "a longer name keeps the old one working as a prefix": (
        flag("max-seqs"),
        flag("max-seqs-total"),
        [("cli_flag_renamed", "--max-seqs", "--max-seqs", "--max-seqs-total", False)],
    ),
    "a prefix of two names is ambiguous": (
        flag("max-seqs") + flag("max-seqs-here", "type=str"),
        flag("max-seqs-total") + flag("max-seqs-here", "type=str"),
        [("cli_flag_renamed", "--max-seqs", "--max-seqs", "--max-seqs-total", True)],
    ),
    "default": (flag("a-b"), flag("a-b", "default=16"), [("cli_default_changed", "--a-b", "8", "16", False)]),
    "default that was not given": (flag("a-b", "type=int"), flag("a-b", "type=int, default=4"), [("cli_default_changed", "--a-b", "None", "4", False)]),
    "default of another spelling": (flag("a-b", "default='x'"), flag("a-b", 'default="x"'), []),
    "default behind a name that we do not see": (flag("a-b", "default=8"), flag("a-b", "default=consts.EIGHT"), []),
    "spaces": (flag("a-b", "type=int, default=8"), flag("a-b", "type=int,   default = 8"), []),
    "type only": (flag("a-b", "type=int, default=8"), flag("a-b", "type=float, default=8"), []),
    "help only": (flag("a-b", 'help="Old."'), flag("a-b", 'help="New, (better)."'), []),
    "moved within the file": (flag("a-b") + flag("c-d"), flag("c-d") + flag("a-b"), []),
    "choices: a value gone": (
        KV.format('["auto", "fp8"]'),
        KV.format('["auto", "fp8_e4m3"]'),
        [("cli_choices_changed", "--kv", '["auto", "fp8"]', '["auto", "fp8_e4m3"]', True)],
    ),
    "choices: a value more": (
        KV.format('["auto"]'),
        KV.format('["auto", "fp8"]'),
        [("cli_choices_changed", "--kv", '["auto"]', '["auto", "fp8"]', False)],
    ),
    "choices: another order": (KV.format('["a", "b"]'), KV.format('("b", "a")'), []),
    "choices: computed": (KV.format('["a", "b"]'), KV.format('["a"] + more()'), []),
    "choices: old and new name both taken": (
        KV.format('["cudnn"]'),
        KV.format('["cudnn", "flashinfer_cudnn"]'),
        [("cli_choices_changed", "--kv", '["cudnn"]', '["cudnn", "flashinfer_cudnn"]', False)],
    ),
    "choices held by a constant are told as the flag": (
        FP4.format('"cudnn",'),
        FP4.format('"flashinfer_cudnn",'),
        [("cli_choices_changed", "--fp4-gemm", '["auto", "cudnn"]', '["auto", "flashinfer_cudnn"]', True)],
    ),
    "a constant of two flags is told once": (
        TWO.format('["a", "b"]'),
        TWO.format('["a"]'),
        [("cli_choices_changed", "--backend", '["a", "b"]', '["a"]', True)],
    ),
    "a constant that only moved into a name": (
        KV.format('["a", "b"]'),
        'KV_CHOICES = ["a", "b"]\n' + KV.format("KV_CHOICES"),
        [],
    ),
    "a constant that no option of the file uses": (
        'FP4_BACKEND_CHOICES = [\n    "auto",\n    "cudnn",\n]\n',
        'FP4_BACKEND_CHOICES = [\n    "auto",\n    "cutlass",\n]\n',
        [("cli_choices_changed", "FP4_BACKEND_CHOICES", '["auto", "cudnn"]', '["auto", "cutlass"]', True)],
    ),
    "choices from a Literal": (
        LITERAL.format('"a", "b"'),
        LITERAL.format('"a"'),
        [("cli_choices_changed", "--mode", '["a", "b"]', '["a"]', True)],
    ),
    "default from a field of the arguments class": (
        server_args("    chunk: int = 8\n", flag("chunk", "default=ServerArgs.chunk")),
        server_args("    chunk: int = 16\n", flag("chunk", "default=ServerArgs.chunk")),
        [("cli_default_changed", "--chunk", "8", "16", False)],
    ),
    "default that only moved into a field": (
        server_args("    other: int = 1\n", flag("chunk", "default=8")),
        server_args("    chunk: int = 8\n", flag("chunk", "default=ServerArgs.chunk")),
        [],
    ),
    "field that is a flag by itself: default": (
        server_args(FIELD.format(1)),
        server_args(FIELD.format(2)),
        [("cli_default_changed", "--tp-size", "1", "2", False)],
    ),
    "field that is a flag by itself: gone": (
        server_args(FIELD.format(1)),
        server_args("    x: int = 1\n"),
        [("cli_flag_removed", "--tp-size", "--tp-size", None, True)],
    ),
    "field that has no flag": (server_args('    x: A[int, Arg(help="h", no_cli=True)] = 1\n'), server_args(""), []),
    "from a call to a field": (
        server_args("    x: int = 1\n", flag("tp-size", "type=int, default=1"), flag("tensor-parallel-size", "default=1")),
        server_args(FIELD.format(1)),
        [],
    ),
    "flags generated from fields: gone": (
        GENERATED.format("    root_path: str = ''\n"),
        GENERATED.format(""),
        [("cli_flag_removed", "--root-path", "--root-path", None, True)],
    ),
    "from a call to a field of a class whose flags are made elsewhere": (
        flag("input-file", '"-i", type=str'),
        'class BatchArgs(BaseFrontendArgs):\n    input_file: str | None = None\n\n    def f(k):\n        k["flags"] = ["-i"]\n',
        [],
    ),
    "now taken apart at run time": (
        flag("vae-path", "type=str"),
        'args, unknown = p.parse_known_args()\nok = arg.startswith("--") and arg.endswith("-path")\np.add_argument("--x")\n',
        [("cli_flag_added", "--x", None, "--x", False)],
    ),
    "kept by a table of aliases": (flag("old-name"), flag("new-name", "type=str") + '    ALIASES = {"--old-name": "--new-name"}\n', [("cli_flag_added", "--new-name", None, "--new-name", False)]),
    "one of several names, which is a prefix": (
        '    p.add_argument("--model", "--model-path")\n',
        '    p.add_argument("--model-path")\n',
        [("cli_flag_renamed", "--model", "--model", "--model-path", False)],
    ),
    "one of several names": (
        '    p.add_argument("--weights", "--model-path")\n',
        '    p.add_argument("--model-path")\n',
        [("cli_flag_renamed", "--weights", "--weights", "--model-path", True)],
    ),
    "a short name": (
        '    p.add_argument("--quantization", "-q")\n',
        '    p.add_argument("--quantization")\n',
        [("cli_flag_renamed", "-q", "-q", "--quantization", True)],
    ),
    "a second name": (
        '    p.add_argument("--model-path")\n',
        '    p.add_argument("--model-path", "--weights")\n',
        [("cli_flag_added", "--weights", "--model-path", "--weights", False)],
    ),
    "deprecated by its action": (
        flag("old", "action='store_true'"),
        flag("old", "action=DeprecatedAction, help='Note: it is deprecated.'"),
        [("cli_flag_deprecated", "--old", "--old", None, False)],
    ),
    "kept as a deprecated alias of a new flag": (
        flag("nsa-backend", "type=str"),
        flag("dsa-backend", "type=str, help='The backend.'")
        + flag("nsa-backend", "action=DeprecatedAliasStoreAction, new_flag='--dsa-backend', dest='dsa_backend'"),
        [
            ("cli_flag_added", "--dsa-backend", None, "--dsa-backend", False),
            ("cli_flag_deprecated", "--nsa-backend", "--nsa-backend", "--dsa-backend", False),
        ],
    ),
    "only there to be refused": (
        flag("old", "action='store_true'"),
        flag("old", "action=DeprecatedAction, error_message='--old is no longer supported.'"),
        [("cli_flag_removed", "--old", "--old", None, True)],
    ),
    "a deprecated flag goes in the end": (
        flag("old", "action='store_true', help='Deprecated.'"),
        "",
        [("cli_flag_removed", "--old", "--old", None, True)],
    ),
    "a deprecated alias goes in the end": (
        flag("old", "action=DeprecatedAliasStoreAction, new_flag='--new'"),
        "",
        [("cli_flag_removed", "--old", "--old", None, True)],
    ),
    "a flag goes that may only have said that it is gone": (
        flag("old", "action=DeprecatedAction, help='Use another.'"),
        "",
        [("cli_flag_removed", "--old", "--old", None, False)],
    ),
    "a flag goes that only raised": (RAISES + flag("old", "action=Gone, help='Use another.'"), RAISES, []),
    "a flag only raises from now on": (
        RAISES + flag("old", "action='store_true'"),
        RAISES + flag("old", "action=Gone"),
        [("cli_flag_removed", "--old", "--old", None, True)],
    ),
    "a flag goes whose action warned": (
        WARNS + flag("old", "action=DeprecatedAction"),
        WARNS,
        [("cli_flag_removed", "--old", "--old", None, True)],
    ),
    "flags that another class adds now": (
        flag("port") + flag("log-level", "type=str"),
        "    ServerArgs.add_cli_args(parser)\n",
        [],
    ),
    "flags that another function adds now": (flag("port"), "    add_engine_args(\n        parser)\n", []),
    "flags that a second class adds now": (
        "    A.add_cli_args(parser)\n" + flag("port"),
        "    A.add_cli_args(parser)\n    B.add_cli_args(parser)\n",
        [],
    ),
    "flags that are written out now": ("    B.add_cli_args(parser)\n", flag("port"), []),
    "flags of a parent parser": (flag("port"), "    parser = ArgumentParser(parents=[base])\n", []),
    "flags that a class added before": (
        "    ServerArgs.add_cli_args(parser)\n" + flag("port"),
        "    ServerArgs.add_cli_args(parser)\n",
        [("cli_flag_removed", "--port", "--port", None, True)],
    ),
    "flags that a function of the same file adds now": (
        flag("port") + flag("x"),
        "def add_args(parser):\n" + flag("x") + "\n\nadd_args(parser)\n",
        [("cli_flag_removed", "--port", "--port", None, True)],
    ),
    "a longer name with another default and other choices": (
        flag("prefill", "default='a', choices=['a', 'b']"),
        flag("prefill-backend", "default='c', choices=['c', 'b']"),
        [("cli_flag_renamed", "--prefill", "--prefill", "--prefill-backend", False)],
    ),
    "a longer name that takes a value where none was": (
        flag("prefill", "action='store_true'"),
        flag("prefill-backend", "default='c'"),
        [
            ("cli_flag_added", "--prefill-backend", None, "--prefill-backend", False),
            ("cli_flag_removed", "--prefill", "--prefill", None, True),
        ],
    ),
    "a longer name that was there before": (
        flag("prefill", "default='a'") + flag("prefill-backend", "default='c'"),
        flag("prefill-backend", "default='c'"),
        [("cli_flag_removed", "--prefill", "--prefill", None, True)],
    ),
    "the negation of a switch": (
        flag("cache", "action=argparse.BooleanOptionalAction"),
        flag("cache", 'action="store_true"'),
        [("cli_flag_removed", "--no-cache", "--no-cache", None, True)],
    ),
    "click": (
        '@click.option("--port", default=8000)\ndef main(port): ...\n',
        '@click.option("--port", default=9000)\ndef main(port): ...\n',
        [("cli_default_changed", "--port", "8000", "9000", False)],
    ),
    "click does not take prefixes": (
        '@click.option("--seed", default=1, help="Seed of all.")\ndef main(): ...\n',
        '@click.option("--seed-value", default=1, help="Seed of all.")\ndef main(): ...\n',
        [("cli_flag_renamed", "--seed", "--seed", "--seed-value", True)],
    ),
    "typer": (
        "def main(max_len: int = typer.Option(8, help='x')): ...\n",
        "def main(): ...\n",
        [],  # the parameter's name stands behind a bracket: nothing is said rather than something wrong
    ),
    "typer, one parameter a line": (
        "def main(\n    max_len: int = typer.Option(8, help='x'),\n): ...\n",
        "def main(\n    max_len: int = typer.Option(9, help='x'),\n): ...\n",
        [("cli_default_changed", "--max-len", "8", "9", False)],
    ),
    "commented out": ('    # parser.add_argument("--old")\n', "", []),
    "in a doc string": ('"""\nparser.add_argument("--old")\n"""\nx = 1\n', "x = 1\n", []),
    "twice in the file": (flag("a-b") + flag("a-b", "default=1"), flag("a-b", "default=1"), []),
    "a mark inside a string": (flag("a-b", 'help="see )", default=1'), flag("a-b", 'help="see )", default=2'), [("cli_default_changed", "--a-b", "1", "2", False)]),
    "a long help text": (flag("a-b", 'help="""one,\n(two""", default=1'), flag("a-b", 'help="""one,\n(two""", default=2'), [("cli_default_changed", "--a-b", "1", "2", False)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_options(name: str) -> None:
    before, after, expected = CASES[name]
    assert told(facts_of(options, {ARGS: (before, after)})) == expected


@pytest.mark.parametrize("name", CASES)
def test_a_file_compared_with_itself_gives_nothing(name: str) -> None:
    for text in CASES[name][:2]:
        assert facts_of(options, {ARGS: (str(text), str(text))}) == []


def test_alias_status() -> None:
    (renamed,) = facts_of(options, {ARGS: (flag("max-seqs"), flag("max-seqs-total"))})
    assert renamed.alias is not None
    assert (renamed.alias.status, renamed.alias.where) == ("kept", "--max-seqs-total")
    (gone,) = facts_of(options, {ARGS: (flag("max-seqs"), "")})
    assert gone.alias is not None
    assert gone.alias.status == "none"
    before, after, _ = CASES["kept as a deprecated alias of a new flag"]
    alias = facts_of(options, {ARGS: (str(before), str(after))})[1].alias
    assert alias is not None
    assert (alias.status, alias.where) == ("deprecated", "--dsa-backend")


def test_a_flag_that_moved_to_another_file_is_not_removed() -> None:
    files = {ARGS: (flag("max-seqs") + flag("x"), flag("x")), "python/engine/arg_utils.py": ("", flag("max-seqs"))}
    assert facts_of(options, files) == []


@pytest.mark.parametrize(
    ("use", "kind", "instead"),
    [
        ("run(stats=args.no_stats)", "cli_flag_renamed", "--no-stats"),
        ("run(stats=args.no_stats())", "cli_flag_removed", None),
        ("run(stats=True)", "cli_flag_removed", None),
    ],
)
def test_an_option_that_is_read_where_another_was_takes_its_place(use: str, kind: str, instead: str | None) -> None:
    rest = "def add(parser):\n    parser.add_argument('--port', type=int)\n"
    before = f"{rest}    parser.add_argument('--no-stats-server', action='store_true')\n\n\ndef main(args):\n    run(stats=args.no_stats_server)\n"
    after = f"{rest}\n\ndef main(args):\n    {use}\n"
    found = read("engine/entrypoints/launch_server.py", before, after)
    assert [(f.kind, f.symbol, f.after, f.breaking) for f in found] == [(kind, "--no-stats-server", instead, True)]


@pytest.mark.parametrize(
    ("path", "was", "now", "instead"),
    [
        ("docs/router.md", "engine --engine-router-policy hashing\n", "engine --router-policy hashing\n", "--router-policy"),
        ("engine/send.py", "go(args.engine_router_policy == 1)\n", "go(getattr(args, 'router_policy', None) == 1)\n", "--router-policy"),
        ("docs/router.md", "engine --engine-router-policy hashing\n", "engine --other sharding\n", None),
        ("docs/router.md", "--engine-router-policy\n", "--other\n", None),
    ],
    ids=["a page", "code that reads it", "other words", "no slot"],
)  # fmt: skip
def test_an_option_that_pages_or_callers_write_in_the_same_slot_takes_its_place(
    path: str, was: str, now: str, instead: str | None
) -> None:
    before, after = server_args("", flag("engine-router-policy")), server_args("")
    reading = read_one(change_of({ARGS: patch_of(before, after), path: patch_of(was, now)}))
    (fact,) = [f for f in reading.findings if f.symbol == "--engine-router-policy"]
    assert (fact.kind, fact.after) == ("cli_flag_renamed" if instead else "cli_flag_removed", instead)


def test_a_program_that_goes_as_a_whole_is_not_told_flag_by_flag() -> None:
    assert facts_of(options, {ARGS: (flag("max-seqs"), None)}) == []
    assert facts_of(options, {ARGS: (None, flag("max-seqs"))}) == []


@pytest.mark.parametrize(
    "path", ["tests/test_args.py", "scripts/sync.py", "tools/x.py", "examples/run.py", "benchmarks/b.py"]
)
def test_a_flag_of_a_script_is_nobodys_business(path: str) -> None:
    assert facts_of(options, {path: (flag("max-seqs"), flag("max-seqs", "default=9"))}) == []


@pytest.mark.parametrize("path", ["engine/bench_serving.py", "engine/debug_utils/dump.py", "engine/convert_weights.py"])
def test_a_flag_of_a_helper_breaks_nobody(path: str) -> None:
    assert [f.breaking for f in facts_of(options, {path: (flag("a-b"), "")})] in ([], [False])


def test_the_line_is_that_of_the_name() -> None:
    text = 'x = 1\np.add_argument(\n    # first\n    "--port",\n    default={},\n)\n'
    (fact,) = facts_of(options, {ARGS: (text.format(1), text.format(2))})
    assert fact.line == 4


def test_hunks_alone_when_there_is_nothing_else() -> None:
    assert told_findings(read(ARGS, flag("max-seqs"), "")) == [
        ("cli_flag_removed", "--max-seqs", "--max-seqs", None, True)
    ]
    more = {"python/engine/arg_utils.py": patch_of("", flag("max-seqs"))}
    assert told_findings(read(ARGS, flag("max-seqs"), "", more=more)) == []


def test_nothing_is_gone_when_part_of_the_diff_is_missing() -> None:
    change = change_of({ARGS: patch_of(flag("max-seqs"), "")}, files_total=2)
    assert read_one(change).findings == ()


def test_a_line_read_from_a_hunk_is_the_line_of_the_file() -> None:
    (found,) = read(ARGS, "a\n" + flag("max-seqs") + "b\n", "a\nb\n")
    assert (found.id, found.path, found.line) == ("a" * 12 + "/1", ARGS, 11)


def test_an_option_that_is_all_its_field_is_has_the_fields_default() -> None:
    config, args = "vllm/config/scheduler.py", "vllm/engine/arg_utils.py"
    parser = "class EngineArgs:\n    a: int = 1\n{0}\n    def add(parser):\n        parser.add_argument('--a')\n{1}"
    field = "    reserve_all: bool = SchedulerConfig.reserve_all\n"
    option = "        parser.add_argument('--reserve-all', **scheduler_kwargs['reserve_all'])\n"
    before = {config: "class SchedulerConfig:\n    a: int = 1\n", args: parser.format("", "")}
    after = {config: f"{before[config]}    reserve_all: bool = True\n", args: parser.format(field, option)}
    files = {path: patch_of(before[path], after[path]) for path in before}
    found = [f for f in read_one(change_of(files)).findings if f.kind == "cli_flag_added"]
    assert [(f.symbol, f.default) for f in found] == [("--reserve-all", "True")]


REFUSED = "class EngineArgs:\n    pattern: str | None = None\n\n    def check(self):\n        self.count()\n{0}\n    def add(self, parser):\n{1}        parser.add_argument('--other')\n"


@pytest.mark.parametrize(
    ("what", "branch", "breaks"),
    [
        ("refused by a helper", "        if self.pattern != EngineArgs.pattern:\n            _raise_unsupported('--pattern')\n", False),
        ("refused at once", "        if self.pattern is not None:\n            raise NotImplementedError('--pattern')\n", False),
        ("refused beside something else", "        if self.pattern and self.other:\n            raise ValueError('no')\n", True),
        ("used", "        if self.pattern is not None:\n            self.use(self.pattern)\n", True),
    ],
)  # fmt: skip
def test_an_option_that_was_only_ever_refused_breaks_nobody_when_it_goes(what: str, branch: str, breaks: bool) -> None:
    path, option = "vllm/engine/arg_utils.py", "        parser.add_argument('--pattern')\n"
    before, after = REFUSED.format(branch, option), REFUSED.format("", "")
    found = read_sides({path: before}, {path: after}, project="vllm-project/vllm")
    assert [f.breaking for f in found if f.kind == "cli_flag_removed"] == [breaks], what
    assert not [f for f in read_sides({path: before}, {path: before + "\n"}) if f.kind == "cli_flag_removed"]
