"""Circuits of bit-vector operators: lists of AIG literals, lowest bit first.

Each function builds the gates of one operator in `g`; the meaning is that of `fsoft.program.expr.operate`.
"""

from __future__ import annotations

from fsoft.circuit.bits.aig import FALSE, TRUE, Aig

BitWord = list[int]


def constant(value: int, width: int) -> BitWord:
    return [(value >> i) & 1 for i in range(width)]


def invert(a: BitWord) -> BitWord:
    return [x ^ 1 for x in a]


def add(g: Aig, a: BitWord, b: BitWord, carry: int = FALSE) -> BitWord:
    """Ripple-carry sum modulo 2 ** width."""
    return _ripple(g, a, b, carry)[0]


def _ripple(g: Aig, a: BitWord, b: BitWord, carry: int) -> tuple[BitWord, int]:
    land, lxor = g.land, g.lxor
    total = []
    for x, y in zip(a, b):
        half = lxor(x, y)
        total.append(lxor(half, carry))
        carry = land(land(x, y) ^ 1, land(half, carry) ^ 1) ^ 1
    return total, carry


def subtract(g: Aig, a: BitWord, b: BitWord) -> BitWord:
    return add(g, a, invert(b), TRUE)


def negative(g: Aig, a: BitWord) -> BitWord:
    return add(g, invert(a), [FALSE] * len(a), TRUE)


def equal(g: Aig, a: BitWord, b: BitWord) -> int:
    lxor = g.lxor
    return g.conjoin([lxor(x, y) ^ 1 for x, y in zip(a, b)])


def unsigned_less(g: Aig, a: BitWord, b: BitWord, or_equal: bool = False) -> int:
    """a < b (a <= b), from the lowest bit up: the highest differing bit decides."""
    land = g.land
    result = TRUE if or_equal else FALSE
    for x, y in zip(a, b):
        below = land(x ^ 1, y)
        keep = land(land(x, y ^ 1) ^ 1, result)
        result = land(below ^ 1, keep ^ 1) ^ 1
    return result


def signed_less(g: Aig, a: BitWord, b: BitWord, or_equal: bool = False) -> int:
    return unsigned_less(g, [*a[:-1], a[-1] ^ 1], [*b[:-1], b[-1] ^ 1], or_equal)


def choose(g: Aig, c: int, a: BitWord, b: BitWord) -> BitWord:
    """a if c, else b."""
    if c < 2:
        return a if c else b
    mux = g.mux
    return [mux(c, x, y) for x, y in zip(a, b)]


def multiply(g: Aig, a: BitWord, b: BitWord) -> BitWord:
    """Shift and add; the operand with fewer unknown bits selects the rows."""
    width = len(a)
    if sum(x > 1 for x in a) < sum(x > 1 for x in b):
        a, b = b, a
    land = g.land
    total = [FALSE] * width
    for i, select in enumerate(b):
        if select == FALSE:
            continue
        row = [land(select, x) for x in a[: width - i]]
        total = total[:i] + add(g, total[i:], row)
    return total


def divide(g: Aig, a: BitWord, b: BitWord) -> tuple[BitWord, BitWord]:
    """Restoring division: quotient and remainder; by zero they are all ones and `a`.

    A remainder stays below the divisor, so it has no more bits: a division by a constant is small, one by a power of two costs nothing.
    """
    width = len(a)
    rest: BitWord = []
    quotient = [FALSE] * width
    kept = _remainder_bits(b)
    for i in reversed(range(width)):
        rest = [a[i], *rest]
        low, high = b[: len(rest)], b[len(rest) :]
        low = low + [FALSE] * (len(rest) - len(low))
        difference, no_borrow = _ripple(g, rest, invert(low), TRUE)
        fits = g.land(no_borrow, g.conjoin([x ^ 1 for x in high]))
        quotient[i] = fits
        rest = choose(g, fits, difference, rest)[:kept]
    rest = rest + [FALSE] * (width - len(rest))
    return quotient, rest if kept == width or TRUE in b else choose(g, g.disjoin(b), rest, a)


def _remainder_bits(divisor: BitWord) -> int:
    """How many bits a remainder can have that is below the divisor."""
    if all(bit in (FALSE, TRUE) for bit in divisor) and TRUE in divisor:
        return (sum(1 << k for k, bit in enumerate(divisor) if bit == TRUE) - 1).bit_length()
    return max((k + 1 for k, bit in enumerate(divisor) if bit != FALSE), default=len(divisor))


def _absolute(g: Aig, a: BitWord) -> BitWord:
    return choose(g, a[-1], negative(g, a), a)


def signed_divide(g: Aig, a: BitWord, b: BitWord) -> tuple[BitWord, BitWord]:
    """Toward zero, the remainder with the sign of `a`; by zero 1 or -1, and `a`."""
    quotient, rest = divide(g, _absolute(g, a), _absolute(g, b))
    sign = g.lxor(a[-1], b[-1])
    return choose(g, sign, negative(g, quotient), quotient), choose(g, a[-1], negative(g, rest), rest)


def shift_left(g: Aig, a: BitWord, amount: BitWord) -> BitWord:
    return shift_right(g, a[::-1], amount, FALSE)[::-1]


def shift_right(g: Aig, a: BitWord, amount: BitWord, fill: int) -> BitWord:
    """Barrel shifter; an amount of `width` or more leaves only `fill`."""
    width = len(a)
    stage = 0
    while (1 << stage) < width and stage < len(amount):
        step = 1 << stage
        a = choose(g, amount[stage], a[step:] + [fill] * step, a)
        stage += 1
    return choose(g, g.disjoin(amount[stage:]), [fill] * width, a) if stage < len(amount) else a


def pointer_add(g: Aig, pointer: BitWord, delta: BitWord, offset_bits: int) -> BitWord:
    """`expr.pointer_add`: a move that does not fit the signed offset field gives the lowest offset."""
    offset = pointer[:offset_bits]
    width = max(len(delta), offset_bits) + 1
    moved = add(g, _sign_extend(offset, width), _sign_extend(delta, width))
    sign = moved[offset_bits - 1]
    fits = g.conjoin([g.lxor(x, sign) ^ 1 for x in moved[offset_bits:]])
    none = [FALSE] * (offset_bits - 1) + [TRUE]
    return choose(g, fits, moved[:offset_bits], none) + pointer[offset_bits:]


def _sign_extend(a: BitWord, width: int) -> BitWord:
    return a + [a[-1]] * (width - len(a))
