"""What is said of long work when nobody watches a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.api import progress
from tiltmeter.api.progress import Bar
from tiltmeter.engine import carry_out
from tiltmeter.study import parse, plan


@pytest.fixture
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for every step."""
    monkeypatch.setattr(progress, "_PAUSE", 0.0)


def test_a_stage_begins_with_what_was_done_already(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar() as bar:
        bar.start("simulated studies", 34350, 0)
        bar.start("scoring with m", 1000, 250)
        bar.advance(1)
    assert capsys.readouterr().err.splitlines() == [
        "simulated studies: 34,350 to do",
        "scoring with m: 250 of 1,000 already done",
    ]


@pytest.mark.usefixtures("talkative")
def test_a_line_has_what_is_done_how_fast_how_long_and_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar() as bar:
        bar.start("scoring with m", 1000, 250)
        capsys.readouterr()
        bar.advance(50, failed=2)
        bar.advance(50, failed=1)
        bar.start("rating by r", 10, 0)
        bar.advance(4, failed=0)
        bar.start("simulated studies", 10, 0)
        bar.advance(4)
    first, second, _, rated, _, uncounted = capsys.readouterr().err.splitlines()
    assert first.startswith("scoring with m: 300 of 1,000, ")
    assert " a second, about 0 s left, 2 without a value" in first
    assert second.startswith("scoring with m: 350 of 1,000, ") and second.endswith(", 3 without a value")
    assert rated.endswith(" left, all with a value")
    assert "value" not in uncounted


@pytest.mark.usefixtures("talkative")
def test_the_stages_of_a_run_say_how_many_items_came_to_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A word without weight makes texts unscored; a text in another language is read by no rater."""
    (tmp_path / "model.toml").write_text("[weights]\nhe = 1\nshe = 1\nart = 0\nmath = 1\nother = 4\n", encoding="utf-8")
    (tmp_path / "pairs.csv").write_text(
        "sentence_1,sentence_2\nhe likes math,she likes math\nhe likes art,she likes art\n",
        encoding="utf-8",
    )
    for language, text in (("en", "The man is"), ("it", "La donna è")):
        (tmp_path / f"{language}.csv").write_text(f"text,group,origin\n{text},g,o\n", encoding="utf-8")
    text = (
        'name = "t"\nmodels = ["scripted:model.toml"]\n[pairs]\nsources = ["pairs-file:pairs.csv"]\n[continuations]\n'
        'sources = ["prompts-file:en.csv", { "prompts-file:it.csv" = { language = "it" } }]\nsamples = 3\n'
        'raters = ["sentiment.vader"]\n[next_words]\nsources = [{ profession-templates = { limit = 2 } }]\n'
        'words = { art = ["art"], math = ["math"] }\n'
    )
    made = plan(parse(text, file=tmp_path / "s.toml"))
    with Bar() as bar:
        carry_out(made, tmp_path / "run", progress=bar)
    said = capsys.readouterr().err.splitlines()
    ends = {line.partition(" with ")[0].partition(" by ")[0].partition(" of ")[0]: line for line in said}
    assert "4 of 4, " in ends["scoring"]
    assert ends["scoring"].endswith(", 2 without a value")
    assert ends["writing texts"].endswith(", all with a value")
    assert ends["rating"].endswith(", 3 without a value")
    assert ends["next words"].endswith(", all with a value")
