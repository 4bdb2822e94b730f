"""`tiltmeter doctor`: what is installed, what is missing, and the command that installs it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tiltmeter.cli.console import JsonOption, print_json, print_table
from tiltmeter.version import __version__

# What each extra is for, and the packages without which it does not work.
_EXTRAS = {
    "hf": (
        "models: the embedded one, Hugging Face, GGUF",
        ("torch", "transformers", "safetensors", "gguf", "accelerate", "peft"),
    ),
    "api": ("models behind an API", ("httpx",)),
    "report": ("figures in the report, and the report as PDF", ("vl-convert-python", "typst")),
    "text": ("sentiment, and the audit of written sentences", ("spacy", "vaderSentiment")),
    "raters": ("the rater toxicity.tiny", ("onnxruntime", "tokenizers")),
    "web": (
        "the workbench: tiltmeter serve",
        ("fastapi", "uvicorn", "sse-starlette", "vl-convert-python"),
    ),
    "ray": ("studies on a cluster: run --engine ray", ("ray",)),
    "big": ("Parquet files at an address", ("fsspec",)),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's: `ok` is None where it is only information."""

    subject: str
    ok: bool | None
    found: str
    mend: str = ""


def doctor(json: JsonOption = False) -> None:
    """What is installed, what is missing, and the command that installs it."""
    findings = examine()
    if json:
        print_json([asdict(finding) for finding in findings])
        return
    marks = {True: "ok", False: "missing", None: ""}
    print_table(
        ("", "", "found", "to fix it"),
        [(finding.subject, marks[finding.ok], finding.found, finding.mend) for finding in findings],
    )


def examine() -> list[Finding]:
    """Look at everything without importing anything heavy."""
    findings = [Finding("Python", True, f"{platform.python_version()} ({sys.executable})")]
    findings.append(Finding("tiltmeter", True, __version__))
    findings += [_extra(name, purpose, packages) for name, (purpose, packages) in _EXTRAS.items()]
    return [*findings, _vllm(), _embedded_model(), _device(), _threads(), _cache()]


def missing_packages(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    return [package for package in _EXTRAS[extra][1] if _version(package) is None]


def _extra(name: str, purpose: str, packages: tuple[str, ...]) -> Finding:
    installed = {package: _version(package) for package in packages}
    missing = missing_packages(name)
    found = ", ".join(f"{package} {number}" for package, number in installed.items() if number is not None)
    if missing:
        found = f"{purpose}; not installed: {', '.join(missing)}"
    return Finding(f"extra {name}", not missing, found, f"pip install 'tiltmeter[{name}]'" if missing else "")


def _vllm() -> Finding:
    """The package, or the program of another environment, whichever would be used."""
    from tiltmeter.models.vllm import PROGRAM, program

    number, found = _version("vllm"), program()
    if found:
        return Finding("extra vllm", True, f"vllm {number}" if number else f"the program {found}")
    return Finding(
        "extra vllm",
        False,
        "models run by vLLM, on a machine with an accelerator; there is no `vllm` program here, and none is set "
        f"in {PROGRAM}",
        "pip install 'tiltmeter[vllm]'",
    )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _embedded_model() -> Finding:
    from tiltmeter.models import embedded

    if embedded.is_cached():
        return Finding("embedded model", True, f"{embedded.NAME} in {embedded.home()}")
    return Finding(
        "embedded model",
        False,
        f"{embedded.NAME} is not in the cache; it is downloaded (93 MB) on first use",
        f"tiltmeter models get {embedded.NAME}",
    )


def _device() -> Finding:
    """What the machine offers; whether torch can use it is known only once torch is loaded."""
    if Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi"):
        torch = _version("torch") or ""
        if torch.endswith("+cpu"):
            return Finding("device", None, f"an NVIDIA device, but torch {torch} computes on the CPU only")
        return Finding("device", None, "cuda (an NVIDIA device)")
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return Finding("device", None, "mps (an Apple device)")
    return Finding("device", None, "cpu")


def _threads() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS")
    return Finding("threads", None, f"{usable} cores" + (f", OMP_NUM_THREADS={limit}" if limit else ""))


def _cache() -> Finding:
    from tiltmeter.cache import cache_folder

    folder = cache_folder()
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(existing).free
    return Finding("cache", None, f"{folder} ({free / 10**9:.1f} GB free); set TILTMETER_CACHE to move it")
