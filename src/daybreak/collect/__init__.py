"""Stage 1: collect what happened in the window, from git and from GitHub."""
