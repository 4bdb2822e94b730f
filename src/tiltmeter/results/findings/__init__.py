"""Questions, and what all combinations of choices say to them."""
