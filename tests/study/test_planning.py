"""Plans: probes from files that are read a row at a time."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tiltmeter.errors import InvalidData
from tiltmeter.study import parse, plan

HEAD = 'name = "t"\nmodels = ["scripted"]\n'
TABLES = {
    "continuations": "text,group,id\nHe is,men,a\nShe is,women,b\nShe was,women,a\n",
    "next_words": "text,id\nThe cook said,a\nThe cook ran,b\nThe cook sat,a\n",
}


@pytest.mark.parametrize("view", TABLES)
def test_an_id_that_stands_twice_is_refused(tmp_path: Path, view: str) -> None:
    (tmp_path / "p.csv").write_text(TABLES[view], encoding="utf-8")
    text = f'{HEAD}[{view}]\nsources = ["prompts-file:p.csv"]\n'
    with pytest.raises(InvalidData, match=r"p\.csv: the id `a` stands more than once"):
        plan(parse(text, file=tmp_path / "s.toml"))


def test_a_row_in_the_middle_that_is_wrong_is_named(tmp_path: Path) -> None:
    rows = "label_1,label_2,sentence_1,sentence_2\n,,he runs,she runs\nstereo,stereo,he sits,she sits\n"
    (tmp_path / "p.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(InvalidData, match=r"p\.csv, line 3.*the labels are 'stereo' and 'stereo'"):
        plan(parse(f'{HEAD}[pairs]\nsources = ["pairs-file:p.csv"]\n', file=tmp_path / "s.toml"))


def test_the_fingerprint_is_that_of_the_whole_plan_as_json(tmp_path: Path) -> None:
    """So it was when plans were held in memory: runs of before go on."""
    (tmp_path / "p.csv").write_text("text,group\nEr läuft,men\nSie läuft,women\n", encoding="utf-8")
    text = (
        f'{HEAD}specs = ["gender-math-arts"]\n[pairs]\n[continuations]\nsources = ["prompts-file:p.csv"]\n'
        "[next_words]\nsources = [{ profession-templates = { limit = 2 } }]\n"
    )
    made = plan(parse(text, file=tmp_path / "s.toml"))
    probes = [[asdict(probe) for probe in probes] for probes in (made.pairs, made.prompts, made.asked)]
    assert all(probes)
    resolved = made.resolved
    for group in (group for spec in resolved["specs"] for group in spec["groups"]):
        # What a group is called changes no question.
        assert {group.pop(name) for name in ("noun", "singular", "pronoun")} & {"women", "men"}
    whole = json.dumps([resolved, probes], sort_keys=True, ensure_ascii=False)
    assert made.fingerprint == hashlib.sha256(whole.encode()).hexdigest()
