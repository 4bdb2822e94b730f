"""Texts that would do something, or break something, were they taken for anything but text."""

from tests.present.synthetic import HOSTILE

STRINGS = (
    HOSTILE,
    r"\input{/etc/passwd} \write18{ls} \end{document} $x^2_1$ 50% & #1 {~}",
    "| a | b |\n|---|---|\n**bold** _it_ `code` ```fence``` ~~gone~~ [link](javascript:alert(1)) ![i](x) <b>& &amp;",
    '#panic("run") #include "/etc/passwd" $ x $ @ref <label> *b* _i_ `r` // gone /* gone */ \\u{41} = Head',
    "- item\n1. item\n# head\n> quote\n---\n    code",
    "@everyone https://example.org www.example.org #1 $a$",
    "\u202eright to left\u202c \u2066isolate \x07bell \x1b[31mred\x00 \ufeff \x85 \u2028line",
    "[U] [option] \\\\[2cm] ]]> }}",
    "--long ''quotes'' ?` <<x>> ,,",
    "日本語 русский עברית العربية 🙂 ħ ∮",
    "w" * 300,
    "",
)
