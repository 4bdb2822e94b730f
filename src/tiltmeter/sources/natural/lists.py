"""Lists of professions to leave out, as users have them."""

from __future__ import annotations

from pathlib import Path

from tiltmeter.sources.datasets.json_files import read_json
from tiltmeter.sources.profession_templates import read_professions

_GENDERED_FROM = 0.5


def read_leave_out(path: str | Path) -> list[str]:
    """The professions of a list; of one that also says how gendered each is by definition, those that are.

    The latter is what the file of Bolukbasi et al. (2016) looks like: [profession, from −1 (female) to 1 (male), …].
    """
    names = read_professions(path)
    if Path(path).suffix.lower() != ".json":
        return names
    rated = [one for one in read_json(path) if isinstance(one, list) and len(one) > 1 and _is_number(one[1])]
    if not rated:
        return names
    return [str(one[0]).replace("_", " ") for one in rated if abs(one[1]) >= _GENDERED_FROM]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
