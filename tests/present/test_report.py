"""The whole report: no figure contradicts another, links lead somewhere, and groups are called as readers know them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.present.completions import DECODINGS, make_rated_run
from tests.present.next_words import PROFESSIONS, make_asked_run
from tests.present.reading import reported, tables_of, texts_of
from tests.present.synthetic import HOSTILE, TILTS, Tilt, make_run
from tiltmeter.present import formats, report
from tiltmeter.present.blocks import Chart, Document, Listing, Notice, Prose, Section, Span, Verbatim, each, plain
from tiltmeter.present.card import make_cards
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.html import page
from tiltmeter.present.kept import findings_of
from tiltmeter.present.markdown import escaped
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.checks import failed_scorers, other_scorers
from tiltmeter.present.sections.finding import anchor_of, as_found, effect_as_found, finding_section, mark_of
from tiltmeter.present.sections.summary import check_figure, instrument_lines, verdict_counts
from tiltmeter.present.words import NONE, number_words, signed
from tiltmeter.results.findings.findings import Finding
from tiltmeter.stats.multiverse.verdict import DEPENDS, HOLDS, INCONCLUSIVE, NONE_LARGER, TOO_LITTLE
from tiltmeter.store import Run

STRENGTHS = (HOLDS, DEPENDS, NONE_LARGER, INCONCLUSIVE, TOO_LITTLE)
DEMO = ("gender-professions", "gender-science", "career", "math", "race-names", "age-names")
VISIBLE = 1_500
"""Words that a reader meets without opening anything."""


def three_views(folder: Path, *, check: float = 3.0) -> Run:
    """One model, three views, biases that hold and others that do not, and a check of the instrument."""
    tilts = (
        Tilt("firm", 2.5, title="A firm bias"),
        Tilt("weak", 0.1, title="A weak bias"),
        Tilt("short", 0.3, terms=3, title="A short list"),
        Tilt("flowers", check, title="Flowers and insects", benchmark=True),
    )
    paired = make_run(folder, tilts=tilts, models=("alpha-135m",), scorers=("causal.sum.v1", "causal.mean.v1"))
    raters = ("sentiment.vader.v1", "toxicity.linear.v1")
    rated = make_rated_run(folder, decodings=DECODINGS[:2], raters=raters, openers=6, samples=1)
    asked = make_asked_run(folder, professions=PROFESSIONS[:6], perturbations=("original", "person"), saliency=False)
    resolved = {**paired.meta["resolved"], "next_words": asked.meta["resolved"]["next_words"]}
    meta = {**paired.meta, "resolved": resolved}
    return replace(paired, meta=meta, continuations=rated.continuations, next_words=asked.next_words)


@pytest.fixture(scope="module")
def found() -> Reported:
    return reported(three_views(Path("whole")))


@pytest.fixture(scope="module")
def document(found: Reported) -> Document:
    return report.report(found)


@pytest.fixture(scope="module")
def pages(document: Document) -> list[Section]:
    [section] = [one for one in each(document.blocks, Section) if one.anchor == "findings"]
    return [one for one in section.blocks if isinstance(one, Section)]


def lead_counts(words: str) -> dict[str, int]:
    """How many conclusions the first sentence counts, by their verdict."""
    known = {number_words(number): number for number in range(13)}
    said = {
        HOLDS: r"(\w+) of \w+ conclusions? holds?",
        DEPENDS: r"(\w+) depends? on",
        NONE_LARGER: r"(\w+) shows? no",
        INCONCLUSIVE: r"(\w+) (?:is|are) inconclusive",
        TOO_LITTLE: r"(\w+) (?:has|have) too little",
    }
    found = {strength: re.search(pattern, words.lower()) for strength, pattern in said.items()}
    return {strength: known[match[1]] if match else 0 for strength, match in found.items()}


def test_the_run_has_verdicts_of_several_kinds(found: Reported) -> None:
    assert {HOLDS, TOO_LITTLE} < {one.verdict.strength for one in found.findings}
    assert {one.question.view for one in found.findings} == {"pairs", "continuations", "next words"}
    assert [one.question.bias for one in found.findings if one.question.check] == ["flowers"]


def test_the_lead_counts_what_the_sections_the_card_and_the_file_say(
    found: Reported, document: Document, pages: list[Section]
) -> None:
    [lead] = [one for one in document.blocks if isinstance(one, Prose) and one.kind == "lead"]
    counted = lead_counts(plain(lead.text))
    social = [one for one in pages if not one.mark.startswith("instrument check")]
    assert counted == {one: sum(page.about["verdict"] == one for page in social) for one in STRENGTHS}
    assert sum(counted.values()) == len(social) == len(pages)
    [card] = make_cards(found)
    rows = tables_of(card.document.blocks)["Findings by verdict"].rows
    assert [row[1].text for row in rows[:-1]] == [page.mark for page in pages], "a check has no page"
    [card_lead] = [one for one in card.document.blocks if isinstance(one, Prose) and one.kind == "lead"]
    assert lead_counts(plain(card_lead.text)) == counted
    kept = findings_of(found, document)["findings"]
    assert Counter(one["verdict"]["strength"] for one in kept if not one["question"]["check"]) == Counter(
        {name: number for name, number in counted.items() if number}
    )
    listed = [one for one in document.blocks if isinstance(one, Listing)]
    assert sum(len(one.items) for one in listed) == counted[HOLDS]


@pytest.mark.parametrize("check", [3.0, -3.0])
def test_the_instrument_check_is_the_same_everywhere(check: float, found: Reported) -> None:
    known = found if check > 0 else reported(three_views(Path("whole"), check=check))
    document = report.report(known)
    [one] = known.summaries[0].instrument.checks
    result = "passed" if check > 0 else "failed"
    assert one.result == result
    cells = [cell for cell in known.summaries[0].cells if cell.model == one.model and cell.scorer != one.by]
    others = {each.by: each.found.value for each in other_scorers(one, known.summaries[0])}
    shares = {cell.scorer: cell.summary.headline_by_bias[one.bias].value for cell in cells if not cell.published}
    assert others == {scorer: pytest.approx((share or 0.0) - 0.5) for scorer, share in shares.items()}
    lines = [words for words, _ in instrument_lines(known)]
    assert lines[0].startswith(result)
    assert all(fact in lines[0] for fact in (known.names.bias("flowers"), check_figure(one)))
    blocks = [block for block in document.blocks if isinstance(block, (Notice, Prose))]
    told = [plain(block.text) for block in blocks if plain(block.text).startswith("Instrument check: ")]
    [card] = make_cards(known)
    assert told == [words for words in texts_of(card.document.blocks) if words.startswith("Instrument check: ")]
    assert told == [f"Instrument check: {' '.join(lines)}"]
    assert any(isinstance(block, Notice) for block in document.blocks) == (result == "failed")
    [checked] = [finding for finding in known.findings if finding.question.check]
    assert mark_of(checked) == f"instrument check: {result}"
    assert "stereotype" not in f"{checked.question.text} {checked.question.claim()}"
    # Of next words there is also a question that no check is about.
    beside = replace(checked, question=replace(checked.question, view="next words"))
    assert result not in mark_of(beside) and result in mark_of(
        replace(beside, question=replace(beside.question, by_stereotype=True))
    )
    kept = findings_of(known, document)
    assert kept["instrument"][result] == 1
    for finding, record in zip(known.findings, kept["findings"], strict=True):
        assert record["instrument"] == finding.instrument
        same_view = finding.question.view == checked.question.view
        assert finding.instrument == (result if same_view else "not made")
        if not finding.question.check:
            warned = any(isinstance(block, Notice) for block in finding_section(finding, known).blocks)
            failed = {each.by for each in (one, *other_scorers(one, known.summaries[0])) if each.result == "failed"}
            valued = [cell for cell in finding.multiverse.curve.cells if cell.sign is not None]
            own = sum(cell.choices.get("scorer") in failed for cell in valued)
            words = list(failed_scorers(finding, known))
            assert [said.startswith(f"{own} of {len(valued)} ") for said in words] == [True] * bool(own)
            assert not (same_view and result == "failed") or warned


def test_effects_are_the_same_in_the_overview_the_paragraph_the_card_and_the_file(
    found: Reported, document: Document
) -> None:
    charts = {chart.name: chart for chart in each(document.blocks, Chart)}
    drawn = {row["value"]: row for row in rows_of(charts["overview"].spec) if "kind" in row}
    [card] = make_cards(found)
    lines = iter(tables_of(card.document.blocks)["Findings by verdict"].rows)
    by_anchor = {anchor_of(one): one for one in found.findings}
    told = charts["overview"].alternative
    assert all(f": {as_found(one)[0].short}: " in told for one in found.findings if one.verdict.of), (
        "no finding is left out"
    )
    valued = 0
    for section in (one for one in each(document.blocks, Section) if one.anchor in by_anchor):
        one = by_anchor[section.anchor]
        line = next(lines)
        if one.leading is None or one.leading.effect.value is None:
            assert line[3].text == NONE
            continue
        valued += 1
        effect = effect_as_found(one)
        assert (drawn[effect.value].get("low"), drawn[effect.value].get("high")) == (effect.low, effect.high)
        assert line[3].text == signed(effect.value)
        [paragraph] = each(section.blocks, Verbatim)
        assert f" was {signed(effect.value)} SD" in paragraph.text
        if effect.low is not None:
            assert f"[{signed(effect.low)}, {signed(effect.high)}]" in paragraph.text
        assert {str(one.leading.raw.n), str(one.leading.raw.origins)} <= set(re.findall(r"\d+", paragraph.text))
        if one.verdict.of > 1:
            points = {row["value"] for row in rows_of(charts[section.anchor].spec) if "firm" in row}
            assert one.leading.effect.value in points and len(points) == one.verdict.of
    assert valued == len(drawn) > 4


def rows_of(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every row of the data of a chart."""
    for value in spec.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping):
                yield from rows_of(one)
    data = spec.get("data")
    if isinstance(data, Mapping):
        yield from data.get("values", ())


def test_every_finding_has_an_anchor_and_those_that_hold_are_linked(found: Reported, document: Document) -> None:
    anchors = [section.anchor for section in each(document.everything, Section) if section.anchor]
    assert len(anchors) == len(set(anchors))
    assert {anchor_of(one) for one in found.findings} < set(anchors)
    links = [span.link for one in document.blocks if isinstance(one, Listing) for item in one.items for span in item]
    holding = [one for one in found.findings if one.verdict.strength == HOLDS and not one.question.check]
    assert [link for link in links if link] == [anchor_of(one) for one in holding]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("женщины", "мужчины"), ("женщины", "дети")),
        (("a b", "c"), ("a-b", "c")),
        (("a", "b-c"), ("a-b", "c")),
        (("A", "b"), ("a", "b")),
    ],
)
def test_names_that_look_alike_have_anchors_of_their_own(
    one: tuple[str, str], other: tuple[str, str], found: Reported
) -> None:
    first = found.findings[0]
    made = [replace(first, question=replace(first.question, first=a, second=b)) for a, b in (one, other)]
    assert len({anchor_of(each_one) for each_one in made}) == 2
    assert all(re.fullmatch("[a-z0-9-]+", anchor_of(each_one)) for each_one in made)


def test_the_parts_come_in_the_order_in_which_a_reader_asks(document: Document) -> None:
    lead, *rest = document.blocks
    assert isinstance(lead, Prose) and lead.kind == "lead"
    assert isinstance(rest[-1], Section) and rest[-1].anchor == "findings"
    assert isinstance(rest[-2], Chart) and rest[-2].name == "overview"
    ends = [one.anchor for one in document.appendix]
    assert ends[-3:] == ["limitations", "methods", "run"]


def test_findings_come_by_verdict_and_checks_last(pages: list[Section]) -> None:
    order = [(page.mark.startswith("instrument"), STRENGTHS.index(page.about["verdict"])) for page in pages]  # type: ignore[arg-type]
    assert order == sorted(order)
    assert all(page.folded for page in pages)


def test_what_everybody_reads_is_short(tmp_path: Path) -> None:
    """As many questions as the demo has: seven biases of pairs, texts about groups, and next words."""
    tilts = [Tilt(name, 0.2, title=f"A title as long as that of {name} in the library", terms=8) for name in DEMO]
    paired = make_run(tmp_path, tilts=[*tilts, Tilt("check", 3, title="Check", benchmark=True)], models=("alpha-135m",))
    raters = ("sentiment.vader.v1", "toxicity.linear.v1")
    rated = make_rated_run(tmp_path, biases=("gender", "religion"), decodings=DECODINGS[:1], raters=raters, openers=5)
    document = report.report(reported(replace(paired, continuations=rated.continuations)))
    words = " ".join(texts_of(document.everything, folded=False)).split()
    assert 100 < len(words) <= VISIBLE


def with_nouns(run: Run, nouns: Mapping[str, str]) -> Run:
    resolved = run.meta["resolved"]
    specs = [
        {**spec, "groups": [{**one, "noun": nouns.get(one["name"], "")} for one in spec["groups"]]}
        for spec in resolved["specs"]
    ]
    return replace(run, meta={**run.meta, "resolved": {**resolved, "specs": specs}})


@pytest.mark.parametrize("nouns", [{"group-1": "quick people", "group-2": "slow people"}, {"group-1": "quick people"}])
def test_groups_are_called_by_their_noun_or_are_in_quotation_marks(nouns: dict[str, str], tmp_path: Path) -> None:
    tilts = (Tilt("firm", 2.5, title="Firm", control=True), Tilt("flowers", 3.0, title="Flowers", benchmark=True))
    plain_run = make_run(tmp_path, tilts=tilts, scorers=("causal.sum.v1", "causal.rest.v2"))
    found = reported(with_nouns(plain_run, nouns))
    documents = [report.report(found), *(card.document for card in make_cards(found))]
    for one in documents:
        told = "\n".join(texts_of(one.everything))
        for name in ("group-1", "group-2"):
            bare = re.findall(rf".{{0,30}}(?<!“)\b{name}\b(?!”).{{0,30}}", told)
            assert not bare
            assert (f"“{name}”" in told) <= (name not in nouns)
    shown = "\n".join(texts_of(documents[0].everything))
    assert all(noun in shown for noun in nouns.values())
    assert ("“group-2”" in shown) == ("group-2" not in nouns)


def test_a_chart_added_to_a_section_is_in_every_format(
    found: Reported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny_drawings: None
) -> None:
    pytest.importorskip("typst")
    added = Chart("added", "An added chart", dots([DotRow("row", (Dot(0.5),))], Axis("share")), "In words")
    before = report.report(found)
    monkeypatch.setattr(report, "limits", lambda _: [Section("Limitations", (added,), anchor="limitations")])
    after = report.report(found)
    for document, is_there in ((before, False), (after, True)):
        written = formats.write(document, tmp_path / str(is_there), ["html", "md", "latex"])
        assert all(("An added chart" in path.read_text(encoding="utf-8")) == is_there for path in written)
        assert (tmp_path / str(is_there) / "figures" / "added.png").is_file() == is_there
        assert ("An added chart" in str(findings_of(found, document)["page"])) == is_there
    sizes = [len(formats.write(one, tmp_path, ["pdf"])[0].read_bytes()) for one in (before, after)]
    assert sizes[0] != sizes[1]


def test_a_run_that_is_not_finished_says_so_first(found: Reported) -> None:
    [summary] = found.summaries
    open_run = replace(found, summaries=(replace(summary, missing=("beta-1b",)),))
    notices = [plain(one.text) for one in report.report(open_run).blocks if isinstance(one, Notice)]
    assert any("beta-1b" in words for words in notices)
    assert not any("beta-1b" in words for words in texts_of(report.report(found).blocks))


def test_questions_that_were_left_out_are_counted_twice_alike(found: Reported) -> None:
    known = replace(found, answered=replace(found.answered, left_out=17))
    told = [words for words in texts_of(report.report(known).everything) if "17 more questions" in words]
    assert len(told) == 2


def test_two_models_and_two_runs_are_told_apart(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a", tilts=TILTS[:1], scorers=("causal.sum.v1", "causal.rest.v2"))
    found = reported(run)
    pages = [one for one in each(report.report(found).blocks, Section) if one.about]
    assert {one.about["model"] for one in pages} == {"alpha-135m", "beta-1b"}
    assert all(one.title.startswith(one.about["model"]) for one in pages)
    other = make_run(tmp_path / "b", tilts=TILTS[:1], models=("gamma",), scorers=("causal.sum.v1",), study="other")
    both = Reported.of([*found.runs, *reported(other).runs])
    document = report.report(both)
    assert {"synthetic", "other"} <= set(re.findall(r"\w+", document.subtitle))
    assert {one.about["model"] for one in each(document.blocks, Section) if one.about} == {
        *("alpha-135m", "beta-1b", "gamma")
    }


def test_without_findings_there_is_still_a_report(tmp_path: Path) -> None:
    found = reported(replace(make_run(tmp_path, tilts=TILTS[:1]), scores={}))
    document = report.report(found)
    assert not list(each(document.blocks, Chart))
    assert page(document)
    assert verdict_counts([]) in "".join(texts_of(document.blocks))


def test_hostile_names_are_text_in_every_format(tmp_path: Path, tiny_drawings: None) -> None:
    run = make_run(tmp_path, tilts=[Tilt("hostile", 0.9, title=HOSTILE)], models=(HOSTILE,))
    for path in formats.write(report.report(reported(run)), tmp_path, ["html", "md", "latex"]):
        # What is in a fence is text in Markdown, whatever it is.
        told = re.sub(r"^(`{3,})\n.*?^\1$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        assert "<img" not in told and "](javascript" not in told and "<a href='" not in told
        if path.suffix == ".md":
            assert escaped(HOSTILE) in told


def test_claims_on_the_first_screen_have_the_figures_of_their_finding(found: Reported, document: Document) -> None:
    holding: list[Finding] = [one for one in found.findings if one.verdict.strength == HOLDS and not one.question.check]
    items = [item for one in document.blocks if isinstance(one, Listing) for item in one.items]
    for one, item in zip(holding, items, strict=True):
        assert f"{one.verdict.holds} of {one.verdict.of} method" in plain(item)
        assert isinstance(item[0], Span) and item[0].kind == "strong"
