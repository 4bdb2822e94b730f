"""Tiltmeter measures social bias in language models, and says which conclusions survive.

>>> import tiltmeter as tm
>>> model = tm.load_model("scripted")
>>> pairs, dropped = tm.template_pairs(tm.load_spec("gender-math-arts"))
>>> scores = tm.score_pairs(model, pairs, [tm.find_scorer("sum", "causal")])
>>> summary = tm.summarise_scores(scores["causal.sum.v1"])
>>> summary.by_bias["gender-math-arts"].n
288
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tiltmeter.version import __version__

if TYPE_CHECKING:
    from tiltmeter.engine import carry_out, score_pairs
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.measures.scorers import find as find_scorer
    from tiltmeter.models import ModelSettings
    from tiltmeter.models import load as load_model
    from tiltmeter.present.files import write_run as write_report
    from tiltmeter.raters import load as load_rater
    from tiltmeter.raters.functions import rater
    from tiltmeter.raters.judge import judge
    from tiltmeter.raters.scales import Scale
    from tiltmeter.records import (
        Completion,
        Continuation,
        Decoding,
        Estimate,
        ModelFacts,
        Pair,
        PairScore,
        Prompt,
        Rating,
        Spec,
        TokenScores,
    )
    from tiltmeter.results import RunSummary, summarise_continuations, summarise_file, summarise_run, summarise_scores
    from tiltmeter.results.files.ratings import rate_file
    from tiltmeter.sources.own_prompts import prompts as own_prompts
    from tiltmeter.sources.pairs_file import pairs as file_pairs
    from tiltmeter.sources.prompts_file import prompts as file_prompts
    from tiltmeter.sources.template_prompts import prompts as template_prompts
    from tiltmeter.sources.templates import pairs as template_pairs
    from tiltmeter.specs import load as load_spec
    from tiltmeter.stats.views.continuations import RatedItem
    from tiltmeter.stats.views.continuations import summarise as summarise_ratings
    from tiltmeter.stats.views.pairs import PairSummary
    from tiltmeter.store import Run, read_run
    from tiltmeter.study import plan as plan_study
    from tiltmeter.study import read as read_study

# Where each public name lives; it is imported when it is first asked for, so that `import tiltmeter` is instant.
_HOMES = {
    "Completion": "records",
    "Continuation": "records",
    "Decoding": "records",
    "Estimate": "records",
    "ModelFacts": "records",
    "ModelSettings": "models",
    "Pair": "records",
    "PairScore": "records",
    "PairSummary": "stats.views.pairs",
    "Prompt": "records",
    "RatedItem": "stats.views.continuations",
    "Rating": "records",
    "Run": "store",
    "RunSummary": "results",
    "Scale": "raters.scales",
    "Spec": "records",
    "TiltmeterError": "errors",
    "TokenScores": "records",
    "carry_out": "engine",
    "file_pairs": "sources.pairs_file:pairs",
    "file_prompts": "sources.prompts_file:prompts",
    "find_scorer": "measures.scorers:find",
    "judge": "raters.judge",
    "load_model": "models:load",
    "load_rater": "raters:load",
    "load_spec": "specs:load",
    "own_prompts": "sources.own_prompts:prompts",
    "plan_study": "study:plan",
    "rate_file": "results.files.ratings",
    "rater": "raters.functions",
    "read_run": "store",
    "read_study": "study:read",
    "score_pairs": "engine",
    "summarise_continuations": "results",
    "summarise_file": "results",
    "summarise_ratings": "stats.views.continuations:summarise",
    "summarise_run": "results",
    "summarise_scores": "results",
    "template_pairs": "sources.templates:pairs",
    "template_prompts": "sources.template_prompts:prompts",
    "write_report": "present.files:write_run",
}

__all__ = [
    "Completion",
    "Continuation",
    "Decoding",
    "Estimate",
    "ModelFacts",
    "ModelSettings",
    "Pair",
    "PairScore",
    "PairSummary",
    "Prompt",
    "RatedItem",
    "Rating",
    "Run",
    "RunSummary",
    "Scale",
    "Spec",
    "TiltmeterError",
    "TokenScores",
    "__version__",
    "carry_out",
    "file_pairs",
    "file_prompts",
    "find_scorer",
    "judge",
    "load_model",
    "load_rater",
    "load_spec",
    "own_prompts",
    "plan_study",
    "rate_file",
    "rater",
    "read_run",
    "read_study",
    "score_pairs",
    "summarise_continuations",
    "summarise_file",
    "summarise_ratings",
    "summarise_run",
    "summarise_scores",
    "template_pairs",
    "template_prompts",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiltmeter' has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(importlib.import_module(f"tiltmeter.{module}"), attribute or name)


def __dir__() -> list[str]:
    return __all__
