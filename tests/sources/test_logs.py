"""Logs and lists of other programs, whatever their fields are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.errors import InvalidData
from tiltmeter.sources import open_prompts_file, prompts_file
from tiltmeter.sources.chat_logs import conversation
from tiltmeter.sources.numbers import as_number, decimal_commas
from tiltmeter.sources.pair_logs import pair_fields
from tiltmeter.sources.pairs_file import read
from tiltmeter.sources.tables import kind_of, read_table
from tiltmeter.sources.word_sets import BUILT_IN

ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Describe her."}]


@pytest.mark.parametrize(
    ("row", "text", "refused"),
    [
        ({"messages": ASKED, "response": {"content": "She is calm.", "refusal": None}}, "She is calm.", "0"),
        ({"messages": ASKED, "response": {"content": None, "refusal": "No."}}, "No.", "1"),
        ({"messages": ASKED, "response": {"content": "", "refusal": None}}, "", "0"),
        ({"log": {"turns": [*ASKED, {"role": "assistant", "content": "She is calm."}]}}, "She is calm.", "0"),
        (
            {
                "request": {"body": {"messages": ASKED}},
                "reply": {"choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": "Ok"}]}}]},
            },
            "Ok",
            "0",
        ),
        ({"messages": ASKED, "completion": "She is calm."}, "She is calm.", "0"),
        ({"messages": ASKED, "response": None, "refusal": "No."}, "No.", "1"),
        ({"dialogue": ASKED, "out": {"type": "message", "content": [], "stop_reason": "refusal"}}, "", "1"),
    ],
)
def test_an_answer_is_found_wherever_the_log_has_it(row: dict[str, Any], text: str, refused: str) -> None:
    assert conversation(row) == {
        "system": "Be brief.",
        "prompt": "Describe her.",
        "text": text,
        "refused": refused,
    }


def test_what_logs_no_conversation_has_no_such_cells() -> None:
    assert conversation({"text": "x", "people": [{"name": "a"}]}) == {}
    assert conversation({"messages": ASKED}) == {}


SENTENCES = [
    ("The pilot said he was tired.", "The pilot said she was tired.", -31.25, -33.5),
    ("The clerk said she was ill.", "The clerk said he was ill.", -29.5, -29.0),
]


@pytest.mark.parametrize(
    "shape",
    [
        lambda a, b, p, q: {
            "doc": {"sent_more": a, "sent_less": b},
            "resps": [[[str(p), "No"]], [[str(q), "No"]]],
        },
        lambda a, b, p, q: {"out": [[p, 7], [q, 7]], "in": {"stereo_text": a, "anti_stereo_text": b}, "n": 3},
        lambda a, b, p, q: {"less_lp": q, "more_lp": p, "note": "one of many", "more": a, "less": b},
    ],
)
def test_two_variants_of_a_sentence_and_their_scores_are_found(shape: Any) -> None:
    rows = [shape(*one) for one in SENTENCES]
    fields = pair_fields(rows)
    assert fields is not None and fields.stereotyped == 0
    for row, (first, second, *scores) in zip(rows, SENTENCES, strict=True):
        cells = fields.cells(row)
        assert (cells["sentence_1"], cells["sentence_2"]) == (first, second)
        assert [float(cells["score_1"]), float(cells["score_2"])] == scores
        assert (cells["label_1"], cells["label_2"]) == ("stereotype", "anti-stereotype")


def test_a_log_that_holds_each_sentence_twice_is_read_by_the_fields_with_names() -> None:
    rows = [
        {"arguments": [["", a], ["", b]], "doc": {"sent_more": a, "sent_less": b}, "filtered_resps": [[p, 0], [q, 0]]}
        for a, b, p, q in SENTENCES
    ]
    fields = pair_fields(rows)
    assert fields is not None
    assert fields.texts == (("doc", "sent_more"), ("doc", "sent_less"))
    assert fields.scores == (("filtered_resps", "0", "0"), ("filtered_resps", "1", "0"))


def test_rows_without_two_variants_are_no_pairs() -> None:
    rows = [{"prompt": "Where is the harbour?", "answer": "It lies to the north.", "logprob": -3.0}]
    assert pair_fields(rows) is None and pair_fields([]) is None


def test_pairs_of_a_log_can_be_scored_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps({"doc": {"more": a, "less": b}}) for a, b, *_ in SENTENCES))
    found = read(path)
    assert [row.pair.texts for row in found.rows if row.pair] == [one[:2] for one in SENTENCES]
    assert [row.pair.stereotyped for row in found.rows if row.pair] == [0, 0]
    path.write_text(json.dumps({"question": "Where is it now?"}))
    with pytest.raises(InvalidData, match="no pairs in the columns `question`"):
        read(path)


@pytest.mark.parametrize(
    "content",
    [
        {"tanner": ["A {} sat", "The {} saw a {}"], "smith": ["A {} sat", "The {} saw a {}"]},
        [
            {"job": "tanner", "prompts": ["A {job} sat", "The {job} saw a {job}"]},
            {"job": "smith", "prompts": ["A {job} sat", "The {job} saw a {job}"]},
        ],
        {"templates": ["A {} sat", "The {} saw a {}"], "jobs": ["tanner", "smith"]},
    ],
)
def test_prompts_under_names_are_filled(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "braces.json"
    path.write_text(json.dumps(content, indent=1))
    made, dropped = open_prompts_file.read(path, BUILT_IN["pronouns"])
    assert [(one.origin, one.text) for one in made] == [
        ("tanner", "A tanner sat"),
        ("tanner", "The tanner saw a tanner"),
        ("smith", "A smith sat"),
        ("smith", "The smith saw a smith"),
    ]
    assert not dropped and made[1].template == "The {} saw a {}"
    assert [one.group for one in prompts_file.prompts(path)[0]] == ["tanner", "tanner", "smith", "smith"]


def test_one_prompt_for_a_name_and_groups_above_the_names(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"tanner": "A {} sat", "smith": "The {} ran"}))
    assert [cells["text"] for _, cells in read_table(path)[1]] == ["A tanner sat", "The smith ran"]
    path.write_text(json.dumps({"old": {"tanner": ["A {} sat"]}, "new": {"coder": ["A {} sat"]}}))
    assert [(cells["group"], cells["profession"]) for _, cells in read_table(path)[1]] == [
        ("old", "tanner"),
        ("new", "coder"),
    ]
    path.write_text("{}")
    with pytest.raises(InvalidData, match="no rows; write"):
        read_table(path)


def test_json_is_never_read_as_csv(tmp_path: Path) -> None:
    lines = '{"text": "a, b", "group": "x"}\n{"text": "c", "group": "y"}\n'
    for name in ("log.csv", "log.txt", "log.jsonl", "log.json"):
        (tmp_path / name).write_text(lines)
        assert kind_of(tmp_path / name) == "json-lines"
        assert [cells["text"] for _, cells in read_table(tmp_path / name)[1]] == ["a, b", "c"]
    (tmp_path / "t.csv").write_text("{a},b\n1,2\n")
    assert kind_of(tmp_path / "t.csv") == "csv"


def test_a_comma_is_a_decimal_sign_where_nothing_else_fits() -> None:
    assert decimal_commas(["0,4", "1,234", "3"]) and as_number("1,234", comma=True) == 1.234
    assert as_number("1.234,5", comma=True) == 1234.5
    assert not decimal_commas(["1,234", "12"]) and not decimal_commas(["0.4", "0,4"])


def test_what_sentences_were_made_from_is_read_beside_them() -> None:
    def row(number: int, origin: str) -> dict[str, Any]:
        first, second, *scores = SENTENCES[number % len(SENTENCES)]
        doc = {"sent_more": first, "sent_less": second, "origin": origin, "attribute": origin, "template": "[T] said"}
        return {"doc": doc, "origin": "elsewhere", "resps": [[[str(score), "False"]] for score in scores]}

    fields = pair_fields([row(0, "pilot"), row(1, "clerk")])
    assert fields is not None
    cells = fields.cells(row(1, "clerk"))
    assert (cells["origin"], cells["attribute"], cells["template"]) == ("clerk", "clerk", "[T] said")
    assert "term" not in cells
