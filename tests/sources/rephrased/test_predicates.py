from __future__ import annotations

import pytest

from tiltmeter.sources.rephrased import verbs
from tiltmeter.sources.rephrased.predicates import Predicate, predicate


def taken_apart(phrase: str) -> Predicate:
    said = predicate(phrase)
    assert isinstance(said, Predicate)
    return said


@pytest.mark.parametrize(
    ("phrase", "question"),
    [
        ("worked as", "what did X work as"),
        ("had a job as", "what did X have a job as"),
        ("earned money by", "how did X earn money"),
        ("was described as", "what was X described as"),
        ("was well-known for", "what was X well-known for"),
        ("lived in", "where did X live"),
        ("believed in", "what did X believe in"),
        ("grew up in", "where did X grow up"),
        ("was born in", "where was X born"),
        ("went to", "where did X go"),
        ("came from", "where did X come from"),
        ("put an end to", "what did X put an end to"),
        ("belonged to", "what did X belong to"),
        ("was married to", "who was X married to"),
        ("was raised by", "who was X raised by"),
        ("used to work as", "what did X use to work as"),
        ("wanted to become", "what did X want to become"),
        ("told everyone that", "what did X tell everyone"),
        ("works as", "what does X work as"),
        ("is famous for", "what is X famous for"),
        ("could be", "what could X be"),
        ("did not like", "what did X not like"),
        ("wasn't known for", "what was X not known for"),
        ("has been described as", "what has X been described as"),
        ("had worked as", "what had X worked as"),
        ("always dreamed of", "what did X always dream of"),
        ("was called", "what was X called"),
        ("reads", "what does X read"),
        ("wanted to", None),
        ("likes to", None),
        ("can", None),
        ("was a", None),
        ("was happy that", None),
        ("worked because", None),
        ("cried", None),
        ("lives in Boston", None),
    ],
)
def test_the_question_fits_what_is_left_open(phrase, question) -> None:
    said = taken_apart(phrase)
    gap = said.ending.gap
    asked = f"{gap.asks} {said.operator('third')} X {said.remainder('gap')}" if gap else None
    assert asked == question


@pytest.mark.parametrize(
    ("phrase", "closed"),
    [
        ("worked as", "worked as something"),
        ("earned money by", "earned money by doing something"),
        ("lived in", "lived somewhere"),
        ("was raised by", "was raised by someone"),
        ("wanted to", "wanted to do something"),
        ("can", "can do something"),
        ("cannot", "cannot do anything"),
        ("did not like", "did not like anything"),
        ("never worked as", "never worked as anything"),
        ("told everyone that", "told everyone something"),
        ("cried", "cried"),
    ],
)
def test_a_phrase_is_closed_with_the_words_that_fit(phrase, closed) -> None:
    assert taken_apart(phrase).agreeing("third", "some") == closed


def test_what_stops_inside_a_phrase_cannot_be_closed() -> None:
    phrases = ("was a", "worked because", "was more", "said her")
    assert {taken_apart(phrase).ending.some for phrase in phrases} == {None}


@pytest.mark.parametrize(
    ("phrase", "infinitive"),
    [
        ("worked as", "have worked as"),
        ("was known for", "have been known for"),
        ("went to", "have gone to"),
        ("was often described as", "have often been described as"),
        ("always wanted to", "have always wanted to"),
        ("works as", "work as"),
        ("is known for", "be known for"),
        ("has been described as", "have been described as"),
    ],
)
def test_infinitives(phrase, infinitive) -> None:
    said = taken_apart(phrase)
    assert said.has_infinitive
    assert said.infinitive(earlier=True) == infinitive


@pytest.mark.parametrize("phrase", ["could be", "used to work as", "did not like", "was never known for"])
def test_what_has_no_infinitive(phrase) -> None:
    assert not taken_apart(phrase).has_infinitive


@pytest.mark.parametrize(
    ("phrase", "labels"),
    [
        ("worked as", ("VBD", "(VP)")),
        ("was known for", ("VBD", "(VP)")),
        ("was well-known for", ("VBD", "(ADJP)")),
        ("was very good at", ("VBD", "(ADJP)")),
        ("is a member of", ("VBZ", "(NP)")),
        ("was from", ("VBD", "(PP)")),
        ("was often described as", ("VBD", "(ADVP) (VP)")),
        ("did not like", ("VBD", "(RB) (VP)")),
        ("could be", ("MD", "(VP)")),
        ("works as", ("VBZ", "(VP)")),
        ("is likely to", ("VBZ", "(ADJP)")),
        ("is about to", ("VBZ", "(ADJP)")),
        ("had better", ("MD", "(VP)")),
    ],
)
def test_labels(phrase, labels) -> None:
    said = taken_apart(phrase)
    assert (said.operator_label("third"), said.remainder_labels) == labels


@pytest.mark.parametrize(
    "phrase", ["as a nurse", "working as", "the nurse", "", "Aisha", "did not", "always", "born in", "beautiful and"]
)
def test_what_is_no_verb_phrase(phrase) -> None:
    assert isinstance(predicate(phrase), str)


# Verb phrase, base of its verb, infinitive that keeps its past, question, statement that is closed; "-" where there is
# none, "unfinished" where nothing closes it, "refused" where it is no verb phrase.
TABLE = """
need | need | need | what does X need | needs something
needs money | need | need money | - | needs money
succeed in | succeed | succeed in | what does X succeed in | succeeds in something
proceeded to | proceed | have proceeded to | - | proceeded to do something
exceeds | exceed | exceed | what does X exceed | exceeds something
heed | heed | heed | what does X heed | heeds something
needn't | need | - | - | need not do anything
dreams of becoming | dream | dream of becoming | what does X dream of becoming | dreams of becoming something
was given | be | have been given | what was X given | was given something
met | meet | have met | who did X meet | met someone
felt | feel | have felt | what did X feel | felt something
kept | keep | have kept | what did X keep | kept something
takes | take | take | what does X take | takes something
looks | look | look | - | unfinished
sounds | sound | sound | - | unfinished
will probably | will | - | - | unfinished
is rarely | be | - | - | unfinished
is often | be | be often | - | unfinished
is always | be | be always | - | unfinished
was too | be | have been too | - | unfinished
set up | set | have set up | what did X set up | set up something
brought up | bring | have brought up | what did X bring up | brought up something
was brought up | be | have been brought up | - | was brought up
carried out | carry | have carried out | what did X carry out | carried out something
threw away | throw | have thrown away | what did X throw away | threw away something
has got | have | have got | what has X got | has got something
has just | have | have just | - | unfinished
has already | have | have already | - | unfinished
had better | had | - | - | had better do something
cannot stand | can | - | what can X not stand | cannot stand anything
has never been to | have | - | where has X never been | has never been anywhere
stuck to | stick | have stuck to | what did X stick to | stuck to something
lent money to | lend | have lent money to | who did X lend money to | lent money to someone
is used to | be | be used to | what is X used to | is used to something
got used to | get | have gotten used to | what did X get used to | got used to something
used to | use | - | - | used to do something
was nice to | be | have been nice to | who was X nice to | was nice to someone
is mean to | be | be mean to | who is X mean to | is mean to someone
means to | mean | mean to | - | means to do something
travels by | travel | travel by | how does X travel | travels somehow
dreamt of | dream | have dreamt of | what did X dream of | dreamt of something
spat on | spit | have spat on | what did X spit on | spat on something
learnt to | learn | have learnt to | - | learnt to do something
burnt | burn | have burnt | what did X burn | burnt something
leapt into | leap | have leapt into | what did X leap into | leapt into something
overheard | overhear | have overheard | what did X overhear | overheard something
overslept | oversleep | have overslept | - | overslept
outran | outrun | have outrun | who did X outrun | outran someone
sped | speed | have sped | - | sped
bore | bear | have borne | - | unfinished
taxied | taxi | have taxied | - | unfinished
skied | ski | have skied | - | skied
put up with | put | have put up with | what did X put up with | put up with something
ran out of | run | have run out of | what did X run out of | ran out of something
looks like | look | look like | what does X look like | looks like something
kept on | keep | have kept on | - | kept on doing something
went on | go | have gone on | - | went on doing something
is being treated for | be | - | what is X being treated for | is being treated for something
had a baby with | have | have had a baby with | who did X have a baby with | had a baby with someone
broke up with | break | have broken up with | who did X break up with | broke up with someone
was married to | be | have been married to | who was X married to | was married to someone
shopped at | shop | have shopped at | where did X shop | shopped somewhere
can be found in | can | - | where can X be found | can be found somewhere
is likely to | be | be likely to | - | is likely to do something
looks after | look | look after | who does X look after | looks after someone
always | refused
never | refused
only | refused
gone to | refused
adrift in | refused
friendly to | refused
made a living by | make | have made a living by | how did X make a living | made a living by doing something
has been raised by | have | have been raised by | who has X been raised by | has been raised by someone
was inspired by | be | have been inspired by | what was X inspired by | was inspired by something
would like | would | - | what would X like | would like something
would rather | would | - | - | unfinished
was said to | be | have been said to | - | was said to do something
is about to | be | be about to | - | is about to do something
was made | be | have been made | - | unfinished
had to | have | have had to | - | had to do something
gave birth to | give | have given birth to | who did X give birth to | gave birth to someone
was born | be | have been born | - | was born
is lazy | be | be lazy | - | is lazy
is a good | be | be a good | - | unfinished
has a lot | have | have a lot | - | unfinished
told him | tell | have told him | - | unfinished
went home | go | have gone home | - | went home
lives alone | live | live alone | - | lives alone
stayed at home | stay | have stayed at home | - | stayed at home
earns money | earn | earn money | - | earns money
plays the piano | play | play the piano | - | plays the piano
is in love with | be | be in love with | who is X in love with | is in love with someone
took care of | take | have taken care of | who did X take care of | took care of someone
was told that | be | have been told that | what was X told | was told something
was happy that | be | have been happy that | - | unfinished
is hoping to | be | be hoping to | - | is hoping to do something
was hired as | be | have been hired as | what was X hired as | was hired as something
got fired for | get | have gotten fired for | what did X get fired for | got fired for something
ended up in | end | have ended up in | where did X end up | ended up somewhere
enjoys reading | enjoy | enjoy reading | - | enjoys reading
spent the day | spend | have spent the day | - | unfinished
is going to | be | be going to | - | is going to do something
knew nothing about | know | - | what did X know nothing about | knew nothing about anything
hardly speaks | speak | - | what does X hardly speak | hardly speaks anything
was considered | be | have been considered | what was X considered | was considered something
wants to become | want | want to become | what does X want to become | wants to become something
should not | should | - | - | should not do anything
didn't know how to | do | - | - | did not know how to do anything
is often seen as | be | be often seen as | what is X often seen as | is often seen as something
relies on | rely | rely on | what does X rely on | relies on something
has been working as | have | have been working as | what has X been working as | has been working as something
underwent | undergo | have undergone | what did X undergo | underwent something
withdrew from | withdraw | have withdrawn from | what did X withdraw from | withdrew from something
misled | mislead | have misled | - | unfinished
fell in love with | fall | have fallen in love with | who did X fall in love with | fell in love with someone
is able to | be | be able to | - | is able to do something
was supposed to | be | have been supposed to | - | was supposed to do something
stopped smoking | stop | have stopped smoking | - | stopped smoking
identifies as | identify | identify as | what does X identify as | identifies as something
got along with | get | have gotten along with | who did X get along with | got along with someone
felt happy | feel | have felt happy | - | felt happy
made people | make | have made people | - | unfinished
drank too much | drink | have drunk too much | - | unfinished
was promoted to | be | have been promoted to | what was X promoted to | was promoted to something
looked down on | look | have looked down on | who did X look down on | looked down on someone
was shown how to | be | have been shown how to | - | was shown how to do something
helped build | help | have helped build | what did X help build | helped build something
raised three children | raise | have raised three children | - | raised three children
was one of | be | have been one of | - | unfinished
may have | may | - | - | unfinished
thinks that | think | think that | what does X think | thinks something
"""


@pytest.mark.parametrize("row", [row for row in TABLE.split("\n") if row])
def test_the_forms_of_a_phrase(row) -> None:
    phrase, *expected = row.split(" | ")
    said = predicate(phrase)
    if isinstance(said, str):
        assert expected == ["refused"]
        return
    gap = said.ending.gap
    assert [
        said.finite if said.kind == "modal" else verbs.base(said.finite),
        said.infinitive(earlier=True) if said.has_infinitive else "-",
        f"{gap.asks} {said.operator('third')} X {said.remainder('gap')}" if gap else "-",
        "unfinished" if said.ending.some is None else said.agreeing("third", "some"),
    ] == expected


@pytest.mark.parametrize(
    ("phrase", "front"),
    [
        ("worked as", "as what did X work"),
        ("was thought of as", "as what was X thought of"),
        ("fell in love with", "with whom did X fall in love"),
        ("travels by", "by what means does X travel"),
        ("has never been to", "to what place has X never been"),
        ("put up with", None),
        ("ran out of", None),
        ("broke up with", None),
        ("looks forward to", None),
        ("looks like", None),
        ("looks after", None),
        ("kept on", None),
        ("is from", None),
        ("was about", None),
        ("dreams of becoming", None),
    ],
)
def test_which_prepositions_go_to_the_front(phrase, front) -> None:
    said = taken_apart(phrase)
    gap = said.ending.gap
    moved = f"{gap.fronted} {said.operator('third')} X {said.remainder('fronted')}" if gap and gap.fronted else None
    assert moved == front


@pytest.mark.parametrize(
    ("phrase", "one"),
    [
        ("was a", True),
        ("was once a", True),
        ("has been a", True),
        ("works as an", True),
        ("was the first", True),
        ("was considered a", True),
        ("had a job as", False),
        ("was once known for", False),
        ("is part of a", False),
    ],
)
def test_what_is_said_of_one_person(phrase, one) -> None:
    assert taken_apart(phrase).is_about_one == one


@pytest.mark.parametrize("phrase", ["likes math", "is lazy", "works as a nurse", "looks", "was given", "is rarely"])
def test_a_phrase_that_is_given_as_complete_is(phrase) -> None:
    said = predicate(phrase, complete=True)
    assert isinstance(said, Predicate)
    assert (said.ending.gap, said.ending.some) == (None, "")


@pytest.mark.parametrize(
    ("phrase", "operator", "denied"),
    [("needn't", "need", "needn't"), ("had better", "had", "hadn't"), ("has already", "has", "hasn't")],
)
def test_verbs_that_turn_round_without_do(phrase, operator, denied) -> None:
    said = taken_apart(phrase)
    assert (said.operator("third"), said.denied("third")) == (operator, denied)


@pytest.mark.parametrize(
    ("phrase", "closed"),
    [
        *(("fell victim to", "fell victim to something"), ("said hello to", "said hello to someone")),
        *(("waved goodbye to", "waved goodbye to someone"), ("posed a threat to", "posed a threat to something")),
        *(("wanted to", "wanted to do something"), ("told me to", "told me to do something")),
        *(("had the right to", "had the right to do something"), ("moved to", "moved somewhere")),
        *(("was a burden to", None), ("lost everything to", None), ("meant a lot to", None), ("catered to", None)),
    ],
)
def test_to_is_an_infinitive_only_where_that_is_known(phrase, closed) -> None:
    said = predicate(phrase)
    assert (None if said.ending.some is None else said.agreeing("third", "some")) == closed
