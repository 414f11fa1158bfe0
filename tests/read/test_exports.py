"""Rust, Go and TypeScript: tables of before, after and exactly the findings that must come out, and laws over them."""

from __future__ import annotations

import time
from types import ModuleType

import pytest

from daybreak.findings.compare import SURFACES, read_surface
from daybreak.findings.languages import go, grammar, rust, typescript
from daybreak.findings.languages.grammar import DEEPEST, LARGEST
from read.offers import Told, facts_of, told
from timing import beside

KEYS = {language.name: language.key for language in SURFACES}
RUST, GO, TS = "src/api/lib.rs", "store/store.go", "src/index.ts"
READERS: dict[str, ModuleType] = {RUST: rust, GO: go, TS: typescript}

RUST_CASES: dict[str, tuple[str, str, list[Told]]] = {
    "a function went": ("pub fn a() {}\npub fn b() {}\n", "pub fn b() {}\n", [("symbol_removed", "a", "fn a()", None, True)]),
    "one that only the crate sees went": ("pub(crate) fn a() {}\nfn b() {}\n", "\n", []),
    "a function came": ("\n", "pub fn a(x: u8) -> u8 { x }\n", [("symbol_added", "a", None, "fn a(x: u8) -> u8", False)]),
    "another name, the same body": (
        "pub fn a(x: u8) -> u8 { let y = x * 3; y + 1 }\n",
        "pub fn b(x: u8) -> u8 { let y = x * 3; y + 1 }\n",
        [("symbol_renamed", "a", "a", "b", True)],
    ),
    "a further parameter": (
        "pub fn a(x: u8) {}\n", "pub fn a(x: u8, y: &str) {}\n",
        [("symbol_signature_changed", "a", "fn a(x: u8)", "fn a(x: u8, y: &str)", True)],
    ),
    "what it returns": (
        "pub fn a() -> u8 { 1 }\n", "pub fn a() -> Option<u8> { None }\n",
        [("symbol_signature_changed", "a", "fn a() -> u8", "fn a() -> Option<u8>", True)],
    ),
    "names of parameters, lifetimes, type parameters and paths": (
        "pub fn a<'a, T: Clone>(x: &'a T, y: io::Error) -> fmt::Result { f() }\n",
        "pub fn a<'b, U: Clone>(z: &'b U, mut y: std::io::Error) -> std::fmt::Result { g() }\n",
        [],
    ),
    "bounds in another place, a result by its short name": (
        "pub fn a<Q: ?Sized>(x: &Q) -> Result<u8, io::Error> where Q: Hash + Eq { f() }\n",
        "pub fn a<Q>(x: &Q) -> io::Result<u8> where Q: Eq + ?Sized + Hash { f() }\n",
        [],
    ),
    "more kinds of functions are taken": (
        "pub fn a(f: impl Fn(u8)) {}\n", "pub fn a(f: impl FnOnce(u8)) {}\n",
        [("symbol_signature_changed", "a", "fn a(f: impl Fn(u8))", "fn a(f: impl FnOnce(u8))", False)],
    ),
    "fewer kinds of functions are taken": (
        "pub fn a(f: impl FnOnce(u8)) {}\n", "pub fn a(f: impl Fn(u8)) {}\n",
        [("symbol_signature_changed", "a", "fn a(f: impl FnOnce(u8))", "fn a(f: impl Fn(u8))", True)],
    ),
    "hidden now, but there": ("pub fn a() {}\n", "#[doc(hidden)]\npub fn a() {}\n", []),
    "nothing is promised of what is unstable": (
        "#[cfg(tokio_unstable)]\npub fn a() {}\n", "\n",
        [("symbol_removed", "a", "#[cfg(tokio_unstable)] fn a()", None, False)],
    ),
    "what is behind a feature is told with it": (
        "\n", '#[cfg(feature = "x")]\npub fn a() {}\n',
        [("symbol_gated_added", "a", None, '#[cfg(feature = "x")]', False)],
    ),
    "what is behind a feature that a module, a type's part or the macro around says": (
        "pub struct A;\n",
        'pub struct A;\n#[cfg(feature = "x")]\npub mod m {\n    pub fn a() {}\n}\n#[cfg(unix)]\nimpl A {\n    #[cfg(feature = "y")]\n    pub fn b() {}\n}\ncfg_z! {\n    pub fn c() {}\n}\nfeature! {\n    #![cfg(feature = "w")]\n    pub fn d() {}\n}\n',
        [
            ("symbol_gated_added", "A::b", None, '#[cfg(unix)] #[cfg(feature = "y")]', False),
            ("symbol_gated_added", "c", None, "cfg_z!", False),
            ("symbol_gated_added", "d", None, '#[cfg(feature = "w")]', False),
            ("symbol_gated_added", "m::a", None, '#[cfg(feature = "x")]', False),
        ],
    ),
    "what a macro wraps among the methods of a type": (
        "pub struct A;\nimpl A {\n}\n", "pub struct A;\nimpl A {\n    feature! {\n        #![any(z, unix)]\n        pub fn b(&self) {}\n    }\n}\n",
        [("symbol_gated_added", "A::b", None, "#[cfg(any(z, unix))]", False)],
    ),
    "what only the project's own checks lack is there for everybody": (
        "\n", "#[cfg(not(loom))]\npub fn a() {}\n", [("symbol_added", "a", None, "fn a()", False)],
    ),
    "a method of a type": (
        "pub struct A;\nimpl A { pub fn m(&self) {} fn n(&self) {} }\n", "pub struct A;\nimpl A { fn n(&self) {} }\n",
        [("symbol_removed", "A::m", "fn m(&self)", None, True)],
    ),
    "a type with all that it has is told once": (
        "pub struct A { pub x: u8 }\nimpl A { pub fn m(&self) {} }\n", "\n", [("symbol_removed", "A", "struct A", None, True)],
    ),
    "a field and a variant": (
        "pub struct A { pub x: u8, y: u8 }\npub enum E { B, C(u8) }\n", "pub struct A { y: u8 }\npub enum E { B }\n",
        [("symbol_removed", "A.x", "x: u8", None, True), ("symbol_removed", "E::C", "C(u8)", None, True)],
    ),
    "what implementers must provide": (
        "pub trait T { fn a(&self); }\n", "pub trait T { fn a(&self); fn b(&self); fn c(&self) {} }\n",
        [("extension_method_added", "T::b", None, "fn b(&self)", True), ("symbol_added", "T::c", None, "fn c(&self)", False)],
    ),
    "a sealed trait has no implementers outside": (
        "pub trait T: private::Sealed { fn a(&self); }\n", "pub trait T: private::Sealed { fn a(&self); fn b(&self); }\n",
        [("symbol_added", "T::b", None, "fn b(&self)", False)],
    ),
    "within a macro that only wraps items": (
        "cfg_rt! {\n    pub fn a() {}\n    pub fn b(x: u8) {}\n}\n", "cfg_rt! {\n    pub fn b(x: u8) {}\n}\n",
        [("symbol_removed", "a", "cfg_rt! fn a()", None, True)],
    ),
    "tests": ('#[cfg(test)]\nmod tests {\n    pub fn a() { std::env::var("X_Y"); }\n}\n', "\n", []),
    "hidden from the documentation": ("#[doc(hidden)]\npub fn a() {}\n", "\n", []),
    "deprecated": ("pub fn a() {}\n", "#[deprecated]\npub fn a() {}\n", [("deprecated", "a", None, "fn a()", False)]),
    "generated": ("// @generated by prost\npub fn a() {}\n", "// @generated by prost\n\n\n", []),
    "a name that is handed on from elsewhere": ("pub fn a() {}\n", "pub use other::a;\n", []),
    "a flag of clap": (
        "#[derive(Parser)]\nstruct A {\n    #[arg(long, default_value_t = 3)]\n    max_size: u32,\n    #[arg(long)]\n    old: bool,\n}\n",
        "#[derive(Parser)]\nstruct A {\n    #[arg(long, default_value_t = 4)]\n    max_size: u32,\n}\n",
        [("cli_default_changed", "--max-size", "3", "4", False), ("cli_flag_removed", "--old", "--old", None, True)],
    ),
    "a flag that was known in order to be refused": (
        "#[derive(Parser)]\nstruct A {\n    #[arg(long)]\n    old: Option<Unsupported>,\n}\n", "#[derive(Parser)]\nstruct A {\n}\n", [],
    ),
    "values of a flag": (
        "#[derive(ValueEnum)]\nenum M { FastOne, Slow }\n#[derive(Args)]\nstruct A {\n    #[arg(long, value_enum)]\n    mode: M,\n}\n",
        "#[derive(ValueEnum)]\nenum M { FastOne }\n#[derive(Args)]\nstruct A {\n    #[arg(long, value_enum)]\n    mode: M,\n}\n",
        [("cli_choices_changed", "--mode", '["fast-one", "slow"]', '["fast-one"]', True)],
    ),
    "a variable": (
        'fn a() { std::env::var("API_HOME"); }\n', "fn a() {}\n", [("env_read_removed", "API_HOME", "API_HOME", None, True)],
    ),
    "a route": (
        'fn a() { r.route("/a", get(x)).route("/b", post(y)); }\n', 'fn a() { r.route("/a", get(x)); }\n',
        [("route_removed", "/b", "/b", None, True)],
    ),
    "a metric": (
        'fn a() { describe_counter!("smg_requests_total", "Requests."); }\n', "fn a() {}\n",
        [("metric_removed", "smg_requests_total", "smg_requests_total", None, True)],
    ),
    "a setting by another name in the file": (
        '#[derive(Deserialize)]\nstruct AppConfig {\n    #[serde(rename = "a-b")]\n    x: u8,\n}\n',
        '#[derive(Deserialize)]\nstruct AppConfig {\n    #[serde(rename = "a_b")]\n    x: u8,\n}\n',
        [("field_renamed", "AppConfig.a-b", "a-b", "a_b", True)],
    ),
    "a field of a file that others write": (
        "/// Minimal subset of `config.json`.\n#[derive(Deserialize)]\n#[serde(default)]\nstruct ModelConfig {\n    a: u8,\n    b: u8,\n}\n",
        "/// Minimal subset of `config.json`.\n#[derive(Deserialize)]\n#[serde(default)]\nstruct ModelConfig {\n    a: u8,\n}\n",
        [],
    ),
    "a field of the program's own file": (
        "/// Settings of the program.\n#[derive(Deserialize)]\nstruct AppConfig {\n    a: u8,\n    b: u8,\n}\n",
        "/// Settings of the program.\n#[derive(Deserialize)]\nstruct AppConfig {\n    a: u8,\n}\n",
        [("field_removed", "AppConfig.b", "b", None, True)],
    ),
    "a field of a request": (
        "#[derive(Deserialize)]\nstruct ChatRequest { model: String, n: Option<u8> }\n",
        "#[derive(Deserialize)]\nstruct ChatRequest { model: String, top: u8 }\n",
        [("request_field_required_added", "ChatRequest.top", None, "ChatRequest.top", True),
         ("request_field_removed", "ChatRequest.n", "ChatRequest.n", None, True)],
    ),
}  # fmt: skip

GO_CASES: dict[str, tuple[str, str, list[Told]]] = {
    "a function went": ("func A() {}\nfunc b() {}\n", "func b() {}\n", [("symbol_removed", "A", "func A()", None, True)]),
    "what is not exported": ("func a() {}\ntype t struct{ X int }\nfunc (t t) M() {}\n", "\n", []),
    "a method": (
        "type T struct{}\nfunc (t *T) M() {}\n", "type T struct{}\n", [("symbol_removed", "T.M", "func (t *T) M()", None, True)],
    ),
    "names of parameters and how they are grouped": (
        "func A(a, b int) (n int, err error) { return }\n", "func A(x int, y int) (int, error) { return 0, nil }\n", [],
    ),
    "a further parameter": (
        "func A(a int) {}\n", "func A(a int, b string) {}\n",
        [("symbol_signature_changed", "A", "func A(a int)", "func A(a int, b string)", True)],
    ),
    "one that need not be given": (
        "func A(a int) {}\n", "func A(a int, o ...Option) {}\n",
        [("symbol_signature_changed", "A", "func A(a int)", "func A(a int, o ...Option)", False)],
    ),
    "what implementers must provide": (
        "type I interface {\n\tA() error\n}\n", "type I interface {\n\tA() error\n\tB(x int)\n}\n",
        [("extension_method_added", "I.B", None, "B(x int)", True)],
    ),
    "an interface that nobody outside can implement": (
        "type I interface {\n\tA()\n\tb()\n}\n", "type I interface {\n\tA()\n\tb()\n\tC()\n}\n",
        [("symbol_added", "I.C", None, "C()", False)],
    ),
    "a constant": ("const Port = 80\n", "const Port = 81\n", [("symbol_changed", "Port", "80", "81", False)]),
    "deprecated": (
        "func A() {}\n", "// A does.\n//\n// Deprecated: use B.\nfunc A() {}\n", [("deprecated", "A", None, "func A()", False)],
    ),
    "settings of a file": (
        'type Config struct {\n\tA int `yaml:"a_x"`\n\tB int `yaml:"b,omitempty"`\n}\n',
        'type Config struct {\n\tA int `yaml:"a_y"`\n\tC int `yaml:"c"`\n}\n',
        [("field_added", "Config.c", None, "c", False), ("field_removed", "Config.b", "b", None, True),
         ("field_renamed", "Config.a_x", "a_x", "a_y", True),
         ("symbol_added", "Config.C", None, "C int", False), ("symbol_removed", "Config.B", "B int", None, True)],
    ),
    "flags of the standard library": (
        'func a() { fs.StringVar(&x, "addr", ":80", "where"); fs.Bool("old", false, "gone") }\n',
        'func a() { fs.StringVar(&x, "addr", ":81", "where") }\n',
        [("cli_default_changed", "--addr", '":80"', '":81"', False), ("cli_flag_removed", "--old", "--old", None, True)],
    ),
    "flags of cobra": (
        'func a() { c.Flags().BoolVarP(&x, "dry", "d", false, "try") }\n', 'func a() { c.Flags().BoolVarP(&x, "dry", "d", true, "try") }\n',
        [("cli_default_changed", "--dry", "false", "true", False)],
    ),
    "flags of kingpin": (
        'func a() { a.Flag("web.x", "Say.").Default("1").StringVar(&x) }\n', 'func a() { a.Flag("web.x", "Say.").Default("2").StringVar(&x) }\n',
        [("cli_default_changed", "--web.x", '"1"', '"2"', False)],
    ),
    "a variable": (
        'func a() { os.LookupEnv("STORE_HOME") }\n', "func a() {}\n", [("env_read_removed", "STORE_HOME", "STORE_HOME", None, True)],
    ),
    "a route": (
        'func a() { mux.HandleFunc("/a", h) }\n', "func a() {}\n", [("route_removed", "/a", "/a", None, True)],
    ),
    "what a client asks for is no route": ('func a() { client.Get("/a", nil) }\n', "func a() {}\n", []),
    "a metric by its parts": (
        'const ns = "app"\nvar c = prometheus.NewCounter(prometheus.CounterOpts{\n\tNamespace: ns,\n\tName: "x_total",\n\tHelp: "Xs.",\n})\n',
        'const ns = "app"\nvar c = prometheus.NewCounter(prometheus.CounterOpts{\n\tNamespace: ns,\n\tName: "y_total",\n\tHelp: "Xs.",\n})\n',
        [("metric_renamed", "app_x_total", "app_x_total", "app_y_total", True)],
    ),
}  # fmt: skip
GO_CASES = {name: ("package store\n\n" + a, "package store\n\n" + b, c) for name, (a, b, c) in GO_CASES.items()}
GO_CASES |= {
    "a program exports nothing": ("package main\n\nfunc A() {}\n", "package main\n\n", []),
    "generated": ("// Code generated by x. DO NOT EDIT.\npackage a\n\nfunc A() {}\n", "// Code generated by x. DO NOT EDIT.\npackage a\n\nvar b = 1\n", []),
}  # fmt: skip

TS_CASES: dict[str, tuple[str, str, list[Told]]] = {
    "a function went": (
        "export function a(): void {}\nfunction b(): void {}\n", "function b(): void {}\n",
        [("symbol_removed", "a", "function a(): void", None, True)],
    ),
    "what is not exported": ("function a() {}\nclass B { m() {} }\n", "const c = 1\n", []),
    "another type of a parameter": (
        "export function a(x: string): void {}\n", "export function a(y: number): void {}\n",
        [("symbol_signature_changed", "a", "function a(x: string): void", "function a(y: number): void", True)],
    ),
    "a further parameter that need not be given": (
        "export const a = (x: string): void => {}\n", "export const a = (x: string, y?: number): void => {}\n",
        [("symbol_signature_changed", "a", "a = (x: string): void", "a = (x: string, y?: number): void", False)],
    ),
    "a member of a class": (
        "export class A {\n  m(): void {}\n  private p(): void {}\n}\n", "export class A {\n}\n",
        [("symbol_removed", "A.m", "m(): void", None, True)],
    ),
    "a member of an enum": ("export enum E { A, B = 2 }\n", "export enum E { A }\n", [("symbol_removed", "E.B", "B = 2", None, True)]),
    "exported by a list": (
        "function a(): void {}\nexport { a, b as c };\n", "function a(): void {}\nexport { a };\n",
        [("symbol_removed", "c", "export c", None, True)],
    ),
    "deprecated": (
        "export function a(): void {}\n", "/** @deprecated use b */\nexport function a(): void {}\n",
        [("deprecated", "a", None, "function a(): void", False)],
    ),
    "flags of commander": (
        'p.option("-p, --port <n>", "Port", "80");\n', 'p.option("-p, --port <n>", "Port", "81");\n',
        [("cli_default_changed", "--port", '"80"', '"81"', False)],
    ),
    "flags of yargs": (
        'y.option("port", { default: 80, describe: "Port" });\n', 'y.option("ports", { default: 80, describe: "Port" });\n',
        [("cli_flag_renamed", "--port", "--port", "--ports", True)],
    ),
    "a variable": (
        'const a = process.env.APP_HOME ?? "x";\n', 'const a = process.env.APP_HOME ?? "y";\n',
        [("env_default_changed", "APP_HOME", "x", "y", False)],
    ),
    "a route": ('app.get("/a", h);\n', "let x = 1;\n", [("route_removed", "/a", "/a", None, True)]),
    "a metric": (
        'new Counter({ name: "x_total", help: "Xs." });\n', "let x = 1;\n", [("metric_removed", "x_total", "x_total", None, True)],
    ),
}  # fmt: skip
EVERY = [
    (path, name, *case)
    for path, cases in ((RUST, RUST_CASES), (GO, GO_CASES), (TS, TS_CASES))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("path", "name", "before", "after", "expected"), EVERY)
def test_what_is_exported(path: str, name: str, before: str, after: str, expected: list[Told]) -> None:
    assert told(facts_of(READERS[path], {path: (before, after)})) == sorted(expected)


def _reformatted(path: str, text: str) -> str:
    """Other lines, blanks and comments."""
    lines = [
        f"{line}  // said" if line.strip() and "`" not in line and "//" not in line else line
        for line in text.split("\n")
    ]
    spread = "\n\n".join(lines)
    return spread if path == GO else spread.replace("(", "(\n").replace("{ ", "{\n  ")


@pytest.mark.parametrize(("path", "name", "before", "after", "expected"), EVERY)
def test_nothing_is_said_of_another_form(path: str, name: str, before: str, after: str, expected: list[Told]) -> None:
    for text in (before, after) if name != "deprecated" else (before,):  # a comment must stand right above
        again = _reformatted(path, text)
        assert facts_of(READERS[path], {path: (text, again)}) == []
        assert facts_of(READERS[path], {path: (again, text)}) == []


@pytest.mark.parametrize(("path", "name", "before", "after", "expected"), EVERY)
def test_a_change_and_its_undoing_end_where_they_began(
    path: str, name: str, before: str, after: str, expected: list[Told]
) -> None:
    forth, back = facts_of(READERS[path], {path: (before, after)}), facts_of(READERS[path], {path: (after, before)})
    assert bool(back) == bool(expected) or name == "deprecated"
    assert {f.symbol for f in forth if f.after is None} <= {f.after or f.symbol for f in back} | {
        f.symbol for f in back
    }


def test_a_file_of_a_package_of_go_is_no_place_of_its_own() -> None:
    text = "package a\n\nfunc A(x int) {}\n"
    assert (
        facts_of(go, {"a/x.go": (text, "package a\n\nvar b = 1\n"), "a/y.go": ("package a\n\nvar c = 1\n", text)}) == []
    )


def tagged(*fields: str, form: str = "json") -> str:
    lines = [f'\t{name.title()} string `{form}:"{name}"`\n' for name in fields]
    return "package v\n\ntype ModelSpec struct {\n" + "".join(lines) + "}\n"


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_versions_of_an_interface_under_the_same_names_are_not_taken_for_each_other(form: str) -> None:
    first, second = tagged("name", "criticality", form=form), tagged("name", "confidential", form=form)
    more = tagged("name", "confidential", "status", form=form)
    files = {"pkg/apis/v1/types.go": (first, first + "\nfunc f() {}\n"), "pkg/apis/v2/types.go": (second, more)}
    found = [f for f in facts_of(go, files) if not f.kind.startswith("symbol")]
    assert [(f.path, f.kind.rpartition("_")[2], f.symbol) for f in found] == [
        ("pkg/apis/v2/types.go", "added", "ModelSpec.status")
    ]


def test_a_field_that_two_versions_lose_is_gone_from_both() -> None:
    files = {f"pkg/apis/{v}/types.go": (tagged("name", "criticality"), tagged("name")) for v in ("v1", "v2")}
    gone = [(f.path[9:11], f.symbol) for f in facts_of(go, files) if f.kind == "request_field_removed"]
    assert gone == [("v1", "ModelSpec.criticality"), ("v2", "ModelSpec.criticality")]


def test_a_name_in_another_place_moved() -> None:
    files = {"src/a.rs": ("pub fn f(x: u8) {}\n", "fn g() {}\n"), "src/b.rs": ("fn h() {}\n", "pub fn f(x: u8) {}\n")}
    assert told(facts_of(rust, files)) == [("symbol_moved", "f", "src/a.rs", "src/b.rs", True)]


@pytest.mark.parametrize(
    "path",
    [
        "pkg/a_test.go",
        "pkg/fixture/a.go",
        "testdata/a.go",
        "tests/a.rs",
        "benches/a.rs",
        "src/a.test.ts",
        "src/a.pb.go",
        "vendor/x/a.go",
        "examples/a.rs",
    ],
)
def test_what_is_not_shipped_offers_nothing(path: str) -> None:
    reader = {"go": go, "rs": rust, "ts": typescript}[path.rpartition(".")[2]]
    before = (
        "package a\n\nfunc A() {}\n"
        if reader is go
        else "pub fn a() {}\n"
        if reader is rust
        else "export const a = 1;\n"
    )
    after = "package a\n\nvar b = 1\n" if reader is go else "\n"
    assert facts_of(reader, {path: (before, after)}) == []


HOSTILE = [
    "(",
    "{",
    "[",
    "<",
    "{a:",
    "f<a,",
    '"',
    'r#"',
    "a(",
    "fn a(){",
    "func a(){",
    "mod a{",
    "x=>",
    "`${",
    "/*",
    "\x00",
    "é",
    "'",
]


@pytest.mark.parametrize("language", ["rust", "go", "typescript"])
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_sources_end_in_time_and_end_nothing_else(
    monkeypatch: pytest.MonkeyPatch, language: str, piece: str
) -> None:
    monkeypatch.setattr(grammar, "SECONDS", 0.1)
    path = {"rust": RUST, "go": GO, "typescript": TS}[language]
    began = time.process_time()
    for size in (2_000, LARGEST // 4, 10 << 20):
        read_surface(KEYS[language], path, piece * (size // len(piece)))
    assert time.process_time() - began < beside(15)


def test_a_source_that_is_nested_too_deep_is_named_not_read() -> None:
    deep = "pub fn a() {" + "{" * DEEPEST + "}" * DEEPEST + "}\n"
    assert read_surface(KEYS["rust"], RUST, deep).broken
    assert not read_surface(KEYS["rust"], RUST, "pub fn a() {" + "{" * 50 + "}" * 50 + "}\n").broken
