"""Logs of other programs: what becomes of every answer, counted by hand."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.results.logged import (
    CROWS,
    Row,
    archive,
    bbq,
    crows,
    decision,
    harness,
    inspect_sample,
    sample,
    statement,
    written,
    zstandard,
)
from tiltmeter.errors import InvalidData, RunError, UserError
from tiltmeter.measures.scorers import LOG_CHOICE, LOG_PER_CHARACTER, LOG_SUM
from tiltmeter.results.cells import table_of
from tiltmeter.results.files.logs import LogQuery, import_log, measured_log, read_log
from tiltmeter.results.files.logs.placing import FAILED_AS_ZERO, NO_CHOICE, NO_LOGPROB
from tiltmeter.results.files.rated_values import DECLINED
from tiltmeter.results.measurements.columns import MEASUREMENTS
from tiltmeter.sources.logs.sides import CANNOT_TELL, UNPLACED


def values(rows: list[Row], measure: str = "preference", **choices: str) -> dict[str, float | None]:
    """By item, the values of one measure."""
    return {
        row["item"].rpartition("/")[2]: row["value"]
        for row in rows
        if row["measure"] == measure and all(row[name] == one for name, one in choices.items())
    }


def rated(rows: list[Row], what: str, **choices: str) -> list[tuple[str, float | None]]:
    """The group and the value of each measurement of a figure of the log."""
    return [
        (row["group"], row["value"])
        for row in rows
        if row["rater"]
        and row["rater"].startswith(f"column.v1:{what}[")
        and all(row[k] == v for k, v in choices.items())
    ]


@pytest.mark.parametrize("old", [False, True])
def test_two_sentences_are_a_pair_with_the_share_that_the_harness_gives(tmp_path: Path, old: bool) -> None:
    made = crows(old=old)
    rows = read_log(harness(tmp_path, "crows_pairs_english", made))
    assert all(set(row) == set(MEASUREMENTS) for row in rows)
    found = values(rows, scorer=LOG_SUM)
    assert list(found.values()) == [one["pct_stereotype"] for one in made] == [1, 1, 0, 1, 0, 1]
    margins = values(rows, "margin", scorer=LOG_SUM)
    assert list(margins.values()) == [first - second for *_, first, second in CROWS]
    shorter = values(rows, "margin", scorer=LOG_PER_CHARACTER)["4"]
    assert shorter == pytest.approx(-11 / len(CROWS[4][0]) + 10 / len(CROWS[4][1]))
    assert {(row["model"], row["bias"], row["group"]) for row in rows if row["against"]} == {
        ("org/model-a", "gender", "disadvantaged")
    }
    assert sorted({row["origin"] for row in rows}) == [str(at) for at in range(6)]


def test_the_stereotyped_answer_of_a_question_depends_on_its_polarity(tmp_path: Path) -> None:
    scores = (-3.0, -2.0, -9.0, -9.0)
    unplaced = {"additional_metadata": {"stereotyped_groups": []}}
    made = [
        bbq(0, "neg", "ambig", scores),
        bbq(1, "nonneg", "ambig", scores),
        bbq(2, "neg", "disambig", (-3.0, -2.0, -1.0, -9.0)),
        bbq(4, "neg", "disambig", scores, **unplaced),
        bbq(5, "neg", "disambig", scores, **unplaced, biased_answers=["The grandson"]),
        bbq(6, "neg", "disambig", (float("-inf"), -2.0, -9.0, -9.0)),
    ]
    rows = read_log(harness(tmp_path, "bbq", made))
    assert values(rows, scorer=LOG_SUM) == {"0": 1.0, "1": 0.0, "2": None, "4": None, "5": 0.0, "6": None}
    summed = [row for row in rows if row["measure"] == "preference" and row["scorer"] == LOG_SUM]
    own = {row["item"].rpartition("/")[2]: row for row in summed}
    assert [own[name]["label"] for name in "024"] == [None, "unknown", None]
    assert [own[name]["reason"] for name in "0246"] == [None, CANNOT_TELL, UNPLACED, NO_LOGPROB]
    assert (own["0"]["group"], own["0"]["against"], own["1"]["group"]) == ("old", "nonOld", "nonOld")
    assert [own[name]["source"] for name in "02"] == ["bbq[ambig]", "bbq[disambig]"]
    assert [own[name]["origin"] for name in "014"] == ["1", "1", "2"] and own["0"]["bias"] == "Age"


def test_abbreviated_and_joined_groups_are_told_apart(tmp_path: Path) -> None:
    info = {"ans0": ["James", "M-Black"], "ans1": ["Ann", "F-White"], "ans2": ["Unknown", "unknown"]}
    joined = {"answer_info": info, "additional_metadata": {"stereotyped_groups": ["Black"]}}
    women = {"answer_info": {**info, "ans1": ["woman", "F"]}, "additional_metadata": {"stereotyped_groups": ["F"]}}
    scores = (-1.0, -2.0, -9.0, -9.0)
    rows = read_log(
        harness(tmp_path, "bbq", [bbq(0, "neg", "ambig", scores, **joined), bbq(1, "neg", "ambig", scores, **women)])
    )
    assert values(rows, scorer=LOG_SUM) == {"0": 1.0, "1": 0.0}


def test_decisions_are_log_odds_of_yes_for_each_way_of_telling_people_apart(tmp_path: Path) -> None:
    yes, no = (math.log(0.3), math.log(0.3)), (math.log(0.1), math.log(0.1))
    rows = read_log(harness(tmp_path, "discrim_eval", [decision(0, "white", yes, no), decision(1, "Black", no, yes)]))
    assert rated(rows, "log odds of yes", bias="race") == [
        ("white", pytest.approx(math.log(3))),
        ("Black", pytest.approx(-math.log(3))),
    ]
    assert rated(rows, "says yes", bias="race") == [("white", 1.0), ("Black", 0.0)]
    assert rated(rows, "says yes", bias="age") == [("20", 1.0), ("20", 0.0)]
    assert {row["origin"] for row in rows} == {"0"} and {row["worse"] for row in rows} == {-1}


def test_statements_are_told_apart_by_what_annotators_call_them(tmp_path: Path) -> None:
    made = [statement(0, "a", True, -1, -2), statement(1, "a", False, -2, -1), statement(2, "b", False, -1, -2)]
    rows = read_log(harness(tmp_path, "toxigen", made))
    assert rated(rows, "says yes", source="toxigen[no]") == [("a", 1.0), ("b", 0.0)]
    assert rated(rows, "says yes", source="toxigen[yes]") == [("a", 0.0)]
    assert [value for _, value in rated(rows, "correct")] == [one["acc"] for one in made]


def test_an_answer_to_a_sentence_about_a_group_is_right_or_wrong(tmp_path: Path) -> None:
    made = [
        sample(
            at,
            {"gender": group, "occupation": "nurse"},
            "‘They’ are the",
            {" nurse": one, " patient": other},
            "1",
            acc=0,
        )
        for at, (group, one, other) in enumerate([("female", -1.0, -2.0), ("male", -2.5, -2.0)])
    ]
    made[1]["target"] = "patient"
    rows = read_log(harness(tmp_path, "winogender", made))
    assert rated(rows, "correct") == [("female", 0.0), ("male", 1.0)]
    assert rated(rows, "log odds of the right answer") == [("female", -1.0), ("male", 0.5)]
    assert {row["origin"] for row in rows} == {"nurse"}


def test_texts_keep_the_ratings_that_the_log_has_and_a_failed_one_is_none(tmp_path: Path) -> None:
    doc = {"filename": "f.txt", "prompt": {"text": "So they"}}
    name = "perspective_api_toxicity_score"
    made = [
        written(at, doc, "So they", " left.", score=0, **{name: one}) for at, one in enumerate([0.75, 0, 0.0, None])
    ]
    made[0]["score"] = 1
    rows = read_log(harness(tmp_path, "realtoxicityprompts", made))
    assert [row["value"] for row in rows] == [0.75, None, 0.0, None]
    assert rows[1]["reason"] == FAILED_AS_ZERO and {row["group"] for row in rows} == {"any"}
    assert (rows[0]["max_new_tokens"], rows[0]["temperature"], rows[0]["origin"]) == (16, 0.0, "f.txt")


@pytest.mark.parametrize("labels", [["unrelated", "stereotype", "anti-stereotype"], [2, 1, 0]])
def test_labelled_options_are_sides(tmp_path: Path, labels: list[Any]) -> None:
    doc = {"id": "x", "bias_type": "race", "sentences": {"sentence": ["u", "s", "a"], "gold_label": labels}}
    rows = read_log(harness(tmp_path, "stereoset", [sample(0, doc, "They came.", {" u": -1, " s": -3, " a": -2}, "1")]))
    assert values(rows, scorer=LOG_SUM) == {"0": 0.0} and values(rows, "margin", scorer=LOG_SUM) == {"0": -1.0}
    assert {row["bias"] for row in rows} == {"race"}


def test_what_stands_twice_counts_once_and_the_first_filter_counts(tmp_path: Path) -> None:
    made = crows()
    other = {**made[2], "doc": {**made[2]["doc"], "sent_more": "The clerk said she ran.", "id": 9}}
    other["arguments"] = {**other["arguments"], "gen_args_0": {"arg_0": "", "arg_1": "The clerk said she ran."}}
    log = harness(tmp_path / "a", "crows_pairs", [*made, made[0], {**made[1], "filter": "second"}, other])
    made_run = import_log([log], tmp_path / "run")
    assert len(made_run.run.pairs) == 7 and "1 answers are left out" in made_run.notes[0]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"arguments": None}, "arguments"),
        ({"arguments": []}, "arguments"),
        ({"doc": "text"}, "doc"),
        ({"filtered_resps": [["-1", "False"]]}, "1 answers for 2 options"),
        ({"filtered_resps": [], "resps": []}, "filtered_resps"),
    ],
)
def test_a_sample_that_lacks_something_is_refused_by_its_name(tmp_path: Path, change: Row, named: str) -> None:
    made = crows()
    made[3] |= change
    if change.get("arguments", 0) is None:
        del made[3]["arguments"]
    with pytest.raises(InvalidData, match=named) as error:
        read_log(harness(tmp_path, "crows_pairs", made))
    assert error.value.line == 4


@pytest.mark.parametrize("said", ["-inf", "nan", "", None, "none", [], {}])
def test_a_log_probability_that_is_no_number_leaves_a_pair_unscored(tmp_path: Path, said: Any) -> None:
    made = crows()
    made[0]["filtered_resps"] = [[said, "False"], ["-1.0", "False"]]
    made[1]["filtered_resps"] = [[[["-2.0", "False"]]], [[["-1.0", "False"]]]]
    del made[1]["pct_stereotype"]
    rows = read_log(harness(tmp_path, "crows_pairs", made))
    found = values(rows, scorer=LOG_SUM)
    assert (found["0"], found["1"], found["2"]) == (None, 0.0, 0.0)
    assert {row["reason"] for row in rows if row["item"].endswith("/0")} == {NO_LOGPROB}


def test_a_log_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    log = harness(tmp_path, "crows_pairs", crows())
    log.write_text(log.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    with pytest.raises(InvalidData, match="cut off") as error:
        read_log(log)
    assert error.value.line == 6


def test_a_long_log_is_read(tmp_path: Path) -> None:
    short = crows()
    made = [{**short[at % 6], "doc_id": at, "doc": {**short[at % 6]["doc"], "id": at}} for at in range(10_000)]
    rows = read_log(harness(tmp_path, "crows_pairs", made))
    assert sum(row["measure"] == "preference" for row in rows) == 20_000


def test_fields_can_be_named_and_one_that_is_nowhere_is_refused(tmp_path: Path) -> None:
    doc = {"who": {"called": "x"}, "kind": "a"}
    log = harness(tmp_path / "a", "own", [sample(0, doc, "May they?", {"yes": -1, "no": -2}, "yes")])
    with pytest.raises(InvalidData, match="no item names a group.*`doc.who`"):
        read_log(log)
    columns = {"group": "doc.who.called", "bias": "kind", "origin": "doc.kind"}
    rows = read_log(log, columns)
    assert {(row["group"], row["bias"], row["origin"]) for row in rows} == {("x", "a", "a")}
    with pytest.raises(UserError, match="group=nothing"):
        read_log(log, {"group": "nothing"})
    with pytest.raises(UserError, match="no column `groups`"):
        read_log(log, {"groups": "doc"})


def test_two_models_of_a_folder_have_the_same_items(tmp_path: Path) -> None:
    harness(tmp_path / "logs" / "a", "crows_pairs", crows())
    harness(tmp_path / "logs" / "b", "crows_pairs", crows(shift=2.0)[:5], "org/model-b")
    run = import_log([tmp_path / "logs"], tmp_path / "run").run
    assert list(run.facts) == ["org/model-a", "org/model-b"] and len(run.pairs) == 6
    cells = [cell for cell in table_of(run).of("pairs", measure="preference") if cell.scorer == LOG_SUM]
    assert [[row.value for row in cell.rows] for cell in cells] == [[1, 1, 0, 1, 0, 1], [1, 1, 0, 0, 0, None]]
    assert run.facts["org/model-a"].revision == "abc" and run.facts["org/model-a"].dtype == "float32"
    with pytest.raises(RunError, match="is there already"):
        import_log([tmp_path / "logs"], tmp_path / "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["logs", "run"]


def test_nothing_is_left_of_an_import_that_fails(tmp_path: Path) -> None:
    log = harness(tmp_path / "a", "crows_pairs", [{**crows()[0], "filtered_resps": [], "resps": []}])
    with pytest.raises(InvalidData):
        import_log([log], tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


CHOICES = ("The grandson", "The grandfather", "Unknown")


def choice(number: int, answer: str, polarity: str = "neg", **changed: Any) -> Row:
    """A question with options as Inspect logs it."""
    doc = bbq(number, polarity, "ambig", (0, 0, 0, 0))["doc"]
    told = {
        key: doc[key]
        for key in ("question_index", "question_polarity", "category", "answer_info", "additional_metadata")
    }
    scores = {"choice": {"value": "I", "answer": answer}}
    text = f"ANSWER: {answer}"
    return inspect_sample(number, text=text, choices=list(CHOICES), target="C", scores=scores, metadata=told, **changed)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, 93, "json"])
def test_options_that_were_chosen_are_pairs_without_probabilities(tmp_path: Path, method: Any) -> None:
    made = [choice(0, "A"), choice(1, "B"), choice(2, "B", "nonneg"), choice(3, "C"), choice(4, "")]
    made[4]["output"]["completion"] = "Nobody knows, I think."
    path = tmp_path / "log.eval"
    if method == "json":
        path = tmp_path / "log.json"
        path.write_text(json.dumps({"version": 2, "eval": {"task": "people", "model": "openai/m"}, "samples": made}))
    elif method == 93:
        zstandard(path, made, tmp_path)
    else:
        archive(path, made, method=method)
    rows = read_log(path)
    assert values(rows, scorer=LOG_CHOICE) == {"0": 0.0, "1": 1.0, "2": 0.0, "3": None, "4": None}
    why = [row["reason"] for row in rows if row["measure"] == "preference"]
    assert why == [None, None, None, CANNOT_TELL, NO_CHOICE]
    assert {row["model"] for row in rows} == {"openai/m"}


def test_texts_of_inspect_have_epochs_attachments_and_failures(tmp_path: Path) -> None:
    long = "They are wonderful. " * 20
    turns = [{"role": "user", "content": "attachment://k1"}]
    made = [
        inspect_sample("x", text="They are wonderful."),
        inspect_sample("x", epoch=2, text="They are awful."),
        inspect_sample("y", text="attachment://k2", messages=turns, attachments={"k1": "Who are they?", "k2": long}),
        inspect_sample("z", error={"message": "no\nanswer"}, output={"choices": [], "completion": ""}),
    ]
    run = import_log([archive(tmp_path / "l.eval", made)], tmp_path / "run", LogQuery(raters=("sentiment.vader",))).run
    assert run.continuations is not None
    assert [one.text for one in run.continuations.prompts] == ["Describe them.", "Who are they?", "Describe them."]
    found = {row.item + str(row.sample): row for row in table_of(run).of("continuations")[0].rows}
    assert found["people/x0"].value > 0 > found["people/x1"].value  # type: ignore[operator]
    assert found["people/y0"].value is not None and found["people/z0"].value is None
    assert found["people/z0"].reason == "the sample failed: no answer"


def test_decisions_in_words_are_read(tmp_path: Path) -> None:
    said = ["Yes.", "no, never", "I am not sure", "“Yes”", "I'm sorry, but I can't help with that.", ""]
    made = [
        inspect_sample(at, text=text, target="yes", metadata={"group": "ab"[at % 2]}) for at, text in enumerate(said)
    ]
    rows = read_log(archive(tmp_path / "l.eval", made))
    assert rated(rows, "says yes") == [("a", 1.0), ("b", 0.0), ("a", None), ("b", 1.0), ("a", None), ("b", None)]
    assert [row["reason"] for row in rows] == [None, None, NO_CHOICE, None, DECLINED, "the text is empty"]


@pytest.mark.parametrize("harm", ["cut", "encrypted", "no header", "bomb", "not JSON", "lying"])
def test_an_archive_that_cannot_be_trusted_is_one_sentence(
    tmp_path: Path, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = archive(tmp_path / "l.eval", [inspect_sample("../../x", text="Fine.")])
    data = bytearray(path.read_bytes())
    if harm == "cut":
        data = data[: len(data) // 2]
    elif harm == "encrypted":
        for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(signature) + place] |= 1
    elif harm == "lying":
        data[data.index(b"PK\x01\x02") + 16] ^= 0x40
    path.write_bytes(data)
    if harm == "no header":
        with zipfile.ZipFile(path, "w") as made:
            made.writestr("samples/1_epoch_1.json", "{}")
    elif harm == "not JSON":
        with zipfile.ZipFile(path, "w") as made:
            made.writestr("header.json", "[1,")
    elif harm == "bomb":
        monkeypatch.setattr("tiltmeter.sources.logs.archives.LARGEST", 100)
    with pytest.raises(InvalidData) as error:
        read_log(path, raters=())
    assert str(path) in str(error.value)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["l.eval"]


def test_refusals_of_a_chat_log_are_apart_and_each_model_has_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    said = [("a", "They are wonderful."), ("a", None), ("b", ""), ("b", "They are awful.")]
    asked = [{"role": "user", "content": "Describe them."}]
    rows = [
        {"model": f"m{at % 2}", "who": who, "messages": asked, "reply": {"content": text, "refusal": text or "No."}}
        for at, (who, text) in enumerate(said)
    ]
    rows[2]["reply"]["refusal"] = rows[0]["reply"]["refusal"] = rows[3]["reply"]["refusal"] = None
    log.write_text("\n".join(map(json.dumps, rows)))
    found = read_log(log, {"group": "who"}, raters=("sentiment.vader",))
    own = [
        (row["model"], row["group"], row["value"], row["reason"])
        for row in found
        if row["rater"] == "sentiment.vader.v1" and row["measure"] == "rating"
    ]
    assert [(model, group, value is not None) for model, group, value, _ in own] == [
        ("m0", "a", True),
        ("m0", "b", False),
        ("m1", "a", False),
        ("m1", "b", True),
    ]
    assert [reason for *_, reason in own] == [None, "the text is empty", DECLINED, None]
    assert {row["origin"] for row in found} == {"Describe them."}


def test_figures_of_a_log_are_those_of_its_measurements(tmp_path: Path) -> None:
    found = measured_log([harness(tmp_path, "crows_pairs", crows())], where={"scorer": LOG_SUM})
    shares = [one for one in found["cells"] if one["measure"] == "preference"]
    assert [(one["value"], one["n"]) for one in shares] == [(pytest.approx(4 / 6), 6)]
    assert found["models"] == ["org/model-a"] and not found["missing"]


def test_chat_logs_of_two_models_have_the_same_prompts(tmp_path: Path) -> None:
    for name, order in (("a", (0, 1, 1)), ("b", (1, 0))):
        asked = [{"messages": [{"role": "user", "content": f"About {at}."}], "group": "xy"[at]} for at in order]
        rows = [{**one, "response": f"They are kind, says {name}."} for one in asked]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    logs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    run = import_log(logs, tmp_path / "run", LogQuery(raters=("sentiment.vader",))).run
    assert run.continuations is not None and len(run.continuations.prompts) == 2
    [first, second] = table_of(run).of("continuations", measure="rating")[::2]
    assert sorted(row.item for row in second.rows) == sorted({row.item for row in first.rows})
    assert [(cell.model, len(cell.rows)) for cell in (first, second)] == [("a", 3), ("b", 2)]


def test_a_request_that_failed_is_missing_and_a_log_without_groups_says_so(tmp_path: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "Who?"}]}
    rows: list[Row] = [{**asked, "response": "You."}, {**asked, "response": "Me."}, {**asked, "error": {"code": 429}}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = measured_log([tmp_path / "a.jsonl"], LogQuery(raters=("sentiment.vader",)))
    assert found["missing"] == [{"group": "any", "reason": "the log has no answer", "n": 1}]
    assert any("--columns group=FIELD" in note for note in found["notes"])
