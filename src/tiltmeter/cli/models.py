"""`tiltmeter models`: which models there are, and fetching one ahead of time."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from tiltmeter.cli.console import JsonOption, print_json, print_table, say

app = typer.Typer(help="List models, and download one ahead of time.", no_args_is_help=True)


@app.command("list")
def list_models(json: JsonOption = False) -> None:
    """List the models available by name."""
    from tiltmeter.models import available_models

    models = available_models()
    if json:
        print_json([asdict(model) for model in models])
        return
    cached = {True: "yes", False: "no", None: ""}
    rows = [(model.name, model.kind, model.where, cached[model.cached]) for model in models]
    print_table(("name", "kind", "where", "cached"), rows)


@app.command("get")
def get_model(
    name: Annotated[str, typer.Argument(help="A model's name, e.g. smollm2-135m or hf:gpt2.")],
    json: JsonOption = False,
) -> None:
    """Download a model into the cache, load it, and print its facts."""
    from tiltmeter.models import ModelSettings, load

    if sys.stderr.isatty():
        say(f"loading {name}, downloading it first if needed (about a minute)")
    facts = asdict(load(name, ModelSettings(device="cpu")).facts)
    if json:
        print_json(facts)
        return
    versions = ", ".join(f"{package} {number}" for package, number in facts.pop("versions").items())
    print_table(("fact", "value"), [*facts.items(), ("versions", versions)])
