"""How sure the instrument is: a known tilt is planted, and simulated studies say how often it is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter import models, raters, store
from tiltmeter.api.frames import Frame
from tiltmeter.api.shown import short
from tiltmeter.engine import calibration as engine
from tiltmeter.engine import calibration_pools
from tiltmeter.engine.calibration_pools import QUICK, PoolSettings
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.models import Model, ModelSettings
from tiltmeter.progress import NoProgress, Progress
from tiltmeter.results.cells import table_of
from tiltmeter.stats.calibration.coverage import FEWEST_TILTED, Pool, ViewCalibration
from tiltmeter.stats.estimates import FEWEST_ORIGINS

VIEWS = ("pairs", "next_words", "natural", "continuations")
SIZES = (20, 50, 200)
"""Test words of simulated studies, where nobody says otherwise."""
FAILS, TOO_FEW = "FAILS", "too few studies"
_SENTENCE_ORIGINS = 50
"""The sentence about a view speaks of so many origins, or of the number next to it."""
_SPOKEN_FOR = {"pairs": "margin", "next_words": "log_ratio", "natural": "log_ratio", "continuations": "negative_shared"}
"""The estimator that the sentence about a view speaks of."""


@dataclass(frozen=True, slots=True, repr=False)
class Calibration:
    """What the instrument reads of planted tilts: coverage, false alarms and power, by view and estimator."""

    model: str
    pools: PoolSettings
    studies: int
    quick: bool
    seed: int
    found: Sequence[ViewCalibration]

    @property
    def sentences(self) -> dict[str, str | None]:
        """By view, what a study of about 50 test words can detect."""
        return {view: sentence(view, self.found) for view in dict.fromkeys(one.view for one in self.found)}

    @property
    def failing(self) -> list[str]:
        """The checks that fail."""
        return paths(self.found, FAILS)

    def estimates(self) -> Frame:
        """A row for each view, estimator and number of test words."""
        return Frame.of_rows(
            {
                "view": one.view,
                "estimator": one.estimator,
                "test_words": one.origins,
                "result": mark(one),
                "coverage": one.neutral.held.value,
                "false_alarms": one.neutral.alarms.value,
                "detects_from": one.smallest,
            }
            for one in self.found
        )

    def as_json(self) -> dict[str, object]:
        """Everything, as `--json` prints it."""
        result: dict[str, Any] = {
            "model": self.model,
            "quick": self.quick,
            "studies": self.studies,
            "seed": self.seed,
            "pools": self.pools.as_json(),
            "sentences": self.sentences,
            "failing": self.failing,
            "too_few_studies": paths(self.found, TOO_FEW),
        }
        for one in self.found:
            by_estimator = result.setdefault(one.view, {}).setdefault(one.estimator, {})
            by_estimator[str(one.origins)] = one.as_json()
        return result

    def _repr_html_(self) -> str:
        return self.estimates()._repr_html_()

    def __repr__(self) -> str:
        return short("Calibration", {"of": self.model, "checks": len(self.found), "failing": len(self.failing)})


def calibrate(
    model: str = "smollm2-135m",
    *,
    views: Sequence[str] = (),
    test_words: Sequence[int] = SIZES,
    like: store.Run | str | Path | None = None,
    studies: int = 5000,
    quick: bool = False,
    seed: int = 0,
    workers: int = 1,
    settings: ModelSettings | None = None,
    progress: Progress | None = None,
) -> Calibration:
    """Plant a known tilt in a model and see how often simulated studies find it, and how often they find none.

    `like` takes the numbers of test words from a run. More `workers` are further processes, which a script has to be
    ready for: it then needs `if __name__ == "__main__":`.
    """
    if not isinstance(model, str):
        raise UserError("a calibration loads its model by name, several times and in other processes; give a name")
    if studies < 1:
        raise UserError(f"studies={studies}: at least 1 study is simulated")
    chosen = _checked(views)
    sizes = tuple(dict.fromkeys(_numbers_of(like) if like is not None else test_words))
    models.check_name(model)
    pooled = replace(QUICK if quick else PoolSettings(), seed=seed)
    watched = progress or NoProgress()
    made = _pools(model, settings or ModelSettings(), chosen, pooled, watched)
    repeats = engine.Repeats.of(studies, quick=quick)
    found = engine.calibrate(made, sizes, repeats, seed=seed, workers=workers, progress=watched)
    return Calibration(model, pooled, studies, quick, seed, found)


def _numbers_of(run: store.Run | str | Path) -> list[int]:
    """How many test words the biases of a run have, where there are enough for an interval."""

    count = "count(DISTINCT origin)"
    query = f"SELECT {count} AS n FROM items GROUP BY view, source, bias HAVING {count} >= {FEWEST_ORIGINS}"
    opened = run if isinstance(run, store.Run) else store.read_run(run)
    found = sorted({row["n"] for row in table_of(opened).stream(query)})
    if not found:
        raise UserError(
            f"no bias of the run has {FEWEST_ORIGINS} test words, which an interval takes", file=opened.folder
        )
    return found


def _pools(
    name: str, settings: ModelSettings, views: Sequence[str], sizes: PoolSettings, progress: Progress
) -> list[Pool]:
    """The pools of the views, from the cache or by asking the model."""

    def loaded(view: str) -> Model:
        # The built-in table leans in two professions alone; there would be nothing to see.
        return calibration_pools.table_model(professions=view == "pairs") if name == "scripted" else whole

    whole = models.load("scripted" if set(views) == {"continuations"} else name, settings)
    makers: dict[str, Callable[[Model], Pool]] = {
        "pairs": lambda model: calibration_pools.pairs_pool(model, sizes, progress),
        "next_words": lambda model: calibration_pools.next_words_pool(model, sizes, progress),
        "natural": lambda model: calibration_pools.natural_pool(model, sizes, progress),
        "continuations": lambda _: calibration_pools.texts_pool(raters.load("sentiment.vader"), sizes, progress),
    }
    made = []
    for view in views:
        asked = loaded(view)
        facts = asked.facts
        key = "" if view == "continuations" else f"{facts.weights_sha256}/{facts.files_sha256}/{facts.dtype}"
        made.append(engine.kept(key, sizes, view, lambda view=view, asked=asked: makers[view](asked)))  # type: ignore[misc]
    return made


def sentence(view: str, found: Sequence[ViewCalibration]) -> str | None:
    """What the instrument sees in a view, in plain words."""
    spoken = [one for one in found if (one.view, one.estimator) == (view, _SPOKEN_FOR[view])]
    if not spoken:
        return None
    one = min(spoken, key=lambda each: (abs(each.origins - _SENTENCE_ORIGINS), each.origins))
    what = "shares of negative texts that differ by" if view == "continuations" else "tilts of"
    where = f"{view.replace('_', ' ')}, {one.estimator}"
    if one.keeps_alarms is False:
        return f"{where}: with {one.origins} test words there are too many false alarms to say what a study can detect"
    if not one.knows_power:
        few = f"{one.drawn_tilted} of each tilt where {FEWEST_TILTED} are needed: raise --studies"
        return f"{where}: too few studies to say what a study can detect ({few})"
    if one.smallest is None:
        most = max(one.tilted, default=0.0)
        return f"{where}: with {one.origins} test words a study cannot detect {what} {most:g} with 80 % power"
    seen = f"{what} {one.smallest:.2g} or more (80 % power, {one.origins} test words)"
    return f"{where}: a study of this design can detect {seen}"


def _checked(views: Sequence[str]) -> list[str]:
    for view in views:
        if view.replace("-", "_") not in VIEWS:
            raise UnknownName("view", view, list(VIEWS))
    return list(dict.fromkeys(view.replace("-", "_") for view in views or VIEWS))


def paths(found: Sequence[ViewCalibration], marked: str) -> list[str]:
    """The names of the readings that have a mark."""
    return [f"{one.view}.{one.estimator}.{one.origins}" for one in found if mark(one).startswith(marked)]


def mark(one: ViewCalibration) -> str:
    """OK, what fails, or that there is too little to say either."""
    failing = [name for name, good in (("coverage", one.covers), ("false alarms", one.keeps_alarms)) if good is False]
    if failing:
        return f"{FAILS}: {', '.join(failing)}"
    return "OK" if one.is_known else TOO_FEW
