"""Line 46 of the table of bad requests: more connections than descriptors, on each model's server."""

from __future__ import annotations

import pytest

from bench import servers
from soak.starved import DESCRIPTORS, crowd


@pytest.mark.slow
@pytest.mark.parametrize("model", servers.MODELS)
def test_a_server_without_descriptors_serves_whom_it_holds_and_recovers(model: str) -> None:
    servers.allow_descriptors()
    with servers.ours(model, descriptors=DESCRIPTORS) as server:
        for _ in range(2):
            seen = crowd(server, watch_s=0.0)
            assert seen.faults() == []
            assert seen.waiting + seen.refused + seen.closed == 2_000
