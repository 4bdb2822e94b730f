"""Measures: one bias value per item, from scored pairs or probabilities of two groups. Nothing here averages."""
