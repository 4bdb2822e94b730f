"""Charts as Vega-Lite specifications: rows in, specification out, for every medium."""

from tiltmeter.present.charts.bars import Bar, Part, bars
from tiltmeter.present.charts.curve import CurveKey, Method, curve
from tiltmeter.present.charts.dots import Dot, DotRow, dots
from tiltmeter.present.charts.heat import HeatCell, HeatKey, HeatRow, heat
from tiltmeter.present.charts.histogram import Bin, histogram
from tiltmeter.present.charts.lines import Line, LinePoint, Panel, lines
from tiltmeter.present.charts.scales import Axis, Unit, group_colours
from tiltmeter.present.charts.scatter import Guides, ScatterPoint, scatter
from tiltmeter.present.charts.strips import Item, Strip, strips

__all__ = [
    "Axis",
    "Bar",
    "Bin",
    "CurveKey",
    "Dot",
    "DotRow",
    "Guides",
    "HeatCell",
    "HeatKey",
    "HeatRow",
    "Item",
    "Line",
    "LinePoint",
    "Method",
    "Panel",
    "Part",
    "ScatterPoint",
    "Strip",
    "Unit",
    "bars",
    "curve",
    "dots",
    "group_colours",
    "heat",
    "histogram",
    "lines",
    "scatter",
    "strips",
]
