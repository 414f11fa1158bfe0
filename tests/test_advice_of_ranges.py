"""An upgrade advises what can be followed at its end: settings that users have, values that are some still."""

from __future__ import annotations

from typing import cast

import pytest

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Net
from daybreak.findings.text_trees import TextTrees
from daybreak.findings.trees import Trees
from daybreak.upgrade.range.advice import to_follow

ARGS, CONFIG = "engine/args.py", "engine/config.py"
END = {
    ARGS: 'parser.add_argument("--load-format", choices=["auto", "dummy"])\nparser.add_argument("--seed-of-tests")\n',
    CONFIG: "class Config:\n    size_of_group: int = 1\n    def fill(self):\n        self.rank_of_node = 1\n",
    "engine/offload.py": 'class Group:\n    is_own_group: bool = False\nx = extra.get("prompt_only", True)\n',
    "tests/test_args.py": 'run("--rank-of-node", "bitsandbytes")\n',
}
KEEP = {"en": "set it yourself to keep the old value"}


@pytest.mark.parametrize(
    ("kind", "symbol", "before", "kept"),
    [
        ("filled_removed", "load_format", "'dummy' if quick", True),
        ("filled_removed", "load_format", "'bitsandbytes' if quantized", False),
        ("filled_removed", "rank_of_node", "1 if alone", False),
        ("filled_removed", "size_of_group", "1 if alone", True),
        ("filled_removed", "ENGINE_LEVEL", "1 if alone", True),
        ("filled_changed", "rank_of_node", "1", False),
        ("cli_default_changed", "--load-format", "auto", True),
        ("cli_default_changed", "--load-format", "bitsandbytes", False),
        ("cli_default_changed", "--load-format", "None", True),
        ("gate_opt_out", "load_format", None, True),
        ("gate_opt_out", "size_of_group", None, True),
        ("gate_default_changed", "prompt_only", None, True),
        ("gate_opt_out", "is_own_group", None, False),
        ("gate_opt_out", "ENGINE_LEVEL", None, True),
        ("cli_flag_removed", "--rank-of-node", None, True),
    ],
)
def test_nobody_is_told_to_set_what_no_user_sets_or_to_keep_what_is_gone(
    kind: str, symbol: str, before: str | None, kept: bool
) -> None:
    finding = Finding("a/1", kind, CONFIG, 3, symbol, before, None, breaking=True)
    trees = cast("Trees", TextTrees({"end": END}))
    (told,) = to_follow(trees, "end", [Net(finding, ("a",), how=KEEP)])
    assert (told.how is not None) == kept
