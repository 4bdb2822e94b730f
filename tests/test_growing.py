"""Work that grows with a text as the text does, and not with its square; and sizes that nobody can have meant."""

from __future__ import annotations

import re
import subprocess
import sys
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltmeter.alignment import MOST, shared_words
from tiltmeter.cli.conditions import check, holds
from tiltmeter.cli.run_size import MOST_TEXTS, refuse_huge
from tiltmeter.english import _ABBREVIATIONS, starts_sentence
from tiltmeter.errors import InvalidSpec, InvalidStudy, UserError
from tiltmeter.models.decoding.sentence_ends import ends_sentence
from tiltmeter.raters.sentiment import Vader, _weighed
from tiltmeter.records import Prompt
from tiltmeter.results.files.rated import RatedSettings, summarise_rated
from tiltmeter.results.files.rated_texts import RatedTexts
from tiltmeter.sources.generated import GenerationSettings
from tiltmeter.sources.generated.lists import sentences_in
from tiltmeter.sources.perturbations import perturb
from tiltmeter.specs import parse as parse_spec
from tiltmeter.stats.views.continuations import MOST_GROUPS, RatedItem, pairs_of_groups
from tiltmeter.study import parse, plan

pieces = st.lists(
    st.sampled_from(
        ["a", "Mr", "e.g", "U.S", "S", "3", ".", "!", "?", "…", " ", "  ", '"', "'", "(", ")", "”", "“", "\n", "_"]
    )
).map("".join)


@pytest.mark.slow
@pytest.mark.parametrize("length", [20_000])
def test_no_function_hangs_on_a_long_text(length: int) -> None:
    """With a length of 20,000 what grows with the square takes minutes where the rest takes seconds."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.growing", str(length)], capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]


@given(pieces, pieces)
def test_a_sentence_starts_where_the_pattern_of_before_said(before: str, after: str) -> None:
    pattern = re.compile(r"(?:^\s*|(?:(?P<last>[\w.]*)\.|[!?…])[\"'”’)\]]*\s+)[\"'“‘(¿¡]*$")
    match = pattern.search(before)
    last = match["last"] if match else None
    known = last is not None and (last.lower() in _ABBREVIATIONS or bool(re.fullmatch(r"[A-Z]", last)))
    # A line break at the end is a blank like any other; `$` passes over it.
    if not before.endswith("\n"):
        assert starts_sentence(before + after, len(before)) == (bool(match) and not (last and known))


@given(pieces)
def test_a_sentence_ends_where_the_pattern_of_before_said(text: str) -> None:
    text = text.rstrip()
    match = re.search(r"(\S+?)[.!?]+[\"'”’)]*$", text)
    word = match[1].lower().strip("\"'(“‘") if match else ""
    abbreviations = {"mr", "mrs", "ms", "dr", "st", "vs", "jr", "sr", "no", "prof", "e.g", "i.e", "u.s", "a.m", "p.m"}
    if not match or text.count('"') % 2:
        wanted = False
    elif word[-1:].isdigit():
        wanted = len(word) == 4 and word.isdigit()
    else:
        wanted = word == "i" or (len(word) > 1 and word not in abbreviations)
    assert ends_sentence(text) == wanted


words = st.sampled_from(
    ["good", "bad", "GREAT", "not", "never", "so", "this", "but", "BUT", "least", "at", "no", "very", "kind"]
)
more = st.sampled_from(
    ["of", "a", "nurse", "the", "bomb", "shit", "without", "doubt", "😀", "👍", ":)", "cut", "mustard", "!", "?"]
)


@cache
def _both(vader: Any) -> tuple[Vader, Any]:
    return Vader(), vader.SentimentIntensityAnalyzer()


@settings(deadline=None)
@given(st.lists(st.one_of(words, more), max_size=40).map(" ".join))
def test_vader_rates_as_its_authors_do(text: str) -> None:
    vader = pytest.importorskip("vaderSentiment.vaderSentiment")
    ours, theirs = _both(vader)
    [rating] = ours.rate([text]) if text.strip() else [None]
    compound = theirs.polarity_scores(text)["compound"]
    assert rating is None or (rating.value or 0.0) == compound


@given(st.lists(st.sampled_from([0, 0.0, 1.5, -2.0, 0.75, 3.0, 2.25]), max_size=12), st.integers(0, 11))
def test_what_stands_around_a_but_weighs_as_in_vader(values: list[float], at: int) -> None:
    vader = pytest.importorskip("vaderSentiment.vaderSentiment")
    said = ["x"] * len(values)
    said[at:at] = ["but"]
    check = vader.SentimentIntensityAnalyzer._but_check
    assert _weighed(said, list(values)) == check(said, list(values))


@given(st.lists(st.sampled_from("abcx"), max_size=12), st.lists(st.sampled_from("abyz"), max_size=12))
def test_short_texts_are_held_against_each_other_word_by_word(first: list[str], second: list[str]) -> None:
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    assert shared_words(first, second) == [tuple(block) for block in blocks if block.size]


@given(st.text("ab", max_size=5), st.text("abxy", max_size=3), st.text("abzw", max_size=3), st.text("ab", max_size=5))
def test_texts_that_differ_in_the_middle_too(begin: str, one: str, other: str, end: str) -> None:
    first, second = list(begin + one + end), list(begin + other + end)
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    assert shared_words(first, second) == [tuple(block) for block in blocks if block.size]


def test_long_texts_share_what_they_begin_and_end_with() -> None:
    many = ["a"] * (int(MOST**0.5) + 1)
    assert shared_words([*many, "x"], [*many, "y"]) == [(0, 0, len(many))]
    assert shared_words(["x", *many], ["y", "z", *many]) == [(1, 2, len(many))]
    assert shared_words(many, many) == [(0, 0, len(many))]


@pytest.mark.parametrize(
    ("condition", "right"),
    [("a > 0.5", True), ("a>=1.", False), ("a.b > c < 1", None), ("x > y.low < .5e1", None), (" a  <  7 ", True)],
)
def test_a_condition_is_read_from_its_end(condition: str, right: bool | None) -> None:
    check([condition])
    if right is not None:
        assert holds(condition, {"a": 0.75}) is right
    assert holds("x > y.low < 5", {"x > y": {"low": 1}})


@pytest.mark.parametrize(
    "condition",
    [
        "",
        ">",
        "a >",
        "> 1",
        "a",
        "a > 1.2.3",
        "a > b",
        " " * 50_000,
        "a > " + "1" * 50_000 + "x",
        "a > 1e999",
        "a < -1e400",
    ],
)
def test_what_is_no_condition_is_refused_at_once(condition: str) -> None:
    with pytest.raises(UserError):
        check([condition])


def test_very_many_groups_are_compared_with_one_of_them_or_not_at_all() -> None:
    groups = [f"g{number}" for number in range(MOST_GROUPS + 1)]
    assert len(pairs_of_groups(groups[:-1])) == MOST_GROUPS * (MOST_GROUPS - 1) // 2
    assert len(pairs_of_groups(groups, "g7")) == MOST_GROUPS
    with pytest.raises(UserError, match="--reference"):
        pairs_of_groups(groups)


def test_very_many_groups_under_structures_are_compared_with_one_of_them_or_not_at_all() -> None:
    items = [
        RatedItem(f"g{group}", group % 3 / 2, f"o{origin}", structure=f"s{structure}")
        for group in range(70)
        for origin in range(2)
        for structure in range(20)
    ]
    texts = RatedTexts(tuple(items), len(items), (), structured=True)
    with pytest.raises(UserError, match="--reference"):
        summarise_rated(texts)
    assert len(summarise_rated(texts, RatedSettings(reference="g0")).summary.pairs) == 69


HEAD = 'name = "t"\nmodels = ["scripted"]\n[continuations]\nsources = [{ own-prompts = { per_group = 2 } }]\n'


@pytest.mark.parametrize("samples", ["1000000000000", "100001", "0", "-5", "9223372036854775807"])
def test_samples_beyond_use_are_refused(samples: str) -> None:
    with pytest.raises(InvalidStudy) as raised:
        parse(f"{HEAD}samples = {samples}\n")
    assert raised.value.key == "continuations.samples"


def test_a_grid_of_millions_of_decodings_is_refused() -> None:
    values = [*range(1, 150)]
    with pytest.raises(InvalidStudy) as raised:
        parse(f"{HEAD}decoding = {{ top_k = {values}, max_new_tokens = {values} }}\n")
    assert raised.value.key == "continuations.decoding"


def test_a_prompt_that_names_its_subject_thousands_of_times_is_not_perturbed() -> None:
    text = "The nurse said that " * 6_000
    spans = tuple((at + 4, at + 9) for at in range(0, len(text), 20))
    prompt = Prompt("1", "t", "t", "nurse", text, "all", subject_spans=spans)
    assert perturb(prompt, "person").unscored
    assert perturb(prompt, "hidden").hidden == spans


@pytest.mark.parametrize("key", ["samples", "per_attribute", "max_requests", "sets"])
def test_sentences_beyond_use_are_refused(key: str) -> None:
    with pytest.raises(UserError) as raised:
        GenerationSettings(**{key: 10**12})  # type: ignore[arg-type]
    assert raised.value.key == key


def test_a_plan_of_millions_of_texts_needs_a_yes(tmp_path: Path) -> None:
    temperatures = ", ".join(f"{at / 10}" for at in range(1, 20))
    made = plan(parse(f"{HEAD}samples = 100000\ndecoding = {{ temperature = [{temperatures}] }}\n"))
    assert len(made.prompts) * 19 * 100_000 > MOST_TEXTS
    with pytest.raises(UserError, match="--yes"):
        refuse_huge(made)
    refuse_huge(plan(parse(f"{HEAD}samples = 2\n")))


def test_a_text_of_a_spec_has_an_end() -> None:
    text = 'name = "x"\n[groups.a]\nterms = ["{}"]\n[groups.b]\nterms = ["b"]\n'
    assert parse_spec(text.format("a" * 5000))
    with pytest.raises(InvalidSpec, match="characters"):
        parse_spec(text.format("a" * 5001))


def test_an_answer_of_nothing_but_brackets_is_no_list() -> None:
    answers: list[Any] = [sentences_in("[" * 5000 + "]" * 5000), sentences_in("- " * 5000)]
    assert all(isinstance(found, list) for found in answers)
