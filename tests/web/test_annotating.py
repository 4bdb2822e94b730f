"""Annotating the texts of a run: queues, marks, agreement, sheets, and the way into the report."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.store.broken import rewritten
from tests.web.bench import fields_of, opened
from tests.web.texts_run import make_texts
from tiltmeter.results import read_labels, read_ratings
from tiltmeter.results.cells import table_of
from tiltmeter.results.measurements.people import label_rows, rating_rows
from tiltmeter.results.summary.labels import judged_by_people
from tiltmeter.results.summary.people import rated_by_people
from tiltmeter.store import ANNOTATIONS, LEDGER, Annotations, read_run
from tiltmeter.store.annotations import Item, Scale
from tiltmeter.store.rows import rows_of
from tiltmeter.web.annotating.agreement import said_of
from tiltmeter.web.annotating.items import id_on_sheet, item_of_pair, items, random_sample
from tiltmeter.web.annotating.tasks import ISSUES_TASK
from tiltmeter.web.texts.pairs import PairTexts
from tiltmeter.web.texts.query import Filters

pytest.importorskip("fastapi")

BASE = "/runs/small/texts"
REGARD = "rating:regard"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_texts(tmp_path)


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    with opened(folder.parent.parent) as client:
        yield client


@pytest.fixture
def queue(client: TestClient) -> Callable[..., str]:
    """Make a queue; its address without the query."""

    def make(**fields: str) -> str:
        given = {"task": REGARD, "which": "sample", "most": "12", "seed": "3", "as": "ann", "view": "continuations"}
        answer = client.post(f"{BASE}/queues", data=given | fields)
        assert answer.status_code == 204, answer.text
        return answer.headers["HX-Redirect"].partition("?")[0]

    return make


@pytest.fixture
def judge(client: TestClient) -> Callable[..., str]:
    """Say something of a text of a queue; the part of the page that comes back."""

    def send(place: str, who: str, at: int, **fields: str | list[str]) -> str:
        answer = client.post(f"{place}/marks", data={"as": who, "at": str(at), "go": "1"} | fields)
        assert answer.status_code == 200, answer.text
        return answer.text

    return send


def problem(answer: object) -> str:
    assert answer.status_code == 422  # type: ignore[attr-defined]
    return html.unescape(re.sub(r"<[^>]+>", "", answer.text)).strip()  # type: ignore[attr-defined]


def marks(folder: Path, task: str = REGARD) -> dict[str, list[str | None]]:
    return {who: [mark.value for mark in own.values()] for who, own in Annotations(folder).marks(task).items()}


def test_a_sample_is_the_same_for_the_same_seed_and_even_over_groups(folder: Path):
    filters = Filters(view="continuations")
    first, again, other = (random_sample(folder, filters, 12, seed) for seed in (3, 3, 4))
    assert first == again
    assert {one.id for one in first} != {one.id for one in other}
    rows = rows_of(
        folder,
        "select json_extract(p.item, '$.group'), count(*) from completions c "
        "join items p on p.view = 'continuations' and p.number = c.prompt "
        "where c.number in (select value from json_each(?)) group by 1",
        json.dumps([one.number for one in first]),
    )
    assert len({count for _, count in rows}) == 1


def test_the_form_sends_what_a_queue_needs(client: TestClient):
    fields = fields_of(client.get(f"{BASE}/annotate?group=female&view=continuations").text)
    assert fields["group"] == ["female"]
    answer = client.post(f"{BASE}/queues", data={name: found[-1] for name, found in fields.items()} | {"as": "ann"})
    assert answer.status_code == 204
    assert "group+female" not in answer.headers["HX-Redirect"]
    assert "group female" in client.get(f"{BASE}/annotate").text


def test_marks_go_to_the_log_and_never_to_the_ledger(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    before = (folder / LEDGER).read_bytes()
    place = queue()
    assert "Text <b>2</b> of 12" in judge(place, "ann", 0, value="-1.0")
    judge(place, "ann", 1, value="1.0")
    assert marks(folder) == {"ann": ["-1.0", "1.0"]}
    assert (folder / LEDGER).read_bytes() == before
    assert (folder / ANNOTATIONS).is_file()


def test_an_annotator_goes_on_where_they_stopped(
    client: TestClient, queue: Callable[..., str], judge: Callable[..., str]
):
    place = queue()
    judge(place, "ann", 0, value="0.0")
    judge(place, "ann", 1, did="skip")
    assert "Text <b>3</b> of 12" in client.get(f"{place}?as=ann").text
    assert "Text <b>1</b> of 12" in client.get(f"{place}?as=bob").text
    assert "Your name" in client.get(place).text


def test_others_are_not_shown_unless_asked_for(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    place = queue()
    judge(place, "ann <b>", 0, value="-1.0")
    assert "ann &lt;b&gt;" not in client.get(f"{place}?as=bob&at=0").text
    page = client.get(f"{place}?as=bob&at=0&open=1").text
    assert "ann &lt;b&gt;: −1" in page and "<b>: −1" not in page
    judge(place, "bob", 0, value="-1.0", open="1")
    assert set(Annotations(folder).marks(REGARD, blind=True)) == {"ann <b>"}
    assert set(Annotations(folder).marks(REGARD)) == {"ann <b>", "bob"}


def test_taking_back_shows_the_text_again(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    place = queue()
    for at in range(3):
        judge(place, "ann", at, value="1.0")
    part = client.post(f"{place}/undo", data={"as": "ann", "at": "3"})
    assert "Text <b>3</b> of 12" in part.text
    assert part.headers["HX-Push-Url"].endswith("at=2")
    assert marks(folder) == {"ann": ["1.0", "1.0"]}
    for _ in range(2):
        client.post(f"{place}/undo", data={"as": "ann", "at": "0"})
    assert "nothing to take back" in client.post(f"{place}/undo", data={"as": "ann", "at": "0"}).text


def test_the_end_of_a_queue_says_so(client: TestClient, queue: Callable[..., str], judge: Callable[..., str]):
    place = queue(most="2")
    judge(place, "ann", 0, value="1.0")
    assert 'class="done"' in judge(place, "ann", 1, value="1.0")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"as": " "}, "give your name"),
        ({"most": "0"}, "from 1 to"),
        ({"most": "many"}, "not a whole number"),
        ({"seed": "-1"}, "not a whole number"),
        ({"group": "nobody"}, "no text fits"),
        ({"view": "next-words"}, "are not judged"),
        ({"view": "pairs"}, "for pairs choose the issues"),
        (
            {"task": "own", "scale_name": "Very Polite!", "scale_low": "1", "scale_high": "5"},
            "cannot be the name of a scale",
        ),
        ({"task": "own", "scale_name": "polite", "scale_low": "5", "scale_high": "1"}, "the lower end first"),
        ({"task": "own", "scale_name": "polite", "scale_low": "a", "scale_high": "1"}, "is not a number"),
        (
            {"task": "own", "scale_name": "polite", "scale_low": "1", "scale_high": "5", "scale_labels": "7 nice"},
            "labels no step",
        ),
        ({"task": ""}, "choose what to judge"),
        ({"which": "done", "done_by": "nobody"}, "has judged nothing"),
    ],
)
def test_a_queue_that_cannot_be_made_gets_a_sentence(
    client: TestClient, folder: Path, fields: dict[str, str], said: str
):
    given = {"task": REGARD, "which": "sample", "most": "12", "as": "ann", "view": "continuations"}
    assert said in problem(client.post(f"{BASE}/queues", data=given | fields))
    assert Annotations(folder).queues() == []


@pytest.mark.parametrize("value", ["", "x", "0.5", "nan", "1e999"])
def test_a_number_that_is_not_on_the_scale_is_not_kept(
    client: TestClient, folder: Path, queue: Callable[..., str], value: str
):
    place = queue()
    assert problem(client.post(f"{place}/marks", data={"as": "ann", "at": "0", "value": value}))
    assert marks(folder) == {}


def test_an_issue_that_is_none_of_the_eight_is_not_kept(client: TestClient, folder: Path, queue: Callable[..., str]):
    place = queue(task="issues", view="pairs")
    answer = client.post(f"{place}/marks", data={"as": "ann", "at": "0", "issue": ["I1", "<I9>"]})
    assert "is not an issue" in problem(answer)
    assert marks(folder, "issues") == {}


def test_a_text_is_not_clean_because_nothing_was_ticked(client: TestClient, folder: Path, queue: Callable[..., str]):
    place = queue(task="issues", view="pairs")
    answer = client.post(f"{place}/marks", data={"as": "ann", "at": "0", "did": "save"})
    assert "tick what the text has" in problem(answer)
    assert marks(folder, "issues") == {}


def test_a_change_needs_the_token(client: TestClient, queue: Callable[..., str], folder: Path):
    place = queue()
    client.headers.pop("X-Tiltmeter-Token")
    answer = client.post(f"{place}/marks", data={"as": "ann", "at": "0", "value": "1.0"})
    assert answer.status_code == 403
    assert marks(folder) == {}


def test_a_scale_of_ones_own_is_the_same_for_all(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    place = queue(task="own", scale_name="polite", scale_low="0", scale_high="100")
    judge(place, "ann", 0, value="3,5")
    assert marks(folder, "rating:polite") == {"ann": ["3.5"]}
    given = {
        "task": "own",
        "which": "sample",
        "most": "3",
        "as": "bob",
        "view": "continuations",
        "scale_name": "polite",
    }
    answer = client.post(f"{BASE}/queues", data=given | {"scale_low": "0", "scale_high": "1"})
    assert "is rated as 0 to 100" in problem(answer)


def test_a_scale_of_ones_own_has_a_button_and_a_key_for_each_step_and_says_what_they_mean(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    labels, instructions = "−2 very rude\n2 very polite", "Judge the tone, not the topic."
    place = queue(
        task="own",
        scale_name="polite",
        scale_low="-2",
        scale_high="2",
        scale_labels=labels,
        instructions=instructions,
    )
    page = html.unescape(client.get(place, params={"as": "ann"}).text)
    buttons = re.findall(r'<button name="value" value="([^"]+)"[^>]* data-key="(\d)"[^>]*>([^<]*)<', page)
    values = ["-2.0", "-1.0", "0.0", "1.0", "2.0"]
    assert [(value, key) for value, key, _ in buttons] == list(zip(values, "12345", strict=True))
    assert [words.strip() for *_, words in buttons] == ["−2 very rude", "−1", "0", "1", "2 very polite"]
    assert re.search(f'id="instructions">{instructions}<', page)
    judge(place, "ann", 0, value="2.0")
    assert marks(folder, "rating:polite") == {"ann": ["2.0"]}


def test_a_scale_of_an_earlier_version_can_be_read(folder: Path):
    path = Annotations(folder).path
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table scales (kind text primary key, low real, high real, steps text)")
        database.execute("insert into scales values ('polite', 1, 5, '[1.0, 3.0, 5.0]')")
        database.commit()
    assert Annotations(folder).scales() == {"polite": Scale("polite", 1, 5, (1.0, 3.0, 5.0))}


def two_annotators(folder: Path, first: str, second: str) -> None:
    """What two people say of the texts of the newest queue."""
    values = {"-": "-1.0", "0": "0.0", "+": "1.0"}
    kept = Annotations(folder)
    found = items(folder, "continuations", [number for *_, number in kept.queues()[0].items])
    for who, said in (("ann", first), ("bob", second)):
        kept.mark(who, REGARD, [(one, values[sign]) for one, sign in zip(found, said, strict=True)])


def test_agreement_is_shown_with_its_interval_and_disagreements_are_listed(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    queue(most="14")
    two_annotators(folder, "-0+-0+-0+-0+-0", "-0+-0+-0+-0--+")
    page = html.unescape(client.get(f"{BASE}/agreement").text)
    found = re.search(r"<td>(0\.\d\d) \(95 % (−?0\.\d\d) to (0\.\d\d|1\.00)\), n 14</td>", page)
    assert found is not None
    assert "ann–bob: 0.78 (95 %" in page
    assert "2 of 14 texts were judged differently" in page


def test_marks_on_texts_that_are_gone_are_counted_apart_and_left_out_of_the_agreement(
    client: TestClient, folder: Path, queue: Callable[..., str]
):
    queue(most="14")
    two_annotators(folder, "-0+-0+-0+-0+-0", "-0+-0+-0+-0--+")
    kept = Annotations(folder)
    gone = [Item(f"{number:016x}", "continuations", number, "a text of before") for number in range(1, 11)]
    alone = client.get(f"{BASE}/agreement").text
    for who in ("ann", "bob"):
        kept.mark(who, REGARD, [(one, "1.0") for one in gone])
    page = client.get(f"{BASE}/agreement").text
    table = re.search(r"<tbody>.*?</tbody>", alone, re.DOTALL)
    assert table is not None and table[0] in page
    assert "ann judged 14, bob judged 14; 14 texts were judged" in page
    assert "20 marks are left out: they are on 10 texts that are not in the run any more" in page
    assert "left out" not in alone


def test_a_text_that_stands_elsewhere_now_is_still_in_the_run(
    client: TestClient, folder: Path, queue: Callable[..., str]
):
    queue()
    two_annotators(folder, "-0+-0+-0+-0+", "-0+-0+-0+-0-")
    before = client.get(f"{BASE}/agreement").text
    with rewritten(folder / ANNOTATIONS) as kept:
        kept.execute("update items set number = number + 1")
    table = re.search(r"<tbody>.*?</tbody>", before, re.DOTALL)
    after = client.get(f"{BASE}/agreement").text
    assert table is not None and table[0] in after
    assert "left out" not in after


def test_marks_of_which_no_text_is_left_say_so(client: TestClient, folder: Path):
    Annotations(folder).mark("ann", ISSUES_TASK, [(Item("gone~00000000", "pairs", 1, "a text of before"), "I1")])
    page = client.get(f"{BASE}/agreement").text
    assert "1 mark is left out: its text is not in the run any more" in page
    assert "texts were judged" not in page


def test_resolving_shows_the_others_and_leaves_the_blind_agreement_as_it_was(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    queue()
    two_annotators(folder, "-0+-0+-0+-0+", "-0+-0+-0+-0-")
    blind = client.get(f"{BASE}/agreement").text
    answer = client.post(f"{BASE}/disagreements", data={"task": REGARD, "as": "bob"})
    place = answer.headers["HX-Redirect"].partition("?")[0]
    page = client.get(answer.headers["HX-Redirect"]).text
    assert "Text <b>1</b> of 1" in page and "ann: 1" in page
    judge(place, "bob", 0, value="1.0")
    table = re.search(r"<tbody>.*?</tbody>", blind, re.DOTALL)
    assert table is not None and table[0] in client.get(f"{BASE}/agreement").text
    stand = client.get(f"{BASE}/agreement?stand=1").text
    assert "Disagreements" not in stand
    answer = client.post(f"{BASE}/disagreements", data={"task": REGARD, "as": "bob"})
    assert "no disagreement left" in problem(answer)


def test_a_sheet_of_ratings_is_one_that_the_report_reads(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str], tmp_path: Path
):
    queue()
    two_annotators(folder, "-0+-0+-0+-0+", "-0+-0+-0+-0-")
    answer = client.get(f"{BASE}/sheet", params={"task": REGARD})
    assert 'filename="ratings-regard.csv"' in answer.headers["content-disposition"]
    (tmp_path / "sheet.csv").write_text(answer.text, encoding="utf-8")
    people = read_ratings([tmp_path / "sheet.csv"])
    assert people.kind == "regard"
    run = read_run(folder)
    table_of(run).add("continuations", rating_rows(run, people))
    rated = rated_by_people(table_of(run))
    assert len(rated) == 12
    assert sorted(one.value for one in rated) == [-1.0] * 4 + [0.0] * 5 + [1.0] * 3


def test_a_sheet_of_issues_is_one_that_the_report_reads(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str], tmp_path: Path
):
    place = queue(task="issues", view="pairs", source="generated[by=hf:./writer]", most="6")
    judge(place, "Ann B.", 0, issue=["I4", "I1"], did="save")
    judge(place, "Ann B.", 1, did="none", issue="I1")
    judge(place, "Ann B.", 2, did="skip")
    answer = client.get(f"{BASE}/sheet", params={"task": "issues", "annotator": "Ann B."})
    assert 'filename="ann-b.csv"' in answer.headers["content-disposition"]
    (tmp_path / "ann-b.csv").write_text(answer.text, encoding="utf-8")
    labels = read_labels([tmp_path / "ann-b.csv"])
    run = read_run(folder)
    table_of(run).add("pairs", label_rows(run, labels))
    judged = judged_by_people(table_of(run))
    assert judged is not None
    assert set(judged.values()) == {frozenset({"I1", "I4"}), frozenset()}


def test_sheets_that_were_filled_in_elsewhere_are_taken_over(
    client: TestClient, folder: Path, queue: Callable[..., str]
):
    one = next(pair for pair in PairTexts(folder).pairs(list(range(200))) if pair.pair.written_for)
    item = item_of_pair(one.number, one.pair)
    header = "id,text,term,attribute,I1,I2,I3,I4,I5,I6,I7,I8,none"
    bare = id_on_sheet(item).removeprefix(f"{one.pair.source}:")
    rows = [f"{bare},{item.text},,,x,,,,,,,,", "elsewhere,Another text.,,,,,,,,,,,x"]
    answer = client.post(f"{BASE}/sheet", data={"sheet": "\n".join([header, *rows]), "as": "cleo"})
    assert "1 judged sentence taken over; 1 more fit no text" in answer.text
    assert marks(folder, "issues") == {"cleo": ["I1"]}
    assert Annotations(folder).items([item.id])[item.id] == item


def test_ratings_that_were_given_elsewhere_are_taken_over_and_come_out_the_same(client: TestClient, folder: Path):
    texts = random_sample(folder, Filters(view="continuations"), 5, 1)
    held = io.StringIO()
    writer = csv.writer(held)
    writer.writerow(["id", "value", "annotator"])
    writer.writerows([one.id, 0.3, who] for one in texts for who in ("ann", "<b>"))
    writer.writerow(["0000000000000000", 1, "ann"])
    answer = client.post(f"{BASE}/sheet", data={"sheet": held.getvalue()})
    assert "does not say what it rates" in problem(answer)
    answer = client.post(f"{BASE}/sheet", data={"sheet": held.getvalue(), "kind": "toxicity"})
    assert "10 ratings taken over; 1 more fit no text" in answer.text
    sheet = client.get(f"{BASE}/sheet", params={"task": "rating:toxicity"}).text
    out = list(csv.DictReader(io.StringIO(sheet)))
    assert {(row["id"], row["value"], row["annotator"]) for row in out} == {
        (one.id, "0.3", who) for one in texts for who in ("ann", "<b>")
    }


def test_a_mark_that_comes_back_as_it_went_out_is_no_new_one(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    place = queue()
    judge(place, "ann", 0, value="-1.0")
    judge(place, "ann", 0, value="1.0", open="1")
    sheet = client.get(f"{BASE}/sheet", params={"task": REGARD}).text
    assert "1 rating taken over" in client.post(f"{BASE}/sheet", data={"sheet": sheet}).text
    [blind] = Annotations(folder).marks(REGARD, blind=True)["ann"].values()
    assert blind.value == "-1.0"


@pytest.mark.parametrize(
    ("sheet", "said"),
    [
        ("", "choose a file"),
        ("id,text\n1,a\n", "not an annotation sheet"),
        ("id,value,annotator\nx,1\n", "cut off"),
        ("id,value,annotator\nx,much,ann\n", "is no rating"),
        ("id,value,annotator,kind\nx,1,ann,regard\n", "no row of the sheet has the id"),
        ("id,I1,I2,I3,I4,I5,I6,I7,I8\nx,q,,,,,,,\n", "write x or 1"),
    ],
)
def test_a_sheet_that_cannot_be_read_changes_nothing(client: TestClient, folder: Path, sheet: str, said: str):
    said_of = problem(client.post(f"{BASE}/sheet", data={"sheet": sheet, "as": "ann"}))
    assert said in said_of
    assert "/tmp" not in said_of
    assert Annotations(folder).tasks() == []


def test_a_value_outside_the_scale_of_the_run_is_refused_whole(client: TestClient, folder: Path):
    texts = random_sample(folder, Filters(view="continuations"), 2, 1)
    rows = "\n".join(f"{one.id},{value},ann,toxicity" for one, value in zip(texts, (0.5, 7), strict=True))
    answer = client.post(f"{BASE}/sheet", data={"sheet": f"id,value,annotator,kind\n{rows}\n"})
    assert "outside 0 to 1, the scale of toxicity" in problem(answer)
    assert Annotations(folder).tasks() == []


@pytest.mark.parametrize("number", ["7", "x", "-1", "1.5"])
def test_a_queue_that_is_not_there_is_not_found(client: TestClient, number: str):
    answer = client.get(f"{BASE}/queues/{number}", headers={"HX-Request": "false"})
    assert answer.status_code == 404
    assert "there is no queue" in answer.text


def test_a_list_leads_to_annotating_what_it_shows(client: TestClient):
    page = html.unescape(client.get(f"{BASE}?group=female&q=the").text)
    assert f'href="{BASE}/annotate?view=continuations&group=female&rater=sentiment.vader.v1&q=the"' in page
    assert "/annotate" not in client.get(f"{BASE}?view=next-words").text


def test_the_page_of_a_text_has_what_people_marked(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    place = queue()
    judge(place, "ann", 0, value="-1.0")
    _, _, number = Annotations(folder).queues()[0].items[0]
    page = client.get(f"{BASE}/c{number}").text
    assert "<dt>ann, ratings of regard</dt><dd>−1</dd>" in page


def test_a_report_without_marks_is_refused(client: TestClient):
    assert "nobody has marked" in problem(client.post(f"{BASE}/report", data={"kind": ""}))


@pytest.mark.slow
def test_what_people_say_is_worked_into_the_report(
    client: TestClient, folder: Path, queue: Callable[..., str], judge: Callable[..., str]
):
    queue()
    two_annotators(folder, "-0+-0+-0+-0+", "-0+-0+-0+-0-")
    place = queue(task="issues", view="pairs", source="generated[by=hf:./writer]", most="6")
    for who in ("ann", "../<b>"):
        for at in range(6):
            judge(place, who, at, **({"issue": ["I4"], "did": "save"} if at % 2 else {"did": "none"}))
    answer = client.post(f"{BASE}/report", data={"kind": "regard"})
    assert "being written" in answer.text
    for _ in range(240):
        state = client.get(f"{BASE}/report-state").text
        if "being written" not in state:
            break
        time.sleep(0.5)
    assert "open the report" in state, state
    data = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    people = data["sentences"]["people"]["generated[by=hf:./writer]"]
    assert people["annotators"] == {"ann": 6, "b": 6}
    assert "people regard" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_mark_does_not_go_over_to_another_sentence_in_the_same_place(folder: Path):
    one = next(pair for pair in PairTexts(folder).pairs(list(range(200))) if pair.pair.written_for)
    kept, before = Annotations(folder), item_of_pair(one.number, one.pair)
    kept.mark("ann", ISSUES_TASK, [(before, "I1")])
    first, second = one.pair.texts
    after = item_of_pair(one.number, replace(one.pair, texts=(f"{first[:-1]}!", f"{second[:-1]}!")))
    assert id_on_sheet(after) == id_on_sheet(before)
    assert said_of(kept, before.id)
    assert not said_of(kept, after.id)


def test_a_name_that_looks_the_same_is_the_same(folder: Path):
    kept = Annotations(folder)
    for name in ("Jos\u00e9", "Jose\u0301"):
        kept.mark(name, ISSUES_TASK, [(Item("x", "continuations", 1, "text"), "I1")])
    assert list(kept.marks(ISSUES_TASK)) == ["Jos\u00e9"]
