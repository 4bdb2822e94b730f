"""What every source of prompts keeps to, so that a study can call them all alike."""

from __future__ import annotations

import inspect

import pytest

from tests.sources.datasets import prompt_samples
from tests.sources.datasets.samples import write
from tiltmeter import registry
from tiltmeter.records import Group, Spec

SPEC = Spec("crew", "The crew", (Group("martian", ("Zork", "pilot")), Group("venusian", ("Zara", "cook"))))


@pytest.fixture(params=registry.names("source", "continuations"))
def source(request, tmp_path):
    """The function of a source, its name, and what it is given."""
    paths = {
        "bold.v1": prompt_samples.bold,
        "honest.v1": prompt_samples.honest,
        "real-toxicity-prompts.v1": prompt_samples.toxicity,
        "holistic-bias.v1": prompt_samples.holistic,
        "natural.v1": lambda folder: write(
            folder / "n.jsonl", '{"annotated": "A [profession:pilot] flies at night[continue:, because]"}\n'
        ),
        "prompts-file.v1": lambda folder: write(folder / "mine.csv", "text,group\nThe pilot,mars\nThe cook,venus\n"),
    }
    make = registry.load("source", request.param, "continuations")
    needs = next((name for name in ("path", "spec") if name in inspect.signature(make).parameters), None)
    given = {"path": lambda: [paths[request.param](tmp_path)], "spec": lambda: [SPEC], None: list}
    return make, request.param, given[needs]()


def test_it_takes_a_seed_and_a_number_per_group(source) -> None:
    make, _, given = source
    options = {
        parameter.name: parameter.default
        for parameter in inspect.signature(make).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    assert options["seed"] == 0
    few, _ = make(*given, per_group=1, seed=4)
    cells = [(prompt.bias, prompt.group) for prompt in few]
    assert len(cells) == len({*cells}) > 0
    assert make(*given, per_group=1, seed=4)[0] == few


def test_its_prompts_say_whose_they_are_and_can_be_continued(source) -> None:
    make, name, given = source
    made, _ = make(*given)
    assert len({prompt.id for prompt in made}) == len(made)
    for prompt in made:
        assert prompt.source == name
        assert prompt.text == prompt.text.rstrip() != ""
        assert all(prompt.text[start:end].strip() for start, end in prompt.group_spans)
