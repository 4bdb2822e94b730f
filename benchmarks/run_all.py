"""Every benchmark that this machine can run, one after another, each of which puts its account into RESULTS.md.

python benchmarks/run_all.py [--only pairs,stats]

Peers that are not installed are skipped and named by the scripts themselves; `gpu.py` needs an accelerator. A script
that fails, because answers differ or something is missing, is named at the end.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

SCRIPTS = (
    "pairs.py --threads 2",
    "next_words.py",
    "completions.py",
    "generation.py",
    "raters.py",
    "stats.py",
    "second_run.py",
    "million.py",
    "share.py",
    "harness.py",
    "gpu.py",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="some of them, without their endings")
    only = parser.parse_args().only
    failed = []
    for script in SCRIPTS:
        name, *options = script.split()
        if (only and Path(name).stem not in only.split(",")) or (name == "gpu.py" and not _has_accelerator()):
            continue
        print(f"== {script}", flush=True)
        done = subprocess.run([sys.executable, str(Path(__file__).with_name(name)), *options, "--write"], check=False)
        if done.returncode:
            failed.append(script)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


def _has_accelerator() -> bool:
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


if __name__ == "__main__":
    main()
