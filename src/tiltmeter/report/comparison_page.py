"""A comparison of two sides as one HTML file that loads nothing, in the style of the report."""

from __future__ import annotations

from pathlib import Path

from jinja2 import ChoiceLoader, DictLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tiltmeter.analysis.comparison_records import RunComparison
from tiltmeter.files import whole_file
from tiltmeter.report.comparison import ComparisonView, comparison_view
from tiltmeter.report.drawn import write_figures
from tiltmeter.report.page import _asset, _policy
from tiltmeter.stats.estimates import BOOTSTRAP_ORIGINS, FEWEST_ORIGINS
from tiltmeter.stats.intervals import RESAMPLES


def write_comparison(found: RunComparison, out: Path, *, figures: Path | None = None) -> None:
    """Write the page of a comparison; `figures` is a folder for the figures as files."""
    view = comparison_view(found)
    html = _render(view)
    if figures is not None:
        write_figures(view.figures, figures)
    with whole_file(out) as file:
        file.write(html)


def _render(view: ComparisonView) -> str:
    # The report's tables and charts are macros at the head of its template, before the page begins.
    macros = _asset("report.html.jinja").partition("<!doctype html>")[0]
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("tiltmeter.report", "assets"), DictLoader({"macros": macros})]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _asset("report.css"), _asset("report.js")
    a, b = view.sides
    return environment.get_template("comparison_page.html.jinja").render(
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        title=f"{a.name} and {b.name}",
        compared=view,
        method={"fewest": FEWEST_ORIGINS, "bootstrap": BOOTSTRAP_ORIGINS, "resamples": f"{RESAMPLES:,}"},
    )
