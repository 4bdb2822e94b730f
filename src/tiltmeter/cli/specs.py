"""`tiltmeter specs`: list, show, check, start, import and export bias specifications."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter import specs
from tiltmeter.cli.console import JsonOption, print_json, print_table, say
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.files import read_text, whole_file
from tiltmeter.records import Spec

app = typer.Typer(help="List, check and write bias specifications.", no_args_is_help=True, rich_markup_mode=None)

SpecNames = Annotated[list[str], typer.Argument(metavar="SPEC", help="Names from the library, or spec files.")]


@app.command("list")
def list_specs(json: JsonOption = False) -> None:
    """List the specs of the library."""
    library = [specs.load(name) for name in specs.names()]
    if json:
        print_json([_summary(spec) for spec in library])
        return
    rows = [
        (
            spec.name,
            spec.title,
            " ".join(group.name for group in spec.groups),
            sum(len(attributes.terms) for attributes in spec.attributes),
            len(spec.templates),
        )
        for spec in library
    ]
    print_table(["name", "title", "groups", "attributes", "templates"], rows)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="SPEC", help="A name from the library, or a spec file.")],
    json: JsonOption = False,
) -> None:
    """Print one spec file."""
    spec = specs.load(name)
    if json:
        print_json(asdict(spec))
    else:
        typer.echo(_text(name), nl=False)


@app.command()
def check(files: SpecNames, json: JsonOption = False) -> None:
    """Check spec files and list every problem, one per line; a warning leaves a spec usable."""
    results = [_checked(name) for name in files]
    if json:
        print_json(results)
    else:
        for result in results:
            found = result["problems"]
            for line in [problem["sentence"] for problem in found] or [f"{result['file']}: ok"]:
                typer.echo(line)
            for warning in result["warnings"]:
                typer.echo(f"{result['file']}: warning: {warning}")
    if not all(result["ok"] for result in results):
        raise typer.Exit(2)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The name of the new spec: lower-case letters, digits and hyphens.")],
    out: Annotated[Path | None, typer.Option(help="The file to write; default NAME.toml.")] = None,
    json: JsonOption = False,
) -> None:
    """Write a commented spec file to start from."""
    text = specs.skeleton(name)
    target = out or Path(f"{name}.toml")
    _refuse_to_overwrite([target])
    with whole_file(target) as file:
        file.write(text)
    if json:
        print_json({"file": str(target)})


@app.command("import")
def import_specs(
    file: Annotated[Path, typer.Argument(help="A JSON file of specifications in AutoBiasTest's format.")],
    out: Annotated[Path, typer.Option(help="The folder for the spec files, one for each specification.")],
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Skip specifications that cannot be used.")
    ] = False,
    variant: Annotated[
        str | None, typer.Option(help="Use these word lists instead of the plain ones, e.g. glove or thesaurus.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Turn AutoBiasTest specifications into spec files."""
    imported = specs.import_autobiastest(file, skip_invalid=skip_invalid, variant=variant)
    refused = [str(refusal) for refusal in imported.refused]
    targets = {out / f"{spec.name}.toml": spec for spec in imported.specs}
    _refuse_to_overwrite(targets)
    for target, spec in targets.items():
        with whole_file(target) as opened:
            opened.write(specs.to_toml(spec))
    if json:
        told = {"variants": list(imported.variants), "variant": variant, "ignored": list(imported.ignored)}
        print_json({"written": [str(target) for target in targets], "refused": refused, **told})
        return
    if imported.variants and variant is None:
        other = ", ".join(imported.variants)
        say(f"the plain word lists were used; the file also has {other}: --variant {imported.variants[0]}")
    if imported.ignored:
        say(f"unused keys: {', '.join(imported.ignored)}")
    for sentence in refused:
        say(f"skipped: {sentence}")


@app.command("export")
def export_specs(
    names: SpecNames,
    out: Annotated[Path, typer.Option(help="The JSON file to write.")],
    json: JsonOption = False,
) -> None:
    """Write specs as one file in AutoBiasTest's format."""
    text = specs.to_autobiastest([specs.load(name) for name in names])
    with whole_file(out) as file:
        file.write(text)
    if json:
        print_json({"file": str(out), "specs": len(names)})


def _summary(spec: Spec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "title": spec.title,
        "groups": [group.name for group in spec.groups],
        "attributes": [attributes.name for attributes in spec.attributes],
        "templates": len(spec.templates),
        "benchmark": spec.benchmark,
        "citation": spec.citation,
    }


def _text(name: str) -> str:
    return specs.library_text(name) if name in specs.names() else read_text(name, noun="spec file")


def _checked(name: str) -> dict[str, Any]:
    problems: tuple[UserError, ...]
    spec: Spec | None = None
    try:
        if name not in specs.names() and not specs.is_file_name(name):
            raise UnknownName("spec", name, specs.names())
        examined = specs.examine(_text(name), file=name)
        problems, spec = examined.problems, examined.spec
    except UserError as error:
        problems = (error,)
    rows = [
        {"line": problem.line, "key": problem.key, "problem": problem.problem, "sentence": str(problem)}
        for problem in problems
    ]
    return {"file": name, "ok": not rows, "problems": rows, "warnings": specs.warnings(spec) if spec else []}


def _refuse_to_overwrite(targets: Iterable[Path]) -> None:
    for target in targets:
        if target.is_file():
            raise UserError("the file already exists; choose another name, or remove it first", file=target)
