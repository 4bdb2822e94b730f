"""What `issues.minilm` is trained on: labelled test sentences, and sound sentences with corruptions of them.

A row is what the audit reads: the sentence with a stand-in for its group term, where term and attribute stand in it,
and for each issue 1, 0, or None where nobody has looked. Rows of one specification belong to one fold.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tiltmeter import specs
from tiltmeter.english import article_for
from tiltmeter.raters.issues.layout import AuditItem, lay_out
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.word_kinds import term_kind

HERE = Path(__file__).resolve().parent
ISSUES = tuple(f"I{number}" for number in range(1, 9))
Span = tuple[int, int]
Labels = tuple[int | None, ...]


@dataclass(frozen=True)
class Row:
    """One sentence to be trained or tested on."""

    text: str
    term: Span
    attribute: Span
    labels: Labels
    source: str
    fold: int


def labelled(path: Path) -> Iterator[tuple[AuditItem, frozenset[str], str]]:
    """The sentences of a file of labels, with their issues and the name of their specification."""
    name, spec = "", Spec("", "", ())
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            name, *parts = (part.strip() for part in line[1:].split("|"))
            lists = [part.split(":", 1) for part in parts if ":" in part]
            groups = tuple(
                Group(head.partition(" ")[2], _terms(body)) for head, body in lists if head.startswith("group")
            )
            attributes = tuple(
                AttributeSet(head.partition(" ")[2], _terms(body)) for head, body in lists if head.startswith("attr")
            )
            spec = specs.load(name) if name in specs.names() else Spec(name, name, groups, attributes)
        elif line.strip():
            term, attribute, issues, text = line.split("\t")
            group = next((one for one in spec.groups if term in one.terms), None)
            item = AuditItem(
                text,
                term,
                attribute,
                kind=term_kind(term, group, spec),
            )
            yield item, frozenset() if issues == "-" else frozenset(issues.split(",")), name


def _terms(listed: str) -> tuple[str, ...]:
    return tuple(term.strip() for term in listed.split(";"))


def row_of(item: AuditItem, issues: frozenset[str], source: str, fold: int) -> Row | None:
    """The row of a labelled sentence; None where a term is missing."""
    layout = lay_out(item)
    if layout is None:
        return None
    labels = tuple(int(issue in issues) for issue in ISSUES)
    return Row(layout.text, layout.term, layout.attribute, labels, source, fold)


def sound_sentences() -> list[str]:
    """Sentences of our own writing that were written for other purposes: all of them whole and in good English."""
    package = HERE.parent / "src" / "tiltmeter" / "sources"
    found = []
    for line in (package / "generated" / "shots.jsonl").read_text(encoding="utf-8").splitlines():
        found.append(json.loads(line)["sentence"])
    for name in ("regard", "sentiment"):
        for line in (HERE / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            text = line.split("\t")[2].replace("\\n", " ").replace("XYZ", "Alex")
            if re.fullmatch(r"[A-Z].*[.!?]", text):
                found.append(text)
    return list(dict.fromkeys(found))


def of_sound(texts: Sequence[str]) -> list[Row]:
    """Rows of sound sentences, with two of their words taken for term and attribute: only I7 and I8 are known."""
    rows = []
    for text in texts:
        chance = random.Random(text)
        words = [match.span() for match in re.finditer(r"[A-Za-z]{4,}", text)]
        if len(words) >= 2:
            first, second = sorted(chance.sample(words, 2))
            rows.append(Row(text, first, second, (None,) * 6 + (0, 0), "sound", fold_of(text)))
    return rows


def corrupted(row: Row, chance: random.Random, words: Sequence[str]) -> Row | None:
    """The row with one thing made wrong; what is known of its other issues is forgotten."""
    kind = chance.choices(list(CORRUPTIONS), [weight for weight, _ in CORRUPTIONS.values()])[0]
    edits = CORRUPTIONS[kind][1](row, chance, words)
    if edits is None:
        return None
    text, origins = _edited(row.text, edits)
    moved = [_followed(row.text, span, text, origins) for span in (row.term, row.attribute)]
    if text == row.text or None in moved:
        return None
    incomplete = kind in {"cut off", "headless"}
    known = (None,) * 6 + ((None, 1) if incomplete else (1, None))
    return Row(text, *moved, known, f"corrupted: {kind}", row.fold)


Edits = list[tuple[int, int, str]]


def _edited(text: str, edits: Edits) -> tuple[str, list[int | None]]:
    """The text after some edits, and for each of its letters where it came from."""
    letters: list[tuple[str, int | None]] = []
    at = 0
    for begin, end, new in sorted(edits):
        letters += [(text[place], place) for place in range(at, begin)]
        same = 0
        while same < min(len(new), end - begin) and new[-1 - same].lower() == text[end - 1 - same].lower():
            same += 1
        letters += [(sign, None) for sign in new[: len(new) - same]]
        letters += [(new[len(new) - same + one], end - same + one) for one in range(same)]
        at = end
    letters += [(text[place], place) for place in range(at, len(text))]
    return "".join(sign for sign, _ in letters), [place for _, place in letters]


def _followed(old: str, span: Span, new: str, origins: Sequence[int | None]) -> Span | None:
    """Where a stretch of the old text stands in the new one; None where it is gone."""
    places = [now for now, was in enumerate(origins) if was is not None and span[0] <= was < span[1]]
    if len(places) == span[1] - span[0]:
        return places[0], places[-1] + 1
    again = new.find(old[slice(*span)])
    return (again, again + span[1] - span[0]) if again >= 0 else None


def _tokens(text: str) -> list[Span]:
    return [match.span() for match in re.finditer(r"[\w'’-]+", text)]


def _wrong_article(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    found = list(re.finditer(r"\b([Aa]n?)\s+(?=\w)", row.text))
    if not found:
        return None
    one = chance.choice(found)
    new = {"a": "an", "an": "a"}[one[1].lower()]
    return [(*one.span(1), new.capitalize() if one[1][0].isupper() else new)]


def _no_article(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    found = list(re.finditer(r"\b(?:[Aa]n?|[Tt]he)\s+(?=(\w))", row.text))
    if not found:
        return None
    one = chance.choice(found)
    return [(one.start(), one.end() + 1, one[1].upper() if one[0][0].isupper() else one[1])]


def _extra_article(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    found = list(re.finditer(r"(?<=\s)(?:is|are|was|were|very|at|of|and|his|my|the)\s+(?=\w)", row.text))
    if not found:
        return None
    one = chance.choice(found)
    after = re.match(r"\w+", row.text[one.end() :])
    return [(one.end(), one.end(), f"{article_for(after[0]) or 'a'} ")] if after else None


_AGREE = {
    "is": "are",
    "are": "is",
    "was": "were",
    "were": "was",
    "has": "have",
    "have": "has",
    "does": "do",
    "do": "does",
}


def _agreement(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    found = list(re.finditer(r"\b(?:is|are|was|were|has|have|does|do)\b", row.text))
    plain = list(re.finditer(r"(?<=\w )(\w{3,}[^s\W])s\b(?= (?:a|an|the|to|in|at|with|on|every|that)\b)", row.text))
    if found and (not plain or chance.random() < 0.7):
        one = chance.choice(found)
        return [(*one.span(), _AGREE[one[0]])]
    if plain:
        one = chance.choice(plain)
        return [(one.end() - 1, one.end(), "")]
    return None


_CASE = {
    "he": "him",
    "she": "her",
    "they": "them",
    "him": "he",
    "them": "they",
    "her": "she",
    "I": "me",
    "me": "I",
    "we": "us",
    "us": "we",
    "who": "whose",
}


def _case(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    found = list(re.finditer(r"\b(?:he|she|they|him|them|her|I|me|we|us|who)\b", row.text))
    if not found:
        return None
    one = chance.choice(found)
    return [(*one.span(), _CASE[one[0]])]


def _missing(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    small = list(
        re.finditer(r"(?<=\w) (?:is|are|was|were|to|of|in|at|for|with|that|who|as|by|on|has|had|and) (?=\w)", row.text)
    )
    if small and chance.random() < 0.75:
        one = chance.choice(small)
        return [(*one.span(), " ")]
    tokens = [one for one in _tokens(row.text)[1:-1] if one not in (row.term, row.attribute) and not _in(one, row)]
    if not tokens:
        return None
    start, end = chance.choice(tokens)
    return [(start, end + (row.text[end : end + 1] == " "), "")]


def _doubled(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    if chance.random() < 0.5:
        source = chance.choice([row.term, row.attribute])
        target = chance.choice(list(_tokens(row.text)[1:]) or [source])
        return [(target[1], target[1], f" {row.text[slice(*source)]}")]
    start, end = chance.choice(_tokens(row.text))
    return [(end, end, f" {row.text[start:end].lower()}")]


def _swapped(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    tokens = [one for one in _tokens(row.text)[1:] if not _in(one, row)]
    near = [(a, b) for a, b in itertools.pairwise(tokens) if row.text[a[1] : b[0]] == " "]
    if not near:
        return None
    first, second = chance.choice(near)
    return [(*first, row.text[slice(*second)]), (*second, row.text[slice(*first)])]


def _arguments(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    """The term and the attribute change places."""
    if not (row.term[1] <= row.attribute[0] or row.attribute[1] <= row.term[0]):
        return None
    term, attribute = row.text[slice(*row.term)], row.text[slice(*row.attribute)]
    return [(*row.term, attribute), (*row.attribute, term)]


def _foreign(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    """A word of another sentence in the place of one of this: most often of another class, always beside the point."""
    tokens = [one for one in _tokens(row.text)[1:] if not _in(one, row) and one[1] - one[0] > 2]
    if not tokens:
        return None
    return [(*chance.choice(tokens), chance.choice(words))]


def _moved(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    """The attribute stands in another place than its own."""
    tokens = [one for one in _tokens(row.text) if not _in(one, row)]
    word = row.text[slice(*row.attribute)]
    start, end = row.attribute
    if not tokens:
        return None
    to = chance.choice(tokens)
    cut = (start - (row.text[start - 1 : start] == " "), end)
    return [(*cut, ""), (to[1], to[1], f" {word}")] if to[1] != cut[0] else None


def _cut_off(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    last = max(row.term[1], row.attribute[1])
    ends = [m.start() for m in re.finditer(r"\s", row.text) if m.start() >= last]
    hanging = [
        one
        for one in ends
        if re.search(
            r"\b(?:the|a|an|of|to|and|with|who|that|in|at|for|is|was|very|because|when|but|his|her|their|my)$",
            row.text[:one],
        )
    ]
    if hanging and chance.random() < 0.7:
        return [(chance.choice(hanging), len(row.text), chance.choice(["", "", "."]))]
    if chance.random() < 0.5:
        return [
            (
                len(row.text.rstrip(".!?")),
                len(row.text),
                chance.choice([" and the", " because", " of", " who is a", ", and", " when the", " to"]),
            )
        ]
    return [(chance.choice(ends), len(row.text), "")] if ends else None


def _headless(row: Row, chance: random.Random, words: Sequence[str]) -> Edits | None:
    first = min(row.term[0], row.attribute[0])
    starts = [m.end() for m in re.finditer(r"\s", row.text) if m.end() <= first]
    verb = re.search(r"\s(?:is|are|was|were|has|have|had|will|would|can|could)\s", row.text)
    if verb and chance.random() < 0.5 and not any(_overlap(verb.span(), one) for one in (row.term, row.attribute)):
        return [(verb.start(), verb.end(), chance.choice([" ", ", ", " who "]))]
    return [(0, chance.choice(starts), "")] if starts else None


CORRUPTIONS = {
    "wrong article": (6, _wrong_article),
    "no article": (9, _no_article),
    "extra article": (6, _extra_article),
    "agreement": (10, _agreement),
    "case": (4, _case),
    "missing": (9, _missing),
    "doubled": (8, _doubled),
    "swapped": (6, _swapped),
    "arguments": (6, _arguments),
    "foreign": (8, _foreign),
    "moved": (6, _moved),
    "cut off": (10, _cut_off),
    "headless": (6, _headless),
}


def _in(span: Span, row: Row) -> bool:
    return any(_overlap(span, one) for one in (row.term, row.attribute))


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def fold_of(name: str) -> int:
    """One of five folds."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 5


def rows(copies: int = 3) -> list[Row]:
    """All rows: labelled, sound, and corrupted ones of both."""
    found = []
    for path in sorted((HERE / "issues").glob("*.tsv")):
        for item, issues, name in labelled(path):
            row = row_of(item, issues, path.stem, fold_of(f"{path.stem}/{name}"))
            if row is not None:
                found.append(row)
    sound = of_sound(sound_sentences())
    base = [row for row in found if not any(row.labels[6:])] + sound
    words = sorted({word for row in base for word in re.findall(r"\b[a-z]{3,}\b", row.text)})
    made = []
    for number in range(copies):
        for row in base:
            one = corrupted(row, random.Random(f"{number} {row.text}"), words)
            if one is not None:
                made.append(one)
    return found + sound + made


def main() -> None:
    """Print rows as JSON lines."""
    for row in rows():
        print(json.dumps(asdict(row)))


if __name__ == "__main__":
    main()
