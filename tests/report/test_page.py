from __future__ import annotations

import base64
import hashlib
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tiltmeter.report import write_report, write_run

from tests.report.synthetic import HOSTILE, Tilt, make_run
from tiltmeter.errors import MissingExtra
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert")


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text outside style and script."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._raw = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._raw = tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self._raw = False

    def handle_data(self, data: str) -> None:
        if not self._raw:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).replace("\xa0", " ").split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(runs: list[tuple[Run, RunSummary]], folder: Path) -> Page:
    out = folder / "page.html"
    write_report(runs, out, figures=None)
    return Page(out.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(run: Run, summary: RunSummary, tmp_path_factory: pytest.TempPathFactory) -> Page:
    return page_of([(run, summary)], tmp_path_factory.mktemp("page"))


def test_the_headline_says_what_the_summary_says(page: Page, summary: RunSummary):
    cell = next(cell for cell in summary.cells if (cell.model, cell.scorer) == ("beta-1b", "causal.sum.v1"))
    found, plain = cell.summary.headline, cell.summary.overall
    assert found.value and found.low and found.high
    assert (
        f"beta-1b prefers the stereotyped sentence in {found.value:.0%} of pairs "
        f"(95% interval {found.low * 100:.0f}–{found.high:.0%}), averaged over 6 biases"
    ).replace("%", " %") in page.text
    assert plain.value and plain.low and plain.high
    interval = f"{plain.low * 100:.1f}–{plain.high:.1%}"
    assert f"{plain.value:.1%} ({interval})".replace("%", " %") in page.text
    assert f"{found.n} pairs scored, {found.n_unscored} unscored, {found.origins} origins; source" in page.text
    assert "after correction for 6 comparisons" in page.text


def test_the_headline_is_of_the_scorer_that_the_study_names_first(run: Run, tmp_path: Path):
    meta = {**run.meta, "resolved": {**run.meta["resolved"], "scorers": ["rest", "sum"]}}
    again = replace(run, meta=meta)
    assert "scorer rest" in page_of([(again, summarise_run(again))], tmp_path).text


def test_every_figure_stands_in_the_table(page: Page, summary: RunSummary):
    for cell in summary.cells:
        for found in (*cell.summary.headline_by_bias.values(), *cell.summary.by_bias.values()):
            assert f'data-sort="{found.value!r}"' in page.html


def test_nothing_of_a_hostile_text_becomes_markup(page: Page):
    assert not page.all("img")
    assert not [attributes for _, attributes in page.elements if any(name.startswith("on") for name in attributes)]
    assert len(page.all("script")) == 1
    assert len(page.all("style")) == 1
    # It is shown where it belongs: title, sentence, attribute, reason.
    assert page.text.count(HOSTILE.replace("\xa0", " ")) > 5
    assert "49" not in HOSTILE and "{{7*7}}" in page.text


@pytest.mark.parametrize("place", ["study", "model"])
def test_hostile_names_of_study_and_model_stay_text(tmp_path: Path, place: str):
    names = {"study": HOSTILE} if place == "study" else {"models": [HOSTILE]}
    run = make_run(tmp_path / "run", **names)
    meta = {**run.meta, "study": HOSTILE, "versions": {HOSTILE: HOSTILE}, "fingerprint": HOSTILE}
    page = page_of([(replace(run, meta=meta), summarise_run(run))], tmp_path)
    assert not page.all("img")
    assert len(page.all("script")) == 1


def test_the_page_may_run_its_own_script_and_style_and_nothing_else(page: Page):
    policy = next(found["content"] for found in page.all("meta") if found.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", page.html, re.DOTALL)
        assert inside is not None
        digest = base64.b64encode(hashlib.sha256(inside.group(1).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not [attributes for _, attributes in page.elements if "style" in attributes]


def test_the_page_loads_nothing(page: Page):
    loading = {"src", "srcset", "data", "poster", "action", "xlink:href"}
    assert not [attributes for _, attributes in page.elements if loading & set(attributes)]
    assert not page.all("link")
    assert all((found["href"] or "").startswith("#") for found in page.all("a"))
    assert "url(" not in page.html
    assert "@import" not in page.html


def test_inner_links_lead_somewhere(page: Page):
    places = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    assert {(found["href"] or "").removeprefix("#") for found in page.all("a")} <= places


def test_tables_are_whole_without_the_script_and_say_what_sorts(page: Page):
    assert not page.all("button")
    tables = page.all("table")
    assert sum(found.get("class") == "sortable" for found in tables) == 2
    assert len(re.findall("<caption>", page.html)) == len(tables)
    assert all(found.get("scope") in ("col", "row") for found in page.all("th"))


def test_published_scorers_never_share_a_table_with_the_others(page: Page):
    for table in re.findall(r"<table.*?</table>", page.html, re.DOTALL):
        names = set(re.findall(r"as-published|prior-corrected", table))
        assert len(names) < 2
    assert "As the paper computed it" in page.text


def test_scorers_that_point_to_opposite_sides_are_marked(page: Page, summary: RunSummary):
    assert page.html.count('class="opposed"') >= 2
    cells = [cell for cell in summary.cells if cell.model == "alpha-135m"]
    found = summary.agreements["alpha-135m", "templates"]
    agreed = next(one for one in found if {one.first, one.second} == {"causal.sum.v1", "causal.mean.v1"})
    assert f"{agreed.share:.1%}".replace("%", " %") in page.text
    assert len(cells) == 5


def test_controls_and_missing_things_are_explained(page: Page):
    assert "gender-professions, balanced: group-1 over group-2" in page.text
    assert "neither variant is stereotyped" in page.text
    assert "the attribute cannot be replaced by a neutral word here" in page.text
    assert "the term has no counterpart" in page.text
    assert "fewer than 5 origins: A list too short for an interval" in page.text


def test_examples_are_closed_behind_a_warning_and_mark_the_group(page: Page):
    start = page.html.index('<details class="warning">')
    assert "Content warning." in page.html[start : start + 200]
    assert '<mark class="group">Latonya</mark> likes' in page.html
    for title in ("Strongest preference for the stereotyped", "Strongest preference for the other", "Nearest to a tie"):
        assert title in page.html[start:]
    assert "Latonya likes" not in page.html[:start]


def test_figures_have_a_text_that_states_the_finding(page: Page):
    every = [found for found in page.all("div") if found.get("role") == "img"]
    charts = [found for found in every if not (found["aria-label"] or "").startswith("Specification curve")]
    assert len(charts) == 2
    for chart in charts:
        assert "of 6 biases" in (chart["aria-label"] or "")
        assert "beta-1b, instrument checks: Flowers and insects" in (chart["aria-label"] or "")


def test_what_was_run_can_be_read_off(page: Page, run: Run):
    for words in (run.meta["fingerprint"], "ab" * 32, "<|endoftext|>", "numpy 2.3.0", "Caliskan, Bryson & Narayanan"):
        assert words in page.text


def test_the_same_run_gives_the_same_page(run: Run, summary: RunSummary, tmp_path: Path):
    pages = [page_of([(run, summary)], tmp_path / name).html for name in ("one", "two")]
    assert pages[0] == pages[1]


def test_runs_are_compared_and_told_apart_by_study_and_folder(tmp_path: Path):
    runs = [make_run(tmp_path / name, models=["same"], study="demo", seed=place) for place, name in enumerate("ab")]
    page = page_of([(run, summarise_run(run)) for run in runs], tmp_path)
    assert "same (demo, a) prefers" in page.text
    assert "same (demo, b) prefers" in page.text
    assert "Differences between models are not tested here" in page.text


def test_a_run_with_only_a_papers_scorer_has_no_headline(tmp_path: Path):
    run = make_run(tmp_path / "run", models=["one"], scorers=["causal.as-published.v1"])
    page = page_of([(run, summarise_run(run))], tmp_path)
    assert "prefers the stereotyped sentence in" not in page.text
    assert "one was scored only in the form of a paper" in page.text


def test_a_run_of_a_scorer_that_has_a_new_version_since_can_be_read(tmp_path: Path):
    run = make_run(tmp_path / "run", models=["one"], scorers=["causal.sum.v1", "causal.rest.v1"])
    summary = summarise_run(run)
    assert "prefers the stereotyped sentence in" in page_of([(run, summary)], tmp_path).text
    assert "causal.rest.v1" in {cell.scorer for cell in summary.cells}


def test_a_run_that_is_not_finished_or_has_checks_only_is_said_to_be_so(tmp_path: Path):
    run = make_run(tmp_path / "run", models=["one"])
    empty = replace(run, scores={})
    assert "one has no scores yet" in page_of([(empty, summarise_run(empty))], tmp_path).text
    checks = make_run(tmp_path / "run", models=["one"], tilts=[Tilt("flowers", 2.0, benchmark=True)])
    assert "no pair of a social bias was scored" in page_of([(checks, summarise_run(checks))], tmp_path).text


def test_a_run_folder_gets_tables_figures_and_report(run: Run, summary: RunSummary, tmp_path: Path):
    assert write_run(replace(run, folder=tmp_path), summary) == tmp_path / "report.html"
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    curves = {name for name in names if name.startswith("figures/curve-")}
    assert len(curves) == 2 * 2 * 7
    assert names - curves == {
        *("report.html", "findings.json", "summary.json"),
        *("items.parquet", "texts.parquet", "measurements.parquet"),
        *("tables/pairs.csv", "tables/estimates.csv", "tables/dropped.csv"),
        *("figures/biases-templates.svg", "figures/biases-templates.png"),
    }


def test_without_the_plotting_package_the_install_line_is_named(
    run: Run, summary: RunSummary, tmp_path: Path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"Figures need the package vl-convert-python: pip install"):
        write_report([(run, summary)], tmp_path / "page.html", figures=None)
    assert not (tmp_path / "page.html").exists()


def test_a_small_table_is_rendered_to_the_letter(page: Page):
    table = next(found for found in re.findall(r"<table.*?</table>", page.html, re.DOTALL) if "control sets" in found)
    assert table.splitlines()[:14] == [
        "<table>",
        "<caption>alpha-135m: control sets</caption>",
        "<thead><tr>",
        '<th scope="col">Control set</th>',
        '<th scope="col" class="number">sum</th>',
        '<th scope="col" class="number">mean</th>',
        '<th scope="col" class="number">rest</th>',
        '<th scope="col" class="number">prior-corrected</th>',
        "</tr></thead>",
        "<tbody>",
        "<tr>",
        '<th scope="row"><bdi>gender-professions, balanced: group-1 over group-2</bdi></th>',
        '<td class="number " data-sort="0.9545454545454546"><bdi>95.5\xa0%</bdi>'
        "<small><bdi>67.9–99.5\xa0%</bdi></small></td>",
        '<td class="number " data-sort="0.5909090909090909"><bdi>59.1\xa0%</bdi>'
        "<small><bdi>38.9–76.6\xa0%</bdi></small></td>",
    ]
