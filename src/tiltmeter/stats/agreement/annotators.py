"""How far annotators agree beyond chance: Cohen's kappa for two, Fleiss' kappa and Krippendorff's alpha for more."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


def cohens_kappa(first: Sequence[Hashable | None], second: Sequence[Hashable | None]) -> float | None:
    """Agreement of two annotators on the items that both judged; 1 is full, 0 what chance gives.

    None where nothing can be said: no common item, or both gave one and the same label throughout.

    >>> cohens_kappa(["a", "a", "b", "b"], ["a", "a", "b", "a"])
    0.5
    """
    both = [(one, two) for one, two in zip(first, second, strict=True) if one is not None and two is not None]
    if not both:
        return None
    count = len(both)
    observed = sum(one == two for one, two in both) / count
    by_first, by_second = Counter(one for one, _ in both), Counter(two for _, two in both)
    expected = sum(by_first[label] * by_second[label] for label in by_first) / count**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def krippendorffs_alpha(judged: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Agreement of any number of annotators, labels without order; `judged[i]` are the labels of annotator i.

    None stands for an item that an annotator did not judge; an item with fewer than two labels says nothing.
    The coincidences of labels within items are held against those of all labels (Krippendorff 2011).
    None where nothing can be said: no item with two labels, or only one label in all.

    >>> krippendorffs_alpha([["a", "a", "b", "b"], ["a", "a", "b", "a"]])
    0.5333333333333333
    """
    items = [[label for label in column if label is not None] for column in zip(*judged, strict=True)]
    items = [labels for labels in items if len(labels) > 1]
    total = sum(map(len, items))
    in_all = Counter(label for labels in items for label in labels)
    if len(in_all) < 2:
        return None
    observed = 0.0
    for labels in items:
        counts = Counter(labels)
        differing = len(labels) ** 2 - sum(count**2 for count in counts.values())
        observed += differing / (len(labels) - 1)
    expected = (total**2 - sum(count**2 for count in in_all.values())) / (total - 1)
    return 1 - observed / expected


def fleiss_kappa(judged: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Agreement of any number of annotators on labels without order (Fleiss 1971); `judged[i]` are of annotator i.

    An item counts as soon as two judged it, however many did. None where nothing can be said: no such item, or only one
    label in all.

    >>> round(fleiss_kappa([["a", "a", "b", "b"], ["a", "a", "b", "a"], ["a", "b", "b", "b"]]), 4)
    0.3333
    """
    items = [Counter(label for label in column if label is not None) for column in zip(*judged, strict=True)]
    items = [counts for counts in items if counts.total() > 1]
    in_all = sum(items, Counter())
    if len(in_all) < 2:
        return None
    agreed = math.fsum(
        sum(count * (count - 1) for count in counts.values()) / (counts.total() * (counts.total() - 1))
        for counts in items
    ) / len(items)
    expected = sum((count / in_all.total()) ** 2 for count in in_all.values())
    return (agreed - expected) / (1 - expected)


def krippendorffs_alpha_of_numbers(judged: Sequence[Sequence[float | None]]) -> float | None:
    """The same for numbers: disagreement is the squared difference, so a near miss counts less than a far one.

    Raters on different scales disagree even where they put all texts in the same order. None where nothing can be
    said: no item with two numbers, or all numbers are the same.

    >>> krippendorffs_alpha_of_numbers([[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]])
    0.8780487804878049
    """
    items = [[number for number in column if number is not None] for column in zip(*judged, strict=True)]
    items = [numbers for numbers in items if len(numbers) > 1]
    every = [number for numbers in items for number in numbers]
    if not every or min(every) == max(every):
        return None
    # Twice the variance is the mean squared difference of two numbers drawn without putting the first back.
    within = math.fsum(len(numbers) * 2 * statistics.variance(numbers) for numbers in items) / len(every)
    return 1 - within / (2 * float(statistics.variance(every)))


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement on one label. `flagged` counts marks, `judged` judgements; `kappas` are by pair of annotators."""

    label: str
    items: int
    judged: int
    flagged: int
    kappas: tuple[tuple[str, str, float | None], ...]
    alpha: float | None


def agreement_by_label(
    found: Mapping[str, Mapping[str, Collection[str]]], labels: Sequence[str]
) -> list[LabelAgreement]:
    """Agreement on each label alone, and under `any` on whether a sentence has one at all.

    `found` is annotator → item → the labels given; an item that an annotator did not judge is not there.

    >>> sheets = {"ann": {"1": {"I1"}, "2": set()}, "bob": {"1": {"I1"}, "2": set()}}
    >>> agreement_by_label(sheets, ["I1"])[0].kappas
    (('ann', 'bob', 1.0),)
    """
    items = list(dict.fromkeys(item for marks in found.values() for item in marks))
    result = []
    for label in (*labels, "any"):
        votes = {name: [_has(marks.get(item), label, labels) for item in items] for name, marks in found.items()}
        given = [vote for column in votes.values() for vote in column if vote is not None]
        kappas = tuple((one, two, cohens_kappa(votes[one], votes[two])) for one, two in combinations(votes, 2))
        alpha = krippendorffs_alpha(list(votes.values()))
        result.append(LabelAgreement(label, len(items), len(given), sum(given), kappas, alpha))
    return result


@dataclass(frozen=True, slots=True)
class Detection:
    """How well one judge finds what another, taken for right, found; counts are of items that both judged."""

    label: str
    items: int
    right: int
    """Items that have the label by the judge taken for right."""
    found: int
    """Items that the other judge gave the label."""
    both: int
    kappa: float | None

    @property
    def precision(self) -> float | None:
        """The share of what was found that is right."""
        return self.both / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """The share of what is right that was found."""
        return self.both / self.right if self.right else None


def detections(
    right: Mapping[str, Collection[str]], found: Mapping[str, Collection[str]], labels: Sequence[str]
) -> list[Detection]:
    """Each label, and under `any` whether an item has one at all; both map items to the labels given.

    >>> one = detections({"1": {"I1"}, "2": set()}, {"1": {"I1"}, "2": {"I1"}}, ["I1"])[0]
    >>> one.precision, one.recall
    (0.5, 1.0)
    """
    items = [item for item in right if item in found]
    result = []
    for label in (*labels, "any"):
        true, guessed = ([_has(marks[item], label, labels) for item in items] for marks in (right, found))
        both = sum(bool(one and other) for one, other in zip(true, guessed, strict=True))
        kappa = cohens_kappa(true, guessed)
        result.append(Detection(label, len(items), true.count(True), guessed.count(True), both, kappa))
    return result


def _has(marks: Collection[str] | None, label: str, labels: Sequence[str]) -> bool | None:
    if marks is None:
        return None
    return any(one in marks for one in labels) if label == "any" else label in marks
