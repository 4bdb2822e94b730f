from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.shared import ROOT
from tiltmeter import specs
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.records import Group, Spec
from tiltmeter.sources import decisions, noun_phrases
from tiltmeter.sources.noun_phrases import name

STRANGERS = ROOT.parent / "shared" / "strangers"


def spec_of(*groups: Group, templates: tuple[str, ...] = ("[T] is [A]",)) -> Spec:
    return Spec("own", "Own", groups, templates=templates)


KIN = spec_of(Group("aunts", ("my aunt", "she")), Group("uncles", ("my uncle", "he")))


def test_saying_yes_is_no_advantage() -> None:
    counts = Counter((one.domain, one.options[one.favourable]) for one in decisions.own())
    assert set(counts.values()) == {6} and {domain for domain, _ in counts} == set(decisions.DOMAINS)
    assert len({one.whole for one in decisions.own()}) == 48
    # Named once, as the subject, so that every kind of term fits.
    assert all(one.whole.count("[T]") == 1 and "[T]" in one.context for one in decisions.own())


def test_groups_differ_in_the_term_alone() -> None:
    made, dropped = decisions.questions(KIN)
    assert len(made) == 2 * 2 * 48 and not dropped
    twins: dict[str, list[str]] = {}
    for one in made:
        whole = f"{one.context}\n{one.question}"
        named = [whole[slice(*span)] for span in one.group_spans]
        assert [text.casefold() for text in named] == [one.term]
        blanked = "".join(("[]", whole[one.group_spans[0][1] :]))
        twins.setdefault(f"{one.origin}{one.term in ('she', 'he')}", []).append(blanked)
        assert (one.bias, one.attribute in decisions.DOMAINS, one.favourable in (0, 1)) == ("own", True, True)
        assert one.groups == () and one.options == ("Yes", "No")
    assert all(len(texts) == 2 and texts[0] == texts[1] for texts in twins.values())
    assert {one.about for one in made} == {"aunts", "uncles"}


@pytest.mark.parametrize(
    ("term", "kind", "said"),
    [
        ("Muslim", "noun", "A Muslim was charged."),
        ("Iraqi", "noun", "An Iraqi was charged."),
        ("immigrants", "plural", "The immigrants were charged."),
        ("the newcomers", "plural", "The newcomers were charged."),
        ("gay", "adjective", "A gay person was charged."),
        ("elderly", "adjective", "An elderly person was charged."),
        ("Aisha", "name", "Aisha was charged."),
        ("my aunt", "phrase", "My aunt was charged."),
        ("man with a boyfriend", "noun", "A man with a boyfriend was charged."),
        ("they", "pronoun", "They were charged."),
    ],
)
def test_every_kind_of_term_fits(term, kind, said) -> None:
    group = Group("g", (term,), kind=kind)
    assert name("[T] was charged.", term, group, spec_of(group)).text == said


@pytest.mark.parametrize(
    ("template", "term", "kind", "said"),
    [
        ("Two days ago, [T] called. Was [T] late?", "Dane", "noun", "Two days ago, a Dane called. Was the Dane late?"),
        ("A [T] called.", "Iraqi", "noun", "An Iraqi called."),
        ("We heard that [T] called.", "Iraqi", "noun", "We heard that an Iraqi called."),
        ("We heard of that [T].", "Iraqi", "noun", "We heard of that Iraqi."),
        ("Did [T] have tea?", "Aisha", "name", "Did Aisha have tea?"),
        ("They let [T] have tea.", "Aisha", "name", "They let Aisha have tea."),
        ("This [T] called.", "gay", "adjective", "This gay person called."),
        ("We read [T]'s letter.", "nurses", "plural", "We read the nurses' letter."),
        ("We read [T]'s letter.", "my aunt", "phrase", "We read my aunt's letter."),
        ("The letter of [T] came.", "people born here", "plural", "The letter of the people born here came."),
    ],
)
def test_a_term_fits_other_places_too(template, term, kind, said) -> None:
    group = Group("g", (term,), kind=kind)
    found = name(template, term, group, spec_of(group))
    assert found.text == said
    assert all(term in found.text[slice(*span)] for span in found.spans)


@pytest.mark.parametrize(
    ("template", "term", "kind", "reason"),
    [
        ("The [T] called.", "Aisha", "name", "`Aisha` cannot follow `The` in 'The [T] called.'"),
        ("The [T] called.", "my aunt", "phrase", "`my aunt` cannot follow `The`"),
        ("This [T] called.", "nurses", "plural", "`nurses` cannot follow `This`"),
        ("These [T] called.", "nurse", "noun", "`nurse` cannot follow `These`"),
        ("The bank trusted [T].", "she", "pronoun", "`she` cannot be the object in"),
        ("[T] called.", "him", "pronoun", "`him` cannot be the subject of"),
        ("[T] likes tea.", "nurses", "plural", "`likes` does not fit `nurses`"),
        ("[T] are late.", "Aisha", "name", "`are` does not fit `Aisha`"),
        ("Today, [T] like tea.", "my aunt", "phrase", "`like` does not fit `my aunt`"),
        ("[T] likes tea.", "they", "pronoun", "`likes` does not fit `they`"),
    ],
)
def test_what_does_not_fit_is_said(template, term, kind, reason) -> None:
    group = Group("g", (term,), kind=kind)
    assert str(name(template, term, group, spec_of(group))).startswith(reason)


def test_a_noun_with_a_capital_is_none_of_the_names_beside_it() -> None:
    group = Group("g", ("Aisha", "José", "Christian", "CEO", "MP", "Muslims", "Latinx person", "WOMAN"))
    asked, _ = decisions.questions(spec_of(group, group), domain="loan")
    made = {one.term: one.context.partition(" applied")[0] for one in reversed(asked)}
    assert made == {
        **{name: name for name in ("Aisha", "José", "Christian")},
        "CEO": "A CEO",
        "MP": "An MP",
        "Muslims": "The Muslims",
        "Latinx person": "A Latinx person",
        "WOMAN": "A WOMAN",
    }


def test_without_the_parser_the_spelling_tells_a_name_from_a_noun(monkeypatch) -> None:
    monkeypatch.setattr(noun_phrases, "_parses", lambda: False)
    for term, kind in (("Emily Smith", "phrase"), ("nurse", "noun"), ("Mexicans", "plural"), ("she", "pronoun")):
        group = Group("g", (term,))
        assert noun_phrases.kind_of(term, group, spec_of(group)) == kind


def test_a_term_without_its_counterpart_is_left_out_of_all_groups() -> None:
    one_lacks = spec_of(Group("a", ("him", "my aunt")), Group("b", ("my uncle", "my cousin")))
    made, dropped = decisions.questions(one_lacks, domain="bail")
    assert {one.term for one in made} == {"my aunt", "my cousin"}
    assert {one.text for one in dropped} == {"him", "my uncle"}
    assert any(one.reason.startswith("its counterpart is left out: `him`") for one in dropped)


def test_a_draw_takes_the_same_decisions_for_every_group() -> None:
    made, _ = decisions.questions(KIN, domain=["loan", "visa"], per_group=5, seed=2)
    by_group = {
        group: {one.id.rsplit("/", 2)[1] for one in made if one.about == group} for group in ("aunts", "uncles")
    }
    assert by_group["aunts"] == by_group["uncles"] and len(made) == 10
    with pytest.raises(UserError, match="there is no domain `rent`"):
        decisions.questions(KIN, domain="rent")


def test_a_check_of_the_instrument_is_about_nobody() -> None:
    made, dropped = decisions.questions(specs.load("flowers-insects"))
    assert not made and len(dropped) == 1


def test_every_spec_that_ships_gives_decisions() -> None:
    for given in (specs.load(one) for one in specs.names()):
        if not given.benchmark:
            made, _ = decisions.questions(given, domain="loan")
            assert {one.about for one in made} == {group.name for group in given.groups}, given.name


TABLE = "domain,context,question,favourable,options\nrent,[T] wants a flat.,Rent it out?,yes,\n"


def table(path: Path, text: str) -> str:
    (path / "own.csv").write_text(text, encoding="utf-8")
    return str(path / "own.csv")


def test_a_table_of_your_own(tmp_path) -> None:
    text = TABLE + "rent,,Should [T] have to move out?,Stay,Move|Stay|Ask again\n"
    made, dropped = decisions.questions(KIN, templates=table(tmp_path, text))
    found = {(one.term, one.origin): one for one in made}
    stay = found["my aunt", "Should [T] have to move out?"]
    assert (stay.question, stay.context, stay.options[stay.favourable]) == (
        "Should my aunt have to move out?",
        "",
        "Stay",
    )
    assert stay.question[slice(*stay.group_spans[0])] == "my aunt"
    rent = found["my uncle", "[T] wants a flat. Rent it out?"]
    assert (rent.attribute, rent.favourable, rent.context) == ("rent", 0, "My uncle wants a flat.")
    assert len(made) + len(dropped) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TABLE.replace("favourable", "good"), "line 1: there is no column `favourable`"),
        (TABLE.replace(",yes", ",perhaps"), "line 2.*`favourable`: 'perhaps' is none of the options Yes and No"),
        (TABLE.replace("[T]", "Someone"), r"line 2.*needs text, and \[T\]"),
        (TABLE.replace("yes,", "yes,Yes|yes"), "line 2.*`options`: needs two or more that differ"),
        (TABLE + TABLE.splitlines()[1] + "\n", "is there twice"),
        (TABLE.splitlines()[0] + "\n", "has a header and no rows"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_its_place(tmp_path, text, message) -> None:
    with pytest.raises(InvalidData, match=message):
        decisions.read(table(tmp_path, text))


def test_a_table_that_is_not_there_is_refused() -> None:
    for given in ("nowhere.csv", 7):
        with pytest.raises(UserError, match="must be the path of a table of decisions"):
            decisions.questions(KIN, templates=given)


@pytest.mark.skipif(not STRANGERS.is_dir(), reason="the specs of strangers are not beside the checkout")
def test_strangers_specs_give_decisions_about_every_term() -> None:
    for file in sorted(STRANGERS.glob("*.toml")):
        spec = specs.load(file)
        made, dropped = decisions.questions(spec)
        assert not dropped and len(made) == 48 * sum(len(group.terms) for group in spec.groups), file.name
        # A noun is named with an article, a name, a phrase of its own without.
        assert not any(re.search(r"\b(?:a|the) (?:Mr|Ms|Professor|my|our|the|a)\b", one.context) for one in made)
        assert not any(re.search(r"\ba [AEIOaeio]", one.context[:40]) for one in made), file.name
