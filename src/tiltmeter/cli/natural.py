"""`tiltmeter natural`: prompts about professions, after which a pronoun is expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.console import JsonOption, print_json, print_table, say

if TYPE_CHECKING:
    from tiltmeter.records import Prompt
    from tiltmeter.sources.natural.accounts import Account
    from tiltmeter.sources.natural.pipeline import Built

app = typer.Typer(help="Build prompts about professions, after which a pronoun is expected.", no_args_is_help=True)

COLUMNS = ("id", "profession", "template", "subject", "subject_start", "subject_end", "text", "status")
ACCOUNT_COLUMNS = ("profession", "outcome", "prompts", "sentences", "reasons", "places")
_SHOWN = 3
TableOption = Annotated[Path | None, typer.Option("--out", "-o", help="The CSV file for the prompts.")]
ProfessionsOption = Annotated[
    Path | None, typer.Option(help="Only these professions: a text file with one per line, or a JSON list.")
]


@app.command("build")
def build(
    corpus: Annotated[
        Path, typer.Argument(help="BOLD's profession_wiki.json, JSON lines, or plain text.", metavar="CORPUS")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The JSON lines file for the annotated sentences.")],
    professions: ProfessionsOption = None,
    leave_out: Annotated[
        Path | None,
        typer.Option(
            help="Professions to leave out as gendered: a list, or JSON of [profession, gender from −1 to 1]."
        ),
    ] = None,
    noun_class: Annotated[
        str | None,
        typer.Option(
            "--class",
            help="Look for other nouns than professions: NAME=EXAMPLE,EXAMPLE,… finds these and nouns like them, "
            "NAME=FILE those of a list alone.",
        ),
    ] = None,
    accounting: Annotated[
        Path | None,
        typer.Option(help="A CSV file with each profession, and why it is used or not."),
    ] = None,
    field: Annotated[str | None, typer.Option(help="The text field of JSON lines.")] = None,
    least: Annotated[int, typer.Option(min=4, help="Fewest words in a prompt.")] = 6,
    most: Annotated[int, typer.Option(min=6, help="Most words in a prompt.")] = 22,
    per_profession: Annotated[int, typer.Option(min=1, help="Most prompts for each profession.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Build prompts from your own corpus.

    Each output line is a sentence of the corpus, with the steps taken, whether it is used (and why not), and markup
    where it introduces a profession. Correct `annotated` and `use` there, and read the file back with `natural apply`
    or as the source natural:FILE.
    """
    from tiltmeter.api.progress import Bar
    from tiltmeter.engine.natural import build_from
    from tiltmeter.files import check_writable, write_csv
    from tiltmeter.sources.natural.lists import read_leave_out
    from tiltmeter.sources.natural.noun_class import NounClass, given_class
    from tiltmeter.sources.natural.pipeline import BuildSettings
    from tiltmeter.sources.natural.sentence_files import write_sentences
    from tiltmeter.sources.natural.truncation import Limits
    from tiltmeter.sources.profession_templates import read_professions

    wanted = given_class(noun_class) if noun_class else NounClass()
    settings = BuildSettings(
        limits=Limits(least, most),
        per_profession=per_profession,
        professions=read_professions(professions) if professions else None,
        leave_out=read_leave_out(leave_out) if leave_out else (),
        noun_class=wanted,
    )
    for path in (out, accounting):
        if path:
            check_writable(path, not_over=[corpus])
    with Bar() as bar:
        built = build_from(corpus, settings, field=field, progress=bar)
    write_sentences(out, built.sentences)
    if accounting:
        write_csv(accounting, ACCOUNT_COLUMNS, map(_account_cells, built.accounts))
    summary = _summary(built)
    if as_json:
        print_json({"out": str(out), **summary})
        return
    print_table(["professions and articles, by outcome", "count"], summary["outcomes"].items())
    say(f"{summary['professions']} professions with {summary['prompts']} prompts, {_lengths_in_words(summary)}")


@app.command("apply")
def apply(
    file: Annotated[
        Path | None, typer.Argument(help="The output of `natural build`; default: the built-in sentences.")
    ] = None,
    out: TableOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check annotated sentences, apply their markup, and write the prompts as a table for `next-words`."""
    from tiltmeter.sources.natural import prompts

    made, dropped = prompts(file)
    _give(made, out, as_json, {"not_used": dict(Counter(one.reason.partition(": ")[0] for one in dropped))})


@app.command("templates")
def templates(
    out: TableOption = None,
    professions: ProfessionsOption = None,
    template: Annotated[
        list[str] | None,
        typer.Option(
            help="Your own template, with [A] or {} for the profession: 'The [A] said that', or a file with one a "
            "line; may be repeated. Replaces the seventeen built-in ones."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Fill professions into the built-in templates or your own, and write the prompts as a table for `next-words`."""
    from tiltmeter.cli.next_words import of_files
    from tiltmeter.sources.profession_templates import prompts

    made, _ = prompts(professions=str(professions) if professions else None, templates=of_files(template or []) or None)
    _give(made, out, as_json, {})


def _give(prompts: Sequence[Prompt], out: Path | None, as_json: bool, more: dict[str, Any]) -> None:
    from tiltmeter.files import write_csv

    if out:
        write_csv(out, COLUMNS, map(_cells, prompts))
    summary = {"out": str(out) if out else None, **_counts(prompts), **more}
    if as_json:
        print_json(summary)
        return
    for reason, count in more.get("not_used", {}).items():
        say(f"{count} sentences not used: {reason}")
    say(f"{summary['professions']} professions with {summary['prompts']} prompts, {_lengths_in_words(summary)}")
    if not out:
        rows = [(prompt.origin, prompt.text) for prompt in prompts]
        print_table(["profession", "prompt"], rows[:_SHOWN] if len(rows) > 2 * _SHOWN else rows)


def _cells(prompt: Prompt) -> dict[str, object]:
    from tiltmeter.sources.open_prompts_file import written_spans

    start, end = written_spans(prompt.subject_spans)
    subject = prompt.text[slice(*prompt.subject_spans[0])] if prompt.subject_spans else ""
    return {
        "id": prompt.id,
        "profession": prompt.origin,
        "template": prompt.template,
        "subject": subject,
        "subject_start": start,
        "subject_end": end,
        "text": prompt.text,
        "status": prompt.status,
    }


def _account_cells(account: Account) -> dict[str, object]:
    return {
        "profession": account.profession,
        "outcome": account.outcome,
        "prompts": account.prompts,
        "sentences": account.sentences,
        "reasons": "; ".join(f"{count} × {reason}" for reason, count in account.reasons),
        "places": "; ".join(account.places),
    }


def _summary(built: Built) -> dict[str, Any]:
    from tiltmeter.sources.natural.reasons import USED

    used = [sentence for sentence in built.sentences if sentence.use]
    reasons: Counter[str] = Counter()
    for account in built.accounts:
        for reason, count in account.reasons:
            reasons[reason.partition(": ")[0]] += count
    outcomes = Counter(account.outcome.partition(": ")[0] for account in built.accounts)
    return {
        "sentences": built.total,
        "prompts": len(used),
        "professions": outcomes[USED],
        "outcomes": dict(outcomes.most_common()),
        "reasons": dict(reasons.most_common()),
        "lengths": _lengths([(sentence.prompt, sentence.profession) for sentence in used]),
    }


def _counts(prompts: Sequence[Prompt]) -> dict[str, Any]:
    return {
        "prompts": len(prompts),
        "professions": len({prompt.origin for prompt in prompts}),
        "lengths": _lengths([(prompt.text, prompt.origin) for prompt in prompts]),
    }


def _lengths(texts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    from dataclasses import asdict

    from tiltmeter.stats.views.lengths import lengths, lengths_as_published

    return {**asdict(lengths([text for text, _ in texts])), "as_published": asdict(lengths_as_published(texts))}


def _lengths_in_words(summary: dict[str, Any]) -> str:
    found = summary["lengths"]
    if found["words_sd"] is None:
        return "too few to average their length"
    words = f"{found['words']:.1f} ± {found['words_sd']:.1f} words"
    return f"{words} of {found['letters']:.1f} ± {found['letters_sd']:.1f} letters"
