"""Who meets a change: the conditions under which its functions are called, its classes made and its modules imported."""

from __future__ import annotations

from prose.test_surroundings import around, changed, made

BEFORE = """class Exporter:
    def write(self, row):
        self.file.write(row)
"""
AFTER = BEFORE.replace("self.file.write(row)", "self.file.append(row)")
MANAGER = """def exporters(server_args):
    found = []
    if server_args.export_metrics_to_file:
        found.append(Exporter(server_args))
    return found
"""


def told(tree: dict[str, str], path: str = "engine/metrics/exporter.py") -> list[str]:
    one = made(changed(path, BEFORE, AFTER))
    return around(one, {path: AFTER} | tree).of(one, ()).elsewhere.split("\n")


def test_a_condition_above_the_call_that_makes_the_class_is_told_with_the_flag_that_sets_it() -> None:
    args = 'parser.add_argument("--export-metrics-to-file", action="store_true")\n'
    rows = told({"engine/manager.py": MANAGER, "engine/server_args.py": args})
    assert rows[0] == (
        "engine/manager.py: def exporters(server_args): › if server_args.export_metrics_to_file:"
        " › found.append(Exporter(server_args))"
    )
    assert f"engine/server_args.py: {args.strip()}" in rows


def test_an_else_is_told_with_the_condition_that_it_is_of_also_where_that_has_several_lines() -> None:
    call = """def send(self, one):
    if (
        self.is_mla_backend
        or self.size == one.size
    ):  # the same layout
        self.pages(one)
    else:
        self.exporter.write(one)
"""
    if_, else_ = "if ( self.is_mla_backend or self.size == one.size ):", "else: › self.exporter.write(one)"
    assert told({"engine/send.py": call}) == [f"engine/send.py: def send(self, one): › {if_} › {else_}"]


def test_what_is_called_without_a_condition_is_followed_to_its_callers() -> None:
    tree = {
        "engine/flush.py": "def flush(rows):\n    for row in rows:\n        EXPORTER.write(row)\n",
        "engine/loop.py": "def loop(self):\n    if self.config.keeps_rows:\n        flush(self.rows)\n",
    }
    rows = told(tree)
    assert rows[0] == "engine/loop.py: def loop(self): › if self.config.keeps_rows: › flush(self.rows)"
    assert rows[1] == "engine/flush.py: def flush(rows): › EXPORTER.write(row)"


def test_a_module_that_is_imported_under_a_condition_says_for_whom_it_is() -> None:
    worker = (
        "def start(self):\n    if self.use_v2_runner:\n        from engine.metrics.exporter import Exporter as V2\n"
    )
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from engine.metrics.exporter import Exporter\n"
    rows = told({"engine/worker.py": worker, "engine/typed.py": typed})
    assert rows[0].startswith("engine/worker.py: def start(self): › if self.use_v2_runner: › from engine.metrics")
    assert not any("typed.py" in row for row in rows)


def test_a_name_that_is_called_everywhere_says_nothing_of_who_meets_it() -> None:
    many = {f"engine/many_{n}.py": f"def f(x):\n    if x.on_{n}.y:\n        x.write({n})\n" for n in range(12)}
    assert told(many) == [""]
