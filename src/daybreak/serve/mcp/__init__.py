"""Tools for programs that speak MCP: they read reported days and mirrors on disk, change nothing, and ask nobody else."""
