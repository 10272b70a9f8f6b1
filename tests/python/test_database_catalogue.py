"""The products: plausible, the same for everybody, and rich enough to catch a wrong price."""

from __future__ import annotations

import itertools

from parkbench.database.catalogue import catalogue

PRODUCTS = list(catalogue(10_000))


def test_is_the_same_everywhere() -> None:
    assert PRODUCTS[1] == (2, "größer O'Hara chair 2", 169_275, 3, 0)
    assert PRODUCTS[2] == (3, "large lamp 3", 243_451, 7, 3_047)
    assert list(catalogue(10)) == PRODUCTS[:10]
    assert list(catalogue(0)) == []


def test_numbers_products_from_one() -> None:
    assert [product.id for product in PRODUCTS] == list(range(1, 10_001))


def test_values_are_plausible() -> None:
    for product in PRODUCTS:
        assert 50 <= product.price_minor < 250_050
        assert 0 <= product.percent_hundredths <= 6_000
        assert 1 <= product.discount_group <= 12
        assert product.name.isprintable()
        assert product.name.encode("latin-1")
    assert {product.discount_group for product in PRODUCTS} == set(range(1, 13))
    assert 0.10 < sum(product.percent_hundredths == 0 for product in PRODUCTS) / len(PRODUCTS) < 0.15


def test_names_hold_what_programs_trip_over() -> None:
    assert len({product.name for product in PRODUCTS}) == len(PRODUCTS)
    assert sum("'" in product.name for product in PRODUCTS) > 1_000
    assert sum(not product.name.isascii() for product in PRODUCTS) > 1_000
    assert sum(product.name.isascii() for product in PRODUCTS) > 1_000


def test_rounding_the_wrong_way_would_show() -> None:
    """Prices whose exact value lies on half a cent, and many that truncation or a float would get wrong."""
    rests = [p.price_minor * (10_000 - p.percent_hundredths) % 10_000 for p in PRODUCTS]
    assert rests.count(5_000) >= 5
    assert sum(rest >= 5_000 for rest in rests) > 3_000
    assert sum(0 < rest < 5_000 for rest in rests) > 3_000


def test_neighbours_have_nothing_in_common() -> None:
    same = sum(a.price_minor == b.price_minor for a, b in itertools.pairwise(PRODUCTS))
    assert same < 5
