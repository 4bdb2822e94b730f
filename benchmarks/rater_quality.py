"""How well the offline raters rate, how far they lean, and how fast they are: the table of docs/raters.md.

Run `python benchmarks/rater_quality.py [--data ../shared/data] [--more FOLDER] [--write]`. Measured are texts of the
repository (tests/raters/data), HateCheck and tweets kept from training where --data has them, and further public
sentences where --more has them (`comments.tsv`: 1 or 0 for toxic, and the text; `NAME.json`: a list of objects with
`class`, 1 or 0 for good, and `text`). A larger rater is added by `--rater NAME`; with `--only NAME`, given once or more
often, only those are measured, and the tables keep what they say of others. `--write` puts the figures into
`docs/tables/raters.csv` and `docs/tables/hatecheck.csv`, into the table of `docs/raters.md`, and into
`src/tiltmeter/raters/data/quality.tsv`, from which reports quote them; what that file says of other texts stays.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from scipy.stats import binomtest, rankdata

from tiltmeter import raters
from tiltmeter.raters import Rater
from tiltmeter.raters.scales import kind_of, threshold_of
from tiltmeter.records import Rating

ROOT = Path(__file__).resolve().parents[1]
TEXTS = ROOT / "tests" / "raters" / "data"
QUALITY = ROOT / "src" / "tiltmeter" / "raters" / "data" / "quality.tsv"
sys.path.insert(0, str(ROOT / "training"))
from adapt_data import part, tweet  # noqa: E402

Row = TypeVar("Row")

OFFLINE = (
    *("toxicity.minilm", "hate.minilm", "toxicity.linear", "toxicity.tiny"),
    *("sentiment.minilm", "sentiment.minilm.v1", "sentiment.vader"),
    *("regard.minilm", "regard.minilm.v4", "regard.minilm.v3", "regard.minilm.v2"),
)
BLIND = "sentences by a writer who knew neither the raters nor their training texts"
FRESH = "texts of twelve kinds by a second such writer"
HATECHECK = "HateCheck: hateful and harmless sentences made to mislead such raters"
TWEETS = "tweets kept from training (Davidson et al.)"
COMMENTS = "a public sample of Wikipedia talk comments"
MODELS = "texts by smollm2-135m and gemma-3-270m, labelled by two readers"
NEW_OPENERS = "texts by smollm2-135m, gemma-3-270m and tinyllama-1.1b after 198 new openers, labelled by two readers"
THREE_MODELS = "texts by smollm2-135m, gemma-3-270m and tinyllama-1.1b, labelled by two readers"
TILTED = "largest own tilt"
_TRAINED, _FITTED = (
    "it was trained on such texts",
    "not trained on, but probabilities and threshold were fitted to them",
)
KNOWN = {
    (TWEETS, "toxicity.linear.v1"): _TRAINED,
    (COMMENTS, "toxicity.linear.v1"): _TRAINED,
    (COMMENTS, "toxicity.tiny.v1"): _TRAINED,
    (TWEETS, "toxicity.minilm.v1"): _FITTED,
    (TWEETS, "hate.minilm.v1"): _FITTED,
    (MODELS, "regard.minilm.v4"): "not trained on, but settings were compared on these texts",
    (
        MODELS,
        "regard.minilm.v5",
    ): "not trained on, but settings of version 4, where it begins, were compared on these texts",
}
"""Texts that a rater knew, and how."""
CAUTIONS = {
    ("sentiment.minilm.v2", "sentences"): "ten ways to train were compared on these texts",
    ("regard.minilm.v3", MODELS): "three ways to train were compared on these texts",
    ("regard.minilm.v5", NEW_OPENERS): "counted before and after its own tilt was made smaller",
    ("regard.minilm.v5", THREE_MODELS): "version 4, where it begins, was chosen over version 3 on these texts",
}
"""Of shares of a rater, by how what they were measured on begins."""
NEUTRAL_BELOW = 0.05
"""VADER's own line between neutral and a tone."""


@dataclass(frozen=True)
class Line:
    """One figure, as `quality.tsv` has it."""

    rater: str
    figure: str
    value: float
    low: float | None
    high: float | None
    n: int
    on: str
    unseen: str = "yes"
    guessing: float | None = None
    caution: str = ""

    @property
    def cells(self) -> list[str]:
        """What is written."""
        return [
            "" if one is None else f"{one:.3g}" if isinstance(one, float) else str(one) for one in vars(self).values()
        ]


def table(name: str) -> list[dict[str, str]]:
    """A table of labelled texts of the repository."""
    with (TEXTS / f"{name}.tsv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def share(rater: str, figure: str, hits: Sequence[bool], on: str, guessing: float | None = None) -> Line:
    """A share with its Wilson interval."""
    found = binomtest(sum(hits), len(hits)).proportion_ci(0.95, "wilson")
    known = KNOWN.get((on, rater), "")
    return Line(
        rater,
        figure,
        sum(hits) / len(hits),
        float(found.low),
        float(found.high),
        len(hits),
        on,
        "no" if known else "yes",
        guessing,
        known or next((said for (name, start), said in CAUTIONS.items() if name == rater and on.startswith(start)), ""),
    )


def area(rater: str, figure: str, values: Any, truth: Any, on: str) -> Line:
    """The area under the curve with the interval of DeLong, DeLong & Clarke-Pearson (1988)."""
    yes, no = values[truth], values[~truth]
    ranks = rankdata(np.concatenate([yes, no]))
    above = (ranks[: len(yes)] - rankdata(yes)) / len(no)
    below = 1 - (ranks[len(yes) :] - rankdata(no)) / len(yes)
    value = float(above.mean())
    spread = 1.96 * float(np.sqrt(above.var(ddof=1) / len(yes) + below.var(ddof=1) / len(no)))
    known = KNOWN.get((on, rater), "")
    unseen = "no" if known else "yes"
    low, high = max(0.0, value - spread), min(1.0, value + spread)
    return Line(rater, figure, value, low, high, len(values), on, unseen, 0.5, known)


def numbers(tool: Rater, texts: Sequence[str]) -> Any:
    """The ratings; a text that is unrated counts as the neutral value."""
    return np.array([rating.value or 0.0 for rating in tool.rate(texts)])


def on_abuse(tool: Rater, data: Path, more: Path | None) -> Iterator[Line]:
    """Whether abuse, or hate, is rated higher than what is none."""
    is_hate = kind_of(tool.name) == "hate"
    what = "AUC of hateful texts" if is_hate else "AUC of toxic texts"
    for name, on in (("toxicity", BLIND), ("toxicity_fresh", FRESH)):
        rows = table(name)
        truth = np.array([row["hateful" if is_hate else "toxic"] == "1" for row in rows])
        yield area(tool.name, what, numbers(tool, [row["text"] for row in rows]), truth, on)
    cases = hatecheck(data)
    if cases:
        truth = np.array([row["label_gold"] == "hateful" for row in cases])
        yield area(
            tool.name, "AUC of hateful texts", numbers(tool, [row["test_case"] for row in cases]), truth, HATECHECK
        )
    file = data / "davidson" / "labeled_part.csv"
    if file.is_file():
        with file.open(encoding="utf-8", newline="") as stream:
            found = [(tweet(row["tweet"]), row["class"]) for row in csv.DictReader(stream)]
        found = [row for row in found if part(row[0]) == 0 and (row[1] != "1" or not is_hate)]
        truth = np.array([label != "2" for _, label in found])
        yield area(tool.name, what, numbers(tool, [text for text, _ in found]), truth, TWEETS)
    if more and (more / "comments.tsv").is_file() and not is_hate:
        lines = [line.split("\t", 1) for line in (more / "comments.tsv").read_text(encoding="utf-8").splitlines()]
        truth = np.array([label == "1" for label, _ in lines])
        yield area(tool.name, what, numbers(tool, [text.strip() for _, text in lines]), truth, COMMENTS)


def hatecheck(data: Path) -> list[dict[str, str]]:
    """HateCheck, where it is."""
    file = data / "hatecheck" / "test_suite_cases.csv"
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        return [row | {"test_case": row["test_case"].strip()} for row in csv.DictReader(stream)]


def by_functionality(tools: Sequence[Rater], data: Path) -> Iterator[list[str]]:
    """Of each of HateCheck's functionalities, the share of texts on the right side of each rater's threshold."""
    cases = hatecheck(data)
    columns = {tool.name: numbers(tool, [row["test_case"] for row in cases]) for tool in tools}
    yield ["functionality", "texts", "gold", *(f"{name} (threshold {threshold_of(name):g})" for name in columns)]
    for functionality in dict.fromkeys(row["functionality"] for row in cases):
        places = [place for place, row in enumerate(cases) if row["functionality"] == functionality]
        gold = cases[places[0]]["label_gold"]
        right = [
            ((values[places] >= (threshold_of(name) or 0.5)) == (gold == "hateful")).mean()
            for name, values in columns.items()
        ]
        yield [functionality, str(len(places)), gold, *(f"{one:.3f}" for one in right)]


def on_sentiment(tool: Rater, more: Path | None) -> Iterator[Line]:
    """Which of three labels, and on public sentences that are good or bad, which of two signs."""
    rows = table("sentiment")
    labels = [tone(rating) for rating in tool.rate([row["text"] for row in rows])]
    right = [row["label"] == label for row, label in zip(rows, labels, strict=True)]
    yield share(tool.name, "right of three labels", right, BLIND, commonest(row["label"] for row in rows))
    for file in sorted(more.glob("*.json")) if more else ():
        given = json.loads(file.read_text(encoding="utf-8"))
        values = numbers(tool, [row["text"].strip() for row in given])
        right = [bool(value > 0) if row["class"] else bool(value < 0) for row, value in zip(given, values, strict=True)]
        yield share(tool.name, "right of two signs", right, f"sentences of {file.stem} reviews", 0.5)


def tone(rating: Rating) -> str:
    """The label of a rating; of a number alone, by its sign."""
    value = rating.value or 0.0
    return rating.label or (
        "positive" if value >= NEUTRAL_BELOW else "negative" if value <= -NEUTRAL_BELOW else "neutral"
    )


def on_regard(tool: Rater) -> Iterator[Line]:
    """Which of three labels; a text that is unrated is wrong."""
    for name, on in (("regard_openers", NEW_OPENERS), ("regard_three_models", THREE_MODELS), ("regard", MODELS)):
        rows = [row for row in table(name) if row["label"] != "other"]
        texts = [row["text"].replace("\\n", "\n") for row in rows]
        pairs = [(row["label"], tone(rating)) for row, rating in zip(rows, tool.rate(texts), strict=True)]
        guessing = commonest(truth for truth, _ in pairs)
        yield share(tool.name, "right of three labels", [truth == label for truth, label in pairs], on, guessing)
        for kind in ("negative", "neutral", "positive"):
            found = [label == kind for truth, label in pairs if truth == kind]
            yield share(tool.name, f"{kind} texts found", found, on)


def commonest(labels: Any) -> float:
    """What always giving the commonest label gets right."""
    counts = Counter(labels)
    return max(counts.values()) / counts.total()


@cache
def groups(data: Path) -> list[dict[str, str]]:
    """40 groups, of which 20 are named by no text that toxicity and sentiment were trained on."""
    training = ROOT / "training"
    files = [*(training / "toxicity").glob("*.tsv"), *(training / "sentiment").glob("*.tsv")]
    files += [data / "davidson" / "labeled_part.csv", data / "toxigen" / "statements.csv"]
    written = "\n".join(file.read_text(encoding="utf-8") for file in files if file.is_file())
    words = set(re.findall(r"[\w-]+", written.lower()))
    new = [row for row in table("new_groups") if row["adj"].lower().partition("-affected")[0] not in words]
    with (training / "toxicity" / "groups.tsv").open(encoding="utf-8", newline="") as stream:
        known = [row for row in csv.DictReader(stream, delimiter="\t") if row["part"] == "train"]
    return new[:20] + known[:: len(known) // 20][:20]


def own_tilt(tool: Rater, data: Path) -> tuple[Line, float, float]:
    """The largest difference of two groups; how far a sentence moves, and a group at most."""
    sentences, chosen = [row["text"] for row in table("harmless_slots")], groups(data)
    if kind_of(tool.name) not in ("toxicity", "hate"):
        sentences = sentences[::5]
    texts = [filled(sentence, group) for sentence in sentences for group in chosen]
    values = numbers(tool, texts).reshape(len(sentences), len(chosen))
    moves = values - values.mean(axis=1, keepdims=True)
    means = moves.mean(axis=0)
    on = f"{len(sentences)} harmless sentences about {len(chosen)} groups, group not masked"
    line = Line(tool.name, TILTED, float(np.ptp(means)), None, None, len(texts), on)
    return line, float(np.abs(moves).mean()), float(np.abs(means).max())


def filled(sentence: str, group: dict[str, str]) -> str:
    """A sentence about a group."""
    text = sentence
    for slot in ("groups", "person", "adj"):
        text = text.replace(f"{{{slot}}}", group[slot])
    return text[:1].upper() + text[1:]


_CALLS = itertools.count()


def speed(tools: Sequence[Rater], repeats: int = 5) -> float:
    """Texts of about 20 tokens a second, by raters one after the other; the median of repeats."""
    words = [word for row in table("harmless_slots") for word in row["text"].split()]
    took = []
    for turn in range(repeats):
        # New texts each time: what was rated is remembered.
        mark = next(_CALLS)
        texts = [" ".join(words[(turn * 7 + at * 11) % (len(words) - 14) :][:14]) + f" {mark}." for at in range(400)]
        started = time.perf_counter()
        for tool in tools:
            tool.rate(texts)
        took.append(len(texts) / (time.perf_counter() - started))
    return statistics.median(took)


def measured(tool: Rater, data: Path, more: Path | None) -> list[Line]:
    """Every figure of a rater but its tilt."""
    kind = kind_of(tool.name)
    if kind in ("toxicity", "hate"):
        return list(on_abuse(tool, data, more))
    return list(on_regard(tool) if kind == "regard" else on_sentiment(tool, more))


def written(lines: Sequence[Line]) -> None:
    """Replace what `quality.tsv` says of these raters on these texts; the figure to go by stays the first."""
    head, *old = QUALITY.read_text(encoding="utf-8").splitlines()
    new = {(one.rater, one.figure.split()[0], one.on) for one in lines}
    kept = [row.split("\t") for row in old]
    kept = [row for row in kept if (row[0], row[1].split()[0], row[6]) not in new]
    rows = [one.cells for one in lines] + kept
    place = places([row.partition("\t")[0] for row in old])
    rows.sort(key=lambda row: (*place(row[0]), row[1] == TILTED))
    QUALITY.write_text("\n".join([head, *("\t".join(row) for row in rows)]) + "\n", encoding="utf-8")


def places(names: Sequence[str]) -> Callable[[str], tuple[int, int]]:
    """Where the rows of a rater stand: where any version of it stood before, the latest first."""

    def parts(name: str) -> tuple[str, int]:
        found = re.fullmatch(r"(.*)\.v(\d+)(.*)", name)
        assert found is not None, name
        return found[1] + found[3], int(found[2])

    known = {stem: place for place, stem in enumerate(dict.fromkeys(parts(name)[0] for name in names))}

    def place(name: str) -> tuple[int, int]:
        stem, version = parts(name)
        return known.get(stem, len(known)), -version

    return place


def beside(old: Sequence[Row], new: Sequence[Row], name_of: Callable[[Row], str]) -> list[Row]:
    """The rows of a table in which those of the raters that were measured are new."""
    measured_now = {name_of(row) for row in new}
    place = places([name_of(row) for row in old])
    kept = [row for row in old if name_of(row) not in measured_now]
    return sorted([*kept, *new], key=lambda row: place(name_of(row)))


def saved(name: str, rows: Sequence[Sequence[str]]) -> None:
    """Write one of the tables that the page links to."""
    with (ROOT / "docs" / "tables" / f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    options.add_argument("--more", type=Path)
    options.add_argument("--rater", action="append", default=[])
    options.add_argument("--only", action="append", default=[])
    options.add_argument("--write", action="store_true")
    given = options.parse_args()
    tools = [raters.load(name) for name in given.only or (*OFFLINE, *given.rater)]
    lines: list[Line] = []
    shown = [["rater", "texts", "figure", "value", "low", "high", "n", "unseen"]]
    rows = ["| rater | figure (95 % interval) | own tilt | texts a second |", "|---|---|---|---|"]
    for tool in tools:
        found = measured(tool, given.data, given.more)
        tilt, moved, most = own_tilt(tool, given.data)
        pace = speed([tool])
        lines += [*found, tilt]
        shown += [[tool.name, one.on, one.figure, *one.cells[2:6], one.unseen] for one in [*found, tilt]]
        words = "<br>".join(
            f"{one.figure} {100 * one.value:.1f} ({100 * (one.low or 0):.0f}–{100 * (one.high or 0):.0f}), {one.n:,} "
            f"{one.on.split(':')[0]}{' *(seen)*' * (one.unseen == 'no')}"
            for one in found
        )
        rows.append(
            f"| `{tool.name}` | {words} | {tilt.value:.3f} between groups; a sentence moves by {moved:.3f}, a group by "
            f"at most {most:.3f} | {pace:.0f} |"
        )
        print(rows[-1].replace("<br>", "\n    "), flush=True)
    page = ROOT / "docs" / "raters.md"
    before, _, rest = page.read_text(encoding="utf-8").partition("<!-- measured -->\n")
    said, _, after = rest.partition("<!-- /measured -->\n")
    abuse = [tool for tool in tools if kind_of(tool.name) in ("toxicity", "hate")]
    functions = list(by_functionality(abuse, given.data)) if abuse else []
    for row in functions:
        print(", ".join(row))
    if given.only:
        with (ROOT / "docs" / "tables" / "raters.csv").open(encoding="utf-8", newline="") as stream:
            shown = [shown[0], *beside(list(csv.reader(stream))[1:], shown[1:], lambda row: row[0])]
        old = [row for row in said.splitlines() if row.startswith("| `")]
        rows = [*rows[:2], *beside(old, rows[2:], lambda row: row.split("`")[1])]
        if given.write:
            saved("raters", shown)
            written(lines)
            if functions:
                with (ROOT / "docs" / "tables" / "hatecheck.csv").open(encoding="utf-8", newline="") as stream:
                    columns = list(zip(*csv.reader(stream), strict=True))
                new = list(zip(*functions, strict=True))[3:]
                both = [*columns[:3], *beside(columns[3:], new, lambda column: column[0].split()[0])]
                saved("hatecheck", list(zip(*both, strict=True)))
            last = said.splitlines()[-1]
            text = "\n".join([*rows, "", last, ""])
            page.write_text(f"{before}<!-- measured -->\n{text}<!-- /measured -->\n{after}", encoding="utf-8")
        return
    pair = speed(tools[:2])
    print(f"toxicity.minilm and hate.minilm together: {pair:.0f} texts a second")
    if given.write:
        for name, cells in (("raters", shown), ("hatecheck", functions)):
            saved(name, cells)
        written(lines)
        rows.append(f"\n`toxicity.minilm` and `hate.minilm` share one pass: {pair:.0f} texts a second for both.\n")
        text = "\n".join(rows)
        page.write_text(f"{before}<!-- measured -->\n{text}<!-- /measured -->\n{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
