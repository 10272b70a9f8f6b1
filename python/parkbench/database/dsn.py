"""Connection strings: hiding their passwords, and refusing those that libpq would read in another way than meant.

libpq quotes parts of a string it cannot read in its error, a password among them. So a string is checked here first,
and the errors below never repeat any of it.
"""

from __future__ import annotations

import difflib
import re
from urllib.parse import unquote

from parkbench.errors import ConfigError, DatabaseError

HIDDEN = "***"

_KEYWORDS = frozenset(  # one word after the other reads better than 60 lines
    """application_name channel_binding client_encoding connect_timeout dbname fallback_application_name gssdelegation
    gssencmode gsslib host hostaddr keepalives keepalives_count keepalives_idle keepalives_interval krbsrvname
    load_balance_hosts max_protocol_version min_protocol_version oauth_client_id oauth_client_secret oauth_issuer
    oauth_scope options passfile password port replication require_auth requirepeer requiressl
    scram_client_key scram_server_key service servicefile ssl ssl_max_protocol_version ssl_min_protocol_version sslcert
    sslcertmode sslcompression sslcrl sslcrldir sslkey sslkeylogfile sslmode sslnegotiation sslpassword sslrootcert
    sslsni target_session_attrs tcp_user_timeout user""".split()  # noqa: SIM905
)
_SECRET = re.compile(r"pass|secret|scram_", re.IGNORECASE)
_URI = re.compile(r"\s*(postgres(?:ql)?://)(.*)", re.DOTALL)
# key = value pairs as libpq reads them: a value is quoted, or ends at white space; a backslash protects one character.
_PAIR = re.compile(r"\s*([^\s=']+)(\s*=\s*)('(?:\\.|[^'\\])*(?:'|$)|(?:\\.|[^\s'\\])(?:\\.|[^\s\\])*|)", re.DOTALL)
_FORM = "write it as postgresql://user@host:port/name or as key=value pairs"


def _split(rest: str) -> tuple[str, str, str]:
    """Split what follows `postgresql://` into what stands before the query, `?` or nothing, and the query.

    A `?` that belongs to an unescaped password is no separator; it is told by what follows it not being known keywords.
    """
    head, mark, query = rest.partition("?")
    if mark and "@" in query:
        keys = [unquote(pair.partition("=")[0]) for pair in query.split("&")]
        _, colon, port = head.rpartition(":")
        if any(key not in _KEYWORDS for key in keys) or (colon and "@" not in head and not re.match(r"\d*(/|$)", port)):
            return rest, "", ""
    return head, mark, query


def _credentials(head: str) -> tuple[int, int] | None:
    """Where the password stands in the part before the query: from behind the first colon to the last @."""
    at = head.rfind("@")
    colon = head.find(":")
    return (colon + 1, at) if 0 <= colon < at else None


def redact(dsn: str) -> str:
    """Return `dsn` (URI or key=value) with every password, pass file and secret replaced by ***.

    When in doubt it hides too much: of a string that is not well formed, nothing that may be a password is left.
    """
    uri = _URI.fullmatch(dsn)
    if uri is None:
        return _redact_pairs(dsn)
    scheme, rest = uri.groups()
    head, mark, query = _split(rest)
    if span := _credentials(head):
        head = head[: span[0]] + HIDDEN + head[span[1] :]
    pairs = [_redact_parameter(pair) for pair in query.split("&")] if query else []
    return scheme + head + mark + "&".join(pairs)


def _redact_parameter(pair: str) -> str:
    key, mark, value = pair.partition("=")
    if _SECRET.search(unquote(key)):
        return f"{key}={HIDDEN}"
    inner = unquote(value)
    return f"{key}={redact(inner)}" if _URI.fullmatch(inner) else key + mark + value


def _redact_pairs(dsn: str) -> str:
    parts: list[str] = []
    place = 0
    secret = False
    while place < len(dsn):
        pair = _PAIR.match(dsn, place)
        if pair is None:
            # Not a pair: behind a password it may be the rest of it.
            return "".join(parts) + (f" {HIDDEN}" if secret else dsn[place:])
        key, _, value = pair.groups()
        if secret and key not in _KEYWORDS:
            parts.append(f" {HIDDEN}")  # the rest of a password with an unquoted space
        elif _SECRET.search(key):
            parts.append(dsn[place : pair.start(3)] + HIDDEN)
            secret = True
        else:
            shown = redact(value.strip("'")) if "://" in value else value
            parts.append(dsn[place : pair.start(3)] + shown)
            secret = False
        place = pair.end()
    return "".join(parts)


def check(dsn: str) -> None:
    """Raise ConfigError (which repeats nothing of the string) when libpq would not read `dsn` as it was meant."""
    if "\0" in dsn:
        raise ConfigError(f"the database's connection string holds a zero byte: {_FORM}")
    uri = _URI.fullmatch(dsn)
    keys = _check_uri(uri.group(2)) if uri else _check_pairs(dsn)
    for key in keys:
        if key not in _KEYWORDS:
            near = difflib.get_close_matches(key, _KEYWORDS, n=1)
            hint = f": did you mean {near[0]}?" if near else f": {_FORM}"
            raise ConfigError(f"the database's connection string holds an option that PostgreSQL does not know{hint}")


def _check_uri(rest: str) -> list[str]:
    head, _, query = _split(rest)
    span = _credentials(head)
    password = head[span[0] : span[1]] if span else ""
    if any(sign in password for sign in "@/?# "):
        raise ConfigError(
            "the password in the database's connection string must be percent-encoded "
            "(@ is %40, / is %2F, ? is %3F, # is %23)"
        )
    if re.search(r"%(?![0-9A-Fa-f]{2})", rest) or "%00" in rest:
        raise ConfigError("a % in the database's connection string must be written as %25")
    pairs = query.split("&") if query else []
    if any(pair.count("=") != 1 for pair in pairs):
        raise ConfigError(f"the database's connection string has a part behind ? that is no key=value pair: {_FORM}")
    return [unquote(pair.partition("=")[0]) for pair in pairs]


def _check_pairs(dsn: str) -> list[str]:
    keys: list[str] = []
    place = 0
    text = dsn.rstrip()
    while place < len(text):
        pair = _PAIR.match(text, place)
        if pair is None or (
            pair.group(3).startswith("'") and not re.fullmatch(r"'(?:\\.|[^'\\])*'", pair.group(3), re.DOTALL)
        ):
            raise ConfigError(
                f"the database's connection string cannot be read: {_FORM} "
                "(a value with a space stands in single quotes)"
            )
        keys.append(pair.group(1))
        place = pair.end()
    if not keys:
        raise ConfigError(f"the database's connection string is empty: {_FORM}")
    return keys


def connect_failure(dsn: str, error: DatabaseError) -> ConfigError:
    """Turn a failed connect into one sentence without password."""
    text = " ".join(str(error).split())
    for secret in _secrets(dsn):
        text = text.replace(secret, HIDDEN)
    return ConfigError(f"the database {redact(dsn)} cannot be used: {text}")


def _secrets(dsn: str) -> list[str]:
    """The passwords in `dsn`, as written and decoded; short ones are left out (they would blank ordinary words)."""
    found: list[str] = []
    if uri := _URI.fullmatch(dsn):
        head, _, query = _split(uri.group(2))
        if span := _credentials(head):
            found.append(head[span[0] : span[1]])
        found += [p.partition("=")[2] for p in query.split("&") if _SECRET.search(unquote(p.partition("=")[0]))]
        found += [unquote(secret) for secret in found]
    else:
        found += [pair.group(3).strip("'") for pair in _PAIR.finditer(dsn) if _SECRET.search(pair.group(1))]
        found += [re.sub(r"\\(.)", r"\1", secret) for secret in found]
    return sorted({secret for secret in found if len(secret) > 5}, key=len, reverse=True)
