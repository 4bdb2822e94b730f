"""The texts of one run, as every section on continuations reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tiltmeter.present.blocks import Block, Place
from tiltmeter.present.charts import group_colours
from tiltmeter.present.decodings import decoding_words, rater_words
from tiltmeter.present.reported import Reported
from tiltmeter.records import Decoding
from tiltmeter.results.names import Names
from tiltmeter.results.summary.by_rater import Board, Pairs, boards, compared_groups
from tiltmeter.results.summary.text_records import PEOPLE, ContinuationCell, ContinuationsSummary
from tiltmeter.store import Continuations, Run


@dataclass(frozen=True)
class RunTexts:
    """A run with what its models wrote, what that comes to, and what things are called."""

    run: Run
    kept: Continuations
    summary: ContinuationsSummary
    names: Names
    title: str
    """Of the run, where a report is of several."""

    @cached_property
    def compared(self) -> dict[str, Pairs]:
        """By bias, the groups that the study compares."""
        return compared_groups(self.run, self.summary)

    @cached_property
    def boards(self) -> list[Board]:
        """Settings by raters, for every model, bias and comparison."""
        return boards(self.summary, self.compared)

    def group(self, name: str, bias: str) -> str:
        """What a group of a bias is called."""
        return self.names.group(name, bias)

    def groups(self, names: Sequence[str], bias: str) -> str:
        """Two groups, the second taken from the first."""
        return " − ".join(self.group(name, bias) for name in names)

    def decoding(self, decoding: Decoding) -> str:
        """What a decoding is called."""
        return decoding_words(decoding, self.kept.decodings)

    def colours(self, bias: str) -> dict[str, str]:
        """The colour of each group of a bias, by what it is called, in the order of its spec."""
        specs = self.run.meta["resolved"]["specs"]
        own = bias.partition(":")[0]
        known = [group["name"] for spec in specs if spec["name"] == own for group in spec.get("groups", ())]
        known += [group for cell in self.summary.cells if cell.bias == bias for group in cell.summary.groups]
        return group_colours(self.group(name, bias) for name in known)

    def where(self, cell: ContinuationCell) -> str:
        """The choices of a cell, in words."""
        return f"{cell.source}, {self.decoding(cell.decoding)}, {rater_words(cell.rater)}"

    def place(self, cell: ContinuationCell, *groups: str, **more: str) -> Place:
        """Where the texts of a cell are: those about one or two groups, where they are named."""
        rater = {} if cell.rater.startswith(PEOPLE) else {"rater": cell.rater}
        # Texts that name a group only after the prompt are the same for all groups.
        named = () if cell.rater.startswith("groups.") else groups
        return {
            "view": "continuations",
            "model": cell.model,
            "source": cell.source,
            "bias": cell.bias,
            "decoding": str(self.kept.decodings.index(cell.decoding)),
            **rater,
            **dict(zip(("group", "other"), named, strict=False)),
            **more,
        }

    def name(self, *parts: str) -> str:
        """The name of a chart's files."""
        return " ".join(filter(None, (*parts, self.title)))


def texts_of(found: Reported) -> list[RunTexts]:
    """The runs of a report whose models wrote texts; none where only findings are known."""
    if not found.summaries:
        return []
    several = len(found.runs) > 1
    return [
        RunTexts(
            run,
            run.continuations,
            summary.continuations,
            found.names,
            f"{run.meta['resolved']['name']}, {run.folder.name}" if several else "",
        )
        for run, summary in found.runs
        if run.continuations and summary.continuations
    ]


def shown(*blocks: Block | None) -> tuple[Block, ...]:
    """The blocks that there are."""
    return tuple(one for one in blocks if one)


def titled(title: str, texts: RunTexts) -> str:
    """A heading, with the run where there are several."""
    return f"{title} ({texts.title})" if texts.title else title
