"""Tensors on a GPU, by PyTorch and CuPy. Without a GPU the tests are left out, unless CUDA_REQUIRE_GPU=1 asks for one."""

from __future__ import annotations

import gc
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import prism_features as prism
from test_tensors import drop_as_readers_do

np = pytest.importorskip("numpy")
COLUMNS = ["wcn", "sasa", "ca_x"]


@pytest.fixture(scope="module")
def engine() -> prism.Engine:
    try:
        return prism.Engine("cuda")
    except prism.PrismError as error:
        if os.environ.get("CUDA_REQUIRE_GPU") == "1":
            raise
        pytest.skip(f"no GPU: {error}")


@pytest.fixture(params=["torch", "cupy"])
def library(request: pytest.FixtureRequest, engine: prism.Engine) -> Any:
    return pytest.importorskip(request.param)


def host(array: Any) -> Any:
    """Its values, copied by the library that has them."""
    return array.cpu().numpy() if hasattr(array, "cpu") else array.get()


def expected(engine: prism.Engine, inputs: Any) -> list[Any]:
    return [np.array(np.from_dlpack(tensor)) for tensor in engine.tensors(inputs, COLUMNS)]


def named(path: Path, count: int) -> list[tuple[str, bytes]]:
    return [(str(index), path.read_bytes()) for index in range(count)]


def test_without_a_device_there_is_an_error_that_says_so(rbd: Path) -> None:
    with pytest.raises(prism.PrismError, match=r'prism.Engine\("cuda"\)'):
        prism.Engine("cpu").tensors(rbd, COLUMNS, device="cuda")
    with pytest.raises(prism.PrismError, match=r'prism.Engine\("cuda"\)'):
        prism.tensors(rbd, COLUMNS, "cpu", device="cuda")
    for wrong in ("gpu", "cuda:", "cpu:1", "cuda:x"):
        with pytest.raises(prism.PrismError, match="device must be"):
            prism.tensors(rbd, COLUMNS, device=wrong)
    with pytest.raises(prism.PrismError, match="CUDA cannot be used"):
        prism.tensors(rbd, COLUMNS, device="cuda:9999")


def test_failures_of_tensors_are_listed(rbd: Path) -> None:
    with prism.tensors([rbd, ("broken", b"")], COLUMNS, "cpu", on_error="report") as tensors:
        assert [tensor.shape for tensor in tensors] == [(194, 3)]
        assert [failure.name for failure in tensors.failures] == ["broken"]
    with pytest.raises(TypeError, match="device is no option of the table features; prism.tensors"):
        prism.features(rbd, COLUMNS, "cpu", device="cpu")  # type: ignore[call-arg]


def test_values_are_those_of_the_host(engine: prism.Engine, library: Any, rbd: Path, data: Path) -> None:
    inputs = [rbd, *sorted(data.glob("*.pdb.gz")), *named(rbd, 300)]
    before = expected(engine, inputs)
    tensors = list(engine.tensors(inputs, COLUMNS, device="cuda"))
    assert {tensor.__dlpack_device__() for tensor in tensors} == {(2, 0)}
    for tensor, values in zip(tensors, before, strict=True):
        found = library.from_dlpack(tensor)
        assert tuple(found.shape) == tensor.shape == values.shape
        assert np.ascontiguousarray(host(found)).tobytes() == np.ascontiguousarray(values).tobytes()


def test_no_copy_is_made(engine: prism.Engine, library: Any, rbd: Path) -> None:
    (tensor,) = engine.tensors(rbd, COLUMNS, device="cuda")
    one, other = library.from_dlpack(tensor), library.from_dlpack(tensor)
    one[3, 1] = -7.0
    assert float(other[3, 1]) == -7.0


def test_numpy_is_told_to_copy(engine: prism.Engine, rbd: Path) -> None:
    (tensor,) = engine.tensors(rbd, COLUMNS, device="cuda")
    with pytest.raises(TypeError, match="numpy.from_dlpack"):
        np.asarray(tensor)


def test_values_are_used_after_all_else_is_dropped_on_another_stream_in_another_thread(library: Any, rbd: Path) -> None:
    mine = prism.Engine("cuda")
    before = expected(mine, named(rbd, 50))
    arrays = [library.from_dlpack(tensor) for tensor in mine.tensors(named(rbd, 50), COLUMNS, device="cuda")]
    # Memory of others is reused meanwhile.
    list(mine.tensors(named(rbd, 80), COLUMNS, device="cuda"))
    del mine
    gc.collect()
    found: list[Any] = []

    def work() -> None:
        stream = library.cuda.Stream() if library.__name__ == "torch" else library.cuda.Stream(non_blocking=True)
        with library.cuda.stream(stream) if library.__name__ == "torch" else stream:
            doubled = [2 * array for array in arrays]
            # Given back while the stream still reads them.
            arrays.clear()
        stream.synchronize()
        found.extend(host(array) for array in doubled)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(found) == 50
    for values, doubled in zip(before, found, strict=True):
        np.testing.assert_array_equal(doubled, 2 * values)


def test_other_threads_go_on_while_the_last_reader_is_dropped(engine: prism.Engine, rbd: Path) -> None:
    torch = pytest.importorskip("torch")
    arrays = [torch.from_dlpack(tensor) for tensor in engine.tensors(rbd, COLUMNS, device="cuda")]
    torch.cuda.synchronize()
    # Work of the device for half a second or so, which the drop waits for.
    torch.cuda._sleep(1_000_000_000)
    ended = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not ended.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    arrays.clear()
    seconds = time.monotonic() - begin
    ended.set()
    thread.join()
    print(f"dropping waited {seconds * 1e3:.0f} ms; another thread went on {counted} times")
    assert seconds > 0.05, "the drop did not wait for the device"
    assert counted > 100 * seconds


@pytest.mark.parametrize("with_lock", [True, False])
def test_readers_drop_tensors_with_the_lock_and_without(engine: prism.Engine, rbd: Path, with_lock: bool) -> None:
    for _ in range(50):
        (tensor,) = engine.tensors(rbd, COLUMNS, device="cuda")
        capsule = tensor.__dlpack__()
        del tensor
        drop_as_readers_do(capsule, with_lock)


def test_memory_comes_back(engine: prism.Engine, rbd: Path) -> None:
    torch = pytest.importorskip("torch")
    inputs = named(rbd, 2000)

    def run(times: int) -> None:
        for _ in range(times):
            for tensor in engine.tensors(inputs, device="cuda"):
                torch.from_dlpack(tensor)

    # Buffers are kept, as many as were ever lent at the same time, which depends on the reader's pace.
    run(20)
    free = torch.cuda.mem_get_info()[0]
    run(40)
    assert torch.cuda.mem_get_info()[0] >= free - (64 << 20)


def test_streams_and_devices_follow_the_protocol(engine: prism.Engine, rbd: Path) -> None:
    (tensor,) = engine.tensors(rbd, COLUMNS, device="cuda")
    for stream in (None, 1, 2, -1):
        tensor.__dlpack__(stream=stream)
    for stream in (0, -2):
        with pytest.raises(BufferError, match="legacy default stream"):
            tensor.__dlpack__(stream=stream)
    with pytest.raises(BufferError, match="another device"):
        tensor.__dlpack__(dl_device=(2, 1))
    with pytest.raises(BufferError, match="another device"):
        tensor.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="without copy"):
        tensor.__dlpack__(copy=True)
    (values,) = expected(engine, rbd)
    np.testing.assert_array_equal(np.from_dlpack(tensor, device="cpu"), values)


def test_the_callers_device_stays_current(rbd: Path) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available() or torch.cuda.device_count() < 2:
        pytest.skip("takes two GPUs")
    torch.cuda.set_device(0)
    torch.zeros(1, device="cuda")
    mine = prism.Engine("cuda", devices=[1])
    (tensor,) = mine.tensors(rbd, COLUMNS, device="cuda")
    found = torch.from_dlpack(tensor)
    assert found.device == torch.device("cuda", 1)
    assert torch.zeros(1, device="cuda").device == torch.device("cuda", 0)
    del tensor, found, mine
    assert torch.zeros(1, device="cuda").device == torch.device("cuda", 0)


def test_figures(engine: prism.Engine, rbd: Path) -> None:
    """Prints how long calls take; says nothing of how long they may."""
    one, many = [("rbd", rbd.read_bytes())], named(rbd, 2000)

    def best(call: Any, times: int) -> float:
        taken = []
        for _ in range(times):
            begin = time.perf_counter()
            call()
            taken.append(time.perf_counter() - begin)
        return min(taken)

    for device in ("cpu", "cuda"):
        single = best(lambda: list(engine.tensors(one, device=device)), 200)  # type: ignore[arg-type]
        all_of = best(lambda: list(engine.tensors(many, device=device)), 5)  # type: ignore[arg-type]
        print(f"tensors in {device} memory: one structure {single * 1e6:.0f} us, 2000 structures {all_of * 1e3:.1f} ms")
