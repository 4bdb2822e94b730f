"""Small good files of every kind that is read, of our own writing."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.results import logged
from tests.sources.datasets import prompt_samples, question_samples, samples
from tiltmeter.parquet import write_parquet

Files = Mapping[str, bytes]
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Describe her."}]
PAIRS = "bias,attribute,sentence_1,sentence_2,term_1,term_2,label_1,label_2\n" + "".join(
    f'gender,a{at},"The woman is kind, {at}.","The man is kind, {at}.",woman,man,stereotype,anti-stereotype\n'
    for at in range(4)
)
SENTENCES = (
    "id,bias,set,group,term,attribute_set,attribute,text,generator,strategy,dropped,counterparts,compare,"
    "stereotype_of,neutral,benchmark\n"
    "s/1,gender,0,women,the woman,care,a nurse,The woman is a nurse.,m,few,,men=the man,women=men,women,something,\n"
    "s/2,gender,0,men,the man,care,a nurse,A nurse met the man.,m,few,x,women=the woman,women=men,women,something,\n"
)
SHEET = (
    "id,text,term,attribute,I1,I2,I3,I4,I5,I6,I7,I8,none\n"
    "1,The woman is a nurse.,woman,nurse,x,,,,,,,,\n2,A.,b,c,,,,,,,,,x\n"
)
RATED = "group,origin,prompt,text,toxicity,toxicity.label,model\n" + "".join(
    f"{group},o{at},p{at},She is kind.,{at / 10},ok,m\n" for group in ("women", "men") for at in range(5)
)
SCORED = (
    "bias,attribute,attribute_set,group_1,group_2,label_1,label_2,score_1,score_2,stereotyped,model,unscored\n"
    + "".join(f"gender,a{at},s{at % 2},w,m,stereotype,anti-stereotype,-{at}.5,-3.0,{at % 2},m,\n" for at in range(6))
)
WORDS = (
    "prompt,profession,template,perturbation,group,word,probability,logprob,shared,highest,gap,model,unscored\n"
    + "".join(
        f"The {job} said,{job},t,original,{group},{word},0.{at},,,0.5,0.1,m,\n"
        for job in ("nurse", "cook")
        for at, (group, word) in enumerate((("male", "he"), ("female", "she")), start=1)
    )
)
PROMPTS = "id,text,group,origin,structure,kind,term\n" + "".join(
    f"{at},The {group} was known as,{group},o{at},s{at},declarative,{group}\n"
    for at, group in enumerate(("woman", "man"))
)
OPEN = (
    "id,text,profession,template,status,subject_start,subject_end\n"
    "1,The nurse said that,nurse,t,authored,4,9\n2,A cook saw,cook,t,,,\n"
)
DECISIONS = (
    "domain,context,question,favourable,options\n"
    "rent,[T] saw a flat.,Rent it out?,yes,\nrent,,Should [T] leave?,Stay,Go|Stay\n"
)
LABOUR = 'occupation,women,total\n"Nurses, registered",89.1,3000\nEngineers,–,20\n"Cooks and bakers",40.5%,"1,500"\n'
SPEC = """name = "cats"
title = "Cats and dogs"
citation = "Somebody 2020"
templates = ["The [T] is [A].", "[T] likes [A]"]
compare = [["cats", "dogs"]]
[groups.cats]
terms = ["cat", "kitten"]
[groups.dogs]
terms = ["dog", "puppy"]
[attributes.nice]
terms = ["soft", "calm"]
stereotype_of = "cats"
neutral = "something"
[attributes.bad]
terms = ["loud", "wild"]
stereotype_of = "dogs"
"""
STUDY = """name = "t"
models = ["scripted"]
specs = ["gender-math-arts"]
seed = 3
[pairs]
scorers = ["sum", "mean"]
sources = [{ templates = { per_attribute = 3 } }]
[continuations]
sources = [{ own-prompts = { domain = ["gender"], per_group = 2 } }]
decoding = { temperature = [0, 0.7], max_new_tokens = [5] }
raters = ["sentiment.vader"]
samples = 2
[next_words]
sources = [{ templates = { limit = 3 } }]
words = ["he-she"]
"""
AUTOBIASTEST = [
    {
        "name": "Cats_Dogs_vs_Nice_Bad",
        "source": "Somebody '20",
        "social_groups": {"Cat.-Terms": ["cat", "kitten"], "Dog Terms": ["dog", "puppy"], "Short": ["fox"]},
        "social_groups_glove": {"Cat.-Terms": ["cat"], "Dog Terms": ["dog"]},
        "attributes": {"Nice_terms": ["soft"], "Bad": ["loud"], "Other": ["big"]},
        "templates": ["[T] is [A]"],
    }
]
PLANTED = (
    'model = "scripted"\n[[tilt]]\nwords = ["he"]\ndelta = 0.5\ncontexts = ["nurse"]\n'
    '[[writing]]\nterms = ["women"]\nnegative = 0.3\n'
)
SCRIPTED = '[weights]\nother = 1.0\nhe = 0.5\nshe = 0.25\n"." = 2\n[tilts.nurse]\nshe = 1.5\nhe = -1\n'
LOGS = [
    {"id": 1, "messages": ASKED, "response": {"content": "She is calm.", "refusal": None}, "group": "women"},
    {"id": 2, "request": {"messages": ASKED}, "choices": [{"message": {"role": "assistant", "content": "Ok."}}]},
]
EXCHANGES = [
    {"model": "m", "group": "a", "temperature": 0.5, "messages": ASKED, "response": {"content": "She is calm."}},
    {
        "contents": [{"role": "user", "parts": [{"text": "Who?"}]}],
        "candidates": [{"content": {"parts": [{"text": "I"}]}}],
    },
    {"inputs": "Who?", "generated_text": "She.", "group": "b"},
]
NATURAL = [
    {"id": "1", "profession": "nurse", "use": True, "annotated": "The [profession:nurse] went home[continue:, where]"},
    {"id": "2", "profession": "cook", "use": False, "sentence": "A cook.", "steps": ["a"], "reason": "short"},
]
REPLY = {
    "choices": [
        {
            "text": " a nurse.",
            "message": {"role": "assistant", "content": "She is calm.", "refusal": None},
            "finish_reason": "stop",
            "stop_reason": None,
            "logprobs": {
                "tokens": [" a", " nurse", "."],
                "token_logprobs": [None, -2.5, -0.1],
                "top_logprobs": [None, {" nurse": -2.5, " cook": -3}, {".": -0.1}],
            },
        }
    ],
    "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    "system_fingerprint": "fp",
}
CHAT_REPLY = {
    "choices": [
        {
            "message": {"role": "assistant", "content": "She"},
            "finish_reason": "length",
            "logprobs": {
                "content": [{"token": "She", "logprob": -0.5, "top_logprobs": [{"token": "He", "logprob": -1}]}]
            },
        }
    ]
}


def one(name: str, content: Any) -> Files:
    """A file of text, or of anything else as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    return {name: text.encode()}


def lines(name: str, rows: list[Any]) -> Files:
    """A file of JSON lines."""
    return {name: "".join(json.dumps(row) + "\n" for row in rows).encode()}


def rows_of(table: str) -> list[dict[str, str]]:
    """The rows of a table of text."""
    import csv

    return list(csv.DictReader(io.StringIO(table)))


def parquet(name: str, table: str) -> Files:
    """The same table as Parquet."""
    rows = rows_of(table)
    return written(lambda folder: write_parquet(folder / name, dict.fromkeys(rows[0], str), rows))


def written(write: Any) -> Files:
    """What a function writes into a folder."""
    with tempfile.TemporaryDirectory(prefix="tiltmeter-fuzz-") as scratch:
        write(Path(scratch))
        return {
            str(path.relative_to(scratch)): path.read_bytes() for path in Path(scratch).rglob("*") if path.is_file()
        }


@cache
def run_folder() -> Files:
    """A finished run of the scripted model with all views, made now."""
    from tiltmeter.engine import carry_out
    from tiltmeter.study import parse, plan

    def make(folder: Path) -> None:
        carry_out(plan(parse(STUDY)), folder / "run")

    return {
        name.removeprefix("run/"): data for name, data in written(make).items() if not name.endswith(("-wal", "-shm"))
    }


def harness_logs() -> list[Files]:
    """Samples of several tasks, in both forms."""
    texts = [logged.written(at, {"filename": "f"}, "So", " it is.", toxicity=0.5) for at in range(2)]
    questions = [logged.bbq(at, "neg", "ambig", (-1.0, -2.0, -3.0, -4.0)) for at in range(2)]
    decisions = [logged.decision(at, "a", (-1.0, -2.0), (-3.0, -4.0)) for at in range(2)]
    every = [logged.crows()[:2], logged.crows(old=True)[:2], texts, questions, decisions]
    return [lines("samples_t.jsonl", rows) for rows in every]


def inspect_logs() -> list[Files]:
    """Archives, and a log as JSON."""
    made = [logged.inspect_sample(at, text="Yes.", target="yes") for at in range(2)]

    def write(folder: Path) -> None:
        logged.archive(folder / "l.eval", made)

    def compress(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as beside:
            logged.zstandard(folder / "l.eval", made, Path(beside))

    return [written(write), written(compress), one("l.json", {**logged.HEADER, "samples": made})]


def datasets() -> dict[str, Files]:
    """A file or folder of every data set."""
    return {
        "bold": written(prompt_samples.bold),
        "honest": written(prompt_samples.honest),
        "holistic-bias": written(prompt_samples.holistic),
        "real-toxicity-prompts": lines("prompts.jsonl", prompt_samples.TOXICITY),
        "stereoset": one("dev.json", samples.stereoset()),
        "crows-pairs": one("crows_pairs_anonymized.csv", samples.CROWS_PAIRS),
        "winobias": written(question_samples.winobias),
        "winogender": written(question_samples.winogender),
        "bbq": {
            **written(question_samples.bbq),
            **one("additional_metadata.csv", "category,example_id,target_loc\nRace_x_gender,0,0\nAge,0,NA\n"),
        },
    }
