"""Carrying a plan out."""

from tiltmeter.engine.local import carry_out
from tiltmeter.engine.scoring import score_pairs

__all__ = ["carry_out", "score_pairs"]
