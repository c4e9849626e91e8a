"""The reported cases (tests/cases/): wrong answers seen elsewhere, right ones here."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from harness.elements import STORAGE, flatten, is_float, raw, read_npy, storage
from harness.results import hex_bits
from reference import EXACT, FREE, decode, round_float

CASES = json.loads((Path(__file__).parents[1] / "cases" / "reported.json").read_text())
PIECE = 1 << 22  # elements of a big input made at a time


# -- inputs ----------------------------------------------------------------------------


def number(value):
    return float(value) if isinstance(value, str) else value


def rounded(values, dtype):
    """Numbers to storage, rounded once."""
    if dtype == "bfloat16":
        return np.array([round_float(float(number(v)), dtype) for v in values], dtype="u2")
    if is_float(dtype):
        return np.array([number(v) for v in values], dtype="f8").astype(storage(dtype, "="))
    return np.array(values, dtype=storage(dtype, "="))


def splitmix64(seed, n, scale=1, offset=0, floor=False):
    z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    value = offset + scale * ((z >> np.uint64(11)) * 2.0**-53)
    return np.floor(value) if floor else value


def generate(form, dtype, shape):
    if "list" in form:
        flat = rounded(form["list"], dtype)
    elif "full" in form:
        flat = np.repeat(rounded([form["full"]], dtype), int(np.prod(shape)))
    elif "tile" in form:
        flat = np.resize(rounded(form["tile"], dtype), int(np.prod(shape)))
    elif "concat" in form:
        parts = [np.repeat(rounded([part["full"]], dtype), part["n"]) for part in form["concat"]]
        flat = np.concatenate(parts)
    elif "int_lcg" in form:
        a, b, mod = (form["int_lcg"][key] for key in ("a", "b", "mod"))
        count = int(np.prod(shape))
        flat = ((a * np.arange(count, dtype=np.int64) + b) % mod).astype(storage(dtype, "="))
    else:
        flat = rounded(splitmix64(**form["splitmix64"]), dtype)
        flat = np.repeat(flat, form.get("columns", 1))
    return flat.reshape(shape) if shape else flat


def stream(form, dtype, count):
    """A big input in pieces of bytes."""
    if "full" in form:
        piece = raw(np.repeat(rounded([form["full"]], dtype), min(PIECE, count)), dtype)
        size = storage(dtype).itemsize
        for start in range(0, count, PIECE):
            yield piece[: min(PIECE, count - start) * size]
        return
    assert form["sparse"]["default"] == 0 and form["sparse"]["n"] == count
    for start in range(0, count, PIECE):
        piece = np.zeros(min(PIECE, count - start), dtype=storage(dtype))
        for index, value in form["sparse"]["set"]:
            if start <= index < start + piece.size:
                piece[index - start] = value
        yield piece.tobytes()


# -- asking and comparing -------------------------------------------------------------------


def operations(check):
    op = check["job"]["op"]
    return op if isinstance(op, list) else [op]


def promises(check, dtype):
    """exact where the operations have it, ordered where the answer is the same."""
    ops = operations(check)
    whole = not is_float(dtype)
    exact = all(whole or op in EXACT + FREE for op in ops) and "logsumexp" not in ops
    found = ["exact"] if exact else []
    same = all(whole or op in FREE for op in ops) or check.get("value") in (0.0, "-0.0", "NaN")
    small = check.get("value") in ("Infinity", "-Infinity")
    if not exact or same or small:
        found.append("ordered")
    return found


def compare(value, wanted, bits, dtype, hint):
    """After rounding both sides to the result's type; bits exactly."""
    if bits is not None:
        assert hex_bits(value, dtype) == bits, hint
    if is_float(dtype):
        text = number(wanted) if isinstance(wanted, str) else float(wanted)
        assert value == round_float(text, dtype), (hint, decode(value, dtype), wanted)
    else:
        assert decode(value, dtype) == wanted, hint


def check_answer(answer, check, shape, hint):
    ops = operations(check)
    wanted = check["value"]
    for index, op in enumerate(ops):
        dtype = answer["dtype"][op]
        assert dtype == check.get("dtype", dtype), hint
        got = [int(item, 16) for item in flatten(answer["bits"][op])]
        if "at" in check:
            got = [got[check["at"]]]
        each = wanted[index] if len(ops) > 1 else wanted
        if isinstance(each, list):
            assert len(each) == len(got), hint
        else:
            each = [each] * len(got)
        for value, right in zip(got, each):
            compare(value, right, check.get("bits"), dtype, hint)


def array_of(case, check):
    form = check.get("input", case["input"])
    shape = None if "list" in form and "input" in check else case.get("shape")
    if "count" in check:
        shape = [check["count"]]
    return generate(form, case["dtype"], shape)


SMALL = [
    pytest.param(case, check, id=f"{case['id']}-{number}")
    for case in CASES
    for number, check in enumerate(case["checks"])
    if not case.get("big")
]


@pytest.mark.parametrize("case, check", SMALL)
def test_case(client, case, check):
    if check.get("shapes") == "powers":
        powers(client, case, check)
        return
    dtype = case["dtype"]
    array = array_of(case, check)
    if "input_sha256" in case:
        assert hashlib.sha256(raw(array, dtype)).hexdigest() == case["input_sha256"]
    for promise in promises(check, dtype):
        hint = (case["id"], check, promise)
        query = {**check["job"], "determinism": promise, "dtype": dtype, "shape": array.shape}
        wants_npy = "sha256" in check or (check["path"] == "scan" and array.size > 10**6)
        headers = {"Accept": "application/x-npy"} if wants_npy else {}
        if not wants_npy:
            query["bits"] = True
        path = "/v1/" + check["path"]
        response = client.post(path, query, raw(array, dtype), headers=headers)
        if "error" in check:
            problem = response.problem()
            assert problem["code"] == check["error"], hint
            assert problem.get("value") == check.get("exact"), hint
            continue
        assert response.status == 200, (response, hint)
        if not wants_npy:
            check_answer(response.json(), check, array.shape, hint)
            continue
        out = read_npy(response.body)
        if "sha256" in check:
            little = out.astype(out.dtype.newbyteorder("<")).tobytes()
            assert hashlib.sha256(little).hexdigest() == check["sha256"], hint
        else:
            value = out.reshape(-1)[check["at"]]
            compare(
                int(value.view(f"u{out.itemsize}")),
                check["value"],
                check.get("bits"),
                out.dtype.name,
                hint,
            )


def powers(client, case, check):
    total = check["total"]
    for i in range(0, total + 1, 3):
        shape = (1 << i, 1 << (total - i))
        array = generate(case["input"], case["dtype"], shape)
        query = {**check["job"], "dtype": case["dtype"], "shape": shape}
        headers = {"Accept": "application/x-npy"}
        response = client.post("/v1/reduce", query, raw(array, case["dtype"]), headers=headers)
        out = read_npy(response.body)
        assert out.shape == (shape[0],) and (out == shape[1]).all(), (case["id"], shape)


def big_jobs():
    """Big cases by job: checks of one answer go together, their input is sent once."""
    for case in CASES:
        jobs = {}
        for check in case["checks"] if case.get("big") else ():
            key = json.dumps([check["path"], check["job"], check.get("count")])
            jobs.setdefault(key, []).append(check)
        for number, checks in enumerate(jobs.values()):
            yield pytest.param(case, checks, id=f"{case['id']}-{number}")


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case, checks", list(big_jobs()))
def test_big_case(start, roots, case, checks):
    """Streamed; a scan goes to a file of which some elements are read."""
    dtype = case["dtype"]
    shape = [checks[0]["count"]] if "count" in checks[0] else case["shape"]
    count = int(np.prod(shape))
    one = start("--root", roots.write, "--write-root", roots.write, "--limit", "spool=64G")
    query = {**checks[0]["job"], "determinism": "exact", "dtype": dtype, "shape": shape}
    pieces = stream(case["input"], dtype, count)
    client = one.client(timeout=1800)
    if checks[0]["path"] == "reduce":
        response = client.post("/v1/reduce", {**query, "bits": True}, pieces=pieces)
        assert response.status == 200, response
        for check in checks:
            check_answer(response.json(), check, shape, case["id"])
        return
    path = roots.write / f"{case['id']}.npy"
    try:
        response = client.post("/v1/scan", {**query, "output": path}, pieces=pieces)
        assert response.status == 200, response
        out = np.load(path, mmap_mode="r")
        assert out.size == count
        for check in checks:
            assert out[check["at"]] == check["value"], (case["id"], check)
    finally:
        path.unlink(missing_ok=True)


def test_every_case_has_checks():
    assert len(CASES) == len({case["id"] for case in CASES}) and CASES
    for case in CASES:
        assert case["checks"], case["id"]
        assert case["dtype"] in STORAGE and case["source"]
        for check in case["checks"]:
            assert {"value", "error", "sha256", "shapes"} & set(check), (case["id"], check)
