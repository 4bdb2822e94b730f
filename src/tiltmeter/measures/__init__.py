"""Measures: one bias value per item, from scored pairs. Nothing here averages."""
