"""What the figures of a report do not say: always, and because of what was run and what was not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tiltmeter.analysis import RunSummary
from tiltmeter.analysis.continuation_records import kind_of
from tiltmeter.analysis.multiverse import MultiverseSummary
from tiltmeter.records import Estimate
from tiltmeter.report.decodings import rater_words
from tiltmeter.report.series import Runs, short_scorer
from tiltmeter.report.words import NEUTRAL, count, listed, percent
from tiltmeter.stats.estimates import BOOTSTRAP_ORIGINS, FEWEST_ORIGINS
from tiltmeter.store import Run

_MADE = {
    "templates",
    "rephrased",
    "profession-templates",
    "own-prompts",
    "respect-occupation",
    "honest",
    "holistic-bias",
}
"""Sources whose sentences come from patterns that somebody wrote for a test."""


def not_meant() -> Mapping[str, tuple[str, ...]]:
    """What a figure never means, by the view that it is of."""
    return {
        "pairs": (
            "It is about these sentences, in this language, with these words for the groups. Other words or another "
            "sentence form can give another figure.",
            "It says which sentence a model finds more probable, not what it will write, nor what an application built "
            "on it will do to anyone.",
            f"{NEUTRAL} is not fairness. Leanings that cancel out, and biases that nobody wrote a test for, do not "
            "show.",
            "The average over biases depends on which biases were chosen. It ranks models on this list and on nothing "
            "else.",
            "A group term that is rare or long is improbable whatever the stereotype: compare the scorers, and the "
            "control sets.",
            "That a stereotype is tested here does not make it true. The word lists are those of the works cited "
            "below.",
        ),
        "continuations": (
            "A rating is what a tool makes of a text, not what a reader would, nor what the text does to those whom it "
            "is about.",
            "It is about what follows these prompts, in this language, under these decodings: not about what a model "
            "writes when somebody else asks.",
            "That no difference is shown is not fairness: texts about two groups can be equally hurtful, or differ in "
            "what no rater here reads.",
        ),
        "next words": (
            "It is about these words right after these prompts, in this language: not what a model would write at "
            "length, nor what it holds of anyone.",
            f"{NEUTRAL} is not fairness, and an absolute difference says nothing of the side.",
            "Differences between models, and between sets of prompts, are not tested here.",
        ),
    }


def limitations(runs: Runs, answered: MultiverseSummary) -> tuple[str, ...]:
    """What this study leaves open, because of what was run; the largest gaps first."""
    return (
        *_unfinished(runs),
        *_changed(runs),
        *_repeated(runs),
        *_unwritten(runs),
        *_models(runs),
        *_origins(runs),
        *_unscored(runs),
        *_sources(runs),
        *_languages(runs),
        *_raters(runs, answered),
        *_draws(runs),
        *_choices(answered),
        *_dropped(runs),
    )


def _unfinished(runs: Runs) -> Iterator[str]:
    missing = list(dict.fromkeys(name for run, summary in runs if _is_open(run) for name in summary.missing))
    if missing:
        yield f"The run is not finished: of {listed(missing)} something is missing, and what stands here will change."


def _changed(runs: Runs) -> Iterator[str]:
    """Models behind an API whose replies name more than one."""
    for run, _ in runs:
        for name, spent in run.meta.get("api", {}).items():
            said = spent.get("models") or ()
            if len(said) > 1:
                yield (
                    f"{name} changed during the run: its replies come from {listed(said)}, so that what is measured is "
                    "a mixture of these."
                )


def _repeated(runs: Runs) -> Iterator[str]:
    for _, summary in runs:
        for one in summary.continuations.repeats if summary.continuations else ():
            if one.is_suspect:
                yield f"{one.words()}. Intervals are over origins and hold; more samples would not narrow them."


def _is_open(run: Run) -> bool:
    """Whether something that was asked for may still come."""
    unasked = run.next_words is not None and not run.next_words.complete
    return bool(run.pairs) or unasked or not run.meta.get("all_rated", True)


def _models(runs: Runs) -> Iterator[str]:
    names = {name for _, summary in runs for name in summary.facts}
    if len(names) == 1:
        yield "One model was tested: nothing here says whether it leans more or less than another."
    elif len(names) > 1:
        yield (
            f"{len(names)} models were tested, chosen by whoever wrote the study: they are no sample of language "
            "models, and differences between them are tested by `tiltmeter compare` alone."
        )


def _origins(runs: Runs) -> Iterator[str]:
    """How many biases rest on few origins; of each the cell with the most of them counts."""
    most: dict[tuple[str, str], int] = {}
    for _, summary in runs:
        for view, bias, found in _estimates(summary):
            most[view, bias] = max(most.get((view, bias), 0), found.origins)
    for view in dict.fromkeys(view for view, _ in most):
        origins = [number for (of, _), number in most.items() if of == view]
        bare = sum(number < FEWEST_ORIGINS for number in origins)
        few = sum(FEWEST_ORIGINS <= number < BOOTSTRAP_ORIGINS for number in origins)
        biases = count(len(origins), "bias", "biases")
        if bare:
            have = "has" if bare == 1 else "have"
            yield f"{view}: {bare} of {biases} {have} fewer than {FEWEST_ORIGINS} origins, and no interval."
        if few:
            yield (
                f"{view}: {few} of {biases} {'rests' if few == 1 else 'rest'} on {FEWEST_ORIGINS} to "
                f"{BOOTSTRAP_ORIGINS - 1} origins, so that the interval depends on the shape of a distribution which "
                "so few cannot show."
            )


def _estimates(summary: RunSummary) -> Iterator[tuple[str, str, Estimate]]:
    for cell in summary.cells:
        for bias, found in cell.summary.by_bias.items():
            yield "Pairs", bias, found
    for text in summary.continuations.cells if summary.continuations else ():
        for pair in text.summary.pairs[:1]:
            yield "Texts", text.bias, pair.difference


def _unscored(runs: Runs) -> Iterator[str]:
    """The worst share without a figure in each view."""
    pairs, texts = [], []
    for _, summary in runs:
        for cell in summary.cells:
            number = sum(cell.unscored.values())
            pairs.append((_part(number, len(cell.scores)), f"{cell.model}, {short_scorer(cell.scorer)}"))
        for one in summary.continuations.cells if summary.continuations else ():
            groups = one.summary.groups.values()
            missing, every = sum(g.mean.n_unscored for g in groups), sum(g.mean.n + g.mean.n_unscored for g in groups)
            texts.append((_part(missing, every), f"{one.model}, {rater_words(one.rater)}"))
    for noun, verb, found in (("pairs", "score", pairs), ("texts", "rating", texts)):
        share, place = max(found, default=(0.0, ""))
        if share:
            yield (
                f"Up to {percent(share)} of the {noun} have no {verb} ({place}). If these differ from the others, a "
                "value is shifted and its interval does not show it."
            )


def _sources(runs: Runs) -> Iterator[str]:
    names = {kind for run, _ in runs for kind in _kinds_of_sources(run)}
    if names and names <= _MADE:
        yield (
            f"All test text was made from patterns written for a test ({listed(sorted(names))}). A model may treat "
            "sentences that people wrote for other reasons in another way."
        )
    elif "natural" not in names and "generated" not in names and names & _MADE:
        yield "No test sentence was found in natural text."
    if len(names) == 1:
        yield "There is one source of test text: whether another would say the same was not asked."


def _kinds_of_sources(run: Run) -> Iterator[str]:
    resolved = run.meta["resolved"]
    views = [resolved["sources"], *((resolved.get(view) or {}).get("sources", ()) for view in _VIEWS)]
    return (source["name"].rsplit(".v", 1)[0] for sources in views for source in sources)


_VIEWS = ("continuations", "next_words")


def _languages(runs: Runs) -> Iterator[str]:
    found = {prompt.language for run, _ in runs if run.continuations for prompt in run.continuations.prompts}
    if len(found) == 1:
        yield f"All prompts are in one language ({found.pop()}): what the models do in others is not known."


def _raters(runs: Runs, answered: MultiverseSummary) -> Iterator[str]:
    names = {cell.rater for _, summary in runs if summary.continuations for cell in summary.continuations.cells}
    if not names:
        return
    kinds: dict[str, list[str]] = {}
    for name in sorted(names):
        kinds.setdefault(kind_of(name), []).append(name)
    alone = [rater_words(found[0]) for found in kinds.values() if len(found) == 1]
    if alone:
        yield f"Only one rater of its kind was at work: {listed(alone)}. What it says may be a fact about the rater."
    cells = [
        cell
        for _, summary in runs
        if summary.continuations
        for cell in summary.continuations.cells
        if cell.summary.pairs
    ]
    unknown = sorted({rater_words(cell.rater) for cell in cells if not cell.tilt_measured})
    if unknown:
        yield f"The own tilt of {listed(unknown)} was not measured for all groups, so that a difference may be theirs."
    within = sum(one.within_tilt or 0 for one in answered.answers)
    if within:
        of = sum(one.verdict.of for one in answered.answers if one.within_tilt is not None)
        yield (
            f"In {within} of {count(of, 'cell')} on texts the difference is no larger than what the rater makes of the "
            "groups’ names alone."
        )


def _draws(runs: Runs) -> Iterator[str]:
    written = [(run, run.continuations) for run, _ in runs if run.continuations is not None]
    if not written:
        return
    seeds = {run.meta["resolved"]["seed"] for run, _ in written}
    samples = [(run.meta["resolved"].get("continuations") or {}).get("samples", 1) for run, _ in written]
    if len(seeds) == 1 and any(one.temperature for _, texts in written for one in texts.decodings):
        yield (
            f"Texts were drawn with one seed, {_span(samples)} for each prompt: another draw gives other texts, which "
            "the intervals cover only as far as origins differ."
        )
    if all(len(texts.decodings) == 1 for _, texts in written):
        yield "Texts were drawn under one decoding: at another temperature or length they may differ."


def _choices(answered: MultiverseSummary) -> Iterator[str]:
    if not answered.answers:
        return
    varied: dict[str, set[str]] = {}
    for one in answered.answers:
        for cell in one.multiverse.curve.cells:
            for name, setting in cell.choices.items():
                varied.setdefault(name, set()).add(setting)
    several = [f"{name} ({len(settings)})" for name, settings in varied.items() if len(settings) > 1]
    single = [name for name, settings in varied.items() if len(settings) == 1]
    if several:
        fixed = f" Not varied: {listed(single)}." if single else ""
        yield f"What survives does so under the choices that were varied: {listed(several)}.{fixed}"
    if answered.left_out:
        left = count(answered.left_out, "more question")
        yield f"{left} can be asked of these runs and {'is' if answered.left_out == 1 else 'are'} not."


def _unwritten(runs: Runs) -> Iterator[str]:
    for _, summary in runs:
        for source, reason in summary.sentences.came_to_nothing.items() if summary.sentences else ():
            yield f"The source {source} came to nothing, so that no figure is about it (most often: {reason})."


def _dropped(runs: Runs) -> Iterator[str]:
    number = sum(sum(summary.dropped.values()) for _, summary in runs)
    if number:
        yield f"{count(number, 'probe')} could not be made, so that the words they would have tested count for nothing."


def _part(number: int, of: int) -> float:
    return number / of if of else 0.0


def _span(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return count(found[0], "sample") if len(found) == 1 else f"{found[0]} to {found[-1]} samples"
