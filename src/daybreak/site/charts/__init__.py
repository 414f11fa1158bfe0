"""Charts as SVG, made by small pure functions: the same values give the same bytes, and style sheets decide the colours."""

from daybreak.site.charts.shapes import BarChart, HeatMap, LineChart, bar_chart, heat_levels, heat_map, line_chart
from daybreak.site.charts.svg import Series, data_table

__all__ = [
    "BarChart",
    "HeatMap",
    "LineChart",
    "Series",
    "bar_chart",
    "data_table",
    "heat_levels",
    "heat_map",
    "line_chart",
]
