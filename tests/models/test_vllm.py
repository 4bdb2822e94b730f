"""`vllm:NAME`: a program that serves real weights stands in for vLLM, which needs more than a test machine has.

With TILTMETER_TEST_VLLM naming a real `vllm`, that is used instead.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("httpx")

from tests.models.conftest import SENTENCES, save_checkpoint
from tiltmeter import models
from tiltmeter.errors import MissingExtra, ModelError
from tiltmeter.models import ModelSettings, as_predictor, as_writer
from tiltmeter.records import Decoding

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ModelSettings(device="cpu", dtype="float32", threads=1)

STAND_IN = """#!{python}
import argparse, sys
sys.path.insert(0, {root!r})
from tests.models.api_server import Served, serving
from tiltmeter import models
from tiltmeter.models import ModelSettings
options = argparse.ArgumentParser()
options.add_argument("verb", choices=["serve"])
options.add_argument("folder")
options.add_argument("--served-model-name", required=True)
options.add_argument("--host", choices=["127.0.0.1"], required=True)
options.add_argument("--port", type=int, required=True)
options.add_argument("--dtype", choices=["float32"], required=True)
options.add_argument("--generation-config", choices=["vllm"], required=True)
options.add_argument("--max-logprobs", type=int, required=True)
options.add_argument("--fail", action="store_true")
given = options.parse_args()
if given.fail:
    print("starting")
    print("RuntimeError: no room on the accelerator", file=sys.stderr)
    sys.exit(3)

class Named(Served):
    def models(self):
        return {{"data": [{{"id": given.served_model_name, "max_model_len": 512}}]}}

    def reply(self, path, body):
        return super().reply(path, {{**body, "model": "tested"}} if body["model"] == given.served_model_name else body)

model = models.load(f"hf:{{given.folder}}", ModelSettings(device="cpu", threads=1))
# As vLLM does, it puts before a text what the tokenizer puts there, which is the start token of this one.
with serving(Named(model, start=model.facts.start_token, adds_start=True), port=given.port):
    import threading
    threading.Event().wait()
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "vllm"
    path.write_text(STAND_IN.format(python=sys.executable, root=str(ROOT)), encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("TILTMETER_VLLM", os.environ.get("TILTMETER_TEST_VLLM", str(path)))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("vllm") / "llama"
    save_checkpoint("llama", made)
    return made


def test_its_numbers_are_those_of_the_same_weights(program: Path, folder: Path) -> None:
    far, near = models.load(f"vllm:{folder}", SETTINGS), models.load(f"hf:{folder}", SETTINGS)
    assert far.facts.name == f"vllm:{folder}"
    assert far.facts.weights_sha256 == near.facts.weights_sha256
    texts = [SENTENCES[0], SENTENCES[3]]
    for one, other in zip(far.score(texts), near.score(texts), strict=True):
        assert one.spans == other.spans
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)
    greedy = Decoding(temperature=0.0, max_new_tokens=6)
    [[wrote]], [[expected]] = (as_writer(model).complete(["The nurse"], greedy) for model in (far, near))
    assert wrote.text == expected.text
    [far_words], [near_words] = (as_predictor(one).next_words(["The nurse said that"], ["he"]) for one in (far, near))
    assert far_words.words[0].probability == pytest.approx(near_words.words[0].probability, abs=1e-4)


def test_its_answers_are_recalled_without_starting_it(
    program: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tiltmeter.engine.cached import open_model
    from tiltmeter.store import Cache

    with Cache(tmp_path / "answers.sqlite") as kept:
        first = open_model(f"vllm:{folder}", SETTINGS, kept).score(["The nurse"])
        program.unlink()
        assert open_model(f"vllm:{folder}", SETTINGS, kept).score(["The nurse"]) == first


def test_a_server_that_fails_to_start_says_why(program: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_VLLM_ARGS", "--fail")
    with pytest.raises(ModelError, match="vLLM ended before it was ready: RuntimeError: no room on the accelerator"):
        models.load(f"vllm:{folder}", SETTINGS)


def test_without_vllm_it_says_how_to_get_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_VLLM", "/nowhere/vllm")
    with pytest.raises(MissingExtra, match=r"tiltmeter\[vllm\]"):
        models.load(f"vllm:{folder}", SETTINGS)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_server_ends_with_the_process_however_that_ends(program: Path, folder: Path, how: signal.Signals) -> None:
    gc.collect()
    assert not servers(folder)
    script = (
        "import sys, time; from tiltmeter import models; from tiltmeter.models import ModelSettings\n"
        "models.load(sys.argv[1], ModelSettings(device='cpu', dtype='float32'))\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", script, f"vllm:{folder}"], stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline().strip() == "ready"
    assert servers(folder)
    process.send_signal(how)
    process.wait(30)
    deadline = time.monotonic() + 20
    while servers(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not servers(folder)


def servers(folder: Path) -> list[str]:
    """The processes that serve a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"serve" in words and str(folder).encode() in words:
            found.append(path.parent.name)
    return found
