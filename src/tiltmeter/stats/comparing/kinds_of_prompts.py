"""Natural sentences against templates: two kinds of prompts about the same professions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.records import Estimate
from tiltmeter.stats.comparing.before_after import means_of
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.views.next_words import Place, Values, means


@dataclass(frozen=True, slots=True)
class PromptValue:
    """One measure's value of one prompt, and what it is about."""

    profession: str
    template: str | None
    value: float | None


def kind_contrast(
    sentences: Sequence[PromptValue], templates: Sequence[PromptValue], scale: Scale, *, level: float = 0.95
) -> Estimate:
    """The mean of sentences minus that of templates, over the professions that have both.

    From each profession in each template the mean of the profession's sentences is taken away; what is left is
    clustered by profession, which pairs them, and by template, as all figures of next words are. `scale` is that of the
    measure.

    >>> natural = [PromptValue("cook", None, 0.2), PromptValue("clerk", None, 0.4), PromptValue("usher", None, 0.9)]
    >>> said = [PromptValue("cook", "said", 0.5), PromptValue("clerk", "said", 0.5), PromptValue("cook", "ate", 0.9)]
    >>> found = kind_contrast(natural, said, Scale())
    >>> round(found.value, 6), found.n, found.origins
    (-0.366667, 3, 2)
    """
    of_sentences = means_of((row.profession, row.value) for row in sentences)
    rows = [row for row in templates if of_sentences.get(row.profession) is not None]
    values = [None if row.value is None else (of_sentences[row.profession] or 0.0) - row.value for row in rows]
    places = [Place(row.profession, row.template) for row in rows]
    return means(places, {"": Values(values, scale.change)}, level=level)[""] if rows else Estimate(None, level=level)
