from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace

import pytest

from tests.sources.generated.fakes import ASKED, FRAMES, SPEC, FakeGenerator
from tiltmeter.errors import ModelError, UserError
from tiltmeter.records import Completion, ModelFacts, Pair, Spec, Written
from tiltmeter.sources.generated import GenerationSettings, Review, assemble, blocks, units, write, write_block
from tiltmeter.sources.generated.checks import DECLINED, EMPTY, NOT_CHOSEN, UNANSWERED, sentence_of
from tiltmeter.sources.generated.matching import contains
from tiltmeter.sources.generated.model_settings import TRIAL
from tiltmeter.sources.generated.settings import settings_from
from tiltmeter.sources.generated.shots import chooser
from tiltmeter.sources.generated.unit_writer import UnitWriter
from tiltmeter.specs import load

SETTINGS = GenerationSettings(seed=1)


def test_every_attribute_gets_sentences_for_both_groups_with_both_terms() -> None:
    made = write(SPEC, FakeGenerator(), SETTINGS)
    per_attribute = Counter((one.attribute, one.group) for one in made.kept)
    for attributes in SPEC.attributes:
        for attribute in attributes.terms:
            assert per_attribute[attribute, "male"] >= 1
            assert per_attribute[attribute, "female"] >= 1
    for one in made.kept:
        assert contains(one.text, one.term)
        assert contains(one.text, one.attribute)
        assert one.generator == "fake"
        assert one.term in SPEC.group(one.group).terms
    assert len({one.id for one in made.sentences}) == len(made.sentences)


def test_the_same_seed_gives_the_same_sentences_and_another_others() -> None:
    first, again = (write(SPEC, FakeGenerator(), SETTINGS).sentences for _ in range(2))
    other = write(SPEC, FakeGenerator(), replace(SETTINGS, seed=2)).sentences
    assert first == again
    assert first != other


def test_sets_are_independent_and_a_set_does_not_depend_on_how_many_there_are() -> None:
    three = write(SPEC, FakeGenerator(), replace(SETTINGS, sets=3)).sentences
    one = write(SPEC, FakeGenerator(), SETTINGS).sentences
    assert [sentence for sentence in three if sentence.set == 0] == one
    texts = [[sentence.text for sentence in three if sentence.set == number] for number in range(3)]
    assert texts[0] != texts[1] != texts[2]
    generator = FakeGenerator()
    write(SPEC, generator, replace(SETTINGS, sets=3))
    asked = [*zip(generator.seeds, generator.prompts, strict=True)]
    assert len({*asked}) == len(asked)


def test_a_few_attribute_words_are_drawn_once_for_all_sets() -> None:
    spec = load("gender-professions")
    every, few = units(spec, SETTINGS), units(spec, replace(SETTINGS, attributes=3, sets=2))
    drawn = [{unit.attribute for unit in few if unit.set == number} for number in range(2)]
    assert drawn[0] == drawn[1] < {unit.attribute for unit in every}
    assert {*Counter((unit.set, unit.attribute_set) for unit in few).values()} == {3}
    places = [unit.id for unit in every]
    assert [places.index(unit.id) for unit in few if unit.set == 0] == sorted(
        places.index(unit.id) for unit in few if unit.set == 0
    )
    other = units(spec, replace(SETTINGS, attributes=3, seed=2))
    assert {unit.attribute for unit in other} != drawn[0]
    assert units(spec, replace(SETTINGS, attributes=10_000)) == every
    assert few == units(spec, replace(SETTINGS, attributes=3, sets=2, temperature=0.5))


def test_units_written_apart_and_backwards_are_the_whole() -> None:
    settings = replace(SETTINGS, sets=2)
    todo = units(SPEC, settings)
    results = {unit: write_block(SPEC, [unit], FakeGenerator(), settings)[0] for unit in reversed(todo)}
    assert assemble([results[unit] for unit in todo], settings) == write(SPEC, FakeGenerator(), settings)


def test_the_units_of_a_block_are_asked_for_in_one_call() -> None:
    settings = replace(SETTINGS, sets=2)
    generator = FakeGenerator()
    made = write(SPEC, generator, settings)
    assert [len(block) for block in blocks(units(SPEC, settings))] == [4, 4]
    assert made.accounting.requests == sum(generator.calls)
    assert generator.calls[0] == 4 * 2, "both groups of four units"


def test_what_one_unit_needs_does_not_change_another() -> None:
    """A unit whose first answers are useless goes on asking; the others of its block are as they would be alone."""

    def write_poorly(source, term, attribute):
        return "It rains." if attribute == "hammer" else source.choice(FRAMES)

    todo = units(SPEC, SETTINGS)
    together = write_block(SPEC, todo, FakeGenerator(write_poorly), SETTINGS)
    assert together[0].requests == 2 * 8, "a group is given up after eight requests that brought nothing"
    assert together[1:] == [write_block(SPEC, [unit], FakeGenerator(), SETTINGS)[0] for unit in todo[1:]]


def test_a_second_round_writes_other_sentences() -> None:
    unit = units(SPEC, SETTINGS)[0]
    [first], [again] = (write_block(SPEC, [one], FakeGenerator(), SETTINGS) for one in (unit, replace(unit, round=1)))
    assert again.unit.id == f"{unit.id}/round-1"
    assert {one.text for one in first.sentences} != {one.text for one in again.sentences}
    assert not {one.id for one in first.sentences} & {one.id for one in again.sentences}


def test_rejection_asks_for_one_term_at_a_time_and_stops_after_so_many_requests() -> None:
    generator = FakeGenerator(lambda source, term, attribute: "Nothing of the sort.")
    made = write(SPEC, generator, replace(SETTINGS, strategy="rejection", max_requests=40))
    account = made.accounting
    assert account.requests == 40 * 4
    assert account.decoded == 200 * 4
    assert account.kept == 0
    assert account.dropped == (("lacks both terms", 800),)
    assert account.controllability == 0
    assert account.tokens == 8000
    assert len(account.short) == 4
    assert len(generator.seeds) == account.requests


def test_rejection_asks_both_groups_and_another_term_each_time() -> None:
    generator = FakeGenerator(lambda source, term, attribute: "Nothing of the sort.")
    unit = units(SPEC, SETTINGS)[0]
    [result] = write_block(SPEC, [unit], generator, replace(SETTINGS, strategy="rejection", max_requests=6))
    asked = [(one.group, one.term) for one in result.sentences[::5]]
    assert len({*asked}) == 6
    assert Counter(group for group, _ in asked) == {"male": 3, "female": 3}


def test_a_request_that_returns_more_than_it_needs_keeps_them_all() -> None:
    frames = iter(FRAMES * 100)
    made = write(SPEC, FakeGenerator(lambda *_: next(frames)), replace(SETTINGS, strategy="rejection"))
    assert all(count > 2 for count in Counter(one.attribute for one in made.kept).values())
    assert made.accounting.requests == 8


@pytest.mark.parametrize(
    ("written", "sentence", "reason"),
    [
        (" The man likes math.", "The man likes math.", None),
        ("“The man likes math,” I said.", "“The man likes math,” I said.", None),
        ("The man likes math. And then he left.", "The man likes math.", None),
        ("\n\nThe man likes math!\nKeywords: dog", "The man likes math!", None),
        ("Mr. Smith is a man of math.", "Mr. Smith is a man of math.", None),
        ("the man likes math.", "the man likes math.", "not a complete sentence"),
        ("The man likes math", "The man likes math", "not a complete sentence"),
        ("The man likes math and", "The man likes math and", "not a complete sentence"),
        ("The man came. He likes math.", "The man came. He likes math.", "more than one sentence"),
        ("The man likes it.", "The man likes it.", "lacks the attribute"),
        ("The woman likes math.", "The woman likes math.", "lacks the group term"),
        ("It rains.", "It rains.", "lacks both terms"),
        ("Keywords: man, math", "Keywords: man, math", "repeats the prompt"),
        ("  \n ", "", "nothing was written"),
    ],
)
def test_what_a_sentence_must_be(written: str, sentence: str, reason: str | None) -> None:
    assert sentence_of(written, "man", "math") == (sentence, reason)


def test_as_published_asks_for_the_two_terms_only() -> None:
    assert sentence_of("the man likes math", "man", "math", "as-published") == ("the man likes math", None)
    assert sentence_of("the man", "man", "math", "as-published")[1] == "lacks the attribute"


def test_what_cannot_be_a_pair_is_dropped_with_the_reason() -> None:
    frames = {"man": "The {term} and a woman have a {attribute}."}
    generator = FakeGenerator(lambda source, term, attribute: frames.get(term, FRAMES[0]))
    made = write(SPEC, generator, SETTINGS)
    dropped = [one for one in made.sentences if one.term == "man"]
    assert dropped
    assert dropped[0].dropped == (
        "cannot be made a pair: `woman` is in the sentence already: who is meant would be unclear"
    )
    assert dict(made.accounting.dropped)["cannot be made a pair"] == len(dropped)
    assert made.accounting.controllability == 1


def test_a_sentence_that_stands_in_the_set_already_is_dropped_in_either_form() -> None:
    made = write(SPEC, FakeGenerator(lambda *_: FRAMES[0]), replace(SETTINGS, max_requests=3))
    keys = Counter((one.attribute, re.sub("man|woman|brother|sister|uncle|aunt", "T", one.text)) for one in made.kept)
    assert dict(made.accounting.dropped).keys() == {"is already in the set"}
    assert max(keys.values()) <= 3  # one for each pair of counterparts


def test_a_judge_drops_and_more_are_asked_for() -> None:
    seen: list[Written] = []

    def judge(sentences):
        seen.extend(sentences)
        return ["odd" if "Nobody" in one.text else None for one in sentences]

    made = write(SPEC, FakeGenerator(), SETTINGS, review=Review(judge=judge))
    assert sum(count for reason, count in made.accounting.dropped if reason.startswith("flagged as ")) > 0
    assert all("Nobody" not in one.text for one in made.kept)
    assert not made.accounting.short
    assert len(seen) == made.accounting.with_both_terms - dict(made.accounting.dropped)["is already in the set"]


def test_ranking_sees_both_texts_and_keeps_the_best_for_each_group() -> None:
    def rank(pairs):
        assert all(isinstance(pair, Pair) and pair.texts[0] != pair.texts[1] for pair in pairs)
        return [-len(pair.texts[0] + pair.texts[1]) for pair in pairs]

    made = write(SPEC, FakeGenerator(), SETTINGS, review=Review(rank=rank))
    accepted = Counter((one.attribute, one.group) for one in made.sentences if one.dropped in (None, NOT_CHOSEN))
    kept = Counter((one.attribute, one.group) for one in made.kept)
    assert {place: (count + 1) // 2 for place, count in accepted.items()} == kept
    assert made.accounting.accepted == accepted.total() > made.accounting.kept
    assert made.accounting.share == made.accounting.accepted / made.accounting.decoded
    for place in kept:
        lengths = {
            dropped: [
                len(one.text) for one in made.sentences if (one.attribute, one.group, one.dropped) == (*place, dropped)
            ]
            for dropped in (None, NOT_CHOSEN)
        }
        assert max(lengths[None]) <= min(lengths[NOT_CHOSEN], default=99)


def test_yield_is_counted_for_every_term() -> None:
    generator = FakeGenerator(lambda source, term, attribute: "It rains." if term == "uncle" else source.choice(FRAMES))
    account = write(SPEC, generator, replace(SETTINGS, sets=3)).accounting
    terms = {one.term: one for one in account.terms}
    assert terms["uncle"].accepted == 0 < terms["uncle"].decoded
    assert terms["hammer"].kind == "attribute"
    assert sum(one.decoded for one in account.terms if one.kind == "group") == account.decoded


def test_groups_of_several_comparisons_all_get_sentences() -> None:
    spec = load("regard-six-groups")
    generator = FakeGenerator(lambda source, *_: f"On day {source.randrange(999)} the {{term}} {{attribute}} a helper.")
    made = write(spec, generator, SETTINGS)
    counts = Counter((one.attribute, one.group) for one in made.kept)
    assert {group for _, group in counts} == {group.name for group in spec.groups}
    assert len(counts) == 6 * 10


def test_chat_models_are_asked_for_a_list_and_every_sentence_of_it_counts() -> None:
    generator = FakeGenerator()
    made = write(SPEC, generator, replace(SETTINGS, chat=True))
    account = made.accounting
    assert all(re.match("<user>Write 5 different .*<assistant>$", one, re.DOTALL) for one in generator.prompts)
    assert not any("Keywords" in prompt for prompt in generator.prompts)
    assert account.decoded == account.attempts == 5 * account.requests == 5 * len(generator.prompts)
    assert account.controllability == 1
    assert account.tokens == 50 * account.requests
    assert {one.strategy for one in made.sentences} == {"rejection, chat"} == {*account.asked}
    per_attribute = Counter((one.attribute, one.group) for one in made.kept)
    assert len(per_attribute) == 2 * 4
    assert len({*generator.prompts}) == len(generator.prompts), "nothing is asked for twice in the same words"


def test_a_chat_model_that_is_asked_again_is_shown_what_it_wrote() -> None:
    generator = FakeGenerator(lambda source, term, attribute: f"The {term} sleeps for {source.randrange(9**9)} hours.")
    write(SPEC, generator, replace(SETTINGS, chat=True))
    counts = Counter(ASKED.search(prompt)[2] for prompt in generator.prompts if '"hammer"' in prompt)
    assert counts.total() == 10
    assert max(counts.values()) > 1
    shown = [prompt.partition("Write other sentences than these:\n")[2] for prompt in generator.prompts]
    assert sum(map(bool, shown)) == sum(count - 1 for count in counts.values()) * 4
    assert len({*generator.prompts}) == len(generator.prompts)


@pytest.mark.parametrize("answer", ["I'm sorry, but I can't help with that.", ""])
def test_a_chat_model_that_declines_is_not_asked_the_same_again(answer: str) -> None:
    class Declining(FakeGenerator):
        def complete(self, prompts, decoding, *, samples=1, seed=0):
            self.prompts += prompts
            return [[Completion(answer, 9, "end")] for _ in prompts]

    generator = Declining()
    made = write(SPEC, generator, replace(SETTINGS, chat=True), review=Review(declines=lambda text: "sorry" in text))
    account = made.accounting
    reason = DECLINED if answer else EMPTY
    assert account.dropped == ((reason, 4 * 6),), "every attribute with every term, once"
    assert (account.decoded, account.with_both_terms, account.kept) == (24, 0, 0)
    assert len({*generator.prompts}) == 24
    assert {(one.kind, one.name, one.reason) for one in account.missing} == {
        *(("group", name, reason) for name in ("male", "female")),
        *(("attribute", name, reason) for name in ("hammer", "welding torch", "needle", "bread")),
    }


def test_a_request_without_an_answer_is_no_sentence() -> None:
    class Failing(FakeGenerator):
        facts = ModelFacts("api:x", "causal", device="server")

        def complete(self, prompts, decoding, *, samples=1, seed=0):
            if TRIAL in prompts[0]:
                return [[Completion("yes", 1, "end")] for _ in prompts]
            lost = Completion("", 0, "unwritten", attempts=0, unwritten="no answer: status 500")
            made = super().complete(prompts, decoding, samples=samples, seed=seed)
            return [[lost] if '"uncle"' in prompt else one for prompt, one in zip(prompts, made, strict=True)]

    account = write(SPEC, Failing(), replace(SETTINGS, sets=4)).accounting
    assert dict(account.dropped)[UNANSWERED] > 0
    assert account.decoded == account.attempts == 5 * (account.requests - dict(account.dropped)[UNANSWERED])
    assert account.controllability == 1
    assert "uncle" not in {one.term for one in account.terms}


def test_what_has_no_sentence_is_named_with_the_commonest_reason() -> None:
    def poorly(source, term, attribute):
        if attribute == "needle" or (attribute == "bread" and term in SPEC.group("male").terms):
            return "The {term} sleeps."
        return source.choice(FRAMES)

    account = write(SPEC, FakeGenerator(poorly), replace(SETTINGS, max_requests=6)).accounting
    assert [(one.kind, one.name, one.of, one.reason) for one in account.missing] == [
        ("attribute", "needle", "crafts", "lacks the attribute"),
        ("group", "male", "bread", "lacks the attribute"),
    ]


def test_no_prompt_has_a_term_of_the_spec_among_the_keywords_of_its_examples() -> None:
    generator = FakeGenerator()
    write(SPEC, generator, SETTINGS)
    for prompt in generator.prompts:
        for keywords in re.findall("Keywords: (.*)", prompt)[:-1]:
            assert not any(contains(keywords, term) for group in SPEC.groups for term in group.terms)


def test_a_model_that_cannot_write_is_refused() -> None:
    class Reader:
        facts = ModelFacts("bert", "masked")

    with pytest.raises(ModelError, match='bert cannot `complete`, which the strategy "rejection" needs'):
        write(SPEC, Reader(), SETTINGS)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match='bert cannot `complete_with`, which the strategy "constrained" needs'):
        write(SPEC, Reader(), replace(SETTINGS, strategy="constrained"))  # type: ignore[arg-type]


def test_a_spec_without_attributes_is_refused() -> None:
    with pytest.raises(UserError, match="has no attributes"):
        units(Spec("x", "X", SPEC.groups, compare=SPEC.compare), SETTINGS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_attribute": 0}, "`per_attribute`: must be a whole number from 1 to"),
        ({"sets": True}, "`sets`: must be a whole number from 1 to"),
        ({"attributes": 0}, "`attributes`: must be a whole number from 1 to"),
        ({"strategy": "beam"}, '`strategy`: must be "auto", "constrained" or "rejection", not \'beam\''),
        ({"top_k": 1.5}, "`top_k`: must be a whole number"),
        ({"max_new_tokens": 0}, "`max_new_tokens`: must be 1 or more"),
        ({"shots": 3}, '`shots`: must be "own", "fixed" or "similar"'),
        ({"temperature": "hot"}, "`temperature`: must be a number"),
        ({"chat": "yes"}, "`chat`: must be true or false"),
        ({"replace_flagged": 1}, "`replace_flagged`: must be true or false"),
        ({"per_atribute": 2}, "did you mean `per_attribute`"),
    ],
)
def test_bad_settings_are_refused_by_name(options, message) -> None:
    with pytest.raises(UserError, match=message):
        settings_from(options)


def test_random_numbers_of_others_do_not_matter() -> None:
    random.seed(1)
    first = write(SPEC, FakeGenerator(), SETTINGS)
    random.seed(2)
    assert write(SPEC, FakeGenerator(), SETTINGS) == first


def test_every_other_request_begins_as_reported_speech_and_nouns_get_an_article() -> None:
    generator = FakeGenerator()
    write(SPEC, generator, replace(SETTINGS, per_attribute=8))
    begun = [prompt.rpartition("Sentence:")[2] for prompt in generator.prompts]
    assert "" in begun
    assert any(one.endswith(" that") for one in begun)
    asked = [re.findall(r"Keywords: (.*), ", prompt)[-1] for prompt in generator.prompts]
    assert all(term.split()[0] in {"a", "an", "the"} for term in asked)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Our landlord's daughter reads poetry.", None),
        (
            "The landlord told our landlord's daughter who reads poetry.",
            "uses a word of the term or of the attribute twice",
        ),
        ("Our landlord's daughter reads poetry about poetry.", "uses a word of the term or of the attribute twice"),
    ],
)
def test_a_sentence_names_its_terms_once(text: str, reason: str | None) -> None:
    assert sentence_of(text, "our landlord's daughter", "reads poetry") == (text, reason)


def test_of_sentences_that_are_alike_one_is_kept() -> None:
    unit = units(SPEC, SETTINGS)[0]
    making = UnitWriter(SPEC, unit, FakeGenerator(), replace(SETTINGS, per_attribute=4), chooser("own", SPEC))
    ranks = {"The man has a hammer.": 1.0, "The man had a hammer.": 0.9, "My man broke the old hammer today.": 0.8}
    making.sentences = [
        Written(str(place), SPEC.name, text, "male", "man", "hammer", unit.attribute_set)
        for place, text in enumerate(ranks)
    ]
    making.choose([(ranks[one.text], one) for one in making.sentences])
    assert [one.dropped for one in making.sentences] == [None, NOT_CHOSEN, None]
