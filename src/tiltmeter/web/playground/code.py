"""The same question as Python and as a command line: what was tried here can be done again, and more of it."""

from __future__ import annotations

import shlex

from tiltmeter.files import csv_text
from tiltmeter.web.playground.answers import DECODING, LISTED, SAMPLES
from tiltmeter.web.playground.asked import Asked

_END = "END_OF_TABLE"


def as_python(asked: Asked) -> str:
    """A program that asks the same."""
    return _pair_program(asked) if asked.kind == "pair" else _prompt_program(asked)


def as_command(asked: Asked) -> str:
    """The commands that ask the same of a table, to which rows can be added."""
    if asked.kind == "pair":
        pair = asked.pair()
        row = {"sentence_1": pair.texts[0], "sentence_2": pair.texts[1]}
        row |= {"attribute": asked.attribute} if asked.attribute else {}
        table = csv_text(list(row), [row])
        command = ["tiltmeter", "score", "pairs.csv", "--model", asked.model, "--scorer", "all", "--out", "scored.csv"]
        return f"{_file('pairs.csv', table)}{shlex.join(command)}\n"
    rows = [{"text": text, "origin": f"prompt {at}"} for at, (text, _) in enumerate(asked.prompts(), start=1)]
    table = csv_text(["text", "origin"], rows)
    asking = ["tiltmeter", "next-words", "--model", asked.model, "--prompts", "prompts.csv"]
    named = [*asking, "--bounded"]
    for word in asked.words or ("he", "she"):
        named += ["--words", f"{word.replace('=', ' ')}={word}"]
    listing = [*asking, "--likeliest", str(LISTED)]
    commands = [listing] if _is_chat(asked) else [[*named, "--out", "expected.csv"], listing]
    return _file("prompts.csv", table) + "".join(f"{shlex.join(command)}\n" for command in commands)


def _pair_program(asked: Asked) -> str:
    pair = asked.pair()
    return f"""\
import tiltmeter as tm
from tiltmeter.engine.scoring import fitting
from tiltmeter.measures.scorers import all_for

model = tm.load_model({asked.model!r})
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


def _prompt_program(asked: Asked) -> str:
    texts = [text for text, _ in asked.prompts()]
    words = list(asked.words or ("he", "she"))
    verbs, named = "as_proposer, as_writer", ""
    if not _is_chat(asked):
        verbs = f"as_predictor, {verbs}"
        named = f"print(as_predictor(model).next_words(prompts, {words!r}, bounded=True))\n"
    return f"""\
import tiltmeter as tm
from tiltmeter.models import {verbs}

model = tm.load_model({asked.model!r})
prompts = {texts!r}
{named}print(as_proposer(model).likeliest(prompts, {LISTED}))
decoding = tm.Decoding(temperature={DECODING.temperature:g}, max_new_tokens={DECODING.max_new_tokens})
print(as_writer(model).complete(prompts, decoding, samples={SAMPLES}))
"""


def _is_chat(asked: Asked) -> bool:
    """A chat model is not asked for words by name."""
    return asked.model.startswith("chat:")


def _file(name: str, content: str) -> str:
    return f"cat > {name} <<'{_END}'\n{content}{_END}\n"
