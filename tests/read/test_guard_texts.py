"""What is shown of a check: its condition with all that stands around it, what it raises, and its words."""

from daybreak.core.text import SENTENCE
from daybreak.findings.languages.guards import facts
from read.behaviour import facts_of, file_of
from read.test_guards import PATH, guard, inside


def test_a_long_check_keeps_what_it_raises_and_loses_the_middle_of_its_condition() -> None:
    long = "platform.is_device_capability(90) and any(one.window_left != -1 for one in config.parameters.values()) and tp_size > 1"
    ((kind, _, _, text),) = facts_of(facts, file_of(PATH, inside(""), inside(guard(long, "NotImplementedError"))))
    assert kind == "guard_added"
    assert text is not None
    assert len(text) <= SENTENCE
    assert text == "if platform.is_device_capability(90) and any(…) and tp_size > 1: raise NotImplementedError"
    more = guard(long + " and config.enable_lora", "NotImplementedError")
    changed = facts_of(facts, file_of(PATH, inside(guard(long, "NotImplementedError")), inside(more)))
    assert all(one and one.endswith(": raise NotImplementedError") and len(one) <= SENTENCE for one in changed[0][2:])


def test_a_long_check_is_never_cut_within_what_it_negates() -> None:
    asked = "config.kv_dtype == 'small' and config.tp_size > 1 and not (config.is_first_supported() or config.is_second_supported())"
    ((_, _, _, text),) = facts_of(facts, file_of(PATH, inside(""), inside(guard(asked, "RuntimeError"))))
    assert text == "if config.kv_dtype == 'small' and config.tp_size > 1 and not (…): raise RuntimeError"


def test_a_check_under_several_conditions_is_told_with_its_platform_first() -> None:
    around = "        if is_hip() and config.fast:\n            if config.quantized:\n                config.backend = plain(config)\n"
    new = f"{around}                if config.ep_size == 1:\n                    raise ValueError(f'not {{config.ep_size}}')\n"
    ((kind, _, _, text),) = facts_of(facts, file_of(PATH, inside(around), inside(new)))
    assert (kind, text) == (
        "guard_added",
        "if is_hip() and config.fast and config.quantized and config.ep_size == 1: raise ValueError",
    )


def test_a_check_behind_an_else_says_what_is_not_so_there() -> None:
    head = "        if config.drafts is None:\n            config.overlap = False\n"
    was = f"{head}        else:\n            config.cached = False\n"
    now = (
        f"{head}        else:\n            if config.cached:\n                raise ValueError(f'{{config.cached}}')\n"
    )
    ((kind, _, _, text),) = facts_of(facts, file_of(PATH, inside(was), inside(now)))
    assert kind == "guard_added"
    assert text == "if config.drafts is not None and config.cached: raise ValueError"


def test_the_words_of_an_error_stand_with_its_check_where_they_are_plain() -> None:
    def text(raised: str) -> str | None:
        body = f"        if config.lora_rank > 8:\n            raise ValueError({raised})\n"
        return facts_of(facts, file_of(PATH, inside(""), inside(body)))[0][3]

    plain = "if config.lora_rank > 8: raise ValueError"
    assert text('"LoRA ranks above eight have no kernel"') == plain + '("LoRA ranks above eight have no kernel")'
    assert text('f"rank {tp_size} of all has no kernel"') == plain + '("rank … of all has no kernel")'
    assert text("'say \"no\" to ranks above eight'") == plain + "(\"say 'no' to ranks above eight\")"
    for other in ('"too high"', f'"{"no kernel " * 21}"', "words_of(tp_size) + tail"):
        assert text(other) == plain


def test_a_condition_makes_way_for_the_words_of_its_error_where_both_find_no_room() -> None:
    asked = "config.lora_rank > 8 and config.another_bound_of_the_adapters > 16 and config.yet_another_bound_of_adapters > 32"
    body = (
        f'        if {asked}:\n            raise ValueError("The pool must be local: " f"got {{config.n}} buffers")\n'
    )
    found = facts_of(facts, file_of(PATH, inside(""), inside(body)))[0][3]
    assert found == 'if …: raise ValueError("The pool must be local: got … buffers")'


def test_an_assert_is_told_with_all_the_conditions_that_it_stands_under() -> None:
    around = "        if config.backend is not None:\n            if config.fast:\n                config.x = plain(config)\n"
    new = f"{around}                assert config.pp_size == 1\n"
    ((kind, _, _, text),) = facts_of(facts, file_of(PATH, inside(around), inside(new)))
    assert (kind, text) == ("guard_added", "if config.backend is not None and config.fast: assert config.pp_size == 1")
