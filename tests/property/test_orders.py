"""The ordered arithmetic against docs/orders.md as orders.py has it, bit by bit, and the elementary
functions against decimal.

Drives $FOLDD_BUILD/tests/unit/cpu/order_probe: the oracle and the CPU backend's own parts, no daemon.
"""

import decimal
import json
import math
import os
import random
import subprocess
from pathlib import Path

import pytest

import orders

INF, NAN = math.inf, math.nan


class Probe:
    def __init__(self):
        build = Path(os.environ.get("FOLDD_BUILD", "build"))
        self.process = subprocess.Popen([build / "tests/unit/cpu/order_probe"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer.endswith("\n"), f"order_probe ended at: {words[:8]}"
        return [orders.from_bits(int(word, 16)) for word in answer.split()]

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0

    def reduce(self, who, name, order, xs, ys=None, omit=False, p=2.5):
        return self.ask("reduce", who, name, order, int(omit), raw(p), len(xs), *map(raw, xs),
                        *map(raw, ys or []))

    def scan(self, who, op, xs, omit=False, exclusive=False, piece=1 << 40):
        return self.ask("scan", who, op, int(omit), int(exclusive), len(xs), piece, *map(raw, xs))


def raw(x):
    return f"{orders.bits_of(x):x}"


@pytest.fixture(scope="module")
def probe():
    probe = Probe()
    yield probe
    probe.close()


def hexes(xs):
    return [orders.hex_of(x) for x in xs]


# ---------------------------------------------------------------- vectors

VECTORS = json.loads(orders.VECTORS.read_text())


def test_vectors_are_those_of_the_page():
    asked = list(orders.questions())
    assert [{k: v[k] for k in q} for q, v in zip(asked, VECTORS)] == asked
    assert len(asked) == len(VECTORS)
    for vector in VECTORS:
        if vector["count"] < 5000:  # the others are compared by way of the probe
            expected = orders.answer(vector)
            assert {k: vector[k] for k in expected} == expected, vector


@pytest.mark.parametrize("who", ["oracle", "fast"])
def test_vectors(probe, who):
    for vector in VECTORS:
        xs, ys = orders.inputs_of(vector)
        if "reduce" in vector:
            got = probe.reduce(who, vector["reduce"], vector["order"], xs, ys, vector["omit"])
            assert hexes(got) == vector["value"], vector
            continue
        got = probe.scan(who, vector["scan"], xs, vector["omit"], vector["exclusive"])
        assert orders.hex_of(got[-1]) == vector["last"], vector
        assert orders.digest(got) == vector["digest"], vector


# ---------------------------------------------------------------- random data


def random_elements(rng, count):
    kind = rng.randrange(6)
    if kind == 0:
        return [rng.uniform(-1, 1) for _ in range(count)]
    if kind == 1:
        return [math.ldexp(rng.uniform(-1, 1), rng.randint(-1080, 1000)) for _ in range(count)]
    if kind == 2:
        return [rng.choice([0.0, -0.0, 5e-324, -5e-324]) for _ in range(count)]
    if kind == 3:
        return [rng.choice([-0.0, -0.0, NAN]) for _ in range(count)]
    if kind == 4:
        x = rng.uniform(-1e9, 1e9)
        return [x if rng.random() < 0.99 else NAN for _ in range(count)]
    special = [NAN, INF, -INF, 1e308, -1e308, 2.0**-540, 2.0**490]
    return [rng.choice(special) if rng.random() < 0.03 else rng.uniform(-30, 30)
            for _ in range(count)]


LENGTHS = [0, 1, 2, 3, 31, 32, 33, 64, 127, 128, 129, 255, 700, 4095, 4096, 4097, 8193]


@pytest.mark.parametrize("seed", range(6))
def test_random_reductions(probe, seed):
    rng = random.Random(seed)
    for _ in range(60):
        name, order = rng.choice(orders.REDUCTIONS), rng.choice(["canonical", "strided"])
        count = rng.choice(LENGTHS if rng.random() < 0.3 else LENGTHS[:13])
        xs = random_elements(rng, count)
        ys = random_elements(rng, count) if name == "dot" else None
        omit, p = rng.random() < 0.5, rng.choice([1.0, 1.5, 3.0, 7.25, 1e6])
        wanted = hexes(orders.reduce(name, order, xs, ys, omit, p))
        for who in ("oracle", "fast"):
            got = probe.reduce(who, name, order, xs, ys, omit, p)
            assert hexes(got) == wanted, (seed, who, name, order, count, omit, p)


@pytest.mark.parametrize("seed", range(6))
def test_random_scans(probe, seed):
    rng = random.Random(seed)
    for _ in range(30):
        op, count = rng.choice(orders.SCANS), rng.choice(LENGTHS[:15])
        xs = random_elements(rng, count)
        omit, exclusive = rng.random() < 0.5, rng.random() < 0.5
        wanted = hexes(orders.scan(op, xs, omit, exclusive))
        assert hexes(probe.scan("oracle", op, xs, omit, exclusive)) == wanted
        for piece in (1, 3, 128, 5000):
            got = probe.scan("fast", op, xs, omit, exclusive, piece)
            assert hexes(got) == wanted, (seed, op, count, omit, exclusive, piece)


def test_exact_scan(probe):
    """math.fsum rounds the exact sum once, while it stays in range."""
    rng = random.Random(0)
    for _ in range(200):
        scale = rng.choice([0, 60, 900])
        xs = [math.ldexp(rng.uniform(-1, 1), rng.randint(-scale - 100, scale)) for _ in range(60)]
        xs += [-x for x in rng.sample(xs, 40)]
        rng.shuffle(xs)
        got = probe.scan("fast", "exact", xs, piece=rng.choice([1, 7, 100]))
        assert got == [math.fsum(xs[:i + 1]) for i in range(len(xs))]


# ---------------------------------------------------------------- section 5

decimal.getcontext().prec = 50
decimal.getcontext().Emax = 10**9
decimal.getcontext().Emin = -(10**9)


def error_ulp(got, exact):
    """The error in ulps of the result's binade; where it overflows, none is allowed but at the end."""
    if math.isinf(got):
        assert abs(exact) >= decimal.Decimal(2**1024 - 2**970), exact
        return 0.0
    magnitude = max(abs(float(exact)) if abs(exact) < decimal.Decimal(2)**1023 else 2.0**1023,
                    2.0**-1022)
    _, exponent = math.frexp(magnitude)
    ulp = decimal.Decimal(2) ** (exponent - 53)
    return float(abs(decimal.Decimal(got) - exact) / ulp)


def arguments(rng, name):
    any_positive = orders.from_bits(rng.randrange(1, 0x7FF0 << 48))
    near_one = 1.0 + rng.choice([-0.5, 1.0]) * 2.0 ** rng.uniform(-52, -1)
    if name == "exp":
        return [rng.choice([rng.uniform(-745, 709.7), rng.uniform(-1, 1), rng.uniform(-745, -707),
                            rng.choice([-1, 1]) * 2.0 ** rng.uniform(-60, 9)])]
    if name == "log":
        return [rng.choice([any_positive, near_one, rng.uniform(0.5, 2)])]
    x = rng.choice([any_positive, near_one, rng.uniform(0, 10)])
    if x == 1.0 or rng.random() < 0.3:
        return [x, rng.uniform(1, 10)]
    return [x, rng.choice([rng.uniform(-745, 709), rng.uniform(-745, -707)]) / math.log(x)]


EXACTLY = {
    "exp": lambda x: decimal.Decimal(x).exp(),
    "log": lambda x: decimal.Decimal(x).ln(),
    "pow": lambda x, y: (decimal.Decimal(x).ln() * decimal.Decimal(y)).exp(),
}


@pytest.mark.parametrize("name, bound", [("exp", 0.7), ("log", 0.51), ("pow", 0.7)])
def test_error_of(probe, name, bound):
    rng = random.Random(name)
    for _ in range(1500):
        args = arguments(rng, name)
        got = probe.ask(name, *map(raw, args))[0]
        exact = EXACTLY[name](*args)
        assert error_ulp(got, exact) < bound, (name, args, got)


def test_elementary_bits(probe):
    """The bits are part of the order: orders.py computes the same ones."""
    rng = random.Random(1)
    for _ in range(3000):
        (x,) = arguments(rng, "exp")
        assert probe.ask("exp", raw(x)) == [orders.exp(x)]
        (x,) = arguments(rng, "log")
        assert probe.ask("log", raw(x)) == [orders.log(x)]
        x, y = arguments(rng, "pow")
        y = abs(y) + 1.0
        assert probe.ask("pow", raw(x), raw(y)) == [orders.power(x, y)]
