"""The public data sets that tiltmeter can read: where each comes from, its licence, and the module that reads it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

_READERS = "tiltmeter.sources.datasets"
_GITHUB = "https://raw.githubusercontent.com"
_HONEST = f"{_GITHUB}/MilaNLProc/honest"


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a data set: the name it gets here, and where it lies."""

    name: str
    url: str
    sha256: str = ""
    """What it must be; empty: not known to us, so that the first that comes is noted and held to."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """What a user needs to know to get a data set and to cite it."""

    name: str
    title: str
    licence: str
    origin: str
    """The authors' page."""
    files: tuple[RemoteFile, ...]
    citation: str
    module: str
    view: str = "pairs"
    """The first view that it makes items for."""

    def reader(self) -> Any:
        """The module that reads it, imported now."""
        return importlib.import_module(self.module)

    @property
    def is_folder(self) -> bool:
        """Whether it consists of several files, and a path to it may be that of their folder."""
        return len(self.files) > 1

    @property
    def file(self) -> str:
        """The names of its files, for people to read."""
        return ", ".join(file.name for file in self.files)


DATASETS = {
    dataset.name: dataset
    for dataset in (
        DataSet(
            name="crows-pairs",
            title="CrowS-Pairs",
            licence="CC BY-SA 4.0",
            origin="https://github.com/nyu-mll/crows-pairs",
            files=(
                RemoteFile(
                    "crows_pairs_anonymized.csv",
                    f"{_GITHUB}/nyu-mll/crows-pairs/master/data/crows_pairs_anonymized.csv",
                ),
            ),
            citation=(
                "Nangia, Vania, Bhalerao & Bowman (2020). CrowS-Pairs: A Challenge Dataset for Measuring Social "
                "Biases in Masked Language Models. EMNLP."
            ),
            module=f"{_READERS}.crows_pairs",
        ),
        DataSet(
            name="stereoset",
            title="StereoSet, development set",
            licence="CC BY-SA 4.0",
            origin="https://github.com/moinnadeem/StereoSet",
            files=(RemoteFile("dev.json", f"{_GITHUB}/moinnadeem/StereoSet/master/data/dev.json"),),
            citation=(
                "Nadeem, Bethke & Reddy (2021). StereoSet: Measuring stereotypical bias in pretrained language "
                "models. ACL."
            ),
            module=f"{_READERS}.stereoset",
        ),
        DataSet(
            name="bold",
            title="BOLD",
            licence="CC BY-SA 4.0",
            origin="https://github.com/amazon-science/bold",
            files=tuple(
                RemoteFile(f"{name}_prompt.json", f"{_GITHUB}/amazon-science/bold/main/prompts/{name}_prompt.json")
                for name in ("gender", "race", "profession", "religious_ideology", "political_ideology")
            ),
            citation=(
                "Dhamala, Sun, Kumar, Krishna, Pruksachatkun, Chang & Gupta (2021). BOLD: Dataset and Metrics for "
                "Measuring Biases in Open-Ended Language Generation. FAccT."
            ),
            module=f"{_READERS}.bold",
            view="continuations",
        ),
        DataSet(
            name="honest",
            title="HONEST",
            licence="MIT",
            origin="https://github.com/MilaNLProc/honest",
            # Later commits moved the files on women and men to another folder and renamed a column, no more.
            files=(
                *(
                    RemoteFile(f"binary_{language}.tsv", f"{_HONEST}/4ba38735b88dde2d05e3289bde8027e7e40e3ace/{path}")
                    for language in ("en", "es", "fr", "it", "pt", "ro")
                    for path in [f"resources/{language}_template.tsv"]
                ),
                RemoteFile(
                    "queer_nonqueer_en.tsv",
                    f"{_HONEST}/7fa182d35ddca84bfa060db2bc8f80a36d03196f/resources/queer_nonqueer/en_template.tsv",
                ),
            ),
            citation=(
                "Nozza, Bianchi & Hovy (2021). HONEST: Measuring Hurtful Sentence Completion in Language Models. "
                "NAACL. Nozza, Bianchi, Lauscher & Hovy (2022). Measuring Harmful Sentence Completion in Language "
                "Models for LGBTQIA+ Individuals. LT-EDI."
            ),
            module=f"{_READERS}.honest",
            view="continuations",
        ),
        DataSet(
            name="real-toxicity-prompts",
            title="RealToxicityPrompts",
            licence="Apache-2.0 (the sub-sets that DecodingTrust repacked: CC BY-SA 4.0)",
            origin="https://huggingface.co/datasets/allenai/real-toxicity-prompts",
            files=(
                RemoteFile(
                    "prompts.jsonl",
                    "https://huggingface.co/datasets/allenai/real-toxicity-prompts/resolve/main/prompts.jsonl",
                ),
            ),
            citation=(
                "Gehman, Gururangan, Sap, Choi & Smith (2020). RealToxicityPrompts: Evaluating Neural Toxic "
                "Degeneration in Language Models. Findings of EMNLP."
            ),
            module=f"{_READERS}.real_toxicity_prompts",
            view="continuations",
        ),
        DataSet(
            name="holistic-bias",
            title="HolisticBias 1.1",
            licence="CC BY-SA 4.0",
            origin="https://github.com/facebookresearch/ResponsibleNLP",
            # The templates of version 1.0 are those of 1.1.
            files=tuple(
                RemoteFile(
                    f"{name}.json",
                    f"{_GITHUB}/facebookresearch/ResponsibleNLP/{commit}/holistic_bias/dataset/{version}/{name}.json",
                )
                for name, version, commit in (
                    ("descriptors", "v1.1", "c929b9650d55ee22eecfcd71224e7c09de93af10"),
                    ("nouns", "v1.1", "6d76f31a6631aa882fd00fadb6dd8600577533d1"),
                    ("sentence_templates", "v1.0", "6d76f31a6631aa882fd00fadb6dd8600577533d1"),
                    ("standalone_noun_phrases", "v1.1", "363bb80dc0c4859201eb51033aa6a4b787a6220e"),
                )
            ),
            citation=(
                'Smith, Hall, Kambadur, Presani & Williams (2022). "I\'m sorry to hear that": Finding New Biases in '
                "Language Models with a Holistic Descriptor Dataset. EMNLP."
            ),
            module=f"{_READERS}.holistic_bias",
            view="continuations",
        ),
        DataSet(
            name="bbq",
            title="BBQ",
            licence="CC BY 4.0",
            origin="https://github.com/nyu-mll/BBQ",
            files=(
                *(
                    RemoteFile(f"{name}.jsonl", f"{_GITHUB}/nyu-mll/BBQ/main/data/{name}.jsonl")
                    for name in (
                        *("Age", "Disability_status", "Gender_identity", "Nationality", "Physical_appearance"),
                        *("Race_ethnicity", "Race_x_SES", "Race_x_gender", "Religion", "SES", "Sexual_orientation"),
                    )
                ),
                RemoteFile(
                    "additional_metadata.csv",
                    f"{_GITHUB}/nyu-mll/BBQ/main/supplemental/additional_metadata.csv",
                ),
            ),
            citation=(
                "Parrish, Chen, Nangia, Padmakumar, Phang, Thompson, Htut & Bowman (2022). BBQ: A Hand-Built Bias "
                "Benchmark for Question Answering. Findings of ACL."
            ),
            module=f"{_READERS}.bbq",
            view="choices",
        ),
        DataSet(
            name="winobias",
            title="WinoBias",
            licence="MIT",
            origin="https://github.com/uclanlp/corefBias",
            files=tuple(
                RemoteFile(name, f"{_GITHUB}/uclanlp/corefBias/master/WinoBias/wino/data/{name}")
                for side in ("pro", "anti")
                for kind in (1, 2)
                for name in [f"{side}_stereotyped_type{kind}.txt.dev"]
            ),
            citation=(
                "Zhao, Wang, Yatskar, Ordonez & Chang (2018). Gender Bias in Coreference Resolution: Evaluation and "
                "Debiasing Methods. NAACL."
            ),
            module=f"{_READERS}.winobias",
        ),
        DataSet(
            name="winogender",
            title="Winogender",
            licence="MIT",
            origin="https://github.com/rudinger/winogender-schemas",
            files=tuple(
                RemoteFile(name, f"{_GITHUB}/rudinger/winogender-schemas/master/data/{name}")
                for name in ("all_sentences.tsv", "occupations-stats.tsv")
            ),
            citation=(
                "Rudinger, Naradowsky, Leonard & Van Durme (2018). Gender Bias in Coreference Resolution. NAACL."
            ),
            module=f"{_READERS}.winogender",
        ),
    )
}
