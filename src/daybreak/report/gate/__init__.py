"""Stage 4: check that statements rest on the facts and pages on the data. `CHECKERS` maps a name to where it is defined."""

CHECKERS = {"all": "daybreak.report.gate.checker:AllChecks"}
