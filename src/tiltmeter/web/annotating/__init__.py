"""People's marks on texts."""
