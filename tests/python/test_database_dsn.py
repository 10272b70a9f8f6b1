"""Connection strings: no password is shown, and none is given to libpq in a form that it reads differently."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parkbench.database.dsn import check, connect_failure, redact
from parkbench.errors import ConfigError, DatabaseError

CANARY = "c4n4ry"


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        ("postgresql://u:c4n4ry@h:5/db", "postgresql://u:***@h:5/db"),
        ("postgres://u:c4n4ry@h", "postgres://u:***@h"),
        ("postgresql://:c4n4ry@h", "postgresql://:***@h"),
        ("postgresql://u:@h", "postgresql://u:***@h"),
        ("postgresql://u@h:5432/db", "postgresql://u@h:5432/db"),
        ("postgresql://h:5432,h2:5433/db", "postgresql://h:5432,h2:5433/db"),
        ("postgresql://u:c4n4ry@[::1]:5/db", "postgresql://u:***@[::1]:5/db"),
        ("postgresql://u@/db?host=%2Ftmp&port=5432", "postgresql://u@/db?host=%2Ftmp&port=5432"),
        ("postgresql://h:5432/db?user=a@b", "postgresql://h:5432/db?user=a@b"),
        ("postgresql://h/db?password=c4n4ry&user=u", "postgresql://h/db?password=***&user=u"),
        ("postgresql://h/db?p%61ssword=c4n4ry", "postgresql://h/db?p%61ssword=***"),
        ("postgresql://h/db?sslpassword=c4n4ry&passfile=c4n4ry", "postgresql://h/db?sslpassword=***&passfile=***"),
        ("postgresql://h/?dbname=postgres%3A%2F%2Fu%3Ac4n4ry%40h", "postgresql://h/?dbname=postgres://u:***@h"),
        ("host=h password=c4n4ry user=u", "host=h password=*** user=u"),
        ("host=h password = c4n4ry user=u", "host=h password = *** user=u"),
        ("password='it\\'s c4n4ry' user=u", "password=*** user=u"),
        ("password=a\\ c4n4ry user=u", "password=*** user=u"),
        ("password='c4n4ry and no end", "password=***"),
        ("dbname=postgresql://u:c4n4ry@h/db user=u", "dbname=postgresql://u:***@h/db user=u"),
        ("host=h password='' user='u v'", "host=h password=*** user='u v'"),
        ("", ""),
    ],
)
def test_redact(dsn: str, shown: str) -> None:
    assert redact(dsn) == shown


@pytest.mark.parametrize(
    "dsn",
    [
        "postgresql://u:a@c4n4ry@h/db",
        "postgresql://u:a/c4n4ry@h/db",
        "postgresql://u:a?c4n4ry@h/db",
        "postgresql://u:a?c4n4ry=1@h/db",
        "postgresql://u:12?c4n4ry=1@h/db",
        "postgresql://u:c4n4ry?b=c@h/db",
        "postgresql://u:a#c4n4ry@h/db",
        "postgresql://u:c4n4ry/b@h/db",
        "postgresql://u:a&c4n4ry@h/db",
        "postgresql://u:a c4n4ry@h/db",
        "postgresql://u:c4n4ry%zz@h/db",
        "host=h password=a c4n4ry user=u",
        "host=h password=a c4n4ry=b user=u",
        "host=h password='a' c4n4ry",
        "host=h password='a'c4n4ry",
        "host=h password=a'c4n4ry",
    ],
)
def test_a_malformed_string_shows_nothing_of_its_password_and_is_refused(dsn: str) -> None:
    assert CANARY not in redact(dsn)
    try:
        check(dsn)
    except ConfigError as error:
        assert CANARY not in str(error)
        assert len(str(error).splitlines()) == 1
    else:  # libpq reads it as one password
        assert dsn in ("postgresql://u:a&c4n4ry@h/db", "host=h password=a'c4n4ry")


@given(st.text(min_size=4).map(lambda text: CANARY + text), st.booleans())
@example("c4n4ry@/?#:&='\\ ", True)
def test_no_password_is_shown(password: str, in_query: bool) -> None:
    encoded = quote(password, safe="", errors="replace")
    quoted = password.replace("\\", "\\\\").replace("'", "\\'")
    place = f"h/db?user=u&password={encoded}&port=5" if in_query else f"u:{encoded}@h:5/db"
    for dsn in (f"postgresql://{place}", f"host=h password='{quoted}' user=u", f"user=u password='{quoted}'"):
        assert CANARY not in redact(dsn)
        assert "***" in redact(dsn)
        if "\0" not in password:
            check(dsn)


@given(st.text(alphabet="abc123@/?#:&='\\% \n\t.,[]-"))
def test_no_unescaped_password_is_shown(rest: str) -> None:
    """Whatever stands around it: the password's first part is hidden, however the rest of it is to be read."""
    for dsn in (f"postgresql://u:{CANARY}{rest}@h/db", f"host=h password={CANARY}{rest}"):
        assert CANARY not in redact(dsn)


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    redact(text)
    try:
        check(text)
    except ConfigError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("dsn", "said"),
    [
        ("postgresql://u:p@w@h/db", "percent-encoded"),
        ("postgresql://u:p%w@h/db", "%25"),
        ("postgresql://h/db?sslmod=disable", "did you mean sslmode"),
        ("postgresql://h/db?sslmode", "key=value"),
        ("host=h sslmod=disable", "did you mean sslmode"),
        ("just some words", "single quotes"),
        ("host='h", "single quotes"),
        ("http://h/db", "cannot be read"),
        (" ", "empty"),
        ("host=h\0", "zero byte"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_remedy(dsn: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check(dsn)


@pytest.mark.parametrize(
    "dsn",
    ["postgresql://", "postgresql://u@h,h2/db?sslmode=disable", "host = h  user='a b' password=''", "dbname=x"],
)
def test_what_libpq_reads_is_taken(dsn: str) -> None:
    check(dsn)


@pytest.mark.parametrize("dsn", ["postgresql://u:s%40cret-99@h/db", "host=h user=u password='s@cret-99'"])
@pytest.mark.parametrize("form", ["s%40cret-99", "s@cret-99"])
def test_a_failure_is_one_sentence_without_password(dsn: str, form: str) -> None:
    failure = connect_failure(dsn, DatabaseError(f"connection failed:\n\tsaw {form} there\n"))
    if form in dsn or "%40" in dsn:
        assert form not in str(failure)
    assert "cret-99" not in redact(dsn)
    assert len(str(failure).splitlines()) == 1
    assert "connection failed: saw" in str(failure)
