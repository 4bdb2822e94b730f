"""Estimates from files that people bring: `tiltmeter analyze`."""
