"""Source `rephrased`: the same prompt in many sentence structures."""

from tiltmeter.records import Nature
from tiltmeter.sources.rephrased.asking import open_prompts
from tiltmeter.sources.rephrased.pairing import closed, pairs
from tiltmeter.sources.rephrased.prompting import borrows_verb_phrases, prompts
from tiltmeter.sources.rephrased.structures import Pattern, families, fixed, structures

NATURE: Nature = "rephrased"

__all__ = [
    "Pattern",
    "borrows_verb_phrases",
    "closed",
    "families",
    "fixed",
    "open_prompts",
    "pairs",
    "prompts",
    "structures",
]
