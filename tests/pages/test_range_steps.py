"""What of an upgrade is open and copied, and what is folded: names that nobody sets, and refusals inside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from both_languages import both
from daybreak.site.pages.range_steps import _quoted
from daybreak.site.pages.ranges import RangePages
from pages.shelf import ground, shown
from pages.test_ranges import STEM, net, open_part, steps_of, stocked, written

if TYPE_CHECKING:
    from pathlib import Path


def test_what_nobody_sets_is_folded_and_a_refusal_inside_is_told_by_its_words(tmp_path: Path) -> None:
    says = {
        "how": both("「改用 gloo」", "“Use gloo instead”"),
        "after": 'if self.kind in ("nccl",): raise ValueError("…")',
    }
    refusals = [net("guard_added", name, **says) for name in ("PlanConfig._validate_kind", "_select_cls")]
    turned = {"breaking": False, "before": "1", "after": "2"}
    inner = net("cli_default_changed", "Plan._is_new", **{**turned, "before": "3"})
    value = both("设 `1 if a in b`", f"set it if it is not to be `1 if any(a in ({'x, ' * 20}) for a in names)`")
    filled = net("env_filled", "FAST", how=value, after="1 if any(a in b)")
    written(tmp_path, *refusals, inner, net("cli_default_changed", "--size", **turned), filled)
    said = steps_of(shown(RangePages(ground(stocked(), tmp_path)), f"en/ranges/{STEM}.html"))
    first = open_part(said)
    assert re.search(r"\n(PlanConfig → )?“Use gloo instead”", first)
    assert not re.search(r"_validate_kind|_select_cls", said), "nobody sets what begins with a line below"
    assert "_is_new" not in first, "an inner condition is folded"
    assert re.search(r'<li class="inner"><code>Plan._is_new</code>', said), "and is not copied"
    assert "if it is not to be 1 if …" in first, "what a condition asks stands below"


def test_a_long_condition_of_a_value_is_told_by_what_it_names() -> None:
    long = 'any(one in ("DeepseekForCausalLM", "DeepSeekMTPModel") for one in self.config.architectures)'
    how = {"en": f"set `A` yourself if it is not to be `1 if {long}`", "zh": f"不想用 `1 if {long}` 时设置 `A`"}
    said = _quoted(how)
    assert said["en"] == 'set `A` yourself if it is not to be `1 if … "DeepseekForCausalLM", "DeepSeekMTPModel" …`'
    assert "DeepSeekMTPModel" in said["zh"]
    none = _quoted({"en": f"not to be `1 if {'self.config.is_set and ' * 3}True`", "zh": ""})
    assert none["en"] == "not to be `1 if …`", "nothing is named"
