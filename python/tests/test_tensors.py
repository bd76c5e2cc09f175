"""Tensors read the memory that features were computed into, as long as anybody has them."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest

import prism

np = pytest.importorskip("numpy")
COLUMNS = ["wcn", "sasa"]


def expected(path: Path) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    table = prism.features(path, COLUMNS, "cpu")
    return np.column_stack([table[name].to_numpy() for name in COLUMNS])


def test_a_tensor_a_structure(rbd: Path, crambin: Path) -> None:
    tensors = list(prism.tensors([rbd, crambin], COLUMNS, "cpu"))
    assert [tensor.name for tensor in tensors] == ["6m0j_rbd.pdb", "1crn.pdb"]
    for tensor, path in zip(tensors, (rbd, crambin), strict=True):
        assert sorted(tensor.columns) == sorted(COLUMNS)
        order = [tensor.columns.index(name) for name in COLUMNS]
        array = np.from_dlpack(tensor)
        assert array.shape == tensor.shape
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array[:, order], expected(path))


def test_no_copy_is_made(rbd: Path) -> None:
    tensor = next(prism.tensors(rbd, COLUMNS, "cpu"))
    one, other = np.from_dlpack(tensor), np.from_dlpack(tensor)
    assert one.ctypes.data == other.ctypes.data
    assert np.from_dlpack(tensor, copy=True).ctypes.data != one.ctypes.data


def test_a_tensor_outlives_its_run_in_another_thread(rbd: Path) -> None:
    engine = prism.Engine("cpu")
    arrays = [np.from_dlpack(tensor) for tensor in engine.tensors([(str(i), rbd.read_bytes()) for i in range(50)], COLUMNS)]
    del engine
    gc.collect()
    # Memory of others is reused meanwhile.
    prism.features([(str(i), rbd.read_bytes()) for i in range(50)], backend="cpu")
    found = []
    thread = threading.Thread(target=lambda: found.extend(float(np.nansum(array)) for array in arrays))
    thread.start()
    thread.join()
    total = float(np.nansum(arrays[0]))
    assert total > 0 and found == [total] * 50


def test_unread_capsules_free_their_memory(rbd: Path) -> None:
    tensor = next(prism.tensors(rbd, COLUMNS, "cpu"))
    for _ in range(1000):
        tensor.__dlpack__()
    assert tensor.__dlpack_device__() == (1, 0)


def test_no_rows_for_what_only_covers(data: Path) -> None:
    path = data / "4zhl.cif.gz"
    tensor = next(prism.tensors(path, ["sasa"], "cpu", het="cover"))
    table = prism.features(path, ["sasa"], "cpu", het="cover")
    np.testing.assert_array_equal(np.from_dlpack(tensor)[:, 0], table["sasa"].to_numpy())


def test_what_cannot_be_given_is_refused(rbd: Path) -> None:
    tensor = next(prism.tensors(rbd, COLUMNS, "cpu"))
    with pytest.raises(BufferError, match="no streams"):
        tensor.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="host's memory"):
        tensor.__dlpack__(dl_device=(2, 0))
    with pytest.raises(prism.PrismError, match="'resname' is no feature|\"resname\" is no feature"):
        prism.tensors(rbd, ["resname"], "cpu")
