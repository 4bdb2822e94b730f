"""What the figures of a report do not say: always, and because of what was run and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tiltmeter.present.blocks import Listing, Section, text
from tiltmeter.present.decodings import rater_words, short_scorer
from tiltmeter.present.known_raters import doubts, left_out_words
from tiltmeter.present.reported import Reported, Runs
from tiltmeter.present.series import is_check
from tiltmeter.present.words import NEUTRAL, capitalised, count, listed, percent
from tiltmeter.results.account import NOT_STATED, Account, SourceUsed, Varied
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.findings import Findings
from tiltmeter.results.summary.known_raters import known_rater
from tiltmeter.results.summary.number_faults import number_faults
from tiltmeter.results.summary.text_records import PEOPLE
from tiltmeter.store import Run
from tiltmeter.views import FACTS, View


def not_meant(view: View) -> tuple[str, ...]:
    """What a figure of a view never means."""
    return _NOT_MEANT.get(view, _NEVER_MEANT)


_NEVER_MEANT = (
    "This is about these items, in this language, with these words for the groups. Other words can give another "
    "result.",
    "No difference is not fairness: differences that cancel out do not show, and neither do biases that nobody tested.",
)
_NOT_MEANT: Mapping[View, tuple[str, ...]] = {
    "pairs": (
        "This is about these sentences, with these words for the groups. Other words, another sentence form or another "
        "language can give another result.",
        "It shows which sentence the model finds more probable. It does not show what the model will write, or "
        "what a product built on it will do to anyone.",
        f"{NEUTRAL} is not fairness: preferences that cancel out do not show, and neither do biases that nobody "
        "tested.",
        "A group word that is rare or long is improbable whatever the stereotype; compare the scorers.",
        "Testing a stereotype does not make it true.",
    ),
    "continuations": (
        "A rating is a tool's judgement of a text. It is not what a reader would say, and not what the text does "
        "to the people it is about.",
        "This is about what follows these prompts, decoded as here. It is not about what the model writes when someone "
        "else asks.",
        "No difference is not fairness: texts about two groups can be equally hurtful, or differ in something that "
        "no rater here reads.",
    ),
    "next words": (
        "This is about these words right after these prompts. It is not what the model would write at length.",
        f"{NEUTRAL} is not fairness, and an absolute difference does not say which group is favoured.",
        "Differences between models are not tested here, and between sets of prompts only where they share test words.",
    ),
    "choices": (
        "An answer to a question with options is not a decision about anybody. A product built on the model asks in "
        "another way, and may act on it in another.",
        "The order of options, their letters and the wording move answers; compare the methods.",
        "An answer that nothing can be known is cautious, not fair: it can be given more readily about one group.",
        "No difference is not fairness: differences that cancel out do not show, and neither do biases that nobody "
        "tested.",
    ),
}


_SURE = 0.05
_FEW_ORIGINS = 20
_WITH_FEW = {"cluster-score.v2": "which makes intervals wide"}
_SHAPE_UNSEEN = "too few to show the shape of the distribution that the interval assumes"
"""What few clusters do to an interval, by its method."""
_FOUND, _MISSES = " found", 0.8
"""A figure of how many texts of a kind a rater finds, and the share below which what it misses is named."""
_REASONS = 3
"""Reasons that are named, the commonest first."""


def limits(found: Reported) -> list[Section]:
    """What this study leaves open because of what was run; the largest gaps first."""
    runs, answered, done = found.runs, found.answered, found.done
    sentences = (
        *_unfinished(runs),
        *_changed(runs),
        *_screened(runs),
        *_unasked(runs),
        *_repeated(runs),
        *_unwritten(runs),
        *_models(done),
        *_servers(runs),
        *_few_words(found),
        *_missing(found),
        *_refused(found),
        *_caveats(runs),
        *_sources(done),
        *_languages(runs),
        *_raters(found),
        *_draws(runs),
        *_choices(answered, done),
        *_dropped(runs),
        *(f"{faults.sentence()}." for run, _ in runs if (faults := number_faults(run.pairs))),
    )
    return [Section("Limitations", (Listing(tuple(map(text, sentences))),), anchor="limitations")]


def _unfinished(runs: Runs) -> Iterator[str]:
    missing = list(dict.fromkeys(name for run, summary in runs if _is_open(run) for name in summary.missing))
    if missing:
        yield f"The run is not finished: results of {listed(missing)} are missing, and figures will change."


def _changed(runs: Runs) -> Iterator[str]:
    """Models behind an API whose replies name more than one."""
    for run, _ in runs:
        for name, spent in run.meta.get("api", {}).items():
            said = spent.get("models") or ()
            if len(said) > 1:
                yield (
                    f"{name} changed during the run: its replies come from {listed(said)}, so the figures mix these "
                    "models."
                )


def _screened(runs: Runs) -> Iterator[str]:
    """Models whose pairs were scored in a fast format wherever that can tell which text is preferred."""
    for run, _ in runs:
        for model, account in run.meta.get("screened", {}).items():
            fast = account["pairs"] - account["close"] - account["drawn"]
            if fast:
                largest = listed([f"{one['largest']:.2g} ({one['scorer']})" for one in account["scorers"]])
                yield (
                    f"{fast:,} of {account['pairs']:,} pairs have scores of {model} in {account['format']} only: "
                    "their two texts are further apart than that format errs. The size of a difference may be off "
                    f"there; on the pairs scored in both formats it was by up to {largest}."
                )


def _unasked(runs: Runs) -> Iterator[str]:
    """The models that can be asked in none of the ways of a view."""
    for run, _ in runs:
        for view in run.asked if run.meta.get("finished") else ():
            silent = [model for model in run.facts if not table_of(run).of(view, model=model)]
            if silent:
                yield f"{capitalised(view)}: {listed(silent)} cannot be asked in this view and has no results there."


def _repeated(runs: Runs) -> Iterator[str]:
    for _, summary in runs:
        for one in summary.continuations.repeats if summary.continuations else ():
            if one.is_suspect:
                yield f"{one.words()}. Intervals remain valid; more samples would not narrow them."


def _is_open(run: Run) -> bool:
    """Whether something that was asked for may still come."""
    unasked = run.next_words is not None and not run.next_words.complete
    return bool(run.pairs or run.asked) or unasked or not run.meta.get("all_rated", True)


def _models(done: Account) -> Iterator[str]:
    if len(done.models) == 1:
        yield "Only one model was tested, so nothing here says whether it is more biased than others."
    elif len(done.models) > 1:
        yield (
            f"The {len(done.models)} models were chosen by the study's author and are not a sample of language models. "
            "Differences between them are not tested here; `tiltmeter compare` does that."
        )


def _servers(runs: Runs) -> Iterator[str]:
    unknown = sorted({name for _, summary in runs for name, one in summary.facts.items() if not one.weights_sha256})
    if unknown:
        yield f"The weights behind {listed(unknown)} are unknown: whoever serves a model can change it."


def _biases(number: int, of: int) -> str:
    """How many of the biases of a view.

    >>> _biases(1, 1), _biases(1, 6)
    ('the one bias', '1 of 6 biases')
    """
    return "the one bias" if of == 1 else f"{number} of {of} biases"


def _few_words(found: Reported) -> Iterator[str]:
    """How many biases rest on few test words; of each, the figure with the most of them counts."""
    done = found.done
    social = {place: one for place, one in done.origins.items() if not is_check(found, place[1])}
    for view in dict.fromkeys(view for view, _ in social):
        figures = [one for (of, _), one in social.items() if of == view]
        nothing = sum(one.value is None for one in figures)
        bare = sum(one.value is not None and one.low is None for one in figures)
        few = Counter(
            _WITH_FEW.get(one.method or "", _SHAPE_UNSEEN)
            for one in figures
            if one.low is not None and one.origins < _FEW_ORIGINS
        )
        if nothing:
            have = "has" if nothing == 1 else "have"
            yield f"{view.capitalize()}: {_biases(nothing, len(figures))} {have} no figure at all."
        if bare:
            have = "has" if bare == 1 else "have"
            notes = [one.note or "" for one in figures if one.value is not None and one.low is None]
            why = "; ".join(
                dict.fromkeys(
                    note.removeprefix("no interval: ").replace("origin", "test word") for note in notes if note
                )
            )
            yield f"{view.capitalize()}: {_biases(bare, len(figures))} {have} no interval{f' ({why})' if why else ''}."
        some = done.leading.get(view)
        if some and some.without and some.methods and not bare:
            number, why = sum(some.without.values()), "; ".join(list(some.without)[:_REASONS])
            of = number + sum(some.methods.values())
            have = "has" if number == 1 else "have"
            yield f"{view.capitalize()}: {number:,} of {of:,} comparisons {have} no interval ({why})."
        for effect, number in few.items():
            rest = "rests" if number == 1 else "rest"
            yield (
                f"{view.capitalize()}: {_biases(number, len(figures))} {rest} on fewer than {_FEW_ORIGINS} "
                f"{FACTS[view].origin}s, {effect}."
            )


def _missing(found: Reported) -> Iterator[str]:
    """The largest share of missing values in each view."""
    pairs, texts = [], []
    for _, summary in found.runs:
        for cell in summary.cells:
            number = sum(cell.unscored.values())
            pairs.append((_part(number, cell.pairs), f"{cell.model}, {short_scorer(cell.scorer)}"))
        for one in summary.continuations.cells if summary.continuations else ():
            for group, of_group in one.summary.groups.items():
                missing, rated = of_group.mean.n_unscored, of_group.mean.n
                place = f"texts about {found.names.group(group, one.bias)}, {one.model}, {rater_words(one.rater)}"
                # People were asked about some of the texts only.
                if not one.rater.startswith(PEOPLE):
                    texts.append((_part(missing, missing + rated), place))
    kinds = (("pairs of a method have no score", pairs), ("texts about one group have no rating in a method", texts))
    for said, every_share in kinds:
        share, place = max(every_share, default=(0.0, ""))
        if share:
            yield (
                f"Up to {percent(share)} of the {said} ({place}). If these differ from the rest, the figures are "
                "biased and their intervals do not show it."
            )


def _refused(found: Reported) -> Iterator[str]:
    """Whether groups were refused unequally often: ratings then compare what is left."""
    for _, summary in found.runs:
        for one in summary.continuations.refusals if summary.continuations else ():
            sure = [pair for pair in one.pairs if (pair.difference.p_adjusted or 1.0) < _SURE]
            if not sure:
                continue
            pair = max(sure, key=lambda pair: abs(pair.difference.value or 0.0))
            more, less = (pair.a, pair.b) if (pair.difference.value or 0.0) > 0 else (pair.b, pair.a)
            shares = [
                f"{percent(one.groups[group].share.value)} of texts about {found.names.group(group, one.bias)}"
                for group in (more, less)
            ]
            yield (
                f"{one.model} refused {listed(shares)} ({found.names.bias(one.bias)}), more than chance explains: "
                "ratings compare only what it did write."
            )


def _caveats(runs: Runs) -> Iterator[str]:
    """What raters say of their own numbers."""
    for run, _ in runs:
        for rater, counted in run.meta.get("caveats", {}).items():
            for caveat, number in counted.items():
                yield f"{rater_words(rater)}, {count(number, 'rating')}: {caveat}."


def _sources(done: Account) -> Iterator[str]:
    natures = done.natures
    if natures and natures <= {"template", "rephrased"}:
        yield (
            f"All test text was made from templates ({_named(done.sources)}). A model may treat sentences that people "
            "wrote differently."
        )
    elif natures and not natures & {"natural", NOT_STATED}:
        yield "All test text was written for a test; none comes from text that people wrote for other reasons."
    unknown = [source for source in done.sources if NOT_STATED in source.natures]
    if unknown:
        yield f"The origin of the text of {_named(unknown)} is not recorded."
    if done.unlike:
        yield (
            f"In {listed(done.unlike)}, prompts about different groups differ in more than the group: a difference in "
            "what is written may come from that."
        )
    single = [view for view in dict.fromkeys(source.view for source in done.sources) if len(done.of(view)) == 1]
    if single:
        each = " each" if len(single) > 1 else ""
        yield f"{capitalised(listed(single))}: all test text comes from one source{each}; another may differ."
    if any("template" in source.natures and source.view == "pairs" for source in done.sources):
        yield "Pairs from templates keep faults of grammar that both sentences share."


def _named(sources: Sequence[SourceUsed]) -> str:
    return listed(sorted({source.name.rsplit(".v", 1)[0] for source in sources}))


def _languages(runs: Runs) -> Iterator[str]:
    found = {prompt.language for run, _ in runs if run.continuations for prompt in run.continuations.prompts}
    if len(found) == 1:
        yield f"All prompts are in one language ({found.pop()})."


def _raters(found: Reported) -> Iterator[str]:
    runs, answered = found.runs, found.answered
    cells_of = (summary.continuations.cells for _, summary in runs if summary.continuations)
    names = {cell.rater for cells in cells_of for cell in cells if not cell.rater.startswith(PEOPLE)}
    if not names:
        return
    left = {one.rater: one for _, summary in runs if summary.continuations for one in summary.continuations.left_out}
    yield from doubts(name for name in sorted(names) if name not in left or left[name].why is None)
    for figure in (each for name in sorted(names) for each in known_rater(name).quality):
        if figure.figure.endswith(_FOUND) and figure.value < _MISSES:
            missed = f"{percent(1 - figure.value, 0)} of {figure.n:,} {figure.figure.removesuffix(_FOUND)}"
            yield f"{capitalised(rater_words(figure.rater))} missed {missed} ({figure.on})."
    yield from left_out_words(left.values())
    cells = [
        cell
        for _, summary in runs
        if summary.continuations
        for cell in summary.continuations.cells
        if cell.summary.pairs
    ]
    unknown = sorted({rater_words(cell.rater) for cell in cells if not cell.tilt_measured})
    if unknown:
        yield f"The own bias of {listed(unknown)} towards these groups is not known for all of them."
    within = sum(one.within_tilt or 0 for one in answered.findings)
    if within:
        of = sum(one.verdict.of for one in answered.findings if one.within_tilt is not None)
        yield (
            f"Under {within} of {count(of, 'method')} on texts the difference is no larger than the rater's own bias "
            "towards these group names."
        )


def _draws(runs: Runs) -> Iterator[str]:
    written = [(run, run.continuations) for run, _ in runs if run.continuations is not None]
    if not written:
        return
    seeds = {run.meta["resolved"]["seed"] for run, _ in written}
    decodings = {one for _, texts in written for one in texts.decodings}
    samples = [(run.meta["resolved"].get("continuations") or {}).get("samples", 1) for run, _ in written]
    if len(seeds) == 1 and any(one.temperature and one.beams == 1 for one in decodings):
        yield (
            f"Texts were sampled with one seed, {_span(samples)} per prompt. Another seed gives other texts; intervals "
            "cover this only through differences between prompts."
        )
    if len(decodings) == 1:
        yield "Texts were decoded in one way only; another temperature or length may change the result."


def _choices(answered: Findings, done: Account) -> Iterator[str]:
    if not any(one.verdict.of for one in answered.findings):
        return
    if done.varied:
        fixed = f" Not varied: {listed(done.fixed)}." if done.fixed else ""
        several = "in brackets the most settings that one question has"
        yield f"Verdicts cover only the choices we varied ({several}): {listed([*map(_varied, done.varied)])}.{fixed}"
    else:
        yield "No choice was varied, so nothing here says whether a result depends on the method."
    together = [one for one in done.varied if one.alongside]
    if together:
        named = "; ".join(listed([one.choice, *one.alongside]) for one in together)
        yield f"These choices always changed together, so their effects cannot be separated: {named}."
    if answered.left_out:
        yield f"{count(answered.left_out, 'more question')} can be asked of these runs."


def _varied(one: Varied) -> str:
    return " with ".join([one.choice, *one.alongside]) + f" ({one.settings})"


def _unwritten(runs: Runs) -> Iterator[str]:
    for _, summary in runs:
        for source, reason in summary.sentences.came_to_nothing.items() if summary.sentences else ():
            yield f"The source {source} gave no usable sentence (most often: {reason}), so no figure is about it."


def _dropped(runs: Runs) -> Iterator[str]:
    number = sum(sum(summary.dropped.values()) for _, summary in runs)
    if number:
        yield f"{count(number, 'test item')} could not be made; figures rest on the others."


def _part(number: int, of: int) -> float:
    return number / of if of else 0.0


def _span(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return count(found[0], "sample") if len(found) == 1 else f"{found[0]} to {found[-1]} samples"
