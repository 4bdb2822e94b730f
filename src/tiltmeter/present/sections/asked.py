"""What models were asked about next words, by bias and set of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.present.blocks import TableCell
from tiltmeter.present.charts import group_colours
from tiltmeter.present.decodings import source_words
from tiltmeter.present.reported import Reported
from tiltmeter.records import Estimate
from tiltmeter.results.measurements.next_words import OWN_WORDS
from tiltmeter.results.names import Names
from tiltmeter.results.summary.next_word_cells import NextWordCell
from tiltmeter.results.summary.next_words import ORIGINAL, Perturbation
from tiltmeter.sources.perturbations import PERTURBATIONS
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.stats.estimates import excludes_zero, shifted
from tiltmeter.store import Run
from tiltmeter.views import FACTS

SHARE = "share"
_LONGEST = 120
"""Letters of a file's name."""
VIEW = FACTS["next words"].flag
PERTURBED = {
    ORIGINAL: "as it is",
    "person": "replaced by “person”",
    "deleted": "deleted",
    "hidden": "hidden from the model",
    "man": "replaced by “man”",
    "woman": "replaced by “woman”",
    "start": "after the start token alone",
    "openers": "after openers that name nobody",
}
"""What becomes of the test word."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One model after the prompts of one source: under the words that the study names first, and under all others."""

    label: str
    """The model, with its run where several have it."""
    cell: NextWordCell
    others: tuple[NextWordCell, ...] = ()
    kinds: Mapping[str, int] = field(default_factory=dict)
    """How many prompts were written for the test, found, or made from a template."""
    unfinished: bool = False
    """Whether prompts are missing that the study asks for."""
    method: str | None = None
    """How saliency was found."""

    @property
    def main(self) -> Perturbation:
        """The figures that lead: those of the prompts as they are."""
        return self.cell.summary.perturbations[self.cell.summary.main]

    def estimate(self, measure: str = SHARE, perturbation: str = "", cell: NextWordCell | None = None) -> Estimate:
        """A measure of the first two groups over all prompts; without a value where there is none."""
        of = cell or self.cell
        found = of.summary.perturbations.get(perturbation or of.summary.main)
        return found.overall.pairs.get(of.pair, {}).get(measure, Estimate(None)) if found else Estimate(None)

    def contrast(self, perturbation: str, measure: str = SHARE) -> Estimate:
        """The prompts as they are minus the perturbed ones; without a value where there is none."""
        return self.cell.summary.contrasts.get(perturbation, {}).get(self.cell.pair, {}).get(measure, Estimate(None))

    def place(self, perturbation: str = "", **more: str) -> dict[str, str]:
        """Where its prompts are."""
        cell = self.cell
        asked = perturbation or cell.summary.main
        labels = {"view": VIEW, "model": cell.model, "source": cell.source, "bias": cell.bias}
        return {**labels, "words": cell.words, "perturbation": asked, **more}


@dataclass(frozen=True, slots=True)
class Topic:
    """What can be compared: one bias, with the same words leading."""

    bias: str
    words: str
    sets: WordSets
    every: tuple[Asked, ...]
    names: Names
    colours: Mapping[str, str]
    """Of each group, by what readers call it, in the order of its spec."""

    @property
    def prompts(self) -> list[Asked]:
        """Those of prompts about somebody."""
        return [one for one in self.every if not one.cell.of_habit]

    @property
    def habit(self) -> list[Asked]:
        """Those of prompts that say nothing."""
        return [one for one in self.every if one.cell.of_habit]

    @property
    def called(self) -> tuple[str, str]:
        """What readers call the two groups that are compared first."""
        first, second = (self.group(name) for name, _ in self.sets[:2])
        return first, second

    def group(self, name: str) -> str:
        """What readers call a group."""
        return self.names.group(name, self.bias)

    @property
    def labels(self) -> list[str]:
        """The models, each once."""
        return list(dict.fromkeys(one.label for one in self.every))

    @property
    def several(self) -> bool:
        """Whether models are side by side."""
        return len(self.labels) > 1

    @property
    def perturbations(self) -> list[str]:
        """What becomes of the test word in some of the prompts."""
        found = {name for one in self.prompts for name in one.cell.summary.perturbations}
        return [name for name in PERTURBATIONS if name in found]

    @property
    def first_column(self) -> str:
        """What stands over `heading`."""
        return "Source, model" if self.several else "Source"

    def heading(self, one: Asked) -> TableCell:
        """Which prompts a row is about, and which model where there are several."""
        return TableCell(source_words(one.cell.source), one.label if self.several else "", place=one.place())

    def title(self, one: Asked) -> str:
        """The same in one line."""
        source = source_words(one.cell.source)
        return f"{source}, {one.label}" if self.several else source

    def file(self, *names: str) -> str:
        """The name of a chart's files."""
        said = " ".join(("next words", *names, self.bias, self.words)).lower()
        return re.sub("[^a-z0-9]+", "-", said).strip("-")[:_LONGEST]


def topics(found: Reported) -> list[Topic]:
    """Every model of every run, by bias and leading words; the first choice of each kind leads."""
    made: dict[tuple[str, str, WordSets], list[Asked]] = {}
    for one in _asked(found):
        made.setdefault((one.cell.bias, one.cell.words, one.cell.sets), []).append(one)
    return [Topic(*key, tuple(own), found.names, _colours(found, *key)) for key, own in made.items()]


def _colours(found: Reported, bias: str, _: str, sets: WordSets) -> dict[str, str]:
    specs = (spec for run, _ in found.runs for spec in run.meta["resolved"]["specs"])
    own = next((spec for spec in specs if spec["name"] == bias.partition(":")[0]), {"groups": ()})
    names = [*(group["name"] for group in own["groups"]), *(name for name, _ in sets)]
    return group_colours(found.names.group(name, bias) for name in names)


def _asked(found: Reported) -> Iterator[Asked]:
    often = Counter(model for _, summary in found.runs for model in summary.facts)
    for run, summary in found.runs:
        kinds = _kinds(run)
        cells: dict[tuple[str, str, str], list[NextWordCell]] = {}
        for cell in summary.next_words.cells if summary.next_words else ():
            cells.setdefault((cell.model, cell.source, cell.bias), []).append(cell)
        for (model, source, bias), own in cells.items():
            lead, counted = own[0], kinds[source, bias]
            yield Asked(
                model if often[model] == 1 else f"{model} ({summary.study}, {run.folder.name})",
                lead,
                tuple(own[1:]),
                counted.get(lead.summary.main, {}),
                len(lead.items) < sum(sum(numbers.values()) for numbers in counted.values()),
                summary.next_words.method if summary.next_words else None,
            )


def _kinds(run: Run) -> dict[tuple[str, str], dict[str, Counter[str]]]:
    """By source and bias, and by perturbation: how many prompts are of which kind."""
    made: dict[tuple[str, str], dict[str, Counter[str]]] = {}
    for one in run.next_words.asked if run.next_words else ():
        prompt = one.asked.prompt
        by_perturbation = made.setdefault((prompt.source, prompt.bias), {})
        by_perturbation.setdefault(one.asked.perturbation, Counter())[prompt.status] += 1
    return made


def silent_models(found: Reported) -> list[str]:
    """The models of studies that have no answers about next words."""
    silent: list[str] = []
    for run, _ in found.runs:
        if run.next_words is not None:
            named = [*run.facts, *run.meta["resolved"]["models"][len(run.facts) :]]
            silent += [name for name in named if name not in run.next_words.models]
    return list(dict.fromkeys(silent))


def words_called(words: str) -> str:
    """What a set of words is called in a sentence; those that each source brings along have no name.

    >>> words_called("he-she"), words_called("own")
    ('words “he-she”', "the source's own words")
    """
    return "the source's own words" if words == OWN_WORDS else f"words “{words}”"


def choice_words(cell: NextWordCell, every: Sequence[Asked]) -> str:
    """The words of a cell, and how they are counted where that varies."""
    cells = [each for one in every for each in (one.cell, *one.others)]
    parts = ["the source's own words" if cell.words == OWN_WORDS else cell.words]
    if len({each.bounded for each in cells}) > 1:
        parts.append("whole words" if cell.bounded else "beginnings of words")
    if len({each.combine for each in cells}) > 1:
        parts.append("all words" if cell.combine == "sum" else "first word")
    return ", ".join(parts)


def is_firm(found: Estimate, neutral: float = 0.5) -> bool:
    """Whether a figure differs from a value: by its interval, and after correction where there is one.

    >>> is_firm(Estimate(0.6, 0.55, 0.65)), is_firm(Estimate(0.6, 0.55, 0.65, p_adjusted=0.2))
    (True, False)
    """
    corrected = found.p_adjusted is None or found.p_adjusted < 1 - found.level
    return excludes_zero(shifted(found, -neutral)) and corrected
