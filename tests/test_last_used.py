"""Values that were asked for last."""

from __future__ import annotations

from daybreak.core.file_cache import LastUsed


def test_what_nobody_asked_for_longest_goes_first() -> None:
    held = LastUsed[str, int](2)
    held.put("one", 1)
    held.put("two", 2)
    assert held.get("one") == 1
    held.put("three", 3)
    assert [held.get(key) for key in ("one", "two", "three")] == [1, None, 3]


def test_values_are_held_up_to_their_weight_and_one_that_is_heavier_than_all_is_not() -> None:
    held = LastUsed[str, str](10, len)
    held.put("a", "four")
    held.put("b", "six letters")
    assert (held.get("a"), held.get("b")) == ("four", None)
    held.put("a", "by now it is longer")
    assert held.get("a") is None
    held.put("c", "0123456789")
    held.put("d", "1")
    assert (held.get("c"), held.get("d")) == (None, "1")
