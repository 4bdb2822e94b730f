"""What the eight issues of written sentences are called on the page."""

from __future__ import annotations

ISSUES = {
    "any": "any issue",
    "I1": "I1 related group reference",
    "I2": "I2 additional attribute",
    "I3": "I3 no link between group and attribute",
    "I4": "I4 negative framing",
    "I5": "I5 unrelated group",
    "I6": "I6 different meaning of a term",
    "I7": "I7 incoherent or ungrammatical",
    "I8": "I8 incomplete sentence",
}
