"""Threads that go on with kept work at the same time: what a value looks like is found out before there are any."""

from __future__ import annotations

import subprocess
import sys

CROWD = """
import sys, threading
from daybreak.collect.git import lookback
from daybreak.core.checkpoint import Kept, revived
from daybreak.core.model.changes import Collected, Repo
from daybreak.core.profiles import profile_of
from daybreak.findings.kinds import kinds
from daybreak.store.report_files import decode_report
import msgspec

sys.setswitchinterval(1e-6)
together = threading.Barrier(4)

def go_on():
    together.wait()
    assert kinds() and profile_of("a/b")
    for _ in range(3):
        assert revived(Kept("", b"{}"), Collected(Repo("a/b", "u", "g"))) is None
        for decode in (lookback._DECODER.decode, decode_report):
            try:
                decode(b"{}")
            except msgspec.MsgspecError:
                pass

crowd = [threading.Thread(target=go_on) for _ in range(4)]
for one in crowd:
    one.start()
for one in crowd:
    one.join()
"""


def test_threads_that_decode_the_same_values_at_once_do_not_crash() -> None:
    for _ in range(3):
        done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", CROWD], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
