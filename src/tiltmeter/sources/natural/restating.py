"""Puts what says in a roundabout way what somebody is or does into the plain one: "A hatter is a person who …".

Entries of dictionaries, "the job of a hatter is to make hats", "the word *hatter* means …", "a hatter, i.e. …".
"""

from __future__ import annotations

import re

from tiltmeter.english import FUNCTION_WORDS, article_for

_NAME = r"[\"'*_]*(?P<name>[^\W\d_][\w'’-]*(?: (?!(?:of|in|at|for|to|who|which|that|is|are)\b)[\w'’-]+){0,3}?)[\"'*_]*"
_PERSON = r"(?:an?|any|the|one|someone|somebody|anyone|person)\b"
_SORT = r"(?:n|noun|subst)\b\.?(?:,? (?:c|count|countable|masc|fem|pl)\b\.?)?"
_SENSE = r"(?:\(?\d{1,2}[.)]\)? ?)?(?:\([^()]{1,40}\)[:,]? ?)?(?:\d{1,2}\. ?)?"
_ENTRY = re.compile(
    rf"^(?:(?:an?|the) )?{_NAME}"
    rf"(?: ?[/\\\[][^/\\\]]{{1,40}}[/\\\]])?"
    rf"(?:(?:, ?| ?[(\[|] ?| ){_SORT} ?[)\]|]?[:,.]? ?[:=|–—-]?| ?[:=|–—→]| -{{1,2}}|\.(?= [A-Z])) ?"
    rf"{_SENSE}(?P<body>{_PERSON}.+)$",
    re.IGNORECASE,
)
"""An entry of a dictionary or a glossary: "hatter, n. a person who", "hatter (noun) 1. one who", "hatter | n | a …"."""
_SORTED = re.compile(rf"\b{_SORT}", re.IGNORECASE)
_SAYS_WHO = re.compile(r"(?:(?!(?:is|are|was|were|has|have)\b)[\w'-]+ ){1,6}(?:who|whose|that)\b", re.IGNORECASE)
_DUTIES = r"(?:job|work|role|task|duty|duties|business|occupation|responsibility|responsibilities)"
_ADJECTIVES = r"(?:(?:main|chief|primary|principal|daily|basic|first|whole|core|usual|central|most important) )?"
_ROUNDABOUT = (
    # "The main job of a hatter is to make hats."
    (
        rf"^(?:The )?{_ADJECTIVES}(?P<duty>{_DUTIES}) of (?:an?|the|any|every) {_NAME} "
        r"(?P<verb>is to|are to|is|consists? (?:in|of)|involves?|includes?) (?P<body>.+)$",
        "whose {duty} {verb} {body}",
    ),
    (rf"^An? {_NAME}'s {_ADJECTIVES}(?P<duty>{_DUTIES}) (?P<verb>is to) (?P<body>.+)$", "whose {duty} {verb} {body}"),
    # "If someone is a hatter, their job is to make hats."
    (
        rf"^If (?:someone|somebody|a person|anyone) (?:is|works as|becomes) an? {_NAME}, (?:their|his or her) "
        rf"(?P<duty>{_DUTIES}) is to (?P<body>.+)$",
        "whose {duty} is to {body}",
    ),
    # "As a hatter, you will make hats."
    (
        rf"^(?:Working )?As an? {_NAME},? you(?: will|'ll)? "
        r"(?P<body>(?!(?:are|were|have|had|can|could|may|might|need|must|should|would|will|usually|often|also)\b).+)$",
        "whose job is to {body}",
    ),
    # "It is the job of a hatter to make hats."
    (
        rf"^It(?: i|')s the {_ADJECTIVES}(?P<duty>{_DUTIES}) of (?:an?|the|any|every) {_NAME} to (?P<body>.+)$",
        "whose {duty} is to {body}",
    ),
)
_NAMED = (
    # "The word hatter means a person who makes hats."
    rf"^(?:The (?:term|word|title|name|expression) |An? |The )?{_NAME} "
    rf"(?:means|denotes|designates|refers to|describes|is (?:the|a) (?:term|name|word|title) (?:used )?(?:for|given to)"
    rf"|is (?:used|applied) (?:for|of|to)|is what (?:we|you|people|they) call) (?P<body>{_PERSON}.+)$",
    # "By a hatter we mean a person who makes hats."
    rf"^By an? {_NAME},? (?:we|I|is) (?:mean|understand|meant|understood)(?: here)?,? (?P<body>{_PERSON}.+)$",
    # "… we call a hatter, i.e. a worker who makes hats."
    rf"^.{{0,80}}?\b(?:call|needs?|consult|see|hire|visit|ask|want|becomes?|be|meet|for|to|by|from) (?:an?|the) {_NAME}"
    r",? (?:i\.e\.,? |that is,? |in other words,? |or )?(?P<body>an? [^,.;]{2,40}? who\b.+)$",
    # "A hatter, someone who makes hats, works in a small room."
    rf"^(?:An?|The) {_NAME}, (?P<body>(?:an?|someone|somebody|one|the person)\b[^,.;]{{0,30}}? ?(?:who|whose) "
    r"[^,;]{6,140}), [a-z].+$",
    # "A person who makes hats is called a hatter."
    rf"^(?P<body>(?:an? [^,.;]{{2,20}}?|someone|somebody|anyone) (?:who|whose) [^;]{{8,120}}?) "
    rf"is (?:called|known as|termed) (?:an? |the )?{_NAME}[.!]?$",
)
_PLURAL = re.compile(
    rf"^(?P<body>[A-Z][\w-]+(?: [\w-]+)? who [^,.;]{{6,120}}?) are (?:called|known as|termed) {_NAME}[.!]?$"
)
"""*Scientists who study volcanoes are called volcanologists.*"""
_DEFINED = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _NAMED)
_DOING = tuple((re.compile(pattern, re.IGNORECASE), form) for pattern, form in _ROUNDABOUT)
_WHO = re.compile(r"^(?P<many>[A-Z][\w'-]+(?: [\w'-]+){0,2}s), who (?P<body>[^,;]{8,140}), [a-z]")
_STATE = re.compile(r"(?:are|were|have|had|can|may|must)\b")
_OPENING = re.compile(
    r"^(?!(?:an?|the|in|on|at|for|as|by) )[\"']?(?:(?!(?:not|never|no|whether|if|why|how|once|was|were)\b|\w+n't\b)"
    r"[\w'’]+,? ){1,5}?(?=an? (?:[\w'’-]+ ){1,4}(?:is|are) (?:\w+ )?(?:an?|someone|somebody|one|the person) )",
    re.IGNORECASE,
)
"""What somebody says before a definition: "Put simply, a hatter is …", "IMO a hatter is …"."""
_TRAINED = re.compile(r"(?<= are )(?:\w+ly )?\w{3,}ed (?=(?:[\w-]+ ){0,3}[\w-]+ (?:who|whose)\b)")
"""*licensed* in "are licensed health workers who", which a parser takes for a verb."""
_QUOTED = re.compile(r"^[\"'](?=\w)")
_NAMED_FIRST = r"^(?P<name>(?:An? |The )?[\w'’-]+(?: [\w'’-]+){0,3}), "
_BETWEEN = (
    re.compile(
        _NAMED_FIRST
        + r"(?=(?:as|like|often|usually|sometimes|also|known|called|nicknamed|popularly|traditionally|historically|"
        r"formerly|by|in|from|with|to|whether|contrary|unlike|for|at|"
        r"an? (?:job|profession|trade|occupation|role|craft|post))\b)[^,.;]{4,70}, (?=[a-z])",
    ),
    re.compile(_NAMED_FIRST + r"[^,.;]{2,70}, (?=is (?:an?|someone|somebody|one|the person) )"),
)
"""What stands between a noun and its verb, and says nothing of it."""


def restated(text: str) -> str | None:
    """The sentence as a plain definition or statement, or None where it is one or nothing of the kind.

    >>> restated("hatter, n. a person who makes hats"), restated("Hatter | noun | 1. one who makes hats")
    ('A hatter is a person who makes hats', 'A hatter is one who makes hats')
    >>> restated("The job of an actuary is to reckon risks."), restated("It is the task of a hatter to make hats.")
    ('An actuary is a person whose job is to reckon risks.', 'A hatter is a person whose task is to make hats.')
    >>> restated('The word "hatter" means a person who makes hats.')
    'A hatter is a person who makes hats.'
    >>> restated("A person who makes hats is called a hatter.")
    'A hatter is a person who makes hats'
    >>> restated("As a hatter, you will make hats."), restated("Meet the hatter, a person who makes hats.")
    ('A hatter is a person whose job is to make hats.', 'A hatter is a person who makes hats.')
    >>> restated("If it leaks, you need a plumber, i.e. a worker who fixes pipes.")
    'A plumber is a worker who fixes pipes.'
    >>> restated("A hatter, someone who makes hats, works at a bench.")
    'A hatter is someone who makes hats'
    >>> restated("Smiths who make locks are called locksmiths.")
    'Locksmiths are smiths who make locks.'
    >>> restated("Hatters, who make hats of felt, work in towns."), restated("A hatter makes hats.")
    ('Hatters make hats of felt.', None)
    """
    many = _WHO.match(text)
    if many:
        # "Divers, who are paid by the hour, recover …" says it behind the aside.
        beside = _STATE.match(many["body"])
        return f"{many['many']} {text[many.end() - 1 :]}" if beside else f"{many['many']} {many['body']}."
    called = _PLURAL.match(text)
    if called:
        return f"{called['name'].capitalize()} are {called['body'][:1].lower()}{called['body'][1:]}."
    entry = _entry(text)
    if entry:
        return _sentence(entry["name"], entry["body"])
    plain = _OPENING.sub("", _QUOTED.sub("", text))
    for aside in _BETWEEN:
        plain = aside.sub(r"\g<name> ", plain)
    plain = _TRAINED.sub("", plain, count=1)
    for pattern, form in _DOING:
        found = pattern.match(plain)
        if found and _is_name(found["name"]):
            return _sentence(found["name"], f"a person {form.format(**found.groupdict())}")
    for pattern in _DEFINED:
        found = pattern.match(plain)
        if found and _is_name(found["name"]):
            return _sentence(found["name"], found["body"])
    return plain[:1].upper() + plain[1:] if plain != text else None


def head_of_entry(text: str) -> int:
    """How many characters an entry of a dictionary or a glossary has before what it says; 0 where it is none.

    >>> head_of_entry("hatter, n. A person who makes hats"), head_of_entry("made hats for a person")
    (11, 0)
    """
    found = _entry(text)
    return found.start("body") if found else 0


def _entry(text: str) -> re.Match[str] | None:
    found = _ENTRY.match(text)
    if found is None or not _is_name(found["name"]):
        return None
    # "… of guitars. A luthier is someone who": a full stop ends a sentence more often than the word of an entry.
    head = text[: found.start("body")]
    stopped = head.rstrip().endswith(".") and not _SORTED.search(head)
    return found if not stopped or _SAYS_WHO.match(found["body"]) else None


def _is_name(name: str) -> bool:
    return name.split(maxsplit=1)[0].lower() not in FUNCTION_WORDS


def _sentence(name: str, body: str) -> str:
    small = " ".join(word if word.isupper() and len(word) > 1 else word[:1].lower() + word[1:] for word in name.split())
    said = f"a {body}" if body.lower().startswith("person") else body[:1].lower() + body[1:]
    said = re.sub(r"^(one|someone|somebody|anyone) that\b", r"\1 who", said)
    return f"{(article_for(small) or 'a').capitalize()} {small} is {said}"
