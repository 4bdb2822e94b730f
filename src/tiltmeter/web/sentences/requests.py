"""What somebody orders in the form: kept in the folder of the set, and read again by the process that writes."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from tiltmeter import specs
from tiltmeter.engine.review import NOBODY
from tiltmeter.engine.sentences import Order
from tiltmeter.errors import InvalidData, TiltmeterError, UserError
from tiltmeter.files import read_text, whole_file
from tiltmeter.models import ModelSettings, check_name, embedded
from tiltmeter.records import Spec
from tiltmeter.sources.generated.settings import GenerationSettings, settings_from
from tiltmeter.store import ANSWERS
from tiltmeter.toml_writing import to_toml
from tiltmeter.web.fields import Fields
from tiltmeter.web.sentences.folder import ORDER, SENTENCES, SPEC
from tiltmeter.web.studies.entries import number

Keep = Literal["better-half", "all"]
KEEPS: tuple[Keep, ...] = get_args(Keep)


@dataclass(frozen=True, slots=True)
class SentenceRequest:
    """What is to be written, by whom, and how much of it is kept."""

    by: str = embedded.NAME
    per_attribute: int = 4
    seed: int = 0
    keep: Keep = "better-half"
    """Of what passes the checks; the better half by the model that writes."""
    spec: str = ""
    """The page of the spec that it is about, such as `library/gender-math-arts`."""
    judge: bool | None = None
    """Whether the audit drops sentences that are no test at all; None: nobody has looked yet whether it can."""

    @property
    def settings(self) -> GenerationSettings:
        """How the sentences are asked for: what is not chosen here is chosen to fit the model."""
        return settings_from({"per_attribute": self.per_attribute, "seed": self.seed})

    def order(self, folder: Path) -> Order:
        """The order that the engine carries out in the folder of the set."""
        spec = spec_of(folder)
        return Order(
            {spec.name: spec},
            beside(self.by, folder.parent),
            self.settings,
            None,
            bool(self.judge),
            NOBODY if self.keep == "all" else None,
            ModelSettings(answers=folder / ANSWERS),
        )

    def command(self, name: str) -> str:
        """The same on the command line, in the folder `sentences`."""
        parts = ["tiltmeter", "sentences", "write", f"{name}/{SPEC}", "--by", self.by]
        parts += ["--per-attribute", str(self.per_attribute), "--seed", str(self.seed)]
        parts += ["--reader", NOBODY] if self.keep == "all" else []
        parts += ["--no-judge"] if self.judge is False else []
        return shlex.join([*parts, "--out", f"{name}/{SENTENCES}"])


def request_of(sent: Fields, place: Path) -> SentenceRequest:
    """What a form says; refuses what cannot be carried out, as far as that can be told without loading anything."""
    by, keep = sent.one("by"), sent.one("keep") or KEEPS[0]
    if not by:
        raise UserError(f"say who writes: `{embedded.NAME}`, or another model such as `api:MODEL@URL`")
    check_name(beside(by, place))
    count, seed = sent.one("per_attribute") or "4", sent.one("seed") or "0"
    if keep not in KEEPS:
        raise UserError(f"`{keep[:40]}` is not among what can be kept; choose one of the list")
    wanted = SentenceRequest(
        by,
        int(number("Sentences for each attribute", count, whole=True)),
        int(number("Seed", seed, whole=True)),
        keep,
        sent.one("spec"),
    )
    _ = wanted.settings
    return wanted


def write_request(folder: Path, wanted: SentenceRequest) -> None:
    """Keep it in the folder of the set."""
    with whole_file(folder / ORDER) as file:
        file.write(to_toml({key: value for key, value in asdict(wanted).items() if value is not None}))


def read_request(folder: Path) -> SentenceRequest | None:
    """What was ordered; None where the sentences came from elsewhere."""
    path = folder / ORDER
    if not path.is_file():
        return None
    known: dict[str, type] = {"by": str, "per_attribute": int, "seed": int, "keep": str, "spec": str, "judge": bool}
    try:
        data: dict[str, Any] = tomllib.loads(read_text(path, "order"))
    except ValueError as error:
        raise InvalidData(f"is no TOML: {error}", file=ORDER) from None
    for key, value in data.items():
        if key not in known or type(value) is not known[key]:
            raise InvalidData(f"`{key[:40]}` is not as an order has it; remove it, or order anew", file=ORDER)
    wanted = replace(SentenceRequest(), **data)
    if wanted.keep not in KEEPS:
        raise InvalidData(f"`keep` is {' or '.join(KEEPS)}", file=ORDER)
    return wanted


def spec_of(folder: Path) -> Spec:
    """The spec of a set, as it was when the sentences were ordered."""
    return specs.read(folder / SPEC)


def known_specs(folder: Path, own: dict[str, Path]) -> list[Spec]:
    """The specs in which sentences are looked up: that of the set, the user's own, and the library."""
    found = []
    for path in (folder / SPEC, *own.values()):
        try:
            found += [specs.read(path)] if path.is_file() else []
        except TiltmeterError:
            # A draft cannot be used, and does not stand in the way of the others.
            continue
    return [*found, *map(specs.load, specs.names())]


def beside(name: str, place: Path) -> str:
    """The name of a model, with a path in it seen from a folder where it is there: as a study in `studies/` sees it."""
    kind, colon, path = name.rpartition(":")
    return f"{kind}{colon}{place / path}" if path and "\0" not in path and (place / path).exists() else name
