"""A small study every few steps of a training run of transformers, logged to wherever the trainer logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.api.frames import Frame
from tiltmeter.api.runs import Run
from tiltmeter.api.shown import Plot, Shown, short
from tiltmeter.api.studies import Study, Table
from tiltmeter.errors import UserError
from tiltmeter.models import given
from tiltmeter.present.blocks import Block, Chart
from tiltmeter.present.charts import Axis, Line, LinePoint, Panel, lines
from tiltmeter.records import Spec
from tiltmeter.results.findings.questions import Question

if TYPE_CHECKING:
    from transformers import Trainer


class Watch(Shown):
    """The findings of a study over the steps of a training run."""

    def __init__(self) -> None:
        self._rows: list[dict[str, object]] = []
        self._titles: dict[str, str] = {}

    def curve(self) -> Frame:
        """A row for each step and finding: by the study's first method, how far it is from neutral, with interval."""
        return Frame.of_rows(self._rows, ("step",))

    def plot(self) -> Plot:
        """The findings over the steps, each in its own panel."""
        return Plot(self._chart())

    def blocks(self) -> Sequence[Block]:
        """The same as a block."""
        return [self._chart()]

    def add(self, step: int, run: Run) -> dict[str, float]:
        """Add what a run says of a step; the figures under the names that a logger gets."""
        logged: dict[str, float] = {}
        for one in run.findings():
            question, figure = one.question, one.leading
            name = _name(question)
            self._titles[name] = question.text
            row = {"step": step, "finding": name, "model": question.model, "view": question.view, "bias": question.bias}
            ends = {"value": figure.value, "low": figure.low, "high": figure.high}
            self._rows.append({**row, **ends, "n": figure.n, "n_unscored": figure.n_unscored, "verdict": one.verdict})
            logged |= {f"{name}/{end}": value for end, value in ends.items() if value is not None}
        return logged

    @property
    def _steps(self) -> list[int]:
        return sorted({int(str(row["step"])) for row in self._rows})

    def _chart(self) -> Chart:
        panels = [Panel(title, (Line("", tuple(self._points(name))),)) for name, title in self._titles.items()]
        axis = Axis("distance from neutral, 95 % interval", neutral=0.0)
        said = f"{len(self._titles)} findings at steps {', '.join(map(str, self._steps))}"
        return Chart("curve", "Findings over the steps of training", lines(panels, "step", axis), said)

    def _points(self, name: str) -> list[LinePoint]:
        own: list[Any] = [row for row in self._rows if row["finding"] == name]
        return [LinePoint(row["step"], row["value"], row["low"], row["high"], f"step {row['step']}") for row in own]

    def __repr__(self) -> str:
        return short("Watch", {"steps": ", ".join(map(str, self._steps)), "findings": len(self._titles)})


def watch(
    trainer: Trainer,
    *,
    every: int,
    specs: Sequence[str | Path | Spec],
    folder: str | Path = "runs/training",
    tokenizer: object = None,
    seed: int = 0,
    **views: Table,
) -> Watch:
    """Carry out a small study before the first step, every `every` steps and at the end; the trainer logs its findings.

    `pairs`, `continuations`, `next_words` and `choices` are as in `Study`. The runs are in FOLDER/step-N, without
    reports; the network is measured at rest and goes on training as it was.
    """
    if every < 1:
        raise UserError(f"every={every}: give a number of steps, 1 or more")
    own = tokenizer or getattr(trainer, "processing_class", None)
    if own is None:
        raise UserError("the trainer has no tokenizer; give it one: watch(trainer, tokenizer=tokenizer, …)")
    asked: Callable[..., Study] = partial(Study, specs=specs, seed=seed, **views)  # type: ignore[arg-type]
    # What is wrong with the study is said now, and not at the first step.
    asked(name="training", models=["scripted"]).plan()
    watched = Watch()
    done: set[int] = set()

    def measure(step: int) -> None:
        if step not in done:
            done.add(step)
            study = asked(name=f"step {step}", models=[given.wrap(trainer.model, own, name=f"step-{step}")])
            run = study.run(Path(folder) / f"step-{step}", cache=False, progress=False, report=False)
            trainer.log(watched.add(step, run))

    trainer.add_callback(_callback(every, measure))
    return watched


def _callback(every: int, measure: Callable[[int], None]) -> Any:
    from transformers import TrainerCallback

    class Callback(TrainerCallback):
        """Measures in the main process, at the ends and at every step that is due."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._measure(state)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step % every == 0:
                self._measure(state)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._measure(state)

        def _measure(self, state: Any) -> None:
            if state.is_world_process_zero:
                measure(state.global_step)

    return Callback


def _name(question: Question) -> str:
    """A short name of a finding, the same at every step."""
    groups = f"/{question.first}-{question.second}" if question.first else ""
    kind = "/stereotype" if question.by_stereotype else ""
    return f"bias/{question.view.replace(' ', '_')}/{question.bias}{groups}{kind}"
