"""Files that pages are made with: style, script, and the works that reports cite."""

from importlib.resources import files


def asset(name: str) -> str:
    """A file of this folder as text."""
    return (files(__name__) / name).read_text(encoding="utf-8")
