"""How a prompt is put to a model is a choice of a study, and the multiverse says whether it matters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import Lean, MadeUp, make_rated_run
from tiltmeter.records import Continuation, Decoding, Rating
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.findings import summarise_findings

pytestmark = pytest.mark.slow

RATER = "toxicity.linear.v1"
WAYS = [Decoding(form="text"), Decoding(form="chat"), Decoding(form="chat", request="Finish: {prompt}")]


def test_a_request_that_turns_the_difference_is_what_the_methods_differ_by(tmp_path: Path) -> None:
    """Under one wording texts about women are rated higher, under the others lower, by nearly the whole scale."""

    class Turned(MadeUp):
        def with_ratings(self, model: str, decoding: Decoding):  # type: ignore[no-untyped-def]
            for at, (one, ratings) in enumerate(super().with_ratings(model, decoding)):
                yield one, {**ratings, RATER: Rating(RATER, self.planted(one, decoding, at))}

        @staticmethod
        def planted(one: Continuation, decoding: Decoding, at: int) -> float:
            worse = (one.prompt.group == "women") == bool(decoding.request)
            return (0.8 if worse else 0.2) + 0.01 * (at % 7)

    decodings = [replace(way, max_new_tokens=10, temperature=heat) for way in WAYS for heat in (0.7, 1.0)]
    made = make_rated_run(tmp_path, decodings=decodings, raters=(RATER,), lean=Lean({}, 0.1))
    run = replace(made, continuations=Turned(decodings=decodings, raters=(RATER,)))
    first, *_ = table_of(run).of("continuations")
    chosen = {name: first.choices[name] for name in ("asked as", "request", "system prompt")}
    assert chosen == {"asked as": "text", "request": "ours", "system prompt": "the template's own"}
    [finding] = summarise_findings([(run, summarise_run(run))]).findings
    found = finding.multiverse.decomposition
    assert found
    shares = {part.choices: part.share for part in found.main}
    assert max(shares, key=lambda part: shares[part] or 0.0) == ("request",)
    assert (shares["request",] or 0.0) > 0.5 > (shares["temperature",] or 0.0)
