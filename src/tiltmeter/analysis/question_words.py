"""Finding a question from plain words: the groups in their order, the view, the bias."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tiltmeter.analysis.question_directions import (
    AMOUNTS,
    BREAKS,
    COMPARED,
    EXPECT,
    LIGHT,
    alike,
    direction_of,
    tone_of,
)
from tiltmeter.analysis.question_names import (
    GROUP_WORDS,
    bias_score,
    held_against,
    marks_of,
    masked,
    named_groups,
    places_of,
    words_of,
)
from tiltmeter.analysis.questions import Question, View
from tiltmeter.errors import UserError

_VIEW_WORDS: dict[View, frozenset[str]] = {
    "continuations": frozenset(
        ("rate", "rated", "rating", "text", "write", "written", "writing", "continue", "score", "scored")
    ),
    "next words": EXPECT,
    "pairs": frozenset(("prefer", "preferred", "pair")),
}
_STEREOTYPES = frozenset(("stereotype", "stereotyped", "stereotypical", "stereotypically", "stereotyping"))
"""What pairs are asked for, and next words can be."""
_OPPOSITE = frozenset(("anti", "counter", "non", "antistereotyped", "antistereotypical", "counterstereotypical"))
_HABIT = frozenset(("habit", "default", "usual"))
_SHOWN = 12
"""Questions that an error lists."""
_ABOUT = frozenset(("of", "for", "against", "toward"))


def asked(text: str, questions: Sequence[Question]) -> list[Question]:
    """The questions that the words mean: one for each model, with the groups in the order asked.

    >>> known = [Question("m", "continuations", "gender", "male", "female", terms=(("man",), ("woman",)))]
    >>> [(one.first, one.second) for one in asked("does it rate texts about women lower than about men?", known)]
    [('female', 'male')]
    """
    words = _plain(words_of(text))
    fitting = [] if _foreign(questions, words) else [one for one in questions if _fits(one, words)]
    # Who names both groups means no question of one of them.
    most = max((named_groups(one, words) for one in fitting), default=0)
    kept = _narrowed([one for one in fitting if named_groups(one, words) == most], words)
    kinds = dict.fromkeys(one.key for one in kept)
    if len(kinds) != 1:
        problem = "several questions, so say which" if kinds else "no question that these runs can answer; ask"
        raise UserError(f"--question {text!r} fits {problem}: {listed(kept if kinds else questions)}")
    if alike(words):
        raise UserError(
            f"--question {text!r} asks whether two are alike, which no cell can show; ask which of them is worse: "
            f"{listed(kept)}"
        )
    if _OPPOSITE & set(words) and any(one.of_stereotypes for one in kept):
        raise UserError(
            f"--question {text!r} asks for the opposite of a stereotype; the answer to its counterpart says that as "
            f"well; ask: {listed(kept)}"
        )
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
    stereotyped = bool(_STEREOTYPES & set(words))
    if question.view == "next words" and question.by_stereotype != stereotyped:
        return False
    told, named = bool(views) or bias_score(question, words) > 0, named_groups(question, words)
    if question.view == "pairs":
        # To prefer one group to another is not to prefer what is said of it.
        prefers = named and not stereotyped and "pair" not in words
        return told and not (prefers and not bias_score(question, words))
    if question.by_stereotype:
        return told
    if marks_of(words) and (named < 2 or not held_against(question, words)):
        # Whoever is compared here is somebody else.
        return False
    return told or named > 0


def _views(question: Question, words: Sequence[str]) -> list[View]:
    """The views that are named; where none is, nothing."""
    said = set(words)
    views = [view for view, known in _VIEW_WORDS.items() if known & said]
    if _STEREOTYPES & said:
        return [view for view in views if view != "continuations"] or ["pairs", "next words"]
    if "pairs" not in views and any(tone_of(word) for word in masked(question, words)):
        return ["continuations"]
    # Texts are written in all views; what is asked of them tells.
    return [view for view in views if len(views) == 1 or view != "continuations"]


def _narrowed(questions: Sequence[Question], words: Sequence[str]) -> list[Question]:
    """Those of the habit and the bias that are named; where none is, all."""
    kept = [one for one in questions if one.beyond_habit == bool(_HABIT & set(words))]
    scores = [bias_score(one, words) for one in kept]
    return [one for one, score in zip(kept, scores, strict=True) if score == max(scores)]


def _foreign(questions: Sequence[Question], words: Sequence[str]) -> bool:
    """Whether something is spoken about that no question is about.

    >>> _foreign([], "text about cat lower".split()), _foreign([], "written about more negatively".split())
    (True, False)
    """
    known = {part for names in GROUP_WORDS.values() for part in names} | set(GROUP_WORDS)
    for one in questions:
        names = (one.bias, *one.titles, one.first, one.second, *one.terms[0], *one.terms[1])
        known.update(part for name in names for part in words_of(name))
    of_pairs = _VIEW_WORDS["pairs"] | _STEREOTYPES
    ends = AMOUNTS.keys() | BREAKS | of_pairs.union(*_VIEW_WORDS.values()) | COMPARED
    for at, word in enumerate(words):
        if word != "about" and not (word in _ABOUT and at and words[at - 1] in of_pairs):
            continue
        spoken: list[str] = []
        for other in words[at + 1 :]:
            if other not in known and (other in ends or tone_of(other)):
                break
            spoken.append(other)
        if set(spoken) - LIGHT and not known & set(spoken):
            return True
    return False


def _oriented(question: Question, words: Sequence[str]) -> Question | None:
    """The question with its groups in the order asked; None where the words do not say which way."""
    if question.of_stereotypes or not (named := named_groups(question, words)):
        return question
    direction = direction_of(question, words)
    if direction is None:
        if named < 2 or marks_of(words) or any(word in AMOUNTS for word in masked(question, words)):
            return None
        if not _views(question, words) and not bias_score(question, words):
            return None
    first, second = places_of(question, words)
    if against := held_against(question, words):
        last = against == question.first
    else:
        last = not first or bool(second and min(first) > min(second))
    return question.exchanged() if last != (direction == 1) else question
