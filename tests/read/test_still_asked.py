"""Methods that go while the new code still asks objects for them."""

from __future__ import annotations

from daybreak.core.model.findings import Alias
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.still_asked import with_old_ones
from read.behaviour import file_of

PATH = "engine/plugin.py"
OLD = Fact("extension_method_removed", PATH, 9, "Plugin.parse", "def parse(self):", None, True, Alias("none"))
NEW = Fact("extension_method_added", PATH, 3, "Plugin.read", None, "def read(self):", True)
BEFORE = "class Plugin:\n    def parse(self):\n        raise NotImplementedError\n"
WARNS = '            warnings.warn("`parse` is now `read`.", DeprecationWarning)\n'
ASKS = """class Plugin:
    def read(self):
        if callable(parse := getattr(self, "parse", None)):
{}            return parse()
        raise NotImplementedError
"""


def told(after: str) -> dict[str, Fact]:
    found = with_old_ones({OLD, NEW}, Whole([file_of(PATH, BEFORE, after)], complete=True))
    return {fact.symbol: fact for fact in found}


def test_an_old_method_that_the_class_still_asks_for_is_deprecated_and_the_new_one_not_demanded() -> None:
    found = told(ASKS.replace("{}", WARNS))
    assert (found["Plugin.parse"].breaking, found["Plugin.parse"].alias) == (False, Alias("deprecated", PATH))
    assert not found["Plugin.read"].breaking


def test_without_a_warning_it_is_kept() -> None:
    assert told(ASKS.replace("{}", ""))["Plugin.parse"].alias == Alias("kept", PATH)


def test_what_nobody_asks_for_is_gone() -> None:
    found = told("class Plugin:\n    def read(self):\n        raise NotImplementedError\n")
    assert found == {"Plugin.parse": OLD, "Plugin.read": NEW}


def test_another_object_is_meant_only_where_a_warning_says_that_it_is_the_old_name() -> None:
    other = file_of(
        "engine/serve.py", "", 'def run(plugin):\n    if hasattr(plugin, "parse"):\n        return plugin.parse()\n'
    )
    assert OLD in with_old_ones(
        {OLD}, Whole([file_of(PATH, BEFORE, "class Plugin:\n    x = 1\n"), other], complete=True)
    )
