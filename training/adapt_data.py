"""The texts that the adapted raters are trained on: public data, and lines of our own with slots for groups."""

from __future__ import annotations

import csv
import hashlib
import random
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from heads import sentences
from regard_data import MANY, ONE, named, swapped, training_rows

from tiltmeter.raters.masking import MASK
from tiltmeter.raters.regard_labels import LABELS, without_article

HERE = Path(__file__).parent
_SLOT = re.compile(r"\{(groups|person|adj|slurs?|others?)\}")
_PEOPLE = re.compile(r"\{(groups|person)\}")
_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_HARMLESS, _OFFENSIVE, _HATEFUL = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_NONE = (0.0, 0.0, 0.0)
_NO = (False, False, False)
_CONTRAST = {"hateful": 0.4, "harmless": 0.2}
"""How often a line is drawn with cyclists or bankers in place of a group: hate of a group is none of these."""
_DRAWN = {"critics": 0.4, "trades": 0.4, "snippets": 0.4, "everyday": 0.4, "reviewers": 1.0}
"""How often a sentence is drawn that was written to be hard: drawn often, they teach to distrust plain words."""
_VARIANTS = 2
"""How often a line of ours with a slot or alternatives is drawn in an epoch; with a slot, for two groups each time."""
SPACES = re.compile(r"\s+")
SINCE = ("address", "disavowed", "pages", "plain", "stories", "warm")
"""Files of lines that were written after version 1 of toxicity was trained."""
PARTS = 5
"""Into how many parts training texts are dealt, to compare settings."""
_NAMED = (
    (
        "lgbtq bisexual",
        r"lgbt|\bbi\b|\bpan\b|\w*sexual|gay|lesb|queer|trans\b|transg|trann|non-?binary|fag|dyke|homo|drag",
    ),
    (
        "mexican latino immigrant",
        r"mexic|latin|hispanic|chican|wetback|beaner|spics?\b|\w*migra|refugee|asylum|undocumented|illegals|foreigner"
        r"|cuban|guatemal|salvador|hondur|colombia|venezuel|brazil|peru|puerto|dominican",
    ),
    (
        "asian chinese",
        r"\w*asian|asia\b|chin(a|ese|k)|orient|gook|japan|jap\b|korea|vietnam|filipin|thai|taiwan|mongol|cambod|malay"
        r"|indones|tibet|uyghur|hmong",
    ),
    (
        "middle_east native_american",
        r"middle.east|arab|muslim|islam|mosque|hijab|bur[kq]a|\w*head\b|iran|iraq|syri|afghan|turk|kurd|persia|egypt|saudi"
        r"|palestin|leban|moroc|alger|yemen|jordan|native|indigen|indian|trib(e|al)|redskin|squaw|aborig|inuit|cherokee",
    ),
    (
        "black physical_disability",
        r"black|african?|afro|negro|nig+\w*|coon|somali|kenya|ghan|ethiop|congo|zulu|haiti|jamaica|disab|wheel|crip|amput"
        r"|blind|deaf|handicap|paraly|spas|spaz|limb|\w*legged|dwarf|stutter|palsy",
    ),
)
"""ToxiGen's groups in parts, and how words begin that name them or their like."""


@dataclass(frozen=True)
class Row:
    """A text, or a line that makes many; `target` are the shares of the labels, `allowed` those left open."""

    source: str
    line: int
    """Texts of one line are trained on or held out together; of ToxiGen, those about one group."""
    pattern: str
    target: tuple[float, ...]
    allowed: tuple[bool, ...] = _NO
    own: bool = False
    share: float = 1.0
    """How often it is drawn in an epoch."""
    misspelt: float = 0.0
    """How often it is drawn with its spelling changed."""

    def text(self, chance: random.Random) -> str:
        """The text, with groups and alternatives drawn."""
        text = filled(chosen(self.pattern, chance), chance) if self.own else self.pattern
        return misspelt(text, chance) if chance.random() < self.misspelt else text

    def texts(self, chance: random.Random) -> list[str]:
        """The text, and where it names a group, its copy with another one."""
        if not (self.own and _SLOT.search(self.pattern)):
            return [self.text(chance)]
        line = chosen(self.pattern, chance)
        return [filled(line, chance) for _ in range(2)]

    @property
    def held_out(self) -> bool:
        """Whether it is never trained on: a seventh of the public messages, a tenth of our own lines."""
        return part(self.pattern, 10 if self.own else 7) == 0

    def times(self, chance: random.Random) -> int:
        """How often it is drawn in this epoch."""
        many = self.share * (_VARIANTS if self.own and (_SLOT.search(self.pattern) or "[" in self.pattern) else 1)
        return int(many) + (chance.random() < many % 1)


@cache
def groups() -> list[dict[str, str]]:
    """The groups that training names."""
    with (HERE / "toxicity" / "groups.tsv").open(encoding="utf-8") as stream:
        return [row for row in csv.DictReader(stream, delimiter="\t") if row["part"] == "train"]


@cache
def _list(name: str) -> list[list[str]]:
    lines = (HERE / "toxicity" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


def chosen(pattern: str, chance: random.Random) -> str:
    """A line with one of each of its alternatives.

    >>> chosen("You [are|were] late.", random.Random(1))
    'You are late.'
    """
    return _CHOICE.sub(lambda found: chance.choice(found[1].split("|")), pattern)


def filled(line: str, chance: random.Random) -> str:
    """A line with one group in all its slots."""
    slur, other = chance.choice(_list("slurs")), chance.choice(_list("others"))
    known = chance.choice(groups()) | {"slur": slur[0], "slurs": slur[1], "others": other[0], "other": other[1]}
    text = _SLOT.sub(lambda found: known[found[1]], line)
    return text[:1].upper() + text[1:] if _SLOT.match(line) else text


_LEET = str.maketrans("aeiost", "431057")


def misspelt(text: str, chance: random.Random) -> str:
    """The text as people spell to get past a filter, or carelessly; in one way throughout."""
    words = text.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 3]
    way = chance.choice(("swap", "drop", "star", "leet", "join", "spread"))
    for place in chance.sample(long, min(len(long), chance.randint(1, 3))):
        word, at = words[place], chance.randint(1, len(words[place]) - 2)
        words[place] = {
            "swap": word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
            "drop": word[:at] + word[at + 1 :],
            "star": word[:at] + "*" + word[at + 1 :],
            "leet": word.translate(_LEET),
            "join": word,
            "spread": " ".join(word),
        }[way]
    if way == "join":
        start = chance.randrange(len(words))
        stop = start + chance.randint(2, max(2, len(words)))
        words[start:stop] = ["".join(words[start:stop])]
    return " ".join(words)


def part(text: str, parts: int = 7) -> int:
    """Which part of all texts a text is in, by a hash."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % parts


def _own(folder: str, columns: int) -> list[tuple[str, int, list[str]]]:
    found = []
    for file in sorted((HERE / folder).glob("*.tsv")):
        if file.stem in ("groups", "slurs", "others"):
            continue
        lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        found += [(file.stem, number, line) for number, line in enumerate(lines) if len(line) == columns]
    return found


def naming(part: int) -> re.Pattern[str]:
    """What finds a name of a group whose statements in ToxiGen are in a part.

    >>> [bool(naming(1).search(text)) for text in ("Immigrants sang.", "My neighbours sang.")]
    [True, False]
    """
    return re.compile(rf"\b({_NAMED[part][1]})", re.IGNORECASE)


def toxicity_rows(data: Path) -> list[Row]:
    """Messages with the shares of their annotators, statements about groups, and our own lines."""
    rows: list[Row] = []
    with (data / "davidson" / "labeled_part.csv").open(encoding="utf-8") as stream:
        for number, each in enumerate(csv.DictReader(stream)):
            counts = [float(each[key]) for key in ("neither", "offensive_language", "hate_speech")]
            target = tuple(count / sum(counts) for count in counts)
            share = {"0": 2.0, "1": 0.35, "2": 1.0}[each["class"]]
            rows.append(Row("davidson", number, tweet(each["tweet"]), target, share=share, misspelt=0.03))
    with (data / "toxigen" / "statements.csv").open(encoding="utf-8") as stream:
        for each in csv.DictReader(stream):
            target = _HATEFUL if each["label"] == "hate" else _HARMLESS
            rows.append(
                Row(
                    "toxigen",
                    next((at for at, (names, _) in enumerate(_NAMED) if each["group"] in names.split()), 0),
                    SPACES.sub(" ", each["text"]).strip(),
                    target,
                    share=4.0,
                    misspelt=0.1,
                )
            )
    for source, number, (_, toxic, hateful, text) in _own("toxicity", 4):
        if hateful == "-":
            continue
        target, allowed = {"1": _OFFENSIVE, "0": _HARMLESS, "-": _NONE}[toxic], (toxic == "-", toxic == "-", False)
        if hateful == "1":
            target, allowed = _HATEFUL, _NO
        row = Row(source, number, text, target, allowed, own=True, misspelt=0.15)
        rows.append(row)
        if _PEOPLE.search(text) and {found[1] for found in _SLOT.finditer(text)} <= {"groups", "person"}:
            other = _PEOPLE.sub(lambda found: {"groups": "{others}", "person": "{other}"}[found[1]], text)
            often = _CONTRAST["hateful" if hateful == "1" else "harmless"]
            # Whether it is rude of bankers what is hateful of a group is left open.
            left = (_NONE, (True, True, False)) if hateful == "1" else (target, allowed)
            rows.append(Row(source, number, other, *left, own=True, share=often))
    return rows


def tweet(text: str) -> str:
    """A message without what marks it as one: names, links, marks of quoting."""
    text = re.sub(r"&#\d+;|https?://\S+|\bRT\b", " ", text)
    text = text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return SPACES.sub(" ", re.sub(r"^[!\"\s:]+|@\w+:?", " ", text)).strip()


def sentiment_rows(data: Path) -> list[Row]:
    """Messages, editorials and reviews of goods, and our own sentences; snippets on films are never trained on."""
    rows = []
    for name in ("tweets", "nytEditorialSnippets", "amazonReviewSnippets"):
        [file] = data.rglob(f"{name}_GroundTruth.txt")
        for number, line in enumerate(file.read_text(encoding="latin-1").splitlines()):
            _, score, text = line.split("\t", 2)
            rows.append(Row(name, number, SPACES.sub(" ", text).strip(), _tone(float(score))))
    first = [row for row in sentences("sentiment") if row.part != "test"]
    own = [("own", number, row.label, row.text) for number, row in enumerate(first)]
    own += [(source, number, line[0], line[2]) for source, number, line in _own("sentiment", 3)]
    named = {"negative": _HARMLESS, "neutral": _OFFENSIVE, "positive": _HATEFUL}
    return rows + [
        Row(source, number, text, named[label], own=True, share=_DRAWN.get(source, 1.5))
        for source, number, label, text in own
    ]


def _tone(score: float) -> tuple[float, float, float]:
    """Shares of negative, neutral and positive for a mean rating from −4 to 4: soft between the labels."""
    negative, positive = (min(1.0, max(0.0, (one - 0.2) / 0.8)) for one in (-score, score))
    return negative, 1.0 - negative - positive, positive


@cache
def _names() -> tuple[list[str], list[str]]:
    """One of each group that a copy may be about, and many."""
    one = [f"the {group['person'].partition(' ')[2]}" for group in groups()]
    return [*ONE, *one], [*MANY, *(group["groups"] for group in groups())]


class Masked(Row):
    """A text about XYZ; its copy is about the other gender, or names some group."""

    def texts(self, chance: random.Random) -> list[str]:
        """The text, and its copy."""
        text = without_article(self.pattern)
        return [text, chance.choice((swapped(text), named(text, chance, *_names())[0]))]

    @property
    def held_out(self) -> bool:
        """Whether it is never trained on, with all that stems from the same pattern or opener."""
        return self.line % 10 == 0


REGARD = (
    *("regard", "regard_written", "regard_fresh", "regard_unseen", "regard_last", "regard_manner", "regard_new"),
    *("regard_wide", "regard_readers"),
)


def regard_rows(_: Path) -> list[Row]:
    """What `regard.minilm.v2` was trained and tested on, and what was labelled since, each file for a later version."""
    found = [(row.kind, row.label, row.origin, row.text) for row in training_rows()]
    for name in REGARD:
        found += [(name, row.label, row.theme.partition(": ")[2] or row.text, row.text) for row in sentences(name)]
    rows = {}
    for source, label, origin, text in found:
        target = tuple(float(label == one) for one in LABELS)
        rows[text] = Masked(source, part(origin, 1000), text, target, (False,) * len(LABELS))
    return [row for row in rows.values() if MASK in row.pattern]


def taught_rows(shares: Path) -> list[Row]:
    """Texts that nobody labelled: opener, text and, once `teach.py` rated them, the probabilities of the labels."""
    found = []
    for line in shares.read_text(encoding="utf-8").split("\n")[:-1]:
        opener, text, *given = line.split("\t")
        target = tuple(float(one) for one in given)
        text = text.replace("\\n", "\n")
        found.append(Masked("taught", part(opener, 1000), text, target, (False,) * len(LABELS)))
    return found
