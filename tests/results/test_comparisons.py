from __future__ import annotations

import pytest

from tiltmeter.results.summary.sources_compared import WRITTEN, Reading, compare_sources, correlate
from tiltmeter.stats.views.pairs import PairItem, summarise


def reading(model: str, source: str, *values: float | None, written: bool = True) -> Reading:
    return Reading(model, source, written, {f"bias-{place}": value for place, value in enumerate(values)})


def test_two_generators_are_correlated_over_the_mean_of_the_models_tested_on_both() -> None:
    tests = [
        reading("a", "by one", 0.1, 0.2, 0.3, 0.4),
        reading("b", "by one", 0.3, 0.4, 0.5, 0.6),
        reading("a", "by two", 0.2, 0.1, 0.3, 0.9),
        reading("c", "by two", 0.9, 0.8, 0.1, 0.0),
    ]
    [one] = correlate(tests).sources
    # Only `a` was tested on both. Ranks 1 2 3 4 and 2 1 3 4: rho = 1 − 6·(1 + 1) / (4·15) = 0.8.
    assert (one.first, one.second, list(one.over)) == ("by one", "by two", ["a"])
    assert one.found.value == pytest.approx(0.8)
    assert one.found.n == 4
    assert one.found.note == "no interval: fewer than 5 common values"


def test_values_are_averaged_over_models_before_they_are_ranked() -> None:
    tests = [
        reading("a", "x", 0.0, 0.5, 1.0),
        reading("b", "x", 1.0, 0.2, 0.1),
        reading("a", "y", 0.1, 0.2, 0.3),
        reading("b", "y", 0.1, 0.2, 0.3),
    ]
    # x: means 0.5, 0.35, 0.55, ranks 2 1 3; y: 1 2 3. rho = 1 − 6·2 / (3·8) = 0.5.
    assert correlate(tests).sources[0].found.value == pytest.approx(0.5)


def test_models_are_compared_on_written_sentences_and_on_each_other_source() -> None:
    tests = [
        reading("a", "by one", 0.1, 0.2, 0.3),
        reading("b", "by one", 0.3, 0.2, 0.1),
        reading("a", "templates", 0.1, 0.2, 0.3, written=False),
        reading("b", "templates", 0.2, 0.3, 0.4, written=False),
    ]
    found = correlate(tests)
    assert {kind: [one.found.value for one in some.pairs] for kind, some in found.models.items()} == {
        WRITTEN: [-1.0],
        "templates": [1.0],
    }
    assert found.models[WRITTEN].values["bias-0"] == {"a": 0.1, "b": 0.3}
    assert found.models[WRITTEN].spreads["bias-0"].sd == pytest.approx(0.2 / 2**0.5)
    # Templates against generated, averaged over both models: 0.2, 0.2, 0.2 does not vary.
    [one] = found.sources
    assert one.found.value is None
    assert one.found.note == "no correlation: the values of one side are all the same"


def test_checks_of_the_instrument_do_not_pass_for_agreement() -> None:
    tests = [reading("a", "x", 0.1, 0.2, 0.3, 1.0), reading("a", "y", 0.3, 0.2, 0.1, 1.0)]
    assert correlate(tests, {"bias-3"}).sources[0].found.value == -1


def test_one_model_and_one_source_are_compared_with_nothing() -> None:
    found = correlate([reading("a", "x", 0.1, 0.2)])
    assert (found.sources, found.models) == ([], {})


def items(**values: list[float]) -> list[PairItem]:
    return [PairItem("gender", name, "1", value) for name, some in values.items() for value in some]


def test_attributes_are_listed_by_how_far_two_sources_disagree() -> None:
    templates = summarise(items(math=[0, 0, 1, 0], physics=[0, 0], dance=[1], painting=[1]))
    written = summarise(items(math=[1, 1, 1, 1], physics=[1, 1], dance=[1], poetry=[1]))
    found = compare_sources("m", "s", ("templates", templates), ("generated", written))
    assert [(one.attribute, one.difference, one.opposite) for one in found.attributes] == [
        ("physics", 1.0, True),
        ("math", 0.75, True),
        ("dance", 0.0, False),
    ]
    assert found.correlation.value is None
    assert found.correlation.note == "no correlation: fewer than 3 common values"
