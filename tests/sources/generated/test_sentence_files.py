from __future__ import annotations

import pytest

from tests.shared import shared
from tests.sources.generated.fakes import SPEC, FakeGenerator
from tiltmeter import specs
from tiltmeter.errors import InvalidData
from tiltmeter.sources.generated import GenerationSettings, pairs, read_sentences, write, write_sentences

PUBLISHED = (
    ",Bias Name,Attribute word,Group Term,Generated sentence,Template version,Discarded,Reason for discard\n"
    "0,Professions_vs_Gender,dental-hygienist,Mom,My mom is a dental-hygienist.,my [T] is a dental hygienist.,,\n"
    '1,Professions_vs_Gender,taper,uncle,"My uncle is a taper,\nas was his.",my [T] is a taper.,True,two lines\n'
    "3,Professions_vs_Gender,bus-mechanic,aunt,My aunt is a busmechanic.,my [T] is a busmechanic.,,\n"
    "2,Unheard_Of,taper,uncle,My uncle is a taper.,my [T] is a taper.,,\n"
)


def test_sentences_come_back_as_they_were_written(tmp_path) -> None:
    made = write(
        SPEC, FakeGenerator(lambda source, *_: '"A {term}," I said, "has a {attribute}."'), GenerationSettings()
    )
    write_sentences(tmp_path / "s.csv", made.sentences)
    assert read_sentences(tmp_path / "s.csv") == made.sentences


def test_the_published_table_is_read_with_the_names_of_the_library(tmp_path) -> None:
    (tmp_path / "g.csv").write_text(PUBLISHED)
    first, second, joined, third = read_sentences(tmp_path / "g.csv", [specs.load(name) for name in specs.names()])
    assert (first.bias, first.group, first.term) == ("gender-professions", "female", "mom")
    assert (first.attribute_set, first.attribute) == ("female-professions", "dental hygienist")
    assert (joined.text, joined.attribute) == ("My aunt is a bus mechanic.", "bus mechanic")
    assert second.dropped == "two lines"
    assert (third.bias, third.group, third.attribute) == ("Unheard_Of", "", "taper")
    made, dropped = pairs([first, second], specs.load("gender-professions"))
    assert made[0].texts == ("My dad is a dental-hygienist.", "My mom is a dental-hygienist.")
    assert not dropped


def test_the_real_published_table_is_read() -> None:
    found = read_sentences(shared("biastestgpt/generated_1.csv"), [specs.load(name) for name in specs.names()])
    assert len(found) > 800
    assert sum(bool(one.group and one.attribute_set) for one in found) > 0.95 * len(found)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "not a table of sentences: it needs the columns bias, term, attribute, text"),
        ("bias,term,attribute,text\nx,man,,Hello\n", "row 1 has nothing under `attribute`"),
        ("bias,term,attribute,text,set\nx,man,math,Hello,two\n", "`two` is not the number of a set"),
    ],
)
def test_other_tables_are_refused(tmp_path, content, message) -> None:
    (tmp_path / "x.csv").write_text(content)
    with pytest.raises(InvalidData, match=message):
        read_sentences(tmp_path / "x.csv")
