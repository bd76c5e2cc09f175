"""Attention from Python: on arrays of NumPy, and on tensors of PyTorch if it is installed, on a GPU if there is one.

Run it with the module on PYTHONPATH. `--time` also prints times beside PyTorch's own attention.
"""

import sys

import numpy as np

import attention

RANDOM = np.random.default_rng(3)


def expected(queries, keys, values, used, causal, scale):
    """The result in float64, and the weighted mean of the values' sizes."""
    queries, keys, values = (array.astype(np.float64) for array in (queries, keys, values))
    scores = scale * queries @ np.swapaxes(keys, -1, -2)
    rows = np.arange(scores.shape[-1])
    hidden = (rows[None, :] > rows[:, None]) if causal else np.zeros_like(scores[0, 0], bool)
    scores = np.where(hidden | (rows >= used)[None, :], -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ values, weights @ np.abs(values)


def check(name, found, inputs, used, causal, scale, digits):
    """Weights are rounded to as many binary digits as the result; the rest is far smaller."""
    value, size = expected(*inputs, used, causal, scale)
    bound = 2.0 ** -digits * (1.01 * size + np.abs(value)) + 1e-5
    share = (np.abs(found.astype(np.float64) - value) / bound)[..., :used, :].max()
    assert share <= 1.0, (name, share)
    print(f"{name}: at most {share:.3f} of the bound")


def refused(error, told, call):
    try:
        call()
    except error as found:
        assert told in str(found), found
    else:
        raise AssertionError(f"no {error.__name__}")


def half(shape):
    return RANDOM.standard_normal(shape).astype(np.float16)


shape = (2, 3, 256, 64)
inputs = [half(shape) for _ in range(3)]
for causal in (False, True):
    for used in (None, 131):
        out = np.full(shape, np.nan, np.float16)
        attention.attend(out, *inputs, causal=causal, used=used)
        check(f"NumPy, causal {causal}, used {used}", out, inputs, used or 256, causal, 0.125, 11)
out = np.empty(shape, np.float16)
attention.attend(out, *inputs, scale=0.5)
check("NumPy, another scale", out, inputs, 256, False, 0.5, 11)

small = half((1, 100, 64))
refused(ValueError, "no multiple of 128; pad them", lambda: attention.attend(small, small.copy(), small.copy(), small.copy()))
wide = half((128, 128))
refused(ValueError, "128 columns; there are kernels for [64]", lambda: attention.attend(wide, *(wide.copy() for _ in range(3))))
odd = half((128, 60))
refused(ValueError, "expected a multiple of 8", lambda: attention.attend(odd, *(odd.copy() for _ in range(3))))
refused(ValueError, "all have the same", lambda: attention.attend(out, inputs[0], inputs[1], inputs[2][:1]))
refused(ValueError, "from 1 to 256", lambda: attention.attend(out, *inputs, used=257))
refused(ValueError, "shares memory", lambda: attention.attend(inputs[0], *inputs))
refused(TypeError, "expected an array of float16, not float32", lambda: attention.attend(out, inputs[0], inputs[1], np.zeros(shape, np.float32)))
refused(TypeError, "bfloat16, not float32", lambda: attention.attend(*(np.zeros(shape, np.float32) for _ in range(4))))
refused(ValueError, "contiguous", lambda: attention.attend(out[..., ::2], *inputs))
print("what does not fit is refused")

try:
    import torch
except ImportError:
    print("LEFT OUT: torch is not installed")
    sys.exit()

places = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
if "cuda" not in places:
    print("LEFT OUT: torch sees no GPU")
for place in places:
    torch.manual_seed(5)
    for dtype, columns, digits in ((torch.bfloat16, 64, 8), (torch.bfloat16, 128, 8), (torch.float16, 64, 11)):
        shape = (1, 2, 384, columns)
        inputs = [torch.randn(shape, dtype=dtype, device=place) for _ in range(3)]
        for causal in (False, True):
            out = torch.empty_like(inputs[0])
            attention.attend(out, *inputs, causal=causal)
            on_host = [tensor.cpu().float().numpy() for tensor in inputs]
            name = f"torch on {place}, {dtype}, {columns} columns, causal {causal}"
            check(name, out.cpu().float().numpy(), on_host, 384, causal, columns ** -0.5, digits)

if "--time" in sys.argv and "cuda" in places:
    from torch.nn.functional import scaled_dot_product_attention as theirs

    def median(call):
        for _ in range(5):
            call()
        times = []
        for _ in range(21):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        return sorted(times)[len(times) // 2]

    for length in (1024, 4096, 16384):
        inputs = [torch.randn((65536 // length, 16, length, 128), dtype=torch.bfloat16, device="cuda") for _ in range(3)]
        out = torch.empty_like(inputs[0])
        for causal in (False, True):
            own = median(lambda: attention.attend(out, *inputs, causal=causal))
            other = median(lambda: theirs(*inputs, is_causal=causal))
            print(f"length {length}, causal {causal}: {own:.3f} ms, PyTorch {other:.3f} ms, {other / own:.2f} of its speed")
