"""From a table of chances to estimates: hand-worked, planted, and against labour statistics."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tests.shared import shared
from tiltmeter.engine.next_words import ask
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.models.scripted import ScriptedModel
from tiltmeter.records import NextWord, NextWords, Prompt, Saliency
from tiltmeter.results.files.next_words import NextWordColumns, read_answers, summarise_next_word_file, write_answers
from tiltmeter.results.summary.labour import Labour
from tiltmeter.results.summary.next_words import ORIGINAL, Expected, NextWordSettings, summarise_next_words
from tiltmeter.results.summary.prompts import Prompts, by_perturbation
from tiltmeter.sources import word_sets
from tiltmeter.sources.labour_files import Occupation, match, read_labour
from tiltmeter.sources.perturbations import Perturbed, perturb_all
from tiltmeter.store import Answered, last_word

HE_SHE = word_sets.BUILT_IN["he-she"]
VERBS = ("said", "ran", "ate", "slept", "left", "sang")


def prompts(professions: list[str]) -> list[Prompt]:
    return [
        Prompt(
            f"{name}/{verb}",
            "test",
            "test",
            name,
            f"The {name} {verb} because",
            word_sets=HE_SHE,
            template=f"The [A] {verb} because",
            subject_spans=((4, 4 + len(name)),),
        )
        for name in professions
        for verb in VERBS
    ]


def planted(tilt: float, professions: list[str]) -> ScriptedModel:
    """After the first half of the professions `she` weighs e^tilt more, after the others `he` does."""
    half = len(professions) // 2
    tilts = {name: {"she" if at < half else "he": tilt} for at, name in enumerate(professions)}
    return ScriptedModel({"he": 1, "she": 1, "other": 2}, tilts)


def test_a_planted_lean_is_recovered_and_vanishes_with_the_profession(tmp_path: Path) -> None:
    names = [f"job{letter}" for letter in "abcdefghij"]
    model = planted(math.log(3), names)
    asked = perturb_all(prompts(names), ["original", "person", "deleted", "hidden"])
    write_answers(tmp_path / "w.csv", "scripted", ask(model, asked, HE_SHE), HE_SHE, bounded=False)
    found = summarise_next_word_file(tmp_path / "w.csv")
    overall = found["overall"]["pairs"]["male/female"]
    # After half of them she weighs 3 of 6 and he 1 of 6, after the others the other way round.
    assert overall["absolute_difference"]["value"] == pytest.approx(1 / 3)
    assert overall["difference"]["value"] == pytest.approx(0, abs=1e-12)
    assert overall["share"]["value"] == pytest.approx(0.5)
    assert overall["kl"]["value"] == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5))
    assert overall["ratio"]["value"] == pytest.approx((3 + 1 / 3) / 2)
    assert overall["log_ratio"]["value"] == pytest.approx(0, abs=1e-12)
    by_job = found["overall"]["by_profession"]
    assert by_job["joba"]["pairs"]["male/female"]["log_ratio"]["value"] == pytest.approx(-math.log(3))
    assert by_job["jobj"]["pairs"]["male/female"]["share"]["value"] == pytest.approx(0.75)
    assert len(found["overall"]["by_template"]) == len(VERBS)
    for name in ("person", "deleted", "hidden"):
        part = found["perturbations"][name]["pairs"]["male/female"]
        assert part["absolute_difference"]["value"] == pytest.approx(0, abs=1e-12)
        assert found["contrasts"][name]["male/female"]["absolute_difference"]["value"] == pytest.approx(1 / 3)
    assert found["overall"]["resampled_over"] == {"profession": 10, "template": 6}
    assert found["overall"]["certainty"]["highest"]["value"] == pytest.approx(0.5)


def test_unscored_words_are_counted_with_their_reason(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(
        "prompt,profession,group,word,probability,unscored\n"
        "1,nurse,male,he,0.1,\n1,nurse,female,she,0.3,\n"
        "2,cook,male,he,,too long\n2,cook,female,she,0.2,\n",
        encoding="utf-8",
    )
    found = summarise_next_word_file(path)
    difference = found["overall"]["pairs"]["male/female"]["difference"]
    assert (difference["value"], difference["n"], difference["n_unscored"]) == (pytest.approx(-0.2), 1, 1)
    assert found["overall"]["unscored"] == {"male": {"he: too long": 1}}
    assert any("1 prompts unscored: he: too long" in note for note in found["notes"])


def only(prompts: Prompts) -> dict[str, float]:
    """The chances after a single prompt."""
    return {group: float(chance) for group, [chance] in prompts.chances.items()}


def test_the_first_word_or_all_words_of_a_group(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("prompt,group,word,logprob\n1,m,he,-1\n1,m,his,-2\n1,f,she,-3\n1,f,her,-4\n", encoding="utf-8")
    found = read_answers(path)
    whole, first = (each.prompts[ORIGINAL] for each in (found, read_answers(path, NextWordColumns(combine="first"))))
    assert found.rows == 4
    assert found.words == (("m", ("he", "his")), ("f", ("she", "her")))
    assert only(whole) == pytest.approx({"m": math.exp(-1) + math.exp(-2), "f": math.exp(-3) + math.exp(-4)})
    assert only(first) == pytest.approx({"m": math.exp(-1), "f": math.exp(-3)})
    assert (whole.professions.names, whole.templates.codes.tolist()) == (["1"], [-1])


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("prompt,group,word\n1,m,he\n", "`probability` or `logprob`"),
        ("prompt,group,word,probability\n1,m,he,2\n1,f,she,0.1\n", "no probability"),
        ("prompt,group,word,probability\n1,m,he,x\n1,f,she,0.1\n", "no number"),
        ("prompt,group,word,logprob\n1,m,he,0.5\n1,f,she,-1\n", "no logarithm"),
        ("prompt,group,word,probability\n1,m,he,0.1\n1,m,he,0.2\n1,f,she,0.2\n", "stands twice"),
        ("prompt,group,word,probability\n1,m,he,0.1\n", "at least two groups"),
        ("prompt,group,word,probability\n1,m,he,0.1\n1,f,he,0.1\n", "belongs to both m and f"),
        ("model,prompt,group,word,probability\na,1,m,he,0.1\nb,1,f,she,0.1\n", "must not be mixed"),
        ("capitalised,prompt,group,word,probability\n,1,m,he,0.1\n1,1,f,she,0.1\n", "--where capitalised=1"),
        ("prompt,group,word,probability\n1,m/f,he,0.1\n1,x,she,0.1\n", "contain / or ="),
        ("prompt,group,word,probability,shared\n1,m,he,0.1,2\n1,f,she,0.1,0\n", "`shared`: 2 is no probability"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_one_sentence(table: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(UserError, match=problem) as refused:
        read_answers(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("given", [None, True, False])
def test_whether_capitals_count_is_passed_on(given: bool | None) -> None:
    class Noting(ScriptedModel):
        def next_words(self, *arguments: Any, **options: Any) -> list[NextWords]:
            seen.append(options["capitalised"])
            return super().next_words(*arguments, **options)

    seen: list[bool | None] = []
    ask(
        Noting({"he": 1, "she": 1, "other": 2}), perturb_all(prompts(["cook"]), ["original"]), HE_SHE, capitalised=given
    )
    assert seen == [given]


@pytest.mark.parametrize("name", ["x/y", "x=y"])
def test_names_of_groups_leave_room_for_the_names_of_pairs(name: str) -> None:
    with pytest.raises(UserError, match="contain / or ="):
        word_sets.check_word_sets({name: ["he"], "f": ["she"]})


def answered(*words: NextWord, text: str = "The nurse said that", saliency: Saliency | None = None) -> Answered:
    prompt = Prompt(text, "s", "b", text, text, word_sets=HE_SHE, template="t", subject_spans=((4, 9),))
    return Answered(Perturbed(prompt, "original"), NextWords(words), saliency)


def test_what_two_words_share_goes_through_a_file(tmp_path: Path) -> None:
    her = NextWord("her", math.log(0.5), shared=())
    hers = NextWord("hers", math.log(0.25), shared=((("her", "he"), math.log(0.2)),))
    own = NextWord("her own", math.log(0.125), shared=())
    he = NextWord("he", math.log(0.1), shared=())
    sets = (("male", ("he",)), ("female", ("her", "hers", "her own")))
    write_answers(tmp_path / "w.csv", "m", [answered(he, her, hers, own)], sets, bounded=False)
    assert only(read_answers(tmp_path / "w.csv").prompts[ORIGINAL]) == pytest.approx(
        {"male": 0.1, "female": 0.5 + 0.05 + 0.125}
    )
    # A file that does not say goes by the words.
    (tmp_path / "w.csv").write_text(
        "prompt,group,word,probability\n1,f,her,0.5\n1,f,her own,0.125\n1,m,he,0.1\n", encoding="utf-8"
    )
    assert only(read_answers(tmp_path / "w.csv").prompts[ORIGINAL]) == pytest.approx({"f": 0.5, "m": 0.1})


def test_the_saliency_of_a_file_is_averaged(tmp_path: Path) -> None:
    texts = [f"The nurse {verb} that" for verb in VERBS]
    made = [
        answered(
            NextWord("he", -1.0),
            NextWord("she", -2.0),
            text=text,
            saliency=Saliency("he", "integrated-gradients", ((4, 9), last_word(text) or (0, 0)), (), (at, 1.0), 0.1),
        )
        for at, text in enumerate(texts, start=1)
    ]
    write_answers(tmp_path / "w.csv", "m", made, HE_SHE, bounded=False, saliency=True)
    found = summarise_next_word_file(tmp_path / "w.csv")["saliency"]
    assert found["profession"]["value"] == pytest.approx(sum(at / (at + 1) for at in range(1, 7)) / 6)
    assert found["last"]["value"] == pytest.approx(sum(1 / (at + 1) for at in range(1, 7)) / 6)
    assert found["profession"]["low"] < found["profession"]["value"] < found["profession"]["high"]
    assert (found["residue"]["value"], found["residue"]["n"]) == (pytest.approx(0.1), 6)
    write_answers(tmp_path / "w.csv", "m", made, HE_SHE, bounded=False)
    assert summarise_next_word_file(tmp_path / "w.csv")["saliency"] == {}


def test_a_note_that_is_true_of_several_perturbations_is_said_once() -> None:
    items = [
        Expected("1", "nurse", None, {"m": 0.1, "f": None}, perturbation, unscored={"f": "she: too long"})
        for perturbation in ("original", "person")
    ]
    notes = summarise_next_words(by_perturbation(items)).notes
    assert "original, person: f: 1 prompts unscored: she: too long" in notes
    assert len({note.partition(": ")[2] for note in notes}) == len(notes)


def test_every_pair_of_groups_or_each_against_a_reference() -> None:
    items = [Expected("1", "nurse", None, {"a": 0.1, "b": 0.2, "c": 0.3})]
    pairs = summarise_next_words(by_perturbation(items)).perturbations["original"].overall.pairs
    assert list(pairs) == ["a/b", "a/c", "b/c"]
    against = (
        summarise_next_words(by_perturbation(items), NextWordSettings(reference="c"))
        .perturbations["original"]
        .overall.pairs
    )
    assert list(against) == ["a/c", "b/c"]


def test_occupations_are_matched_by_what_their_titles_name() -> None:
    table = [
        Occupation("Registered nurses", 0.9, 300),
        Occupation("Licensed practical nurses", 0.8, 100),
        Occupation("Database administrators and architects", 0.3),
        Occupation("Architects, except landscape and naval", 0.2),
        Occupation("Supervisors of police and detectives", 0.1),
        Occupation("Secretaries and administrative assistants", 0.95),
        Occupation("Actors", None),
    ]
    found = {each.profession: each for each in match(["nurse", "architect", "detective", "secretary", "actor"], table)}
    assert found["architect"].titles == ("Architects, except landscape and naval",)
    assert found["secretary"].share == 0.95
    assert [found[name].how for name in ("nurse", "detective", "actor")] == ["unmatched", "unmatched", "missing"]
    [nurse] = match(["nurse"], table, by_head=True)
    assert (nurse.how, nurse.share) == ("head", pytest.approx((0.9 * 300 + 0.8 * 100) / 400))


def test_the_table_of_the_bureau_of_labor_statistics_reads_as_it_is() -> None:
    table = read_labour(shared("professions/bls_2020_cpsaat11.csv"))
    by_title = {each.title: each for each in table}
    assert by_title["Chief executives"] == Occupation("Chief executives", 0.293, 1669.0)
    assert by_title["Legislators"].share is None
    assert not any(each.title.lower().startswith(("note", "occupation,", "household data", "annual")) for each in table)
    [secretary] = match(["secretary"], table)
    assert secretary.share == pytest.approx(0.93, abs=0.01)


def test_plain_tables_of_shares_and_of_per_cents(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("occupation,share_women\nnurse,0.9\nsmith,0.1\n", encoding="utf-8")
    (tmp_path / "b.tsv").write_text("profession\tfemale\nnurse\t90%\nsmith\t10\nusher\t–\n", encoding="utf-8")
    assert read_labour(tmp_path / "a.csv") == [Occupation("nurse", 0.9), Occupation("smith", 0.1)]
    assert [each.share for each in read_labour(tmp_path / "b.tsv")] == [0.9, 0.1, None]
    (tmp_path / "c.csv").write_text("occupation,x\nnurse,1\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="no column is called women"):
        read_labour(tmp_path / "c.csv")


def test_a_model_is_held_against_the_world() -> None:
    world = {f"job{at}": at / 10 for at in range(1, 10)}
    items = [
        Expected(name, name, None, {"male": 0.1 * (0.8 - 0.5 * share), "female": 0.1 * (0.2 + 0.5 * share)})
        for name, share in world.items()
    ]
    items.append(Expected("other", "unheard of", None, {"male": 0.1, "female": 0.1}))
    labour = Labour(tuple(Occupation(name, share) for name, share in world.items()))
    found = summarise_next_words(by_perturbation(items), NextWordSettings(labour=labour)).labour
    assert found is not None
    assert found["slope"]["value"] == pytest.approx(0.5)
    assert found["above"]["value"] == pytest.approx(0.2 - 0.25)
    assert found["spearman"]["value"] == 1.0
    assert (found["group"], found["against"], found["unmatched"]) == ("female", "male", ["unheard of"])
    with pytest.raises(UserError, match="groups of women and men"):
        summarise_next_words(
            by_perturbation([Expected("1", "a", None, {"x": 0.1, "y": 0.2})]), NextWordSettings(labour=labour)
        )


def test_the_last_word_is_found_before_spaces() -> None:
    assert last_word("") is None
    assert last_word("A nurse, where ") == (9, 14)
    assert last_word("A nurse, where [MASK] left.") == (9, 14)
    assert last_word("[MASK] left.") is None
