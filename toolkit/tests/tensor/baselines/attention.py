"""Attention by PyTorch's back ends: a line `program,heads,length,columns,causal,milliseconds,TFLOP/s` for each shape."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

ROWS = 1 << 18
BACKENDS = {"cuDNN": SDPBackend.CUDNN_ATTENTION, "FlashAttention": SDPBackend.FLASH_ATTENTION}


def median_time(run, repetitions=25):
    """The median of the milliseconds that `run` takes on the device."""
    for _ in range(3):
        run()
    times = []
    for _ in range(repetitions):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


for columns in (64, 128):
    for length in (1024, 4096, 16384):
        shape = (1, ROWS // length, length, columns)
        q, k, v = (torch.rand(shape, device="cuda", dtype=torch.bfloat16) * 2 - 1 for _ in range(3))
        for causal in (False, True):
            for name, backend in BACKENDS.items():
                with sdpa_kernel(backend):
                    try:
                        time = median_time(lambda: scaled_dot_product_attention(q, k, v, is_causal=causal))
                    except RuntimeError as error:
                        print(f"# {name}: {str(error).splitlines()[0]}")
                        continue
                rate = 4 * ROWS * length * columns / (2 if causal else 1) / time / 1e9
                print(f"PyTorch {torch.__version__} {name},{shape[1]},{length},{columns},{int(causal)},{time:.5f},{rate:.1f}")
