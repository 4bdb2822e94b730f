"""A comparison of two sides as one HTML file that loads nothing, in the style of the report."""

from __future__ import annotations

from pathlib import Path

from tiltmeter.files import whole_file
from tiltmeter.report.comparison import ComparisonView, comparison_view
from tiltmeter.report.drawn import by_file, write_figures
from tiltmeter.report.rendering import render
from tiltmeter.results.compare.records import RunComparison
from tiltmeter.stats.estimates import FEWEST_ORIGINS


def write_comparison(found: RunComparison, out: Path, *, figures: Path | None = None) -> None:
    """Write the page of a comparison; `figures` is a folder for the figures as files."""
    view = comparison_view(found)
    html = comparison_html(view)
    if figures is not None:
        write_figures(by_file(view.figures), figures)
    with whole_file(out) as file:
        file.write(html)


def comparison_html(view: ComparisonView) -> str:
    """The page of a comparison."""
    a, b = view.sides
    return render(
        "comparison_page.html.jinja",
        by_file(view.figures),
        title=f"{a.name} and {b.name}",
        compared=view,
        fewest=FEWEST_ORIGINS,
    )
