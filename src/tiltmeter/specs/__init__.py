"""Bias specifications: read, check, write; the library; exchange with AutoBiasTest."""

from tiltmeter.specs.autobiastest import Imported, from_autobiastest, import_autobiastest, to_autobiastest
from tiltmeter.specs.check import warnings
from tiltmeter.specs.read import Examined, examine, is_file_name, library_text, load, load_all, names, parse, read
from tiltmeter.specs.write import skeleton, to_toml

__all__ = [
    "Examined",
    "Imported",
    "examine",
    "from_autobiastest",
    "import_autobiastest",
    "is_file_name",
    "library_text",
    "load",
    "load_all",
    "names",
    "parse",
    "read",
    "skeleton",
    "to_autobiastest",
    "to_toml",
    "warnings",
]
