"""The schema `parkbench`: two tables that the pricing workload reads, and a marker that says they are ours.

A request reads a product, then the discount of that product, and computes the final price. Nothing outside the schema
is ever touched, and a schema of that name without our marker is refused, not altered.
"""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass

from parkbench.database.catalogue import SEED_DATA, catalogue
from parkbench.database.session import Session
from parkbench.errors import ConfigError, DatabaseError

SCHEMA_VERSION = "1"

_LOCK = 5_307_120_846_117  # any number: the advisory lock that lets one sweep at a time set the schema up
_BLOCK = 50_000  # products in one COPY: 3 MB
_TABLES = {
    "meta": "key text primary key, value text",
    "products": "id bigint primary key, name text not null, price_minor bigint not null, discount_group int not null",
    "discounts": "product_id bigint primary key, percent_hundredths int not null",
}
_FOREIGN = (
    "the schema parkbench of this database was not made by parkbench: "
    "rename or drop it yourself, or give another database"
)
# Changes when any figure that the workload reads changes; weights keep two swapped values from cancelling out.
_CHECKSUM = """
    select coalesce(sum(p.price_minor::numeric * (p.id % 997 + 1)), 0) || '/' ||
           coalesce(sum(p.id::numeric), 0) || '/' ||
           coalesce(sum(d.percent_hundredths::numeric * (p.id % 991 + 1)), 0)
      from parkbench.products p join parkbench.discounts d on d.product_id = p.id"""


@dataclass(frozen=True)
class _State:
    """What is in the database: `missing` is None when everything is right, else it says what is not."""

    exists: bool
    missing: str | None


def setup(session: Session, products: int) -> None:
    """Make sure the schema holds exactly `products` products; one that already does is left as it is.

    Ours with another version, count or content is made anew, in one transaction: others see the old state or the new.
    Raises ConfigError for a schema that is not ours and for missing permissions, DatabaseError for anything else.
    """
    session.execute("begin")
    try:
        session.execute(f"select pg_advisory_xact_lock({_LOCK})")
        state = _inspect(session, products)
        if state.missing is not None:
            _make(session, products, state.exists)
        session.execute("commit")
    except BaseException as error:
        _rollback(session)
        if isinstance(error, DatabaseError) and error.sqlstate in ("42501", "25006"):
            raise _not_permitted(session, error) from error
        raise


def preflight(session: Session, products: int) -> None:
    """Raise ConfigError that names exactly what is missing or wrong for a run over `products` products."""
    missing = _inspect(session, products).missing
    if missing is not None:
        raise ConfigError(f"the database is not ready: {missing}")


def _value(session: Session, sql: str) -> str | None:
    rows = session.execute(sql)
    return rows[0][0] if rows else None


def _inspect(session: Session, products: int) -> _State:
    """Compare what is there with what is needed. Raises ConfigError when the schema is not ours."""
    usable = _value(session, "select has_schema_privilege(oid, 'usage') from pg_namespace where nspname = 'parkbench'")
    if usable is None:
        return _State(False, "the schema parkbench is missing")
    if usable != "t":
        raise ConfigError("the database is not ready: this user has no USAGE permission on the schema parkbench")
    columns = _columns(session)
    if columns.get("meta") != _names("meta"):
        raise ConfigError(_FOREIGN)
    _check_readable(session, "meta")
    meta = {str(key): value for key, value in session.execute("select key, value from parkbench.meta")}
    if "schema_version" not in meta or "seed_data" not in meta:
        raise ConfigError(_FOREIGN)
    if meta["schema_version"] != SCHEMA_VERSION:
        return _State(True, f"the schema parkbench has version {meta['schema_version']}, needed is {SCHEMA_VERSION}")
    for table in ("products", "discounts"):
        if table not in columns:
            return _State(True, f"the table parkbench.{table} is missing")
        if lacking := [name for name in _names(table) if name not in columns[table]]:
            return _State(True, f"the table parkbench.{table} lacks the column {lacking[0]}")
        _check_readable(session, table)
        count = _value(session, f"select count(*) from parkbench.{table}")  # noqa: S608  # our own two names
        if count != str(products):
            return _State(True, f"the table parkbench.{table} holds {count} rows, needed are {products}")
    if meta["seed_data"] != SEED_DATA or meta.get("checksum") != _value(session, _CHECKSUM):
        return _State(True, "the rows of parkbench.products and parkbench.discounts are not those of parkbench")
    return _State(True, None)


def _names(table: str) -> list[str]:
    return [column.split()[0] for column in _TABLES[table].split(", ")]


def _columns(session: Session) -> dict[str, list[str]]:
    """The ordinary tables of the schema with their columns in order."""
    rows = session.execute(
        "select c.relname, a.attname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped"
        " where n.nspname = 'parkbench' and c.relkind = 'r' order by c.relname, a.attnum"
    )
    return {
        str(table): [str(column) for _, column in group]
        for table, group in itertools.groupby(rows, key=lambda row: row[0])
    }


def _check_readable(session: Session, table: str) -> None:
    if _value(session, f"select has_table_privilege('parkbench.{table}', 'select')") != "t":
        raise ConfigError(
            f"the database is not ready: this user has no SELECT permission on the table parkbench.{table}"
        )


def _make(session: Session, products: int, exists: bool) -> None:
    if not exists:
        session.execute("create schema parkbench")
    session.execute("set local client_encoding = 'UTF8'")
    for table, columns in _TABLES.items():
        session.execute(f"drop table if exists parkbench.{table}")
        session.execute(f"create table parkbench.{table} ({columns})")
    _fill(session, products)
    meta = {
        "schema_version": SCHEMA_VERSION,
        "products": str(products),
        "seed_data": SEED_DATA,
        "checksum": _value(session, _CHECKSUM),
    }
    values = ", ".join(f"('{key}', '{value}')" for key, value in meta.items())
    session.execute(f"insert into parkbench.meta (key, value) values {values}")  # noqa: S608  # our own words
    for table in _TABLES:
        session.execute(f"analyze parkbench.{table}")


def _fill(session: Session, products: int) -> None:
    """Copy the catalogue. FREEZE, so that the first reads of a measurement do not write hint bits."""
    rows = catalogue(products)
    while block := list(itertools.islice(rows, _BLOCK)):
        session.copy_in(
            "copy parkbench.products (id, name, price_minor, discount_group) from stdin (freeze true)",
            "".join(f"{p.id}\t{_escape(p.name)}\t{p.price_minor}\t{p.discount_group}\n" for p in block).encode(),
        )
        session.copy_in(
            "copy parkbench.discounts (product_id, percent_hundredths) from stdin (freeze true)",
            "".join(f"{p.id}\t{p.percent_hundredths}\n" for p in block).encode(),
        )


def _escape(text: str) -> str:
    """Write a text as COPY's text format wants it."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _rollback(session: Session) -> None:
    with contextlib.suppress(DatabaseError):  # raised when the connection is gone, and the transaction with it
        session.execute("rollback")


def _not_permitted(session: Session, error: DatabaseError) -> ConfigError:
    if error.sqlstate == "25006":
        return ConfigError("the database is read-only: let parkbench set up its schema on the primary server first")
    rows = session.execute("select current_user, current_database()")
    user, database = rows[0]
    return ConfigError(
        f'the user "{user}" may not make or change the schema parkbench in the database "{database}" '
        f"({' '.join(str(error).split())}): grant CREATE on the database, or let the schema's owner run parkbench once"
    )
