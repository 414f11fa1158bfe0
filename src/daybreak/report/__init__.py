"""The report as files: words, Markdown, JSON, the gate before publishing, and the archive that reads it back."""
