"""Score a file of pairs and analyse it, as the issue's user does."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.slow

PAIRS = """\
group,group_term,template,att_term_1,att_term_2,label_1,label_2
work,nurse,[MASK] is a nurse,she,he,stereotype,anti-stereotype
work,nurse,[MASK] was a nurse,he,she,anti-stereotype,stereotype
work,engineer,[MASK] is an engineer,she,he,anti-stereotype,stereotype
work,clerk,[MASK] is a clerk,she,he,stereotype,anti-stereotype
work,clerk,no slot here,she,he,stereotype,anti-stereotype
"""


LIKED = [("men", place, place < 10) for place in range(12)] + [("women", place, place < 1) for place in range(4)]
"""12 words tied to men and 4 to women; a model that likes sentences about men chooses them beside 10 and 3 of these."""


@pytest.mark.parametrize(("scorer", "value"), [("causal.sum.v1", 13 / 24), ("causal.as-published.v2", 11 / 16)])
def test_a_table_leads_with_the_balanced_share_but_of_a_published_scorer(
    tiltmeter: Command, tmp_path: Path, scorer: str, value: float
) -> None:
    lines = [f"gender,{name}-{place},{name},{scorer},{int(chosen)}" for name, place, chosen in LIKED]
    (tmp_path / "s.csv").write_text("\n".join(["bias,attribute,attribute_set,scorer,stereotyped", *lines]))
    found = tiltmeter("analyze", tmp_path / "s.csv", "--json").json
    assert found["headline"]["value"] == found["headline_by_bias"]["gender"]["value"] == pytest.approx(value)
    assert found["by_bias"]["gender"]["value"] == found["overall"]["value"] == pytest.approx(11 / 16)
    assert found["by_bias_balanced"]["gender"]["value"] == pytest.approx(13 / 24)
    [row] = [line.split() for line in tiltmeter("analyze", tmp_path / "s.csv").out.splitlines() if "gender" in line]
    assert (row[1], f"{11 / 16:.1%}"[:-1] in row) == (f"{value:.1%}"[:-1], True)


def test_rows_without_an_attribute_are_said_to_count_as_independent(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("\n".join(["bias,stereotyped", *(f"b,{place % 2}" for place in range(20))]))
    printed, found = (tiltmeter("analyze", tmp_path / "s.csv", *more) for more in ((), ("--json",)))
    [note] = [note for note in found.json["notes"] if note.startswith("headline: ")]
    assert "all rows have no origin" in note and note in printed.err
    lines = ["bias,attribute,stereotyped", *(f"b,{'' if place < 4 else f'w{place % 8}'},1" for place in range(20))]
    (tmp_path / "s.csv").write_text("\n".join([*lines, "b,w1,0"]))
    assert "4 of 21 rows" in tiltmeter("analyze", tmp_path / "s.csv").err


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS, encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_scores_are_added_to_the_columns_of_the_input(tiltmeter: Command, pairs: Path, tmp_path: Path) -> None:
    done = tiltmeter("score", pairs, "--model", "scripted", "--scorer", "sum", "--out", tmp_path / "scored.csv")
    assert (done.status, done.out) == (0, "")
    assert "1 of 5 rows not scored: the template has no [T] or [MASK]" in done.err
    scored = rows(tmp_path / "scored.csv")
    assert list(scored[0]) == [
        *PAIRS.splitlines()[0].split(","),
        "model",
        "score_1",
        "score_2",
        "preferred",
        "stereotyped",
        "unscored",
    ]
    assert [row["preferred"] for row in scored] == ["1", "2", "2", "tie", ""]
    assert [row["stereotyped"] for row in scored] == ["1", "1", "1", "0.5", ""]
    assert [row["unscored"] for row in scored] == ["", "", "", "", "the template has no [T] or [MASK]"]
    # By hand: the vocabulary weighs 8; after `she`, nurse weighs e^0.7, so the whole weighs 7 + e^0.7. Words outside
    # the vocabulary (is, a) have the weight 4 of `other`.
    whole = 7 + math.exp(0.7)
    expected = math.log(1 / 8) + 2 * math.log(4 / whole) + math.log(math.exp(0.7) / whole)
    assert float(scored[0]["score_1"]) == pytest.approx(expected, abs=1e-9)


def test_the_lab_lists_where_scorers_disagree(tiltmeter: Command, pairs: Path, tmp_path: Path) -> None:
    done = tiltmeter("score", pairs, "--model", "scripted", "--scorer", "all", "--out", tmp_path / "lab.csv", "--json")
    assert done.status == 0
    scored = rows(tmp_path / "lab.csv")
    assert {"preferred.sum", "preferred.rest", "score_1.prior-corrected", "unscored.as-published"} <= set(scored[0])
    for row in scored:
        choices = {row[name] for name in row if name.startswith("preferred.")}
        assert row["scorers_disagree"] == str(int({"1", "2"} <= choices))
    assert done.json["disagreements"] == sum(row["scorers_disagree"] == "1" for row in scored)
    assert len(done.json["agreement"]) == 10


def test_analysis_agrees_with_a_hand_computation(tiltmeter: Command, pairs: Path, tmp_path: Path) -> None:
    tiltmeter("score", pairs, "--model", "scripted", "--out", tmp_path / "scored.csv")
    done = tiltmeter("analyze", tmp_path / "scored.csv", "--json")
    assert done.status == 0
    result = done.json
    # nurse: both stereotyped, engineer: stereotyped, clerk: a tie and one unscored.
    assert result["view"] == "pairs"
    assert result["by_bias"]["work"]["value"] == pytest.approx((1 + 1 + 0.5) / 3, abs=1e-12)
    assert result["overall_cells"]["value"] == pytest.approx((1 + 1 + 0.5) / 3, abs=1e-12)
    # The sets are known from the labels: nurse and clerk are stereotyped for `she`, engineer for `he`.
    assert result["by_bias_balanced"]["work"]["value"] == pytest.approx(((1 + 0.5) / 2 + 1) / 2, abs=1e-12)
    assert (result["overall"]["n"], result["overall"]["n_unscored"], result["overall"]["origins"]) == (4, 1, 3)
    assert set(result["overall"]) == {
        "value",
        "low",
        "high",
        "level",
        "p",
        "p_adjusted",
        "n",
        "n_unscored",
        "origins",
        "method",
    }
    assert result["unscored"] == {"the template has no [T] or [MASK]": 1}


def test_a_file_scored_elsewhere_is_enough(tiltmeter: Command, tmp_path: Path) -> None:
    lines = ["bias,attribute,stereotyped"]
    values = {("a", "x"): [1, 1, 0], ("a", "y"): [0], ("b", "x"): [1], ("b", "z"): [0, 1]}
    lines += [f"{bias},{attribute},{value}" for (bias, attribute), found in values.items() for value in found]
    (tmp_path / "elsewhere.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = tiltmeter("analyze", tmp_path / "elsewhere.csv", "--json").json
    assert result["by_bias"]["a"]["value"] == pytest.approx((2 / 3 + 0) / 2, abs=1e-12)
    assert result["by_bias"]["b"]["value"] == pytest.approx((1 + 1 / 2) / 2, abs=1e-12)
    assert result["overall"]["value"] == pytest.approx((1 / 3 + 3 / 4) / 2, abs=1e-12)
    assert result["overall_cells"]["value"] == pytest.approx((2 / 3 + 0 + 1 + 1 / 2) / 4, abs=1e-12)


def test_the_table_for_people_has_the_same_figures(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("bias,attribute,stereotyped\n" + "work,nurse,1\nwork,clerk,0\n" * 3)
    done = tiltmeter("analyze", tmp_path / "s.csv")
    assert "50.0 %" in done.out
    assert "fewer than 5 origins" in done.err or "origins" in done.err


def test_control_rows_are_neither_scored_nor_unscored(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(
        "bias,attribute,label_1,label_2,stereotyped,unscored\n"
        "work,nurse,stereotype,anti-stereotype,1,\n"
        "work,baker,,,,\n"
        "work,clerk,stereotype,anti-stereotype,,too long\n"
    )
    result = tiltmeter("analyze", tmp_path / "s.csv", "--json").json
    assert (result["controls"], result["overall"]["n"], result["overall"]["n_unscored"]) == (1, 1, 1)


def test_cells_are_never_mixed(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("bias,attribute,model,stereotyped\nw,a,one,1\nw,a,two,0\n")
    apart = tiltmeter("analyze", tmp_path / "s.csv", "--json").json["by_model"]
    assert {model: one["overall"]["value"] for model, one in apart.items()} == {"one": 1.0, "two": 0.0}
    (tmp_path / "blank.csv").write_text("bias,attribute,model,stereotyped\nw,a,one,1\nw,a,,0\n")
    refused = tiltmeter("analyze", tmp_path / "blank.csv")
    assert refused.status == 2
    assert "the column `model` holds blank and one, which must not be mixed" in refused.err
    (tmp_path / "source.csv").write_text("bias,attribute,source,stereotyped\nw,a,one,1\nw,a,two,0\n")
    refused = tiltmeter("analyze", tmp_path / "source.csv")
    assert refused.status == 2
    assert "the column `source` holds one and two, which must not be mixed" in refused.err
    named = tiltmeter("analyze", "pairs", tmp_path / "source.csv", "--columns", "generator=source")
    assert "generator one" in named.out and "one set only" in named.out
    chosen = tiltmeter("analyze", tmp_path / "s.csv", "--where", "model=two", "--json")
    assert chosen.json["overall"]["value"] == 0.0


@pytest.mark.parametrize(
    ("condition", "status"),
    [("overall.value > 0.4", 1), ("overall.value > 0.6", 0), ("by_bias.a.b.value >= 0.5", 1), ("overall.low > 0.1", 2),
     ("overal.value > 0", 2), ("overall.value >", 2), ("overall > 3", 2)],
)  # fmt: skip
def test_fail_if_stops_a_pipeline(tiltmeter: Command, tmp_path: Path, condition: str, status: int) -> None:
    (tmp_path / "s.csv").write_text("bias,attribute,stereotyped\na.b,x,1\na.b,y,0\n")
    done = tiltmeter("analyze", tmp_path / "s.csv", "--json", "--fail-if", condition)
    assert done.status == status, done.err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("bias,attribute\na,b\n", "there is no column `stereotyped`"),
        (
            "bias,attribute,stereotyped\na,b,7\n",
            "line 2, `stereotyped`: '7' is no choice; right are 1, 0, 0.5 or blank",
        ),
        ("bias,attribute,stereotyped\na,b,nan\n", "line 2, `stereotyped`: 'nan' is no choice"),
        ("bias,attribute,stereotyped\na,b\n", "line 2: 2 cells where the header has 3"),
    ],
)
def test_a_bad_scored_file_is_refused(tiltmeter: Command, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "s.csv").write_text(text)
    done = tiltmeter("analyze", tmp_path / "s.csv")
    assert done.status == 2
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_sets_of_one_bias_are_never_named_in_two_ways(tiltmeter: Command, tmp_path: Path) -> None:
    """A bias of the library with an attribute that the library does not know: all its sets are worked out."""
    rows = "".join(
        f"gender-math-arts,{attribute},[T] likes {attribute},he,she,{labels},{value}\n"
        for attribute, labels, value in [
            ("math", "stereotype,anti-stereotype", 1),
            ("topology", "stereotype,anti-stereotype", 0),
            ("poetry", "anti-stereotype,stereotype", 1),
        ]
    )
    (tmp_path / "s.csv").write_text(f"bias,attribute,template,term_1,term_2,label_1,label_2,stereotyped\n{rows}")
    result = tiltmeter("analyze", tmp_path / "s.csv", "--json").json
    assert result["by_bias_balanced"]["gender-math-arts"]["value"] == pytest.approx((0.5 + 1) / 2)
    assert result["attribute_sets"] == "worked out from the labels"


@pytest.mark.parametrize(
    "labels", ["pro,anti", "sterotype,", "stereotype,stereotype", "anti-stereotype,anti_stereotype"]
)
def test_labels_that_are_none_are_refused(tiltmeter: Command, tmp_path: Path, labels: str) -> None:
    text = f"template,term_1,term_2,label_1,label_2\n[T] ran,he,she,,\n[T] sang,he,she,{labels}\n"
    (tmp_path / "p.csv").write_text(text)
    done = tiltmeter("score", tmp_path / "p.csv", "--model", "scripted", "--out", "scored.csv")
    assert done.status == 2
    assert "p.csv, line 3, `label_1, label_2`: the labels are" in done.err


def test_a_lone_group_column_is_not_the_bias(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("group,attribute,stereotyped\nwomen,x,1\nmen,x,0\n")
    assert list(tiltmeter("analyze", tmp_path / "s.csv", "--json").json["by_bias"]) == ["s"]
    asked = tiltmeter("analyze", tmp_path / "s.csv", "--columns", "bias=group", "--json")
    assert list(asked.json["by_bias"]) == ["women", "men"]


def test_a_file_of_several_scorers_is_analysed_by_one(tiltmeter: Command, pairs: Path, tmp_path: Path) -> None:
    tiltmeter("score", pairs, "--model", "scripted", "--scorer", "sum", "--scorer", "mean", "--out", "lab[/red].csv")
    refused = tiltmeter("analyze", "lab[/red].csv")
    assert refused.status == 2
    assert "choose one of sum, mean with --scorer" in refused.err
    result = tiltmeter("analyze", "lab[/red].csv", "--scorer", "sum", "--json").json
    assert result["by_bias"]["work"]["value"] == pytest.approx((1 + 1 + 0.5) / 3, abs=1e-12)


def test_a_scored_file_without_labels_says_what_is_missing(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("template,term_1,term_2\n[T] is a nurse,he,she\n")
    tiltmeter("score", tmp_path / "p.csv", "--model", "scripted", "--out", "s.csv")
    result = tiltmeter("analyze", "s.csv", "--json").json
    assert result["unscored"] == {"no label says which of the two sentences is stereotyped": 1}


def test_semicolons_are_read_and_said_and_empty_tables_named(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("sentence_1;sentence_2\nHe ran;She ran\n;\n")
    done = tiltmeter("score", tmp_path / "p.csv", "--model", "scripted", "--out", tmp_path / "s.csv")
    assert done.status == 0 and "semicolons" in done.err and "1 empty line" in done.err
    assert [row["sentence_2"] for row in rows(tmp_path / "s.csv")] == ["She ran"]
    (tmp_path / "p.csv").write_text("sentence_1,sentence_2\n")
    done = tiltmeter("score", tmp_path / "p.csv", "--model", "scripted", "--out", "s.csv")
    assert "the file has a header and no rows" in done.err


def test_a_terminal_without_unicode_gets_escapes(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("bias,attribute,stereotyped\n偏见,x,1\n", encoding="utf-8")
    assert tiltmeter("analyze", tmp_path / "s.csv", PYTHONIOENCODING="cp1252").status == 0
    done = tiltmeter("analyze", tmp_path / "s.csv", "--json", PYTHONIOENCODING="cp1252")
    assert list(done.json["by_bias"]) == ["偏见"]
