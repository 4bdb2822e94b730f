"""Figures as SVG and PNG, made from plain Vega-Lite dictionaries without a browser."""

from tiltmeter.report.figures.bars import Bar, Panel, Part, bars
from tiltmeter.report.figures.canvas import NARROW, WIDE, Layout, colour, shape, to_pdf, to_png, to_svg, wrapped
from tiltmeter.report.figures.curves import Curve, CurvePanel, curves
from tiltmeter.report.figures.dots import DotAxis, DotBlock, DotRow, dots, power_axis, share_axis
from tiltmeter.report.figures.forest import Block, Row, forest
from tiltmeter.report.figures.heat import HeatCell, HeatKey, HeatRow, heat
from tiltmeter.report.figures.histogram import HistogramPanel, histograms
from tiltmeter.report.figures.scatter import ScatterPanel, ScatterPoint, scatter
from tiltmeter.report.figures.strips import Strip, strips
from tiltmeter.report.figures.swarm import Swarm, SwarmKey, swarms

__all__ = [
    "NARROW",
    "WIDE",
    "Bar",
    "Block",
    "Curve",
    "CurvePanel",
    "DotAxis",
    "DotBlock",
    "DotRow",
    "HeatCell",
    "HeatKey",
    "HeatRow",
    "HistogramPanel",
    "Layout",
    "Panel",
    "Part",
    "Row",
    "ScatterPanel",
    "ScatterPoint",
    "Strip",
    "Swarm",
    "SwarmKey",
    "bars",
    "colour",
    "curves",
    "dots",
    "forest",
    "heat",
    "histograms",
    "power_axis",
    "scatter",
    "shape",
    "share_axis",
    "strips",
    "swarms",
    "to_pdf",
    "to_png",
    "to_svg",
    "wrapped",
]
