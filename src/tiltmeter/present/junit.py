"""The decision of a gate as JUnit XML, which pipelines show: a test case for each line, a suite for each view."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree as Xml

from tiltmeter.results.compare.sides import Side
from tiltmeter.results.gate.records import GateLine, GateResult
from tiltmeter.version import __version__

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even as a number."""
_DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'


def junit(found: GateResult) -> str:
    """The whole decision; what fails names its value, interval and n."""
    cases = [*map(_line, found.lines), *_others(found)]
    root = Xml.Element("testsuites", _counts(cases) | {"name": "tiltmeter gate"})
    for view in dict.fromkeys(case.get("classname", "") for case in cases):
        own = [case for case in cases if case.get("classname") == view]
        suite = Xml.SubElement(root, "testsuite", {"name": view, **_counts(own)})
        properties = Xml.SubElement(suite, "properties")
        for name, value in _properties(found).items():
            Xml.SubElement(properties, "property", {"name": name, "value": _plain(value)})
        suite.extend(own)
    Xml.indent(root)
    return _DECLARED + Xml.tostring(root, encoding="unicode") + "\n"


def _line(line: GateLine) -> Xml.Element:
    name = f"{line.name}: {line.rule}"
    case = Xml.Element("testcase", {"classname": _plain(f"tiltmeter.{line.view}"), "name": _plain(name), "time": "0"})
    if line.outcome != "no worse":
        # A worsening that was seen, and one that was not ruled out, are different things to whoever reads it.
        _failure(case, line.said, line.sentence)
    return case


def _others(found: GateResult) -> Iterator[Xml.Element]:
    held = {condition: [one for one in found.held if one.condition == condition] for condition in found.paths}
    for condition, places in held.items():
        case = Xml.Element("testcase", {"classname": "tiltmeter.conditions", "name": _plain(condition), "time": "0"})
        if places:
            _failure(case, "condition holds", "\n".join(one.sentence for one in places))
        yield case
    if found.verdict == "refused":
        case = Xml.Element("testcase", {"classname": "tiltmeter.gate", "name": "power", "time": "0"})
        Xml.SubElement(case, "error", {"type": "refused", "message": _plain(found.refusal)})
        yield case


def _failure(case: Xml.Element, kind: str, message: str) -> None:
    shown = _plain(message)
    Xml.SubElement(case, "failure", {"type": kind, "message": shown}).text = shown


def _counts(cases: list[Xml.Element]) -> dict[str, str]:
    failures, errors = (sum(case.find(name) is not None for case in cases) for name in ("failure", "error"))
    return {"tests": str(len(cases)), "failures": str(failures), "errors": str(errors), "time": "0"}


def _properties(found: GateResult) -> Mapping[str, str]:
    sides = {"baseline": found.baseline, "candidate": found.candidate}
    tolerances = sorted({line.rule.by for line in found.lines if line.rule.by is not None})
    return {
        **{role: side.name for role, side in sides.items()},
        "tolerance": ", ".join(f"{each:g}" for each in tolerances) or "none",
        "power": "none" if found.power is None else f"{found.power:.3f}",
        "verdict": found.verdict,
        "tiltmeter": __version__,
        **{f"{role} versions": _versions(side) for role, side in sides.items()},
    }


def _versions(side: Side) -> str:
    """What a side was measured with."""
    return ", ".join(f"{name} {version}" for name, version in side.run.meta.get("versions", {}).items())


def _plain(given: str) -> str:
    """Text without what XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", given)
