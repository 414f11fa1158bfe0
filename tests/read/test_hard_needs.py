"""An import or an extension without a way round is something that an environment must have."""

from __future__ import annotations

import pytest

from daybreak.findings import read

PATH = "engine/layers/quant.py"
SOFT = "import os\n\ntry:\n    from fastgemm.layer import Method\nexcept ImportError:\n    Method = None\n\n\ndef run(x):\n    return Method\n"
HARD = "import os\n\nfrom fastgemm.layer import Method\n\n\ndef run(x):\n    return Method\n"


def _needs(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str]]:
    return [(f.kind, f.symbol) for f in read(before, after) if f.kind in ("import_required", "compiler_required")]


def test_an_import_whose_failure_was_caught_and_is_not_any_more_is_required() -> None:
    assert _needs({PATH: SOFT}, {PATH: HARD}) == [("import_required", "fastgemm")]
    gated = HARD.replace("from fastgemm", "if os.name:\n    from fastgemm")
    assert _needs({PATH: SOFT}, {PATH: gated}) == [("import_required", "fastgemm")]


@pytest.mark.parametrize(
    ("why", "before", "after"),
    [
        ("the other way round", HARD, SOFT),
        ("caught in other words", SOFT, SOFT.replace("ImportError", "ModuleNotFoundError")),
        ("an error took its place before", SOFT.replace("Method = None", "raise RuntimeError('no')"), HARD),
        ("a module of the project itself", SOFT.replace("fastgemm", "engine"), HARD.replace("fastgemm", "engine")),
        (
            "inside of the function that needs it",
            SOFT,
            "import os\n\n\ndef run(x):\n    from fastgemm.layer import Method\n    return Method\n",
        ),
        ("for type checkers alone", SOFT, HARD.replace("from fastgemm", "if TYPE_CHECKING:\n    from fastgemm")),
    ],
)
def test_nothing_is_said_where_a_way_round_is_left(why: str, before: str, after: str) -> None:
    assert _needs({PATH: before}, {PATH: after}) == [], why


@pytest.mark.parametrize(
    ("old", "new", "more", "found"),
    [
        ("fastgemm.layer", "quickgemm", {}, [("import_replaced", "fastgemm")]),
        ("fastgemm", "quickgemm", {"requirements.txt": "quick-gemm\nquickgemm>=1\n"}, []),
        ("fastgemm", "engine.quick", {}, []),
        ("fastgemm", "fastgemm.quick", {}, []),
        ("queue", "quickgemm", {}, []),
        ("fastgemm", "oldone", {}, []),
    ],
    ids=["another package", "installed with it", "its own", "the same", "of the language", "one that it had"],
)
def test_a_name_from_another_package_needs_that_package(
    old: str, new: str, more: dict[str, str], found: list[tuple[str, str]]
) -> None:
    text = "import oldone\ntry:\n    from {} import Method, Engine\nexcept ImportError as e:\n    error = e\n"
    told = read({PATH: text.format(old)}, {PATH: text.format(new)} | more)
    assert [(f.kind, f.symbol) for f in told if f.kind == "import_replaced" and f.breaking] == found


IMPORTS = "from {} import norm\n"
CAUGHT = "try:\n    from {} import norm\nexcept ImportError:\n    norm = None\n"
TYPED = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from {} import norm\n"
QUOTED = '"""Use it so:\n\n    from {} import norm\n"""\n'


@pytest.mark.parametrize(
    ("why", "text", "old", "new", "beside"),
    [
        ("one installation gives both", IMPORTS, "attr", "attrs", {}),
        ("the project asks for it", IMPORTS, "scipy", "numpy", {"pyproject.toml": 'dependencies = ["numpy"]\n'}),
        ("a file had it", IMPORTS, "scipy", "numpy", {"engine/a.py": "import numpy as np\n"}),
        ("a package beside it", IMPORTS, "scipy", "tools_kit", {"tools_kit/norms.py": "a = 1\n"}),
        ("its lack has a way round", CAUGHT, "scipy", "cupy", {}),
        ("for type checkers alone", TYPED, "scipy", "cupy", {}),
        ("in a text", QUOTED, "scipy", "cupy", {}),
    ],
)
def test_a_package_that_is_there_or_can_be_missing_is_not_asked_for_anew(
    why: str, text: str, old: str, new: str, beside: dict[str, str]
) -> None:
    told = read({PATH: text.format(old)} | beside, {PATH: text.format(new)} | beside)
    assert [f.kind for f in told if f.kind == "import_replaced"] == [], why
    if text != IMPORTS:
        return
    told = read({PATH: text.format("scipy")}, {PATH: text.format("cupy")})
    assert [f.kind for f in told if f.kind == "import_replaced"] == ["import_replaced"]


CACHE = "engine/cache/radix.py"
NATIVE = "engine/cache/native_hash.py"
BUILT = 'def get():\n    from torch.utils.cpp_extension import load\n\n    return load(name="hash_cpp", sources=["hash.cpp"], extra_ldflags=["-lcrypto"])\n'
USES = "from engine.cache.native_hash import get\n\n\ndef key(x):\n    return get()(x)\n"


def test_an_extension_that_code_takes_which_was_there_needs_a_compiler() -> None:
    before = {CACHE: "import hashlib\n\n\ndef key(x):\n    return hashlib.sha256(x)\n"}
    assert _needs(before, {CACHE: USES, NATIVE: BUILT}) == [("compiler_required", "hash_cpp")]
    raised = (
        BUILT.replace("    return load", "    try:\n        return load").rstrip()
        + "\n    except Exception as e:\n        raise RuntimeError('no') from e\n"
    )
    assert _needs(before, {CACHE: USES, NATIVE: raised}) == [("compiler_required", "hash_cpp")]


def test_an_extension_with_a_way_round_or_that_nobody_takes_needs_none() -> None:
    before = {CACHE: "import hashlib\n\n\ndef key(x):\n    return hashlib.sha256(x)\n"}
    caught = (
        BUILT.replace("    return load", "    try:\n        return load").rstrip()
        + "\n    except Exception:\n        return None\n"
    )
    assert _needs(before, {CACHE: USES, NATIVE: caught}) == []
    assert _needs(before, {**before, NATIVE: BUILT}) == []
    assert _needs({CACHE: USES, NATIVE: BUILT}, {CACHE: USES + "x = 1\n", NATIVE: BUILT + "x = 1\n"}) == []


def test_a_package_that_had_to_be_there_before_is_not_required_anew() -> None:
    there = "if is_there():\n    from fastgemm import quantize\n"
    lazy = f"{there}\n\ndef run(x):\n    from fastgemm import matmul\n\n    return matmul(x)\n"
    assert _needs({PATH: f"{there}{SOFT}"}, {PATH: lazy}) == []


ASSERTS = 'import os\n\n\ndef start():\n    assert_pkg_version(\n        "fastgemm",\n        "{}",\n        "Install the newest.",\n    )\n'


@pytest.mark.parametrize(
    ("was", "now", "told"), [("0.6.4", "0.6.6", [("fastgemm", "0.6.4", "0.6.6")]), ("0.6.6", "0.6.4", [])]
)
def test_a_higher_version_that_the_program_asserts_shuts_older_ones_out(
    was: str, now: str, told: list[tuple[str, str, str]]
) -> None:
    found = read({"engine/run.py": ASSERTS.format(was)}, {"engine/run.py": ASSERTS.format(now)})
    assert [(f.symbol, f.before, f.after) for f in found if f.kind == "version_asserted" and f.breaking] == told
