"""Tiltmeter measures social bias in language models, and says which conclusions survive.

>>> import tiltmeter as tm
>>> study = tm.Study(name="gate", specs=["gender-math-arts"], models=["scripted"])
>>> run = study.run("runs/gate", progress=False, report=False)
>>> run.findings()[0].question.text
'Does the model prefer the sentence that fits the stereotype?'
"""

from __future__ import annotations

import ast
import importlib
from importlib.resources import files
from typing import TYPE_CHECKING

from tiltmeter.version import __version__

if TYPE_CHECKING:
    # What is public, and where it lives: the one list. Each is imported when it is first asked for.
    from tiltmeter.api.asking import Rated, next_words, rate
    from tiltmeter.api.calibrating import Calibration, calibrate
    from tiltmeter.api.comparing import (
        Board,
        Comparison,
        GateResult,
        Sizes,
        compare,
        gate,
        leaderboard,
        multiverse,
        plan,
    )
    from tiltmeter.api.exporting import export
    from tiltmeter.api.files import analyze, import_log, read_log
    from tiltmeter.api.frames import Frame
    from tiltmeter.api.rephrasing import rephrase
    from tiltmeter.api.runs import Finding, Findings, Run, read_run
    from tiltmeter.api.shown import Plot
    from tiltmeter.api.studies import Study
    from tiltmeter.api.training import Watch, watch
    from tiltmeter.engine import score_pairs
    from tiltmeter.errors import GateFailed, TiltmeterError
    from tiltmeter.measures.scorers import find as find_scorer
    from tiltmeter.models import ModelSettings
    from tiltmeter.models import folder_of as model_folder
    from tiltmeter.models import load as load_model
    from tiltmeter.models.given import wrap
    from tiltmeter.present.exports import evaluate_dict
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
        NextWord,
        NextWords,
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

__all__ = [
    "Board",
    "Calibration",
    "Comparison",
    "Completion",
    "Continuation",
    "Decoding",
    "Estimate",
    "Finding",
    "Findings",
    "Frame",
    "GateFailed",
    "GateResult",
    "ModelFacts",
    "ModelSettings",
    "NextWord",
    "NextWords",
    "Pair",
    "PairScore",
    "PairSummary",
    "Plot",
    "Prompt",
    "Rated",
    "RatedItem",
    "Rating",
    "Run",
    "RunSummary",
    "Scale",
    "Sizes",
    "Spec",
    "Study",
    "TiltmeterError",
    "TokenScores",
    "Watch",
    "__version__",
    "analyze",
    "calibrate",
    "compare",
    "evaluate_dict",
    "export",
    "file_pairs",
    "file_prompts",
    "find_scorer",
    "gate",
    "import_log",
    "judge",
    "leaderboard",
    "load_model",
    "load_rater",
    "load_spec",
    "model_folder",
    "multiverse",
    "next_words",
    "own_prompts",
    "plan",
    "rate",
    "rate_file",
    "rater",
    "read_log",
    "read_run",
    "rephrase",
    "score_pairs",
    "summarise_continuations",
    "summarise_file",
    "summarise_ratings",
    "summarise_run",
    "summarise_scores",
    "template_pairs",
    "template_prompts",
    "watch",
    "wrap",
    "write_report",
]


def _homes() -> dict[str, tuple[str, str]]:
    """Of each public name, its module and what it is called there, as they are listed above."""
    tree = ast.parse(files("tiltmeter").joinpath("__init__.py").read_text(encoding="utf-8"))
    [listed] = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for node in listed.body if isinstance(node, ast.ImportFrom)]
    return {one.asname or one.name: (node.module or "", one.name) for node in imports for one in node.names}


_HOMES = _homes()


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tiltmeter' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return list(__all__)
