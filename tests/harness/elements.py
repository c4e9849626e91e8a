"""Element types: how their values look as bytes, as NumPy files and as JSON.

An array of any of foldd's types is a NumPy array of its storage type;
bfloat16, which NumPy has not, is stored as uint16 patterns.
"""

import io
import struct

import numpy as np

STORAGE = {
    "bool": "?",
    "int8": "i1",
    "int16": "i2",
    "int32": "i4",
    "int64": "i8",
    "uint8": "u1",
    "uint16": "u2",
    "uint32": "u4",
    "uint64": "u8",
    "float16": "f2",
    "bfloat16": "u2",
    "float32": "f4",
    "float64": "f8",
}
TYPES = tuple(STORAGE)
FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
WIDTH = {name: 8 * np.dtype(code).itemsize for name, code in STORAGE.items()}


def is_float(dtype):
    return dtype in FLOATS


def storage(dtype, byteorder="<"):
    return np.dtype(STORAGE[dtype]).newbyteorder(byteorder)


def integer_range(dtype):
    if dtype == "bool":
        return 0, 1
    width = WIDTH[dtype]
    if dtype in SIGNED:
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1


def values(array, dtype):
    """The elements in C order, as Python ints or (exactly) as floats."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if dtype == "bool":
        return [int(value) for value in flat.view(np.uint8) != 0]
    if dtype == "bfloat16":
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    if is_float(dtype):
        with np.errstate(invalid="ignore"):  # a signalling NaN becomes quiet
            return flat.astype(np.float64).tolist()
    return flat.tolist()


def from_bits(patterns, dtype):
    """An array from IEEE patterns (of integers: from values)."""
    if is_float(dtype):
        return np.array(patterns, dtype=f"u{WIDTH[dtype] // 8}").view(storage(dtype, "="))
    return np.array(patterns, dtype=storage(dtype, "="))


def raw(array, dtype, byteorder="<", order="C"):
    """The elements' bytes in stored order."""
    return np.asarray(array).astype(storage(dtype, byteorder), copy=False).tobytes(order)


def npy(array, dtype, byteorder="<", fortran=False, version=(1, 0)):
    array = np.asarray(array)
    descr = "<V2" if dtype == "bfloat16" else storage(dtype, byteorder).str
    shape = "(" + "".join(f"{n}, " for n in array.shape).rstrip() + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    if dtype == "bfloat16":
        byteorder = "<"
    return npy_file(header, raw(array, dtype, byteorder, "F" if fortran else "C"), version)


def npy_file(header, data=b"", version=(1, 0)):
    """A file with the header as it stands, padded as the format asks."""
    if isinstance(header, str):
        header = header.encode("utf-8")
    size_format = "<H" if version[0] == 1 else "<I"
    fixed = 8 + struct.calcsize(size_format)
    header += b" " * (-(fixed + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack(size_format, len(header)) + header + data


def read_npy(body, dtype=None):
    """A NumPy file from an answer; V2 (bfloat16) becomes uint16 patterns."""
    array = np.load(io.BytesIO(body), allow_pickle=False)
    if array.dtype.kind == "V":
        assert dtype == "bfloat16", array.dtype
        array = array.view("<u2")
    return array


def to_json(array, dtype):
    """Nested lists for a job object: floats exactly, NaN and infinities as strings."""

    def word(value):
        if isinstance(value, float):
            if value != value:
                return "NaN"
            if value in (float("inf"), float("-inf")):
                return "Infinity" if value > 0 else "-Infinity"
        return value

    array = np.asarray(array)
    flat = [word(value) for value in values(array, dtype)]
    if dtype == "bool":
        flat = [bool(value) for value in flat]
    return nest(flat, array.shape)


def nest(flat, shape):
    """A flat list in C order as nested lists of the shape."""
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return list(flat)
    inner = 1
    for n in shape[1:]:
        inner *= n
    return [nest(flat[i * inner : (i + 1) * inner], shape[1:]) for i in range(shape[0])]


def flatten(nested):
    if not isinstance(nested, list):
        return [nested]
    return [item for part in nested for item in flatten(part)]
