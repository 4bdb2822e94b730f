"""The decision of a gate in XML, Markdown and workflow commands, whatever biases and models are called."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree as Xml

import pytest
from rich.console import Console

from tiltmeter.present.github import workflow_commands
from tiltmeter.present.junit import junit
from tiltmeter.present.markdown import write_markdown
from tiltmeter.present.sections.comparing.gate import gate_page
from tiltmeter.present.terminal import show
from tiltmeter.records import Estimate
from tiltmeter.results.compare.records import Compared
from tiltmeter.results.compare.sides import Side
from tiltmeter.results.conditions import Held
from tiltmeter.results.gate.lost import Lost
from tiltmeter.results.gate.records import GateLine, GateResult
from tiltmeter.results.gate.rules import Rule
from tiltmeter.stats.comparing.paired import paired
from tiltmeter.stats.estimate import SHARE

NAMES = [
    "plain",
    "two\nlines",
    "]]><failure/>",
    "a%0A::error::b",
    "a|b|c",
    "<script>alert(1)</script>",
    "bell\x07 and null\x00 and \ufffe",
    "\u202eright to left",
    "::warning title=x::y",
    "lone \ud800 surrogate",
]
CASES = {"testcase": {"failure", "error"}, "testsuite": {"properties", "testcase"}, "testsuites": {"testsuite"}}
ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "time"},
    "testcase": {"name", "classname", "time"},
    "property": {"name", "value"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
}


def result(name: str, **more: Any) -> GateResult:
    words = [str(at // 2) for at in range(20)]
    found = paired([float(at % 4 > 0) for at in range(20)], [float(at % 5 > 0) for at in range(20)], words)
    compared = Compared("pairs", {"source": name, "bias": name, "scorer": name}, found, scale=SHARE)
    rule, limits = Rule("worse", 0.02), Estimate(0.05, 0.03, 0.07, n=1234, n_unscored=5, origins=10)
    worse = GateLine(rule, "pairs", compared.choices, "worse", limits, 0.02, compared, power=0.9)
    lost = Lost(0.1, 12, 96, ((name, 12),))
    unclear = GateLine(rule, "pairs", compared.choices, "not shown", limits, 0.02, compared, lost, 0.9, name)
    gone = GateLine(rule, "next words", {"source": name, "bias": name}, "not shown", reason=name)
    fine = GateLine(rule, "pairs", compared.choices, "no worse", limits, 0.02, compared, power=0.99)
    held = Held(f"{name}.low > 1", name, 2.0, {"model": name}, {"low": 1.0, "high": 3.0, "n": 7})
    side = Side(cast(Any, SimpleNamespace(folder=Path("x"), meta={"versions": {name: "1"}})), name, name)
    lines = more.pop("lines", (worse, unclear, gone, fine))
    return GateResult(side, side, lines, (held,), (f"{name}.low > 1",), failed_checks=(name,), **more)


@pytest.mark.parametrize("name", NAMES)
def test_junit_is_xml_that_tools_accept(name: str) -> None:
    written = junit(result(name))
    root = Xml.fromstring(written.encode())
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", written)
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES.get(element.tag, set())
        assert {child.tag for child in element} <= CASES.get(element.tag, {"property"})
    for suite in root:
        assert suite[0].tag == "properties", "schemas have properties first"
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        assert suite.get("failures") == str(sum(case.find("failure") is not None for case in cases))
        names = {one.get("name"): one.get("value") for one in suite.iter("property")}
        assert names["tolerance"] == "0.02" and float(names["power"] or 0) == pytest.approx(0.79, abs=0.01)
    assert sum(int(suite.get("tests") or 0) for suite in root) == int(root.get("tests") or 0) == 5
    assert [failure.get("type") for failure in root.iter("failure")] == [
        "worse", "not shown", "not shown", "condition holds"
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_workflow_commands_are_one_line_each(name: str) -> None:
    lines = list(workflow_commands(result(name)))
    assert [line.partition(" title=")[0] for line in lines] == ["::error"] * 4 + ["::warning"]
    for line in lines:
        assert "\n" not in line and "\r" not in line
        title, _, message = line.partition(" title=")[2].partition("::")
        assert ":" not in title and "," not in title
        assert re.sub("%(25|0A|0D|3A|2C)", "", title + message).count("%") == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_is_one_table_whatever_names_hold(name: str) -> None:
    page = write_markdown(gate_page(result(name)), "")
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 4
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {8}
    assert "<script>" not in page and "\x07" not in page
    shown = Console(width=300, record=True, file=StringIO())
    show(gate_page(result(name)).blocks, shown)
    assert "\x07" not in shown.export_text()


def test_the_page_says_value_interval_n_and_what_is_missing() -> None:
    page = write_markdown(gate_page(result("gender")), "")
    for part in ("0.02 (2 points of a share)", "+5.0 (3.0 to 7.0)", "1,234", "12", "75.0", "80.0", "12 left out"):
        assert part in page


def test_nothing_is_shown_not_to_be_worse_without_a_tolerance() -> None:
    fine = result("gender").lines[3]
    assert fine.said == "no worse"
    assert replace(fine, rule=Rule("worse", None)).said == "not significantly worse"
    assert replace(fine, rule=Rule("different", None)).said == "not significantly different"


def test_a_gate_of_conditions_alone_says_whether_one_holds() -> None:
    made = result("gender", lines=())
    assert "a condition holds in 1 place" in write_markdown(gate_page(made), "")
    assert "no condition holds" in write_markdown(gate_page(replace(made, held=())), "")


def test_without_power_the_refusal_names_the_weakest_line() -> None:
    made = result("gender")
    lines = tuple(line for line in made.lines if line.outcome == "no worse")
    weak = replace(made, lines=(replace(lines[0], power=0.3, outcome="not shown"),), held=(), attainable=0.1)
    assert weak.verdict == "refused"
    assert "pairs: gender" in weak.refusal and "0.100" in weak.refusal and "30 %" in weak.refusal
    assert [line.startswith("::error title=The gate") for line in workflow_commands(weak)] == [True, False]
    assert replace(weak, insist=True).verdict == "failed"
