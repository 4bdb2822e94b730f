"""The methods paragraphs say what was run, and cite what it rests on and nothing else."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from tests.present.completions import make_rated_run
from tests.present.next_words import make_asked_run
from tests.present.reading import NOTHING_ASKED
from tests.present.synthetic import Tilt, make_run
from tiltmeter import registry
from tiltmeter.present.blocks import Prose, References, each
from tiltmeter.present.references import Citations, Reference, _read, of_spec
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.methods import Piece, interval_words, methods, written
from tiltmeter.records import Decoding, Estimate, IntervalMethod
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.findings.findings import Findings
from tiltmeter.store import Run

Methods = tuple[list[list[Piece]], tuple[Reference, ...]]


def words(found: Methods) -> str:
    return "\n".join(
        "".join(piece if isinstance(piece, str) else piece.text for piece in paragraph) for paragraph in found[0]
    )


def keys(found: Methods) -> list[str]:
    return [one.key for one in found[1]]


def methods_of(run: Run, summary: RunSummary | None = None, answered: Findings | None = NOTHING_ASKED) -> Methods:
    return written(Reported.of([(run, summary or summarise_run(run))], answered))


@pytest.fixture(scope="module")
def paired() -> Methods:
    tilts = (
        Tilt("gender-professions", 0.5, terms=4, title="Gender and professions"),
        Tilt("check", 1, 4, "Check", True),
    )
    return methods_of(make_run(Path("r"), tilts=tilts, models=("smollm2-135m",), scorers=("causal.sum.v1",)))


PARTS: dict[str, list[str]] = {
    **{noun: registry.names(noun) for noun in ("model", "scorer", "rater")},
    "source": registry.names("source", "pairs"),
    "prompt-source": registry.names("source", "continuations"),
    "open-prompt-source": registry.names("source", "next words"),
    "question-source": registry.names("source", "choices"),
}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_says_what_it_rests_on(part: str) -> None:
    found = _read()
    assert set(found[part]) == set(PARTS[part])
    assert {key for keys in found[part].values() for key in keys} <= set(found["works"])


def test_every_work_is_complete() -> None:
    for key, work in _read()["works"].items():
        assert work["authors"] and work["title"] and 1800 < work["year"] < 2100
        assert key.endswith(str(work["year"]))


def test_what_was_run_is_said(paired: Methods) -> None:
    said = words(paired)
    for fact in (
        "smollm2-135m (a causal model, 134,515,008 parameters, revision 0123abc00000",
        "weights with SHA-256 abababababab…, computed on cpu in float32) [1]",
        "16 pairs of sentences",
        "the source templates.v1",
        "sum (causal.sum.v1: log-probability of the whole sentence)",
        "Groups and attributes are those of 1 specification: Gender and professions",
        ": Check [",
        "seed 7, fingerprint ffffffffffff…",
        "tiltmeter 0.1.0",
    ):
        assert fact in said


def test_only_what_was_used_is_cited(paired: Methods) -> None:
    cited = keys(paired)
    assert cited[:2] == ["allal2025", "caliskan2017"]
    assert "kocielnik2023" in cited and "hutto2014" not in cited and "alnegheimish2022" not in cited
    numbers = [int(one) for one in re.findall(r"\d+", " ".join(re.findall(r"\[([\d, ]+)\]", words(paired))))]
    assert list(dict.fromkeys(numbers)) == list(range(1, len(cited) + 1))


def test_texts_and_their_raters_are_said(tmp_path: Path) -> None:
    run = make_rated_run(tmp_path, raters=("sentiment.vader.v1", "refusal.v5"), openers=2, samples=1)
    found = methods_of(run)
    said = words(found)
    assert "24 prompts" not in said and "4 prompts about the groups" in said
    assert "6 decodings (temperature 1, 10 tokens; " in said
    assert "sentiment.vader.v1; prompt and completion) [" in said and "refusal.v5; the completion alone)" in said
    assert "pairs of sentences" not in said
    assert "hutto2014" in keys(found)


def test_only_the_decodings_that_leave_something_to_chance_were_drawn_several_times(tmp_path: Path) -> None:
    decodings = (Decoding(temperature=0, top_k=40, max_new_tokens=8), Decoding(top_k=40, max_new_tokens=8))

    def said(*used: Decoding) -> str:
        run = make_rated_run(tmp_path, decodings=used, raters=("sentiment.vader.v1",), openers=2, samples=3)
        resolved = {**run.meta["resolved"], "continuations": {"samples": 3, "sources": []}}
        return words(methods_of(replace(run, meta={**run.meta, "resolved": resolved})))

    both = said(*decodings)
    assert "2 decodings (greedy, 8 tokens, top k 40; temperature 1, 8 tokens, top k 40)" in both
    assert "3 times each, once where" in both
    assert "), once each. The" in said(decodings[0])
    assert "), 3 times each. The" in said(decodings[1])


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ((1,), "No question could be tested"),
        ((1, 12), "1 of 2 was tested"),
        ((12,), "Each was tested"),
    ],
)
def test_only_the_tests_that_were_made_are_said(tmp_path: Path, terms: tuple[int, ...], said: str) -> None:
    tilts = tuple(Tilt(f"bias-{number}", 0.5, terms=number) for number in terms)
    run = make_run(tmp_path, tilts=tilts, models=("smollm2-135m",), scorers=("causal.sum.v1",))
    told = words(methods_of(run, answered=None))
    assert said in told and ("1,999" in told) == (12 in terms)


def test_what_was_not_done_is_not_said(tmp_path: Path) -> None:
    alone = methods_of(make_rated_run(tmp_path, raters=("refusal.v5",), openers=6, samples=1))
    assert "own bias" not in words(alone) and "Rank correlations" not in words(alone)
    assert "spearman1904" not in keys(alone)
    two = ("sentiment.vader.v1", "sentiment.minilm.v1")
    several = methods_of(make_rated_run(tmp_path, raters=two, openers=6, samples=1))
    assert "own bias" in words(several) and "Rank correlations are Spearman’s" in words(several)


def test_how_chances_of_words_were_counted_is_said(tmp_path: Path) -> None:
    def said(**choices: object) -> str:
        run = make_asked_run(tmp_path, professions=("nurse", "smith"), perturbations=("original",))
        resolved = run.meta["resolved"]
        changed = {**resolved, "next_words": {**resolved["next_words"], **choices}}
        return words(methods_of(replace(run, meta={**run.meta, "resolved": changed}), summarise_run(run)))

    usual = said(bounded=[False], combine=["sum"])
    assert "the sum over its words [" in usual and "word ends" not in usual
    other = said(bounded=[False, True], combine=["first", "sum"])
    assert "first word or the sum over its words [" in other and "word ends" in other
    own = said(words=[{"label": "", "sets": []}])
    assert "Words asked for: those of each source. " in own


def test_next_words_are_said(tmp_path: Path) -> None:
    found = methods_of(make_asked_run(tmp_path, professions=("nurse", "smith"), perturbations=("original", "person")))
    said = words(found)
    assert "pronouns" in said and "original and person" in said
    # Two professions in six templates and in one sentence of their own.
    assert "14 prompts" in said
    assert {"alnegheimish2022", "cameron2011"} <= {*keys(found)}


@pytest.mark.parametrize(
    ("terms", "cited", "others"),
    [
        (1, set(), {"bell2002", "hesterberg2015", "wilson1927"}),
        (8, {"wilson1927", "bell2002"}, {"hesterberg2015", "hall1992"}),
        (30, {"wilson1927", "bell2002"}, {"hesterberg2015", "hall1992"}),
    ],
)
def test_only_the_intervals_that_were_made_are_said(terms: int, cited: set[str], others: set[str]) -> None:
    """All methods that there are used to be named, whichever was used."""
    tilts = (Tilt("gender-professions", 0.5, terms=terms),)
    named = {*keys(methods_of(make_run(Path("r"), tilts=tilts, scorers=("causal.sum.v1",))))}
    assert cited <= named and not others & named


@pytest.mark.parametrize(("several", "ways"), [(1, set()), (4, set()), (5, {"template", "group term"})])
def test_what_pairs_are_clustered_by_is_what_there_is(several: int, ways: set[str]) -> None:
    run = make_run(Path("r"), tilts=(Tilt("gender-professions", 0.5, terms=8),), scorers=("causal.sum.v1",))
    pairs = tuple(
        replace(pair, template=f"{at % several}", terms=(f"a{at % several}", "b")) for at, pair in enumerate(run.pairs)
    )
    found = methods_of(replace(run, pairs=pairs), summarise_run(run))
    [said] = re.findall(r"Standard errors are clustered by attribute word(.*?)\. ", words(found))
    assert {way for way in ("template", "group term") if way in said} == ways
    assert ("cameron2011" in {*keys(found)}) == bool(ways)


def test_every_method_of_an_interval_has_words() -> None:
    made = [Estimate(0.5, 0.4, 0.6, method=method) for method in get_args(IntervalMethod)]
    assert all(interval_words([one]) for one in made)
    assert interval_words([Estimate(0.5, method="student")]) == ""


def test_sentences_that_differ_elsewhere_are_not_said_to_be_alike() -> None:
    run = make_run(Path("r"), tilts=(Tilt("gender-professions", 0.5, terms=4),), scorers=("causal.sum.v1",))
    assert "differ only in the words for the group" in words(methods_of(run))
    others = tuple(replace(pair, texts=(pair.texts[0], f"Indeed, {pair.texts[1]}")) for pair in run.pairs)
    assert "differ only" not in words(methods_of(replace(run, pairs=others)))


def test_a_plug_in_rests_on_nothing_that_is_known() -> None:
    assert Citations().cite_part("scorer", "causal.mine.v1") == []


def test_works_of_a_spec_are_known_ones_or_its_own_words() -> None:
    citation = "Caliskan, Bryson & Narayanan (2017). Semantics, Science; Nobody et al. 2017, Else; word lists of ours"
    assert [one.key for one in of_spec(citation)] == ["caliskan2017", "nobody-et-al-2017-else", "word-lists-of-ours"]
    assert of_spec("") == []
    assert of_spec("Sheng 2019")[0] == Reference("sheng-2019", "Sheng 2019")


def test_every_spec_of_the_library_cites_known_works() -> None:
    for path in files("tiltmeter.specs").joinpath("library").iterdir():
        for one in of_spec(tomllib.loads(path.read_text(encoding="utf-8"))["citation"]):
            assert one.authors, f"{path.name}: {one.title}"


def test_citations_of_specs_that_begin_alike_or_have_no_latin_letters_stay_apart() -> None:
    long = "Word lists that somebody wrote for a study of orchards and ferries in the north"
    for one, other in ((f"{long}, table 1", f"{long}, table 2"), ("王 2020", "李 2020")):
        citations = Citations()
        [first], [second] = citations.cite_spec(one), citations.cite_spec(other)
        assert (first.text, second.text) == ("[1]", "[2]")
        assert [work.title for work in citations.references] == [one, other]


def test_numbers_follow_the_order_of_citation() -> None:
    citations = Citations()
    citations.cite("hall1992", "cameron2011")
    [again] = citations.cite("cameron2011", "student1908", "hall1992")
    assert again.keys == ("hall1992", "cameron2011", "student1908") and again.text == "[1, 2, 3]"
    assert [one.key for one in citations.references] == ["hall1992", "cameron2011", "student1908"]


def test_a_hostile_citation_stays_text() -> None:
    run = make_run(Path("r"), tilts=(Tilt("gender-professions", 0.5, terms=4),), scorers=("causal.sum.v1",))
    spec = {**run.meta["resolved"]["specs"][0], "citation": "}\\input{x} <b>"}
    meta = {**run.meta, "resolved": {**run.meta["resolved"], "specs": [spec]}}
    found = methods_of(replace(run, meta=meta), summarise_run(run))
    [own] = [one for one in found[1] if not one.authors]
    assert own.key == "input-x-b" and own.words == "}\\input{x} <b>"


def test_the_section_numbers_its_works_as_they_are_cited(run: Run, summary: RunSummary) -> None:
    found = Reported.of([(run, summary)], NOTHING_ASKED)
    [section] = methods(found)
    [works] = each(section.blocks, References)
    assert [key for key, _ in works.works] == [one.key for one in written(found)[1]]
    assert len(works.fields) == len(works.works)
    spans = [span for one in each(section.blocks, Prose) for span in one.text if span.kind == "cite"]
    assert spans and {key for span in spans for key in span.keys} == {key for key, _ in works.works}
