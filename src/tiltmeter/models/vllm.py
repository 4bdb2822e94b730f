"""`vllm:NAME`: a checkpoint that vLLM runs: a server of its own on this machine, which is asked as any API model is.

The server is started when the model is loaded, and ends when nobody has the model any more, or this process ends,
however that comes. Completions, log-probabilities of texts and next words are its own; the facts are those of the
weights on disk.
"""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

from tiltmeter.errors import MissingExtra, ModelError
from tiltmeter.models.hugging_face import require_packages
from tiltmeter.models.identity import folder_identity
from tiltmeter.models.interface import Model, ModelSettings
from tiltmeter.processes import end_with_children
from tiltmeter.quietly import quietly
from tiltmeter.records import SCREENED

PROGRAM, ARGUMENTS, PATIENCE = "TILTMETER_VLLM", "TILTMETER_VLLM_ARGS", "TILTMETER_VLLM_PATIENCE"
"""Of the environment: where `vllm` is, what else it is told, and how many seconds it may take to start."""
_SERVED = "tiltmeter"
_PATIENCE = 1_200.0
_GRACE = 10.0
"""Seconds that a server has to end by itself."""
_GUARDED = (
    sys.executable,
    "-c",
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execvp(sys.argv[1], sys.argv[1:])",
)
"""Has Linux kill the server when this process is gone, killed or not: 1 is PR_SET_PDEATHSIG, 9 is SIGKILL."""


def load(argument: str, settings: ModelSettings) -> Model:
    """The model of a hub name or a folder, run by vLLM."""
    found = program()
    if not found:
        raise MissingExtra(f"models run by vLLM (or name its program in {PROGRAM})", "vllm", "vllm")
    require_packages()
    if settings.dtype == "tf32":
        raise ModelError("vLLM has no dtype `tf32`; use float32, bfloat16, float16 or auto")
    folder, revision = _folder(argument)
    hashes: dict[str, Any] = folder_identity(folder)
    start = _start(folder)
    server = _Server(found, folder, settings, f"vllm:{argument}")
    from tiltmeter.models import api

    option = f"?start={quote(start, safe='')}&" if start else "?"
    # It serves the one model that it was started with, whatever it calls it.
    model = api.load(f"{_SERVED}@{server.url}{option}concurrency=64&answers_as=*", journal=api.MemoryJournal())
    model.facts = replace(
        model.facts,
        name=f"vllm:{argument}",
        revision=revision,
        **hashes,
        device="vllm",
        dtype="auto" if settings.dtype == SCREENED else settings.dtype,
        versions={**model.facts.versions, **({"arguments": more} if (more := os.environ.get(ARGUMENTS)) else {})},
    )
    # The next model may need the accelerator for itself.
    weakref.finalize(model, server.stop)
    return model


def program() -> str | None:
    """The program of vLLM: the one that is named, or that of this environment; None where there is none."""
    return shutil.which(os.environ.get(PROGRAM) or "vllm")


def _folder(argument: str) -> tuple[Path, str]:
    given = Path(argument).expanduser()
    if given.is_dir():
        return given, ""
    from tiltmeter.models.hub import fetch

    return fetch(argument)


def _start(folder: Path) -> str:
    """The start token that texts are scored after, where the tokenizer puts none there by itself."""
    from transformers import AutoConfig, AutoTokenizer

    from tiltmeter.models.encoding import Encoder
    from tiltmeter.models.special_tokens import start_tokens

    with quietly():
        tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    before, _ = Encoder(tokenizer, str(folder)).frame()
    return "" if before else "".join(tokenizer.convert_ids_to_tokens(list(start_tokens(tokenizer, config, before))))


class _Server:
    """A server that runs for as long as this process does."""

    def __init__(self, program: str, folder: Path, settings: ModelSettings, name: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        command = [program, "serve", str(folder), "--served-model-name", _SERVED, "--host", "127.0.0.1"]
        command += ["--port", str(port), "--generation-config", "vllm", "--max-logprobs", "20"]
        command += [] if settings.dtype in ("auto", SCREENED) else ["--dtype", settings.dtype]
        command += shlex.split(os.environ.get(ARGUMENTS, ""))
        self._process = subprocess.Popen(
            [*_GUARDED, *command] if sys.platform == "linux" else command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self._said: deque[str] = deque(maxlen=200)
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self.stop)
        self._wait(name)

    def stop(self) -> None:
        """End the server and all that it started."""
        end_with_children(self._process, _GRACE)

    def _wait(self, name: str) -> None:
        patience = float(os.environ.get(PATIENCE) or _PATIENCE)
        began = time.monotonic()
        while time.monotonic() - began < patience:
            if self._process.poll() is not None:
                raise ModelError(f"{name}: vLLM ended before it was ready: {self._last_words()}")
            try:
                with urlopen(f"{self.url}/models", timeout=5):
                    return
            except (URLError, OSError):
                time.sleep(0.2)
        self.stop()
        raise ModelError(f"{name}: vLLM was not ready after {patience:g} s; raise {PATIENCE}")

    def _listen(self) -> None:
        """Read what the server says, so that it never waits for a reader."""
        assert self._process.stdout is not None
        self._said.extend(self._process.stdout)

    def _last_words(self) -> str:
        lines = [line.strip() for line in self._said if line.strip()]
        telling = [line for line in lines if "Error" in line] or lines
        return telling[-1][:300] if telling else "no output"
