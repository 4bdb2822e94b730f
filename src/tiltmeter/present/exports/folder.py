"""A folder that is written whole or not at all, and takes the place of nothing but an earlier one of its kind."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tiltmeter.errors import RunError, UserError

_CACHES = {"__pycache__", ".DS_Store"}
"""What other programs leave beside files, and nobody misses."""


@contextmanager
def whole_folder(folder: str | Path) -> Iterator[Path]:
    """Fill a folder that appears only when everything was written; one with other files in it is left alone."""
    target = Path(folder)
    try:
        _refuse_others(target, None)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name[:40]}-", dir=target.parent) as temporary:
            made = Path(temporary) / "made"
            made.mkdir()
            yield made
            _refuse_others(target, {path.name for path in made.iterdir()})
            target.mkdir(exist_ok=True)
            for path in sorted(made.iterdir()):
                path.replace(target / path.name)
    except OSError as error:
        raise RunError(f"{target}: cannot be written: {error.strerror or error}") from error


def _refuse_others(folder: Path, written: set[str] | None) -> None:
    """Refuse what is no folder, and a folder with files of other names than will be written."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UserError("is not a folder; name a folder that is new or empty", file=folder)
    if written is None or not folder.exists():
        return
    others = sorted(path.name for path in folder.iterdir() if path.name not in {*written, *_CACHES})
    linked = sorted(path.name for path in folder.iterdir() if path.name in written and not path.is_file())
    if others or linked:
        name = (others or linked)[0]
        raise UserError(f"holds `{name:.80}`, which does not belong to the export; name a new folder", file=folder)
