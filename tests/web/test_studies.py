"""Studies in the browser: form and TOML, checking, the plan, and the start."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.web.bench import fields_of, opened
from tests.web.hostile import HOSTILE
from tiltmeter.specs import library_text
from tiltmeter.store import locked
from tiltmeter.toml_writing import to_toml
from tiltmeter.web.studies.presets import PRESETS
from tiltmeter.web.studies.values import VIEWS
from tiltmeter.web.workbench import Workbench

ROOT = Path(__file__).resolve().parents[2]
SMALL = 'name = "small"\nspecs = ["gender-math-arts"]\nmodels = ["scripted"]\n[pairs]\n'
LOADED = """
# A comment, which goes when the form is used.
name = "loaded"
models = ["scripted", "smollm2-135m"]
specs = ["gender-math-arts"]
seed = 3

[pairs]
sources = [
  "templates",
  { templates = { per_attribute = 4, agreement = "as-published" } },
  { generated = { by = "smollm2-135m", sets = 2, chat = true, temperature = 0.7 } },
  { rephrased = { family = ["passive", "cleft"], structures = 3 } },
]
scorers = ["as-published", "sum", "causal.mean.v1"]

[continuations]
sources = [
  { own-prompts = { domain = "gender", per_group = 2 } },
  { templates = { openers = ["[T] said that", "I think, as [T]"] } },
]
decoding = { temperature = [0.6, 1.0], whole_sentences = [false, true], max_new_tokens = 20 }
samples = 2
raters = ["sentiment.vader", { judge = { model = "smollm2-135m", question = "regard" } }, "groups.first"]
scope = "completion"
threshold = 0.4

[next_words]
sources = [{ natural = { limit = 3 } }]
words = ["he-she", { kin = ["mother"], work = ["boss"] }]
perturbations = ["original", "person"]
bounded = [false, true]
saliency = "gradient-x-input"

[choices]
sources = ["decisions", { templates = { per_attribute = 3 } }]
scorers = ["text", "choice.letter.v1"]
wordings = "all"
orders = ["given"]
"""


LISTS = """
models = ["scripted"]
[continuations]
reference = ["men"]
decoding = { temperature = [0.6], top_k = 40 }
[next_words]
words = "he-she"
bounded = [true]
combine = ["first", "sum"]
labour_groups = ["a", "b"]
"""


def _bench(folder: Path, **studies: str) -> TestClient:
    (folder / "studies").mkdir()
    for name, text in studies.items():
        (folder / "studies" / f"{name}.toml").write_text(text, encoding="utf-8")
    return opened(folder)


def _changed(client: TestClient, page: str, change: Mapping[str, str | list[str]] | None = None) -> dict[str, Any]:
    """The data of the TOML after a change in the form of a page."""
    fields = {**fields_of(page), **(change or {})}
    answer = client.post("/studies/check?from=form", data=fields)
    assert answer.status_code == 200, answer.text
    text = fields_of(answer.text).get("toml")
    assert text, answer.text
    return tomllib.loads(text[0])


def _files() -> dict[str, str]:
    demo = ROOT / "src/tiltmeter/examples/demo.toml"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (demo, *(ROOT / "examples").glob("*.toml"))}
    presets = {one.key: to_toml({key: value for key, value in one.data.items() if value}) for one in PRESETS}
    return {**texts, **presets, "loaded": LOADED, "lists": LISTS, "small": SMALL, "bare": 'models = ["scripted"]\n'}


@pytest.mark.parametrize("name", sorted(_files()))
def test_a_form_that_nobody_changes_changes_nothing(tmp_path: Path, name: str) -> None:
    text = _files()[name]
    client = _bench(tmp_path, one=text)
    page = client.get("/studies/one")
    before = tomllib.loads(text)
    # A file without a view is one of pairs, which the form writes down.
    views = {"pairs", "continuations", "next_words", "choices"}
    expected = before if views & set(before) else {**before, "pairs": {}}
    assert _changed(client, page.text) == expected


def test_what_the_form_does_not_show_stays(tmp_path: Path) -> None:
    client = _bench(tmp_path, loaded=LOADED)
    page = client.get("/studies/loaded").text
    data = _changed(client, page, {"name": "other", "continuations.samples": "7", "seed": ""})
    before = tomllib.loads(LOADED)
    assert data.pop("name") == "other"
    assert data["continuations"].pop("samples") == 7
    del before["name"], before["seed"], before["continuations"]["samples"]
    assert data == before
    assert "next_words.words" in page
    assert "temperature" in page


def test_a_tick_adds_and_takes_away(tmp_path: Path) -> None:
    client = _bench(tmp_path, small=SMALL)
    page = client.get("/studies/small").text
    fields = fields_of(page)
    rater = next(row for row in fields["continuations.raters"] if fields[f"{row}.name"] == ["toxicity.tiny"])
    rephrased = next(row for row in fields["pairs.sources"] if fields[f"{row}.name"] == ["rephrased"])
    change: dict[str, str | list[str]] = {
        "continuations.on": "yes",
        f"{rater}.on": "yes",
        f"{rephrased}.on": "yes",
        f"{rephrased}.o.structures": "5",
        f"{rephrased}.o.family": "passive, cleft",
        "continuations.decoding.temperature": "0.5, 1",
        "pairs.scorers": ["causal.sum", "masked.as-published"],
        "specs": ["flowers-insects"],
        "models": "scripted\n\n hf:gpt2 \nscripted",
    }
    data = _changed(client, page, change)
    assert data["pairs"]["sources"] == ["templates", {"rephrased": {"structures": 5, "family": ["passive", "cleft"]}}]
    assert data["pairs"]["scorers"] == ["sum", "masked.as-published"]
    assert data["continuations"]["raters"][-1] == "toxicity.tiny"
    assert data["continuations"]["decoding"] == {"temperature": [0.5, 1], "max_new_tokens": 30}
    assert data["specs"] == ["flowers-insects"]
    assert data["models"] == ["scripted", "hf:gpt2"]
    assert "next_words" not in data


def test_questions_with_options_are_ticked_like_other_views(tmp_path: Path) -> None:
    client = _bench(tmp_path, small=SMALL, loaded=LOADED)
    page = client.get("/studies/small").text
    assert "What it chooses (choices)" in page
    assert "log-probability of the letter of each option" in page
    fields = fields_of(page)
    decisions = next(row for row in fields["choices.sources"] if fields[f"{row}.name"] == ["decisions"])
    change: dict[str, str | list[str]] = {
        "choices.on": "yes",
        f"{decisions}.on": "yes",
        "choices.scorers": ["letter", "forced-choice"],
        "choices.orders": ["rotations", "reversed"],
    }
    data = _changed(client, page, change)["choices"]
    assert data == {
        "sources": ["templates", "decisions"],
        "scorers": ["letter", "forced-choice"],
        "orders": ["rotations", "reversed"],
    }
    fewer = _changed(client, client.get("/studies/loaded").text, {"choices.wordings": ["plain"], "choices.orders": []})
    assert (fewer["choices"]["wordings"], fewer["choices"].get("orders")) == (["plain"], None)
    assert fewer["choices"]["scorers"] == ["text", "choice.letter.v1"]


@pytest.mark.parametrize(
    ("specs", "source"), [('specs = ["gender-math-arts"]', "templates"), ("", "own-prompts")], ids=["specs", "none"]
)
def test_a_view_of_texts_begins_small_and_with_the_groups_of_the_specs(tmp_path: Path, specs: str, source: str) -> None:
    client = _bench(tmp_path, one=f'models = ["scripted"]\n{specs}\n[next_words]\n')
    data = _changed(client, client.get("/studies/one").text, {"continuations.on": "yes"})
    assert data["continuations"] == {
        "sources": [{source: {"per_group": 16}}],
        "decoding": {"max_new_tokens": 30},
        "samples": 3,
    }


def test_a_number_that_is_none_is_explained_and_changes_nothing(tmp_path: Path) -> None:
    client = _bench(tmp_path, small=SMALL)
    fields = {**fields_of(client.get("/studies/small").text), "seed": "<b>many</b>"}
    answer = client.post("/studies/check?from=form", data=fields)
    assert "is no number; write a whole number" in answer.text
    assert "&lt;b&gt;" in answer.text
    assert "textarea" not in answer.text


def test_a_study_without_a_view_is_refused_in_a_sentence(tmp_path: Path) -> None:
    client = _bench(tmp_path, small=SMALL)
    fields = fields_of(client.get("/studies/small").text)
    del fields["pairs.on"]
    assert "a study needs a view" in client.post("/studies/check?from=form", data=fields).text


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ('name = "x"\nmodels = ["scriptd"]', 2, "there is no model `scriptd`; did you mean `scripted`?"),
        ('models = ["scripted"]\n[pairs]\nscorers = ["summ"]', 3, "did you mean `sum`?"),
        ('models = ["scripted"\n[pairs]', 2, "not valid TOML"),
        ('models = ["scripted"]\nspecs = ["nope"]\n[pairs]', 2, "nope"),
    ],
)
def test_a_mistake_has_its_line_and_its_sentence(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    answer = opened(tmp_path).post("/studies/check?from=toml", data={"toml": text})
    assert f'data-line="{line}"' in answer.text
    assert sentence in answer.text


def test_text_changes_the_form_unless_it_is_no_toml(tmp_path: Path) -> None:
    client = opened(tmp_path)
    answer = client.post("/studies/check?from=toml", data={"toml": SMALL.replace("small", "renamed")})
    assert fields_of(answer.text)["name"] == ["renamed"]
    answer = client.post("/studies/check?from=toml", data={"toml": "name ="})
    assert "fieldset" not in answer.text
    assert 'class="hint"' in answer.text


@pytest.mark.parametrize("odd", [3, 2.5, True, "x", [], [1], ["x", {"a": {"b": 1}}], {}, {"x": [{"y": 1}]}])
def test_values_of_the_wrong_kind_are_explained(tmp_path: Path, odd: Any) -> None:
    client = opened(tmp_path)
    data = tomllib.loads(LOADED)
    inside = {key: dict.fromkeys(value, odd) if key in VIEWS else value for key, value in data.items()}
    for made in (dict.fromkeys(data, odd), inside):
        text = to_toml(made)
        assert tomllib.loads(text) == made
        shown = client.post("/studies/check?from=toml", data={"toml": text})
        assert shown.status_code == 200
        assert 'class="problem"' in shown.text
        fields = {**fields_of(shown.text), "toml": text}
        assert client.post("/studies/check?from=form", data=fields).status_code == 200


@pytest.mark.parametrize("with_folder", [True, False])
def test_specs_of_the_workbench_are_found_by_name(tmp_path: Path, with_folder: bool) -> None:
    (tmp_path / "specs").mkdir()
    own = library_text("gender-math-arts").replace('name = "gender-math-arts"', 'name = "mine"')
    (tmp_path / "specs" / "mine.toml").write_text(own, encoding="utf-8")
    if with_folder:
        (tmp_path / "studies").mkdir()
    client = opened(tmp_path)
    page = client.get("/studies/new?spec=mine&model=scripted").text
    text = fields_of(page)["toml"][0]
    assert tomllib.loads(text)["specs"] == ["../specs/mine.toml"]
    assert 'class="problem"' not in page
    assert "pairs over 1 bias<" in client.post("/studies/plan", data={"toml": text}).text
    saved = client.post("/studies/save", data={"toml": text})
    assert saved.headers["HX-Redirect"] == "/studies/mine"
    assert 'class="problem"' not in client.get("/studies/mine").text


def test_a_draft_spec_is_named_where_a_study_uses_it(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "draft.toml").write_text('name = "draft"\n', encoding="utf-8")
    client = _bench(tmp_path)
    text = SMALL.replace("gender-math-arts", "../specs/draft.toml")
    answer = client.post("/studies/check?from=toml", data={"toml": text}).text
    assert "specs/draft.toml" in answer
    assert str(tmp_path) not in answer
    assert "a draft: it has mistakes" in answer


def test_the_plan_says_what_it_takes_and_what_is_left_out(tmp_path: Path) -> None:
    client = opened(tmp_path)
    text = LOADED.replace('"scripted", "smollm2-135m"', '"api:m@http://127.0.0.1:9/v1?price_in=1&price_out=2"')
    text = text.replace('scorers = ["as-published", "sum", "causal.mean.v1"]', 'scorers = ["sum"]')
    answer = client.post("/studies/plan", data={"toml": text}).text
    assert "cannot be the subject of" in answer
    assert "requests" in answer
    assert "which cost at most" in answer
    assert "not known yet" in answer
    assert fields_of(answer)["expected"] == ["new"]
    assert fields_of(answer)["run"] == ["loaded"]


def test_the_plan_explains_what_only_planning_finds(tmp_path: Path) -> None:
    text = 'models = ["scripted"]\n[pairs]\n'
    answer = opened(tmp_path).post("/studies/plan", data={"toml": text}).text
    assert "makes no pairs" in answer
    assert 'data-line="2"' in answer


def test_saving_needs_a_name_that_is_free(tmp_path: Path) -> None:
    client = _bench(tmp_path, small=SMALL)
    for text, sentence in (
        ('models = ["scripted"]', "no name yet"),
        (SMALL, "there is a study <code>small</code> already"),
        (SMALL.replace("small", "New!"), "there is a study <code>new</code> already"),
        ("name =", "cannot be read"),
    ):
        answer = client.post("/studies/save", data={"toml": text})
        assert (answer.status_code, sentence in answer.text) == (422, True), answer.text
    changed = SMALL.replace("[pairs]", "seed = 5\n[pairs]")
    seen = fields_of(client.get("/studies/small").text)["opened"][0]
    assert client.post("/studies/save", data={"toml": changed, "file": "small", "opened": seen}).status_code == 204
    assert (tmp_path / "studies" / "small.toml").read_text() == changed
    assert sorted(path.name for path in (tmp_path / "studies").iterdir()) == ["small.toml"]


def test_a_study_that_is_not_finished_can_be_kept(tmp_path: Path) -> None:
    client = opened(tmp_path)
    answer = client.post("/studies/save", data={"toml": 'name = "later"\nmodels = []'})
    assert answer.headers["HX-Redirect"] == "/studies/later"
    assert "no model to measure" in client.get("/studies").text


def test_a_study_is_downloaded_copied_and_removed(tmp_path: Path) -> None:
    client = _bench(tmp_path, small=SMALL)
    answer = client.get("/studies/small/file")
    assert answer.text == SMALL
    assert "attachment" in answer.headers["Content-Disposition"]
    copied = fields_of(client.get("/studies/new?from=small").text)
    assert (copied["toml"], copied["file"]) == ([SMALL.rstrip("\n") + "\n"], [""])
    assert client.delete("/studies/small").headers["HX-Redirect"] == "/studies"
    assert not list((tmp_path / "studies").iterdir())
    assert "there is no study <code>small</code>" in client.get("/studies/small").text


def test_nothing_in_a_study_is_ever_markup(tmp_path: Path) -> None:
    texts = {
        f"odd-{at}": to_toml(
            {"name": odd, "models": [odd], "specs": [odd], odd or "x": odd, "pairs": {"scorers": [odd]}}
        )
        for at, odd in enumerate(HOSTILE)
    }
    client = _bench(tmp_path, **texts)
    client.headers.pop("HX-Request")
    answers = [client.get("/studies")]
    for name, text in texts.items():
        page = client.get(f"/studies/{name}")
        # Browsers send line breaks as two characters, and tell no others from them.
        assert fields_of(page.text)["toml"] == [text.replace("\r", "\n")]
        answers += [
            page,
            client.post("/studies/check?from=form", data=fields_of(page.text)),
            client.post("/studies/plan", data={"toml": text}),
        ]
    for answer in answers:
        assert answer.status_code == 200
        assert "<script>window" not in answer.text
        assert "<img" not in answer.text
        assert "<svg/" not in answer.text
        assert "<div hx-get='/specs'" not in answer.text


@pytest.mark.parametrize("name", ["../secret", "..%2Fsecret", "nope", "%00"])
def test_a_name_never_leaves_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.toml").write_text(SMALL)
    client = _bench(tmp_path)
    client.headers.pop("HX-Request")
    assert client.get(f"/studies/{name}").status_code == 404
    assert client.get(f"/studies/{name}/file").status_code == 404
    assert (tmp_path / "secret.toml").is_file()


def test_a_start_is_refused_where_the_page_is_out_of_date(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    client = opened(bench)
    for expected, run, sentence in (
        ("begun", "small", "look at the plan again"),
        ("new", "../small", "cannot be the name of a run"),
    ):
        answer = client.post("/studies/start", data={"toml": SMALL, "run": run, "expected": expected})
        assert (answer.status_code, sentence in answer.text) == (422, True), answer.text
    assert not list(tmp_path.iterdir())
    assert not list(bench.jobs)


@pytest.mark.slow
def test_a_study_is_started_watched_and_not_made_twice(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    client = opened(bench)
    plan = fields_of(client.post("/studies/plan", data={"toml": SMALL}).text)
    answer = client.post("/studies/start", data={"toml": SMALL, **plan})
    assert answer.headers["HX-Redirect"] == "/runs/small"
    end = time.monotonic() + 240
    while bench.jobs.status(tmp_path / "runs" / "small").state != "finished":
        assert time.monotonic() < end
        time.sleep(0.1)
    assert "See the results" in client.get("/runs/small").text
    again = client.post("/studies/plan", data={"toml": SMALL, "file": "small"}).text
    assert fields_of(again)["expected"] == ["finished"]
    checked = client.post("/studies/start", data={"toml": SMALL, "file": "small", **fields_of(again)})
    assert checked.headers["HX-Redirect"] == "/runs/small"
    while bench.jobs.status(tmp_path / "runs" / "small").state != "finished":
        assert time.monotonic() < end
        time.sleep(0.1)
    assert not (tmp_path / "runs" / "small" / "before.1").exists()
    changed = client.post("/studies/plan", data={"toml": SMALL.replace("math-arts", "science-arts"), "file": "small"})
    assert fields_of(changed.text)["expected"] == ["changed"]
    assert "judging by earlier runs here" in again


def test_nobody_saves_over_what_somebody_else_changed(tmp_path: Path) -> None:
    client = _bench(tmp_path, small=SMALL)
    seen = fields_of(client.get("/studies/small").text)["opened"][0]
    theirs = SMALL.replace("[pairs]", "seed = 5\n[pairs]")
    (tmp_path / "studies" / "small.toml").write_text(theirs)
    sent = {"toml": SMALL.replace("[pairs]", "seed = 6\n[pairs]"), "file": "small", "opened": seen}
    answer = client.post("/studies/save", data=sent)
    assert (answer.status_code, "was changed elsewhere" in answer.text) == (422, True)
    assert (tmp_path / "studies" / "small.toml").read_text() == theirs
    # Whoever sends what is there already has lost nothing.
    assert client.post("/studies/save", data={**sent, "toml": theirs}).status_code == 204


def test_after_a_start_that_was_refused_the_page_goes_on_from_what_was_saved(tmp_path: Path) -> None:
    client = _bench(tmp_path)
    page = {name: values[0] for name, values in fields_of(client.get("/studies/new?preset=prefers-small").text).items()}
    (tmp_path / "runs" / "small").mkdir(parents=True)
    with locked(tmp_path / "runs" / "small"):
        plan = fields_of(client.post("/studies/plan", data={"toml": SMALL}).text)
        answer = client.post("/studies/start", data={**page, **plan, "toml": SMALL, "run": "small", "expected": "new"})
    assert (answer.status_code, "is under way already" in answer.text) == (422, True)
    now = {name: values[0] for name, values in fields_of(answer.text).items()}
    assert now["file"] == "small"
    assert answer.text.count("hx-swap-oob") == 2
    changed = SMALL.replace("[pairs]", "seed = 6\n[pairs]")
    saved = client.post("/studies/save", data={**page, **now, "toml": changed})
    assert saved.headers["HX-Redirect"] == "/studies/small"
    assert (tmp_path / "studies" / "small.toml").read_text() == changed


def test_a_number_of_thousands_of_digits_is_a_mistake_with_a_sentence(tmp_path: Path) -> None:
    text = f"seed = {'9' * 5000}"
    answer = opened(tmp_path).post("/studies/check", data={"toml": text})
    assert (answer.status_code, "thousands of digits" in answer.text) == (200, True)


@pytest.mark.parametrize("place", ["../../other/mine.py", "../link/mine.py", "../runs/theirs/mine.py", "json"])
def test_python_from_elsewhere_is_not_run(tmp_path: Path, place: str) -> None:
    """A study that came with a run may name a file beside it."""
    home, other = tmp_path / "bench", tmp_path / "other"
    for folder in (home / "studies", home / "runs" / "theirs", other):
        folder.mkdir(parents=True)
        (folder / "mine.py").write_text("def f(texts): return [0.0] * len(texts)\n", encoding="utf-8")
    (home / "link").symlink_to(other)

    def study(named: str) -> str:
        rater = f"python:{named}:f[range=0..1;worse=high]"
        return f'name = "x"\nmodels = ["scripted"]\n[continuations]\nsamples = 1\nraters = ["{rater}"]\n'

    client = opened(home)
    for page in ("/studies/plan", "/studies/start"):
        answer = client.post(page, data={"toml": study(place), "run": "x", "expected": "new"})
        assert "the workbench runs Python only from a file in its own folder" in answer.text
    assert not (home / "runs" / "x").exists()
    assert "Python only" not in client.post("/studies/plan", data={"toml": study("mine.py"), "run": "x"}).text
