"""Every reader of something that comes from outside: its name, good files, and the call that reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fuzz import seeds
from tests.fuzz.seeds import Files, lines, one, parquet, rows_of

Read = Callable[[Path], Any]


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: each of its seeds is a folder of files, and `read` gets the file that was spoilt, or its folder."""

    name: str
    seeds: Callable[[], Iterable[Files]]
    read: Read
    folder: bool = False
    refusals: tuple[type[Exception], ...] = ()
    """What it raises for bad input beside the errors of tiltmeter."""


def readers() -> list[Reader]:
    """All of them."""
    return [*_specs(), *_tables(), *_texts(), *_datasets(), *_models(), *_runs()]


def _forms(name: str, table: str) -> Callable[[], list[Files]]:
    """A table as CSV, JSON lines, JSON and Parquet, under names that say so and names that do not."""

    def made() -> list[Files]:
        rows = rows_of(table)
        return [
            *(one(f"{name}.csv", table), one(f"{name}.csv", table), one(f"{name}.tsv", table.replace(",", "\t"))),
            *(lines(f"{name}.jsonl", rows), lines(f"{name}.txt", rows), one(f"{name}.json", rows)),
            parquet(f"{name}.parquet", table),
        ]

    return made


def _specs() -> list[Reader]:
    from tiltmeter import specs, toml
    from tiltmeter.errors import InvalidData
    from tiltmeter.sources import word_sets
    from tiltmeter.specs.autobiastest import import_autobiastest
    from tiltmeter.study import plan, read

    def planned(path: Path) -> None:
        made = plan(read(path))
        assert made.pairs is not None

    return [
        Reader("spec", lambda: [one("s.toml", seeds.SPEC)], lambda path: specs.to_toml(specs.load(path))),
        Reader("study", lambda: [one("s.toml", seeds.STUDY)], read),
        Reader("plan of a study", lambda: [one("s.toml", seeds.STUDY)], planned),
        Reader(
            "AutoBiasTest specs",
            lambda: [one("s.json", seeds.AUTOBIASTEST)],
            lambda path: import_autobiastest(path, skip_invalid=True, variant=None),
        ),
        Reader(
            "words of groups",
            lambda: [one("w.csv", "group,word\na,he\nb,she\n"), one("w.toml", 'a = ["he"]\nb = ["she", "her"]\n')],
            word_sets.read,
        ),
        Reader(
            "TOML",
            lambda: [one("s.toml", seeds.SPEC)],
            lambda path: toml.parse(path.read_text(encoding="utf-8", errors="replace"), InvalidData, path),
        ),
    ]


def _tables() -> list[Reader]:
    from tiltmeter import raters
    from tiltmeter.records import Group, Spec
    from tiltmeter.results import summarise_file
    from tiltmeter.results.files.blocks import BlockLayout, read_blocks
    from tiltmeter.results.files.logs import read_log
    from tiltmeter.results.files.next_words import summarise_next_word_file
    from tiltmeter.results.files.rated import summarise_rated_file
    from tiltmeter.results.files.rated_texts import RatedColumns
    from tiltmeter.results.files.ratings import rate_file
    from tiltmeter.results.summary.labels import read_labels
    from tiltmeter.results.summary.people_ratings import read_ratings
    from tiltmeter.sources import counterfactual, decisions, open_prompts_file, pairs_file, prompts_file
    from tiltmeter.sources.labour_files import match, read_labour
    from tiltmeter.sources.tables import read_table, stream_table

    kin = Spec("kin", "Kin", tuple(Group(name, (f"my {name}",), kind="phrase") for name in ("aunt", "uncle")))

    def logged(path: Path) -> None:
        read_log(path, raters=())

    def rated(path: Path) -> None:
        rate_file(path, path.with_name("out.csv"), [raters.load("sentiment.vader.v1")])

    return [
        Reader("table", _forms("t", seeds.PROMPTS), lambda path: (read_table(path), list(stream_table(path)))),
        Reader("rate", _forms("t", seeds.RATED), rated),
        Reader(
            "column of ratings",
            lambda: [one("r.csv", "text,stars\nShe is kind.,5\nHe is kind.,4.5\n'=He,\n")],
            lambda path: raters.load(f"column:{path}:stars[range=1..5;worse=low]").rate(["She is kind."]),
        ),
        Reader("pairs", _forms("p", seeds.PAIRS), lambda path: (pairs_file.pairs(path), pairs_file.read(path))),
        Reader("sentences", _forms("s", seeds.SENTENCES), _sentences),
        Reader("scored pairs", _forms("s", seeds.SCORED), lambda path: summarise_file(path).as_json()),
        Reader(
            "rated texts",
            _forms("r", seeds.RATED),
            lambda path: summarise_rated_file(path, RatedColumns("toxicity")).as_json(),
        ),
        Reader("next words", _forms("w", seeds.WORDS), summarise_next_word_file),
        Reader(
            "blocks",
            lambda: [one("b.txt", "1\ta\n0\tb\n-1\tc\n2\td\n")],
            lambda path: read_blocks([path], BlockLayout(("a", "b"), 2)),
        ),
        Reader("annotation sheet", _forms("ann", seeds.SHEET), lambda path: read_labels([path])),
        Reader(
            "ratings by people",
            _forms("r", "id,text,kind,value,annotator\n1,a,regard,0.5,ann\n2,b,regard,-1,bob\n"),
            lambda path: read_ratings([path]),
        ),
        Reader(
            "prompts", _forms("p", seeds.PROMPTS), lambda path: (prompts_file.prompts(path), prompts_file.check(path))
        ),
        Reader("open prompts", _forms("p", seeds.OPEN), open_prompts_file.prompts),
        Reader("decisions", _forms("d", seeds.DECISIONS), lambda path: decisions.questions(kin, templates=str(path))),
        Reader(
            "counterfactual prompts",
            _forms("c", "template,origin\n[T] was late,a\n[T] had lost,b\n"),
            lambda path: counterfactual.prompts(kin, templates=str(path)),
        ),
        Reader(
            "labour statistics",
            _forms("l", seeds.LABOUR),
            lambda path: match(["nurse", "cook"], read_labour(path), by_head=True),
        ),
        Reader("chat logs", lambda: [lines("l.jsonl", seeds.LOGS), one("l.json", seeds.LOGS)], rated),
        Reader("samples of the harness", seeds.harness_logs, logged),
        Reader("logs of Inspect", seeds.inspect_logs, logged),
        Reader("exchanges", lambda: [lines("e.jsonl", seeds.EXCHANGES), one("e.json", seeds.EXCHANGES)], logged),
        Reader("logs of pairs", lambda: [lines("l.jsonl", [_PAIR_LOG, _PAIR_LOG])], pairs_file.read),
    ]


_PAIR_LOG = {
    "doc": {"sent_more": "The woman is kind now.", "sent_less": "The man is kind now."},
    "resps": [[-1.5], [-2]],
}


def _sentences(path: Path) -> None:
    from tiltmeter.sources.generated.sentence_files import read_sentences, specs_in
    from tiltmeter.sources.pairs_file import read

    read_sentences(path)
    specs_in(path)
    read(path)


def _texts() -> list[Reader]:
    from tiltmeter.sources import natural
    from tiltmeter.sources.generated.shots import read_shots
    from tiltmeter.sources.natural.corpus import read_corpus
    from tiltmeter.sources.natural.lists import read_leave_out

    corpus = {"Metalworking": {"Smith_(trade)": ["A smith is a worker who forges.", "Smiths may be old."], "X": []}}
    shots = [{"keywords": ["a", "b"], "sentence": "A is b."}, {"concept_set": "a#b", "scene": ["A is b."]}]
    return [
        Reader(
            "corpus",
            lambda: [
                one("c.txt", "A smith is a worker. He forges.\n\nA cook cooks.\n"),
                one("c.json", corpus),
                lines("c.jsonl", [{"text": "A smith is a worker.", "title": "Smith"}]),
            ],
            read_corpus,
        ),
        Reader("natural sentences", lambda: [lines("n.jsonl", seeds.NATURAL)], natural.prompts),
        Reader("examples to copy", lambda: [lines("s.jsonl", shots)], read_shots),
        Reader(
            "professions",
            lambda: [one("p.txt", "nurse\ncook\n"), one("p.json", [["nurse", -0.9, 0.1], ["cook", 0.1, 0.2]])],
            read_leave_out,
        ),
    ]


def _datasets() -> list[Reader]:
    from tiltmeter.sources import datasets
    from tiltmeter.sources.datasets import (
        bbq,
        bold,
        crows_pairs,
        holistic_bias,
        honest,
        real_toxicity_prompts,
        stereoset,
        winobias,
        winogender,
    )

    made = seeds.datasets()
    calls: dict[str, tuple[Read, Read, bool]] = {
        "bold": (bold.prompts, bold.check, True),
        "honest": (honest.prompts, honest.check, True),
        "holistic-bias": (holistic_bias.prompts, holistic_bias.check, True),
        "real-toxicity-prompts": (real_toxicity_prompts.prompts, real_toxicity_prompts.check, False),
        "stereoset": (stereoset.pairs, stereoset.check, False),
        "crows-pairs": (crows_pairs.pairs, crows_pairs.check, False),
        "bbq": (bbq.questions, bbq.check, True),
        "winobias": (lambda path: (winobias.pairs(path), winobias.questions(path)), winobias.check, True),
        "winogender": (lambda path: (winogender.pairs(path), winogender.questions(path)), winogender.check, True),
    }

    def both(first: Read, second: Read) -> Read:
        def read(path: Path) -> None:
            datasets.recognise(path)
            second(path)
            first(path)

        return read

    predictions = {"intrasentence": [{"id": "s1", "score": -1.5}], "intersentence": [{"id": "s4", "score": 2}]}
    return [
        *(
            Reader(f"data set {name}", lambda name=name: [made[name]], both(*calls[name][:2]), calls[name][2])  # type: ignore[misc]
            for name in calls
        ),
        Reader("StereoSet predictions", lambda: [one("p.json", predictions)], stereoset.read_predictions),
    ]


def _models() -> list[Reader]:
    from tiltmeter.models import planted, scripted
    from tiltmeter.models.api.answers import Malformed, parsed, pieces, stored_answer
    from tiltmeter.models.api.answers import written as said
    from tiltmeter.models.api.echo import echo_of
    from tiltmeter.models.interface import ModelSettings

    def reply(path: Path) -> None:
        kept = stored_answer(parsed(path.read_bytes()))
        # What was read is written into the journal, and may be written into a table.
        json.dumps(kept, ensure_ascii=False, allow_nan=False).encode()
        for chat in (False, True):
            try:
                said(kept["choice"], chat=chat).text.encode()
            except Malformed:
                continue
        found = pieces(kept["choice"])
        if found:
            echo_of(" a nurse", found)

    return [
        Reader(
            "planted model",
            lambda: [one("p.toml", seeds.PLANTED)],
            lambda path: planted.load(str(path), ModelSettings()),
        ),
        Reader(
            "scripted model",
            lambda: [one("s.toml", seeds.SCRIPTED)],
            lambda path: scripted.load(str(path), ModelSettings()),
        ),
        Reader(
            "reply of an API",
            lambda: [one("r.json", seeds.REPLY), one("r.json", seeds.CHAT_REPLY)],
            reply,
            refusals=(Malformed,),
        ),
    ]


def _runs() -> list[Reader]:
    from tiltmeter.models.api.journal import Journal
    from tiltmeter.present.kept import read_findings
    from tiltmeter.results import summarise_run
    from tiltmeter.store import read_run
    from tiltmeter.store.annotations import Annotations, Item
    from tiltmeter.store.cache import Cache
    from tiltmeter.store.progress import read_progress

    def run(folder: Path) -> None:
        read_progress(folder)
        read_findings(folder)
        found = read_run(folder)
        list(found.pairs)
        summarise_run(found)

    def journal(path: Path) -> None:
        with closing(Journal(path)) as opened:
            assert isinstance(opened.model, str)
            opened.answer(b"a")
            opened.spent()

    def make_journal(folder: Path) -> None:
        with closing(Journal(folder / "j.sqlite", "m")) as made:
            made.record(b"a", {"choice": {"text": "x"}, "usage": [7, 3], "fingerprint": "f"})
            made.note({"timeout": 2})

    def make_cache(folder: Path) -> None:
        with Cache(folder / "c.sqlite") as made:
            made.put("m", "score", {b"k" * 32: "[1.5]"})

    def kept(path: Path) -> None:
        with Cache(path) as opened:
            opened.get([b"k" * 32])
            opened.info()
            opened.prune(to=0)

    def make_marks(folder: Path) -> None:
        made = Annotations(folder)
        made.mark("ann", "issues", [(Item("1", "pairs", 0, "text"), "I1 I2")])

    def marks(path: Path) -> None:
        found = Annotations(path.parent)
        for own in found.marks("issues").values():
            found.items(list(own))
        found.scales()

    def only(files: Files) -> list[Files]:
        return [{name: data for name, data in files.items() if name.endswith((".sqlite", ".json"))}]

    return [
        Reader("run folder", lambda: only(seeds.run_folder()), run, folder=True),
        Reader("journal of an API", lambda: only(seeds.written(make_journal)), journal),
        Reader("cache of answers", lambda: only(seeds.written(make_cache)), kept),
        Reader("marks of annotators", lambda: only(seeds.written(make_marks)), marks),
    ]
