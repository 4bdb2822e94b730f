"""Runs, studies and specs in the formats of other programs."""

from __future__ import annotations

from pathlib import Path

from tiltmeter import specs, store, study
from tiltmeter.api.studies import Study
from tiltmeter.files import is_file
from tiltmeter.present import exports
from tiltmeter.present.exports import DatasetSettings, Form
from tiltmeter.records import Spec


def export(
    given: store.Run | Study | study.Study | Spec | str | Path,
    form: Form,
    place: str | Path,
    *,
    with_texts: bool = False,
    licence: str = "unknown",
) -> list[str | Path]:
    """Write a run for other programs, or what a study or a spec asks; the files that were written.

    `lm-eval` is a folder of tasks for lm-evaluation-harness, `inspect` one of data sets and tasks for Inspect; both may
    be of a run, a study or a spec. Of a run, `hf-dataset` is a data-set folder of Hugging Face, `evaluate` a JSON file
    of the leading figures, and `parquet` its tables, also at an address. A folder with other files is left alone.
    """
    opened = opened_as(given, form) if isinstance(given, str | Path) else given
    asked = opened.plan() if isinstance(opened, Study) else opened
    return exports.export(asked, form, place, DatasetSettings(with_texts, licence))


def opened_as(given: str | Path, form: Form) -> store.Run | study.Study | Spec:
    """A run, a study or a spec, as what is there says; a name that nothing has is a spec's where that will do."""
    path = Path(given)
    if path.suffix.lower() == ".toml" and is_file(path):
        return specs.load(path) if study.is_spec(path) else study.read(path)
    if not path.exists() and (str(given) in specs.names() or form in ("lm-eval", "inspect")):
        return specs.load(given)
    return store.read_run(path, held=0)
