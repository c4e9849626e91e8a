"""PyTorch and CuPy on the device here, for ./dev gpu-bench: medians of device events.

Each is left out where Python has it not. Times compare with those that the other
benches of the same run print.
"""

import statistics

ROUNDS = 15
WARM_UP = 3


def torch_peer():
    import torch

    def make(shape, dtype):
        return torch.rand(shape, device="cuda", dtype=getattr(torch, dtype))

    def event():
        made = torch.cuda.Event(enable_timing=True)
        made.record()
        return made

    def between(begin, end):
        end.synchronize()
        return begin.elapsed_time(end) * 1e3

    work = {
        "sum": lambda x: x.sum(),
        "max": lambda x: x.max(),
        "l2": lambda x: torch.linalg.vector_norm(x),
        "mean and var": lambda x: torch.var_mean(x),
        "scan sum": lambda x: torch.cumsum(x, 0),
        "sum of axis 0": lambda x: x.sum(0),
        "sum of axis 1": lambda x: x.sum(1),
    }
    return f"PyTorch {torch.__version__}", make, work, event, between, torch.cuda.empty_cache


def cupy_peer():
    import cupy

    def make(shape, dtype):
        return cupy.random.random(shape, dtype=getattr(cupy, dtype))

    def event():
        made = cupy.cuda.Event()
        made.record()
        return made

    def between(begin, end):
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end) * 1e3

    work = {
        "sum": lambda x: x.sum(),
        "max": lambda x: x.max(),
        "l2": lambda x: cupy.linalg.norm(x),
        "scan sum": lambda x: cupy.cumsum(x),
        "sum of axis 0": lambda x: x.sum(0),
        "sum of axis 1": lambda x: x.sum(1),
    }
    pool = cupy.get_default_memory_pool()
    return f"CuPy {cupy.__version__}", make, work, event, between, pool.free_all_blocks


LINES = ("sum", "max", "l2", "mean and var", "scan sum")
AXES = ("sum of axis 0", "sum of axis 1")
ARRAYS = [((1 << bits,), LINES) for bits in (16, 20, 24, 28, 30)]
ARRAYS += [((10_000, 1_000), AXES), ((1 << 24, 4), AXES), ((1_000_000, 2), AXES)]


def measure(peer):
    name, make, work, event, between, free = peer
    print(name)
    for dtype in ("float32", "float64"):
        for shape, what in ARRAYS:
            x = make(shape, dtype)
            for one in what:
                if one not in work:
                    continue
                times = []
                for _ in range(WARM_UP + ROUNDS):
                    begin = event()
                    result = work[one](x)
                    times.append(between(begin, event()))
                    del result
                us = statistics.median(times[WARM_UP:])
                read = x.nbytes * (2 if "scan" in one else 1) / us * 1e-3
                size = "x".join(map(str, shape))
                print(f"  {dtype} {size:>12} {one:14} {us:10.1f} us {read:7.0f} GB/s")
            del x
            free()


def main():
    for make_peer in (torch_peer, cupy_peer):
        try:
            peer = make_peer()
        except ImportError as error:
            print(f"left out: {error}")
            continue
        measure(peer)


if __name__ == "__main__":
    main()
