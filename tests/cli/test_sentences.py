from __future__ import annotations

import csv
import json

import pytest
import typer
from typer.testing import CliRunner

from tests.sources.generated.fakes import FakeGenerator
from tiltmeter.cli.sentences import sentences
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.raters.issues import Finding
from tiltmeter.records import Rating
from tiltmeter.sources.generated.matching import contains

FRAMES = [
    f"{start} {{term}} wrote about {{attribute}} {end}." for start in ("The", "A", "One") for end in ("here", "there")
]


class FakeRater:
    def __init__(self, name: str) -> None:
        self.name = name

    def rate(self, texts):
        return [Rating(self.name, 0.0) for _ in texts]


@pytest.fixture(autouse=True)
def world(monkeypatch):
    """A generator, raters and an audit that need no weights: `One …` is incoherent, `A …` reveals the group."""

    def audit(found, *, fluency=None):
        assert all(one.counterpart and one.term in one.group_terms for one in found)
        marks = {"One": (Finding("I7", "odd", 1.0),), "A": (Finding("I1", "`A` reveals the group", 1.0),)}
        return [marks.get(one.text.split()[0], ()) for one in found]

    monkeypatch.setattr("tiltmeter.raters.issues.audit", audit)
    monkeypatch.setattr("tiltmeter.raters.load", FakeRater)
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: FakeGenerator(lambda source, *_: source.choice(FRAMES)))


def run(*words: object):
    app = typer.Typer()
    app.command()(sentences)
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def write(path, *more: object):
    return run("gender-math-arts", "--by", "fake", "--seed", 1, "--out", path, *more)


def test_every_attribute_gets_its_sentences_and_the_account_is_printed(tmp_path) -> None:
    done = write(tmp_path / "s.csv")
    rows = list(csv.DictReader((tmp_path / "s.csv").open()))
    for attribute in ("math", "sculpture", "numbers"):
        assert {row["group"] for row in rows if row["attribute"] == attribute} == {"male", "female"}
    assert all(contains(row["text"], row["term"]) and contains(row["text"], row["attribute"]) for row in rows)
    assert not [row for row in rows if row["text"].startswith("One")]
    for words in ("requests", "both terms", "flagged", "female "):
        assert words in done.stdout
    assert "wrote about" not in done.stdout


def test_terms_that_yield_little_are_named(tmp_path, monkeypatch) -> None:
    frames = {"drama": "It rains."}
    generator = FakeGenerator(lambda source, term, attribute: frames.get(attribute, source.choice(FRAMES[:4])))
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: generator)
    done = write(tmp_path / "s.csv")
    assert "Terms to reconsider" in done.stdout
    assert "drama" in done.stdout
    assert "gender-math-arts/0/arts/drama: only 0 sentences" in done.stderr


def test_the_same_command_gives_the_same_file(tmp_path) -> None:
    write(tmp_path / "a.csv")
    write(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_json_has_the_account_and_dropped_sentences_can_be_had(tmp_path) -> None:
    done = write(tmp_path / "s.csv", "--json", "--dropped", tmp_path / "d.csv", "--strategy", "rejection")
    account = json.loads(done.stdout)["specs"]["gender-math-arts"]
    dropped = list(csv.DictReader((tmp_path / "d.csv").open()))
    assert account["decoded"] == account["kept"] + len(dropped)
    assert dict(account["dropped"])["flagged"] > 0
    assert account["controllability"] == 1
    assert all(row["dropped"] for row in dropped)


def test_without_the_judge_odd_sentences_stay(tmp_path) -> None:
    write(tmp_path / "s.csv", "--no-judge")
    assert "One " in (tmp_path / "s.csv").read_text()


def test_sentences_are_shown_only_when_asked_for(tmp_path) -> None:
    assert write(tmp_path / "s.csv", "--show", 2).stdout.count("wrote about") == 2


def test_ranking_keeps_the_best(tmp_path, monkeypatch) -> None:
    from tiltmeter.models.scripted import load as scripted

    loaded = {"fake": FakeGenerator(lambda source, *_: source.choice(FRAMES)), "scripted": scripted("", None)}  # type: ignore[arg-type]
    monkeypatch.setattr("tiltmeter.models.load", lambda name, *_: loaded[name])
    account = json.loads(write(tmp_path / "s.csv", "--reader", "scripted", "--json").stdout)["specs"][
        "gender-math-arts"
    ]
    assert account["kept"] == 32 < account["accepted"]


def test_the_audit_prints_quality_and_issues_but_no_sentence(tmp_path) -> None:
    write(tmp_path / "s.csv")
    done = run("--audit", tmp_path / "s.csv")
    for words in ("words per sentence", "unique tokens", "templates", "I1", "related group reference", "Gunning Fog"):
        assert words in done.stdout
    assert "wrote about" not in done.stdout
    assert "reveals the group" in run("--audit", tmp_path / "s.csv", "--show", 1).stdout
    found = json.loads(run("--audit", tmp_path / "s.csv", "--json").stdout)
    assert found["issues"]["I1"]["n"] == found["any_issue"] > 0
    assert [one["name"] for one in found["quality"]] == ["s.csv", "templates"]


def test_the_published_format_is_audited_too(tmp_path) -> None:
    (tmp_path / "g.csv").write_text(
        ",Bias Name,Attribute word,Group Term,Generated sentence\n"
        "0,Math_Arts_vs_Male_Female,math,man,A man does math.\n"
        "1,Math_Arts_vs_Male_Female,art,girl,The girl does art.\n"
    )
    found = json.loads(run("--audit", tmp_path / "g.csv", "--json").stdout)
    assert found["sentences"] == 2
    assert found["issues"]["I1"] == {"n": 1, "share": 0.5}


def test_labels_go_out_and_come_back(tmp_path) -> None:
    write(tmp_path / "s.csv", "--annotate", tmp_path / "ann.csv")
    run("--audit", tmp_path / "s.csv", "--annotate", tmp_path / "bob.csv")
    for name in ("ann", "bob"):
        rows = list(csv.DictReader((tmp_path / f"{name}.csv").open()))
        for row in rows[:10]:
            row["I1" if row["text"].startswith("A ") else "none"] = "x"
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    done = run("--agreement", tmp_path / "ann.csv", tmp_path / "bob.csv")
    assert "Agreement of 2 annotators on 10 sentences" in done.stdout
    assert "ann–bob 1.00" in done.stdout
    found = json.loads(run("--json", "--agreement", tmp_path / "ann.csv", tmp_path / "bob.csv").stdout)
    assert found["agreement"][0]["alpha"] == 1
    assert len(found["majority"]) == 10


def test_templates_are_proposed_from_the_sentences(tmp_path) -> None:
    write(tmp_path / "s.csv", "--propose-templates", tmp_path / "t.toml")
    text = (tmp_path / "t.toml").read_text()
    assert "# Proposed by fake, and read by nobody yet" in text
    assert '"The [T] wrote about [A] here.",' in text


def test_terms_are_proposed(monkeypatch) -> None:
    from tests.sources.generated.test_proposing import SPACE

    monkeypatch.setattr("tiltmeter.sources.generated.vectors.load", lambda: SPACE)
    assert '"king" – "queen"' in run("--propose-terms", "gender-math-arts").stdout
    assert json.loads(run("--propose-terms", "gender-math-arts", "--json").stdout)


def test_bad_input_is_refused(tmp_path) -> None:
    with pytest.raises(UserError, match="say what to write about and who writes"):
        run("gender-math-arts")
    with pytest.raises(UserError, match="`strategy`: must be"):
        write(tmp_path / "s.csv", "--strategy", "beam")
    (tmp_path / "empty.csv").write_text("bias,term,attribute,text\n")
    with pytest.raises(InvalidData, match="no sentences to look at"):
        run("--audit", tmp_path / "empty.csv")
    assert not (tmp_path / "s.csv").exists()
