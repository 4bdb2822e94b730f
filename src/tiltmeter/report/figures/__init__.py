"""Figures as SVG and PNG, made from plain Vega-Lite dictionaries without a browser."""

from tiltmeter.report.figures.bars import Bar, Panel, Part, bars
from tiltmeter.report.figures.canvas import NARROW, WIDE, Layout, colour, shape, to_png, to_svg, wrapped
from tiltmeter.report.figures.curves import Curve, CurvePanel, curves
from tiltmeter.report.figures.forest import Block, Row, forest
from tiltmeter.report.figures.heat import HeatCell, HeatKey, HeatRow, heat
from tiltmeter.report.figures.strips import Strip, strips
from tiltmeter.report.figures.swarm import Swarm, SwarmKey, swarms

__all__ = [
    "NARROW",
    "WIDE",
    "Bar",
    "Block",
    "Curve",
    "CurvePanel",
    "HeatCell",
    "HeatKey",
    "HeatRow",
    "Layout",
    "Panel",
    "Part",
    "Row",
    "Strip",
    "Swarm",
    "SwarmKey",
    "bars",
    "colour",
    "curves",
    "forest",
    "heat",
    "shape",
    "strips",
    "swarms",
    "to_png",
    "to_svg",
    "wrapped",
]
