"""The exam of the diagnosis: causes planted into runs, the records blanked, and the diagnosis asked what was planted.

`scenarios.py` says what is planted, `driver.py` makes the runs, `neighbours.py` is the noise beside them, `blanking.py`
takes out of a record what would give the answer away, `asking.py` asks, `score.py` counts.
"""
