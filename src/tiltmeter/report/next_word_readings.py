"""What the part of the report on next words is made of: models side by side, under the choices that lead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.records import Estimate
from tiltmeter.report.series import Series
from tiltmeter.report.words import differs
from tiltmeter.results.summary.next_word_cells import NextWordCell
from tiltmeter.results.summary.next_words import Perturbation
from tiltmeter.sources.word_sets import WordSets
from tiltmeter.store import Run

_MOST_WORDS = 4
"""Groups with more words than this are named instead of listing them."""
SHARE = "share"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one model expects after one set of prompts: under the choices that lead, and under all others."""

    label: str
    """The model, told from every other in the report."""
    cell: NextWordCell
    others: tuple[NextWordCell, ...] = ()
    statuses: Mapping[str, int] = field(default_factory=dict)
    """How many prompts were written for the test, found, or made from a template."""
    unfinished: bool = False
    """Whether prompts are missing that the study asks for."""
    method: str | None = None
    """How saliency was found."""

    @property
    def a(self) -> str:
        """The first of the two groups that are compared first."""
        return self.cell.sets[0][0]

    @property
    def b(self) -> str:
        """The second of them."""
        return self.cell.sets[1][0]

    @property
    def main(self) -> Perturbation:
        """The figures that lead: those of the prompts as they are."""
        return self.cell.summary.perturbations[self.cell.summary.main]

    def figure(self, measure: str, perturbation: str | None = None) -> Estimate:
        """A measure of the two groups over all prompts; without a value where there is none."""
        found = self.cell.summary.perturbations.get(perturbation or self.cell.summary.main)
        return found.overall.pairs.get(self.cell.pair, {}).get(measure, Estimate(None)) if found else Estimate(None)

    def contrast(self, measure: str, perturbation: str) -> Estimate:
        """The original minus the perturbed; without a value where there is none."""
        return self.cell.summary.contrasts.get(perturbation, {}).get(self.cell.pair, {}).get(measure, Estimate(None))

    def counted(self) -> tuple[int, int, int]:
        """How many prompts, professions and templates there are; a template of one prompt alone is none."""
        own = [item for item in self.cell.items if item.perturbation == self.cell.summary.main]
        templates = Counter(item.template for item in own if item.template is not None)
        shared = len(templates) if any(number > 1 for number in templates.values()) else 0
        return len(own), len({item.profession for item in own}), shared


@dataclass(frozen=True, slots=True)
class ReadingGroup:
    """Readings that can be compared: of one bias, with the same words leading."""

    bias: str
    words: str
    sets: WordSets
    of_prompts: tuple[Reading, ...]
    of_habit: tuple[Reading, ...]

    @property
    def every(self) -> tuple[Reading, ...]:
        """All of them."""
        return (*self.of_prompts, *self.of_habit)

    @property
    def pair(self) -> tuple[str, str]:
        """The two groups that are compared first."""
        return self.sets[0][0], self.sets[1][0]

    @property
    def labels(self) -> list[str]:
        """The models, each once."""
        return list(dict.fromkeys(one.label for one in self.every))

    @property
    def sources(self) -> list[str]:
        """The sources of prompts, each once."""
        return list(dict.fromkeys(one.cell.source for one in self.of_prompts))

    def find(self, label: str, source: str) -> Reading | None:
        """What a model expects after the prompts of a source."""
        return next((one for one in self.every if (one.label, one.cell.source) == (label, source)), None)


def reading_groups(series: Sequence[Series]) -> list[ReadingGroup]:
    """Every model of every run, grouped by bias and leading words; the first choice of each kind leads."""
    found: dict[tuple[str, str, WordSets], list[Reading]] = {}
    statuses = {id(one.run): _statuses(one.run) for one in series if one.run.next_words}
    for one in series:
        summary = one.summary.next_words
        cells: dict[tuple[str, str], list[NextWordCell]] = {}
        for cell in summary.cells if summary else ():
            if cell.model == one.facts.name:
                cells.setdefault((cell.source, cell.bias), []).append(cell)
        for (source, bias), own in cells.items():
            by_perturbation = statuses.get(id(one.run), {}).get((source, bias), {})
            lead = own[0]
            reading = Reading(
                one.label,
                lead,
                tuple(own[1:]),
                by_perturbation.get(lead.summary.main, Counter()),
                len(lead.items) < sum(sum(counts.values()) for counts in by_perturbation.values()),
                summary.method if summary else None,
            )
            found.setdefault((bias, lead.words, lead.sets), []).append(reading)
    return [
        ReadingGroup(
            *key,
            tuple(one for one in own if not one.cell.of_habit),
            tuple(one for one in own if one.cell.of_habit),
        )
        for key, own in found.items()
    ]


def without_answers(run: Run) -> list[str]:
    """The models of a study that have said nothing about next words; those that were not even opened last."""
    if run.next_words is None:
        return []
    answered = run.next_words.models
    silent = [name for name in run.facts if name not in answered]
    return [*silent, *run.meta["resolved"]["models"][len(run.facts) :]]


def words_of_group(cell: NextWordCell, group: str) -> str:
    """The words that stand for a group, in the middle of a sentence; those that count, where only the first does."""
    words = dict(cell.sets)[group]
    counted = words[:1] if cell.combine == "first" else words
    if len(counted) > _MOST_WORDS:
        return f"the words for {group}"
    quoted = [f"“{word}”" for word in counted]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def excludes(found: Estimate, neutral: float) -> bool:
    """Whether there is an interval and a value lies outside it."""
    return found.low is not None and found.high is not None and not found.low <= neutral <= found.high


def is_firm(found: Estimate, neutral: float) -> bool:
    """Whether a figure surely differs from a value: by its interval, and after correction where there is one.

    >>> is_firm(Estimate(0.6, 0.55, 0.65, p_adjusted=0.2), 0.5)
    False
    """
    return excludes(found, neutral) and (found.p_adjusted is None or differs(found))


def why_no_interval(found: Estimate) -> str:
    """The reason, as short as a cell can hold."""
    if found.n == 1 and "single origin" in (found.note or ""):
        return "one prompt"
    return (found.note or "no interval").removeprefix("no interval: ").removeprefix("there is ")


Statuses = dict[tuple[str, str], dict[str, Counter[str]]]


def _statuses(run: Run) -> Statuses:
    """By source and bias, and by perturbation: how many prompts are of which status."""
    made: Statuses = {}
    for one in run.next_words.asked if run.next_words else ():
        prompt = one.asked.prompt
        by_perturbation = made.setdefault((prompt.source, prompt.bias), {})
        by_perturbation.setdefault(one.asked.perturbation, Counter())[prompt.status] += 1
    return made
