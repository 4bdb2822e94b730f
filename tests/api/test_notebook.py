"""The example notebook, carried out from a clean kernel as somebody would who has just installed the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_example_notebook_runs_from_a_clean_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    # The kernel of this environment, whatever others a machine has.
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
    notebook = nbformat.read(shutil.copy(ROOT / "examples" / "notebook.ipynb", tmp_path), as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear the outputs before committing"
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=900, kernel_name="python3", resources=resources).execute()
    shown = dict.fromkeys(("text/html", "application/vnd.vegalite.v5+json"), 0)
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        for kind in output.get("data", {}):
            shown[kind] = shown.get(kind, 0) + 1
    assert shown["application/vnd.vegalite.v5+json"] == 1
    assert shown["text/html"] >= 8
    assert (tmp_path / "report.html").is_file()
    assert (tmp_path / "runs" / "4000" / "report.html").is_file()
