"""The products and discounts of the pricing workload: the same for everybody, made from a formula.

Money is in integer minor units (cents); a discount is in hundredths of a percent (1234 is 12.34 %).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

SEED_DATA = "catalogue-1"  # changes whenever the formula does

_MASK = (1 << 64) - 1
_GROUPS = 12
_QUALITIES = (
    "small",
    "large",
    "red",
    "plain",
    "Grand-mère's",
    "folding",
    "señor's",
    "light",
    "old",
    "two-piece",
    "größer",
)
_THINGS = (
    "kettle",
    "café table",
    "O'Hara chair",
    "lamp",
    "jalapeño jar",
    "tool box",
    "Müller's clock",
    "tray",
    "notebook",
)


class Product(NamedTuple):
    """One product with its discount."""

    id: int
    name: str
    price_minor: int
    discount_group: int
    percent_hundredths: int


def _mix(value: int) -> int:
    """Spread a counter over 64 bits (the finalizer of SplitMix64), so that neighbours have nothing in common."""
    value = (value * 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def catalogue(products: int) -> Iterator[Product]:
    """Yield products 1 to `products`; product n is the same in a catalogue of any size.

    Prices lie between 0.50 and 2,500.49; one product in eight has no discount, the others 0.01 % to 60.00 %. Names hold
    apostrophes and letters of Latin-1, which a database of any common encoding can store.
    """
    for number in range(1, products + 1):
        bits = _mix(number)
        quality = _QUALITIES[bits % 11]
        thing = _THINGS[(bits >> 8) % 9]
        price_minor = 50 + (bits >> 16) % 250_000
        percent_hundredths = 0 if (bits >> 48) % 8 == 0 else 1 + (bits >> 34) % 6_000
        yield Product(
            number, f"{quality} {thing} {number}", price_minor, 1 + (bits >> 56) % _GROUPS, percent_hundredths
        )
