"""The views, which are the ways of looking at a model: the one list of them, and what has to be known of each.

What comes after the measurements is driven by these facts; `results/views/` has what else differs between views.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

View = str
"""The name of a view."""


@dataclass(frozen=True, slots=True)
class Words:
    """How a question of a view is put: of two groups, whether the `{first}` comes off worse than the `{second}`."""

    question: str = "Do {first} come off worse than {second}?"
    claim: str = "{first} come off worse than {second}"
    """What a positive cell says."""
    short: str = "{first} worse than {second}"
    """The same, as short as a chart has room for."""
    topic: str = "{first} and {second}"
    """What it is about, after the name of the bias."""
    checked: str = ""
    """The short claim in a check of the instrument, which has no stereotype, where it is another."""
    checked_question: str = ""
    checked_claim: str = ""
    """Question and claim there."""
    turned: str = ""
    """What a negative cell says, where that is not the claim with the groups exchanged."""
    measured: str = ""
    """Of stereotypes: what is measured, where models are compared by it."""
    compared: str = ""
    """Of stereotypes: how model B differs from A."""
    board: str = ""
    """Of stereotypes: what leaderboards are of."""


@dataclass(frozen=True, slots=True)
class ViewFacts:
    """What of a view has to be known outside of it; what is not given is as for any view."""

    name: View
    title: str
    """What it shows of a model, as a heading."""
    item: str
    """What one item of it is called."""
    resolved: str
    """Where a resolved study says that it has the view."""
    measures: tuple[str, ...]
    """By which groups and models are compared."""
    choices: tuple[str, ...] = ()
    """The columns of measurements that tell its methods apart, besides source, structure, set and measure."""
    leading: str = ""
    """The measure that figures are of where there is one; otherwise the first."""
    further: tuple[str, ...] = ()
    """Other measures of the test itself; all that are not named here are read by whoever names them."""
    words: Words = Words()
    stereotyped: Words | None = None
    """How it is asked whether a model goes by a stereotype, where that is a question beside the other."""
    stereotype_first: bool = False
    """Whether the first of two groups that a value compares is the stereotyped one, so that a mean is over them all."""
    fitting: str = "the stereotyped sentence"
    """What fits a stereotype, where no two groups are named."""
    equal_origins: bool = False
    """Whether every origin weighs the same in a mean, however many items it has."""
    by_items: bool = False
    """Whether every item counts the same throughout, so that counting every origin the same is no choice."""
    crossed: bool = True
    """Whether test words are crossed with templates, which were sampled as well."""
    probe: str = ""
    """What is asked, where it is not an item: models are compared on these."""
    heading: str = ""
    """The title of a comparison of models, where it is not that of the view."""
    compared: str = "B has {more} of it for {first} than A by {size}."
    """How model B differs from A, of values that compare two groups."""
    board: str = "{first} against {second}"
    """What leaderboards are of."""
    named_in: str = ""
    """Where the words for groups stand; otherwise they are named in the items."""
    values: str = "values"
    """What values of one group are called."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """What the measures are called that have a table of their own."""
    told: tuple[str, ...] = ()
    """Choices that figures are named by; otherwise all of them."""
    shared: str = "all choices"
    """What models must share to be put in order, besides items."""
    shared_origins: bool = False
    """Whether an origin is the same thing in every source that has it."""
    least: float = 0.2
    """The least effect that will do in a check of the instrument; by itself in standard deviations of the items."""
    per_share: float = 1.0
    """What a share that moves away from one half comes to in values without ends: of log odds 4 times as much."""
    unit: str = "standard deviations of items"
    short_unit: str = "SD"
    origin: str = "test word"
    """What readers see for an origin."""
    origins: str = "origins"
    """What is sampled, in plans."""
    origins_of: Mapping[str, str] = field(default_factory=dict)
    """The same by source, where it says more."""
    sets: str = "templates"
    """What is crossed with these, or comes in independent sets."""
    readings: Mapping[str, str] = field(default_factory=dict)
    """What it says of a stereotype, by name, and what that is called beside other views."""

    @property
    def key(self) -> str:
        """Its name in study files and JSON."""
        return self.name.replace(" ", "_")

    @property
    def flag(self) -> str:
        """Its name in commands and addresses."""
        return self.name.replace(" ", "-")

    @property
    def lead(self) -> str:
        """The measure that figures are of where there is one."""
        return self.leading or self.measures[0]

    @property
    def read_as(self) -> Mapping[str, str]:
        """Its readings by name, and what they are called."""
        return self.readings or {self.name: self.name}

    @property
    def asked(self) -> str:
        """What one is called that models are compared on."""
        return self.probe or self.item

    @property
    def decoded(self) -> bool:
        """Whether models write texts in it."""
        return "decoding" in self.choices

    @property
    def named_by(self) -> tuple[str, ...]:
        """Choices that figures are named by, which are over all decodings or of one."""
        return self.told or tuple(name for name in self.choices if name != "decoding")

    @property
    def of_groups(self) -> bool:
        """Whether its questions are about two groups; otherwise about stereotypes, whichever groups these are of."""
        return "{first}" in self.words.question

    @property
    def counted(self) -> Collection[str]:
        """The measures of the test itself."""
        return (*self.measures, *self.further)

    def settings(self, resolved: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a resolved study says of the view."""
        found = resolved.get(self.resolved) or {}
        return found if isinstance(found, Mapping) else {"sources": found}

    def sources(self, resolved: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Its sources in a resolved study."""
        found: Sequence[Mapping[str, Any]] = self.settings(resolved).get("sources", ())
        return found


FACTS: dict[View, ViewFacts] = {
    one.name: one
    for one in (
        ViewFacts(
            "continuations",
            "What it writes",
            "text",
            "continuations",
            measures=("rating",),
            choices=("decoding", "rater", "scope"),
            words=Words(
                "Are texts about {first} rated worse than texts about {second}?",
                "texts about {first} are rated worse than texts about {second}",
                "{first} rated worse than {second}",
                "what it writes about {first} and {second}",
            ),
            crossed=False,
            probe="prompt",
            heading="What is written about each group",
            board="{rater}: texts about {first} minus texts about {second}",
            named_in="Named in the prompts",
            origin="prompt stem",
            values="ratings",
            told=("rater",),
            shared="a decoding and a rater",
            unit="standard deviations of ratings",
            origins_of={
                "own-prompts": "openers",
                "templates": "openers",
                "bold": "articles",
                "respect-occupation": "verb phrases",
                "rephrased": "verb phrases",
            },
            short_unit="SD of ratings",
            sets="sets",
            readings={
                "writing, attributes": "writes (attribute words)",
                "writing, ratings": "writes (ratings)",
            },
        ),
        ViewFacts(
            "pairs",
            "What it prefers",
            "pair",
            "sources",
            measures=("preference", "margin"),
            choices=("scorer",),
            words=Words(
                "Does the model prefer the sentence that fits the stereotype?",
                "the model prefers the stereotyped sentence",
                "stereotype preferred",
                "which sentence it prefers",
                checked="expected sentence preferred",
                checked_question="Does the model prefer the sentence that everybody expects?",
                checked_claim="the model prefers the expected sentence",
                turned="the model prefers the other sentence",
            ),
            equal_origins=True,
            heading="Which sentence is preferred",
            board="Stereotyped choices",
            compared="B prefers stereotyped sentences {more} often than A by {size}.",
            named_in="Named in the sentences",
            tables={"preference": "stereotyped choices", "margin": "margins"},
            shared="a scorer",
            least=0.1,
            unit="share of pairs above one half",
            short_unit="of pairs",
            origins="attribute terms",
            sets="sets",
            readings={"pairs": "prefers (pairs)"},
        ),
        ViewFacts(
            "next words",
            "Which group it expects",
            "prompt",
            "next_words",
            measures=("log_ratio", "difference", "share"),
            leading="share",
            further=("probability", "highest", "gap"),
            choices=("words", "bounded", "combine"),
            words=Words(
                "Does the model expect {second} more often than {first}?",
                "the model expects {second} more often than {first}",
                "{second} expected more often than {first}",
                "whether it expects {first} or {second}",
            ),
            stereotyped=Words(
                "Does the model expect {first} and {second} where the stereotype puts them?",
                "the model expects the stereotyped group more often",
                "{first} and {second} expected as stereotyped",
                "{first} and {second}, as stereotyped",
                checked="{first} and {second} where everybody expects them",
                checked_question="Does the model expect {first} and {second} where everybody does?",
                checked_claim="the model expects the group that everybody expects",
                turned="the model expects the other group more often",
                measured="expects the stereotyped group",
                compared="B expects the stereotyped group {more} than A, in log odds by {size}.",
                board="Expects the stereotyped group (log odds), {first} and {second}",
            ),
            by_items=True,
            heading="Which group is expected",
            board="Share of {first} against {second}",
            compared="B expects {first} {more} often than A by {size} of the two.",
            named_in="Asked for as next words",
            told=("words",),
            shared="a set of words and a way of counting them",
            shared_origins=True,
            least=math.log(0.6 / 0.4),
            per_share=4.0,
            unit="logarithm of the odds",
            short_unit="log odds",
            origins="professions",
            readings={"next words": "expects (next words)"},
        ),
        ViewFacts(
            "choices",
            "What it chooses",
            "question",
            "choices",
            measures=("choice", "log_odds"),
            further=("correct", "unknown", "refused", "bias_score"),
            choices=("scorer", "wording", "order", "condition"),
            words=Words(
                "Are decisions about {first} less favourable than about {second}?",
                "decisions about {first} are less favourable than about {second}",
                "decisions less favourable for {first} than for {second}",
                "what it decides about {first} and {second}",
            ),
            stereotyped=Words(
                "Does the model choose the answer that fits the stereotype?",
                "the model chooses the stereotyped answer",
                "stereotyped answer chosen",
                "which answer it chooses",
                checked="expected answer chosen",
                checked_question="Does the model choose the answer that everybody expects?",
                checked_claim="the model chooses the expected answer",
                turned="the model chooses the other answer",
                measured="chooses the stereotyped answer",
                compared="B chooses the stereotyped answer {more} often than A by {size}.",
                board="Chooses the stereotyped answer",
            ),
            stereotype_first=True,
            fitting="the stereotyped answer",
            heading="Which answer is chosen",
            named_in="Named in the questions",
            shared="a way of asking",
            least=0.1,
            unit="share of questions above one half",
            short_unit="of questions",
            readings={"choices": "decides (choices)"},
        ),
    )
}
VIEWS = FACTS.keys()


def view_named(name: str) -> View | None:
    """The view of this name, however its words are joined.

    >>> view_named("next-words"), view_named("next_words"), view_named("sentences")
    ('next words', 'next words', None)
    """
    plain = name.replace("-", " ").replace("_", " ")
    return next((view for view in VIEWS if view == plain), None)
