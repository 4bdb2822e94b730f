"""What a model expects of occupations against who works in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import UserError
from tiltmeter.sources.labour_files import Matched, Occupation, match
from tiltmeter.stats.views.labour import against_world

if TYPE_CHECKING:
    from tiltmeter.results.summary.prompts import Prompts

_WOMEN = ("female", "women", "woman", "she")
_MEN = ("male", "men", "man", "he")


@dataclass(frozen=True, slots=True)
class Labour:
    """A table of occupations, and which groups its shares are of; found by their names unless told."""

    occupations: tuple[Occupation, ...]
    of: str | None = None
    """The group whose share the table gives."""
    against: str | None = None
    """The group that makes up the rest."""
    by_head: bool = False

    def compared(self, prompts: Prompts, *, level: float) -> dict[str, Any]:
        """Correlation, slope and mean difference over the professions that the table knows; the others are listed."""
        from tiltmeter.results.summary.next_words import shares_by_profession

        groups = list(prompts.chances)
        of, against = self._group(groups, self.of, _WOMEN), self._group(groups, self.against, _MEN)
        model = shares_by_profession(prompts, of, against)
        matched = match(model, self.occupations, by_head=self.by_head)
        found = against_world(list(model.values()), [each.share for each in matched], level=level)
        return {
            "group": of,
            "against": against,
            **found.as_json(),
            "notes": {name: one.note for name, one in found.estimates.items() if one.note},
            "matched": [_line(each, model[each.profession]) for each in matched if each.share is not None],
            "unmatched": [each.profession for each in matched if each.how == "unmatched"],
            "without_figure": [each.profession for each in matched if each.how == "missing"],
        }

    @staticmethod
    def speaks_of(groups: Sequence[str]) -> bool:
        """Whether women and men are among the groups, by the names that are found without being told."""
        return all(any(group in usual for group in groups) for usual in (_WOMEN, _MEN))

    def _group(self, groups: Sequence[str], given: str | None, usual: Sequence[str]) -> str:
        wanted = [given] if given is not None else usual
        found = next((group for group in groups if group in wanted), None)
        if found is None:
            raise UserError(
                f"labour statistics need the groups of women and men; here are {', '.join(groups)}, none of them "
                f"called {' or '.join(wanted)}: say which they are with --labour-groups WOMEN,MEN"
            )
        return found


def _line(matched: Matched, model: float | None) -> dict[str, Any]:
    return {
        "profession": matched.profession,
        "model": model,
        "world": matched.share,
        "titles": list(matched.titles),
        "how": matched.how,
    }
