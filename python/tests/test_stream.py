"""Batches come while others are computed; leaving ends the run."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pytest

import prism


def test_batches_make_the_table(rbd: Path) -> None:
    inputs = [(f"copy {index}", rbd.read_bytes()) for index in range(300)]
    batches = list(prism.stream(inputs, ["wcn"], "cpu"))
    assert len(batches) > 1
    assert all(isinstance(batch, pa.RecordBatch) for batch in batches)
    assert pa.Table.from_batches(batches).equals(prism.features(inputs, ["wcn"], "cpu"))


def test_leaving_the_loop_ends_the_run(rbd: Path) -> None:
    before = threading.active_count()
    inputs = [(f"copy {index}", rbd.read_bytes()) for index in range(2000)]
    for batch in prism.stream(inputs, ["wcn"], "cpu"):
        assert batch.num_rows > 0
        break
    assert threading.active_count() == before


def test_an_engine_serves_threads(rbd: Path) -> None:
    engine = prism.Engine("cpu")
    expected = engine.features(rbd, ["wcn"])
    found: list[pa.Table] = []
    threads = [threading.Thread(target=lambda: found.append(engine.features(rbd, ["wcn"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(table.equals(expected) for table in found)


def test_batches_say_how_long_reading_and_computing_took(rbd: Path) -> None:
    class Timed(prism.Engine):
        seconds = None

        def _batches(self, *arguments):  # type: ignore[no-untyped-def]
            for batch in super()._batches(*arguments):
                self.seconds = batch.seconds
                yield batch

    engine = Timed("cpu")
    begin = time.perf_counter()
    engine.features(rbd)
    wall = time.perf_counter() - begin
    assert engine.seconds is not None
    read, compute, device = engine.seconds
    assert read > 0 and compute > 0 and read + compute < wall
    assert device is None
    # The pipeline's threads do several batches at a time.
    engine.features([(str(index), rbd.read_bytes()) for index in range(10)])
    assert engine.seconds is None


def test_other_threads_go_on(rbd: Path) -> None:
    content, inputs = rbd.read_bytes(), 300
    ended = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not ended.wait(0.001):
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
        "import prism, sys\n"
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
