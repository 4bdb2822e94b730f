"""The studies that ship as examples can be carried out as they are."""

from __future__ import annotations

from pathlib import Path

from tests.shared import shared
from tiltmeter import specs
from tiltmeter.study import Study, parse, plan, read

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "papers"


def sized(name: str, **paths: str) -> Study:
    """The study at its published size, with paths for those that a user has to give."""
    text = (EXAMPLES / name).read_text(encoding="utf-8").replace('# size = "published"', 'size = "published"')
    for source, path in paths.items():
        text = text.replace(f"{source}:PATH", f"{source}:{path}")
    return parse(text)


def test_autobiastest_has_its_biases_in_both_sizes() -> None:
    published = {spec.name for spec in map(specs.load, specs.names()) if spec.published_as}
    small, large = read(EXAMPLES / "autobiastest.toml"), sized("autobiastest.toml")
    assert {spec.name for spec in small.specs} == published
    assert len(published) == 15
    assert sum(spec.benchmark for spec in small.specs) == 2
    assert {pair.bias for pair in plan(small).pairs} == published
    for study, sets in ((small, 2), (large, 30)):
        assert [source.generation.sets for source in study.generated] == [sets, sets]
        assert {source.generation.temperature for source in study.generated} == {0.5, 0.8}
        assert all(source.generation.replace_flagged for source in study.generated)
    assert all(source.generation.attributes is None for source in large.generated)


def test_structures_and_natural_sentences_have_the_published_numbers() -> None:
    texts = plan(sized("syntactic-diversity.toml"))
    assert texts.study.continuations
    assert len(texts.prompts) * texts.study.continuations.samples == 60_600
    words = [one.prompt for one in plan(sized("natural-sentences.toml")).asked if one.perturbation == "original"]
    assert {prompt.source for prompt in words} == {"templates", "natural"}
    assert len({prompt.attribute for prompt in words}) == 453


def test_open_ended_generation_varies_prompts_decoding_length_and_rater() -> None:
    made = plan(read(EXAMPLES / "open-ended-generation.toml"))
    choices = made.study.continuations
    assert choices
    assert made.pairs == ()
    assert len({prompt.source for prompt in made.prompts}) == 3
    assert len(choices.decodings) == 3 * 3 + 2 + 2 + 2, "temperatures by lengths, then beams, top k and top p"
    assert {rater.name.partition(".")[0] for rater in choices.raters} == {"sentiment", "toxicity", "regard", "about"}
    groups = {prompt.bias: {one.group for one in made.prompts if one.bias == prompt.bias} for prompt in made.prompts}
    compared = [found for found in groups.values() if found - {None}]
    assert all(found & set(choices.reference) for found in compared), "Eq. 1 divides by one group of each bias"


def test_open_ended_generation_has_the_prompts_of_the_paper_at_its_published_size() -> None:
    made = plan(sized("open-ended-generation.toml", bold=shared("bold"), honest=shared("honest/binary_en.tsv")))
    groups = {prompt.group for prompt in made.prompts if prompt.group}
    assert made.study.continuations
    assert set(made.study.continuations.reference) <= groups
    assert len([prompt for prompt in made.prompts if prompt.bias == "bold/religion"]) > 600
