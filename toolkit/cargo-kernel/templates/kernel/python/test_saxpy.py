"""The kernel from Python: on arrays of NumPy, and of PyTorch and CuPy if they and a GPU are available.

Run it with the module on PYTHONPATH, or after `pip install .`.
"""

import numpy as np

import my_kernels

A = 1.5


def inputs():
    i = np.arange(10_000, dtype=np.float32)
    return i / np.float32(7), 100 - i / np.float32(3)


def refused(error, told, call):
    try:
        call()
    except error as found:
        assert told in str(found), found
    else:
        raise AssertionError(f"no {error.__name__}")


x, y = inputs()
expected = y + np.float32(A) * x
my_kernels.saxpy(y, x, A)
assert (y.view(np.uint32) == expected.view(np.uint32)).all()
# Blocks of very different size, of arrays with two axes.
x, y = (array.reshape(100, 100) for array in inputs())
my_kernels.saxpy(y, x, A, [0, 1, 1, 4_000, 10_000])
assert (y.ravel().view(np.uint32) == expected.view(np.uint32)).all()
print("NumPy: same bits as plain NumPy")

x, y = inputs()
refused(TypeError, "expected an array of float32, not float64", lambda: my_kernels.saxpy(y, x.astype(np.float64), A))
refused(TypeError, "not list", lambda: my_kernels.saxpy([1.0], x, A))
refused(ValueError, "contiguous", lambda: my_kernels.saxpy(y[::2], x, A))
refused(ValueError, "shares memory", lambda: my_kernels.saxpy(y, y[1:], A))
refused(ValueError, "offsets overlap", lambda: my_kernels.saxpy(y, x, A, [0, 9, 5]))
refused(Exception, "", lambda: my_kernels.saxpy(y, x[:5], A))
locked = y.copy()
locked.flags.writeable = False
refused(Exception, "", lambda: my_kernels.saxpy(locked, x, A))
print("what does not fit is refused")

for name in ("torch", "cupy"):
    try:
        library = __import__(name)
    except ImportError:
        print(f"LEFT OUT: {name} is not installed")
        continue
    x, y = inputs()
    if name == "torch":
        tensor = library.from_numpy(y.copy())
        my_kernels.saxpy(tensor, library.from_numpy(x), A)
        assert (tensor.numpy().view(np.uint32) == expected.view(np.uint32)).all()
        print("torch on the host: same bits")
    there = library.cuda.is_available()
    if not there:
        print(f"LEFT OUT: {name} sees no GPU")
        continue
    on_gpu = (lambda array: library.from_numpy(array).cuda()) if name == "torch" else library.asarray
    x, y = on_gpu(x), on_gpu(y)
    my_kernels.saxpy(y, x, A)
    found = y.cpu().numpy() if name == "torch" else y.get()
    assert (found.view(np.uint32) == expected.view(np.uint32)).all()
    print(f"{name} on the GPU: same bits")
