"""A folder that is written whole or not at all, and takes the place of nothing but an earlier one of its kind."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from tiltmeter.errors import RunError, UserError
from tiltmeter.files import plain_file

_README = "README.md"
_MARK = "<!-- exported by tiltmeter -->\n"
"""By which an earlier export is known; everything else is somebody's own."""
_CACHES = {"__pycache__", ".DS_Store"}
"""What other programs leave beside files, and nobody misses."""


@contextmanager
def whole_folder(folder: str | Path) -> Iterator[Path]:
    """Fill a folder, with a README.md, that appears only when everything was written.

    It may take the place of an earlier export with the same files, and of nothing else.
    """
    target = Path(folder)
    try:
        _refuse_others(target)
        # The parent of "." is the folder itself.
        parent = target.absolute().parent
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name[:40]}-", dir=parent) as temporary:
            made = Path(temporary) / "made"
            made.mkdir()
            yield made
            with (made / _README).open("a", encoding="utf-8") as file:
                file.write(f"\n{_MARK}")
            _refuse_others(target, {path.name for path in made.iterdir()})
            if target.exists():
                for path in sorted(made.iterdir()):
                    path.replace(target / path.name)
            else:
                made.rename(target)
    except OSError as error:
        raise RunError(f"{target}: cannot be written: {error.strerror or error}") from error


def _refuse_others(folder: Path, written: Collection[str] | None = None) -> None:
    """Refuse what is no folder, and one that is neither empty nor an earlier export of files of the same names."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UserError("is not a folder; name one that is new or empty", file=folder)
    found = {path.name for path in folder.iterdir()} - _CACHES if folder.exists() else set()
    readme = plain_file(folder, _README)
    is_export = readme is not None and readme.read_bytes().endswith(_MARK.encode())
    others = [name for name in sorted(found) if written is not None and name not in written]
    others += [name for name in sorted(found) if not is_export or plain_file(folder, name) is None]
    if others:
        raise UserError(f"holds `{others[0]:.80}`, which is not of this export; name a new folder", file=folder)
