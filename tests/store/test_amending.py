from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.broken import rewritten
from tests.web.texts_run import make_texts
from tiltmeter.errors import RunError
from tiltmeter.records import NO_ANSWER, Rating
from tiltmeter.store import LEDGER, Ledger, read_run

LOST = f"{NO_ANSWER}status 500"


def test_rating_a_batch_again_takes_away_no_rating(tmp_path: Path) -> None:
    folder = make_texts(tmp_path)
    with rewritten(folder / LEDGER) as database:
        [(rater, name)] = database.execute("select number, rater from raters limit 1")
        numbers = [one for (one,) in database.execute("select number from completions order by number limit 4")]
        database.execute("delete from steps where stage = 'rating' and name = ?", (name,))
        database.execute("delete from ratings where rater = ?", (rater,))
        for number, value, reason in zip(numbers, (0.5, None, None), (None, "refused", LOST), strict=False):
            database.execute("insert into ratings values (?, ?, ?, null, ?)", (rater, number, value, reason))
    with Ledger(folder) as ledger:
        again = [Rating(name, None, LOST), Rating(name, None, LOST), Rating(name, 0.25), Rating(name, None, LOST)]
        with ledger.steps("rating", name).marked():
            ledger.continuations.add_ratings(name, list(zip(numbers, again, strict=True)))
    with rewritten(folder / LEDGER) as database:
        rows = database.execute("select value, unrated from ratings where rater = ? order by completion", (rater,))
        assert rows.fetchall() == [(0.5, None), (None, "refused"), (0.25, None), (None, LOST)]
    # The digests of the rows fit.
    assert read_run(folder).continuations is not None


@pytest.mark.parametrize(
    "statement",
    [
        f"insert into expected (model, bounded, question, words) values ('m', 0, 0, '{LOST}')",
        f"insert into expected (model, bounded, question, words) values ('m', 0, 0, '[[\"{LOST}\"]]')",
        "alter table answers rename column unscored to other",
    ],
)
def test_a_ledger_that_somebody_changed_is_said_to_be_damaged(tmp_path: Path, statement: str) -> None:
    folder = make_texts(tmp_path)
    with rewritten(folder / LEDGER) as database:
        database.execute(statement)
    with Ledger(folder, read_only=True) as ledger, pytest.raises(RunError, match="damaged"):
        ledger.amendments.missing()
