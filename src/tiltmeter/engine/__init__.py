"""Carrying a plan out."""

from tiltmeter.engine.local import carry_out
from tiltmeter.engine.ray_crew import Cluster
from tiltmeter.engine.scoring import score_pairs

__all__ = ["Cluster", "carry_out", "score_pairs"]
