"""The engine of a cluster: the same tables as the local one, whatever is lost on the way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.engine import test_asking_again as moody
from tests.engine.slow_continuing import OTHER, small_steps
from tests.engine.test_continuing_killed import steps, tables
from tests.models.api_server import serving
from tests.models.conftest import bytelevel_tokenizer, save_checkpoint, wordpiece_tokenizer
from tiltmeter import models, raters
from tiltmeter.cli import main
from tiltmeter.engine import Cluster, cached, carry_out, ray_pool
from tiltmeter.engine.ray_executor import RayExecutor, _Dispatch, ray_executor
from tiltmeter.engine.ray_pool import WorkerPool
from tiltmeter.engine.ray_worker import Call, Place, Refused, Tool, Worker
from tiltmeter.engine.sentences import read_written_sentences
from tiltmeter.errors import MissingExtra, ModelError, RunError, UnknownName, UserError
from tiltmeter.models import Explainer, ModelSettings, Predictor, Writer
from tiltmeter.models.api import api_name
from tiltmeter.store import Cache
from tiltmeter.study import Plan, parse, plan, read

pytestmark = pytest.mark.slow
ONE = ModelSettings(device="cpu", threads=1)
SINGLE, TWO = Cluster(workers=1), Cluster(workers=2)
STUDY = """
name = "cluster"
seed = 3
models = ["scripted:other.toml", "scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 6 } }]
decoding = { temperature = [0, 1.0], max_new_tokens = 6 }
samples = 3
raters = ["sentiment.vader"]
[next_words]
sources = [{ natural = { limit = 12 } }]
words = "he-she"
bounded = [false, true]
"""
NETWORKS = STUDY.replace('"scripted"]', '"hf:./gpt2", "hf:./bert"]').replace(
    '"sentiment.vader"]', '"sentiment.vader", "toxicity.detoxify-original:./toxicity"]'
)
WRITTEN = """
name = "written"
seed = 3
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
[[pairs.sources]]
templates = {}
[[pairs.sources]]
[pairs.sources.generated]
by = "hf:./writer"
judge = false
reader = "none"
max_requests = 1
samples = 2
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 2 } }]
raters = ["sentiment.vader"]
"""
NETWORKS += 'saliency = "gradient-x-input"\n'


class Fragile(Worker):
    """A worker that dies over what the file `deadly` says, in the folder of the study: once, or each time."""

    def do(self, call: Call, in_use: Any) -> Any:
        deadly = Path("deadly")
        if deadly.is_file() and call.verb == "complete":
            if deadly.read_text() == "once":
                deadly.unlink(missing_ok=True)
            os._exit(1)
        return super().do(call, in_use)


class Telltale(Worker):
    """A worker that writes down what it loads and does, in the folder of the study."""

    def _loaded(self, tool: Tool, in_use: Any) -> Any:
        with Path("loaded").open("a") as file:
            file.write(f"{tool.name}\n" if tool not in self._tools else "")
        return super()._loaded(tool, in_use)

    def do(self, call: Call, in_use: Any) -> Any:
        with Path("done").open("a") as file:
            file.write(f"{call.verb} {os.getpid()}\n")
        return super().do(call, in_use)


@dataclass
class Telling:
    """A watcher that does something when so many steps are done."""

    does: dict[int, Callable[[], None]] = field(default_factory=dict)
    advanced: int = 0

    def start(self, what: str, total: int, done: int) -> None:
        pass

    def advance(self, steps: int, failures: int = 0) -> None:
        self.advanced += 1
        self.does.pop(self.advanced, lambda: None)()


def save_rater(folder: Path) -> None:
    import transformers

    tokenizer = wordpiece_tokenizer()
    labels = ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"]
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        initializer_range=0.4,
        id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)},
    )
    transformers.BertForSequenceClassification(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def save_writer(folder: Path) -> None:
    """A random network that reads long prompts."""
    import torch
    import transformers

    torch.manual_seed(7)
    tokenizer = bytelevel_tokenizer("gpt2")
    config = transformers.GPT2Config(
        n_embd=32, n_layer=2, n_head=2, n_positions=1024, vocab_size=len(tokenizer), initializer_range=0.4
    )
    transformers.GPT2LMHeadModel(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ray")
    for family in ("gpt2", "bert"):
        save_checkpoint(family, made / family)
    save_rater(made / "toxicity")
    save_writer(made / "writer")
    (made / "other.toml").write_text(OTHER, encoding="utf-8")
    (made / "study.toml").write_text(STUDY, encoding="utf-8")
    (made / "networks.toml").write_text(NETWORKS, encoding="utf-8")
    return made


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    small_steps(monkeypatch)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def study() -> Plan:
    return plan(read(Path("study.toml")))


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """A run of the local engine."""
    with pytest.MonkeyPatch.context() as patch:
        small_steps(patch)
        patch.chdir(folder)
        carry_out(plan(read(Path("study.toml"))), folder / "whole", ONE)
    return folder / "whole"


@pytest.fixture(scope="module")
def expected(whole: Path) -> dict[str, bytes]:
    return tables(whole)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster with room for three workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        patch.setattr(os, "cpu_count", lambda: 1)
        connected = ray_pool._connected(Cluster(workers=3))
        assert connected.__enter__()
    import ray

    yield ray
    connected.__exit__(None, None, None)


@pytest.fixture
def hired(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every worker that was ever begun."""
    found: list[Any] = []
    hire = WorkerPool._started

    def counted(self: WorkerPool) -> Any:
        found.append(hire(self))
        return found[-1]

    monkeypatch.setattr(WorkerPool, "_started", counted)
    return found


def test_what_is_wrong_with_the_cluster_is_one_sentence(
    study: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UserError, match="there is no Ray cluster at 127.0.0.1:1 .*; start one with `ray start --head`"):
        carry_out(study, tmp_path / "run", ONE, cluster=Cluster(address="127.0.0.1:1"))
    with pytest.raises(
        UserError, match="1.5 GPUs per worker is not possible; give a share of one GPU, such as 0.5, or a whole number"
    ):
        Cluster(gpus_per_worker=1.5)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"need the package ray: pip install 'tiltmeter\[ray\]'"):
        carry_out(study, tmp_path / "run", ONE, cluster=TWO)
    assert not (tmp_path / "run" / "ledger.sqlite").exists()
    monkeypatch.setattr(sys, "argv", ["tiltmeter", "run", "study.toml", "--workers", "2"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "--workers needs a cluster; add --engine ray" in capsys.readouterr().err


def test_what_workers_answered_is_kept_for_the_local_engine(
    cluster: Any, study: Plan, tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "_WORTH_KEEPING", 0)
    kept = Cache(tmp_path / "answers.sqlite")
    carry_out(study, tmp_path / "ray", ONE, cache=kept, cluster=SINGLE)
    asked, kept.misses = kept.misses, 0
    carry_out(study, tmp_path / "again", ONE, cache=kept)
    assert (asked > 0, kept.misses) == (True, 0)
    assert tables(tmp_path / "ray") == tables(tmp_path / "again") == expected


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """What the workers wrote down since they were last asked."""
    monkeypatch.setattr(ray_pool, "Worker", Telltale)

    def read_and_forget(name: str) -> list[str]:
        lines = Path(name).read_text().splitlines() if Path(name).is_file() else []
        Path(name).unlink(missing_ok=True)
        return lines

    for name in ("loaded", "done"):
        read_and_forget(name)
    return read_and_forget


def test_the_tables_are_those_of_the_local_engine_and_where_everything_is_kept_no_worker_loads_anything(
    cluster: Any,
    tmp_path: Path,
    hired: list[Any],
    told: Callable[[str], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cached, "_WORTH_KEEPING", 0)
    study = plan(read(Path("networks.toml")))
    carry_out(study, tmp_path / "local", ONE)
    kept = Cache(tmp_path / "answers.sqlite")
    carry_out(study, tmp_path / "first", ONE, cache=kept, cluster=TWO)
    assert len(hired) == 2
    assert steps(tmp_path / "first") == steps(tmp_path / "local")
    local = tables(tmp_path / "local")
    assert tables(tmp_path / "first") == local
    assert {"hf:gpt2", "hf:bert", "toxicity.detoxify-original.v1:toxicity"} <= set(told("loaded"))
    carry_out(study, tmp_path / "second", ONE, cache=kept, cluster=TWO)
    # A table of words is faster than the cache, and its file is not looked at before it is loaded.
    assert set(told("loaded")) == {"scripted:other.toml"}
    assert tables(tmp_path / "second") == local


def test_sentences_are_written_by_all_workers_and_are_those_of_the_local_engine(
    cluster: Any, tmp_path: Path, told: Callable[[str], list[str]]
) -> None:
    study = plan(parse(WRITTEN))
    carry_out(study, tmp_path / "local", ONE)
    carry_out(study, tmp_path / "ray", ONE, cluster=TWO)
    assert len({line for line in told("done") if line.startswith("complete_with ")}) == 2
    local, ray = (read_written_sentences(tmp_path / name)[0] for name in ("local", "ray"))
    assert local == ray
    assert len({one.text for one in local}) > 30
    assert tables(tmp_path / "ray") == tables(tmp_path / "local")


def test_a_worker_that_is_killed_costs_nothing_but_time(
    cluster: Any, study: Plan, tmp_path: Path, expected: dict[str, bytes], hired: list[Any]
) -> None:
    said: list[str] = []
    watcher = Telling({4: lambda: cluster.kill(hired[0].actor), 20: lambda: cluster.kill(hired[1].actor)})
    carry_out(study, tmp_path, ONE, watcher, cluster=Cluster(workers=2, tell=said.append))
    assert not watcher.does
    assert len(hired) > 2
    waited = {sentence for sentence in said if sentence.startswith("1 of 2 workers have started")}
    assert set(said) - waited == {
        "a worker was lost (The actor is dead because it was killed by `ray.kill`); other workers take its batches"
    }
    assert tables(tmp_path) == expected


def test_a_worker_may_die_over_a_batch_once_but_not_for_ever(
    cluster: Any,
    study: Plan,
    tmp_path: Path,
    expected: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(ray_pool, "Worker", Fragile)
    monkeypatch.setattr(ray_pool, "_ATTEMPTS", 2)
    Path("deadly").write_text("always")
    with pytest.raises(RunError, match="2 workers were lost one after another over the same batch"):
        carry_out(study, tmp_path, ONE, cluster=SINGLE)
    Path("deadly").write_text("once")
    carry_out(study, tmp_path, ONE, cluster=SINGLE)
    assert not Path("deadly").exists()
    assert tables(tmp_path) == expected
    # Ray would speak of lost workers on standard output, where results are.
    assert capsys.readouterr() == ("", "")


def test_a_run_may_go_on_with_the_other_engine(
    cluster: Any, study: Plan, tmp_path: Path, whole: Path, expected: dict[str, bytes]
) -> None:
    def stop() -> None:
        raise InterruptedError

    for name, (first, second) in {"away": (None, SINGLE), "home": (SINGLE, None)}.items():
        with pytest.raises(InterruptedError):
            carry_out(study, tmp_path / name, ONE, Telling({10: stop}), cluster=first)
        begun = sum(steps(tmp_path / name))
        assert 0 < begun < sum(steps(whole))
        watcher = Telling()
        carry_out(study, tmp_path / name, ONE, watcher, cluster=second)
        assert watcher.advanced < sum(steps(whole))
        assert tables(tmp_path / name) == expected


def test_a_killed_driver_begins_again_and_leaves_no_workers(
    tmp_path: Path, whole: Path, expected: dict[str, bytes]
) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.engine.slow_continuing import small_steps\n"
        "from tests.engine.test_ray import ONE, TWO, carry_out, plan, read\n"
        "small_steps(); carry_out(plan(read(Path('study.toml'))), sys.argv[1], ONE, cluster=TWO)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "run")]
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}"}
    environment["TILTMETER_CACHE"] = str(tmp_path / "marked")

    def workers() -> list[str]:
        """The processes of workers that the command has begun."""
        homes = [path.parent for path in Path("/proc").glob("[0-9]*/cmdline")]
        return [
            home.name
            for home in homes
            if b"ray::Worker" in read_file(home / "cmdline") and str(tmp_path).encode() in read_file(home / "environ")
        ]

    def read_file(path: Path) -> bytes:
        try:
            return path.read_bytes()
        except OSError:
            # The process ended while we looked.
            return b""

    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    while process.poll() is None and sum(steps(tmp_path / "run")) < 12:
        time.sleep(0.01)
    assert workers()
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert 0 < sum(steps(tmp_path / "run")) < sum(steps(whole))
    end = time.monotonic() + 20
    while workers() and time.monotonic() < end:
        time.sleep(0.1)
    assert not workers()
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert tables(tmp_path / "run") == expected


def test_asking_again_gives_the_same(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What is asked again is counted in batches of the usual size.
    monkeypatch.undo()
    server = moody.moody_server()
    with serving(server) as url:
        made = moody.study(url)
        carry_out(made, tmp_path / "well")
        server.asked.clear()
        server.share = 0.2
        carry_out(made, tmp_path / "ill", cluster=SINGLE)
        server.share = 0.0
        assert moody.again(made, tmp_path / "ill", SINGLE) == ["lacking"]
    assert moody.tables(tmp_path / "ill") == moody.tables(tmp_path / "well")


def test_more_workers_than_there_is_room_for(
    cluster: Any, study: Plan, tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    carry_out(study, tmp_path, ONE, cluster=Cluster(workers=8, tell=said.append))
    assert tables(tmp_path) == expected
    [sentence] = said
    assert re.match("[1-3] of 8 workers have started in the cluster; continuing with those", sentence)
    monkeypatch.setattr(ray_pool, "_PATIENCE", 0.0)
    with pytest.raises(RunError, match="no room for a worker, which needs 1 CPU and 0.5 GPU on one node"):
        carry_out(study, tmp_path / "none", ONE, cluster=Cluster(gpus_per_worker=0.5, tell=said.append))
    assert said[1].endswith("waiting for more nodes")
    assert not (tmp_path / "none" / "ledger.sqlite").exists()


def test_what_is_wrong_with_a_model_is_the_same_sentence(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY.replace('"scripted"]', f'"hf:{broken}"]'), encoding="utf-8")
    (tmp_path / "other.toml").write_text(OTHER, encoding="utf-8")
    sentences = []
    for more in ([], ["--engine", "ray", "--workers", "1"]):
        command = ["tiltmeter", "run", str(tmp_path / "study.toml"), "--out", str(tmp_path / f"run{len(more)}")]
        monkeypatch.setattr(sys, "argv", [*command, "--no-cache", *more])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 2
        sentences.append(capsys.readouterr().err.splitlines()[-1])
    assert sentences[0] == sentences[1]
    assert "broken" in sentences[0]


def test_a_model_on_workers_has_the_verbs_of_the_model(cluster: Any) -> None:
    with ray_executor(Cluster(workers=1), ONE, None) as executor:
        for name in ("scripted", "hf:./gpt2", "hf:./bert"):
            here, there = models.load(name, ONE), executor.model(name)
            assert (there.facts, there.conditionings) == (here.facts, here.conditionings)
            for kind in (Writer, Predictor, Explainer):
                assert isinstance(there, kind) == isinstance(here, kind)
            assert there.score(["a nurse", ""]) == here.score(["a nurse", ""])
        assert type(executor.rater("sentiment.vader")) is type(raters.load("sentiment.vader"))
        rater = raters.load("toxicity.detoxify-original:./toxicity")
        sent = executor.rater("toxicity.detoxify-original:./toxicity")
        assert (sent.name, sent.wants_mask, sent.facts) == (rater.name, rater.wants_mask, rater.facts)
        assert sent.rate(["a nurse", ""]) == rater.rate(["a nurse", ""])


@pytest.mark.parametrize(
    ("name", "is_behind"),
    [
        ("api:m@http://localhost:1/v1", True),
        ("chat:api:m@http://localhost:1/v1", True),
        ("planted:api.toml", True),
        ("planted:table.toml", False),
        ("chat:hf:./gpt2", False),
        ("scripted", False),
    ],
)
def test_models_behind_an_api_are_known_by_their_names(name: str, is_behind: bool) -> None:
    Path("api.toml").write_text('model = "api:m@http://localhost:1/v1"\n')
    Path("table.toml").write_text('model = "scripted"\n')
    assert (api_name(name) is not None) == is_behind


def staff_of(at_once: int) -> RayExecutor:
    """A executor whose work needs no worker."""
    pool: Any = SimpleNamespace(in_flight=at_once)
    return RayExecutor(ONE, dispatch=_Dispatch(pool))


def test_batches_come_back_in_order_and_few_are_on_their_way() -> None:
    executor, taken, done = staff_of(3), 0, 0

    def batches() -> Iterator[int]:
        nonlocal taken
        for number in range(20):
            taken += 1
            assert taken - done <= 3
            yield number

    def work(number: int) -> int:
        with executor.dispatch.driver.released():
            time.sleep(0.02 if number % 3 == 0 else 0)
        return number * number

    for number, squared in executor.each(work, batches()):
        assert (number, squared) == (done, done * done)
        done += 1
    assert done == 20


def test_one_at_a_time_works_on_the_driver_and_all_wait_together() -> None:
    executor, working = staff_of(4), [0, 0]
    all_away = threading.Barrier(4, timeout=10)

    def counted() -> None:
        working[0] += 1
        working[1] = max(working)
        time.sleep(0.001)
        working[0] -= 1

    def work(number: int) -> int:
        counted()
        with executor.dispatch.driver.released():
            all_away.wait()
        counted()
        return number

    assert [result for _, result in executor.each(work, range(8))] == list(range(8))
    assert working == [0, 1]


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    for name in ("OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.setenv(name, "")
    return Worker(Place(str(Path.cwd()), {}, 1))


def test_a_worker_lets_go_of_what_nobody_has_any_more(worker: Worker) -> None:
    tools = [Tool("model", name, ONE) for name in ("scripted", "scripted:other.toml", "hf:./gpt2")]
    for tool in tools[:2]:
        worker.about(tool, tools[:2])
    assert list(worker._tools) == tools[:2]
    worker.about(tools[2], tools[1:])
    assert list(worker._tools) == tools[1:]


def test_a_worker_that_has_another_model_refuses(worker: Worker) -> None:
    facts = models.load("scripted").facts
    other = models.load("scripted:other.toml").facts
    refused = worker.do(Call(Tool("model", "scripted:other.toml", ONE), facts, "score", (["she"],), {}), [])
    assert isinstance(refused, Refused)
    error = refused.error()
    assert isinstance(error, ModelError)
    assert "differs between the workers of the cluster" in str(error)
    assert f"name {other.name} instead of {facts.name}" in str(error)


@pytest.mark.parametrize(
    "error",
    [
        UnknownName("scorer", "summ", ["sum"]),
        MissingExtra("studies", "ray", "ray"),
        UserError("wrong", file="a.csv", line=3),
        ModelError("cannot"),
        RunError("full"),
    ],
)
def test_errors_travel_with_their_sentence(error: Any) -> None:
    found = Refused.of(error).error()
    assert str(found) == str(error)
    assert isinstance(error, type(found))
