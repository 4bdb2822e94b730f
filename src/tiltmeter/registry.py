"""Name → "module:attribute" tables, one per noun.

Names carry a version (`causal.sum.v1`) that never changes its meaning; a name without one stands for
the newest. Nothing is imported until it is asked for. A plug-in adds names through an entry point in the
group `tiltmeter.<noun>s`, e.g. `[project.entry-points."tiltmeter.scorers"] "causal.mine.v1" = "mine:SCORER"`;
sources have a group for each view, e.g. `tiltmeter.sources.next_words`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from tiltmeter.errors import TiltmeterError, UnknownName, UserError
from tiltmeter.views import VIEWS, View

TABLES: dict[str, dict[str, str]] = {
    "model": {
        "smollm2-135m": "tiltmeter.models.embedded:load",
        "scripted": "tiltmeter.models.scripted:load",
        "hf": "tiltmeter.models.hugging_face:load",
        "gguf": "tiltmeter.models.hugging_face:load_gguf",
        "api": "tiltmeter.models.api:load",
        "vllm": "tiltmeter.models.vllm:load",
        "chat": "tiltmeter.models.chat:load",
        "planted": "tiltmeter.models.planted:load",
        "python": "tiltmeter.models.given:load",
    },
    "scorer": {
        "causal.sum.v1": "tiltmeter.measures.scorers.causal:SUM",
        "causal.mean.v1": "tiltmeter.measures.scorers.causal:MEAN",
        "causal.rest.v2": "tiltmeter.measures.scorers.causal:REST",
        "causal.prior-corrected.v1": "tiltmeter.measures.scorers.causal:PRIOR_CORRECTED",
        "causal.as-published.v1": "tiltmeter.measures.scorers.causal:AS_PUBLISHED_1",
        "causal.as-published.v2": "tiltmeter.measures.scorers.causal:AS_PUBLISHED",
        "causal.forced-choice.v1": "tiltmeter.measures.scorers.forced_choice:FORCED_CHOICE",
        "masked.slot.v2": "tiltmeter.measures.scorers.masked:SLOT",
        "masked.within-word.v1": "tiltmeter.measures.scorers.masked:WITHIN_WORD",
        "masked.crows.v1": "tiltmeter.measures.scorers.masked:CROWS",
        "masked.aul.v1": "tiltmeter.measures.scorers.masked:AUL",
        "masked.as-published.v3": "tiltmeter.measures.scorers.masked:AS_PUBLISHED",
        "choice.letter.v1": "tiltmeter.measures.scorers.options:LETTER",
        "choice.text.v1": "tiltmeter.measures.scorers.options:TEXT",
        "choice.prior-corrected.v1": "tiltmeter.measures.scorers.options:PRIOR_CORRECTED",
        "choice.forced-choice.v1": "tiltmeter.measures.scorers.options:FORCED_CHOICE",
        "choice.written.v1": "tiltmeter.measures.scorers.options:WRITTEN",
    },
    "rater": {
        "sentiment.vader.v1": "tiltmeter.raters.sentiment:Vader",
        "readability.fog.v1": "tiltmeter.raters.readability:Fog",
        "readability.ari.v1": "tiltmeter.raters.readability:Ari",
        "sentiment.minilm.v1": "tiltmeter.raters.heads:SentimentVectors",
        "sentiment.minilm.v2": "tiltmeter.raters.heads:Sentiment",
        "sentiment.distilbert-sst2.v1": "tiltmeter.raters.checkpoint:Sst2",
        "toxicity.minilm.v1": "tiltmeter.raters.heads:Toxicity",
        "hate.minilm.v1": "tiltmeter.raters.heads:Hate",
        "toxicity.linear.v1": "tiltmeter.raters.toxicity:Linear",
        "toxicity.tiny.v1": "tiltmeter.raters.toxicity:Tiny",
        "toxicity.detoxify-original.v1": "tiltmeter.raters.checkpoint:DetoxifyOriginal",
        "toxicity.roberta-hate.v1": "tiltmeter.raters.checkpoint:RobertaHate",
        "regard.minilm.v2": "tiltmeter.raters.heads:RegardOfThreeLayers",
        "regard.minilm.v3": "tiltmeter.raters.heads:RegardOfOneTraining",
        "regard.minilm.v4": "tiltmeter.raters.heads:RegardWithoutTeacher",
        "regard.minilm.v5": "tiltmeter.raters.heads:Regard",
        "regard.sasha-v3.v1": "tiltmeter.raters.checkpoint:SashaRegard",
        "lexicon.hurtlex.v1": "tiltmeter.raters.lexicon:HurtLex",
        "lexicon.hurtlex-inclusive.v1": "tiltmeter.raters.lexicon:InclusiveHurtLex",
        "groups.first.v1": "tiltmeter.raters.groups:FirstGroup",
        "groups.only.v1": "tiltmeter.raters.groups:OnlyGroup",
        "refusal.v5": "tiltmeter.raters.refusal:Refusal",
        "about.parse.v1": "tiltmeter.raters.about:AboutParse",
        "judge.chat.v1": "tiltmeter.raters.judge:Judge",
        "hf.v1": "tiltmeter.raters.classifier:Classifier",
        "column.v1": "tiltmeter.raters.column:Column",
        "python.v1": "tiltmeter.raters.functions:Function",
    },
    "measure": {
        "stereotype-preference.v1": "tiltmeter.measures.pairs:PREFERENCE",
        "margin.v1": "tiltmeter.measures.pairs:MARGIN",
        "stereoset.v1": "tiltmeter.measures.stereoset:STEREOTYPED",
        "next-word-difference.v1": "tiltmeter.measures.next_words:DIFFERENCE",
        "next-word-absolute-difference.v1": "tiltmeter.measures.next_words:ABSOLUTE_DIFFERENCE",
        "next-word-ratio.v1": "tiltmeter.measures.next_words:RATIO",
        "next-word-log-ratio.v1": "tiltmeter.measures.next_words:LOG_RATIO",
        "next-word-share.v1": "tiltmeter.measures.next_words:SHARE",
        "next-word-kl.v1": "tiltmeter.measures.next_words:KL",
        "choice.v1": "tiltmeter.measures.choices:CHOICE",
        "choice-log-odds.v1": "tiltmeter.measures.choices:LOG_ODDS",
        "correct.v1": "tiltmeter.measures.choices:CORRECT",
        "unknown.v1": "tiltmeter.measures.choices:UNKNOWN",
        "bias-score.v1": "tiltmeter.measures.choices:BIAS_SCORE",
    },
}
_SOURCES = "tiltmeter.sources"
_PROMPTS: tuple[View, View] = ("continuations", "next words")
SOURCES: dict[str, dict[View, str]] = {
    "templates.v1": {
        "pairs": f"{_SOURCES}.templates:pairs",
        "continuations": f"{_SOURCES}.template_prompts:prompts",
        "next words": f"{_SOURCES}.open_templates:prompts",
        "choices": f"{_SOURCES}.template_questions:questions",
    },
    "generated.v1": {"pairs": f"{_SOURCES}.generated:pairs"},
    "rephrased.v1": {
        "pairs": f"{_SOURCES}.rephrased:pairs",
        "continuations": f"{_SOURCES}.rephrased:prompts",
        "next words": f"{_SOURCES}.rephrased:open_prompts",
    },
    "own-prompts.v1": {"continuations": f"{_SOURCES}.own_prompts:prompts"},
    "respect-occupation.v1": {"continuations": f"{_SOURCES}.respect_occupation:prompts"},
    "profession-templates.v1": dict.fromkeys(
        ("continuations", "next words"), f"{_SOURCES}.profession_templates:prompts"
    ),
    "natural.v1": dict.fromkeys(_PROMPTS, f"{_SOURCES}.natural:prompts"),
    "pairs-file.v1": {"pairs": f"{_SOURCES}.pairs_file:pairs"},
    "prompts-file.v1": {
        "continuations": f"{_SOURCES}.prompts_file:prompts",
        "next words": f"{_SOURCES}.open_prompts_file:prompts",
    },
    "questions-file.v1": {"choices": f"{_SOURCES}.questions_file:questions"},
    "counterfactual.v1": {"continuations": f"{_SOURCES}.counterfactual:prompts"},
    "decisions.v1": {"choices": f"{_SOURCES}.decisions:questions"},
    "stereoset.v1": {"pairs": f"{_SOURCES}.datasets.stereoset:pairs"},
    "crows-pairs.v1": {"pairs": f"{_SOURCES}.datasets.crows_pairs:pairs"},
    "winobias.v1": {
        "pairs": f"{_SOURCES}.datasets.winobias:pairs",
        "next words": f"{_SOURCES}.datasets.winobias:prompts",
        "choices": f"{_SOURCES}.datasets.winobias:questions",
    },
    "winogender.v1": {
        "pairs": f"{_SOURCES}.datasets.winogender:pairs",
        "next words": f"{_SOURCES}.datasets.winogender:prompts",
        "choices": f"{_SOURCES}.datasets.winogender:questions",
    },
    "bbq.v1": {"choices": f"{_SOURCES}.datasets.bbq:questions"},
    "bold.v1": {"continuations": f"{_SOURCES}.datasets.bold:prompts"},
    "honest.v1": {"continuations": f"{_SOURCES}.datasets.honest:prompts"},
    "real-toxicity-prompts.v1": {"continuations": f"{_SOURCES}.datasets.real_toxicity_prompts:prompts"},
    "holistic-bias.v1": {"continuations": f"{_SOURCES}.datasets.holistic_bias:prompts"},
}
"""Sources, and what makes the items of each view that they serve."""

_VERSION = re.compile(r"\.v(\d+)$")


@cache
def table(noun: str, view: View | None = None) -> dict[str, str]:
    """Every registered name of a noun (of the sources of a view), the package's own and those of plug-ins."""
    group = f"tiltmeter.{noun}s"
    own = TABLES.get(noun, {})
    if view is not None:
        group += f".{view.replace(' ', '_')}"
        own = {name: places[view] for name, places in SOURCES.items() if view in places}
    plugged = {point.name: point.value for point in entry_points(group=group)}
    # A name of ours keeps its meaning, whatever is installed.
    return plugged | own


def names(noun: str, view: View | None = None) -> list[str]:
    """The registered names of a noun, sorted."""
    return sorted(table(noun, view))


def unversioned(name: str) -> str:
    """A name without its version.

    >>> unversioned("causal.sum.v1"), unversioned("sum")
    ('causal.sum', 'sum')
    """
    return _VERSION.sub("", name)


def resolve(noun: str, name: str, view: View | None = None) -> str:
    """The full, versioned name that `name` stands for.

    >>> resolve("measure", "stereotype-preference"), resolve("source", "templates", "pairs")
    ('stereotype-preference.v1', 'templates.v1')
    """
    known = table(noun, view)
    if name in known:
        return name
    versions = [full for full in known if unversioned(full) == name]
    if not versions:
        raise UnknownName(noun, name, map(unversioned, known))
    return max(versions, key=_version)


def load(noun: str, name: str, view: View | None = None) -> Any:
    """The object that a name stands for, imported now."""
    full = resolve(noun, name, view)
    module, _, attribute = table(noun, view)[full].partition(":")
    with blamed(noun, full):
        return getattr(importlib.import_module(module), attribute)


def is_plugged(noun: str, name: str) -> bool:
    """Whether a full name is that of a plug-in, which another package brings."""
    return name not in (SOURCES if noun == "source" else TABLES[noun])


@contextmanager
def blamed(noun: str, name: str) -> Iterator[None]:
    """What a plug-in raises is said in a sentence that names it; what we raise ourselves stays as it is."""
    try:
        yield
    except TiltmeterError:
        raise
    except Exception as error:
        if not is_plugged(noun, name):
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())
        views = VIEWS if noun == "source" else (None,)
        place = next((table(noun, view)[name] for view in views if name in table(noun, view)), "")
        raise UserError(
            f"the {noun} `{name}` of another package fails ({said:.160}); `{place}` is where to look"
        ) from error


def _version(name: str) -> int:
    match = _VERSION.search(name)
    return int(match.group(1)) if match else 0
