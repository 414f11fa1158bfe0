"""Services over reports: web pages with an API, and tools for agents; no rules of their own."""
