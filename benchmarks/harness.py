"""Whether lm-evaluation-harness and tiltmeter prefer the same sentences: its own CrowS-Pairs task, and exported ones.

python benchmarks/harness.py [--model tiny|smollm2-135m|FOLDER] [--crows FILE.csv] [--specs NAME …] [--write]

The harness runs its tasks as anybody would run them; the logged samples are read back by `tiltmeter analyze`, and every
pair is scored by tiltmeter too. It fails where a preference or an overall figure differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path

from common import heading, packages, tell

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

CROWS = Path(__file__).resolve().parents[2] / "shared" / "data" / "crows_pairs" / "crows_pairs_anonymized.csv"
SPECS = ("gender-math-arts", "gender-career-family", "age-names-pleasant", "flowers-insects")
STUDY = 'name = "harness"\nmodels = ["scripted"]\nspecs = {specs}\n[pairs]\nsources = ["templates"]\n'
OFFICIAL, CROWS_TASK = "crows_pairs_english", "crows_pairs_of_a_file"
"""The harness's own task, and what it is called with the sentences of a file."""
SAME = 1e-9
"""The largest difference of two overall figures of the same preferences."""


@dataclass(frozen=True)
class Checkpoint:
    """A folder with a causal model, and the id of the token with which tiltmeter begins a text."""

    folder: Path
    start: int


def tiny(folder: Path, texts: Sequence[str]) -> Path:
    """A GPT-2 of random weights, whose tokenizer knows the words of some texts."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    torch.manual_seed(7)
    end = "<|endoftext|>"
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    raw.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=4_000, special_tokens=[end], initial_alphabet=alphabet)
    )
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=raw, bos_token=end, eos_token=end, pad_token=end)
    size = {"n_embd": 64, "n_layer": 2, "n_head": 2, "n_positions": 256, "vocab_size": len(tokenizer)}
    start = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    config = transformers.GPT2Config(**size, **start, initializer_range=0.3)
    transformers.GPT2LMHeadModel(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def checkpoint(name: str, folder: Path, texts: Sequence[str]) -> Checkpoint:
    from transformers import AutoTokenizer

    from tiltmeter.models import embedded, load

    if name == "smollm2-135m" and not embedded.is_cached():
        embedded.fetch()
    home = tiny(folder, texts) if name == "tiny" else embedded.home() if name == "smollm2-135m" else Path(name)
    start = load(f"hf:{home}").facts.start_token
    return Checkpoint(home, AutoTokenizer.from_pretrained(home).convert_tokens_to_ids(start))


def official(folder: Path, data: Path) -> Path:
    """The harness's own task, with the same sentences from a file."""
    home = Path(find_spec("lm_eval").submodule_search_locations[0]) / "tasks" / "crows_pairs"  # type: ignore[union-attr, index]
    files = json.dumps({"data_files": {"test": str(data)}})
    lines = [
        f"include: {json.dumps(str(home / f'{OFFICIAL}.yaml'))}",
        f"task: {CROWS_TASK}",
        "dataset_path: csv",
        "dataset_name: null",
        f"dataset_kwargs: {files}",
    ]
    folder.mkdir()
    (folder / f"{CROWS_TASK}.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def harness(model: Checkpoint, task: str, tasks: Path, out: Path) -> list[Path]:
    """Run a task as from a shell, elsewhere than where its files are; the logged samples."""
    about = f"pretrained={model.folder},dtype=float32,prefix_token_id={model.start}"
    command = [sys.executable, "-m", "lm_eval", "--model", "hf", "--model_args", about, "--device", "cpu"]
    command += ["--batch_size", "16", "--tasks", task, "--include_path", str(tasks), "--log_samples"]
    done = subprocess.run(
        [*command, "--output_path", str(out)], cwd=out.parent, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"lm_eval failed:\n{done.stderr[-2000:]}")
    return sorted(out.rglob("samples_*.jsonl"))


def compared(task: str, model: Checkpoint, samples: Path) -> tuple[str, bool]:
    """How far the harness and tiltmeter agree on the pairs of a log, as a row of a table; and whether they do."""
    import tiltmeter as tm
    from tiltmeter.measures.pairs import TIE, preference
    from tiltmeter.sources.pairs_file import read

    rows = read(samples).rows
    pairs = [row.pair for row in rows if row.pair is not None]
    logged = [float(row.cells["score_1"]) - float(row.cells["score_2"]) for row in rows if row.pair is not None]
    scores = tm.score_pairs(tm.load_model(f"hf:{model.folder}"), pairs, [tm.find_scorer("sum", "causal")])
    ours = scores["causal.sum.v1"]
    theirs = [0.5 if abs(margin) <= TIE else float(margin > 0) for margin in logged]
    same = sum(one == other for one, other in zip(theirs, preference(ours), strict=True))
    margins = [one.scores[0] - one.scores[1] for one in ours if one.scores is not None]
    furthest = max(abs(one - other) for one, other in zip(logged, margins, strict=True))
    read_back = tm.summarise_file(samples).summary.overall.value or 0.0
    scored = tm.summarise_scores(ours).overall.value or 0.0
    [results] = samples.parent.glob("results_*.json")
    said = json.loads(results.read_text(encoding="utf-8"))["results"][task]["pct_stereotype,none"]
    # The harness's own task counts a tie as no preference for the stereotyped sentence.
    meant = sum(theirs if task != CROWS_TASK else (float(margin > 0) for margin in logged)) / len(logged)
    agrees = same == len(rows) and max(abs(read_back - scored), abs(said - meant)) < SAME
    figures = " | ".join(f"{value:.6f}" for value in (said, read_back, scored))
    return f"| {task} | {len(rows):,} | {same:,} | {figures} | {furthest:.1e} |", agrees


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="tiny", help="tiny, smollm2-135m, or the folder of a causal checkpoint")
    parser.add_argument("--crows", type=Path, default=CROWS, help="the authors' file of CrowS-Pairs")
    parser.add_argument("--specs", nargs="+", default=SPECS, help="specs whose pairs are exported")
    parser.add_argument("--write", action="store_true", help="put the account into RESULTS.md")
    options = parser.parse_args()
    try:
        versions = packages("lm_eval", "tiltmeter", "torch", "transformers")
    except PackageNotFoundError as error:
        raise SystemExit(f"{error.name} is not installed; `make bench` has the environment") from None

    from tiltmeter.present.exports import export
    from tiltmeter.study import parse

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        exported = export(parse(STUDY.format(specs=json.dumps(list(options.specs)))), "lm-eval", folder / "exported")
        texts = [Path(path).read_text(encoding="utf-8") for path in exported if Path(path).suffix == ".jsonl"]
        if options.crows.is_file():
            texts.append(options.crows.read_text(encoding="utf-8"))
        model = checkpoint(options.model, folder / "tiny", texts)
        logs = {path.name: path for path in harness(model, "tiltmeter_harness", folder / "exported", folder / "own")}
        if options.crows.is_file():
            own = official(folder / "official", options.crows)
            logs |= {path.name: path for path in harness(model, CROWS_TASK, own, folder / "theirs")}
        else:
            print(f"CrowS-Pairs is skipped: there is no file {options.crows}")
        found = [compared(name.removeprefix("samples_").rsplit("_", 1)[0], model, path) for name, path in logs.items()]
    tell(
        [
            heading(__file__),
            "",
            f"Pairs under {options.model}, float32: {versions}. Its own figure is the share of all pairs, overall the "
            "mean over biases.",
            "",
            "| task | pairs | same preference | its own figure | overall, its log | overall, ours | furthest (nats) |",
            "|---|--:|--:|--:|--:|--:|--:|",
            *(row for row, _ in found),
        ],
        options.write,
    )
    if not all(agrees for _, agrees in found):
        raise SystemExit("the two differ")


if __name__ == "__main__":
    main()
