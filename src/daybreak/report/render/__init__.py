"""Stage 5: render the report as pages."""
