"""Measures: one bias value per item, from scored pairs or from the chances of two groups. Nothing here averages."""
