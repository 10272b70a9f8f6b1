"""The schema parkbench in a real database: made, reused, made anew, refused, and what the preflight says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from database_support import PsycopgSession, connects, session

from parkbench.database.catalogue import catalogue
from parkbench.database.schema import preflight, setup
from parkbench.database.server import EmbeddedServer
from parkbench.database.session import Connect, Session
from parkbench.errors import ConfigError, DatabaseError


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture
def dsn(server: EmbeddedServer) -> Iterator[str]:
    """A database of the test's own."""
    with session(server.dsn) as admin:
        admin.execute("create database mine template template0")
    yield server.dsn.replace("/postgres?", "/mine?")
    with session(server.dsn) as admin:
        admin.execute("drop database mine (force)")


@pytest.fixture(params=connects(), ids=lambda connect: connect.__name__)
def opened(request: pytest.FixtureRequest, dsn: str) -> Iterator[Session]:
    connect: Connect = request.param
    with session(dsn, connect) as one:
        yield one


@pytest.fixture
def other(dsn: str) -> Iterator[Session]:
    """A second connection, over psycopg, that looks at what the first has done."""
    with session(dsn) as one:
        yield one


def tables(other: Session) -> list[str]:
    rows = other.execute(
        "select schemaname || '.' || tablename from pg_tables where schemaname !~ '^pg_|^information' order by 1"
    )
    return [str(row[0]) for row in rows]


OURS = ["parkbench.discounts", "parkbench.meta", "parkbench.products"]


def generation(other: Session) -> str | None:
    """Tells a table from one of the same name that was made later."""
    return other.execute("select 'parkbench.products'::regclass::oid")[0][0]


def test_makes_and_fills_the_schema(opened: Session, other: Session) -> None:
    setup(opened, 1_000)
    assert tables(other) == OURS
    rows = other.execute(
        "select p.id, p.name, p.price_minor, p.discount_group, d.percent_hundredths"
        " from parkbench.products p join parkbench.discounts d on d.product_id = p.id order by p.id"
    )
    assert rows == [tuple(map(str, product)) for product in catalogue(1_000)]
    meta = {str(key): value for key, value in other.execute("select key, value from parkbench.meta")}
    assert meta["schema_version"] == "1"
    assert meta["products"] == "1000"
    assert meta["seed_data"] == "catalogue-1"
    preflight(opened, 1_000)


def test_the_tables_are_as_documented(opened: Session, other: Session) -> None:
    setup(opened, 1)
    columns = other.execute(
        "select table_name, column_name, data_type, is_nullable from information_schema.columns"
        " where table_schema = 'parkbench' order by table_name, ordinal_position"
    )
    assert [" ".join(map(str, row)) for row in columns] == [
        "discounts product_id bigint NO",
        "discounts percent_hundredths integer NO",
        "meta key text NO",
        "meta value text YES",
        "products id bigint NO",
        "products name text NO",
        "products price_minor bigint NO",
        "products discount_group integer NO",
    ]
    assert other.execute("select count(*) from pg_indexes where schemaname = 'parkbench'") == [("3",)]


def test_reading_writes_nothing_and_knows_its_numbers(opened: Session, other: Session) -> None:
    """Frozen rows need no hint bits; the planner has statistics."""
    setup(opened, 2_000)
    assert other.execute("select reltuples from pg_class where oid = 'parkbench.products'::regclass") == [("2000",)]
    other.execute("create extension if not exists pageinspect")
    hinted = other.execute(
        "select bool_and(t_infomask & 768 = 768) from heap_page_items(get_raw_page('parkbench.products', 0))"
    )
    assert hinted == [("t",)]


def test_reuses_what_is_right(opened: Session, other: Session) -> None:
    setup(opened, 100)
    before = generation(other)
    setup(opened, 100)
    assert generation(other) == before


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("select 1", "the table parkbench.products holds 100 rows, needed are 101"),
        ("update parkbench.meta set value = '0' where key = 'schema_version'", "has version 0, needed is 1"),
        ("delete from parkbench.discounts where product_id = 7", "the table parkbench.discounts holds 100 rows"),
        ("truncate parkbench.products", "the table parkbench.products holds 0 rows, needed are 101"),
        ("drop table parkbench.discounts", "the table parkbench.discounts is missing"),
        ("alter table parkbench.products drop name", "the table parkbench.products lacks the column name"),
        ("update parkbench.products set price_minor = price_minor + 1 where id = 7", "the rows of .* are not those"),
        ("update parkbench.discounts set percent_hundredths = 1 where product_id = 7", "the rows of .* are not those"),
        ("update parkbench.meta set value = 'old' where key = 'seed_data'", "the rows of .* are not those"),
    ],
)
def test_names_what_is_wrong_and_makes_it_anew(opened: Session, other: Session, damage: str, said: str) -> None:
    setup(opened, 100 if damage == "select 1" else 101)
    other.execute(damage)
    with pytest.raises(ConfigError, match=f"the database is not ready: .*{said}"):
        preflight(opened, 101)
    setup(opened, 101)
    preflight(opened, 101)
    assert other.execute("select count(*) from parkbench.products") == [("101",)]


def test_nothing_at_all_is_named(opened: Session) -> None:
    with pytest.raises(ConfigError, match="the schema parkbench is missing"):
        preflight(opened, 1)


@pytest.mark.parametrize(
    "foreign",
    [
        "create table parkbench.products (theirs text)",
        "create table parkbench.meta (id int)",
        "create table parkbench.meta (key text, value text); insert into parkbench.meta values ('a', 'b')",
        "create view parkbench.meta as select 'schema_version'::text as key, '1'::text as value",
        "select 1",
    ],
)
def test_refuses_a_schema_without_our_marker(opened: Session, other: Session, foreign: str) -> None:
    other.execute("create schema parkbench")
    for statement in foreign.split("; "):
        other.execute(statement)
    before = tables(other)
    for check in (setup, preflight):
        with pytest.raises(ConfigError, match="was not made by parkbench: rename or drop it yourself"):
            check(opened, 10)
    assert tables(other) == before
    assert opened.execute("select 1") == [("1",)], "the session can be used on"


def test_touches_nothing_else(opened: Session, other: Session) -> None:
    other.execute("create table products (theirs text)")
    other.execute("create schema others")
    other.execute("create table others.discounts (theirs text)")
    setup(opened, 5)
    other.execute("create table parkbench.added (theirs text)")
    setup(opened, 6)
    assert tables(other) == ["others.discounts", "parkbench.added", *OURS, "public.products"]


def test_a_view_of_the_users_is_not_dropped(opened: Session, other: Session) -> None:
    setup(opened, 5)
    other.execute("create view mine as select * from parkbench.products")
    with pytest.raises(DatabaseError) as caught:
        setup(opened, 6)
    assert caught.value.sqlstate == "2BP01"
    assert other.execute("select count(*) from mine") == [("5",)]


def test_is_one_transaction(opened: Session, other: Session) -> None:
    """A failure in the middle leaves the old state and a usable session."""
    setup(opened, 5)

    class Failing:
        execute = opened.execute
        close = opened.close

        def copy_in(self, sql: str, data: bytes) -> None:
            if "discounts" in sql:
                raise KeyboardInterrupt
            opened.copy_in(sql, data)

    with pytest.raises(KeyboardInterrupt):
        setup(Failing(), 6)
    assert other.execute("select count(*) from parkbench.products") == [("5",)]
    preflight(opened, 5)


def test_many_products_in_several_blocks(opened: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parkbench.database.schema._BLOCK", 30)
    setup(opened, 100)
    preflight(opened, 100)


def test_a_latin1_database_takes_the_names(server: EmbeddedServer) -> None:
    with session(server.dsn) as admin:
        admin.execute("create database latin encoding 'LATIN1' locale 'C' template template0")
        try:
            for connect in connects():
                with session(server.dsn.replace("/postgres?", "/latin?"), connect) as one:
                    setup(one, 200 if connect is PsycopgSession else 201)
        finally:
            admin.execute("drop database latin (force)")


class TestPermissions:
    @pytest.fixture
    def poor(self, dsn: str, other: Session) -> Iterator[Session]:
        """A session of a user who may do nothing but connect."""
        other.execute("create role poor login")
        with session(dsn.replace("//parkbench@", "//poor@")) as one:
            yield one
        other.execute("drop owned by poor")
        other.execute("drop role poor")

    def test_making_it_is_refused_with_the_remedy(self, poor: Session, other: Session) -> None:
        said = 'the user "poor" may not make or change the schema parkbench in the database "mine" .*grant CREATE'
        with pytest.raises(ConfigError, match=said):
            setup(poor, 10)
        assert tables(other) == []

    def test_a_schema_one_may_not_enter_is_named(self, poor: Session, other: Session) -> None:
        setup(other, 10)
        for check in (setup, preflight):
            with pytest.raises(ConfigError, match="no USAGE permission on the schema parkbench"):
                check(poor, 10)

    def test_a_table_one_may_not_read_is_named(self, poor: Session, other: Session) -> None:
        setup(other, 10)
        other.execute("grant usage on schema parkbench to poor")
        for table in ("meta", "products", "discounts"):
            with pytest.raises(ConfigError, match=f"no SELECT permission on the table parkbench.{table}"):
                preflight(poor, 10)
            other.execute(f"grant select on parkbench.{table} to poor")
        preflight(poor, 10)
        setup(poor, 10)

    def test_a_read_only_database_is_named(self, opened: Session) -> None:
        opened.execute("set default_transaction_read_only = on")
        with pytest.raises(ConfigError, match="read-only"):
            setup(opened, 10)
