"""Reach of exported names: only what somebody outside could use before is gone, and only then."""

from __future__ import annotations

import pytest

from daybreak.findings import read

CARGO = '[package]\nname = "a"\nversion = "1.0.0"\n'
GONE, STAYS = "pub fn a(x: u8) {}\npub fn b(x: u8) {}\n", "pub fn b(x: u8) {}\n"
Files = dict[str, str]


def told(before: Files, after: Files) -> list[tuple[str, str, bool]]:
    return [(f.kind, f.symbol, f.breaking) for f in read(before, after)]


def rust(library: str, path: str = "src/inner.rs", **more: str) -> tuple[Files, Files]:
    rest = {"Cargo.toml": CARGO, "src/lib.rs": library} | {f"src/{name}.rs": text for name, text in more.items()}
    return rest | {path: GONE}, rest | {path: STAYS}


def test_a_name_of_a_public_module_is_gone() -> None:
    assert told(*rust("pub mod inner;\n")) == [("symbol_removed", "a", True)]


def test_a_name_of_a_private_module_was_never_there() -> None:
    assert told(*rust("mod inner;\n")) == []


@pytest.mark.parametrize("line", ["pub use inner::a;", "pub use inner::{a, b};", "pub use crate::inner::*;"])
def test_a_private_module_whose_name_is_handed_on_counts(line: str) -> None:
    assert told(*rust(f"mod inner;\n{line}\n")) == [("symbol_removed", "a", True)]


def test_modules_within_a_macro_that_only_wraps_items_count() -> None:
    assert told(*rust("cfg_rt! {\n    pub mod inner;\n}\n")) == [("symbol_removed", "a", True)]


def test_the_gate_of_a_macro_is_told_as_the_condition_that_the_macro_sets() -> None:
    macro = 'macro_rules! cfg_x {\n    ($($item:item)*) => {\n        $( #[cfg(feature = "x")] $item )*\n    }\n}\n'
    rest = {"Cargo.toml": CARGO, "src/lib.rs": "pub mod inner;\n", "src/macros/cfg.rs": macro}
    for name, gate in (("cfg_x", '#[cfg(feature = "x")]'), ("cfg_y", "cfg_y!")):
        text = f"{STAYS}{name}! {{\n    pub fn a(x: u8) {{}}\n}}\n"
        found = read(rest | {"src/inner.rs": STAYS}, rest | {"src/inner.rs": text})
        assert [(f.kind, f.symbol, f.after) for f in found] == [("symbol_gated_added", "a", gate)]


def test_a_crate_without_a_library_offers_nothing() -> None:
    rest = {"Cargo.toml": CARGO, "src/main.rs": "mod inner;\n"}
    assert told(rest | {"src/inner.rs": GONE}, rest | {"src/inner.rs": STAYS}) == []


def test_names_of_a_program_break_nobody() -> None:
    before, after = rust("pub mod inner;\n", main="fn main() {}\n")
    assert told(before, after) == [("symbol_removed", "a", False)]


GO_GONE, GO_STAYS = "package p\n\nfunc A() {}\n\nfunc B() {}\n", "package p\n\nfunc B() {}\n"


def go(path: str = "p/p.go", **more: str) -> tuple[Files, Files]:
    rest = {"go.mod": "module example.com/a\n\ngo 1.25\n"} | {
        name.replace("__", "/") + ".go": t for name, t in more.items()
    }
    return rest | {path: GO_GONE}, rest | {path: GO_STAYS}


def test_a_name_of_a_library_of_go_is_gone() -> None:
    assert told(*go()) == [("symbol_removed", "A", True)]


def test_what_is_internal_was_never_there() -> None:
    assert told(*go("internal/p/p.go")) == []


def test_names_of_a_module_of_programs_break_nobody() -> None:
    assert told(*go(cmd__a__main="package main\n\nfunc main() {}\n")) == [("symbol_removed", "A", False)]


def test_a_name_that_another_file_of_the_package_declares_is_not_gone() -> None:
    assert told(*go(p__p_windows="package p\n\nfunc A() {}\n")) == []


TS_GONE, TS_STAYS = "export function a(): void {}\nexport const b = 1;\n", "export const b = 1;\n"


def npm(package: str, **more: str) -> tuple[Files, Files]:
    rest = {"package.json": package} | {name.replace("__", "/") + ".ts": text for name, text in more.items()}
    return rest | {"src/deep/x.ts": TS_GONE}, rest | {"src/deep/x.ts": TS_STAYS}


def test_a_private_package_offers_nothing() -> None:
    assert told(*npm('{"name": "a", "private": true}')) == []


def test_only_what_the_index_hands_on_counts() -> None:
    open_, closed = "export * from './deep';\n", "export { c } from './other';\n"
    assert told(*npm('{"name": "a"}', src__index=closed)) == []
    assert told(*npm('{"name": "a"}', src__index=open_, src__deep__index="export * from './x';\n")) == [
        ("symbol_removed", "a", True)
    ]
    assert told(*npm('{"name": "a"}', src__index=open_, src__deep__index="export * from './y';\n")) == []


# --- manifests -----------------------------------------------------------------------------------------------------


def test_manifests_of_go() -> None:
    before = "module a\n\ngo 1.24\n\nrequire (\n\tx.org/y v1.0.0\n\tx.org/z v1.0.0 // indirect\n)\n"
    after = "module a\n\ngo 1.25\n\nrequire (\n\tx.org/y v2.0.0\n\tx.org/z v1.1.0 // indirect\n)\n\nreplace x.org/y => ../y\n"
    found = [(f.kind, f.symbol, f.before, f.after) for f in read({"go.mod": before}, {"go.mod": after})]
    assert sorted(found) == [
        ("dependency_changed", "x.org/y", "v1.0.0", "v2.0.0"),
        ("toolchain_required_changed", "Go", "1.24", "1.25"),
    ]


def test_a_module_that_its_own_version_replaces_is_asked_for_in_that_version() -> None:
    required = "module a\n\ngo 1.25\n\nrequire x.org/y v1.0.0\n"
    for source, expected in (("x.org/y v1.0.1", "v1.0.1"), ("fork.org/y v2.0.0", "=> fork.org/y v2.0.0")):
        (found,) = read({"go.mod": required}, {"go.mod": f"{required}\nreplace x.org/y => {source}\n"})
        assert (found.symbol, found.after) == ("x.org/y", expected)


def test_manifests_of_npm() -> None:
    before = '{"dependencies": {"a": "^1.0"}, "devDependencies": {"t": "1"}, "engines": {"node": ">=18"}}'
    after = '{"dependencies": {"a": "^2.0", "w": "workspace:*"}, "devDependencies": {"t": "2"}, "engines": {"node": ">=20"}}'
    found = [(f.kind, f.symbol, f.before, f.after) for f in read({"package.json": before}, {"package.json": after})]
    assert sorted(found) == [
        ("dependency_changed", "a", "^1.0", "^2.0"),
        ("toolchain_required_changed", "node", ">=18", ">=20"),
    ]


def test_a_dependency_that_moved_to_the_workspace_is_not_dropped() -> None:
    root = '[workspace]\nmembers = ["a"]\n\n[workspace.dependencies]\n'
    for already in ("", 'serde = "1.0"\n'):
        before = {"Cargo.toml": root + already, "a/Cargo.toml": CARGO + '\n[dependencies]\nserde = "1.0"\n'}
        after = {
            "Cargo.toml": root + 'serde = "1.0"\n',
            "a/Cargo.toml": CARGO + "\n[dependencies]\nserde = { workspace = true }\n",
        }
        assert told(before, after) == []


def test_a_raised_rust_asks_something_of_users() -> None:
    before, after = (CARGO + f'rust-version = "{version}"\n' for version in ("1.70", "1.71"))
    assert told({"Cargo.toml": before}, {"Cargo.toml": after}) == [("toolchain_required_changed", "rust", True)]
    assert told({"Cargo.toml": after}, {"Cargo.toml": before}) == [("toolchain_required_changed", "rust", False)]


FRONT = "try:\n    from ._C import (\n        # GEMMs\n        gemm, other,\n    )\nexcept ImportError:\n    pass\n"


def native(front: str, *arguments: str) -> Files:
    args = ", ".join(f'py::arg("{one}")' + (" = 1" if one == "n" else "") for one in arguments)
    return {"kit/__init__.py": front, "csrc/api.hpp": f'm.def("gemm", &gemm, {args});\n' if args else "\n"}


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (("a", "layout", "n"), [("parameter_renamed", "gemm(rows)", True)]),
        (("a", "n", "rows"), [("parameter_moved", "gemm", True)]),
        (("a", "rows", "n"), []),
        (("a", "rows", "n", "m"), [("parameter_required_added", "gemm(m)", True)]),
    ],
)
def test_a_native_function_that_a_package_hands_on_is_a_function_of_it(
    now: tuple[str, ...], expected: list[tuple[str, str, bool]]
) -> None:
    assert told(native(FRONT, "a", "rows", "n"), native(FRONT, *now)) == expected


def test_a_native_function_that_no_package_takes_is_the_project_s_own() -> None:
    before, after = (
        native("from .api import gemm\n", "a", "rows"),
        native("from .api import gemm\n", "a", "layout", "m"),
    )
    wrapped = {"kit/api.py": "def gemm(*args):\n    return run(*args)\n"}
    assert told(before | wrapped, after | wrapped) == [("operator_changed", "gemm", False)]


def test_a_native_function_that_a_package_wraps_from_now_on_is_called_as_before() -> None:
    front = {"kit/__init__.py": "from .api import gemm\n", "kit/api.py": "def gemm(a):\n    return _C.gemm(a, 0)\n"}
    found = told(native("from ._C import gemm\n", "a"), native("", "a", "rows") | front)
    assert [one for one in found if one[2]] == []


def test_a_native_function_that_a_package_no_longer_has_is_gone() -> None:
    assert told(native(FRONT, "a"), native("from ._C import other\n")) == [("function_removed", "gemm", True)]
