"""The report of a run in other forms than the page: the command `tiltmeter report`, as a process of its own."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Literal

from starlette.responses import FileResponse

from tiltmeter.errors import RunError
from tiltmeter.store import is_held
from tiltmeter.web.downloads import download_headers
from tiltmeter.web.findings_process import FindingsProcesses
from tiltmeter.web.runs.files import zipped
from tiltmeter.web.scratch import scratch_of

Form = Literal["html", "pdf", "md", "latex", "card"]
FORMS: dict[Form, str] = {"html": "HTML", "pdf": "PDF", "md": "Markdown", "latex": "LaTeX", "card": "Bias card"}
"""What each form is called; the first is the report itself, which is made in the folder of the run, with its tables."""


def start(folder: Path, form: Form) -> None:
    """Have the report of a run made in a form; it is kept until the server ends."""
    if is_held(folder):
        raise RunError("the run is under way; its report can be had in other forms when it is finished")
    if not _makers[form].is_at_work(folder):
        shutil.rmtree(_place(folder, form), ignore_errors=True)
        _makers[form].start(folder)


def is_at_work(folder: Path, form: Form) -> bool:
    """Whether the report is being made in that form."""
    return _makers[form].is_at_work(folder)


def problem(folder: Path, form: Form) -> str:
    """Why it could not be made in that form; blank where it could."""
    return _makers[form].problem(folder)


def sent(folder: Path, form: Form) -> FileResponse:
    """The report in a form, as it was made last: one file, or a zip file where it has several."""
    place = _place(folder, form)
    files = [path for path in sorted(place.rglob("*")) if path.is_file()]
    if not files or is_at_work(folder, form):
        raise RunError(f"the report is not there as {FORMS[form]} yet; have it made on the page of the run")
    if len(files) > 1:
        return zipped(files, place, f"{folder.name} report {form}.zip")
    return FileResponse(files[0], headers=download_headers(f"{folder.name} report{files[0].suffix}"))


def _place(folder: Path, form: Form) -> Path:
    return scratch_of(folder) / f"report {form}"


def _command(form: Form, folder: Path) -> list[str]:
    if form == "html":
        return ["tiltmeter", "report", str(folder)]
    return ["tiltmeter", "report", str(folder), "--format", form, "--out", str(_place(folder, form) / "report.html")]


_makers = {form: FindingsProcesses(partial(_command, form)) for form in FORMS}
