"""The studies that ship as examples can be carried out as they are."""

from __future__ import annotations

from pathlib import Path

from tests.shared import shared
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
    made = plan(read(EXAMPLES / "papers" / "open-ended-generation.toml"))
    choices = made.study.continuations
    assert choices
    assert made.pairs == ()
    assert len({prompt.source for prompt in made.prompts}) == 3
    assert len(choices.decodings) == 3 * 3 + 2 + 2 + 2, "temperatures by lengths, then beams, top k and top p"
    assert {rater.name.partition(".")[0] for rater in choices.raters} == {"sentiment", "toxicity", "regard", "about"}
    groups = {prompt.bias: {one.group for one in made.prompts if one.bias == prompt.bias} for prompt in made.prompts}
    compared = [found for found in groups.values() if found - {None}]
    assert all(found & set(choices.reference) for found in compared), "Eq. 1 divides by one group of each bias"


def test_the_published_size_of_open_ended_generation_is_in_its_comments() -> None:
    text = (EXAMPLES / "papers" / "open-ended-generation.toml").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("sources ", "reference "))]
    kept = ("# sources ", "# reference ")
    published = "\n".join(line.removeprefix("# ") if line.startswith(kept) else line for line in lines)
    given = published.replace("bold:PATH", f"bold:{shared('bold')}").replace(
        "honest:PATH", f"honest:{shared('honest/binary_en.tsv')}"
    )
    made = plan(parse(given))
    groups = {prompt.group for prompt in made.prompts if prompt.group}
    assert made.study.continuations and set(made.study.continuations.reference) <= groups
    assert len([prompt for prompt in made.prompts if prompt.bias == "bold/religion"]) > 600
