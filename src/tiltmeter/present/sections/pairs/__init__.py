"""Sections about which sentence a model prefers."""
