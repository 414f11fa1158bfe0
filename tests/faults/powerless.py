"""Runs the program without the powers of root, to whom permissions mean nothing; of others nothing is taken."""

from __future__ import annotations

import ctypes
import os
import sys

DROP = 24  # PR_CAPBSET_DROP
KINDS = 64

if __name__ == "__main__":
    if os.geteuid() == 0:
        system = ctypes.CDLL(None, use_errno=True)
        for kind in range(KINDS):
            system.prctl(DROP, kind, 0, 0, 0)
    os.execv(sys.executable, [sys.executable, "-m", "daybreak", *sys.argv[1:]])
