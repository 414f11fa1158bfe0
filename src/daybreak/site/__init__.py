"""The site: pages, charts, feeds and search, made from reported days."""
