"""Sections about what a model writes."""
