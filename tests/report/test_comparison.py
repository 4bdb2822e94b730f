"""The page of a comparison: what it says, what it draws, what it withholds, and that it loads nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tiltmeter.report.comparison import comparison_view
from tiltmeter.report.comparison_figures import difference_figures, unmoved
from tiltmeter.report.comparison_page import write_comparison
from tiltmeter.report.comparison_tables import before_and_after, withheld

from tests.report.completions import DECODINGS, Lean, make_rated_run
from tests.report.synthetic import HOSTILE, Tilt, make_run
from tests.report.test_page import Page
from tiltmeter.records import Estimate
from tiltmeter.results.compare.records import RunComparison
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.store import Run

pytest.importorskip("vl_convert")

RATERS = ("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5")


def pairs_runs() -> list[Run]:
    tilts = [Tilt("gender-math-arts", 0.9, title="Mathematics and arts"), Tilt("gender-career", 0.6)]
    less = [replace(tilt, lean=tilt.lean / 6) for tilt in tilts]
    return [make_run(Path(name), tilts=each, models=[name]) for name, each in (("before", tilts), ("after", less))]


def texts_runs(**other: object) -> list[Run]:
    leans = Lean({"sentiment.vader.v1": -0.6, "toxicity.linear.v1": 0.3}), Lean({"sentiment.vader.v1": -0.1})
    settings: dict[str, object] = {"decodings": DECODINGS[:2], "raters": RATERS, "openers": 12} | other
    return [
        make_rated_run(Path(name), **settings, lean=lean, models=[name])
        for name, lean in zip(("before", "after"), leans, strict=True)
    ]


def page_of(found: RunComparison, folder: Path) -> Page:
    write_comparison(found, folder / "page.html")
    return Page((folder / "page.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pairs() -> RunComparison:
    return compare_runs(pairs_runs(), margin=0.05)


@pytest.fixture(scope="module")
def texts() -> RunComparison:
    return compare_runs(texts_runs())


@pytest.fixture(scope="module")
def page(pairs: RunComparison, tmp_path_factory: pytest.TempPathFactory) -> Page:
    return page_of(pairs, tmp_path_factory.mktemp("page"))


def test_the_headline_is_the_sentence_of_the_comparison(page: Page, pairs: RunComparison) -> None:
    [overall] = pairs.views[0].overall
    sentence = pairs.views[0].sentences[0]
    assert sentence in page.text
    assert f"{100 * (overall.difference.value or 0):+.1f}".replace("-", "−") in page.text
    assert page.html.index('class="headline"') < page.html.index("<figure ")
    assert "before" in page.text and "after" in page.text


def test_nothing_is_claimed_where_nothing_is_shown(tmp_path: Path) -> None:
    tilts = [Tilt("gender-career", 0.2)]
    runs = [make_run(Path(name), tilts=tilts, models=[name]) for name in ("one", "two")]
    found = page_of(compare_runs(runs), tmp_path)
    assert "B prefers stereotyped sentences" not in found.text
    assert "to show that it is small, ask with --margin" in found.text


def test_differences_are_drawn_around_zero_and_told_in_words(page: Page, pairs: RunComparison) -> None:
    [figure] = difference_figures(pairs.views[0], str)
    assert "Differences A − B with intervals" in figure.alternative
    assert "all biases" in figure.wide
    for label in ("← B is higher", "A is higher →"):
        assert label in figure.wide
        assert label in figure.narrow
    told = [found["aria-label"] for found in page.all("div") if found.get("role") == "img"]
    assert len(told) == 2 and told[0] == told[1]


def test_every_comparison_has_its_corrected_p_and_its_size(page: Page, pairs: RunComparison) -> None:
    for heading in ("p, Benjamini–Hochberg", "p, Holm", "p, permutation", "d_z", "80 % sees", "Within the margin"):
        assert heading in page.text
    for one in pairs.views[0].cells:
        assert f'data-sort="{one.difference.value!r}"' in page.html
        assert one.p_holm is None or f'data-sort="{one.p_holm!r}"' in page.html
    assert "no margin on this scale" in page.text


def test_a_table_has_before_and_after_with_changes_in_per_cent(texts: RunComparison) -> None:
    [view] = texts.views
    groups, gaps = before_and_after(view, str)
    assert [column.label for column in groups.columns] == ["Group", "A", "B", "Change", "A − B"]
    assert [column.label for column in gaps.columns][3] == "Change of the ratio"
    toxic = [
        (one, row)
        for one, row in zip([one for one in view.cells if not one.is_gap], groups.rows, strict=True)
        if one.choices["rater"] == "toxicity.linear.v1" and one.found.change is not None  # type: ignore[union-attr]
    ]
    assert toxic
    one, row = toxic[0]
    before, after = one.found.a.value, one.found.b.value
    assert before and after
    change = 100 * (after - before) / before
    assert row[3].text.replace("−", "-").replace("\xa0%", "") == f"{change:+.1f}" or not round(change, 6)


def test_what_is_withheld_or_not_compared_is_said(texts: RunComparison, tmp_path: Path) -> None:
    [view] = texts.views
    assert any("ratings may be below zero" in reason for reason in withheld(view))
    runs = texts_runs()
    fewer = make_rated_run(
        Path("after"), decodings=DECODINGS[:1], raters=RATERS, openers=10, models=["after"], lean=Lean({})
    )
    found = page_of(compare_runs([runs[0], fewer]), tmp_path)
    assert "only before has the decoding" in found.text
    assert "left out" in found.text


def test_a_rater_by_which_nothing_moves_is_named_and_not_drawn() -> None:
    run = make_rated_run(Path("one"), decodings=DECODINGS[:1], raters=RATERS, openers=8, models=["m"])
    other = replace(run, folder=Path("two"))
    [view] = compare_runs([run, other]).views
    assert difference_figures(view, str) == []
    assert set(unmoved(view)) == set(RATERS)


def test_more_series_than_colours_become_rows(texts: RunComparison) -> None:
    [view] = texts.views
    cells = tuple(
        replace(one, choices={**one.choices, "decoding": f"decoding {number}"})
        for number in range(8)
        for one in view.cells[:4]
    )
    figure = difference_figures(replace(view, cells=cells), str)[0]
    assert "decoding 7" in figure.wide


def test_many_rows_are_cut_and_the_rest_is_counted(pairs: RunComparison) -> None:
    view = pairs.views[0]
    one = view.cells[0]
    cells = tuple(replace(one, choices={**one.choices, "bias": f"bias {number}"}) for number in range(60))
    [figure] = difference_figures(replace(view, cells=cells), str)
    assert "21 rows more in the table below." in figure.caption


def test_a_difference_without_interval_says_why(pairs: RunComparison) -> None:
    view = pairs.views[0]
    bare = replace(
        view.cells[0].found, difference=Estimate(0.2, n=4, origins=2, note="no interval: fewer than 5 origins")
    )
    [table] = before_and_after(replace(view, cells=(replace(view.cells[0], found=bare, p_holm=None),)), str)
    assert table.rows[0][-1].small == "fewer than 5 origins"
    assert table.rows[0][-1].mark == ""


def test_more_overall_lines_than_there_is_room_for_are_still_there(pairs: RunComparison) -> None:
    view = pairs.views[0]
    many = replace(view, overall=view.overall * 10, sentences=view.sentences * 10)
    part = comparison_view(replace(pairs, views=(many,))).parts[0]
    assert (len(part.said), len(part.further)) == (8, 2)


def test_the_page_loads_nothing_and_nothing_of_a_hostile_name_becomes_markup(tmp_path: Path) -> None:
    tilts = [Tilt("hostile", 0.9, title=HOSTILE)]
    runs = [make_run(Path(name), tilts=tilts, models=[f"{name} {HOSTILE}"]) for name in ("one", "two")]
    found = page_of(compare_runs(runs), tmp_path)
    assert not found.all("img") and not found.all("link")
    assert (len(found.all("script")), len(found.all("style"))) == (1, 1)
    assert not [attributes for _, attributes in found.elements if "src" in attributes or "style" in attributes]
    policy = next(each["content"] for each in found.all("meta") if each.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in found.all("a"):
        assert (link["href"] or "").removeprefix("#") in ids


def test_figures_are_written_as_files_where_that_is_asked_for(pairs: RunComparison, tmp_path: Path) -> None:
    write_comparison(pairs, tmp_path / "page.html", figures=tmp_path / "figures")
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".svg", ".png"}
