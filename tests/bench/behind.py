"""One of our gateways in front of a downstream that is there already.

Usage: `python -m bench.behind MODEL PORT DOWNSTREAM_PORT`.

`parkbench serve MODEL gateway --downstream http` starts a downstream of its own; a comparison needs the same one for
everybody.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from parkbench import child, serve_child
from parkbench.helper import Helper
from parkbench.serving import Service


def main() -> None:
    """Serve until a signal ends this process; the server's ends with it."""
    model, port, downstream_port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    scenario = Service.checked(model, "gateway", {"downstream": "http"}).to_core(None)
    scenario["downstream_port"] = downstream_port
    order = {"scenario": scenario, "listen": {"port": port}}
    helper = Helper("server", str(Path(serve_child.__file__)), child.core_path(), order, controlled=False)
    if helper.listens():
        signal.pause()


if __name__ == "__main__":
    main()
