from __future__ import annotations

import json

import pytest

from tiltmeter.errors import InvalidData
from tiltmeter.sources import natural
from tiltmeter.sources.natural import reasons
from tiltmeter.sources.natural.sentence_files import NaturalSentence, read_sentences, write_sentences

COOK = "A [profession:cook] is a [person:worker] who boils rice in a kitchen[continue:, where]"


def lines(path, *objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return path


def test_what_was_written_is_read_back_with_its_prompt_made_anew(tmp_path) -> None:
    used = NaturalSentence("a", "cook", True, "out of date", COOK, "A cook boils rice.", "kitchens/Cook/0", ("cut",))
    left = NaturalSentence("b", "fireman", False, "", "", "A fireman is …", reason="a gendered profession")
    write_sentences(tmp_path / "n.jsonl", [used, left])
    found = read_sentences(tmp_path / "n.jsonl")
    assert found[0].prompt == "A cook is a person who boils rice in a kitchen, where"
    assert (found[0].steps, found[1]) == (("cut",), left)


def test_a_corrected_file_is_a_source_of_its_own(tmp_path) -> None:
    path = lines(tmp_path / "n.jsonl", {"annotated": COOK}, {"use": False, "sentence": "Cooking is an art."})
    made, dropped = natural.prompts(path)
    assert [(prompt.origin, prompt.status, prompt.template) for prompt in made] == [("cook", "natural", "line-1")]
    assert [(one.text, one.reason) for one in dropped] == [("Cooking is an art.", "left out by hand")]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"annotated": "A cook waits"}, "n.jsonl, line 1, `annotated`: 0 professions are marked"),
        ({"use": True}, "line 1, `annotated`: a sentence with `use` = true needs its marks here"),
        ({"annotated": COOK, "use": "yes"}, "line 1, `use`: must be true or false, not 'yes'"),
        ({"annotated": 3}, "line 1, `annotated`: must be text, not 3"),
        ({"annotated": COOK, "steps": "cut"}, "line 1, `steps`: must be a list of texts"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(tmp_path, value, problem) -> None:
    with pytest.raises(InvalidData, match=problem):
        read_sentences(lines(tmp_path / "n.jsonl", value))


def test_an_id_that_stands_twice_and_an_empty_file_are_refused(tmp_path) -> None:
    double = {"id": "a", "annotated": COOK}
    with pytest.raises(InvalidData, match="the id `a` is used more than once"):
        read_sentences(lines(tmp_path / "n.jsonl", double, double))
    with pytest.raises(InvalidData, match="it has no sentences"):
        read_sentences(lines(tmp_path / "n.jsonl"))


def test_a_corrected_profession_reaches_the_origin(tmp_path) -> None:
    nurse = {"profession": "nurse", "annotated": "A [profession:Head nurse] is a person who waits[continue:, and]"}
    [prompt], _ = natural.prompts(lines(tmp_path / "n.jsonl", nurse))
    assert (prompt.origin, prompt.attribute) == ("head nurse", "head nurse")


def test_the_rest_of_a_corpus_takes_little_room_and_is_not_among_what_was_dropped(tmp_path) -> None:
    rest = NaturalSentence("a", "", False, "", "", "It rained.", reason=reasons.NO_PROFESSION)
    write_sentences(tmp_path / "n.jsonl", [rest])
    written = json.loads((tmp_path / "n.jsonl").read_text(encoding="utf-8"))
    assert list(written) == ["id", "profession", "use", "sentence", "reason"]
    assert natural.prompts(tmp_path / "n.jsonl") == ([], [])
