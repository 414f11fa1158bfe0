"""Feeds: reported days as Atom and JSON Feed; what the entries say stands in the reports already."""
