"""What was asked and what was measured, in the formats of other programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, get_args

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.files import whole_file
from tiltmeter.present.exports.dataset import DatasetSettings, write_dataset
from tiltmeter.present.exports.evaluated import evaluate_dict
from tiltmeter.present.exports.folder import whole_folder
from tiltmeter.present.exports.inspect_tasks import write_data_sets
from tiltmeter.present.exports.items import Asked, asked_by
from tiltmeter.present.exports.lm_eval import write_tasks
from tiltmeter.records import Spec
from tiltmeter.results.tables import export_items
from tiltmeter.store import Run
from tiltmeter.study import Plan, Study

__all__ = ["FORMS", "DatasetSettings", "Form", "evaluate_dict", "export"]

Form = Literal["parquet", "lm-eval", "inspect", "hf-dataset", "evaluate"]
FORMS: tuple[Form, ...] = get_args(Form)
_TESTS: Mapping[str, Callable[[Asked, Path], None]] = {"lm-eval": write_tasks, "inspect": write_data_sets}
"""Forms of what is asked; the others are of results."""
_USUAL = DatasetSettings()


def export(
    given: Run | Plan | Study | Spec, form: Form, place: str | Path, settings: DatasetSettings = _USUAL
) -> list[str | Path]:
    """Write a run for other programs, or what a study or a spec asks; the files that were written.

    `lm-eval` is a folder of tasks for lm-evaluation-harness, `inspect` one of data sets and tasks for Inspect; both may
    be of a run, a study or a spec. Of a run, `hf-dataset` is a data-set folder of Hugging Face, `evaluate` a JSON file
    of the leading figures, and `parquet` its tables, also at an address. A folder with other files is left alone.
    """
    if form not in FORMS:
        raise UnknownName("form", form, FORMS)
    if form not in _TESTS and not isinstance(given, Run):
        raise UserError(
            f"`{form}` is of results, which only a run has; `{'` and `'.join(_TESTS)}` are of what is asked"
        )
    if isinstance(given, Run) and form == "parquet":
        return export_items(given, place)
    if isinstance(given, Run) and form == "evaluate":
        with whole_file(place) as file:
            file.write(json.dumps(evaluate_dict(given), ensure_ascii=False, allow_nan=False, indent=1) + "\n")
        return [Path(place)]
    with whole_folder(place) as folder:
        if isinstance(given, Run) and form == "hf-dataset":
            write_dataset(given, folder, settings)
        else:
            _TESTS[form](asked_by(given), folder)
    return sorted(path for path in Path(place).iterdir() if path.is_file())
