"""Studies: form and TOML, and what they take."""
