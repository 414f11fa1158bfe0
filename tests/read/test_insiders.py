"""What plug-ins and forks reach inside of a project: values given back, attributes, enums, modules named like interfaces."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from read.test_contracts import inside

LAYER = "class Layer:\n    def forward(self, x):\n        return x%s\n"


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (("y, r = self.decoder(x)\n", "y, r, t = self.decoder(x)\n"), True),
        (("y, r = self.decoder(x)\n", "y, r, t = self.other(x)\n"), False),
        (("y, r = self.decoder(x)\n", "y, r = self.decoder(x, 1)\n"), False),
        (("", ""), False),
    ],
    ids=["the same object gives more", "another object", "as many as before", "nobody follows"],
)
def test_what_an_object_gives_that_is_called_by_its_own_name_is_another_number_of_values(
    calls: tuple[str, str], told: bool
) -> None:
    found = [f for f in inside(LAYER % ", 1", LAYER % ", 1, 2", calls) if "value_count" in f[0]]
    assert [f[:4] for f in found] == ([("internal_value_count_changed", "Layer.forward()", "2", "3")] if told else [])


OWNER = "class Runner:\n    def init_parser(self):\n        if self.parser:\n            self._end_id = 1\n        self.x = 2\n%s"


@pytest.mark.parametrize(
    ("after", "reader", "told"),
    [
        ("", ("y = runner._end_id\n", "y = config.end_id\n"), True),
        ("", ("y = 1\n", "y = 2\n"), False),
        ("", ("y = runner._end_id\n", "y = holder._end_id\n"), False),
        ("\n    def ask(self):\n        return self._end_id\n", ("y = runner._end_id\n", "y = 1\n"), False),
    ],
    ids=["other files read it no more", "nobody outside read it", "another object has it", "it is still asked for"],
)
def test_what_any_method_gave_its_object_and_other_files_read_is_lost(
    after: str, reader: tuple[str, str], told: bool
) -> None:
    before = OWNER % after
    found = inside(before, before.replace("            self._end_id = 1\n", "            pass\n"), reader)
    gone = [("internal_field_removed", "Runner._end_id", True)] if told else []
    assert [(kind, name, breaks) for kind, name, _, _, breaks in found] == gone


def test_a_number_alone_in_its_parentheses_is_that_number_for_an_enum() -> None:
    form = "class Method(IntEnum):\n    A = (1,)\n%s"
    sides = form % "    B = 6\n", form % "    C = (6,)\n    B = (8,)\n"
    assert ("enum_member_changed", "Method.B", "6", "8", False) in inside(*sides)
    assert inside(form % "    B = 6\n", form % "    B = (6,)\n") == []


def test_a_module_named_like_an_interface_that_is_private_breaks_only_insiders() -> None:
    form = "def attend(q, soft=1, pack=2%s):\n    return q\n"
    sides = (
        {f"vllm/{name}_interface.py": text for name in ("_fast", "fast")}
        for text in (form % "", "def attend(q, pack=2, soft=1):\n    return q\n")
    )
    found = {f.path: f.kind for f in read(*sides, project="vllm-project/vllm") if f.breaking}
    assert found == {"vllm/_fast_interface.py": "internal_parameter_moved", "vllm/fast_interface.py": "parameter_moved"}


def test_a_text_is_the_same_object_wherever_it_is_written() -> None:
    form = "class ServerArgs:\n    def __post_init__(self):\n        if self.mode %s 'a' and self.x == 'k':\n            raise ValueError('no')\n"
    sides = ({"engine/server_args.py": form % sign} for sign in ("is", "=="))
    assert read(*sides) == ()
