"""Stage 2: read what a change does from its diff. `READERS` maps a reader's name to where it is defined."""

READERS = {"rules": "daybreak.findings.reader:RuleReader"}
