"""What was run can be read off: everything that it takes to do it again."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tests.present.completions import DECODINGS, make_rated_run
from tests.present.next_words import make_asked_run
from tests.present.reading import NOTHING_ASKED, reported, tables_of, texts_of
from tests.present.synthetic import STUDY, TILTS, make_run
from tiltmeter.present.blocks import Facts, Verbatim, each, plain
from tiltmeter.present.sections.study import what_was_run
from tiltmeter.store import Run


def facts_of(run: Run) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {}
    for facts in each(what_was_run(reported(run, NOTHING_ASKED)), Facts):
        for name, value in facts.rows:
            made.setdefault(name, []).append(plain(value))
    return made


def test_models_study_and_specs_are_there(run: Run) -> None:
    found = facts_of(run)
    assert found["Model"] == ["alpha-135m", "beta-1b"]
    assert found["Start token"] == ["<|endoftext|>"] * 2 and "ab" * 32 in found["Weights"][0]
    every, *kinds = map(int, re.findall(r"\d+", found["Pairs"][0]))
    assert every == sum(kinds) == len(run.pairs) and found["Seed"] == ["7"]
    assert found["Fingerprint"] == [run.meta["fingerprint"]]
    assert all("numpy 2.3.0" in words for words in found["Versions"][-1:])
    assert {tilt.title for tilt in TILTS} <= {name.removesuffix(" (instrument check)") for name in found}
    assert [name for name in found if name.endswith("(instrument check)")] == [f"{TILTS[-1].title} (instrument check)"]


def test_the_study_keeps_its_lines(run: Run) -> None:
    assert [one.text for one in each(what_was_run(reported(run, NOTHING_ASKED)), Verbatim)] == [STUDY]


def test_what_could_not_be_made_is_counted_by_reason(run: Run) -> None:
    [table] = tables_of(what_was_run(reported(run, NOTHING_ASKED))).values()
    assert [row[1].text for row in table.rows] == ["2", "1"]
    assert not tables_of(what_was_run(reported(replace(run, dropped=()), NOTHING_ASKED)))


def test_texts_and_next_words_have_their_settings(tmp_path: Path) -> None:
    rated = facts_of(make_rated_run(tmp_path, decodings=DECODINGS[:2], raters=("sentiment.vader.v1",), openers=3))
    assert rated["Prompts"] == ["6"] and rated["Rater"] == ["sentiment.vader.v1"]
    assert rated["Decoding"][0].count(";") == 1 and "Pairs" not in rated
    asked = facts_of(make_asked_run(tmp_path, professions=("nurse",), perturbations=("original", "person")))
    assert asked["Perturbations"] == ["original, person"]
    [words] = asked["Words"]
    assert "men: he" in words and "male: " not in words


def test_hashes_of_files_are_whole(tmp_path: Path) -> None:
    run = make_run(tmp_path, tilts=TILTS[:1])
    source = {"name": "pairs-file.v1", "path": "p.csv", "options": {"limit": 3}, "sha256": {"p.csv": "cd" * 32}}
    changed = replace(run, meta={**run.meta, "resolved": {**run.meta["resolved"], "sources": [source]}})
    [words] = facts_of(changed)["Sources"]
    assert "cd" * 32 in words and "limit = 3" in words
    assert "Sources" in " ".join(texts_of(what_was_run(reported(changed, NOTHING_ASKED))))
