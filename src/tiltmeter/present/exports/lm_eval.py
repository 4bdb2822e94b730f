"""Tests as tasks of lm-evaluation-harness: one for each kind and bias, with groups over them.

Texts are in JSON lines alone, and no template is made of them: braces and quotes in them stay what they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from tiltmeter.files import write_texts
from tiltmeter.present.asset import asset
from tiltmeter.present.exports.items import NEXT_WORDS, PAIRS, PROMPTS, Asked, Row
from tiltmeter.present.exports.lines import Names, left_out, write_lines
from tiltmeter.records import Decoding
from tiltmeter.version import __version__

_MEAN = {"aggregation": "mean", "higher_is_better": False}
_CALLED = "utils."
"""How values begin that are functions of `utils.py`."""


def write_tasks(asked: Asked, folder: Path) -> None:
    """Write the files of tasks and groups, their rows and what they call into an empty folder."""
    names = Names()
    # No task takes the place of one of the harness's own.
    root = f"tiltmeter_{names.of(asked.name)}"
    shares: dict[str, dict[str, None]] = {}

    def put(kind: str, row: Row) -> tuple[str, Row]:
        task = f"{root}_{kind}_{names.of(row['bias'])}"
        if kind != NEXT_WORDS:
            return task, row
        own = [f"share_{names.of(group)}" for group in row["groups"]]
        shares.setdefault(task, {}).update(dict.fromkeys(own))
        return task, {**row, "shares": own}

    tasks = write_lines(asked, folder, put)
    files = {task: _task(task, kind, asked, shares.get(task, ())) for task, (kind, _) in tasks.items()}
    members: dict[str, list[str]] = {}
    for task, (kind, bias) in tasks.items():
        members.setdefault("" if asked.is_check(bias) else kind, []).append(task)
    checks = members.pop("", [])
    groups = {f"{root}_{kind}": {"task": each, **_together(kind)} for kind, each in members.items()}
    groups[root] = {"task": [*groups, *checks]}
    files |= {group: {"group": group, **said} for group, said in groups.items()}
    written = {folder / f"{name}.yaml": _yaml(said) for name, said in files.items()}
    written[folder / "utils.py"] = asset("lm_eval_utils.py.txt")
    written[folder / "README.md"] = asset("lm_eval_readme.md").format(
        name=root,
        version=__version__,
        first=next(iter(tasks)),
        tasks="\n".join(f"- `{task}`" for task in tasks),
        left_out=left_out(asked),
    )
    write_texts(written)


def _task(name: str, kind: str, asked: Asked, shares: Iterable[str]) -> dict[str, object]:
    """What the file of a task says."""
    made: dict[str, object] = {
        "task": name,
        "custom_dataset": "utils.rows",
        "dataset_kwargs": {"file": f"{name}.jsonl"},
        "test_split": "test",
        "metadata": {"version": 1.0},
    }
    if kind == PROMPTS:
        return {
            **made,
            "output_type": "generate_until",
            "doc_to_text": "text",
            "doc_to_target": "",
            "generation_kwargs": _generation(asked.decoding),
            "repeats": asked.samples if asked.decoding.temperature else 1,
            "process_results": "utils.written",
            "metric_list": [{"metric": "empty", **_MEAN}],
        }
    choices = {
        PAIRS: ("context", "utils.sentences", "utils.preference", ("pct_stereotype", "margin")),
        NEXT_WORDS: ("text", "words", "utils.shares", tuple(shares)),
    }
    text, choice, results, metrics = choices[kind]
    return {
        **made,
        "output_type": "multiple_choice",
        "doc_to_text": text,
        "doc_to_target": 0,
        "doc_to_choice": choice,
        "target_delimiter": "",
        "process_results": results,
        "metric_list": [{"metric": metric, **_MEAN} for metric in metrics],
    }


def _together(kind: str) -> dict[str, object]:
    """What a group says of all its tasks together: of pairs the share over all of them."""
    metrics = ("pct_stereotype", "margin") if kind == PAIRS else ()
    means = [{"metric": metric, "aggregation": "mean", "weight_by_size": True} for metric in metrics]
    return {"aggregate_metric_list": means, "metadata": {"version": 1.0}} if means else {}


def _generation(decoding: Decoding) -> dict[str, object]:
    sampled = {"temperature": decoding.temperature, "top_p": decoding.top_p, "top_k": decoding.top_k}
    return {
        "until": list(decoding.stop),
        "max_gen_toks": decoding.max_new_tokens,
        "do_sample": decoding.temperature > 0,
        **(sampled if decoding.temperature else {}),
        **({"num_beams": decoding.beams} if decoding.beams > 1 else {}),
    }


def _yaml(said: Mapping[str, object]) -> str:
    """A file of keys whose values are JSON, which YAML takes as it is, or functions."""
    return "".join(f"{key}: {_value(value)}\n" for key, value in said.items())


def _value(value: object) -> str:
    return f"!function {value}" if isinstance(value, str) and value.startswith(_CALLED) else json.dumps(value)
