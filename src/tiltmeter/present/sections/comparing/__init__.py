"""Sections about several models."""
