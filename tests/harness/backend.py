"""The tests beside a chosen backend: with FOLDD_TEST_BACKEND=cuda a job that names no
backend asks for that one, and who computed the answers is counted."""

import json
import os
from collections import Counter

ASKED = os.environ.get("FOLDD_TEST_BACKEND")
JOBS = ("/v1/reduce", "/v1/scan")

computed = Counter()  # answers by the backend that they name


def ask(path, members):
    """A job's (or a batch's) members, or its query string, with the backend asked for."""
    if ASKED is None or not members:
        return members
    if path == "/v1/batch":
        return {**members, "jobs": [ask(JOBS[0], job) for job in members["jobs"]]}
    if path not in JOBS:
        return members
    if isinstance(members, str):
        return members if "backend=" in members else f"{members}&backend={ASKED}"
    return {"backend": ASKED, **members}


def count(target, response):
    if ASKED is None or response.status != 200 or not target.startswith(JOBS):
        return
    text = response.headers.get("foldd-job")
    answer = json.loads(text) if text else response.json()
    computed[answer["backend"]] += 1
