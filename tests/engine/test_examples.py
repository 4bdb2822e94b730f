"""The studies that ship as examples can be carried out as they are."""

from __future__ import annotations

from pathlib import Path

from tiltmeter import specs
from tiltmeter.study import plan, read

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_all_biases_are_the_thirteen_of_the_paper() -> None:
    study = read(EXAMPLES / "all-biases.toml")
    published = [spec for spec in map(specs.load, specs.names()) if spec.published_as and not spec.benchmark]
    assert {spec.name for spec in study.specs} == {spec.name for spec in published}
    assert len(study.specs) == 13
    [source] = study.generated
    assert source.generation.replace_flagged
    assert source.generation.sets == 2
    assert {pair.bias for pair in plan(study).pairs} == {spec.name for spec in study.specs}


def test_open_ended_generation_varies_prompts_decoding_length_and_rater() -> None:
    made = plan(read(EXAMPLES / "open-ended.toml"))
    choices = made.study.continuations
    assert choices
    assert made.pairs == ()
    assert len({prompt.source for prompt in made.prompts}) == 2
    assert len(choices.decodings) == (4 + 1) * 5, "beam search is one more setting, whatever the temperature"
    assert {rater.name.partition(".")[0] for rater in choices.raters} == {"sentiment", "toxicity", "regard"}
