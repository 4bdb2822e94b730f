"""Study files: what they mean, and the sentence each mistake gets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tiltmeter.errors import InvalidStudy, UserError
from tiltmeter.records import Decoding
from tiltmeter.study import parse, plan, read

STUDY = """\
name   = "gender at work"
specs  = ["gender-math-arts"]
models = ["scripted"]
seed   = 7

[pairs]
sources = ["templates", { templates = { per_attribute = 2 } }]
scorers = ["sum", "mean"]
"""


def test_a_study_says_what_to_measure() -> None:
    study = parse(STUDY)
    assert (study.name, study.seed, study.models, study.scorers) == (
        "gender at work",
        7,
        ("scripted",),
        ("sum", "mean"),
    )
    assert [source.label for source in study.sources] == ["templates", "templates[per_attribute=2]"]
    assert [spec.name for spec in study.specs] == ["gender-math-arts"]


def test_templates_and_no_scorer_are_the_default() -> None:
    study = parse('models = ["scripted"]\nspecs = ["gender-math-arts"]')
    assert ([source.name for source in study.sources], study.scorers) == (["templates.v1"], ())


def test_a_plan_holds_every_probe_under_its_own_id() -> None:
    made = plan(parse(STUDY))
    ids = [pair.id for pair in made.pairs]
    assert len(ids) == len(set(ids))
    counts = Counter(pair.source for pair in made.pairs)
    assert counts["templates[per_attribute=2]"] == 2 * 16
    assert counts["templates"] == 6 * 16 * 3


def test_the_fingerprint_changes_with_anything_that_is_asked() -> None:
    same, again = plan(parse(STUDY)), plan(parse(STUDY))
    assert same.fingerprint == again.fingerprint
    assert plan(parse(STUDY.replace("seed   = 7", "seed   = 8"))).fingerprint != same.fingerprint
    assert plan(parse(STUDY.replace('"sum", ', ""))).fingerprint != same.fingerprint


def test_paths_are_relative_to_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("sentence_1,sentence_2\nHe ran.,She ran.\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text('models = ["scripted"]\n[pairs]\nsources = ["pairs-file:mine.csv"]\n')
    made = plan(read(tmp_path / "study.toml"))
    assert [pair.texts for pair in made.pairs] == [("He ran.", "She ran.")]
    assert made.resolved["sources"][0]["path"] == "mine.csv"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("models", "modles"), "study.toml, line 3, `modles`: there is no key `modles`; did you mean `models`?"),
        (('"scripted"', ""), "line 3, `models`: no model to measure"),
        (('"scripted"', "3"), "line 3, `models`: 3 is not a name"),
        (('"scripted"', '"scripted", "scripted"'), "line 3, `models`: `scripted` is listed twice"),
        (("seed   = 7", "seed   = true"), "line 4, `seed`: True is not a whole number"),
        (("seed   = 7", 'seed   = "7"'), "line 4, `seed`: '7' is not a whole number"),
        (
            ("gender-math-arts", "gender-maths-arts"),
            "line 2, `specs`: there is no spec `gender-maths-arts`; did you mean",
        ),
        (('"templates",', '"templatse",'), "line 7, `pairs.sources`: there is no source `templatse`; did you mean"),
        (('"templates",', '"templates:x",'), "`templates:x` takes no file"),
        (('"templates",', '"crows-pairs",'), '`crows-pairs` needs the path of a file; write "crows-pairs:FILE"'),
        (('"templates",', '"crows-pairs:none.csv",'), "there is no file .*none.csv"),
        (("per_attribute", "per_atribute"), "there is no option of `templates.v1` `per_atribute`; did you mean"),
        (('"templates",', "4,"), "4 is not a source"),
        (("[pairs]", "[pairs"), "line 6: not valid TOML"),
        (("seed   = 7", "seed   = -1"), "line 4, `seed`: -1 is negative"),
        (('"sum", ', '"summ", '), "line 8, `pairs.scorers`: there is no scorer `summ`; did you mean `sum`"),
        (('"sum", ', '"masked.slt", '), "line 8, `pairs.scorers`: there is no scorer `masked.slt`"),
        (('"scripted"', '"scriptd"'), "line 3, `models`: there is no model `scriptd`; did you mean `scripted`"),
        (('"scripted"', '"gguf:none.gguf"'), "line 3, `models`: `gguf:none.gguf`: there is no file none.gguf"),
        (('["gender-math-arts"]', '["none.toml"]'), "line 2, `specs`: .*none.toml"),
        (
            ("{ templates = { per_attribute = 2 } }", '"templates"'),
            "line 7, `pairs.sources`: `templates` is listed twice",
        ),
    ],
)
def test_a_mistake_gets_one_sentence_with_file_line_and_key(
    tmp_path: Path, change: tuple[str, str], sentence: str
) -> None:
    path = tmp_path / "study.toml"
    assert change[0] in STUDY
    path.write_text(STUDY.replace(*change, 1), encoding="utf-8")
    with pytest.raises(InvalidStudy, match=sentence):
        read(path)


SIZES = """
[sizes.published]
name = "gender at work, whole"
pairs.sources = [{ templates = { per_attribute = 4 } }]
"""


def test_one_setting_makes_a_study_another_size() -> None:
    small, full = parse(STUDY + SIZES), parse('size = "published"\n' + STUDY + SIZES)
    assert plan(small).fingerprint == plan(parse(STUDY)).fingerprint
    assert (full.name, full.seed, full.scorers) == ("gender at work, whole", 7, ("sum", "mean"))
    assert [source.label for source in full.sources] == ["templates[per_attribute=4]"]
    assert [source.label for source in small.sources] == ["templates", "templates[per_attribute=2]"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f'size = "publishd"\n{STUDY}{SIZES}', "line 1, `size`: there is no size `publishd`; did you mean `published`"),
        (f"size = 3\n{STUDY}{SIZES}", "line 1, `size`: 3 is not a string"),
        (f"{STUDY}{SIZES}\n[sizes.all]\nmodel = 3", "line 15, `sizes.all.model`: there is no key `model`"),
        (f"{STUDY}[sizes]\nall = 3", "line 10, `sizes.all`: 3 is not a table"),
        (f'size = "published"\n{STUDY}{SIZES}\nseed = -1', "line 15, `sizes.published.seed`: -1 is negative"),
    ],
)
def test_a_size_that_is_none_gets_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidStudy, match=sentence):
        parse(text)


def test_a_missing_study_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such study file"):
        read(tmp_path / "none.toml")


def test_a_study_without_pairs_says_why() -> None:
    with pytest.raises(InvalidStudy, match="makes no pairs; give specs, or a source that reads a file"):
        plan(parse('name = "empty"\nmodels = ["scripted"]'))


def test_a_spec_without_templates_is_named_where_nothing_can_be_made_of_it(tmp_path: Path) -> None:
    groups = '[groups.left]\nterms = ["lefty"]\n[groups.right]\nterms = ["righty"]\n'
    (tmp_path / "hands.toml").write_text(f'name = "hands"\n{groups}', encoding="utf-8")
    study = tmp_path / "study.toml"
    study.write_text('models = ["scripted"]\nspecs = ["hands.toml"]\n', encoding="utf-8")
    with pytest.raises(InvalidStudy, match="makes no pairs: `hands` has no templates; add some, or another source"):
        plan(read(study))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("per_attribute = 0", "per_attribute`: must be a whole number from 1 up"),
        ('agreement = "x"', "agreement`: must be"),
    ],
)
def test_a_wrong_option_names_the_file_and_the_key(tmp_path: Path, options: str, sentence: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace("per_attribute = 2", options), encoding="utf-8")
    with pytest.raises(InvalidStudy, match=f"study.toml, line 7, `pairs.sources.*{sentence}"):
        plan(read(path))


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "p.csv").write_text("sentence_1,sentence_2\nHe ran.,She ran.\n", encoding="utf-8")
    (tmp_path / "study.toml").write_text(
        'models = ["scripted"]\n[pairs]\nsources = ["pairs-file:a/p.csv", "pairs-file:b/p.csv"]\n'
    )
    made = plan(read(tmp_path / "study.toml"))
    assert [pair.source for pair in made.pairs] == ["pairs-file[p]", "pairs-file[p] (2)"]


def test_a_model_file_lies_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("[weights]\nhe = 1\nother = 1\n")
    (tmp_path / "study.toml").write_text('models = ["scripted:table.toml"]\nspecs = ["gender-math-arts"]\n')
    assert read(tmp_path / "study.toml").models == (f"scripted:{tmp_path / 'table.toml'}",)


def test_two_specs_of_one_name_are_refused(tmp_path: Path) -> None:
    from tiltmeter import specs

    (tmp_path / "mine.toml").write_text(specs.library_text("gender-math-arts"), encoding="utf-8")
    (tmp_path / "study.toml").write_text('models = ["scripted"]\nspecs = ["gender-math-arts", "mine.toml"]\n')
    with pytest.raises(InvalidStudy, match="two specs are called `gender-math-arts`"):
        read(tmp_path / "study.toml")


CONTINUATIONS = """\
name   = "what it writes"
specs  = ["gender-math-arts"]
models = ["scripted"]
seed   = 7

[continuations]
sources  = [{ own-prompts = { domain = "gender", per_group = 2 } }, "templates"]
decoding = { temperature = [0.6, 1.0], max_new_tokens = [10, 30] }
samples  = 4
raters   = ["sentiment.vader", "toxicity.linear"]
"""


def decodings(settings: str) -> list[Decoding]:
    study = parse(f'models = ["scripted"]\n[continuations]\ndecoding = {settings}\n')
    assert study.continuations
    return list(study.continuations.decodings)


def test_a_study_of_continuations_has_no_pairs_unless_it_names_them() -> None:
    made = plan(parse(CONTINUATIONS))
    choices = made.study.continuations
    assert choices
    assert (made.study.sources, made.pairs) == ((), ())
    assert [source.label for source in choices.sources] == ["own-prompts[domain=gender, per_group=2]", "templates"]
    assert [rater.name for rater in choices.raters] == ["sentiment.vader.v1", "toxicity.linear.v1"]
    assert (choices.samples, choices.scope) == (4, "whole")
    counts = Counter((prompt.source, prompt.group) for prompt in made.prompts)
    assert counts["own-prompts[domain=gender, per_group=2]", "female"] == 2
    assert {prompt.bias for prompt in made.prompts} == {"own-prompts/gender", "gender-math-arts"}
    assert len({prompt.id for prompt in made.prompts}) == len(made.prompts)
    both = plan(parse(CONTINUATIONS + "[pairs]\n"))
    assert both.pairs
    assert both.prompts == made.prompts
    assert both.fingerprint != made.fingerprint


def test_lists_make_a_grid_in_which_the_length_changes_fastest() -> None:
    study = parse(CONTINUATIONS).continuations
    assert study
    assert [(one.temperature, one.max_new_tokens) for one in study.decodings] == [
        (0.6, 10),
        (0.6, 30),
        (1.0, 10),
        (1.0, 30),
    ]


def test_several_grids_vary_one_setting_at_a_time() -> None:
    assert decodings("[{ temperature = [0.5, 1] }, { top_k = [40, 0] }]") == [
        Decoding(temperature=0.5),
        Decoding(temperature=1.0),
        Decoding(top_k=40),
    ]
    with pytest.raises(UserError, match="must be a table of settings, or a list of such tables"):
        decodings("[1]")


def test_ways_of_asking_are_choices_and_bare_text_has_one() -> None:
    asking = 'asking = { form = ["text", "chat"], request = ["", "Go on: {prompt}"], system = ["", "Be brief."] }'
    study = parse(CONTINUATIONS.replace("samples  = 4", asking)).continuations
    assert study
    ways = list(dict.fromkeys((one.form, one.request, one.system) for one in study.decodings))
    chat = [("chat", request, system) for request in ("", "Go on: {prompt}") for system in ("", "Be brief.")]
    assert ways == [("text", "", ""), *chat]
    assert len(study.decodings) == len(ways) * 4
    told = parse(CONTINUATIONS.replace("samples  = 4", 'asking = { system = "Be brief." }')).continuations
    assert told and {one.form for one in told.decodings} == {"chat"}, "only a chat has a system prompt"
    bare = 'asking = { form = ["chat", "text"] }'
    with pytest.raises(UserError, match="is always asked in its chat template"):
        parse(CONTINUATIONS.replace('"scripted"', '"chat:smollm2-135m"').replace("samples  = 4", bare))


def test_how_a_prompt_is_put_is_recorded_only_where_the_study_says_so() -> None:
    assert repr(Decoding()) == (
        "Decoding(temperature=1.0, top_k=0, top_p=1.0, max_new_tokens=40, stop=(), beams=1, whole_sentences=False)"
    ), "ids of sheets that people rated are made of this"
    assert set(Decoding(system="x").as_json()) - set(Decoding().as_json()) == {"system"}


def test_settings_that_mean_the_same_are_carried_out_once() -> None:
    assert decodings("{ temperature = [0, 1], top_p = [0.9, 1.0] }") == [
        Decoding(temperature=0.0),
        Decoding(temperature=1.0, top_p=0.9),
        Decoding(temperature=1.0),
    ]
    searched = decodings("{ beams = [1, 4], temperature = [0.5, 1.0] }")
    assert searched == [Decoding(0.5), Decoding(1.0), Decoding(0.0, beams=4)]
    assert decodings("{ beams = 1, temperature = 0, top_k = [3, 4] }") == [Decoding(0.0)]
    study = parse(CONTINUATIONS).continuations
    assert study
    assert [study.samples_of(one) for one in searched] == [4, 4, 1]


def test_prompts_of_files_are_hashed_wherever_they_lie(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("text,group\nShe was,women\nHe was,men\n", encoding="utf-8")
    file = tmp_path / "study.toml"
    file.write_text('models = ["scripted"]\n[continuations]\nsources = ["prompts-file:mine.csv"]\n', encoding="utf-8")
    made = plan(read(file))
    assert [(prompt.text, prompt.group) for prompt in made.prompts] == [("She was", "women"), ("He was", "men")]
    [source] = made.resolved["continuations"]["sources"]
    assert (source["path"], list(source["sha256"])) == ("mine.csv", ["mine.csv"])
    before = made.fingerprint
    (tmp_path / "mine.csv").write_text("text,group\nShe was,women\nHe was,men\n\n", encoding="utf-8")
    assert plan(read(file)).fingerprint != before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("samples", "sample"), "line 9, `continuations.sample`: there is no key `sample`; did you mean `samples`"),
        (("samples  = 4", "samples  = 0"), "line 9, `continuations.samples`: 0 is too few"),
        (("samples  = 4", "samples  = 1.5"), "line 9, `continuations.samples`: 1.5 is not a whole number"),
        (
            ("samples  = 4", "reference = 4"),
            "line 9, `continuations.reference`: must be the name of a group, or a list",
        ),
        (
            ("samples  = 4", "threshold = 2"),
            "line 9, `continuations.threshold`: must be a number from 0 to below 1, not 2",
        ),
        (
            ("samples  = 4", 'threshold = { "toxicity.linear" = "0.4" }'),
            "line 9, `continuations.threshold`: must be a number from 0 to below 1, not '0.4'",
        ),
        (("samples  = 4", 'threshold = { "toxicity.tiny" = 0.4 }'), "a threshold is for a rater of the study"),
        (
            ("samples  = 4", 'asking = { form = "bare" }'),
            'line 9, `continuations.asking.form`: must be "chat" .* or "text"',
        ),
        (
            ("samples  = 4", 'asking = { request = "Go on" }'),
            "`continuations.asking.request`: must contain {prompt} once",
        ),
        (("samples  = 4", "asking = { system = [] }"), "`continuations.asking.system`: the list is empty"),
        (("samples  = 4", "asking = { system = 4 }"), "`continuations.asking.system`: must be a text"),
        (("samples  = 4", 'asking = { tone = "kind" }'), "there is no key `tone`"),
        (("samples  = 4", 'scope = "all"'), 'line 9, `continuations.scope`: must be "whole" or "completion", not'),
        (("[0.6, 1.0]", "[-1]"), "line 8, `continuations.decoding.temperature`: must be a number from 0"),
        (("[0.6, 1.0]", "[]"), "line 8, `continuations.decoding.temperature`: the list is empty"),
        (("[10, 30]", "[10, 10]"), "line 8, `continuations.decoding.max_new_tokens`: a value is listed twice"),
        (("[10, 30]", "2.5"), "line 8, `continuations.decoding.max_new_tokens`: must be a whole number from 1 up"),
        (("max_new_tokens", "max_tokens"), "there is no key `max_tokens`; did you mean `max_new_tokens`"),
        (('"templates"]', '"templatse"]'), "line 7, `continuations.sources`: there is no source `templatse`"),
        (('"templates"]', '"templates:x"]'), '`templates:x` takes no path; write "templates"'),
        (('"templates"]', '"bold"]'), '`bold` needs a path; write "bold:PATH"'),
        (('"templates"]', '"bold:nowhere"]'), "`bold:nowhere`: no such file or folder; .* data get bold"),
        (('"templates"]', '"prompts-file:none.csv"]'), "there is no file .*none.csv"),
        (("per_group", "per_grup"), "there is no option of `own-prompts.v1` `per_grup`; did you mean `per_group`"),
        (('"sentiment.vader"', '"sentiment.vadr"'), "line 10, `continuations.raters`: there is no rater"),
        (('"toxicity.linear"', '"sentiment.vader"'), "`sentiment.vader.v1` is listed twice"),
        (('"toxicity.linear"', '"toxicity.linear:x"'), "takes no argument"),
        (('"toxicity.linear"', '"judge"'), "a judge needs a chat model and a question"),
        (
            ('"toxicity.linear"', '{ judge = { model = "scripted", question = "x" } }'),
            "there is no question `x`; known: about, regard, sentiment, toxicity",
        ),
        (('"toxicity.linear"', '{ judge = { model = "scriptd", question = "regard" } }'), "no model `scriptd`"),
    ],
)
def test_a_mistake_in_continuations_gets_one_sentence(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    path = tmp_path / "study.toml"
    assert change[0] in CONTINUATIONS
    path.write_text(CONTINUATIONS.replace(*change, 1), encoding="utf-8")
    with pytest.raises(InvalidStudy, match=sentence):
        read(path)


def test_a_wrong_option_of_prompts_names_the_key() -> None:
    with pytest.raises(InvalidStudy, match=r"`continuations.sources.own-prompts\[.*domain`: there is no domain `sex`"):
        plan(parse(CONTINUATIONS.replace('"gender"', '"sex"', 1)))
    with pytest.raises(InvalidStudy, match="makes no prompts; give specs"):
        plan(parse('models = ["scripted"]\n[continuations]\nsources = ["templates"]\n'))


def test_a_reference_that_no_prompt_is_about_is_refused() -> None:
    study = parse(CONTINUATIONS.replace("samples  = 4", 'reference = "mal"'))
    with pytest.raises(
        InvalidStudy, match="line 9, `continuations.reference`: there is no group `mal`; did you mean `male`?"
    ):
        plan(study)


def test_a_reference_may_be_a_group_that_only_situations_ask_for() -> None:
    study = CONTINUATIONS.replace("samples  = 4", 'reference = "muslim"').replace(
        'domain = "gender"', 'kind = "situations", domain = "religion"'
    )
    made = plan(parse(study))
    assert all(prompt.group is None for prompt in made.prompts if prompt.bias == "own-prompts/religion")
    assert [*made.resolved["continuations"]["reference"]] == ["muslim"]


def test_pairs_come_in_many_structures_in_a_study() -> None:
    source = "{ rephrased = { structures = 4, per_attribute = 4 } }"
    made = plan(parse(f'models = ["scripted"]\nspecs = ["gender-math-arts"]\n[pairs]\nsources = [{source}]\n'))
    assert {pair.source for pair in made.pairs} == {"rephrased[per_attribute=4, structures=4]"}
    assert len({pair.structure.id for pair in made.pairs if pair.structure}) == 4


def test_a_source_with_an_optional_path_may_go_without() -> None:
    made = plan(parse('models = ["scripted"]\n[continuations]\nsources = ["natural"]\n'))
    assert {prompt.source for prompt in made.prompts} == {"natural"}


NEXT_WORDS = """\
models = ["scripted"]
specs  = ["professions-pronouns"]

[next_words]
sources       = ["templates", { natural = { limit = 3 } }]
words         = "pronouns"
perturbations = ["original", "person", "start"]
bounded       = false
combine       = "sum"
"""


def test_a_study_of_next_words_has_defaults_and_a_plan() -> None:
    study = parse('models = ["scripted"]\n[next_words]\n')
    assert study.next_words
    assert not study.sources
    assert [source.label for source in study.next_words.sources] == ["templates", "natural"]
    assert study.next_words.perturbations[0] == "original"
    made = plan(parse(NEXT_WORDS))
    assert Counter(one.perturbation for one in made.asked) == {"original": 2111, "person": 2111, "start": 2}
    assert {one.prompt.bias for one in made.asked} == {"professions-pronouns", "professions"}
    assert len({(one.prompt.id, one.perturbation) for one in made.asked}) == len(made.asked)


def test_the_words_of_a_study_come_in_four_forms(tmp_path: Path) -> None:
    (tmp_path / "kin.csv").write_text("group,word\nup,mother\ndown,son\n", encoding="utf-8")
    forms = '["he-she", "kin.csv", "gender-math-arts", { a = ["nurse"], b = ["cook", "usher"] }]'
    study = parse(NEXT_WORDS.replace('"pronouns"', forms), file=tmp_path / "study.toml")
    assert study.next_words
    assert [one.label for one in study.next_words.words] == ["he-she", "kin", "gender-math-arts", "a/b"]
    assert study.next_words.words[1].sets == (("up", ("mother",)), ("down", ("son",)))


def test_different_words_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder, word in (("one", "mother"), ("two", "aunt")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "w.csv").write_text(f"group,word\nup,{word}\ndown,son\n", encoding="utf-8")
    forms = '["one/w.csv", "two/w.csv", { a = ["x"], b = ["y"] }, { a = ["z"], b = ["y"] }, { a = ["v"], b = ["y"] }]'
    study = parse(NEXT_WORDS.replace('"pronouns"', forms), file=tmp_path / "study.toml")
    assert study.next_words
    assert [one.label for one in study.next_words.words] == ["w", "w (2)", "a/b", "a/b (2)", "a/b (3)"]


@pytest.mark.parametrize(
    ("words", "groups", "sentence"),
    [
        ('"pronouns"', '["Females", "Males"]', "there is no group `Females`; did you mean `female`?"),
        ('["he-she", { a = ["x"], b = ["y"] }]', '["female", "a"]', "no set of words has both `female` and `a`"),
        ('["he-she", { a = ["x"], b = ["y"] }]', '["b", "a"]', None),
        # Without words of its own the study asks for those of its sources.
        ("[]", '["woman", "male"]', "there is no group `woman`"),
        ("[]", '["female", "male"]', None),
    ],
)
def test_labour_groups_are_groups_of_the_words(tmp_path: Path, words: str, groups: str, sentence: str | None) -> None:
    (tmp_path / "labour.csv").write_text("occupation,women\nNurses,87\n", encoding="utf-8")
    text = NEXT_WORDS.replace('"pronouns"', words) + f'labour = "labour.csv"\nlabour_groups = {groups}\n'
    study = parse(text, file=tmp_path / "study.toml")
    if sentence is None:
        assert plan(study).asked
        return
    with pytest.raises(InvalidStudy, match=f"study.toml, line 11, `next_words.labour_groups`: {sentence}"):
        plan(study)


def test_labour_statistics_are_part_of_the_plan(tmp_path: Path) -> None:
    table = tmp_path / "labour.csv"
    table.write_text("occupation,women\nNurses,87\n", encoding="utf-8")
    text = NEXT_WORDS + 'labour = "labour.csv"\n'
    made = plan(parse(text, file=tmp_path / "study.toml"))
    assert made.resolved["next_words"]["labour"] == ({"title": "Nurses", "share": 0.87, "employed": None},)
    table.write_text("occupation,women\nNurses,88\n", encoding="utf-8")
    assert plan(parse(text, file=tmp_path / "study.toml")).fingerprint != made.fingerprint


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            ('"pronouns"', '"pronounz"'),
            "line 6, `next_words.words`: there is no set of words or spec `pronounz`",
        ),
        (
            ('"pronouns"', "3"),
            'line 6, `next_words.words`: 3 is not a set of words; write "pronouns", a spec, a file, or',
        ),
        (('"pronouns"', '{ a = ["x"], b = ["x"] }'), "`next_words.words`: the word `x` belongs to both a and b"),
        (('"pronouns"', '["he-she", "he-she"]'), "`next_words.words`: a set of words is listed twice"),
        (('"person"', '"persn"'), "line 7, `next_words.perturbations`: there is no perturbation `persn`; did you mean"),
        (('["original", "person", "start"]', "[]"), 'must be "all" or a list such as'),
        (("bounded       = false", "bounded       = 1"), "line 8, `next_words.bounded`: must be false or true, not 1"),
        (('"sum"', '"mean"'), 'line 9, `next_words.combine`: must be "sum" or "first", not \'mean\''),
        (('"sum"', '"sum"\nsaliency = "lime"'), 'line 10, `next_words.saliency`: must be "gradient-x-input" or'),
        (
            ('"sum"', '"sum"\nlabour_groups = ["female"]'),
            "`next_words.labour_groups`: must name the group of women and",
        ),
        (('"sum"', '"sum"\nlabour = "none.csv"'), "line 10, `next_words.labour`: there is no file 'none.csv'"),
        (('"templates"', '"template"'), "line 5, `next_words.sources`: there is no source `template`; did"),
        (('"templates"', '"natural:none.jsonl"'), "`next_words.sources`: there is no file .*none.jsonl"),
        (("limit = 3", "limit = 0"), r"line 5, `next_words.sources.natural\[limit=0\].limit`: "),
        (('"sum"', '"sum"\nsaliency = ["gradient-x-input", "integrated-gradients"]'), "line 10, .* not a list"),
        (('"sum"', '"sum"\nsaliency = ["gradient-x-input"]'), "line 10, `next_words.saliency`: .* not a list"),
        (('"sum"', '"sum"\nlabour_match = ["name", "head"]'), 'must be one of "name" or "head", not a list'),
        (('"sum"', '"sum"\nlabour_groups = ["a", "a"]'), "line 10, `next_words.labour_groups`: `a` is listed twice"),
        (('"sum"', '"sum"\nlabour_groups = ["female", "male"]'), "line 10, .* give one with `labour`"),
        (
            ('"pronouns"', '["he-she", { male = ["he"], female = ["she"] }]'),
            "line 6, `next_words.words`: a set of words is listed twice: `he-she` and `male/female`",
        ),
        (("bounded ", "bound   "), "line 8, `next_words.bound`: there is no key `bound`; did you mean `bounded`"),
        (('"professions-pronouns"', '"regard-six-groups"'), ""),
    ],
)
def test_a_mistake_in_next_words_gets_one_sentence(change: tuple[str, str], sentence: str) -> None:
    assert change[0] in NEXT_WORDS
    text = NEXT_WORDS.replace(*change, 1)
    if not sentence:
        # Nothing is silently lost: the templates that cannot be asked about are in the account.
        assert any("cannot be cut or reordered" in item.reason for item in plan(parse(text)).dropped)
        return
    with pytest.raises(UserError, match=sentence):
        plan(parse(text))


def test_a_limit_of_a_judge_or_writer_that_is_raised_makes_no_other_study() -> None:
    text = """
name = "limits"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{{ generated = {{ by = "api:m@http://localhost:1/v1?max_requests={limit}", reader = "none" }} }}]
[continuations]
sources = ["templates"]
raters = [{{ judge = {{ model = "chat:api:m@http://localhost:1/v1?max_requests={limit}", question = "regard" }} }}]
"""
    small, large = (plan(parse(text.format(limit=limit))) for limit in (5, 500))
    assert small.fingerprint == large.fingerprint
