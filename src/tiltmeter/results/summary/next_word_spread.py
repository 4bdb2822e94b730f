"""How far templates lie apart in what a model expects: the standard deviations of Table 6."""

from __future__ import annotations

from tiltmeter.results.summary.next_words import Perturbation
from tiltmeter.stats.spread import Spread, spread


def template_spread(found: Perturbation) -> dict[str, Spread]:
    """The spread of the templates' mean certainty, by figure; empty where prompts share no templates.

    >>> from tiltmeter.results.summary.next_words import Expected, summarise_next_words
    >>> from tiltmeter.results.summary.prompts import by_perturbation
    >>> items = [
    ...     Expected(f"{who}/{template}", who, template, {"male": 0.2, "female": 0.1}, highest=sure, gap=0.1)
    ...     for who in ("nurse", "smith")
    ...     for template, sure in (("said", 0.2), ("ate", 0.4))
    ... ]
    >>> found = template_spread(summarise_next_words(by_perturbation(items)).perturbations["original"])
    >>> round(found["highest"].mean, 6), round(found["highest"].sd, 6), found["gap"].sd
    (0.3, 0.141421, 0.0)
    """
    parts = list(found.by_template.values())
    return {
        name: spread([part.certainty[name].value if name in part.certainty else None for part in parts])
        for name in (found.overall.certainty if parts else ())
    }
