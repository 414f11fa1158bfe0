"""Stage 5: render the report as pages. `RENDERERS` maps a renderer's name to where it is defined."""

RENDERERS = {
    "markdown": "daybreak.report.render.markdown:MarkdownRenderer",
    "data": "daybreak.report.render.data:DataRenderer",
}
INDEXES = {"markdown": "daybreak.report.render.index:MarkdownIndex"}
