"""Whether a release has a fault is told of each place of the fix, and by what stands there instead of it."""

from __future__ import annotations

import pytest

from collect.test_bearing_shown import CORE, Files, exposure
from conftest import Collector
from gitrepo import GitRepo

OTHER = "engine/other.py"
SAYS = 'def loaded(names, rows):\n    for name in names:\n        if name not in rows:\n            logger.warning({f}"No row of {{name}} was found")\n'
POOL = 'def pool_of(layout):\n    assert layout in KNOWN_LAYOUTS, (\n        {f}"There is no such layout: {{layout}}"\n    )\n'


@pytest.mark.parametrize(
    ("there", "has"), [(SAYS.format(f=""), None), ("def loaded(names):\n    return names\n", False)]
)
def test_a_release_is_not_spared_while_it_has_one_of_the_lines_that_are_mended(
    repo: GitRepo, collector: Collector, there: str, has: bool | None
) -> None:
    released: Files = {CORE: "def pool_of(layout):\n    return layout\n", OTHER: there}
    before: Files = {CORE: POOL.format(f=""), OTHER: SAYS.format(f="")}
    after: Files = {CORE: POOL.format(f="f"), OTHER: SAYS.format(f="f")}
    assert exposure(repo, collector, released, before, after, "fix: add missing prefixes (#7)").has is has


STAGED = "def admitted(self, request):\n    ready = request.receiver.is_ready\n{staging}    return ready\n"
STAGING = "    if (\n        self.queue.enable_staging\n{asked}        and request.receiver.require_staging\n    ):\n        self.queue.stage(request)\n"
ASKED = '        and hasattr(request.receiver, "require_staging")\n'


@pytest.mark.parametrize(
    ("elsewhere", "has"),
    [("class Receiver:\n    ready = True\n", False), ("class Receiver:\n    require_staging = True\n", None)],
)
def test_a_release_that_lacks_what_a_fix_asks_an_object_for_is_spared(
    repo: GitRepo, collector: Collector, elsewhere: str, has: bool | None
) -> None:
    released: Files = {CORE: STAGED.format(staging=""), OTHER: elsewhere}
    before: Files = {
        CORE: STAGED.format(staging=STAGING.format(asked="")),
        OTHER: "class Receiver:\n    ready = True\n",
    }
    after: Files = {CORE: STAGED.format(staging=STAGING.format(asked=ASKED))}
    assert exposure(repo, collector, released, before, after).has is has


OPEN = "    layer_id = layer_index_of(prefix)\n    pattern = pattern_of(config, layer_id)\n"
UNDER = "    if self.is_sparse:\n        layer_id = layer_index_of(prefix)\n        pattern = pattern_of(config, layer_id)\n"
MADE = "def made(self, config, prefix):\n    self.is_sparse = config.is_sparse\n{lines}    return self.is_sparse\n"


@pytest.mark.parametrize(("there", "has"), [(f"{UNDER}    self.layers += 1\n", False), (OPEN, True)])
def test_lines_that_go_back_under_a_guard_are_no_fault_of_a_release_that_has_them_under_it(
    repo: GitRepo, collector: Collector, there: str, has: bool
) -> None:
    released: Files = {CORE: MADE.format(lines=there)}
    before: Files = {CORE: MADE.format(lines=OPEN), "engine/x.py": "1\n"}
    assert exposure(repo, collector, released, before, {CORE: MADE.format(lines=UNDER)}).has is has


EXPERT = "def apply(self, states):\n    states = quantized_states_of(\n        states,\n        self.quant_scale_of_inputs,\n    )\n    return super().apply(states)\n"
SHARED = "def apply_all(self, states):\n{first}    return self.second_product(states)\n"
FIRST = "    states, scale = first_quantized(\n        states,\n        {scale},\n        self.shape,\n    )\n"


@pytest.mark.parametrize(("first", "has"), [("", False), (FIRST.format(scale="self.scale"), True)])
def test_what_only_goes_is_no_fault_of_a_release_that_lacks_what_does_it_instead(
    repo: GitRepo, collector: Collector, first: str, has: bool
) -> None:
    released: Files = {CORE: EXPERT, OTHER: SHARED.format(first=first)}
    before: Files = {CORE: EXPERT, OTHER: SHARED.format(first=FIRST.format(scale="self.scale")), "engine/x.py": "1\n"}
    after: Files = {
        CORE: "def apply(self, states):\n    return super().apply(states)\n",
        OTHER: SHARED.format(first=FIRST.format(scale="self.scale or self.global_scale")),
    }
    assert exposure(repo, collector, released, before, after).has is has


KEPT = "def write_backup(self, node):\n{guard}    host_rows = self.controller.write(node.value)\n    return len(host_rows)\n"
GUARD = "    if node.parent is not self.root and not node.parent.backed_up:\n        return 0\n\n"


@pytest.mark.parametrize(
    ("of_other", "has"), [(GUARD, True), ("    node.rows_of_parent = rows_of(node.parent)\n", None)]
)
def test_a_file_that_a_release_lacks_says_nothing_where_it_gets_the_same_lines_as_another(
    repo: GitRepo, collector: Collector, of_other: str, has: bool | None
) -> None:
    released: Files = {CORE: KEPT.format(guard="")}
    before: Files = {CORE: KEPT.format(guard=""), OTHER: f"class Late:\n{KEPT.format(guard='')}"}
    after: Files = {CORE: KEPT.format(guard=GUARD), OTHER: f"class Late:\n{KEPT.format(guard=of_other)}"}
    assert exposure(repo, collector, released, before, after).has is has


BUILT = "def built(self, model):\n    if isinstance(model, dict):\n        rows = model\n{source}    else:\n        rows = model.to_dict()\n{part}{again}    super().__init__(**rows)\n"


def test_a_release_with_the_very_file_has_what_a_fix_puts_right_in_it_alone(
    repo: GitRepo, collector: Collector
) -> None:
    was = BUILT.format(source="", part="", again="")
    now = BUILT.format(
        source="        source_part = None\n",
        part="        source_part = model.part_of_text()\n",
        again="    if source_part is not None:\n        rows['text'] = source_part\n",
    )
    assert exposure(repo, collector, {CORE: was}, {"engine/x.py": "1\n"}, {CORE: now}).has is True
