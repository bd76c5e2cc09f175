"""Batches come while others are computed; leaving ends the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import prism_features as prism


def test_batches_make_the_table(rbd: Path) -> None:
    inputs = [(f"copy {index}", rbd.read_bytes()) for index in range(300)]
    batches = list(prism.stream(inputs, ["wcn"], "cpu"))
    assert len(batches) > 1
    assert all(isinstance(batch, pa.RecordBatch) for batch in batches)
    assert pa.Table.from_batches(batches).equals(prism.features(inputs, ["wcn"], "cpu").arrow)


def test_leaving_the_loop_ends_the_run(rbd: Path) -> None:
    before = threading.active_count()
    inputs = [(f"copy {index}", rbd.read_bytes()) for index in range(2000)]
    for batch in prism.stream(inputs, ["wcn"], "cpu"):
        assert batch.num_rows > 0
        break
    assert threading.active_count() == before


def test_what_a_slow_iterator_gave_is_computed_and_it_is_left_soon(rbd: Path) -> None:
    content = rbd.read_bytes()
    given = 0

    def endless() -> Iterator[tuple[str, bytes]]:
        nonlocal given
        while True:
            given += 1
            yield f"copy {given}", content
            time.sleep(0.02)

    for batch in prism.stream(endless(), ["wcn"], "cpu"):
        assert batch.num_rows > 0
        break
    assert given < 200


def test_an_engine_serves_threads(rbd: Path) -> None:
    engine = prism.Engine("cpu")
    expected = engine.features(rbd, ["wcn"])
    found: list[prism.Table] = []
    threads = [threading.Thread(target=lambda: found.append(engine.features(rbd, ["wcn"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(table.equals(expected) for table in found)


def test_batches_say_how_long_their_work_took(rbd: Path) -> None:
    class Timed(prism.Engine):
        seconds = None

        def _tell(self, batch, *arguments):  # type: ignore[no-untyped-def]
            self.seconds = batch.seconds
            super()._tell(batch, *arguments)

    engine = Timed("cpu")
    begin = time.perf_counter()
    engine.features(rbd)
    wall = time.perf_counter() - begin
    assert engine.seconds is not None
    read, compute, rows, device = engine.seconds
    assert min(read, compute, rows) > 0 and read + compute + rows < wall
    assert device is None
    # The pipeline's threads do several batches at a time.
    engine.features([(str(index), rbd.read_bytes()) for index in range(10)])
    assert engine.seconds is None


def test_threads_share_a_stream(rbd: Path) -> None:
    content = rbd.read_bytes()
    inputs = ((str(index), content) for index in range(600))
    taken: list[str] = []

    def take(stream: Any) -> None:
        for batch in stream:
            taken.extend(batch["structure"].unique().to_pylist())

    with prism.stream(inputs, ["structure", "wcn"], "cpu") as stream:
        threads = [threading.Thread(target=take, args=(stream,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    # Each once, whichever thread has it.
    assert sorted(taken) == sorted(str(index) for index in range(600))


def test_other_threads_go_on(rbd: Path) -> None:
    content, inputs = rbd.read_bytes(), 300
    ended = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        # No wait with a limit, which takes some interpreters much longer than it is to.
        while not ended.is_set():
            time.sleep(0.001)
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    prism.features([(str(index), content) for index in range(inputs)], ["sasa"], "cpu")
    seconds = time.monotonic() - begin
    ended.set()
    thread.join()
    # A thousand a second, were nothing else to do.
    assert counted > 20 * seconds


def test_a_table_outlives_its_run(rbd: Path) -> None:
    stream = prism.stream(rbd, ["wcn"], "cpu")
    batch = next(stream)
    del stream
    assert batch.num_rows == 194
    assert all(value > 0 for value in batch.column("wcn").to_pylist())


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_ends_a_run(rbd: Path) -> None:
    code = (
        "import signal, sys, prism_features as prism\n"
        # A shell's background jobs ignore the signal, and what they start inherits that.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"content = open({str(rbd)!r}, 'rb').read()\n"
        "inputs = [(str(index), content) for index in range(100_000)]\n"
        "print('begun', flush=True)\n"
        "try:\n"
        "    prism.features(inputs, backend='cpu')\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(7)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begun\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    try:
        assert child.wait(timeout=30) == 7
    finally:
        child.kill()


LEFT = {
    "waits for a batch": "list(stream)",
    "leaves the loop": "next(stream); reached.wait(); stream.close(); time.sleep(1)",
    "drops the stream": "reached.wait(); del stream; time.sleep(1)",
}


SIGNALS = {
    "Ctrl-C": (signal.SIGINT, "signal.default_int_handler", "KeyboardInterrupt"),
    "another signal": (signal.SIGTERM, "handler", "Terminated"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize(("sent", "handler", "raised"), SIGNALS.values(), ids=SIGNALS.keys())
@pytest.mark.parametrize("call", LEFT.values(), ids=LEFT.keys())
def test_a_signal_leaves_a_run_whose_iterator_is_blocked(
    rbd: Path, call: str, sent: signal.Signals, handler: str, raised: str
) -> None:
    code = (
        "import signal, sys, threading, time, prism_features as prism\n"
        "class Terminated(Exception): pass\n"
        "def handler(*_): raise Terminated\n"
        f"signal.signal(signal.{sent.name}, {handler})\n"
        f"content = open({str(rbd)!r}, 'rb').read()\n"
        "reached = threading.Event()\n"
        "def blocked():\n"
        "    for index in range(300):\n"
        "        yield str(index), content\n"
        "    print('blocked', flush=True)\n"
        "    reached.set()\n"
        "    threading.Event().wait()\n"
        "stream = prism.stream(blocked(), ['wcn'], 'cpu')\n"
        "try:\n"
        f"    {call}\n"
        f"except {raised}:\n"
        "    sys.exit(7)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "blocked\n"
        time.sleep(1)
        child.send_signal(sent)
        assert child.wait(timeout=10) == 7
    finally:
        child.kill()


def test_an_error_of_the_loop_is_kept_while_its_run_ends(rbd: Path) -> None:
    def read() -> None:
        stream = prism.stream(((str(index), content) for index in range(2000)), ["wcn"], "cpu")
        next(stream)
        raise KeyError("of the loop")

    content = rbd.read_bytes()
    with pytest.raises(KeyError, match="of the loop"):
        read()


def test_a_program_may_end_while_an_iterator_is_blocked(rbd: Path) -> None:
    code = (
        "import sys, threading, prism_features as prism\n"
        f"content = open({str(rbd)!r}, 'rb').read()\n"
        "def blocked():\n"
        "    for index in range(300):\n"
        "        yield str(index), content\n"
        "    reached.set()\n"
        "    threading.Event().wait()\n"
        "reached = threading.Event()\n"
        "stream = prism.stream(blocked(), ['wcn'], 'cpu')\n"
        "next(stream)\n"
        "reached.wait()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


FORKED = {
    "the parent's engine": "engine.features(content)",
    "a batch of the parent's stream": "list(stream)",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="takes fork")
@pytest.mark.parametrize("call", FORKED.values(), ids=FORKED.keys())
def test_a_forked_process_is_told_what_it_cannot_use(rbd: Path, call: str) -> None:
    code = (
        "import os, sys, prism_features as prism\n"
        f"content = open({str(rbd)!r}, 'rb').read()\n"
        "engine = prism.Engine('cpu')\n"
        "engine.features(content)\n"
        "stream = engine.stream([(str(index), content) for index in range(500)], ['wcn'])\n"
        "next(stream)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n"
        f"        {call}\n"
        "    except prism.PrismError as error:\n"
        "        assert 'spawn' in str(error), error\n"
        "        # Its end is that of a process that drops what it has.\n"
        "        del engine, stream\n"
        "        sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "assert sum(batch.num_rows for batch in stream) > 0\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


#: Each uses common threads in a way of its own.
OWN = {
    "a small call": "prism.features(content, backend='cpu').num_rows == 194",
    "many inputs": "prism.features([content] * 99, backend='cpu').num_rows == 99 * 194",
    "an engine of a thread": "prism.Engine('cpu', threads=1).features([content] * 9, ['sasa']).num_rows == 9 * 194",
    "slices": "len(prism.atoms([content] * 9, 'cpu', algorithm='lee-richards')) > 9000",
    "an interface": "len(prism.interface([content] * 9, 'cpu')) == 0",
    "interactions": "len(prism.edges([('x', content)] * 1, kinds=['disulfide'])) == 4",
    "tensors": "len(list(prism.tensors([content] * 9, ['sasa'], 'cpu'))) == 9",
    "another fork": "os.fork() == 0 or os.waitstatus_to_exitcode(os.wait()[1]) == 7",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="takes fork")
@pytest.mark.parametrize("call", OWN.values(), ids=OWN.keys())
def test_a_forked_process_computes_with_threads_of_its_own(rbd: Path, call: str) -> None:
    code = (
        "import os, sys, prism_features as prism\n"
        f"content = open({str(rbd)!r}, 'rb').read()\n"
        "engine = prism.Engine('cpu')\n"
        "engine.features([content] * 20)\n"
        "prism.features(content)\n"
        "if os.fork() == 0:\n"
        f"    assert {call}\n"
        "    assert prism.features([content] * 9, ['wcn'], 'cpu').num_rows == 9 * 194\n"
        "    sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.wait()[1]) == 7\n"
        "assert engine.features(content, ['wcn']).num_rows == 194\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="takes fork")
def test_processes_that_use_prism_alone_may_be_forked(rbd: Path) -> None:
    code = (
        "import multiprocessing, prism_features as prism\n"
        f"content = open({str(rbd)!r}, 'rb').read()\n"
        "def rows(_):\n"
        "    return prism.features([content] * 6, ['wcn'], 'cpu').num_rows\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    assert pool.map(rows, range(4)) == [6 * 194] * 4\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)


def test_a_program_may_end_while_runs_go_on(rbd: Path) -> None:
    code = (
        "import sys, threading, prism_features as prism\n"
        f"content = open({str(rbd)!r}, 'rb').read()\n"
        "many = [(str(index), content) for index in range(100)]\n"
        "sys.kept = prism.stream(many, backend='cpu'), prism.stream((one for one in many), backend='cpu')\n"
        "[next(stream) for stream in sys.kept]\n"
        "threading.Thread(target=lambda: prism.features(many, backend='cpu'), daemon=True).start()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.filterwarnings("ignore:Reader has no dt information")
def test_frames_of_a_trajectory_are_read_while_others_are_computed(rbd: Path) -> None:
    package, np = pytest.importorskip("MDAnalysis"), pytest.importorskip("numpy")
    from MDAnalysis.coordinates.memory import MemoryReader

    read = 0

    class Counted(MemoryReader):  # type: ignore[misc]
        def _read_frame(self, frame: int) -> Any:
            nonlocal read
            read += 1
            return super()._read_frame(frame)

    universe = package.Universe(rbd)
    universe.load_new(np.repeat(universe.atoms.positions[None], 4000, axis=0), order="fac", format=Counted)
    read = 0
    stream = prism.stream(universe, ["wcn"], "cpu", model="all")
    assert next(stream).column("structure")[0].as_py() == "6m0j_rbd.pdb#1"
    assert 0 < read < 3000
    stream.close()
