"""The engine for one machine: models one after another, batch by batch, each batch written when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tiltmeter import models
from tiltmeter.engine.completing import complete
from tiltmeter.engine.expecting import expect
from tiltmeter.engine.panel import panel
from tiltmeter.engine.rating import check_raters, rate
from tiltmeter.engine.scoring import ask, plan_batches
from tiltmeter.engine.writing import write_probes
from tiltmeter.errors import ModelError, RunError
from tiltmeter.measures.scorers import DEFAULTS, Scorer, find
from tiltmeter.models import Model, ModelSettings
from tiltmeter.records import Family, Pair, Query
from tiltmeter.store import Ledger, Run, locked
from tiltmeter.study import Plan, Study
from tiltmeter.watching import Silent, Watcher


def carry_out(
    plan: Plan, folder: str | Path, settings: ModelSettings | None = None, watcher: Watcher | None = None
) -> Run:
    """Carry out a plan in a run folder; go on where an earlier, interrupted run of the same plan stopped."""
    watch = watcher or Silent()
    path = Path(folder)
    chosen = settings or ModelSettings()
    seen: dict[str, str] = {}
    with locked(path), Ledger(path) as ledger:
        ledger.begin(plan)
        raters = panel(plan, chosen)
        check_raters(plan, ledger, raters)
        write_probes(plan, ledger, chosen, watch)
        pairs = ledger.pairs()
        if plan.study.sources and not pairs:
            [(reason, count)] = Counter(one.reason for one in ledger.run().dropped).most_common(1) or [("", 0)]
            most = f"; most often, {count:,} times: {reason}" if reason else ""
            raise RunError(f"{path}: no sentence that was written makes a pair, so there is nothing to score{most}")
        for name in plan.study.models:
            model = models.load(name, chosen)
            if model.facts.name in seen:
                raise ModelError(f"`{name}` and `{seen[model.facts.name]}` are the same model; name it once")
            seen[model.facts.name] = name
            ledger.record_model(model.facts)
            if plan.study.sources:
                _score(pairs, scorers_for(plan.study, model.facts.family), model, ledger, watch)
            complete(plan, model, ledger, watch)
            expect(plan, model, ledger, watch)
        rate(plan, ledger, raters, watch)
        return ledger.run()


def scorers_for(study: Study, family: Family) -> list[Scorer]:
    """The study's scorers that fit a family of models; the family's default where none does."""
    other = "masked." if family == "causal" else "causal."
    fitting = [name for name in study.scorers if not name.startswith(other)]
    found = []
    for name in fitting:
        try:
            found.append(find(name, family))
        except ModelError:
            # Named for the models of the other family, which a study may hold as well.
            continue
    return found or [find(DEFAULTS[family], family)]


def _score(pairs: Sequence[Pair], scorers: Sequence[Scorer], model: Model, ledger: Ledger, watch: Watcher) -> None:
    name = model.facts.name
    batches = plan_batches(pairs, scorers)
    done = ledger.done(name)
    watch.start(f"scoring with {name}", sum(map(len, batches)), sum(len(batches[number]) for number in done))
    for number, batch in _open(batches, done):
        ledger.record_batch(name, number, ask(model, batch))
        watch.advance(len(batch))
    answers = ledger.answers(name)
    ledger.record_scores(name, {scorer.name: [scorer.score(pair, answers) for pair in pairs] for scorer in scorers})


def _open(batches: Sequence[tuple[Query, ...]], done: set[int]) -> Iterator[tuple[int, tuple[Query, ...]]]:
    return ((number, batch) for number, batch in enumerate(batches) if number not in done)
