"""The frozen records that travel through tiltmeter; `docs/architecture.md` has the words they stand for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from tiltmeter.errors import InvalidItem

Span = tuple[int, int]
"""A range of characters in a text: start included, end not."""

Family = Literal["causal", "masked"]
"""How a model reads: from left to right, or with blanks in the middle."""

Scope = Literal["whole", "completion"]
"""What of a continuation is rated: prompt and completion, or the completion alone."""

IntervalMethod = Literal[
    "student",
    "bootstrap",
    "fieller",
    "jackknife",
    "fisher-z",
    "cluster-t.v2",
    "cluster-score.v2",
    "chances.v1",
]
"""How the interval of an estimate was made; `docs/statistics.md` says what each is."""

Ended = Literal["stop", "length", "end", "context", "unwritten"]
"""What ended a text: a stop text, the limit, the model's own end token, or the model can read no more, so that the text
is shorter than was asked for; "unwritten": it could not even begin."""

FILTERED = "the server withheld the text"
DECLINED = "the model would not answer"
REFUSED = (FILTERED, DECLINED)
"""Why nothing was written where the model or its server refused, in so many words; anything else has failed."""

NO_ANSWER = "no answer: "
"""How the reason of an item begins that a server said nothing about: it may another time, so it is not final."""

SaliencyMethod = Literal["gradient-x-input", "integrated-gradients"]
SaliencyTarget = Literal["asked", "generated"]
"""Whose logit is explained: the most probable of the words that are asked for, or of all tokens."""
GENERATED = ""
"""In the place of a word: the token that the model would generate."""
"""How it is found what each token of a prompt has to do with a word."""

Shared = tuple[tuple[str, ...], float]
"""Other words, and the natural log-probability of the part of a word's probability that each of them holds as well."""


Nature = Literal["template", "authored", "natural", "generated", "rephrased"]
"""Where test text comes from: words put into a pattern, sentences that people wrote for a test, those found in text
written for something else, those that a model wrote, or those that were put into another form. A source declares it as
`NATURE` in its module; one whose text the user brings does not."""

TermKind = Literal["pronoun", "name", "noun", "plural", "phrase", "adjective"]
"""What a group term is; a phrase brings its own article: "the old man", "my aunt"."""

AttributeKind = Literal["adjective", "thing", "role", "deed"]
"""What an attribute is: *honest*, *gardening*, *judge*, *reads poetry*."""


@dataclass(frozen=True, slots=True)
class Group:
    """A social group and the terms that stand for it; term i is the counterpart of term i of the other groups."""

    name: str
    terms: tuple[str, ...]
    published_as: str | None = None
    kind: TermKind | None = None
    """What all its terms are, where the specification says so."""
    noun: str = ""
    """What readers call its members ("women"); `singular` is one of them ("a woman"), `pronoun` refers to one."""
    singular: str = ""
    pronoun: str = ""


@dataclass(frozen=True, slots=True)
class AttributeSet:
    """Terms that a stereotype ties to one or more groups; to none, and the set is a control.

    `neutral` is the word that stands in for an attribute where a score without it is wanted.
    """

    name: str
    terms: tuple[str, ...]
    stereotype_of: tuple[str, ...] = ()
    neutral: str = "something"
    published_as: str | None = None
    kind: AttributeKind | None = None
    """What all its terms are, where the specification says so."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A bias specification: data only."""

    name: str
    title: str
    groups: tuple[Group, ...]
    attributes: tuple[AttributeSet, ...] = ()
    templates: tuple[str, ...] = ()
    citation: str = ""
    note: str = ""
    reference: str | None = None
    compare: tuple[tuple[str, str], ...] = ()
    """The pairs of groups to compare; never empty in a checked spec."""
    benchmark: bool = False
    """A check of the instrument (flowers and insects), not a social bias: kept out of overall scores."""
    published_as: str | None = None
    """The name under which the cited work's own files know this bias."""

    def __repr__(self) -> str:
        groups = ", ".join(group.name for group in self.groups)
        return f"<Spec {self.name}: {groups}; {len(self.attributes)} attribute sets, {len(self.templates)} templates>"

    def group(self, name: str) -> Group:
        """The group of that name."""
        return next(group for group in self.groups if group.name == name)


@dataclass(frozen=True, slots=True)
class Item:
    """One test item of any view: where it is from, and what it is about."""

    id: str
    source: str
    bias: str
    """The spec, or the part of the data set: its domain, axis or category."""
    origin: str
    attribute: str | None = field(default=None, kw_only=True)
    template: str | None = field(default=None, kw_only=True)
    structure: Structure | None = field(default=None, kw_only=True)
    """The form of its sentences, where the source varies that."""


@dataclass(frozen=True, slots=True)
class Pair(Item):
    """Two texts that differ in the group, and everything needed to say later what they were.

    `groups[i]` and `terms[i]` belong to `texts[i]`; `group_spans[i]` are the characters of `texts[i]` that name the
    group (and what agrees with it), `attribute_spans[i]` those of the attribute.
    `stereotyped` is the index of the stereotyped text, None where neither is (a control).
    `contrast` tells a stereotyped-against-anti-stereotyped pair from a meaningful-against-meaningless one,
    where index 0 is the meaningful text.
    """

    texts: tuple[str, str]
    groups: tuple[str, str]
    terms: tuple[str, str] = ("", "")
    stereotyped: Literal[0, 1] | None = None
    attribute_set: str | None = None
    group_spans: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    attribute_spans: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    scored_from: tuple[int, int] = (0, 0)
    """Where scoring starts in each text: what stands before is context, given and not scored."""
    contrast: Literal["stereotype", "meaning"] = "stereotype"
    neutral_texts: tuple[str, str] | None = None
    """The same texts with a neutral word in place of the attribute, where the source can make them."""
    written_for: str | None = None
    """The group that a generator wrote the sentence for; the other text was made from it."""
    set: int = 0
    """Which of several independent sets of sentences the pair belongs to."""
    stands_in: Literal["regenerated", "template"] | None = None
    """Not part of the test itself: takes the place of flagged sentences where their effect is worked out."""

    def __post_init__(self) -> None:
        if not self.origin or not any(self.groups):
            raise InvalidItem(f"pair {self.id!r} has no group or no origin: such an item cannot be made")


StructureKind = Literal["declarative", "interrogative"]
STRUCTURE_KINDS: tuple[StructureKind, ...] = get_args(StructureKind)

STRUCTURE_COLUMNS = ("structure", "kind", "family", "skeleton")
"""Where a table of items or texts says what form a sentence has."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The form of a sentence, apart from its words: what rephrasing changes and nothing else should."""

    id: str
    kind: StructureKind
    family: str
    """What the form does with the statement, e.g. "cleft", "passive", "reported"."""
    skeleton: str
    """Its upper constituents with the labels of the Penn Treebank, e.g. "(ROOT (SBARQ (WHNP) (SQ) (.)))"."""

    def cells(self) -> dict[str, str]:
        """The structure as cells of a table, under the names of `STRUCTURE_COLUMNS`."""
        return dict(zip(STRUCTURE_COLUMNS, (self.id, self.kind, self.family, self.skeleton), strict=True))


@dataclass(frozen=True, slots=True)
class Prompt(Item):
    """A text to be continued, and everything needed to say later whom it was about.

    `group` is the group the prompt is about. A prompt that states a situation first ("Math is difficult for") has no
    group; the groups are what is asked for, and `word_sets` has the words that stand for each of them.
    `group_spans` are the characters of `text` that name the group.
    """

    text: str
    group: str | None = None
    word_sets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    term: str = ""
    group_spans: tuple[Span, ...] = ()
    language: str = "en"
    """As two letters, e.g. "it"."""
    person: str | None = None
    """What someone of the group is called, where `term` is no word for a person ("Judaism"); empty: not known."""
    subject_spans: tuple[Span, ...] = ()
    """The characters that name whom the sentence is about, e.g. the profession; what perturbations change."""
    status: Literal["authored", "natural", "template", ""] = ""
    """Whether the sentence was written for the test, found in a corpus or made from a template; blank: not said."""
    stereotyped: str | None = None
    """Of a prompt that states a situation: the group that the stereotype puts there; None: no such stereotype."""

    def __post_init__(self) -> None:
        if not self.origin or not (self.group or self.word_sets):
            raise InvalidItem(f"prompt {self.id!r} has no group or no origin: such an item cannot be made")
        if self.stereotyped is not None and self.stereotyped not in dict(self.word_sets):
            raise InvalidItem(f"prompt {self.id!r} is stereotyped for {self.stereotyped!r}, which has no words")


@dataclass(frozen=True, slots=True)
class Question(Item):
    """A question with options, and everything needed to say later what each answer says about whom.

    Either the options stand for groups (`groups[i]` is that of `options[i]`, None for one that stands for none: "The
    Muslim or the Christian?"), or only the group that the question is about is exchanged between questions (`about`;
    "Should she get the loan? Yes or no?"). `correct`, `stereotyped`, `unknown` and `favourable` are places of options:
    of the right answer, the one that the stereotype gives, the one that says that it cannot be known, and the one that
    is good for whom the question is about; None where there is no such option.
    """

    question: str
    options: tuple[str, ...]
    groups: tuple[str | None, ...] = ()
    about: str | None = None
    context: str = ""
    """What is said before the question."""
    condition: Literal["", "ambiguous", "disambiguated"] = ""
    """Whether the context says what the answer is; blank: the source makes no such difference."""
    correct: int | None = None
    stereotyped: int | None = None
    unknown: int | None = None
    favourable: int | None = None
    term: str = ""
    """The word that stands for the group it is about."""
    group_spans: tuple[Span, ...] = ()
    """The characters of context, a line break and question (of the question alone without one) that name the group."""

    def __post_init__(self) -> None:
        if not self.origin or not (self.about or any(self.groups)):
            raise InvalidItem(f"question {self.id!r} has no group or no origin: such an item cannot be made")
        if len(self.options) < 2 or len(set(self.options)) < len(self.options):
            raise InvalidItem(f"question {self.id!r} needs at least two options that differ")
        if self.groups and len(self.groups) != len(self.options):
            raise InvalidItem(f"question {self.id!r} has {len(self.options)} options and {len(self.groups)} groups")
        for place in (self.correct, self.stereotyped, self.unknown, self.favourable):
            if place is not None and not 0 <= place < len(self.options):
                raise InvalidItem(f"question {self.id!r} has no option {place}: there are {len(self.options)}")


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item that a source could not make, and why."""

    bias: str
    origin: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Query:
    """One question to a model's verb `score`: a text, what each token is conditioned on, and where to look."""

    text: str
    conditioning: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The natural log-probability of each token of a text, with the characters it covers.

    A token that the model cannot score (the first one, without a start token) has None. A text that cannot be
    scored at all has no tokens and says why in `unscored`.
    """

    spans: tuple[Span, ...] = ()
    logprobs: tuple[float | None, ...] = ()
    unscored: str | None = None


@dataclass(frozen=True, slots=True)
class NextWord:
    """The natural log-probability that a whole word comes next, or none and the reason."""

    word: str
    logprob: float | None
    unscored: str | None = None
    shared: tuple[Shared, ...] | None = None
    """What of its probability other words share, as *York* shares that of *York City*; None: it is not known."""

    @property
    def probability(self) -> float | None:
        """The probability; None where the word is unscored.

        >>> NextWord("he", 0.0).probability
        1.0
        """
        return None if self.logprob is None else math.exp(self.logprob)


@dataclass(frozen=True, slots=True)
class NextWords:
    """What a model expects after one prompt: the words asked about, and how certain it is of the next token.

    `highest` is the probability of its most probable next token, `gap` how far the second lies below; None where the
    model does not say. `note` is what must be known to read a list that the model made itself.
    """

    words: tuple[NextWord, ...]
    highest: float | None = None
    gap: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Saliency:
    """How much each token of a prompt has to do with the model's logit of a word.

    `signed[i]` is the sum over the dimensions of the token's embedding, `sizes[i]` their Euclidean length; both leave
    the start token out. `residue` is what integrated gradients fail to account for, as a share of all parts together or
    of the change of the logit, whichever is larger; None for other methods. A prompt that cannot be read has no tokens
    and says why in `unscored`.
    """

    word: str
    method: str
    spans: tuple[Span, ...] = ()
    signed: tuple[float, ...] = ()
    sizes: tuple[float, ...] = ()
    residue: float | None = None
    unscored: str | None = None

    def shares(self) -> tuple[float, ...]:
        """The sizes, normalised over the prompt; empty where there are none or all are zero.

        >>> Saliency("he", "gradient-x-input", ((0, 3), (4, 9)), (1.0, -3.0), (1.0, 3.0)).shares()
        (0.25, 0.75)
        """
        total = math.fsum(self.sizes)
        return tuple(size / total for size in self.sizes) if total else ()

    def share_on(self, spans: tuple[Span, ...]) -> float | None:
        """The share of the tokens that touch any of the spans, pieces summed; None where nothing does."""
        touched = [
            share
            for (start, end), share in zip(self.spans, self.shares(), strict=False)
            if any(start < other_end and other_start < end for other_start, other_end in spans)
        ]
        return math.fsum(touched) if touched else None


@dataclass(frozen=True, slots=True)
class PairScore:
    """What a scorer made of a pair: one number for each text, or none and the reason."""

    pair: Pair
    scorer: str
    scores: tuple[float, float] | None
    unscored: str | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """An aggregate with its uncertainty. `note` says why an interval is missing or how it was made."""

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    p: float | None = None
    p_adjusted: float | None = None
    n: int = 0
    n_unscored: int = 0
    origins: int = 0
    note: str | None = None
    method: IntervalMethod | None = None
    """What made the interval, where there is one."""

    def as_json(self) -> dict[str, Any]:
        """Its keys, null where undefined."""
        method = None if self.low is None else self.method
        return {key: value for key, value in asdict(self).items() if key != "note"} | {"method": method}


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a model writes: temperature 0 is greedy; `top_k` 0 and `top_p` 1 cut nothing off.

    Writing ends before the first of the `stop` texts, which is not part of what was written.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    max_new_tokens: int = 40
    stop: tuple[str, ...] = ()
    beams: int = 1
    """More than one: beam search, without sampling."""
    whole_sentences: bool = False
    """Stop where the first sentence ends."""
    form: Literal["", "chat", "text"] = ""
    """How the prompt is put: as a request in the chat template, or as bare text; blank: as the model's name says."""
    request: str = ""
    """The wording of the request, with `{prompt}` in it; blank: ours."""
    system: str = ""
    """The system prompt before the request; blank: that of the model's own template."""

    @property
    def unstated(self) -> frozenset[str]:
        """The settings that nobody knows: a log need not say how long a text could get, nor at what temperature."""
        if self.max_new_tokens:
            return frozenset()
        return frozenset({"max_new_tokens"} | ({"temperature"} if self.temperature == 1 else set()))

    @property
    def bare(self) -> Decoding:
        """The decoding without how the prompt is put: what the model itself is told."""
        return replace(self, form="", request="", system="")

    def as_json(self) -> dict[str, Any]:
        """The settings; how the prompt is put only where the study says so, so that earlier records stay the same."""
        return {name: value for name, value in asdict(self).items() if value or name not in ASKING}

    def __repr__(self) -> str:
        return f"Decoding({', '.join(f'{name}={value!r}' for name, value in self.as_json().items())})"


ASKING = ("form", "request", "system")
"""The fields of a decoding that say how the prompt is put."""


UNCUT = "the model does not say where its tokens end, so that no shorter text can be cut from this one"


@dataclass(frozen=True, slots=True)
class Completion:
    """One text that a model wrote after a prompt, and what it cost."""

    text: str
    tokens: int
    """Tokens decoded, including any that were thrown away on the way; of beam search, those of the beam that won."""
    ended: Ended
    attempts: int = 1
    """Sequences decoded for it: those that were begun and given up count."""
    offsets: tuple[int, ...] = field(default=(), repr=False)
    """How many characters there were after each token, where the text can be cut at a token."""
    unwritten: str | None = field(default=None, repr=False)
    """Why nothing could be written; such a text says nothing, which is not the same as an empty answer."""

    def at(self, tokens: int) -> Completion:
        """What it would be if no more than so many tokens had been allowed; exact without stop texts and beams.

        >>> Completion(" a nurse.", 3, "end", offsets=(2, 8, 9)).at(2)
        Completion(text=' a nurse', tokens=2, ended='length', attempts=1)
        """
        if tokens == self.tokens and self.ended == "context":
            return replace(self, ended="length")
        if tokens >= self.tokens:
            return self
        if len(self.offsets) < tokens:
            return Completion("", 0, "unwritten", unwritten=self.unwritten or UNCUT)
        text = self.text[: self.offsets[tokens - 1]]
        return Completion(text, tokens, "length", offsets=self.offsets[:tokens])


@dataclass(frozen=True, slots=True)
class Continuation:
    """One completion with the labels of its prompt: what the view of continuations rates.

    `decoding.max_new_tokens` is the length that counts here; a shorter text may be the beginning of a longer one.
    """

    prompt: Prompt
    decoding: Decoding
    sample: int
    text: str
    """The completion alone."""
    tokens: int
    ended: Ended
    unwritten: str | None = None
    """Why nothing could be written."""
    number: int = 0
    """Of a text of a run, its place in the ledger, from 1."""

    @property
    def refused(self) -> bool:
        """Whether the server said that the model would not answer, or withheld the answer."""
        return self.unwritten in REFUSED

    @property
    def whole(self) -> str:
        """Prompt and completion, which is what is rated unless a study says otherwise."""
        return self.prompt.text + self.text


@dataclass(frozen=True, slots=True)
class Written:
    """A test sentence that a generator wrote for a group term and an attribute, kept or dropped.

    `dropped` says why it is not used; None: it is. `set` counts independent generation sets from 0.
    """

    id: str
    bias: str
    text: str
    group: str
    term: str
    attribute: str
    attribute_set: str
    set: int = 0
    generator: str = ""
    strategy: str = ""
    dropped: str | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """What a rater made of one text: a number, or none and the reason; `because` is for people to read."""

    rater: str
    value: float | None
    unrated: str | None = None
    because: str | None = None
    label: str | None = None
    """The class, where the rater gives one of several: regard is "negative", "neutral", "positive" or "other"."""
    caveat: str | None = None
    """What must be known of the number: that only the beginning of a text was read, or that it was cut to the range."""


SCREENED = "screened"
"""The number format of a model whose pairs were scored in a fast one, and in float32 where that cannot tell."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What must be known of a model to trust a number that came from it."""

    name: str
    family: Family
    revision: str = ""
    weights_sha256: str = ""
    files_sha256: str = ""
    """Of the small files that are read beside the weights: configuration, tokenizer, chat template."""
    device: str = "cpu"
    dtype: str = "float32"
    start_token: str | None = None
    parameters: int | None = None
    context: int | None = None
    """How many tokens the model can read at once, where it has a limit."""
    versions: Mapping[str, str] = field(default_factory=dict)
