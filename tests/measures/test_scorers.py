"""Every scorer on answers worked out by hand."""

from __future__ import annotations

import dataclasses

import pytest

from tests.examples import NURSE, tokens
from tiltmeter.errors import ModelError, UnknownName
from tiltmeter.measures.scorers import Scorer, all_for, find
from tiltmeter.records import Family, Pair, Query, TokenScores

SHE, HE = NURSE.texts
SHE_NEUTRAL, HE_NEUTRAL = NURSE.neutral_texts or ("", "")


def apply(scorer: Scorer, pair: Pair, *answers: TokenScores):
    return scorer.score(pair, dict(zip(scorer.queries(pair), answers, strict=True)))


def test_sum_adds_every_token() -> None:
    score = apply(find("sum", "causal"), NURSE, tokens(SHE, -2, -1, -1, -3, -0.5), tokens(HE, -1, -1, -1, -6, -0.5))
    assert score.scores == (-7.5, -9.5)


def test_mean_divides_by_the_number_of_tokens() -> None:
    score = apply(find("mean", "causal"), NURSE, tokens(SHE, -2, -1, -1, -3, -0.5), tokens(HE, -1, -1, -1, -6, -0.5))
    assert score.scores == (-1.5, -1.9)


def test_rest_leaves_the_group_term_out() -> None:
    score = apply(find("rest", "causal"), NURSE, tokens(SHE, -2, -1, -1, -3, -0.5), tokens(HE, -9, -1, -1, -6, -0.5))
    assert score.scores == (-5.5, -8.5)


def test_prior_corrected_takes_the_score_without_the_attribute_away() -> None:
    score = apply(
        find("prior-corrected", "causal"),
        NURSE,
        tokens(SHE, -2, -1, -1, -3, -0.5),
        tokens(HE, -1, -1, -1, -6, -0.5),
        tokens(SHE_NEUTRAL, -2, -1, -1, -2, -0.5),
        tokens(HE_NEUTRAL, -1, -1, -1, -2, -0.5),
    )
    assert score.scores == (-1.0, -4.0)


def test_causal_as_published_never_scores_the_first_word() -> None:
    scorer = find("as-published", "causal")
    assert {query.conditioning for query in scorer.queries(NURSE)} == {"left-no-start"}
    score = apply(scorer, NURSE, tokens(SHE, None, -1, -1, -3, -1), tokens(HE, None, -1, -1, -5, -1))
    assert score.scores == (-1.5, -2.0)


@pytest.mark.parametrize("name", ["causal.as-published.v2", "masked.as-published.v3"])
def test_as_published_adds_the_full_stop_of_the_authors_program(name: str) -> None:
    family: Family = "causal" if name.startswith("causal") else "masked"
    # The program compares the last character with all punctuation at once, so that it adds one to every sentence.
    assert [query.text for query in find(name, family).queries(NURSE)] == [f"{text}." for text in NURSE.texts]
    published = [scorer.name for scorer in all_for(family) if "as-published" in scorer.name]
    assert published == [name]


def test_context_is_given_and_not_scored() -> None:
    pair = dataclasses.replace(
        NURSE, texts=("We met Ann. She won.", "We met Ann. He won."), scored_from=(12, 12), group_spans=((), ())
    )
    answers = tokens(pair.texts[0], *[-9] * 4, -1, -2, -3), tokens(pair.texts[1], *[-9] * 4, -2, -2, -3)
    assert apply(find("sum", "causal"), pair, *answers).scores == (-6.0, -7.0)
    assert apply(find("mean", "causal"), pair, *answers).scores == (-2.0, -7 / 3)


def test_slot_asks_about_the_group_term_and_adds_its_pieces() -> None:
    scorer = find("slot", "masked")
    assert scorer.queries(NURSE) == (Query(SHE, "slot", ((0, 3),)), Query(HE, "slot", ((0, 2),)))
    score = apply(scorer, NURSE, tokens(SHE, -2, None, None, None, None), tokens(HE, -1, None, None, None, None))
    assert score.scores == (-2.0, -1.0)


def test_masked_as_published_is_the_mean_logit_of_the_pieces() -> None:
    pieces = TokenScores(((0, 3), (0, 3)), (4.0, 1.0)), TokenScores(((0, 2),), (3.0,))
    assert apply(find("as-published", "masked"), NURSE, *pieces).scores == (2.5, 3.0)


def test_crows_adds_only_the_tokens_that_both_texts_share() -> None:
    score = apply(find("crows", "masked"), NURSE, tokens(SHE, -8, -1, -1, -3, -0.5), tokens(HE, -2, -1, -1, -4, -0.5))
    assert score.scores == (-5.5, -6.5)


def test_aul_is_the_mean_and_within_word_the_sum() -> None:
    answers = tokens(SHE, -1, -1, -1, -1, -1), tokens(HE, -2, -2, -2, -2, -2)
    assert apply(find("aul", "masked"), NURSE, *answers).scores == (-1.0, -2.0)
    assert apply(find("within-word", "masked"), NURSE, *answers).scores == (-5.0, -10.0)


@pytest.mark.parametrize("name", ["sum", "mean"])
def test_a_token_without_a_score_makes_the_pair_unscored_never_zero(name: str) -> None:
    score = apply(find(name, "causal"), NURSE, tokens(SHE, None, -1, -1, -3, -1), tokens(HE, -1, -1, -1, -1, -1))
    assert score.scores is None
    assert score.unscored == "the model has no start token, so the first word cannot be scored"


def test_a_text_that_the_model_refuses_carries_its_reason() -> None:
    refused = TokenScores(unscored="the text is empty")
    score = apply(find("sum", "causal"), NURSE, refused, tokens(HE, -1, -1, -1, -1, -1))
    assert (score.scores, score.unscored) == (None, "the text is empty")


@pytest.mark.parametrize(("name", "family"), [("rest", "causal"), ("slot", "masked")])
def test_a_pair_without_group_spans_is_unscored_where_they_are_needed(name: str, family: str) -> None:
    pair = dataclasses.replace(NURSE, group_spans=((), ()))
    scorer = find(name, family)  # type: ignore[arg-type]
    answers = {Query(text, "left"): tokens(text, -1, -1, -1, -1, -1) for text in pair.texts}
    assert scorer.score(pair, answers).unscored == "one of the texts has no words of its own that name the group"


def test_a_pair_without_neutral_texts_asks_nothing_for_prior_corrected() -> None:
    pair = dataclasses.replace(NURSE, neutral_texts=None)
    scorer = find("prior-corrected", "causal")
    assert scorer.asks(pair) == ()
    assert scorer.score(pair, {}).unscored == "the attribute cannot be replaced by a neutral word here"


def test_short_names_resolve_by_family() -> None:
    assert find("as-published", "causal").name == "causal.as-published.v2"
    assert find("as-published", "masked").name == "masked.as-published.v3"
    assert find("masked.slot.v2", "masked").name == "masked.slot.v2"
    assert (len(all_for("causal")), len(all_for("masked"))) == (6, 5)


def test_a_scorer_of_the_other_family_is_refused_with_the_ones_that_fit() -> None:
    with pytest.raises(ModelError, match="`slot` needs a masked model, this one is causal: choose .*sum"):
        find("slot", "causal")
    with pytest.raises(ModelError, match="needs a causal model"):
        find("causal.sum.v1", "masked")
    with pytest.raises(UnknownName, match="did you mean"):
        find("summ", "causal")
