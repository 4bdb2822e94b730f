"""What is no text is never rated, scored or counted as one, whatever kind of file it stands in and its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.parquet_files import write_rows
from tiltmeter import raters
from tiltmeter.errors import InvalidData
from tiltmeter.files import read_csv
from tiltmeter.results import summarise_file
from tiltmeter.results.files.rated import summarise_rated_file
from tiltmeter.results.files.rated_texts import RatedColumns
from tiltmeter.results.files.ratings import rate_file
from tiltmeter.results.summary.people_ratings import read_ratings
from tiltmeter.sources import open_prompts_file, pairs_file, prompts_file
from tiltmeter.sources.generated.sentence_files import read_sentences
from tiltmeter.sources.labour_files import read_labour
from tiltmeter.sources.natural.corpus import read_corpus
from tiltmeter.sources.tables import kind_of, read_table
from tiltmeter.sources.word_sets import BUILT_IN

ASKED = [{"role": "user", "content": "Describe her."}]
UNLIKE = [["She is kind.", "He is bad."], [{"role": "user", "content": "x"}], [], {"en": "kind"}, 5, 0.5, True, [["a"]]]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        write_rows(path, rows)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rate(path: Path) -> None:
    rate_file(path, path.with_name("out.jsonl"), [raters.load("sentiment.vader.v1")])


READERS: dict[str, tuple[dict[str, Any], str, Callable[[Path], Any]]] = {
    "rate": ({"text": "She is kind."}, "text", rate),
    "prompts": ({"text": "She is", "group": "women"}, "text", prompts_file.prompts),
    "next words": ({"text": "The nurse said"}, "text", lambda path: open_prompts_file.read(path, BUILT_IN["he-she"])),
    "pairs": ({"sentence_1": "She is kind.", "sentence_2": "He is kind."}, "sentence_1", pairs_file.read),
    "sentences": (
        {"bias": "gender", "term": "woman", "attribute": "kind", "text": "A woman is kind."},
        "text",
        read_sentences,
    ),
    "corpus": ({"text": "She is kind."}, "text", read_corpus),
}


@pytest.mark.parametrize("name", ["t.jsonl", "t.json", "t.csv", "t.txt", "t", "t.parquet"])
@pytest.mark.parametrize("value", UNLIKE, ids=repr)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_text_is_refused(tmp_path: Path, name: str, value: Any, reader: str) -> None:
    row, column, read = READERS[reader]
    if name.endswith(".parquet"):
        if reader == "corpus" or value in ([], True):
            return
        path = written(tmp_path / name, [{**row, column: value}])
    else:
        if reader == "corpus" and name == "t.json":
            return
        path = written(tmp_path / name, [row, {**row, column: value}, row])
    with pytest.raises(InvalidData) as raised:
        read(path)
    # An object in the place of every text has its own columns, so that none of that name is left.
    assert raised.value.key == column or column in str(raised.value) or isinstance(value, dict)
    if not name.endswith(".parquet"):
        read(written(path, [row, row | {"note": value}, row]))


@pytest.mark.parametrize("missing", [{"text": None}, {}, {"text": float("nan")}, {"text": ""}])
def test_a_missing_text_is_not_rated(tmp_path: Path, missing: dict[str, Any]) -> None:
    path = written(tmp_path / "t.jsonl", [{"id": 1, "text": "She is kind."}, {"id": 2, **missing}])
    [found] = rate_file(path, tmp_path / "out.csv", [raters.load("sentiment.vader.v1")])
    assert found.rated == 1 and sum(found.unrated.values()) == 1


def test_bytes_are_no_text(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet", [{"text": b"She is kind.", "group": "women"}])
    for read in (rate, prompts_file.prompts):
        with pytest.raises(InvalidData, match="bytes"):
            read(path)


def test_parquet_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "t.parquet", [{"text": "café", "group": "a"}, {"text": "fine", "group": "b"}])
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xe9\xe9"))
    for read in (rate, prompts_file.prompts, read_table):
        with pytest.raises(InvalidData, match="UTF-8"):
            read(tmp_path / "t.parquet")


@pytest.mark.parametrize("column", ["group", "origin", "value"])
def test_no_group_origin_or_rating_is_a_list(tmp_path: Path, column: str) -> None:
    rows = [{"group": group, "origin": f"o{at}", "value": at / 10} for group in ("a", "b") for at in range(5)]
    odd = [row | {column: [row[column]]} for row in rows]
    for name in ("t.jsonl", "t.txt", "t.parquet"):
        with pytest.raises(InvalidData):
            summarise_rated_file(written(tmp_path / name, odd), RatedColumns("value"))
        assert summarise_rated_file(written(tmp_path / name, rows), RatedColumns("value")).rows == 10
    with pytest.raises(InvalidData):
        summarise_rated_file(written(tmp_path / "t.parquet", odd), RatedColumns("value"))


@pytest.mark.parametrize("column", ["bias", "attribute", "stereotyped", "model"])
def test_no_cell_of_a_scored_pair_is_a_list(tmp_path: Path, column: str) -> None:
    rows: list[dict[str, Any]] = [
        {"bias": "b", "attribute": f"a{at}", "stereotyped": at % 2, "model": "m"} for at in range(6)
    ]
    for name in ("t.jsonl", "t.csv", "t"):
        assert summarise_file(written(tmp_path / name, rows)).summary.as_json()
        with pytest.raises(InvalidData):
            summarise_file(written(tmp_path / name, [row | {column: [row[column]]} for row in rows]))


def test_messages_are_passed_on_as_json(tmp_path: Path) -> None:
    row = {"id": 7, "messages": ASKED, "response": {"content": "She is kind.", "refusal": None}}
    path = written(tmp_path / "log.jsonl", [row])
    rate_file(path, tmp_path / "out.csv", [raters.load("sentiment.vader.v1")])
    [cells] = read_csv(tmp_path / "out.csv")[1]
    assert json.loads(cells["messages"]) == ASKED and cells["text"] == "She is kind." and cells["id"] == "7"


@pytest.mark.parametrize(
    "answers",
    [
        {"choices": [{"message": {"role": "assistant", "content": text}} for text in ("Good.", "Bad.")]},
        {"responses": [{"role": "assistant", "content": text} for text in ("Good.", "Bad.")]},
        {"response": {"content": {"value": 3}}},
        {"response": {"content": 3}},
    ],
)
def test_several_answers_or_one_that_is_no_text_are_not_rated_as_one(tmp_path: Path, answers: dict[str, Any]) -> None:
    path = written(tmp_path / "log.jsonl", [{"messages": ASKED, **answers}])
    with pytest.raises(InvalidData):
        rate(path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ('{"text": "a"}\n', "json-lines"),
        ('\n\n{"text": "a"}\n{"text": "b"}\n', "json-lines"),
        ('\ufeff{"text": "a"}\n', "json-lines"),
        ('{\n "text": ["a"]\n}', "json"),
        ('[{"text": "a"}]', "json"),
        ('[\n  {"text": "a"}\n]', "json"),
        ('{"text": "' + "a" * 100_000 + '"}\n{"text": "b"}\n', "json-lines"),
        ("text,group\na,b\n", "csv"),
        ("{name},group\na,b\n", "csv"),
        ("[MASK] is,group\na,b\n", "csv"),
    ],
)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt", "t", "t.log"])
def test_the_kind_of_a_table_is_seen_from_what_it_holds(tmp_path: Path, content: str, kind: str, name: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert kind_of(tmp_path / name) == kind


@pytest.mark.parametrize("by_column", [False, True])
def test_a_table_saved_column_by_column_is_read_row_by_row(tmp_path: Path, by_column: bool) -> None:
    rows = [("She is kind.", "women"), ("He is kind.", "men"), ("It is kind.", "things")]
    columns: dict[str, Any] = {"text": [text for text, _ in rows], "group": [group for _, group in rows]}
    if by_column:
        columns = {name: {str(at): cell for at, cell in enumerate(held)} for name, held in columns.items()}
    (tmp_path / "t.json").write_text(json.dumps(columns), encoding="utf-8")
    assert [(cells["text"], cells["group"]) for _, cells in read_table(tmp_path / "t.json")[1]] == rows


def test_sheets_and_statistics_may_be_json(tmp_path: Path) -> None:
    path = written(tmp_path / "r.csv", [{"id": "1", "value": 0.5, "annotator": "ann"}])
    assert read_ratings([path]).values == {"1": {"ann": 0.5}}
    path = written(tmp_path / "labour.csv", [{"occupation": "nurses", "women": 90}])
    assert [(one.title, one.share) for one in read_labour(path)] == [("nurses", 0.9)]


@pytest.mark.parametrize("name", ["t.jsonl", "t.json", "t.csv"])
def test_half_a_character_and_deep_nesting_end_nothing(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('[{"text": "a\\ud800b", "group": "w"}]' if name == "t.json" else '{"text": "a\\ud800b"}\n')
    assert read_table(path)[1][0][1]["text"] == "a\ufffdb"
    path.write_text('{"text": ' + "[" * 500 + "]" * 500 + "}\n")
    with pytest.raises(InvalidData):
        read_table(path)


@pytest.mark.parametrize("column", ["bias", "attribute", "origin", "label_1"])
def test_a_column_of_objects_is_not_taken_for_a_missing_one(tmp_path: Path, column: str) -> None:
    pair = {"sentence_1": "She is kind.", "sentence_2": "He is kind.", "stereotyped": 1, "text": "She is"}
    odd = pair | {"group": "women", column: {"name": "x"}}
    for name in ("t.jsonl", "t.json", "t.parquet"):
        for read in (pairs_file.read, *([summarise_file] if name != "t.parquet" and column != "label_1" else [])):
            assert read(written(tmp_path / name, [pair]))
            with pytest.raises(InvalidData) as raised:
                read(written(tmp_path / name, [odd, odd]))
            assert raised.value.key == column


@pytest.mark.parametrize("column", ["origin", "id", "term"])
def test_no_origin_or_id_of_a_prompt_is_an_object(tmp_path: Path, column: str) -> None:
    row = {"text": "The nurse said", "group": "women", column: {"name": "x"}}
    with pytest.raises(InvalidData):
        prompts_file.prompts(written(tmp_path / "t.jsonl", [row]))
    if column == "id":
        with pytest.raises(InvalidData):
            open_prompts_file.read(written(tmp_path / "t.jsonl", [row]), BUILT_IN["he-she"])


@pytest.mark.parametrize("name", ["t.jsonl", "t.json"])
def test_a_key_that_is_there_twice_is_refused(tmp_path: Path, name: str) -> None:
    row = '{"text": "She is kind.", "text": "He is bad."}'
    (tmp_path / name).write_text(f"[{row}]" if name == "t.json" else f"{row}\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="text"):
        rate(tmp_path / name)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-32-be"])
def test_a_table_in_another_encoding_of_unicode_is_read(tmp_path: Path, encoding: str) -> None:
    text = "text,group\nShe is kind été.,a\n"
    mark = "" if encoding in ("utf-16", "utf-32") else "\ufeff"
    (tmp_path / "t.csv").write_bytes((mark + text).encode(encoding))
    assert read_csv(tmp_path / "t.csv")[1] == [{"text": "She is kind été.", "group": "a"}]


@pytest.mark.parametrize("held", [True, 3, 1.5])
def test_a_term_that_is_no_text_is_refused_as_in_a_spec(held: Any, tmp_path: Path) -> None:
    prompt = {"text": "The woman said", "group": "women", "term": held}
    (tmp_path / "p.jsonl").write_text(json.dumps(prompt) + "\n")
    with pytest.raises(InvalidData, match="`term`"):
        prompts_file.prompts(tmp_path / "p.jsonl")
    for columns in ({"template": "[T] is kind."}, {"sentence_1": "She is kind.", "sentence_2": "He is kind."}):
        (tmp_path / "pairs.jsonl").write_text(json.dumps({**columns, "term_1": "she", "term_2": held}) + "\n")
        with pytest.raises(InvalidData, match="`term_2`"):
            pairs_file.pairs(tmp_path / "pairs.jsonl")


@pytest.mark.parametrize("held", [True, 3])
def test_a_check_refuses_the_prompts_that_a_study_refuses(held: Any, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text(json.dumps({"text": held, "group": "women"}) + "\n")
    for read in (prompts_file.check, prompts_file.prompts):
        with pytest.raises(InvalidData, match="`text`"):
            read(tmp_path / "p.jsonl")
