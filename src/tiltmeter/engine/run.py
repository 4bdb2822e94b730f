"""The engine: models one after another, batch by batch, each batch written when it is done.

Who does the work is the executor: this process, or the workers of a cluster.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from tiltmeter.engine.asking_again import ask_again
from tiltmeter.engine.continuations import complete
from tiltmeter.engine.costs import accounted
from tiltmeter.engine.executor import Executor
from tiltmeter.engine.identity import current_state, refuse_changed
from tiltmeter.engine.next_words import expect
from tiltmeter.engine.rating import check_raters, panel, rate
from tiltmeter.engine.ray_pool import Cluster
from tiltmeter.engine.scoring import Part, ask_all, fitting, queries_of, record
from tiltmeter.engine.screening import in_fast_format, screen
from tiltmeter.engine.writing import write_items
from tiltmeter.errors import ModelError, RunError, UserError
from tiltmeter.files import refuse_links_in
from tiltmeter.measures.scorers import DEFAULTS, Scorer, find
from tiltmeter.models import Model, ModelSettings
from tiltmeter.models.asking import conditionings_of
from tiltmeter.progress import NoProgress, Progress
from tiltmeter.records import SCREENED, Family
from tiltmeter.store import ANSWERS, Cache, Ledger, Run, RunState, locked, read_run, recover, set_aside
from tiltmeter.store.run_folder import same_results
from tiltmeter.study import Plan, Study


def carry_out(
    plan: Plan,
    folder: str | Path,
    settings: ModelSettings | None = None,
    progress: Progress | None = None,
    *,
    cache: Cache | None = None,
    cluster: Cluster | None = None,
    tell: Callable[[RunState, Path | None], None] | None = None,
) -> Run:
    """Carry out a plan in a run folder; go on where an earlier, interrupted run of the same plan stopped.

    With a cluster, models and raters work there; what is written down is the same. A run that is finished is left
    alone, if its models, raters and packages are those that it was made with; otherwise everything is measured again,
    and the earlier result is set aside. So is that of a study that has changed since, where there is a cache that knows
    what stays the same. What a server left without an answer is asked for again, and what it answers is written in its
    place. `tell` is told what was there, and where the earlier result is now.
    """
    progress = progress or NoProgress()
    path = Path(folder)
    if settings and settings.dtype == SCREENED and not plan.study.sources:
        raise UserError(f"the format `{SCREENED}` is for pairs, and the study has none; name another one")
    # What an API answered stays with the run: however it ends, nothing of it is paid for again.
    chosen = replace(settings or ModelSettings(), answers=path / ANSWERS)
    with locked(path):
        refuse_links_in(path, ANSWERS)
        recover(path)
        state = current_state(path, plan, chosen)
        if state.kind == "finished":
            _told(tell, state, None)
        elif state.kind == "lacking":
            _told(tell, state, None)
            with (
                _executor(chosen, cache, cluster) as executor,
                same_results(path, lambda: not again.gained),
                Ledger(path) as ledger,
                accounted(ledger),
            ):
                again = ask_again(plan, ledger, executor, progress)
                for trouble in again.troubles:
                    _told(tell, replace(state, changes=(trouble,)), None)
                if again.gained:
                    if aside := set_aside(path, ledger=False):
                        _told(tell, RunState("begun"), aside)
                    _go_on(plan, ledger, executor, progress)
        else:
            with _executor(chosen, cache, cluster) as executor:
                anew = state.kind == "outdated" or (state.kind == "changed" and cache is not None)
                # Nothing may lie beside the new result that was made of another one.
                _told(tell, state, set_aside(path, ledger=anew) if anew or state.kind != "changed" else None)
                with Ledger(path) as ledger, accounted(ledger):
                    _go_on(plan, ledger, executor, progress)
    return read_run(path)


def _told(tell: Callable[[RunState, Path | None], None] | None, state: RunState, aside: Path | None) -> None:
    if tell is not None:
        tell(state, aside)


def _go_on(plan: Plan, ledger: Ledger, executor: Executor, progress: Progress) -> None:
    """Do everything that is not done yet."""
    ledger.begin(plan)
    raters = panel(plan, executor)
    check_raters(plan, ledger, raters)
    write_items(plan, ledger, executor, progress)
    # Without sentences that a model wrote, they are those of the plan, which are read faster.
    pairs = ledger.pairs() if plan.study.generated else plan.pairs
    if plan.study.sources and not pairs:
        [(reason, count)] = Counter(one.reason for one in ledger.dropped()).most_common(1) or [("", 0)]
        most = f"; most often, {count:,} times: {reason}" if reason else ""
        raise RunError(f"{ledger.folder}: no written sentence makes a pair, so there is nothing to score{most}")
    seen: dict[str, str] = {}
    for name in plan.study.models:
        model = executor.model(name)
        if model.facts.name in seen:
            raise ModelError(f"`{name}` and `{seen[model.facts.name]}` are the same model; name it once")
        seen[model.facts.name] = name
        scorers = fitting(scorers_for(plan.study, model.facts.family), model, pairs) if plan.study.sources else []
        fast = in_fast_format(name, model, pairs, scorers, executor)
        ledger.record_model(replace(model.facts, dtype=SCREENED) if fast else model.facts)
        others = list(_asked(plan, model))
        if fast:
            ask_all(others, model, ledger, executor, progress)
            known = queries_of(others)
            screen(pairs, scorers, (fast, model), ledger, executor, progress, seed=plan.study.seed, known=known)
        elif plan.study.sources or plan.items:
            ask_all([(pairs, scorers), *others], model, ledger, executor, progress)
            if plan.study.sources:
                record(pairs, scorers, model, ledger)
        complete(plan, model, ledger, executor, progress)
        expect(plan, model, ledger, executor, progress)
        refuse_changed(name, model.facts)
        # There is room for one: the next is loaded when it is gone.
        del model, fast
        gc.collect()
    rate(plan, ledger, raters, executor, progress)
    ledger.finish()


def _executor(
    settings: ModelSettings, cache: Cache | None, cluster: Cluster | None
) -> AbstractContextManager[Executor]:
    if cluster is None:
        return nullcontext(Executor(settings, cache))
    from tiltmeter.engine.ray_executor import ray_executor

    return ray_executor(cluster, settings, cache)


def _asked(plan: Plan, model: Model) -> Iterator[Part]:
    """The items of views that need no more than queries, and how a model is asked about them.

    One that cannot be asked is left to the other views; where there is none, it is refused.
    """
    for view, choices in plan.study.asked.items():
        ways = choices.ways(conditionings_of(model))
        if ways:
            yield plan.items[view], ways
        elif plan.study.views == [view]:
            raise ModelError(choices.unfit(model.facts.name))


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
