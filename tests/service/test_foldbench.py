"""foldbench: what it measures, and what it refuses."""

import json
import subprocess

import pytest

from harness.daemon import REPORTS, program


def foldbench(*words, expect=0):
    ended = subprocess.run(
        [str(program("foldbench")), *words], capture_output=True, text=True, timeout=300
    )
    assert not REPORTS.search(ended.stderr), ended.stderr
    assert ended.returncode == expect, (ended.stdout, ended.stderr)
    return ended.stdout


def test_a_wrong_word_is_named():
    ended = subprocess.run([str(program("foldbench")), "gpu"], capture_output=True, text=True)
    assert ended.returncode == 2 and ended.stderr.startswith("foldbench: 'gpu' makes no sense")


def test_cpu():
    """Every type, length, operation and promise once."""
    words = ("cpu", "--lengths", "1,5000", "--seconds", "0", "--threads", "1")
    report = json.loads(foldbench(*words, "--json"))
    assert report["backend"] == "cpu" and report["threads"] == 1
    found = [
        (one["dtype"], one["count"], one["op"], one["determinism"])
        for one in report["measurements"]
    ]
    expected = [
        (dtype, count, op, promise)
        for dtype in ("float32", "float64")
        for count in (1, 5000)
        for op in ("sum", "max", "l2", "var")
        for promise in ("none", "ordered", "exact")
    ]
    assert found == expected
    width = {"float32": 4, "float64": 8}
    for one in report["measurements"]:
        if one["ns"] >= 1000:
            rate = one["count"] * width[one["dtype"]] * 1e9 / one["ns"]
            assert one["bytes_per_second"] == pytest.approx(rate, rel=1e-2)
    table = foldbench(*words).splitlines()
    assert len([line for line in table if line.startswith("float")]) == len(expected)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("gpu",),
        ("cpu", "cpu"),
        ("cpu", "--lengths", "0"),
        ("cpu", "--lengths", "1,"),
        ("cpu", "--lengths", ",".join(["1"] * 17)),
        ("cpu", "--threads", "0"),
        ("cpu", "--seconds", "-1"),
        ("cpu", "--seconds", "nan"),
        ("cpu", "--nonsense"),
    ],
)
def test_usage(words):
    foldbench(*words, expect=2)


def test_help():
    assert "foldbench cpu" in foldbench("--help")
    assert foldbench("--version").startswith("foldbench ")
