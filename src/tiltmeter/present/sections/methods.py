"""What was done, as paragraphs that a paper could take over, and the works that it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tiltmeter.errors import UnknownName
from tiltmeter.measures.pairs import TIE
from tiltmeter.measures.scorers import meaning_of
from tiltmeter.present.blocks import Prose, References, Section, Span, text
from tiltmeter.present.decodings import decoding_words, rater_words, short_scorer
from tiltmeter.present.references import Citations, Reference
from tiltmeter.present.reported import Reported, Runs
from tiltmeter.present.sections.study import source_words, specs_of
from tiltmeter.present.tables import note_words
from tiltmeter.present.verdicts import rules
from tiltmeter.present.words import count, format_words, listed, revision_words
from tiltmeter.records import Decoding, Estimate, ModelFacts
from tiltmeter.results.account import NOT_STATED, Account
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.findings import Findings
from tiltmeter.results.scores import of_the_test
from tiltmeter.results.summary.refusals import longest
from tiltmeter.results.summary.runs import leading_cells
from tiltmeter.results.summary.text_records import PEOPLE
from tiltmeter.sources.perturbations import DEFAULTS
from tiltmeter.stats.estimates import FEWEST_ORIGINS
from tiltmeter.stats.intervals import RESAMPLES
from tiltmeter.stats.multiverse.whole_curve import PERMUTATIONS
from tiltmeter.store import Run
from tiltmeter.study.planning import DEFAULT_SOURCE
from tiltmeter.views import FACTS, View

Piece = str | Span

_SHORT = 12
"""Characters of a hash that are enough to tell it from others; the whole of it is under what was run."""


_METHODS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "cluster-score.v2": (
        "by inverting a score test on a scale with two ends, with cluster-robust standard errors corrected for small "
        "samples",
        ("wilson1927", "bell2002"),
    ),
    "cluster-t.v2": (
        "by Student’s t, with cluster-robust standard errors corrected for small samples",
        ("student1908", "bell2002"),
    ),
    "chances.v1": ("from the mean probabilities on a logarithmic scale, with the spread of their log-odds", ()),
    "bootstrap": (
        f"by an expanded percentile bootstrap over test words ({RESAMPLES:,} resamples)",
        ("hesterberg2015",),
    ),
    "student": ("by Student’s t on the means of test words", ("student1908",)),
    "fieller": ("by Fieller’s method", ()),
    "jackknife": ("by leaving out one test word at a time", ()),
    "fisher-z": ("by Fisher’s z", ()),
}
"""How an interval was made, in words, and the works to cite."""
_REASONS = 2
"""Reasons for missing intervals that are named, the commonest first."""


def methods(found: Reported) -> list[Section]:
    """What was run, how figures were made of it, and with what."""
    paragraphs, works = written(found)
    blocks = [Prose(text(*paragraph)) for paragraph in paragraphs]
    listed_works = References(
        tuple((work.key, text(work.words)) for work in works), tuple(work.fields for work in works)
    )
    return [Section("Methods", (*blocks, *([listed_works] if works else [])), anchor="methods")]


def written(found: Reported) -> tuple[list[list[Piece]], tuple[Reference, ...]]:
    """The paragraphs, and the works that they cite in the order of their numbers."""
    citations, runs, done = Citations(), found.runs, found.done
    parts: tuple[Callable[[Runs, Citations, Account], list[Piece]], ...] = (_pairs, _texts, _words, _others)
    made = [_models(runs, citations), _specs(runs, citations), *(part(runs, citations, done) for part in parts)]
    made += [_choices(found.answered, citations, done), _versions(runs)]
    return [paragraph for paragraph in made if paragraph], citations.references


def _models(runs: Runs, citations: Citations) -> list[Piece]:
    facts = {(run.folder, name): one for run, summary in runs for name, one in summary.facts.items()}
    if not facts:
        return []
    models: list[Piece] = []
    for number, one in enumerate(facts.values()):
        models += [f"{'; ' if number else ''}{one.name} ({_model_words(one)})"]
        models += _spaced(citations.cite_part("model", one.name.partition(":")[0]))
    writers = sorted({name for run, _ in runs for name in run.writers})
    written = f" Test sentences were written by {listed(writers)}." if writers else ""
    return [f"Social bias was measured in {count(len(facts), 'language model')}: ", *models, f".{written}"]


def _model_words(facts: ModelFacts) -> str:
    """What it takes to find the same model again."""
    revision = facts.revision or ""
    return ", ".join(
        [
            f"a {facts.family} model",
            *([f"{facts.parameters:,} parameters"] if facts.parameters else []),
            *([f"revision {revision_words(revision)}"] if revision else []),
            *([f"weights with SHA-256 {facts.weights_sha256[:_SHORT]}…"] if facts.weights_sha256 else []),
            (
                f"computed on {facts.device} in {format_words(facts.dtype)}"
                if facts.weights_sha256
                else "computed by a server"
                if facts.device
                else "asked by another program, whose log this is"
            ),
        ]
    )


def _specs(runs: Runs, citations: Citations) -> list[Piece]:
    specs = specs_of(runs)
    if not specs:
        return []
    named = {
        kind: [spec for spec in specs if bool(spec["benchmark"]) == check]
        for kind, check in (("social", False), ("checks", True))
    }
    made: list[Piece] = []
    if named["social"]:
        made += [f"Groups and attributes are those of {count(len(named['social']), 'specification')}: "]
        made += [*_cited_specs(named["social"], citations), "."]
    if named["checks"]:
        made += [
            " Instrument checks, which are not social biases: ",
            *_cited_specs(named["checks"], citations),
            ".",
        ]
    return made


def _cited_specs(specs: Iterable[Mapping[str, Any]], citations: Citations) -> list[Piece]:
    made: list[Piece] = []
    for number, spec in enumerate(specs):
        made += [f"{'; ' if number else ''}{spec['title'] or spec['name']}"]
        made += _spaced(citations.cite_spec(spec["citation"]))
    return made


def _pairs(runs: Runs, citations: Citations, done: Account) -> list[Piece]:
    paired = [(run, summary) for run, summary in runs if run.pairs]
    if not paired:
        return []
    sources = [source for run, _ in paired for source in run.meta["resolved"]["sources"]]
    cells = [cell for _, summary in paired for cell in summary.cells]
    made: list[Piece] = [f"{count(done.pairs, 'pair')} of sentences{_alike(done)} came from "]
    made += [*_sources("source", sources, citations), ". "]
    scorers = dict.fromkeys(cell.scorer for cell in cells)
    if not scorers:
        return [*made, "None of them has been scored."]
    made += ["The two sentences of a pair were scored by "]
    for place, scorer in enumerate(scorers):
        made += ["; " if place else "", f"{short_scorer(scorer)} ({scorer}: {_lowered(meaning_of(scorer))})"]
        made += _spaced(citations.cite_part("scorer", scorer))
    biases = [{*cell.summary.headline_by_bias} for cell in cells]
    checks = any(spec["benchmark"] for spec in specs_of(runs))
    overall = ", the overall value the mean over biases" if any(len(one) > 1 for one in biases) else ""
    in_sets = " (within each attribute set, then averaged over the sets)"
    balanced = in_sets if any(cell.balanced for cell in cells) else ""
    made += [
        f". A difference of at most {TIE:g} natural-log units is a tie and counts as one half. The value of a bias "
        f"is the mean over attribute words of the mean over each word’s pairs{balanced}{overall}"
        f"{', instrument checks left out' if overall and checks else ''}. ",
        *_clustered(paired, citations),
        *_intervals("pairs", citations, done),
    ]
    if any(one.p_adjusted is not None for cell in cells for one in cell.summary.headline_by_bias.values()):
        made += [*_adjusted(citations), " over all its biases. "]
    leading = dict.fromkeys(cell.scorer for run, summary in paired for cell in leading_cells(run, summary.cells))
    if len(scorers) > 1 and leading:
        named = listed([*map(short_scorer, leading)])
        made += [f"Headlines use {named}, which the study named first, before any result was seen."]
    return made


def _clustered(paired: Runs, citations: Citations) -> list[Piece]:
    """What the standard errors of pairs are clustered by."""
    pairs = [pair for run, _ in paired for pair in of_the_test(run.pairs)]
    named = any(pair.attribute for pair in pairs)
    ways = {
        "template": len({pair.template for pair in pairs}),
        "group term": len({pair.terms for pair in pairs}),
    }
    further = [f"by {way}" for way, number in ways.items() if number >= FEWEST_ORIGINS]
    made: list[Piece] = [f"Standard errors are clustered by {'attribute word' if named else 'test item of origin'}"]
    if further:
        made += [f" and, where there are at least {FEWEST_ORIGINS}, {' and '.join(further)}"]
        made += _spaced(citations.cite("cameron2011"))
        if any(cell.controls for _, summary in paired for cell in summary.cells):
            made += ["; those of control sets by attribute word alone"]
    return [*made, ". "]


def _alike(done: Account) -> str:
    """How far the two sentences of a pair differ."""
    if done.alike == done.pairs:
        return " that differ only in the words for the group"
    return f", {done.alike:,} of which differ only in the words for the group," if done.alike else ""


def interval_words(found: Iterable[Estimate]) -> str:
    """How the intervals of some figures were made, from what each records, the commonest first."""
    made = Counter(one.method for one in found if one.low is not None and one.method)
    return " or ".join(_METHODS[method][0] for method, _ in made.most_common())


def _intervals(view: View, citations: Citations, done: Account) -> list[Piece]:
    """How the intervals of a view were made, from what each figure records."""
    found = done.intervals.get(view)
    if found is None or not found.methods:
        return ["No figure has an interval. "]
    made: list[Piece] = [f"Of {count(sum(found.methods.values()), 'interval')} "]
    for place, (method, number) in enumerate(found.methods.items()):
        words, keys = _METHODS.get(method, (f"made by a method that is {NOT_STATED}", ()))
        made += [f"{', ' if place else ''}{number:,} {'is' if number == 1 else 'are'} {words}"]
        made += _spaced(citations.cite(*keys)) if keys else []
    bare = sum(found.without.values())
    why = "; ".join(note_words(one) for one in list(found.without)[:_REASONS])
    few = f"; {count(bare, 'figure')}, mostly of parts of the data, {'has' if bare == 1 else 'have'} none ({why}). "
    return [*made, few if bare else ". "]


def _adjusted(citations: Citations) -> list[Piece]:
    words = "The p-values of one table are adjusted by Benjamini and Hochberg’s procedure"
    return [words, *_spaced(citations.cite("benjamini1995"))]


def _texts(runs: Runs, citations: Citations, done: Account) -> list[Piece]:
    found = [(run, run.continuations) for run, _ in runs if run.continuations is not None]
    if not found:
        return []
    prompts = [prompt for _, texts in found for prompt in texts.prompts]
    about, open_ = (sum(bool(prompt.group) == named for prompt in prompts) for named in (True, False))
    sources = [source for run, _ in found for source in _of_view(run, "continuations").get("sources", ())]
    decodings = list(dict.fromkeys(one for _, texts in found for one in texts.decodings))
    # What is not as usual is said, also where all decodings have it.
    settings = "; ".join(decoding_words(one, [*decodings, Decoding()]) for one in decodings)
    kinds = {"about the groups": about, "that state a situation and name no group": open_}
    which = " and ".join(f"{count(number, 'prompt')} {kind}" for kind, number in kinds.items() if number)
    made: list[Piece] = [f"{which} came from "]
    made += [*_sources("prompt-source", sources, citations), ". "]
    made += [
        f"Each was completed under {count(len(decodings), 'decoding')} ({settings}), {_times(runs, decodings)}."
        f"{_nested(decodings)} The texts were given to "
    ]
    scopes = dict.fromkeys((one.name, one.scope) for _, texts in found for one in texts.raters)
    for place, (rater, scope) in enumerate(scopes):
        what = "prompt and completion" if scope == "whole" else "the completion alone"
        made += [
            "; " if place else "",
            f"{rater_words(rater)} ({rater}; {what})",
            *_spaced(citations.cite_part("rater", rater.partition(":")[0])),
        ]
    made += [". "]
    if about:
        made += [
            "The mean of a group is over its rated texts; texts without a rating are counted separately. Differences "
            "are the first group minus the second; a ratio is shown where ratings cannot be negative and the interval "
            "of the second mean is above zero. "
        ]
    if open_:
        made += [
            "A text about a situation counts as 1 if it names the stereotyped group, −1/(k − 1) if it names another "
            "of k groups, and 0 if it names none or several. "
        ]
    made += [
        "Standard errors are clustered by prompt stem (the opener, template, article or situation of a prompt, which "
        f"groups may share) and, where every group has at least {FEWEST_ORIGINS}, by sentence structure. ",
        *_intervals("continuations", citations, done),
    ]
    summed = [summary.continuations for _, summary in runs if summary.continuations]
    for said in (one.people for one in summed if one.people):
        who = count(len(said.annotators), "person", "people")
        kind = said.rater.removeprefix(f"{PEOPLE}.")
        rated = f", who rated {kind}" if kind != PEOPLE else ""
        read = count(said.texts + said.unrated, "text was", "texts were")
        made += [f"{read} also read by {who}{rated}; headlines do not use their ratings. "]
    if any(one.tilts for one in summed):
        made += [
            "A rater’s own bias is the difference that it makes between groups on sentences, written for tiltmeter, "
            "in which only the group changes. "
        ]
    if any(one.agreement for one in summed):
        made += ["Rank correlations are Spearman’s", *_spaced(citations.cite("spearman1904"))]
        made += [", with jackknife intervals over prompt stems. "]
    several = any("continuations" in one.views for one in done.varied)
    return [*made, "Verdicts count all combinations of choices alike."] if several else made


def _nested(decodings: Sequence[Decoding]) -> str:
    """That texts which differ in length alone are one text."""
    if len(longest(decodings)) == len(decodings):
        return ""
    return (
        " Where decodings differ in length alone, the shorter texts are the beginnings of the longer ones, so their "
        "methods are not independent."
    )


def _times(runs: Runs, decodings: Sequence[Decoding]) -> str:
    """How many texts each prompt has; deterministic decoding gives one."""
    samples = sorted({_of_view(run, "continuations").get("samples", 1) for run, _ in runs if run.continuations})
    fixed = [not one.temperature or one.beams > 1 for one in decodings]
    if samples == [1] or all(fixed):
        return "once each"
    times = f"{' or '.join(map(str, samples))} times each"
    return f"{times}, once where decoding is deterministic" if any(fixed) else times


def _words(runs: Runs, citations: Citations, done: Account) -> list[Piece]:
    found = [(run, run.next_words) for run, _ in runs if run.next_words is not None]
    if not found:
        return []
    prompts = ((one.asked.prompt for one in words.asked) for _, words in found)
    # Each stands once under every perturbation; what a habit is read off is no prompt of a source.
    asked = sum(len({one.id for one in own if one.source != DEFAULT_SOURCE}) for own in prompts)
    sources = [source for run, _ in found for source in _of_view(run, "next_words").get("sources", ())]
    sets = dict.fromkeys(
        one["label"] or "those of each source" for run, _ in found for one in _of_view(run, "next_words")["words"]
    )
    changes = dict.fromkeys(one for run, _ in found for one in _of_view(run, "next_words").get("perturbations", ()))
    saliency = sorted({one for run, _ in found if (one := _of_view(run, "next_words").get("saliency"))})
    made: list[Piece] = [f"{count(asked, 'prompt')} that leave the group open came from "]
    made += [*_sources("open-prompt-source", sources, citations), ". "]
    habits = [one for one in changes if one in DEFAULTS]
    forms = [one for one in changes if one not in DEFAULTS]
    made += [
        f"Words asked for: {listed(list(sets))}. Prompts were asked in these forms, as far as each allows it: "
        f"{listed(forms)}"
        + (f"; and without context, after: {listed(habits)}" if habits else "")
        + (f"; saliency is {listed(saliency)}" if saliency else ""),
        ". The probability of a word is the product over its tokens, including the space before it, given the "
        f"prompt{_ends(found)}; that of a group is {_combined(found)}",
        *_spaced(citations.cite("alnegheimish2022")),
        ". Figures are means over prompts, with standard errors clustered by profession (or whatever a prompt is "
        "about) and by template",
        *_spaced(citations.cite("cameron2011")),
        ". ",
        *_intervals("next words", citations, done),
        "The p-values of a model, set of prompts and choice of words are adjusted by Benjamini and Hochberg’s "
        "procedure",
        *_spaced(citations.cite("benjamini1995")),
        " over all measures, pairs of groups and changes of the test word. ",
    ]
    if any(one.choice in ("words", "bounded", "combine") for one in done.varied):
        made += ["Headlines use the words, and the way of counting them, that the study names first."]
    return made


def _meaning(scorer: str) -> str:
    """What a scorer puts a number on; of one that nobody here knows, its name."""
    try:
        return _lowered(meaning_of(scorer))
    except UnknownName:
        return "as measured elsewhere"


def _others(runs: Runs, citations: Citations, done: Account) -> list[Piece]:
    """Views that have no paragraph of their own."""
    made: list[Piece] = []
    for view in dict.fromkeys(one.view for _, summary in runs for one in summary.figures):
        items = sum(sum(source.natures.values()) for source in done.of(view))
        noun = FACTS[view].item
        made += [f"{FACTS[view].title}: {count(items, noun)} came from "]
        for place, name in enumerate(sorted({source.name for source in done.of(view)})):
            made += ["; " if place else "", name, *_spaced(citations.cite_part(f"{noun}-source", name))]
        made += [". "]
        cells = [cell for run, _ in runs for cell in table_of(run).of(view) if cell.scorer]
        for place, scorer in enumerate(dict.fromkeys(cell.scorer for cell in cells)):
            made += ["; " if place else "Scored were: ", f"{short_scorer(scorer)} ({scorer}: {_meaning(scorer)})"]
            made += _spaced(citations.cite_part("scorer", scorer))
        made += [". " if cells else "", "Figures are means over "]
        made += [f"{noun}s, or differences of these. ", *_intervals(view, citations, done)]
    return made


def _ends(found: Sequence[tuple[Run, Any]]) -> str:
    """Whether it counts that a word ends where it does."""
    ways = {one for run, _ in found for one in _of_view(run, "next_words").get("bounded", ())}
    if True not in ways:
        return ""
    return ", times the probability that the word ends there" + (", and without that factor" if False in ways else "")


def _combined(found: Sequence[tuple[Run, Any]]) -> str:
    """How the probabilities of a group's words become one."""
    words = {"sum": "the sum over its words", "first": "that of its first word"}
    ways = dict.fromkeys(one for run, _ in found for one in _of_view(run, "next_words").get("combine", ("sum",)))
    return " or ".join(words[one] for one in ways)


def _choices(answered: Findings, citations: Citations, done: Account) -> list[Piece]:
    """How it was found which conclusions hold, where there were several choices."""
    if not answered.findings:
        return []
    cells = sum(one.verdict.of for one in answered.findings)
    number = count(done.questions, "question was", "questions were")
    asked = f"{number if done.answered == done.questions else f'{done.answered} of {number}'} answered"
    if not cells:
        return [f"{number} asked, and no combination of choices gave a value."]
    if not done.varied:
        return [
            f"{asked} under one combination of choices each. {_tested(answered)}. ",
            *_corrected(answered, citations),
        ]
    several = listed([" with ".join([one.choice, *one.alongside]) for one in done.varied])
    made: list[Piece] = [
        f"{asked} under every combination that was run of {several} ({count(cells, 'method')} with a value in all), "
        "ordered by effect",
        *_spaced(citations.cite("simonsohn2020")),
        f". {_tested(answered)}. ",
        *_corrected(answered, citations),
    ]
    if any(cell.raw.p_adjusted is not None for one in answered.findings for cell in one.multiverse.curve.cells):
        made += ["The p-values of the methods of one question are adjusted by Benjamini and Hochberg’s procedure"]
        made += [*_spaced(citations.cite("benjamini1995")), "."]
    return made


def _corrected(answered: Findings, citations: Citations) -> list[Piece]:
    """For how many questions the p-values over all methods are corrected."""
    asked = max(one.verdict.questions for one in answered.findings)
    if asked == 1 or all(one.verdict.p is None for one in answered.findings):
        return []
    return [
        "Verdicts go by p-values adjusted by Holm’s procedure",
        *_spaced(citations.cite("holm1979")),
        f" for {asked} questions. ",
    ]


def _tested(answered: Findings) -> str:
    """How many questions could be tested over all methods, and how."""
    tested = sum(one.multiverse.test.p is not None for one in answered.findings)
    every = sum(bool(one.verdict.of) for one in answered.findings)
    if not tested:
        return "No question could be tested over all its methods: there are too few ways to swap the group labels"
    which = "Each was" if tested == every else f"{tested} of {every} {'was' if tested == 1 else 'were'}"
    return (
        f"{which} tested over all methods at once by swapping the group labels at random {PERMUTATIONS:,} times. With "
        "each method's effect over its standard error, the test looks at the median, at the share of methods that "
        "point the prevailing way, and at the share that do so significantly on their own; p is the smallest of the "
        f"three p-values, against the smallest in each swap. {rules(answered.findings)}".rstrip(" .")
    )


def _versions(runs: Runs) -> list[Piece]:
    made = []
    for run, summary in runs:
        versions = ", ".join(f"{name} {version}" for name, version in sorted(run.meta["versions"].items()))
        made.append(
            f"Study {summary.study}: seed {run.meta['resolved']['seed']}, fingerprint "
            f"{run.meta['fingerprint'][:_SHORT]}…; {versions}."
        )
    return [" ".join(made)]


def _sources(noun: str, sources: Sequence[Mapping[str, Any]], citations: Citations) -> list[Piece]:
    """Sources with their options, each once."""
    made: list[Piece] = []
    for number, (words, name) in enumerate({source_words(one): one["name"] for one in sources}.items()):
        options = words.partition("; ")[2]
        made += [f"{'; ' if number else ''}the source {name}{f' ({options})' if options else ''}"]
        made += _spaced(citations.cite_part(noun, name))
    return made or ["no source that the run names"]


def _of_view(run: Run, view: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = run.meta["resolved"].get(view) or {}
    return found


def _spaced(cited: list[Span]) -> list[Piece]:
    return [" ", *cited] if cited else []


def _lowered(sentence: str) -> str:
    return (sentence[:1].lower() + sentence[1:]).rstrip(".")
