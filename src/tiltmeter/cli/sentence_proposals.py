"""What `tiltmeter sentences` proposes for a spec: further terms, and templates. A person decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tiltmeter.cli.console import print_json

if TYPE_CHECKING:
    from tiltmeter.models import ModelSettings
    from tiltmeter.records import Spec, Written
    from tiltmeter.sources.generated import GenerationSettings
    from tiltmeter.sources.generated.proposals import Proposal


def print_terms(name: str, as_json: bool) -> None:
    """Print terms near those of a spec."""
    from tiltmeter import specs
    from tiltmeter.sources.generated import vectors
    from tiltmeter.sources.generated.expansion import as_toml, propose_terms

    spec = specs.load(name)
    found = propose_terms(spec, vectors.load())
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        typer.echo(as_toml(spec, found), nl=False)


def templates_of(found: Sequence[Written], known: Mapping[str, Spec], path: Path) -> None:
    """Write the templates that sentences make."""
    from tiltmeter.sources.generated import proposals

    writers = ", ".join(sorted({one.generator for one in found if one.generator})) or "a language model"
    names = dict.fromkeys(one.bias for one in found if one.bias in known)
    _write(path, {name: proposals.from_sentences(found, known[name]) for name in names}, writers)


def templates_by_request(
    specs: Mapping[str, Spec], by: str, settings: GenerationSettings, running: ModelSettings, path: Path, as_json: bool
) -> None:
    """Write the templates that a model gives when it is asked for some, and say how many can be used."""
    from tiltmeter import models
    from tiltmeter.sources.generated import proposals, settings_for

    generator: Any = models.load(by, running)
    settings = settings_for(settings, generator)
    made = {
        name: proposals.by_request(spec, generator, settings.decoding, seed=settings.seed)
        for name, spec in specs.items()
    }
    _write(path, made, generator.facts.name)
    if as_json:
        print_json({name: [asdict(one) for one in found] for name, found in made.items()})
        return
    for name, found in made.items():
        usable = sum(one.refused is None for one in found)
        typer.echo(f"{name}: {usable} of {len(found)} proposed templates are usable")


def _write(path: Path, made: Mapping[str, Sequence[Proposal]], by: str) -> None:
    from tiltmeter.files import whole_file
    from tiltmeter.sources.generated import proposals

    with whole_file(path) as file:
        for name, found in made.items():
            file.write(f"# {name}\n{proposals.as_toml(found, by)}\n")
