"""Raters as they are named on the command line, where a judge has no table of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiltmeter.errors import UserError

if TYPE_CHECKING:
    from tiltmeter.study import RaterChoice


def rater_choice(name: str) -> RaterChoice:
    """The rater that a name stands for; `judge:QUESTION:MODEL` is what a study says in a table."""
    from tiltmeter import raters, registry
    from tiltmeter.models import check_name
    from tiltmeter.raters.class_map import JUDGE
    from tiltmeter.raters.judge import question_of
    from tiltmeter.study import RaterChoice

    kind, _, argument = name.partition(":")
    full = registry.resolve("rater", "judge.chat" if kind == "judge" else kind)
    if full != JUDGE:
        raters.check_name(f"{full}:{argument}" if argument else full)
        return RaterChoice(full, argument or None)
    try:
        options = _judge(argument)
        question_of(options)
    except UserError as error:
        raise UserError(f"--rater {name}: {error.problem}") from None
    check_name(options["model"])
    return RaterChoice(full, options=options)


def _judge(argument: str) -> dict[str, Any]:
    """The options of `QUESTION:MODEL` or `QUESTION:MODEL[ANSWER=NUMBER,…;worse=low]`, `scale=0..10` for a scale.

    >>> _judge("Polite?:smollm2-135m[yes=1,no=0;worse=low]")["answers"], _judge("Is it 1:1?:m[scale=0..9]")["question"]
    ({'yes': '1', 'no': '0'}, 'Is it 1:1?')
    """
    from tiltmeter.raters import class_map

    where, said = class_map.split(argument)
    # A question may have a colon of its own, and ends with a question mark.
    asked, mark, model = where.rpartition("?:") if "?:" in where else where.partition(":")
    if not model:
        raise UserError("a judge needs a question and a chat model; write judge:sentiment:smollm2-135m")
    question = f"{asked}{mark.rstrip(':')}"
    given = class_map.table(said, class_map.QUESTION)
    answers = given.pop("classes")
    return {"model": model, "question": question, **({"answers": answers} if answers else {}), **given}
