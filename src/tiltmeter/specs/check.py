"""Turns the data of a spec file into a Spec, or says in one sentence each what is wrong with it."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, get_args

from tiltmeter.records import AttributeKind, AttributeSet, Group, Spec, TermKind
from tiltmeter.specs.typing_mistakes import is_example, run_together
from tiltmeter.toml import Path
from tiltmeter.word_kinds import number_fault

TOP_KEYS = [
    *("name", "title", "citation", "note", "reference", "compare", "benchmark", "published_as"),
    *("templates", "groups", "attributes"),
]
GROUP_NAMES = ("noun", "singular", "pronoun")
GROUP_KEYS = ["terms", "kind", *GROUP_NAMES, "published_as"]
ATTRIBUTE_KEYS = ["terms", "kind", "stereotype_of", "neutral", "published_as"]

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 5_000
"""Characters of a text of a spec."""
_PLACEHOLDER = re.compile(r"\[[^\[\]]*\]")
# Signs that nobody sees and that no tokenizer expects: zero-width space, byte-order mark, direction overrides.
_INVISIBLE = frozenset("\u200b\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a table"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and the way to it."""

    path: Path
    sentence: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The spec, where there is nothing wrong with it, and the problems, where there are some."""

    spec: Spec | None
    problems: tuple[Problem, ...]


def check(data: Mapping[str, Any], *, slugs: bool = True) -> Checked:
    """Check the data of one spec; `slugs=False` lets groups and attribute sets have any name (other formats do).

    >>> check({"name": "x", "groups": {"a": {"terms": ["he"]}}}).problems[0].sentence
    'a spec needs two or more groups to compare; this one has 1'
    """
    return _Check(data, slugs).run()


def warnings(spec: Spec) -> list[str]:
    """What can be used and reads badly: templates that speak of one and terms that name several, and the reverse.

    >>> groups = Group("x", ("a cat",)), Group("y", ("a dog",))
    >>> warnings(Spec("b", "B", groups, templates=("[T] are [A]",)))[0]
    "in the template '[T] are [A]', `are` does not fit the term `a cat`"
    """
    return [
        f"in the template '{template}', `{word}` does not fit the term `{term}`"
        for template in spec.templates
        for group in spec.groups
        for term in group.terms
        if (word := number_fault(template, term, group, spec))
    ]


def slug(text: str) -> str:
    """The nearest slug: small letters, digits and single hyphens.

    >>> slug("Eur.-AmericanNames_1")
    'eur-american-names-1'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", plain)
    return re.sub(r"[^a-z0-9]+", "-", apart.lower()).strip("-")


def is_slug(text: str) -> bool:
    """Whether a text is small letters, digits and single hyphens.

    >>> is_slug("gender-math-arts"), is_slug("Gender")
    (True, False)
    """
    return _SLUG.fullmatch(text) is not None


def slug_problem(name: str) -> str:
    """The sentence that refuses a name which is not a slug.

    >>> slug_problem("My Group")
    '`My Group` is not a usable name: use only lower-case letters, digits and hyphens, such as `my-group`'
    """
    example = slug(name) or "my-group"
    shown = name if name.strip() and not _unprintable(name) else repr(name)
    return f"`{shown}` is not a usable name: use only lower-case letters, digits and hyphens, such as `{example}`"


class _Check:
    """Collects every problem; a part that is wrong is left out, so that the parts after it can still be checked."""

    def __init__(self, data: Mapping[str, Any], slugs: bool) -> None:
        self.data, self.slugs = data, slugs
        self.problems: list[Problem] = []

    def run(self) -> Checked:
        self.known_keys(self.data, TOP_KEYS, ())
        self.not_too_long(self.data, ())
        name = self.name()
        groups = self.groups()
        attributes = self.attributes([group.name for group in groups])
        compare = self.compare(groups)
        templates = self.templates(has_attributes=bool(self.data.get("attributes")))
        spec = Spec(
            name=name,
            title=self.text(self.data, "title", line=True) or name,
            groups=tuple(groups),
            attributes=tuple(attributes),
            templates=tuple(templates),
            citation=self.text(self.data, "citation") or "",
            note=self.text(self.data, "note") or "",
            reference=self.reference(groups),
            compare=tuple(compare),
            benchmark=self.benchmark(),
            published_as=self.text(self.data, "published_as", line=True),
        )
        return Checked(None if self.problems else spec, tuple(self.problems))

    def refuse(self, path: Path, sentence: str) -> None:
        self.problems.append(Problem(path, sentence))

    def not_too_long(self, value: Any, path: Path) -> None:
        if isinstance(value, str) and len(value) > _LONGEST:
            self.refuse(path, f"has {len(value):,} characters; write at most {_LONGEST:,}")
        elif isinstance(value, (dict, list)):
            for key, held in value.items() if isinstance(value, dict) else enumerate(value):
                self.not_too_long(held, (*path, key))

    def known_keys(self, table: Mapping[str, Any], known: Sequence[str], path: Path) -> None:
        for key in table:
            if path and key in TOP_KEYS and key not in known:
                # The commonest slip in TOML: whatever follows a [table] belongs to it.
                self.refuse((*path, key), f"`{key}` belongs to the whole spec: move it above the first `[…]` line")
            elif key not in known:
                close = difflib.get_close_matches(key, known, n=1)
                hint = f"did you mean `{close[0]}`?" if close else f"known keys: {', '.join(known)}"
                self.refuse((*path, key), f"there is no such key in a spec; {hint}")

    def text(self, table: Mapping[str, Any], key: str, path: Path = (), *, line: bool = False) -> str | None:
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            self.refuse((*path, key), f"must be text in quotes, not {_kind(value)}")
            return None
        if line and (problem := _plain_problem(value)):
            self.refuse((*path, key), problem)
        if not path and is_example(key, value):
            self.refuse((key,), "is still the example's text; write your own, or leave the key out")
        return value

    def name(self) -> str:
        value = self.data.get("name")
        if value is None:
            self.refuse((), 'a spec needs a name, such as `name = "gender-hobbies"`')
            return ""
        if not isinstance(value, str):
            self.refuse(("name",), f"must be text in quotes, not {_kind(value)}")
            return ""
        if not is_slug(value):
            self.refuse(("name",), slug_problem(value))
        return value

    def benchmark(self) -> bool:
        value = self.data.get("benchmark", False)
        if not isinstance(value, bool):
            self.refuse(("benchmark",), f"must be true or false (without quotes), not {_kind(value)}")
            return False
        return value

    def tables(self, key: str, known: Sequence[str]) -> Iterable[tuple[str, Mapping[str, Any]]]:
        value = self.data.get(key, {})
        one = key.removesuffix("s")
        if not isinstance(value, dict):
            self.refuse((key,), f"must be tables such as `[{key}.NAME]`, not {_kind(value)}")
            return
        for name, table in value.items():
            path = (key, name)
            if self.slugs and not is_slug(name):
                self.refuse(path, slug_problem(name))
            elif not name.strip():
                self.refuse(path, f"the name of this {one} is blank; write a name")
            if not isinstance(table, dict):
                self.refuse(path, f'must be a table such as `[{key}.{name}]` with `terms = ["…"]`, not {_kind(table)}')
                continue
            self.known_keys(table, known, path)
            yield name, table

    def terms(self, table: Mapping[str, Any], path: Path) -> tuple[str, ...]:
        if "terms" not in table:
            example = '"he", "man"' if path[0] == "groups" else '"math", "physics"'
            self.refuse(path, f"has no terms: give a list of words, such as `terms = [{example}]`")
            return ()
        listed = table["terms"]
        parts = run_together(listed, self.data)
        if parts:
            whole = ", ".join(f'"{part}"' for part in parts)
            self.refuse(
                (*path, "terms"), f"{len(parts)} terms in one text: put quotes around each, `terms = [{whole}]`"
            )
            return ()
        return tuple(self.strings(listed, (*path, "terms"), "term"))

    def strings(self, value: object, path: Path, noun: str) -> list[str]:
        if not isinstance(value, list):
            self.refuse(path, f"must be a list of {noun}s in quotes, not {_kind(value)}")
            return []
        if not value and noun == "term":
            self.refuse(path, "the list is empty: give one term or more")
        seen: dict[str, int] = {}
        for position, item in enumerate(value):
            place = (*path, position)
            if not isinstance(item, str):
                self.refuse(place, f"{noun} {position + 1} must be text in quotes, not {_kind(item)}")
            elif problem := _plain_problem(item):
                self.refuse(place, f"{noun} {position + 1} {problem}")
            elif noun == "term" and _PLACEHOLDER.search(item):
                self.refuse(
                    place,
                    f"term {position + 1}, `{item}`, has a placeholder, which only templates may have; write a word",
                )
            elif item.casefold() in seen:
                places = f"{noun} {seen[item.casefold()]} and {position + 1}"
                self.refuse(place, f"`{item}` is listed twice, as {places}; keep one of them")
            else:
                seen[item.casefold()] = position + 1
        return [item for item in value if isinstance(item, str)]

    def groups(self) -> list[Group]:
        groups = []
        for name, table in self.tables("groups", GROUP_KEYS):
            path: Path = ("groups", name)
            published_as = self.text(table, "published_as", path, line=True)
            called = {key: self.text(table, key, path, line=True) or "" for key in GROUP_NAMES}
            kind = self.kind(table, path, TermKind)
            groups.append(Group(name, self.terms(table, path), published_as, kind, **called))
        tables = self.data.get("groups", {})
        if isinstance(tables, dict) and len(tables) < 2:
            self.refuse(
                ("groups",), f"a spec needs two or more groups to compare; this one has {len(tables) or 'none'}"
            )
        return groups

    def attributes(self, groups: Sequence[str]) -> list[AttributeSet]:
        sets = []
        for name, table in self.tables("attributes", ATTRIBUTE_KEYS):
            path: Path = ("attributes", name)
            owners = self.group_names(table.get("stereotype_of", []), (*path, "stereotype_of"), groups)
            neutral = self.text(table, "neutral", path, line=True) or "something"
            published_as = self.text(table, "published_as", path, line=True)
            kind = self.kind(table, path, AttributeKind)
            sets.append(AttributeSet(name, self.terms(table, path), tuple(owners), neutral, published_as, kind))
        return sets

    def kind(self, table: Mapping[str, Any], path: Path, kinds: Any) -> Any:
        """What kind of words the terms are, where the file says so."""
        value = table.get("kind")
        if value is not None and value not in get_args(kinds):
            listed = ", ".join(f'"{kind}"' for kind in get_args(kinds))
            self.refuse((*path, "kind"), f"must be one of {listed}, not {value!r}")
            return None
        return value

    def group_names(self, value: object, path: Path, groups: Sequence[str]) -> list[str]:
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list):
            self.refuse(path, f"must be the name of a group, or a list of names, not {_kind(value)}")
            return []
        good = []
        for position, name in enumerate(names):
            place = (*path, position) if isinstance(value, list) else path
            if not isinstance(name, str):
                self.refuse(place, f"must be the name of a group in quotes, not {_kind(name)}")
            elif name in good:
                self.refuse(place, f"the group `{name}` is named twice; keep one of them")
            elif self.is_group(name, place, groups):
                good.append(name)
        return good

    def is_group(self, name: str, path: Path, groups: Sequence[str]) -> bool:
        # With a group missing, often by a misspelt key, that is the problem, and not every mention of it.
        if name in groups or len(groups) < 2:
            return True
        close = difflib.get_close_matches(name, groups, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"the groups are {_listed(groups)}"
        self.refuse(path, f"there is no group `{name}`; {hint}")
        return False

    def reference(self, groups: Sequence[Group]) -> str | None:
        name = self.text(self.data, "reference")
        if name is not None:
            self.is_group(name, ("reference",), [group.name for group in groups])
        return name

    def compare(self, groups: Sequence[Group]) -> list[tuple[str, str]]:
        names = [group.name for group in groups]
        pairs = list(combinations(names, 2))
        if "compare" in self.data:
            pairs = self.compare_list(self.data["compare"], names)
        by_name = {group.name: group for group in groups}
        for first, second in pairs:
            if first in by_name and second in by_name:
                self.aligned(by_name[first], by_name[second])
        return pairs

    def compare_list(self, value: object, groups: Sequence[str]) -> list[tuple[str, str]]:
        first, second = groups[:2] if groups[1:] else ("men", "women")
        if not isinstance(value, list):
            example = f'`compare = [["{first}", "{second}"]]`'
            self.refuse(("compare",), f"must be a list of pairs of groups, such as {example}, not {_kind(value)}")
            return []
        if not value:
            self.refuse(("compare",), "names no pair of groups; leave the key out and every pair is compared")
        pairs: list[tuple[str, str]] = []
        for position, item in enumerate(value):
            path = ("compare", position)
            if not isinstance(item, list) or len(item) != 2 or not all(isinstance(name, str) for name in item):
                example = f'`["{first}", "{second}"]`'
                self.refuse(path, f"pair {position + 1} must be the names of two groups, such as {example}")
            elif item[0] == item[1]:
                self.refuse(path, f"the group `{item[0]}` is compared with itself; name two different ones")
            elif {*item} in [{*pair} for pair in pairs]:
                self.refuse(path, f"`{item[0]}` and `{item[1]}` are compared twice; keep one of the two pairs")
            elif all(self.is_group(name, path, groups) for name in item):
                pairs.append((item[0], item[1]))
        return pairs

    def aligned(self, first: Group, second: Group) -> None:
        if not first.terms or not second.terms:
            return
        path = ("groups", second.name, "terms")
        if len(first.terms) != len(second.terms):
            longer, shorter = (first, second) if len(first.terms) > len(second.terms) else (second, first)
            at = len(shorter.terms)
            self.refuse(
                path,
                f"{_count(len(second.terms))} here, {len(first.terms)} in `{first.name}`: counterparts are "
                f"matched by position, so both need the same number; `{longer.terms[at - 1]}` and "
                f"`{shorter.terms[-1]}` are the last that match, and `{longer.terms[at]}` of `{longer.name}` has "
                "no counterpart",
            )
            return
        for position, (one, other) in enumerate(zip(first.terms, second.terms, strict=True)):
            if one.casefold() == other.casefold():
                self.refuse(
                    (*path, position),
                    f"term {position + 1} is `{other}` in `{second.name}` and in `{first.name}`: both sentences "
                    "of a pair would be the same; use another word, or leave both out",
                )

    def templates(self, *, has_attributes: bool) -> list[str]:
        given = self.data.get("templates", [])
        templates = self.strings(given, ("templates",), "template")
        for position, template in enumerate(given if isinstance(given, list) else []):
            if not isinstance(template, str) or not template.strip():
                continue
            path = ("templates", position)
            placeholders = _PLACEHOLDER.findall(template)
            unknown = [placeholder for placeholder in placeholders if placeholder not in ("[T]", "[A]")]
            if unknown:
                known = "`[T]` stands for the group term and `[A]` for the attribute"
                self.refuse(path, f"`{template}` has the unknown placeholder `{unknown[0]}`; {known}")
            elif "[T]" not in placeholders:
                self.refuse(path, f"`{template}` has no `[T]`; write it where the group term goes")
            elif "[A]" in placeholders and not has_attributes:
                self.refuse(
                    path,
                    f"`{template}` has `[A]`, but the spec has no attributes: take it out, or add some",
                )
            elif "[A]" not in placeholders and has_attributes:
                self.refuse(path, f"`{template}` has no `[A]`, but the spec has attributes: write it where they go")
        return templates


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a date or time")


def _count(number: int) -> str:
    return "1 term" if number == 1 else f"{number} terms"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "missing"


def _plain_problem(text: str) -> str | None:
    """What makes a text unfit to be put into a sentence, said after the word for it."""
    if not text.strip():
        return "is blank: write something there, or leave it out"
    if sign := _unprintable(text):
        return f"has a line break or an invisible character (U+{ord(sign):04X}); write it on one line"
    if text != text.strip():
        return f"has a space at its start or end: write `{text.strip()}`"
    return None


def _unprintable(text: str) -> str | None:
    return next((sign for sign in text if sign in _INVISIBLE or unicodedata.category(sign) in _BREAKS), None)


_BREAKS = frozenset({"Cc", "Cs", "Zl", "Zp"})
