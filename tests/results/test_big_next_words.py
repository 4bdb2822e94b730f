"""Tables of next words larger than memory: the sums that DuckDB makes give what the values in memory give."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.parquet_files import write_rows
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.results.files.big_next_words import NOTE, summarise_big_next_words
from tiltmeter.results.files.next_words import NextWordColumns, summarise_next_word_file
from tiltmeter.results.summary.labour import Labour
from tiltmeter.results.summary.next_words import NextWordSettings

LEFT_OUT = ("emd", "kl_histograms", "kl_vectors")


def table(*, templates: int | None = 6, professions: int = 10, seed: int = 0) -> list[dict[str, Any]]:
    """Prompts under two perturbations, a few of which have no chance of a word, or no row for it."""
    draw = random.Random(seed)
    rows = []
    for number in range(90):
        profession, template = f"clerk's {number % professions}", number % templates if templates else None
        for perturbation in ("original", "person"):
            sure = draw.uniform(0.2, 0.9)
            for group, words in (("male", ("he", "his", "he who")), ("female", ("she",))):
                for word in words:
                    lost = draw.random() < 0.02
                    if draw.random() < 0.01:
                        continue
                    rows.append(
                        {
                            "model": "m",
                            "prompt": f"p{number}",
                            "profession": profession,
                            "template": None if template is None else f"t{template}",
                            "perturbation": perturbation,
                            "group": group,
                            "word": word,
                            "probability": None if lost else draw.uniform(0, 0.3) * (0.5 if group == "male" else 1),
                            "highest": sure,
                            "gap": sure / 3,
                            "unscored": "too long" if lost else None,
                        }
                    )
    return rows


def same(one: Any, other: Any, place: str = "") -> None:
    """Equal but for the last digits, and for what sums cannot say."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for key in one:
            if key not in ("by_profession", "notes", "n_comparisons", *LEFT_OUT):
                same(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, float) and "p_adjusted" not in place:
        assert other == pytest.approx(one, rel=1e-8, abs=1e-10), place
    elif "p_adjusted" not in place:
        assert one == other, place


@pytest.mark.parametrize("templates", [6, None])
@pytest.mark.parametrize("combine", ["sum", "first"])
def test_sums_say_what_values_say(tmp_path: Path, templates: int | None, combine: Any) -> None:
    path = write_rows(tmp_path / "words.parquet", table(templates=templates))
    columns = NextWordColumns(combine=combine)
    known, found = (one(path, columns) for one in (summarise_next_word_file, summarise_big_next_words))
    same(known, found)
    assert NOTE in found["notes"]
    pair = found["overall"]["pairs"]["male/female"]
    assert pair["share"]["low"] < pair["share"]["value"] < pair["share"]["high"]
    assert all(pair[name]["value"] is None for name in LEFT_OUT)
    assert found["overall"]["unscored"]["male"] == known["overall"]["unscored"]["male"] != {}


def test_the_order_of_the_rows_does_not_show(tmp_path: Path) -> None:
    rows = table()
    first = summarise_big_next_words(write_rows(tmp_path / "a.parquet", rows))
    by_prompt = sorted(rows, key=lambda row: (row["perturbation"], row["group"] == "female", -int(row["prompt"][1:])))
    assert summarise_big_next_words(write_rows(tmp_path / "b.parquet", by_prompt)) == first


def test_what_the_file_says_that_words_share_counts_once(tmp_path: Path) -> None:
    rows = [{**row, "shared": 0.01 if row["word"] == "his" else None} for row in table()]
    path = write_rows(tmp_path / "words.parquet", rows)
    same(summarise_next_word_file(path), summarise_big_next_words(path))


def test_what_is_wrong_or_needs_every_prompt_is_said(tmp_path: Path) -> None:
    rows = table()
    mixed = [{**row, "model": row["perturbation"]} for row in rows]
    cases = {
        "must not be mixed: choose one with --where model=original": mixed,
        "a word stands twice after the prompt `p3`": [*rows, next(row for row in rows if row["prompt"] == "p3")],
        "1 rows hold no probability": [*rows, {**rows[0], "prompt": "q", "probability": 1.5}],
        "a row without a group or a word": [*rows, {**rows[0], "prompt": "q", "word": " "}],
        "`probability` or `logprob` is needed": [{k: v for k, v in row.items() if k != "probability"} for row in rows],
    }
    for number, (sentence, given) in enumerate(cases.items()):
        with pytest.raises(InvalidData, match=sentence):
            summarise_big_next_words(write_rows(tmp_path / f"{number}.parquet", given))
    assert summarise_big_next_words(tmp_path / "0.parquet", NextWordColumns(where={"model": "person"}))["rows"] > 100
    with pytest.raises(UserError, match="--labour needs every prompt"):
        summarise_big_next_words(tmp_path / "0.parquet", settings=NextWordSettings(labour=Labour((), None, None)))
