from typing import Any

import pytest

from parkbench.redact import without_password


@pytest.mark.parametrize(
    ("text", "dsn"),
    [
        ("cannot reach postgresql://me:s3cret@host/db now", None),
        ("password=s3cret host=x", None),
        ("host=x password = 's3cret' user=y", None),
        ("libpq says: s3cret is wrong", "postgresql://me:s3cret@host/db"),
        ("libpq says: s3cret is wrong", "host=x password=s3cret"),
        ("decoded: s3cret", "postgresql://me:%733cret@host/db"),
    ],
)
def test_no_password_is_left(text: Any, dsn: Any) -> None:
    shown = without_password(text, dsn)
    assert "s3cret" not in shown and "***" in shown


def test_other_text_stays() -> None:
    text = "run process killed by SIGKILL: time 12:30 user@host http://localhost:8080/x"
    assert without_password(text, "postgresql:///db") == text
