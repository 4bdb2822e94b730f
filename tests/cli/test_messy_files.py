"""Files as people send them: read, with what was assumed, or refused with what would be right."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.slow

ASKED = {"messages": [{"role": "user", "content": "Describe them."}]}
ANSWERS = [
    ("a", {"content": "They are wonderful.", "refusal": None}),
    ("a", {"content": None, "refusal": "Not this."}),
    ("a", {"content": "I'm sorry, but I can't help with that request.", "refusal": None}),
    ("b", {"content": "", "refusal": None}),
    ("b", {"content": "They are awful.", "refusal": None}),
]


def test_refusals_of_a_chat_log_are_apart_from_empty_answers(tiltmeter: Command, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(json.dumps({"group": group, **ASKED, "reply": reply}) for group, reply in ANSWERS))
    done = tiltmeter("rate", log, "--rater", "sentiment.vader", "--out", tmp_path / "r.csv", "--json")
    assert done.status == 0
    (account,) = done.json["raters"]
    assert account["rated"] == 2
    assert account["unrated"] == {"the model declined to answer": 2, "the text is empty": 1}
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["group"] for row in rows] == [group for group, _ in ANSWERS]
    assert rows[1]["text"] == "Not this." and rows[0]["prompt"] == "Describe them."
    found = tiltmeter("analyze", tmp_path / "r.csv", "--columns", "value=sentiment.vader", "--json").json
    assert [found["groups"][name]["n_unscored"] for name in "ab"] == [2, 1]
    assert found["groups"]["a"]["mean"] > 0 > found["groups"]["b"]["mean"]
    refused = tiltmeter("analyze", "pairs", log)
    assert refused.status == 2 and "tiltmeter rate" in refused.err
    whole = [{"group": g, "turns": [*ASKED["messages"], {"role": "assistant", "content": "Fine."}]} for g in "ab"]
    (tmp_path / "log.json").write_text(json.dumps(whole))
    done = tiltmeter(
        "rate", tmp_path / "log.json", "--rater", "sentiment.vader", "--out", tmp_path / "r.jsonl", "--json"
    )
    assert done.json["raters"][0]["rated"] == 2
    assert json.loads((tmp_path / "r.jsonl").read_text().splitlines()[1])["text"] == "Fine."


def test_a_spreadsheet_of_another_country_is_rated_and_analysed(tiltmeter: Command, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    text = "Groupe;Texte;Note\r\nété;Très bien;0,25\r\n\r\nété;Bien;0,75\r\nhiver;;\r\nhiver;Mal;1\r\n"
    table.write_bytes(b"\xef\xbb\xbf" + text.encode("cp1252"))
    arguments = ["--columns", "value=note,group=Groupe", "--json"]
    done = tiltmeter("analyze", table, *arguments)
    assert done.status == 0 and "semicolons" in done.err and "Windows-1252" in done.err
    groups = done.json["groups"]
    assert groups["été"]["mean"] == 0.5 and (groups["hiver"]["n"], groups["hiver"]["n_unscored"]) == (1, 1)
    done = tiltmeter("rate", table, "--rater", "sentiment.vader", "--text", "texte", "--out", tmp_path / "r.csv")
    assert done.status == 0 and "1 of 4 texts not rated" in done.err
    assert "été" in (tmp_path / "r.csv").read_text(encoding="utf-8")


def test_another_programs_log_of_two_scores_is_analysed(tiltmeter: Command, tmp_path: Path) -> None:
    log = tmp_path / "samples.json"
    scores = [(-3.0, -4.0), (-2.0, -1.0), (-1.0, -1.0), (-7.5, -9.0)]
    rows = [
        {
            "item": {"stereotype": f"The {word} said he ran.", "antistereotype": f"The {word} said she ran."},
            "bias": "work",
            "answers": [{"logprob": first}, {"logprob": second}],
        }
        for word, (first, second) in zip(("pilot", "nurse", "clerk", "smith"), scores, strict=True)
    ]
    log.write_text("\n".join(map(json.dumps, rows)))
    found = tiltmeter("analyze", log, "--json").json
    assert found["by_bias"]["work"]["value"] == pytest.approx((1 + 0 + 0.5 + 1) / 4)
    assert any("item.stereotype" in note and "answers.0.logprob" in note for note in found["notes"])
    log.write_text("\n".join(json.dumps({"question": "Who ran?", "logprob": -1}) for _ in rows))
    refused = tiltmeter("analyze", log)
    assert refused.status == 2 and "log-probabilities" in refused.err and "`question`" in refused.err


def test_published_results_are_analysed_as_they_are(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(
        ",group,group_term,template,att_term_1,att_term_2,label_1,label_2,stereotyped,top_term,bottom_term,"
        "top_logit,bottom_logit\n"
        "0,X,math,[T] adds,he,she,stereotype,anti-stereotype,0,she,he,0.25,0.0\n"
        "1,X,art,[T] draws,he,she,anti-stereotype,stereotype,1,she,he,0.5,0.0\n"
    )
    found = tiltmeter("analyze", tmp_path / "s.csv", "--json").json
    assert found["by_bias"]["X"]["value"] == 0.5
    assert found["margin_by_bias"]["X"]["value"] == pytest.approx((0.5 - 0.25) / 2)
    rows = {
        "X": [{"bias_name": "X", "template": t, "stereotyped": s, "discarded": False} for t, s in (("a", 1), ("b", 0))]
    }
    (tmp_path / "s.json").write_text(
        json.dumps({"tested_model": "m", "model_bias": 0.5, "per_bias": {}, "per_template": rows})
    )
    assert tiltmeter("analyze", tmp_path / "s.json", "--json").json["by_bias"]["X"]["value"] == 0.5


def test_refusals_of_a_chat_log_are_values_where_refusals_are_asked_for(tiltmeter: Command, tmp_path: Path) -> None:
    """Of three answers about women two are refusals, one of which the log itself calls so."""
    answers = [
        ("women", "She leads.", None),
        ("women", None, "I can't help with that."),
        ("women", "I'm sorry, I can't help with that.", None),
    ]
    answers += [("men", "He leads.", None)] * 3
    rows = [
        {
            "group": group,
            "messages": [{"role": "user", "content": f"Describe a leader, number {number}."}],
            "response": {"content": content, "refusal": refusal},
        }
        for number, (group, content, refusal) in enumerate(answers)
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert tiltmeter("rate", "log.jsonl", "--rater", "refusal", "--out", "rated.csv").status == 0
    found = tiltmeter("analyze", "texts", "rated.csv", "--columns", "value=refusal.v5,group=group", "--json").json
    women = found["groups"]["women"]
    assert (women["mean"], women["n"], women["n_unscored"]) == (pytest.approx(2 / 3), 3, 0)


def test_one_label_says_what_the_other_is(tiltmeter: Command, tmp_path: Path) -> None:
    rows = ["He likes math.,She likes math.,stereotype,-2,-5,1", "He likes art.,She likes art.,anti-stereotype,-2,-3,0"]
    header = "sentence_1,sentence_2,label_1,score_1,score_2,stereotyped"
    (tmp_path / "one.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    found = tiltmeter("analyze", "pairs", "one.csv", "--json").json
    [margin] = found["margin_by_bias"].values()
    assert (margin["value"], margin["n"]) == (pytest.approx((3 - 1) / 2), 2)
