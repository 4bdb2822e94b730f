"""Specs: browse, write, check."""
