"""Rephrasing of arbitrary prompts by a language model, one structure at a time, with checks that show their work.

The model, the parser and the sentence vectors are given; `tiltmeter.engine.rephrasing` brings them together.
"""

from tiltmeter.sources.rephrased.paraphrasing.accounting import Accounting, account
from tiltmeter.sources.rephrased.paraphrasing.counterparts import matched
from tiltmeter.sources.rephrased.paraphrasing.files import COLUMNS, rephrased_prompts, write_rephrased
from tiltmeter.sources.rephrased.paraphrasing.records import Attempt, ParaphraseSettings, Rephrased
from tiltmeter.sources.rephrased.paraphrasing.targets import Target, targets
from tiltmeter.sources.rephrased.paraphrasing.writing import Judge, Paraphraser, blocks, other_terms, paraphrase

__all__ = [
    "COLUMNS",
    "Accounting",
    "Attempt",
    "Judge",
    "ParaphraseSettings",
    "Paraphraser",
    "Rephrased",
    "Target",
    "account",
    "blocks",
    "matched",
    "other_terms",
    "paraphrase",
    "rephrased_prompts",
    "targets",
    "write_rephrased",
]
