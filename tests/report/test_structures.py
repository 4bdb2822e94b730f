"""The part of the report on sentence structures."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, Lean, make_rated_run
from tests.present.synthetic import HOSTILE, make_run
from tests.report.test_page import Page
from tiltmeter.records import Structure
from tiltmeter.report import write_run
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert")

RATERS = ("regard.minilm.v2", "toxicity.linear.v1", "refusal.v5")
STRUCTURES = (
    Structure("fixed", "declarative", "statement", "(ROOT (S (NP) (VP)))"),
    *(
        Structure(
            f"form-{number}",
            "interrogative" if number % 2 else "declarative",
            HOSTILE if number == 3 else ("question", "cleft")[number % 2],
            f"(ROOT (S (NP) (VP) (.)) {number // 2})",
        )
        for number in range(8)
    ),
)


def made(folder: Path, **choices: object) -> Run:
    lean = Lean({"regard.minilm.v2": 0.1, "toxicity.linear.v1": 0.02})
    return make_rated_run(
        folder,
        sources=("rephrased",),
        decodings=DECODINGS[:1],
        raters=RATERS,
        openers=6,
        samples=1,
        lean=lean,
        structures=STRUCTURES,
        **choices,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return made(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module")
def page(run: Run, summary: RunSummary) -> Page:
    return Page(write_run(run, summary).read_text(encoding="utf-8"))


def test_a_cell_has_its_structures_and_the_plain_prompt_apart(summary: RunSummary):
    assert summary.continuations
    cell = summary.continuations.cells[0]
    assert cell.structures
    assert cell.structures.settings.fixed == "fixed"
    assert [*cell.structures.structures] == ["fixed", *(f"form-{number}" for number in range(8))]
    assert {*cell.families} == {"question", "cleft", HOSTILE}, "the plain prompt belongs to no family here"
    found = cell.as_json()
    assert found["robustness"]["n_structures"] == 8
    assert found["fixed"]["structure"] == "fixed"


def test_toxicity_is_better_where_it_is_low(summary: RunSummary):
    assert summary.continuations
    better = {cell.rater: cell.structures.settings.higher_is_better for cell in summary.continuations.cells}
    assert better == {"regard.minilm.v2": True, "toxicity.linear.v1": False}


def test_the_page_says_how_many_structures_keep_the_sign(page: Page, summary: RunSummary):
    cell = summary.continuations.cells[0]
    kept = cell.structures.robustness.sign_kept["women", "men"]
    assert "Does it hold in every sentence structure?" in page.html
    assert 2 <= round(kept.share.value * 8) < 8, "the test needs a share between"
    assert f"{round(kept.share.value * 8)} of 8 structures agree" in page.html
    assert "8 structures (4 declarative, 4 interrogative; 4 skeletons). Texts with a rating: " in page.html


def test_texts_that_contradict_the_trend_stand_behind_a_warning(page: Page, summary: RunSummary):
    assert any(cell.structures.reversals for cell in summary.continuations.cells), "the test needs a reversal"
    place = page.html.index("the reverse of all structures together")
    before = page.html.rindex("<details", 0, place)
    assert 'class="warning"' in page.html[before : before + 30]


def test_a_hostile_family_is_text(page: Page):
    assert HOSTILE not in page.html
    assert not re.search(r"<img\s", page.html)


def test_figures_and_tables_are_written_as_files(run: Run, page: Page):
    names = {path.name for path in (run.folder / "figures").iterdir()}
    assert any(name.startswith("structures-") and name.endswith(".svg") for name in names)
    assert any(name.startswith("stability-") for name in names)
    assert any(name.startswith("divergence-") for name in names)
    written = (run.folder / "tables" / "structures.csv").read_text(encoding="utf-8").splitlines()
    assert len(written) == 1 + 2 * 9 * 2, "two raters, nine structures, two groups"


def test_without_structures_the_part_is_left_out(tmp_path: Path):
    run = make_rated_run(tmp_path, decodings=DECODINGS[:1], raters=RATERS, openers=6, samples=1)
    html = write_run(run, summarise_run(run)).read_text(encoding="utf-8")
    assert "every sentence structure" not in html
    assert not (tmp_path / "tables" / "structures.csv").exists()


def test_pairs_in_several_structures_have_a_part_of_their_own(tmp_path: Path):
    run = make_run(tmp_path, models=["alpha-135m"])
    turned = {pair.id: replace(pair, structure=STRUCTURES[at % 9]) for at, pair in enumerate(run.pairs)}
    scores = {
        key: tuple(replace(score, pair=turned[score.pair.id]) for score in found) for key, found in run.scores.items()
    }
    run = replace(run, pairs=tuple(turned.values()), scores=scores)
    summary = summarise_run(run)
    assert {bias for cell in summary.cells for bias in cell.structures} >= {"gender-professions", "hostile"}
    page = Page(write_run(run, summary).read_text(encoding="utf-8"))
    assert "How many structures prefer the same side as all of them together" in page.html
    assert HOSTILE not in page.html
    header, first = (run.folder / "tables" / "pairs.csv").read_text(encoding="utf-8").splitlines()[:2]
    assert "structure,kind,family,skeleton" in header
    assert STRUCTURES[0].skeleton in first


def test_the_plain_prompt_is_in_no_figure_over_structures(run: Run, summary: RunSummary):
    cell = summary.continuations.cells[0]
    texts = sum(group.mean.n + group.mean.n_unscored for group in cell.summary.groups.values())
    assert texts == 2 * 6 * 8, "two groups, six openers, eight structures without the plain prompt"
    [pair] = cell.summary.pairs
    assert pair.difference.value == cell.structures.paraphrases.pairs[0].difference.value


def test_groups_stand_in_the_order_in_which_a_spec_compares_them(run: Run):
    spec = {"name": "gender", "title": "Gender", "benchmark": False, "compare": [["men", "women"]]}
    named = replace(run, meta={**run.meta, "resolved": {**run.meta["resolved"], "specs": [spec]}})
    found = summarise_run(named).continuations
    assert found and found.cells[0].structures
    assert [(pair.a, pair.b) for pair in found.cells[0].summary.pairs] == [("men", "women")]
    assert [*found.cells[0].structures.robustness.sign_kept] == [("men", "women")]
