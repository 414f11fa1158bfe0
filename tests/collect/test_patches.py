"""Files, counts and patches equal git's own, whatever the content and the names are."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gitrepo import File, link, submodule

if TYPE_CHECKING:
    from conftest import Collector
    from daybreak.core.model.changes import Change, FileChange
    from gitrepo import GitRepo

SUB = "1" * 40, "2" * 40


def check_against_git(repo: GitRepo, change: Change) -> None:
    """Counts are git's numstat; a type change counts what goes and what comes, as its two patches do."""
    stat = repo.numstat(change.sha)
    assert change.files_total == len(stat)
    assert [file.path for file in change.files] == list(stat)
    for file in change.files:
        if file.status != "T":
            assert (file.added, file.deleted) == stat[file.path][:2], file.path
            assert file.binary == (stat[file.path][2] and file.old_blob != file.new_blob), file.path
    assert (change.added, change.deleted) == (sum(f.added for f in change.files), sum(f.deleted for f in change.files))


def only(change: Change) -> FileChange:
    (file,) = change.files
    return file


def test_every_kind_of_file_change(repo: GitRepo, collector: Collector) -> None:
    lines = "".join(f"line {n}\n" for n in range(40))
    states: list[dict[str | bytes, str | bytes | File | None]] = [
        {"edit": lines, "run": "x\n", "move": lines + "m\n", "keep": lines + "k\n", "turns": "text\n", "bin": b"\0\1"},
        {"edit": lines.replace("line 7\n", "seven\n") + "end"},
        {"run": File("x\n")},
        {"move": None, "moved/here": lines + "m\n"},
        {"keep": None, "kept": lines.replace("line 9\n", "nine\n") + "k\n"},
        {"turns": b"\0binary"},
        {"turns": "text again\n"},
        {"bin": b"\0\2"},
        {"bin": None},
        {"new": "", "no-newline": "a\nb"},
        {"link": link("edit")},
        {"link": link("run")},
        {"edit": link("run")},
        {"edit": "a file again\nof two lines\n"},
        {"sub": submodule(SUB[0])},
        {"sub": submodule(SUB[1])},
        {"new": submodule(SUB[0])},
        {"new": "no longer a submodule\n"},
        {"dir": "a file\n"},
        {"dir": None, "dir/inside": "x\n"},
        {"signs": "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/x b/x\nBinary files a and b differ\n"},
        {"signs": "+++ b\n@@ -1 +1 @@\n--x\n+y\n\n diff --git a/x b/x\n\\ No newline at end of file"},
        {"late-nul": "x" * 9000 + "\0\ndiff --git a/y b/y\n\x01\n"},
        {"crlf": "a\r\nb\rc\n\x0c\x0b\x1c\x85\u2028d\n"},
    ]
    for number, files in enumerate(states):
        repo.commit(str(number), files)
    found = collector.collect(repo)
    changes = {change.subject: change for change in found.changes}
    assert not found.skipped
    for change in found.changes:
        check_against_git(repo, change)
    assert (only(changes["2"]).mode_changed, only(changes["2"]).patch) == (True, "")
    assert (only(changes["3"]).status, only(changes["3"]).old_path, only(changes["3"]).patch) == ("R", "move", "")
    assert (only(changes["4"]).status, only(changes["4"]).old_path, only(changes["4"]).added) == ("R", "keep", 1)
    assert [only(changes[n]).binary for n in ("5", "6", "7", "8")] == [True] * 4
    assert only(changes["10"]).symlink
    assert (only(changes["12"]).status, only(changes["12"]).deleted, only(changes["12"]).added) == ("T", 41, 1)
    assert (only(changes["13"]).status, only(changes["13"]).deleted, only(changes["13"]).added) == ("T", 1, 2)
    assert only(changes["15"]).submodule
    assert only(changes["15"]).patch.splitlines()[1:] == [
        f"-Subproject commit {SUB[0]}",
        f"+Subproject commit {SUB[1]}",
    ]
    assert [only(changes[n]).status for n in ("16", "17")] == ["T", "T"]


def test_patches_are_the_bytes_git_prints(repo: GitRepo, collector: Collector) -> None:
    lines = [f"line {n}\n" for n in range(200)]
    repo.commit("one", {"a.py": "".join(lines), "b.py": "x"})
    lines[10] = lines[150] = "changed\n"
    repo.commit("two", {"a.py": "".join(lines), "b.py": link("a.py")})
    for change in collector.collect(repo).changes:
        for file in change.files:
            whole = repo.git("log", "-1", "-p", "-M", "--format=", change.sha, "--", file.path).decode()
            parts = [part.partition("\n@@ ")[1:] for part in whole.split("diff --git ")[1:]]
            assert file.patch == "".join("".join(part) for part in parts).replace("\n\n@@", "\n@@").removeprefix("\n")
            assert not file.patch_cut


@pytest.mark.parametrize("seed", range(6))
def test_random_histories_count_as_git_does(repo: GitRepo, collector: Collector, seed: int) -> None:
    rng = random.Random(seed)
    words = [
        "alpha\n",
        "beta\n",
        "\n",
        "+\n",
        "-\n",
        "@@ -1 +1 @@\n",
        "diff --git a/x b/x\n",
        "  x\r\n",
        "\x01\n",
        "é\n",
        "--- a\n",
    ]
    names: list[bytes] = [
        b"a",
        b"b/c",
        b"b/d",
        b"q\nr",
        b'"q"',
        b"\xff\xfe",
        b"sp ace",
        b"t\tb",
        b"deep/er/x",
        b"--all",
        b":(top)x",
    ]
    files: dict[bytes, bytes] = {}

    def content() -> bytes:
        body = "".join(rng.choices(words, k=rng.randrange(60))).encode()
        return b"\0" + body if rng.random() < 0.1 else body.rstrip(b"\n") if rng.random() < 0.2 else body

    for number in range(25):
        edit: dict[str | bytes, str | bytes | File | None] = {}
        for name in rng.sample(names, rng.randrange(4)):
            if name in files and rng.random() < 0.3:
                if rng.random() < 0.5 and (new := b"moved-%d" % number) not in edit:
                    edit[new] = files[new] = files[name] + rng.choice([b"", b"more\n"])
                edit[name] = None
                del files[name]
            else:
                fresh = content()
                if name in files and rng.random() < 0.5:
                    fresh = files[name] + fresh[:20]
                kind = rng.random()
                edit[name] = (
                    File(fresh) if kind < 0.15 else link(fresh.replace(b"\0", b"") or b"x") if kind < 0.25 else fresh
                )
                files[name] = fresh
        repo.commit(str(number), edit)
    found = collector.collect(repo)
    assert not found.skipped
    assert [change.sha for change in found.changes] == repo.text("log", "--first-parent", "--format=%H", "main").split()
    for change in found.changes:
        check_against_git(repo, change)


HOSTILE = [
    b"x\ndiff --git a/y b/y",
    b'quo"te',
    b"tab\there",
    b"back\\slash",
    b"..hidden/..x",
    b"\xff\xfe.py",
    b"\x1b[31mred\x1b[0m",
    "right\u202eleft".encode(),
    b"--output=x",
    b"\x01mark",
    b" lead and trail ",
    "中文.py".encode(),
]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_names_of_any_bytes_are_kept_apart(repo: GitRepo, collector: Collector, name: bytes) -> None:
    repo.commit("one", {"plain": "1\n", name: "1\n2\n"}, author=b"\x1b[31mEve \xff \xe2\x80\xae")
    repo.commit("two", {"plain": "2\n", name: "1\n2\n3\n"})
    found = collector.collect(repo)
    assert not found.skipped
    for change in found.changes:
        check_against_git(repo, change)
        assert name.decode("utf-8", "replace") in {file.path for file in change.files}
    assert found.changes[1].author == "\x1b[31mEve \ufffd \u202e"


def test_a_hole_beside_names_of_any_bytes_costs_one_file(repo: GitRepo, collector: Collector) -> None:
    files: dict[str | bytes, str | bytes | File | None] = {name: name + b"\nx\n" for name in HOSTILE}
    repo.commit("one", files)
    for name in HOSTILE:
        repo.lose(repo.git("hash-object", "--stdin", stdin=name + b"\nx\n").decode().strip())
        repo.git("hash-object", "-w", "--stdin", stdin=b"x")
        change = collector.collect(repo).changes[0]
        skipped = [file.path for file in change.files if file.skipped]
        assert skipped == [name.decode("utf-8", "replace")]
        assert change.files_total == len(HOSTILE)
        assert change.added == sum(2 + n.count(b"\n") for n in HOSTILE if n != name)
        repo.git("hash-object", "-w", "--stdin", stdin=name + b"\nx\n")


def test_messages_of_any_bytes_stay_in_their_fields(repo: GitRepo, collector: Collector) -> None:
    tree = repo.commit("base", {"a": "1\n"}) and repo.oid("main^{tree}")
    who = b"A <a@b> 1768820000 +0000"
    messages = {
        b"\x01 mark\n\nbody \x01\x01 :100644 000000\n": "\x01 mark",
        b"nul\x00after\n\nbody": "nul",
        b"": "",
        b"\n\n\n": "",
        b"\x1b]0;title\x07 (#5)\n": "\x1b]0;title\x07 (#5)",
        b"\xff\xfe bytes\n": "\ufffd\ufffd bytes",
        "\u202eright\u202c\n".encode(): "\u202eright\u202c",
        b"many\nlines\nin subject\n\nbody": "many lines in subject",
    }
    for message in messages:
        parent = repo.oid("main").encode()
        repo.write_commit(
            b"tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s" % (tree.encode(), parent, who, who, message)
        )
    found = collector.collect(repo)
    assert [change.subject for change in found.changes[:-1]] == list(messages.values())[::-1]
    assert all(change.empty for change in found.changes[:-1])
    assert not found.skipped


def test_a_message_in_another_encoding_is_read_in_it(repo: GitRepo, collector: Collector) -> None:
    repo.commit("Grüße\n\nüber".encode("latin-1"), {"a": "1"}, author="Jürgen".encode("latin-1"), encoding="ISO-8859-1")
    repo.commit("bogus é".encode(), {"a": "2"}, encoding="no-such-encoding")
    repo.commit("wide".encode("utf-16"), {"a": "3"}, encoding="UTF-16")
    wide, bogus, latin = collector.collect(repo).changes
    assert (latin.subject, latin.body, latin.author) == ("Grüße", "über", "Jürgen")
    assert bogus.subject == "bogus é"
    assert wide.files_total == 1


def test_a_trailer_cannot_make_another_one(repo: GitRepo, collector: Collector) -> None:
    repo.commit("x\n\nbody\n\nReviewed-by: Eve\x01Approved-by: Ann\nFixes: #3\n", {"a": "1"})
    assert [key for key, _ in collector.collect(repo).changes[0].trailers] == ["Reviewed-by", "Fixes"]


def test_a_patch_too_large_to_keep_holds_its_first_whole_hunks(repo: GitRepo, collector: Collector) -> None:
    lines = [f"{n:08} {'x' * 90}\n" for n in range(60_000)]
    repo.commit("one", {"big": "".join(lines), "small": "1\n"}, at="2026-01-18T00:00:00")
    for n in range(0, 60_000, 10):
        lines[n] = f"changed {n}\n"
    repo.commit("two", {"big": "".join(lines), "small": "2\n"})
    change = collector.collect(repo).changes[0]
    big, small = change.files
    whole = repo.git("diff", "main~1", "main", "--", "big").decode().partition("\n@@ ")[2]
    assert (big.added, big.deleted, big.patch_cut) == (6000, 6000, True)
    assert 500_000 < len(big.patch) < 1 << 20
    assert ("@@ " + whole).startswith(big.patch + "\n@@ ")
    assert (small.patch, small.patch_cut) == ("@@ -1 +1 @@\n-1\n+2\n", False)


def test_one_endless_line_is_counted_and_its_neighbours_are_whole(repo: GitRepo, collector: Collector) -> None:
    repo.commit("one", {"a": "1\n", "min.js": "x" * 8_000_000, "z": "1\n"})
    change = collector.collect(repo).changes[0]
    assert [(file.path, file.added, file.patch_cut) for file in change.files] == [
        ("a", 1, False),
        ("min.js", 1, True),
        ("z", 1, False),
    ]


def test_pull_requests_are_read_from_subjects() -> None:
    from daybreak.collect.git.patches import pull_number

    assert pull_number("Fix (#1) (#23)") == 23
    assert pull_number("Merge pull request #45 from a/b") == 45
    assert pull_number("Fix (!23)") == 23
    assert pull_number("Fix it", "Why\n\nSee merge request group/sub/proj!45\n") == 45
    assert pull_number("Fix (#1)", "See merge request a/b!45") == 45
    assert pull_number("Fix it", "See !45, and see merge request a/b!46") is None
    assert (
        pull_number("Fix x (#123)", "Merge pull request !12 from a/b\n") == 123
    )  # what it quotes is another project's
    assert pull_number("Fix #12") is None
    assert pull_number("(#99999999999999999999)") is None
