"""Carrying a plan out."""

from tiltmeter.engine.ray_pool import Cluster
from tiltmeter.engine.run import carry_out
from tiltmeter.engine.scoring import score_pairs

__all__ = ["Cluster", "carry_out", "score_pairs"]
