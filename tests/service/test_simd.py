"""The instruction set of the kernels: FOLDD_SIMD chooses one, no bit depends on it."""

import os
import re
import subprocess

import numpy as np
import pytest

from harness.daemon import program

LEVELS = ("portable", "x86_64_v2", "avx2", "avx512")
OPS = "sum,mean,prod,sumsq,var,std,l1,l2,linf,lp:3,logsumexp,min,max,argmin,argmax,count_nonzero"


def start_with(simd):
    return subprocess.run(
        [str(program("foldd")), "--listen", "127.0.0.1:0", "--port-file", "/dev/null"],
        env={**os.environ, "FOLDD_SIMD": simd},
        capture_output=True,
        text=True,
        timeout=20,
    )


def levels_here():
    """What the refusal of a wrong name says is there."""
    done = start_with("no-such-set")
    assert done.returncode == 1, done
    names = re.search(r"FOLDD_SIMD is no-such-set; this machine has(.*)", done.stderr).group(1).split()
    assert names and set(names) <= set(LEVELS)
    return names


def arrays():
    random = np.random.default_rng(7)
    for dtype in ("f2", "f4", "f8"):
        with np.errstate(over="ignore"):
            wide = np.exp(10 * random.standard_normal(70001)).astype(dtype)
        yield dtype, random.standard_normal(70001).astype(dtype)
        yield dtype, np.where(np.isinf(wide), 1, wide).astype(dtype)
        yield dtype, random.standard_normal(333).astype(dtype)
        holes = random.standard_normal(9000).astype(dtype)
        holes[::7] = np.nan
        yield dtype, holes
    yield "i4", random.integers(-(2**31), 2**31, 50000, dtype="i4")
    yield "u8", random.integers(0, 2**40, 50000, dtype="u8")


def answers(client):
    out = []
    for dtype, x in arrays():
        shapes = [{}]
        if x.size % 3 == 0:
            shapes.append({"shape": f"{x.size // 3},3", "axis": 0})
        for query in shapes:
            for nan in ("propagate", "omit"):
                if nan == "omit" and dtype[0] != "f":
                    continue
                for determinism, ops in (("ordered", OPS), ("exact", "sum,mean,sumsq,l1,l2,var,std")):
                    params = {
                        "op": ops,
                        "dtype": np.dtype(dtype).name,
                        "determinism": determinism,
                        "nan": nan,
                        "bits": True,
                        **query,
                    }
                    if dtype[0] != "f":
                        params["overflow"] = "wrap"
                    response = client.post("/v1/reduce", params, x.tobytes())
                    out.append((params, response.status, response.json().get("bits")))
    return out


@pytest.fixture(scope="module")
def levels():
    return levels_here()


def test_every_level_gives_the_same_bits(start, levels):
    first = None
    for level in levels:
        client = start(environment={"FOLDD_SIMD": level}).client()
        assert client.get("/v1/info").json()["backends"][-1]["simd"] == level
        these = answers(client)
        assert all(status == 200 for _, status, _ in these), [a for a in these if a[1] != 200]
        if first is None:
            first = these
        for a, b in zip(first, these, strict=True):
            assert a == b, (levels[0], level)


def test_the_best_is_the_default(client, levels):
    assert client.get("/v1/info").json()["backends"][-1]["simd"] == levels[-1]
