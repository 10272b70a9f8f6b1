"""Passwords out of texts: a DSN as it may be shown, and sentences of others that may quote it."""

from __future__ import annotations

import re
from urllib.parse import unquote

_URL_PASSWORD = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s:/@]*:)([^\s/]*)(@)", re.IGNORECASE)
_QUERY_PASSWORD = re.compile(
    r"((?:^|[?&\s])(?:password|passfile|sslpassword)\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", re.IGNORECASE
)
_HIDDEN = "***"


def without_password(text: str, dsn: str | None = None) -> str:
    """The text without passwords of connection strings, and without the password of `dsn` wherever it stands."""
    for secret in _passwords(dsn) if dsn else ():
        text = text.replace(secret, _HIDDEN)
    text = _URL_PASSWORD.sub(rf"\g<1>{_HIDDEN}\g<3>", text)
    return _QUERY_PASSWORD.sub(rf"\g<1>{_HIDDEN}", text)


def _passwords(dsn: str) -> list[str]:
    """The password of the DSN, as written and as meant; short ones are left to the patterns, as they could be words."""
    raw = [match.group(2) for pattern in (_URL_PASSWORD, _QUERY_PASSWORD) for match in pattern.finditer(dsn)]
    plain = [secret[1:-1] if secret.startswith("'") else secret for secret in raw]
    found = {form for secret in plain for form in (secret, unquote(secret)) if len(form) >= 3}
    return sorted(found, key=len, reverse=True)
