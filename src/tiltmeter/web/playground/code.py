"""The same question as Python and as a command line: what was tried here can be done again, and more of it."""

from __future__ import annotations

import shlex

from tiltmeter.files import csv_text
from tiltmeter.web.playground.answers import DECODING, LISTED, SAMPLES
from tiltmeter.web.playground.question import Question

_END = "END_OF_TABLE"


def as_python(question: Question) -> str:
    """A program that asks the same."""
    return _pair_program(question) if question.kind == "pair" else _prompt_program(question)


def as_command(question: Question) -> str:
    """The commands that ask the same of a table, to which rows can be added."""
    if question.kind == "pair":
        pair = question.pair()
        row = {"sentence_1": pair.texts[0], "sentence_2": pair.texts[1]}
        row |= {"attribute": question.attribute} if question.attribute else {}
        table = csv_text(list(row), [row])
        command = [
            "tiltmeter",
            "score",
            "pairs.csv",
            "--model",
            question.model,
            "--scorer",
            "all",
            "--out",
            "scored.csv",
        ]
        return f"{_file('pairs.csv', table)}{shlex.join(command)}\n"
    rows = [{"text": text, "origin": f"prompt {at}"} for at, (text, _) in enumerate(question.prompts(), start=1)]
    table = csv_text(["text", "origin"], rows)
    asking = ["--model", question.model, "--prompts", "prompts.csv"]
    named = ["tiltmeter", "next-words", "score", *asking, "--bounded"]
    for word in question.words or ("he", "she"):
        named += ["--words", f"{word.replace('=', ' ')}={word}"]
    listing = ["tiltmeter", "next-words", "list", *asking, "--count", str(LISTED)]
    commands = [listing] if _is_chat(question) else [[*named, "--out", "expected.csv"], listing]
    return _file("prompts.csv", table) + "".join(f"{shlex.join(command)}\n" for command in commands)


def _pair_program(question: Question) -> str:
    pair = question.pair()
    return f"""\
import tiltmeter as tm
from tiltmeter.engine.scoring import fitting
from tiltmeter.measures.scorers import all_for

model = tm.load_model({question.model!r})
pair = tm.Pair(
    id="1",
    source="mine",
    bias="mine",
    origin={pair.origin!r},
    texts={pair.texts!r},
    groups={pair.groups!r},
    group_spans={pair.group_spans!r},
    neutral_texts={pair.neutral_texts!r},
)
scorers = fitting(all_for(model.facts.family), model, [pair])
for name, [found] in tm.score_pairs(model, [pair], scorers).items():
    print(name, found.scores, found.unscored)
"""


def _prompt_program(question: Question) -> str:
    texts = [text for text, _ in question.prompts()]
    words = list(question.words or ("he", "she"))
    verbs, named = "as_proposer, as_writer", ""
    if not _is_chat(question):
        verbs = f"as_predictor, {verbs}"
        named = f"print(as_predictor(model).next_words(prompts, {words!r}, bounded=True))\n"
    return f"""\
import tiltmeter as tm
from tiltmeter.models import {verbs}

model = tm.load_model({question.model!r})
prompts = {texts!r}
{named}print(as_proposer(model).likeliest(prompts, {LISTED}))
decoding = tm.Decoding(temperature={DECODING.temperature:g}, max_new_tokens={DECODING.max_new_tokens})
print(as_writer(model).complete(prompts, decoding, samples={SAMPLES}))
"""


def _is_chat(question: Question) -> bool:
    """A chat model is not asked for words by name."""
    return question.model.startswith("chat:")


def _file(name: str, content: str) -> str:
    return f"cat > {name} <<'{_END}'\n{content}{_END}\n"
