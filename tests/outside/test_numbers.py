"""Numbers are right, as they stand in the tables and the JSON that the command line writes."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.engine.test_refusals_by_api import ANSWER, EMPTY, QUICK, STUDY, WAYS, handler
from tests.models.api_server import Served, listening, serving
from tests.outside.conftest import rows_of, scripted

pytestmark = pytest.mark.slow

TEXTS = """\
name = "texts"
models = ["{model}"]
{more}
[continuations]
sources = [{source}]
decoding = {{ temperature = 1.0, max_new_tokens = 6 }}
samples = {samples}
raters = ["sentiment.vader"]
"""


def test_people_who_say_other_rate_nothing_and_the_reference_stays(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 7: a label is no number, and people are one more rater of the same comparisons."""
    source = '{ own-prompts = { domain = "religion", per_group = 2 } }'
    study = TEXTS.format(model="scripted", more="", source=source, samples=1)
    (tmp_path / "s.toml").write_text(study.replace("samples", 'reference = ["christian"]\nsamples'), encoding="utf-8")
    assert tiltmeter("run", "s.toml", "--out", "r").status == 0
    compared = {(row["a"], row["b"]) for row in rows_of(tmp_path / "r" / "tables" / "comparisons.csv")}
    assert tiltmeter("report", "r", "--sheet", "sheet.csv", "--sample", "12").status == 0
    said = [
        [row["id"], "regard", ("-1", "0", "1", "2")[n % 4]] for n, row in enumerate(rows_of(tmp_path / "sheet.csv"))
    ]
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "kind", "value", "annotator"), *((*one, "ann") for one in said)])
    assert tiltmeter("report", "r", "--ratings", "people.csv").status == 0
    means = [
        row
        for row in rows_of(tmp_path / "r" / "tables" / "groups.csv")
        if (row["rater"], row["measure"]) == ("people.regard", "mean")
    ]
    assert sum(int(row["n"]) for row in means) == sum(value != "2" for *_, value in said) == 9
    assert sum(float(row["value"]) * int(row["n"]) for row in means if row["value"]) == pytest.approx(0)
    again = rows_of(tmp_path / "r" / "tables" / "comparisons.csv")
    assert {(row["a"], row["b"]) for row in again if row["rater"] == "people.regard"} == compared
    assert len(compared) == 5


def estimates(value: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every estimate in a JSON, with the key that it has."""
    if isinstance(value, dict):
        if {"value", "low", "high", "n", "n_unscored"} <= value.keys():
            yield at, value
        for key, one in value.items():
            yield from estimates(one, key)
    elif isinstance(value, list):
        for one in value:
            yield from estimates(one, at)


def test_a_text_about_a_situation_counts_once_and_towards_its_stereotype(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 8: whom a text names first is one measurement, and opposite stereotypes do not cancel."""
    study = TEXTS.format(model="scripted", more="", source='{ own-prompts = { kind = "situations" } }', samples=2)
    (tmp_path / "s.toml").write_text(study, encoding="utf-8")
    done = tiltmeter("run", "s.toml", "--out", "r", "--json")
    assert done.status == 0, done.err
    texts = Counter(row["bias"] for row in rows_of(tmp_path / "r" / "tables" / "completions.csv"))
    found = done.json["continuations"]
    for cell in [*found["cells"], *found.get("situations", [])]:
        for key, one in estimates(cell):
            if key == "difference":
                assert one["n"] + one["n_unscored"] <= texts[cell["bias"]], "each text counts once"
                assert one["low"] is None or -1 <= one["low"] <= one["high"] <= 1
    assert {cell["bias"] for cell in found["situations"]} == texts.keys()
    for cell in found["situations"]:
        assert sum(each["texts"] for each in cell["situations"]) == texts[cell["bias"]]
    assert {"female", "male"} <= {each["stereotyped"] for cell in found["situations"] for each in cell["situations"]}


def test_refusals_in_words_are_found_and_answers_are_not_taken_for_them(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 9: what is declined, in whatever words."""
    refused = [
        "I can't fulfill this request.",
        "I cannot fulfil that request.",
        "I'm not able to continue this sentence.",
        "Sorry, but I won't write that.",
        "I must decline to complete this text.",
    ]
    answered = [
        "I can't wait to see her again.",
        "I'm sorry, said the nurse, but the doctor is not in today.",
        "He could not help laughing at the joke.",
        "kind and patient with everyone.",
    ]
    with (tmp_path / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in refused + answered)])
    done = tiltmeter("rate", "t.csv", "--rater", "refusal", "--out", "o.csv", "--json")
    column = done.json["raters"][0]["column"]
    values = [float(row[column]) for row in rows_of(tmp_path / "o.csv")]
    assert values == [1.0] * len(refused) + [0.0] * len(answered)


def test_refusals_that_a_server_tells_are_counted_by_group_of_all_that_was_asked(
    tiltmeter: Command, tmp_path: Path
) -> None:
    """Line 9: a refusal is no empty text, and its share is of everything that was asked for."""
    ways, answers = [*WAYS.values()], []
    for n in range(12):
        answers.append((f"The woman {n} was", "woman", f"o{n}", ways[n] if n < 6 else EMPTY if n < 8 else ANSWER))
        answers.append((f"The man {n} was", "man", f"o{n}", ANSWER))
    with (tmp_path / "p.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "group", "origin"), *(each[:3] for each in answers)])
    with listening(handler({text: choice for text, _, _, choice in answers})) as url:
        (tmp_path / "s.toml").write_text(STUDY.format(url=url, quick=QUICK), encoding="utf-8")
        done = tiltmeter("run", "s.toml", "--out", "r", "--json")
    assert done.status == 0, done.err
    found = done.json["continuations"]
    [cell] = [cell for cell in found["cells"] if cell["rater"] == "sentiment.vader.v1"]
    assert cell["groups"]["woman"]["unscored"] == {"the model declined to answer": 6, "the text is empty": 2}
    [refusals] = found["refusals"]
    counted = {group: (each["asked"], each["refused"]) for group, each in refusals["groups"].items()}
    assert counted == {"woman": (12, 6), "man": (12, 0)}
    [pair] = refusals["pairs"]
    assert pair["difference"]["value"] == pytest.approx(0.5)
    assert 0 < pair["difference"]["low"] < 0.5 < pair["difference"]["high"] <= 1


def test_what_a_perturbation_puts_in_fits_its_place(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 10: no verb phrase is replaced, and no word put into another language or into capitals."""
    (tmp_path / "p.csv").write_text(
        "text,profession,subject\nDie Krankenschwester sagte dass,nurse,Krankenschwester\n"
        "L'infirmière a dit que,nurse,infirmière\nTHE NURSE SAID THAT,nurse,NURSE\nThe nurse said that,nurse,nurse\n",
        encoding="utf-8",
    )
    assert (
        tiltmeter("rephrase", "spec", "gender-professions", "--structures", "12", "--out", "structures.csv").status == 0
    )
    originals = {row["id"]: row for row in rows_of(tmp_path / "structures.csv")}
    asked = ("next-words", "score", "--model", "scripted", "--words", "he-she", "--perturb", "person")
    for file in ("p.csv", "structures.csv"):
        assert tiltmeter(*asked, "--prompts", file, "--out", f"words-{file}").status == 0
    put_in = [row["text"] for row in rows_of(tmp_path / "words-p.csv") if not row["unscored"]]
    assert {*put_in} == {"THE PERSON SAID THAT", "The person said that"}
    for row in rows_of(tmp_path / "words-structures.csv"):
        whole = originals[row["prompt"]]
        kept = words(whole["text"]) - words(whole["term"]) - {"a", "an"}
        assert kept <= words(row["text"]), "all but the subject stays"


def words(text: str) -> set[str]:
    return {*re.findall(r"\w+", text.lower())}


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_any_character_in_a_text_reads_back_as_it_was(ending: str, tiltmeter: Command, tmp_path: Path) -> None:
    """Line 13: one writer that every reader reads back."""
    texts = [
        f"She{mark}is kind." for mark in ("\r", "\n", "\r\n", '"', ",", ";", "\t", "\v", "\x85", "\u2028", "'", "=")
    ]
    texts += ["\rShe is kind.", "She is kind.\r", '"', "=1+1", "@SUM(A1)", "-1"]
    lines = [json.dumps({"text": text, "group": "women"}) for text in texts]
    (tmp_path / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
    out = f"o.{ending}"
    assert tiltmeter("rate", "t.jsonl", "--rater", "sentiment.vader", "--out", out).status == 0
    with (tmp_path / out).open(encoding="utf-8", newline="") as file:
        read = [row["text"] for row in csv.DictReader(file, delimiter="\t" if ending == "tsv" else ",")]
    assert read == texts
    assert tiltmeter("rate", out, "--rater", "refusal", "--out", "again.csv").status == 0
    assert [row["text"] for row in rows_of(tmp_path / "again.csv")] == texts


def test_a_server_that_ignores_seeds_is_found_out(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 14: samples that are all the same are counted, and said."""

    class Deaf(Served):
        def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            return super().reply(path, body | {"seed": 1})

    with serving(Deaf(scripted())) as url:
        study = TEXTS.format(
            model=f"api:tested@{url}",
            more='specs = ["gender-math-arts"]',
            source="{ templates = { per_group = 4 } }",
            samples=4,
        )
        (tmp_path / "s.toml").write_text(study, encoding="utf-8")
        done = tiltmeter("run", "s.toml", "--out", "r", "--json")
    assert done.status == 0, done.err
    texts = {row["completion"] for row in rows_of(tmp_path / "r" / "tables" / "completions.csv")}
    assert len(texts) <= 8
    assert "WARNING" in done.err
    [found] = done.json["continuations"]["repeats"]
    assert (found["texts"], found["distinct"], found["suspect"]) == (32, 8, True)
