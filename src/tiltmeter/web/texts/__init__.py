"""Every text of a run."""
