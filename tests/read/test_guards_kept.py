"""Guards that stay in other words: their error comes from another check, or a function gives what they ask."""

from daybreak.findings import read
from daybreak.findings.languages.guards import facts
from read.behaviour import facts_of, file_of
from read.test_guards import PATH, guard, inside


def test_a_check_is_not_dropped_where_its_error_comes_from_another_check_of_the_function() -> None:
    pairs = (("lora", "quant"), ("lora", "tool"))
    both = "".join(guard(f"config.{a} is not None and config.{b} is not None", "TypeError") for a, b in pairs)
    counted = (
        '        given = []\n        if config.lora is not None:\n            given.append("lora")\n'
        '        if config.quant is not None:\n            given.append("quant")\n'
        '        if len(given) > 1:\n            raise TypeError(f"{given[0]} with {given[1]}")\n'
    )
    assert facts_of(facts, file_of(PATH, inside(both), inside(counted))) == []
    assert [one[0] for one in facts_of(facts, file_of(PATH, inside(both), inside("")))] == ["guard_removed"] * 2


def test_a_check_is_not_dropped_where_its_error_answers_another_that_is_caught() -> None:
    asked = guard("config.backend not in BACKENDS") + "        self.e = BACKENDS[config.backend]\n"
    caught = (
        "        try:\n            self.e = BACKENDS[config.backend]\n        except KeyError:\n            raise {}\n"
    )
    same, other = (caught.format(error) for error in ('ValueError("no") from None', 'RuntimeError("no") from None'))
    assert facts_of(facts, file_of(PATH, inside(asked), inside(same))) == []
    assert [one[0] for one in facts_of(facts, file_of(PATH, inside(asked), inside(other)))] == ["guard_removed"]


def test_a_check_whose_value_a_function_of_the_change_gives_is_the_same_check_and_no_new_one() -> None:
    base = "class Base:\n    def __init__(self, config):\n        if self.quant_config:\n            name = self.quant_config.get_name()\n            if {}:\n                raise ValueError('no such quantization with this backend')\n        self.x = 1\n"
    named = "class Fp4:\n    def get_name(self):\n        return {}\n"
    two = named.format("'fp4'") + "\n\nclass Int4(Fp4):\n    def get_name(self):\n        return 'int4'\n"
    told = read(
        {"engine/base.py": base.format("name == 'fp4'"), "engine/fp4.py": named.format("'fp4'")},
        {"engine/base.py": base.format("name in ('fp4', 'int4')"), "engine/fp4.py": two},
    )
    assert "guard_added" not in [one.kind for one in told]


def test_a_check_that_moved_into_another_class_with_its_words_is_no_new_one() -> None:
    said = "min_tokens and min_p are not supported with drafts"
    old = f"class Processor:\n    def _validate(self, params):\n        if self.config.draft is not None and (params.min_tokens > 1 or params.min_p > 0):\n            raise ValueError('{said}')\n        self.x = 1\n"
    gone = "class Processor:\n    def _validate(self, params):\n        params.verify(self.config.draft)\n        self.x = 1\n"
    params = "class Params:\n    def verify(self, draft):\n        return None\n"
    new = f"class Params:\n    def verify(self, draft):\n        self._validate_draft(draft)\n\n    def _validate_draft(self, draft):\n        if draft is None:\n            return\n        if self.min_tokens > {{}} or self.min_p > 0:\n            raise ValueError('{said}')\n"

    def told(bound: int) -> list[str]:
        before = {"engine/processor.py": old, "engine/sampling_params.py": params}
        after = {"engine/processor.py": gone, "engine/sampling_params.py": new.format(bound)}
        return [one.kind for one in read(before, after) if one.kind.startswith("guard")]

    assert told(1) == []
    assert told(0) != []


def test_a_check_that_moves_into_a_function_that_is_called_instead_is_neither_gone_nor_new() -> None:
    body = """    if args.kind == "fp8":
        if args.path is not None:
            if callable(getattr({0}, "load_scales", None)):
                {0}.load_scales(args.path)
            else:
                raise RuntimeError("factors were provided but the model does not support {1} them")
        else:
            log("none")
"""
    own = body.format("self.model", "loading").replace("args.", "self.args.").replace("    if", "        if", 1)
    own = "".join(f"    {line}\n" if at else f"{line}\n" for at, line in enumerate(own.splitlines()))
    old = f"class Runner:\n    def load(self):\n        start(self)\n{own}        end(self)\n"
    new = "class Runner:\n    def load(self):\n        start(self)\n        load_scales(model=self.model, args=self.args)\n        end(self)\n"

    def told(word: str) -> list[str]:
        callee = f"def load_scales(*, model, args):\n{body.format('model', word)}"
        found = read({"engine/runner.py": old}, {"engine/runner.py": new, "engine/loading.py": callee})
        return [one.kind for one in found if one.kind.startswith("guard")]

    assert told("loading") == [], "the attribute is a parameter there"
    assert told("dividing and moving") == ["guard_removed"], "another check, in other words"


def test_checks_that_stay_as_they_are_within_another_branch_are_not_paired_with_each_other() -> None:
    asked = (
        "            if params.task is None:\n                if not tasks:\n                    raise ValueError('Pooling tasks are not supported')\n"
        "                params.task = tasks[0]\n            if params.task not in tasks:\n                raise ValueError(f'Unsupported task {params.task}')\n"
    )
    old = f"        if isinstance(params, Pooling):\n{asked}            return\n        self.check(params)\n"
    new = f"        if isinstance(params, Sampling):\n            params.verify()\n        elif isinstance(params, Pooling):\n{asked}"
    text = "class Processor:\n    def _validate_params(self, params, tasks):\n{}\n"
    assert facts_of(facts, file_of("vllm/v1/engine/processor.py", text.format(old), text.format(new))) == []


def test_a_check_under_two_conditions_is_the_one_that_joins_them_in_another_method() -> None:
    head = (
        "class ServerArgs:\n    split: bool = False\n    chips: int = 1\n\n    def check(self):\n        self.a = 1\n"
    )
    nested = "        if self.split:\n            if self.chips == 1:\n                raise ValueError('one chip cannot be split')\n"
    joined = "        self._validate_split()\n\n    def _validate_split(self):\n        if {}:\n            raise ValueError('splitting asks for more of them')\n"
    path = "engine/server_args.py"

    def told(asked: str) -> list[str]:
        after = head + joined.format(asked)
        return [one.kind for one in read({path: head + nested}, {path: after}) if one.kind.startswith("guard")]

    assert told("self.split and self.chips == 1") == told("not (self.chips != 1 or not self.split)") == []
    assert told("self.split and self.chips == 3") != []


PICKED = "def select(config):\n    for backend in config.backends:\n        if backend.supports(config):\n            return backend\n"
UNSERVED = "raise NotImplementedError('No backend supports this configuration.')\n"


def test_an_error_that_was_raised_in_every_case_and_is_in_one_now_turns_fewer_away() -> None:
    before = f"{PICKED}    {UNSERVED}"
    eased = (
        f"{PICKED}    if config.platform.is_cuda() or config.platform.is_rocm():\n        {UNSERVED}    return None\n"
    )
    (fact,) = facts_of(facts, file_of(PATH, before, eased))
    assert fact[0] == "guard_widened"
    assert "raise NotImplementedError" in str(fact)
    earlier = f"def select(config):\n    if config.platform.is_cuda():\n        {UNSERVED}{PICKED.partition(':')[2][1:]}    {UNSERVED}"
    assert [one[0] for one in facts_of(facts, file_of(PATH, before, earlier))] == ["guard_added"]
