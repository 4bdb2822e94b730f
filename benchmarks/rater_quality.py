"""How well the raters rate: what the figures on their cards come from.

Run `python benchmarks/rater_quality.py [--only regard] [--write] [--rater NAME …]`. Toxicity on HateCheck, by
functionality (the file ../shared/data/hatecheck/test_suite_cases.csv, or --hatecheck FILE); sentiment, regard and
refusal on texts that were not trained on (training/*.tsv); the tilt of each rater on our own sentences. Raters that
need a checkpoint of the hub are left out unless named, e.g. `--rater toxicity.detoxify-original:FOLDER`. `--write`
appends to RESULTS.md.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import platform
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tiltmeter import raters
from tiltmeter.raters import Rater, mask_group
from tiltmeter.raters.tilt import tilt
from tiltmeter.records import Rating

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "training"))
from heads import Sentence, sentences  # noqa: E402

OFFLINE = {
    "toxicity": ["toxicity.linear", "toxicity.tiny"],
    "sentiment": ["sentiment.vader", "sentiment.minilm"],
    "regard": ["regard.minilm"],
}
# Above which a text counts as toxic: what the makers advise, one half where they advise nothing.
THRESHOLDS = {"toxicity.tiny.v1": 0.7}
NEUTRAL_BELOW = {"sentiment.vader.v1": 0.05}
TILT_GROUPS = {
    "women": ["women"],
    "men": ["men"],
    "Black people": ["Black people"],
    "white people": ["white people"],
    "Muslims": ["Muslims"],
    "Christians": ["Christians"],
    "gay people": ["gay people"],
    "straight people": ["straight people"],
    "disabled people": ["disabled people"],
}
REGARD = ("negative", "neutral", "positive", "other")
NEW, LAST, OURS = "**new texts of two models**", "**last texts of two models**", "our test part"
# What HateCheck says of the group in these functionalities, as regard.
HATECHECK_REGARD = {
    "derog_neg_emote_h": "negative",
    "derog_neg_attrib_h": "negative",
    "derog_dehum_h": "negative",
    "derog_impl_h": "negative",
    "threat_dir_h": "negative",
    "ident_neutral_nh": "neutral",
    "ident_pos_nh": "positive",
}


def on_hatecheck(tools: Sequence[Rater], rows: Sequence[dict[str, str]]) -> Iterator[str]:
    """The share of texts above each rater's threshold, by functionality, and the AUC."""
    values = [[rating.value or 0.0 for rating in tool.rate([row["test_case"] for row in rows])] for tool in tools]
    limits = [THRESHOLDS.get(tool.name, 0.5) for tool in tools]
    hateful = [row["label_gold"] == "hateful" for row in rows]
    yield f"**Toxicity: HateCheck, {len(rows)} texts, {sum(hateful)} hateful; share above the threshold, in %**"
    yield ""
    yield (
        "| functionality | texts | gold | "
        + " | ".join(f"{tool.name} > {limit}" for tool, limit in zip(tools, limits, strict=True))
        + " |"
    )
    yield "|---|---|---|" + "---|" * len(tools)
    for functionality in dict.fromkeys(row["functionality"] for row in rows):
        places = [place for place, row in enumerate(rows) if row["functionality"] == functionality]
        cells = [
            _percent([column[place] > limit for place in places]) for column, limit in zip(values, limits, strict=True)
        ]
        yield f"| {functionality} | {len(places)} | {rows[places[0]]['label_gold']} | {' | '.join(cells)} |"
    for label, wanted in (("all hateful", True), ("all non-hateful", False)):
        places = [place for place, is_hateful in enumerate(hateful) if is_hateful == wanted]
        cells = [
            _percent([column[place] > limit for place in places]) for column, limit in zip(values, limits, strict=True)
        ]
        yield f"| **{label}** | {len(places)} | | {' | '.join(cells)} |"
    yield "| **AUC** | | | " + " | ".join(f"{100 * auc(column, hateful):.1f}" for column in values) + " |"


def on_sentiment(tools: Sequence[Rater]) -> Iterator[str]:
    """Right answers among three, and the sign on the sentences that have one."""
    rows = [row for row in sentences("sentiment") if row.part == "test"]
    yield f"**Sentiment: the test part of our own sentences, {len(rows)}**"
    yield ""
    yield "| rater | right of three labels, % | right sign where there is one, % |"
    yield "|---|---|---|"
    tables = []
    for tool in tools:
        rated = tool.rate([row.text for row in rows])
        labels = [_sentiment(tool.name, rating) for rating in rated]
        signs = [
            (rating.value or 0.0) * (1 if row.label == "positive" else -1) > 0
            for row, rating in zip(rows, rated, strict=True)
            if row.label != "neutral"
        ]
        right = [row.label == label for row, label in zip(rows, labels, strict=True)]
        yield f"| {tool.name} | {_percent(right)} | {_percent(signs)} |"
        tables += ["", f"{tool.name}:", "", *confusion(rows, labels, REGARD[:3])]
    yield from tables


def on_regard(tools: Sequence[Rater], hatecheck: Sequence[dict[str, str]]) -> Iterator[str]:
    """Each rater on each set of texts with a known regard; confusion tables; right answers by theme and by source."""
    sets = regard_sets(hatecheck)
    answers = {
        (title, tool.name): [_regard(rating) for rating in tool.rate([row.text for row in rows])]
        for title, rows in sets.items()
        for tool in tools
    }
    yield "**Regard: right among the texts that have one (not *other*); unrated is wrong; 95 % intervals (Wilson)**"
    yield ""
    yield (
        "| texts | with a regard | rater | right, % | right of those rated, % | macro-F1 "
        "| found: negative, neutral, positive, % | unrated, % | *other* left unrated, % |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for title, rows in sets.items():
        for tool in tools:
            yield regard_line(title, tool.name, rows, answers[title, tool.name])
    yield ""
    for title in [title for title in sets if title in (NEW, LAST, OURS)]:
        for tool in tools:
            yield f"{title.strip('*').capitalize()}, {tool.name}:"
            yield ""
            yield from confusion(sets[title], answers[title, tool.name], REGARD)
            yield ""
    for tool in tools:
        right = [row.label == label for row, label in zip(sets[OURS], answers[OURS, tool.name], strict=True)]
        yield from by_theme(tool.name, sets[OURS], right)


def regard_sets(hatecheck: Sequence[dict[str, str]]) -> dict[str, list[Sentence]]:
    """Texts that regard was not trained on, by what they are."""
    ours = [row for row in sentences("regard") if row.part == "test"]
    new = sentences("regard_unseen")
    known = [row for row in hatecheck if row["functionality"] in HATECHECK_REGARD and row["target_ident"]]
    masked = dict.fromkeys(
        Sentence(HATECHECK_REGARD[row["functionality"]], row["functionality"], _masked(row["case_templ"]))
        for row in known
    )
    made = {
        NEW: new,
        "new texts, label no close call": [row for row in new if "doubtful" not in row.note],
        "new texts of smollm2-135m": [row for row in new if row.theme.startswith("smollm2")],
        "new texts of gemma-3-270m": [row for row in new if row.theme.startswith("gemma")],
        "new texts, harm suffered": [row for row in new if "suffered" in row.note],
        LAST: sentences("regard_last"),
        "earlier texts (64) of smollm2-135m": sentences("regard_fresh"),
        "first texts (160) of smollm2-135m": sentences("regard_written"),
        OURS: ours,
        "our test part, negation": [row for row in ours if row.theme == "negation"],
        "our test part, harm suffered": [row for row in ours if row.theme == "suffered"],
        "HateCheck, group masked": list(masked),
    }
    return {title: rows for title, rows in made.items() if rows}


def regard_line(title: str, name: str, rows: Sequence[Sentence], labels: Sequence[str]) -> str:
    """One line of the table: how well a rater rates one set."""
    pairs = list(zip([row.label for row in rows], labels, strict=True))
    plain = [(truth, label) for truth, label in pairs if truth != "other"]
    other = [label == "other" for truth, label in pairs if truth == "other"]
    hits = sum(truth == label for truth, label in plain)
    low, high = wilson(hits, len(plain))
    found, balance = [], []
    for kind in REGARD[:3]:
        true = [label for truth, label in plain if truth == kind]
        named = sum(label == kind for _, label in plain)
        right = true.count(kind)
        found.append(f"{100 * right / len(true):.0f}" if true else "–")
        if true:
            balance.append(2 * right / (len(true) + named))
    rated = sum(label != "other" for _, label in plain)
    unrated = _percent([label == "other" for _, label in plain])
    return (
        f"| {title} | {len(plain)} of {len(rows)} | {name} | {100 * hits / len(plain):.1f} ({low:.0f} to {high:.0f}) "
        f"| {100 * hits / max(rated, 1):.1f} | {statistics.mean(balance):.2f} | {', '.join(found)} | {unrated} "
        f"| {_percent(other) if other else '–'} |"
    )


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share, in per cent."""
    from scipy.stats import binomtest

    found = binomtest(hits, count).proportion_ci(0.95, "wilson")
    return 100 * float(found.low), 100 * float(found.high)


def by_theme(name: str, rows: Sequence[Sentence], right: Sequence[bool]) -> Iterator[str]:
    """Right answers by what the sentences are about."""
    found: dict[str, list[bool]] = {}
    for row, hit in zip(rows, right, strict=True):
        found.setdefault(f"{row.label} {row.theme}", []).append(hit)
    yield (
        f"Right by theme, {name}: "
        + ", ".join(f"{theme} {sum(hits)}/{len(hits)}" for theme, hits in found.items())
        + "."
    )
    yield ""


def on_refusals() -> Iterator[str]:
    """How many refusals are found, and how many answers are taken for one."""
    from refusals import held_out

    rows = held_out()
    labels = [str(rating.label) for rating in raters.load("refusal").rate([row.text for row in rows])]
    yield f"**Refusal: {len(rows)} of our own texts, not trained on**"
    yield ""
    yield from confusion(rows, labels, ("refusal", "answer"))
    yield ""


def on_tilt(tools: Sequence[Rater]) -> Iterator[str]:
    """The mean rating of the same sentences about each group, harmless / harmful."""
    yield "**The raters' own tilt: means on the same 36 harmless / 36 harmful sentences, group not masked**"
    yield ""
    yield "| group | " + " | ".join(tool.name for tool in tools) + " |"
    yield "|---|" + "---|" * len(tools)
    items = [tilt(tool, TILT_GROUPS) for tool in tools]
    for group in TILT_GROUPS:
        cells = []
        for rated in items:
            means = []
            for kind in ("harmless", "harmful"):
                own = [item.rating.value for item in rated if item.group == group and item.kind == kind]
                means.append(statistics.mean([value for value in own if value is not None]))
            cells.append(" / ".join(f"{mean:.2f}" for mean in means))
        yield f"| {group} | {' | '.join(cells)} |"


def on_pronouns(tools: Sequence[Rater]) -> Iterator[str]:
    """What regard makes of the same new texts where only she and he, mother and father, are swapped."""
    from regard_data import swapped

    texts = [row.text for row in sentences("regard_unseen")]
    pairs = [(text, swapped(text)) for text in texts if swapped(text) != text]
    yield f"**Regard: what masking misses: {len(pairs)} new texts with she and he, and the like, exchanged**"
    yield ""
    yield "| rater | another answer, % | mean as written | mean exchanged | mean with she | mean with he |"
    yield "|---|---|---|---|---|---|"
    for tool in tools:
        columns = list(zip(*pairs, strict=True))
        first, second = ([rating.value for rating in tool.rate(column)] for column in columns)
        changed = [a != b for a, b in zip(first, second, strict=True)]
        # A text is told by a woman's words or a man's by which of them come more often.
        female = [_female(text) for text, _ in pairs]
        she = [a if is_she else b for a, b, is_she in zip(first, second, female, strict=True)]
        he = [b if is_she else a for a, b, is_she in zip(first, second, female, strict=True)]
        means = " | ".join(f"{_mean(values):+.3f}" for values in (first, second, she, he))
        yield f"| {tool.name} | {_percent(changed)} | {means} |"


def confusion(rows: Sequence[Sentence], labels: Sequence[str], order: Sequence[str]) -> Iterator[str]:
    """A table of truth by answer."""
    counts = Counter((row.label, label) for row, label in zip(rows, labels, strict=True))
    yield "| truth | " + " | ".join(f"rated {label}" for label in order) + " | right, % |"
    yield "|---|" + "---|" * (len(order) + 1)
    for truth in order:
        cells = [counts[truth, label] for label in order]
        if sum(cells):
            share = 100 * counts[truth, truth] / sum(cells)
            yield f"| {truth} | {' | '.join(map(str, cells))} | {share:.0f} |"


def auc(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The chance that a hateful text scores higher than another; ties count half."""
    import numpy as np
    from scipy.stats import rankdata

    real = np.array(truth)
    ranks = rankdata(scores)[real]
    return float((ranks.sum() - real.sum() * (real.sum() + 1) / 2) / (real.sum() * (~real).sum()))


def _masked(template: str) -> str:
    import re

    return re.sub(r"\[IDENTITY_[A-Z]+\]", "XYZ", mask_group(template, terms=())).strip()


def _sentiment(name: str, rating: Rating) -> str:
    if rating.label:
        return rating.label
    value, line = rating.value or 0.0, NEUTRAL_BELOW.get(name, 1 / 3)
    return "positive" if value >= line else "negative" if value <= -line else "neutral"


def _regard(rating: Rating) -> str:
    return rating.label or _sentiment(rating.rater, rating)


def _female(text: str) -> bool:
    import re

    words = re.findall(r"\w+", text.lower())
    women = sum(word in {"she", "her", "hers", "herself", "woman", "women", "wife", "girl", "mother"} for word in words)
    return women > sum(word in {"he", "his", "him", "himself", "man", "men", "husband", "boy"} for word in words)


def _mean(values: Sequence[float | None]) -> float:
    return statistics.mean([value for value in values if value is not None])


def _percent(hits: Sequence[bool]) -> str:
    return f"{100 * sum(hits) / len(hits):.1f}"


def main() -> None:
    import torch

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rater", action="append", default=[], help="a further rater; may be given several times")
    options.add_argument("--hatecheck", type=Path, help="test_suite_cases.csv of HateCheck")
    options.add_argument("--only", choices=["regard"], help="this part alone")
    options.add_argument("--write", action="store_true", help="append to RESULTS.md")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    names = {kind: [*own, *(n for n in chosen.rater if n.startswith(kind))] for kind, own in OFFLINE.items()}
    tools = {kind: [raters.load(name) for name in listed] for kind, listed in names.items()}
    file = chosen.hatecheck or HERE.parents[1] / "shared" / "data" / "hatecheck" / "test_suite_cases.csv"
    hatecheck: list[dict[str, str]] = []
    if file.is_file():
        with file.open(encoding="utf-8", newline="") as stream:
            hatecheck = list(csv.DictReader(stream))
    else:
        print(f"{file} is not there: toxicity is not measured", file=sys.stderr)
    parts: list[Callable[[], Iterator[str]]] = [
        *([lambda: on_hatecheck(tools["toxicity"], hatecheck)] if hatecheck else []),
        lambda: on_sentiment(tools["sentiment"]),
        # Sentiment as regard is the mark that a regard rater has to pass.
        lambda: on_regard([*tools["regard"], *tools["sentiment"][:1]], hatecheck),
        on_refusals,
        lambda: on_pronouns(tools["regard"]),
        lambda: on_tilt([tool for kind in tools.values() for tool in kind]),
    ]
    if chosen.only:
        parts = [
            lambda: on_regard([*tools["regard"], *tools["sentiment"][:1]], hatecheck),
            lambda: on_pronouns(tools["regard"]),
            lambda: on_tilt(tools["regard"]),
        ]
    lines = [f"## {datetime.date.today()}, {platform.machine()} (`rater_quality.py`)", ""]
    for part in parts:
        lines += [*part(), ""]
    text = "\n".join(lines)
    print(text)
    if chosen.write:
        with (HERE / "RESULTS.md").open("a", encoding="utf-8") as stream:
            stream.write(f"\n\n{text}")


if __name__ == "__main__":
    main()
