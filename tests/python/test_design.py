"""What a sweep discloses of its design, and by what sweeps are told apart."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from parkbench import design, specification
from parkbench.stats import MARGIN


def test_the_block_says_what_was_decided_before_the_first_run() -> None:
    spec = specification.check("noop", seed=7, until="5%", max_repeats=12, legs="both")
    block = design.describe(spec)
    assert (block["legs"], block["repeats"], block["until"], block["max_repeats"]) == ("both", None, 0.05, 12)
    assert (block["seed"], block["margin"]) == (7, MARGIN)
    assert block["order"].startswith("interleaved: each repeat makes every cell once, in a random order")
    assert block["stopping"]["stopped_early"]
    assert block["env_padding_bytes"] == 4096
    assert block["server_port"] == "random"
    json.dumps(block)
    assert design.describe(specification.check("noop", transport="direct"))["server_port"] is None


def test_sweeps_of_a_process_share_a_session_and_have_their_own_id() -> None:
    a, b = (design.describe(specification.check("noop")) for _ in range(2))
    assert a["session"] == b["session"] == design.SESSION
    assert a["id"] != b["id"]
    program = "from parkbench import design; print(design.SESSION)"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert other
    assert other != design.SESSION


def test_a_sweep_that_goes_on_elsewhere_is_of_no_session_alone() -> None:
    first = design.describe(specification.check("noop"), session="a")
    assert design.gone_on(first, "a") == first
    later = design.gone_on(first, "b")
    assert later["session"] == "a+b"
    assert design.gone_on(later, "b") == later
    assert design.gone_on(later, "c")["session"] == "a+b+c"


def test_address_randomisation_as_the_kernel_has_it(tmp_path: Path) -> None:
    (tmp_path / "set").write_text("2\n")
    (tmp_path / "odd").write_text("on\n")
    assert design.aslr(tmp_path / "set") == 2
    assert design.aslr(tmp_path / "odd") is None
    assert design.aslr(tmp_path / "missing") is None
