"""The service: pages, search, a JSON API, health and metrics over HTTP, and the daily job; it reads, starts runs, and has no rules of its own."""
