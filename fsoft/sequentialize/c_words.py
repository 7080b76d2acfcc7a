"""The C types that hold words, and words as C constants."""

from __future__ import annotations

from fsoft.program.verdict import InternalError


def size_of(width: int) -> int:
    """Bits of the C type for a word."""
    for bits in (1, 8, 16, 32, 64, 128):
        if width <= bits:
            return bits
    raise InternalError(f"no C type for {width} bits")


def type_of(width: int) -> str:
    return "_Bool" if width == 1 else f"u{size_of(width)}"


def number(value: int, width: int) -> str:
    bits = size_of(width)
    if bits == 128 and value >> 64:
        return f"((u128){value >> 64}ull << 64 | {value & (1 << 64) - 1}ull)"
    return f"{value}" if bits == 1 else f"{value}{'ull' if bits > 32 else 'u'}"
