"""A measurement is of what it says it is of, as seen from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.models.api_server import START, Served, serving
from tests.models.conftest import save_checkpoint, wordpiece_tokenizer
from tests.models.misbehaving_server import Misbehaving, misbehaving
from tests.outside.conftest import rows_of, scripted

pytestmark = pytest.mark.slow

PAIRS = """\
name = "{name}"
models = ["{model}"]
specs = ["gender-math-arts"]
[pairs]
sources = [{{ templates = {{ per_attribute = 1 }} }}]
scorers = {scorers}
"""
TEXTS = """\
name = "texts"
models = ["scripted"]
[continuations]
sources = [{{ own-prompts = {{ domain = "gender", per_group = 2 }} }}]
decoding = {{ temperature = 1.0, max_new_tokens = 6 }}
samples = 1
raters = [{rater}]
"""


def pairs(model: str, name: str = "pairs", scorers: str = '["sum"]') -> str:
    return PAIRS.format(model=model, name=name, scorers=scorers)


def test_another_lexicon_at_the_same_path_gives_its_own_figures(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 1: what a run is finished for includes its raters."""
    lexicon = tmp_path / "hurtlex_EN.tsv"
    (tmp_path / "s.toml").write_text(TEXTS.format(rater='"lexicon.hurtlex:hurtlex_EN.tsv"'), encoding="utf-8")
    found = []
    for lemma in ("zebra", "other"):
        columns = "id\tpos\tcategory\tstereotype\tlemma\tlevel"
        lexicon.write_text(f"{columns}\n1\tn\tcds\tno\t{lemma}\tconservative\n", encoding="utf-8")
        same, fresh = (tiltmeter("run", "s.toml", "--out", out, "--json").json for out in ("same", f"fresh-{lemma}"))
        assert [cell["groups"] for cell in same["continuations"]["cells"]] == [
            cell["groups"] for cell in fresh["continuations"]["cells"]
        ]
        found.append(same["continuations"]["cells"][0]["groups"])
    assert found[0] != found[1]


def test_other_weights_of_the_same_size_and_time_give_their_own_figures(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 1: a checkpoint that was overwritten where it was."""
    save_checkpoint("gpt2", tmp_path / "model")
    (tmp_path / "s.toml").write_text(pairs("hf:model"), encoding="utf-8")
    assert tiltmeter("run", "s.toml", "--out", "same").status == 0
    before = rows_of(tmp_path / "same" / "tables" / "pairs.csv")
    weights = tmp_path / "model" / "model.safetensors"
    times, content = weights.stat(), bytearray(weights.read_bytes())
    for place in range(len(content) - 4000, len(content), 4):
        content[place + 2] ^= 64
    weights.write_bytes(content)
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    for out in ("same", "fresh"):
        assert tiltmeter("run", "s.toml", "--out", out).status == 0
    same, fresh = (rows_of(tmp_path / out / "tables" / "pairs.csv") for out in ("same", "fresh"))
    assert same == fresh
    assert same != before


@pytest.mark.parametrize(
    ("name", "cache"),
    [("second", "1GB"), ("second", "0"), ("first", "0")],
)
def test_a_run_folder_belongs_to_the_study_that_made_it(
    name: str, cache: str, tiltmeter: Command, tmp_path: Path
) -> None:
    """Line 2: a study that cannot go on there is refused, and every file stays as it was."""
    kept = {"TILTMETER_CACHE": str(tmp_path / "cache"), "TILTMETER_CACHE_LIMIT": cache}
    (tmp_path / "first.toml").write_text(pairs("scripted", "first"), encoding="utf-8")
    (tmp_path / "other.toml").write_text(pairs("scripted", name, '["mean"]'), encoding="utf-8")
    assert tiltmeter("run", "first.toml", "--out", "r", **kept).status == 0
    assert tiltmeter("report", "r", "--format", "card", "--format", "md", **kept).status == 0

    def files() -> dict[str, bytes]:
        found = [path for path in (tmp_path / "r").rglob("*") if path.is_file()]
        return {str(path): path.read_bytes() for path in found if not path.name.endswith(("-shm", "-wal"))}

    before = files()
    other = tiltmeter("run", "other.toml", "--out", "r", **kept)
    assert other.status == 2, other.err
    assert files() == before


def test_replies_that_name_another_model_are_not_scored(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 4: what another model said is no measurement of this one."""

    class Other(Served):
        def _wrapped(self, *given: Any) -> dict[str, Any]:
            return {**super()._wrapped(*given), "model": "another-model"}

    with serving(Other(scripted())) as url:
        (tmp_path / "s.toml").write_text(pairs(f"api:tested@{url}?start={START}"), encoding="utf-8")
        done = tiltmeter("run", "s.toml", "--out", "r")
    assert done.status == 2, done.err
    assert "another-model" in done.err
    assert not (tmp_path / "r" / "summary.json").exists()


@dataclass
class Mute(Served):
    """A server that leaves the log-probabilities out of its replies to some texts."""

    about: str = ""

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, reply = super().reply(path, body)
        if self.about and self.about in body.get("prompt", ""):
            reply["choices"][0]["logprobs"] = None
        return status, reply


def test_replies_without_their_numbers_are_not_kept(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 4: what the server left out once is asked for again, and its reason is not another one."""
    served, kept = (
        Mute(scripted(), about="math"),
        {"TILTMETER_CACHE": str(tmp_path / "c"), "TILTMETER_CACHE_LIMIT": "1GB"},
    )

    def unscored(scorers: str) -> set[str]:
        (tmp_path / "s.toml").write_text(pairs(model, scorers=scorers), encoding="utf-8")
        done = tiltmeter("run", "s.toml", "--out", "r", **kept)
        assert done.status == 0, done.err
        rows = rows_of(tmp_path / "r" / "tables" / "pairs.csv")
        return {row["unscored"] for row in rows if row["attribute"] == "math"}

    with serving(served) as url:
        model = f"api:tested@{url}?start={START}&longest_wait=0.01"
        [reason] = unscored('["sum"]')
        assert "no log-probabilities" in reason
        served.about = ""
        assert unscored('["sum", "mean"]') == {""}


@dataclass
class Judge(Served):
    """A chat server that finds every text neutral."""

    answer: Any = field(default=lambda _: "neutral")


def test_a_judges_plan_covers_all_that_is_sent(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 6: what a plan says that may be asked is never less than what a server receives."""
    served = Judge(scripted())
    with serving(served) as url:
        rater = f'{{ judge = {{ model = "chat:api:tested@{url}", question = "regard" }} }}'
        (tmp_path / "s.toml").write_text(TEXTS.format(rater=rater), encoding="utf-8")
        planned = tiltmeter("run", "s.toml", "--plan", "--json").json
        assert not served.asked
        assert tiltmeter("run", "s.toml", "--out", "r").status == 0
    [cost] = planned["api"].values()
    assert 0 < len(served.asked) <= cost["requests"]


def test_a_limit_of_requests_holds_over_kills(tmp_path: Path) -> None:
    """Line 6: whatever was sent before a `kill -9` counts after it."""
    server = Misbehaving(rate=0.6, seed=5, kinds=("500 with the key in it", "slow headers"), drip=1.0, quiet=1)
    command = [sys.executable, "-m", "tiltmeter", "run", "s.toml", "--out", "r"]
    with misbehaving(server) as url:
        model = f"chat:api:tested@{url}?timeout=5&longest_wait=0.05&max_requests=60&attempts=50&concurrency=12"
        study = TEXTS.format(rater='"refusal"').replace("scripted", model).replace("samples = 1", "samples = 9")
        (tmp_path / "s.toml").write_text(study, encoding="utf-8")
        for _ in range(12):
            before = server.total
            process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            while process.poll() is None and server.total < before + 9:
                time.sleep(0.01)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            if process.wait() != -signal.SIGKILL:
                break
    assert server.total <= 60
    assert process.returncode == 2, "the limit ended it, and no kill"


def test_another_classifier_is_not_recorded_as_the_checkpoint_of_the_hub(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 5: a folder of one's own is what it is, under its own name, with its own classes."""
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = wordpiece_tokenizer()
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    labels = {0: "NEGATIVE", 1: "POSITIVE"}
    config = BertConfig(
        vocab_size=len(tokenizer), id2label=labels, label2id={name: at for at, name in labels.items()}, **sizes
    )
    BertForSequenceClassification(config).save_pretrained(tmp_path / "mine")
    tokenizer.save_pretrained(tmp_path / "mine")
    (tmp_path / "t.csv").write_text("text\nThe nurse was tired.\nWomen\n", encoding="utf-8")
    own = "hf:mine[NEGATIVE=-1,POSITIVE=1;worse=low]"
    for rater in ("sentiment.distilbert-sst2:mine", own):
        done = tiltmeter("rate", "t.csv", "--rater", rater, "--out", "o.csv", "--overwrite", "--json")
        assert done.status == 0, done.err
        [used] = done.json["raters"]
        assert "distilbert" not in json.dumps(used), "it is no checkpoint of the hub"
        assert used["rated"] == 2
        assert all(-1 <= float(row[used["column"]]) <= 1 for row in rows_of(tmp_path / "o.csv"))
