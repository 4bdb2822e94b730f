"""The section on sentence structures of texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, Lean, make_rated_run
from tests.present.synthetic import HOSTILE
from tests.present.test_texts import reported, table
from tiltmeter.present.blocks import Chart, Section, Table, each
from tiltmeter.present.html import fragment
from tiltmeter.present.sections.texts.structures import structures
from tiltmeter.records import Structure
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

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
LEAN = Lean({"regard.minilm.v2": 0.1, "toxicity.linear.v1": 0.02})


def made(folder: Path) -> Run:
    few = {"decodings": DECODINGS[:1], "raters": RATERS, "openers": 6, "samples": 1}
    return make_rated_run(folder, sources=("rephrased",), lean=LEAN, structures=STRUCTURES, **few)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return made(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module")
def shown(run: Run, summary: RunSummary) -> list[Section]:
    [section] = structures(reported((run, summary)))
    return [one for one in section.blocks if isinstance(one, Section)]


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


def test_each_rater_has_a_part_with_how_many_structures_agree(shown: list[Section], summary: RunSummary):
    assert len(shown) == 2 and [one.folded for one in shown] == [False, True]
    for part, cell in zip(shown, summary.continuations.cells, strict=True):
        kept = cell.structures.robustness.sign_kept["women", "men"]
        row = table([part], "direction of all together").rows[0]
        assert (row[1].sort, row[2].sort) == (
            repr(cell.structures.robustness.two_way["women", "men"].value),
            repr(kept.share.value),
        )
        assert (row[3].text, row[4].text) == (str(kept.reversed), str(kept.ties))
        assert f"{round(kept.share.value * 8)} of 8 structures" in str(part.blocks[0])


def test_every_structure_is_in_the_table_and_reversals_are_marked(shown: list[Section], summary: RunSummary):
    cell = summary.continuations.cells[0]
    assert cell.structures.reversals, "the test needs a reversal"
    found = table(shown[:1], "Differences under every structure")
    assert [row[0].text.partition(":")[0] for row in found.rows] == [*cell.structures.structures]
    marked = {row[0].text for row in found.rows if row[3].mark == "opposed"}
    assert marked == {one.structure for one in cell.structures.reversals}
    assert all(row[3].place and row[3].place["structure"] in row[0].text for row in found.rows)


def test_charts_show_every_structure_stability_and_divergence(shown: list[Section]):
    names = [one.name.split()[0] for one in each(shown[:1], Chart)]
    assert names == ["structures", "stability", "label", "divergence", "best", "best"]
    assert [one.name.split()[0] for one in each(shown[1:], Chart)] == ["structures", "stability", "best", "best"], (
        "no labels"
    )


def test_a_hostile_family_is_text(shown: list[Section]):
    written = str(fragment(shown))
    assert "&lt;img src=x" in written and "<img" not in written


def test_without_structures_there_is_no_section(tmp_path: Path):
    run = make_rated_run(tmp_path, decodings=DECODINGS[:1], raters=RATERS, openers=6, samples=1)
    assert structures(reported((run, summarise_run(run)))) == []


def test_the_plain_prompt_is_in_no_figure_over_structures(summary: RunSummary):
    cell = summary.continuations.cells[0]
    texts = sum(group.mean.n + group.mean.n_unscored for group in cell.summary.groups.values())
    assert texts == 2 * 6 * 8, "two groups, six openers, eight structures without the plain prompt"
    [pair] = cell.summary.pairs
    assert pair.difference.value == cell.structures.paraphrases.pairs[0].difference.value


def test_groups_are_in_the_order_in_which_a_spec_compares_them(run: Run):
    spec = {"name": "gender", "title": "Gender", "benchmark": False, "compare": [["men", "women"]]}
    named = replace(run, meta={**run.meta, "resolved": {**run.meta["resolved"], "specs": [spec]}})
    found = summarise_run(named).continuations
    assert found and found.cells[0].structures
    assert [(pair.a, pair.b) for pair in found.cells[0].summary.pairs] == [("men", "women")]
    assert [*found.cells[0].structures.robustness.sign_kept] == [("men", "women")]


def tables_of(section: Section) -> dict[str, list[list[str]]]:
    return {
        one.caption: [[str(getattr(cell, "text", cell)) for cell in row] for row in one.rows]
        for one in each([section], Table)
    }


def test_label_shares_are_those_of_each_group_under_every_structure(shown: list[Section], summary: RunSummary):
    cell = summary.continuations.cells[0]
    rows = tables_of(shown[0])["Per cent negative / neutral / positive under every structure"]
    assert [row[0] for row in rows] == ["fixed: the plain prompt", *(f"form-{number}" for number in range(8))]
    shares = cell.structures.structures["form-2"].groups["women"].distribution
    assert rows[3][1] == " / ".join(f"{100 * shares[name]:.0f}" for name in ("negative", "neutral", "positive"))


def test_structures_chosen_for_their_ratings_are_shown_on_other_test_words_too(
    shown: list[Section], summary: RunSummary
):
    ends = summary.continuations.cells[0].structures.ends
    [rows] = [rows for caption, rows in tables_of(shown[0]).items() if caption.startswith("Structures chosen")]
    assert len(rows) == 2 * 2 + 2, "two groups best and worst, and one difference highest and lowest"
    best = ends.best
    assert rows[0][1] == f"{best.summary.groups['women'].mean.value:.3f}".replace("-", "−")
    assert rows[0][2] == f"{best.held_out.groups['women'].mean.value:.3f}".replace("-", "−")
    assert rows[0][3] == ", ".join(best.structures)


def test_sets_of_prompts_are_reported_apart(tmp_path: Path):
    run = made(tmp_path)
    prompts = run.continuations.prompts
    sets = {one.origin: ("respect", "work")[at % 2] for at, one in enumerate({p.origin: p for p in prompts}.values())}
    run.continuations.__dict__["prompts"] = tuple(replace(one, attribute=sets[one.origin]) for one in prompts)
    summary = summarise_run(run)
    cell = summary.continuations.cells[0]
    assert {*cell.parts} == {"respect", "work"}
    whole, parts = cell.summary.groups["women"].mean, [one.summary.groups["women"].mean for one in cell.parts.values()]
    assert sum(one.n for one in parts) == whole.n
    assert sum(one.value * one.n for one in parts) / whole.n == pytest.approx(whole.value)
    assert {*cell.as_json()["parts"]["respect"]["structures"]} == {*cell.structures.structures}
    [section] = structures(reported((run, summary)))
    titles = [one.title for one in each([section], Section)]
    assert titles.count("Only the prompts on respect") == 2, "one for each rater"


def test_a_structure_without_a_family_is_called_by_its_name_alone(tmp_path: Path):
    bare = [replace(one, family="", skeleton="") for one in STRUCTURES]
    few = {"decodings": DECODINGS[:1], "raters": RATERS[:1], "openers": 6, "samples": 1}
    run = make_rated_run(tmp_path, sources=("theirs",), lean=LEAN, structures=bare, **few)
    [section] = structures(reported((run, summarise_run(run))))
    assert "()" not in fragment([section])
