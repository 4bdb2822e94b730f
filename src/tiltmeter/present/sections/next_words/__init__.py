"""Sections about which words a model expects."""
