"""Charts as Vega-Lite specifications: rows in, specification out, for every medium."""

from tiltmeter.present.charts.curve import CurveKey, Method, curve
from tiltmeter.present.charts.dots import Dot, DotRow, dots
from tiltmeter.present.charts.scales import Axis, Unit, group_colours

__all__ = ["Axis", "CurveKey", "Dot", "DotRow", "Method", "Unit", "curve", "dots", "group_colours"]
