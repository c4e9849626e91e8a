"""Rows of ratios, as a table and as JSON."""

import datetime
import importlib.metadata
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

HEADINGS = (
    *("what", "type", "size", "threads", "foldd", "peer", "its time", "ratio", "of medians", "target"),
    "",
)

GROUPS = {
    "ordered": "ordered against plain loops, NumPy and DuckDB (how many times as fast)",
    "exact": "exact sum against ordered sum (how many times as fast)",
    "xsum": "exact sum against xsum's large accumulator (how many times as fast)",
    "tile": "exact sum of 1,024 elements, accumulator alone, against the ceiling",
    "together": "sum, mean, var, min, max, l2 in one job against sum alone (times the time)",
    "axes": "4,096 x 4,096: sum over axis 0 "
    "(beside axis 1: times the time; beside NumPy: how many times as fast)",
    "json": "POST of a million numbers as JSON",
}


class Row:
    """foldd against a peer. ratio: how many times as fast foldd is, or, when
    slower_is_more (None: with `at_most`), how many times as long it takes; both
    of the best times."""

    def __init__(
        self,
        group,
        what,
        dtype,
        size,
        threads,
        foldd,
        peer,
        peer_times,
        *,
        at_least=None,
        at_most=None,
        slower_is_more=None,
    ):
        self.group, self.what, self.dtype, self.size = group, what, dtype, size
        self.threads, self.peer = threads, peer
        self.foldd, self.peer_times = foldd, peer_times
        self.at_least, self.at_most = at_least, at_most
        self.slower_is_more = at_most is not None if slower_is_more is None else slower_is_more

    def _ratio(self, foldd, peer):
        return foldd / peer if self.slower_is_more else peer / foldd

    @property
    def ratio(self):
        return self._ratio(self.foldd["best_ns"], self.peer_times["best_ns"])

    @property
    def median_ratio(self):
        return self._ratio(self.foldd["median_ns"], self.peer_times["median_ns"])

    @property
    def met(self):
        """None: no target."""
        if self.at_least is not None:
            return self.ratio >= self.at_least
        if self.at_most is not None:
            return self.ratio <= self.at_most
        return None

    def report(self):
        return {
            "group": self.group,
            "what": self.what,
            "dtype": self.dtype,
            "size": self.size,
            "threads": self.threads,
            "foldd": self.foldd,
            "peer": self.peer,
            "peer_times": self.peer_times,
            "ratio_is": "time of foldd / time of peer"
            if self.slower_is_more
            else "time of peer / time of foldd",
            "ratio": round(self.ratio, 4),
            "median_ratio": round(self.median_ratio, 4),
            "at_least": self.at_least,
            "at_most": self.at_most,
            "met": self.met,
        }

    def cells(self):
        target = "-"
        if self.at_least is not None:
            target = f">= {self.at_least:g}"
        elif self.at_most is not None:
            target = f"<= {self.at_most:g}"
        return (
            self.what,
            self.dtype,
            self.size,
            self.threads,
            duration(self.foldd["best_ns"]),
            self.peer,
            duration(self.peer_times["best_ns"]),
            f"{self.ratio:.2f}",
            f"{self.median_ratio:.2f}",
            target,
            {None: "", True: "met", False: "MISSED"}[self.met],
        )


def duration(ns):
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}" if ns < 100 * scale else f"{ns / scale:.0f} {unit}"
    return f"{ns:.0f} ns"


def table(rows):
    cells = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def markdown(rows):
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + " --- |" * len(HEADINGS)]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    return "\n".join(lines)


def show(rows, as_markdown):
    for group, title in GROUPS.items():
        chosen = [row for row in rows if row.group == group]
        if not chosen:
            continue
        print(f"\n{'### ' if as_markdown else ''}{title[0].upper()}{title[1:]}\n")
        print(markdown(chosen) if as_markdown else table(chosen))


def count_line(rows):
    met = sum(row.met is True for row in rows)
    missed = sum(row.met is False for row in rows)
    return f"{met} rows met, {missed} missed, {len(rows) - met - missed} without a target"


def _cpu_model():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _read(path):
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def _commit():
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None  # an unpacked source archive
    return done.stdout.strip()


def head(info, peers):
    return {
        "command": shlex.join(["./dev", "bench", *sys.argv[2:]]),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": {
            "cpu": _cpu_model(),
            "cores": len(os.sched_getaffinity(0)),
            "simd": info["simd"],
            "levels": info["levels"],
            "huge_pages": _read("/sys/kernel/mm/transparent_hugepage/enabled"),
            "system": platform.platform(),
        },
        "versions": {
            "foldd": info["version"],
            "commit": _commit(),
            "compiler": info["compiler"],
            "python": platform.python_version(),
            **{peer: importlib.metadata.version(peer) for peer in peers},
        },
    }
