"""Event ids of schema 1.2: 0 to 1023 operations of the device context, 1024 to 2047 users' data movement, 2048 to 3071
users' computation, 3072 to 4095 synchronisation."""

from __future__ import annotations

from typing import Final

EVENT_IDS: Final[dict[str, int]] = {
    "load": 0, "store": 1, "get": 2, "put": 3, "copy": 4,
    "atomic_add": 5, "atomic_sub": 6, "atomic_cas": 7, "atomic_xchg": 8, "atomic_xor": 9,
    "atomic_and": 10, "atomic_or": 11, "atomic_min": 12, "atomic_max": 13,
    "fetch": 1024, "compute": 2048, "reduce": 2049, "wait": 3072, "barrier": 3073,
}  # fmt: skip

EVENT_NAMES: Final[dict[int, str]] = {number: name for name, number in EVENT_IDS.items()}

LAST_ID: Final = 4095
