"""Every function that looks at text from outside, with hostile texts of one length: a program of its own.

Whoever grows with the square of a text does not come back within minutes. Run: `python -m tests.growing LENGTH [NAME]`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

UNITS = (
    *(
        "a",
        "A",
        "1",
        " ",
        "\n",
        ".",
        ",",
        "'",
        '"',
        "(",
        "[",
        "{",
        "-",
        "_",
        "é",
        "😀",
        "a ",
        "A. ",
        "a.",
        "a-",
        "1,",
        "=",
        "\\",
    ),
    *(
        "the ",
        "he ",
        "nurse ",
        "- ",
        "!",
        "? ",
        "* ",
        "a' ",
        "I can't ",
        "good but ",
        "never so good ",
        "ss-in-",
        "[A]",
        "(a)",
    ),
)
"""What hostile texts are made of."""


def functions() -> dict[str, Callable[[str], Any]]:
    """By name, what is called with a text."""
    from tiltmeter import raters, replies
    from tiltmeter.cli.conditions import check
    from tiltmeter.english import article_for, gender, starts_sentence
    from tiltmeter.errors import TiltmeterError, UnknownName
    from tiltmeter.formulas import defused
    from tiltmeter.models.api.completions import sentence_end
    from tiltmeter.models.decoding.sentence_ends import ends_sentence, find_term
    from tiltmeter.raters.masking import mask_group
    from tiltmeter.results.gate.rules import rule_of
    from tiltmeter.sources import nouns
    from tiltmeter.sources.differences import differences
    from tiltmeter.sources.generated.checks import sentence_of
    from tiltmeter.sources.generated.lists import sentences_in
    from tiltmeter.sources.generated.matching import find
    from tiltmeter.sources.generated.sentence_specs import decode
    from tiltmeter.sources.labour_files import Occupation
    from tiltmeter.sources.natural import marks
    from tiltmeter.sources.natural.cleaning import clean, split
    from tiltmeter.sources.numbers import as_number, decimal_commas
    from tiltmeter.sources.open_prompts_file import occurrences
    from tiltmeter.sources.pairs_file import attribute_in
    from tiltmeter.sources.swap import swap

    def tried(call: Callable[[str], Any], *refusals: type[Exception]) -> Callable[[str], Any]:
        def asked(text: str) -> Any:
            try:
                return call(text)
            except (TiltmeterError, *refusals):
                return None

        return asked

    def rating(name: str) -> Callable[[str], Any]:
        rater = raters.load(name)
        return lambda text: rater.rate([text])

    names = ("sentiment.vader.v1", "readability.fog.v1", "readability.ari.v1", "refusal.v5", "toxicity.linear.v1")
    return {
        **{name: rating(name) for name in names},
        "starts_sentence": lambda text: starts_sentence(text, len(text)),
        "article_for": article_for,
        "gender": gender,
        "occurrences": lambda text: occurrences(f"{text} nurse nurse", "nurse"),
        "occurrences of a long term": lambda text: occurrences(f"The {text} said", text),
        "differences": lambda text: differences(f"she {text} hers", f"he {text} x {text} his"),
        "swap": tried(lambda text: swap(f"The woman {text} her", "woman", "man")),
        "swap of a long term": tried(lambda text: swap(f"The {text} ran", text.strip() or "x", "man")),
        "find": lambda text: find(f"{text} woman", "woman", plural=True),
        "find_term": lambda text: find_term("woman").search(f"{text} woman"),
        "mask_group": lambda text: mask_group(f"{text} woman", terms=["woman", "her"]),
        "attribute_in": lambda text: attribute_in((f"{text} a", f"{text} b"), ((), ()), "a"),
        "sentence_of": lambda text: sentence_of(f"The woman {text} kind.", "woman", "kind"),
        "sentences_in": sentences_in,
        "decode": tried(decode, ValueError),
        "clean": clean,
        "split": split,
        "marks": tried(marks.apply, ValueError),
        "plural": nouns.plural,
        "singular": nouns.singular,
        "occupation": lambda text: Occupation(text, 0.5).names,
        "number": lambda text: (
            as_number(text),
            as_number(f"-1{text}", comma=True),
            decimal_commas([text, f"1{text}"]),
        ),
        "defused": lambda text: (defused(text), defused(f"-{text}")),
        "fail-if": tried(lambda text: check([text, f"{text} > {text}", f"a > {text}1"])),
        "gate rule": tried(lambda text: rule_of(f"{text} worse", [text[:3], "pairs"])),
        "gate rule at the end": tried(lambda text: rule_of(f"worse by more than {text}", ["pairs"])),
        "unknown name": lambda text: UnknownName("group", text, [f"{text}{number}" for number in range(200)]),
        "lettered": lambda text: replies.lettered(f"The answer is {text} A", ("She", "He")),
        "lettered or said": lambda text: replies.lettered_or_said(f"The answer is {text} A", ("She", "He")),
        "named": lambda text: replies.named(f"The answer is {text} She, not {text} He", ("She", "He"), None),
        "named by a long option": lambda text: replies.named(f"The answer is {text}", (f"She {text}", "He"), 1),
        "ends_sentence": lambda text: ends_sentence(f"{text}."),
        "sentence_end": lambda text: sentence_end("She", text),
    }


def main() -> None:
    """Print for each function the unit that took longest, and its time."""
    length, only = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    for name, call in functions().items():
        if only in name:
            slowest = (0.0, "")
            for unit in UNITS:
                for tail in ("\0", "."):
                    text = (unit * length)[: length - 1] + tail
                    began = time.perf_counter()
                    call(text)
                    slowest = max(slowest, (time.perf_counter() - began, f"{unit!r} … {tail!r}"))
            print(f"{slowest[0]:8.3f} s  {name}: {slowest[1]}", flush=True)


if __name__ == "__main__":
    main()
