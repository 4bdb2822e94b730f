"""Pages that bring a spec into the folder, give it another name, or take it away."""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from tiltmeter import specs
from tiltmeter.errors import InvalidSpec, UserError
from tiltmeter.files import whole_file
from tiltmeter.toml_writing import to_toml
from tiltmeter.web.fields import Sent
from tiltmeter.web.pages import Bench, address, go_to, render
from tiltmeter.web.specs.columns import word_lists
from tiltmeter.web.specs.entries import entry, library, own
from tiltmeter.web.specs.text import parsed, renamed
from tiltmeter.web.workbench import Workbench, checked_name, plain_name

router = APIRouter()

# A list of objects or an object; a TOML file may begin with a bracket as well, but not so.
_JSON = re.compile(r"\s*(?:\{|\[\s*[\[{\]])")


TEMPLATES = {
    "things": ("She likes math", ["[T] likes [A]", "[T] is interested in [A]"]),
    "people": ("She is a nurse", ["[T] is a [A]", "[T] works as a [A]"]),
    "adjectives": ("She is honest", ["[T] is [A]", "People say that [T] is [A]"]),
}
"""Sentences to begin with, by what the attribute words of a table are, and an example."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file: the specs that were written, and why others were not."""

    written: tuple[str, ...]
    refused: tuple[str, ...]


@router.get("/specs/new")
def new(request: Request, bench: Bench, copy: str = "") -> HTMLResponse:
    """The ways to begin."""
    parts = {"own": own(bench), "library": library()}
    name = copy.partition("/")[2]
    suggested = plain_name(f"my {name}") if name else ""
    return render(request, "specs_new.html.jinja", parts=parts, copy=copy, suggested=suggested, kinds=TEMPLATES)


@router.post("/specs/new/nothing")
def from_nothing(bench: Bench, sent: Sent) -> Response:
    """A spec with the words of the skeleton, to be overwritten."""
    name = free_name(bench, sent.one("name"))
    bench.write_spec(name, specs.skeleton(name))
    return go_to(address("specs", "own", name, "edit"))


@router.post("/specs/new/copy")
def from_copy(bench: Bench, sent: Sent) -> Response:
    """A copy of a spec, under another name."""
    whose, _, of = sent.one("of").partition("/")
    if not of:
        raise UserError("choose the spec that is to be copied")
    name = free_name(bench, sent.one("name"))
    bench.write_spec(name, renamed(entry(bench, whose, of).text, name))
    return go_to(address("specs", "own", name, "edit"))


@router.post("/specs/new/file")
def from_file(request: Request, bench: Bench, sent: Sent) -> Response:
    """The specs of a file in the format of AutoBiasTest, one as TOML, or word lists as CSV."""
    text = sent.text("text").removeprefix("\ufeff")
    if not text.strip():
        raise UserError("there is nothing to read yet: choose a file, or paste its text")
    if _JSON.match(text):
        imported = _from_json(bench, text)
    elif parsed(text) is None and (lists := word_lists(text)):
        imported = _from_lists(bench, lists, sent.one("name"), sent.one("word_kind", "things"))
    else:
        imported = _from_toml(bench, text, sent.one("name"))
    if len(imported.written) == 1 and not imported.refused:
        return go_to(address("specs", "own", imported.written[0], "edit"))
    return render(request, "specs_imported.html.jinja", imported=imported)


@router.post("/specs/own/{name}/rename")
def rename(bench: Bench, name: str, sent: Sent) -> Response:
    """Give a spec another name, in its file and of its file."""
    path = bench.spec(name)
    wanted = free_name(bench, sent.one("name"))
    bench.write_spec(wanted, renamed(entry(bench, "own", name).text, wanted))
    path.unlink()
    return go_to(address("specs", "own", wanted))


@router.delete("/specs/own/{name}")
def delete(bench: Bench, name: str) -> Response:
    """Take a spec away."""
    bench.spec(name).unlink()
    return go_to("/specs")


def free_name(bench: Workbench, name: str) -> str:
    """A name for a new spec: a plain one that no other spec has."""
    if not name:
        raise UserError("give the spec a name, such as `gender-at-work`")
    wanted = checked_name("spec", name)
    if wanted in specs.names():
        raise UserError(f"`{wanted}` is a spec of the library; take another name, so that the two can be told apart")
    if wanted in bench.specs():
        raise UserError(f"there is a spec `{wanted}` in this folder already; take another name")
    return wanted


def _from_json(bench: Workbench, text: str) -> Imported:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pasted.json"
        with whole_file(path) as file:
            file.write(text)
        try:
            found = specs.import_autobiastest(path, skip_invalid=True)
        except InvalidSpec as error:
            # The place on this machine says nothing to whoever pasted the text.
            raise InvalidSpec(error.problem, line=error.line, key=error.key) from None
    refused = [str(InvalidSpec(one.problem, line=one.line, key=one.key)) for one in found.refused]
    written = []
    for spec in found.specs:
        try:
            bench.write_spec(free_name(bench, spec.name), specs.to_toml(spec))
        except UserError as error:
            refused.append(f"`{spec.published_as or spec.name}`: {error}")
        else:
            written.append(spec.name)
    if not written:
        raise InvalidSpec(refused[0])
    return Imported(tuple(written), tuple(refused))


def _from_lists(bench: Workbench, lists: Mapping[str, list[str]], name: str, kind: str) -> Imported:
    """A spec of word lists: two groups, then attributes, the first two of which are tied to them until changed."""
    wanted = free_name(bench, name)
    if kind not in TEMPLATES:
        raise UserError(f"`{kind}` is not a kind of attribute words; there are {', '.join(TEMPLATES)}")
    example = tomllib.loads(specs.skeleton(wanted)) | {"templates": TEMPLATES[kind][1]}
    named = [(plain_name(title), title, terms) for title, terms in lists.items()]
    tied = dict(zip((name for name, *_ in named[2:4]), (name for name, *_ in named[:2]), strict=False))
    example["groups"] = {name: {"terms": terms, "noun": title} for name, title, terms in named[:2]}
    example["attributes"] = {
        name: {"terms": terms, **({"stereotype_of": tied[name]} if name in tied else {})}
        for name, _, terms in named[2:]
    }
    bench.write_spec(wanted, to_toml(example))
    return Imported((wanted,), ())


def _from_toml(bench: Workbench, text: str, name: str) -> Imported:
    inside = (parsed(text) or {}).get("name")
    wanted = free_name(bench, name or (plain_name(inside) if isinstance(inside, str) else ""))
    bench.write_spec(wanted, text if inside == wanted else renamed(text, wanted))
    return Imported((wanted,), ())
