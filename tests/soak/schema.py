"""schemathesis over openapi.yaml, 10,000 cases or FOLDD_SOAK_CASES: what the file says
of every answer is true, whatever is asked."""

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from harness.daemon import Daemon

CASES = int(os.environ.get("FOLDD_SOAK_CASES", 10_000))
# Framing that the HTTP parser refuses is not described by the file; 501 is an
# answer of the interface, not a fault of the server.
CHECKS = "status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance"


EACH = 600  # examples of an operation in a round; paths without parameters have one


def run_round(url, seed, folder):
    """One run; how many cases it made."""
    command = [
        str(Path(sysconfig.get_path("scripts")) / "schemathesis"),
        *("run", f"{url}/openapi.yaml", "--url", url),
        *("--phases", "examples,coverage,fuzzing", "--checks", CHECKS),
        *("--max-examples", str(EACH), "--seed", str(seed), "--generation-database", "none"),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    made = re.search(r"(\d+) generated", done.stdout)
    if done.returncode != 0 or not made:
        print(done.stdout[-8000:], done.stderr[-2000:])
        raise AssertionError(f"schemathesis ended with {done.returncode}")
    return int(made.group(1))


def main():
    with tempfile.TemporaryDirectory() as base:
        root = Path(base) / "root"
        root.mkdir()
        daemon = Daemon("--root", root, "--write-root", root, folder=Path(base) / "daemon")
        made = seed = 0
        while made < CASES:
            seed += 1
            made += run_round(f"http://127.0.0.1:{daemon.port}", seed, base)
            print(f"{made} cases after seed {seed}", flush=True)
        assert daemon.alive()
        daemon.stop()
        internal = re.findall(r".* code=internal .*", daemon.log_text())
        assert not internal, internal[:5]
    return 0


if __name__ == "__main__":
    sys.exit(main())
