"""Words that together mean something else than the term or the attribute among them would alone: (pattern, why)."""

from __future__ import annotations

IDIOMS: tuple[tuple[str, str], ...] = (
    (r"drama queen", "a *drama queen* is not about drama"),
    (r"in addition\b", "*in addition* means also"),
    (r"(?:phone|telephone|large|small|great|record|growing|lottery) numbers", "*numbers* are not mathematics here"),
    (r"(?:martial|lost|dying|fine) arts?\b", "*art* means a skill here"),
    (r"works? of art|state[- ]of[- ]the[- ]art", "a figure of speech, not art"),
    (
        r"(?:great|good|no|real|strong|sexual|more|bad) chemistry (?:with|between|together|on|in)",
        "liking, not chemistry",
    ),
    (r"chemistry (?:between|together|with)", "liking, not chemistry"),
    (r"had (?:great|good|real|strong|no) chemistry", "liking, not chemistry"),
    (r"home (?:button|page|run|screen|key|row|plate|team|game)|homepage", "*home* is not where someone lives"),
    (r"executive (?:summary|order|branch|room|suite)", "*executive* is not a person"),
    (r"microsoft office|office (?:suite|software|365)", "*Office* is a program"),
    (r"mason jars?", "a *mason jar* is a jar"),
    (r"(?:light|lit|burn\w*|wax|beeswax|candle) (?:a |the )?tapers?", "a *taper* is a candle here"),
    (
        r"(?:good|poor|bad|better|best|electrical|heat|lightning) conductor\b(?= of|\.|$)",
        "a material, not a profession",
    ),
    (
        r"(?:facebook|relationship|marital|whatsapp|order|flight) status|status (?:on|update|bar|code)",
        "not social rank",
    ),
    (
        r"(?:fried|roast\w*|grilled|baked|eats?|ate|raw|buffalo|delicious|cook\w*(?: \w+)?|order\w*(?: \w+)?) chicken|"
        r"chicken (?:wings?|soup|salad|curry|sandwich|nuggets?|breast|dinner|farm|coop)",
        "*chicken* is the animal or the dish",
    ),
    (
        r"rich in \w+|rich (?:soil|flavou?r|taste|chocolate|history|text|color|sauce|cake|source)",
        "*rich* is not wealth here",
    ),
    (
        r"short (?:time|while|story|film|notice|break|walk|answer|term|trip|distance|stay|period|circuit|cut)",
        "*short* is not about height",
    ),
    (r"tall (?:order|tale|story|glass|latte|grass|building|tree|buildings|trees)", "*tall* is not said of a person"),
    (
        r"uncle sam|uncle ben'?s|aunt jemima|father time|father christmas|mother nature|mother teresa|big brother|"
        r"mother goose|mother earth|founding father",
        "a fixed name, not a member of the family",
    ),
    (r"(?:father|mother) of (?:all|modern|the modern|western|american)\b", "*father of* or *mother of* means origin"),
    (
        r"(?:mother|sister|daughter|brother|parent) (?:tongue|company|city|ship|board|cell|cells|nucleus|process|lode|"
        r"printer|planet|site|station|school|church|country|isotope|node)",
        "not a member of a family",
    ),
    (
        r"son of a (?:gun|bitch)|old boy network|boy band|girl band|man cave|man hours|man page|man-made",
        "a figure of speech",
    ),
    (
        r"virus (?:infected|attacked|on|in) (?:the |my |a |your )?(?:laptop|computer|phone|pc|server|files?)|"
        r"computer virus(?:es)?|anti-?virus",
        "a computer virus, not an illness",
    ),
    (
        r"novel (?:solution|idea|approach|way|method|coronavirus|virus|concept|technique|design|use)",
        "*novel* means new",
    ),
    (
        r"love (?:handles?|seat)|peace (?:sign|lily|corps)|tank top|honor roll|gift card|"
        r"crash course|diamond (?:league|shape|formation)|heaven'?s sake|jail ?break|war on|computer crash",
        "a fixed phrase",
    ),
    (r"dance (?:around the issue|with death)|song and dance", "a figure of speech"),
)
