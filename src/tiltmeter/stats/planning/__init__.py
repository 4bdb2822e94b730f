"""How large a study must be, from the components of a pilot."""
