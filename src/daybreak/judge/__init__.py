"""Stage 3: judge what the changes mean."""
