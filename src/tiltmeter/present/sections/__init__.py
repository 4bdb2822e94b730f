"""Sections of a report: each turns what was found into blocks, and knows nothing of where they are shown."""
