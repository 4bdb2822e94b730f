"""Name → "module:attribute" tables, one per noun.

Names carry a version (`causal.sum.v1`) that never changes its meaning; a name without one stands for
the newest. Nothing is imported until it is asked for. A plug-in adds names through an entry point in the
group `tiltmeter.<noun>s`, e.g. `[project.entry-points."tiltmeter.scorers"] "causal.mine.v1" = "mine:SCORER"`;
a hyphen of the noun is an underscore there: `tiltmeter.prompt_sources`.
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

TABLES: dict[str, dict[str, str]] = {
    "model": {
        "smollm2-135m": "tiltmeter.models.embedded:load",
        "scripted": "tiltmeter.models.scripted:load",
        "hf": "tiltmeter.models.hugging_face:load",
        "gguf": "tiltmeter.models.hugging_face:load_gguf",
        "api": "tiltmeter.models.api:load",
        "vllm": "tiltmeter.models.vllm:load",
        "chat": "tiltmeter.models.chatting:load",
        "planted": "tiltmeter.models.planted:load",
    },
    "source": {
        "templates.v1": "tiltmeter.sources.templates:pairs",
        "generated.v1": "tiltmeter.sources.generated:pairs",
        "rephrased.v1": "tiltmeter.sources.rephrased:pairs",
        "pairs-file.v1": "tiltmeter.sources.pairs_file:pairs",
        "stereoset.v1": "tiltmeter.sources.datasets.stereoset:pairs",
        "crows-pairs.v1": "tiltmeter.sources.datasets.crows_pairs:pairs",
    },
    # Sources of the view "continuations": the short names of the other table where both views can use a source.
    "prompt-source": {
        "templates.v1": "tiltmeter.sources.template_prompts:prompts",
        "own-prompts.v1": "tiltmeter.sources.own_prompts:prompts",
        "respect-occupation.v1": "tiltmeter.sources.respect_occupation:prompts",
        "rephrased.v1": "tiltmeter.sources.rephrased:prompts",
        "prompts-file.v1": "tiltmeter.sources.prompts_file:prompts",
        "bold.v1": "tiltmeter.sources.datasets.bold:prompts",
        "honest.v1": "tiltmeter.sources.datasets.honest:prompts",
        "real-toxicity-prompts.v1": "tiltmeter.sources.datasets.real_toxicity_prompts:prompts",
        "holistic-bias.v1": "tiltmeter.sources.datasets.holistic_bias:prompts",
        # Those that ask which group comes next: the view "next words" is what they are made for.
        "profession-templates.v1": "tiltmeter.sources.profession_templates:prompts",
        "natural.v1": "tiltmeter.sources.natural:prompts",
    },
    # Sources of the view "next words": prompts that leave open whom the next word is about.
    "open-prompt-source": {
        "templates.v1": "tiltmeter.sources.open_templates:prompts",
        "profession-templates.v1": "tiltmeter.sources.profession_templates:prompts",
        "natural.v1": "tiltmeter.sources.natural:prompts",
        "prompts-file.v1": "tiltmeter.sources.open_prompts_file:prompts",
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
    },
    "rater": {
        "sentiment.vader.v1": "tiltmeter.raters.sentiment:Vader",
        "readability.fog.v1": "tiltmeter.raters.readability:Fog",
        "readability.ari.v1": "tiltmeter.raters.readability:Ari",
        "sentiment.minilm.v1": "tiltmeter.raters.heads:Sentiment",
        "sentiment.distilbert-sst2.v1": "tiltmeter.raters.checkpoint:Sst2",
        "toxicity.linear.v1": "tiltmeter.raters.toxicity:Linear",
        "toxicity.tiny.v1": "tiltmeter.raters.toxicity:Tiny",
        "toxicity.detoxify-original.v1": "tiltmeter.raters.checkpoint:DetoxifyOriginal",
        "toxicity.roberta-hate.v1": "tiltmeter.raters.checkpoint:RobertaHate",
        "regard.minilm.v2": "tiltmeter.raters.heads:Regard",
        "regard.sasha-v3.v1": "tiltmeter.raters.checkpoint:SashaRegard",
        "lexicon.hurtlex.v1": "tiltmeter.raters.lexicon:HurtLex",
        "lexicon.hurtlex-inclusive.v1": "tiltmeter.raters.lexicon:InclusiveHurtLex",
        "groups.first.v1": "tiltmeter.raters.groups:FirstGroup",
        "groups.only.v1": "tiltmeter.raters.groups:OnlyGroup",
        "refusal.v5": "tiltmeter.raters.refusal:Refusal",
        "judge.chat.v1": "tiltmeter.raters.judge:Judge",
        "hf.v1": "tiltmeter.raters.classifier:Classifier",
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
    },
    # Figures of two groups in one form: what the conformance suite and `tiltmeter calibrate` go through.
}

_VERSION = re.compile(r"\.v(\d+)$")


@cache
def table(noun: str) -> dict[str, str]:
    """Every registered name of a noun, the package's own and those of plug-ins."""
    plugged = {point.name: point.value for point in entry_points(group=f"tiltmeter.{noun.replace('-', '_')}s")}
    # A name of ours keeps its meaning, whatever is installed.
    return plugged | TABLES[noun]


def names(noun: str) -> list[str]:
    """The registered names of a noun, sorted."""
    return sorted(table(noun))


def resolve(noun: str, name: str) -> str:
    """The full, versioned name that `name` stands for.

    >>> resolve("measure", "stereotype-preference")
    'stereotype-preference.v1'
    """
    known = table(noun)
    if name in known:
        return name
    versions = [full for full in known if _VERSION.sub("", full) == name]
    if not versions:
        raise UnknownName(noun.replace("-", " "), name, (_VERSION.sub("", full) for full in known))
    return max(versions, key=_version)


def load(noun: str, name: str) -> Any:
    """The object that a name stands for, imported now."""
    full = resolve(noun, name)
    module, _, attribute = table(noun)[full].partition(":")
    with blamed(noun, full):
        return getattr(importlib.import_module(module), attribute)


def is_plugged(noun: str, name: str) -> bool:
    """Whether a full name is that of a plug-in, which another package brings."""
    return name not in TABLES[noun]


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
        raise UserError(
            f"the {noun.replace('-', ' ')} `{name}` of another package fails ({said:.160}); "
            f"`{table(noun).get(name, '')}` is where to look"
        ) from error


def declared(noun: str, name: str, attribute: str) -> Any:
    """What the module of a part says of it; None where it says nothing, or is not installed here."""
    try:
        place = table(noun)[resolve(noun, name)]
        return getattr(importlib.import_module(place.partition(":")[0]), attribute, None)
    except (UnknownName, ImportError):
        return None


def _version(name: str) -> int:
    match = _VERSION.search(name)
    return int(match.group(1)) if match else 0
