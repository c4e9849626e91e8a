"""hypothesis strategies and seeded arrays for every element type."""

import numpy as np
from hypothesis import strategies as st

from harness.elements import (
    FLOATS,
    WIDTH,
    from_bits,
    integer_range,
    is_float,
    storage,
)
from reference import FORMATS, QUIET_NAN, infinity, round_float, sign_bit

LENGTHS = (0, 1, 2, 127, 128, 129, 4095, 4096, 4097)
FLOAT_FLAVOURS = (
    "plain",
    "cancelling",
    "wide",
    "any-bits",
    "subnormal",
    "zeros",
    "minus-zeros",
    "infinities",
    "both-infinities",
    "some-nan",
    "all-nan",
    "largest",
    "constant",
)
INTEGER_FLAVOURS = ("small", "any", "edges")


def special_patterns(dtype):
    """Bit patterns at the borders of a float type."""
    precision, _ = FORMATS[dtype]
    top = infinity(dtype)
    positive = [
        0,
        1,
        2,
        (1 << (precision - 1)) - 1,  # largest subnormal
        1 << (precision - 1),  # smallest normal
        round_float(1.0, dtype),
        round_float(1.0, dtype) - 1,
        round_float(1.0, dtype) + 1,
        round_float(3.0, dtype),
        top - 1,  # largest finite
        top - 2,
        top,
        QUIET_NAN[dtype],
    ]
    minus = sign_bit(dtype, True)
    return positive + [p | minus for p in positive] + [top + 1]  # a NaN with a payload


def element_bits(dtype):
    """A pattern of a float type, or a value of an integer type."""
    if not is_float(dtype):
        low, high = integer_range(dtype)
        near = [v for v in (low, low + 1, -1, 0, 1, 2, high - 1, high) if low <= v <= high]
        return st.sampled_from(near) | st.integers(low, high)
    one = round_float(1.0, dtype)
    span = 8 << (FORMATS[dtype][0] - 1)  # binades around 1
    near_one = st.integers(one - min(span, one - 1), one + min(span, one - 1))
    return (
        near_one
        | near_one.map(lambda p: p | sign_bit(dtype, True))
        | st.sampled_from(special_patterns(dtype))
        | st.integers(0, (1 << WIDTH[dtype]) - 1)
    )


def arrays(dtype, max_size=40):
    return st.lists(element_bits(dtype), max_size=max_size).map(lambda p: from_bits(p, dtype))


def flavours(dtype):
    return FLOAT_FLAVOURS if is_float(dtype) else INTEGER_FLAVOURS


def seeded(dtype, count, flavour, seed):
    """A reproducible array of one flavour, for lengths that hypothesis does not draw."""
    rng = np.random.default_rng([seed, count])
    if not is_float(dtype):
        return _seeded_integers(dtype, count, flavour, rng)
    if flavour == "any-bits":
        patterns = rng.integers(0, 1 << WIDTH[dtype], count, dtype=np.uint64)
    elif flavour == "subnormal":
        patterns = rng.integers(0, 1 << (FORMATS[dtype][0] - 1), count, dtype=np.uint64)
        patterns |= rng.integers(0, 2, count, dtype=np.uint64) << np.uint64(WIDTH[dtype] - 1)
    elif flavour in ("zeros", "minus-zeros"):
        patterns = np.full(count, sign_bit(dtype, True), dtype=np.uint64)
        if flavour == "zeros":
            patterns[rng.integers(0, 2, count) == 0] = 0
    elif flavour == "largest":
        patterns = np.full(count, infinity(dtype) - 1, dtype=np.uint64)
        patterns[rng.integers(0, 3, count) == 0] |= np.uint64(sign_bit(dtype, True))
    elif flavour == "all-nan":
        patterns = np.full(count, infinity(dtype) + 1, dtype=np.uint64)
    else:
        return _narrow(_seeded_floats(dtype, count, flavour, rng), dtype)
    return from_bits(patterns.astype(f"u{WIDTH[dtype] // 8}"), dtype)


def _seeded_floats(dtype, count, flavour, rng):
    top = FORMATS[dtype][1]
    if flavour == "constant":
        return np.full(count, rng.uniform(0.1, 3.0))
    if flavour == "cancelling":
        half = rng.uniform(-1, 1, count // 2)
        out = np.concatenate([half, -half, rng.uniform(-1, 1, count % 2) * 2.0**-9])
        return rng.permutation(out)
    x = rng.uniform(-1, 1, count)
    if flavour == "wide":
        return np.ldexp(x, rng.integers(3 - top, top - 2, count))
    if flavour in ("infinities", "both-infinities", "some-nan"):
        some = rng.integers(0, max(1, count // 3) + 1, 2 + count // 500)
        some = some[some < count]
        x[some] = np.nan if flavour == "some-nan" else np.inf
        if flavour == "both-infinities":
            x[some[1:]] = -np.inf
    return x


def _narrow(x, dtype):
    """float64 values to storage; of bfloat16 by cutting, which is as good as any."""
    if dtype == "bfloat16":
        return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    with np.errstate(over="ignore"):
        return x.astype(storage(dtype, "="))


def _seeded_integers(dtype, count, flavour, rng):
    low, high = integer_range(dtype)
    if flavour == "small":
        low, high = max(low, -50), min(high, 100)
    if flavour == "edges":
        return from_bits([(low, high)[i] for i in rng.integers(0, 2, count)], dtype)
    if dtype == "uint64":
        return rng.integers(low, high, count, dtype=np.uint64, endpoint=True)
    return rng.integers(low, high, count, dtype=np.int64, endpoint=True).astype(storage(dtype, "="))


def out_dtypes(op, dtype, natural):
    """Types that a valued result may be asked in."""
    return (
        st.sampled_from(FLOATS)
        if is_float(natural)
        else st.sampled_from(FLOATS + ("int8", "int32", "int64", "uint8", "uint16", "uint64"))
    )
