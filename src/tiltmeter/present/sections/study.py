"""What was run, as names and values: the last part of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltmeter.report.decodings import decoding_words
from tiltmeter.report.series import Runs
from tiltmeter.results import RunSummary, of_the_test
from tiltmeter.store import Run

UNCHECKED = "made by an earlier version, without digests: damage to it would not be noticed"


def facts_of_run(run: Run, summary: RunSummary) -> dict[str, Any]:
    """The study of a run, what it asked for, and what came of it before any figure."""
    resolved = run.meta["resolved"]
    return {
        "study": summary.study,
        "folder": run.folder.name,
        "text": run.meta["study"],
        "fingerprint": run.meta["fingerprint"],
        "seed": resolved["seed"],
        "pairs": len(of_the_test(run.pairs)),
        **_facts_of_texts(run),
        "asked": _facts_of_words(run),
        "sources": [source_words(source) for source in resolved["sources"]],
        "scorers": list(resolved["scorers"]),
        "versions": {**run.meta["versions"], **({} if run.is_checked else {"ledger": UNCHECKED})},
        "dropped": sorted(summary.dropped.items(), key=lambda item: -item[1]),
        "notes": [
            (cell.model, cell.source, cell.scorer, note) for cell in summary.cells for note in cell.summary.notes
        ],
    }


def _facts_of_texts(run: Run) -> dict[str, Any]:
    found = run.continuations
    if found is None:
        return {"prompts": 0, "decodings": [], "raters": []}
    return {
        "prompts": len(found.prompts),
        "decodings": [decoding_words(one, found.decodings) for one in found.decodings],
        "raters": [
            (one.name, ", ".join(f"{name} {value}" for name, value in sorted(one.facts.items())))
            for one in found.raters
        ],
    }


def _facts_of_words(run: Run) -> list[tuple[str, str]]:
    """What was asked about next words, as names and values; empty where nothing was."""
    if run.next_words is None:
        return []
    choices = run.meta["resolved"]["next_words"]
    sets = [
        "; ".join(f"{group}: {', '.join(words)}" for group, words in one["sets"]) or "those of each source"
        for one in choices["words"]
    ]
    counted = [*("bounded" if one else "not bounded" for one in choices["bounded"])]
    counted += ["all words of a group" if one == "sum" else "the first word of a group" for one in choices["combine"]]
    return [
        ("Prompts asked", f"{len(run.next_words.asked):,}, perturbed ones among them"),
        ("Sources of prompts", ", ".join(source_words(source) for source in choices["sources"])),
        *(("Words", f"{one['label']} ({words})".strip()) for one, words in zip(choices["words"], sets, strict=True)),
        ("Counted", ", ".join(counted)),
        ("Perturbations", ", ".join(choices["perturbations"])),
        *([("Saliency", choices["saliency"])] if choices["saliency"] else []),
        *([("Labour", f"{len(choices['labour']):,} occupations")] if choices["labour"] else []),
    ]


def source_words(source: Mapping[str, Any]) -> str:
    """A source with its file and its options."""
    options = [f"{key} = {_option(value)}" for key, value in sorted(source["options"].items())]
    file = [f"file {source['path']}, sha256 {_hashes(source['sha256'])}"] if source["path"] else []
    return "; ".join([source["name"], *file, *options])


def _hashes(found: str | Mapping[str, str]) -> str:
    """The hash of a file, or of each of several.

    >>> _hashes("ab"), _hashes({"a.csv": "ab"}), _hashes({"a.csv": "ab", "b.csv": "cd"})
    ('ab', 'ab', 'a.csv: ab, b.csv: cd')
    """
    if isinstance(found, str) or len(found) == 1:
        return found if isinstance(found, str) else next(iter(found.values()))
    return ", ".join(f"{name}: {one}" for name, one in found.items())


def _option(value: object) -> str:
    """A setting as a person would write it.

    >>> _option(["gender", "age"]), _option(16)
    ('gender, age', '16')
    """
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def specs_of(runs: Runs) -> list[Mapping[str, Any]]:
    """The specs of some runs, each once, as a run keeps them."""
    found = {spec["name"]: spec for run, _ in runs for spec in run.meta["resolved"]["specs"]}
    return list(found.values())
