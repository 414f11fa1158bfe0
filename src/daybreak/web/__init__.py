"""The service: health and metrics over HTTP, and the daily job; it reads the store, starts runs, and has no rules of its own."""
