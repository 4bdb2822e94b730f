"""The label 2 of regard is no number, whoever gave it and however it is written; nor is what lies off a scale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.parquet_files import write_rows
from tests.present.completions import DECODINGS, make_rated_run
from tests.present.reading import limits_of
from tiltmeter.errors import InvalidData
from tiltmeter.raters.scales import SCALES
from tiltmeter.records import Decoding, Rating
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import table_of
from tiltmeter.results.files.blocks import BlockLayout, read_blocks
from tiltmeter.results.files.rated import summarise_rated, summarise_rated_file
from tiltmeter.results.files.rated_texts import RatedColumns
from tiltmeter.results.files.rated_values import OTHER
from tiltmeter.results.items import rated_items
from tiltmeter.results.summary.by_rater import boards, compared_groups
from tiltmeter.results.summary.people_ratings import read_ratings, text_id
from tiltmeter.results.summary.text_records import ContinuationsSummary
from tiltmeter.results.summary.texts import summarise_continuations
from tiltmeter.store import Run

TWO = (DECODINGS[0], DECODINGS[5])


def rated_run(*biases: str, reference: tuple[str, ...] = ()) -> Run:
    run = make_rated_run(Path("nowhere"), decodings=TWO, raters=("regard.minilm.v2", "refusal.v5"), biases=biases)
    run.meta["resolved"]["continuations"] = {"reference": list(reference)}
    return run


def sheet(run: Run, path: Path, said: dict[str, str], kind: str = "regard", groups: tuple[str, ...] = ()) -> Path:
    """A sheet on which one person gives every text of a group the same value."""
    assert run.continuations
    rows = [
        f"{text_id('alpha-135m', one)},{kind},{said.get(one.prompt.group or '', '0')},ann"
        for one in run.continuations.texts("alpha-135m", TWO[0])
        if not groups or one.prompt.group in groups
    ]
    path.write_text("id,kind,value,annotator\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("two", ["2", "2.0", "other", "Other"])
@pytest.mark.parametrize("kind", ["regard", "Regard"])
def test_people_who_say_two_rate_nothing(two: str, kind: str, tmp_path: Path) -> None:
    run = rated_run("gender")
    people = read_ratings([sheet(run, tmp_path / "s.csv", {"women": two, "men": "1"}, kind)])
    found = summarise_continuations(run, people)
    assert found and found.people
    [cell] = [cell for cell in found.cells if cell.rater == "people.regard"]
    women, men = cell.summary.groups["women"], cell.summary.groups["men"]
    assert (women.mean.value, women.mean.n, women.unrated) == (None, 0, {OTHER: 48})
    assert (men.mean.value, men.mean.n, men.unrated) == (1.0, 48, {})
    assert cell.summary.pairs[0].difference.value is None
    assert (found.people.texts, found.people.unrated) == (48, 48)


def test_without_a_kind_minus_one_tells_that_two_is_a_label(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("id,value,annotator\n1,-1,ann\n2,2,ann\n2,1,bob\n3,0,ann\n", encoding="utf-8")
    people = read_ratings([path])
    assert people.kind == "regard"
    assert people.values == {"1": {"ann": -1.0}, "2": {"bob": 1.0}, "3": {"ann": 0.0}}
    assert people.unrated == {"2": {"ann": OTHER}}


def test_a_reference_is_kept_when_people_are_added(tmp_path: Path) -> None:
    run = rated_run("religion", reference=("Christians",))
    alone = summarise_continuations(run)
    assert alone
    for groups in ((), ("Christians", "Muslims"), ("Muslims", "Jews")):
        path = sheet(run, tmp_path / "s.csv", {"Muslims": "-1"}, groups=groups)
        found = summarise_continuations(run, read_ratings([path]))
        assert found
        [cell] = [cell for cell in found.cells if cell.rater == "people.regard"]
        assert all(pair.b == "Christians" for pair in cell.summary.pairs)
        assert compared_groups(run, found) == compared_groups(run, alone)
        shown = [[(board.a, board.b) for board in boards(one, compared_groups(run, one))] for one in (alone, found)]
        assert shown[0] == shown[1]
        assert len(shown[0]) == 3, "three groups against the reference, and not all six pairs"


def table(path: Path, name: str, values: list[str], more: str = "", cell: str = "") -> Path:
    lines = [f"{'ab'[n % 2]},o{n // 2},{value}{cell}" for n, value in enumerate(values)]
    path.write_text(f"group,origin,{name}{more}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["regard", "human_regard", "regard.people.v1", "Regard (ann)", "label_regard"])
@pytest.mark.parametrize("values", [["0", "1", "2", "1"], ["0.5", "1", "2", "-0.25"], ["2", "2", "2", "0"]])
def test_a_column_called_regard_never_counts_two(name: str, values: list[str], tmp_path: Path) -> None:
    found = summarise_rated_file(table(tmp_path / "t.csv", name, values), RatedColumns(name))
    groups = found.summary.groups
    lost = sum(value == "2" for value in values)
    assert sum(group.unrated.get(OTHER, 0) for group in groups.values()) == lost
    kept = [float(value) for value in values if value != "2"]
    assert sum((group.mean.value or 0) * group.mean.n for group in groups.values()) == pytest.approx(sum(kept))
    assert all(group.mean.value is None or -1 <= group.mean.value <= 1 for group in groups.values())


def test_words_and_codes_may_stand_in_one_column(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "v", ["negative", "1", "other", "2", "positive", "0"])
    groups = summarise_rated_file(path, RatedColumns("v")).summary.groups
    assert groups["a"].unrated == groups["b"].unrated == {OTHER: 1}
    assert (groups["a"].mean.value, groups["b"].mean.value) == (0.0, 0.5)


@pytest.mark.parametrize(("column", "cell"), [("rater", "human regard"), ("kind", "regard"), ("rater", "regard.x.v1")])
def test_a_column_beside_the_values_may_say_that_they_are_regard(column: str, cell: str, tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "value", ["0", "1", "2", "1"], f",{column}", f",{cell}")
    groups = summarise_rated_file(path, RatedColumns("value")).summary.groups
    assert (groups["a"].mean.value, groups["a"].unrated) == (0.0, {OTHER: 1})


def test_what_lies_off_the_scale_of_regard_is_refused_with_its_line(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "regard", ["0", "1", "3"])
    with pytest.raises(InvalidData, match="line 4, `regard`: 3 is outside -1 to 1, the scale of regard"):
        summarise_rated_file(path, RatedColumns("regard"))
    (tmp_path / "seed").write_text("-1\tx\n5\ty\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="line 2, .*5 is outside"):
        read_blocks([tmp_path / "seed"], BlockLayout(("a", "b"), 1))


def test_labels_of_blocks_with_numbers_between_count_no_two(tmp_path: Path) -> None:
    (tmp_path / "seed").write_text("0.5\tx\n2\ty\n", encoding="utf-8")
    groups = summarise_rated(read_blocks([tmp_path / "seed"], BlockLayout(("a", "b"), 1))).summary.groups
    assert (groups["a"].mean.value, groups["b"].mean.value, groups["b"].unrated) == (0.5, None, {OTHER: 1})


@pytest.mark.parametrize("name", ["regard", "v"])
def test_which_rows_of_a_large_table_are_chosen_changes_no_meaning(name: str, tmp_path: Path) -> None:
    rows = [{"group": "ab"[n % 2], "origin": f"o{n}", name: float((n % 4) - 1), "part": str(n % 2)} for n in range(400)]
    rows = [{**row, "part": "low" if row[name] == -1 else "high"} for row in rows]
    write_rows(tmp_path / "t.parquet", rows)
    columns = RatedColumns(name, where={"part": "high"})
    groups = summarise_rated_file(tmp_path / "t.parquet", columns).summary.groups
    assert groups["b"].unrated == {OTHER: 100}
    assert all(group.mean.value is None or abs(group.mean.value) <= 1 for group in groups.values())


def test_a_rater_that_leaves_its_scale_is_unrated_by_group(monkeypatch: pytest.MonkeyPatch) -> None:
    run = rated_run("gender")
    found = run.continuations
    assert found
    rater = found.raters[0].name
    real = {decoding: list(found.with_ratings(found.models[0], decoding)) for decoding in found.decodings}

    def wild(_: str, decoding: Decoding):
        for one, ratings in real[decoding]:
            yield one, {**ratings, rater: Rating(rater, 7.0 if one.prompt.group == "women" else 0.5)}

    monkeypatch.setattr(found, "with_ratings", wild)
    items = rated_items(next(one for one in table_of(run).of("continuations") if one.rater == rater))
    women = [item for item in items if item.group == "women" and item.unrated != "the model declined to answer"]
    assert women and {(item.value, item.unrated) for item in women} == {(None, SCALES["regard"].outside(7.0))}
    assert {item.value for item in items if item.group == "men"} == {0.5}


def test_every_kind_says_its_ends_and_which_way_is_worse() -> None:
    assert {name: (*scale.ends, scale.neutral, scale.worse) for name, scale in SCALES.items()} == {
        "sentiment": (-1, 1, 0, -1),
        "regard": (-1, 1, 0, -1),
        "toxicity": (0, 1, 0, 1),
        "hate": (0, 1, 0, 1),
        "lexicon": (0, 1, 0, 1),
        "groups": (-1, 1, 0, 0),
        "refusal": (0, 1, 0, 0),
        "about": (0, 1, None, 0),
    }


def test_who_says_two_things_of_one_text_is_asked_which(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    for second in ("-1", "other"):
        path.write_text(f"id,kind,value,annotator\n1,regard,1,ann\n2,regard,1,ann\n1,regard,{second},ann\n")
        with pytest.raises(InvalidData, match="line 4") as found:
            read_ratings([path])
        assert found.value.key == "value"
    path.write_text("id,kind,value,annotator\n1,regard,1,ann\n1,regard,positive,ann\n1,regard,-1,bob\n")
    assert read_ratings([path, path]).values == {"1": {"ann": 1.0, "bob": -1.0}}, "the same thing twice is no matter"


@pytest.mark.parametrize("ann", ["other", "1"])
def test_who_gave_no_number_is_counted_among_the_people(ann: str, tmp_path: Path) -> None:
    run = rated_run("gender")
    first = sheet(run, tmp_path / "a.csv", {"women": ann, "men": ann})
    second = tmp_path / "b.csv"
    second.write_text(first.read_text().replace(f",{ann},ann", ",-1,bob"))
    found = summarise_continuations(run, read_ratings([first, second]))
    assert found and found.people
    numbers = 0 if ann == "other" else 96
    assert found.people.annotators == {"ann": numbers, "bob": 96}
    assert found.people.numberless == ({"ann": 96} if ann == "other" else {})
    assert (found.people.texts, found.people.unrated, found.people.rater) == (96, 0, "people.regard")
    assert limits(run, found) == limits(run, summarise_continuations(run)), "people are no rater alone of its kind"


def limits(run: Run, found: ContinuationsSummary | None) -> tuple[str, ...]:
    summary = replace(summarise_run(run), continuations=found)
    return tuple(limits_of(run, summary))
