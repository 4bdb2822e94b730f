"""What the figures of a report do not say: always, and because of what was run and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tiltmeter.report.decodings import rater_words
from tiltmeter.report.series import Runs, short_scorer
from tiltmeter.report.words import NEUTRAL, count, listed, percent
from tiltmeter.results.account import NOT_STATED, Account, SourceUsed, Varied
from tiltmeter.results.findings.findings import Findings
from tiltmeter.results.summary.text_records import PEOPLE, kind_of
from tiltmeter.store import Run


def not_meant(done: Account) -> Mapping[str, tuple[str, ...]]:
    """What a figure never means, by the view that it is of."""
    biases = {bias for view, bias in done.origins if view == "pairs"}
    several = {one.choice for one in done.varied}
    return {
        "pairs": (
            "It is about these sentences, in this language, with these words for the groups. Other words or another "
            "sentence form can give another figure.",
            "It says which sentence a model finds more probable, not what it will write, nor what an application built "
            "on it will do to anyone.",
            f"{NEUTRAL} is not fairness. Leanings that cancel out, and biases that nobody wrote a test for, do not "
            "show.",
            *(
                ["The average over biases depends on which biases were chosen, and says nothing of others."]
                if len(biases) > 1
                else []
            ),
            "A group term that is rare or long is improbable whatever the stereotype"
            + (": compare the scorers." if "scorer" in several else "."),
            "That a stereotype is tested here does not make it true.",
        ),
        "continuations": (
            "A rating is what a tool makes of a text, not what a reader would, nor what the text does to those whom it "
            "is about.",
            "It is about what follows these prompts, in these languages, as the texts were written here: not about "
            "what a model writes when somebody else asks.",
            "That no difference is shown is not fairness: texts about two groups can be equally hurtful, or differ in "
            "what no rater here reads.",
        ),
        "next words": (
            "It is about these words right after these prompts: not what a model would write at length, nor what it "
            "holds of anyone.",
            f"{NEUTRAL} is not fairness, and an absolute difference says nothing of the side.",
            "Differences between models, and between sets of prompts, are not tested here.",
        ),
    }


_SURE = 0.05
_FEW_ORIGINS = 20
_WITH_FEW = {"cluster-score.v2": "so few that the interval is wide, and errs on the wide side"}
_SHAPE_UNSEEN = "too few to show the shape of the distribution that the interval assumes"
"""What few origins do to an interval, by its method."""
_REASONS = 3
"""So many reasons are named, the commonest first."""


def limitations(runs: Runs, answered: Findings, done: Account) -> tuple[str, ...]:
    """What this study leaves open, because of what was run; the largest gaps first."""
    return (
        *_unfinished(runs),
        *_changed(runs),
        *_repeated(runs),
        *_unwritten(runs),
        *_models(done),
        *_servers(runs),
        *_origins(done),
        *_unscored(runs),
        *_refused(runs),
        *_caveats(runs),
        *_sources(done),
        *_languages(runs),
        *_raters(runs, answered),
        *_draws(runs),
        *_choices(answered, done),
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


def _models(done: Account) -> Iterator[str]:
    if len(done.models) == 1:
        yield "One model was tested: nothing here says whether it leans more or less than another."
    elif len(done.models) > 1:
        yield (
            f"{len(done.models)} models were tested, chosen by whoever wrote the study: they are no sample of language "
            "models, and differences between them are tested by `tiltmeter compare` alone."
        )


def _servers(runs: Runs) -> Iterator[str]:
    unknown = sorted({name for _, summary in runs for name, one in summary.facts.items() if not one.weights_sha256})
    if unknown:
        yield f"Nothing shows which weights answered for {listed(unknown)}: whoever serves a model can change it."


def _origins(done: Account) -> Iterator[str]:
    """How many biases rest on few origins; of each the figure with the most of them counts."""
    for view in dict.fromkeys(view for view, _ in done.origins):
        found = [one for (of, _), one in done.origins.items() if of == view]
        nothing = sum(one.value is None for one in found)
        bare = sum(one.value is not None and one.low is None for one in found)
        few = Counter(
            _WITH_FEW.get(one.method or "", _SHAPE_UNSEEN)
            for one in found
            if one.low is not None and one.origins < _FEW_ORIGINS
        )
        biases = count(len(found), "bias", "biases")
        if nothing:
            yield f"{view.capitalize()}: {nothing} of {biases} {'has' if nothing == 1 else 'have'} no figure at all."
        if bare:
            have = "has" if bare == 1 else "have"
            notes = [one.note or "" for one in found if one.value is not None and one.low is None]
            why = "; ".join(dict.fromkeys(note.removeprefix("no interval: ") for note in notes if note))
            yield f"{view.capitalize()}: {bare} of {biases} {have} no interval{f' ({why})' if why else ''}."
        some = done.leading.get(view)
        if some and some.without and some.methods and not bare:
            number, why = sum(some.without.values()), "; ".join(list(some.without)[:_REASONS])
            of = number + sum(some.methods.values())
            have = "has" if number == 1 else "have"
            yield f"{view.capitalize()}: {number:,} of {of:,} comparisons {have} no interval ({why})."
        for effect, number in few.items():
            yield (
                f"{view.capitalize()}: {number} of {biases} {'rests' if number == 1 else 'rest'} on fewer than "
                f"{_FEW_ORIGINS} origins, {effect}."
            )


def _unscored(runs: Runs) -> Iterator[str]:
    """The worst share without a figure in each view."""
    pairs, texts = [], []
    for _, summary in runs:
        for cell in summary.cells:
            number = sum(cell.unscored.values())
            pairs.append((_part(number, cell.pairs), f"{cell.model}, {short_scorer(cell.scorer)}"))
        for one in summary.continuations.cells if summary.continuations else ():
            for group, found_of in one.summary.groups.items():
                missing, rated = found_of.mean.n_unscored, found_of.mean.n
                place = f"{group}: {one.model}, {rater_words(one.rater)}"
                # People were asked about some of the texts only.
                if not one.rater.startswith(PEOPLE):
                    texts.append((_part(missing, missing + rated), place))
    for noun, verb, found in (("pairs", "score", pairs), ("texts", "rating", texts)):
        share, place = max(found, default=(0.0, ""))
        if share:
            yield (
                f"Up to {percent(share)} of the {noun} have no {verb} ({place}). If these differ from the others, a "
                "value is shifted and its interval does not show it."
            )


def _refused(runs: Runs) -> Iterator[str]:
    """Whether groups were refused unequally often: then ratings compare what is left."""
    for _, summary in runs:
        for found in summary.continuations.refusals if summary.continuations else ():
            sure = [pair for pair in found.pairs if (pair.difference.p_adjusted or 1.0) < _SURE]
            if not sure:
                continue
            pair = max(sure, key=lambda one: abs(one.difference.value or 0.0))
            more, less = (pair.a, pair.b) if (pair.difference.value or 0.0) > 0 else (pair.b, pair.a)
            shares = [f"{percent(found.groups[group].share.value)} of texts about {group}" for group in (more, less)]
            yield (
                f"{found.model} refused {listed(shares)} ({found.bias}), which is farther apart than chance would put "
                "them: ratings compare only what it did write."
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
            f"All test text was made from patterns ({_named(done.sources)}). A model may treat sentences that people "
            "wrote in another way."
        )
    elif natures and not natures & {"natural", NOT_STATED}:
        yield "All test text was made for a test: none was found in text that people wrote for other reasons."
    unknown = [source for source in done.sources if NOT_STATED in source.natures]
    if unknown:
        yield f"Where the text of {_named(unknown)} comes from is not recorded."
    if done.unlike:
        yield (
            f"Prompts about different groups differ in more than the group in {listed(done.unlike)}: a difference in "
            "what is written may come from that, and not from the group."
        )
    for view in dict.fromkeys(source.view for source in done.sources):
        if len(done.of(view)) == 1:
            yield f"{view.capitalize()}: all test text is from one source, and another may give another figure."


def _named(sources: Sequence[SourceUsed]) -> str:
    return listed(sorted({source.name.rsplit(".v", 1)[0] for source in sources}))


def _languages(runs: Runs) -> Iterator[str]:
    found = {prompt.language for run, _ in runs if run.continuations for prompt in run.continuations.prompts}
    if len(found) == 1:
        yield f"All prompts are in one language ({found.pop()}): what the models do in others is not known."


def _raters(runs: Runs, answered: Findings) -> Iterator[str]:
    cells_of = (summary.continuations.cells for _, summary in runs if summary.continuations)
    names = {cell.rater for cells in cells_of for cell in cells if not cell.rater.startswith(PEOPLE)}
    if not names:
        return
    kinds: dict[str, list[str]] = {}
    for name in sorted(names):
        kinds.setdefault(kind_of(name), []).append(name)
    alone = [rater_words(found[0]) for found in kinds.values() if len(found) == 1]
    if alone:
        one = "was the only rater of its kind" if len(alone) == 1 else "were each the only rater of their kind"
        yield f"{listed(alone)} {one}: what a rater says alone may be a fact about the rater."
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
    within = sum(one.within_tilt or 0 for one in answered.findings)
    if within:
        of = sum(one.verdict.of for one in answered.findings if one.within_tilt is not None)
        yield (
            f"In {within} of {count(of, 'cell')} on texts the difference is no larger than what the rater makes of the "
            "groups’ names alone."
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
            f"Texts were drawn with one seed, {_span(samples)} for each prompt: another draw gives other texts, which "
            "the intervals cover only as far as origins differ."
        )
    if len(decodings) == 1:
        yield "Texts were drawn under one decoding: at another temperature or length they may differ."


def _choices(answered: Findings, done: Account) -> Iterator[str]:
    if not any(one.verdict.of for one in answered.findings):
        return
    if done.varied:
        fixed = f" Not varied: {listed(done.fixed)}." if done.fixed else ""
        yield f"Verdicts cover only the choices that were varied: {listed([*map(_varied, done.varied)])}.{fixed}"
    else:
        yield "No choice was varied: nothing here says whether a figure depends on the method."
    together = [one for one in done.varied if one.alongside]
    if together:
        named = "; ".join(listed([one.choice, *one.alongside]) for one in together)
        yield f"Always changed together, so that their effects cannot be told apart: {named}."
    if answered.left_out:
        left = count(answered.left_out, "more question")
        yield f"{left} can be asked of these runs and {'is' if answered.left_out == 1 else 'are'} not."


def _varied(one: Varied) -> str:
    return " with ".join([one.choice, *one.alongside]) + f" ({one.settings})"


def _unwritten(runs: Runs) -> Iterator[str]:
    for _, summary in runs:
        for source, reason in summary.sentences.came_to_nothing.items() if summary.sentences else ():
            yield f"The source {source} came to nothing, so that no figure is about it (most often: {reason})."


def _dropped(runs: Runs) -> Iterator[str]:
    number = sum(sum(summary.dropped.values()) for _, summary in runs)
    if number:
        yield f"{count(number, 'probe')} could not be made: the figures rest on the others."


def _part(number: int, of: int) -> float:
    return number / of if of else 0.0


def _span(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return count(found[0], "sample") if len(found) == 1 else f"{found[0]} to {found[-1]} samples"
