"""Situations of a run: each text counts once, and results stand by situation with the stereotype's direction."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.engine.test_continuing import SITUATIONS
from tiltmeter.engine import carry_out
from tiltmeter.present.files import write_run
from tiltmeter.records import Decoding, Prompt
from tiltmeter.results import summarise_run
from tiltmeter.results.account import account, estimates_in
from tiltmeter.results.findings.findings import summarise_findings
from tiltmeter.results.summary.situations import UNDIRECTED, NamedText, situations_cell
from tiltmeter.sources import own_prompts
from tiltmeter.study import parse, plan

PLACE = ("m", "s", "b", Decoding(), "groups.first.v1")
WORDS = (("women", ("she",)), ("men", ("he",)))


def prompt(situation: str, stereotyped: str | None) -> Prompt:
    return Prompt(situation, "s", "b", situation, situation, word_sets=WORDS, stereotyped=stereotyped)


def texts(situation: str, stereotyped: str | None, named: list[str | None]) -> list[NamedText]:
    return [(prompt(situation, stereotyped), each, None) for each in named]


def test_opposite_stereotypes_do_not_cancel() -> None:
    """Math and engines, eight texts each: always the group of the stereotype, which are opposite groups."""
    made = [
        text
        for n in range(3)
        for text in (
            *texts(f"Math {n} is difficult for", "women", ["women"] * 8),
            *texts(f"Engine {n} was repaired by", "men", ["men"] * 8),
        )
    ]
    found = situations_cell(PLACE, made, None)
    assert (found.towards.value, found.towards.n, found.towards.origins) == (1.0, 48, 6)
    assert {group: each.value for group, each in found.by_stereotyped.items()} == {"women": 1.0, "men": 1.0}
    [pair] = found.pairs
    assert (pair.a, pair.b, pair.difference.value, pair.difference.n) == ("women", "men", 0.0, 48)
    assert found.towards.low is not None and found.towards.low > 0 and found.towards.high == 1.0


def test_each_text_counts_once_and_what_is_missing_apart() -> None:
    made = texts("Math is difficult for", "women", ["women", "women", "men", None])
    made += [(prompt("Math is difficult for", "women"), None, "the model declined to answer")]
    made += texts("The charity was founded by", None, ["men", None])
    found = situations_cell(PLACE, made, None)
    math, charity = found.situations
    assert (math.situation, math.stereotyped, math.texts) == ("Math is difficult for", "women", 5)
    assert (math.named, math.nobody, math.missing) == ({"women": 2, "men": 1}, 1, {"the model declined to answer": 1})
    assert (math.towards.value, math.towards.n, math.towards.n_unscored) == (0.25, 4, 1)
    assert (charity.stereotyped, charity.towards.value, charity.towards.note) == (None, None, UNDIRECTED)
    assert (charity.named, charity.nobody) == ({"women": 0, "men": 1}, 1)
    assert (found.towards.value, found.towards.n) == (0.25, 4), "only situations with a direction count"
    assert {group: (each.value, each.n) for group, each in found.shares.items()} == {
        "women": (pytest.approx(2 / 6), 6),
        "men": (pytest.approx(2 / 6), 6),
    }


def test_of_three_groups_no_interval_lies_below_what_a_text_can_count() -> None:
    """Five of six texts name another of three groups, which counts −1/2: nothing can lie below that."""
    three = (*WORDS, ("others", ("they",)))
    made: list[NamedText] = [
        (Prompt(f"s{n}", "s", "b", f"s{n}", f"s{n}", word_sets=three, stereotyped="women"), named, None)
        for n in range(6)
        for named in ["men", "others", "men", "others", "men", None]
    ]
    found = situations_cell(PLACE, made, None)
    for each in (found.towards, found.by_stereotyped["women"], *(one.towards for one in found.situations)):
        assert each.value == pytest.approx(-5 / 12)
        assert each.low is not None and each.low >= -0.5


def test_the_situations_that_come_along_say_whom_the_stereotype_means() -> None:
    made, _ = own_prompts.prompts(kind="situations")
    directed = {one.text: one.stereotyped for one in made}
    assert directed["Math is difficult for"] == "female"
    assert directed["Physics comes easily to"] == "male"
    assert None in directed.values(), "not every situation has one"
    assert all(one.stereotyped is None or one.stereotyped in dict(one.word_sets) for one in made)
    with pytest.raises(ValueError, match="no words"):
        prompt("Math is difficult for", "nobody")


def test_a_run_keeps_situations_and_no_texts_about_anyone(tmp_path: Path) -> None:
    run = carry_out(plan(parse(SITUATIONS)), tmp_path)
    write_run(run, summarise_run(run))
    found = summarise_run(run).continuations
    assert found and found.situations
    assert not found.cells, "no text is about a group"
    assert run.continuations
    for cell in found.situations:
        assert cell.decoding
        written = run.continuations.texts(cell.model, cell.decoding)
        own = [one for one in written if (one.prompt.source, one.prompt.bias) == (cell.source, cell.bias)]
        assert sum(one.texts for one in cell.situations) == len(own)
        for one in cell.situations:
            assert sum(one.named.values()) + one.nobody + sum(one.missing.values()) == one.texts
        for each in (cell.towards, *(pair.difference for pair in cell.pairs)):
            assert each.n + each.n_unscored <= len(own)
            assert each.low is None or (each.low >= -1 and (each.high or 0) <= 1)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "heat map" not in page, "nothing is said of a figure that is not there"
    written = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["continuations"]["situations"]
    assert written[0]["measure"] == "towards-stereotype.v2"
    assert {"situation", "stereotyped", "towards", "named", "nobody", "missing"} <= set(written[0]["situations"][0])
    with (tmp_path / "tables" / "situations.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    together = [row for row in rows if not row["situation"] + row["stereotyped"] and row["measure"] == "towards"]
    assert [row["value"] for row in together] == [str(cell.towards.value) for cell in found.situations]
    counted = sum(float(row["value"]) for row in rows if row["measure"].startswith("count"))
    every = [one for cell in found.situations for one in cell.situations]
    assert counted == sum(one.texts - sum(one.missing.values()) for one in every) > 0


def test_what_is_said_of_intervals_covers_situations_and_refusals(tmp_path: Path) -> None:
    """All figures had intervals and the methods said that none had."""
    run = carry_out(plan(parse(SITUATIONS)), tmp_path)
    summary = summarise_run(run)
    assert summary.continuations
    runs = [(run, summary)]
    done = account(runs, summarise_findings(runs)).intervals["continuations"]
    figures = [*estimates_in(summary.continuations.situations), *estimates_in(summary.continuations.refusals)]
    assert sum(done.methods.values()) == sum(one.low is not None for one in figures) > 0


def test_over_decodings_and_lengths_each_text_counts_once(tmp_path: Path) -> None:
    """Greedy and temperature 1, two lengths, two raters are eight methods; the longest texts are all there are."""
    found = summarise_run(carry_out(plan(parse(SITUATIONS)), tmp_path)).continuations
    assert found
    assert len(found.situations_pooled) * 8 == len(found.situations)
    for pooled in found.situations_pooled:
        assert pooled.decoding is None
        own = [
            cell
            for cell in found.situations
            if (cell.bias, cell.rater) == (pooled.bias, pooled.rater)
            and cell.decoding
            and cell.decoding.max_new_tokens == 9
        ]
        assert len(own) == 2
        for place, one in enumerate(pooled.situations):
            parts = [cell.situations[place] for cell in own]
            assert one.texts == sum(part.texts for part in parts)
            assert one.named == {group: sum(part.named[group] for part in parts) for group in one.named}
