"""From values per item to estimates; the only place that averages."""
