"""Results of a run."""
