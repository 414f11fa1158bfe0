"""Charts as SVG, made by small pure functions: the same values give the same bytes, and style sheets decide the colours."""

from daybreak.site.charts.bars import BarChart, bar_chart
from daybreak.site.charts.heat import HeatMap, heat_levels, heat_map
from daybreak.site.charts.lines import LineChart, line_chart
from daybreak.site.charts.svg import Series
from daybreak.site.charts.tables import data_table

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
