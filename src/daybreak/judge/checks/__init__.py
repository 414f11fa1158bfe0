"""Stage 4: check that statements, quotes and hunks rest on the facts, before they become a report."""
