"""Files in the layout of the paper, and the table that says the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.results.files.blocks import BlockLayout, block_files, read_blocks
from tiltmeter.results.files.rated import RatedSettings, summarise_rated
from tiltmeter.results.files.rated_texts import RatedColumns, read_rated

GROUPS = ("man", "gay person", "woman")
LAYOUT = BlockLayout(GROUPS, 4)


def written(folder: Path, labels: list[list[str]], end: str = "\n") -> list[Path]:
    """A file for each seed; texts hold tabs and signs at which Python would split a line."""
    folder.mkdir(exist_ok=True)
    paths = []
    for seed, column in enumerate(labels):
        path = folder / f"seed{seed}.txt"
        path.write_bytes("".join(f"{label}\ta\ttab\u2028 and \x0c more{end}" for label in column).encode())
        paths.append(path)
    return paths


def drawn(seeds: int = 3, types: int = 5) -> list[list[str]]:
    generator = np.random.default_rng(4)
    return [generator.choice(["-1", "0", "1", "2"], size=types * 12).tolist() for _ in range(seeds)]


def test_the_place_of_a_line_says_what_it_is_about(tmp_path: Path) -> None:
    labels = [str(place % 3 - 1) for place in range(24)]
    found = read_blocks(written(tmp_path, [labels]), LAYOUT)
    assert (len(found.items), found.rows, found.structured, found.regard) == (24, 24, True, True)
    second = found.items[12 + 4 + 1]  # second type, second group, second structure
    assert (second.origin, second.group, second.structure) == ("1", "gay person", "1")
    assert second.prompt == "1/gay person/1"
    assert second.value == 17 % 3 - 1
    named = read_blocks([tmp_path], BlockLayout(GROUPS, 4, ("worked as", "was known for")))
    assert named.items[17].origin == "was known for"


def test_blocks_and_the_table_that_says_the_same_give_the_same(tmp_path: Path) -> None:
    labels = drawn()
    paths = written(tmp_path / "blocks", labels)
    lines = ["label,group,type,structure,prompt"]
    for column in labels:
        for place, label in enumerate(column):
            kind, group, structure = place // 12, GROUPS[place // 4 % 3], place % 4
            lines.append(f"{label},{group},{kind},{structure},{kind}/{group}/{structure}")
    table = tmp_path / "table.csv"
    table.write_text("\n".join(lines), encoding="utf-8")
    for unscored in ((), ("2",)):
        blocks = read_blocks(paths, BlockLayout(GROUPS, 4, unscored=unscored))
        columns = RatedColumns("label", "group", "type", "structure", "prompt", unscored=unscored)
        rated = read_rated(table, columns)
        assert (blocks.items, blocks.notes, blocks.rows) == (rated.items, rated.notes, rated.rows)
        settings = RatedSettings(most_k=(1, 2), fixed="0", best=2)
        assert summarise_rated(blocks, settings).as_json() == summarise_rated(rated, settings).as_json()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_marks_and_blank_last_lines_do_not_matter(tmp_path: Path, end: str) -> None:
    plain = read_blocks(written(tmp_path / "plain", drawn(1)), LAYOUT)
    [path] = written(tmp_path / "other", drawn(1), end)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes() + end.encode() * 2)
    assert read_blocks([path], LAYOUT) == plain


def test_a_line_may_lack_its_text_or_its_label(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_text("negative\n\ttext\nPositive\t\n\t\n", encoding="utf-8")
    found = read_blocks([path], BlockLayout(("a", "b"), 2))
    assert [item.value for item in found.items] == [-1.0, None, 1.0, None]
    assert found.items[1].unrated == "the column `label` is blank"


def test_labels_without_a_negative_one_are_labels_all_the_same(tmp_path: Path) -> None:
    found = read_blocks(written(tmp_path, [["0", "1", "2", "1"]]), BlockLayout(("a", "b"), 2))
    assert [item.label for item in found.items] == ["neutral", "positive", "other", "positive"]
    assert found.items[2].value is None


def test_a_folder_stands_for_its_files_in_natural_order(tmp_path: Path) -> None:
    for name in ("seed10", "seed9", ".hidden"):
        (tmp_path / name).write_text("0\tx\n", encoding="utf-8")
    assert [path.name for path in block_files([tmp_path])] == ["seed9", "seed10"]
    with pytest.raises(InvalidData, match="the file is given twice"):
        block_files([tmp_path, tmp_path / "seed9"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidData, match="the folder holds no files"):
        block_files([tmp_path / "empty"])


@pytest.mark.parametrize(
    ("layout", "sentence"),
    [
        (BlockLayout(GROUPS, 7), "60 lines are no whole number of prompt types of 3 groups × 7 structures = 21"),
        (BlockLayout(GROUPS, 4, ("one", "two")), "60 lines are 5 prompt types of .* and --prompt-types names 2"),
        (BlockLayout(("man", "man"), 4), "--groups: 'man' is there twice"),
        (BlockLayout(("man", ""), 4), "--groups: write the names of the groups"),
        (BlockLayout(GROUPS, 0), "--structures 0: write how many"),
    ],
)
def test_what_does_not_fit_is_said_with_numbers(tmp_path: Path, layout: BlockLayout, sentence: str) -> None:
    paths = written(tmp_path, drawn())
    with pytest.raises(UserError, match=sentence):
        read_blocks(paths, layout)


def test_bad_files_are_named(tmp_path: Path) -> None:
    paths = written(tmp_path, drawn())
    paths[1].write_text("0\tx\n" * 48, encoding="utf-8")
    with pytest.raises(InvalidData, match=r"seed1.txt: 48 lines where .*seed0.txt has 60; the files of all seeds"):
        read_blocks(paths, LAYOUT)
    paths[1].write_text("0\tx\n" * 30 + "a text that lost its label\n" + "0\tx\n" * 29, encoding="utf-8")
    with pytest.raises(InvalidData, match=r"seed1.txt, line 31, `label`: 'a text that lost its label' is no rating"):
        read_blocks(paths, LAYOUT)
    paths[1].write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidData, match="not UTF-8 text"):
        read_blocks(paths, LAYOUT)
    with pytest.raises(InvalidData, match="there is no such file"):
        read_blocks([tmp_path / "none"], LAYOUT)
    paths[1].write_text("\n\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="0 lines are no whole number"):
        read_blocks([paths[1]], LAYOUT)


def test_some_prompt_types_alone_are_those_of_their_lines(tmp_path: Path) -> None:
    paths = written(tmp_path, drawn())
    names = tuple("abcde")
    every = read_blocks(paths, BlockLayout(GROUPS, 4, names))
    some = read_blocks(paths, BlockLayout(GROUPS, 4, names, only=("b", "d")))
    assert list(some.items) == [item for item in every.items if item.origin in ("b", "d")]
    with pytest.raises(UserError, match="prompt type"):
        read_blocks(paths, BlockLayout(GROUPS, 4, names, only=("x",)))
