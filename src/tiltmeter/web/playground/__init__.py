"""One sentence or prompt at a time."""
