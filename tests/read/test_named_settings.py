"""Settings that changed lines name: what a program reads of what it was given, options and variables, and nothing around."""

from __future__ import annotations

from daybreak.findings.diff import hunks
from daybreak.findings.named_settings import MOST, named_settings

PATCH = """@@ -1,3 +1,3 @@
 around = args.not_changed
-size = server_args.chunked_prefill_size
+size = max(self.config.chunked_prefill_size, int(os.environ["ENGINE_LEAST"]))
+log("set --chunked-prefill-size, or leave it", own.name_of_mine)
"""


def test_changed_lines_name_options_variables_and_what_is_read_of_settings() -> None:
    assert named_settings(hunks(PATCH)) == ("chunked_prefill_size", "ENGINE_LEAST", "--chunked-prefill-size")


def test_a_change_of_very_many_keeps_the_first_ones() -> None:
    lines = "\n".join(f"+AN_NAME_{n:03}" for n in range(MOST + 9))
    assert len(named_settings(hunks(f"@@ -0,0 +1,{MOST + 9} @@\n{lines}\n"))) == MOST
