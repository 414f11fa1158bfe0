"""Stage 6: publish to a folder, a git branch, an issue or a discussion."""
