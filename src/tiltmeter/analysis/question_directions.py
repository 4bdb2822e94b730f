"""Which way a question in plain words asks: good and bad words, and words for more and less that are said of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from math import prod

from tiltmeter.analysis.question_names import masked
from tiltmeter.analysis.questions import Question

EXPECT = frozenset(("expect", "expected", "expecting", "next", "pronoun", "likely", "unlikely", "likelier"))
"""Words of the view of next words."""
_RATE = frozenset(("rate", "rated", "rating", "score", "scored", "ranked", "judged"))
_LEVELS = {"higher": 1, "above": 1, "high": 1, "highly": 1, "lower": -1, "below": -1, "low": -1}
"""Where something stands; said of a rating alone, higher is better."""
AMOUNTS = _LEVELS | {
    **dict.fromkeys(("more", "greater", "larger", "oftener", "likelier", "rather"), 1),
    **dict.fromkeys(("less", "least", "fewer", "smaller", "rarer", "rarely", "seldom", "unlikely"), -1),
}
_WORSE = frozenset(
    ("worse", "worst", "harsher", "ruder", "nastier", "crueller", "meaner", "angrier", "unkinder", "unfriendlier")
)
_BETTER = frozenset(("better", "best", "nicer", "kinder", "friendlier", "warmer", "politer", "pleasanter"))
_BAD = re.compile(
    r"(toxic|offens|offend|hostil|insult|rude|negativ|unfavo|hate|hatred|harm|harsh|bad|abus|nast|cruel|derogat|demean"
    r"|disrespect|unkind|unpleasant|unfriendl|unsympath|uncivil|disfavo|dislik|impolite|threat|obscen|profan|vulgar|aggress|anger|angr|contempt|critical"
    r"|criticis|unfair|dismissive|misogyn|sexis|racis|violen|prejudi|poorly|ugl|stigma)\w*"
)
_GOOD = re.compile(
    r"(nontoxic|inoffensive|harmless|positiv|favou?r|respect|kind|good|nice|polite|friendl|pleasant|warm|prais|flatter"
    r"|complimentary|benign|sympath|admir)\w*"
)
_SCALES = frozenset(("sentiment", "regard"))
"""What can be high, which is good, and says nothing by itself."""
_EQUAL = re.compile(r"\b(equally|equal|alike|similarly|identical|identically|(the )?same (as|for))\b")
_AS = re.compile(r"(?P<before>\w*) as (?P<said>(?!well |far |long |soon )\w+( (?!as )\w+){0,7}?) as\b")
_BEFORE_AS = frozenset(("not", "t", "twice", "thrice", "time"))
"""Before "as … as" these make it less or more; "t" is what is left of "aren't"."""

BREAKS = frozenset(("and", "or", "but"))
COMPARED = frozenset(("than", "versus", "vs", "unlike", "compared", "comparison", "relative"))
LIGHT = frozenset(
    re.findall(
        r"\w+",
        "a an the this that those these it its they them their one any some all both each which who whom what how "
        "is are was were be been being has have had do doe did can will would on in at by for from to with of as if "
        "when about there overall average often text sentence model completion continuation person group",
    )
)
"""Words that carry no subject."""


def direction_of(question: Question, words: Sequence[str]) -> int | None:
    """1 where the better is asked for first, -1 where the worse; None where that is not said or said both ways.

    >>> texts = Question("m", "continuations", "gender", "male", "female")
    >>> [direction_of(texts, said.split()) for said in ("rated higher", "higher toxicity", "less often toxic", "bluer")]
    [1, -1, 1, None]
    """
    said = masked(question, words)
    claims: list[int | None] = []
    free: list[str] = []
    waiting: list[list[str]] = []
    for part in (list(each) for breaks, each in groupby(said, key=BREAKS.__contains__) if not breaks):
        tones = [at for at, word in enumerate(part) if tone_of(word)]
        amounts: dict[int, int] = {}
        for at in range(len(part)):
            if tones and (amount := _amount(part, at)):
                target = _target(part, at, tones)
                amounts[target] = amounts.get(target, 1) * amount
        claims += [sign * tone_of(part[target]) for target, sign in amounts.items()]
        free += [part[at] for at in tones if at not in amounts]
        if not tones and any(_amount(part, at) for at in range(len(part))):
            waiting.append(part)
    compared = [word for word in free if word in _WORSE | _BETTER]
    plain = [word for word in free if word not in compared]
    for part in waiting:
        sign = prod(amount for at in range(len(part)) if (amount := _amount(part, at)))
        if _stands_alone(question, part, words):
            # "Higher … and … toxic": nobody knows whether that is said of toxicity.
            claims.append(None if any(tone_of(word) < 0 for word in plain) else sign)
        elif compared or plain:
            claims.append(sign * tone_of((compared or plain).pop(0)))
        elif set(part) & _LEVELS.keys() or not claims:
            claims.append(None)
    claims += [tone_of(word) for word in compared]
    if not claims:
        claims = [tone_of(word) for word in plain if word not in _SCALES]
    return claims[0] if len(set(claims)) == 1 else None


def alike(words: Sequence[str]) -> bool:
    """Whether it is asked that two be alike: "as toxic as"; but "not as kind as" is less, "twice as rude as" more.

    >>> [alike(said.split()) for said in ("as toxic as", "equally toxic", "not as kind as", "twice as rude as")]
    [True, True, False, False]
    """
    text = " ".join(words)
    if _EQUAL.search(text):
        return True
    return any(
        not AMOUNTS.keys() & set(found["said"].split())
        and not (_WORSE | _BETTER | COMPARED) & set(found["said"].split())
        and found["before"] not in _BEFORE_AS
        for found in _AS.finditer(f" {text}")
    )


def tone_of(word: str) -> int:
    """1 for a good word, -1 for a bad one, 0 for any other.

    >>> tone_of("toxicity"), tone_of("favourably"), tone_of("unfavourably"), tone_of("text")
    (-1, 1, -1, 0)
    """
    if word in _BETTER or word in _SCALES or _GOOD.fullmatch(word):
        return 1
    return -1 if word in _WORSE or _BAD.fullmatch(word) else 0


def _target(words: Sequence[str], at: int, tones: Sequence[int]) -> int:
    """Of what more or less is said: what follows, else what comes before; on the same side of "than" if it can be.

    >>> _target("toxicity higher than that".split(), 1, [0]), _target("higher than men on toxicity".split(), 0, [4])
    (0, 4)
    """
    sides = [sum(word == "than" for word in words[:place]) for place in range(len(words))]
    return min(tones, key=lambda tone: (sides[tone] != sides[at], tone < at, abs(tone - at)))


def _amount(words: Sequence[str], at: int) -> int:
    """1 for a word for more, -1 for less, 0 for any other; "not" is one before what it denies."""
    following = words[at + 1] if at + 1 < len(words) else ""
    if words[at] in ("not", "t") and following in ("as", "so"):
        return -1
    if words[at] in ("not", "non"):
        return -1 if tone_of(following) else 0
    return AMOUNTS.get(words[at], 0)


def _stands_alone(question: Question, part: Sequence[str], words: Sequence[str]) -> bool:
    """Whether more or less is said of what the view measures: of ratings, or of what is expected."""
    if question.view == "next words":
        return bool(EXPECT & set(words))
    known = LIGHT | _RATE | AMOUNTS.keys() | COMPARED | {""}
    following = [part[at + 1] if at + 1 < len(part) else "" for at, word in enumerate(part) if word in _LEVELS]
    clear = all(word in known or word.endswith("ly") for word in following)
    return bool(following) and clear and bool(_RATE & set(words))
