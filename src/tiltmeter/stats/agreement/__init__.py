"""How far scorers, raters and people agree."""
