"""Benchmarks against peers and limits, one module each: `./dev bench NAME` runs `python -m bench.NAME`.

Run as a package and not by file name, because a script's own folder comes first on the module path and `http.py` in it
would hide Python's `http`.
"""
