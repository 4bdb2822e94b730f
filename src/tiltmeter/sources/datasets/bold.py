"""BOLD: beginnings of sentences from Wikipedia, in five domains.

A file is one domain: categories, which are the groups, each with its articles, each with its prompts. Every prompt
ends in a space, which is taken off, since a model would see a lone space token; some are blank, and some are a heading
or an entry of a bibliography with a line break in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped, Nature, Prompt, Span
from tiltmeter.sources.datasets.json_files import read_json
from tiltmeter.sources.datasets.paths import files_of_kind, locate
from tiltmeter.sources.generated.matching import find
from tiltmeter.sources.prompt_options import Repeats, check_choice, draw, selected_names, without_repeats

NATURE: Nature = "natural"

Domain = Literal["gender", "race", "profession", "religion", "politics"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)
LineBreaks = Literal["drop", "keep"]

_SOURCE = "bold.v1"
_NAMES = (("gender", "gender"), ("race", "race"), ("profession", "profession"), ("religi", "religion"))
_FILE = re.compile(r"(gender|race|profession|religi\w*?|politic\w*?)_prompts?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BoldPrompt:
    """One prompt as the file has it; `number` counts the prompts of its article from 0."""

    domain: str
    group: str
    article: str
    number: int
    text: str

    @property
    def blank(self) -> bool:
        """Whether there is nothing to continue."""
        return not self.text.strip()


def recognise(path: Path) -> bool:
    """Whether a file is one of BOLD's, judged by its name: the authors' are like `gender_prompt.json`."""
    return path.is_file() and path.suffix == ".json" and _FILE.fullmatch(path.stem) is not None


def files_of(path: str | Path) -> list[Path]:
    """The files of BOLD that a path stands for."""
    place, _ = locate("bold", path)
    found = files_of_kind(place, ".json", recognise)
    if not found:
        raise InvalidData("has no BOLD file, such as gender_prompt.json", file=place)
    return found


def read(path: str | Path) -> list[BoldPrompt]:
    """All prompts of a file or folder, blanks included; refused as a whole where a file has another form."""
    rows: list[BoldPrompt] = []
    for file in files_of(path):
        domain = _domain(file)
        for group, articles in _objects(read_json(file), file, "categories"):
            for article, texts in _objects(articles, file, f"articles under `{group}`"):
                if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                    raise InvalidData(f"`{article}` under `{group}` has no list of prompts", file=file)
                rows += (BoldPrompt(domain, group, article, number, text) for number, text in enumerate(texts))
    return rows


def prompts(
    path: str | Path,
    *,
    domain: str | Sequence[str] | None = None,
    repeats: Repeats = "once-per-group",
    line_breaks: LineBreaks = "drop",
    per_group: int | None = None,
    seed: int = 0,
) -> tuple[list[Prompt], list[Dropped]]:
    """The prompts of one, several or all domains; the group is the category, the origin the article.

    `repeats` says what becomes of a text that stands more than once, `line_breaks` of one that is more than a line.
    """
    check_choice(line_breaks, get_args(LineBreaks), "line_breaks")
    _, part = locate("bold", path)
    rows = read(path)
    wanted = selected_names(domain or part, DOMAINS, "domain")
    made: list[Prompt] = []
    dropped: list[Dropped] = []
    for row in rows:
        if row.domain in wanted:
            reason = _unusable(row, line_breaks)
            if reason:
                dropped.append(Dropped(f"bold/{row.domain}", row.article, row.text, reason))
            else:
                made.append(_prompt(row))
    kept, repeated = without_repeats(made, repeats)
    return draw(kept, per_group, seed), dropped + repeated


def check(path: str | Path) -> dict[str, Any]:
    """What the files hold, and what in them may surprise."""
    rows = read(path)
    domains = list(dict.fromkeys(row.domain for row in rows))

    def by_domain(chosen: Sequence[BoldPrompt]) -> dict[str, int]:
        counted = Counter(row.domain for row in chosen)
        return {domain: counted[domain] for domain in domains}

    texts = Counter((row.domain, row.text.strip()) for row in rows)
    places = {(row.domain, row.group, row.text.strip()) for row in rows}
    shared = Counter((domain, text) for domain, _, text in places)
    return {
        "data_set": "bold",
        "prompts": len(rows),
        "by_domain": by_domain(rows),
        "by_group": {
            domain: dict(Counter(row.group for row in rows if row.domain == domain).most_common()) for domain in domains
        },
        "articles": len({(row.domain, row.article) for row in rows}),
        "blank": sum(row.blank for row in rows),
        "blank_by_domain": by_domain([row for row in rows if row.blank]),
        "ending_in_a_space": sum(row.text != row.text.rstrip() for row in rows),
        "duplicates": len(rows) - len(texts),
        "duplicates_by_domain": {
            domain: sum(count - 1 for (owner, _), count in texts.items() if owner == domain) for domain in domains
        },
        "duplicates_within_a_group": len(rows) - len(places),
        "texts_in_several_groups": sum(count > 1 for count in shared.values()),
        "with_line_breaks": sum("\n" in row.text for row in rows),
        "with_double_spaces": sum("  " in row.text.strip() for row in rows),
        **_full_sentences(locate("bold", path)[0], rows),
    }


_OF_PERSONS = ("gender", "race")
"""Domains whose articles are about persons; those of the others are about faiths, ideas and trades."""
_BELIEVERS = {
    "judaism": "Jewish person",
    "christianity": "Christian person",
    "islam": "Muslim person",
    "hinduism": "Hindu person",
    "buddhism": "Buddhist person",
    "sikhism": "Sikh person",
    "atheism": "atheist person",
}


def _domain(file: Path) -> str:
    name = file.stem.lower()
    if name.endswith("wiki"):
        raise InvalidData(
            "these are the full sentences, not the prompts; give the file that ends in _prompt", file=file
        )
    found = next((domain for part, domain in (*_NAMES, ("politic", "politics")) if part in name), None)
    if found is None:
        raise InvalidData("the file name gives no domain of BOLD; call it e.g. gender_prompt.json", file=file)
    return found


def _objects(value: Any, file: Path, noun: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict) or not value:
        raise InvalidData(f"not a BOLD file: an object with {noun} is needed", file=file)
    if not all(name.strip() for name in value):
        raise InvalidData(f"one of the {noun} has no name", file=file)
    return list(value.items())


def _unusable(row: BoldPrompt, line_breaks: LineBreaks) -> str | None:
    if row.blank:
        return "the prompt is blank"
    if line_breaks == "drop" and "\n" in row.text.strip():
        return "the prompt has a line break: a heading, a list or a bibliography"
    return None


def _prompt(row: BoldPrompt) -> Prompt:
    text = row.text.strip()
    # "John_Smith_(actor)" is written about as John Smith.
    term = _without_aside(row.article.replace("_", " "))
    return Prompt(
        id=f"bold/{row.domain}/{row.group}/{row.article}/{row.number}",
        source=_SOURCE,
        bias=f"bold/{row.domain}",
        origin=row.article,
        text=text,
        group=row.group,
        term=term,
        group_spans=_named(text, term, person=row.domain in _OF_PERSONS),
        person=None if row.domain in _OF_PERSONS else _BELIEVERS.get(row.group, ""),
    )


def _without_aside(name: str) -> str:
    """A name without the brackets that it ends in.

    >>> _without_aside("John Smith (actor)"), _without_aside("a) b"), _without_aside("(x)")
    ('John Smith', 'a) b', '')
    """
    begin = name.find("(", name.rfind(")", 0, -1) + 1) if name.endswith(")") else -1
    return (name if begin < 0 else name[:begin]).strip()


def _named(text: str, term: str, *, person: bool) -> tuple[Span, ...]:
    """Where the article's name stands: a person's as written, any other ("Metalsmith") also small and in the plural."""
    if not term:
        return ()
    return tuple(find(text, term) if person else find(text, term[:1].lower() + term[1:], plural=True))


def _full_sentences(place: Path, rows: list[BoldPrompt]) -> dict[str, Any]:
    """How many prompts a file of full sentences beside them continues, where there is one."""
    wiki = place / "profession_wiki.json"
    if not wiki.is_file():
        return {}
    sentences = {
        (group, article, number): text
        for group, articles in _objects(read_json(wiki), wiki, "categories")
        for article, texts in _objects(articles, wiki, f"articles under `{group}`")
        for number, text in enumerate(texts)
    }
    ours = {(row.group, row.article, row.number): row.text for row in rows if row.domain == "profession"}
    return {
        "full_sentences": len(sentences),
        "full_sentences_with_a_prompt": len(sentences.keys() & ours.keys()),
        "full_sentences_that_do_not_start_with_their_prompt": sum(
            not str(sentences[key]).startswith(text.strip()) for key, text in ours.items() if key in sentences
        ),
    }
