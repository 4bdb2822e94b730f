from __future__ import annotations

import math

import pytest

from tests.shared import shared
from tests.sources.datasets import samples
from tiltmeter.errors import InvalidData
from tiltmeter.sources.datasets import stereoset


@pytest.fixture
def path(tmp_path):
    return samples.write(tmp_path / "dev.json", samples.stereoset())


def changed(tmp_path, change):
    data = samples.stereoset()
    change(data["data"])
    return samples.write(tmp_path / "changed.json", data)


def test_an_example_has_its_three_sentences_by_label(path) -> None:
    intra, inter = stereoset.read(path)
    assert (intra.task, intra.target, intra.bias_type) == ("intrasentence", "Martian", "race")
    assert [sentence.id for sentence in inter.sentences] == ["s4", "s5", "s6"]


def test_each_example_makes_one_stereotype_pair_and_two_meaning_pairs(path) -> None:
    made, dropped = stereoset.pairs(path)
    assert dropped == []
    assert [(pair.contrast, pair.groups, pair.stereotyped) for pair in made[:3]] == [
        ("stereotype", ("stereotype", "anti-stereotype"), 0),
        ("meaning", ("stereotype", "unrelated"), None),
        ("meaning", ("anti-stereotype", "unrelated"), None),
    ]
    assert {pair.bias for pair in made} == {"stereoset/intrasentence/race", "stereoset/intersentence/profession"}
    assert {pair.origin for pair in made} == {"Martian", "gardener"}
    assert len({pair.id for pair in made}) == 6


def test_group_spans_are_where_the_sentences_differ(path) -> None:
    made, _ = stereoset.pairs(path, task="intrasentence")
    stretches = [
        [pair.texts[side][slice(*span)] for side in (0, 1) for span in pair.group_spans[side]] for pair in made
    ]
    assert stretches[0] == ["martian", "very green", "Martian", "pale"]
    assert stretches[2] == ["pale", "Tuesday"]


def test_an_intersentence_sentence_is_scored_after_its_context(path) -> None:
    pair = stereoset.pairs(path, task="intersentence")[0][0]
    assert pair.texts[0] == "The gardener next door came over. His hands were muddy."
    assert [text[start:] for text, start in zip(pair.texts, pair.scored_from, strict=True)] == [
        "His hands were muddy.",
        "His hands were spotless.",
    ]
    assert [pair.texts[side][slice(*pair.group_spans[side][0])] for side in (0, 1)] == ["muddy", "spotless"]


def test_a_sentence_that_only_adds_a_word_has_a_span_on_one_side(tmp_path) -> None:
    def add(data):
        data["intersentence"][0]["sentences"][1]["sentence"] = "His big hands were muddy."

    pair = stereoset.pairs(changed(tmp_path, add), task="intersentence")[0][0]
    assert pair.group_spans[0] == ()
    assert pair.texts[1][slice(*pair.group_spans[1][0])] == "big"


def test_equal_sentences_are_dropped_with_the_reason(tmp_path) -> None:
    def repeat(data):
        data["intersentence"][0]["sentences"][1]["sentence"] = "His hands were muddy."

    made, dropped = stereoset.pairs(changed(tmp_path, repeat))
    assert len(made) == 5
    assert dropped[0].reason == "the two sentences are the same"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.clear(), "not a StereoSet file"),
        (lambda data: data.update(intrasentence={}), "not a list of examples"),
        (lambda data: data["intrasentence"].append(3), "example 2 of intrasentence is not an object"),
        (lambda data: data["intrasentence"][0].pop("id"), "example 1 of intrasentence has no text under `id`"),
        (lambda data: data["intrasentence"][0].pop("target"), "example `e1` has no text under `target`"),
        (lambda data: data["intrasentence"][0].update(sentences=None), "`e1` has no list of `sentences`"),
        (lambda data: data["intrasentence"][0]["sentences"].pop(), "no sentence labelled `unrelated`"),
        (lambda data: data["intrasentence"][0]["sentences"][0].update(gold_label=1), "no text under `gold_label`"),
        (lambda data: data["intrasentence"][0]["sentences"][0].update(gold_label="related"), "found `related`"),
        (lambda data: data["intrasentence"][0]["sentences"][0].update(gold_label="unrelated"), "found `unrelated`"),
        (lambda data: data["intrasentence"][0]["sentences"][0].update(sentence=" "), "no text under `sentence`"),
        (lambda data: data["intrasentence"][0]["sentences"][0].update(id="s2"), "sentence id `s2` is used more than"),
        (lambda data: data["intrasentence"].append(data["intrasentence"][0]), "example id `e1` is used more than"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(tmp_path, change, message) -> None:
    with pytest.raises(InvalidData, match=r"changed\.json.*" + message):
        stereoset.read(changed(tmp_path, change))


@pytest.mark.parametrize("content", ['{"data": {"intrasentence": [', "[1, 2]", "", "[" * 100_000, "1" * 5000])
def test_what_is_not_json_of_that_form_is_refused(tmp_path, content) -> None:
    for reader in (stereoset.read, stereoset.read_predictions):
        with pytest.raises(InvalidData, match=r"broken\.json"):
            reader(samples.write(tmp_path / "broken.json", content))


def test_check_counts_the_quirks(path, tmp_path) -> None:
    found = stereoset.check(path)
    assert (found["examples"], found["sentences"], found["targets"]) == (2, 6, 2)
    assert (found["sentences_that_do_not_fill_their_context"], found["of_these_only_in_capitals"]) == (1, 1)

    def blank(data):
        data["intrasentence"][0]["context"] = "My Martian BLANK is BLANK  today."

    assert stereoset.check(changed(tmp_path, blank))["contexts_with_two_blanks"] == 1


def test_predictions_are_read_by_task_and_id(tmp_path, path) -> None:
    scores = [{"id": "s1", "score": -3}, {"id": "s2", "score": None}, {"id": "s3", "score": math.nan}]
    scores.append({"id": "zz", "score": 10**400})
    file = samples.write(tmp_path / "p.json", {"intrasentence": scores, "model": "mine"})
    predictions = stereoset.read_predictions(file)
    assert list(predictions) == ["intrasentence"]
    assert predictions["intrasentence"]["zz"] == math.inf
    scored, notes = stereoset.scores_of(stereoset.read(path), predictions, file)
    assert len(scored) == 1
    assert scored[0][1][:2] == (-3.0, None)
    assert notes == [
        "intersentence: no predictions",
        "1 predictions have an id that is not in the data set, such as `zz`",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"intra": []}, "not a file of predictions"),
        ({"intrasentence": {}}, "not a list of predictions"),
        ({"intrasentence": [{"score": 1}]}, "prediction 1 of intrasentence has no text under `id`"),
        ({"intrasentence": [{"id": "s1", "score": "0.5"}]}, "the score of `s1` is '0.5', not a number"),
        ({"intrasentence": [{"id": "s1", "score": True}]}, "the score of `s1` is True, not a number"),
        ({"intrasentence": [{"id": "s1", "score": 1}] * 2}, "the id `s1` is listed twice"),
    ],
)
def test_malformed_predictions_are_refused(tmp_path, content, message) -> None:
    with pytest.raises(InvalidData, match=r"p\.json.*" + message):
        stereoset.read_predictions(samples.write(tmp_path / "p.json", content))


def test_predictions_for_another_file_are_refused(path) -> None:
    with pytest.raises(InvalidData, match="2 of 3 ids are not in the data set"):
        stereoset.scores_of(stereoset.read(path), {"intrasentence": {"x": 1.0, "y": 1.0, "s1": 1.0}}, "p.json")


def test_the_published_development_set() -> None:
    found = stereoset.check(shared("stereoset/dev.json"))
    assert found["by_task"] == {"intrasentence": 2106, "intersentence": 2123}
    assert found["sentences_that_do_not_fill_their_context"] == 2382
    assert found["contexts_with_two_blanks"] == 2
    made, dropped = stereoset.pairs(shared("stereoset/dev.json"))
    assert (len(made), len(dropped)) == (3 * 4229, 0)
    assert all(any(pair.group_spans) for pair in made)
