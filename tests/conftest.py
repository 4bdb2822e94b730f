"""The order of the files: those that take longest begin first, so that no worker is left with one at the end."""

from __future__ import annotations

import pytest

LONGEST = (
    "engine/test_ray.py",
    "engine/test_acceptance.py",
    "web/test_looks.py",
    "cli/test_run_and_report.py",
    "web/test_hostile.py",
    "web/test_sentences.py",
    "engine/test_asking_again.py",
    "web/test_foreign_runs.py",
    "engine/test_continuing_killed.py",
    "engine/test_writing_killed.py",
    "models/test_api_runs.py",
    "cli/test_own_classifier.py",
    "web/test_walk.py",
    "test_growing.py",
    "models/test_api_refusals.py",
    "models/test_vllm.py",
    "engine/test_costs.py",
    "models/test_api_faults.py",
    "web/test_annotating.py",
    "outside/test_doors.py",
    "outside/test_what_is_measured.py",
    "web/test_runs.py",
    "web/test_results.py",
    "web/test_broken_runs.py",
    "results/test_multiverse.py",
    "raters/test_issues.py",
    "sources/natural/test_building.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        path = item.path.as_posix()
        return next((at for at, name in enumerate(LONGEST) if path.endswith(f"tests/{name}")), len(LONGEST))

    ranks = {path: rank(item) for path, item in {item.path: item for item in items}.items()}
    items.sort(key=lambda item: ranks[item.path])
