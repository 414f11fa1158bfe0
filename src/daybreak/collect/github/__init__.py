"""Asking a GitHub: tokens and limits, GraphQL in bundles, REST by pages, and what the answers mean."""
