"""Several models in order."""
