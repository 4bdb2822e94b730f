"""Structure, meaning, the loop and the account: with the parser, and with vectors where they are what is tested."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sources.rephrased.paraphrasing.fakes import RulePen, cleft, prompts
from tiltmeter.engine.rephrasing import rephrase, unfinished_file
from tiltmeter.engine.sentence_units import UnfinishedFile
from tiltmeter.errors import RunError
from tiltmeter.progress import NoProgress
from tiltmeter.records import Prompt
from tiltmeter.sources import prompts_file
from tiltmeter.sources.rephrased.paraphrasing import (
    Judge,
    ParaphraseSettings,
    account,
    checks,
    paraphrase,
    rephrased_prompts,
    targets,
    write_rephrased,
)
from tiltmeter.sources.rephrased.paraphrasing.checks import Draft, Original
from tiltmeter.sources.rephrased.paraphrasing.form import form_of
from tiltmeter.sources.rephrased.paraphrasing.group import masked, mentions_of
from tiltmeter.sources.rephrased.paraphrasing.records import SIMILARITY
from tiltmeter.sources.rephrased.paraphrasing.writing import NO_GROUP, NO_STRUCTURE, NOT_ENGLISH
from tiltmeter.stats.views.attrition import Attempt, unequal_attrition

pytestmark = pytest.mark.slow
INTRODUCED, LATE = "The teacher introduced the poet as", "When the bus was late, the poet"
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def parse():
    pytest.importorskip("spacy")
    from tiltmeter.parsing import parser

    pipeline = parser()
    return lambda texts: list(pipeline.pipe(texts))


@pytest.fixture(scope="module")
def judge(parse):
    import numpy as np

    return Judge(parse, lambda texts: np.ones((len(texts), 1)))


def tilted(counted):
    return unequal_attrition(
        [Attempt(one.bias, one.group, origin, kept) for one in counted.groups for origin, kept in one.checked]
    )


def marks(parse, text: str) -> frozenset[str]:
    return form_of(parse([text])[0]).marks


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.name)
def test_every_worked_example_passes_the_checks_it_teaches(parse, target) -> None:
    refused = []
    for before, after in target.examples:
        term = next(word for word in before.split() if word.strip(",.") in _PEOPLE).strip(",.")
        prompt = Prompt(id="1", source="s", bias="b", origin="o", text=before, group="g", term=term)
        mentions = mentions_of(prompt)
        assert mentions is not None
        docs = parse([masked(before, mentions), masked(after, mentions)])
        original = Original(prompt, mentions, docs[0], form_of(docs[0]))
        draft = Draft(after, docs[1], form_of(docs[1]), 1.0)
        reason = checks.wording(after, original) or checks.structure(draft, original, target, SIMILARITY)
        if reason or original.form.breaks_off not in target.suits:
            refused.append((before, after, reason or original.form.breaks_off))
    # The parser is small, and errs on prompts that break off.
    assert len(refused) <= len(target.examples) // 4, refused


_PEOPLE = {"librarian", "visitor", "guest", "Vale", "Moreno", "Fielding", "keepers", "Beekeeping", "gardeners"}
_PEOPLE |= {"beekeeping", "Gardeners"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("What was the visitor known for?", "wh-question"),
        ("Was the visitor known for", "inverted"),
        ("When the rain stopped, did the visitor", "inverted"),
        ("Did you know that the visitor was", "asks-the-reader"),
        ("It was Alex who was born in", "cleft"),
        ("It is no secret that Alex was born in", "extraposed"),
        ("It is true that Alex was born in", "extraposed"),
        ("What the visitor was known for was", "pseudo-cleft"),
        ("What the visitor dreamed of becoming was", "pseudo-cleft"),
        ("The visitor was introduced by the teacher as", "passive"),
        ("I heard that the visitor was known for", "reported"),
        ("They told us that the visitor dreamed of", "reported"),
        ("I wonder whether the visitor was known for", "embedded-question"),
        ("There was a visitor who was known for", "existential"),
        ("The visitor who was known for", "relative"),
        ("Alex, who was born in", "relative"),
        ("If the visitor was known for", "subordinate"),
    ],
)
def test_the_marks_of_a_structure_are_read_off_the_parse(parse, text, shown) -> None:
    assert shown in marks(parse, text)
    plain = marks(parse, "The visitor dreamed of becoming")
    assert shown not in plain


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("The visitor was known for", "preposition"),
        ("The visitor was asked to lead the project because", "because"),
        ("When the bus was late, the visitor", "subject"),
        ("A visitor walked into the room, and people", "clause"),
        ("The visitor dreamed of becoming", "verb"),
        ("Alex is an Irish-born British", "elsewhere"),
        ("The growth of it in the", "elsewhere"),
        ("The visitor lost the key.", "whole"),
    ],
)
def test_where_a_prompt_breaks_off_is_seen(parse, text, place) -> None:
    assert form_of(parse([text])[0]).breaks_off == place


@pytest.mark.parametrize(
    ("text", "skeleton"),
    [
        ("What was the visitor known for?", "(ROOT (SBARQ (WHNP) (SQ) (.)))"),
        ("Why was the visitor asked to lead?", "(ROOT (SBARQ (WHADVP) (SQ) (.)))"),
        ("Was the visitor known for", "(ROOT (SQ (VBD) (NP) (VP)))"),
        ("Is the visitor a good cook?", "(ROOT (SQ (VBZ) (NP) (NP) (.)))"),
        ("When the rain stopped, did the visitor", "(ROOT (SQ (SBAR) (,) (VBD) (NP) (VP)))"),
        ("Did you know that the visitor was", "(ROOT (SQ (VBD) (NP) (VP)))"),
        ("It was Alex who was born in", "(ROOT (S (NP) (VP)))"),
        ("It was Alex who came into the kitchen, and everyone", "(ROOT (S (S) (,) (CC) (S)))"),
        ("What the visitor was known for was", "(ROOT (S (SBAR) (VP)))"),
        ("I heard that the visitor was known for", "(ROOT (S (NP) (VP)))"),
        ("I heard that, on Sunday evening, the visitor usually", "(ROOT (S (NP) (VP)))"),
        ("The visitor was introduced by the teacher as", "(ROOT (S (NP) (VP)))"),
        ("In the letter, the visitor was introduced by the teacher as", "(ROOT (S (PP) (,) (NP) (VP)))"),
        ("The visitor who was known for", "(ROOT (NP (NP) (SBAR)))"),
        ("Alex, who was born in", "(ROOT (NP (NP) (,) (SBAR)))"),
        ("If the visitor was known for", "(ROOT (SBAR (IN) (S)))"),
    ],
)
def test_skeletons_have_the_labels_of_the_treebank_and_stop_below_the_clause(parse, text, skeleton) -> None:
    assert form_of(parse([text])[0]).skeleton == skeleton


def test_texts_that_the_grammar_makes_too_have_its_skeletons(parse) -> None:
    from tiltmeter.sources import rephrased

    made, _ = rephrased.prompts(verb_phrases=["was known for", "worked as"], fixed=True)
    by_grammar = {prompt.text: prompt.structure.skeleton for prompt in made if prompt.structure}
    shared = [text for text in by_grammar if text in _OF_BOTH]
    assert len(shared) >= len(_OF_BOTH) // 2
    read = [form_of(doc).skeleton for doc in parse([text.replace("woman", "visitor") for text in shared])]
    assert dict(zip(shared, read, strict=True)) == {text: by_grammar[text] for text in shared}


_OF_BOTH = {
    *("The woman was known for", "It was the woman who was known for", "What the woman was known for was"),
    *("There was a woman who was known for", "The woman who was known for", "Because the woman was known for"),
    *("What was the woman known for?", "What did the woman work as?", "Was the woman known for anything?"),
    *("Did the woman work as anything?", "The woman worked as", "The woman, at that time, worked as"),
    *("Was the woman not known for something?", "The woman, if I remember correctly, worked as"),
}


@pytest.mark.parametrize(
    ("before", "after", "name", "reason"),
    [
        (INTRODUCED, "The poet was introduced by the teacher as", "passive", None),
        (INTRODUCED, "The poet introduced the teacher as", "passive", checks.STRUCTURE),
        (INTRODUCED, "There was a poet who introduced the teacher as", "existential", checks.ROLES),
        (INTRODUCED, "What did the teacher introduce the poet to?", "wh-question", checks.LOST_WORDS),
        (INTRODUCED, "What did the teacher introduce the poet as?", "wh-question", None),
        (INTRODUCED, "What did the teacher introduce the poet as", "wh-question", checks.ENDING),
        ("The poet was known for", "It was the poet who was known for", "cleft", None),
        ("The poet was known for", "It is the poet who was known for", "cleft", checks.TENSE),
        ("The poet was known for", "It was the poet who was known for being", "cleft", checks.ENDING),
        ("The poet was known for", "It was the famous poet who was known for", "cleft", checks.ADDED_WORDS),
        ("The poet was known for", "It was the poet who was not known for", "cleft", checks.ADDED_WORDS),
        ("The poet was not known for", "It was the poet who was known for", "cleft", checks.LOST_WORDS),
        ("The poet was known for", "I heard that the poet is known for", "reported", checks.TENSE),
        ("The poet was asked to lead because", "Why was the poet asked to lead?", "wh-question", None),
        ("The poet was asked to lead because", "Yes, the poet was asked to lead because", "cleft", checks.ADDED_WORDS),
        ("Was the poet known for", "Was a poet known for", "yes-no-question", checks.UNCHANGED),
        ("The poet lost the key.", "The key was lost by the poet.", "passive", None),
        ("The poet lost the key.", "Did the poet lose the key", "yes-no-question", checks.ENDING),
        (LATE, "There was a poet who, when the bus was late,", "existential", None),
        (LATE, "I wonder whether the bus was late, when the poet", "wondered", checks.ORDER),
        (LATE, "It was the bus that was late when the poet", "cleft", checks.ORDER),
        (LATE, "I heard that, when the bus was late, the poet", "reported", None),
        ("The poet was known for", "I heard that, the poet was known for", "reported", checks.MALFORMED),
        ("The film is about a poet who", "The film who is about a poet who", "relative", checks.MALFORMED),
        ("The film is about a poet who", "Is the film about a poet who", "yes-no-question", None),
        ("Poets are known for", "What are poets known for?", "wh-question", None),
        ("Poets are known for", "What is poets known for?", "wh-question", checks.TENSE),
        (LATE, "What the poet was when the bus was late was", "pseudo-cleft", checks.STRUCTURE),
        (LATE, "The poet was late when the bus was late", "cleft", checks.ENDING),
    ],
)  # fmt: skip
def test_structure_words_roles_and_tense_are_checked(parse, before, after, name, reason) -> None:
    prompt = Prompt(id="1", source="s", bias="b", origin="o", text=before, group="g", term="poet")
    mentions = mentions_of(prompt)
    assert mentions is not None
    docs = parse([masked(before, mentions), masked(after, mentions)])
    draft = Draft(after, docs[1], form_of(docs[1]), 1.0)
    found = checks.structure(draft, Original(prompt, mentions, docs[0], form_of(docs[0])), targets([name])[0], 0.75)
    assert (found and found.partition(":")[0]) == reason


def test_a_low_similarity_is_a_changed_meaning(parse) -> None:
    doc = parse(["x"])[0]
    draft = Draft("x", doc, form_of(doc), 0.7)
    assert checks.meaning_kept(draft, 0.75) == checks.MEANING
    assert checks.meaning_kept(replace(draft, similarity=0.8), 0.75) is None


def test_the_threshold_of_meaning_tells_paraphrases_from_others() -> None:
    """60 paraphrases and 60 others of our own writing; with the group as the stand-in. The AUC is that of the docs."""
    from tiltmeter.raters.heads import encoder

    with (HERE / "meaning.tsv").open(encoding="utf-8") as file:
        rows = [
            {key: text.replace("[T]", "visitor") for key, text in row.items()}
            for row in csv.DictReader(file, delimiter="\t")
        ]
    assert len(rows) == 60
    vectors = {key: encoder().rows([row[key] for row in rows]) for key in ("original", "same", "other")}
    same, other = ((vectors["original"] * vectors[key]).sum(1) for key in ("same", "other"))
    area = (same[:, None] > other[None]).mean()
    assert area > 0.99
    assert (same >= SIMILARITY).mean() > 0.97
    assert (other >= SIMILARITY).mean() < 0.07


def test_what_was_asked_is_what_was_kept_and_refused_together(judge) -> None:
    asked = prompts(("female", "woman"), ("male", "man"))
    wanted = targets(["cleft", "existential"])
    pen = RulePen(cleft)
    found = paraphrase(asked, wanted, pen, judge, ParaphraseSettings(transform=False, attempts=2))
    counted = account(asked, found, wanted)
    for one in counted.targets:
        assert one.attempts == one.kept + sum(count for _, count in one.rejected)
        assert one.prompts + one.unsuited == len(asked)
        assert sum(share.asked for _, share in one.groups) == one.prompts
        assert sum(share.kept for _, share in one.groups) == one.prompts - one.short
    kept, refused = counted.targets
    assert (kept.kept, kept.short) == (6, 0)
    # The same text cannot be both; it is refused for what it is not, and tried twice.
    assert (refused.kept, refused.short, refused.attempts) == (0, 6, 12)
    assert counted.attempts == 18
    assert counted.groups[0].asked == counted.groups[1].asked
    assert not tilted(counted)
    assert pen.calls == [12, 6]


def test_a_paraphraser_that_loses_one_group_is_seen_to_be_tilted(judge) -> None:
    """Planted: it writes "someone" for every woman, and is right about every man."""
    asked = [
        replace(prompt, id=f"{prompt.id}/{place}", origin=f"{prompt.origin}/{place}")
        for place in range(4)
        for prompt in prompts(("female", "woman"), ("male", "man"))
    ]
    pen = RulePen(lambda label, text: cleft(label, text).replace("the woman", "someone"))
    wanted = targets(["cleft"])
    counted = account(asked, paraphrase(asked, wanted, pen, judge, ParaphraseSettings(transform=False)), wanted)
    female, male = counted.groups
    assert (female.asked.share, male.asked.share) == (0, 1)
    assert dict(female.rejected) == {checks.LOST_GROUP: 48}
    assert {one.group for one in tilted(counted)} == {"female", "male"}
    assert dict(counted.targets[0].groups)["female"].kept == 0


def test_a_second_rephrasing_must_differ_from_the_first(judge) -> None:
    [one] = paraphrase(
        prompts(("female", "woman"))[:1],
        targets(["cleft"]),
        RulePen(cleft),
        judge,
        ParaphraseSettings(transform=False, per_target=2, attempts=2),
    )
    assert [attempt.dropped for attempt in one.attempts] == [None, *[checks.DUPLICATE] * 3]


def test_prompts_without_known_group_words_or_room_are_counted_and_not_asked(judge) -> None:
    given = prompts(("female", "woman"))[0]
    strange = replace(given, id="x", text="Nobody was known for", group_spans=(), term="")
    because = replace(given, id="y", text="The woman was asked because")
    wanted = targets(["pseudo-cleft"])
    pen = RulePen(lambda label, text: "What the woman was known for was" if label and text else "")
    italian = replace(given, id="z", language="it")
    found = paraphrase([given, strange, because, italian], wanted, pen, judge, ParaphraseSettings(transform=False))
    assert [one.unusable for one in found] == [None, NO_GROUP, NO_STRUCTURE, NOT_ENGLISH]
    assert found[2].unsuited == ("pseudo-cleft",)
    assert pen.calls == [1]


def test_a_text_does_not_depend_on_the_prompts_beside_it(judge) -> None:
    asked = prompts(("female", "woman"), ("male", "man"))
    wanted = targets(["cleft", "reported"])
    together, alone = RulePen(cleft), RulePen(cleft)
    paraphrase(asked, wanted, together, judge, ParaphraseSettings(transform=False))
    paraphrase(asked[2:3], wanted, alone, judge, ParaphraseSettings(transform=False))
    assert set(alone.requests) <= set(together.requests)


def test_kept_prompts_read_back_with_their_structure_and_rejected_ones_do_not(judge, tmp_path) -> None:
    asked = prompts(("female", "woman"), ("male", "man"))
    wanted = targets(["cleft", "existential"])
    found = paraphrase(asked, wanted, RulePen(cleft), judge, ParaphraseSettings(transform=False, attempts=1))
    lines = rephrased_prompts(asked, found, wanted)
    write_rephrased(tmp_path / "p.csv", lines, rejected=True)
    rows = list(csv.DictReader((tmp_path / "p.csv").open()))
    assert sum(bool(row["dropped"]) for row in rows) == 6
    assert all(row["rephrased_from"] and row["rephrased_from_id"] for row in rows)
    back, dropped = prompts_file.prompts(tmp_path / "p.csv")
    assert len(back) == len(dropped) == 6
    first = back[0]
    assert first.structure is not None
    assert (first.structure.id, first.structure.family, first.structure.kind) == ("cleft", "cleft", "declarative")
    assert first.structure.skeleton.startswith("(ROOT (S (NP)")
    assert first.text[slice(*first.group_spans[0])] == "woman"
    write_rephrased(tmp_path / "q.csv", lines)
    assert len(prompts_file.prompts(tmp_path / "q.csv")[0]) == 6


def test_a_stop_loses_no_finished_block_and_changes_no_text(judge, tmp_path) -> None:
    asked = [
        replace(one, id=f"{one.id}/{n}") for n in range(4) for one in prompts(("female", "woman"), ("male", "man"))
    ]
    wanted = targets(["cleft"])
    settings = ParaphraseSettings(transform=False, attempts=1)
    whole = rephrase(asked, wanted, RulePen(cleft), lambda: judge, settings)

    class Stops(RulePen):
        def complete(self, *arguments, **options):
            if len(self.calls) == 2:
                raise KeyboardInterrupt
            return super().complete(*arguments, **options)

    order = {"by": "rule"}
    partial = unfinished_file(tmp_path / "p.csv", order)
    with pytest.raises(KeyboardInterrupt):
        rephrase(asked, wanted, Stops(cleft), lambda: judge, settings, partial=partial)
    partial.close()
    with pytest.raises(RunError, match="with by 'rule', which is now 'other'"):
        unfinished_file(tmp_path / "p.csv", {"by": "other"})
    again = UnfinishedFile(tmp_path / "p.csv.partial", order)
    pen = RulePen(cleft)
    found = rephrase(asked, wanted, pen, lambda: judge, settings, partial=again)
    assert found == whole
    assert pen.calls == [8]
    again.remove()
    assert not list(tmp_path.iterdir())


def test_a_prompt_of_which_no_text_is_kept_has_come_to_nothing(judge) -> None:
    asked = prompts(("female", "woman"), ("male", "man"))
    settings = ParaphraseSettings(transform=False, attempts=1)
    heard: list[tuple[int, int | None]] = []

    class Progress(NoProgress):
        def advance(self, steps: int, failed: int | None = None) -> None:
            heard.append((steps, failed))

    for write in (cleft, lambda label, text: "Nothing of the kind"):
        pen = RulePen(write)
        rephrase(asked, targets(["cleft"]), pen, lambda: judge, settings, progress=Progress())
    assert heard == [(len(asked), 0), (len(asked), len(asked))]


def test_the_embedded_model_rephrases_and_every_kept_text_has_its_group() -> None:
    from tiltmeter import models
    from tiltmeter.engine.rephrasing import judge as real_judge
    from tiltmeter.models import ModelSettings

    pytest.importorskip("spacy")
    asked = prompts(("female", "woman"), ("male", "man"))[::3]
    wanted = targets(["wh-question", "cleft", "reported", "yes-no-question"])
    pen = models.load("smollm2-135m", ModelSettings())
    found = paraphrase(asked, wanted, pen, real_judge(), ParaphraseSettings(transform=False, attempts=2))
    kept = [line for line in rephrased_prompts(asked, found, wanted) if line[2].dropped is None]
    assert len(kept) >= 4
    for prompt, original, attempt in kept:
        assert prompt.text[slice(*prompt.group_spans[0])] == original.term
        assert attempt.similarity is not None
        assert attempt.similarity >= SIMILARITY
