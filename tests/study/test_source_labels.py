"""Results say which of two sources they are of."""

from __future__ import annotations

from tiltmeter.study import parse

STUDY = """\
name = "x"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [
  { generated = { by = "smollm2-135m", shots = "own" } },
  { generated = { by = "smollm2-135m", shots = "fixed" } },
  { generated = { by = "smollm2-135m", shots = "similar", temperature = 0.5 } },
  { generated = { by = "scripted" } },
]
"""


def test_generated_sources_are_told_apart_by_what_they_differ_in() -> None:
    assert [source.label for source in parse(STUDY).sources] == [
        "generated[by=smollm2-135m, shots=own, temperature=0.8]",
        "generated[by=smollm2-135m, shots=fixed, temperature=0.8]",
        "generated[by=smollm2-135m, shots=similar, temperature=0.5]",
        "generated[by=scripted]",
    ]
