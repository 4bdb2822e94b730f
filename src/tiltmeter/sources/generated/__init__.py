"""Source `generated`: test sentences that a language model writes from a spec alone (AutoBiasTest), and their audit.

The model is given by the caller, and so is whatever judges or ranks what it wrote.
"""

from tiltmeter.records import Nature
from tiltmeter.sources.generated.accounting import Accounting, Missing, TermYield, account
from tiltmeter.sources.generated.block import blocks, write_block
from tiltmeter.sources.generated.interface import Generator, Review
from tiltmeter.sources.generated.loop import Generation, assemble, units, write
from tiltmeter.sources.generated.model_settings import settings_for
from tiltmeter.sources.generated.pairs import pairs
from tiltmeter.sources.generated.sentence_files import read_sentences, write_sentences
from tiltmeter.sources.generated.settings import GenerationSettings, Unit, UnitResult
from tiltmeter.sources.generated.shots import Shot, chooser

NATURE: Nature = "generated"

__all__ = [
    "Accounting",
    "Generation",
    "GenerationSettings",
    "Generator",
    "Missing",
    "Review",
    "Shot",
    "TermYield",
    "Unit",
    "UnitResult",
    "account",
    "assemble",
    "blocks",
    "chooser",
    "pairs",
    "read_sentences",
    "settings_for",
    "units",
    "write",
    "write_block",
    "write_sentences",
]
