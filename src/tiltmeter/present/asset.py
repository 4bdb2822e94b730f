"""Templates, style and script that belong to the media."""

from importlib.resources import files


def asset(name: str) -> str:
    """The text of a file in the folder `assets`."""
    return files("tiltmeter.present").joinpath("assets", name).read_text(encoding="utf-8")
