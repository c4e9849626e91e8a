"""The processes of a daemon that restarts in place: each starts the next."""

import os
import time


def is_alive(pid):
    try:
        text = open(f"/proc/{pid}/stat").read()
    except FileNotFoundError:
        return False
    return text.rsplit(")", 1)[1].split()[0] != "Z"


def processes(daemon):
    """The daemon's processes that live: those that hold its log open."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.samefile(f"/proc/{pid}/fd/2", daemon.log) and is_alive(int(pid)):
                found.append(int(pid))
        except OSError:
            continue
    return found


def wait_until(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


def ready_count(daemon):
    return daemon.log_text().count(" ready\n")
