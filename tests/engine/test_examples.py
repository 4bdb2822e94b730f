"""The studies that ship as examples can be carried out as they are."""

from __future__ import annotations

from pathlib import Path

from tiltmeter import specs
from tiltmeter.study import parse, plan, read

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_autobiastest_has_its_biases_in_both_sizes() -> None:
    path = EXAMPLES / "papers" / "autobiastest.toml"
    published = {spec.name for spec in map(specs.load, specs.names()) if spec.published_as}
    small = read(path)
    assert {spec.name for spec in small.specs} == published
    assert len(published) == 15 and sum(spec.benchmark for spec in small.specs) == 2
    assert {pair.bias for pair in plan(small).pairs} == published
    first, second = path.read_text(encoding="utf-8").split("\n# sources = ")
    first, kept = first.split("\nsources = ")[0], second
    large = parse(f"{first}\nsources = {kept}")
    for study, sets in ((small, 2), (large, 30)):
        assert [source.generation.sets for source in study.generated] == [sets, sets]
        assert {source.generation.temperature for source in study.generated} == {0.5, 0.8}
        assert all(source.generation.replace_flagged for source in study.generated)
    assert all(source.generation.attributes is None for source in large.generated)


def test_open_ended_generation_varies_prompts_decoding_length_and_rater() -> None:
    made = plan(read(EXAMPLES / "open-ended.toml"))
    choices = made.study.continuations
    assert choices
    assert made.pairs == ()
    assert len({prompt.source for prompt in made.prompts}) == 2
    assert len(choices.decodings) == (4 + 1) * 5, "beam search is one more setting, whatever the temperature"
    assert {rater.name.partition(".")[0] for rater in choices.raters} == {"sentiment", "toxicity", "regard"}
