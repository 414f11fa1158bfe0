"""Stage 1: collect what happened in the window. `SOURCES` maps a source's name to where it is defined."""

SOURCES = {"git": "daybreak.collect.git.source:GitSource"}
