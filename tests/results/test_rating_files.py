from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.parquet_files import types, write_query, write_rows
from tiltmeter.errors import InvalidData
from tiltmeter.parquet import parquet_rows
from tiltmeter.records import Rating
from tiltmeter.results.files.ratings import Masking, rate_file


class Length:
    """Rates a text by its length; says what it saw."""

    name = "length.v1"
    wants_mask = False

    def __init__(self) -> None:
        self.seen: list[str] = []

    @property
    def facts(self) -> Mapping[str, str]:
        return {"made": "here"}

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        self.seen += texts
        return [Rating(self.name, float(len(text))) if text else Rating(self.name, None, "empty") for text in texts]


class Masked(Length):
    name = "masked.v1:argument"
    wants_mask = True

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        return [Rating(self.name, rating.value, rating.unrated, label="x") for rating in super().rate(texts)]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text(
        'n,group,text\n1,women,"A woman, a man"\n2,men,A man met a woman\n3,men,\n4,men,A man met a woman\n'
    )
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_columns_are_added_and_equal_texts_are_rated_once(texts: Path, tmp_path: Path) -> None:
    rater = Length()
    [found] = rate_file(texts, tmp_path / "out.csv", [rater])
    made = rows(tmp_path / "out.csv")
    assert list(made[0]) == ["n", "group", "text", "length.v1", "length.v1.unrated"]
    assert [row["length.v1"] for row in made] == ["14.0", "17.0", "", "17.0"]
    assert [row["length.v1.unrated"] for row in made] == ["", "", "empty", ""]
    assert len(rater.seen) == 3
    assert (found.as_json()["rated"], found.as_json()["unrated"]) == (3, {"empty": 1})


def test_only_the_terms_of_the_texts_own_group_are_masked(texts: Path, tmp_path: Path) -> None:
    rater = Masked()
    masking = Masking(by_group={"women": ("a woman",), "men": ("a man",)}, group="group")
    [found] = rate_file(texts, tmp_path / "out.csv", [rater], masking=masking)
    assert rater.seen == ["XYZ, a man", "XYZ met a woman", ""]
    assert found.unmasked == 1
    assert list(rows(tmp_path / "out.csv")[0])[3:] == ["masked.v1", "masked.v1.unrated", "masked.v1.label"]
    with pytest.raises(InvalidData, match="line 3, `group`: there is no group `men`; did you mean `women`"):
        rate_file(
            texts,
            tmp_path / "out.csv",
            [rater],
            masking=Masking(by_group={"women": ("x",), "man": ("x",)}, group="group"),
        )


def test_without_groups_all_terms_are_masked_and_a_column_can_hold_them(texts: Path, tmp_path: Path) -> None:
    rater = Masked()
    rate_file(texts, tmp_path / "out.csv", [rater], masking=Masking(by_group={"w": ("woman",), "m": ("man",)}))
    assert rater.seen[0] == "A XYZ, a XYZ"
    other = Masked()
    rate_file(texts, tmp_path / "out.csv", [other], masking=Masking(column="text"))
    assert other.seen[0] == "XYZ"


def test_raters_that_want_no_mask_see_the_text(texts: Path, tmp_path: Path) -> None:
    rater = Length()
    [found] = rate_file(texts, tmp_path / "out.csv", [rater], masking=Masking(terms=("man",)))
    assert rater.seen[0] == "A woman, a man"
    assert found.unmasked is None


def test_json_lines_keep_their_numbers_and_objects(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "abc", "meta": {"n": 1}, "tags": ["x"]}\n\n{"text": ""}\n', encoding="utf-8")
    rate_file(path, tmp_path / "out.jsonl", [Length()])
    made = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert made[0] == {"text": "abc", "meta": {"n": 1}, "tags": ["x"], "length.v1": 3.0, "length.v1.unrated": None}
    assert made[1] == {"text": "", "length.v1": None, "length.v1.unrated": "empty"}


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    path, out = tmp_path / "texts.parquet", tmp_path / "out.parquet"
    query = (
        "SELECT CASE WHEN i % 2 = 0 THEN 'abc' ELSE '' END AS text, i::UTINYINT AS n, [i, NULL] AS l, {'a b': i} AS s, "
        "(i / 4)::DECIMAL(5, 2) AS d, TIMESTAMPTZ '2020-01-01 00:00:00Z' AS \"at\"\"'\", MAP {i: 'x'} AS m, "
        "'b'::BLOB AS b FROM range(200) t(i)"
    )
    write_query(path, query)
    rate_file(path, out, [Length()])
    rate_file(out, out, [Length()], overwrite=True)
    assert types(out) == types(path) | {"length.v1": "DOUBLE", "length.v1.unrated": "VARCHAR"}
    for old, new in zip(parquet_rows(path), parquet_rows(out), strict=True):
        rated = {"length.v1": 3.0, "length.v1.unrated": None}
        assert new == old | (rated if old["text"] else {"length.v1": None, "length.v1.unrated": "empty"})


def test_parquet_keeps_its_rows_in_their_order_and_what_it_says_of_itself(tmp_path: Path) -> None:
    import duckdb

    path, out = tmp_path / "texts.parquet", tmp_path / "out.parquet"
    with duckdb.connect(":memory:") as found:
        numbers = "SELECT 'x' || i AS text FROM range(9000) t(i)"
        more = "ROW_GROUP_SIZE 2048, KV_METADATA {pandas: '{\"a\": 1}', \"ARROW:schema\": 'old'}"
        found.execute(f"COPY ({numbers}) TO '{path}' (FORMAT parquet, {more})")
        rate_file(path, out, [Length()])
        held = found.execute("SELECT key, value FROM parquet_kv_metadata(?)", [str(out)]).fetchall()
    assert held == [(b"pandas", b'{"a": 1}')]
    assert [(row["text"], row["length.v1"]) for row in parquet_rows(out)] == [
        (f"x{i}", float(len(f"x{i}"))) for i in range(9000)
    ]


def test_new_columns_that_differ_from_old_ones_in_case_are_refused(tmp_path: Path) -> None:
    path, out = write_rows(tmp_path / "texts.parquet", [{"text": "abc", "Length.V1": 2}]), tmp_path / "out.parquet"
    with pytest.raises(InvalidData, match="capitals"):
        rate_file(path, out, [Length()])
    (tmp_path / "texts.csv").write_text("text,Text,\na,b,c\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="capitals"):
        rate_file(tmp_path / "texts.csv", out, [Length()])
    assert not out.exists()


def test_nothing_is_written_where_a_rater_fails(texts: Path, tmp_path: Path) -> None:
    class Failing(Length):
        def rate(self, texts: Sequence[str]) -> list[Rating]:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        rate_file(texts, tmp_path / "new" / "out.csv", [Length(), Failing()])
    assert not (tmp_path / "new").exists()


def test_a_kind_that_is_not_known_is_refused(texts: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"its kind is not known"):
        rate_file(texts, tmp_path / "out.xlsx", [Length()])
    with pytest.raises(InvalidData, match="there is no column `txt`; did you mean `text`"):
        rate_file(texts, tmp_path / "out.csv", [Length()], text="txt")


def test_a_column_that_is_there_already_is_an_error_unless_it_is_to_be_replaced(texts: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    rate_file(texts, first, [Masked()], masking=Masking(terms=("man",)))
    with pytest.raises(InvalidData, match=r"first\.csv, line 1: there is a column `masked\.v1` already; --overwrite"):
        rate_file(first, second, [Masked()])
    assert not second.exists()
    rate_file(first, second, [Unlabelled()], overwrite=True)
    assert list(rows(second)[0]) == ["n", "group", "text", "masked.v1", "masked.v1.unrated"], "no stale label"
    lines = tmp_path / "lines.jsonl"
    rate_file(first, lines, [Length()])
    rate_file(lines, lines, [Unlabelled()], overwrite=True)
    assert "masked.v1.label" not in json.loads(lines.read_text(encoding="utf-8").splitlines()[0])


class Unlabelled(Length):
    name = "masked.v1"


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_odd_texts_come_back_as_they_were(kind: str, tmp_path: Path) -> None:
    odd = [
        "",
        "  ",
        'two\nlines, "quoted"',
        "tab\there",
        "\u2028 separates",
        "x" * 300_000,
        "Zoë 👩‍🔬",
        "twice",
        "twice",
    ]
    path = tmp_path / "odd.jsonl"
    path.write_text("".join(json.dumps({"text": text, "n": n}) + "\n" for n, text in enumerate(odd)), encoding="utf-8")
    out = tmp_path / f"out.{kind}"
    rater = Length()
    [found] = rate_file(path, out, [rater])
    assert (found.rows, found.rated, len(rater.seen)) == (9, 8, 8)
    again = tmp_path / "again.jsonl"
    rate_file(out, again, [Unlabelled()])
    made = [json.loads(line) for line in again.read_text(encoding="utf-8").split("\n") if line]
    assert [row["text"] for row in made] == odd
    assert [row["masked.v1"] for row in made] == [float(len(text)) if text else None for text in odd]
    assert [float(row["length.v1"] or 0) for row in made] == [float(len(text)) for text in odd]


def test_rows_that_lack_a_column_have_an_empty_text(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"n": 1}\n{"text": "abc", "more": null}\n{"text": null}\n', encoding="utf-8")
    [found] = rate_file(path, tmp_path / "out.csv", [Length()])
    assert (found.rated, found.unrated) == (1, {"empty": 2})
    assert list(rows(tmp_path / "out.csv")[0]) == ["n", "text", "more", "length.v1", "length.v1.unrated"]


def test_whoever_watches_hears_of_texts_without_a_rating(texts: Path, tmp_path: Path) -> None:
    heard: list[tuple[int, int | None]] = []

    class Watcher:
        def start(self, what: str, total: int, done: int) -> None:
            pass

        def advance(self, steps: int, failed: int | None = None) -> None:
            heard.append((steps, failed))

    rate_file(texts, tmp_path / "out.csv", [Length(), Masked()], progress=Watcher())
    assert heard == [(4, 1), (4, 1)]


def test_a_long_table_is_rated_batch_by_batch_and_checked_whole_before(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    lines = [f"t{number % 400}" for number in range(5000)]
    path.write_text("text\n" + "\n".join(lines) + "\n", encoding="utf-8")
    rater, steps = Length(), []

    class Watcher:
        def start(self, what: str, total: int, done: int) -> None:
            steps.append((what, total))

        def advance(self, number: int, failed: int | None = None) -> None:
            steps.append(("step", number))

    rate_file(path, tmp_path / "out.csv", [rater], progress=Watcher())
    assert len(rater.seen) == 400
    assert steps[0] == ("length.v1", 5000)
    assert sum(number for what, number in steps if what == "step") == 5000
    assert max(number for what, number in steps if what == "step") <= 256
    path.write_text("text,n\n" + "a,1\n" * 3000 + "cut", encoding="utf-8")
    fresh = Length()
    with pytest.raises(InvalidData, match="line 3002: 1 cell where the header has 2"):
        rate_file(path, tmp_path / "never.csv", [fresh])
    assert fresh.seen == [] and not (tmp_path / "never.csv").exists()


def test_raters_that_do_not_read_the_language_rate_nothing(texts: Path, tmp_path: Path) -> None:
    class Italian(Length):
        name, languages = "italian.v1", ("it",)

    english, italian = Length(), Italian()
    found = rate_file(texts, tmp_path / "out.csv", [english, italian], language="it")
    assert english.seen == []
    assert found[0].unrated == {"the text is Italian and the rater reads English": 3, "the text is empty": 1}
    assert found[1].rated == 3
