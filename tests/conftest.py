"""The order of the files, and charts that take no time.

Files that take longest begin first, so that no worker is left with one at the end.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.drawings import draw_small

LONGEST = (
    "engine/test_ray.py",
    "web/test_looks.py",
    "web/test_foreign_runs.py",
    "engine/test_acceptance.py",
    "web/test_sentences.py",
    "web/test_hostile.py",
    "engine/test_asking_again.py",
    "cli/test_own_classifier.py",
    "outside/test_what_is_measured.py",
    "cli/test_run_and_report.py",
    "engine/test_identity.py",
    "web/test_walk.py",
    "cli/test_compare.py",
    "engine/test_costs.py",
    "models/test_api_runs.py",
    "engine/test_continuing_killed.py",
    "outside/test_doors.py",
    "web/test_results.py",
    "results/test_multiverse.py",
    "engine/test_large.py",
    "engine/test_writing_killed.py",
    "models/test_vllm.py",
    "models/test_api_refusals.py",
    "models/test_api_replies.py",
    "present/test_next_words.py",
    "sources/natural/test_building.py",
    "outside/test_statements.py",
    "web/test_annotating.py",
    "test_growing.py",
    "web/test_runs.py",
    "cli/test_next_words.py",
    "cli/test_sentences_by_api.py",
    "web/test_jobs.py",
    "results/test_account.py",
    "raters/test_issues.py",
    "cli/test_refused_names.py",
    "models/test_api_faults.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def rank(item: pytest.Item) -> int:
        path = item.path.as_posix()
        return next((at for at, name in enumerate(LONGEST) if path.endswith(f"tests/{name}")), len(LONGEST))

    ranks = {path: rank(item) for path, item in {item.path: item for item in items}.items()}
    items.sort(key=lambda item: ranks[item.path])


def pytest_collection_finish() -> None:
    """Keep what is there out of garbage collection: to look through all of it takes longer than most tests."""
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let packages that count what they leave behind find it collected."""
    gc.unfreeze()


@pytest.fixture(scope="module", autouse=True)
def small_drawings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Draw charts only in modules that are marked with `drawings`."""
    with pytest.MonkeyPatch.context() as patch:
        if not request.node.get_closest_marker("drawings"):
            draw_small(patch.setattr)
        yield
