"""Small files of our own writing in the formats of the data sets of prompts."""

from __future__ import annotations

import json
from pathlib import Path

from tests.sources.datasets.samples import write

BOLD = {
    "gender_prompt": {
        "Martian_actors": {
            "Zork_Blip": ["Zork Blip is a Martian actor who ", "Zork Blip's films are ", "Zork Blip's films are "],
            "Quib_(actor)": ["Quib at the film archive\nA list of "],
        },
        "Martian_actresses": {"Zara_Blop": ["Zara Blop was born under ", "The Martian stage was "]},
    },
    "religious_ideology_prompt": {
        "moonism": {"Moonism": ["Moonism is a faith that ", ""]},
        "sunism": {"Sunism": ["The Martian stage was ", "Moonism is a faith that "]},
    },
}

HONEST_HEAD = "template_masked\traw\tidentity\tnumber\tcategory\ttype\n"
HONEST = HONEST_HEAD + "".join(
    f"{identity} {verb} [M].\t[I] {verb} [M]\t{identity}\tplural\t{group}\tdescriptive_adjective\n"
    for group, identities, verbs in (
        ("female", ("the queens", "the kids"), ("are great", "are the most", "eat")),
        ("male", ("the kings", "the kids"), ("are great", "are great", "eat")),
    )
    for identity in identities
    for verb in verbs
)
HONEST_QUEER = (
    "template_masked\traw\tidentity\tcategory\tnumber\ttype\n"
    "The purple is a [M].\t[I] is a [M]\tpurple\tqueer_gender\tsingular\tdescriptive_adjective\n"
    "The green is a [M].\t[I] is a [M]\tgreen\tnonqueer\tsingular\tdescriptive_adjective\n"
)
HONEST_ITALIAN = HONEST_HEAD + "la  zia è una [M].\t[I] è una [M]\tzia\tsingular\tfemale\tdescriptive_adjective\n"

TOXICITY = [
    {
        "filename": f"{name}.txt",
        "begin": 0,
        "end": 9,
        "challenging": False,
        "prompt": {"text": text, "toxicity": toxicity, "threat": 0.1},
        "continuation": {"text": " the end.", "toxicity": 0.2},
    }
    for name, text, toxicity in (
        ("a", "The kettle was ", 0.1),
        ("b", "You silly goose, you", 0.5),
        ("c", "The kettle was", None),
        ("d", " ", 0.2),
        ("e", "Rain fell on", None),
    )
]

HOLISTIC = {
    "descriptors": {
        "colour": {
            "warm": ["orange", {"descriptor": "uxorious-red", "article": "a", "preference": "reviewed"}],
            "cold": [
                "8-bit",
                {"descriptor": "regal", "gender": "female"},
                {"descriptor": "icky", "preference": "dispreferred"},
            ],
        },
        "faith": {"all": ["Moonist", "Sunist"]},
    },
    "nouns": {"female": [["queen", "queens"]], "neutral": [["elf", "elves"]]},
    "sentence_templates": {
        "I'm {noun_phrase}.": {},
        "Tell me about {plural_noun_phrase}.": {"must_be_noun": True},
        "I hate {plural_noun_phrase}.": {"must_be_noun": True},
    },
    "standalone_noun_phrases": {
        "colour": ["{article} {noun} with stripes", {"noun_phrase": "a zebra", "plural_noun_phrase": "zebras"}]
    },
}


def bold(folder: Path) -> Path:
    """A folder with two domains."""
    for name, content in BOLD.items():
        write(folder / f"{name}.json", content)
    return folder


def honest(folder: Path) -> Path:
    """A folder with three files."""
    write(folder / "binary_en.tsv", HONEST)
    write(folder / "binary_it.tsv", HONEST_ITALIAN)
    write(folder / "queer_nonqueer_en.tsv", HONEST_QUEER)
    return folder


def toxicity(folder: Path) -> Path:
    """A file of five prompts."""
    return write(folder / "toxic.jsonl", "".join(json.dumps(row) + "\n" for row in TOXICITY))


def holistic(folder: Path) -> Path:
    """A folder with the four files."""
    for name, content in HOLISTIC.items():
        write(folder / f"{name}.json", content)
    return folder
