"""What comes by name: functions and classes that the title of a change is about, before the words about them."""

from __future__ import annotations

from analyse.test_gist import english
from daybreak.findings.reader import USUAL
from daybreak.findings.text_trees import reading_of
from daybreak.judge.gist import gist
from read.made import change_of, patch_of

CODE = "engine/cache.py"
BODY = "".join(f"    step_{n}(budget={n})\n" for n in range(12))
KEPT = '    """Holds prefixes of prompts, because many begin alike."""\n'
INNER = "".join(f"        step_{n}(budget={n})\n" for n in range(12))


def test_a_function_that_the_title_is_about_is_told_by_its_name_with_the_words_about_it() -> None:
    note = "    # Blocks of the prefix are shared, otherwise each request would hold a copy.\n"
    new = f"def share_prefix_blocks(x):\n{note}{BODY}"
    said = str(english({CODE: patch_of("", new)}, subject="Share blocks of a prefix"))
    assert said.startswith("Adds `share_prefix_blocks`; a comment says: “Blocks of the prefix are shared, otherwise")


def test_names_alone_say_nothing_and_with_words_the_one_that_these_are_of_is_named() -> None:
    said = '        """Gives the rows back, so that the next request finds them free."""\n'
    for words, expected in (
        (said, "Adds `drop_prefix`; a docstring says: “Gives the rows back, so that"),
        ("", "None"),
    ):
        new = f"class Cache:\n    def load_prefix(self):\n{INNER}\n    def drop_prefix(self):\n{words}{INNER}"
        told = english({CODE: patch_of("class Cache:\n", new)}, subject="Prefix in the cache can be dropped and loaded")
        assert str(told).startswith(expected)


def test_a_remark_that_tells_little_does_not_stand_behind_a_name() -> None:
    new = f"def share_prefix_blocks(\n    rows,  # Only used for prefix\n):\n{BODY}"
    assert english({CODE: patch_of("", new)}, subject="Share blocks of a prefix") is None


def test_a_new_class_stands_for_what_is_in_it() -> None:
    new = f"class PrefixCache:\n{KEPT}    def load_prefix(self):\n{INNER}"
    assert str(english({CODE: patch_of("", new)}, subject="Add a cache of prefixes")).startswith("Adds `PrefixCache`; ")


def test_what_comes_to_many_classes_is_told_once_with_them() -> None:
    files = {
        f"engine/models/{name.lower()}.py": patch_of(
            f"class {name}:\n", f"class {name}:\n    def capture_layers(self):\n{INNER}"
        )
        for name in ("One", "Two", "Three")
    }
    said = english(files, subject="Capture for more models")
    assert said == "Adds `capture_layers` to `One`, `Two` and `Three`"


def test_classes_that_are_built_on_another_one_are_told_with_both() -> None:
    old, new = f"class Fuse(Pass):\n{BODY}", f"class Fuse(Matcher):\n{BODY.replace('step', 'do')}"
    said = english({CODE: patch_of(old, new)}, subject="Refactor the fusion of activations")
    assert said == "`Fuse`: base `Pass` → `Matcher`"


def test_what_only_moved_and_tests_and_helpers_within_a_function_are_no_arrivals() -> None:
    head = f"def share_blocks(x):\n{BODY}"
    moved = {CODE: patch_of(head, ""), "engine/other.py": patch_of("", head)}
    assert "Adds" not in str(english(moved, subject="Share blocks elsewhere"))
    inner = f"def run(x):\n    def share_blocks(y):\n{INNER}"
    assert "share_blocks" not in str(english({CODE: patch_of("", inner)}, subject="Share blocks in a run"))


def test_what_is_put_right_is_not_told_by_a_helper_that_comes_with_it() -> None:
    note = "# A block could be freed twice, which corrupts the pool of blocks.\n"
    new = f"{note}def free_blocks_once(x):\n{BODY}"
    said = str(english({CODE: patch_of("", new)}, subject="Fix blocks freed twice"))
    assert said.startswith("A comment says: “A block could be freed twice")


def test_a_new_option_without_help_is_told_with_its_row_in_a_table_of_the_pages() -> None:
    row = "| `--slots` | Limits how many requests are held in memory before they are sent. | 8 |\n"
    patches = {
        "engine/server_args.py": patch_of("", 'p.add_argument("--slots", default=8)\n'),
        "docs/options.md": patch_of("", row),
    }
    said = str(english(patches, subject="Add an option for slots"))
    assert "`--slots`" in said
    assert "Limits how many requests are held in memory before they are sent." in said


def test_an_option_that_goes_is_told_with_what_it_was_for() -> None:
    help_ = "Limits how many requests are held in memory before they are sent."
    old = f'p.add_argument("--slots", default=8, help="{help_}")\n'
    said = str(english({"engine/server_args.py": patch_of(old, "")}, subject="Remove the option for slots"))
    assert "`--slots`" in said
    assert help_ in said


def test_a_default_that_is_a_digest_does_not_speak_before_the_words() -> None:
    one, two = "0f" * 20, "1e" * 20
    note = "# Heads of 512 are allowed, because the new kernels hold them in one block.\n"
    old = f'class Paths:\n    KERNELS: str = "{one}/fmha/"\n'
    new = f'class Paths:\n    {note}    KERNELS: str = "{two}/fmha/"\n'
    said = str(english({"engine/paths.py": patch_of(old, new)}, subject="Allow heads of 512"))
    assert "Heads of 512 are allowed" in said


def test_methods_that_go_are_told_before_what_comes() -> None:
    old = f"class Reducer:\n    def reduce_one(self):\n{INNER}\n    def reduce_all(self):\n{INNER}"
    new = f"class Reducer:\n    def _reduce_impl(self):\n{INNER.replace('budget', 'limit')}"
    for name in ("Reducer", "row_reducer"):
        sides = (text.replace("Reducer", name) for text in (old, new))
        said = str(english({CODE: patch_of(*sides)}, subject="Unify the reduce impl"))
        assert said.startswith(f"Removes `{name}.reduce_one` and `{name}.reduce_all`; adds `{name}._reduce_impl`")


def test_a_method_that_another_class_has_from_now_on_is_gone_where_it_was() -> None:
    old = f"class Inputs:\n    def from_rows(self, rows):\n{INNER}"
    new = f"class Inputs:\n    def from_output(self):\n{INNER}\nclass Output:\n    def from_rows(self):\n{INNER}"
    said = str(english({CODE: patch_of(old, new)}, subject="Inputs from an output"))
    assert said.startswith("Removes `Inputs.from_rows`; adds ")


def test_a_helper_within_a_method_whose_head_the_diff_does_not_show_is_no_member_of_the_class() -> None:
    gone = "        if kind:\n\n            def check_kind(one):\n                assert one\n\n            check_kind(kind)\n"
    beside = "\n        def ensure_kind(one):\n            return one\n"
    came = "".join(f"+{row}\n" for row in f"class PrefixCache:\n    def load_prefix(self):\n{INNER}".splitlines())
    for helper in (gone, beside):
        went = "".join(f"-{row}\n" for row in helper.splitlines())
        patch = (
            f"@@ -40,9 +40,2 @@ class Cache:\n         step_1(budget=1)\n{went}@@ -90,1 +90,14 @@\n step = 2\n{came}"
        )
        assert english({CODE: patch}, subject="Add a cache of prefixes") is None
    member = "-    def ensure_kind(self, one):\n-        return one\n"
    patch = f"@@ -40,3 +40,1 @@ class Cache:\n     size = 1\n{member}@@ -90,1 +90,14 @@\n step = 2\n{came}"
    assert (
        english({CODE: patch}, subject="Add a cache of prefixes") == "Removes `Cache.ensure_kind`; adds `PrefixCache`"
    )


def test_a_head_that_differs_by_its_name_alone_is_renamed_and_what_a_line_gives_anew_did_not_go() -> None:
    """The bodies stay where they are: nothing was removed."""
    body = [" {", "   load_rows(p);", "   store_rows(p);", " }"]
    wide = [
        "+",
        "+__global__ void fused_norm_wide(const Params p) {",
        *(f"+  step_{n}(p, budget[{n}]);" for n in range(12)),
        "+}",
    ]
    named = ["-__global__ void fused_norm(const Params p)", "+__global__ void fused_norm_warp(const Params p)"]
    kernel = [
        "-struct NormKernel {",
        "+struct NormKernelWarp {",
        "   void run();",
        " };",
        "+using NormKernel = Chosen<NormKernelWarp>;",
    ]
    patch = "\n".join(["@@ -1,7 +1,23 @@", *named, *body, *wide, " ", *kernel])
    said = str(english({"csrc/norm.cuh": patch}, subject="Fused norm for wide rows"))
    assert "Removes" not in said
    assert "`fused_norm` is `fused_norm_warp` from now on" in said
    assert "`fused_norm_wide`" in said


def in_whole_files(before: str, after: str, subject: str) -> str:
    change = change_of({CODE: patch_of(before, after)}, subject=subject)
    found = gist(change, reading_of({CODE: before}, {CODE: after}, "acme/engine", USUAL))
    return str(found and found.text["en"])


def test_what_the_file_still_takes_from_elsewhere_is_neither_gone_nor_renamed() -> None:
    head = "def plan_blocks(seqlens, heads):\n    return ops.plan(seqlens, heads)\n"
    taken = "if is_built():\n    from engine.vendored import (\n        plan_blocks,\n    )\n"
    after = f"{taken}\n{head.replace('plan_blocks', 'plan_blocks_dense')}\ndef raise_unbuilt_plan():\n{BODY}"
    said = in_whole_files(head, after, "Raise where the plan is unbuilt")
    assert "Removes" not in said
    assert "`plan_blocks` is `plan_blocks_dense`" not in said
    said = in_whole_files(head, after.removeprefix(taken), "Raise where the plan is unbuilt")
    assert said.startswith("Renames the function `plan_blocks` to `plan_blocks_dense`")


def test_a_method_that_its_file_still_defines_is_not_called_gone() -> None:
    """Which class its head stands in is seen on one side of the hunks alone."""
    before = f"class Pool:\n    def free_all(self):\n{INNER}"
    served = "def __getattr__(name):\n    if name == 'free_all':\n        return free_pools\n    raise AttributeError(name)\n"
    after = f"class Pool:\n    size = 0\n\n\n{served}\ndef free_pools():\n{BODY.replace('step', 'do')}"
    assert "Removes" not in in_whole_files(before, after, "Free pools")
    assert in_whole_files(before, after.replace(served, ""), "Free pools").startswith("Removes `Pool.free_all`")
    for head in ("class Pool(Base):", "class Pool[T](Base):"):
        was, now = (text.replace("class Pool:", head) for text in (before, after.replace(served, "")))
        assert "Removes" not in in_whole_files(was, now, "Free pools"), "the base may give it"


def test_a_class_within_a_function_and_what_is_in_it_are_neither_told_as_gone_nor_as_come() -> None:
    old = f"def make_prefix(x):\n    class Visitor:\n        def visit_prefix(self):\n    {INNER}\n    return Visitor\n"
    new = f"def share_prefix(y):\n{BODY.replace('step', 'do')}"
    said = str(english({CODE: patch_of(old, new)}, subject="Share a prefix"))
    assert "Removes `make_prefix`; adds `share_prefix`" in said


def test_a_test_in_the_file_of_its_source_is_no_arrival() -> None:
    run = "".join(f"    go({n});\n" for n in range(12))
    tests = f"#[cfg(test)]\nmod tests {{\n    #[test]\n    fn merge_pages_by_name() {{\n{run}    }}\n}}\n"
    code = f"pub fn merge_pages(x: u32) {{\n{run}}}\n\n{tests}"
    said = str(
        english(
            {"src/pool.rs": patch_of("", f"/// Pages side by side are one, so that a read is one.\n{code}")},
            subject="Merge pages",
        )
    )
    assert "by_name" not in said


def test_behind_names_stand_words_about_them_and_none_that_stand_apart() -> None:
    other = "    # The caller frees what it lent, otherwise each request would hold a copy.\n"
    head = f"def merge_pages(x):\n{other}{BODY}"
    assert english({CODE: patch_of("", head)}, subject="Merge pages") is None
    own = head.replace("(x):\n", '(x):\n    """Join what lies side by side, so that a kernel reads it at once."""\n')
    said = str(english({CODE: patch_of("", own)}, subject="Merge pages"))
    assert said.startswith("Adds `merge_pages`; a docstring says: “Join what lies side by side")


def test_what_goes_is_told_where_nothing_else_tells_a_change() -> None:
    run = "".join(f"        go({n});\n" for n in range(12))
    code = f"impl Pool {{\n    pub async fn take_twice(&self) {{\n{run}    }}\n}}\n"
    said = english({"src/pool.rs": patch_of(code, "impl Pool {\n}\n")}, subject="Remove unused code")
    assert said == "Removes `take_twice`"


def test_a_docstring_is_of_the_nearest_head_above_it_also_below_many_parameters() -> None:
    given = "".join(f"    row_{n},\n" for n in range(8))
    said = '    """Rows of a prefix are shared, so that each is held once."""\n'
    new = f"def prefix_of(x):\n    return x\n\n\ndef share_prefix_blocks(\n{given}):\n{said}{BODY}"
    text = str(english({CODE: patch_of("", new)}, subject="Share blocks of a prefix"))
    assert text.startswith("Adds `share_prefix_blocks`; a docstring says: “Rows of a prefix are shared")
