"""What the program says: nobody has to listen for the work to be done."""

from __future__ import annotations

import os
import subprocess

from cli.place import DAY, Place
from program import PROGRAM


def test_a_reader_of_messages_who_went_away_costs_nothing_of_the_report(place: Place) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [*PROGRAM, "run", "--date", DAY, "--verbose"]
        answer = subprocess.run(command, cwd=place.folder, stdout=subprocess.PIPE, stderr=writing, check=False)
    finally:
        os.close(writing)
    assert answer.returncode == 0
    assert place.report()["coverage"]["skipped"] == []
