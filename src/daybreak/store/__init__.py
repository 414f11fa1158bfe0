"""What survives between runs. `STORES` maps a kind of store to where it is defined."""

STORES = {
    "sqlite": "daybreak.store.sqlite:SqliteStore",
    "postgresql": "daybreak.store.postgres:PostgresStore",
}
SHOWN = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
"""Kind of store -> what people call it."""
