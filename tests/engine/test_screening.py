"""Pairs scored in a fast format, and in float32 where that cannot tell which text is preferred."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.conftest import save_checkpoint
from tiltmeter.engine import carry_out, scoring
from tiltmeter.engine.screening import DRAWN, FIRST, Screening
from tiltmeter.errors import UserError
from tiltmeter.measures.scorers import Scorer
from tiltmeter.models import ModelSettings
from tiltmeter.present.formats import write
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.records import Pair, PairScore, Query
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import table_of
from tiltmeter.store import Run, read_run
from tiltmeter.study import Plan, parse, plan

STUDY = """
name = "screened"
models = ["MODEL"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 6 } }]
scorers = ["sum", "mean", "prior-corrected"]
"""
CHOICES = """
[choices]
sources = ["templates"]
scorers = ["text"]
"""


def asks(pair: Pair) -> tuple[Query, ...]:
    return tuple(Query(text, "left") for text in pair.texts)


ONE = Scorer("one", "causal", "a number", asks, lambda *_: (0.0, 0.0))


def made(margins: Sequence[float], errors: Sequence[float], seed: int = 0) -> Screening:
    """A screening of pairs whose margins are known, in a format whose errors are."""
    pairs = [Pair(str(at), "test", "", str(at), texts=("a", "b"), groups=("x", "y")) for at in range(len(margins))]

    def scored(values: Any) -> Any:
        before: set[str] = set()

        def score(some: Sequence[Pair]) -> Iterator[tuple[PairScore, ...]]:
            assert not {one.id for one in some} & before, "asked twice"
            before.update(one.id for one in some)
            for pair in some:
                value = values[int(pair.id)]
                yield (
                    PairScore(pair, "one", (value, 0.0)) if np.isfinite(value) else PairScore(pair, "one", None, "?"),
                )

        return score

    return Screening(pairs, [ONE], scored(np.array(margins) + errors), scored(np.array(margins)), seed)


def worlds(chance: np.random.Generator, count: int) -> dict[str, tuple[Any, Any]]:
    """Margins, and the errors of a format: even, one-sided, larger on long texts, and with long tails."""
    lengths = chance.choice([8, 120], count, p=[0.9, 0.1]) ** 0.5
    margins = chance.normal(0, 3, count)
    return {
        "even": (margins, chance.normal(0, 0.1, count)),
        "one-sided": (margins, chance.normal(0.15, 0.05, count)),
        "lengths": (chance.normal(0, 1, count) * lengths, chance.normal(0, 0.02, count) * lengths),
        "tails": (margins, chance.standard_t(4, count) * 0.05),
    }


@pytest.mark.parametrize("world", ["even", "one-sided", "lengths", "tails"])
def test_preferences_are_those_of_the_exact_format(world: str) -> None:
    flipped = missed = 0
    for seed in range(10):
        margins, errors = worlds(np.random.default_rng(seed), 6000)[world]
        screening = made(margins, errors, seed)
        screening.carry_out()
        found = np.array([one.scores[0] for (one,) in screening.scores() if one.scores])
        flipped += int((np.sign(margins + errors) != np.sign(margins)).sum())
        missed += int((np.sign(found) != np.sign(margins)).sum())
        # Numbers are those of one format or the other, and never a mixture.
        assert ((found == margins) | (found == margins + errors)).all()
        account = screening.account()
        assert account["close"] + account["drawn"] < 6000
        assert account["drawn"] >= DRAWN
    assert flipped > 200
    assert missed <= 1


def test_only_what_is_close_is_asked_again_where_the_format_is_good() -> None:
    chance = np.random.default_rng(1)
    screening = made(chance.normal(0, 3, 20_000), chance.normal(0, 0.01, 20_000))
    screening.carry_out()
    account = screening.account()
    assert account["close"] < 400
    assert account["drawn"] == DRAWN
    [one] = account["scorers"]
    assert 0.04 < one["bound"] < 0.06
    assert one["largest"] < one["bound"]


def test_a_drawn_pair_that_changes_shows_that_the_error_was_underestimated() -> None:
    # Errors of the closest pairs say nothing here: a tenth of all others err by more than they differ.
    chance = np.random.default_rng(2)
    margins = chance.uniform(1, 2, 4000) * chance.choice([-1, 1], 4000)
    margins[: 2 * FIRST] = chance.normal(0, 0.01, 2 * FIRST)
    errors = np.where(chance.random(4000) < 0.1, -1.5 * margins, 0.0001)
    errors[: 2 * FIRST] = 0.0001
    screening = made(margins, errors)
    screening.carry_out()
    assert screening.changed > 0
    found = np.array([one.scores[0] for (one,) in screening.scores() if one.scores])
    assert (np.sign(found) == np.sign(margins)).all()


def test_what_has_no_number_in_the_fast_format_is_asked_in_the_other() -> None:
    chance = np.random.default_rng(3)
    margins, errors = chance.normal(0, 3, 2000), np.zeros(2000)
    errors[::50] = np.nan
    screening = made(margins, errors)
    screening.carry_out()
    assert [one.scores is not None for (one,) in screening.scores()] == [True] * 2000
    assert screening.sure.asked[::50].all()


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("screened") / "gpt2"
    save_checkpoint("gpt2", folder)
    return folder


def study(checkpoint: Path, more: str = "") -> Plan:
    return plan(parse(STUDY.replace("MODEL", f"hf:{checkpoint}") + more))


def settings(dtype: str) -> ModelSettings:
    return ModelSettings(device="cpu", dtype=dtype, threads=1)


def margins_of(run: Run) -> dict[str, list[float | None]]:
    return {
        scorer: [one.scores[0] - one.scores[1] if one.scores else None for one in scores]
        for (_, scorer), scores in run.scores.items()
    }


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few pairs are scored twice that a small study is screened."""
    monkeypatch.setattr("tiltmeter.engine.screening.FIRST", 10)
    monkeypatch.setattr("tiltmeter.engine.screening.DRAWN", 8)


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_screened_run_prefers_what_an_exact_one_prefers(checkpoint: Path, tmp_path: Path) -> None:
    made = study(checkpoint, CHOICES)
    exact = carry_out(made, tmp_path / "exact", settings("float32"))
    rough = carry_out(made, tmp_path / "rough", settings("bfloat16"))
    found = carry_out(made, tmp_path / "found", settings("screened"))
    name = f"hf:{checkpoint}"
    assert (found.facts[name].dtype, exact.facts[name].dtype) == ("screened", "float32")
    account = found.meta["screened"][name]
    assert summarise_run(found).as_json()["screened"] == {name: account}
    assert account["format"] == "bfloat16"
    assert 0 < account["close"] + account["drawn"] < account["pairs"] == len(made.pairs)
    right, screened, quick = map(margins_of, (exact, found, rough))
    for scorer, wanted in right.items():
        known = [(one, other) for one, other in zip(wanted, screened[scorer], strict=True) if one is not None]
        assert [one is None for one in wanted] == [one is None for one in screened[scorer]]
        assert known
        assert all(np.sign(one) == np.sign(other) for one, other in known)
        either = zip(wanted, screened[scorer], quick[scorer], strict=True)
        assert all(one is None or min(abs(got - one), abs(got - other)) < 1e-4 for one, got, other in either)
    # The other views are in float32.
    choices = "SELECT value FROM measurements WHERE view = 'choices' ORDER BY ALL"
    assert table_of(found).tuples(choices) == table_of(exact).tuples(choices) != []
    [path] = write(report(Reported.of([(found, summarise_run(found))])), found.folder, ["md"])
    said = path.read_text(encoding="utf-8")
    assert "in bfloat16 only" in said
    assert "drawn from the others" in said


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_screened_run_that_is_interrupted_ends_with_the_same_numbers(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "BATCH", 40)
    made = study(checkpoint)
    whole = carry_out(made, tmp_path / "whole", settings("screened"))
    ask, done = scoring.ask, []

    def ask_and_stop(model: Any, batch: Any) -> Any:
        done.append(len(batch))
        if len(done) % 3 == 0:
            raise KeyboardInterrupt
        return ask(model, batch)

    monkeypatch.setattr(scoring, "ask", ask_and_stop)
    for _ in range(60):
        try:
            run = carry_out(made, tmp_path / "often", settings("screened"))
            break
        except KeyboardInterrupt:
            continue
    assert len(done) > 5
    assert margins_of(run) == margins_of(whole)
    assert run.meta["screened"] == whole.meta["screened"]


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_a_finished_run_is_screened_or_not_as_it_was_asked_for(checkpoint: Path, tmp_path: Path) -> None:
    made, told = study(checkpoint), []
    carry_out(made, tmp_path, settings("screened"))

    def tell(state: Any, _: Path | None) -> None:
        told.append(state.kind)

    carry_out(made, tmp_path, settings("screened"), tell=tell)
    carry_out(made, tmp_path, settings("float32"), tell=tell)
    assert "screened" not in read_run(tmp_path).meta
    # What is exact already need not be screened.
    carry_out(made, tmp_path, settings("screened"), tell=tell)
    assert told == ["finished", "outdated", "finished"]


@pytest.mark.slow
def test_so_few_pairs_that_nearly_all_would_be_scored_twice_are_scored_once(checkpoint: Path, tmp_path: Path) -> None:
    made = study(checkpoint)
    assert len(made.pairs) <= FIRST + DRAWN
    run = carry_out(made, tmp_path, settings("screened"))
    assert run.facts[f"hf:{checkpoint}"].dtype == "float32"
    assert "screened" not in run.meta


def test_a_model_without_formats_is_asked_as_ever(tmp_path: Path) -> None:
    made = plan(parse(STUDY.replace("MODEL", "scripted")))
    run = carry_out(made, tmp_path / "a", settings("screened"))
    assert "screened" not in run.meta
    assert margins_of(run) == margins_of(carry_out(made, tmp_path / "b", settings("auto")))


def test_a_study_without_pairs_is_refused(tmp_path: Path) -> None:
    made = plan(parse('name = "t"\nmodels = ["scripted"]\nspecs = ["gender-math-arts"]\n' + CHOICES))
    with pytest.raises(UserError, match="is for pairs, and the study has none"):
        carry_out(made, tmp_path / "none", settings("screened"))
    assert not (tmp_path / "none").exists()
