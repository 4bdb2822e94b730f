"""From a template to a page that loads nothing: style and script are inside it, known by their hashes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tiltmeter.report.drawn import Drawn
from tiltmeter.report.words import revision_words, signed


def render(template: str, figures: Mapping[str, Drawn], **contents: Any) -> str:
    """A page with the style and the script of the report; `figures` are those that it shows, by their files' names."""
    names = {id(figure): name for name, figure in figures.items()}
    environment = Environment(
        loader=PackageLoader("tiltmeter.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["signed"] = signed
    environment.filters["revision"] = revision_words
    environment.globals["file_of"] = lambda figure: names[id(figure)]
    style, script = asset("report.css"), asset("report.js")
    return environment.get_template(template).render(
        policy=policy(style, script), style=Markup(style), script=Markup(script), **contents
    )


def asset(name: str) -> str:
    """The text of a file that belongs to the report."""
    return files("tiltmeter.report").joinpath("assets", name).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    """What the page may do: show its own style, run its own script, and nothing else."""

    def permitted(text: str) -> str:
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    return (
        f"default-src 'none'; style-src {permitted(style)}; script-src {permitted(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
