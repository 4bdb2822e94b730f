"""Whether the models, raters and packages of a run are still those that it was made with: its figures are theirs.

Models and raters count by the contents of their files, a model of the hub by its commit, and one behind an API by what
its server says of it, which is all that can be known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

from tiltmeter import models
from tiltmeter.engine.executor import Executor
from tiltmeter.engine.rating import GROUPS, JUDGE, panel
from tiltmeter.engine.review import NOBODY
from tiltmeter.errors import ModelError, RunError
from tiltmeter.models import ModelSettings
from tiltmeter.models.device import EXACT
from tiltmeter.records import SCREENED, ModelFacts
from tiltmeter.store import LEDGER, Ledger, RunState, changed_versions, state_of, versions
from tiltmeter.study import Plan

Role = Literal["models", "writers", "readers"]
Facts = Mapping[str, Any]
_WORDS = {
    "weights_sha256": "weights",
    "files_sha256": "configuration, tokenizer or chat template",
    "lexicon_sha256": "lexicon",
}
_SHORT = 12
"""Letters of a hash or a text that are shown."""


def current_state(folder: Path, plan: Plan, settings: ModelSettings) -> RunState:
    """What a run folder holds, seen from a plan and from the models, raters and packages that are there now."""
    state = state_of(folder, plan)
    if state.kind not in ("begun", "finished") or not (folder / LEDGER).is_file():
        return state
    with Ledger(folder, read_only=True) as ledger:
        # One that is not finished refuses other packages by itself: they can be restored, and nothing is lost then.
        packages = list(_packages(ledger)) if state.kind == "finished" else []
        try:
            found = [*packages, *_models(plan, ledger, settings), *_raters(plan, ledger, settings)]
        except ModelError as error:
            raise ModelError(
                f"{error} (the run in {folder} stays as it is; `tiltmeter report {folder}` reads it without its models)"
            ) from error
        lacking = ledger.amendments.missing() if state.kind == "finished" else Counter()
    if found:
        return replace(state, kind="outdated", changes=tuple(found), reported=False)
    return replace(state, kind="lacking", changes=(missing_words(lacking),)) if lacking else state


def missing_words(missing: Counter[str]) -> str:
    """How many answers are missing because of a server, and why.

    >>> missing_words(Counter({"no answer: the connection was dropped": 2, "no answer: status 500": 1}))
    '3 answers are missing because of the server, most often (2): no answer: the connection was dropped'
    """
    total = missing.total()
    [(reason, count)] = missing.most_common(1)
    most = f", most often ({count:,})" if count < total else ""
    answers = "1 answer is" if total == 1 else f"{total:,} answers are"
    return f"{answers} missing because of the server{most}: {reason}"


def refuse_changed(name: str, facts: ModelFacts) -> None:
    """Refuse what a model said whose files are others now than when it was opened: nobody knows what answered."""
    try:
        now = models.identity_of(name)
    except ModelError:
        # They are gone, which takes nothing from what was answered.
        return
    for change in _differences(name, asdict(facts), now or {}):
        raise RunError(
            f"{change} while it was being measured; run the same command again when its files no longer change"
        )


def _packages(ledger: Ledger) -> Iterator[str]:
    for package, (before, now) in changed_versions(ledger.meta()["versions"]).items():
        yield f"{package} was {before or 'missing'} and is {now or 'missing'}"


def _models(plan: Plan, ledger: Ledger, settings: ModelSettings) -> Iterator[str]:
    named: dict[Role, list[str]] = {
        "models": list(plan.study.models),
        "writers": [source.options["by"] for source in plan.study.generated],
        "readers": [one for source in plan.study.generated if (one := source.options.get("reader", NOBODY)) != NOBODY],
    }
    for role, names in named.items():
        noted = ledger.noted(role)
        for name in dict.fromkeys(names if noted else ()):
            now = _known(name, settings)
            yield from _differences(name, noted.get(now["name"], {}), now)


def _known(name: str, settings: ModelSettings) -> Facts:
    """The facts of a model that can be had without loading it, and else all of them."""
    found = models.identity_of(name, fetch=True)
    if found is None:
        facts = asdict(models.load(name, settings).facts)
        # The package that sends the questions has no part in the answers.
        return {**facts, "versions": {key: one for key, one in facts["versions"].items() if key != "httpx"}}
    # vLLM has a device of its own.
    asked = {"dtype": settings.dtype, **({} if "vllm:" in name else {"device": settings.device})}
    return {**found, **{key: value for key, value in asked.items() if value != "auto"}}


def _raters(plan: Plan, ledger: Ledger, settings: ModelSettings) -> Iterator[str]:
    noted = ledger.noted("raters")
    for task in panel(plan, Executor(settings)) if noted else ():
        if task.choice.name == JUDGE:
            judge = _known(task.choice.options["model"], settings)
            before = next((facts for facts in noted.values() if facts.get("model") == judge["name"]), {})
            # What a judge is asked is part of the study, and its name is that of its model.
            yield from _differences(f"judge {judge['name']}", before, {**judge, "model": judge["name"]})
        elif task.choice.name not in GROUPS:
            rater = task.make(())
            if rater.name not in noted:
                yield f"the rater {rater.name} was missing"
            yield from _differences(f"rater {rater.name}", noted.get(rater.name, {}), rater.facts)


def _differences(name: str, before: Facts, now: Facts) -> Iterator[str]:
    """What is not as it was, of what was noted and is known; what an earlier version did not note is not told."""
    # Packages are told by themselves.
    packages = versions()
    for key in (key for key in before if key in now and key not in packages):
        was, is_ = before[key], now[key]
        if key == "versions":
            yield from _differences(name, was, is_)
        elif was != is_ and (key, was, is_) != ("dtype", EXACT, SCREENED):
            shown = (str(one)[:_SHORT] + "…" * (len(str(one)) > _SHORT) or "none" for one in (was, is_))
            yield f"{name}: {_WORDS.get(key, key)} changed ({' before, '.join(shown)} now)"
