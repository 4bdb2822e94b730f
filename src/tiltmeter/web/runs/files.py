"""What can be taken home from a run: its report, its tables, every item; and its removal."""

from __future__ import annotations

import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from tiltmeter.errors import RunError
from tiltmeter.files import write_csv
from tiltmeter.parquet import parquet_columns, parquet_rows
from tiltmeter.results.tables import export_items
from tiltmeter.store import LEDGER, locked, read_run
from tiltmeter.store.run_folder import current_files
from tiltmeter.web.downloads import download_headers
from tiltmeter.web.jobs import UNBEGUN

Format = Literal["parquet", "csv"]
_HASH = re.compile(r"'sha256-[A-Za-z0-9+/]{43}='")
_META = re.compile(r"<meta http-equiv=\"Content-Security-Policy\" content=\"([^\"]*)\"")
_HEAD = 8192
"""Characters of a report in which its policy stands."""


def report_policy(page: str) -> str:
    """What a report may do when it is opened here: run its own script and show its own style, in a sandbox.

    Nothing but the hashes is taken from the page itself: a folder that came from elsewhere gets no more than that.
    """
    found = _META.search(page[:_HEAD])
    # In an attribute, an apostrophe is written in full.
    given = found[1].replace("&#39;", "'") if found else ""
    parts = {part.split()[0]: part for part in given.split(";") if part.strip()}
    script, style = (" ".join(_HASH.findall(parts.get(name, ""))) or "'none'" for name in ("script-src", "style-src"))
    return (
        f"sandbox allow-scripts allow-modals allow-popups allow-downloads; default-src 'none'; script-src {script}; "
        f"style-src {style}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def zipped_tables(folder: Path) -> FileResponse:
    """The tables of a run and its summary, in one file."""
    files = [
        path for path in current_files(folder) if path.parent.name == "tables" or path.suffix in (".json", ".parquet")
    ]
    if not files:
        raise RunError(
            f"the run `{folder.name}` has no tables that were made here from its ledger; they are made with its report"
        )
    return zipped(files, folder, f"{folder.name} tables.zip")


def exported(folder: Path, form: Format) -> FileResponse:
    """Every item of a run with its scores and ratings, in one file."""
    with tempfile.TemporaryDirectory(prefix="tiltmeter-export-") as name:
        place = Path(name)
        export_items(read_run(folder), place)
        if form == "csv":
            for path in sorted(place.glob("*.parquet")):
                _as_csv(path)
        return zipped(sorted(place.iterdir()), place, f"{folder.name} {form}.zip")


def remove(folder: Path) -> None:
    """Delete a run folder for good; refuses what is none."""
    if folder.is_symlink():
        raise RunError(f"`{folder.name}` only points to a folder elsewhere; remove it there")
    inside = {path.name for path in folder.iterdir()}
    if LEDGER not in inside and not inside <= UNBEGUN:
        raise RunError(f"`{folder.name}` is no run: it holds other files, and is left alone")
    try:
        # Whoever would carry it out on the command line is kept out.
        with locked(folder):
            shutil.rmtree(folder)
    except OSError as error:
        raise RunError(f"the run `{folder.name}` cannot be removed: {error.strerror or error}") from error


def zipped(files: Iterable[Path], root: Path, name: str) -> FileResponse:
    """Files below a folder, in one file that is gone when it was sent."""
    with tempfile.NamedTemporaryFile(prefix="tiltmeter-", suffix=".zip", delete=False) as stream:
        path = Path(stream.name)
        try:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
                for file in files:
                    archive.write(file, file.relative_to(root))
        except BaseException:
            path.unlink()
            raise
    return FileResponse(
        path, media_type="application/zip", headers=download_headers(name), background=BackgroundTask(path.unlink)
    )


def _as_csv(path: Path) -> None:
    """Turn a Parquet file into CSV, a batch of rows at a time."""
    write_csv(path.with_suffix(".csv"), parquet_columns(path), parquet_rows(path))
    path.unlink()
