"""Finding a question from plain words: the groups in their order, the view, the bias."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import prod

from tiltmeter.analysis.questions import Question, View
from tiltmeter.errors import UserError

_VIEW_WORDS: dict[View, frozenset[str]] = {
    "continuations": frozenset(
        ("rate", "rated", "rating", "text", "write", "written", "writing", "continue", "score", "scored")
    ),
    "next words": frozenset(("expect", "expected", "expecting", "next", "pronoun", "likely", "unlikely", "likelier")),
    "pairs": frozenset(("prefer", "preferred", "stereotype", "stereotyped", "stereotypical", "pair")),
}
_PREFER = frozenset(("prefer", "preferred"))
_RATE = frozenset(("rate", "rated", "rating", "score", "scored", "ranked", "judged"))
_PLURALS = {"women": "woman", "men": "man", "people": "person", "children": "child", "wives": "wife"}
_KNOWN = {"male": ("man", "boy", "he", "him", "his"), "female": ("woman", "girl", "she", "her", "hers")}
"""Words for groups that are called the same almost everywhere."""
_HABIT = frozenset(("habit", "default", "usual"))
_SHOWN = 12
"""Questions that an error lists."""

_LEVELS = {"higher": 1, "above": 1, "high": 1, "highly": 1, "lower": -1, "below": -1, "low": -1}
"""Where something stands; said of a rating alone, higher is better."""
_AMOUNTS = _LEVELS | {
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

_BREAKS = frozenset(("and", "or", "but"))
_MARKS = re.compile(r"\b(than|versus|vs|unlike|(?:compared|comparison|relative) (?:with|to|against))\b")
_COMPARED = frozenset(("than", "versus", "vs", "unlike", "compared", "comparison", "relative"))
_LIGHT = frozenset(
    re.findall(
        r"\w+",
        "a an the this that those these it its they them their one any some all both each which who whom what how "
        "is are was were be been being has have had do doe did can will would on in at by for from to with of as if "
        "when about there overall average often text sentence model completion continuation person group",
    )
)
"""Words that carry no subject."""
_ABOUT = frozenset(("of", "for", "against", "toward"))


def asked(text: str, questions: Sequence[Question]) -> list[Question]:
    """The questions that the words mean: one for each model, with the groups in the order asked.

    >>> known = [Question("m", "continuations", "gender", "male", "female", terms=(("man",), ("woman",)))]
    >>> [(one.first, one.second) for one in asked("does it rate texts about women lower than about men?", known)]
    [('female', 'male')]
    """
    words = _plain(_words(text))
    fitting = [] if _foreign(questions, words) else [one for one in questions if _fits(one, words)]
    # Who names both groups means no question of one of them.
    most = max((_named(one, words) for one in fitting), default=0)
    kept = _narrowed([one for one in fitting if _named(one, words) == most], words)
    kinds = dict.fromkeys(one.key for one in kept)
    if len(kinds) != 1:
        problem = "several questions, so say which" if kinds else "no question that these runs can answer; ask"
        raise UserError(f"--question {text!r} fits {problem}: {listed(kept if kinds else questions)}")
    ordered = [found for one in kept if (found := _oriented(one, words))]
    if len(ordered) < len(kept):
        raise UserError(
            f"--question {text!r} does not say in known words which way it asks (lower, worse, less often …); "
            f"ask: {listed(kept)}"
        )
    return ordered


def listed(questions: Iterable[Question]) -> str:
    """Questions in one sentence, each once whoever is asked."""
    texts = list(dict.fromkeys(f"“{one.text}” ({one.view}, {one.bias})" for one in questions))
    more = f"; and {len(texts) - _SHOWN} more, see --list" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more if texts else "nothing"


def _plain(words: Sequence[str]) -> list[str]:
    """Without turns of phrase whose words would mislead.

    >>> _plain("less often than he more so than by habit".split())
    ['less', 'often', 'than', 'he', 'habit']
    """
    text = re.sub(r"\b(more so|at least|at most|with respect to|respectively|kind of)\b", " ", " ".join(words))
    text = re.sub(r"\b(more|less|fewer) than (a |one )?(half|third|quarter|\d+)\b", " ", text)
    return re.sub(r"\bthan( by| it| the| usual)* (habit|default|usual)\b", "habit", text).split()


def _fits(question: Question, words: Sequence[str]) -> bool:
    """Whether the words can mean this question, whichever way."""
    views = _views(question, words)
    if views and question.view not in views:
        return False
    told, named = bool(views) or _bias_score(question, words) > 0, _named(question, words)
    if question.view == "pairs":
        # To prefer one group to another is not to prefer what is said of it.
        prefers = named and not (_VIEW_WORDS["pairs"] - _PREFER) & set(words)
        return told and not (prefers and not _bias_score(question, words))
    if _marks(words) and (named < 2 or not _held_against(question, words)):
        # Whoever is compared here is somebody else.
        return False
    return told or named > 0


def _views(question: Question, words: Sequence[str]) -> list[View]:
    """The views that are named; where none is, nothing."""
    said = set(words)
    views = [view for view, known in _VIEW_WORDS.items() if known & said]
    if "pairs" not in views and any(_tone(word) for word in _masked(question, words)):
        return ["continuations"]
    # Texts are written in all views; what is asked of them tells.
    return [view for view in views if len(views) == 1 or view != "continuations"]


def _narrowed(questions: Sequence[Question], words: Sequence[str]) -> list[Question]:
    """Those of the habit and the bias that are named; where none is, all."""
    kept = [one for one in questions if one.beyond_habit == bool(_HABIT & set(words))]
    scores = [_bias_score(one, words) for one in kept]
    return [one for one, score in zip(kept, scores, strict=True) if score == max(scores)]


def _foreign(questions: Sequence[Question], words: Sequence[str]) -> bool:
    """Whether something is spoken about that no question is about.

    >>> _foreign([], "text about cat lower".split()), _foreign([], "written about more negatively".split())
    (True, False)
    """
    known = {part for names in _KNOWN.values() for part in names} | set(_KNOWN)
    for one in questions:
        names = (one.bias, *one.titles, one.first, one.second, *one.terms[0], *one.terms[1])
        known.update(part for name in names for part in _words(name))
    ends = _AMOUNTS.keys() | _BREAKS | frozenset().union(*_VIEW_WORDS.values()) | _COMPARED
    for at, word in enumerate(words):
        if word != "about" and not (word in _ABOUT and at and words[at - 1] in _VIEW_WORDS["pairs"]):
            continue
        spoken: list[str] = []
        for other in words[at + 1 :]:
            if other not in known and (other in ends or _tone(other)):
                break
            spoken.append(other)
        if set(spoken) - _LIGHT and not known & set(spoken):
            return True
    return False


def _oriented(question: Question, words: Sequence[str]) -> Question | None:
    """The question with its groups in the order asked; None where the words do not say which way."""
    if question.view == "pairs" or not (named := _named(question, words)):
        return question
    direction = _direction(question, words)
    if direction is None:
        if named < 2 or _marks(words) or any(word in _AMOUNTS for word in _masked(question, words)):
            return None
        if not _views(question, words) and not _bias_score(question, words):
            return None
    first, second = _places(question, words)
    if against := _held_against(question, words):
        last = against == question.first
    else:
        last = not first or bool(second and min(first) > min(second))
    return question.exchanged() if last != (direction == 1) else question


def _direction(question: Question, words: Sequence[str]) -> int | None:
    """1 where the better is asked for first, -1 where the worse; None where that is not said or said both ways.

    >>> texts = Question("m", "continuations", "gender", "male", "female")
    >>> [_direction(texts, said.split()) for said in ("rated higher", "higher toxicity", "less often toxic", "bluer")]
    [1, -1, 1, None]
    """
    masked = _masked(question, words)
    claims: list[int | None] = []
    free: list[str] = []
    waiting: list[list[str]] = []
    for part in (list(each) for breaks, each in groupby(masked, key=_BREAKS.__contains__) if not breaks):
        tones = [at for at, word in enumerate(part) if _tone(word)]
        amounts: dict[int, int] = {}
        for at in range(len(part)):
            if tones and (amount := _amount(part, at)):
                target = _target(part, at, tones)
                amounts[target] = amounts.get(target, 1) * amount
        claims += [sign * _tone(part[target]) for target, sign in amounts.items()]
        free += [part[at] for at in tones if at not in amounts]
        if not tones and any(_amount(part, at) for at in range(len(part))):
            waiting.append(part)
    compared = [word for word in free if word in _WORSE | _BETTER]
    plain = [word for word in free if word not in compared]
    for part in waiting:
        sign = prod(amount for at in range(len(part)) if (amount := _amount(part, at)))
        if _stands_alone(question, part, words):
            # "Higher … and … toxic": nobody knows whether that is said of toxicity.
            claims.append(None if any(_tone(word) < 0 for word in plain) else sign)
        elif compared or plain:
            claims.append(sign * _tone((compared or plain).pop(0)))
        elif set(part) & _LEVELS.keys() or not claims:
            claims.append(None)
    claims += [_tone(word) for word in compared]
    if not claims:
        claims = [_tone(word) for word in plain if word not in _SCALES]
    return claims[0] if len(set(claims)) == 1 else None


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
    if words[at] in ("not", "non"):
        return -1 if following in ("as", "so") or _tone(following) else 0
    return _AMOUNTS.get(words[at], 0)


def _stands_alone(question: Question, part: Sequence[str], words: Sequence[str]) -> bool:
    """Whether more or less is said of what the view measures: of ratings, or of what is expected."""
    if question.view == "next words":
        return bool(_VIEW_WORDS["next words"] & set(words))
    known = _LIGHT | _RATE | _AMOUNTS.keys() | _COMPARED | {""}
    following = [part[at + 1] if at + 1 < len(part) else "" for at, word in enumerate(part) if word in _LEVELS]
    clear = all(word in known or word.endswith("ly") for word in following)
    return bool(following) and clear and bool(_RATE & set(words))


def _tone(word: str) -> int:
    """1 for a good word, -1 for a bad one, 0 for any other.

    >>> _tone("toxicity"), _tone("favourably"), _tone("unfavourably"), _tone("text")
    (-1, 1, -1, 0)
    """
    if word in _BETTER or word in _SCALES or _GOOD.fullmatch(word):
        return 1
    return -1 if word in _WORSE or _BAD.fullmatch(word) else 0


def _marks(words: Sequence[str]) -> list[int]:
    """Where a comparison says what something is held against."""
    text = " ".join(words)
    return [text.count(" ", 0, found.start()) for found in _MARKS.finditer(text)]


def _held_against(question: Question, words: Sequence[str]) -> str:
    """The group that stands after "than" or "compared with", wherever in the sentence that is; blank where none does.

    >>> _held_against(Question("m", "continuations", "gender", "male", "female"), "than man be woman lower".split())
    'male'
    """
    first, second = _places(question, words)
    for mark in _marks(words):
        if after := [at for at in (*first, *second) if at > mark]:
            return question.first if min(after) in first else question.second
    return ""


def _named(question: Question, words: Sequence[str]) -> int:
    """How many of the two groups are named."""
    return sum(map(bool, _places(question, words)))


def _masked(question: Question, words: Sequence[str]) -> list[str]:
    """The words with those that name a group left blank: "lower class" asks for nothing lower."""
    named = {at for places in _spans(question, words) for start, end in places for at in range(start, end)}
    return ["" if at in named else word for at, word in enumerate(words)]


def _places(question: Question, words: Sequence[str]) -> tuple[list[int], list[int]]:
    """Where each of the two groups is named."""
    first, second = _spans(question, words)
    return [start for start, _ in first], [start for start, _ in second]


def _spans(question: Question, words: Sequence[str]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """From where to where each group is named; a word that stands for both names neither, the longer name wins."""
    if not question.first:
        return [], []
    names = [
        {tuple(_words(name)) for name in (group, *terms, *_KNOWN.get(group.casefold(), ()))}
        for group, terms in zip((question.first, question.second), question.terms, strict=True)
    ]
    own = (names[0] - names[1], names[1] - names[0])
    first, second = ([(at, at + len(name)) for name in each for at in _found(name, words)] for each in own)
    every = first + second

    def whole(span: tuple[int, int]) -> bool:
        return not any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in every)

    return [span for span in first if whole(span)], [span for span in second if whole(span)]


def _found(name: tuple[str, ...], words: Sequence[str]) -> list[int]:
    length = len(name)
    return [at for at in range(len(words) - length + 1) if name and tuple(words[at : at + length]) == name]


def _bias_score(question: Question, words: Sequence[str]) -> int:
    """How many words of the name or a title of the bias are there; more for a name that stands there whole."""
    best = 0
    for name in (question.bias, *question.titles):
        parts = tuple(_words(name))
        whole = 100 if _found(parts, words) else 0
        best = max(best, whole + sum(len(part) > 3 and part in words for part in set(parts)))
    return best


def _words(text: str) -> list[str]:
    """The words of a text in lower case, in the singular as far as that is easily told.

    >>> _words("Women's texts, and African-American men")
    ['woman', 'text', 'and', 'african', 'american', 'man']
    """
    found = re.findall(r"\w+", re.sub(r"['’]s\b", "", text.casefold()).replace("_", " "))
    return [_singular(word) for word in found]


def _singular(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    plain = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plain else word
