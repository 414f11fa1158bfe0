"""Stage 4: check that statements rest on the facts and pages on the data."""
