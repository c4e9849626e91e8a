"""Participants measured in turn, A B C A B C ..., so that all see the same weather."""

import statistics
import time


class Pace:
    """How long a comparison goes on: `turns`, but no further one once budget_s is
    spent, nor before FEW_TURNS have been made, unless four budgets are spent."""

    FEW_TURNS = 5
    LEAST_TURNS = 2

    def __init__(self, runs, warm, turns, budget_s):
        self.runs = runs  # of each participant in a turn, after `warm` that do not count
        self.warm = warm
        self.turns = turns
        self.budget_s = budget_s

    def goes_on(self, turn, spent_s):
        if turn < self.LEAST_TURNS:
            return True
        budget_s = self.budget_s if turn >= self.FEW_TURNS else 4 * self.budget_s
        return turn < self.turns and spent_s < budget_s


class Times:
    def __init__(self):
        self.ns = []

    @property
    def best(self):
        return min(self.ns)

    @property
    def median(self):
        return statistics.median(self.ns)

    def report(self):
        return {"best_ns": self.best, "median_ns": self.median, "runs": len(self.ns)}


def take_turns(participants, pace, check):
    """[Times] of each; check(participant, values) after each turn. One who is named
    several times is measured as often, to be compared with who comes next."""
    times = [Times() for _ in participants]
    begin = time.monotonic()
    turn = 0
    while pace.goes_on(turn, time.monotonic() - begin):
        for participant, its in zip(participants, times, strict=True):
            ns, values = participant.measure(pace.warm + pace.runs)
            its.ns += ns[pace.warm :]
            check(participant, values)
        turn += 1
    return times
