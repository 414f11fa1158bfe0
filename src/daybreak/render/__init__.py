"""Stage 5: render the report as pages. `RENDERERS` maps a renderer's name to where it is defined."""

RENDERERS = {
    "markdown": "daybreak.render.markdown:MarkdownRenderer",
    "data": "daybreak.render.data:DataRenderer",
}
INDEXES = {"markdown": "daybreak.render.index:MarkdownIndex"}
