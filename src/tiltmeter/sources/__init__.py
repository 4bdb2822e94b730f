"""Sources: probes from a spec, from a file of the user's, or from a public data set.

There is one table of names for each kind of probe: `source` for pairs and `prompt-source` for prompts, since the same
short name can make both (`templates`). A source of prompts is a function that gives the prompts and what was
dropped. What it is made from is its first parameter: a `path`, a `spec` (which may be left out where it has
groups of its own), or nothing; its options are keyword-only, and `per_group` and `seed` are always among them.
"""
