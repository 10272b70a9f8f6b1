"""Long runs: `./dev soak NAME` runs `python -m soak.NAME DIR SECONDS`, or `NAME.sh DIR SECONDS`."""
