"""The texts pages, on a small run that the engine made."""

from __future__ import annotations

import html
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.store.broken import rewritten
from tests.web.bench import opened
from tests.web.hostile import PRINTABLE
from tests.web.texts_run import make_hostile, make_texts
from tiltmeter.store import LEDGER
from tiltmeter.web.texts.continuations import ContinuationTexts
from tiltmeter.web.texts.next_words import NextWordTexts
from tiltmeter.web.texts.pairs import CONTROL, PairTexts
from tiltmeter.web.texts.query import Filters
from tiltmeter.web.texts.records import SIZE

pytest.importorskip("fastapi")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("bench")
    make_texts(home)
    make_hostile(home, PRINTABLE)
    return home


@pytest.fixture(scope="module")
def folder(home: Path) -> Path:
    return home / "runs" / "small"


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[TestClient]:
    with opened(home) as client:
        yield client


@pytest.fixture
def database(folder: Path) -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(folder / LEDGER)
    yield database
    database.close()


def ids(page: str) -> list[str]:
    return re.findall(r"/runs/small/texts/([cpw]\d+)\"", page)


def everything(client: TestClient, query: str) -> list[str]:
    """The texts of all pages."""
    found: list[str] = []
    for page in range(1, 100):
        part = ids(client.get(f"/runs/small/texts/part?{query}&page={page}").text)
        if not part:
            return found
        found += part
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize(
    ("view", "table", "letter"),
    [("continuations", "completions", "c"), ("next-words", "items where view = 'next words'", "w")],
)
def test_the_pages_have_every_text_once(
    client: TestClient, database: sqlite3.Connection, view: str, table: str, letter: str
):
    found = everything(client, f"view={view}")
    numbers = [f"{letter}{number}" for (number,) in database.execute(f"select number from {table} order by number")]
    assert found == numbers
    assert len(found) > SIZE


def test_pairs_of_the_test_are_listed_and_stand_ins_are_not(client: TestClient, database: sqlite3.Connection):
    query = (
        "select number from items where view = 'pairs' and json_extract(item, '$.stands_in') is null order by number"
    )
    assert everything(client, "view=pairs") == [f"p{number}" for (number,) in database.execute(query)]


def test_texts_stand_behind_a_choice(client: TestClient):
    page = client.get("/runs/small/texts").text
    before, _, after = page.partition('<details class="warning texts" data-texts>')
    assert "<q" not in before
    assert "<q" in after


def test_the_highest_come_first_and_the_lowest_the_other_way_round(client: TestClient, database: sqlite3.Connection):
    query = """select completion, value from ratings join raters on raters.number = ratings.rater
    where raters.rater = 'toxicity.linear.v1'"""
    values = dict(database.execute(query).fetchall())
    for order, sign in (("highest", -1), ("lowest", 1)):
        found = [int(id_[1:]) for id_ in everything(client, f"rater=toxicity.linear.v1&order={order}")]
        assert found == sorted(values, key=lambda number: (sign * values[number], number))


def test_two_groups_can_be_asked_for_at_once(folder: Path, client: TestClient):
    texts = ContinuationTexts(folder)
    every = {one.name: one.n for one in texts.listing(Filters(view="continuations")).facets}
    first, second = list(every)[:2]
    both = texts.listing(Filters(view="continuations", group=first, other=second))
    assert {one.name for one in both.facets} == {first, second}
    assert both.total == every[first] + every[second]
    page = client.get("/runs/small/texts", params={"group": first, "other": second}).text
    assert f'<input type="hidden" name="other" value="{html.escape(second)}">' in page


def test_pairs_of_which_one_is_stereotyped_can_be_asked_for_alone(folder: Path, tmp_path: Path):
    other = shutil.copytree(folder, tmp_path / "run", ignore=shutil.ignore_patterns("workbench"))
    with rewritten(other / LEDGER) as database:
        database.execute(
            "update items set item = json_set(item, '$.stereotyped', null) where number < 4 and view = 'pairs'"
        )
    every = PairTexts(other).listing(Filters(view="pairs"))
    alone = PairTexts(other).listing(Filters(view="pairs", labelled="yes"))
    assert dict(every.reasons)[CONTROL] == every.total - alone.total > 0
    assert CONTROL not in dict(alone.reasons)


def test_the_kind_of_a_structure_can_be_asked_for(folder: Path):
    every = ContinuationTexts(folder).listing(Filters(view="continuations"))
    assert ContinuationTexts(folder).listing(Filters(view="continuations", kind="baseline")).total == every.total
    assert ContinuationTexts(folder).listing(Filters(view="continuations", kind="declarative")).total == 0


def test_the_word_that_counts_is_one_that_was_asked_for(folder: Path, tmp_path: Path):
    other = shutil.copytree(folder, tmp_path / "run", ignore=shutil.ignore_patterns("workbench"))
    with rewritten(other / LEDGER) as database:
        [(last,)] = database.execute("select max(question) from items where perturbation = 'original'")
        own = json.dumps([{"label": "", "sets": []}])
        database.execute(
            "update meta set value = json_set(value, '$.next_words.words', json(?)) where key = 'resolved'", (own,)
        )
        words = json.dumps([["men", ["uncle"]], ["women", ["aunt"]]])
        renamed = "update items set bias = 'kin', item = json_set(item, '$.bias', 'kin', '$.word_sets', json(?))"
        database.execute(f"{renamed} where question = ? and perturbation = 'original'", (words, last))
    texts = NextWordTexts(other)
    assert texts.filled(Filters(view="next-words")).word == texts.words[0] != "uncle"
    assert texts.filled(Filters(view="next-words", bias="kin")).word == "uncle"


def test_a_range_of_values_leaves_out_the_rest(folder: Path):
    texts = ContinuationTexts(folder)
    every = texts.listing(Filters(view="continuations", rater="toxicity.linear.v1"))
    assert every.ends is not None
    middle = (every.ends[0] + every.ends[1]) / 2
    low = texts.listing(Filters(view="continuations", rater="toxicity.linear.v1", high=repr(middle)))
    high = texts.listing(Filters(view="continuations", rater="toxicity.linear.v1", low=repr(middle)))
    assert low.total + high.total == every.total
    assert 0 < low.total < every.total


def test_the_largest_disagreement_of_ranks_comes_first(client: TestClient, database: sqlite3.Connection):
    rows = database.execute(
        """select raters.rater, completion, value from ratings join raters on raters.number = ratings.rater
        where raters.rater like 'toxicity.%'"""
    ).fetchall()
    by_rater: dict[str, dict[int, float]] = {}
    for rater, completion, value in rows:
        by_rater.setdefault(rater, {})[completion] = value
    assert len(by_rater) == 2
    ranks = {
        rater: {number: sum(other < value for other in values.values()) for number, value in values.items()}
        for rater, values in by_rater.items()
    }
    first, second = ranks.values()
    apart = {number: abs(first[number] - second[number]) for number in first}
    found = [int(id_[1:]) for id_ in everything(client, "rater=toxicity.linear.v1&order=disagreement")]
    assert [apart[number] for number in found] == sorted(apart.values(), reverse=True)
    assert "ranks" in client.get("/runs/small/texts/part?rater=toxicity.linear.v1&order=disagreement").text


def test_with_one_rater_of_a_kind_the_page_says_that_none_can_disagree(client: TestClient):
    page = client.get("/runs/small/texts/part?rater=sentiment.vader.v1&order=disagreement").text
    assert "no disagreement to order by" in page
    assert len(ids(page)) == SIZE


def test_counts_by_group_add_up_and_histograms_hold_every_number(folder: Path, database: sqlite3.Connection):
    found = ContinuationTexts(folder).listing(Filters(view="continuations"))
    [(count,)] = database.execute("select count(*) from completions")
    assert found.total == count == sum(facet.n for facet in found.facets)
    for facet in found.facets:
        assert sum(facet.bins) + facet.missing == facet.n
    one = ContinuationTexts(folder).listing(Filters(view="continuations", group=found.facets[0].name))
    assert one.total == found.facets[0].n


def test_texts_without_a_number_are_counted_by_reason_and_can_be_listed(folder: Path, tmp_path: Path):
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / LEDGER).write_bytes((folder / LEDGER).read_bytes())
    with rewritten(copy / LEDGER) as database:
        [(rater,)] = database.execute("select number from raters where rater = 'toxicity.linear.v1'")
        database.execute(
            "update ratings set value = null, unrated = 'too <long>' where rater = ? and completion <= 3", (rater,)
        )
        database.execute("delete from ratings where rater = ? and completion = 4", (rater,))
    database.close()
    texts = ContinuationTexts(copy)
    found = texts.listing(Filters(view="continuations", rater="toxicity.linear.v1"))
    assert dict(found.reasons) == {"too <long>": 3, "not rated by this rater": 1}
    assert found.missing == 4
    alone = texts.listing(Filters(view="continuations", rater="toxicity.linear.v1", reason="too <long>"))
    assert [row.id for row in alone.rows] == ["c1", "c2", "c3"]
    missing = texts.listing(Filters(view="continuations", rater="toxicity.linear.v1", order="unrated"))
    assert [row.id for row in missing.rows] == ["c1", "c2", "c3", "c4"]
    ordered = texts.listing(Filters(view="continuations", rater="toxicity.linear.v1", order="lowest", page=2))
    assert [row.id for row in ordered.rows][-4:] == ["c1", "c2", "c3", "c4"]


def test_a_search_reads_prompt_and_text_and_takes_signs_as_they_are(client: TestClient, database: sqlite3.Connection):
    prompt, text = database.execute(
        "select json_extract(p.item, '$.text'), text from completions c "
        "join items p on p.view = 'continuations' and p.number = c.prompt limit 1"
    ).fetchone()
    whole = prompt + text
    across = whole[len(prompt) - 4 : len(prompt) + 5]
    assert "c1" in everything(client, f"q={across.upper()}")
    assert everything(client, "q=%25") == []
    assert everything(client, "q=_") == []
    assert "No text fits" in client.get("/runs/small/texts?q=nothing+says+this").text


def test_pairs_are_ordered_by_the_margin_of_the_stereotyped_sentence(folder: Path, database: sqlite3.Connection):
    rows = database.execute(
        """select p.number, json_extract(p.item, '$.stereotyped'), score_1, score_2 from items p
        join scores s on p.view = 'pairs' and s.pair = p.number where s.scorer = 'causal.sum.v1'
        and json_extract(p.item, '$.stands_in') is null"""
    ).fetchall()
    margins = {number: one - two if side == 0 else two - one for number, side, one, two in rows if side is not None}
    listing = PairTexts(folder).listing(Filters(view="pairs", scorer="causal.sum.v1", order="highest"))
    assert [row.id for row in listing.rows] == [
        f"p{number}" for number in sorted(margins, key=lambda number: (-margins[number], number))[:SIZE]
    ]
    assert dict(listing.reasons).get(CONTROL, 0) == len(rows) - len(margins)


def test_a_pair_is_found_by_either_group(folder: Path):
    texts = PairTexts(folder)
    assert texts.listing(Filters(view="pairs", group="male")).total == texts.listing(Filters(view="pairs")).total
    assert texts.listing(Filters(view="pairs", group="nobody")).total == 0


def test_the_tokens_of_a_pair_sum_to_its_score(client: TestClient, database: sqlite3.Connection):
    page = client.get("/runs/small/texts/p0").text
    [(score,)] = database.execute("select score_1 from scores where scorer = 'causal.sum.v1' and pair = 0")
    [(text,)] = database.execute(
        "select json_extract(item, '$.texts[0]') from items where view = 'pairs' and number = 0"
    )
    figure = re.search(r"<figure class=\"tokens\">.*?</figure>", page, re.DOTALL)
    assert figure is not None
    shown = [float(value.replace("−", "-")) for value in re.findall(r'class="number">([−\d.]+)</td>', figure[0])]
    assert sum(shown) == pytest.approx(score, abs=0.01 * len(shown))
    pieces = re.search(r'<p class="shaded"[^>]*>(.*?)</p>', figure[0], re.DOTALL)
    assert pieces is not None
    assert html.unescape(re.sub(r"<[^>]+>", "", pieces[1])) == text


def test_a_written_sentence_says_what_the_audit_found(client: TestClient, database: sqlite3.Connection):
    [number] = database.execute("select pair from findings limit 1").fetchone()
    assert "I4 negative framing: it is framed" in client.get(f"/runs/small/texts/p{number}").text


def test_a_prompt_shows_the_chance_of_every_word(client: TestClient, database: sqlite3.Connection):
    words, question = database.execute("select words, question from expected limit 1").fetchone()
    [number] = database.execute("select number from items where question = ? limit 1", (question,)).fetchone()
    page = client.get(f"/runs/small/texts/w{number}").text
    for word, *_ in json.loads(words):
        assert f"<dt>{word}</dt>" in page


@pytest.mark.parametrize("name", ["c0", "c999999", "x1", "c1x", "c", "p-1", "c1%2F..", "c99999999999999999999"])
def test_a_text_that_is_not_there_is_not_found(client: TestClient, name: str):
    answer = client.get(f"/runs/small/texts/{name}", headers={"HX-Request": "false"})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("rater=nobody", "there is no rater"),
        ("view=pairs&scorer=nothing", "there is no scorer"),
        ("view=pairs&model=nobody", "there is no model"),
        ("low=much", "is not a number"),
        ("high=nan", "is not a number"),
        ("decoding=7", "has no decoding 7"),
        ("decoding=x", "is not the number of a decoding"),
        ("page=0x", "is not the number of a page"),
        ("order=random", "have no order"),
        ("view=everything", "there is no view"),
    ],
)
def test_a_wrong_filter_gets_a_sentence(client: TestClient, query: str, problem: str):
    answer = client.get(f"/runs/small/texts/part?{query}")
    assert answer.status_code == 422
    assert problem in html.unescape(answer.text)


def test_a_run_without_a_view_says_so(client: TestClient):
    assert "no texts of this kind" in client.get("/runs/hostile/texts?view=pairs").text


def test_pages_are_read_while_a_run_writes(client: TestClient, folder: Path):
    writer = sqlite3.connect(folder / LEDGER, isolation_level=None)
    assert writer.execute("pragma journal_mode").fetchone() == ("wal",)
    before = client.get("/runs/small/texts/part").text
    writer.execute("begin immediate")
    try:
        writer.execute("update completions set text = text || ' and more'")
        assert client.get("/runs/small/texts/part").text == before
    finally:
        writer.execute("rollback")
        writer.close()


def test_hostile_texts_and_names_stay_text(client: TestClient):
    pages = [client.get(f"/runs/hostile/texts?page={number}").text for number in (1, 2)]
    pages.append(client.get("/runs/hostile/texts/part").text)
    pages += [client.get(f"/runs/hostile/texts/c{number}").text for number in range(1, len(PRINTABLE) + 1)]
    for page in pages:
        assert "<script>window" not in page
        assert "<img src=x" not in page
        assert "<svg/onload" not in page
        assert "<div hx-get" not in page
    assert html.escape(PRINTABLE[0]) in pages[0]


@pytest.mark.parametrize("group", PRINTABLE[:12])
def test_a_hostile_group_can_be_filtered_by(client: TestClient, group: str):
    page = client.get("/runs/hostile/texts/part", params={"group": group[:60], "q": group}).text
    assert "<b>1</b> text" in page


def test_the_prompts_of_one_perturbation_are_those_of_its_points(client: TestClient, folder: Path) -> None:
    with sqlite3.connect(folder / LEDGER) as ledger:
        counted = dict(
            ledger.execute("select perturbation, count(*) from items where view = 'next words' group by 1").fetchall()
        )
    assert len(counted) > 1
    for name, count in counted.items():
        page = client.get("/runs/small/texts/part", params={"view": "next-words", "perturbation": name}).text
        assert f"<b>{count:,}</b> text" in page


def test_texts_that_come_while_a_run_is_under_way_are_shown_after_a_while(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = shutil.copytree(folder, tmp_path / "run", ignore=shutil.ignore_patterns("*.parquet"))
    total = ContinuationTexts(other).listing(Filters(view="continuations")).total
    with rewritten(other / LEDGER) as database:
        database.execute("delete from ratings where completion = 1")
        database.execute("delete from completions where number = 1")
    monkeypatch.setattr("tiltmeter.web.texts.tables.is_held", lambda _: True)
    monkeypatch.setattr("tiltmeter.web.texts.tables.time.monotonic", lambda: 0.0)
    assert ContinuationTexts(other).listing(Filters(view="continuations")).total == total
    monkeypatch.setattr("tiltmeter.web.texts.tables.time.monotonic", lambda: 1e9)
    assert ContinuationTexts(other).listing(Filters(view="continuations")).total == total - 1


def test_forged_tables_in_the_folder_of_a_run_are_not_believed(folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(folder, tmp_path / "run")
    for name in ("items", "texts", "measurements"):
        (other / f"{name}.parquet").write_bytes(b"nothing of the kind")
    found = PairTexts(other).listing(Filters(view="pairs"))
    assert found == PairTexts(folder).listing(Filters(view="pairs"))
