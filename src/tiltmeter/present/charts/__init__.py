"""Charts as Vega-Lite specifications: rows in, specification out, for every medium."""

from tiltmeter.present.charts.curve import CurveKey, Method, curve
from tiltmeter.present.charts.dots import Dot, DotRow, dots
from tiltmeter.present.charts.heat import HeatCell, HeatKey, HeatRow, heat
from tiltmeter.present.charts.lines import Line, LinePoint, Panel, lines
from tiltmeter.present.charts.scales import Axis, Unit, group_colours

__all__ = [
    "Axis",
    "CurveKey",
    "Dot",
    "DotRow",
    "HeatCell",
    "HeatKey",
    "HeatRow",
    "Line",
    "LinePoint",
    "Method",
    "Panel",
    "Unit",
    "curve",
    "dots",
    "group_colours",
    "heat",
    "lines",
]
