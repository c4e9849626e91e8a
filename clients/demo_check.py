"""What clients/demo.sh needs of Python: its files, and what the answers must be.

The references are Python's integers and fractions and math.fsum, never foldd.
"""

import json
import math
import struct
import sys
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path

import numpy as np

HARD = [1e16, 1.0, -1e16] * 1000


def earth():
    """Length of each day since 1962, in excess of 86,400 s, in seconds.

    Measured by the observatories of the IERS and shipped by the package
    astropy-iers-data: series EOP 20 C04, column LOD.
    """
    import astropy_iers_data

    path = Path(astropy_iers_data.__file__).parent / "data" / "eopc04.1962-now"
    return np.loadtxt(path, comments="#", usecols=12)


def make(folder):
    """The files of the demo."""
    days = earth()
    np.save(folder / "days.npy", days)
    np.save(folder / "hard.npy", np.array(HARD))
    rng = np.random.default_rng(7)
    np.save(folder / "shuffled.npy", rng.permutation(days))
    half = len(days) // 2
    np.save(folder / "early.npy", days[:half])
    np.save(folder / "late.npy", days[half:])
    (folder / "days.txt").write_text("\n".join(repr(x) for x in days.tolist()) + "\n")
    last = date(1962, 1, 1) + timedelta(days=len(days) - 1)
    print(f"{len(days)} days, 1962-01-01 to {last}, longest +{days.max() * 1e3:.4f} ms")


def exact(values):
    """The sum, rounded once: the one right answer."""
    return float(sum(Fraction(x) for x in values))


def fail(message):
    sys.exit(f"demo: WRONG: {message}")


def expect_equal(name, got, expected):
    if got != expected:
        fail(f"{name} is {got!r}, not {expected!r}")


def answer(path):
    return json.loads(Path(path).read_text())


def check_numbers(folder, reply):
    results = answer(reply)["results"]
    expect_equal("sum", results["sum"], 6.5)
    expect_equal("max", results["max"], 3.5)


def check_days(folder, reply):
    """Several operations against exact arithmetic."""
    days = np.load(folder / "days.npy").tolist()
    results = answer(reply)["results"]
    total = sum(Fraction(x) for x in days)
    mean = total / len(days)
    variance = sum((Fraction(x) - mean) ** 2 for x in days) / len(days)
    expect_equal("count", results["count"], len(days))
    expect_equal("max", results["max"], max(days))
    expect_equal("argmax", results["argmax"], days.index(max(days)))
    for name, right in (("sum", total), ("mean", mean), ("std", math.sqrt(variance))):
        if name in results and abs(Fraction(results[name]) - Fraction(right)) > abs(right) * Fraction(1, 10**12):
            fail(f"{name} is {results[name]!r}, not about {float(right)!r}")


def check_exact_days(folder, *replies):
    """Every exact sum of the days: the right value and the same bits."""
    right = exact(np.load(folder / "days.npy").tolist())
    bits = "0x" + struct.pack(">d", right).hex()
    for reply in replies:
        found = answer(reply)
        expect_equal("exact sum", found["results"]["sum"], right)
        expect_equal("its bits", found["bits"]["sum"], bits)


def check_merged(folder, merged, whole):
    """Halves merged: right, and in every bit what one job over everything gives."""
    check_exact_days(folder, merged, whole)
    days = np.load(folder / "days.npy").tolist()
    found, wanted = answer(merged), answer(whole)
    expect_equal("bits of the merge", found["bits"], wanted["bits"])
    expect_equal("count of the merge", found["count"], len(days))
    mean = sum(Fraction(x) for x in days) / len(days)
    variance = sum((Fraction(x) - mean) ** 2 for x in days) / len(days)
    std = Fraction(found["results"]["std"])
    gap = Fraction(math.ulp(float(std))) / 2
    if not (std - gap) ** 2 <= variance <= (std + gap) ** 2:
        fail(f"std is {float(std)!r}, not the nearest to the root of {float(variance)!r}")


def check_hard(folder, reply):
    right = exact(HARD)
    array = np.array(HARD)
    print(f"numpy:     {float(np.sum(array))!r}")
    print(f"math.fsum: {math.fsum(HARD)!r}")
    print(f"foldd:     {answer(reply)['results']['sum']!r}")
    expect_equal("math.fsum", math.fsum(HARD), right)
    expect_equal("exact sum", answer(reply)["results"]["sum"], right)
    if float(np.sum(array)) == right:
        fail("NumPy got it right: the example shows nothing")


def check_prefix(folder, path):
    """Each prefix sum: within the bound of recursive summation of the exact one."""
    days = np.load(folder / "days.npy").tolist()
    prefix = np.load(path)
    expect_equal("shape", prefix.shape, (len(days),))
    total, size = Fraction(0), Fraction(0)
    for index, day in enumerate(days):
        total += Fraction(day)
        size += abs(Fraction(day))
        bound = size * (index + 1) * Fraction(1, 2**53)
        if abs(Fraction(float(prefix[index])) - total) > bound:
            fail(f"prefix {index} is {prefix[index]!r}, not about {float(total)!r}")
    print(f"numpy reads it back: {prefix.dtype}{list(prefix.shape)}, last {float(prefix[-1])!r}")
    print(f"So the Earth has lost {prefix[-1]:.3f} s on atomic clocks since 1962.")


def check_problem(folder, reply):
    problem = answer(reply)
    expect_equal("status", problem["status"], 422)
    expect_equal("code", problem["code"], "integer_overflow")


def check_table(folder, path):
    words = [line.split() for line in Path(path).read_text().splitlines()]
    days = np.load(folder / "days.npy")
    found = {line[0]: line[1] for line in words if len(line) > 2}
    expect_equal("min of the table", float(found["min"]), float(days.min()))
    expect_equal("max of the table", float(found["max"]), float(days.max()))


def main():
    name, folder, *arguments = sys.argv[1:]
    globals()[name](Path(folder), *arguments)


if __name__ == "__main__":
    main()
