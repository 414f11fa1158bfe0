"""What survives between runs. `STORES` maps a kind of store to where it is defined."""

STORES = {
    "files": "daybreak.store.report_files:ReportFiles",
    "sqlite": "daybreak.store.sqlite:SqliteStore",
    "postgresql": "daybreak.store.postgres:PostgresStore",
}
SHOWN = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
"""Kind of store -> what people call it."""
