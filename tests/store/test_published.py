"""What was published for which inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybreak.core.model.report import Page
from daybreak.store.report_files import Published, fingerprint

if TYPE_CHECKING:
    from pathlib import Path


def test_it_holds_only_while_inputs_and_files_are_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.md").write_text("text é", encoding="utf-8")
    notes = Published(tmp_path / "state", out)
    assert not notes.holds("2026-01-01", "in")
    notes.remember("2026-01-01", "in", [Page("a.md", "text é")])
    assert notes.holds("2026-01-01", "in")
    assert not notes.holds("2026-01-01", "other")
    assert not notes.holds("2026-01-02", "in")
    (out / "a.md").write_text("edited")
    assert not notes.holds("2026-01-01", "in")
    (out / "a.md").unlink()
    assert not notes.holds("2026-01-01", "in")


def test_a_broken_note_is_no_note(tmp_path: Path) -> None:
    notes = Published(tmp_path, tmp_path)
    notes.remember("x", "in", [])
    for content in (b"", b"{", b"\xff\xff", b'{"fingerprint": 1}', b"[]"):
        (tmp_path / "published" / "x.json").write_bytes(content)
        assert not notes.holds("x", "in")


def test_parts_of_a_fingerprint_do_not_run_together() -> None:
    assert fingerprint("ab", "c") != fingerprint("a", "bc")
    assert fingerprint("a", b"b") == fingerprint("a", "b")
