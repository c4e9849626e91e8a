"""The arrays that are measured: a block of random elements, repeated.

Repeating a block by a power of two keeps making gigabytes short, and the exact
sum of all is that of the block times the copies.
"""

import math
import mmap
from fractions import Fraction

import numpy as np
import reference

HUGE_PAGE = 2 << 20
BLOCK_SIZE = 32 << 20  # bytes
ORDINARY = ("uniform", "normal")
KINDS = (*ORDINARY, "exp", "bits", "alternating")
KIND_TEXT = {
    "uniform": "uniform in 0..1",
    "normal": "normal",
    "exp": "exp(10 normal)",
    "bits": "random finite bits",
    "alternating": "huge, tiny, huge, ...",
}


def empty(count, dtype):
    """An array on huge pages of its own, as cpu_bench.c lays out its arrays."""
    dtype = np.dtype(dtype)
    size = count * dtype.itemsize
    # Private: shared memory, which is the default, may have no huge pages.
    memory = mmap.mmap(
        -1, -(-(size + HUGE_PAGE) // HUGE_PAGE) * HUGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    )
    try:
        memory.madvise(mmap.MADV_HUGEPAGE)
    except OSError:
        pass  # a kernel without them: cpu_bench gets none either
    everything = np.frombuffer(memory, dtype=np.uint8)
    start = -everything.ctypes.data % HUGE_PAGE
    return everything[start : start + size].view(dtype)


def repeated(block, copies, dtype):
    out = empty(len(block) * copies, dtype)
    out.reshape(copies, len(block))[:] = block
    return out


def _signs(rng, count):
    return rng.choice(np.array([-1.0, 1.0]), count)


def _bits(rng, count, dtype):
    """Every finite pattern alike: those of infinities and NaNs are drawn anew."""
    words, exponent = {"float32": ("uint32", 0xFF << 23), "float64": ("uint64", 0x7FF << 52)}[dtype]
    exponent = np.dtype(words).type(exponent)
    x = rng.integers(0, np.iinfo(words).max, count, dtype=words, endpoint=True)
    while (bad := np.flatnonzero((x & exponent) == exponent)).size:
        x[bad] = rng.integers(0, np.iinfo(words).max, bad.size, dtype=words, endpoint=True)
    return x.view(dtype)


def make_block(kind, dtype, count):
    """count elements; the same for the same arguments."""
    rng = np.random.default_rng([KINDS.index(kind), count, np.dtype(dtype).itemsize])
    if kind == "uniform":
        return rng.random(count, dtype=dtype)
    if kind == "normal":
        return rng.standard_normal(count, dtype=dtype)
    if kind == "exp":
        return np.exp(10 * rng.standard_normal(count)).astype(dtype)
    if kind == "bits":
        return _bits(rng, count, dtype)
    huge = {"float32": 1e30, "float64": 1e300}[dtype]
    x = (1 + rng.random(count)) * _signs(rng, count)
    x[0::2] *= huge
    x[1::2] /= huge
    return x.astype(dtype)


def exact_total(x):
    """The sum of x as (integer, exponent of two): mantissas are added exponent by exponent."""
    mantissa, exponent = np.frexp(x.astype(np.float64))
    mantissa = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = int(exponent.min())
    bins = exponent - lowest
    total = 0
    # Halves of 27 and 26 bits: their sums stay below 2**53, exact in a double.
    assert len(x) < 1 << 25
    for part, shift in ((mantissa >> 26, 26), (mantissa & ((1 << 26) - 1), 0)):
        sums = np.bincount(bins, weights=part)
        total += sum(int(s) << (i + shift) for i, s in enumerate(sums.tolist()) if s)
    return total, lowest - 53


def round_total(total, exponent, dtype):
    """total * 2**exponent rounded once to the type, as a float."""
    value = Fraction(total) * Fraction(2) ** exponent
    bits = reference.round_ratio(value.numerator, value.denominator, dtype)
    return reference.decode(bits, dtype)


class Facts:
    """What is true of a block repeated so many times."""

    def __init__(self, block, copies, dtype):
        self.dtype = dtype
        total, exponent = exact_total(block)
        total *= copies
        count = len(block) * copies
        self.sum = round_total(total, exponent, dtype)
        wide = block.astype(np.longdouble)
        mean = wide.mean()
        with np.errstate(over="ignore"):
            self.abs = float(np.abs(wide).sum()) * copies
            self.values = {
                "sum": self.sum,
                "mean": float(mean),
                "max": float(block.max()),
                "min": float(block.min()),
                "l2": math.sqrt(float((wide * wide).sum()) * copies),
                "var": float(((wide - mean) ** 2).mean()),
            }
        self.count = count

    def scale(self, op):
        """What the error of an operation is measured against."""
        if op == "sum":
            return self.abs
        if op == "mean":
            return self.abs / self.count
        return abs(self.values[op])
