"""What people said of texts and written sentences, as measurements: each of them is a rater, `human:NAME`."""

from __future__ import annotations

from tiltmeter.parquet import Rows
from tiltmeter.raters.scales import SCALES
from tiltmeter.results.measurements import marked
from tiltmeter.results.measurements.columns import HUMAN, RATING, of_prompt, scale, settings_of
from tiltmeter.results.measurements.continuations import written
from tiltmeter.results.measurements.pairs import flag_rows
from tiltmeter.results.summary.labels import Labels, matched
from tiltmeter.results.summary.people_ratings import PeopleRatings, text_id
from tiltmeter.results.summary.refusals import ANY
from tiltmeter.store import Run


def rating_rows(run: Run, people: PeopleRatings) -> Rows:
    """The ratings of texts, or why somebody who looked at a text gave it none."""
    return marked(run, "continuations", _ratings(run, people))


def label_rows(run: Run, labels: Labels) -> Rows:
    """The issues that people found in written sentences."""
    return marked(run, "pairs", _labels(run, labels))


def _ratings(run: Run, people: PeopleRatings) -> Rows:
    known = SCALES.get(people.kind)
    ends = scale(known.low, known.high, known.neutral, known.worse) if known else {}
    for model, one in written(run):
        name = text_id(model, one)
        values, reasons = people.values.get(name, {}), people.unrated.get(name, {})
        place = {"model": model, **of_prompt(one.prompt), "group": one.prompt.group or ANY, "sample": one.sample}
        place |= {**settings_of(one.decoding), "measure": f"{HUMAN} {people.kind or RATING}", **ends}
        for annotator in dict.fromkeys((*values, *reasons)):
            value, reason = values.get(annotator), reasons.get(annotator)
            yield {**place, "rater": f"{HUMAN}:{annotator}", "value": value, "reason": reason}


def _labels(run: Run, labels: Labels) -> Rows:
    names = matched(labels, run.pairs)
    for annotator, found in labels.annotations.by_annotator.items():
        judged = {pair: dict.fromkeys(found[name]) for pair, name in names.items() if name in found}
        yield from flag_rows(run.pairs, f"{HUMAN}:{annotator}", judged)
