"""Runs: live, with their files."""
